//! Budgets for expansion: a few bytes of text can stand for a large part of a policy.
//!
//! Crawlers times sub-records, usages times patterns, qualified usages times explicit qualifiers:
//! each factor is within its own limit, but the product of two can be a gigabyte. Honest texts come
//! nowhere near these budgets. This file does not know which factors are multiplied.

use crate::limits::{LimitName, OverLimit};
use crate::lowering::Lowering;
use crate::policy::{Agent, counts_as};
use robomaton_formats::Condition;
use std::collections::HashMap;

/// Crawlers in all groups, counted once per group, and as several if their names are long.
const ADDRESSED: usize = 1 << 20;
/// Conditions in all distinct sets of them.
const CONDITIONS: usize = 1 << 18;
/// If a pattern is expanded from a definition, its rule counts once for every started block of this
/// many bytes; and once more for every whole block of its conditions and the name of its usage.
pub(super) const BYTES_OF_RULE: usize = 256;

/// The amounts spent so far.
#[derive(Default)]
pub(in crate::language) struct Spent {
    addressed: usize,
    conditions: usize,
    rules: usize,
    /// The bytes of each set of conditions, by its number in the policy.
    lengths: HashMap<u32, usize>,
}

impl Spent {
    /// Counts one more group that addresses these crawlers.
    pub(super) fn address(&mut self, crawlers: &[Agent<'_>], line: u32) -> Result<(), OverLimit> {
        let count = |agent: &Agent<'_>| match agent {
            Agent::Any => 1,
            Agent::Named(name) => counts_as(name),
        };
        self.addressed += crawlers.iter().map(count).sum::<usize>();
        hold(self.addressed, LimitName::Entries, ADDRESSED, line)
    }

    /// The index of a set of conditions in the policy plus one, as returned by
    /// [`Lowering::conditions`].
    pub(in crate::language) fn conditions(
        &mut self,
        conditions: Vec<Condition>,
        line: u32,
        lowering: &mut Lowering<'_, '_>,
    ) -> Result<u32, OverLimit> {
        let (known, count) = (lowering.policy.conditions.len(), conditions.len());
        let set = lowering.conditions(conditions, line)?;
        if lowering.policy.conditions.len() > known {
            self.conditions += count;
        }
        hold(self.conditions, LimitName::Conditions, CONDITIONS, line).map(|()| set)
    }

    /// Counts one more expanded rule with a pattern of `bytes` bytes.
    pub(in crate::language) fn rule(
        &mut self,
        bytes: usize,
        line: u32,
        lowering: &Lowering<'_, '_>,
    ) -> Result<(), OverLimit> {
        self.rules(bytes.div_ceil(BYTES_OF_RULE).max(1), line, lowering)
    }

    /// Counts the name of the usage of one more rule, and its conditions: a definition may give
    /// many rules a long name and many conditions.
    pub(super) fn details(
        &mut self,
        usage: u16,
        conditions: u32,
        line: u32,
        lowering: &Lowering<'_, '_>,
    ) -> Result<(), OverLimit> {
        let set = (conditions as usize).checked_sub(1).and_then(|at| lowering.policy.conditions.get(at));
        let written = || set.into_iter().flatten().map(|condition| condition.to_string().len());
        let bytes = *self.lengths.entry(conditions).or_insert_with(|| written().sum());
        let name = lowering.policy.usage_name(usage).len();
        self.rules((bytes + name) / BYTES_OF_RULE, line, lowering)
    }

    /// Counts so many more expanded rules, or names that are expanded.
    pub(super) fn rules(
        &mut self,
        count: usize,
        line: u32,
        lowering: &Lowering<'_, '_>,
    ) -> Result<(), OverLimit> {
        self.rules += count;
        hold(self.rules, LimitName::Rules, lowering.options.limits.rules, line)
    }
}

fn hold(spent: usize, limit: LimitName, allowed: usize, line: u32) -> Result<(), OverLimit> {
    if spent > allowed { Err(OverLimit { limit, allowed, line }) } else { Ok(()) }
}
