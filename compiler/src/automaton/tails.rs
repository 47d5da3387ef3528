//! The second machine: what stands after the first star of each pattern.
//!
//! A pattern `head*s1*s2` is a chain: the head arms a slot, `s1` found after that arms the next, `s2` found after
//! that gives the tag. Patterns that begin alike share slots, so the chains of a head form a tree. Each edge of the
//! tree is a step: "this segment, if that slot is armed, gives a tag or arms a slot"; steps hang at their segment.
//! Linear in the segments. Patterns come in order, so slots are numbered the same way every time.

use super::Entry;
use robomaton_formats::pattern::Parts;
use robomaton_formats::program::{self, Filters, Step, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

/// The tails of a set of rules.
#[derive(Default)]
pub(super) struct Tails<'r> {
    rules: Vec<(Parts<'r>, Tag)>,
}

/// The second machine and its front.
pub(super) struct Machine<'r> {
    /// Heads, each arming its slot.
    pub(super) heads: Vec<Entry<'r>>,
    /// Segments in ascending order, each with its steps.
    pub(super) segments: Vec<Entry<'r>>,
    /// What the entries' `extra` ranges point into.
    pub(super) extras: Vec<u8>,
    pub(super) slots: u32,
    pub(super) highest: Tag,
    /// What lets the walk pass most places by.
    pub(super) filters: Filters,
}

impl<'r> Tails<'r> {
    pub(super) fn add(&mut self, parts: Parts<'r>, tag: Tag) {
        self.rules.push((parts, tag));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn finish(self) -> Machine<'r> {
        let highest = self.rules.iter().map(|&(_, tag)| tag).max().unwrap_or(0);
        let mut heads: Vec<Cow<'r, [u8]>> = self.rules.iter().map(|(parts, _)| parts.head.clone()).collect();
        heads.sort_unstable();
        heads.dedup();
        let mut segments: Vec<Cow<'r, [u8]>> =
            self.rules.iter().flat_map(|(parts, _)| parts.segments.iter().cloned()).collect();
        segments.sort_unstable();
        segments.dedup();

        let (mut steps, slots) = chains(&self.rules, &heads, &segments);
        steps.sort_by_key(|&(segment, step)| (segment, step.awaits));
        let mut extras = Vec::with_capacity(steps.len() * 4);
        let heads = heads
            .into_iter()
            .enumerate()
            .map(|(slot, octets)| {
                let start = extras.len();
                program::push_varint(&mut extras, slot as u32);
                Entry { octets, extra: start..extras.len(), ..Entry::default() }
            })
            .collect();
        let mut filters = Filters::default();
        segments.iter().for_each(|segment| filters.insert(segment));
        let mut steps = steps.into_iter().peekable();
        let segments = segments
            .into_iter()
            .enumerate()
            .map(|(number, octets)| {
                let start = extras.len();
                while let Some((_, mut step)) = steps.next_if(|&(segment, _)| segment == number) {
                    step.more = steps.peek().is_some_and(|&(next, _)| next == number);
                    step.push(&mut extras);
                }
                Entry { octets, extra: start..extras.len(), ..Entry::default() }
            })
            .collect();
        Machine { heads, segments, extras, slots, highest, filters }
    }
}

/// Every step with the number of its segment, and how many slots there are. The first slots are the heads'.
fn chains(
    rules: &[(Parts<'_>, Tag)],
    heads: &[Cow<'_, [u8]>],
    segments: &[Cow<'_, [u8]>],
) -> (Vec<(usize, Step)>, u32) {
    // Both lists are sorted and hold what is looked for.
    let place =
        |list: &[Cow<'_, [u8]>], octets: &Cow<'_, [u8]>| list.binary_search(octets).unwrap_or_default();
    let mut steps: Vec<(usize, Step)> = Vec::new();
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut slots = heads.len();
    for (parts, tag) in rules {
        let mut awaits = place(heads, &parts.head);
        for (at, segment) in parts.segments.iter().enumerate() {
            let segment = place(segments, segment);
            let number = *known.entry((awaits, segment)).or_insert_with(|| {
                steps.push((segment, Step { awaits, ..Step::default() }));
                steps.len() - 1
            });
            let step = &mut steps[number].1;
            if at + 1 < parts.segments.len() {
                awaits = *step.arms.get_or_insert_with(|| {
                    slots += 1;
                    slots - 1
                });
            } else if parts.anchored {
                step.anchored = step.anchored.max(*tag);
            } else {
                step.open = step.open.max(*tag);
            }
        }
    }
    (steps, slots as u32)
}
