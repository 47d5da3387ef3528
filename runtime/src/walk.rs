//! The walk: runs a program of tries on one target and collects the priorities that match.
//!
//! First come the literals, byte by byte down the trie, noting the prefixes on the way. Then, if a
//! tail could still beat the result, one pass over the target finds segments that end at each
//! position that the filters admit. A segment found after a state takes a step: to a priority or to
//! another state. Steps of a rare segment are stored at its node and test whether their state has
//! been reached; steps of a frequent segment wait in its queue from the moment theirs is reached.
//! Each state is reached once, since later is never better than earlier.
//!
//! Invariants: nothing is allocated; a step enters its queue once and leaves it once, and few steps
//! are stored at the nodes that one position can lead to, so a position costs the depth of its trie
//! plus the steps taken; any damage is `None`. It does not know what a priority means: that is up
//! to the register.

mod waiting;

use arrayvec::ArrayVec;
use robomaton_formats::int::{length, low_byte, low_half};
use robomaton_formats::notation::{first_bytes, word};
use robomaton_formats::program::*;
use std::iter::repeat_n;
use std::ops::Range;
use waiting::{After, NEVER, Queue, Waiting};
use wide::u8x16;

/// Receives the priorities of the matching rules.
pub(crate) trait Register {
    /// Takes a priority; the same one may come several times.
    fn take(&mut self, priority: Priority);

    /// True if no priority up to this one would change the result.
    fn is_settled(&self, highest: Priority) -> bool;
}

/// The highest priority; 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Highest(pub(crate) Priority);

impl Register for Highest {
    #[inline(always)]
    fn take(&mut self, priority: Priority) {
        self.0 = self.0.max(priority);
    }

    #[inline(always)]
    fn is_settled(&self, highest: Priority) -> bool {
        self.0 >= highest
    }
}

/// Puts the priorities of the rules of `program` that match `target` (canonical bytes) into the
/// register. `None` if the program is damaged, or if it has tails and the target 4 GiB or more.
#[inline(always)]
pub(crate) fn walk<R: Register>(
    program: &[u8],
    header: &Header,
    target: &[u8],
    register: &mut R,
) -> Option<()> {
    match &header.tails {
        None => without_tails(program, header.literals, target, register),
        Some(tails) if tails.steps <= 32 => with_tails::<32, R>(program, header, tails, target, register),
        Some(tails) if tails.steps <= 256 => with_tails::<256, R>(program, header, tails, target, register),
        Some(tails) if tails.steps <= 2048 => with_tails::<2048, R>(program, header, tails, target, register),
        Some(tails) => with_tails::<MAX_STEPS, R>(program, header, tails, target, register),
    }
}

#[inline(never)]
fn without_tails<R: Register>(program: &[u8], root: usize, target: &[u8], register: &mut R) -> Option<()> {
    literals(program, root, target, register, |_, _| None)
}

/// Out of line, since otherwise every walk would pay for the stack of the largest.
#[inline(never)]
fn with_tails<const N: usize, R: Register>(
    program: &[u8],
    header: &Header,
    tails: &Tails,
    target: &[u8],
    register: &mut R,
) -> Option<()> {
    // Positions have 32 bits.
    u32::try_from(target.len()).ok()?;
    // Separate variables: in one struct, they would be copied.
    let (mut reached, mut queues) = (ArrayVec::<_, N>::new(), ArrayVec::<_, N>::new());
    let (mut waiters, mut anchored) = (ArrayVec::<_, N>::new(), ArrayVec::<_, N>::new());
    // Only as many entries as the program uses are cleared. It has no more of anything than steps.
    reached.extend(repeat_n(NEVER, tails.states.min(N)));
    queues.extend(repeat_n(Queue::default(), tails.queues.min(N)));
    let mut waiting = Waiting {
        program,
        lists: tails.lists,
        length: target.len(),
        reached: &mut reached,
        queues: &mut queues,
        waiters: &mut waiters,
        anchored: &mut anchored,
    };
    let mut start = usize::MAX;
    literals(program, header.literals, target, register, |at, length| {
        start = start.min(length);
        waiting.reach(State::read(program, at)?, length, After::Prefix)
    })?;
    if start == usize::MAX || register.is_settled(tails.highest) {
        return Some(());
    }
    let found = |queued, at: &mut usize, found, register: &mut R| {
        match queued {
            true => waiting.in_queue(varint(program, at)? as usize, found, register)?,
            false => waiting.at_node(at, found, register)?,
        }
        Some(register.is_settled(tails.highest))
    };
    segments(program, tails, target, start, found, register)
}

