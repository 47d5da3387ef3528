//! Lanes: the form of programs for small sets of rules (SPEC.md section 6).
//!
//! The rules stand best first. Of three places in the target that tell the set's rules apart, the byte that each rule
//! wants stands in a column, so a few comparisons of sixteen bytes rule out nearly all rules; of those with a star
//! inside, a *trigger* must occur somewhere in the target, too. What is left is compared in full, and the first that
//! matches is the best. So a verdict depends on few branches, and which way they go hardly ever surprises.
//!
//! ```text
//! lanes    := front (bit 7 set), u8 count, u8 pairs, u8 singles, u8 reach, u8 place × 3, u8 otherwise,
//!             (byte × count) × 3, kind × count, u16 offset × (count + 1),
//!             [trigger × triggers, mask wild, mask × triggers], text × count
//! kind     := u8: bit 0 permits, bit 1 anchored, bit 2 starred, bit 3 wild
//! trigger  := byte byte
//! mask     := u16 × ⌈count / 16⌉: bit `n` of the whole little-endian number stands for rule `n`
//! ```
//! A text is the pattern without its final `$` or star. Its tag is `2 × (length + anchored + starred) + permits`. This
//! file does not know which sets become lanes (the compiler's `automaton::lanes`) nor how they are asked (the runtime's
//! `lanes`).

mod check;

pub use check::check;

use super::{Tag, permits};

/// Bit of a program's front: it has the form of lanes.
pub const FRONT_LANES: u8 = 1 << 7;
/// A program of this form has at most so many rules.
pub const MAX_LANES: usize = 64;
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

const HEAD: usize = 9;
const COLUMNS: usize = 3;
/// Bytes before the triggers of the largest program, and a block more: one check of bounds covers them all.
const FRONT: usize = HEAD + (COLUMNS + 3) * MAX_LANES + 2 + BLOCK;

/// A program of lanes in place.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'p> {
    /// The program and what stands behind it.
    bytes: &'p [u8],
    front: &'p [u8; FRONT],
    /// How many rules.
    pub count: usize,
    /// How many triggers are two bytes that follow one another.
    pub pairs: usize,
    /// How many triggers, behind those, are single bytes.
    pub singles: usize,
    /// So many bytes of the target are looked at, at most; or [`REACH_ALL`].
    pub reach: u8,
    /// The places in the target that columns speak of.
    pub places: [u8; COLUMNS],
    /// The tag of the rule that matches every target; 0 when none does.
    pub otherwise: Tag,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane<'p> {
    /// The text and everything behind it.
    pub text: &'p [u8],
    /// How much of that is the text.
    pub length: usize,
    /// Whether there are stars inside.
    pub wild: bool,
    /// Whether the text must end where the target ends.
    pub anchored: bool,
    /// What it gives.
    pub tag: Tag,
}

impl<'p> Lanes<'p> {
    /// Whether the program at the start of `bytes` has this form.
    #[inline(always)]
    pub fn is_at(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|front| front & FRONT_LANES != 0)
    }

    /// Reads the front of the program at the start of `bytes`. `None` when it is damaged.
    #[inline(always)]
    pub fn read(bytes: &'p [u8]) -> Option<Lanes<'p>> {
        let front = bytes.first_chunk::<FRONT>()?;
        let &[_, count, pairs, singles, reach, p0, p1, p2, otherwise] = front.first_chunk::<HEAD>()?;
        let (count, pairs, singles) = (usize::from(count), usize::from(pairs), usize::from(singles));
        let otherwise = Tag::from(otherwise);
        let lanes = Lanes { bytes, front, count, pairs, singles, reach, places: [p0, p1, p2], otherwise };
        (count <= MAX_LANES && pairs + singles <= MAX_LANES).then_some(lanes)
    }

    /// A bit for each rule, of which there must be one.
    #[inline(always)]
    pub fn all(&self) -> u64 {
        u64::MAX >> (MAX_LANES - self.count.clamp(1, MAX_LANES))
    }

    /// The bytes that the rules of block `number` want at place `column`, zero where a rule takes any. What stands
    /// behind the last rule's byte means nothing.
    #[inline(always)]
    pub fn column(&self, column: usize, number: usize) -> Option<&'p [u8; BLOCK]> {
        let at = HEAD + column * self.count.min(MAX_LANES) + number * BLOCK;
        self.front.get(at..at + BLOCK)?.first_chunk()
    }

    #[inline(always)]
    fn kinds_at(&self) -> usize {
        HEAD + COLUMNS * self.count
    }

    #[inline(always)]
    fn offsets_at(&self) -> usize {
        self.kinds_at() + self.count
    }

    #[inline(always)]
    fn triggers_at(&self) -> usize {
        self.offsets_at() + 2 * (self.count + 1)
    }

    /// How many triggers.
    #[inline(always)]
    pub fn triggered(&self) -> usize {
        self.pairs + self.singles
    }

    /// The bytes of all triggers, pairs first. Of a single one, the first counts. `None` when damaged, as below.
    #[inline(always)]
    pub fn triggers(&self) -> Option<&'p [[u8; 2]]> {
        let at = self.triggers_at();
        Some(self.bytes.get(at..at + 2 * self.triggered())?.as_chunks().0)
    }

    /// Bytes of a mask.
    #[inline(always)]
    fn mask_length(&self) -> usize {
        2 * self.count.div_ceil(BLOCK)
    }

    /// Mask `number` of those behind the triggers.
    #[inline(always)]
    fn mask(&self, number: usize) -> Option<u64> {
        let at = self.triggers_at() + 2 * self.triggered() + number * self.mask_length();
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?) & self.all())
    }

    /// Bits of the rules with stars inside, in a program that has triggers.
    #[inline(always)]
    pub fn wild(&self) -> Option<u64> {
        self.mask(0)
    }

    /// Bits of the rules that wait for trigger `trigger`.
    #[inline(always)]
    pub fn waiting(&self, trigger: usize) -> Option<u64> {
        self.mask(1 + trigger)
    }

    #[inline(always)]
    fn texts_at(&self) -> usize {
        let masks = if self.triggered() == 0 { 0 } else { self.mask_length() * (self.triggered() + 1) };
        self.triggers_at() + 2 * self.triggered() + masks
    }

    /// Rule `lane`, which must be one.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Option<Lane<'p>> {
        let kind = *self.front.get(self.kinds_at() + lane)?;
        let &[a, b, c, d] = self.front.get(self.offsets_at() + 2 * lane..)?.first_chunk()?;
        let (start, end) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        let length = usize::from(end.wrapping_sub(start));
        let is = |bit: u8| Tag::from(u8::from(kind & bit != 0));
        Some(Lane {
            text: self.bytes.get(self.texts_at() + usize::from(start)..)?,
            length,
            wild: kind & WILD != 0,
            anchored: kind & ANCHORED != 0,
            tag: 2 * (length as Tag + is(ANCHORED) + is(STARRED)) + is(PERMITS),
        })
    }
}

