//! The sets of a text whose rules are all ranked: for each crawler, the programs of the groups that
//! apply to it, one for each usage (R7).
//!
//! The highest priority among the rules of all these groups decides. If several groups apply to a
//! crawler, their rules become one program, so that one is asked, if they are few, or if there are
//! very many groups. Otherwise, and where a text names crawlers in ever new combinations, each
//! group keeps its own program, and the set holds several. Invariant: linear in the policy, apart
//! from building the programs. This file does not know which rule wins.

use super::cache::ProgramTable;
use super::{ProgramCache, ProgramSets, Set, by_usage};
use crate::automaton::Prioritized;
use crate::limits::{Limits, OverLimit};
use crate::policy::{Group, Policy};
use crate::{Options, precedence};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use robomaton_formats::policy::CRAWL;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::Priority;
use robomaton_formats::program::packed::MAX_PACKED;

/// The programs of a set: (usage, index into [`ProgramSets::programs`]).
type Programs = Vec<(u16, usize)>;

/// The programs and sets of a policy whose rules have these priorities.
pub(crate) fn ranked(
    policy: &Policy<'_>,
    priorities: Vec<Priority>,
    options: &Options,
    cache: &mut ProgramCache,
) -> Result<ProgramSets, OverLimit> {
    let askers = Askers::of(policy);
    let mut sets = ProgramSets { priorities, ..ProgramSets::default() };
    let (of_combinations, longest) = sets.build(policy, &askers.combinations, options, cache)?;
    let named = askers.named.into_iter();
    sets.crawlers = named.map(|(name, combination)| (name, of_combinations[combination])).collect();
    sets.default = askers.default.map(|combination| of_combinations[combination]);
    sets.check(policy, longest)?;
    Ok(sets)
}

/// The crawlers of a policy, and which groups apply to each.
#[derive(Default)]
struct Askers {
    /// The distinct combinations of groups that apply to a crawler, each ascending.
    combinations: Vec<Vec<usize>>,
    /// Named crawlers, each with an index into `combinations`; ascending by name, or in file order
    /// if the first record that names a crawler applies.
    named: Vec<(String, usize)>,
    /// The combination for all other crawlers.
    default: Option<usize>,
}

impl Askers {
    fn of(policy: &Policy<'_>) -> Askers {
        let mut known = HashMap::new();
        let mut askers = Askers::default();
        // Only the first record that names a crawler applies to it (K9).
        let takes_first = policy.profile.agent_rule() == AgentRule::Substring;
        let mut names = names(policy, takes_first);
        // Most names are in one group.
        let mut alone: Vec<Option<usize>> = vec![None; policy.groups.len()];
        let mut add = |groups: &mut Vec<usize>| {
            groups.dedup();
            let combinations = &mut askers.combinations;
            let mut new = |groups: &Vec<usize>| {
                combinations.push(groups.clone());
                combinations.len() - 1
            };
            match groups[..] {
                [group] => *alone[group].get_or_insert_with(|| new(groups)),
                _ => *known.entry(groups.clone()).or_insert_with_key(new),
            }
        };
        let mut groups = Vec::new();
        for alike in names.chunk_by_mut(|one, other| one.0 == other.0) {
            groups.clear();
            groups.extend(alike.iter().map(|&(_, group)| group));
            let combination = add(&mut groups);
            askers.named.push((std::mem::take(&mut alike[0].0), combination));
        }
        let most = if takes_first { 1 } else { usize::MAX };
        let defaults = (0..).zip(&policy.groups).filter(|(_, group)| group.is_default());
        let mut defaults: Vec<usize> = defaults.map(|(number, _)| number).take(most).collect();
        askers.default = (!defaults.is_empty()).then(|| add(&mut defaults));
        askers
    }
}

/// Each name with the numbers of its groups, sorted by name, or in file order with its first group.
fn names(policy: &Policy<'_>, takes_first: bool) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for (number, group) in policy.groups.iter().enumerate() {
        names.extend(group.names().map(|name| (name.to_ascii_lowercase(), number)));
    }
    if takes_first {
        let mut seen = HashSet::with_capacity(names.len());
        names.retain(|(name, _)| seen.insert(name.clone()));
    } else {
        names.sort_unstable();
    }
    names
}

/// Programs that a look-up asks in little time. If more groups apply to a crawler, their rules
/// become one program.
const FEW_GROUPS: usize = 16;
/// How many times the text's bytes of patterns the programs of many groups may have together.
const COPIES: usize = 8;

