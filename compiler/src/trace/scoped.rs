//! Fields weighed by specificity, evaluated naively (V49 to V52, P15, decisions 2 to 14).
//!
//! [`super::trace`] calls it with the conventional matches. It adds the matching fields, finds the
//! live level, drops conventional rules that contradict a live field, adds the conventional winner
//! as one more field, and then compares every prohibition with every permission. Fields of one
//! [`Kind`] are compared once, so that a text that repeats its fields takes linear time.

use super::{Choice, Fate, Holder, Level, Match, Trace, TraceQuery, is_named, is_permission};
use crate::policy::{Group, Policy};
use crate::scope::{self, Symbol, scoped_pattern, symbols};
use robomaton_formats::Decision;
use robomaton_formats::policy::{OTHER, PRESENT, Role, is_special};
use robomaton_formats::program::Silence;
use robomaton_formats::purpose;
use robomaton_formats::usage::needs_permission;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Weighs the fields for a crawler's `names` together with the conventional rules, whose matches
/// the trace has. `usage` is the number of the requested usage, `silence` the meaning of no
/// matching conventional rule.
pub(super) fn weigh(
    policy: &Policy<'_>,
    query: &TraceQuery<'_>,
    names: &[String],
    usage: Option<u16>,
    silence: Silence,
    trace: &mut Trace,
) {
    let conventional = trace.matches.len();
    trace.matches.extend(matching_fields(policy, query, names, usage, &trace.choice));
    let weighing = Weighing::new(policy, usage.filter(|_| is_special(query.usage)), &trace.matches);
    let (mut level, joins) = live_level(policy, trace, conventional);
    let winner = conventional_winner(&weighing, trace, conventional, level, joins);
    if level.is_none() && winner.is_none() {
        level = closest(&trace.matches, true, Holder::Element);
    }
    let decision = decide_together(&weighing, level, winner, trace);
    trace.decision = decision.unwrap_or_else(|| silent(policy, usage, silence));
    if trace.decision == Decision::Conditional {
        let deciding = trace.deciding();
        let conditions = deciding.flat_map(|found| policy.conditions(&policy.rules[found.rule]));
        trace.conditions = BTreeSet::from_iter(conditions).into_iter().cloned().collect();
    }
    // A missing file that a record for any crawler refers to may name the crawler.
    let of_any = TraceQuery { named_only: false, ..*query };
    let missing = |group: &Group<'_>| {
        group.incomplete && !addresses(group, policy, &of_any, names, &trace.choice).is_empty()
    };
    trace.incomplete = policy.groups.iter().any(missing)
        || query.robots_may_refuse && level.is_some_and(|level| level.is_of_page());
    // Groups with matching rules count as groups that apply.
    let mut groups: Vec<usize> = trace.matches.iter().map(|found| found.group).collect();
    groups.append(&mut trace.groups);
    groups.sort_unstable();
    groups.dedup();
    trace.groups = groups;
}

/// The fields that match and speak of the usage, or of `other`, each with its level, in file order.
fn matching_fields(
    policy: &Policy<'_>,
    query: &TraceQuery<'_>,
    names: &[String],
    usage: Option<u16>,
    choice: &Choice,
) -> Vec<Match> {
    // A group may address the crawler both by name and as any crawler: the closer level counts.
    let mut closest: BTreeMap<usize, Match> = BTreeMap::new();
    for (number, group) in policy.groups.iter().enumerate() {
        for (any, holder) in addresses(group, policy, query, names, choice) {
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
                let found = Match { rule: at, group: number, priority: 0, level, fate: Fate::Overridden };
                let known = closest.entry(at).or_insert(found);
                known.level = known.level.min(level);
            }
        }
    }
    closest.into_values().collect()
}

/// The closest level from a holder on that has fields about the usage, or about `other`.
fn closest(matches: &[Match], other: bool, from: Holder) -> Option<Level> {
    let levels = matches.iter().filter_map(|found| found.level);
    levels.filter(|level| level.other == other && level.holder >= from).min()
}

/// The live level, if fields about the usage match, and whether conventional rules count beside it:
/// not beside a page, whose fields for any crawler are ignored if a rule of a group that names the
/// crawler matches (decision 28).
fn live_level(policy: &Policy<'_>, trace: &Trace, conventional: usize) -> (Option<Level>, bool) {
    let level = closest(&trace.matches, false, Holder::Element);
    let Some(page) = level.filter(Level::is_of_page) else { return (level, true) };
    let names_crawler = |&group: &usize| match &trace.choice {
        Choice::Named(name) => is_named(&policy.groups[group], policy.profile.agent_rule(), name),
        _ => false,
    };
    if page.any && conventional > 0 && trace.groups.iter().any(names_crawler) {
        (closest(&trace.matches, false, Holder::SubRecord), true)
    } else {
        (level, false)
    }
}

