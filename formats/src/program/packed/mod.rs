//! Packed programs: the form of small sets of rules (SPEC.md section 6).
//!
//! The rules are sorted best first. Three *probes* are positions of the target that tell the rules
//! apart; for each probe, a column holds the byte that every rule requires there. Comparing 16
//! bytes of a column at a time eliminates nearly all rules. A wildcard rule also has a *trigger*:
//! its rarest byte or byte pair, which must occur somewhere in the target. The remaining candidates
//! are compared in full, and the first match is the best. A verdict therefore takes few branches,
//! and they are well predicted.
//!
//! ```text
//! packed    := front (bit 7 set, bit 4 if any rule is starred), u8 count, u8 pairs, u8 singles, u8 reach, u8 probe × 3, u8 fallback,
//!             (byte × count) × 3, word × (count + 1), [mask starred], [mask wild, trigger × (pairs + singles)], text × count
//! word     := u16: bits 0–13 offset of the text in the program, bit 14 anchored, bit 15 permits
//! trigger  := byte byte, mask
//! mask     := u16 if count ≤ 16, else u64: bit `n` stands for rule `n`
//! ```
//! A text is the pattern without its final `$` or star. Its priority is `2 × (length + anchored +
//! starred) + permits`. The last word says where the last text ends. This file does not know which
//! sets are packed (the compiler's `automaton::packed`) nor how packed programs are executed (the
//! runtime's `packed` and `short`).

mod check;

pub use check::check;

use super::{Priority, permits};
use crate::int::{byte, short, shorts, small};

/// Bit of a program's first byte: the program is packed.
pub const FRONT_PACKED: u8 = 1 << 7;
/// The maximum number of rules in a packed program.
pub const MAX_PACKED: usize = 64;
/// The number of rules that are compared at once.
pub const BLOCK: usize = 16;
/// The minimum reach.
pub const MIN_REACH: u8 = byte(BLOCK);
/// The reach of rules that may look at the whole target.
pub const REACH_ALL: u8 = u8::MAX;
/// The maximum length of a text in bytes.
pub const MAX_LENGTH: usize = 253;

/// The maximum length of all texts together in bytes.
pub const MAX_TEXTS: usize = 15_000;

/// Bit of a packed program's first byte: there is a mask of starred rules.
pub const FRONT_STARRED: u8 = 1 << 4;
/// Bit of a word: the pattern has a final `$`.
pub const ANCHORED: u16 = 1 << 14;
/// Bit of a word: the rule permits.
pub const PERMITS: u16 = 1 << 15;
/// Bits of a word: the offset of the text in the program.
pub const OFFSET: u16 = ANCHORED - 1;

const HEADER: usize = 9;
const COLUMNS: usize = 3;
/// The bytes before the masks of the largest program, plus one block: one bounds check covers them
/// all.
const FRONT: usize = HEADER + COLUMNS * MAX_PACKED + 2 * (MAX_PACKED + 1) + BLOCK;

/// A packed program, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'p> {
    /// The program and the bytes after it.
    bytes: &'p [u8],
    front: &'p [u8; FRONT],
    /// The number of rules.
    pub count: usize,
    /// The number of triggers that are pairs of adjacent bytes.
    pub pairs: usize,
    /// The number of triggers, after the pairs, that are single bytes.
    pub singles: usize,
    /// The number of bytes of the target that rules look at, at least [`MIN_REACH`], or
    /// [`REACH_ALL`].
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
        (count <= MAX_PACKED).then_some(packed)
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
    fn words_at(&self) -> usize {
        HEADER + COLUMNS * self.count
    }

    #[inline(always)]
    fn masks_at(&self) -> usize {
        self.words_at() + 2 * (self.count + 1)
    }

    /// The length of a mask in bytes.
    #[inline(always)]
    fn mask_length(&self) -> usize {
        if self.is_wide() { size_of::<u64>() } else { size_of::<u16>() }
    }

    /// True if masks have eight bytes; else they have two.
    #[inline(always)]
    pub fn is_wide(&self) -> bool {
        self.count > BLOCK
    }

    /// The number of triggers.
    #[inline(always)]
    pub fn trigger_count(&self) -> usize {
        self.pairs + self.singles
    }

    /// The mask at an offset of the program; bits beyond the last rule have no meaning.
    #[inline(always)]
    fn mask(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..)?;
        Some(if self.is_wide() {
            u64::from_le_bytes(*bytes.first_chunk()?)
        } else {
            u16::from_le_bytes(*bytes.first_chunk()?).into()
        })
    }

    /// The rules with a final star. `None` if damaged.
    #[inline]
    pub fn starred(&self) -> Option<u64> {
        if self.front[0] & FRONT_STARRED == 0 { Some(0) } else { self.mask(self.masks_at()) }
    }

    #[inline(always)]
    fn wild_at(&self) -> usize {
        let starred = if self.front[0] & FRONT_STARRED == 0 { 0 } else { self.mask_length() };
        self.masks_at() + starred
    }

    /// The wildcard rules, in a program that has triggers. `None` if damaged.
    #[inline(always)]
    pub fn wild(&self) -> Option<u64> {
        self.mask(self.wild_at())
    }

    /// The triggers, of rules that fit into one block or of more. `None` if damaged.
    #[inline(always)]
    pub fn triggers(&self) -> Option<Triggers<'p>> {
        let at = self.wild_at() + self.mask_length();
        let length = self.trigger_count() * (2 + self.mask_length());
        let bytes = self.bytes.get(at..at + length)?;
        Some(if self.is_wide() {
            Triggers::Wide(bytes.as_chunks().0)
        } else {
            Triggers::Narrow(bytes.as_chunks().0)
        })
    }

    /// The byte pair or byte of each trigger, and the rules that wait for it. `None` if damaged.
    pub fn waiting(&self) -> Option<Vec<([u8; 2], u64)>> {
        Some(match self.triggers()? {
            Triggers::Narrow(triggers) => triggers.iter().map(Trigger::waiting).collect(),
            Triggers::Wide(triggers) => triggers.iter().map(Trigger::waiting).collect(),
        })
    }

    /// The words of the rule with this number, which must exist, and of the next: its own in the
    /// low half.
    #[inline(always)]
    pub fn words(&self, rule: usize) -> Option<u32> {
        let words = self.front.get(self.words_at() + 2 * rule..)?.first_chunk()?;
        Some(u32::from_le_bytes(*words))
    }

    /// The rule with this number, which must exist.
    #[inline(always)]
    pub fn rule(&self, rule: usize) -> Option<PackedRule<'p>> {
        let words = self.words(rule)?;
        let [word, next] = shorts(words);
        let start = word & OFFSET;
        let length = usize::from((next & OFFSET).wrapping_sub(start));
        let is = |bit: u16| Priority::from(word & bit != 0);
        let starred = Priority::from(self.starred()? >> rule & 1 == 1);
        Some(PackedRule {
            text: self.bytes.get(usize::from(start)..)?,
            length,
            wild: self.trigger_count() != 0 && self.wild()? >> rule & 1 == 1,
            anchored: word & ANCHORED != 0,
            priority: 2 * (small(length) + is(ANCHORED) + starred) + is(PERMITS),
        })
    }
}

