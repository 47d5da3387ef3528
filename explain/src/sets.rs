//! Rule sets of a text that states language versions: the one that applies, and why the others do
//! not (N2 to N5).
//!
//! The compiler has chosen, and has recorded the sets as they were before. Nothing is chosen here.

use crate::words::shown;
use robomaton_compiler::trace::Choice;
use robomaton_compiler::{Agent, Group, Policy, RuleSet};
use robomaton_formats::policy::Role;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

/// The version of a rule set.
#[derive(Serialize)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
    /// True if a Robot-version record states it.
    stated: bool,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Version { major, minor, stated } = self;
        match stated {
            true => write!(f, "Robot-version {major}.{minor}"),
            false => write!(f, "no Robot-version, so {major}.{minor}"),
        }
    }
}

impl Version {
    fn of(set: &RuleSet<'_>) -> Version {
        Version { major: set.version.0, minor: set.version.1, stated: set.is_stated }
    }
}

/// A rule set that names the crawler, but does not apply.
#[derive(Serialize)]
pub(crate) struct Skipped {
    line: u32,
    agent: String,
    version: Version,
    why: String,
}

impl Skipped {
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Skipped { line, agent, version, why } = self;
        writeln!(out, "           line {line}: {}  ({version}) is skipped: {why}", shown(agent))
    }
}

/// The version of a group, if the text states any.
pub(crate) fn version(policy: &Policy<'_>, group: usize) -> Option<Version> {
    let group = policy.groups.get(group).filter(|group| is_rule_set(group))?;
    policy.rule_sets.iter().find(|set| set.line == group.line).map(Version::of)
}

/// True if a group may be a rule set, and none of an ACAP record or of a referred file.
fn is_rule_set(group: &Group<'_>) -> bool {
    group.role == Role::Conventional && group.file == 0
}

/// The rule sets that address the crawler under the name by which its groups were found, but do not
/// apply.
pub(crate) fn skipped(policy: &Policy<'_>, choice: &Choice, looked_for: &[String]) -> Vec<Skipped> {
    let chosen = match choice {
        Choice::Named(name) => looked_for.iter().position(|known| known == name),
        Choice::Default | Choice::Nobody => None,
    };
    let names = &looked_for[..chosen.map_or(looked_for.len(), |last| last + 1)];
    let groups: HashMap<u32, &Group<'_>> =
        policy.groups.iter().filter(|group| is_rule_set(group)).map(|group| (group.line, group)).collect();
    let sets = || policy.rule_sets.iter().filter_map(|set| Some((*groups.get(&set.line)?, set)));
    let is_own = |agent: &Agent<'_>| match agent {
        Agent::Named(value) => names.iter().any(|name| value.eq_ignore_ascii_case(name)),
        Agent::Any => false,
    };
    let default = !sets().any(|(group, _)| group.agents.iter().any(is_own));
    let best = best_versions(policy);
    let mut skipped = Vec::new();
    for (group, set) in sets() {
        let asked = |agent: &&Agent<'_>| is_own(agent) || default && **agent == Agent::Any;
        let lost = |agent: &&Agent<'_>| !group.agents.contains(agent);
        let Some(agent) = set.agents.iter().find(|agent| asked(agent) && lost(agent)) else { continue };
        skipped.push(Skipped {
            line: group.line,
            agent: name_of(agent).to_owned(),
            version: Version::of(set),
            why: why(&best, set, agent),
        });
    }
    skipped
}

/// The name of a crawler; `*` for any.
pub(crate) fn name_of<'a>(agent: &'a Agent<'_>) -> &'a str {
    match agent {
        Agent::Any => "*",
        Agent::Named(name) => name,
    }
}

/// The greatest version that is acceptable, for each name in lower case.
fn best_versions(policy: &Policy<'_>) -> HashMap<String, (u32, u32)> {
    let mut best = HashMap::new();
    for set in policy.rule_sets.iter().filter(|set| set.is_acceptable) {
        for agent in &set.agents {
            let known = best.entry(name_of(agent).to_ascii_lowercase()).or_insert(set.version);
            *known = set.version.max(*known);
        }
    }
    best
}

fn why(best: &HashMap<String, (u32, u32)>, set: &RuleSet<'_>, agent: &Agent<'_>) -> String {
    let (major, _) = set.version;
    if !set.is_acceptable {
        let known = matches!(major, 1 | 2);
        let why = if known { "it is experimental, as its minor is odd" } else { "nobody knows that version" };
        return why.to_owned();
    }
    match best.get(&name_of(agent).to_ascii_lowercase()) {
        Some(&(major, minor)) if (major, minor) > set.version => {
            format!("version {major}.{minor} goes before it")
        }
        _ => "an earlier set of the same version answers".to_owned(),
    }
}
