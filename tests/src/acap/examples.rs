//! The two complete files in the ACAP documents, as text.
//!
//! Typographic characters are replaced by plain ones; nothing else is changed. This file does not
//! know their meaning.

/// The outline of ACAP 0.2, paragraph 4.7, with the definition that print breaks across lines on
/// one line.
pub const OUTLINE: &str = include_str!("../../golden/acap-pilot/robots.txt");

/// The overview of ACAP 1.0, paragraph 2.1.
pub const OVERVIEW: &str = include_str!("../../golden/acap-overview/robots.txt");
