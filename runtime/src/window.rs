//! A short target in vectors of sixteen bytes, padded with zeros.
//!
//! A [`Window`] is what the short way (`short`) looks at: it is built once for a question, and
//! nothing after that loops over the target or depends on its length. Invariant: bytes beyond the
//! target are zero, which no rule requires. It does not know rules.

use robomaton_formats::int::small;
use robomaton_formats::notation::first_bytes;
use wide::{i8x16, u8x16, u16x8};

/// The maximum length of a target in a window.
pub(crate) const LONGEST: usize = 64;

/// A target of up to `K` times sixteen bytes.
pub(crate) struct Window<const K: usize> {
    /// The target, and sixteen zeros more, so that sixteen bytes begin at each byte.
    bytes: [u8; LONGEST + 16],
    pub(crate) length: usize,
}

impl<const K: usize> Window<K> {
    /// The window of a target that is not empty and not longer than a window.
    #[inline(always)]
    pub(crate) fn new(target: &[u8]) -> Window<K> {
        let mut bytes = [0; LONGEST + 16];
        let places = bytes.as_chunks_mut().0.iter_mut().take(K);
        places.enumerate().for_each(|(number, place)| *place = block_at(target, 16 * number).to_array());
        Window { bytes, length: target.len() }
    }

    /// The target in vectors.
    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = u8x16> {
        self.bytes.as_chunks().0.iter().take(K).map(|&block| u8x16::new(block))
    }

    /// The byte at a position; positions beyond the longest target wrap around.
    #[inline(always)]
    pub(crate) fn byte(&self, place: u8) -> u8 {
        self.bytes.get(usize::from(place) % LONGEST).copied().unwrap_or(0)
    }

    /// True if the target has the first `size` bytes of a text at a position, which is not beyond
    /// the longest target. `None` if the text is not followed by sixteen bytes.
    #[inline(always)]
    pub(crate) fn has(&self, place: usize, text: &[u8], size: usize) -> Option<bool> {
        let same =
            u8x16::new(*self.bytes.get(place..)?.first_chunk()?).simd_eq(u8x16::new(*text.first_chunk()?));
        let begins = !u64::from(same.to_bitmask()) & Window::<1>::low(size.min(16)) == 0;
        Some(begins && (size <= 16 || self.bytes.get(place + 16..place + size) == text.get(16..size)))
    }

    /// The target.
    #[inline(always)]
    pub(crate) fn target(&self) -> &[u8] {
        self.bytes.get(..self.length.min(LONGEST)).unwrap_or_default()
    }

    /// One bit for each of the first `count` bytes of a window, which has as many.
    #[inline(always)]
    pub(crate) fn low(count: usize) -> u64 {
        let low = !u64::MAX.wrapping_shl(small(count));
        if 16 * K == LONGEST && count == LONGEST { u64::MAX } else { low }
    }

    /// The bits of the bytes for which a test of vectors is true.
    #[inline(always)]
    fn bits(&self, is: impl Fn(u8x16) -> u8x16) -> u64 {
        let bits = |(number, block)| u64::from(is(block).to_bitmask()) << (16 * number);
        self.blocks().enumerate().map(bits).fold(0, |all, bits| all | bits)
    }

    /// The bits of a byte.
    #[inline(always)]
    pub(crate) fn places(&self, byte: u8) -> u64 {
        let wanted = u8x16::splat(byte);
        self.bits(|block| block.simd_eq(wanted))
    }

    /// The bits of bytes that may not be canonical in the notation `rep`, or begin a fragment: all
    /// that `is_plain` refuses, and three harmless ones, `!`, `$` and `~`, so that few comparisons
    /// suffice. Bytes beyond the target have bits, too.
    #[inline(always)]
    pub(crate) fn odd(&self) -> u64 {
        const MOVE: i8 = i8::MIN.wrapping_sub(b'&'.cast_signed());
        self.bits(|block| {
            // Below `&` or above `z`: what lies between them is moved to the least numbers with a
            // sign, the only ones that vectors compare by order.
            let moved = i8x16::new(block.to_array().map(u8::cast_signed)) + i8x16::splat(MOVE);
            let outside = moved.simd_gt(i8x16::splat(b'z'.cast_signed().wrapping_add(MOVE)));
            let outside = u8x16::new(outside.to_array().map(i8::cast_unsigned));
            // `<` and `>`, `\` and `^`, `|` and `~`, which differ in three bits.
            let pairs = (block | u8x16::splat(0x62)).simd_eq(u8x16::splat(0x7E));
            outside | pairs | block.simd_eq(u8x16::splat(b'`'))
        })
    }

