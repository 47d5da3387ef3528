//! Statements in the modern languages → programs and lists, one policy for each source.
//!
//! The statements of all groups that apply to a crawler are joined; each set of them becomes one
//! program for each effect that occurs ([`Kind`]). Invariants: the programs answer as
//! [`robomaton_formats::preference::weigh`] does on the statements; what is joined is limited, and
//! beyond the limit nothing is permitted. This file does not know the languages.

use super::cache::ProgramTable;
use crate::automaton::Prioritized;
use crate::limits::{LimitName, Limits, OverLimit};
use crate::policy::Policy;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use robomaton_formats::detail::Bytes;
use robomaton_formats::policy::{MAX_ENTRIES, MAX_SETS};
use robomaton_formats::preference::{
    Carrier, Effect, Group, Kind, Language, Record, Source, Statement, Tag, end_priority, until,
};
use robomaton_formats::program::{Priority, Silence};
use robomaton_formats::{Notation, Pattern};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The statements of all combinations of groups that apply to crawlers: a bound on memory and time.
const JOINED: usize = 1_000_000;

/// A policy of preferences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceSets {
    /// The default set and the sets of all names count together.
    pub additive: bool,
    /// Named crawlers, each with an index into `sets`. Ascending by name.
    #[serde(skip)]
    pub crawlers: Vec<(String, usize)>,
    /// The set for all other crawlers.
    pub default: Option<usize>,
    /// Distinct sets.
    pub sets: Vec<Vec<PreferenceEntry>>,
}

/// One program of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PreferenceEntry {
    /// The usage.
    pub usage: u16,
    /// The encoded [`Tag`].
    pub tag: u16,
    /// Index into [`Document::programs`](crate::Document::programs).
    pub program: usize,
}

/// A statement with its record's facts.
#[derive(Clone, Copy)]
struct Joined<'p> {
    statement: Statement,
    language: Language,
    carrier: Carrier,
    pattern: Pattern<'p>,
    /// The time from which it no longer says what it says.
    end: Option<u64>,
}

