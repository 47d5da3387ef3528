//! Conventional rules that never decide.
//!
//! Rules of one group are compared by their priorities, so findings follow the profile: the longest
//! pattern of RFC 9309, the forms of Robot-version 2.0.0. A crawler may be named in several groups,
//! which only adds rules: a rule that loses within one group loses among all. A permission is
//! redundant only if that is so among all groups that share a crawler. For the 1996 draft see
//! `first_match`.

use super::cover::{Shape, covers};
use super::{Code, Pass, contradicted, patterns, quote};
use crate::policy::{Agent, Group, Policy, Rule, Sense};
use crate::precedence;
use crate::scope::scoped_pattern;
use robomaton_formats::policy::Role;
use robomaton_formats::program::Priority;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(super) fn lint(policy: &Policy<'_>, pass: &mut Pass<'_, '_>) {
    let priorities = precedence::priorities(policy);
    let groups: Vec<&Group<'_>> = policy.ranked_groups().collect();
    let fields = policy.groups.iter().filter(|group| group.role == Role::Field);
    let fields = fields.flat_map(|group| &policy.rules[group.rules.clone()]);
    let fields: HashSet<Vec<u8>> = fields.map(|field| scoped_pattern(&field.pattern)).collect();
    for group in &groups {
        let rules = Rules {
            all: &policy.rules,
            priorities: &priorities,
            range: group.rules.clone(),
            fields: &fields,
        };
        rules.same_patterns(pass);
        rules.covered(pass);
    }
    contradicted::lint(policy, &groups, pass);
    // A permission may be an exception to an ACAP field.
    if !policy.is_scoped() {
        let families = families(&groups);
        patterns::stars(policy, &groups, &families, pass);
        redundant(policy, &groups, &families, &priorities, pass);
    }
}

/// R13, K12. Rules of other files and of pages have no line in this text.
pub(super) fn robots_txt(policy: &Policy<'_>, pass: &mut Pass<'_, '_>) {
    if !policy.profile.allows_robots_txt() {
        return;
    }
    let is_own = |group: &&Group<'_>| group.role.names_crawlers() && group.file == 0;
    for group in policy.groups.iter().filter(is_own) {
        for rule in &policy.rules[group.rules.clone()] {
            let is_it = matches!(rule.pattern.as_ref(), b"/robots.txt" | b"/robots.txt$");
            if is_it && rule.is_crawl() && pass.is_written(rule) {
                let message = "/robots.txt may always be fetched; a rule does not change that";
                pass.say(Code::RuleForRobotsTxt, pass.value(rule.line), message);
            }
        }
    }
}

/// The rules of one group.
struct Rules<'p, 's> {
    all: &'p [Rule<'s>],
    priorities: &'p [Priority],
    range: Range<usize>,
    /// The patterns of ACAP fields: conventional rules that contradict them are dropped, and hide
    /// no other rules (V54).
    fields: &'p HashSet<Vec<u8>>,
}

impl Rules<'_, '_> {
    fn own(&self, pass: &Pass<'_, '_>) -> Vec<usize> {
        self.range.clone().filter(|&at| pass.is_written(&self.all[at])).collect()
    }

    /// Rules with the same pattern as another: duplicates and contradictions.
    fn same_patterns(&self, pass: &mut Pass<'_, '_>) {
        // The first rule of each sense.
        let mut first: HashMap<(u16, &[u8]), [Option<usize>; 2]> = HashMap::new();
        for at in self.own(pass) {
            let rule = &self.all[at];
            let firsts = first.entry((rule.usage, rule.pattern.as_ref())).or_default();
            let own = usize::from(rule.sense == Sense::Permit);
            let (known, other) = (firsts[own], firsts[1 - own]);
            firsts[own] = known.or(Some(at));
            match (known, other) {
                (Some(known), _) if self.all[known].line != rule.line => {
                    let (span, second) = (pass.value(rule.line), pass.value(self.all[known].line));
                    let message = "the group has this rule already";
                    pass.say_with(Code::DuplicateRule, span, message, second, "the first is here");
                }
                (None, Some(other)) => {
                    let (loser, winner) =
                        if self.priorities[at] < self.priorities[other] { (at, other) } else { (other, at) };
                    self.say(Code::SupersededRule, loser, winner, "has the same pattern", pass);
                }
                _ => {}
            }
        }
    }

    /// Rules that lose wherever they match. Rules of equal sense are skipped, since they do not
    /// contradict.
    fn covered(&self, pass: &mut Pass<'_, '_>) {
        let own = self.own(pass);
        if !own.iter().any(|&at| self.all[at].sense != self.all[own[0]].sense) {
            return;
        }
        // A pattern without a star covers no pattern of lower rank, except for `/`, which matches
        // everything.
        let wide = |sense| -> Vec<(usize, Shape)> {
            let is_one = |&at: &usize| self.all[at].sense == sense && self.is_wide(at);
            let mut wide: Vec<usize> = own.iter().copied().filter(is_one).collect();
            wide.sort_by_key(|&at| std::cmp::Reverse(self.priorities[at]));
            wide.into_iter().map(|at| (at, Shape::new(self.all[at].pattern()))).collect()
        };
        let wide = [wide(Sense::Prohibit), wide(Sense::Permit)];
        for &at in &own {
            let rule = &self.all[at];
            let wide = &wide[usize::from(rule.sense == Sense::Prohibit)];
            let shape = Shape::new(rule.pattern());
            for (by, outer) in wide.iter().take_while(|(by, _)| self.priorities[*by] > self.priorities[at]) {
                let winner = &self.all[*by];
                let Some(covers) = covers(outer, &shape, &mut pass.steps) else {
                    pass.unchecked.get_or_insert(pass.value(rule.line));
                    return;
                };
                // Equal patterns already have findings.
                if covers && winner.usage == rule.usage && winner.pattern != rule.pattern {
                    let why = "matches all that it matches";
                    self.say(Code::UnreachableRule, at, *by, why, pass);
                    break;
                }
            }
        }
    }

