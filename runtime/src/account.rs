//! Why an answer is what it is: the deciding rules out of the cold sections.
//!
//! Runs only when somebody asks. It decodes the details of a document, matches naively and
//! allocates. Invariant: the rules named are those that decided, as the programs and the scope say
//! it; it weighs nothing anew.

use crate::crawler::{Crawler, Lookup, Usage};
use crate::scoped::{self, ScopedQuestion};
use crate::site::Site;
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::{self, Detail};
use robomaton_formats::language::{Role, Spelling};
use robomaton_formats::policy::{Holder, Level, OTHER, PRESENT, PolicyView, ScopedView, USAGES};
use robomaton_formats::program::Priority;
use robomaton_formats::purpose;
use robomaton_formats::scope::read_priority;
use robomaton_formats::{Decision, SetRef, SiteEntry, UsageId};

/// How an answer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The rules that decide, in file order.
    pub rules: Vec<DecidingRule>,
    /// Where fields were weighed by specificity: what they alone say.
    pub fields: Option<Decision>,
    /// And what the conventional rules alone say (decision 14).
    pub conventional: Option<Decision>,
}

impl Account {
    /// The conditions of the rules that decide, sorted. Those of a conditional permission have all
    /// to be met.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions: Vec<Condition> =
            self.rules.iter().flat_map(|rule| &rule.conditions).cloned().collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }
}

/// A rule as it stands in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingRule {
    /// The line, from 1.
    pub line: u32,
    /// The number of its group, from 0 in the order of the document.
    pub group: usize,
    /// What kind of rule it is.
    pub role: Role,
    /// The file it stands in, where that is one that the document refers to: its number, from 1,
    /// and how it is named.
    pub file: Option<(u16, String)>,
    /// Its priority in the programs.
    pub priority: Priority,
    /// Whether it permits.
    pub permits: bool,
    /// The usage it speaks of.
    pub usage: String,
    /// The canonical pattern.
    pub pattern: Vec<u8>,
    /// The conditions of a permission.
    pub conditions: Vec<Condition>,
    /// Whether it stands for what a rule set of Robot-version 2.0.0 does not list (N10, N12): no
    /// record says it, and its line is that of the set.
    pub is_implied: bool,
    /// The record on the line of a ranked rule as the text has it, key and value, where the
    /// document keeps it (R18).
    pub record: Option<(String, String)>,
}

