//! Whether a program is well-formed (V14): called by `verify` for each program of an image.
//!
//! A program that passes is walked without meeting damage. Linear in the program, without recursion. What its rules
//! should have been is not known here.

use super::*;
use std::collections::{HashMap, HashSet};

/// Checks the program at the start of `bytes` node by node. `Err` holds the offset of the offending byte and
/// what is wrong with it. Linear in the program, without recursion.
pub fn check(bytes: &[u8]) -> Result<(), (usize, &'static str)> {
    if lanes::Lanes::is_at(bytes) {
        return lanes::check(bytes);
    }
    let head = Head::read(bytes).ok_or((0, "the front of a program is damaged"))?;
    let silence = bytes[0] & 0x60;
    if bytes[0] & 0x80 != 0 || silence > 0x20 || silence != 0 && head.weighing == Weighing::Scoped {
        return Err((0, "reserved bits in the front of a program"));
    }
    let mut check = Check { bytes, ..Check::default() };
    check.trie(head.literals, false)?;
    let Some(tails) = head.tails else {
        return if check.heads.is_empty() { Ok(()) } else { Err((0, "a head without tails")) };
    };
    check.trie(tails.root, true)?;
    check.filters(&tails)?;
    check.lists(&tails)?;
    check.counts(&tails)
}

#[derive(Default)]
struct Check<'p> {
    bytes: &'p [u8],
    /// Where the node before begins. Nodes stand in preorder, so that none is met twice.
    last: usize,
    /// The heads and their lengths.
    heads: HashMap<usize, usize>,
    /// The segments that end at a node, and their own lists.
    ends: HashSet<usize>,
    own: HashSet<usize>,
    found: Found,
}

/// What all steps say.
#[derive(Default)]
struct Found {
    steps: usize,
    highest: Tag,
    /// The heads and segments that are waited for, the lists that are armed.
    heads: HashSet<usize>,
    segments: HashSet<usize>,
    armed: HashSet<usize>,
}

