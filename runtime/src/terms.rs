//! The terms of a question: the meaning of outcomes other than rules, and the current time (R16,
//! R17).
//!
//! The image contains the outcome of a fetch; the consequence is the caller's choice, within RFC
//! 9309 2.3.1.

use robomaton_formats::{Decision, NoRules, Outcome};

/// After this many seconds an unreachable site may be treated as one without rules (RFC 9309
/// 2.3.1.4: 30 days).
const LONG_UNREACHABLE: u64 = 30 * 86_400;

/// The caller's choices. The default is RFC 9309 to the letter.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, emit};
/// # use robomaton_formats::{Outcome, SiteKey};
/// # let site = SiteKey::from_url("https://example.com/")?;
/// # let (outcome, status) = (Outcome::Unavailable, 403);
/// # let site = Entry { site, outcome, status, fetched_at: 0, fresh_for: None, document: None };
/// # let bytes = emit(vec![site], &Options::default())?;
/// use robomaton_runtime::{Decision, Image, Terms, Usage};
///
/// let image = Image::from_bytes(bytes)?; // its only site answered 403
/// let (crawler, url) = (image.crawler(["mybot"]), "https://example.com/x");
/// assert!(image.decide(&crawler, Usage::CRAWL, url).is_allowed());
///
/// let careful = image.with_terms(Terms { on_forbidden: Decision::Disallowed, ..Terms::default() });
/// assert!(!careful.decide(&crawler, Usage::CRAWL, url).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// For status 401 and 403. RFC 9309 counts them as unavailable: allowed.
    pub on_forbidden: Decision,
    /// For status 429. RFC 9309 counts it as unavailable: allowed; some treat it as a server error.
    pub on_throttled: Decision,
    /// For sites unreachable for more than 30 days; counts only with [`Terms::now`]. RFC 9309
    /// leaves the choice.
    pub on_long_unreachable: Decision,
    /// The time of the first of the failures in a row, in seconds since 1970, for who remembers it,
    /// as a store does: it counts for all unreachable sites. `None` for the time of the capture.
    pub unreachable_since: Option<u64>,
    /// True if the caller works on single elements of pages. Otherwise, a statement about an
    /// element prohibits the usage on the whole page (M13).
    pub elements: bool,
    /// The time of the question, in seconds since 1970. Without it no answer is called stale.
    pub now: Option<u64>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            on_forbidden: Decision::Allowed,
            on_throttled: Decision::Allowed,
            on_long_unreachable: Decision::Disallowed,
            unreachable_since: None,
            elements: false,
            now: None,
        }
    }
}

impl Terms {
    /// The decision of a site's outcome about crawling where there are no rules. `fetched_at` is
    /// called only if the time matters.
    pub(crate) fn decide(&self, no_rules: NoRules, fetched_at: impl Fn() -> u64) -> Decision {
        match (no_rules.outcome, no_rules.status) {
            (Outcome::Unavailable, 401 | 403) => self.on_forbidden,
            (Outcome::Unavailable, 429) => self.on_throttled,
            // RFC 9309 2.3.1.2: after too many redirects, as if unavailable.
            (Outcome::Rules | Outcome::Empty | Outcome::NotRobots, _)
            | (Outcome::Unavailable | Outcome::TooManyRedirects, _) => Decision::Allowed,
            (Outcome::Unreachable, _) => {
                self.decide_unreachable(self.unreachable_since.unwrap_or_else(fetched_at))
            }
            (Outcome::OverLimit, _) => Decision::Disallowed,
            (Outcome::Unresolved | Outcome::NotCaptured, _) => Decision::Unknown,
        }
    }

    /// The decision about crawling a site that is unreachable since a time, in seconds since 1970.
    pub fn decide_unreachable(&self, since: u64) -> Decision {
        match self.age(since) {
            Some(age) if age > LONG_UNREACHABLE => self.on_long_unreachable,
            _ => Decision::Disallowed,
        }
    }

    /// The age of a capture in seconds, if both times are known.
    pub(crate) fn age(&self, fetched_at: u64) -> Option<u64> {
        self.now.filter(|_| fetched_at != 0).map(|now| now.saturating_sub(fetched_at))
    }
}

/// True if a site without rules may have a robots.txt that was not read, or if its outcome
/// disallows everything on the caller's terms (`decision`): either may refuse what pages and
/// statements permit.
pub(crate) fn may_refuse(outcome: Outcome, decision: Decision) -> bool {
    outcome.is_unread() || decision == Decision::Disallowed
}
