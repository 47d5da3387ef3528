//! Purposes of usages: matching the pattern of a sub-record against the requested purpose (P17,
//! P18, V19).
//!
//! Shared by compiler and runtime, like the matcher of paths. The ACAP documents give purposes no
//! syntax except "a name or a URI pattern"; decision 13 defines the comparison. This file does not
//! know which purposes exist.

use crate::notation::Notation;
use crate::pattern::Pattern;

/// Bytes of the pattern of a purpose in an image. Each entry of a list is compared with a purpose,
/// so this and the number of entries bound the time of look-ups.
pub const MAX_PURPOSE: usize = 1024;

/// True if a pattern matches this purpose. `*` matches all, requested or not; any other pattern
/// needs a purpose.
///
/// A plain name is compared whole, ignoring ASCII case. A pattern with `*`, `$` or `:` is compared
/// like a path: a prefix with wildcards.
pub fn matches(pattern: &[u8], purpose: Option<&str>) -> bool {
    if pattern == b"*" {
        return true;
    }
    let Some(purpose) = purpose else { return false };
    if !pattern.iter().any(|byte| matches!(byte, b'*' | b'$' | b':')) {
        return pattern.eq_ignore_ascii_case(purpose.as_bytes());
    }
    // Most patterns differ before their first wildcard, and are not copied.
    let prefix = pattern.split(|byte| matches!(byte, b'*' | b'$')).next().unwrap_or_default();
    if !purpose.as_bytes().get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix)) {
        return false;
    }
    let text = pattern.to_ascii_lowercase();
    let pattern = Pattern { text: &text, notation: Notation::Google };
    pattern.matches(purpose.to_ascii_lowercase().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_and_patterns_are_prefixes() {
        for (pattern, purpose, expected) in [
            ("news", Some("News"), true),
            ("news", Some("newsletter"), false),
            ("news*", Some("newsletter"), true),
            ("news*$", Some("newsletter"), true),
            ("*letter$", Some("NewsLetter"), true),
            ("*", None, true),
            ("*", Some("x"), true),
            ("news", None, false),
            ("http://news.search.*/", Some("http://news.search.com/x"), true),
            ("http://service.aggregator.*/*", Some("http://service.aggregator.com"), false),
            ("urn:x", Some("URN:X:y"), true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), purpose), expected, "{pattern} {purpose:?}");
        }
    }
}