/// Walks the literals. For each prefix on the way, calls `pass` with the offset of the prefix's
/// state and its length; `pass` moves the offset past the state.
#[inline(always)]
fn literals<R: Register>(
    program: &[u8],
    root: usize,
    target: &[u8],
    register: &mut R,
    mut pass: impl FnMut(&mut usize, usize) -> Option<()>,
) -> Option<()> {
    // Nearly every program and target begin with a slash, which is then the root's only child.
    const SLASH: [u8; 3] = [CHILDREN_ONE << 5, b'/', 0];
    let passed = program.get(root..)?.starts_with(&SLASH) && target.first() == Some(&b'/');
    let (mut at, mut depth) = if passed { (root + SLASH.len(), 1) } else { (root, 0) };
    loop {
        let flags = *program.get(at)?;
        at += 1;
        if flags & 3 != 0 {
            register.take(priority(program, &mut at, flags & 3, depth)?);
        }
        if flags & (0xC | NODE_EXTRA) != 0 {
            if flags & 0xC != 0 {
                let anchored = priority(program, &mut at, flags >> 2 & 3, depth + 1)?;
                if depth == target.len() {
                    register.take(anchored);
                }
            }
            if flags & NODE_EXTRA != 0 {
                pass(&mut at, depth)?;
            }
        }
        match descend(program, &mut at, flags, target, depth)? {
            0 => return Some(()),
            label => depth += label,
        }
    }
}

/// Up to this many bytes are searched for one after the other, each at sixteen positions at once;
/// more bytes are tested with the filter, position by position.
const NEEDLES: usize = 16;

/// Passes over the target from `start`, sixteen positions at a time, and reports the segments that
/// end there. The last bytes of segments are the labels of the root's children. `found` returns
/// true to stop.
#[inline(always)]
fn segments<R: Register>(
    program: &[u8],
    tails: &Tails,
    target: &[u8],
    start: usize,
    mut found: impl FnMut(bool, &mut usize, Range<usize>, &mut R) -> Option<bool>,
    register: &mut R,
) -> Option<()> {
    let root = Children::read(program, *program.get(tails.root)? >> 5, tails.root + 1)?;
    let (needles, pairs) = (root.bytes(program)?, tails.pairs(program)?);
    let mut base = start;
    while base < target.len() {
        let (bytes, from) = window(target, base);
        let mut places = if needles.len() <= NEEDLES {
            let is = |&needle: &u8| bytes.simd_eq(u8x16::splat(needle));
            needles.iter().fold(u8x16::splat(0), |found, needle| found | is(needle)).to_bitmask()
        } else {
            let admit = |byte: &u8| u32::from(tails.last.admits(*byte));
            bytes.to_array().iter().rev().fold(0, |found, byte| found << 1 | admit(byte))
        };
        // Clears bytes that were searched before, and those beyond the end.
        places = places >> (base - from) << (base - from);
        while places != 0 {
            let place = from + places.trailing_zeros() as usize;
            places &= places - 1;
            let Some(&byte) = target.get(place) else { break };
            let before = target.get(place.wrapping_sub(1)).copied().unwrap_or(0);
            if pairs.admits([before, byte]) | tails.single.admits(byte) {
                let Some(child) = root.find(program, byte) else { continue };
                let child = root.child(program, child)?;
                if ends_at(program, child, target, start..place, &mut found, register)? {
                    return Some(());
                }
            }
        }
        base = from + 16;
    }
    Some(())
}

/// Sixteen bytes of the target that include the one at `at`, and where they begin: near the end,
/// the last sixteen; for a shorter target, all of it padded with zeros.
#[inline(always)]
fn window(target: &[u8], at: usize) -> (u8x16, usize) {
    match target.last_chunk::<16>() {
        Some(last) => {
            let from = at.min(target.len() - 16);
            let bytes = target.get(from..).and_then(<[u8]>::first_chunk).unwrap_or(last);
            (u8x16::new(*bytes), from)
        }
        None => (u8x16::new(first_bytes(target)), 0),
    }
}

