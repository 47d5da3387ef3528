//! The types that cross the boundary: numbers, strings of the caller or of a handle, and names of
//! handles. Their layout is the binary interface. Comments of public items stand in `robomaton.h`.
//!
//! It knows the runtime's answers only to number them.

use robomaton_formats::{Decision, Outcome};
use robomaton_runtime::{Basis, Verdict};
use std::ffi::CStr;
use std::ffi::c_char;

/// An open image.
pub struct RobomatonImage {
    _opaque: [u8; 0],
}

/// A crawler, resolved for one image.
pub struct RobomatonCrawler {
    _opaque: [u8; 0],
}

/// A usage, perhaps for a purpose, resolved for one image.
pub struct RobomatonUsage {
    _opaque: [u8; 0],
}

/// The reasons of one answer.
pub struct RobomatonReasons {
    _opaque: [u8; 0],
}

/// The facts about one site.
pub struct RobomatonSite {
    _opaque: [u8; 0],
}

/// A string in UTF-8. It need not end in a zero byte.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonString {
    /// Its first byte. May be null if the length is 0.
    pub data: *const c_char,
    /// Its length in bytes.
    pub length: usize,
}

/// What a crawler may do.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobomatonDecision {
    /// Permitted.
    Allowed = 0,
    /// Prohibited.
    Disallowed = 1,
    /// Permitted under conditions: `robomaton_reasons_condition`.
    Conditional = 2,
    /// No rule applies and silence does not permit, or the image does not have the site.
    Unknown = 3,
}

/// The basis of a decision.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobomatonBasis {
    /// A rule matched.
    Rule = 0,
    /// ACAP fields weighed by specificity, possibly together with conventional rules.
    Fields = 1,
    /// Statements about the use of a resource, possibly together with rules and fields.
    Preferences = 2,
    /// No rule of the crawler's groups matches.
    NoRule = 3,
    /// No rule of the crawler's groups is about the usage.
    Unspoken = 4,
    /// The file has no group for the crawler.
    NoGroup = 5,
    /// The URL is robots.txt itself.
    RobotsTxt = 6,
    /// There are no rules; the outcome of the fetch decides.
    Outcome = 7,
    /// The image was compiled for other crawlers only.
    Narrowed = 8,
    /// The image does not contain the site.
    NoSite = 9,
    /// The question is not about an absolute URL.
    NoUrl = 10,
    /// The image is damaged where the answer should be: `robomaton_image_verify` says where.
    Damaged = 11,
}

/// The outcome of fetching a robots.txt.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobomatonOutcome {
    /// A text with rules or other records.
    Rules = 0,
    /// A text without records.
    Empty = 1,
    /// HTML or binary, without records.
    NotRobots = 2,
    /// Status 4xx.
    Unavailable = 3,
    /// Status 5xx, or no response.
    Unreachable = 4,
    /// More than five redirects.
    TooManyRedirects = 5,
    /// Redirected to a resource that was not captured.
    Unresolved = 6,
    /// The text exceeds a limit.
    OverLimit = 7,
    /// Pages of the site were captured, but no robots.txt.
    NotCaptured = 8,
}

/// The answer to one question. Its layout never changes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobomatonVerdict {
    /// The decision to act on. A permission that something unread might take back counts as a
    /// prohibition.
    pub verdict: RobomatonDecision,
    /// The decision of what was read.
    pub decision: RobomatonDecision,
    /// The basis of the decision.
    pub basis: RobomatonBasis,
    /// If the basis is `ROBOMATON_BASIS_OUTCOME`, the outcome; else `ROBOMATON_OUTCOME_RULES`.
    pub outcome: RobomatonOutcome,
    /// 1 if a file, page or statement was not read, so that more may be refused, else 0.
    pub incomplete: u8,
    /// Zeros.
    pub reserved: [u8; 3],
}

/// Options of opening an image. Zeros are the defaults, so
/// `RobomatonOptions options = {.size = sizeof options};` has them all.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonOptions {
    /// `sizeof(RobomatonOptions)`.
    pub size: usize,
    /// An image of up to this many bytes is copied into memory; a larger one is mapped. 0 for 64
    /// MiB.
    pub map_above: u64,
    /// The time of the questions, in seconds since 1970; 0 for the time of opening;
    /// `ROBOMATON_NO_TIME` for no time, so that nothing is stale or expired.
    pub now: u64,
    /// 1 if a robots.txt that was answered with 401 or 403 disallows everything.
    pub deny_forbidden: u8,
    /// 1 if a robots.txt that was answered with 429 disallows everything.
    pub deny_throttled: u8,
    /// 1 if a robots.txt that was unreachable more than 30 days ago allows everything.
    pub allow_long_unreachable: u8,
    /// 1 for crawlers that work on single elements of pages.
    pub elements: u8,
}

