//! The sets of a text whose rules are all ranked: one program for each group and usage, joined for
//! each crawler (R7).
//!
//! A crawler's set holds the programs of all groups that apply to it. The highest priority among
//! them decides, so groups are never merged. Invariant: linear in the policy, apart from building
//! the programs. This file does not know which rule wins.

use super::cache::ProgramTable;
use super::{ProgramCache, ProgramSets, Set, by_usage};
use crate::automaton::Prioritized;
use crate::limits::OverLimit;
use crate::policy::Policy;
use crate::{Options, precedence};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use robomaton_formats::policy::CRAWL;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::Priority;

/// The programs of a group: (usage, index into [`ProgramSets::programs`]), ascending by usage.
type GroupPrograms = Vec<(u16, usize)>;

/// The programs and sets of a policy whose rules have these priorities.
pub(crate) fn ranked(
    policy: &Policy<'_>,
    priorities: Vec<Priority>,
    options: &Options,
    cache: &mut ProgramCache,
) -> Result<ProgramSets, OverLimit> {
    let names = names(policy);
    let mut sets = ProgramSets { priorities, ..ProgramSets::default() };
    let programs = sets.build(policy, &joined(policy, &names), options, cache)?;
    let longest = sets.choose(policy, names, &programs);
    sets.check(policy, longest)?;
    Ok(sets)
}

/// True if only the first record that names a crawler applies to it (K9).
fn takes_first(policy: &Policy<'_>) -> bool {
    policy.profile.agent_rule() == AgentRule::Substring
}

/// Each name with the numbers of its groups, sorted by name.
fn names(policy: &Policy<'_>) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for (number, group) in policy.groups.iter().enumerate() {
        names.extend(group.names().map(|name| (name.to_ascii_lowercase(), number)));
    }
    if takes_first(policy) {
        let mut seen = HashSet::with_capacity(names.len());
        names.retain(|(name, _)| seen.insert(name.clone()));
    } else {
        names.sort_unstable();
    }
    names
}

/// For each group, true if it applies to some crawler together with other groups.
fn joined(policy: &Policy<'_>, names: &[(String, usize)]) -> Vec<bool> {
    let several_defaults = policy.groups.iter().filter(|group| group.is_default()).count() > 1;
    let mut joined: Vec<bool> =
        policy.groups.iter().map(|group| several_defaults && group.is_default()).collect();
    let of_name = names.chunk_by(|one, other| one.0 == other.0);
    for groups in of_name.filter(|groups| groups.len() > 1) {
        groups.iter().for_each(|&(_, group)| joined[group] = true);
    }
    joined
}

impl ProgramSets {
    /// Builds the programs of each group.
    fn build(
        &mut self,
        policy: &Policy<'_>,
        joined: &[bool],
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<Vec<GroupPrograms>, OverLimit> {
        let ProgramSets { priorities, code, programs: ranges, .. } = self;
        let notation = policy.profile.notation();
        let mut table = ProgramTable::new(code, ranges, cache, notation, options.plain_programs);
        let mut prioritized = Vec::with_capacity(policy.rules.len());
        let mut places: Vec<usize> = Vec::with_capacity(policy.rules.len());
        let mut groups = Vec::with_capacity(policy.groups.len());
        for (group, &joined) in policy.groups.iter().zip(joined) {
            let mut programs = GroupPrograms::new();
            places.clear();
            places.extend(group.rules.clone());
            // A group applies to crawling even without a rule for it (R7).
            let crawls = places.iter().any(|&rule| policy.rules[rule].is_crawl());
            let silent = (!crawls).then_some((CRAWL, [].as_slice()));
            for (usage, rules) in silent.into_iter().chain(by_usage(policy, &mut places)) {
                let priority = |&rule: &usize| Prioritized {
                    pattern: policy.rules[rule].pattern(),
                    priority: priorities[rule],
                };
                prioritized.clear();
                prioritized.extend(rules.iter().map(priority));
                let silence = precedence::silence(rules.iter().map(|&rule| &policy.rules[rule]), Some(usage));
                let (program, depth) = table.add(&mut prioritized, joined, silence);
                options.limits.check_depth(depth, group.line)?;
                programs.push((usage, program));
            }
            groups.push(programs);
        }
        Ok(groups)
    }

    /// Joins the groups of each crawler and returns the length of the longest set.
    fn choose(
        &mut self,
        policy: &Policy<'_>,
        mut names: Vec<(String, usize)>,
        programs: &[GroupPrograms],
    ) -> usize {
        let mut known: HashMap<GroupPrograms, usize> = HashMap::new();
        let mut longest = 0;
        let sets = &mut self.sets;
        let mut set = Vec::new();
        let mut intern = |groups: &mut dyn Iterator<Item = usize>| {
            set.clear();
            groups.for_each(|group| set.extend_from_slice(&programs[group]));
            set.sort_unstable();
            set.dedup();
            longest = longest.max(set.len());
            if let Some(&number) = known.get(&set) {
                return number;
            }
            sets.push(Set::Ranked(set.clone()));
            known.insert(set.clone(), sets.len() - 1);
            sets.len() - 1
        };
        for groups in names.chunk_by_mut(|one, other| one.0 == other.0) {
            let set = intern(&mut groups.iter().map(|&(_, group)| group));
            self.crawlers.push((std::mem::take(&mut groups[0].0), set));
        }
        let most = if takes_first(policy) { 1 } else { usize::MAX };
        let defaults = (0..).zip(&policy.groups).filter(|(_, group)| group.is_default());
        let mut defaults = defaults.map(|(number, _)| number).take(most).peekable();
        if defaults.peek().is_some() {
            self.default = Some(intern(&mut defaults));
        }
        longest
    }
}
