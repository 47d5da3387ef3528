//! The usage languages of today: AIPREF, Content Signals, robots directives of pages, TDMRep, RSL
//! and Clean-param.
//!
//! Each submodule parses one notation, from bytes to typed statements and [`Mistake`]s. The
//! compiler calls them with the values of lines, headers, META tags and documents.
//!
//! Invariants: every parser accepts any bytes, in linear time, and does not recurse on its input;
//! every limit is a named constant, and input beyond it is reported as [`MistakeCode::OverLimit`],
//! never silently dropped. The parsers judge nothing: they know no precedence, no default and no
//! usage, so the labels of statements stay text.

pub mod clean_param;
mod date;
pub mod dictionary;
mod mistake;
pub mod path;
pub mod robots_tag;
pub mod rsl;
pub mod signal;
pub mod tdmrep;

pub use mistake::{Mistake, MistakeCode};

/// The answer that a statement gives for one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preference {
    /// The usage is allowed.
    Yes,
    /// The usage is refused.
    No,
    /// A value without a meaning: the label is mentioned, but nothing is stated about it.
    Other,
}

/// The bytes without the spaces and tabs around them.
fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}