/// A deciding rule. Its strings live as long as the reasons.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonRule {
    /// The line, from 1.
    pub line: u32,
    /// 1 if the rule permits, else 0.
    pub permits: u8,
    /// The rule, in canonical spelling.
    pub rule: RobomatonString,
    /// The file that contains it, if robots.txt refers to one; else empty.
    pub file: RobomatonString,
    /// Its place: `robots` or `page`.
    pub carrier: RobomatonString,
}

/// A statement about the usage in question. Its strings live as long as the reasons.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonStatement {
    /// The line, or the number of the rule in its document, from 1; 0 for a header or page.
    pub line: u32,
    /// 1 if it contributes to the decision, else 0.
    pub decides: u8,
    /// The language: `aipref`, `content-signals`, `rsl`, and so on.
    pub language: RobomatonString,
    /// The place: `robots`, `header`, `page`, `tdmrep`, `rsl` or `ai-txt`.
    pub carrier: RobomatonString,
    /// The usage that it speaks of.
    pub usage: RobomatonString,
    /// The document that contains it, if that is not robots.txt; else empty.
    pub document: RobomatonString,
    /// The record as written.
    pub text: RobomatonString,
}

/// The facts about one site. Without a fact, the number is the one that is named.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonSiteFacts {
    /// The time of the fetch, in seconds since 1970; 0 if it is not known.
    pub fetched_at: u64,
    /// Seconds after the fetch for which answers are fresh.
    pub fresh_for: u32,
    /// The HTTP status of the capture; 0 if there was none.
    pub status: u16,
    /// The outcome of fetching robots.txt.
    pub outcome: RobomatonOutcome,
    /// 1 if the image is damaged here, so that the outcome is not known, else 0.
    pub damaged: u8,
    /// Seconds between requests that the site asks of the crawler; negative if it asks for none.
    pub crawl_delay: f64,
    /// The number of sitemaps.
    pub sitemaps: usize,
}

/// For `RobomatonOptions.now`: the questions have no time.
pub const ROBOMATON_NO_TIME: u64 = u64::MAX;

/// For `robomaton_crawler_new`: only groups that name the crawler count, `User-agent: *` is
/// ignored.
pub const ROBOMATON_NAMED_ONLY: u32 = 1;

impl RobomatonDecision {
    const ALL: [(RobomatonDecision, &CStr); 4] = [
        (RobomatonDecision::Allowed, c"allowed"),
        (RobomatonDecision::Disallowed, c"disallowed"),
        (RobomatonDecision::Conditional, c"conditional"),
        (RobomatonDecision::Unknown, c"unknown"),
    ];

    pub(crate) fn name(number: u8) -> &'static CStr {
        RobomatonDecision::ALL.get(usize::from(number)).map_or(INVALID, |row| row.1)
    }
}

/// The name of a number that stands for nothing.
const INVALID: &CStr = c"invalid";

impl From<Decision> for RobomatonDecision {
    #[inline]
    fn from(decision: Decision) -> RobomatonDecision {
        match decision {
            Decision::Allowed => RobomatonDecision::Allowed,
            Decision::Disallowed => RobomatonDecision::Disallowed,
            Decision::Conditional => RobomatonDecision::Conditional,
            Decision::Unknown => RobomatonDecision::Unknown,
        }
    }
}

impl RobomatonBasis {
    const ALL: [(RobomatonBasis, &CStr); 12] = [
        (RobomatonBasis::Rule, c"rule"),
        (RobomatonBasis::Fields, c"fields"),
        (RobomatonBasis::Preferences, c"preferences"),
        (RobomatonBasis::NoRule, c"no-rule"),
        (RobomatonBasis::Unspoken, c"unspoken"),
        (RobomatonBasis::NoGroup, c"no-group"),
        (RobomatonBasis::RobotsTxt, c"robots-txt"),
        (RobomatonBasis::Outcome, c"outcome"),
        (RobomatonBasis::Narrowed, c"narrowed"),
        (RobomatonBasis::NoSite, c"no-site"),
        (RobomatonBasis::NoUrl, c"no-url"),
        (RobomatonBasis::Damaged, c"damaged"),
    ];

    pub(crate) fn name(number: u8) -> &'static CStr {
        RobomatonBasis::ALL.get(usize::from(number)).map_or(INVALID, |row| row.1)
    }
}

impl From<Basis> for RobomatonBasis {
    #[inline]
    fn from(basis: Basis) -> RobomatonBasis {
        match basis {
            Basis::Rule => RobomatonBasis::Rule,
            Basis::Fields => RobomatonBasis::Fields,
            Basis::Preferences => RobomatonBasis::Preferences,
            Basis::NoRule => RobomatonBasis::NoRule,
            Basis::Unspoken => RobomatonBasis::Unspoken,
            Basis::NoGroup => RobomatonBasis::NoGroup,
            Basis::RobotsTxt => RobomatonBasis::RobotsTxt,
            Basis::Outcome(_) => RobomatonBasis::Outcome,
            Basis::Narrowed => RobomatonBasis::Narrowed,
            Basis::NoSite => RobomatonBasis::NoSite,
            Basis::NoUrl => RobomatonBasis::NoUrl,
            Basis::Damaged => RobomatonBasis::Damaged,
        }
    }
}

