//! The fields of the Automated Content Access Protocol (ACAP), 0.2 and 1.0, taken apart.
//!
//! A tree knows an ACAP line by the head of its key; this module says what the line says, by the
//! rules of `acap.pest`, which mirrors the ABNF of both versions. GRAMMAR.md sets them side by
//! side. `meta` reads the same expressions where HTML holds them.
//!
//! ```text
//!   Tree ──▶ fields ──▶ Field, Problem ──▶ the compiler, diagnose
//!            version
//!   Qualifier ──▶ value ──▶ Value
//! ```
//!
//! Invariants: every ACAP line gives one field or one problem; one reader serves all versions;
//! spans are into the source of the tree. The module judges no sequence of fields and looks no name
//! up.
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

/// What an ACAP line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// `ACAP-ignore-conventional-records`: only ACAP records count (P4, V4).
    IgnoreConventional,
    /// `ACAP-crawler`: opens a record or joins its head; `*`, or a name without white space around
    /// (P9, V8).
    Crawler(Span),
    /// `ACAP-permissions-reference`: the path or URI of further permissions (P46, V16).
    PermissionsReference(Span),
    /// `ACAP-usage-purpose`: opens a sub-record or joins its head; a name or a pattern of URIs
    /// (P17, V19).
    UsagePurpose(Span),
    /// `ACAP-allow-...` (P21, V21).
    Permission {
        /// What may be done.
        usage: UsageName,
        /// To what.
        resource: Resource,
        /// Under which conditions; all of them.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-disallow-...` (P24, V24).
    Prohibition {
        /// What may not be done. Should not be local, but real files have it.
        usage: UsageName,
        /// To what.
        resource: Resource,
        /// Forbidden here, and read all the same, so that no prohibition is lost over them.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-request-...` (P47, V40).
    Request {
        /// What is asked for.
        action: Action,
        /// The one resource it is asked for; not a pattern.
        path: Span,
    },
    /// `ACAP-qualified-usage`: a local name for a usage with qualifiers (P41, V42).
    QualifiedUsage {
        /// The name that is defined.
        name: Span,
        /// The usage; always a standard one.
        usage: UsageName,
        /// Its qualifiers, at least one.
        qualifiers: Vec<Qualifier>,
    },
    /// `ACAP-composite-usage`: a local name for several usages (P42, V43).
    CompositeUsage {
        /// The name that is defined.
        name: Span,
        /// The usages, at least one.
        members: Vec<UsageName>,
    },
    /// `ACAP-resource-set`: a name for several patterns (P44, V45).
    ResourceSet {
        /// The name that is defined.
        name: Span,
        /// The patterns, at least one.
        patterns: Vec<Span>,
    },
}

/// The name of a usage, in the spelling of the source. Names are compared without regard to ASCII
/// case (P7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsageName {
    /// A name of the dictionary, or one that only looks like it: `index`, `present-snippet`.
    Standard(Span),
    /// A name that the file defines; without its parentheses.
    Local(Span),
}

impl UsageName {
    /// Where the name stands.
    pub const fn span(self) -> Span {
        match self {
            UsageName::Standard(span) | UsageName::Local(span) => span,
        }
    }
}

/// What a permission or a prohibition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A pattern of paths.
    Pattern(Span),
    /// The name of a resource set, without `acap:resource-set:` or `the-acap:resource-set:`.
    Set(Span),
}

/// A qualifier, or a word that stands where one should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualifier {
    /// The type, or the whole word.
    pub name: Span,
    /// The value; empty after a word that has none.
    pub value: Span,
}

/// What an action request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `take-down`: erase copies and index entries.
    TakeDown,
    /// `re-crawl`: fetch again.
    ReCrawl,
}

/// Why an ACAP line says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What the matter is.
    pub code: Code,
    /// Where.
    pub span: Span,
    /// In one sentence without a full stop.
    pub message: String,
}