/// True for the fields of the live level; conventional rules have none.
fn is_live(found: &Match, level: Option<Level>) -> bool {
    found.level.is_some() && found.level == level
}

/// The conventional rule that counts beside the live fields (decision 14): the winner of those that
/// no live field contradicts. Notes what happens to the others.
fn conventional_winner(
    weighing: &Weighing<'_, '_>,
    trace: &mut Trace,
    conventional: usize,
    level: Option<Level>,
    joins: bool,
) -> Option<usize> {
    let live = trace.matches.iter().filter(|found| is_live(found, level));
    let stated: HashSet<(usize, bool)> =
        live.filter(|field| is_of_record(field)).map(|field| weighing.statement(field)).collect();
    let mut candidates = Vec::new();
    for (at, rule) in trace.matches[..conventional].iter_mut().enumerate() {
        let (pattern, permits) = weighing.statement(rule);
        rule.fate = if !joins {
            Fate::Overridden
        } else if stated.contains(&(pattern, !permits)) {
            Fate::Contradicted
        } else {
            candidates.push(at);
            Fate::Beaten
        };
    }
    candidates.into_iter().max_by_key(|&at| {
        let found = &trace.matches[at];
        (found.priority, weighing.symbols(found), Reverse(at))
    })
}

/// The decision of the fields of a level together with the conventional winner; `None` if there are
/// none. Notes what each side decides alone, and what becomes of each match.
fn decide_together(
    weighing: &Weighing<'_, '_>,
    level: Option<Level>,
    winner: Option<usize>,
    trace: &mut Trace,
) -> Option<Decision> {
    let live: Vec<usize> =
        (0..trace.matches.len()).filter(|&at| is_live(&trace.matches[at], level)).collect();
    let own = Vec::from_iter(winner);
    let members = |numbers: &[usize]| -> Vec<Match> { numbers.iter().map(|&at| trace.matches[at]).collect() };
    let alone = |numbers: &[usize]| weighing.decide(&members(numbers)).map(|(decision, _)| decision);
    let sides = [alone(&live), alone(&own)];
    // A winner is no field, and all rules stand before all fields.
    let all = [own, live].concat();
    let together = members(&all);
    let outcome = weighing.decide(&together);
    trace.sides = sides;
    trace.undetermined = weighing.undetermined(&together);
    for &at in &all {
        trace.matches[at].fate = Fate::Beaten;
    }
    let (decision, deciding) = outcome?;
    for place in deciding {
        trace.matches[all[place]].fate = Fate::Decides;
    }
    Some(decision)
}

/// The decision if no field and no rule matches: in an ACAP file a permission (P49), but not of
/// uses that need one; elsewhere the silence of the rules.
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
        (Role::Field, true) => Holder::SubRecord,
        (Role::Field, false) => Holder::Record,
    };
    let rule = policy.profile.agent_rule();
    let named = match group.role {
        // A page addresses all names of a crawler.
        Role::Page => rule.first_named(group.names(), names).is_some(),
        _ => matches!(choice, Choice::Named(name) if is_named(group, rule, name)),
    };
    let named = named.then_some((false, holder));
    let as_any = group.is_default() && !query.named_only;
    named.into_iter().chain(as_any.then_some((true, holder))).collect()
}

/// True for fields of records, which conventional rules may contradict (P53, V54).
fn is_of_record(field: &Match) -> bool {
    field.level.is_some_and(|level| !level.other && level.holder >= Holder::SubRecord)
}

/// The number of a pattern, whether the usage is special, and whether the field is embedded in a
/// page: fields of one kind beat the same fields, and are beaten by the same.
type Kind = (usize, bool, bool);

struct Weighing<'p, 's> {
    policy: &'p Policy<'s>,
    /// The requested usage, if it is a special form of `present`.
    special: Option<u16>,
    /// The numbers of the matching patterns, by rule.
    patterns: HashMap<usize, usize>,
    /// The symbols of the matching patterns, by number.
    symbols: Vec<Vec<Symbol>>,
}

/// The maximum number of unordered pairs reported; a hostile text may have many more.
const MOST_PAIRS: usize = 64;

impl<'p, 's> Weighing<'p, 's> {
    fn new(policy: &'p Policy<'s>, special: Option<u16>, matches: &[Match]) -> Weighing<'p, 's> {
        let (mut numbers, mut patterns, mut all) = (HashMap::new(), HashMap::new(), Vec::new());
        for found in matches {
            let symbols = symbols(&scoped_pattern(&policy.rules[found.rule].pattern));
            let number = *numbers.entry(symbols.clone()).or_insert(all.len());
            if number == all.len() {
                all.push(symbols);
            }
            patterns.insert(found.rule, number);
        }
        Weighing { policy, special, patterns, symbols: all }
    }

