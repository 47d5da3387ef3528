//! Scopes: the order of ACAP fields by specificity instead of rank (SPEC.md section 6; V51).
//!
//! The distinct patterns of a document are numbered in the order END < `$` < `*` < literal bytes.
//! Pattern *a* is narrower than *b* if it comes later and the two first differ at a wildcard or the
//! end of *b*. If they differ at two literals, neither is narrower. So the patterns narrower than
//! *b* are a few runs of later numbers: at most one for each star of *b*, one for its `$` and one
//! for its end. A scope holds these runs and is linear in the patterns.
//!
//! ```text
//! scope := u32 patterns, u32 conventional, u32 priority_sets, u32 start × (patterns + 1), (u32 from, u32 to) × start[patterns],
//!          u32 pattern × conventional, u32 first × (priority_sets + 1), u32 priority × first[priority_sets]
//! ```
//! Patterns of one program that match the same targets (`/a` and `/a*`) share one place in it; a
//! *priority set* holds their priorities. A field's *key* is `2 × pattern + 1` if its usage is a
//! special form (`present-snippet`) and `2 × pattern` otherwise. This file does not know the syntax
//! of patterns.

use crate::int::small;
use crate::program::Priority;

/// The maximum number of patterns in a scope, so that sets of keys fit on the stack.
pub const MAX_PATTERNS: usize = 1 << 15;
/// The maximum number of conventional rules in a scope, so that sets of their numbers fit there
/// too.
pub const MAX_RULES: usize = 1 << 16;
/// The maximum number of priority sets in a scope, for the same reason.
pub const MAX_PRIORITY_SETS: usize = 1 << 16;

/// Bits of a scoped priority: the senses of the fields with one key in one program. This one is a
/// permission.
pub const PERMITS: Priority = 1;
/// A permission under conditions.
pub const PERMITS_IF: Priority = 2;
/// A prohibition.
pub const PROHIBITS: Priority = 4;

/// The priority that refers to a priority set; it has no sense of its own.
pub const fn set_priority(priority_set: u32) -> Priority {
    (priority_set + 1) << 3
}

/// The priority of the fields with this key: never 0, and never of rank 0.
pub const fn scoped_priority(key: u32, says: Priority) -> Priority {
    (key + 1) << 3 | says
}

/// The key and the sense bits of a scoped priority.
#[inline]
pub const fn read_priority(priority: Priority) -> (usize, Priority) {
    (((priority >> 3) as usize).wrapping_sub(1), priority & 7)
}

/// The scope of a document, before encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// For each pattern, the runs of narrower patterns: half-open, ascending.
    pub narrower: Vec<Vec<(u32, u32)>>,
    /// The patterns of the conventional rules, by rule number.
    pub conventional: Vec<u32>,
    /// The priorities in each priority set.
    pub priority_sets: Vec<Vec<Priority>>,
}

impl Scope {
    /// Appends the scope's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut push = |number: u32| out.extend_from_slice(&number.to_le_bytes());
        push(small(self.narrower.len()));
        push(small(self.conventional.len()));
        push(small(self.priority_sets.len()));
        starts(self.narrower.iter().map(Vec::len)).for_each(&mut push);
        self.narrower.iter().flatten().for_each(|&(from, to)| [from, to].into_iter().for_each(&mut push));
        self.conventional.iter().for_each(|&pattern| push(pattern));
        starts(self.priority_sets.iter().map(Vec::len)).for_each(&mut push);
        self.priority_sets.iter().flatten().for_each(|&priority| push(priority));
    }
}

/// The start of each of these runs of items, and the end of the last.
fn starts(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    let ends = lengths.scan(0, |end, length| {
        *end += small(length);
        Some(*end)
    });
    std::iter::once(0).chain(ends)
}

/// A scope, read in place.
#[derive(Clone, Copy, Debug)]
pub struct ScopeView<'i> {
    starts: &'i [[u8; 4]],
    runs: &'i [[u8; 8]],
    conventional: &'i [[u8; 4]],
    firsts: &'i [[u8; 4]],
    priorities: &'i [[u8; 4]],
}

