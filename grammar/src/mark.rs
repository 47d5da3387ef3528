//! The byte order mark, which some programs write before a text in UTF-8.
//!
//! Whoever reads a text that is no robots.txt passes over it here; `tree` also knows the beginning
//! of a mark (R1). This file knows no format.

/// A text without its byte order mark.
///
/// ```
/// use robomaton_grammar::without_mark;
///
/// assert_eq!(without_mark("\u{feff}[]".as_bytes()), b"[]");
/// assert_eq!(without_mark(b"[]"), b"[]");
/// ```
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}
