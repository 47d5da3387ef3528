//! The check that a program is well-formed (I14). `verify` calls it for each program of an image.
//!
//! Walking a program that passes never meets damage. The check is linear in the program and does
//! not recurse. It does not know the rules that the program was built from.

use super::*;
use std::collections::{BTreeSet, HashSet};

/// Checks the program at the start of `bytes` node by node, and returns its length. Linear in the
/// program, without recursion.
///
/// # Errors
/// The offset of the offending byte, and what is wrong.
pub fn check(bytes: &[u8]) -> Result<usize, (usize, &'static str)> {
    if packed::Packed::is_at(bytes) {
        return packed::check(bytes);
    }
    let header = Header::read(bytes).ok_or((0, "the front of a program is damaged"))?;
    let front = bytes.first().copied().unwrap_or_default();
    let silence = front & FRONT_SILENCE;
    if front & 0x80 != 0 || silence > 0x20 || silence != 0 && header.weighing == Weighing::Scoped {
        return Err((0, "reserved bits in the front of a program"));
    }
    let mut check = Check { bytes, end: header.literals, ..Check::default() };
    check.trie(header.literals, false)?;
    let Some(tails) = header.tails else {
        return if check.prefixes == 0 { Ok(check.end) } else { Err((0, "a prefix without tails")) };
    };
    check.trie(tails.root, true)?;
    check.filters(&tails)?;
    check.lists(&tails)?;
    check.counts(&tails)?;
    Ok(check.end)
}

#[derive(Default)]
struct Check<'p> {
    bytes: &'p [u8],
    /// The end of what was read.
    end: usize,
    /// The numbers of prefixes, and the segments that have queues.
    prefixes: usize,
    queues: HashSet<usize>,
    found: Found,
}

/// Facts collected from all prefixes and steps.
#[derive(Default)]
struct Found {
    steps: usize,
    highest: Priority,
    /// The states and queues for which steps wait.
    awaited: HashSet<usize>,
    queued: HashSet<usize>,
    /// The numbers and lists of the states that are reached.
    states: HashSet<usize>,
    lists: HashSet<usize>,
}