impl Check<'_> {
    /// Checks the nodes below `root`, of literals or of segments.
    fn trie(&mut self, root: usize, segments: bool) -> Result<(), (usize, &'static str)> {
        let mut stack = vec![(root, 0)];
        while let Some((start, depth)) = stack.pop() {
            let cut = || (start, "a node runs past the end of the programs");
            if start <= self.last {
                return Err((start, "a node stands before the one that it follows"));
            }
            self.last = start;
            let mut at = start;
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            if segments && (flags & 0xF != 0 || start == root && flags & NODE_EXTRA != 0) {
                return Err((start, "a node of segments has a tag of its own, or its root is one"));
            }
            for tag in [flags & 3, flags >> 2 & 3] {
                if tag == TAG_EXPLICIT && varint(self.bytes, &mut at).ok_or_else(cut)? < 2 {
                    return Err((start, "a tag of rank 0"));
                }
            }
            if flags & NODE_EXTRA != 0 {
                let number = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                let is_new = match segments {
                    false => self.heads.insert(number, depth).is_none(),
                    true => self.ends.insert(number),
                };
                if !is_new {
                    return Err((start, "a head or a segment ends at two nodes"));
                }
                if segments {
                    let list = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                    if list != 0 && !self.own.insert(list - 1) {
                        return Err((start, "two segments have one list"));
                    }
                }
            }
            if flags >> 5 > CHILDREN_4 {
                return Err((start, "the form of a table of children is unknown"));
            }
            let table = Children::read(self.bytes, flags >> 5, at).ok_or_else(cut)?;
            let octets = table.octets(self.bytes).ok_or_else(cut)?;
            if !octets.is_sorted_by(|a, b| a < b) {
                return Err((start, "the octets of children are not in order"));
            }
            for child in (0..table.count).rev() {
                let mut at = table.child(self.bytes, child).ok_or_else(cut)?;
                let rest = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                let node = at.checked_add(rest).filter(|&node| node < self.bytes.len());
                stack.push((node.ok_or_else(cut)?, depth + 1 + rest));
            }
        }
        Ok(())
    }

    /// Reads a step, wherever it stands, and moves past it.
    fn step(&mut self, at: &mut usize) -> Result<Step, (usize, &'static str)> {
        let start = *at;
        let step = Step::read(self.bytes, at).ok_or((start, "a step runs past the end of the programs"))?;
        let stated = [(STEP_OPEN, step.open), (STEP_ANCHORED, step.anchored)];
        if stated.iter().any(|&(flag, tag)| self.bytes[start] & flag != 0 && tag < 2) {
            return Err((start, "a tag of rank 0"));
        }
        if step.arms.is_some_and(|list| !self.found.armed.insert(list)) {
            return Err((start, "a step arms a list that is armed already"));
        }
        self.found.steps += 1;
        self.found.highest = self.found.highest.max(step.open).max(step.anchored);
        Ok(step)
    }

    /// The lists lie end to end behind the segments. Only one that stands before may be armed, so none leads to itself.
    /// Segments' own lists wait for heads, the shorter first, the others for segments.
    fn lists(&mut self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let (mut at, mut starts) = (tails.lists, HashSet::new());
        while self.found.steps < tails.steps {
            let own = at - tails.lists;
            let (is_own, mut shortest) = (self.own.contains(&own), 0);
            starts.insert(own);
            loop {
                let start = at;
                let step = self.step(&mut at)?;
                if step.arms.is_some_and(|list| list >= own) {
                    return Err((start, "a step arms a list that does not stand before its own"));
                }
                if is_own {
                    let length = self.heads.get(&step.waits).copied();
                    let length =
                        length.ok_or((start, "a step waits for a head that the program does not have"))?;
                    if length < shortest {
                        return Err((
                            start,
                            "the steps of a segment are not in the order of their heads' lengths",
                        ));
                    }
                    shortest = length;
                    self.found.heads.insert(step.waits);
                } else {
                    self.found.segments.insert(step.waits);
                }
                if !step.more {
                    break;
                }
            }
        }
        if starts.len() == self.own.len() + self.found.armed.len()
            && starts.is_superset(&self.own)
            && starts.is_superset(&self.found.armed)
        {
            Ok(())
        } else {
            Err((tails.lists, "the lists are not those of segments and those that are armed"))
        }
    }

    /// The front tells of everything how much there is.
    fn counts(&self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let Found { steps, highest, heads, segments, .. } = &self.found;
        let all =
            |set: &HashSet<usize>, count| set.len() == count && set.iter().all(|&number| number < count);
        if *steps != tails.steps || *highest != tails.highest {
            return Err((0, "the number of steps or their highest tag is another one"));
        }
        if self.heads.len() != tails.heads || !all(heads, tails.heads) {
            return Err((0, "the heads are not those that steps wait for"));
        }
        if !all(&self.ends, tails.segments) || !segments.is_subset(&self.ends) {
            return Err((0, "the segments are not those that the front counts"));
        }
        Ok(())
    }

    /// The filters let every segment through: they are those of the segments' last two octets, which the upper
    /// part of the trie gives.
    fn filters(&self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let cut = || (tails.root, "a node runs past the end of the programs");
        let mut filters = Filters::default();
        let mut stack = vec![(tails.root, [0; 2], 0)];
        while let Some((mut at, mut end, depth)) = stack.pop() {
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            if flags & NODE_EXTRA != 0 {
                filters.insert(&end[2 - depth..]);
                varint(self.bytes, &mut at).and_then(|_| varint(self.bytes, &mut at)).ok_or_else(cut)?;
            }
            let children = Children::read(self.bytes, flags >> 5, at).ok_or_else(cut)?;
            for (number, &octet) in children.octets(self.bytes).ok_or_else(cut)?.iter().enumerate() {
                let mut at = children.child(self.bytes, number).ok_or_else(cut)?;
                let rest = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                let label = self.bytes.get(at..at + rest).ok_or_else(cut)?;
                let mut reached = depth;
                for &octet in std::iter::once(&octet).chain(label.iter().rev()).take(2 - depth) {
                    reached += 1;
                    end[2 - reached] = octet;
                }
                if reached == 2 {
                    filters.insert(&end);
                } else {
                    stack.push((at + rest, end, reached));
                }
            }
        }
        if filters == (Filters { last: tails.last, before: tails.before, single: tails.single }) {
            Ok(())
        } else {
            Err((0, "the filters are not those of the segments"))
        }
    }
}
