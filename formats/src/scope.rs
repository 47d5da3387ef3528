//! Scopes: which fields beat which, where narrowness and not a rank decides (SPEC.md section 6; V51).
//!
//! The distinct patterns of a document, ordered as texts with END < `$` < `*` < literal bytes, have numbers. Pattern
//! *a* is narrower than *b* when it stands later and the two part at a wildcard or the end of *b*: where two
//! literals part, neither is narrower. So what is narrower than *b* are a few runs of later numbers, at most one for
//! each star of *b*, one for its `$` and one for its end. A scope holds these runs: linear in the patterns.
//!
//! ```text
//! scope := u32 patterns, u32 conventional, u32 bundles, u32 start × (patterns + 1), (u32 from, u32 to) × start[patterns],
//!          u32 pattern × conventional, u32 first × (bundles + 1), u32 tag × first[bundles]
//! ```
//! Patterns of one program that match alike (`/a` and `/a*`) lead to one place in it; a *bundle* holds their tags.
//! A field's *key* is `2 × pattern + 1` when its usage is a special one (`present-snippet`) and `2 × pattern` when it
//! is not. It does not know what a pattern looks like.

use crate::program::Tag;

/// A scope has at most this many patterns, so that sets of keys fit a stack.
pub const MAX_PATTERNS: usize = 1 << 15;
/// A scope has at most this many conventional rules, so that sets of their numbers fit the same.
pub const MAX_RULES: usize = 1 << 16;

/// Bits of a scoped tag: what the fields of one key and program say.
pub const PERMITS: Tag = 1;
/// A permission under conditions.
pub const PERMITS_IF: Tag = 2;
/// A prohibition.
pub const PROHIBITS: Tag = 4;

/// The tag of a bundle: it says nothing itself.
pub const fn bundle_tag(bundle: u32) -> Tag {
    (bundle + 1) << 3
}

/// The tag of the fields that have this key: never 0 nor of rank 0.
pub const fn scoped_tag(key: u32, says: Tag) -> Tag {
    (key + 1) << 3 | says
}

/// The key and the bits of a scoped tag.
#[inline]
pub const fn read_tag(tag: Tag) -> (usize, Tag) {
    (((tag >> 3) as usize).wrapping_sub(1), tag & 7)
}

/// The scope of a document as the compiler gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// For each pattern, the runs of narrower ones: half-open, ascending.
    pub narrower: Vec<Vec<(u32, u32)>>,
    /// The patterns of the conventional rules, by number of the rule.
    pub conventional: Vec<u32>,
    /// The tags of each bundle.
    pub bundles: Vec<Vec<Tag>>,
}

impl Scope {
    /// Appends the scope's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut push = |number: u32| out.extend_from_slice(&number.to_le_bytes());
        push(self.narrower.len() as u32);
        push(self.conventional.len() as u32);
        push(self.bundles.len() as u32);
        starts(self.narrower.iter().map(Vec::len)).for_each(&mut push);
        self.narrower.iter().flatten().for_each(|&(from, to)| [from, to].into_iter().for_each(&mut push));
        self.conventional.iter().for_each(|&pattern| push(pattern));
        starts(self.bundles.iter().map(Vec::len)).for_each(&mut push);
        self.bundles.iter().flatten().for_each(|&tag| push(tag));
    }
}

/// Where each of these runs of items begins, and where the last ends.
fn starts(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends)
}

/// A scope in place.
#[derive(Clone, Copy, Debug)]
pub struct ScopeView<'i> {
    starts: &'i [[u8; 4]],
    runs: &'i [[u8; 8]],
    conventional: &'i [[u8; 4]],
    firsts: &'i [[u8; 4]],
    tags: &'i [[u8; 4]],
}

impl<'i> ScopeView<'i> {
    /// Reads the scope at the start of `bytes`; `None` when it is damaged.
    pub fn read(bytes: &'i [u8]) -> Option<ScopeView<'i>> {
        let (counts, rest) = bytes.split_first_chunk::<12>()?;
        let [patterns, conventional, bundles] = *counts.as_chunks().0 else { return None };
        let [patterns, conventional, bundles] =
            [patterns, conventional, bundles].map(|n| u32::from_le_bytes(n) as usize);
        if patterns > MAX_PATTERNS || conventional > MAX_RULES {
            return None;
        }
        let (starts, rest) = rest.split_at_checked((patterns + 1) * 4)?;
        let starts = starts.as_chunks().0;
        let runs = u32::from_le_bytes(*starts.last()?) as usize;
        let (runs, rest) = rest.split_at_checked(runs.checked_mul(8)?)?;
        let (conventional, rest) = rest.split_at_checked(conventional.checked_mul(4)?)?;
        let (firsts, rest) = rest.split_at_checked(bundles.checked_add(1)?.checked_mul(4)?)?;
        let firsts = firsts.as_chunks().0;
        let tags = rest.get(..(u32::from_le_bytes(*firsts.last()?) as usize).checked_mul(4)?)?;
        let [conventional, tags] = [conventional, tags].map(|part| part.as_chunks().0);
        let runs = runs.as_chunks().0;
        Some(ScopeView { starts, runs, conventional, firsts, tags })
    }

    /// How many patterns.
    pub fn patterns(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many conventional rules.
    pub fn conventional(&self) -> usize {
        self.conventional.len()
    }

    /// The runs of patterns that are narrower than this one; none for a number that is no pattern's.
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

    /// The tags of a bundle; none for a number that is no bundle's.
    #[inline]
    pub fn bundle(&self, bundle: usize) -> impl Iterator<Item = Tag> + use<'i> {
        let first = |at: usize| self.firsts.get(at).map_or(0, |&first| u32::from_le_bytes(first) as usize);
        let tags = self.tags.get(first(bundle)..first(bundle + 1)).unwrap_or_default();
        tags.iter().map(|&tag| u32::from_le_bytes(tag))
    }

    /// Whether the runs ascend, lie after their pattern and inside the scope, and the tags of bundles say something; no
    /// run and no tag belongs to nothing.
    pub fn is_whole(&self) -> bool {
        let ordered = |starts: &[[u8; 4]]| {
            starts.first() == Some(&[0; 4]) && starts.is_sorted_by_key(|&start| u32::from_le_bytes(start))
        };
        ordered(self.starts)
            && ordered(self.firsts)
            && self.tags.iter().all(|&tag| u32::from_le_bytes(tag) >= 8 && tag[0] & 7 != 0)
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
        let bundles = vec![vec![9, 17], vec![12]];
        let scope = Scope { narrower, conventional: vec![2, 0], bundles };
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
        assert_eq!([view.bundle(0).collect::<Vec<_>>(), view.bundle(1).collect()], [vec![9, 17], vec![12]]);
        assert_eq!(view.bundle(2).count(), 0);
        assert!(view.is_whole());
        for length in 0..bytes.len() {
            assert!(ScopeView::read(&bytes[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn tags_hold_key_and_bits() {
        assert_eq!(read_tag(scoped_tag(7, PERMITS | PROHIBITS)), (7, 5));
        assert!(scoped_tag(0, PERMITS) >= 2);
    }
}
