//! Whether a program is well-formed (V14): called by `verify` for each program of an image.
//!
//! A program that passes is walked without meeting damage. Linear in the program, without recursion. What its rules
//! should have been is not known here.

use super::*;

/// Checks the program at the start of `bytes` node by node. `Err` holds the offset of the offending byte and
/// what is wrong with it. Linear in the program, without recursion.
pub fn check(bytes: &[u8]) -> Result<(), (usize, &'static str)> {
    let head = Head::read(bytes).ok_or((0, "the front of a program is damaged"))?;
    let silence = bytes[0] & 0x60;
    if bytes[0] & 0x80 != 0 || silence > 0x20 || silence != 0 && head.weighing == Weighing::Scoped {
        return Err((0, "reserved bits in the front of a program"));
    }
    let mut check = Check { bytes, slots: head.tails.map_or(0, |tails| tails.slots), last: 0, highest: 0 };
    check.trie(head.literals, false)?;
    if let Some(tails) = head.tails {
        check.highest = 0;
        check.trie(tails.segments, true)?;
        if check.highest != tails.highest {
            return Err((0, "the highest tag of the tails is another one"));
        }
        check.filters(&tails)?;
    }
    Ok(())
}

struct Check<'p> {
    bytes: &'p [u8],
    slots: usize,
    /// Where the node before begins. Nodes stand in preorder, so that none is met twice.
    last: usize,
    /// The highest tag of the steps so far.
    highest: Tag,
}

impl Check<'_> {
    /// Checks the nodes below `root`, of literals or of segments.
    fn trie(&mut self, root: usize, segments: bool) -> Result<(), (usize, &'static str)> {
        let mut stack = vec![root];
        while let Some(start) = stack.pop() {
            let cut = || (start, "a node runs past the end of the programs");
            if start <= self.last {
                return Err((start, "a node stands before the one that it follows"));
            }
            self.last = start;
            let mut at = start;
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            if segments && (flags & 0xF != 0 || start == root && flags & NODE_EXTRA != 0) {
                return Err((start, "a node of segments has a tag of its own, or its root has steps"));
            }
            for tag in [flags & 3, flags >> 2 & 3] {
                if tag == TAG_EXPLICIT && varint(self.bytes, &mut at).ok_or_else(cut)? < 2 {
                    return Err((start, "a tag of rank 0"));
                }
            }
            match (flags & NODE_EXTRA != 0, segments) {
                (false, _) => {}
                (true, true) => self.steps(&mut at)?,
                (true, false) => {
                    if varint(self.bytes, &mut at).ok_or_else(cut)? as usize >= self.slots {
                        return Err((start, "a node arms a slot that the program does not have"));
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
                stack.push(node.ok_or_else(cut)?);
            }
        }
        Ok(())
    }

    fn steps(&mut self, at: &mut usize) -> Result<(), (usize, &'static str)> {
        loop {
            let start = *at;
            let step =
                Step::read(self.bytes, at).ok_or((start, "a step runs past the end of the programs"))?;
            if step.awaits >= self.slots || step.arms.is_some_and(|slot| slot >= self.slots) {
                return Err((start, "a step names a slot that the program does not have"));
            }
            let stated = [(STEP_OPEN, step.open), (STEP_ANCHORED, step.anchored)];
            if stated.iter().any(|&(flag, tag)| self.bytes[start] & flag != 0 && tag < 2) {
                return Err((start, "a tag of rank 0"));
            }
            self.highest = self.highest.max(step.open).max(step.anchored);
            if !step.more {
                return Ok(());
            }
        }
    }

    /// The filters let every segment through: they are those of the segments' first two octets, which the upper
    /// part of the trie gives.
    fn filters(&self, tails: &Tails) -> Result<(), (usize, &'static str)> {
        let cut = || (tails.segments, "a node runs past the end of the programs");
        let mut filters = Filters::default();
        let mut stack = vec![(tails.segments, [0; 2], 0)];
        while let Some((mut at, mut front, depth)) = stack.pop() {
            let flags = *self.bytes.get(at).ok_or_else(cut)?;
            at += 1;
            if flags & NODE_EXTRA != 0 && depth > 0 {
                filters.insert(&front[..depth]);
                self.steps_end(&mut at).ok_or_else(cut)?;
            }
            let children = Children::read(self.bytes, flags >> 5, at).ok_or_else(cut)?;
            for (number, &octet) in children.octets(self.bytes).ok_or_else(cut)?.iter().enumerate() {
                let mut at = children.child(self.bytes, number).ok_or_else(cut)?;
                let rest = varint(self.bytes, &mut at).ok_or_else(cut)? as usize;
                let label = self.bytes.get(at..at + rest).ok_or_else(cut)?;
                let mut reached = depth;
                for &octet in std::iter::once(&octet).chain(label).take(2 - depth) {
                    front[reached] = octet;
                    reached += 1;
                }
                if reached == 2 {
                    filters.insert(&front);
                } else {
                    stack.push((at + rest, front, reached));
                }
            }
        }
        if filters == (Filters { first: tails.first, second: tails.second, single: tails.single }) {
            Ok(())
        } else {
            Err((0, "the filters are not those of the segments"))
        }
    }

    /// Moves past the steps of a node.
    fn steps_end(&self, at: &mut usize) -> Option<()> {
        while Step::read(self.bytes, at)?.more {}
        Some(())
    }
}
