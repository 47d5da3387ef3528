//! Site entries: the word in a bucket that refers to a site's rules (SPEC.md section 4).
//!
//! Most sites have the same rules for all crawlers, for crawling only. Their entry refers to a
//! program, and nothing else is read. If a fetch gave no rules, the entry itself holds the outcome.
//! All other sites have a policy (`policy`). This file does not know the meaning of an outcome for
//! a verdict.

use crate::reference::{PolicyAt, ProgramAt};
use crate::site::Outcome;

/// The rules of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteEntry {
    /// The ranked program for all crawlers, for crawling; the site mentions no other usage.
    Program(ProgramAt),
    /// A policy.
    Policy(PolicyAt),
    /// There are no rules.
    NoRules(NoRules),
}

/// The outcome of a fetch that gave no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoRules {
    /// Any outcome but [`Outcome::Rules`].
    pub outcome: Outcome,
    /// The HTTP status of the capture, 0 when there was none.
    pub status: u16,
}

/// Bits of a site entry: its kind.
const KIND: u32 = 3 << 30;
const POLICY: u32 = 2 << 30;
const NO_RULES: u32 = 3 << 30;
/// The position of the outcome, above the status.
const OUTCOME: u32 = 16;

/// The upper limit for offsets of policies.
pub const POLICIES_END: usize = 1 << 30;

impl SiteEntry {
    /// Decodes the word in a bucket; `None` if it is invalid.
    #[inline]
    pub fn from_raw(raw: u32) -> Option<SiteEntry> {
        match raw & KIND {
            POLICY => Some(SiteEntry::Policy(PolicyAt::new(raw & !KIND))),
            NO_RULES => {
                let outcome = u8::try_from((raw & !KIND) >> OUTCOME).ok()?;
                NoRules::read(outcome, u16::try_from(raw & 0xFFFF).ok()?).map(SiteEntry::NoRules)
            }
            _ => Some(SiteEntry::Program(ProgramAt::new(raw))),
        }
    }

    /// The encoded word in a bucket.
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
    /// Decodes an outcome; `None` if its number is unknown, or means that there are rules.
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
