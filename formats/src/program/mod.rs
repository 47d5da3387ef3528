//! Programs: the encoding of one set of rules as two byte tries (SPEC.md section 6).
//!
//! The compiler's `automaton::encode` writes programs, the runtime's `walk` reads them, and
//! [`check`] verifies them. A program computes the highest [`Priority`] among the rules that match
//! a target; a *scoped* one computes all of them ([`crate::scope`]).
//!
//! ```text
//! program  := packed ([`packed`]) | header [tails] literals [segments list …]
//! literals := node, child …    segments := node, child …
//! header   := u8: notation in bits 0–2, bit 3 combiner (0 ranked, 1 scoped), bit 4 has tails, bits 5–6 silence
//! tails    := filters of last bytes and of single ones (16 bytes each), u8 log, pairs of last bytes (2^log bits),
//!             varint states, varint queues, varint steps, varint highest priority, varint length of the literals,
//!             varint length of the segments
//! node     := flags [varint priority] [varint priority] [state | end] children
//! flags    := u8: bits 0–1 priority of a pattern that ends here, bits 2–3 priority of an anchored one (segments: bit 0 a queue,
//!             the others zero), bit 4 a prefix (literals) or a segment (segments) ends here, bits 5–7 form of the children
//! state    := varint 0 | 1 + its number, varint 0 | 1 + offset of its list
//! end      := varint number of the queue | list
//! children := (nothing) | byte child | u8 count-1, byte × count, offset × count
//! child    := varint length, rest of the label, node
//! list     := step, and another one as long as a step says so
//! step     := u8: bit 0 open priority, bit 1 anchored priority, bit 2 a number, bit 3 a list, bit 4 another step follows, bits 5–7
//!             what it waits for (7: varint follows); [varint waits] [varint priority] [varint priority] [varint number] [varint list]
//! ```
//! Segments are stored backwards in their trie; labels are in text order. A *state* is reached by a
//! pattern: a prefix that the target begins with, or a segment found behind another state. *Steps*
//! lead from one state to the next. The steps of a rare segment are stored at its node and wait for
//! states, which have numbers for this purpose. The steps of a frequent segment are stored in the
//! lists of states and, once their state is reached, wait in the segment's *queue*. Offsets of
//! lists count from the first list. A list comes before the lists whose steps lead to it.
//!
//! The programs section ends with [`PADDING`] zeros, so that a reader may load sixteen bytes at any
//! byte of a program. Offsets count from the end of the table that holds them and only point
//! forward, so every walk ends. Several nodes of literals may have one child, so a part of the
//! rules that is repeated behind several prefixes is stored once. This file does not know how rules
//! become priorities.

mod check;
mod filter;
pub mod packed;
mod step;

pub use check::check;
pub use filter::{Filter, Filters, Pairs};
pub use step::*;

use crate::int::low_byte;
use crate::notation::Notation;
use wide::u8x16;

/// The weight of a rule: `2 × rank + 1` for a permission, `2 × rank` for a prohibition. The
/// matching rule with the highest priority decides. Rank 0 is never used, so 0 means that no rule
/// matches.
pub type Priority = u32;

/// True if the rule with this priority permits.
#[inline]
pub const fn permits(priority: Priority) -> bool {
    priority & 1 == 1
}

/// The meaning of silence, when no rule of a program matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Silence {
    /// Permitted (RFC 9309 2.2.2, ACAP P49).
    Allowed = 0,
    /// Neither permitted nor prohibited.
    Unknown = 1,
}

impl Silence {
    /// Decodes the first byte of a ranked program.
    #[inline(always)]
    pub const fn of(front: u8) -> Silence {
        if front & FRONT_SILENCE == 0 { Silence::Allowed } else { Silence::Unknown }
    }
}

/// How the priorities of a program are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// The highest priority wins; the silence applies if there is none.
    Ranked(Silence),
    /// All priorities count ([`crate::scope`]); the caller decides what silence means.
    Scoped,
}

/// No priority at this node.
pub const PRIORITY_NONE: u8 = 0;
/// A prohibition ranked by the length of its pattern: the depth in bytes, plus one if anchored.
pub const PRIORITY_PROHIBIT: u8 = 1;
/// A permission ranked in the same way.
pub const PRIORITY_PERMIT: u8 = 2;
/// The priority follows as a varint.
pub const PRIORITY_EXPLICIT: u8 = 3;

