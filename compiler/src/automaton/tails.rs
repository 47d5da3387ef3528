//! The second machine: the part of each pattern after its first star.
//!
//! A pattern `prefix*s1*s2` is a chain of states: its prefix, then `s1` found after it, then `s2`
//! found after that, which gives the priority. Patterns with a common beginning share states, so
//! the patterns of a prefix form a tree, and each edge of the tree is a step. A step waits in one
//! of two ways, depending only on its segment. A *rare* segment has few steps. They are stored at
//! its node and name the states that they wait for, so reaching a state from which hundreds of
//! steps lead on costs nothing. A *frequent* segment has a queue. Its steps are stored in the lists
//! of states, so it costs only the steps whose state was reached. Linear in the segments. Patterns
//! come in order, so the numbering is deterministic.

use super::Entry;
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::pattern::Parts;
use robomaton_formats::program::{self, Filters, Priority, State, Step};
use std::borrow::Cow;
use std::cmp::Reverse;

/// The maximum number of steps stored at the nodes of segments that are suffixes of one another. A
/// walk may visit all of them at each position of a target.
const FEW: usize = 8;

/// The parts after the first star of a set of rules.
#[derive(Default)]
pub(super) struct Tails<'r> {
    rules: Vec<(Parts<'r>, Priority)>,
}

/// The second machine and its header data.
pub(super) struct Machine<'r> {
    /// Prefixes, each with its state.
    pub(super) prefixes: Vec<Entry<'r>>,
    /// Segments read from the end, in ascending order, each with its steps or the number of its
    /// queue.
    pub(super) segments: Vec<Entry<'r>>,
    /// The buffer for the entries' `extra` ranges.
    pub(super) extras: Vec<u8>,
    /// The lists, encoded.
    pub(super) lists: Vec<u8>,
    /// The number of states with numbers.
    pub(super) states: u32,
    /// The number of segments with queues.
    pub(super) queues: u32,
    pub(super) steps: u32,
    pub(super) highest: Priority,
    /// The filters that let the walk skip most positions.
    pub(super) filters: Filters,
}

/// A step, before the way it waits is decided.
#[derive(Default)]
struct Edge {
    from: usize,
    segment: usize,
    open: Priority,
    anchored: Priority,
    /// The next state.
    to: Option<usize>,
}

impl<'r> Tails<'r> {
    pub(super) fn add(&mut self, parts: Parts<'r>, priority: Priority) {
        self.rules.push((parts, priority));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn finish(self) -> Machine<'r> {
        let highest = self.rules.iter().map(|&(_, priority)| priority).max().unwrap_or(0);
        let mut prefixes: Vec<Cow<'r, [u8]>> =
            self.rules.iter().map(|(parts, _)| parts.prefix.clone()).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let mut segments: Vec<&[u8]> =
            self.rules.iter().flat_map(|(parts, _)| parts.segments.iter().map(AsRef::as_ref)).collect();
        segments.sort_unstable_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
        segments.dedup();
        let mut filters = Filters::default();
        segments.iter().for_each(|segment| filters.insert(segment));

        let (mut edges, count) = edges(&self.rules, &prefixes, &segments);
        let steps = edges.len() as u32;
        let queues = queues(&edges, &segments);
        let (mut states, numbers) = number_states(&edges, &queues, count);
        // Group the steps by segment.
        edges.sort_by_key(|edge| (edge.segment, edge.from));
        let lists = lists(&edges, &queues, &mut states);

        let mut extras = Vec::with_capacity(2 * prefixes.len() + 4 * segments.len());
        let mut entry = |bytes, queued, write: &dyn Fn(&mut Vec<u8>)| {
            let start = extras.len();
            write(&mut extras);
            Entry { bytes, extra: start..extras.len(), queued, ..Entry::default() }
        };
        let prefixes = prefixes.into_iter().zip(&states);
        let prefixes = prefixes.map(|(prefix, state)| entry(prefix, false, &|out| state.push(out))).collect();
        let own = edges.chunk_by(|a, b| a.segment == b.segment);
        let segments = segments.iter().zip(own).zip(&queues).map(|((segment, own), &queue)| {
            let bytes = segment.iter().rev().copied().collect();
            entry(bytes, queue.is_some(), &|out| match queue {
                Some(queue) => program::push_varint(out, queue),
                None => write_steps(own, out, &states, |edge| {
                    states[edge.from].number.expect("a state that a rare segment waits for has a number")
                }),
            })
        });
        let segments = segments.collect();
        let queues = queues.iter().flatten().count() as u32;
        Machine { prefixes, segments, extras, lists, states: numbers, queues, steps, highest, filters }
    }
}

