//! The answer: a decision, its basis, and on demand the deciding rules.
//!
//! A verdict borrows image, crawler and URL, so the cold sections are read only for an explanation.

use crate::account::{self, Account, DecidingRule, Query};
use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Usage};
use crate::request::{self, Request};
use crate::site::Site;
use crate::statements;
use robomaton_formats::condition::{self, Condition, Context, Holds};
use robomaton_formats::detail::Detail;
use robomaton_formats::{Choice, Decision, Outcome};

/// The answer to one question.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: GPTBot\nDisallow: /private/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Basis, Image, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let crawler = image.crawler(["GPTBot"]);
/// let verdict = image.decide(&crawler, Usage::CRAWL, "https://example.com/private/x");
/// assert!(!verdict.is_allowed());
/// assert_eq!(verdict.basis(), Basis::Rule);
/// let rule = verdict.rule().expect("a rule decides");
/// assert_eq!((rule.line, rule.to_string().as_str()), (2, "Disallow: /private/"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    pub(crate) answer: Answer,
    pub(crate) site: Option<Site<'a>>,
    pub(crate) crawler: &'a Crawler,
    pub(crate) usage: Usage<'a>,
    pub(crate) url: &'a str,
}

impl<'a> Verdict<'a> {
    /// What the crawler may do, as far as the image knows.
    pub fn decision(&self) -> Decision {
        self.answer.decision
    }

    /// True if a file that applies to this crawler is missing (decision 23): its contents might
    /// change the decision.
    pub fn is_incomplete(&self) -> bool {
        self.answer.incomplete
    }

    /// The decision for a caller that does without what is missing: an incomplete permission counts
    /// as a prohibition.
    pub fn safe_decision(&self) -> Decision {
        match self.answer {
            Answer { incomplete: true, decision: Decision::Allowed | Decision::Conditional, .. } => {
                Decision::Disallowed
            }
            Answer { decision, .. } => decision,
        }
    }

    /// True if the crawler may go ahead without conditions.
    pub fn is_allowed(&self) -> bool {
        self.safe_decision().is_allowed()
    }

    /// The verdict about fetching the same URL for the same purpose, beside a verdict about another
    /// usage. `None` if the image does not contain the site.
    pub fn crawl(&self) -> Option<Verdict<'a>> {
        Some(self.site?.decide(self.crawler, self.usage.crawl(), self.url))
    }

    /// The basis of the decision.
    pub fn basis(&self) -> Basis {
        self.answer.basis
    }

    /// The site that answered, if the image contains it.
    pub fn site(&self) -> Option<Site<'a>> {
        self.site
    }

    /// The crawler of the question.
    pub fn crawler(&self) -> &'a Crawler {
        self.crawler
    }

    /// The usage of the question.
    pub fn usage(&self) -> Usage<'a> {
        self.usage
    }

    /// The groups that answered: those that name the crawler, or the default ones. `None` if no
    /// rules were consulted. Reads the cold sections, so it allocates.
    pub fn choice(&self) -> Option<Choice> {
        let site = self.explained_site()?;
        self.choice_by(&site, self.consults_rules(&site).then(|| site.detail()).flatten().as_ref())
    }

    /// The same by the details of the document.
    pub(crate) fn choice_by(&self, site: &Site<'a>, detail: Option<&Detail<'a>>) -> Option<Choice> {
        let none = Detail::default();
        let choice = || self.crawler.choice(detail.unwrap_or(&none), site.profile.agent_rule());
        self.consults_rules(site).then(choice)
    }

    pub(crate) fn consults_rules(&self, site: &Site<'a>) -> bool {
        site.outcome() == Some(Outcome::Rules) || self.basis() == Basis::Fields
    }

    /// The site, if its cold sections say anything about the answer.
    pub(crate) fn explained_site(&self) -> Option<Site<'a>> {
        self.site.filter(|_| !matches!(self.basis(), Basis::Narrowed | Basis::Damaged))
    }

    /// The names under which groups of the site were looked for, best first; empty for a crawler
    /// without a name.
    pub fn looked_for(&self) -> Vec<String> {
        let names = match self.site {
            Some(site) => self.crawler.names_for(site.profile.agent_rule()),
            None => self.crawler.names(),
        };
        names.iter().filter(|name| !matches!(name.as_str(), "" | "*")).cloned().collect()
    }

    /// The deciding rules, from the cold sections: decodes the document's details, so it allocates.
    pub fn rules(&self) -> Vec<DecidingRule> {
        self.account().rules
    }

    /// The deciding rule, the first of several.
    pub fn rule(&self) -> Option<DecidingRule> {
        self.account().rules.into_iter().next()
    }

    /// The conditions of a conditional permission, all of which must be met.
    pub fn conditional(&self) -> Option<Conditional> {
        let account = (self.decision() == Decision::Conditional).then(|| self.account())?;
        Some(Conditional { conditions: account.conditions() })
    }

    /// The requests of ACAP records to the crawler for this URL (P47, V40). No decision depends on
    /// them.
    pub fn requests(&self) -> Vec<Request> {
        let site = self.explained_site().filter(request::may_have_any);
        let detail = site.and_then(|site| site.detail());
        let requests =
            site.zip(detail).map(|(site, detail)| request::of_url(&site, &detail, self.crawler, self.url));
        requests.unwrap_or_default()
    }

    /// Everything known about how the answer came about.
    pub fn account(&self) -> Account {
        let site = self.explained_site().filter(|_| self.has_account());
        let detail = site.and_then(|site| site.detail());
        let all = usize::MAX;
        let account = site.zip(detail).and_then(|(site, detail)| self.account_by(&site, &detail, all));
        account.unwrap_or_default()
    }

    /// True if rules or statements may have decided.
    pub(crate) fn has_account(&self) -> bool {
        matches!(self.basis(), Basis::Rule | Basis::Fields) || !self.usage.is_crawl()
    }

    /// The same by the details of the document, with no more than `most` statements.
    pub(crate) fn account_by(&self, site: &Site<'a>, detail: &Detail<'a>, most: usize) -> Option<Account> {
        let (crawler, usage) = site.of_layer(self.crawler, self.usage);
        let query = Query { site, detail, crawler, usage, url: self.url };
        let of_rules = match self.answer.basis {
            Basis::Rule => account::of_rule(&query),
            Basis::Fields => account::of_fields(&query),
            _ => None,
        };
        let of_preferences = (!self.usage.is_crawl()).then(|| statements::of_preferences(&query, most));
        match (of_rules, of_preferences) {
            // Statements that agree with the rules add their conditions; so do rules about parts.
            (Some(own), Some(united)) => {
                let mut terms = united.terms;
                if self.answer.decision == Decision::Conditional {
                    terms.extend(united.of_rules);
                }
                let Account { statements, statements_left_out, .. } = united;
                Some(Account { statements, statements_left_out, terms, ..own })
            }
            (rules, preferences) => rules.or(preferences),
        }
    }
}

/// A permission under conditions.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=3-days\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Decision, Image};
///
/// let image = Image::from_bytes(bytes)?;
/// let crawler = image.crawler(["mybot"]);
/// let verdict = image.decide(&crawler, image.usage("preserve"), "https://example.com/");
/// assert_eq!(verdict.decision(), Decision::Conditional);
/// let conditions = verdict.conditional().expect("conditions").conditions;
/// assert_eq!(conditions.len(), 1); // all of them must be met
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// The conditions, sorted. All must be met.
    pub conditions: Vec<Condition>,
}

impl Conditional {
    /// The state of the permission in this context.
    pub fn holds(&self, context: &Context) -> Holds {
        condition::hold(&self.conditions, context)
    }
}
