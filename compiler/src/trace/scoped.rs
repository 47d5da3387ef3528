//! Fields weighed by specificity, evaluated naively (V49 to V52, P15, decisions 2 to 14).
//!
//! [`super::trace`] calls it with the conventional matches. It adds the matching fields, finds the
//! live level, drops conventional rules that contradict a live field, adds the conventional winner
//! as one more field, and then compares every prohibition with every permission.

use super::{Choice, Fate, Holder, Level, Match, Trace, TraceQuery, is_named, is_permission};
use crate::policy::{Group, Policy};
use crate::scope::{self, Symbol, scoped_pattern, symbols};
use robomaton_formats::Decision;
use robomaton_formats::policy::{OTHER, PRESENT, Role, is_special};
use robomaton_formats::program::Silence;
use robomaton_formats::purpose;
use robomaton_formats::usage::needs_permission;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};

pub(super) fn weigh(
    policy: &Policy<'_>,
    query: &TraceQuery<'_>,
    names: &[String],
    usage: Option<u16>,
    silence: Silence,
    trace: &mut Trace,
) {
    let conventional = trace.matches.len();
    for (number, group) in policy.groups.iter().enumerate() {
        for (any, holder) in addresses(group, policy, query, names, &trace.choice) {
            for at in group.rules.clone() {
                let rule = &policy.rules[at];
                let general = is_special(query.usage) && rule.usage == PRESENT;
                let other = !general && Some(rule.usage) != usage;
                if other && rule.usage != OTHER
                    || !rule.pattern().matches(&rule.notation.target(query.target))
                {
                    continue;
                }
                let level = Some(Level { other, any, holder });
                trace.matches.push(Match {
                    rule: at,
                    group: number,
                    priority: 0,
                    level,
                    fate: Fate::Overridden,
                });
            }
        }
    }
    // A group may address the crawler both by name and as any crawler: the closer level counts.
    let mut best: BTreeMap<usize, Match> = BTreeMap::new();
    for found in trace.matches.split_off(conventional) {
        let known = best.entry(found.rule).or_insert(found);
        known.level = known.level.min(found.level);
    }
    trace.matches.extend(best.into_values());
    let texts = trace.matches.iter().map(|found| &policy.rules[found.rule].pattern);
    let texts = texts.map(|pattern| symbols(&scoped_pattern(pattern)));
    let symbols = trace.matches.iter().map(|found| found.rule).zip(texts).collect();
    let weighing = Weighing { policy, special: usage.filter(|_| is_special(query.usage)), symbols };
    let live = |matches: &[Match], other, from: Holder| {
        let levels = matches.iter().filter_map(|found| found.level);
        levels.filter(|level| level.other == other && level.holder >= from).min()
    };
    let mut level = live(&trace.matches, false, Holder::Element);
    let own_group = trace.groups.iter().any(|&group| match &trace.choice {
        Choice::Named(name) => is_named(&policy.groups[group], policy.profile.agent_rule(), name),
        _ => false,
    });
    let in_page = level.filter(|level| level.holder < Holder::SubRecord);
    let joins = match in_page {
        // A page's field for any crawler does not beat a group that names this one; it is ignored
        // (decision 28).
        Some(page) if page.any && own_group && conventional > 0 => {
            level = live(&trace.matches, false, Holder::SubRecord);
            true
        }
        Some(_) => false,
        None => true,
    };
    let is_live = |found: &Match, level| found.level.is_some() && found.level == level;
    let mut candidates = Vec::new();
    for at in 0..conventional {
        let rule = trace.matches[at];
        let contradicts = |field: &Match| is_live(field, level) && weighing.contradicts(field, &rule);
        let superseded = trace.matches[..conventional].iter().any(|by| weighing.supersedes(by, &rule));
        trace.matches[at].fate = if !joins {
            Fate::Overridden
        } else if superseded {
            Fate::Beaten
        } else if trace.matches.iter().any(contradicts) {
            Fate::Contradicted
        } else {
            candidates.push(at);
            Fate::Beaten
        };
    }
    let winner = candidates.into_iter().max_by_key(|&at| {
        let found = &trace.matches[at];
        (found.priority, weighing.symbols(found), Reverse(at))
    });
    if level.is_none() && winner.is_none() {
        level = live(&trace.matches, true, Holder::Element);
    }
    let (mut live, own): (Vec<usize>, Vec<usize>) = (
        (0..trace.matches.len()).filter(|&at| is_live(&trace.matches[at], level)).collect(),
        winner.into_iter().collect(),
    );
    let side = |members: &[usize]| {
        let members: Vec<Match> = members.iter().map(|&at| trace.matches[at]).collect();
        weighing.decide(&members).map(|(decision, _)| decision)
    };
    let sides = [side(&live), side(&own)];
    live.extend(own);
    live.sort_unstable();
    let members: Vec<Match> = live.iter().map(|&at| trace.matches[at]).collect();
    let outcome = weighing.decide(&members);
    trace.undetermined = weighing.undetermined(&members);
    for &at in &live {
        trace.matches[at].fate = Fate::Beaten;
    }
    if let Some((_, deciding)) = &outcome {
        deciding.iter().for_each(|&place| trace.matches[live[place]].fate = Fate::Decides);
    }
    trace.sides = sides;
    trace.decision = outcome.map_or(silent(policy, usage, silence), |(decision, _)| decision);
    if trace.decision == Decision::Conditional {
        let mut conditions: Vec<_> = trace
            .deciding()
            .flat_map(|found| policy.conditions(&policy.rules[found.rule]).iter().cloned())
            .collect();
        conditions.sort_unstable();
        conditions.dedup();
        trace.conditions = conditions;
    }
    let missing = |group: &Group<'_>| {
        group.incomplete && !addresses(group, policy, query, names, &trace.choice).is_empty()
    };
    let page = level.filter(|level| level.holder < Holder::SubRecord);
    trace.incomplete =
        policy.groups.iter().any(missing) || query.unheard && page.is_some_and(|page| page.any);
    // Groups with matching rules count as groups that apply.
    let mut groups: Vec<usize> = trace.matches.iter().map(|found| found.group).collect();
    groups.append(&mut trace.groups);
    groups.sort_unstable();
    groups.dedup();
    trace.groups = groups;
}

