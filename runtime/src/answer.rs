//! What is worked out of an answer: a decision, and what it rests on.
//!
//! Below all that answers; `verdict` joins it with who asked about what. It knows no image.

use robomaton_formats::{Decision, Outcome};

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule matched. [`crate::Verdict::rule`] finds the one that decided.
    Rule,
    /// Fields that were weighed by narrowness, conventional rules perhaps among them.
    Fields,
    /// No rule of the crawler's groups matches.
    NoRule,
    /// No rule of the crawler's groups speaks of the usage.
    Unspoken,
    /// The file has no group for the crawler.
    NoGroup,
    /// The target is `/robots.txt` itself (R13).
    RobotsTxt,
    /// There are no rules; what became of the fetch decides (R16).
    Outcome(Outcome),
    /// The image was narrowed to other crawlers when it was compiled.
    Narrowed,
    /// The image does not hold the site.
    NoSite,
    /// What was asked is no URL of a site.
    NoUrl,
    /// The image is damaged where the answer should be. `verify` says where.
    Damaged,
}

impl Basis {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Rule => "rule",
            Basis::Fields => "fields",
            Basis::NoRule => "no-rule",
            Basis::Unspoken => "unspoken",
            Basis::NoGroup => "no-group",
            Basis::RobotsTxt => "robots-txt",
            Basis::Outcome(_) => "outcome",
            Basis::Narrowed => "narrowed",
            Basis::NoSite => "no-site",
            Basis::NoUrl => "no-url",
            Basis::Damaged => "damaged",
        }
    }
}

/// The part of a verdict that is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) decision: Decision,
    pub(crate) incomplete: bool,
    pub(crate) basis: Basis,
}

impl Answer {
    #[inline]
    pub(crate) const fn plain(decision: Decision, basis: Basis) -> Answer {
        Answer { decision, incomplete: false, basis }
    }
}
