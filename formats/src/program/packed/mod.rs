//! Packed programs: the form of small sets of rules (SPEC.md section 6).
//!
//! The rules are sorted best first. Three *probes* are positions of the target that tell the rules
//! apart; for each probe, a column holds the byte that every rule requires there. Comparing 16
//! bytes of a column at a time eliminates nearly all rules. A wildcard rule also has a *prefilter*:
//! its rarest byte or byte pair, which must occur somewhere in the target. The remaining candidates
//! are compared in full, and the first match is the best. A verdict therefore takes few branches,
//! and they are well predicted.
//!
//! ```text
//! packed    := front (bit 7 set), u8 count, u8 pairs, u8 singles, u8 reach, u8 probe × 3, u8 fallback,
//!             (byte × count) × 3, kind × count, u16 offset × (count + 1),
//!             [prefilter × prefilters, mask wild, mask × prefilters], text × count
//! kind     := u8: bit 0 permits, bit 1 anchored, bit 2 starred, bit 3 wild
//! prefilter := byte byte
//! mask     := u16 × ⌈count / 16⌉: bit `n` of the whole little-endian number stands for rule `n`
//! ```
//! A text is the pattern without its final `$` or star. Its priority is `2 × (length + anchored +
//! starred) + permits`. This file does not know which sets are packed (the compiler's
//! `automaton::packed`) nor how packed programs are executed (the runtime's `packed`).

mod check;

pub use check::check;

use super::{Priority, permits};

/// Bit of a program's first byte: the program is packed.
pub const FRONT_PACKED: u8 = 1 << 7;
/// The maximum number of rules in a packed program.
pub const MAX_PACKED: usize = 64;
/// The number of rules that are compared at once.
pub const BLOCK: usize = 16;
/// The reach of rules that may look at the whole target.
pub const REACH_ALL: u8 = u8::MAX;
/// The maximum length of a text in bytes.
pub const MAX_LENGTH: usize = 253;

/// Kind: the rule permits.
pub const PERMITS: u8 = 1;
/// Kind: the pattern has a final `$`.
pub const ANCHORED: u8 = 2;
/// Kind: the pattern has a final star.
pub const STARRED: u8 = 4;
/// Kind: there are stars inside the text.
pub const WILD: u8 = 8;

const HEADER: usize = 9;
const COLUMNS: usize = 3;
/// The bytes before the prefilters of the largest program, plus one block: one bounds check covers
/// them all.
const FRONT: usize = HEADER + (COLUMNS + 3) * MAX_PACKED + 2 + BLOCK;

/// A packed program, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'p> {
    /// The program and the bytes after it.
    bytes: &'p [u8],
    front: &'p [u8; FRONT],
    /// The number of rules.
    pub count: usize,
    /// The number of prefilters that are pairs of adjacent bytes.
    pub pairs: usize,
    /// The number of prefilters, after the pairs, that are single bytes.
    pub singles: usize,
    /// The maximum number of bytes of the target that rules look at, or [`REACH_ALL`].
    pub reach: u8,
    /// The probe position in the target for each column.
    pub probes: [u8; COLUMNS],
    /// The priority of the rule that matches every target; 0 if there is none.
    pub fallback: Priority,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRule<'p> {
    /// The text and everything after it.
    pub text: &'p [u8],
    /// The length of the text.
    pub length: usize,
    /// The text contains stars.
    pub wild: bool,
    /// The text must end where the target ends.
    pub anchored: bool,
    /// The priority that a match gives.
    pub priority: Priority,
}

