//! Third pass: tagged patterns → program.
//!
//! ```text
//!   rules ──▶ thin ──▶ split: literals and heads ──▶ trie ──▶ encode ──▶ bytes
//!                         └─▶ tails: segments ─────▶ trie ──┘
//! ```
//!
//! Small sets become lanes. The program of any other is two deterministic machines and a register. The first is a radix
//! trie over all literals and over the heads (what stands before a pattern's first star). The second finds the segments
//! between stars, in a trie that is read backwards, and moves tails on from step to step. The register keeps
//! the highest tag. With three rules,
//!
//! ```text
//!   Disallow: /a        tag 4       literals:  / ── a •4 ── b $ •9
//!   Allow: /ab$         tag 9                  └── (head 0)
//!   Disallow: /*.gif$   tag 14      segments:  fig. behind head 0: anchored •14
//! ```
//!
//! Size and time are linear in the patterns whatever they are, and nothing recurses on them: general
//! determinisation would be exponential. Invariant: equal sets of tagged patterns, in any order, give equal bytes.
//! It does not know what a tag means, beyond that the highest wins.

mod encode;
mod lanes;
mod tails;
mod thin;
mod trie;

pub use thin::thin;

use robomaton_formats::program::{self, Head, Tag, Weighing};
use robomaton_formats::{Notation, Pattern};
use std::borrow::Cow;
use std::ops::Range;

/// A pattern and the tag it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tagged<'r> {
    /// The canonical pattern.
    pub pattern: Pattern<'r>,
    /// Its tag.
    pub tag: Tag,
}

/// Bytes that the tries lead to, and what is found there.
#[derive(Clone, Debug, Default)]
struct Entry<'r> {
    bytes: Cow<'r, [u8]>,
    /// Tag of the pattern that is these bytes, 0 when none is.
    open: Tag,
    /// The same, anchored.
    anchored: Tag,
    /// A state, steps or a queue, encoded, as a range of a buffer that travels with the entries.
    extra: Range<usize>,
    /// Whether that is a queue.
    queued: bool,
}

/// Sorts rules and leaves one of each pattern, that of the highest tag.
pub fn normalise(rules: &mut Vec<Tagged<'_>>) {
    rules.sort_unstable();
    // Of one pattern in both senses, the last has the highest tag.
    rules.dedup_by(|later, kept| {
        let same = later.pattern == kept.pattern;
        if same {
            kept.tag = later.tag;
        }
        same
    });
}

/// Appends the program of these [normalised](normalise) rules, all of one notation, to `out`. Gives the depth of its
/// segments: how many nodes a walk may meet at one place of a target.
pub fn build(rules: &[Tagged<'_>], notation: Notation, weighing: Weighing, out: &mut Vec<u8>) -> usize {
    if lanes::build(rules, notation, weighing, out) {
        return 0;
    }
    build_tries(rules, notation, weighing, out)
}

/// The same in the form of tries, however small the set: what lanes are held against.
pub fn build_tries(rules: &[Tagged<'_>], notation: Notation, weighing: Weighing, out: &mut Vec<u8>) -> usize {
    let mut entries = Vec::with_capacity(rules.len());
    let mut tails = tails::Tails::default();
    for rule in rules {
        let parts = rule.pattern.parts();
        if parts.segments.is_empty() {
            let (open, anchored) = if parts.anchored { (0, rule.tag) } else { (rule.tag, 0) };
            entries.push(Entry { bytes: parts.head, open, anchored, ..Entry::default() });
        } else {
            tails.add(parts, rule.tag);
        }
    }
    if tails.is_empty() {
        out.push(Head::front(notation, weighing, false));
        encode::trie(&trie::Trie::new(merge(entries)), &[], false, out);
        return 0;
    }
    let machine = tails.finish();
    entries.extend(machine.heads);
    let (mut literals, mut segments) = (Vec::new(), Vec::new());
    encode::trie(&trie::Trie::new(merge(entries)), &machine.extras, false, &mut literals);
    let trie = trie::Trie::new(machine.segments);
    encode::trie(&trie, &machine.extras, true, &mut segments);
    out.push(Head::front(notation, weighing, true));
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

/// Sorts entries by their bytes and makes one of those that are equal.
fn merge(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    if !entries.is_sorted_by(|a, b| a.bytes < b.bytes) {
        entries.sort_by(|a, b| a.bytes.cmp(&b.bytes));
        entries.dedup_by(|later, kept| {
            let same = later.bytes == kept.bytes;
            if same {
                kept.open = kept.open.max(later.open);
                kept.anchored = kept.anchored.max(later.anchored);
                // Heads are distinct, so at most one of the two is one.
                if kept.extra.is_empty() {
                    kept.extra = later.extra.clone();
                }
            }
            same
        });
    }
    entries
}
