//! On what terms questions are asked: what an outcome other than rules means, and what time it is
//! (R16, R17).
//!
//! The image holds what became of a fetch; what follows from it is the asker's choice, within RFC
//! 9309 2.3.1.

use robomaton_formats::{Decision, NoRules, Outcome};

/// After this many seconds an unreachable site may be treated as one without rules (RFC 9309
/// 2.3.1.4: 30 days).
const LONG_UNREACHABLE: u64 = 30 * 86_400;

/// The asker's choices. The default is RFC 9309 to the letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// For status 401 and 403. RFC 9309 counts them as unavailable: allowed.
    pub on_forbidden: Decision,
    /// For status 429. RFC 9309 counts it as unavailable: allowed; some take it for a server error.
    pub on_throttled: Decision,
    /// For sites unreachable for more than 30 days; counts only with [`Terms::now`]. RFC 9309
    /// leaves the choice.
    pub on_long_unreachable: Decision,
    /// Whether the asker works on single elements of pages. One that does not takes what is said of
    /// an element for a prohibition of the usage on the whole page (M13).
    pub elements: bool,
    /// The time of asking, in seconds since 1970. Without it no answer is called stale.
    pub now: Option<u64>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            on_forbidden: Decision::Allowed,
            on_throttled: Decision::Allowed,
            on_long_unreachable: Decision::Disallowed,
            elements: false,
            now: None,
        }
    }
}

impl Terms {
    /// What a site's outcome says about crawling where no rules do. When it was fetched is asked
    /// only where that matters.
    pub(crate) fn decide(&self, no_rules: NoRules, fetched_at: impl Fn() -> u64) -> Decision {
        match (no_rules.outcome, no_rules.status) {
            (Outcome::Unavailable, 401 | 403) => self.on_forbidden,
            (Outcome::Unavailable, 429) => self.on_throttled,
            // RFC 9309 2.3.1.2: after too many redirects, as if unavailable.
            (Outcome::Rules | Outcome::Empty | Outcome::NotRobots, _)
            | (Outcome::Unavailable | Outcome::TooManyRedirects, _) => Decision::Allowed,
            (Outcome::Unreachable, _) if self.age(fetched_at()).is_some_and(|age| age > LONG_UNREACHABLE) => {
                self.on_long_unreachable
            }
            (Outcome::Unreachable | Outcome::OverLimit, _) => Decision::Disallowed,
            (Outcome::Unresolved | Outcome::NotCaptured, _) => Decision::Unknown,
        }
    }

    /// How long ago a capture was made, if both times are known.
    pub(crate) fn age(&self, fetched_at: u64) -> Option<u64> {
        self.now.filter(|_| fetched_at != 0).map(|now| now.saturating_sub(fetched_at))
    }
}

/// Whether a robots.txt without rules may be one that nobody has read, or counts as one that
/// forbids everything: then a page that names nobody does not have the last word.
pub(crate) fn is_unheard(outcome: Outcome, silence: Decision) -> bool {
    outcome.is_unheard() || silence == Decision::Disallowed
}
