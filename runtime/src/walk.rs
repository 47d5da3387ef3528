//! The walk: one target through one program of tries, for the tags of what matches.
//!
//! First the literals, octet by octet down the trie, noting the heads on the way. Then, if a tail could still beat what
//! was found, one pass over the target that looks for segments that end at each place its two-octet filter lets
//! through. A segment found behind a head takes a step: a tag, or a list is armed, whose steps then wait for their
//! segments. Each step is taken once: later is never better than earlier.
//!
//! Invariants: nothing is allocated; the steps of a segment are passed over once, and those that wait for it stand in
//! the order of their places, so what a segment costs that is found is what it moves on; any damage is `None`. It does
//! not know what a tag means: that is the register's business.

use arrayvec::ArrayVec;
use robomaton_formats::octets::word;
use robomaton_formats::program::*;
use std::iter::repeat_n;
use std::ops::Range;
use wide::u8x16;

/// What takes the tags of the rules that match.
pub(crate) trait Register {
    /// Takes a tag; the same one may come several times.
    fn take(&mut self, tag: Tag);

    /// Whether no tag up to this one would change anything.
    fn is_settled(&self, highest: Tag) -> bool;
}

/// The highest tag; 0 when there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Highest(pub(crate) Tag);

impl Register for Highest {
    #[inline(always)]
    fn take(&mut self, tag: Tag) {
        self.0 = self.0.max(tag);
    }

    #[inline(always)]
    fn is_settled(&self, highest: Tag) -> bool {
        self.0 >= highest
    }
}

/// Puts the tags of the rules of `program` that match `target` (canonical octets) into the register. `None` when the
/// program is damaged.
#[inline]
pub(crate) fn walk<R: Register>(program: &[u8], head: &Head, target: &[u8], register: &mut R) -> Option<()> {
    match &head.tails {
        None => literals(program, head.literals, target, register, |_, _| None),
        Some(tails) if tails.steps <= 32 => with_tails::<32, R>(program, head, tails, target, register),
        Some(tails) if tails.steps <= 256 => with_tails::<256, R>(program, head, tails, target, register),
        Some(tails) if tails.steps <= 2048 => with_tails::<2048, R>(program, head, tails, target, register),
        Some(tails) => with_tails::<MAX_STEPS, R>(program, head, tails, target, register),
    }
}

/// Out of line, or every walk would pay for the stack of the largest.
#[inline(never)]
fn with_tails<const N: usize, R: Register>(
    program: &[u8],
    head: &Head,
    tails: &Tails,
    target: &[u8],
    register: &mut R,
) -> Option<()> {
    // Each in a place of its own: put together, they would be copied.
    let (mut heads, mut passed) = (ArrayVec::<_, N>::new(), ArrayVec::<_, N>::new());
    let (mut last, mut last_anchored) = (ArrayVec::<_, N>::new(), ArrayVec::<_, N>::new());
    let (mut waiters, mut anchored) = (ArrayVec::<_, N>::new(), ArrayVec::<_, N>::new());
    // Only what the program has is cleared. It has no more of anything than steps.
    heads.extend(repeat_n(0, tails.heads.min(N)));
    passed.extend(repeat_n(0, tails.segments.min(N)));
    last.extend(repeat_n(0, tails.segments.min(N)));
    last_anchored.extend(repeat_n(0, tails.segments.min(N)));
    let mut waiting = Waiting {
        program,
        lists: tails.lists,
        heads: &mut heads,
        passed: &mut passed,
        waiters: &mut waiters,
        last: &mut last,
        anchored: &mut anchored,
        last_anchored: &mut last_anchored,
    };
    let mut start = usize::MAX;
    literals(program, head.literals, target, register, |head, length| {
        start = start.min(length);
        *waiting.heads.get_mut(head)? = length as u32 + 1;
        Some(())
    })?;
    if start == usize::MAX || register.is_settled(tails.highest) {
        return Some(());
    }
    let found = |end: usize, place, register: &mut R| {
        waiting.found(end, place, target.len(), register)?;
        Some(register.is_settled(tails.highest))
    };
    segments(program, tails, target, start, found, register)
}

/// A step that waits, and the one that waits for the same segment behind it (plus one).
#[derive(Clone, Copy)]
struct Waiter {
    /// Where the step stands in the program.
    step: u32,
    /// From where its segment may begin.
    from: u32,
    next: u16,
}

