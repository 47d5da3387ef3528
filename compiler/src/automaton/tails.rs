//! The second machine: what stands after the first star of each pattern.
//!
//! A pattern `head*s1*s2` is a chain: `s1` found behind the head arms a list in which `s2` stands; `s2` found after that
//! gives the tag. Patterns that begin alike share lists, so those of a head form a tree. Each edge of it is a step. The
//! first ones, which wait for heads, stand in a list of their segment. Linear in the segments. Patterns come in order, so everything is numbered the same way every time.

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
    /// Heads, each with its number.
    pub(super) heads: Vec<Entry<'r>>,
    /// Segments read from the end, in ascending order, each with its number and its list.
    pub(super) segments: Vec<Entry<'r>>,
    /// What the entries' `extra` ranges point into.
    pub(super) extras: Vec<u8>,
    /// The lists, encoded.
    pub(super) lists: Vec<u8>,
    pub(super) steps: u32,
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
        let mut segments: Vec<&[u8]> =
            self.rules.iter().flat_map(|(parts, _)| parts.segments.iter().map(AsRef::as_ref)).collect();
        segments.sort_unstable_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
        segments.dedup();
        let mut filters = Filters::default();
        segments.iter().for_each(|segment| filters.insert(segment));

        let (mut lists, of_segments) = lists(&self.rules, &heads, &segments);
        for list in of_segments.iter().flatten() {
            lists[*list].sort_by_key(|step| (heads[step.waits].len(), step.waits));
        }
        let (lists, offsets, steps) = encode(&lists);
        let mut extras = Vec::with_capacity(heads.len() + 4 * segments.len());
        let mut entry = |octets, numbers: &[u32]| {
            let start = extras.len();
            numbers.iter().for_each(|&number| program::push_varint(&mut extras, number));
            Entry { octets, extra: start..extras.len(), ..Entry::default() }
        };
        let heads = (0..).zip(heads).map(|(number, head)| entry(head, &[number])).collect();
        let backward = |(number, (segment, list)): (u32, (&&[u8], Option<usize>))| {
            let list = list.map_or(0, |list| offsets[list] + 1);
            entry(segment.iter().rev().copied().collect(), &[number, list])
        };
        let segments = (0..).zip(segments.iter().zip(of_segments)).map(backward).collect();
        Machine { heads, segments, extras, lists, steps, highest, filters }
    }
}

/// The lists of steps, a step naming the list that it arms by its number, and the number of each segment's own. A list stands
/// behind the one that leads to it.
fn lists(
    rules: &[(Parts<'_>, Tag)],
    heads: &[Cow<'_, [u8]>],
    segments: &[&[u8]],
) -> (Vec<Vec<Step>>, Vec<Option<usize>>) {
    let mut lists: Vec<Vec<Step>> = Vec::new();
    let mut of_segments = vec![None; segments.len()];
    // The place of a step by its list and what it waits for.
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let fresh = |lists: &mut Vec<Vec<Step>>| {
        lists.push(Vec::new());
        lists.len() - 1
    };
    for (parts, tag) in rules {
        // What is looked for is there.
        let head = heads.binary_search(&parts.head).unwrap_or_default();
        let mut list = None;
        for (at, octets) in parts.segments.iter().enumerate() {
            let order = |segment: &&[u8]| segment.iter().rev().cmp(octets.iter().rev());
            let segment = segments.binary_search_by(order).unwrap_or_default();
            let (own, waits) = match list {
                None => (*of_segments[segment].get_or_insert_with(|| fresh(&mut lists)), head),
                Some(list) => (list, segment),
            };
            let place = *known.entry((own, waits)).or_insert_with(|| {
                lists[own].push(Step { waits, ..Step::default() });
                lists[own].len() - 1
            });
            let step = &mut lists[own][place];
            if at + 1 == parts.segments.len() {
                let tags = if parts.anchored { &mut step.anchored } else { &mut step.open };
                *tags = (*tags).max(*tag);
            } else if step.arms.is_some() {
                list = step.arms;
            } else {
                let armed = fresh(&mut lists);
                lists[own][place].arms = Some(armed);
                list = Some(armed);
            }
        }
    }
    (lists, of_segments)
}

/// The lists as bytes, where each of them begins, and the number of steps. The last list comes first, so that a step
/// knows where the one is that it arms.
fn encode(lists: &[Vec<Step>]) -> (Vec<u8>, Vec<u32>, u32) {
    let mut out = Vec::new();
    let mut offsets = vec![0; lists.len()];
    for (number, list) in lists.iter().enumerate().rev() {
        offsets[number] = out.len() as u32;
        for (place, step) in list.iter().enumerate() {
            let arms = step.arms.map(|list| offsets[list] as usize);
            Step { arms, more: place + 1 < list.len(), ..*step }.push(&mut out);
        }
    }
    (out, offsets, lists.iter().map(Vec::len).sum::<usize>() as u32)
}
