//! The trace: a naive evaluator of policies.
//!
//! It lists every matching rule and which rule beats which. `explain` prints it, and tests compare
//! the automaton with it, so the two share only the priorities of [`crate::precedence`], the
//! comparison of [`crate::scope`], and the definitions of patterns, purposes and names in
//! `formats`. Slow on purpose.

mod preferences;
mod scoped;

pub use robomaton_formats::Choice;
pub use robomaton_formats::policy::{Holder, Level};
pub use robomaton_formats::preference::Finding;

use crate::policy::{Agent, Group, Policy, Sense};
use crate::precedence;
use robomaton_formats::Decision;
use robomaton_formats::condition::Condition;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::policy::CRAWL;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::{Priority, Silence, permits};

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct TraceQuery<'a> {
    /// The crawler's names, best first (R5).
    pub agents: &'a [&'a str],
    /// The name of the usage.
    pub usage: &'a str,
    /// The purpose, if any.
    pub purpose: Option<&'a str>,
    /// The target as in the URL.
    pub target: &'a [u8],
    /// The crawler handles elements of pages separately, so prohibitions for elements do not cover
    /// the page (M13).
    pub elements: bool,
    /// A robots.txt that was not read, or that counts as refusing everything, may refuse what pages
    /// and statements permit: such permissions are incomplete.
    pub robots_may_refuse: bool,
    /// Only groups and records that name the crawler count.
    pub named_only: bool,
}

impl<'a> TraceQuery<'a> {
    /// A query about crawling.
    pub fn crawl(agents: &'a [&'a str], target: &'a [u8]) -> TraceQuery<'a> {
        TraceQuery {
            agents,
            usage: "crawl",
            purpose: None,
            target,
            elements: false,
            robots_may_refuse: false,
            named_only: false,
        }
    }
}

/// A matching rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Policy::rules`].
    pub rule: usize,
    /// Index into [`Policy::groups`].
    pub group: usize,
    /// The priority of a conventional rule; 0 for a field.
    pub priority: Priority,
    /// The level of a field; `None` for a conventional rule.
    pub level: Option<Level>,
    /// The rule's effect.
    pub fate: Fate,
}

/// The effect of a matching rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It decides, alone or together with others.
    Decides,
    /// It takes part and loses.
    Beaten,
    /// A field of a closer level matches: this one is dropped.
    Overridden,
    /// A conventional rule that contradicts a field with the same pattern (P53, V54).
    Contradicted,
}

/// The evaluation of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The reason why these groups apply.
    pub choice: Choice,
    /// The groups that apply, as indexes into [`Policy::groups`].
    pub groups: Vec<usize>,
    /// Every matching rule, in file order.
    pub matches: Vec<Match>,
    /// The target is `/robots.txt`, which needs no rule (R13).
    pub robots_txt: bool,
    /// The decision.
    pub decision: Decision,
    /// The conditions of a conditional permission, sorted.
    pub conditions: Vec<Condition>,
    /// A file that these records refer to is missing (decision 23).
    pub incomplete: bool,
    /// The decision of the fields alone and of the conventional rules alone; `None` if they are
    /// silent (decision 14).
    pub sides: [Option<Decision>; 2],
    /// Pairs of rules, neither of which is narrower, as indexes into [`Policy::rules`], with the
    /// index of the symbol at which two literals differ.
    pub undetermined: Vec<(usize, usize, usize)>,
    /// The decision of rules and fields alone, without statements in the modern languages and
    /// without the parts of the usage.
    pub of_rules: Decision,
    /// The statements about the usage and its parts that match, with their fates.
    pub findings: Vec<Finding>,
}

impl Trace {
    /// The matches that decide, in file order.
    pub fn deciding(&self) -> impl Iterator<Item = &Match> {
        self.matches.iter().filter(|found| found.fate == Fate::Decides)
    }
}

/// Evaluates a policy.
pub fn trace(policy: &Policy<'_>, query: &TraceQuery<'_>) -> Trace {
    let mut trace = of_rules(policy, query);
    preferences::unite(policy, query, &mut trace);
    trace
}

