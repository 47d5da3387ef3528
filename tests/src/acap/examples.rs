//! The two whole files of the documents, as text.
//!
//! Typographic signs are replaced by plain ones; nothing else is changed. It does not know what
//! they mean.

/// The outline of ACAP 0.2, paragraph 4.7, with the definition that print divides on one line.
pub const OUTLINE: &str = include_str!("../../golden/acap-pilot/robots.txt");

/// The overview of ACAP 1.0, paragraph 2.1.
pub const OVERVIEW: &str = include_str!("../../golden/acap-overview/robots.txt");
