//! Packed programs: the form of small sets of rules (SPEC.md section 6).
//!
//! The rules stand best first. Three *probes* are positions of the target that tell them apart; for
//! each, a column holds the byte that every rule wants there. Comparing 16 bytes of a column at a
//! time eliminates nearly all rules. A rule with a star inside also has a *prefilter*: its rarest
//! byte or byte pair, which must occur somewhere in the target. The remaining candidates are
//! compared in full, and the first match is the best. A verdict therefore takes few branches, and
//! those are well predicted.
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
//! `automaton::packed`) nor how they are asked (the runtime's `packed`).

mod check;

pub use check::check;

use super::{Priority, permits};

/// Bit of a program's front: it is packed.
pub const FRONT_PACKED: u8 = 1 << 7;
/// A program of this form has at most so many rules.
pub const MAX_PACKED: usize = 64;
/// Rules that are compared at once.
pub const BLOCK: usize = 16;
/// The reach of rules that may look at all of the target.
pub const REACH_ALL: u8 = u8::MAX;
/// A text is at most so long.
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
/// Bytes before the prefilters of the largest program, and a block more: one check of bounds covers
/// them all.
const FRONT: usize = HEADER + (COLUMNS + 3) * MAX_PACKED + 2 + BLOCK;

/// A packed program in place.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'p> {
    /// The program and what stands behind it.
    bytes: &'p [u8],
    front: &'p [u8; FRONT],
    /// How many rules.
    pub count: usize,
    /// How many prefilters are two bytes that follow one another.
    pub pairs: usize,
    /// How many prefilters, behind those, are single bytes.
    pub singles: usize,
    /// So many bytes of the target are looked at, at most; or [`REACH_ALL`].
    pub reach: u8,
    /// The probes in the target that columns speak of.
    pub probes: [u8; COLUMNS],
    /// The priority of the rule that matches every target; 0 when none does.
    pub fallback: Priority,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRule<'p> {
    /// The text and everything behind it.
    pub text: &'p [u8],
    /// How much of that is the text.
    pub length: usize,
    /// Whether there are stars inside.
    pub wild: bool,
    /// Whether the text must end where the target ends.
    pub anchored: bool,
    /// What it gives.
    pub priority: Priority,
}

impl<'p> Packed<'p> {
    /// Whether the program at the start of `bytes` has this form.
    #[inline(always)]
    pub fn is_at(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|front| front & FRONT_PACKED != 0)
    }

    /// Reads the front of the program at the start of `bytes`. `None` when it is damaged.
    #[inline(always)]
    pub fn read(bytes: &'p [u8]) -> Option<Packed<'p>> {
        let front = bytes.first_chunk::<FRONT>()?;
        let &[_, count, pairs, singles, reach, p0, p1, p2, fallback] = front.first_chunk::<HEADER>()?;
        let (count, pairs, singles) = (usize::from(count), usize::from(pairs), usize::from(singles));
        let fallback = Priority::from(fallback);
        let packed = Packed { bytes, front, count, pairs, singles, reach, probes: [p0, p1, p2], fallback };
        (count <= MAX_PACKED && pairs + singles <= MAX_PACKED).then_some(packed)
    }

    /// A bit for each rule, of which there must be one.
    #[inline(always)]
    pub fn all(&self) -> u64 {
        u64::MAX >> (MAX_PACKED - self.count.clamp(1, MAX_PACKED))
    }

    /// The bytes that the rules of block `number` want at place `column`, zero where a rule takes
    /// any. What stands behind the last rule's byte means nothing.
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

    /// How many prefilters.
    #[inline(always)]
    pub fn prefilter_count(&self) -> usize {
        self.pairs + self.singles
    }

    /// The bytes of all prefilters, pairs first. Of a single one, the first counts. `None` when
    /// damaged, as below.
    #[inline(always)]
    pub fn prefilters(&self) -> Option<&'p [[u8; 2]]> {
        let at = self.prefilters_at();
        Some(self.bytes.get(at..at + 2 * self.prefilter_count())?.as_chunks().0)
    }

    /// Bytes of a mask.
    #[inline(always)]
    fn mask_length(&self) -> usize {
        2 * self.count.div_ceil(BLOCK)
    }

    /// Mask `number` of those behind the prefilters.
    #[inline(always)]
    fn mask(&self, number: usize) -> Option<u64> {
        let at = self.prefilters_at() + 2 * self.prefilter_count() + number * self.mask_length();
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?) & self.all())
    }

    /// Bits of the rules with stars inside, in a program that has prefilters.
    #[inline(always)]
    pub fn wild(&self) -> Option<u64> {
        self.mask(0)
    }

    /// Bits of the rules that wait for prefilter `prefilter`.
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

    /// Rule `rule`, which must be one.
    #[inline(always)]
    pub fn rule(&self, rule: usize) -> Option<PackedRule<'p>> {
        let kind = *self.front.get(self.kinds_at() + rule)?;
        let &[a, b, c, d] = self.front.get(self.offsets_at() + 2 * rule..)?.first_chunk()?;
        let (start, end) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        let length = usize::from(end.wrapping_sub(start));
        let is = |bit: u8| Priority::from(u8::from(kind & bit != 0));
        Some(PackedRule {
            text: self.bytes.get(self.texts_at() + usize::from(start)..)?,
            length,
            wild: kind & WILD != 0,
            anchored: kind & ANCHORED != 0,
            priority: 2 * (length as Priority + is(ANCHORED) + is(STARRED)) + is(PERMITS),
        })
    }
}

/// A rule on its way into packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft<'r> {
    /// The pattern without its final `$` or star.
    pub text: &'r [u8],
    /// How much of it stands before the first star.
    pub prefix: usize,
    /// Whether it had a final `$`.
    pub anchored: bool,
    /// Whether it had a final star.
    pub starred: bool,
    /// Its priority.
    pub priority: Priority,
    /// The number of its prefilter, when there are stars inside.
    pub prefilter: Option<usize>,
}

impl Draft<'_> {
    /// The byte that the rule wants at a place; 0 for any.
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

/// Everything that a packed program says.
#[derive(Clone, Debug, Default)]
pub struct Plan<'r> {
    /// The rules, best first.
    pub rules: Vec<Draft<'r>>,
    /// The prefilters: pairs, then singles with a zero behind.
    pub prefilters: Vec<[u8; 2]>,
    /// How many of these are pairs.
    pub pairs: usize,
    /// Where columns look.
    pub probes: [u8; COLUMNS],
    /// How far rules look.
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
