//! What a text has spent of what it may multiply: few bytes of it can stand for many of a policy.
//!
//! Crawlers times sub-records, usages times patterns, qualified usages times explicit qualifiers:
//! each factor is within a limit of its own, and the product of two is a gigabyte. Honest texts
//! come near none of these. It does not know what is multiplied by what.

use crate::limits::{LimitName, OverLimit};
use crate::lowering::Lowering;
use robomaton_formats::Condition;

/// Crawlers of all groups, each as often as groups address it.
const ADDRESSED: usize = 1 << 20;
/// Conditions of all different sets of them.
const CONDITIONS: usize = 1 << 18;
/// A rule counts once for each of these many bytes of its pattern that are begun, where a pattern
/// stands for several.
const BYTES_OF_RULE: usize = 256;

/// Counts of what may be multiplied.
#[derive(Default)]
pub(in crate::language) struct Spent {
    addressed: usize,
    conditions: usize,
    rules: usize,
}

impl Spent {
    /// One more group addresses that many crawlers.
    pub(super) fn address(&mut self, crawlers: usize, line: u32) -> Result<(), OverLimit> {
        self.addressed += crawlers;
        hold(self.addressed, LimitName::Entries, ADDRESSED, line)
    }

    /// The place of a set of conditions in the policy, plus one, as [`Lowering::conditions`] gives
    /// it.
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

    /// One more rule, whose pattern of that many bytes stands for others, too.
    pub(in crate::language) fn rule(
        &mut self,
        bytes: usize,
        line: u32,
        lowering: &Lowering<'_, '_>,
    ) -> Result<(), OverLimit> {
        self.rules += bytes.div_ceil(BYTES_OF_RULE).max(1);
        hold(self.rules, LimitName::Rules, lowering.options.limits.rules, line)
    }
}

fn hold(spent: usize, limit: LimitName, allowed: usize, line: u32) -> Result<(), OverLimit> {
    if spent > allowed { Err(OverLimit { limit, allowed, line }) } else { Ok(()) }
}