/// What waits for segments.
struct Waiting<'w, const N: usize> {
    program: &'w [u8],
    /// Where lists begin in it.
    lists: usize,
    /// Lengths of the heads that the target begins with (plus one).
    heads: &'w mut [u32],
    /// Up to where in the program each segment's own steps have been passed over; 0 at first.
    passed: &'w mut [u32],
    /// Steps of lists that have been armed.
    waiters: &'w mut ArrayVec<Waiter, N>,
    /// The last of them that waits for a segment (plus one); the first stands behind it, so that they form a ring.
    last: &'w mut [u16],
    /// Anchored steps of such lists.
    anchored: &'w mut ArrayVec<Waiter, N>,
    /// The last of them that waits for a segment (plus one), and so on to the first.
    last_anchored: &'w mut [u16],
}

/// All steps of a segment have been passed over.
const ALL: u32 = u32::MAX;

impl<const N: usize> Waiting<'_, N> {
    /// Takes the steps that wait for a segment that was found at `found`; `at` is where its node tells of it.
    #[inline]
    fn found<R: Register>(
        &mut self,
        mut at: usize,
        found: Range<usize>,
        length: usize,
        register: &mut R,
    ) -> Option<()> {
        let segment = varint(self.program, &mut at)? as usize;
        if let Some(list) = (varint(self.program, &mut at)? as usize).checked_sub(1) {
            let steps = self.lists.checked_add(list)?;
            if found.end == length {
                self.behind_heads_at_end(steps, found.start, register)?;
            }
            self.behind_heads(segment, steps, found.clone(), register)?;
        }
        if found.end == length {
            let mut next = *self.last_anchored.get(segment)?;
            while next != 0 {
                let waiter = *self.anchored.get(usize::from(next) - 1)?;
                if waiter.from as usize <= found.start {
                    register.take(Step::read(self.program, &mut (waiter.step as usize))?.anchored);
                }
                next = waiter.next;
            }
        }
        loop {
            let last = *self.last.get(segment)?;
            if last == 0 {
                return Some(());
            }
            let first = self.waiters.get(usize::from(last) - 1)?.next;
            let waiter = *self.waiters.get(usize::from(first) - 1)?;
            if waiter.from as usize > found.start {
                // Those behind it came later.
                return Some(());
            }
            match first == last {
                true => self.last[segment] = 0,
                false => self.waiters.get_mut(usize::from(last) - 1)?.next = waiter.next,
            }
            let step = Step::read(self.program, &mut (waiter.step as usize))?;
            self.take(&step, found.end, register)?;
        }
    }

    /// Takes the segment's own steps from where it was left: those behind heads that end before it. Longer heads come
    /// later, so the first that does not ends it for now.
    #[inline]
    fn behind_heads<R: Register>(
        &mut self,
        segment: usize,
        steps: usize,
        found: Range<usize>,
        register: &mut R,
    ) -> Option<()> {
        let mut at = match *self.passed.get(segment)? {
            ALL => return Some(()),
            passed => steps.max(passed as usize),
        };
        loop {
            let here = at;
            let step = Step::read(self.program, &mut at)?;
            let head = *self.heads.get(step.waits)?;
            if head != 0 {
                if head as usize > found.start + 1 {
                    *self.passed.get_mut(segment)? = here as u32;
                    return Some(());
                }
                self.take(&step, found.end, register)?;
            }
            if !step.more {
                *self.passed.get_mut(segment)? = ALL;
                return Some(());
            }
        }
    }

    /// Takes the anchored tags of the segment's own steps, at the end of the target.
    fn behind_heads_at_end<R: Register>(&self, mut at: usize, begin: usize, register: &mut R) -> Option<()> {
        loop {
            let step = Step::read(self.program, &mut at)?;
            let head = *self.heads.get(step.waits)? as usize;
            if step.anchored != 0 && head != 0 && head <= begin + 1 {
                register.take(step.anchored);
            }
            if !step.more {
                return Some(());
            }
        }
    }

    #[inline]
    fn take<R: Register>(&mut self, step: &Step, end: usize, register: &mut R) -> Option<()> {
        if step.open != 0 {
            register.take(step.open);
        }
        step.arms.map_or(Some(()), |list| self.arm(list, end))
    }

    /// Lets every step of a list wait for its segment, from this place on.
    fn arm(&mut self, list: usize, from: usize) -> Option<()> {
        let mut at = self.lists.checked_add(list)?;
        loop {
            let mut waiter = Waiter { step: at as u32, from: from as u32, next: 0 };
            let step = Step::read(self.program, &mut at)?;
            if step.anchored != 0 {
                let last = self.last_anchored.get_mut(step.waits)?;
                waiter.next = std::mem::replace(last, self.anchored.len() as u16 + 1);
                self.anchored.try_push(waiter).ok()?;
            }
            if step.open != 0 || step.arms.is_some() {
                let number = self.waiters.len() as u16 + 1;
                let last = self.last.get_mut(step.waits)?;
                waiter.next = match std::mem::replace(last, number) {
                    0 => number,
                    last => std::mem::replace(&mut self.waiters.get_mut(usize::from(last) - 1)?.next, number),
                };
                self.waiters.try_push(waiter).ok()?;
            }
            if !step.more {
                return Some(());
            }
        }
    }
}