impl std::fmt::Display for DecidingRule {
    /// The record in canonical spelling: `Disallow: /private`, `ACAP-allow-index: /news
    /// time-limit=3-days`.
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

/// The rule that decided among ranked ones: of the highest priority the first in the file.
pub(crate) fn of_rule(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, url: &str) -> Option<Account> {
    let target = site.target(url);
    let detail = site.detail()?;
    let rule = site.profile.agent_rule();
    let rules = crawler.groups(&detail, rule).into_iter().flat_map(|number| {
        let group = &detail.groups[number];
        group.rules.iter().map(move |rule| (number, group, rule))
    });
    let matching = rules.filter(|(_, group, rule)| {
        UsageId::from(rule.usage) == usage.id && group.pattern(rule).matches(&group.notation.target(&target))
    });
    let (number, group, rule) =
        matching.reduce(|best, next| if next.2.priority > best.2.priority { next } else { best })?;
    Some(Account { rules: vec![tell(&detail, number, group, rule)], ..Account::default() })
}

/// The fields that decided, and the conventional rule among them.
pub(crate) fn of_fields(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, url: &str) -> Option<Account> {
    let target = site.target(url);
    let view = site.view;
    let SiteEntry::Policy(at) = site.entry()? else { return None };
    let policy = view.policy(at)?;
    let Lookup::Set(SetRef::List(list)) = crawler.set(view, &PolicyView::read(policy)?)? else { return None };
    let list = ScopedView::read(view.list(list)?)?;
    let elements = site.terms.elements;
    let question =
        ScopedQuestion { view, list, crawler, policy, usage, target: &target, elements, unheard: false };
    let mut found = scoped::ScopedAccount::default();
    let decision = scoped::answer(&question, Some(&mut found))?.decision?;
    found.fields.sort_unstable();
    let permits = decision != Decision::Disallowed;
    let detail = site.detail()?;
    let rule = site.profile.agent_rule();
    let name = detail.name_of(rule, &crawler.names);
    let conventional = crawler.groups(&detail, rule);
    let asked = view.usage(usage.id);
    let asked = asked.as_deref();
    let of_level = |level: &Level, group: &detail::Group<'_>| {
        let named = match level.holder < Holder::SubRecord {
            true => crawler.names.iter().any(|name| group.crawlers.contains(name)),
            false => name.is_some_and(|name| group.crawlers.contains(name)),
        };
        let addressed = if level.holder == Holder::Element || level.any { group.default } else { named };
        let purposes = &group.purposes;
        let is_for = purposes.is_empty() || purposes.iter().any(|p| purpose::matches(&p.0, usage.purpose));
        addressed && is_for && level.holder.holds(group.role, !purposes.is_empty())
    };
    let mut rules = Vec::new();
    // Of conventional rules that say the same, the first is named.
    let mut winner = found.conventional.filter(|&(_, decides)| decides).map(|(number, _)| number);
    for (number, group) in detail.groups.iter().enumerate() {
        let answers = if group.role.is_ranked() {
            conventional.binary_search(&number).is_ok()
        } else {
            found.level.is_some_and(|level| of_level(&level, group))
        };
        if !answers {
            continue;
        }
        let target = group.notation.target(&target);
        for rule in group.rules.iter().filter(|rule| rule.permits == permits) {
            let (key, _) = read_priority(rule.priority);
            let name = detail.usage(rule.usage);
            let decides = if group.role.is_ranked() {
                winner == Some(key) && Some(name) == asked
            } else {
                found.fields.binary_search(&key).is_ok()
                    && found.level.is_some_and(|level| of_usage(&level, usage, asked, name))
            };
            if decides && group.pattern(rule).matches(&target) {
                winner = winner.filter(|_| !group.role.is_ranked());
                rules.push(tell(&detail, number, group, rule));
            }
        }
    }
    let [fields, conventional] = found.sides;
    Some(Account { rules, fields, conventional })
}

/// Whether a rule speaks of what is asked for at this level. Names are compared: a document numbers
/// the usages that only it knows otherwise than the image.
fn of_usage(level: &Level, usage: Usage<'_>, asked: Option<&str>, name: &str) -> bool {
    match level.other {
        true => name == USAGES[usize::from(OTHER)],
        false => Some(name) == asked || usage.special && name == USAGES[usize::from(PRESENT)],
    }
}

fn tell(
    detail: &Detail<'_>,
    number: usize,
    group: &detail::Group<'_>,
    rule: &detail::Rule<'_>,
) -> DecidingRule {
    let file = usize::from(group.file).checked_sub(1).and_then(|at| detail.files.get(at));
    DecidingRule {
        line: rule.line,
        group: number,
        role: group.role,
        file: file.map(|name| (group.file, name.clone())),
        priority: rule.priority,
        permits: rule.permits,
        usage: detail.usage(rule.usage).to_owned(),
        pattern: rule.pattern.0.to_vec(),
        conditions: detail.conditions(rule).to_vec(),
        is_implied: is_implied(group, rule),
        record: record(detail, group, rule.line),
    }
}

/// Whether a rule is the prohibition of what a rule set of Robot-version 2.0.0 does not list.
/// Records stand in file order; that one is added behind them, with the line on which the set
/// begins.
fn is_implied(group: &detail::Group<'_>, rule: &detail::Rule<'_>) -> bool {
    let (Some(first), Some(last)) = (group.rules.first(), group.rules.last()) else { return false };
    let of_set = group.role.is_ranked() && !rule.permits && rule.pattern.0.as_ref() == b"*";
    of_set && std::ptr::eq(rule, last) && rule.line < first.line
}

/// The record on a line, where it is kept as it stands in the text (R18).
fn record(detail: &Detail<'_>, group: &detail::Group<'_>, line: u32) -> Option<(String, String)> {
    let mut records = group.extensions.iter().chain(&detail.extensions);
    let record = records.find(|record| record.line == line && group.role.is_ranked())?;
    Some((record.key.to_string(), record.value.to_string()))
}