/// Evaluates the rules and fields of a policy.
fn of_rules(policy: &Policy<'_>, query: &TraceQuery<'_>) -> Trace {
    let names: &Vec<String> = &lookup_names(policy, query);
    let choice = choose(policy, names, query.named_only);
    let target = policy.profile.notation().target(query.target);
    let usage = policy.usage(query.usage);
    let robots_txt = usage == Some(CRAWL) && policy.profile.allows_robots_txt() && is_robots_txt(&target);
    let conventional = conventional_groups(policy, &choice, query.named_only);
    let mut trace = Trace {
        choice,
        groups: conventional.clone(),
        matches: Vec::new(),
        robots_txt,
        decision: Decision::Unknown,
        conditions: Vec::new(),
        incomplete: false,
        sides: [None; 2],
        undetermined: Vec::new(),
        of_rules: Decision::Unknown,
        findings: Vec::new(),
    };
    let priorities = precedence::priorities(policy);
    let mut spoken = Vec::new();
    for &group in &conventional {
        for at in policy.groups[group].rules.clone() {
            let rule = &policy.rules[at];
            if Some(rule.usage) == usage {
                spoken.push(rule);
                if rule.pattern().matches(&rule.notation.target(query.target)) {
                    let (priority, fate) = (priorities[at], Fate::Beaten);
                    trace.matches.push(Match { rule: at, group, priority, level: None, fate });
                }
            }
        }
    }
    let silence = precedence::silence(spoken, usage);
    if policy.is_scoped() {
        scoped::weigh(policy, query, names, usage, silence, &mut trace);
    } else {
        let winner =
            trace.matches.iter_mut().rev().max_by_key(|found| found.priority).filter(|_| !robots_txt);
        trace.decision = match (winner, silence) {
            (Some(winner), _) => {
                winner.fate = Fate::Decides;
                Decision::from(permits(winner.priority))
            }
            (None, Silence::Allowed) => Decision::Allowed,
            (None, Silence::Unknown) => Decision::Unknown,
        };
    }
    if robots_txt {
        trace.decision = Decision::Allowed;
        trace.incomplete = false;
        trace.conditions.clear();
        trace.matches.iter_mut().for_each(|found| found.fate = found.fate.max(Fate::Beaten));
    }
    trace.of_rules = trace.decision;
    trace
}

/// The names under which groups are looked for, best first.
fn lookup_names(policy: &Policy<'_>, query: &TraceQuery<'_>) -> Vec<String> {
    let rule = policy.profile.agent_rule();
    query.agents.iter().flat_map(|agent| rule.lookup_names(agent)).collect()
}

/// The crawler's name in this policy (R5; K9): the first of its names that any group or record
/// addresses.
fn choose(policy: &Policy<'_>, names: &[String], named_only: bool) -> Choice {
    let rule = policy.profile.agent_rule();
    let groups = || policy.groups.iter().filter(|group| group.names_crawlers());
    if let Some(name) = rule.first_named(groups().flat_map(Group::names), names) {
        return Choice::Named(name.clone());
    }
    if !named_only && groups().any(Group::is_default) { Choice::Default } else { Choice::Nobody }
}

fn is_named(group: &Group<'_>, rule: AgentRule, name: &str) -> bool {
    group.names().any(|value| rule.names(value, name))
}

/// The conventional groups that apply (R6, R7; K9).
fn conventional_groups(policy: &Policy<'_>, choice: &Choice, named_only: bool) -> Vec<usize> {
    let rule = policy.profile.agent_rule();
    let most = if rule == AgentRule::Substring { 1 } else { usize::MAX };
    let groups = |wanted: &dyn Fn(&Group<'_>) -> bool| {
        let all = policy.groups.iter().enumerate();
        let found = all.filter(|(_, group)| group.role.is_ranked() && wanted(group));
        found.map(|(number, _)| number).take(most).collect::<Vec<_>>()
    };
    let own = match choice {
        Choice::Named(name) => groups(&|group| is_named(group, rule, name)),
        _ => Vec::new(),
    };
    let use_default = own.is_empty() && !named_only;
    if use_default { groups(&|group| group.agents.contains(&Agent::Any)) } else { own }
}

/// True if the matching rule permits.
fn is_permission(policy: &Policy<'_>, found: &Match) -> bool {
    policy.rules[found.rule].sense == Sense::Permit
}
