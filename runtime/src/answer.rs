//! The computed part of an answer: a decision and its basis.
//!
//! All other modules that answer build on it; `verdict` adds the crawler and the URL. It does not
//! know images.

use robomaton_formats::{Decision, Outcome};

/// The basis of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule matched. [`crate::Verdict::rule`] finds the one that decided.
    Rule,
    /// ACAP fields weighed by specificity, possibly together with conventional rules.
    Fields,
    /// Statements about the use of a resource ([`crate::Account::statements`]), possibly together
    /// with rules and fields.
    Preferences,
    /// No rule of the crawler's groups matches.
    NoRule,
    /// No rule of the crawler's groups is about the usage.
    Unspoken,
    /// The file has no group for the crawler.
    NoGroup,
    /// The target is `/robots.txt` itself (R13).
    RobotsTxt,
    /// There are no rules; the outcome of the fetch decides (R16).
    Outcome(Outcome),
    /// The image was compiled for other crawlers only.
    Narrowed,
    /// The image does not contain the site.
    NoSite,
    /// The question is not about a URL of a site.
    NoUrl,
    /// The image is damaged where the answer should be. `verify` reports where.
    Damaged,
}

impl Basis {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Rule => "rule",
            Basis::Fields => "fields",
            Basis::Preferences => "preferences",
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

/// The computed part of a verdict.
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

/// The image does not contain the site.
pub(crate) const NO_SITE: Answer = Answer::plain(Decision::Unknown, Basis::NoSite);
/// The question is not about a URL of a site.
pub(crate) const NO_URL: Answer = Answer::plain(Decision::Unknown, Basis::NoUrl);
