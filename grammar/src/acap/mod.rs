//! The parsed fields of the Automated Content Access Protocol (ACAP), 0.2 and 1.0.
//!
//! A tree recognises an ACAP line by the prefix of its key. This module parses the line by the
//! rules of `acap.pest`, which mirrors the ABNF of both versions; GRAMMAR.md compares the two.
//! `meta` reads the same expressions in HTML.
//!
//! ```text
//!   Tree ──▶ fields ──▶ Field, Problem ──▶ the compiler, diagnose
//!            version
//!   Qualifier ──▶ value ──▶ Value
//! ```
//!
//! Invariants: every ACAP line gives one field or one problem; one parser serves all versions;
//! spans refer to the source of the tree. This module does not judge sequences of fields and
//! resolves no names.
//!
//! ```
//! use robomaton_grammar::acap::{Field, Resource, UsageName, fields, value, Value};
//! use robomaton_grammar::{DEFAULT_LIMIT, scan};
//!
//! let tree = scan(b"ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=3-days\n", DEFAULT_LIMIT);
//! let (line, Ok(Field::Permission { usage: UsageName::Standard(usage), qualifiers, .. })) = &fields(&tree)[1]
//! else {
//!     panic!("a permission");
//! };
//! assert_eq!((*line, tree.text(*usage)), (1, &b"index"[..]));
//! let limit = &qualifiers[0];
//! assert_eq!(value(tree.text(limit.name), tree.text(limit.value)), Some(Value::Days(3)));
//! ```

mod field;
mod lint;
pub(crate) mod parser;
mod value;

use field::declared;
pub(crate) use field::numbers;
pub use field::{fields, version};
pub(crate) use lint::lint;
pub use value::{Locator, Modification, Role, Value, value};

use crate::{Code, Span};

/// The contents of an ACAP line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// `ACAP-ignore-conventional-records`: only ACAP records count (P4, V4).
    IgnoreConventional,
    /// `ACAP-crawler`: opens a record or joins its first lines; `*`, or a name without surrounding
    /// white space (P9, V8).
    Crawler(Span),
    /// `ACAP-permissions-reference`: the path or URI of further permissions (P46, V16).
    PermissionsReference(Span),
    /// `ACAP-usage-purpose`: opens a sub-record or joins its first lines; a name or a URI pattern
    /// (P17, V19).
    UsagePurpose(Span),
    /// `ACAP-allow-...` (P21, V21).
    Permission {
        /// The permitted usage.
        usage: UsageName,
        /// The resource.
        resource: Resource,
        /// The conditions, all of which must be met.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-disallow-...` (P24, V24).
    Prohibition {
        /// The prohibited usage. It should not be local, but is in real files.
        usage: UsageName,
        /// The resource.
        resource: Resource,
        /// Not permitted here, but read, so that the prohibition is not lost.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-request-...` (P47, V40).
    Request {
        /// The requested action.
        action: Action,
        /// The single resource of the request; not a pattern.
        path: Span,
    },
    /// `ACAP-qualified-usage`: a local name for a usage with qualifiers (P41, V42).
    QualifiedUsage {
        /// The defined name.
        name: Span,
        /// The usage; always a standard one.
        usage: UsageName,
        /// Its qualifiers, at least one.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-composite-usage`: a local name for several usages (P42, V43).
    CompositeUsage {
        /// The defined name.
        name: Span,
        /// The usages, at least one.
        members: Vec<UsageName>,
    },
    /// `ACAP-resource-set`: a name for several patterns (P44, V45).
    ResourceSet {
        /// The defined name.
        name: Span,
        /// The patterns, at least one.
        patterns: Vec<Span>,
    },
}

/// The name of a usage, in the spelling of the source. Names are compared ignoring ASCII case (P7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsageName {
    /// A name of the dictionary, or one that looks like it: `index`, `present-snippet`.
    Standard(Span),
    /// A name defined in the file, without its parentheses.
    Local(Span),
}

impl UsageName {
    /// The span of the name.
    pub const fn span(self) -> Span {
        match self {
            UsageName::Standard(span) | UsageName::Local(span) => span,
        }
    }
}

/// The resource of a permission or a prohibition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A pattern of paths.
    Pattern(Span),
    /// The name of a resource set, without `acap:resource-set:` or `the-acap:resource-set:`.
    Set(Span),
}

/// A qualifier, or a word in the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualifier {
    /// The type, or the whole word.
    pub name: Span,
    /// The value; empty if a word has none.
    pub value: Span,
}

/// The action that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `take-down`: erase copies and index entries.
    TakeDown,
    /// `re-crawl`: fetch again.
    ReCrawl,
}

/// The reason why an ACAP line is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub code: Code,
    /// The place.
    pub span: Span,
    /// The problem in one sentence without a full stop.
    pub message: String,
}