/// The decision if no field and no rule matches: in an ACAP file a permission (P49), but not of uses
/// that need one; elsewhere the silence of the rules.
fn silent(policy: &Policy<'_>, usage: Option<u16>, silence: Silence) -> Decision {
    let permits = policy.is_acap && !usage.is_some_and(needs_permission);
    if permits || silence == Silence::Allowed { Decision::Allowed } else { Decision::Unknown }
}

/// How a group's fields address the crawler: whether as any crawler, and from which place. Empty if
/// they do not.
fn addresses(
    group: &Group<'_>,
    policy: &Policy<'_>,
    query: &TraceQuery<'_>,
    names: &[String],
    choice: &Choice,
) -> Vec<(bool, Holder)> {
    let for_purpose = !group.purposes.is_empty();
    if for_purpose && !group.purposes.iter().any(|pattern| purpose::matches(pattern, query.purpose)) {
        return Vec::new();
    }
    let holder = match (group.role, for_purpose) {
        (Role::Conventional | Role::Preference, _) => return Vec::new(),
        (Role::Element, _) if query.elements || query.named_only => return Vec::new(),
        (Role::Element, _) => return vec![(false, Holder::Element)],
        (Role::Page, true) => Holder::PageForPurpose,
        (Role::Page, false) => Holder::Page,
        (Role::PageConventional, _) => Holder::PageConventional,
        (Role::Field, true) => Holder::SubRecord,
        (Role::Field, false) => Holder::Record,
    };
    let rule = policy.profile.agent_rule();
    let named = match group.role {
        // A page addresses all names of a crawler.
        Role::Page | Role::PageConventional => names.iter().any(|name| is_named(group, rule, name)),
        _ => matches!(choice, Choice::Named(name) if is_named(group, rule, name)),
    };
    let named = named.then_some((false, holder));
    let as_any = group.is_default() && !query.named_only;
    named.into_iter().chain(as_any.then_some((true, holder))).collect()
}

