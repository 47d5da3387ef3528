//! Decisions, and the one target with a rule of its own, `/robots.txt`.
//!
//! The compiler's trace and the runtime share these types, so that the slow and the fast evaluation
//! give the same answers.

use std::fmt;

/// What a crawler may do with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Decision {
    /// Permitted.
    Allowed,
    /// Prohibited.
    Disallowed,
    /// Permitted under conditions, which are listed separately.
    Conditional,
    /// No rule applies and silence does not permit, or the site is unknown.
    Unknown,
}

/// The reason why a crawler's groups were selected (RFC 9309 2.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// They name this crawler (its reduced name).
    Named(String),
    /// No group names the crawler; these are the default groups.
    Default,
    /// The file has no group for the crawler.
    Nobody,
}

impl Choice {
    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Choice::Named(_) => "named",
            Choice::Default => "default",
            Choice::Nobody => "nobody",
        }
    }
}

impl Decision {
    /// The name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Decision::Allowed => "allowed",
            Decision::Disallowed => "disallowed",
            Decision::Conditional => "conditional",
            Decision::Unknown => "unknown",
        }
    }

    /// True for a plain permission only, for callers that need a yes or a no.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Decision::Allowed)
    }
}

impl From<bool> for Decision {
    fn from(permitted: bool) -> Decision {
        if permitted { Decision::Allowed } else { Decision::Disallowed }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// R13: true if a canonical target is `/robots.txt` itself. With a query, it is another resource.
#[inline]
pub fn is_robots_txt(target: &[u8]) -> bool {
    target == b"/robots.txt"
}
