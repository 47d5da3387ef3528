//! From the bytes of a robots.txt file to a lossless syntax tree, and to diagnostics on demand.
//!
//! The first stage of the pipeline: `corpus` brings the bytes, `compiler` lowers the tree to a
//! policy.
//!
//! ```text
//!   bytes ──▶ scan ──────────┐
//!                            ├──▶ Tree ──▶ print, dump, diagnose
//!   bytes ──▶ define ────────┘      └────▶ acap::fields
//! ```
//!
//! Two readers give the same tree on every input. `define` runs the pest grammar `rep.pest`, which
//! mirrors the ABNF of RFC 9309 and is the definition; [`scan`] is the fast one for production. The
//! feature `definition` enables the definition, for tests only. The tree only marks lines that
//! belong to ACAP; [`acap`] parses them with the pest grammar `acap.pest`, and [`meta`] parses ACAP
//! in HTML. [`modern`] parses the usage languages of today, in lines, headers and documents.
//! `GRAMMAR.md` compares each rule of the grammars with the rule of the document that it mirrors.
//!
//! Invariants: reading never fails and takes linear time; [`Tree::print`] gives the source back
//! byte for byte; nothing here recurses on input. The crate judges nothing: it knows no precedence,
//! no defaults, no URLs, and no meaning of a value. Rule numbers (R3, V1) are those of the
//! project's reading of the documents, named in GRAMMAR.md.
//!
//! ```
//! use robomaton_grammar::{DEFAULT_LIMIT, Key, LineKind, scan};
//!
//! let tree = scan(b"User-agent: *\nDisallow: /private # keep out\n", DEFAULT_LIMIT);
//! assert_eq!(tree.lines[1].kind, LineKind::Field(Key::Disallow));
//! assert_eq!(tree.text(tree.lines[1].value), b"/private");
//! assert_eq!(tree.print(), tree.source);
//! ```

pub mod acap;
mod agent;
#[cfg(feature = "definition")]
mod definition;
mod diagnose;
mod diagnostic;
mod dump;
pub mod extended;
mod key;
mod mark;
pub mod meta;
pub mod modern;
mod projection;
mod scan;
mod tree;

pub use agent::{product_token, rule_behind_name};
#[cfg(feature = "definition")]
pub use definition::define;
pub use diagnose::diagnose;
pub use diagnostic::{Code, Diagnostic, Severity};
pub use dump::dump;
pub use key::Key;
pub use mark::without_mark;
pub use scan::scan;
pub use tree::{DEFAULT_LIMIT, Group, Line, LineKind, Span, Tree};