    fn is_wide(&self, at: usize) -> bool {
        let rule = &self.all[at];
        (rule.pattern().has_star() || *rule.pattern == *b"/")
            && (self.fields.is_empty() || !self.fields.contains(&scoped_pattern(&rule.pattern)))
    }

    fn say(&self, code: Code, loser: usize, winner: usize, why: &str, pass: &mut Pass<'_, '_>) {
        let [loser, winner] = [loser, winner].map(|at| &self.all[at]);
        let sense = winner.sense.key();
        let (span, second) = (pass.value(loser.line), pass.value(winner.line));
        let pattern = quote(pass.tree.text(second));
        let message =
            format!("this rule has no effect: {sense} {pattern} on line {} {why}, and wins", winner.line);
        pass.say_with(code, span, message, second, "this one wins");
    }
}

/// A rule for crawling, compared within all groups that share a crawler with its own.
struct Entry {
    /// The number of this family of groups.
    family: usize,
    /// The bytes before the first star. If two rules match the same target, the prefix of one is a
    /// prefix of the other.
    prefix: Vec<u8>,
    /// Prohibitions sort first.
    permits: bool,
    /// Index into the rules of the policy.
    rule: usize,
}

/// Permissions that are not exceptions to anything.
fn redundant(
    policy: &Policy<'_>,
    groups: &[&Group<'_>],
    families: &[usize],
    priorities: &[Priority],
    pass: &mut Pass<'_, '_>,
) {
    let mut entries: Vec<Entry> = Vec::new();
    for (group, &family) in groups.iter().zip(families) {
        if group.agents.is_empty() {
            continue;
        }
        let rules = group.rules.clone().filter(|&at| policy.rules[at].is_crawl());
        entries.extend(rules.map(|rule| {
            let Rule { sense, .. } = policy.rules[rule];
            let prefix = policy.rules[rule].pattern().parts().prefix.into_owned();
            Entry { family, prefix, permits: sense == Sense::Permit, rule }
        }));
    }
    entries.sort_by(|a, b| {
        (a.family, &a.prefix, a.permits, a.rule).cmp(&(b.family, &b.prefix, b.permits, b.rule))
    });
    // Losing rules already have findings.
    let lost: HashSet<u32> = pass.found.iter().map(|finding| finding.span.start).collect();
    // For each entry, the next prohibition after it.
    let mut next: Vec<Option<usize>> = vec![None; entries.len()];
    for at in (1..entries.len()).rev() {
        next[at - 1] = if entries[at].permits { next[at] } else { Some(at) };
    }
    // The prohibitions whose prefixes are prefixes of the current one, each with the least priority
    // so far.
    let mut open: Vec<(usize, Priority)> = Vec::new();
    let mut prohibits = vec![false; groups.len()];
    entries.iter().filter(|entry| !entry.permits).for_each(|entry| prohibits[entry.family] = true);
    for (at, entry) in entries.iter().enumerate() {
        let begins = |a: usize, b: usize| {
            entries[a].family == entries[b].family && entries[b].prefix.starts_with(&entries[a].prefix)
        };
        while open.last().is_some_and(|&(last, _)| !begins(last, at)) {
            open.pop();
        }
        let rule = &policy.rules[entry.rule];
        if !entry.permits {
            let least = open.last().map_or(Priority::MAX, |&(_, priority)| priority);
            open.push((at, least.min(priorities[entry.rule])));
            continue;
        }
        let excepts = open.last().is_some_and(|&(_, priority)| priority < priorities[entry.rule])
            // A longer prefix implies a longer pattern, unless a star or an escape makes up for it.
            || rule.pattern.iter().any(|byte| b"*%".contains(byte)) && next[at].is_some_and(|next| begins(at, next));
        // Allowing everything in a separate group is the usual way to welcome a crawler.
        let welcomes = !prohibits[entry.family] && matches!(rule.pattern.as_ref(), b"/" | b"*" | b"/*");
        let span = pass.value(rule.line);
        if !excepts && !welcomes && pass.is_written(rule) && !lost.contains(&span.start) {
            let message = "this Allow changes nothing: what it matches is allowed without it";
            pass.say(Code::RedundantAllow, span, message);
        }
    }
}

/// For each group, the number of the first group with which it shares crawlers, directly or through
/// others.
fn families(groups: &[&Group<'_>]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..groups.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    let mut homes: HashMap<String, usize> = HashMap::new();
    for (number, group) in groups.iter().enumerate() {
        for agent in &group.agents {
            let key = match agent {
                Agent::Any => "*".to_owned(),
                Agent::Named(name) => name.to_ascii_lowercase(),
            };
            let home = *homes.entry(key).or_insert(number);
            let [a, b] = [home, number].map(|at| root(&mut parent, at));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..groups.len()).map(|at| root(&mut parent, at)).collect()
}