/// Walks the literals; `pass` is given the number of each head that is passed, and its length.
#[inline(always)]
fn literals<R: Register>(
    program: &[u8],
    root: usize,
    target: &[u8],
    register: &mut R,
    mut pass: impl FnMut(usize, usize) -> Option<()>,
) -> Option<()> {
    // Nearly every program and target begin with a slash, which then is all that the root leads to.
    const SLASH: [u8; 3] = [CHILDREN_ONE << 5, b'/', 0];
    let passed = program.get(root..)?.starts_with(&SLASH) && target.first() == Some(&b'/');
    let (mut at, mut depth) = if passed { (root + SLASH.len(), 1) } else { (root, 0) };
    loop {
        let flags = *program.get(at)?;
        at += 1;
        if flags & 3 != 0 {
            register.take(tag(program, &mut at, flags & 3, depth)?);
        }
        if flags & (0xC | NODE_EXTRA) != 0 {
            if flags & 0xC != 0 {
                let anchored = tag(program, &mut at, flags >> 2 & 3, depth + 1)?;
                if depth == target.len() {
                    register.take(anchored);
                }
            }
            if flags & NODE_EXTRA != 0 {
                pass(varint(program, &mut at)? as usize, depth)?;
            }
        }
        match descend(program, &mut at, flags, target, depth)? {
            0 => return Some(()),
            label => depth += label,
        }
    }
}

/// Up to so many octets are looked for one after the other in sixteen places at once; more in each place by the filter.
const NEEDLES: usize = 16;

/// Passes over the target from `start`, sixteen places at a time, and hands over the segments that end there. The octets
/// that segments end with are those of the root's children. `found` says whether that was enough.
#[inline(always)]
fn segments<R: Register>(
    program: &[u8],
    tails: &Tails,
    target: &[u8],
    start: usize,
    mut found: impl FnMut(usize, Range<usize>, &mut R) -> Option<bool>,
    register: &mut R,
) -> Option<()> {
    let root = Children::read(program, *program.get(tails.root)? >> 5, tails.root + 1)?;
    let needles = root.octets(program)?;
    let mut base = start;
    while base < target.len() {
        let (octets, from) = window(target, base);
        let mut places = if needles.len() <= NEEDLES {
            let is = |&needle: &u8| octets.simd_eq(u8x16::splat(needle));
            needles.iter().fold(u8x16::splat(0), |found, needle| found | is(needle)).to_bitmask()
        } else {
            let admit = |octet: &u8| u32::from(tails.last.admits(*octet));
            octets.to_array().iter().rev().fold(0, |found, octet| found << 1 | admit(octet))
        };
        // Octets that were looked at before, and those beyond the end.
        places = places >> (base - from) << (base - from);
        while places != 0 {
            let place = from + places.trailing_zeros() as usize;
            places &= places - 1;
            let Some(&octet) = target.get(place) else { break };
            let before = if place == 0 { 0 } else { target[place - 1] };
            if tails.before.admits(before) | tails.single.admits(octet) {
                let Some(child) = root.find(program, octet) else { continue };
                let child = root.child(program, child)?;
                if ends_at(program, child, target, place, &mut found, register)? {
                    return Some(());
                }
            }
        }
        base = from + 16;
    }
    Some(())
}

/// Sixteen octets of the target that hold the one at `at`, and where they begin: near the end, the last sixteen. Of a
/// shorter target all, and zeros.
#[inline(always)]
fn window(target: &[u8], at: usize) -> (u8x16, usize) {
    match target.last_chunk::<16>() {
        Some(last) => {
            let from = at.min(target.len() - 16);
            let octets = target.get(from..).and_then(<[u8]>::first_chunk).unwrap_or(last);
            (u8x16::new(*octets), from)
        }
        None => (u8x16::new(first_octets(target)), 0),
    }
}

/// The first sixteen octets of a target, zeros beyond its end.
#[inline(always)]
pub(crate) fn first_octets(target: &[u8]) -> [u8; 16] {
    match target.first_chunk() {
        Some(first) => *first,
        None => {
            let (low, high) = (word(target, 0), word(target, 8.min(target.len())));
            (u128::from(low) | u128::from(high) << 64).to_le_bytes()
        }
    }
}

