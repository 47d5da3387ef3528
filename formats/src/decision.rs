//! The four answers there are, and the one target that is special.
//!
//! Shared by the compiler's trace evaluator and the runtime, so that the slow and the fast way say
//! the same words.

use std::fmt;

/// What a crawler may do with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Decision {
    /// Permitted.
    Allowed,
    /// Prohibited.
    Disallowed,
    /// Permitted under conditions, which are given as data.
    Conditional,
    /// Nothing is said, and silence is not consent; or the site is not known.
    Unknown,
}

/// Why the groups that answered for a crawler are those (RFC 9309 2.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// They name this crawler (the reduced name).
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
    /// The word in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Decision::Allowed => "allowed",
            Decision::Disallowed => "disallowed",
            Decision::Conditional => "conditional",
            Decision::Unknown => "unknown",
        }
    }

    /// The view of a caller who needs a yes or a no: only a plain permission is a yes.
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

/// R13: whether a canonical target is `/robots.txt` itself. With a query it is another resource.
#[inline]
pub fn is_robots_txt(target: &[u8]) -> bool {
    target == b"/robots.txt"
}
