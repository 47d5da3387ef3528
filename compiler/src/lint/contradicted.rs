//! Conventional rules that are dropped because an ACAP field with the same pattern says the
//! opposite (V54).
//!
//! A rule is dropped if such a field is live, which depends on the crawler (decision 14). So it is
//! only reported if some crawler reads both the rule and the field, and no field closer to it: a
//! crawler that both name, one that neither names, or one that only one of them names and no group
//! or record of the other kind does.

use super::{Code, Pass};
use crate::policy::{Group, Policy, Rule, Sense};
use crate::scope::scoped_pattern;
use robomaton_formats::policy::Role;
use std::collections::{HashMap, HashSet};

/// Fields with their records, keyed by usage and pattern.
type Fields<'p, 's> = HashMap<(u16, Vec<u8>), Vec<(&'p Group<'s>, &'p Rule<'s>)>>;

/// The cost of comparing one crawler name.
const COST: usize = 8;

/// Checks the rules of conventional groups.
pub(super) fn lint(policy: &Policy<'_>, groups: &[&Group<'_>], pass: &mut Pass<'_, '_>) {
    let mut fields = Fields::new();
    // Fields for a purpose only apply if it is requested; fields of other files have no line in
    // this text.
    let is_plain =
        |group: &&Group<'_>| group.role == Role::Field && group.file == 0 && group.purposes.is_empty();
    for record in policy.groups.iter().filter(is_plain) {
        for field in &policy.rules[record.rules.clone()] {
            let key = (field.usage, scoped_pattern(&field.pattern));
            fields.entry(key).or_default().push((record, field));
        }
    }
    if fields.is_empty() {
        return;
    }
    let records = policy.groups.iter().filter(|group| group.role == Role::Field);
    let in_records: HashSet<String> = records.flat_map(names).collect();
    let in_groups: HashSet<String> = groups.iter().flat_map(|group| names(group)).collect();
    for group in groups {
        let own: HashSet<String> = names(group).collect();
        let has_stranger = group.is_default() || own.iter().any(|name| !in_records.contains(name));
        let meets = |record: &Group<'_>| {
            let reads = |name: &String| own.contains(name) || group.is_default() && !in_groups.contains(name);
            record.is_default() && has_stranger || names(record).any(|name| reads(&name))
        };
        for rule in &policy.rules[group.rules.clone()] {
            let Some(fields) = fields.get(&(rule.usage, scoped_pattern(&rule.pattern))) else { continue };
            let mut opposite = None;
            for (record, field) in fields {
                if pass.spend(COST * (record.agents.len() + 1)).is_none() {
                    pass.unchecked.get_or_insert(pass.value(rule.line));
                    return;
                }
                if field.sense != rule.sense && meets(record) {
                    opposite = Some(field);
                    break;
                }
            }
            if let (Some(field), true) = (opposite, pass.is_written(rule)) {
                let sense = if field.sense == Sense::Permit { "permits" } else { "prohibits" };
                let message =
                    format!("this rule is dropped: a field of ACAP {sense} what has the same pattern");
                let (span, second) = (pass.value(rule.line), pass.value(field.line));
                pass.say_with(Code::AcapContradictedRule, span, message, second, "the field");
            }
        }
    }
}

/// The crawlers that a group names, in lower case.
fn names<'g>(group: &'g Group<'_>) -> impl Iterator<Item = String> + 'g {
    group.names().map(str::to_ascii_lowercase)
}
