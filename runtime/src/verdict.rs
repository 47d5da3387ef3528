//! The answer: a decision, what it rests on, and on demand the rules that decided.
//!
//! A verdict borrows image, crawler and URL, so that the cold sections need to be read only when somebody asks why.

use crate::account;
use crate::crawler::{Crawler, Usage};
use crate::site::Site;
use robomaton_formats::condition::{self, Condition, Context, Holds};
use robomaton_formats::language::{Role, Spelling};
use robomaton_formats::program::Tag;
use robomaton_formats::{Choice, Decision, Outcome};

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule matched. [`Verdict::rule`] finds the one that decided.
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

/// The answer to one question.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    pub(crate) answer: Answer,
    pub(crate) site: Option<Site<'a>>,
    pub(crate) crawler: &'a Crawler,
    pub(crate) usage: Usage<'a>,
    pub(crate) url: &'a str,
}

impl<'a> Verdict<'a> {
    /// What the crawler may do, so far as the image knows.
    pub fn decision(&self) -> Decision {
        self.answer.decision
    }

    /// Whether a file that speaks to this crawler is missing (decision 23): what it says might change the decision.
    pub fn is_incomplete(&self) -> bool {
        self.answer.incomplete
    }

    /// The decision of one who does without what is missing: what is permitted is so only when nothing is.
    pub fn safe_decision(&self) -> Decision {
        match self.answer {
            Answer { incomplete: true, decision: Decision::Allowed | Decision::Conditional, .. } => {
                Decision::Disallowed
            }
            Answer { decision, .. } => decision,
        }
    }

    /// Whether the crawler may plainly go ahead.
    pub fn is_allowed(&self) -> bool {
        self.safe_decision().is_allowed()
    }

    /// What the decision rests on.
    pub fn basis(&self) -> Basis {
        self.answer.basis
    }

    /// The site that answered, if the image holds it.
    pub fn site(&self) -> Option<Site<'a>> {
        self.site
    }

    /// Who asked.
    pub fn crawler(&self) -> &'a Crawler {
        self.crawler
    }

    /// Whether groups that name the crawler answered or the default ones; none where no rules were asked. From the cold
    /// sections, so it allocates.
    pub fn choice(&self) -> Option<Choice> {
        let site = self.site.filter(|_| !matches!(self.basis(), Basis::Narrowed | Basis::Damaged))?;
        let of_rules = site.outcome() == Some(Outcome::Rules) || self.basis() == Basis::Fields;
        of_rules.then(|| self.crawler.choice(&site.detail().unwrap_or_default(), site.profile.agent_rule()))
    }

    /// The names that groups of the site were looked for by, best first; none of one that asks as any crawler.
    pub fn looked_for(&self) -> Vec<String> {
        let names = match self.site {
            Some(site) => self.crawler.names_for(site.profile.agent_rule()),
            None => self.crawler.names(),
        };
        names.iter().filter(|name| !matches!(name.as_str(), "" | "*")).cloned().collect()
    }

    /// The rules that decided, from the cold sections: decodes the document's details, so it allocates.
    pub fn rules(&self) -> Vec<Rule> {
        self.account().rules
    }

    /// The deciding rule, the first of several.
    pub fn rule(&self) -> Option<Rule> {
        self.account().rules.into_iter().next()
    }

    /// The conditions of a conditional permission, all to be met.
    pub fn conditional(&self) -> Option<Conditional> {
        let account = (self.decision() == Decision::Conditional).then(|| self.account())?;
        Some(Conditional { conditions: account.conditions() })
    }

    /// Everything that can be told about how the answer came about.
    pub fn account(&self) -> Account {
        match (self.answer.basis, self.site) {
            (Basis::Rule, Some(site)) => account::of_rule(&site, self.crawler, self.usage, self.url),
            (Basis::Fields, Some(site)) => account::of_fields(&site, self.crawler, self.usage, self.url),
            _ => None,
        }
        .unwrap_or_default()
    }
}

/// How an answer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The rules that decide, in file order.
    pub rules: Vec<Rule>,
    /// Where fields were weighed by narrowness: what they alone say.
    pub fields: Option<Decision>,
    /// And what the conventional rules alone say (decision 14).
    pub conventional: Option<Decision>,
}

impl Account {
    /// The conditions of the rules that decide, sorted. Those of a conditional permission have all to be met.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions: Vec<Condition> =
            self.rules.iter().flat_map(|rule| &rule.conditions).cloned().collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }
}

/// A permission under conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// The conditions, all to be met, sorted.
    pub conditions: Vec<Condition>,
}

impl Conditional {
    /// Whether the permission holds in this context.
    pub fn holds(&self, context: &Context) -> Holds {
        condition::hold(&self.conditions, context)
    }
}

/// A rule as it stands in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The line, from 1.
    pub line: u32,
    /// The number of its group, from 0 in the order of the document.
    pub group: usize,
    /// What kind of rule it is.
    pub role: Role,
    /// The file it stands in, where that is one that the document refers to: its number, from 1, and how it is named.
    pub file: Option<(u16, String)>,
    /// Its tag in the programs.
    pub tag: Tag,
    /// Whether it permits.
    pub permits: bool,
    /// The usage it speaks of.
    pub usage: String,
    /// The canonical pattern.
    pub pattern: Vec<u8>,
    /// The conditions of a permission.
    pub conditions: Vec<Condition>,
    /// Whether it stands for what a rule set of Robot-version 2.0.0 does not list (N10, N12): no record says it, and its
    /// line is that of the set.
    pub is_implied: bool,
    /// The record on the line of a ranked rule as the text has it, key and value, where the document keeps it (R18).
    pub record: Option<(String, String)>,
}

impl std::fmt::Display for Rule {
    /// The record in canonical spelling: `Disallow: /private`, `ACAP-allow-index: /news time-limit=3-days`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spelling = Spelling {
            role: self.role,
            usage: &self.usage,
            permits: self.permits,
            pattern: &self.pattern,
            is_implied: self.is_implied,
            record: self.record.as_ref().map(|(key, value)| (key.as_str(), value.as_str())),
        };
        spelling.fmt(f)?;
        self.conditions.iter().try_for_each(|condition| write!(f, " {condition}"))
    }
}
