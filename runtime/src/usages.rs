//! A small set of usages, by which a question passes over those that nothing speaks of.
//!
//! `preference` and `scoped` note the usages of their lists once for a question. Invariant: the set
//! may seem to have a usage that was not added, but has every one that was. It does not know what
//! is said about them.

use robomaton_formats::UsageId;

/// A set of usages; those with large numbers count as one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usages(u64);

impl Usages {
    /// All usages.
    pub(crate) const ALL: Usages = Usages(u64::MAX);

    /// The set with these usages added.
    #[inline]
    pub(crate) fn with(self, usages: impl Iterator<Item = UsageId>) -> Usages {
        Usages(usages.fold(self.0, |bits, usage| bits | bit(usage)))
    }

    /// True if the set may have a usage.
    #[inline]
    pub(crate) fn may_have(self, usage: UsageId) -> bool {
        self.0 & bit(usage) != 0
    }
}

#[inline]
fn bit(usage: UsageId) -> u64 {
    1 << usage.get().min(63)
}