/// Builds the policy of each of these sources of a policy.
pub(super) fn preferences(
    policy: &Policy<'_>,
    sources: &[Source<'_>],
    table: &mut ProgramTable<'_, '_>,
    limits: &Limits,
) -> Result<Vec<PreferenceSets>, OverLimit> {
    let mut left = JOINED;
    sources.iter().map(|source| Filling { policy, source, table, limits, left: &mut left }.fill()).collect()
}

struct Filling<'f, 'p, 'd, 'w> {
    policy: &'p Policy<'p>,
    source: &'p Source<'p>,
    table: &'f mut ProgramTable<'d, 'w>,
    limits: &'f Limits,
    left: &'f mut usize,
}

impl<'p> Filling<'_, 'p, '_, '_> {
    fn fill(mut self) -> Result<PreferenceSets, OverLimit> {
        let source = self.source;
        let numbered = || source.groups.iter().enumerate();
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, group) in numbered() {
            for name in &group.crawlers {
                let groups = names.entry(name).or_default();
                if groups.last() != Some(&number) && !group.fallback {
                    groups.push(number);
                }
            }
        }
        let default: Vec<usize> =
            numbered().filter(|(_, group)| group.default).map(|(number, _)| number).collect();
        let fallback = numbered().find(|(_, group)| group.fallback).map(|(number, _)| number);
        let mut policy = PreferenceSets { additive: source.additive, ..PreferenceSets::default() };
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut seen: HashMap<Vec<PreferenceEntry>, usize> = HashMap::new();
        let mut set = |groups: Vec<usize>, policy: &mut PreferenceSets| -> Result<usize, OverLimit> {
            if let Some(&set) = known.get(&groups) {
                return Ok(set);
            }
            let entries = self.entries(&groups, fallback.filter(|_| !source.additive))?;
            let next = policy.sets.len();
            let number = *seen.entry(entries.clone()).or_insert(next);
            if number == next {
                policy.sets.push(entries);
            }
            known.insert(groups, number);
            Ok(number)
        };
        // Names without a group, which only ACAP records have, share the default groups. Both can
        // be many.
        let mut of_default = None;
        for (name, groups) in names {
            let number = match of_default {
                _ if !groups.is_empty() => set(groups, &mut policy)?,
                Some(known) => known,
                None => *of_default.insert(set(default.clone(), &mut policy)?),
            };
            policy.crawlers.push((name.to_owned(), number));
        }
        if !default.is_empty() || fallback.is_some() {
            policy.default = Some(set(default, &mut policy)?);
        }
        if policy.sets.len() > MAX_SETS {
            return Err(OverLimit { limit: LimitName::Sets, allowed: MAX_SETS, line: 1 });
        }
        Ok(policy)
    }

    /// The entries of a set: the statements of these groups, and of the fallback in languages that
    /// they do not use.
    fn entries(
        &mut self,
        groups: &[usize],
        fallback: Option<usize>,
    ) -> Result<Vec<PreferenceEntry>, OverLimit> {
        let own = groups.iter().map(|&group| &self.source.groups[group]);
        let mut languages: Vec<Language> =
            own.clone().flat_map(|group| &group.records).map(|r| r.language).collect();
        languages.sort_unstable();
        languages.dedup();
        let mut joined: Vec<Joined<'p>> = own.flat_map(|group| self.statements(group, &[])).collect();
        let fallback = fallback.map(|group| &self.source.groups[group]);
        joined.extend(fallback.iter().flat_map(|group| self.statements(group, &languages)));
        let Some(left) = self.left.checked_sub(joined.len()) else {
            return Err(OverLimit { limit: LimitName::Merged, allowed: JOINED, line: 1 });
        };
        *self.left = left;
        joined.sort_by_key(|joined| (joined.statement.usage, joined.statement.set));
        let mut entries = Vec::new();
        let of = |joined: &Joined<'_>| (joined.statement.usage, joined.statement.set);
        // Sets that say the same, such as those of many equal licences, count once.
        let mut seen: HashSet<Vec<PreferenceEntry>> = HashSet::new();
        for members in joined.chunk_by(|one, other| of(one) == of(other)) {
            let start = entries.len();
            self.programs(members, &mut entries)?;
            if !seen.insert(entries[start..].to_vec()) {
                entries.truncate(start);
            }
        }
        if entries.len() > MAX_ENTRIES {
            return Err(OverLimit { limit: LimitName::Entries, allowed: MAX_ENTRIES, line: 1 });
        }
        Ok(entries)
    }

    /// The statements of a group, but for some languages.
    fn statements(&self, group: &'p Group<'p>, without: &[Language]) -> impl Iterator<Item = Joined<'p>> {
        let policy = self.policy;
        group.statements.iter().filter_map(move |statement| {
            let record = group.record(statement).filter(|record| !without.contains(&record.language))?;
            let pattern = Pattern { text: &record.pattern.0, notation: Notation::Rep };
            let (language, carrier) = (record.language, record.carrier);
            let end = end_of(policy, statement, record);
            Some(Joined { statement: *statement, language, carrier, pattern, end })
        })
    }

    /// The programs of one set of statements about one usage.
    fn programs(
        &mut self,
        members: &[Joined<'p>],
        entries: &mut Vec<PreferenceEntry>,
    ) -> Result<(), OverLimit> {
        let Joined { language, carrier, statement: Statement { usage, .. }, .. } = members[0];
        let mut add = |kind: Kind, mut rules: Vec<Prioritized<'p>>| {
            self.limits.check_stars(rules.iter().map(|rule| rule.pattern.stars()).sum(), 1)?;
            // Rules of one sense may not be left out where they tell ends.
            let joined = kind == Kind::Dated;
            let (program, depth) = self.table.add(&mut rules, joined, Silence::Unknown);
            self.limits.check_depth(depth, 1)?;
            let tag = Tag::new(kind, language, carrier).to_raw();
            entries.push(PreferenceEntry { usage, tag, program });
            Ok(())
        };
        let occurs = |effect| members.iter().any(|joined| joined.statement.effect == effect);
        if language.ties_permit() && !occurs(Effect::Unread) && !occurs(Effect::Unstated) {
            return add(Kind::Either, ranked(members, |effect| effect == Effect::Permitted));
        }
        if occurs(Effect::Closed) {
            let speaks: Vec<Joined<'p>> =
                members.iter().filter(|joined| joined.statement.effect != Effect::Closed).copied().collect();
            if speaks.is_empty() {
                return Ok(());
            }
            add(Kind::Gate, ranked(&speaks, |_| true))?;
            return add(Kind::Refused, ranked(members, |effect| effect == Effect::Closed));
        }
        let kinds = [Kind::Refused, Kind::Unread, Kind::Conditional, Kind::Permitted, Kind::Supersedes];
        let mut dated = ending(members);
        for kind in kinds {
            if kind == Kind::Conditional && !dated.is_empty() {
                add(Kind::Dated, std::mem::take(&mut dated))?;
            }
            if occurs(kind.effect()) {
                add(kind, ranked(members, |effect| effect == kind.effect()))?;
            }
        }
        Ok(())
    }
}

