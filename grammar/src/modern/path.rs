//! The optional path before a statement in `Content-Usage` and `Content-Signal` lines.
//!
//! Lowering passes [`crate::Line::value`] to [`split_path`] and the statement on to `dictionary` or
//! `signal`. Invariant: path and statement are parts of the value, in this order. This file does
//! not know what a pattern matches.

use super::trim;

/// Splits the value of a line into its path and its statement.
///
/// A value that begins with `/` has a path up to the first space or tab, and the rest is the
/// statement, which may be empty. Any other value has no path (AIPREF attachment, section 3).
/// Spaces and tabs around both parts are removed.
///
/// ```
/// use robomaton_grammar::modern::path::split_path;
///
/// assert_eq!(split_path(b"/ai-ok/ train-ai=y"), (Some(&b"/ai-ok/"[..]), &b"train-ai=y"[..]));
/// assert_eq!(split_path(b"train-ai=y"), (None, &b"train-ai=y"[..]));
/// ```
pub fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let value = trim(value);
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let end = memchr::memchr2(b' ', b'\t', value).unwrap_or(value.len());
    (Some(&value[..end]), trim(&value[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(value: &str) -> (Option<&str>, &str) {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        let (path, statement) = split_path(value.as_bytes());
        (path.map(text), text(statement))
    }

    #[test]
    fn a_slash_begins_a_path() {
        assert_eq!(split("/ai-ok/ train-ai=y"), (Some("/ai-ok/"), "train-ai=y"));
        assert_eq!(split("/ train-ai=n"), (Some("/"), "train-ai=n"));
        assert_eq!(split("\t/a*c$ \t train-ai=n, search=y \t"), (Some("/a*c$"), "train-ai=n, search=y"));
        assert_eq!(split("/caf%C3%A9\ttrain-ai=n"), (Some("/caf%C3%A9"), "train-ai=n"));
        assert_eq!(split("/café train-ai=n"), (Some("/café"), "train-ai=n"));
        assert_eq!(split_path(b"/\xFF y"), (Some(&b"/\xFF"[..]), &b"y"[..]));
    }

    #[test]
    fn a_path_may_stand_alone() {
        assert_eq!(split("/never/"), (Some("/never/"), ""));
        assert_eq!(split("/never/ \t"), (Some("/never/"), ""));
        assert_eq!(split("/train-ai=n"), (Some("/train-ai=n"), ""));
    }

    #[test]
    fn anything_else_is_all_statement() {
        assert_eq!(split(" train-ai=n "), (None, "train-ai=n"));
        assert_eq!(split("*.pdf train-ai=n"), (None, "*.pdf train-ai=n"));
        assert_eq!(split("train-ai=n /path"), (None, "train-ai=n /path"));
        assert_eq!(split(""), (None, ""));
        assert_eq!(split(" \t "), (None, ""));
    }
}
