//! Filters that let a walk skip most positions of a target: the set of bytes, and the set of byte
//! pairs, that segments end with.
//!
//! A filter admits every segment of its program and few other bytes. It does not know the purpose
//! of the segments.

use super::Tails;
use crate::int::{byte, halves, index};
use std::ops::RangeInclusive;

/// A set of bytes modulo 128. It is exact for ASCII, which nearly all canonical text consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter([u64; 2]);

impl Filter {
    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        if let Some(half) = self.0.get_mut(usize::from(byte >> 6 & 1)) {
            *half |= 1 << (byte & 63);
        }
    }

    /// True if a byte may be in the set.
    #[inline(always)]
    pub fn admits(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6 & 1)).is_some_and(|half| half >> (byte & 63) & 1 == 1)
    }

    #[inline(always)]
    pub(super) fn from_bytes(bytes: &[u8; 16]) -> Filter {
        Filter(halves(u128::from_le_bytes(*bytes)))
    }

    /// Appends sixteen bytes: bit `n` of the whole little-endian number stands for byte `n` modulo
    /// 128.
    pub fn push(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|half| out.extend_from_slice(&half.to_le_bytes()));
    }
}

/// The permitted logarithms of the number of bits for byte pairs.
pub(super) const PAIRS: RangeInclusive<u8> = 7..=19;

/// The byte pairs that segments end with, each as a bit of its hash.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'p> {
    bits: &'p [u8],
    log: u8,
}

impl Pairs<'_> {
    /// True if a pair may be in the set.
    #[inline(always)]
    pub fn admits(&self, [before, last]: [u8; 2]) -> bool {
        let bit = pair_bit([before, last], self.log);
        self.bits.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }
}

/// The number of a pair's bit, below 2^log.
#[inline(always)]
fn pair_bit(pair: [u8; 2], log: u8) -> usize {
    // Multiplying by the golden ratio scatters clustered values, such as pairs of letters.
    (u32::from(u16::from_le_bytes(pair)).wrapping_mul(0x9E37_79B1) >> (32 - u32::from(log))) as usize
}

impl Tails {
    /// The byte pairs that segments end with. `None` if the program is damaged.
    #[inline]
    pub fn pairs<'p>(&self, program: &'p [u8]) -> Option<Pairs<'p>> {
        let (at, log) = self.pairs;
        Some(Pairs { bits: program.get(at..at + (1 << log) / 8)?, log })
    }
}

/// The filters of a set of segments, under construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    last: Filter,
    single: Filter,
    pairs: Vec<[u8; 2]>,
}

impl Filters {
    /// Adds a segment. Only its last two bytes count.
    pub fn insert(&mut self, segment: &[u8]) {
        match *segment {
            [.., before, last] => {
                self.last.insert(last);
                self.pairs.push([before, last]);
            }
            [last] => {
                self.last.insert(last);
                self.single.insert(last);
            }
            [] => {}
        }
    }

    /// Appends the filters in header order. At least seven of eight bits for pairs are zero.
    pub fn push(mut self, out: &mut Vec<u8>) {
        self.last.push(out);
        self.single.push(out);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let log = (8 * self.pairs.len()).next_power_of_two().trailing_zeros();
        let log = byte(index(log)).max(*PAIRS.start());
        out.push(log);
        let bits = out.len();
        out.resize(bits + (1 << log) / 8, 0);
        for pair in self.pairs {
            let bit = pair_bit(pair, log);
            if let Some(byte) = out.get_mut(bits + bit / 8) {
                *byte |= 1 << (bit % 8);
            }
        }
    }
}