impl Check<'_> {
    /// Checks the nodes below `root`, in the trie of literals or of segments. Offsets only lead
    /// forward and nodes stand end to end, so each is visited once, in order, even if several nodes
    /// have it as a child.
    fn trie(&mut self, root: usize, segments: bool) -> Result<(), (usize, &'static str)> {
        let mut ahead = BTreeSet::from([root]);
        while let Some(start) = ahead.pop_first() {
            let cut = || (start, "a node runs past the end of the programs");
            if start != self.end {
                return Err((start, "a node does not begin where the one before ends"));
            }
            let mut at = start;
            if start != root {
                let rest = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                at = at.checked_add(rest).ok_or_else(cut)?;
            }
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            let ends = flags & NODE_EXTRA != 0;
            if segments && (flags & 0xE != 0 || flags & NODE_QUEUE != 0 && !ends || start == root && ends) {
                return Err((
                    start,
                    "a node of segments has a priority or an idle queue, or its root is one",
                ));
            }
            match (segments, ends) {
                (false, _) => self.literal(&mut at, flags, start)?,
                (true, true) if flags & NODE_QUEUE != 0 => {
                    if !self.queues.insert(varint(self.bytes, &mut at).ok_or_else(cut)? as usize) {
                        return Err((start, "two segments have one queue"));
                    }
                }
                (true, true) => self.own_steps(&mut at)?,
                (true, false) => {}
            }
            if flags >> 5 > CHILDREN_4 {
                return Err((start, "the form of a table of children is unknown"));
            }
            let table = Children::read(self.bytes, flags >> 5, at).ok_or_else(cut)?;
            let bytes = table.bytes(self.bytes).ok_or_else(cut)?;
            if !bytes.is_sorted_by(|a, b| a < b) {
                return Err((start, "the bytes of children are not in order"));
            }
            self.end = table.end();
            for number in 0..table.count {
                let child = table.child(self.bytes, number).ok_or_else(cut)?;
                if segments && number == 0 && child != self.end {
                    return Err((start, "the first child does not stand behind its table"));
                }
                if !ahead.insert(child) && segments {
                    return Err((start, "two nodes of segments have one child"));
                }
            }
        }
        Ok(())
    }

    /// Reads the priorities and the state of a literal node and moves past them.
    fn literal(&mut self, at: &mut usize, flags: u8, start: usize) -> Result<(), (usize, &'static str)> {
        let cut = || (start, "a node runs past the end of the programs");
        for priority in [flags & 3, flags >> 2 & 3] {
            if priority == PRIORITY_EXPLICIT && varint(self.bytes, at).ok_or_else(cut)? < 2 {
                return Err((start, "a priority of rank 0"));
            }
        }
        if flags & NODE_EXTRA != 0 {
            self.prefixes += 1;
            let state = State::read(self.bytes, at).ok_or_else(cut)?;
            if state == State::default() {
                return Err((start, "no step leads on from a prefix"));
            }
            self.reach(state, start)?;
        }
        Ok(())
    }

    /// Records that a prefix or a step leads to a state. Each state has only one.
    fn reach(&mut self, state: State, start: usize) -> Result<(), (usize, &'static str)> {
        let State { number, list } = state;
        if number.is_some_and(|number| !self.found.states.insert(number))
            || list.is_some_and(|list| !self.found.lists.insert(list))
        {
            return Err((start, "two prefixes or steps lead to one state"));
        }
        Ok(())
    }

    /// Reads a step from either place and moves past it.
    fn step(&mut self, at: &mut usize) -> Result<Step, (usize, &'static str)> {
        let start = *at;
        let step = Step::read(self.bytes, at).ok_or((start, "a step runs past the end of the programs"))?;
        let stated = [(STEP_OPEN, step.open), (STEP_ANCHORED, step.anchored)];
        let flags = self.bytes.get(start).copied().unwrap_or_default();
        if stated.iter().any(|&(flag, priority)| flags & flag != 0 && priority < 2) {
            return Err((start, "a priority of rank 0"));
        }
        self.reach(step.leads, start)?;
        self.found.steps += 1;
        self.found.highest = self.found.highest.max(step.open).max(step.anchored);
        Ok(step)
    }

    /// Checks the steps of a rare segment. They may be taken repeatedly, so a state that one leads
    /// to must have a number.
    fn own_steps(&mut self, at: &mut usize) -> Result<(), (usize, &'static str)> {
        loop {
            let start = *at;
            let step = self.step(at)?;
            if step.leads.list.is_some() && step.leads.number.is_none() {
                return Err((start, "a step of a rare segment leads to a state without a number"));
            }
            self.found.awaited.insert(step.waits);
            if !step.more {
                return Ok(());
            }
        }
    }

    /// Checks the lists, which are stored one after the other behind the segments. A step leads
    /// only to a list before its own, so none leads to itself.
    fn lists(&mut self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let (mut at, mut starts) = (tails.lists, HashSet::new());
        if at != self.end {
            return Err((at, "the lists do not begin where the segments end"));
        }
        while self.found.steps < tails.steps {
            let own = at - tails.lists;
            starts.insert(own);
            loop {
                let start = at;
                let step = self.step(&mut at)?;
                if step.leads.list.is_some_and(|list| list >= own) {
                    return Err((start, "a step leads to a list that does not stand before its own"));
                }
                self.found.queued.insert(step.waits);
                if !step.more {
                    break;
                }
            }
        }
        self.end = at;
        let all = starts == self.found.lists;
        if all { Ok(()) } else { Err((tails.lists, "the lists are not those of the states")) }
    }

    /// Compares the counts in the header with the contents.
    fn counts(&self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let Found { steps, highest, awaited, queued, states, .. } = &self.found;
        let all =
            |set: &HashSet<usize>, count| set.len() == count && set.iter().all(|&number| number < count);
        if *steps != tails.steps || *highest != tails.highest {
            return Err((0, "the number of steps or their highest priority is another one"));
        }
        if !all(states, tails.states) || !awaited.is_subset(states) {
            return Err((0, "the states are not those that the front counts"));
        }
        if !all(&self.queues, tails.queues) || *queued != self.queues {
            return Err((0, "the queues are not those that steps wait in"));
        }
        Ok(())
    }

    /// Checks that the filters admit every segment: they must be those of the segments' last two
    /// bytes, which the upper part of the trie gives.
    fn filters(&self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let cut = || (tails.root, "a node runs past the end of the programs");
        let mut filters = Filters::default();
        let mut stack = vec![(tails.root, [0; 2], 0)];
        while let Some((mut at, mut end, depth)) = stack.pop() {
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            if flags & NODE_EXTRA != 0 {
                filters.insert(end.get(2 - depth..).unwrap_or_default());
                skip_end(self.bytes, flags, &mut at).ok_or_else(cut)?;
            }
            let children = Children::read(self.bytes, flags >> 5, at).ok_or_else(cut)?;
            for (number, &byte) in children.bytes(self.bytes).ok_or_else(cut)?.iter().enumerate() {
                let mut at = children.child(self.bytes, number).ok_or_else(cut)?;
                let rest = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                let label = self.bytes.get(at..at + rest).ok_or_else(cut)?;
                let mut reached = depth;
                let before = std::iter::once(&byte).chain(label.iter().rev());
                for (place, &byte) in end.iter_mut().take(2 - depth).rev().zip(before) {
                    *place = byte;
                    reached += 1;
                }
                if reached == 2 {
                    filters.insert(&end);
                } else {
                    stack.push((at + rest, end, reached));
                }
            }
        }
        let mut wanted = Vec::new();
        filters.push(&mut wanted);
        if self.bytes.get(1..).is_some_and(|front| front.starts_with(&wanted)) {
            Ok(())
        } else {
            Err((0, "the filters are not those of the segments"))
        }
    }
}

