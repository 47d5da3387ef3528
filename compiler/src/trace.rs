//! The trace evaluator: what a policy means, read naively.
//!
//! It lists every rule that matches and says who beat whom. It is what `explain` prints and what the tests hold the
//! automaton against, so it shares nothing with it but the tags of [`crate::precedence`] and the naive matcher of
//! `formats::pattern`. Slow on purpose.

use crate::policy::{Agent, Policy};
use crate::precedence;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::{Silence, Tag, permits};
use robomaton_formats::{Decision, policy};

/// Why the groups in a [`Trace`] are the ones that answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// They name this crawler (the reduced name).
    Named(String),
    /// No group names the crawler; these are the default groups.
    Default,
    /// The file has no group for the crawler.
    Nobody,
}

/// A rule that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Policy::rules`].
    pub rule: usize,
    /// Index into [`Policy::groups`].
    pub group: usize,
    /// The rule's tag.
    pub tag: Tag,
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
    /// The match that decided: the first one of the highest tag; none when no rule was needed.
    pub winner: Option<Match>,
    /// Whether the target is `/robots.txt`, which needs no rule (R13).
    pub robots_txt: bool,
    /// The answer.
    pub decision: Decision,
}

/// Evaluates a policy for a crawler known by `agents`, best name first (R5), and a target as it stands in the URL.
/// `usage` is a number of [`crate::USAGES`]; any other is a usage that nobody speaks of.
pub fn trace(policy: &Policy<'_>, agents: &[&str], usage: u16, target: &[u8]) -> Trace {
    let (choice, groups) = choose(policy, agents);
    let tags = precedence::tags(policy);
    let mut matches = Vec::new();
    let mut spoken = false;
    for &group in &groups {
        for rule in policy.groups[group].rules.clone() {
            let (at, rule) = (rule, &policy.rules[rule]);
            if rule.usage == usage {
                spoken = true;
                if rule.pattern().matches(&rule.notation.target(target)) {
                    matches.push(Match { rule: at, group, tag: tags[at] });
                }
            }
        }
    }
    let target = policy.profile.notation().target(target);
    let robots_txt = usage == policy::CRAWL && policy.profile.allows_robots_txt() && is_robots_txt(&target);
    let winner = matches.iter().copied().rev().max_by_key(|found| found.tag).filter(|_| !robots_txt);
    let silence = if spoken { precedence::silence(usage) } else { precedence::unspoken(usage) };
    let decision = match (robots_txt, winner, silence) {
        (true, ..) => Decision::Allowed,
        (_, Some(winner), _) => Decision::from(permits(winner.tag)),
        (_, None, Silence::Allowed) => Decision::Allowed,
        (_, None, Silence::Unknown) => Decision::Unknown,
    };
    Trace { choice, groups, matches, winner, robots_txt, decision }
}

/// The groups that answer for a crawler (R5 to R7; K9).
fn choose(policy: &Policy<'_>, agents: &[&str]) -> (Choice, Vec<usize>) {
    let rule = policy.profile.agent_rule();
    let groups = || policy.groups.iter().enumerate();
    for agent in agents {
        let name = rule.reduce(agent);
        let mut own = groups()
            .filter(|(_, group)| group.names().any(|value| rule.names(value, &name)))
            .map(|(index, _)| index);
        let own: Vec<usize> = match rule {
            AgentRule::Substring => own.next().into_iter().collect(),
            _ => own.collect(),
        };
        if !own.is_empty() {
            return (Choice::Named(name), own);
        }
    }
    let mut default =
        groups().filter(|(_, group)| group.agents.contains(&Agent::Any)).map(|(index, _)| index);
    let default: Vec<usize> = match rule {
        AgentRule::Substring => default.next().into_iter().collect(),
        _ => default.collect(),
    };
    if default.is_empty() { (Choice::Nobody, default) } else { (Choice::Default, default) }
}
