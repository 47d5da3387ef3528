//! The name of a crawler as files and callers write it, and the part of it that is compared.
//!
//! Compiler and runtime both reduce names here, so that a file's `Googlebot/2.1` and a caller's `googlebot` meet.
//! Invariant: [`AgentRule::reduce`] is idempotent. It does not know groups.

use crate::profile::AgentRule;

impl AgentRule {
    /// The form under which a *caller's* name is looked up: lower case, reduced as the profile says.
    pub fn reduce(self, name: &str) -> String {
        let trimmed = name.trim_ascii();
        let kept = match self {
            AgentRule::Token => &trimmed[..product_token(trimmed.as_bytes()).len()],
            AgentRule::Verbatim => name,
            // K10: the version after `/` is not part of the name.
            AgentRule::Substring => trimmed.split('/').next().unwrap_or_default().trim_ascii_end(),
        };
        kept.to_ascii_lowercase()
    }

    /// Whether a file's value (as the profile keeps it) names the crawler with this reduced name.
    pub fn names(self, value: &str, reduced: &str) -> bool {
        match self {
            AgentRule::Substring => !reduced.is_empty() && value.to_ascii_lowercase().contains(reduced),
            _ => value.eq_ignore_ascii_case(reduced),
        }
    }
}

/// R5: the leading run of `[A-Za-z0-9_.-]`.
pub fn product_token(value: &[u8]) -> &[u8] {
    leading(value, |octet| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'.' | b'-'))
}

/// google/robotstxt: the leading run of `[A-Za-z_-]`.
pub fn google_token(value: &[u8]) -> &[u8] {
    leading(value, |octet| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-'))
}

fn leading(value: &[u8], keep: impl Fn(u8) -> bool) -> &[u8] {
    let end = value.iter().position(|&octet| !keep(octet)).unwrap_or(value.len());
    &value[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_reduced_as_the_profile_says() {
        assert_eq!(AgentRule::Token.reduce(" Googlebot/2.1 (x)"), "googlebot");
        assert_eq!(AgentRule::Token.reduce("archive.org_bot"), "archive.org_bot");
        assert_eq!(AgentRule::Verbatim.reduce("FooBot/2.1"), "foobot/2.1");
        assert_eq!(AgentRule::Substring.reduce("FigTree/0.1 Robot"), "figtree");
        assert_eq!(AgentRule::Substring.reduce("Fig Tree"), "fig tree");
        assert_eq!(AgentRule::Substring.reduce("   /a\u{e9}"), "");
        assert_eq!(AgentRule::Substring.reduce(" a /b"), "a");
        assert_eq!(google_token(b"008"), b"");
    }
}