struct Weighing<'p, 's> {
    policy: &'p Policy<'s>,
    /// The requested usage, if it is a special form of `present`.
    special: Option<u16>,
    /// The symbols of the matching patterns, by rule.
    symbols: HashMap<usize, Vec<Symbol>>,
}

/// The maximum number of unordered pairs reported; a hostile text may have many more.
const MOST_PAIRS: usize = 64;

impl Weighing<'_, '_> {
    fn symbols(&self, found: &Match) -> &[Symbol] {
        &self.symbols[&found.rule]
    }

    fn is_special(&self, found: &Match) -> bool {
        self.special == Some(self.policy.rules[found.rule].usage)
    }

    /// True for fields embedded in pages. They are for a single resource, so none is narrower than
    /// another.
    fn is_of_page(found: &Match) -> bool {
        found.level.is_some_and(|level| level.holder < Holder::SubRecord)
    }

    fn compare(&self, one: &Match, other: &Match) -> (Option<Ordering>, usize) {
        if Self::is_of_page(one) && Self::is_of_page(other) {
            return (Some(Ordering::Equal), 0);
        }
        scope::compare(self.symbols(one), self.symbols(other))
    }

    /// True if one field beats another: by a narrower pattern, or with the same pattern by a
    /// special usage (decision 9).
    fn beats(&self, one: &Match, other: &Match) -> bool {
        match self.compare(one, other).0 {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => self.is_special(one) && !self.is_special(other),
            _ => false,
        }
    }

    /// True if a conventional rule says the opposite of a field with the same pattern.
    fn contradicts(&self, field: &Match, rule: &Match) -> bool {
        field.level.is_some_and(|level| !level.other && level.holder >= Holder::SubRecord)
            && is_permission(self.policy, field) != is_permission(self.policy, rule)
            && self.compare(field, rule).0 == Some(Ordering::Equal)
    }

    /// True if a conventional rule has a higher priority than another with the same pattern.
    fn supersedes(&self, one: &Match, other: &Match) -> bool {
        let [a, b] = [one, other].map(|found| &self.policy.rules[found.rule]);
        one.priority > other.priority && a.pattern == b.pattern
    }

    /// The decision of these fields, and the fields that decide; `None` if there are none.
    fn decide(&self, fields: &[Match]) -> Option<(Decision, Vec<usize>)> {
        let of = |permits| {
            let all = fields.iter().enumerate();
            all.filter(move |(_, found)| is_permission(self.policy, found) == permits)
        };
        let unbeaten = |permits| -> Vec<usize> {
            let fields = of(permits).filter(|(_, found)| !of(true).any(|(_, by)| self.beats(by, found)));
            fields.map(|(at, _)| at).collect()
        };
        let prohibitions = unbeaten(false);
        if !prohibitions.is_empty() {
            return Some((Decision::Disallowed, prohibitions));
        }
        let permissions = unbeaten(true);
        let qualified = |&at: &usize| self.policy.rules[fields[at].rule].conditions != 0;
        match permissions.iter().any(qualified) {
            _ if permissions.is_empty() => None,
            true => Some((Decision::Conditional, permissions)),
            false => Some((Decision::Allowed, permissions)),
        }
    }

    /// The first [`MOST_PAIRS`] pairs of permission and prohibition, neither of which is narrower.
    fn undetermined(&self, fields: &[Match]) -> Vec<(usize, usize, usize)> {
        let mut pairs = Vec::new();
        for (number, one) in fields.iter().enumerate() {
            for other in &fields[number + 1..] {
                if is_permission(self.policy, one) != is_permission(self.policy, other)
                    && let (None, at) = self.compare(one, other)
                {
                    pairs.push((one.rule, other.rule, at));
                    if pairs.len() == MOST_PAIRS {
                        return pairs;
                    }
                }
            }
        }
        pairs
    }
}