impl<'i> ScopeView<'i> {
    /// Reads the scope at the start of `bytes`; `None` if it is damaged.
    pub fn read(bytes: &'i [u8]) -> Option<ScopeView<'i>> {
        let (counts, rest) = bytes.split_first_chunk::<12>()?;
        let [patterns, conventional, priority_sets] = *counts.as_chunks().0 else { return None };
        let [patterns, conventional, priority_sets] =
            [patterns, conventional, priority_sets].map(|n| u32::from_le_bytes(n) as usize);
        if patterns > MAX_PATTERNS || conventional > MAX_RULES || priority_sets > MAX_PRIORITY_SETS {
            return None;
        }
        let (starts, rest) = rest.split_at_checked((patterns + 1) * 4)?;
        let starts = starts.as_chunks().0;
        let runs = u32::from_le_bytes(*starts.last()?) as usize;
        let (runs, rest) = rest.split_at_checked(runs.checked_mul(8)?)?;
        let (conventional, rest) = rest.split_at_checked(conventional.checked_mul(4)?)?;
        let (firsts, rest) = rest.split_at_checked(priority_sets.checked_add(1)?.checked_mul(4)?)?;
        let firsts = firsts.as_chunks().0;
        let priorities = rest.get(..(u32::from_le_bytes(*firsts.last()?) as usize).checked_mul(4)?)?;
        let [conventional, priorities] = [conventional, priorities].map(|part| part.as_chunks().0);
        let runs = runs.as_chunks().0;
        Some(ScopeView { starts, runs, conventional, firsts, priorities })
    }

    /// The length of the scope at the start of `bytes`; `None` if it is damaged.
    pub fn length(bytes: &[u8]) -> Option<usize> {
        let end = ScopeView::read(bytes)?.priorities.as_ptr_range().end;
        end.addr().checked_sub(bytes.as_ptr().addr())
    }

    /// The number of patterns.
    pub fn patterns(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of conventional rules.
    pub fn conventional(&self) -> usize {
        self.conventional.len()
    }

    /// The number of priority sets.
    pub fn priority_sets(&self) -> usize {
        self.firsts.len() - 1
    }

    /// The runs of patterns that are narrower than this one; empty if no pattern has this number.
    #[inline]
    pub fn narrower(&self, pattern: usize) -> impl Iterator<Item = (usize, usize)> + use<'i> {
        let start = |at: usize| self.starts.get(at).map_or(0, |&start| u32::from_le_bytes(start) as usize);
        let runs = self.runs.get(start(pattern)..start(pattern + 1)).unwrap_or_default();
        runs.iter().map(|&[a, b, c, d, e, f, g, h]| {
            (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]) as usize)
        })
    }

    /// The pattern of a conventional rule.
    #[inline]
    pub fn pattern_of(&self, rule: usize) -> Option<usize> {
        self.conventional.get(rule).map(|&pattern| u32::from_le_bytes(pattern) as usize)
    }

    /// The priorities in a priority set; empty if no set has this number.
    #[inline]
    pub fn priority_set(&self, priority_set: usize) -> impl Iterator<Item = Priority> + use<'i> {
        let first = |at: usize| self.firsts.get(at).map_or(0, |&first| u32::from_le_bytes(first) as usize);
        let priorities =
            self.priorities.get(first(priority_set)..first(priority_set + 1)).unwrap_or_default();
        priorities.iter().map(|&priority| u32::from_le_bytes(priority))
    }

    /// True if runs ascend and lie after their pattern and inside the scope, all priorities in
    /// priority sets have a sense, and every run and priority belongs to something.
    pub fn is_whole(&self) -> bool {
        let ordered = |starts: &[[u8; 4]]| {
            starts.first() == Some(&[0; 4]) && starts.is_sorted_by_key(|&start| u32::from_le_bytes(start))
        };
        ordered(self.starts)
            && ordered(self.firsts)
            && self
                .priorities
                .iter()
                .all(|&priority| u32::from_le_bytes(priority) >= 8 && priority[0] & 7 != 0)
            && (0..self.patterns()).all(|pattern| {
                let mut end = pattern;
                self.narrower(pattern).all(|(from, to)| {
                    let fits = end < from + usize::from(end != pattern) && from < to && to <= self.patterns();
                    end = to;
                    fits
                })
            })
            && (0..self.conventional())
                .all(|rule| self.pattern_of(rule).is_some_and(|pattern| pattern < self.patterns()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_round_trip() {
        let narrower = vec![vec![(1, 2), (2, 4)], vec![(3, 4)], vec![], vec![]];
        let priority_sets = vec![vec![9, 17], vec![12]];
        let scope = Scope { narrower, conventional: vec![2, 0], priority_sets };
        let mut bytes = Vec::new();
        scope.encode(&mut bytes);
        let view = ScopeView::read(&bytes).unwrap();
        assert_eq!((view.patterns(), view.conventional()), (4, 2));
        for (pattern, runs) in scope.narrower.iter().enumerate() {
            let expected: Vec<_> = runs.iter().map(|&(a, b)| (a as usize, b as usize)).collect();
            assert_eq!(view.narrower(pattern).collect::<Vec<_>>(), expected);
        }
        assert_eq!(view.narrower(9).count(), 0);
        assert_eq!([view.pattern_of(0), view.pattern_of(1), view.pattern_of(2)], [Some(2), Some(0), None]);
        assert_eq!(
            [view.priority_set(0).collect::<Vec<_>>(), view.priority_set(1).collect()],
            [vec![9, 17], vec![12]]
        );
        assert_eq!(view.priority_set(2).count(), 0);
        assert!(view.is_whole());
        for length in 0..bytes.len() {
            assert!(ScopeView::read(&bytes[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn priorities_hold_key_and_bits() {
        assert_eq!(read_priority(scoped_priority(7, PERMITS | PROHIBITS)), (7, 5));
        assert!(scoped_priority(0, PERMITS) >= 2);
    }
}