impl RobomatonOutcome {
    const ALL: [(RobomatonOutcome, &CStr); 9] = [
        (RobomatonOutcome::Rules, c"rules"),
        (RobomatonOutcome::Empty, c"empty"),
        (RobomatonOutcome::NotRobots, c"not-robots"),
        (RobomatonOutcome::Unavailable, c"unavailable"),
        (RobomatonOutcome::Unreachable, c"unreachable"),
        (RobomatonOutcome::TooManyRedirects, c"too-many-redirects"),
        (RobomatonOutcome::Unresolved, c"unresolved"),
        (RobomatonOutcome::OverLimit, c"over-limit"),
        (RobomatonOutcome::NotCaptured, c"not-captured"),
    ];

    pub(crate) fn name(number: u8) -> &'static CStr {
        RobomatonOutcome::ALL.get(usize::from(number)).map_or(INVALID, |row| row.1)
    }
}

impl From<Outcome> for RobomatonOutcome {
    #[inline]
    fn from(outcome: Outcome) -> RobomatonOutcome {
        match outcome {
            Outcome::Rules => RobomatonOutcome::Rules,
            Outcome::Empty => RobomatonOutcome::Empty,
            Outcome::NotRobots => RobomatonOutcome::NotRobots,
            Outcome::Unavailable => RobomatonOutcome::Unavailable,
            Outcome::Unreachable => RobomatonOutcome::Unreachable,
            Outcome::TooManyRedirects => RobomatonOutcome::TooManyRedirects,
            Outcome::Unresolved => RobomatonOutcome::Unresolved,
            Outcome::OverLimit => RobomatonOutcome::OverLimit,
            Outcome::NotCaptured => RobomatonOutcome::NotCaptured,
        }
    }
}

impl From<Verdict<'_>> for RobomatonVerdict {
    #[inline]
    fn from(verdict: Verdict<'_>) -> RobomatonVerdict {
        let basis = verdict.basis();
        RobomatonVerdict {
            verdict: verdict.safe_decision().into(),
            decision: verdict.decision().into(),
            basis: basis.into(),
            outcome: match basis {
                Basis::Outcome(outcome) => outcome.into(),
                _ => RobomatonOutcome::Rules,
            },
            incomplete: u8::from(verdict.is_incomplete()),
            reserved: [0; 3],
        }
    }
}

impl RobomatonString {
    /// A string that lives elsewhere.
    pub(crate) fn of(text: &str) -> RobomatonString {
        RobomatonString { data: text.as_ptr().cast(), length: text.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command() {
        let decisions = [Decision::Allowed, Decision::Disallowed, Decision::Conditional, Decision::Unknown];
        for decision in decisions {
            let number = RobomatonDecision::from(decision);
            assert_eq!(RobomatonDecision::name(number as u8).to_str(), Ok(decision.name()));
        }
        for outcome in Outcome::ALL {
            let number = RobomatonOutcome::from(outcome);
            assert_eq!(number as u8, outcome as u8);
            assert_eq!(RobomatonOutcome::name(number as u8).to_str(), Ok(outcome.name()));
        }
        let bases = [
            Basis::Rule,
            Basis::Fields,
            Basis::Preferences,
            Basis::NoRule,
            Basis::Unspoken,
            Basis::NoGroup,
            Basis::RobotsTxt,
            Basis::Outcome(Outcome::Empty),
            Basis::Narrowed,
            Basis::NoSite,
            Basis::NoUrl,
            Basis::Damaged,
        ];
        for basis in bases {
            let number = RobomatonBasis::from(basis);
            assert_eq!(RobomatonBasis::name(number as u8).to_str(), Ok(basis.name()));
        }
        assert!(RobomatonDecision::ALL.iter().zip(0..).all(|(row, at)| row.0 as u8 == at));
        assert!(RobomatonBasis::ALL.iter().zip(0..).all(|(row, at)| row.0 as u8 == at));
        assert!(RobomatonOutcome::ALL.iter().zip(0..).all(|(row, at)| row.0 as u8 == at));
        assert_eq!(RobomatonBasis::name(12), INVALID);
    }

    #[test]
    fn layouts_are_stable() {
        assert_eq!(size_of::<RobomatonVerdict>(), 8);
        assert_eq!(size_of::<RobomatonString>(), 2 * size_of::<usize>());
        #[cfg(target_pointer_width = "64")]
        {
            assert_eq!(size_of::<RobomatonOptions>(), 32);
            assert_eq!(size_of::<RobomatonRule>(), 56);
            assert_eq!(size_of::<RobomatonStatement>(), 88);
            assert_eq!(size_of::<RobomatonSiteFacts>(), 32);
        }
    }
}