/// The triggers of a packed program, each two bytes and a mask. A single byte is followed by a
/// zero.
#[derive(Clone, Copy, Debug)]
pub enum Triggers<'p> {
    /// Masks of two bytes.
    Narrow(&'p [[u8; 4]]),
    /// Masks of eight bytes.
    Wide(&'p [[u8; 10]]),
}

/// A trigger: the byte pair or byte, and the rules that wait for it.
pub trait Trigger {
    /// The byte pair or byte, and the rules that wait for it.
    fn waiting(&self) -> ([u8; 2], u64);
}

impl Trigger for [u8; 4] {
    #[inline(always)]
    fn waiting(&self) -> ([u8; 2], u64) {
        let [first, second, mask @ ..] = *self;
        ([first, second], u16::from_le_bytes(mask).into())
    }
}

impl Trigger for [u8; 10] {
    #[inline(always)]
    fn waiting(&self) -> ([u8; 2], u64) {
        let [first, second, mask @ ..] = *self;
        ([first, second], u64::from_le_bytes(mask))
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
    /// The number of its trigger, for a wildcard rule.
    pub trigger: Option<usize>,
}

impl Draft<'_> {
    /// The byte that the rule requires at a position; 0 for any.
    pub fn byte(&self, place: usize) -> u8 {
        self.text.get(place).copied().filter(|_| place < self.prefix).unwrap_or(0)
    }
}

/// The contents of a packed program, before encoding.
#[derive(Clone, Debug, Default)]
pub struct Plan<'r> {
    /// The rules, best first.
    pub rules: Vec<Draft<'r>>,
    /// The triggers: pairs, then single bytes, each followed by a zero.
    pub triggers: Vec<[u8; 2]>,
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
    /// Appends the program; `front` is its first byte without [`FRONT_STARRED`].
    pub fn encode(&self, front: u8, out: &mut Vec<u8>) {
        let Plan { rules, triggers, pairs, probes, reach, fallback } = self;
        let start = out.len();
        let starred = rules.iter().any(|rule| rule.starred);
        let front = front | if starred { FRONT_STARRED } else { 0 };
        let singles = triggers.len() - pairs;
        out.extend_from_slice(&[front, byte(rules.len()), byte(*pairs), byte(singles), *reach]);
        out.extend_from_slice(probes);
        out.push(*fallback);
        for &place in probes {
            out.extend(rules.iter().map(|rule| rule.byte(usize::from(place))));
        }
        let masks = usize::from(starred) + usize::from(!triggers.is_empty()) + triggers.len();
        let words = 2 * (rules.len() + 1);
        let mut offset = out.len() - start + words + masks * self.mask_length() + 2 * triggers.len();
        for rule in rules {
            let flag = |on, bit| if on { bit } else { 0 };
            let flags = flag(rule.anchored, ANCHORED) | flag(permits(rule.priority), PERMITS);
            out.extend_from_slice(&(short(offset) | flags).to_le_bytes());
            offset += rule.text.len();
        }
        out.extend_from_slice(&short(offset).to_le_bytes());
        if starred {
            self.push_mask(|rule| rule.starred, out);
        }
        if !triggers.is_empty() {
            self.push_mask(|rule| rule.trigger.is_some(), out);
        }
        for (number, trigger) in triggers.iter().enumerate() {
            out.extend_from_slice(trigger);
            self.push_mask(|rule| rule.trigger == Some(number), out);
        }
        rules.iter().for_each(|rule| out.extend_from_slice(rule.text));
    }

    /// The length of a mask in bytes.
    fn mask_length(&self) -> usize {
        if self.rules.len() > BLOCK { size_of::<u64>() } else { size_of::<u16>() }
    }

    fn push_mask(&self, is: impl Fn(&Draft<'_>) -> bool, out: &mut Vec<u8>) {
        let bits = self.rules.iter().rev().fold(0u64, |bits, rule| bits << 1 | u64::from(is(rule)));
        out.extend(bits.to_le_bytes().into_iter().take(self.mask_length()));
    }
}
