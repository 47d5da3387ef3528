//! Resources that permissions require crawlers to use, but that these crawlers must not crawl
//! (V32).
//!
//! [`trace`] is evaluated for each crawler that a permission addresses. A text without such
//! resources is skipped. Only resources given by path, or by a URL of this site, are known to be on
//! this site.

use super::{Code, Pass, quote};
use crate::language::acap::same_site;
use crate::policy::{Agent, Policy};
use crate::trace::{TraceQuery, trace};
use robomaton_formats::condition::{Condition, Locator};
use robomaton_formats::policy::{CRAWL, OTHER, Role};
use robomaton_formats::{Decision, purpose};
use std::collections::HashMap;

/// A query: crawler (`None` for one that no group names), purpose, target.
type Question = (Option<String>, Option<String>, Vec<u8>);

/// The access of a crawler to a resource.
#[derive(Clone, Copy)]
enum Access {
    Open,
    /// The line of the rule that disallows it, if it is in this text.
    Refused {
        by: Option<u32>,
    },
}

/// The cost of looking up a result.
const COST: usize = 16;

pub(super) fn lint(policy: &Policy<'_>, origin: Option<&str>, pass: &mut Pass<'_, '_>) {
    let mut answers: HashMap<Question, Access> = HashMap::new();
    for group in policy.groups.iter().filter(|group| group.role == Role::Field && group.file == 0) {
        // The first purpose that is a plain name stands for all; patterns of several are skipped.
        let plain = |name: &&[u8]| purpose::matches(name, std::str::from_utf8(name).ok());
        let named = group.purposes.iter().map(AsRef::as_ref).find(plain);
        let purpose = named.map(|name| String::from_utf8_lossy(name).into_owned());
        if !group.purposes.is_empty() && purpose.is_none() {
            continue;
        }
        let mut last = None;
        for rule in &policy.rules[group.rules.clone()] {
            for used in policy.conditions(rule).iter().filter_map(|condition| used(condition, origin)) {
                if last == Some(rule.line) {
                    continue;
                }
                for agent in &group.agents {
                    let agent = match agent {
                        Agent::Any => None,
                        Agent::Named(name) => Some(name.to_ascii_lowercase()),
                    };
                    let who = agent.as_ref().map_or("crawlers".to_owned(), |name| quote(name.as_bytes()));
                    let question = (agent, purpose.clone(), used.clone());
                    let mut known = || pass.spend(COST).and_then(|()| answers.get(&question).copied());
                    let Some(answer) = known().or_else(|| ask(policy, &question, pass)) else {
                        pass.unchecked.get_or_insert(pass.value(rule.line));
                        return;
                    };
                    answers.insert(question, answer);
                    let Access::Refused { by } = answer else { continue };
                    let span = pass.value(rule.line);
                    let message = format!("{} is to be used, and {who} may not crawl it", quote(&used));
                    match by {
                        Some(line) => {
                            let second = pass.value(line);
                            let why = "this keeps it out";
                            pass.say_with(Code::AcapUsedResourceNotCrawlable, span, message, second, why);
                        }
                        None => pass.say(Code::AcapUsedResourceNotCrawlable, span, message),
                    }
                    last = Some(rule.line);
                    break;
                }
            }
        }
    }
}

/// The target of a resource of this site that must be used.
fn used(condition: &Condition, origin: Option<&str>) -> Option<Vec<u8>> {
    let (Condition::MustUseResource(Locator::Uri(uri))
    | Condition::MustIncludeResource(_, Locator::Uri(uri))) = condition
    else {
        return None;
    };
    let uri = uri.split('#').next().unwrap_or_default();
    // Without a leading slash, the path is relative to the resource that the permission is for.
    let is_relative = !uri.starts_with('/') && !uri.contains("://");
    (!is_relative).then(|| same_site(uri, origin))?.map(String::into_bytes)
}

/// Evaluates a query; `None` if the remaining steps do not suffice.
fn ask(policy: &Policy<'_>, question: &Question, pass: &mut Pass<'_, '_>) -> Option<Access> {
    let (agent, purpose, target) = question;
    // All matching fields are compared with each other.
    let speaks = policy.rules.iter().filter(|rule| matches!(rule.usage, CRAWL | OTHER));
    let lengths = speaks.filter(|rule| rule.pattern().matches(&rule.notation.target(target)));
    let (count, length) =
        lengths.fold((0, 0), |(count, length), rule| (count + 1, length + rule.pattern.len()));
    let agents: usize = policy.groups.iter().map(|group| group.agents.len() + 1).sum();
    pass.spend(COST * agents + policy.rules.len() + count * (length + 8))?;
    let agents: Vec<&str> = agent.as_deref().into_iter().collect();
    let answer =
        trace(policy, &TraceQuery { purpose: purpose.as_deref(), ..TraceQuery::crawl(&agents, target) });
    if answer.decision != Decision::Disallowed {
        return Some(Access::Open);
    }
    let by = answer.deciding().find(|found| {
        let group = &policy.groups[found.group];
        group.file == 0 && group.role.names_crawlers()
    });
    Some(Access::Refused { by: by.map(|found| policy.rules[found.rule].line) })
}
