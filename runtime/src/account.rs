//! Explains an answer: finds the deciding rules in the cold sections.
//!
//! Runs on demand only. It decodes the details of a document, matches naively and allocates.
//! Invariant: the rules it names are those that decided according to the programs and the scope; it
//! does not weigh rules itself.

use crate::crawler::{Crawler, Lookup, Usage};
use crate::scoped::{ScopedAccount, ScopedQuestion, with_fields};
use crate::site::Site;
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::{self, Detail};
use robomaton_formats::language::{Role, Spelling};
use robomaton_formats::policy::{Holder, Level, OTHER, PRESENT, PolicyView, ScopedView, USAGES};
use robomaton_formats::preference::{Carrier, Effect, Language, Loss};
use robomaton_formats::program::Priority;
use robomaton_formats::purpose;
use robomaton_formats::scope::read_priority;
use robomaton_formats::{Decision, SetRef, SiteEntry, UsageId};
use std::collections::{BTreeSet, HashMap};

/// Bytes of what one account tells of rules, and of statements, behind the first of each. Texts
/// have 500 KiB, and few repeat themselves.
const ROOM: usize = 4 << 20;

/// How an answer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The deciding rules, in file order, as far as there is room.
    pub rules: Vec<DecidingRule>,
    /// The number of further deciding rules.
    pub rules_left_out: usize,
    /// The decision of the ACAP fields alone, where fields were weighed by specificity.
    pub fields: Option<Decision>,
    /// The decision of the conventional rules alone (decision 14).
    pub conventional: Option<Decision>,
    /// The statements in the modern languages that match, those that decide first.
    pub statements: Vec<StatementAccount>,
    /// The number of further statements, which are not told ([`crate::MOST_STATEMENTS`], or no
    /// room).
    pub statements_left_out: usize,
    /// The conditions of all deciding rules.
    pub(crate) of_rules: Vec<Condition>,
    /// The conditions of the statements in force, and of the rules about parts of the usage.
    pub(crate) terms: Vec<Condition>,
}

impl Account {
    /// The conditions of the deciding rules, sorted. A conditional permission requires all of them,
    /// also those of rules that are left out.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions: Vec<Condition> = self.of_rules.iter().chain(&self.terms).cloned().collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }
}

/// A rule with its position in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingRule {
    /// The line, from 1.
    pub line: u32,
    /// The number of its group, from 0 in the order of the document.
    pub group: usize,
    /// The kind of rule.
    pub role: Role,
    /// For a rule from a file that the document refers to: the file's number, from 1, and its name.
    pub file: Option<(u16, String)>,
    /// Its priority in the programs.
    pub priority: Priority,
    /// True if the rule permits.
    pub permits: bool,
    /// The usage that the rule is about.
    pub usage: String,
    /// The canonical pattern.
    pub pattern: Vec<u8>,
    /// The conditions of a permission.
    pub conditions: Vec<Condition>,
    /// True for the implied prohibition of everything that a rule set of Robot-version 2.0.0 does
    /// not list (N10, N12). It has no record of its own; its line is that of the set.
    pub is_implied: bool,
    /// The record on the line of a ranked rule, key and value as written, if the document stores it
    /// (R18).
    pub record: Option<(String, String)>,
}

/// A statement that was weighed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementAccount {
    /// The language.
    pub language: Language,
    /// The place.
    pub carrier: Carrier,
    /// The line, or the number of the rule in its document, from 1; `None` for a header or page.
    pub line: Option<u32>,
    /// The document that contains it, if it is not the robots.txt of the site.
    pub document: Option<String>,
    /// The usage that it speaks of: the one in question, or a part of it.
    pub usage: &'static str,
    /// True if it speaks of a part of the usage in question.
    pub is_of_part: bool,
    /// Its effect on the usage, at the time of the terms.
    pub effect: Effect,
    /// Its effect on the usage without regard to time.
    pub stated: Effect,
    /// The reason why it is not in force; `None` if it is.
    pub loss: Option<Loss>,
    /// True if it contributes to the decision.
    pub decides: bool,
    /// Statements of one set about one usage compete by rank.
    pub set: u16,
    /// Its rank in the set: the highest wins.
    pub rank: u32,
    /// The canonical pattern of the targets that it covers.
    pub pattern: Vec<u8>,
    /// The record as written.
    pub text: String,
    /// The conditions of a permission.
    pub conditions: Vec<Condition>,
}

