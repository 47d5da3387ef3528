//! Rules and groups of a policy for explanations: spelling, citation, addressees.
//!
//! It reads the trace and weighs nothing.

use crate::words::short;
use robomaton_compiler::trace::{Choice, Fate, Match, Trace, TraceQuery};
use robomaton_compiler::{Policy, Sense};
use robomaton_formats::policy::is_special;
use robomaton_runtime::DecidingRule;

/// The fate of a matching rule, in one word.
pub(crate) fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Decides => "decides",
        Fate::Beaten => "beaten",
        Fate::Overridden => "overridden",
        Fate::Contradicted => "contradicted",
    }
}

/// A rule of the trace in the form of a verdict's rules.
pub(crate) fn rule_of(policy: &Policy<'_>, found: &Match) -> DecidingRule {
    let (rule, group) = (&policy.rules[found.rule], &policy.groups[found.group]);
    DecidingRule {
        line: rule.line,
        group: found.group,
        role: group.role,
        file: file_name(policy, group.file).map(|name| (group.file, name)),
        priority: found.priority,
        permits: rule.sense == Sense::Permit,
        usage: policy.usage_name(rule.usage).to_owned(),
        pattern: rule.pattern.to_vec(),
        conditions: policy.conditions(rule).to_vec(),
        is_implied: rule.is_implied(),
        record: policy
            .record(group, rule.line)
            .map(|record| (record.key.to_string(), record.value.to_string())),
    }
}

/// For a beaten rule, the deciding rule beside which neither is narrower, as an index into the
/// rules of the policy.
pub(crate) fn rival(trace: &Trace, loser: &Match) -> Option<usize> {
    let decides = |rule: &usize| trace.deciding().any(|found| found.rule == *rule);
    let other = |&(one, other, _): &(usize, usize, usize)| match loser.rule {
        rule if rule == one => Some(other),
        rule if rule == other => Some(one),
        _ => None,
    };
    let pairs = trace.undetermined.iter().filter(|_| loser.fate == Fate::Beaten);
    pairs.filter_map(other).find(decides)
}

/// The file with this number, from 1; 0 is the robots.txt itself.
pub(crate) fn file_name(policy: &Policy<'_>, number: u16) -> Option<String> {
    policy.files.get(usize::from(number).checked_sub(1)?).cloned()
}

/// True if a rule about this usage may say something about the usage in question.
pub(crate) fn speaks_of(asked: &str, usage: &str) -> bool {
    let is = |name: &str| usage.eq_ignore_ascii_case(name);
    is(asked) || is("other") || is("present") && is_special(asked)
}

/// True if a rule comes from a page.
pub(crate) fn is_of_page(found: &Match) -> bool {
    found.level.is_some_and(|level| level.is_of_page())
}

/// The line of a rule as cited in a sentence.
pub(crate) fn citation(policy: &Policy<'_>, found: &Match) -> String {
    let line = policy.rules[found.rule].line;
    match file_name(policy, policy.groups[found.group].file) {
        Some(name) => format!("line {line} of {}", short(&name)),
        None if is_of_page(found) => format!("line {line} of the page"),
        None => format!("line {line}"),
    }
}

/// True if a group or record addresses the crawler. A conventional group must also be one of those
/// that apply.
pub(crate) fn addresses(policy: &Policy<'_>, trace: &Trace, query: &TraceQuery<'_>, number: usize) -> bool {
    let rule = policy.profile.agent_rule();
    let group = &policy.groups[number];
    let names = |name: &str| group.names().any(|value| rule.names(value, name));
    let is_named = || matches!(&trace.choice, Choice::Named(name) if names(name));
    if group.role.is_ranked() {
        return trace.groups.binary_search(&number).is_ok();
    }
    // META tags address all names of a crawler.
    let is_named_at_all =
        || query.agents.iter().flat_map(|agent| rule.lookup_names(agent)).any(|name| names(&name));
    group.is_default() || if group.role.is_of_meta_tags() { is_named_at_all() } else { is_named() }
}
