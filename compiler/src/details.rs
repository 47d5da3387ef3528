//! Policy → the cold records of a document: every rule with its line, so that an image can name the
//! deciding rule.

use crate::policy::{Extension, Group, Policy, Sense};
use robomaton_formats::detail::{self, Bytes};
use robomaton_formats::preference::Source;
use robomaton_formats::program::Priority;
use std::borrow::Cow;

/// The details of a policy, given the priorities of its rules in the programs.
pub(crate) fn details<'p>(
    policy: &'p Policy<'_>,
    priorities: &[Priority],
    preferences: &[Source<'p>],
) -> detail::Detail<'p> {
    detail::Detail {
        groups: policy.groups.iter().map(|of| group(policy, of, priorities)).collect(),
        extensions: extensions(&policy.extensions),
        usages: policy.usages.clone(),
        conditions: policy.conditions.clone(),
        files: policy.files.clone(),
        ends: policy.ends.clone(),
        preferences: preferences.to_vec(),
    }
}

fn group<'p>(policy: &'p Policy<'_>, group: &'p Group<'_>, priorities: &[Priority]) -> detail::Group<'p> {
    let rule = |at: usize| {
        let rule = &policy.rules[at];
        detail::Rule {
            line: rule.line,
            usage: rule.usage,
            priority: priorities[at],
            permits: rule.sense == Sense::Permit,
            conditions: rule.conditions,
            pattern: Bytes::from(rule.pattern.as_ref()),
        }
    };
    // All rules of a group have the same notation.
    let notation = match policy.rules.get(group.rules.start).filter(|_| !group.rules.is_empty()) {
        Some(rule) => rule.notation,
        None => policy.profile.notation(),
    };
    debug_assert!(policy.rules[group.rules.clone()].iter().all(|rule| rule.notation == notation));
    debug_assert!(group.role.is_ranked() || policy.is_scoped());
    detail::Group {
        role: group.role,
        crawlers: group.names().map(str::to_ascii_lowercase).collect(),
        default: group.is_default(),
        purposes: group.purposes.iter().map(|purpose| Bytes::from(purpose.as_ref())).collect(),
        incomplete: group.incomplete,
        file: group.file,
        notation,
        rules: group.rules.clone().map(rule).collect(),
        extensions: extensions(&group.extensions),
        schedule: group.schedule.clone(),
    }
}

fn extensions<'p>(records: &'p [Extension<'_>]) -> Vec<detail::Extension<'p>> {
    let record = |record: &'p Extension<'_>| detail::Extension {
        line: record.line,
        key: Cow::Borrowed(&record.key),
        value: Cow::Borrowed(&record.value),
    };
    records.iter().map(record).collect()
}
