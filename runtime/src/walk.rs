//! The walk: one target through one program, for the tags of what matches.
//!
//! First the literals, octet by octet down the trie, arming the slots of heads on the way. Then, if a tail could
//! still beat what was found, one pass over the target that tries the segments at each place its two-octet filter
//! lets through. A slot holds the earliest place from which its tails may go on (plus one; 0 is "not armed"): earlier
//! is always at least as good, so each step keeps the first place it reaches.
//!
//! Invariants: nothing is allocated; offsets only grow, so every loop ends; any damage is `None`. It does not know
//! what a tag means: that is the register's business.

use robomaton_formats::program::*;
use std::ops::Range;

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
        None => literals(program, head.literals, target, &mut [], &mut 0, register),
        Some(tails) if tails.slots <= 16 => with_slots::<16, R>(program, head, tails, target, register),
        Some(tails) if tails.slots <= 128 => with_slots::<128, R>(program, head, tails, target, register),
        Some(tails) if tails.slots <= 1024 => with_slots::<1024, R>(program, head, tails, target, register),
        Some(tails) => with_slots::<MAX_SLOTS, R>(program, head, tails, target, register),
    }
}

/// Slots are cleared for every walk, so programs with few get a small array. Out of line, or every walk would pay for
/// the stack of the largest.
#[inline(never)]
fn with_slots<const N: usize, R: Register>(
    program: &[u8],
    head: &Head,
    tails: &Tails,
    target: &[u8],
    register: &mut R,
) -> Option<()> {
    let mut slots = [0; N];
    let slots = slots.get_mut(..tails.slots)?;
    let mut start = usize::MAX;
    literals(program, head.literals, target, slots, &mut start, register)?;
    if register.is_settled(tails.highest) {
        return Some(());
    }
    segments(program, tails, target, slots, start, register)
}

/// Walks the literals. Slots of heads that are passed are armed; `start` becomes the end of the first of them.
#[inline(always)]
fn literals<R: Register>(
    program: &[u8],
    root: usize,
    target: &[u8],
    slots: &mut [u32],
    start: &mut usize,
    register: &mut R,
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
                let slot = varint(program, &mut at)? as usize;
                *slots.get_mut(slot)? = depth as u32 + 1;
                *start = depth.min(*start);
            }
        }
        match descend(program, &mut at, flags, target, depth)? {
            0 => return Some(()),
            label => depth += label,
        }
    }
}

/// Up to so many octets are looked for one after the other in eight places at once; more in each place by the filter.
const NEEDLES: usize = 8;

/// Passes over the target from `start`, eight places at a time, and tries the segments at those that their octets let
/// through. The octets that segments begin with are those of the root's children.
#[inline(always)]
fn segments<R: Register>(
    program: &[u8],
    tails: &Tails,
    target: &[u8],
    slots: &mut [u32],
    start: usize,
    register: &mut R,
) -> Option<()> {
    let root = Children::read(program, *program.get(tails.segments)? >> 5, tails.segments + 1)?;
    let needles = root.octets(program)?;
    let mut base = start;
    while base < target.len() {
        let octets = word(target, base);
        // The high bit of each octet that may begin a segment; a false one finds no child below.
        let mut found = if needles.len() <= NEEDLES {
            needles.iter().fold(0, |found, &needle| found | equal(octets, needle))
        } else {
            let admit = |octet: &u8| u64::from(tails.first.admits(*octet)) << 7;
            octets.to_le_bytes().iter().rev().fold(0, |found, octet| (found << 8) | admit(octet))
        };
        while found != 0 {
            let place = base + found.trailing_zeros() as usize / 8;
            found &= found - 1;
            let Some((&octet, rest)) = target.get(place..).and_then(<[u8]>::split_first) else { break };
            let next = rest.first().copied().unwrap_or(0);
            if tails.second.admits(next) | tails.single.admits(octet) {
                let Some(child) = root.find(program, octet) else { continue };
                let child = root.child(program, child)?;
                try_at(program, child, target, slots, place, register)?;
                if register.is_settled(tails.highest) {
                    return Some(());
                }
            }
        }
        base += 8;
    }
    Some(())
}

/// Takes the steps of every segment that begins at `place`. `at` is the root's child
/// for the octet there. Out of line: inlined, it would take the registers of the pass around it.
#[inline(never)]
fn try_at<R: Register>(
    program: &[u8],
    mut at: usize,
    target: &[u8],
    slots: &mut [u32],
    place: usize,
    register: &mut R,
) -> Option<()> {
    let (mut label, mut end) = (follow(program, &mut at, target, place)?, place);
    while label != 0 {
        end += label;
        let flags = *program.get(at)?;
        at += 1;
        if flags & NODE_EXTRA != 0 {
            steps(program, &mut at, slots, place..end, target.len(), register)?;
        }
        label = descend(program, &mut at, flags, target, end)?;
    }
    Some(())
}

/// Takes the steps of a segment that was found: tags go to the register, slots are armed.
#[inline(always)]
fn steps<R: Register>(
    program: &[u8],
    at: &mut usize,
    slots: &mut [u32],
    found: Range<usize>,
    length: usize,
    register: &mut R,
) -> Option<()> {
    loop {
        let step = Step::read(program, at)?;
        let armed = *slots.get(step.awaits)?;
        if armed != 0 && armed as usize <= found.start + 1 {
            if step.open != 0 {
                register.take(step.open);
            }
            if step.anchored != 0 && found.end == length {
                register.take(step.anchored);
            }
            if let Some(slot) = step.arms {
                let slot = slots.get_mut(slot)?;
                if *slot == 0 {
                    *slot = found.end as u32 + 1;
                }
            }
        }
        if !step.more {
            return Some(());
        }
    }
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

/// The eight octets of the target from `at` (at most its length), zeros beyond its end.
#[inline(always)]
fn word(target: &[u8], at: usize) -> u64 {
    match target.last_chunk::<8>() {
        Some(_) => {
            // Near the end, the last eight octets shifted: by halves, as they may be shifted out altogether.
            let start = at.min(target.len() - 8);
            let octets = target.get(start..).and_then(<[u8]>::first_chunk);
            let shift = 4 * (at - start) as u32;
            u64::from_le_bytes(octets.copied().unwrap_or_default()) >> shift >> shift
        }
        None => target[at..].iter().rev().fold(0, |word, &octet| (word << 8) | u64::from(octet)),
    }
}
