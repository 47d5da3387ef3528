//! The walk: one target through one program, for the highest tag.
//!
//! First the literals, octet by octet down the trie, arming the slots of heads on the way. Then, if a tail could
//! still beat what was found, one pass over the target that tries the segments at each place its two-octet filter
//! lets through. A slot holds the earliest place from which its tails may go on (plus one; 0 is "not armed"): earlier
//! is always at least as good, so each step keeps the first place it reaches.
//!
//! Invariants: nothing is allocated; offsets only grow, so every loop ends; any damage is `None`. It does not know
//! what a tag means.

use robomaton_formats::program::*;

/// The highest tag of the rules of `program` that match `target` (canonical octets), 0 when none does. `None` when
/// the program is damaged.
#[inline]
pub(crate) fn walk(program: &[u8], head: &Head, target: &[u8]) -> Option<Tag> {
    match &head.tails {
        None => literals(program, head.literals, target, &mut [], &mut 0),
        Some(tails) if tails.slots <= 16 => with_slots::<16>(program, head, tails, target),
        Some(tails) if tails.slots <= 128 => with_slots::<128>(program, head, tails, target),
        Some(tails) if tails.slots <= 1024 => with_slots::<1024>(program, head, tails, target),
        Some(tails) => with_slots::<MAX_SLOTS>(program, head, tails, target),
    }
}

/// Slots are cleared for every walk, so programs with few get a small array. Out of line, or every walk would pay for
/// the stack of the largest.
#[inline(never)]
fn with_slots<const N: usize>(program: &[u8], head: &Head, tails: &Tails, target: &[u8]) -> Option<Tag> {
    let mut slots = [0; N];
    let slots = slots.get_mut(..tails.slots)?;
    let mut start = usize::MAX;
    let best = literals(program, head.literals, target, slots, &mut start)?;
    if best >= tails.highest {
        return Some(best);
    }
    segments(program, tails, target, slots, start, best)
}

/// Walks the literals. Slots of heads that are passed are armed; `start` becomes the end of the first of them.
#[inline(always)]
fn literals(program: &[u8], root: usize, target: &[u8], slots: &mut [u32], start: &mut usize) -> Option<Tag> {
    // Nearly every program and target begin with a slash, which then is all that the root leads to.
    const SLASH: [u8; 3] = [CHILDREN_ONE << 5, b'/', 0];
    let passed = program.get(root..)?.starts_with(&SLASH) && target.first() == Some(&b'/');
    let (mut at, mut depth) = if passed { (root + SLASH.len(), 1) } else { (root, 0) };
    let mut best = 0;
    loop {
        let flags = *program.get(at)?;
        at += 1;
        if flags & 3 != 0 {
            best = best.max(tag(program, &mut at, flags & 3, depth)?);
        }
        if flags & (0xC | NODE_EXTRA) != 0 {
            if flags & 0xC != 0 {
                let anchored = tag(program, &mut at, flags >> 2 & 3, depth + 1)?;
                if depth == target.len() {
                    best = best.max(anchored);
                }
            }
            if flags & NODE_EXTRA != 0 {
                let slot = varint(program, &mut at)? as usize;
                *slots.get_mut(slot)? = depth as u32 + 1;
                *start = depth.min(*start);
            }
        }
        match descend(program, &mut at, flags, target, depth)? {
            0 => return Some(best),
            label => depth += label,
        }
    }
}

/// Up to so many octets are looked for one after the other in eight places at once; more in each place by the filter.
const NEEDLES: usize = 8;

/// Passes over the target from `start`, eight places at a time, and tries the segments at those that their octets let
/// through. The octets that segments begin with are those of the root's children.
#[inline(always)]
fn segments(
    program: &[u8],
    tails: &Tails,
    target: &[u8],
    slots: &mut [u32],
    start: usize,
    mut best: Tag,
) -> Option<Tag> {
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
                best = best.max(try_at(program, child, target, slots, place)?);
                if best >= tails.highest {
                    return Some(best);
                }
            }
        }
        base += 8;
    }
    Some(best)
}

/// Takes the steps of every segment that begins at `place`; gives the highest tag reached. `at` is the root's child
/// for the octet there. Out of line: inlined, it would take the registers of the pass around it.
#[inline(never)]
fn try_at(program: &[u8], mut at: usize, target: &[u8], slots: &mut [u32], place: usize) -> Option<Tag> {
    let (mut label, mut end, mut best) = (follow(program, &mut at, target, place)?, place, 0);
    while label != 0 {
        end += label;
        let flags = *program.get(at)?;
        at += 1;
        if flags & NODE_EXTRA != 0 {
            best = best.max(steps(program, &mut at, slots, place, end, target.len())?);
        }
        label = descend(program, &mut at, flags, target, end)?;
    }
    Some(best)
}

/// Takes the steps of a segment found from `place` to `end`: gives the highest tag reached, arms slots.
#[inline(always)]
fn steps(
    program: &[u8],
    at: &mut usize,
    slots: &mut [u32],
    place: usize,
    end: usize,
    length: usize,
) -> Option<Tag> {
    let mut best = 0;
    loop {
        let step = Step::read(program, at)?;
        let armed = *slots.get(step.awaits)?;
        if armed != 0 && armed as usize <= place + 1 {
            best = best.max(step.open);
            if end == length {
                best = best.max(step.anchored);
            }
            if let Some(slot) = step.arms {
                let slot = slots.get_mut(slot)?;
                if *slot == 0 {
                    *slot = end as u32 + 1;
                }
            }
        }
        if !step.more {
            return Some(best);
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