/// Rules whose permission bit says that a statement has an effect. A statement without a path has
/// rank 0, below `/`, which covers the same targets: it takes part only where no `/` does.
fn ranked<'p>(members: &[Joined<'p>], has: impl Fn(Effect) -> bool) -> Vec<Prioritized<'p>> {
    let covers_all = |joined: &Joined<'_>| joined.statement.rank == 1 && joined.pattern.text == b"/";
    let hides = members.iter().any(covers_all);
    let counts = |joined: &&Joined<'p>| joined.statement.rank > 0 || !hides;
    let rule = |joined: &Joined<'p>| Prioritized {
        pattern: joined.pattern,
        priority: 2 * joined.statement.rank.max(1) + Priority::from(has(joined.statement.effect)),
    };
    members.iter().filter(counts).map(rule).collect()
}

/// The time from which a statement no longer says what it says, as the cold records have it.
fn end_of(policy: &Policy<'_>, statement: &Statement, record: &Record<'_>) -> Option<u64> {
    match statement.effect {
        Effect::Dated => {
            let file = usize::from(record.file).checked_sub(1)?;
            policy.ends.get(file).copied().filter(|&end| end != 0)
        }
        Effect::Conditional => until(policy.set_of_conditions(statement.conditions)),
        _ => None,
    }
}

/// Rules whose priorities tell ends. Of all that match, the first end counts, whatever the ranks:
/// statements of META tags have one rank, and for other languages the cold records are read.
fn ending<'p>(members: &[Joined<'p>]) -> Vec<Prioritized<'p>> {
    let rule = |joined: &Joined<'p>| {
        Some(Prioritized { pattern: joined.pattern, priority: end_priority(joined.end?) })
    };
    members.iter().filter_map(rule).collect()
}

/// The source that stands in for some that exceed a limit: for everyone, all that they may speak of
/// is unread.
pub(super) fn unread(sources: &[Source<'_>]) -> Source<'static> {
    let mut spoken: BTreeSet<(Language, u16)> = BTreeSet::new();
    for group in sources.iter().flat_map(|source| &source.groups) {
        let language = |statement: &Statement| Some((group.record(statement)?.language, statement.usage));
        spoken.extend(group.statements.iter().filter_map(language));
    }
    let mut everyone = Group { default: true, ..Group::default() };
    for (record, &(language, usage)) in (0..).zip(&spoken) {
        everyone.records.push(Record {
            language,
            carrier: Carrier::Robots,
            line: 0,
            file: 0,
            pattern: Bytes(Cow::Borrowed(b"/")),
            text: Cow::Borrowed("over a limit"),
        });
        let set = language as u16;
        let effect = Effect::Unread;
        everyone.statements.push(Statement { record, usage, set, rank: 1, effect, conditions: 0 });
    }
    Source { additive: true, groups: vec![everyone] }
}