/// Moves past a node's data about the segment that ends there.
fn skip_end(bytes: &[u8], flags: u8, at: &mut usize) -> Option<()> {
    if flags & NODE_QUEUE != 0 {
        return varint(bytes, at).map(|_| ());
    }
    while Step::read(bytes, at)?.more {}
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Notation;

    /// Literals in which both children of each node are one: 61 nodes, 2^60 paths. Returns also the
    /// offset of the first of their tables' offsets.
    fn doubled() -> (Vec<u8>, usize) {
        let front = Header::front(Notation::Rep, Weighing::Ranked(Silence::Allowed), false);
        let mut program = vec![front, CHILDREN_ONE << 5, b'/'];
        for _ in 0..60 {
            program.extend([0, CHILDREN_1 << 5, 1, b'a', b'b', 0, 0]);
        }
        program.extend([0, PRIORITY_PROHIBIT]);
        (program, 8)
    }

    /// The check of a program with [`PADDING`] behind it.
    fn checked(program: &[u8]) -> Result<usize, &'static str> {
        check(&[program, &[0; PADDING]].concat()).map_err(|(_, what)| what)
    }

    #[test]
    fn shared_children_are_visited_once() {
        let (mut program, offsets) = doubled();
        assert_eq!(checked(&program), Ok(program.len()));
        // A child inside another's label or table, or behind it.
        let elsewhere = "a node does not begin where the one before ends";
        for (first, second) in [(0, 1), (0, 6), (1, 1), (7, 7), (0, 255)] {
            program[offsets..offsets + 2].copy_from_slice(&[first, second]);
            assert_eq!(checked(&program), Err(elsewhere), "{first} {second}");
        }
        // A child that another node leads to as well, seven bytes further.
        program[offsets..offsets + 2].copy_from_slice(&[0, 7]);
        assert_eq!(checked(&program), Ok(program.len()));
        program[offsets..offsets + 2].copy_from_slice(&[7, 0]);
        assert_eq!(checked(&program), Ok(program.len()));
    }
}