/// The steps in the order of the patterns, and the number of states, beginning with the prefixes.
fn edges(
    rules: &[(Parts<'_>, Priority)],
    prefixes: &[Cow<'_, [u8]>],
    segments: &[&[u8]],
) -> (Vec<Edge>, usize) {
    let mut edges: Vec<Edge> = Vec::new();
    let mut states = prefixes.len();
    // The index of an edge, by its source state and segment.
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    for (parts, priority) in rules {
        let mut from = prefixes.binary_search(&parts.prefix).expect("the prefixes are those of the rules");
        for (at, bytes) in parts.segments.iter().enumerate() {
            let order = |segment: &&[u8]| segment.iter().rev().cmp(bytes.iter().rev());
            let segment = segments.binary_search_by(order).expect("the segments are those of the rules");
            let place = *known.entry((from, segment)).or_insert_with(|| {
                edges.push(Edge { from, segment, ..Edge::default() });
                edges.len() - 1
            });
            let edge = &mut edges[place];
            if at + 1 == parts.segments.len() {
                let priorities = if parts.anchored { &mut edge.anchored } else { &mut edge.open };
                *priorities = (*priorities).max(*priority);
            } else {
                from = *edge.to.get_or_insert_with(|| {
                    states += 1;
                    states - 1
                });
            }
        }
    }
    (edges, states)
}

/// The number of each segment's queue, if it has one. The other segments have at most [`FEW`]
/// steps, counted together with the segments that are their suffixes.
fn queues<'s>(edges: &[Edge], segments: &[&'s [u8]]) -> Vec<Option<u32>> {
    let mut steps = vec![0; segments.len()];
    edges.iter().for_each(|edge| steps[edge.segment] += 1);
    let mut next = 0..;
    // The suffixes of the previous segment, and the number of steps stored at them and at all
    // shorter ones.
    let mut ends: Vec<(&'s [u8], usize)> = Vec::new();
    let number = |(segment, steps): (&'s [u8], usize)| {
        // In reversed order, a segment comes after its suffixes.
        while ends.last().is_some_and(|(end, _)| !segment.ends_with(end)) {
            ends.pop();
        }
        let before = ends.last().map_or(0, |end| end.1);
        let is_rare = before + steps <= FEW;
        ends.push((segment, if is_rare { before + steps } else { before }));
        if is_rare { None } else { next.next() }
    };
    segments.iter().copied().zip(steps).map(number).collect()
}

/// The states, and the count of numbered ones. A state gets a number if rare segments wait for it
/// or lead to it.
fn number_states(edges: &[Edge], queues: &[Option<u32>], count: usize) -> (Vec<State>, u32) {
    let mut numbered = vec![false; count];
    for edge in edges.iter().filter(|edge| queues[edge.segment].is_none()) {
        numbered[edge.from] = true;
        edge.to.into_iter().for_each(|to| numbered[to] = true);
    }
    let mut next = 0;
    let state = |numbered: bool| {
        next += u32::from(numbered);
        State { number: numbered.then(|| next as usize - 1), list: None }
    };
    (numbered.into_iter().map(state).collect(), next)
}

/// The encoded lists; each state's `list` is set to its offset. The last state's list comes first,
/// so that a step knows the offset of the list that it leads to.
fn lists(edges: &[Edge], queues: &[Option<u32>], states: &mut [State]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut waiting: Vec<&Edge> = edges.iter().filter(|edge| queues[edge.segment].is_some()).collect();
    waiting.sort_by_key(|edge| Reverse(edge.from));
    for list in waiting.chunk_by(|a, b| a.from == b.from) {
        states[list[0].from].list = Some(out.len());
        write_steps(list.iter().copied(), &mut out, states, |edge| {
            queues[edge.segment].expect("only steps of segments with queues wait here") as usize
        });
    }
    out
}

/// Appends steps. All but the last are marked as followed by another.
fn write_steps<'e>(
    edges: impl IntoIterator<Item = &'e Edge>,
    out: &mut Vec<u8>,
    states: &[State],
    waits: impl Fn(&Edge) -> usize,
) {
    let mut edges = edges.into_iter().peekable();
    while let Some(edge) = edges.next() {
        let leads = edge.to.map_or(State::default(), |to| states[to]);
        let &Edge { open, anchored, .. } = edge;
        Step { waits: waits(edge), open, anchored, leads, more: edges.peek().is_some() }.push(out);
    }
}