/// Hands over every segment that ends behind `place`; whether that was enough. `at` is the root's child for the octet there. Out of
/// line: inlined, it would take the registers of the pass around it.
#[inline(never)]
fn ends_at<R: Register>(
    program: &[u8],
    mut at: usize,
    target: &[u8],
    place: usize,
    found: &mut impl FnMut(usize, Range<usize>, &mut R) -> Option<bool>,
    register: &mut R,
) -> Option<bool> {
    let mut begin = place;
    let mut label = precede(program, &mut at, target, begin)?;
    while let Some(length) = label {
        begin -= length;
        let flags = *program.get(at)?;
        at += 1;
        if flags & NODE_EXTRA != 0 {
            if found(at, begin..place + 1, register)? {
                return Some(true);
            }
            varint(program, &mut at)?;
            varint(program, &mut at)?;
        }
        let form = flags >> 5;
        if begin == 0 || form == CHILDREN_NONE {
            break;
        }
        begin -= 1;
        let children = Children::read(program, form, at)?;
        let Some(child) = children.find(program, target[begin]) else { break };
        at = children.child(program, child)?;
        label = precede(program, &mut at, target, begin)?;
    }
    Some(false)
}

/// Moves `at` past the rest of the label that stands there, when the target has it right before `place`, and gives its
/// length.
#[inline(always)]
fn precede(program: &[u8], at: &mut usize, target: &[u8], place: usize) -> Option<Option<usize>> {
    let length = varint(program, at)? as usize;
    let label = program.get(*at..)?;
    *at += length;
    let Some(from) = place.checked_sub(length) else { return Some(None) };
    let fits = match length {
        0 => true,
        1..=8 => {
            let mask = u64::MAX >> (64 - 8 * length);
            (u64::from_le_bytes(*label.first_chunk()?) ^ word(target, from)) & mask == 0
        }
        _ => target.get(from..place)? == label.get(..length)?,
    };
    Some(fits.then_some(length))
}

/// The tag of this form at this rank.
#[inline]
fn tag(program: &[u8], at: &mut usize, form: u8, rank: usize) -> Option<Tag> {
    match form {
        TAG_EXPLICIT => varint(program, at),
        form => Some(2 * rank as Tag + Tag::from(form == TAG_PERMIT)),
    }
}

/// Moves `at` to the child whose label continues the target at `depth` and gives the label's length; 0 when there is
/// no such child.
#[inline(always)]
fn descend(program: &[u8], at: &mut usize, flags: u8, target: &[u8], depth: usize) -> Option<usize> {
    let Some(&next) = target.get(depth) else { return Some(0) };
    let form = flags >> 5;
    if form == CHILDREN_NONE {
        return Some(0);
    }
    if form == CHILDREN_ONE {
        if *program.get(*at)? != next {
            return Some(0);
        }
        *at += 1;
    } else {
        let children = Children::read(program, form, *at)?;
        let Some(child) = children.find(program, next) else { return Some(0) };
        *at = children.child(program, child)?;
    }
    follow(program, at, target, depth)
}

/// Moves `at` past the rest of the label that stands there, when it continues the target at `depth + 1`, and gives the
/// whole label's length; 0 when it does not.
#[inline(always)]
fn follow(program: &[u8], at: &mut usize, target: &[u8], depth: usize) -> Option<usize> {
    let rest = depth + 1;
    // A node follows every label and the padding the last node, so there are nine octets.
    let front: &[u8; 9] = program.get(*at..)?.first_chunk()?;
    let (&stated, label) = front.split_first()?;
    let length = usize::from(stated);
    if length <= 8 {
        // One masked comparison. Beyond the target's end zeros are read, so the lengths are compared too.
        *at += 1 + length;
        let mask = (1u64 << (4 * length) << (4 * length)).wrapping_sub(1);
        let label = u64::from_le_bytes(*label.first_chunk()?);
        let differs = ((label ^ word(target, rest)) & mask != 0) | (target.len() - rest < length);
        return Some(if differs { 0 } else { length + 1 });
    }
    let length = varint(program, at)? as usize;
    let label = program.get(*at..)?.get(..length)?;
    *at += length;
    // The first eight octets tell nearly all labels apart.
    let fits = label.first_chunk() == target.get(rest..)?.first_chunk::<8>()
        && target.get(rest + 8..rest + length) == label.get(8..);
    Some(if fits { length + 1 } else { 0 })
}