/// A rule on its way into lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft<'r> {
    /// The pattern without its final `$` or star.
    pub text: &'r [u8],
    /// How much of it stands before the first star.
    pub head: usize,
    /// Whether it had a final `$`.
    pub anchored: bool,
    /// Whether it had a final star.
    pub starred: bool,
    /// Its tag.
    pub tag: Tag,
    /// The number of its trigger, when there are stars inside.
    pub trigger: Option<usize>,
}

impl Draft<'_> {
    /// The byte that the rule wants at a place; 0 for any.
    pub fn byte(&self, place: usize) -> u8 {
        self.text[..self.head].get(place).copied().unwrap_or(0)
    }

    fn kind(&self) -> u8 {
        let flag = |on, bit| if on { bit } else { 0 };
        flag(permits(self.tag), PERMITS)
            | flag(self.anchored, ANCHORED)
            | flag(self.starred, STARRED)
            | flag(self.trigger.is_some(), WILD)
    }
}

/// Everything that a program of lanes says.
#[derive(Clone, Debug, Default)]
pub struct Plan<'r> {
    /// The rules, best first.
    pub rules: Vec<Draft<'r>>,
    /// The triggers: pairs, then singles with a zero behind.
    pub triggers: Vec<[u8; 2]>,
    /// How many of these are pairs.
    pub pairs: usize,
    /// Where columns look.
    pub places: [u8; COLUMNS],
    /// How far rules look.
    pub reach: u8,
    /// The tag of the rule that matches everything.
    pub otherwise: u8,
}

impl Plan<'_> {
    /// Appends the program; `front` is its first byte.
    pub fn encode(&self, front: u8, out: &mut Vec<u8>) {
        let Plan { rules, triggers, pairs, places, reach, otherwise } = self;
        let singles = triggers.len() - pairs;
        out.extend_from_slice(&[front, rules.len() as u8, *pairs as u8, singles as u8, *reach]);
        out.extend_from_slice(places);
        out.push(*otherwise);
        for &place in places {
            out.extend(rules.iter().map(|rule| rule.byte(usize::from(place))));
        }
        out.extend(rules.iter().map(Draft::kind));
        let mut end = 0;
        out.extend_from_slice(&0u16.to_le_bytes());
        for rule in rules {
            end += rule.text.len();
            out.extend_from_slice(&(end as u16).to_le_bytes());
        }
        triggers.iter().for_each(|trigger| out.extend_from_slice(trigger));
        if !triggers.is_empty() {
            self.push_mask(|rule| rule.trigger.is_some(), out);
        }
        (0..triggers.len()).for_each(|number| self.push_mask(|rule| rule.trigger == Some(number), out));
        rules.iter().for_each(|rule| out.extend_from_slice(rule.text));
    }

    fn push_mask(&self, is: impl Fn(&Draft<'_>) -> bool, out: &mut Vec<u8>) {
        for block in self.rules.chunks(BLOCK) {
            let bits = block.iter().rev().fold(0u16, |bits, rule| bits << 1 | u16::from(is(rule)));
            out.extend_from_slice(&bits.to_le_bytes());
        }
    }
}