/// Flag of a node: a prefix or a segment ends here.
pub const NODE_EXTRA: u8 = 1 << 4;
/// Flag of a node of segments: the segment that ends here has a queue.
pub const NODE_QUEUE: u8 = 1;
/// No child.
pub const CHILDREN_NONE: u8 = 0;
/// One child, directly after its byte.
pub const CHILDREN_ONE: u8 = 1;
/// Several children, with one-byte offsets.
pub const CHILDREN_1: u8 = 2;
/// Several children, with two-byte offsets.
pub const CHILDREN_2: u8 = 3;
/// Several children, with three-byte offsets.
pub const CHILDREN_3: u8 = 4;
/// Several children, with four-byte offsets.
pub const CHILDREN_4: u8 = 5;

/// The number of bytes of each offset in a table of children of this form.
pub const fn offset_width(form: u8) -> usize {
    if form < CHILDREN_1 || form > CHILDREN_4 { 0 } else { (form - CHILDREN_ONE) as usize }
}

/// Bit of a program's first byte: the priorities are scoped.
pub const FRONT_SCOPED: u8 = 1 << 3;
/// Bit of a program's first byte, unless it is packed: it has tails.
pub const FRONT_TAILS: u8 = 1 << 4;
/// Bits of a program's first byte: the [`Silence`] of a ranked program.
pub const FRONT_SILENCE: u8 = 3 << 5;

/// Zeros at the end of the programs section, so that a reader may load the largest header at any
/// byte of a program.
pub const PADDING: usize = 512;

/// The maximum number of steps in a program; the compiler's limits keep every program below it.
pub const MAX_STEPS: usize = 8_192;

/// The fixed header of a program, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The notation of patterns, which decides how a target is canonicalised.
    pub notation: Notation,
    /// The way its priorities are weighed.
    pub weighing: Weighing,
    /// Offset of the literals' root node.
    pub literals: usize,
    /// The second machine, if any rule has a star before its end.
    pub tails: Option<Tails>,
}

/// The header data about the segments of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tails {
    /// The last bytes of segments.
    pub last: Filter,
    /// The bytes of one-byte segments.
    pub single: Filter,
    /// The byte pairs that longer segments end with: the start of their bits, and the logarithm of
    /// the number of bits.
    pairs: (usize, u8),
    /// The number of states with numbers.
    pub states: usize,
    /// The number of segments with queues.
    pub queues: usize,
    /// The number of steps.
    pub steps: usize,
    /// The highest priority that a step gives.
    pub highest: Priority,
    /// Offset of the segments' root node.
    pub root: usize,
    /// Offset of the lists.
    pub lists: usize,
}

impl Header {
    /// Decodes the header of the program at the start of `bytes`. `None` if it is damaged.
    #[inline(always)]
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let front = *bytes.first()?;
        let notation = Notation::from_u8(front & 7)?;
        let is_scoped = front & FRONT_SCOPED != 0;
        let weighing = if is_scoped { Weighing::Scoped } else { Weighing::Ranked(Silence::of(front)) };
        if front & FRONT_TAILS == 0 {
            return Some(Header { notation, weighing, literals: 1, tails: None });
        }
        let (literals, tails) = Tails::read(bytes)?;
        Some(Header { notation, weighing, literals, tails: Some(tails) })
    }

    /// The first byte of a program.
    pub fn front(notation: Notation, weighing: Weighing, tails: bool) -> u8 {
        let weighing = match weighing {
            Weighing::Ranked(silence) => (silence as u8) << 5,
            Weighing::Scoped => FRONT_SCOPED,
        };
        notation as u8 | if tails { FRONT_TAILS } else { 0 } | weighing
    }
}

impl Tails {
    /// Decodes the header after its first byte, and returns the offset of the literals' root, too.
    /// Out of line, so that programs without tails pay nothing for it.
    #[inline(never)]
    fn read(bytes: &[u8]) -> Option<(usize, Tails)> {
        let filters: &[u8; 33] = bytes.get(1..)?.first_chunk()?;
        let ([last, single], &[log]) = filters.as_chunks() else { return None };
        let [last, single] = [last, single].map(Filter::from_bytes);
        let pairs = (1 + filters.len(), log);
        if !filter::PAIRS.contains(&log) {
            return None;
        }
        let mut at = pairs.0 + (1 << log) / 8;
        let states = varint(bytes, &mut at)? as usize;
        let queues = varint(bytes, &mut at)? as usize;
        let steps = varint(bytes, &mut at)? as usize;
        let highest = varint(bytes, &mut at)?;
        let of_literals = varint(bytes, &mut at)? as usize;
        let of_segments = varint(bytes, &mut at)? as usize;
        let root = at.checked_add(of_literals)?;
        let lists = root.checked_add(of_segments)?;
        let tails = Tails { last, single, pairs, states, queues, steps, highest, root, lists };
        let fits = states <= steps && queues <= steps && steps <= MAX_STEPS;
        fits.then_some((at, tails))
    }
}

