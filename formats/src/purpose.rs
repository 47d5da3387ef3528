//! Purposes of usages: whether the pattern of a sub-record speaks of the purpose that is asked for
//! (P17, P18, V19).
//!
//! Shared by compiler and runtime, like the matcher of paths. The documents give purposes no syntax
//! but "a name or a URI pattern"; decision 13 says how they are compared. It does not know what
//! purposes there are.

use crate::notation::Notation;
use crate::pattern::Pattern;

/// Whether a pattern speaks of this purpose. `*` speaks of all, asked for or not; any other needs
/// one.
///
/// A plain name is compared whole, without regard to ASCII case; a pattern with `*`, `$` or `:` as
/// paths are: a prefix with wildcards.
pub fn matches(pattern: &[u8], purpose: Option<&str>) -> bool {
    if pattern == b"*" {
        return true;
    }
    let Some(purpose) = purpose else { return false };
    if !pattern.iter().any(|byte| matches!(byte, b'*' | b'$' | b':')) {
        return pattern.eq_ignore_ascii_case(purpose.as_bytes());
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
