//! The keys of matching fields, by sense, and how they outweigh one another.
//!
//! `scoped` puts the matches of one level into a [`Matched`] and asks it for the decision.
//! Invariant: a key that no scope has is damage and is ignored. It does not know levels, nor
//! patterns.

use crate::walk::Register;
use robomaton_formats::Decision;
use robomaton_formats::program::Priority;
use robomaton_formats::scope::{PERMITS, PERMITS_IF, PROHIBITS, ScopeView, read_priority};

/// A set of keys.
#[derive(Clone, Copy)]
pub(super) struct Keys<const N: usize>([u64; N]);

impl<const N: usize> Keys<N> {
    fn insert(&mut self, key: usize) {
        // A key that no scope has is damage and is ignored.
        if let Some(word) = self.0.get_mut(key / 64) {
            *word |= 1 << (key % 64);
        }
    }

    fn contains(&self, key: usize) -> bool {
        self.0.get(key / 64).is_some_and(|word| word >> (key % 64) & 1 == 1)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// True if the set contains a key in `from..to`.
    fn any_in(&self, from: usize, to: usize) -> bool {
        let words = self.0.iter().enumerate().take(to.div_ceil(64)).skip(from / 64);
        words.into_iter().any(|(at, &word)| {
            let low = word >> from.saturating_sub(at * 64).min(63) << from.saturating_sub(at * 64).min(63);
            let end = to - at * 64;
            let kept = if end >= 64 { low } else { low & ((1 << end) - 1) };
            kept != 0
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let keys = |(at, &word): (usize, &u64)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        };
        self.0.iter().enumerate().flat_map(keys)
    }

    /// The keys of both sets, the highest first.
    fn highest_of(&self, other: &Keys<N>) -> impl Iterator<Item = usize> {
        let keys = |(at, (one, other)): (usize, (&u64, &u64))| {
            let mut left = one | other;
            std::iter::from_fn(move || {
                let bit = left.checked_ilog2()? as usize;
                left ^= 1 << bit;
                Some(at * 64 + bit)
            })
        };
        self.0.iter().zip(&other.0).enumerate().rev().flat_map(keys)
    }
}

/// The keys of matching fields, by sense.
pub(super) struct Matched<'s, const N: usize> {
    scope: &'s ScopeView<'s>,
    permits: Keys<N>,
    permits_if: Keys<N>,
    prohibits: Keys<N>,
    /// The priority sets that were taken. A long one may be found at every byte of the target, and
    /// in every program of a list.
    taken: Keys<N>,
}

impl<const N: usize> Register for Matched<'_, N> {
    fn take(&mut self, priority: Priority) {
        match read_priority(priority) {
            // A priority without a rank is damage and is ignored.
            (usize::MAX, _) => {}
            (priority_set, 0) => {
                if !self.taken.contains(priority_set) {
                    self.taken.insert(priority_set);
                    let priorities = self.scope.priority_set(priority_set);
                    priorities.for_each(|priority| self.insert(read_priority(priority)));
                }
            }
            key => self.insert(key),
        }
    }

    fn is_settled(&self, _: Priority) -> bool {
        false
    }
}