/// Reads a LEB128 number of at most 32 bits and moves past it.
#[inline(always)]
pub fn varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let mut value = u32::from(first & 0x7F);
    for shift in [7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            // The fifth byte holds the last four bits.
            return (shift < 28 || byte < 0x10).then_some(value);
        }
    }
    None
}

/// Appends a LEB128 number.
pub fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(low_byte(value.into()) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value.into()));
}

/// The number of bytes that [`push_varint`] appends.
pub const fn varint_len(value: u32) -> usize {
    ((32 - (value | 1).leading_zeros()) as usize).div_ceil(7)
}

/// The high bit of each byte of `word` that equals `byte`. The lowest one is always correct; higher
/// ones may be false.
#[inline(always)]
pub fn equal(word: u64, byte: u8) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let difference = word ^ (ONES * u64::from(byte));
    difference.wrapping_sub(ONES) & !difference & (ONES << 7)
}

/// The table of a node's children: the location of their bytes and offsets.
#[derive(Clone, Copy, Debug)]
pub struct Children {
    /// The number of children; 0 for a leaf.
    pub count: usize,
    /// The start of their bytes, which ascend.
    bytes: usize,
    width: usize,
    mask: u32,
}

impl Children {
    /// Reads the table of children of this `form` that begins at `at`. It does not branch on the
    /// form, since the sequence of forms is unpredictable.
    #[inline(always)]
    pub fn read(bytes: &[u8], form: u8, at: usize) -> Option<Children> {
        const WIDTH: [u8; 8] = [0, 0, 1, 2, 3, 4, 0, 0];
        const MASK: [u32; 8] = [0, 0, 0xFF, 0xFFFF, 0xFF_FFFF, u32::MAX, 0, 0];
        let many = usize::from(form >= CHILDREN_1);
        let stated = usize::from(*bytes.get(at)?) + 1;
        let count = if many == 1 { stated } else { usize::from(form) };
        let form = usize::from(form & 7);
        let (&width, &mask) = WIDTH.get(form).zip(MASK.get(form))?;
        Some(Children { count, bytes: at + many, width: width.into(), mask })
    }

    /// The first byte of each child's label. `None` if the program is damaged.
    #[inline]
    pub fn bytes<'p>(&self, bytes: &'p [u8]) -> Option<&'p [u8]> {
        bytes.get(self.bytes..self.bytes + self.count)
    }

    /// The number of the child whose label begins with `next`. Sixteen children are compared at
    /// once, so at least sixteen bytes must follow the table.
    #[inline(always)]
    pub fn find(&self, bytes: &[u8], next: u8) -> Option<usize> {
        let wanted = u8x16::splat(next);
        let mut before = 0;
        loop {
            let block = bytes.get(self.bytes + before..)?.first_chunk()?;
            let found = u8x16::new(*block).simd_eq(wanted).to_bitmask();
            if found != 0 {
                let place = before + found.trailing_zeros() as usize;
                return (place < self.count).then_some(place);
            }
            before += 16;
            if before >= self.count {
                return None;
            }
        }
    }

    /// The end of the table, where the first child begins.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.bytes + self.count + self.count * self.width
    }

    /// The start of child number `child` (the length of the rest of its label). `None` if damaged.
    #[inline(always)]
    pub fn child(&self, bytes: &[u8], child: usize) -> Option<usize> {
        let offsets = self.bytes + self.count;
        let offset =
            u32::from_le_bytes(*bytes.get(offsets + child * self.width..)?.first_chunk()?) & self.mask;
        Some(self.end() + offset as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip() {
        for value in [0, 1, 127, 128, 16_383, 16_384, 1 << 21, 1 << 28, u32::MAX] {
            let mut out = Vec::new();
            push_varint(&mut out, value);
            assert_eq!(out.len(), varint_len(value));
            let mut at = 0;
            assert_eq!(varint(&out, &mut at), Some(value));
            assert_eq!(at, out.len());
            assert_eq!(varint(&out[..out.len() - 1], &mut 0), None);
        }
        assert_eq!(varint(&[0x80; 6], &mut 0), None);
    }
}
