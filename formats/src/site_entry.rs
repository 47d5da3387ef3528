//! The entry of a site: the number in its bucket that says what answers for it (SPEC.md section 4).
//!
//! Most sites say one thing to all crawlers and of crawling alone; theirs is a program, and nothing
//! else is read. What became of a fetch that gave no rules is said in the entry itself. Everything
//! else has a policy (`policy`). It does not know what an outcome means to who asks.

use crate::reference::{PolicyAt, ProgramAt};
use crate::site::Outcome;

/// What answers for a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteEntry {
    /// The ranked program that all crawlers have, for crawling; no other usage is spoken of.
    Program(ProgramAt),
    /// A policy.
    Policy(PolicyAt),
    /// There are no rules.
    NoRules(NoRules),
}

/// What became of a fetch that gave no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoRules {
    /// Any outcome but [`Outcome::Rules`].
    pub outcome: Outcome,
    /// The HTTP status of the capture, 0 when there was none.
    pub status: u16,
}

/// Bits of a site entry: what kind it is of.
const KIND: u32 = 3 << 30;
const POLICY: u32 = 2 << 30;
const NO_RULES: u32 = 3 << 30;
/// Where the outcome stands, above the status.
const OUTCOME: u32 = 16;

/// Offsets of policies are below this.
pub const POLICIES_END: usize = 1 << 30;

impl SiteEntry {
    /// The entry in a bucket; `None` when it is none.
    #[inline]
    pub fn from_raw(raw: u32) -> Option<SiteEntry> {
        match raw & KIND {
            POLICY => Some(SiteEntry::Policy(PolicyAt::new(raw & !KIND))),
            NO_RULES => {
                let outcome = u8::try_from((raw & !KIND) >> OUTCOME).ok()?;
                NoRules::read(outcome, raw as u16).map(SiteEntry::NoRules)
            }
            _ => Some(SiteEntry::Program(ProgramAt::new(raw))),
        }
    }

    /// What stands in a bucket.
    pub fn to_raw(self) -> u32 {
        match self {
            SiteEntry::Program(at) => at.get(),
            SiteEntry::Policy(at) => POLICY | at.get(),
            SiteEntry::NoRules(NoRules { outcome, status }) => {
                NO_RULES | (outcome as u32) << OUTCOME | u32::from(status)
            }
        }
    }
}

impl NoRules {
    /// From the number of an outcome; `None` when it is unknown, or that of rules.
    #[inline]
    pub fn read(outcome: u8, status: u16) -> Option<NoRules> {
        let outcome = Outcome::from_u8(outcome).filter(|&outcome| outcome != Outcome::Rules)?;
        Some(NoRules { outcome, status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let no_rules = Outcome::ALL[1..].iter().flat_map(|&outcome| {
            [0, 404, u16::MAX].map(|status| SiteEntry::NoRules(NoRules { outcome, status }))
        });
        let offsets = [0, 7, POLICIES_END as u32 - 1];
        let programs = offsets.into_iter().chain([i32::MAX as u32]);
        let programs = programs.map(|at| SiteEntry::Program(ProgramAt::new(at)));
        let policies = offsets.map(|at| SiteEntry::Policy(PolicyAt::new(at)));
        for entry in no_rules.chain(programs).chain(policies) {
            assert_eq!(SiteEntry::from_raw(entry.to_raw()), Some(entry));
        }
    }

    #[test]
    fn what_is_no_entry() {
        for raw in [NO_RULES, NO_RULES | 9 << 16, NO_RULES | 1 << 20, NO_RULES | 1 << 29, u32::MAX] {
            assert_eq!(SiteEntry::from_raw(raw), None, "{raw:#x}");
        }
    }
}