/// Decides for each combination of several groups whether their rules become one program. They do
/// if they have no more stars than a group may have, and are few, as long as the patterns of all
/// such programs have no more bytes than those of the text; or if the groups are many, as long as
/// they have [`COPIES`] times as many, and so few stars that the program cannot be too deep.
fn merged(policy: &Policy<'_>, combinations: &[Vec<usize>], limits: &Limits) -> Vec<bool> {
    let patterns = |group: &Group<'_>| policy.rules[group.rules.clone()].iter().map(|rule| rule.pattern());
    let bytes = |group: &Group<'_>| -> usize { patterns(group).map(|pattern| pattern.text.len()).sum() };
    let stars =
        |&group: &usize| -> usize { patterns(&policy.groups[group]).map(|pattern| pattern.stars()).sum() };
    let bytes: Vec<usize> = policy.groups.iter().map(bytes).collect();
    let all: usize = bytes.iter().sum();
    let [mut left_of_few, mut left_of_many] = [all, all.saturating_mul(COPIES)];
    let merge = |groups: &Vec<usize>| {
        let rules: usize = groups.iter().map(|&group| policy.groups[group].rules.len()).sum();
        let bytes: usize = groups.iter().map(|&group| bytes[group]).sum();
        let (left, least, most_stars) = match rules <= MAX_PACKED {
            true => (&mut left_of_few, 1, limits.stars()),
            false => (&mut left_of_many, FEW_GROUPS, limits.stars().min(limits.depth)),
        };
        let is_small = || groups.iter().map(stars).sum::<usize>() <= most_stars;
        let merges = groups.len() > least && bytes <= *left && is_small();
        *left -= if merges { bytes } else { 0 };
        merges
    };
    combinations.iter().map(merge).collect()
}

impl ProgramSets {
    /// Builds the set of each combination of groups. Returns their numbers, and the length of the
    /// longest set.
    fn build(
        &mut self,
        policy: &Policy<'_>,
        combinations: &[Vec<usize>],
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<(Vec<usize>, usize), OverLimit> {
        let merged = merged(policy, combinations, &options.limits);
        // The groups whose programs answer together with others.
        let mut joined = vec![false; policy.groups.len()];
        for (groups, merged) in combinations.iter().zip(&merged) {
            groups.iter().for_each(|&group| joined[group] |= !merged && groups.len() > 1);
        }
        let ProgramSets { priorities, code, programs, sets, .. } = self;
        let notation = policy.profile.notation();
        let table = ProgramTable::new(code, programs, cache, notation, options.plain_programs);
        let (rules, places) = (Vec::new(), Vec::new());
        let mut builder = Builder { policy, priorities, options, table, rules, places };
        let mut of_groups: Vec<Option<Programs>> = vec![None; policy.groups.len()];
        let (mut known, mut alone) = (HashMap::new(), Vec::new());
        let (mut set, mut longest) = (Programs::new(), 0);
        let mut numbers = Vec::with_capacity(combinations.len());
        for (groups, &merged) in combinations.iter().zip(&merged) {
            set.clear();
            match groups[..] {
                [group] if !joined[group] => builder.add(groups, false, &mut set)?,
                _ if merged => builder.add(groups, false, &mut set)?,
                _ => {
                    for &group in groups {
                        if of_groups[group].is_none() {
                            let mut programs = Programs::new();
                            builder.add(&[group], joined[group], &mut programs)?;
                            of_groups[group] = Some(programs);
                        }
                        set.extend(of_groups[group].iter().flatten());
                    }
                }
            }
            set.sort_unstable();
            set.dedup();
            longest = longest.max(set.len());
            let mut new = |set: &Programs| {
                sets.push(Set::Ranked(set.clone()));
                sets.len() - 1
            };
            // Most sets are one program for crawling.
            numbers.push(match set[..] {
                [(CRAWL, program)] => {
                    if alone.len() <= program {
                        alone.resize(program + 1, None);
                    }
                    *alone[program].get_or_insert_with(|| new(&set))
                }
                _ => *known.entry(set.clone()).or_insert_with_key(new),
            });
        }
        Ok((numbers, longest))
    }
}

/// Builds the programs of groups.
struct Builder<'b, 'p, 's, 't> {
    policy: &'p Policy<'s>,
    priorities: &'b [Priority],
    options: &'b Options,
    table: ProgramTable<'t, 't>,
    /// Space for the rules of one program.
    rules: Vec<Prioritized<'p>>,
    /// Space for the indexes of the rules of some groups.
    places: Vec<usize>,
}

impl<'p> Builder<'_, 'p, '_, '_> {
    /// Appends the programs of the rules of these groups, one for each usage. They answer together
    /// with other programs if they are `joined`.
    fn add(&mut self, groups: &[usize], joined: bool, programs: &mut Programs) -> Result<(), OverLimit> {
        let policy = self.policy;
        let of = |&group: &usize| -> &'p Group<'_> { &policy.groups[group] };
        self.places.clear();
        groups.iter().for_each(|group| self.places.extend(of(group).rules.clone()));
        // A group applies to crawling even without a rule for it (R7).
        let crawls = self.places.iter().any(|&rule| policy.rules[rule].is_crawl());
        let silent = (!crawls).then_some((CRAWL, [].as_slice()));
        for (usage, rules) in silent.into_iter().chain(by_usage(policy, &mut self.places)) {
            self.rules.clear();
            self.rules.extend(rules.iter().map(|&rule| Prioritized {
                pattern: policy.rules[rule].pattern(),
                priority: self.priorities[rule],
            }));
            let silence = precedence::silence(rules.iter().map(|&rule| &policy.rules[rule]), Some(usage));
            for (program, depth) in self.table.add_split(&mut self.rules, joined, silence) {
                self.options.limits.check_depth(depth, groups.first().map_or(1, |group| of(group).line))?;
                programs.push((usage, program));
            }
        }
        Ok(())
    }
}
