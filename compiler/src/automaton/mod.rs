//! Third pass: prioritized patterns → program.
//!
//! ```text
//!   rules ──▶ thin ──▶ split: literals and prefixes ──▶ trie ──▶ encode ──▶ bytes
//!                         └─▶ tails: segments ─────▶ trie ──┘
//! ```
//!
//! Small sets become packed programs, and so do the rules with stars of larger sets. The program of
//! any other set consists of two deterministic machines and a register. The first machine is a
//! radix trie over all literals and all prefixes (the bytes before a pattern's first star), of
//! which equal subtrees are stored once. The second finds the segments between stars in a trie that
//! is read backwards, and advances patterns step by step. The register keeps the highest priority.
//! With three rules,
//!
//! ```text
//!   Disallow: /a        priority 4       literals:  / ── a •4 ── b $ •9
//!   Allow: /ab$         priority 9                  └── (prefix 0)
//!   Disallow: /*.gif$   priority 14      segments:  fig. behind prefix 0: anchored •14
//! ```
//!
//! Size and time are linear in the patterns, and nothing recurses on them; general determinisation
//! would be exponential. Invariant: equal sets of prioritized patterns, in any order, give equal
//! bytes. This module does not know the meaning of a priority, except that the highest wins.

mod encode;
mod packed;
mod shared;
mod tails;
mod thin;
mod trie;

pub use thin::thin;

use robomaton_formats::program::packed::MAX_PACKED;
use robomaton_formats::program::{self, Header, Priority, Weighing};
use robomaton_formats::{Notation, Pattern};
use std::borrow::Cow;
use std::ops::Range;

/// A pattern and its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prioritized<'r> {
    /// The canonical pattern.
    pub pattern: Pattern<'r>,
    /// Its priority.
    pub priority: Priority,
}

/// A byte string in a trie, and the data stored at its end.
#[derive(Clone, Debug, Default)]
struct Entry<'r> {
    bytes: Cow<'r, [u8]>,
    /// Priority of the pattern equal to these bytes; 0 if there is none.
    open: Priority,
    /// Priority of the same pattern with an anchor.
    anchored: Priority,
    /// A state, steps or a queue, encoded, as a range of a buffer passed along with the entries.
    extra: Range<usize>,
    /// The extra data is a queue.
    queued: bool,
}

/// Sorts rules and keeps one for each pattern, with the highest priority.
pub fn normalise(rules: &mut Vec<Prioritized<'_>>) {
    rules.sort_unstable();
    // If a pattern occurs in both senses, the last one has the highest priority.
    rules.dedup_by(|later, kept| {
        let same = later.pattern == kept.pattern;
        if same {
            kept.priority = later.priority;
        }
        same
    });
}

/// Appends the program of these [normalised](normalise) rules, all of one notation, to `out`.
/// Returns the depth of its segments: the maximum number of nodes visited at one position of a
/// target.
pub fn build(rules: &[Prioritized<'_>], notation: Notation, weighing: Weighing, out: &mut Vec<u8>) -> usize {
    if packed::build(rules, notation, weighing, out) {
        return 0;
    }
    build_tries(rules, notation, weighing, out)
}

/// Takes the rules with stars out of a normalised set that is too large for a packed program, if
/// they fit into one by themselves, and appends that program to `out`. It and the other rules'
/// trie, asked one after the other, take less time than one program with tails. Returns false if
/// they do not fit; then nothing changes.
pub fn split_off_stars(
    rules: &mut Vec<Prioritized<'_>>,
    notation: Notation,
    weighing: Weighing,
    out: &mut Vec<u8>,
) -> bool {
    if rules.len() <= MAX_PACKED {
        return false;
    }
    // Most rules have no star, and none of their parts need to be looked at.
    let has_segments = |rule: &Prioritized<'_>| {
        !rule.pattern.is_literal() && rule.pattern.has_star() && !rule.pattern.parts().segments.is_empty()
    };
    let stars: Vec<_> = rules.iter().copied().filter(has_segments).take(MAX_PACKED + 1).collect();
    if stars.is_empty() || !packed::build(&stars, notation, weighing, out) {
        return false;
    }
    // Both are in the same order.
    let mut taken = stars.iter().peekable();
    rules.retain(|rule| taken.next_if_eq(&rule).is_none());
    true
}

/// Like [`build`], but always as tries. Packed programs are tested against these.
pub fn build_tries(
    rules: &[Prioritized<'_>],
    notation: Notation,
    weighing: Weighing,
    out: &mut Vec<u8>,
) -> usize {
    let mut entries = Vec::with_capacity(rules.len());
    let mut tails = tails::Tails::default();
    for rule in rules {
        let parts = rule.pattern.parts();
        if parts.segments.is_empty() {
            let (open, anchored) = if parts.anchored { (0, rule.priority) } else { (rule.priority, 0) };
            entries.push(Entry { bytes: parts.prefix, open, anchored, ..Entry::default() });
        } else {
            tails.add(parts, rule.priority);
        }
    }
    if tails.is_empty() {
        out.push(Header::front(notation, weighing, false));
        encode::trie(&trie::Trie::new(merge(entries)), &[], false, out);
        return 0;
    }
    let machine = tails.finish();
    entries.extend(machine.prefixes);
    let (mut literals, mut segments) = (Vec::new(), Vec::new());
    encode::trie(&trie::Trie::new(merge(entries)), &machine.extras, false, &mut literals);
    let trie = trie::Trie::new(machine.segments);
    encode::trie(&trie, &machine.extras, true, &mut segments);
    out.push(Header::front(notation, weighing, true));
    machine.filters.push(out);
    let lengths = [literals.len() as u32, segments.len() as u32];
    let counts = [machine.states, machine.queues, machine.steps, machine.highest];
    for number in counts.into_iter().chain(lengths) {
        program::push_varint(out, number);
    }
    out.extend_from_slice(&literals);
    out.extend_from_slice(&segments);
    out.extend_from_slice(&machine.lists);
    trie.depth()
}

/// Sorts entries by their bytes and merges equal ones.
fn merge(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    if !entries.is_sorted_by(|a, b| a.bytes < b.bytes) {
        entries.sort_by(|a, b| a.bytes.cmp(&b.bytes));
        entries.dedup_by(|later, kept| {
            let same = later.bytes == kept.bytes;
            if same {
                kept.open = kept.open.max(later.open);
                kept.anchored = kept.anchored.max(later.anchored);
                // Prefixes are distinct, so at most one of the two has extra data.
                if kept.extra.is_empty() {
                    kept.extra = later.extra.clone();
                }
            }
            same
        });
    }
    entries
}