    /// The bits of the bytes that equal those of a text, of which as many can be read.
    #[inline(always)]
    pub(crate) fn same(&self, text: &[u8]) -> Option<u64> {
        let others = text.get(..16 * K)?.as_chunks().0;
        let mut same = 0;
        for (number, (block, &other)) in self.blocks().zip(others).enumerate() {
            same |= u64::from(block.simd_eq(u8x16::new(other)).to_bitmask()) << (16 * number);
        }
        Some(same)
    }

    /// True if the target begins as `/robots.txt` does in its first eight bytes.
    #[inline(always)]
    pub(crate) fn may_be_robots(&self) -> bool {
        self.bytes.first_chunk() == Some(b"/robots.")
    }

    /// The target for a search of pairs of bytes.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Pairs<K> {
        let words = |from: usize| {
            let mut words = [u16x8::ZERO; K];
            let blocks = self.bytes.get(from..).unwrap_or_default().as_chunks::<16>().0;
            words.iter_mut().zip(blocks).for_each(|(words, &block)| *words = wide::bytemuck::cast(block));
            words
        };
        Pairs { even: words(0), odd: words(1) }
    }
}

/// A target as words of two bytes, from its even positions and from its odd ones.
pub(crate) struct Pairs<const K: usize> {
    even: [u16x8; K],
    odd: [u16x8; K],
}

impl<const K: usize> Pairs<K> {
    /// True if two bytes stand side by side in the target.
    #[inline(always)]
    pub(crate) fn contain(&self, pair: [u8; 2]) -> bool {
        let wanted = u16x8::splat(wide::bytemuck::cast(pair));
        let blocks = self.even.iter().zip(&self.odd);
        let found = blocks.map(|(even, odd)| even.simd_eq(wanted) | odd.simd_eq(wanted));
        found.fold(u16x8::ZERO, |all, here| all | here).any()
    }
}

/// Sixteen bytes of a text from `at` on, with zeros beyond its end.
#[inline(always)]
fn block_at(text: &[u8], at: usize) -> u8x16 {
    match text.get(at..) {
        None => u8x16::ZERO,
        Some(rest) => match (rest.first_chunk(), text.last_chunk()) {
            (Some(&whole), _) => u8x16::new(whole),
            // The last sixteen bytes, without those before `at`.
            (None, Some(&last)) => {
                let shift = 8 * small(16 - rest.len());
                u8x16::new(u128::from_le_bytes(last).checked_shr(shift).unwrap_or_default().to_le_bytes())
            }
            (None, None) => u8x16::new(first_bytes(rest)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_formats::notation::is_plain;

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|n| b'a' + (n % 26) as u8).collect()
    }

    fn check<const K: usize>() {
        for length in 1..=16 * K {
            let text = text(length);
            let window = Window::<K>::new(&text);
            assert_eq!(window.bytes[..length], text);
            assert!(window.bytes[length..].iter().all(|&byte| byte == 0), "{length}");
            let blocks: Vec<u8> = window.blocks().flat_map(|block| block.to_array()).collect();
            assert_eq!(blocks, window.bytes[..16 * K]);
            let pairs = window.pairs();
            for first in b'a'..=b'z' {
                for second in b'a'..=b'z' {
                    let contains = text.windows(2).any(|pair| pair == [first, second]);
                    assert_eq!(pairs.contain([first, second]), contains);
                }
                let places = text.iter().enumerate().filter(|&(_, &byte)| byte == first);
                assert_eq!(window.places(first), places.fold(0, |all, (place, _)| all | 1 << place));
            }
        }
    }

    #[test]
    fn windows_hold_targets() {
        check::<1>();
        check::<2>();
        check::<4>();
    }

    #[test]
    fn what_is_not_odd_is_plain() {
        for byte in 0..=u8::MAX {
            let window = Window::<1>::new(&[b'/', byte, b'a']);
            let is_odd = window.odd() & 0b111 != 0;
            assert_eq!(is_odd, !is_plain(&[byte]) || matches!(byte, b'!' | b'$' | b'~'), "{byte:#x}");
        }
    }
}
