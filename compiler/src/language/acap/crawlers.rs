//! The crawlers that ACAP records address (V8, V9, decision 34).
//!
//! A value is a whole name. If it is more than a product token, it has a form of its own in the
//! policy (`agent::whole_name`), under which a question about that very name finds its groups. This
//! name must then lead to all groups of the crawler, so [`name_whole`] adds it to those of its
//! product token. `acap` adds the crawlers of each record, and `lower` runs [`name_whole`] at the
//! end. This file knows nothing of fields.

use crate::limits::{LimitName, OverLimit};
use crate::policy::{Agent, Policy, counts_as};
use robomaton_formats::agent::{name_text, names_of_value, other_names};
use robomaton_grammar::product_token;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The maximum number of names that are added to groups of their product tokens; long ones count
/// as several.
const NAMED: usize = 1 << 20;

/// The crawlers that a value of `ACAP-crawler` addresses; none if it is empty.
pub(super) fn agents(value: &[u8]) -> Vec<Agent<'static>> {
    match (product_token(value), name_text(value).trim_ascii()) {
        (_, "") => Vec::new(),
        (Some(b"*"), _) => vec![Agent::Any],
        (_, name) => names_of_value(name).into_iter().map(|name| Agent::Named(Cow::Owned(name))).collect(),
    }
}

/// Adds whole names to all groups of their crawlers: those of the first other name that the text
/// has.
///
/// # Errors
/// If more than [`NAMED`] names would be added.
pub(crate) fn name_whole(policy: &mut Policy<'_>) -> Result<(), OverLimit> {
    if !policy.is_acap {
        return Ok(());
    }
    let mut holders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, group) in policy.groups.iter().enumerate().filter(|(_, group)| group.names_crawlers()) {
        for name in group.names() {
            holders.entry(name.to_ascii_lowercase()).or_default().push(number);
        }
    }
    let (mut added, mut count): (Vec<(usize, String)>, _) = (Vec::new(), 0);
    // Whole names, which begin with a quotation mark, are consecutive.
    let whole = holders.range("\"".to_owned()..).take_while(|(name, _)| name.starts_with('"'));
    let mut whole: Vec<String> = whole.map(|(name, _)| name.clone()).collect();
    // One that is within another leads to groups of its own other names first.
    whole.sort_by_key(String::len);
    for name in whole {
        let Some(groups) = other_names(&name).iter().find_map(|other| holders.get(other)) else { continue };
        let own: HashSet<&usize> = holders[&name].iter().collect();
        let groups: Vec<usize> = groups.iter().filter(|group| !own.contains(group)).copied().collect();
        for &group in &groups {
            count += counts_as(&name);
            if count > NAMED {
                let line = policy.groups[group].line;
                return Err(OverLimit { limit: LimitName::Merged, allowed: NAMED, line });
            }
            added.push((group, name.clone()));
        }
        holders.entry(name).or_default().extend(groups);
    }
    for (group, name) in added {
        policy.groups[group].agents.push(Agent::Named(Cow::Owned(name)));
    }
    Ok(())
}

/// The crawlers of a record that refers to another file.
pub(super) struct ReferringCrawlers<'a, 's> {
    any: bool,
    /// The named ones, keyed by lower-case name.
    named: BTreeMap<String, &'a Agent<'s>>,
    /// The whole names among them, keyed by their other names.
    whole: HashMap<String, Vec<&'a Agent<'s>>>,
}

impl<'a, 's> ReferringCrawlers<'a, 's> {
    pub(super) fn new(agents: &'a [Agent<'s>]) -> ReferringCrawlers<'a, 's> {
        let named: BTreeMap<String, &Agent<'s>> =
            agents.iter().filter_map(|agent| Some((lower_name(agent)?, agent))).collect();
        let mut whole: HashMap<String, Vec<&Agent<'s>>> = HashMap::new();
        for (name, agent) in &named {
            for other in other_names(name) {
                whole.entry(other).or_default().push(agent);
            }
        }
        ReferringCrawlers { any: agents.contains(&Agent::Any), named, whole }
    }

    /// The crawlers that a record of the referenced file addresses: the referring record's crawlers
    /// that it names, or all of them if it is for any crawler. If the referring record is for any
    /// crawler, all crawlers that it addresses. The time is linear in the result and `there`.
    pub(super) fn addressed(&self, there: &[Agent<'s>]) -> Vec<Agent<'s>> {
        if there.contains(&Agent::Any) {
            let others = there.iter().filter(|_| self.any);
            return self.named.values().copied().chain(others).cloned().collect();
        }
        let mut addressed: Vec<Agent<'s>> = Vec::new();
        for agent in there {
            let Some(name) = lower_name(agent) else { continue };
            let refers = |name: &String| self.named.contains_key(name);
            if self.any || refers(&name) || other_names(&name).iter().any(refers) {
                addressed.push(agent.clone());
            }
            let whole = self.whole.get(&name).into_iter().flatten().copied();
            addressed.extend(whole.filter(|_| !self.any).cloned());
        }
        addressed
    }
}

fn lower_name(agent: &Agent<'_>) -> Option<String> {
    match agent {
        Agent::Named(name) => Some(name.to_ascii_lowercase()),
        Agent::Any => None,
    }
}