impl std::fmt::Display for DecidingRule {
    /// Writes the record in canonical spelling: `Disallow: /private`, `ACAP-allow-index: /news
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

/// The room for what strangers wrote in an account: thousands of rules or statements may share a
/// name of a file or a condition of hundreds of kilobytes. The first always fits; behind one that
/// does not, none does.
pub(crate) struct Room<'d> {
    detail: &'d Detail<'d>,
    /// The bytes that are left; `None` before the first.
    left: Option<usize>,
    /// The bytes of the sets of conditions that were met.
    sets: HashMap<u32, usize>,
}

impl<'d> Room<'d> {
    pub(crate) fn new(detail: &'d Detail<'d>) -> Room<'d> {
        Room { detail, left: None, sets: HashMap::new() }
    }

    /// Takes a rule or a statement with this set of conditions and so many bytes of other texts, if
    /// it fits.
    pub(crate) fn takes(&mut self, conditions: u32, bytes: usize) -> bool {
        let written = || self.detail.set_of_conditions(conditions).iter().map(|one| one.to_string().len());
        let of_conditions = *self.sets.entry(conditions).or_insert_with(|| written().sum());
        let left = self.left.map_or(Some(ROOM), |left| left.checked_sub(bytes + of_conditions));
        self.left = Some(left.unwrap_or(0));
        left.is_some()
    }

    /// The bytes of the name of a file, by its number.
    pub(crate) fn name_length(&self, file: u16) -> usize {
        self.detail.file(file).map_or(0, str::len)
    }
}

/// A question whose answer is explained, and the details of the document that answers it.
#[derive(Clone, Copy)]
pub(crate) struct Query<'q> {
    pub(crate) site: &'q Site<'q>,
    pub(crate) detail: &'q Detail<'q>,
    pub(crate) crawler: &'q Crawler,
    pub(crate) usage: Usage<'q>,
    pub(crate) url: &'q str,
}

/// Finds the deciding rule among ranked ones: the first in the file with the highest priority.
pub(crate) fn of_rule(query: &Query<'_>) -> Option<Account> {
    let &Query { site, detail, crawler, usage, url } = query;
    let target = site.target(url);
    let mut best: Option<(usize, &detail::Group<'_>, &detail::Rule<'_>)> = None;
    for (number, group) in crawler.groups(detail, site.profile.agent_rule()) {
        let target = group.notation.target(&target);
        for rule in &group.rules {
            // Comparing with the pattern takes longest.
            if UsageId::from(rule.usage) == usage.id
                && best.is_none_or(|(_, _, best)| rule.priority > best.priority)
                && group.pattern(rule).matches(&target)
            {
                best = Some((number, group, rule));
            }
        }
    }
    let (number, group, rule) = best?;
    let of_rules = detail.conditions(rule).to_vec();
    Some(Account { rules: vec![tell(detail, number, group, rule)], of_rules, ..Account::default() })
}

