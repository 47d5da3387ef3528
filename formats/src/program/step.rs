//! States and steps: how patterns advance after their first star (SPEC.md section 6, "Tries").
//!
//! Steps are stored at the nodes of rare segments and in the lists of states, in the same encoding.
//! The place decides what a step waits for; this file does not know the place.

use super::{Priority, push_varint, varint};
use crate::int::{byte, small};

/// Step: a priority for the pattern that ends with this segment.
pub const STEP_OPEN: u8 = 1;
/// Step: a priority for the anchored pattern that ends with this segment.
pub const STEP_ANCHORED: u8 = 2;
/// Step: it leads to a state with a number.
pub const STEP_STATE: u8 = 4;
/// Step: it leads to a state with a list.
pub const STEP_LIST: u8 = 8;
/// Step: another one follows.
pub const STEP_MORE: u8 = 16;
/// Step: the number that it waits for does not fit into three bits and follows as a varint.
pub const STEP_FAR: u8 = 7;

/// A state of a pattern, as programs refer to it. It has a number, a list or both; otherwise the
/// pattern would end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Its number, if a rare segment waits for it, or a step of a rare segment leads to it.
    pub number: Option<usize>,
    /// The list of its steps by frequent segments.
    pub list: Option<usize>,
}

impl State {
    /// Reads the state of a prefix and moves past it.
    #[inline]
    pub fn read(bytes: &[u8], at: &mut usize) -> Option<State> {
        let number = (varint(bytes, at)? as usize).checked_sub(1);
        let list = (varint(bytes, at)? as usize).checked_sub(1);
        Some(State { number, list })
    }

    /// Appends the state of a prefix.
    pub fn push(&self, out: &mut Vec<u8>) {
        [self.number, self.list]
            .into_iter()
            .for_each(|part| push_varint(out, part.map_or(0, |n| small(n) + 1)));
    }
}

/// The effect of finding a segment after a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The number of the state (at a rare segment), or of the segment's queue (in a list).
    pub waits: usize,
    /// Priority of the rule that ends with this segment; 0 if there is none.
    pub open: Priority,
    /// Priority of the anchored rule that ends with this segment, valid if the target ends there
    /// too; 0 if there is none.
    pub anchored: Priority,
    /// The state reached at the end of the segment.
    pub leads: State,
    /// Another step follows.
    pub more: bool,
}

impl Step {
    /// Reads a step and moves past it.
    #[inline(always)]
    pub fn read(bytes: &[u8], at: &mut usize) -> Option<Step> {
        let flags = *bytes.get(*at)?;
        *at += 1;
        let waits = match flags >> 5 {
            STEP_FAR => varint(bytes, at)? as usize,
            near => usize::from(near),
        };
        let open = if flags & STEP_OPEN != 0 { varint(bytes, at)? } else { 0 };
        let anchored = if flags & STEP_ANCHORED != 0 { varint(bytes, at)? } else { 0 };
        let number = if flags & STEP_STATE != 0 { Some(varint(bytes, at)? as usize) } else { None };
        let list = if flags & STEP_LIST != 0 { Some(varint(bytes, at)? as usize) } else { None };
        let leads = State { number, list };
        Some(Step { waits, open, anchored, leads, more: flags & STEP_MORE != 0 })
    }

    /// Appends the step.
    pub fn push(&self, out: &mut Vec<u8>) {
        let near = self.waits < usize::from(STEP_FAR);
        let State { number, list } = self.leads;
        let flags = [
            (STEP_OPEN, self.open != 0),
            (STEP_ANCHORED, self.anchored != 0),
            (STEP_STATE, number.is_some()),
            (STEP_LIST, list.is_some()),
            (STEP_MORE, self.more),
        ];
        let waits = if near { byte(self.waits) } else { STEP_FAR } << 5;
        out.push(flags.into_iter().filter(|flag| flag.1).fold(waits, |flags, (flag, _)| flags | flag));
        let far = (!near).then_some(small(self.waits));
        let priorities = [self.open, self.anchored].into_iter().filter(|&priority| priority != 0);
        let leads = [number, list].into_iter().flatten().map(small);
        far.into_iter().chain(priorities).chain(leads).for_each(|n| push_varint(out, n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_round_trip() {
        for waits in [0, 6, 7, 300] {
            for bits in 0..32u8 {
                let step = Step {
                    waits,
                    open: Priority::from(bits & 1) * 77,
                    anchored: Priority::from(bits & 2) * 200,
                    leads: State {
                        number: (bits & 4 != 0).then_some(9),
                        list: (bits & 8 != 0).then_some(300),
                    },
                    more: bits & 16 != 0,
                };
                let mut out = Vec::new();
                step.push(&mut out);
                assert_eq!(Step::read(&out, &mut 0), Some(step));
            }
        }
    }
}
