//! Policy → the cold records of a document: every rule with its line, so that an image can name the
//! deciding rule.
//!
//! Rules and names are written as they stand in the policy, without a [`detail::Detail`] that holds
//! copies of them. Invariant: the bytes are those of that detail ([`write::encode_detail`]); builds
//! with debug assertions compare the two.

use crate::policy::{Extension, Group, Policy, Rule, Sense};
use robomaton_formats::detail::{self, Bytes};
use robomaton_formats::preference::Source;
use robomaton_formats::program::{Priority, push_varint};
use robomaton_formats::{Notation, write};
use serde::Serialize;
use std::borrow::Cow;

/// The encoded details of a policy, given the priorities of its rules in the programs.
pub(crate) fn encode(policy: &Policy<'_>, priorities: &[Priority], preferences: &[Source<'_>]) -> Vec<u8> {
    // Room for most of it, so that the vector is moved once or twice at most.
    let rules = policy.rules.iter().map(|rule| rule.pattern.len() + RULE / 2).sum::<usize>();
    let mut out = Vec::with_capacity(rules + 32 * (policy.groups.len() + policy.extensions.len()) + 32);
    push_length(policy.groups.len(), &mut out);
    for group in &policy.groups {
        push_group(policy, group, priorities, &mut out);
    }
    push_extensions(&policy.extensions, &mut out);
    push(&policy.usages, &mut out);
    push(&policy.conditions, &mut out);
    push(&policy.files, &mut out);
    push(&policy.ends, &mut out);
    push(preferences, &mut out);
    debug_assert_eq!(out, write::encode_detail(&details(policy, priorities, preferences)));
    out
}

/// Appends a value in postcard's format.
fn push<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    let encoded = postcard::to_extend(value, std::mem::take(out));
    *out = encoded.expect("a vector grows, and every sequence of a detail knows its length");
}

/// Appends the length of a sequence.
fn push_length(length: usize, out: &mut Vec<u8>) {
    push_varint(out, length as u32);
}

/// Appends a byte string or a text.
fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_length(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn push_group(policy: &Policy<'_>, group: &Group<'_>, priorities: &[Priority], out: &mut Vec<u8>) {
    push(&group.role, out);
    push_length(group.names().count(), out);
    for name in group.names() {
        push_bytes(name.as_bytes(), out);
        let start = out.len() - name.len();
        out[start..].make_ascii_lowercase();
    }
    push(&group.is_default(), out);
    push_length(group.purposes.len(), out);
    group.purposes.iter().for_each(|purpose| push_bytes(purpose, out));
    push(&(group.incomplete, group.file, notation(policy, group)), out);
    push_length(group.rules.len(), out);
    let rules = &policy.rules[group.rules.clone()];
    for (rule, &priority) in rules.iter().zip(&priorities[group.rules.clone()]) {
        push_rule(rule, priority, out);
    }
    push_extensions(&group.extensions, out);
    push(&group.schedule, out);
}

/// The most bytes that a rule takes in addition to its pattern.
const RULE: usize = 24;

fn push_rule(rule: &Rule<'_>, priority: Priority, out: &mut Vec<u8>) {
    let permits = rule.sense == Sense::Permit;
    let parts =
        [rule.line, rule.usage.into(), priority, permits.into(), rule.conditions, rule.pattern.len() as u32];
    let (mut numbers, mut end) = ([0; RULE], 0);
    for mut number in parts {
        while number >= 0x80 {
            numbers[end] = number as u8 | 0x80;
            (number, end) = (number >> 7, end + 1);
        }
        numbers[end] = number as u8;
        end += 1;
    }
    // All of it is copied: a copy of a constant length takes two instructions.
    let start = out.len();
    out.extend_from_slice(&numbers);
    out.truncate(start + end);
    out.extend_from_slice(&rule.pattern);
}

fn push_extensions(records: &[Extension<'_>], out: &mut Vec<u8>) {
    push_length(records.len(), out);
    for record in records {
        push_varint(out, record.line);
        push_bytes(record.key.as_bytes(), out);
        push_bytes(record.value.as_bytes(), out);
    }
}

/// The notation of a group's rules, which all of them have.
fn notation(policy: &Policy<'_>, group: &Group<'_>) -> Notation {
    match policy.rules.get(group.rules.start).filter(|_| !group.rules.is_empty()) {
        Some(rule) => rule.notation,
        None => policy.profile.notation(),
    }
}

/// The details of a policy in memory. [`encode`] is tested against their encoding.
fn details<'p>(
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
    let notation = notation(policy, group);
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