impl<'s, const N: usize> Matched<'s, N> {
    pub(super) fn new(scope: &'s ScopeView<'s>) -> Matched<'s, N> {
        let none = Keys([0; N]);
        Matched { scope, permits: none, permits_if: none, prohibits: none, taken: none }
    }

    fn insert(&mut self, (key, says): (usize, Priority)) {
        let Matched { permits, permits_if, prohibits, .. } = self;
        for (bit, set) in [(PERMITS, permits), (PERMITS_IF, permits_if), (PROHIBITS, prohibits)] {
            if says & bit != 0 {
                set.insert(key);
            }
        }
    }

    /// Adds a conventional rule to the fields.
    pub(super) fn join(&mut self, key: usize, permits: bool) {
        if permits { self.permits.insert(key) } else { self.prohibits.insert(key) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.permits.is_empty() && self.permits_if.is_empty() && self.prohibits.is_empty()
    }

    pub(super) fn set(&self, says: Priority) -> &Keys<N> {
        match says {
            PERMITS => &self.permits,
            PERMITS_IF => &self.permits_if,
            _ => &self.prohibits,
        }
    }

    fn permits(&self, key: usize) -> bool {
        self.permits.contains(key) || self.permits_if.contains(key)
    }

    fn permits_in(&self, from: usize, to: usize) -> bool {
        self.permits.any_in(from, to) || self.permits_if.any_in(from, to)
    }

    /// True if a permission overrides the fields of this key: one with a narrower pattern, or one
    /// of a special usage on the same pattern.
    pub(super) fn is_beaten(&self, key: usize) -> bool {
        let mut narrower = self.scope.narrower(key / 2);
        let is_general = key & 1 == 0;
        is_general && self.permits(key + 1)
            || narrower.any(|(from, to)| self.permits_in(from.saturating_mul(2), to.saturating_mul(2)))
    }

    /// The combined decision of these fields; none if there are none.
    pub(super) fn decide(&self) -> Option<Decision> {
        if self.prohibits.iter().any(|key| !self.is_beaten(key)) {
            return Some(Decision::Disallowed);
        }
        if self.permits_if.iter().any(|key| !self.is_beaten(key)) {
            return Some(Decision::Conditional);
        }
        (!self.permits.is_empty()).then_some(Decision::Allowed)
    }

    /// Among conventional rules, whose keys are their numbers: the best one that no field
    /// contradicts on exactly the same pattern; true if it permits.
    pub(super) fn winner(&self, fields: &Matched<'_, N>) -> Option<(usize, bool)> {
        self.permits.highest_of(&self.prohibits).find_map(|rule| {
            let permits = self.permits.contains(rule);
            let key = self.scope.pattern_of(rule)?.checked_mul(2)?;
            let contradicted = if permits { fields.prohibits.contains(key) } else { fields.permits(key) };
            (!contradicted).then_some((rule, permits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_formats::scope::{Scope, scoped_priority, set_priority};

    #[test]
    fn damaged_tags_are_ignored() {
        let scope = [0; 20];
        let scope = ScopeView::read(&scope).unwrap();
        let mut matched = Matched::<4>::new(&scope);
        for priority in [0, 1, 7, 8, Priority::MAX, Priority::MAX - 7] {
            matched.take(priority);
        }
        assert!(matched.is_empty());
        matched.take(9);
        assert!(matched.permits(0));
    }

    /// As many priority sets as a scope may have, each as long as the scope has keys, would be too
    /// much to take twice.
    #[test]
    fn a_priority_set_is_taken_once() {
        let set: Vec<Priority> = (0..1 << 16).map(|key| scoped_priority(key, PERMITS)).collect();
        let scope = Scope { priority_sets: vec![set; 2], ..Scope::default() };
        let mut bytes = Vec::new();
        scope.encode(&mut bytes);
        let scope = ScopeView::read(&bytes).unwrap();
        let mut matched = Matched::<1025>::new(&scope);
        let begun = std::time::Instant::now();
        for number in 0..1 << 20 {
            matched.take(set_priority(number % 2));
        }
        assert!(matched.permits(0) && matched.permits((1 << 16) - 1) && !matched.permits(1 << 16));
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    #[test]
    fn ranges_of_keys() {
        let mut keys = Keys([0u64; 4]);
        for key in [0, 63, 64, 130, 255] {
            keys.insert(key);
        }
        keys.insert(256);
        for from in 0..256 {
            for to in from..=256 {
                let expected = (from..to).any(|key| [0, 63, 64, 130, 255].contains(&key));
                assert_eq!(keys.any_in(from, to), expected, "{from}..{to}");
            }
        }
        assert_eq!(keys.iter().collect::<Vec<_>>(), [0, 63, 64, 130, 255]);
        let other = Keys([1, 2, 0, 0]);
        assert_eq!(keys.highest_of(&other).collect::<Vec<_>>(), [255, 130, 65, 64, 63, 0]);
        assert!(keys.contains(130) && !keys.contains(131) && !keys.contains(1000));
    }
}