/// Finds the deciding fields, and the conventional rule if it decided with them.
pub(crate) fn of_fields(query: &Query<'_>) -> Option<Account> {
    let &Query { site, detail, crawler, usage, url } = query;
    let target = site.target(url);
    let view = site.view();
    let SiteEntry::Policy(at) = site.entry()? else { return None };
    let policy = view.policy(at)?;
    let Lookup::Set(SetRef::List(list)) = crawler.set(view, &PolicyView::read(policy)?)? else { return None };
    let list = ScopedView::read(view.list(list)?)?;
    let elements = site.shared.terms.elements;
    let question =
        ScopedQuestion { view, list, crawler, policy, target: &target, elements, robots_may_refuse: false };
    let mut found = ScopedAccount::default();
    let decision = with_fields(&question, |fields| fields.answer(usage, Some(&mut found)))?.decision?;
    found.fields.sort_unstable();
    let permits = decision != Decision::Disallowed;
    let rule = site.profile.agent_rule();
    let name = detail.name_of(rule, crawler.lookup_for(rule));
    let conventional = crawler.groups(detail, rule);
    let asked = view.usage(usage.id);
    let asked = asked.as_deref();
    let of_level = |level: &Level, group: &detail::Group<'_>| {
        let named = match level.is_of_page() {
            true => crawler.lookup_for(rule).iter().any(|name| group.crawlers.contains(name)),
            false => name.is_some_and(|name| group.crawlers.contains(name)),
        };
        let addressed = if level.holder == Holder::Element || level.any { group.default } else { named };
        let purposes = &group.purposes;
        let is_for = purposes.is_empty() || purposes.iter().any(|p| purpose::matches(&p.0, usage.purpose));
        addressed && is_for && Holder::of(group.role, !purposes.is_empty()) == Some(level.holder)
    };
    let (mut room, mut rules, mut rules_left_out) = (Room::new(detail), Vec::new(), 0);
    let mut sets = BTreeSet::new();
    // Of several equivalent conventional rules, the first is reported.
    let mut winner = found.conventional.filter(|&(_, decides)| decides).map(|(number, _)| number);
    for (number, group) in detail.groups.iter().enumerate() {
        let answers = if group.role.is_ranked() {
            conventional.binary_search_by_key(&number, |&(own, _)| own).is_ok()
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
                sets.insert(rule.conditions);
                let names = room.name_length(group.file) + detail.usage(rule.usage).len();
                if room.takes(rule.conditions, rule.pattern.0.len() + names) {
                    rules.push(tell(detail, number, group, rule));
                } else {
                    rules_left_out += 1;
                }
            }
        }
    }
    let [fields, conventional] = found.sides;
    let of_rules = sets.iter().flat_map(|&set| detail.set_of_conditions(set)).cloned().collect();
    Some(Account { rules, rules_left_out, fields, conventional, of_rules, ..Account::default() })
}

/// True if a rule is about the usage in question at this level. Names are compared because a
/// document uses its own numbers for usages that only it has.
fn of_usage(level: &Level, usage: Usage<'_>, asked: Option<&str>, name: &str) -> bool {
    let is = |usage: u16| USAGES.get(usize::from(usage)) == Some(&name);
    match level.other {
        true => is(OTHER),
        false => Some(name) == asked || usage.special && is(PRESENT),
    }
}

fn tell(
    detail: &Detail<'_>,
    number: usize,
    group: &detail::Group<'_>,
    rule: &detail::Rule<'_>,
) -> DecidingRule {
    DecidingRule {
        line: rule.line,
        group: number,
        role: group.role,
        file: detail.file(group.file).map(|name| (group.file, name.to_owned())),
        priority: rule.priority,
        permits: rule.permits,
        usage: detail.usage(rule.usage).to_owned(),
        pattern: rule.pattern.0.to_vec(),
        conditions: detail.conditions(rule).to_vec(),
        is_implied: is_implied(group, rule),
        record: record(detail, group, rule.line),
    }
}

/// True if a rule is the implied prohibition of everything that a rule set of Robot-version 2.0.0
/// does not list. Records are in file order; the implied one is appended with the line at which the
/// set begins.
fn is_implied(group: &detail::Group<'_>, rule: &detail::Rule<'_>) -> bool {
    let (Some(first), Some(last)) = (group.rules.first(), group.rules.last()) else { return false };
    let of_set = group.role.is_ranked() && !rule.permits && rule.pattern.0.as_ref() == b"*";
    of_set && std::ptr::eq(rule, last) && rule.line < first.line
}

/// The record on a line as written, if it is stored (R18).
fn record(detail: &Detail<'_>, group: &detail::Group<'_>, line: u32) -> Option<(String, String)> {
    let mut records = group.extensions.iter().chain(&detail.extensions);
    let record = records.find(|record| record.line == line && group.role.is_ranked())?;
    Some((record.key.to_string(), record.value.to_string()))
}