/// Reports every segment whose last byte directly follows the range and that begins in or before
/// it; true if `found` said to stop. `at` is the root's child for that last byte. Out of line:
/// inlined, it would take the registers of the surrounding pass.
///
/// A deep trie costs a chain of loads, each of which waits for the previous one. So the front of a
/// node is loaded at once, and its first child is found by a branch, past which the processor can
/// run ahead.
#[inline(never)]
fn ends_at<R: Register>(
    program: &[u8],
    mut at: usize,
    target: &[u8],
    range: Range<usize>,
    found: &mut impl FnMut(bool, &mut usize, Range<usize>, &mut R) -> Option<bool>,
    register: &mut R,
) -> Option<bool> {
    let (mut begin, end) = (range.end, range.end + 1);
    loop {
        let mut front = eight(program, at)?;
        if low_byte(front) == 0 {
            // The label ends here.
            front >>= 8;
            at += 1;
        } else {
            let Preceding::Label(length) = precede(program, &mut at, target, begin)? else { break };
            begin -= length;
            front = eight(program, at)?;
        }
        let (flags, form) = (low_byte(front), low_byte(front) >> 5);
        at += 1;
        front >>= 8;
        if flags & NODE_EXTRA != 0 {
            if found(flags & NODE_QUEUE != 0, &mut at, begin..end, register)? {
                return Some(true);
            }
            front = eight(program, at)?;
        }
        if form == CHILDREN_NONE || begin <= range.start {
            break;
        }
        begin -= 1;
        let next = *target.get(begin)?;
        let bytes = front >> 8;
        if form == CHILDREN_ONE {
            if low_byte(front) != next {
                break;
            }
            at += 1;
        } else if low_byte(bytes) == next {
            // The first child begins where the table ends.
            at += 1 + (usize::from(low_byte(front)) + 1) * usize::from(form);
        } else {
            let children = Children::read(program, form, at)?;
            let Some(child) = children.find(program, next) else { break };
            at = children.child(program, child)?;
        }
    }
    Some(false)
}

/// Eight bytes of a program, the lowest at `at`.
#[inline(always)]
fn eight(program: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*program.get(at..)?.first_chunk()?))
}

/// The bytes of a target before a position.
enum Preceding {
    /// The label, of this length.
    Label(usize),
    /// Something else.
    Other,
}

/// Moves `at` past the rest of the label there, and compares it with the bytes of the target just
/// before `place`.
#[inline(always)]
fn precede(program: &[u8], at: &mut usize, target: &[u8], place: usize) -> Option<Preceding> {
    let length = varint(program, at)? as usize;
    let label = program.get(*at..)?;
    *at += length;
    let Some(from) = place.checked_sub(length) else { return Some(Preceding::Other) };
    let fits = match length {
        0 => true,
        1..=8 => {
            let mask = u64::MAX >> (64 - 8 * length);
            (u64::from_le_bytes(*label.first_chunk()?) ^ word(target, from)) & mask == 0
        }
        _ => target.get(from..place)? == label.get(..length)?,
    };
    Some(if fits { Preceding::Label(length) } else { Preceding::Other })
}

/// The priority of this form at this rank, which is less than 2³¹ in a verified program.
#[inline]
fn priority(program: &[u8], at: &mut usize, form: u8, rank: usize) -> Option<Priority> {
    match form {
        PRIORITY_EXPLICIT => varint(program, at),
        form => Some(low_half(2 * length(rank)) | Priority::from(form == PRIORITY_PERMIT)),
    }
}

/// Moves `at` to the child whose label continues the target at `depth` and returns the label's
/// length; 0 if there is no such child.
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

/// Moves `at` past the rest of the label there if it continues the target at `depth + 1`, and
/// returns the whole label's length; 0 if it does not.
#[inline(always)]
fn follow(program: &[u8], at: &mut usize, target: &[u8], depth: usize) -> Option<usize> {
    let rest = depth + 1;
    // A node follows every label and padding follows the last node, so there are nine bytes.
    let front: &[u8; 9] = program.get(*at..)?.first_chunk()?;
    let (&stated, label) = front.split_first()?;
    let length = usize::from(stated);
    if length <= 8 {
        // One masked comparison. Beyond the target's end zeros are read, so the lengths are
        // compared too.
        *at += 1 + length;
        let mask = (1u64 << (4 * length) << (4 * length)).wrapping_sub(1);
        let label = u64::from_le_bytes(*label.first_chunk()?);
        let differs = ((label ^ word(target, rest)) & mask != 0) | (target.len() - rest < length);
        return Some(if differs { 0 } else { length + 1 });
    }
    let length = varint(program, at)? as usize;
    let label = program.get(*at..)?.get(..length)?;
    *at += length;
    // The first eight bytes distinguish nearly all labels.
    let fits = label.first_chunk() == target.get(rest..)?.first_chunk::<8>()
        && target.get(rest + 8..rest + length) == label.get(8..);
    Some(if fits { length + 1 } else { 0 })
}