impl<'p> Packed<'p> {
    /// True if the program at the start of `bytes` is packed.
    #[inline(always)]
    pub fn is_at(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|front| front & FRONT_PACKED != 0)
    }

    /// Reads the header of the program at the start of `bytes`. `None` if it is damaged.
    #[inline(always)]
    pub fn read(bytes: &'p [u8]) -> Option<Packed<'p>> {
        let front = bytes.first_chunk::<FRONT>()?;
        let &[_, count, pairs, singles, reach, p0, p1, p2, fallback] = front.first_chunk::<HEADER>()?;
        let (count, pairs, singles) = (usize::from(count), usize::from(pairs), usize::from(singles));
        let fallback = Priority::from(fallback);
        let packed = Packed { bytes, front, count, pairs, singles, reach, probes: [p0, p1, p2], fallback };
        (count <= MAX_PACKED && pairs + singles <= MAX_PACKED).then_some(packed)
    }

    /// One bit for each rule; there must be at least one rule.
    #[inline(always)]
    pub fn all(&self) -> u64 {
        u64::MAX >> (MAX_PACKED - self.count.clamp(1, MAX_PACKED))
    }

    /// The bytes that the rules of block `number` require at the probe of `column`; zero where a
    /// rule accepts any byte. Bytes after the last rule's have no meaning.
    #[inline(always)]
    pub fn column(&self, column: usize, number: usize) -> Option<&'p [u8; BLOCK]> {
        let at = HEADER + column * self.count.min(MAX_PACKED) + number * BLOCK;
        self.front.get(at..at + BLOCK)?.first_chunk()
    }

    #[inline(always)]
    fn kinds_at(&self) -> usize {
        HEADER + COLUMNS * self.count
    }

    #[inline(always)]
    fn offsets_at(&self) -> usize {
        self.kinds_at() + self.count
    }

    #[inline(always)]
    fn prefilters_at(&self) -> usize {
        self.offsets_at() + 2 * (self.count + 1)
    }

    /// The number of prefilters.
    #[inline(always)]
    pub fn prefilter_count(&self) -> usize {
        self.pairs + self.singles
    }

    /// The bytes of all prefilters, pairs first. A single byte is the first of its pair. `None` if
    /// damaged, as below.
    #[inline(always)]
    pub fn prefilters(&self) -> Option<&'p [[u8; 2]]> {
        let at = self.prefilters_at();
        Some(self.bytes.get(at..at + 2 * self.prefilter_count())?.as_chunks().0)
    }

    /// The length of a mask in bytes.
    #[inline(always)]
    fn mask_length(&self) -> usize {
        2 * self.count.div_ceil(BLOCK)
    }

    /// The mask with this number, after the prefilters.
    #[inline(always)]
    fn mask(&self, number: usize) -> Option<u64> {
        let at = self.prefilters_at() + 2 * self.prefilter_count() + number * self.mask_length();
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?) & self.all())
    }

    /// The bits of the wildcard rules, in a program that has prefilters.
    #[inline(always)]
    pub fn wild(&self) -> Option<u64> {
        self.mask(0)
    }

    /// The bits of the rules that wait for a prefilter.
    #[inline(always)]
    pub fn waiting(&self, prefilter: usize) -> Option<u64> {
        self.mask(1 + prefilter)
    }

    #[inline(always)]
    fn texts_at(&self) -> usize {
        let masks =
            if self.prefilter_count() == 0 { 0 } else { self.mask_length() * (self.prefilter_count() + 1) };
        self.prefilters_at() + 2 * self.prefilter_count() + masks
    }

    /// The texts of the rules, end to end, and what follows them. `None` if damaged.
    #[inline(always)]
    pub fn texts(&self) -> Option<&'p [u8]> {
        self.bytes.get(self.texts_at()..)
    }

    /// The kind of the rule with this number, which must exist, and where its text begins and ends
    /// in [`Packed::texts`].
    #[inline(always)]
    pub fn kind(&self, rule: usize) -> Option<(u8, usize, usize)> {
        let kind = *self.front.get(self.kinds_at() + rule)?;
        let &[a, b, c, d] = self.front.get(self.offsets_at() + 2 * rule..)?.first_chunk()?;
        Some((kind, u16::from_le_bytes([a, b]).into(), u16::from_le_bytes([c, d]).into()))
    }

    /// The rule with this number, which must exist.
    #[inline(always)]
    pub fn rule(&self, rule: usize) -> Option<PackedRule<'p>> {
        let (kind, start, end) = self.kind(rule)?;
        let length = usize::from((end as u16).wrapping_sub(start as u16));
        let is = |bit: u8| Priority::from(u8::from(kind & bit != 0));
        Some(PackedRule {
            text: self.texts()?.get(start..)?,
            length,
            wild: kind & WILD != 0,
            anchored: kind & ANCHORED != 0,
            priority: 2 * (length as Priority + is(ANCHORED) + is(STARRED)) + is(PERMITS),
        })
    }
}

