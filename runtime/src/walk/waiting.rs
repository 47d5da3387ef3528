//! The states that a walk has reached, and the steps that wait for segments.
//!
//! The walk reports reached states and found segments with their positions; this module decides
//! which steps follow. Invariants: a state is reached once; a step enters one of the two lines of a
//! frequent segment's queue once and leaves it once, in the order of positions; the walk provides
//! all memory. It does not know how segments are found.

use super::Register;
use arrayvec::ArrayVec;
use robomaton_formats::int::{short, small};
use robomaton_formats::program::{State, Step};
use std::ops::Range;

/// A waiting step, and the next one in its queue (plus one).
#[derive(Clone, Copy)]
pub(super) struct Waiter {
    /// The offset of the step in the program.
    step: u32,
    /// The first position at which its segment may begin.
    from: u32,
    next: u16,
}

/// The steps that wait for one segment. All prefixes are reached before any segment, and may end
/// behind it, so the steps after prefixes and those after segments stand in lines of their own: the
/// positions ascend in each of the two.
#[derive(Clone, Copy, Default)]
pub(super) struct Queue {
    after_prefix: Line,
    after_segment: Line,
    /// The last anchored one, plus one; it links to those before it.
    anchored: u16,
}

impl Queue {
    #[inline(always)]
    fn line(&mut self, after: After) -> &mut Line {
        match after {
            After::Prefix => &mut self.after_prefix,
            After::Segment => &mut self.after_segment,
        }
    }
}

/// The first and the last waiter of a line, plus one.
#[derive(Clone, Copy, Default)]
struct Line {
    first: u16,
    last: u16,
}

/// The kind of step that leads to a state. It decides in which line the steps after it wait.
#[derive(Clone, Copy)]
pub(super) enum After {
    Prefix,
    Segment,
}

/// The reached states, and the steps that wait for segments.
pub(super) struct Waiting<'w, const N: usize> {
    pub(super) program: &'w [u8],
    /// The offset of the lists in the program.
    pub(super) lists: usize,
    /// Length of the target in bytes, less than 2³².
    pub(super) length: usize,
    /// The position at which each numbered state was reached.
    pub(super) reached: &'w mut [u32],
    pub(super) queues: &'w mut [Queue],
    /// Steps that were put into queues.
    pub(super) waiters: &'w mut ArrayVec<Waiter, N>,
    /// Steps with an anchored priority, which they may yield after other steps.
    pub(super) anchored: &'w mut ArrayVec<Waiter, N>,
}

/// No position.
pub(super) const NEVER: u32 = u32::MAX;

impl<const N: usize> Waiting<'_, N> {
    /// Takes the steps at the node of a rare segment that was found; moves past them.
    #[inline]
    pub(super) fn at_node<R: Register>(
        &mut self,
        at: &mut usize,
        found: Range<usize>,
        register: &mut R,
    ) -> Option<()> {
        loop {
            let step = Step::read(self.program, at)?;
            if *self.reached.get(step.waits)? <= small(found.start) {
                if step.anchored != 0 && found.end == self.length {
                    register.take(step.anchored);
                }
                self.take(&step, found.end, register)?;
            }
            if !step.more {
                return Some(());
            }
        }
    }

    /// Takes the steps that wait in the queue of a frequent segment that was found.
    #[inline]
    pub(super) fn in_queue<R: Register>(
        &mut self,
        queue: usize,
        found: Range<usize>,
        register: &mut R,
    ) -> Option<()> {
        let begin = small(found.start);
        if found.end == self.length {
            let mut next = self.queues.get(queue)?.anchored;
            while next != 0 {
                let waiter = *self.anchored.get(usize::from(next) - 1)?;
                if waiter.from <= begin {
                    register.take(Step::read(self.program, &mut (waiter.step as usize))?.anchored);
                }
                next = waiter.next;
            }
        }
        for line in [After::Prefix, After::Segment] {
            loop {
                let first = self.queues.get_mut(queue)?.line(line).first;
                if first == 0 {
                    break;
                }
                let waiter = *self.waiters.get(usize::from(first) - 1)?;
                if waiter.from > begin {
                    // Those behind it came later.
                    break;
                }
                self.queues.get_mut(queue)?.line(line).first = waiter.next;
                let step = Step::read(self.program, &mut (waiter.step as usize))?;
                self.take(&step, found.end, register)?;
            }
        }
        Some(())
    }

    #[inline]
    fn take<R: Register>(&mut self, step: &Step, end: usize, register: &mut R) -> Option<()> {
        if step.open != 0 {
            register.take(step.open);
        }
        self.reach(step.leads, end, After::Segment)
    }

    /// Records that a state has been reached, unless it was before, and lets the steps of its list
    /// wait.
    #[inline]
    pub(super) fn reach(&mut self, state: State, place: usize, after: After) -> Option<()> {
        if let Some(number) = state.number {
            let reached = self.reached.get_mut(number)?;
            if *reached != NEVER {
                return Some(());
            }
            *reached = small(place);
        }
        state.list.map_or(Some(()), |list| self.wait(list, place, after))
    }

    /// Puts every step of a list into the queue of its segment, from this position on.
    fn wait(&mut self, list: usize, from: usize, after: After) -> Option<()> {
        let mut at = self.lists.checked_add(list)?;
        loop {
            let start = at.try_into().ok()?;
            let step = Step::read(self.program, &mut at)?;
            let mut waiter = Waiter { step: start, from: small(from), next: 0 };
            let queue = self.queues.get_mut(step.waits)?;
            if step.open != 0 || step.leads != State::default() {
                self.waiters.try_push(waiter).ok()?;
                let number = short(self.waiters.len());
                let line = queue.line(after);
                match line.first {
                    0 => line.first = number,
                    _ => self.waiters.get_mut(usize::from(line.last) - 1)?.next = number,
                }
                line.last = number;
            }
            if step.anchored != 0 {
                waiter.next = queue.anchored;
                self.anchored.try_push(waiter).ok()?;
                queue.anchored = short(self.anchored.len());
            }
            if !step.more {
                return Some(());
            }
        }
    }
}
