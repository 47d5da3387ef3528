//! The bytes of a compressed stream that are in doubt.
//!
//! `check` finds them; `window` and `tar` say then which records and files are. Invariants: ranges
//! are ascending, and at most [`MAX_RANGES`]: of more, what is between counts as damaged, too.

use std::ops::Range;

/// The maximum number of ranges.
const MAX_RANGES: usize = 1 << 16;

/// Ranges of a decompressed stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage(Vec<Range<u64>>);

impl Damage {
    /// All of a stream.
    pub(crate) fn everywhere() -> Damage {
        Damage(std::iter::once(0..u64::MAX).collect())
    }

    /// Adds a range behind the others.
    pub(crate) fn add(&mut self, range: Range<u64>) {
        let is_full = self.0.len() == MAX_RANGES;
        match self.0.last_mut().filter(|last| is_full || last.end == range.start) {
            Some(last) => last.end = range.end,
            None => self.0.push(range),
        }
    }

    /// True if a byte of this range is in doubt.
    pub(crate) fn meets(&self, range: &Range<u64>) -> bool {
        let next = self.0.partition_point(|damaged| damaged.end <= range.start);
        self.0.get(next).is_some_and(|damaged| damaged.start < range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let mut damage = Damage::default();
        (0..3).for_each(|number| damage.add(10 * number..10 * number + 5));
        for (range, expected) in
            [(0..1, true), (5..10, false), (5..11, true), (24..25, true), (25..99, false)]
        {
            assert_eq!(damage.meets(&range), expected, "{range:?}");
        }
        assert!(Damage::everywhere().meets(&(7..8)));
        (3..MAX_RANGES as u64 + 3).for_each(|number| damage.add(10 * number..10 * number + 5));
        assert_eq!(damage.0.len(), MAX_RANGES);
        let last = 10 * (MAX_RANGES as u64 + 2);
        assert!(damage.meets(&(last..last + 1)));
    }
}
