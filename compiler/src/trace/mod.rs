//! The trace evaluator: what a policy means, read naively.
//!
//! It lists every rule that matches and says who beat whom. It is what `explain` prints and what
//! the tests hold the automaton against, so it shares nothing with it but the priorities of
//! [`crate::precedence`], the comparison of [`crate::scope`], and what `formats` says of patterns,
//! purposes and names. Slow on purpose.

mod scoped;

pub use robomaton_formats::Choice;
pub use robomaton_formats::policy::{Holder, Level};

use crate::policy::{Agent, Group, Policy, Sense};
use crate::precedence;
use robomaton_formats::Decision;
use robomaton_formats::condition::Condition;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::policy::CRAWL;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::{Priority, Silence, permits};

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct TraceQuery<'a> {
    /// The crawler's names, best first (R5).
    pub agents: &'a [&'a str],
    /// The usage, by name.
    pub usage: &'a str,
    /// The purpose, if there is one.
    pub purpose: Option<&'a str>,
    /// The target as it stands in the URL.
    pub target: &'a [u8],
    /// Whether the crawler works on elements of pages: then what is said of elements does not speak
    /// for the page (M13).
    pub elements: bool,
    /// Whether there may be a robots.txt that nobody has read: then what pages say to any crawler
    /// is not all.
    pub unheard: bool,
    /// Whether only groups and records that name the crawler count.
    pub named_only: bool,
}

impl<'a> TraceQuery<'a> {
    /// A question about crawling.
    pub fn crawl(agents: &'a [&'a str], target: &'a [u8]) -> TraceQuery<'a> {
        TraceQuery {
            agents,
            usage: "crawl",
            purpose: None,
            target,
            elements: false,
            unheard: false,
            named_only: false,
        }
    }
}

/// A rule that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Policy::rules`].
    pub rule: usize,
    /// Index into [`Policy::groups`].
    pub group: usize,
    /// The priority of a conventional rule, 0 of a field.
    pub priority: Priority,
    /// The level of a field; none for a conventional rule.
    pub level: Option<Level>,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of a rule that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It decides, or is among those that do.
    Decides,
    /// It takes part and is beaten.
    Beaten,
    /// A field speaks nearer: this one is dropped.
    Overridden,
    /// A conventional rule that contradicts a field on the very same pattern (P53, V54).
    Contradicted,
}

/// How an answer came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Why these groups.
    pub choice: Choice,
    /// The groups that answer, as indexes into [`Policy::groups`].
    pub groups: Vec<usize>,
    /// Every matching rule, in file order.
    pub matches: Vec<Match>,
    /// Whether the target is `/robots.txt`, which needs no rule (R13).
    pub robots_txt: bool,
    /// The answer.
    pub decision: Decision,
    /// The conditions of a conditional permission, sorted.
    pub conditions: Vec<Condition>,
    /// Whether a file that these records refer to is missing (decision 23).
    pub incomplete: bool,
    /// What the fields alone say, and the conventional rules alone; none where they are silent
    /// (decision 14).
    pub sides: [Option<Decision>; 2],
    /// Pairs of rules of which neither is narrower, as indexes into [`Policy::rules`], with the
    /// symbol at which two literals part them.
    pub undetermined: Vec<(usize, usize, usize)>,
}

impl Trace {
    /// The matches that decide, in file order.
    pub fn deciding(&self) -> impl Iterator<Item = &Match> {
        self.matches.iter().filter(|found| found.fate == Fate::Decides)
    }
}

/// Evaluates a policy.
pub fn trace(policy: &Policy<'_>, query: &TraceQuery<'_>) -> Trace {
    let names = &reduced_names(policy.profile.agent_rule(), query.agents);
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
    trace
}

/// The names that a caller's words stand for, as groups are looked for.
fn reduced_names(rule: AgentRule, agents: &[&str]) -> Vec<String> {
    let names = agents.iter().flat_map(|agent| rule.crawler_names_or_nobody(agent));
    names.map(|name| rule.reduce(&name)).collect()
}

/// Whom a policy takes the crawler for (R5; K9): the first of its names that any group or record is
/// addressed to.
fn choose(policy: &Policy<'_>, names: &[String], named_only: bool) -> Choice {
    let rule = policy.profile.agent_rule();
    let groups = || policy.groups.iter().filter(|group| group.names_crawlers());
    if let Some(name) = names.iter().find(|name| groups().any(|group| is_named(group, rule, name))) {
        return Choice::Named(name.clone());
    }
    if !named_only && groups().any(Group::is_default) { Choice::Default } else { Choice::Nobody }
}

fn is_named(group: &Group<'_>, rule: AgentRule, name: &str) -> bool {
    group.names().any(|value| rule.names(value, name))
}

/// The conventional groups that answer (R6, R7; K9).
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

/// Whether a rule of a policy permits.
fn is_permission(policy: &Policy<'_>, found: &Match) -> bool {
    policy.rules[found.rule].sense == Sense::Permit
}
