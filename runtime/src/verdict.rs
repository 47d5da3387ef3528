//! The answer: a decision, what it rests on, and on demand the rule that decided.
//!
//! A verdict borrows image, crawler and URL, so that the cold sections need to be read only when somebody asks why.

use crate::crawler::{Crawler, Usage};
use crate::site::Site;
use robomaton_formats::program::Tag;
use robomaton_formats::{Decision, Outcome};

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule matched; its tag.
    Rule(Tag),
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
            Basis::Rule(_) => "rule",
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

/// The answer to one question.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    pub(crate) decision: Decision,
    pub(crate) basis: Basis,
    pub(crate) site: Option<Site<'a>>,
    pub(crate) crawler: &'a Crawler,
    pub(crate) usage: Usage,
    pub(crate) url: &'a str,
}

impl<'a> Verdict<'a> {
    /// What the crawler may do.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Whether the crawler may plainly go ahead.
    pub fn is_allowed(&self) -> bool {
        self.decision.is_allowed()
    }

    /// What the decision rests on.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The site that answered, if the image holds it.
    pub fn site(&self) -> Option<Site<'a>> {
        self.site
    }

    /// The deciding rule, from the cold sections: decodes the document's details, so it allocates.
    pub fn rule(&self) -> Option<Rule> {
        match self.basis {
            Basis::Rule(_) => self.site?.rule(self.crawler, self.usage, self.url),
            _ => None,
        }
    }
}

/// A rule as it stands in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The line, from 1.
    pub line: u32,
    /// The number of its group, from 0 in file order.
    pub group: usize,
    /// Its tag: rank and sense.
    pub tag: Tag,
    /// Whether it permits.
    pub permits: bool,
    /// The usage it speaks of.
    pub usage: u16,
    /// The canonical pattern.
    pub pattern: Vec<u8>,
}

impl std::fmt::Display for Rule {
    /// The record in canonical spelling, `Disallow: /private`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = match (self.usage, self.permits) {
            (robomaton_formats::policy::INDEX, false) => "Noindex",
            (_, true) => "Allow",
            (_, false) => "Disallow",
        };
        write!(f, "{key}: {}", String::from_utf8_lossy(&self.pattern))
    }
}