/// A rule to be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft<'r> {
    /// The pattern without its final `$` or star.
    pub text: &'r [u8],
    /// The length of the part before the first star.
    pub prefix: usize,
    /// The pattern had a final `$`.
    pub anchored: bool,
    /// The pattern had a final star.
    pub starred: bool,
    /// Its priority.
    pub priority: Priority,
    /// The number of its prefilter, for a wildcard rule.
    pub prefilter: Option<usize>,
}

impl Draft<'_> {
    /// The byte that the rule requires at a position; 0 for any.
    pub fn byte(&self, place: usize) -> u8 {
        self.text[..self.prefix].get(place).copied().unwrap_or(0)
    }

    fn kind(&self) -> u8 {
        let flag = |on, bit| if on { bit } else { 0 };
        flag(permits(self.priority), PERMITS)
            | flag(self.anchored, ANCHORED)
            | flag(self.starred, STARRED)
            | flag(self.prefilter.is_some(), WILD)
    }
}

/// The contents of a packed program, before encoding.
#[derive(Clone, Debug, Default)]
pub struct Plan<'r> {
    /// The rules, best first.
    pub rules: Vec<Draft<'r>>,
    /// The prefilters: pairs, then single bytes, each followed by a zero.
    pub prefilters: Vec<[u8; 2]>,
    /// The number of pairs.
    pub pairs: usize,
    /// The probe positions of the columns.
    pub probes: [u8; COLUMNS],
    /// The number of bytes that rules look at.
    pub reach: u8,
    /// The priority of the rule that matches everything.
    pub fallback: u8,
}

impl Plan<'_> {
    /// Appends the program; `front` is its first byte.
    pub fn encode(&self, front: u8, out: &mut Vec<u8>) {
        let Plan { rules, prefilters, pairs, probes, reach, fallback } = self;
        let singles = prefilters.len() - pairs;
        out.extend_from_slice(&[front, rules.len() as u8, *pairs as u8, singles as u8, *reach]);
        out.extend_from_slice(probes);
        out.push(*fallback);
        for &place in probes {
            out.extend(rules.iter().map(|rule| rule.byte(usize::from(place))));
        }
        out.extend(rules.iter().map(Draft::kind));
        let mut end = 0;
        out.extend_from_slice(&0u16.to_le_bytes());
        for rule in rules {
            end += rule.text.len();
            out.extend_from_slice(&(end as u16).to_le_bytes());
        }
        prefilters.iter().for_each(|prefilter| out.extend_from_slice(prefilter));
        if !prefilters.is_empty() {
            self.push_mask(|rule| rule.prefilter.is_some(), out);
        }
        (0..prefilters.len()).for_each(|number| self.push_mask(|rule| rule.prefilter == Some(number), out));
        rules.iter().for_each(|rule| out.extend_from_slice(rule.text));
    }

    fn push_mask(&self, is: impl Fn(&Draft<'_>) -> bool, out: &mut Vec<u8>) {
        for block in self.rules.chunks(BLOCK) {
            let bits = block.iter().rev().fold(0u16, |bits, rule| bits << 1 | u16::from(is(rule)));
            out.extend_from_slice(&bits.to_le_bytes());
        }
    }
}