    fn symbols(&self, found: &Match) -> &[Symbol] {
        &self.symbols[self.patterns[&found.rule]]
    }

    fn kind(&self, found: &Match) -> Kind {
        (self.patterns[&found.rule], self.is_special(found), Self::is_of_page(found))
    }

    /// The pattern of a rule, and whether it permits.
    fn statement(&self, found: &Match) -> (usize, bool) {
        (self.patterns[&found.rule], is_permission(self.policy, found))
    }

    fn is_special(&self, found: &Match) -> bool {
        self.special == Some(self.policy.rules[found.rule].usage)
    }

    /// True for fields embedded in pages. They are for a single resource, so none is narrower than
    /// another.
    fn is_of_page(found: &Match) -> bool {
        found.level.is_some_and(|level| level.is_of_page())
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

    /// The decision of these fields, and the fields that decide; `None` if there are none.
    fn decide(&self, fields: &[Match]) -> Option<(Decision, Vec<usize>)> {
        let of = |permits| {
            let all = fields.iter().enumerate();
            all.filter(move |(_, found)| is_permission(self.policy, found) == permits)
        };
        let mut kinds = HashSet::new();
        let permitting: Vec<&Match> =
            of(true).map(|(_, found)| found).filter(|found| kinds.insert(self.kind(found))).collect();
        let mut beaten = HashMap::new();
        let mut unbeaten = |permits| -> Vec<usize> {
            let is_beaten = |found: &Match| permitting.iter().any(|by| self.beats(by, found));
            let mut fields: Vec<(usize, &Match)> = of(permits).collect();
            fields.retain(|(_, found)| !*beaten.entry(self.kind(found)).or_insert_with(|| is_beaten(found)));
            fields.into_iter().map(|(at, _)| at).collect()
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
        let key = |found: &Match| (self.kind(found), is_permission(self.policy, found));
        let mut alike: HashMap<(Kind, bool), Vec<usize>> = HashMap::new();
        for (number, found) in fields.iter().enumerate() {
            alike.entry(key(found)).or_default().push(number);
        }
        // The fields beside which fields of a kind are not narrower, nor broader.
        let rivals_of = |one: &Match| {
            let others = alike.iter().filter(|((_, permits), _)| *permits != is_permission(self.policy, one));
            let unordered = others.filter_map(|(_, numbers)| match self.compare(one, &fields[numbers[0]]) {
                (None, at) => Some((numbers, at)),
                (Some(_), _) => None,
            });
            unordered.collect::<Vec<_>>()
        };
        let mut rivals = HashMap::new();
        let mut pairs = Vec::new();
        for (number, one) in fields.iter().enumerate() {
            let mut later: Vec<(usize, usize)> = Vec::new();
            for &(numbers, at) in rivals.entry(key(one)).or_insert_with(|| rivals_of(one)).iter() {
                let from = numbers.partition_point(|&other| other <= number);
                later.extend(numbers[from..].iter().take(MOST_PAIRS).map(|&other| (other, at)));
            }
            later.sort_unstable();
            let room = MOST_PAIRS - pairs.len();
            pairs.extend(later.into_iter().take(room).map(|(other, at)| (one.rule, fields[other].rule, at)));
            if pairs.len() == MOST_PAIRS {
                break;
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::{Trace, TraceQuery, trace};
    use crate::{Options, lower};
    use robomaton_grammar::scan;
    use std::time::{Duration, Instant};

    /// Permissions and prohibitions in turn, which all match.
    fn weighed(allow: &str, disallow: &str, pairs: usize) -> Trace {
        let pair = format!("ACAP-allow-crawl: {allow}\nACAP-disallow-crawl: {disallow}\n");
        let text = format!("ACAP-crawler: *\n{}", pair.repeat(pairs));
        let tree = scan(text.as_bytes(), usize::MAX);
        let policy = lower(&tree, None, &Options::default()).expect("within the limits");
        let trace = trace(&policy, &TraceQuery::crawl(&[], b"/ab"));
        assert_eq!(trace.deciding().count(), pairs);
        trace
    }

    #[test]
    fn equal_fields_are_compared_once() {
        let start = Instant::now();
        weighed("/", "/", 20_000);
        // Compared in pairs, they would take a minute.
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn the_first_undetermined_pairs_are_reported() {
        let trace = weighed("/*a", "/*b", 100);
        let pairs: Vec<_> = trace.undetermined.iter().map(|&(one, other, _)| (one, other)).collect();
        assert_eq!(pairs, (0..64).map(|n| (0, 2 * n + 1)).collect::<Vec<_>>());
    }
}
