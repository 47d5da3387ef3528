//! Integer conversions and indexing by types, each with its reason. Lints forbid to cast so that
//! bits may be lost, and to index, in every other place of this crate and of the runtime.
//!
//! This file knows no format.

#[cfg(not(any(target_pointer_width = "32", target_pointer_width = "64")))]
compile_error!("offsets of 32 bits must fit a usize");

/// An offset or number as an index. A `usize` has at least 32 bits, as checked above.
#[inline(always)]
pub const fn index(number: u32) -> usize {
    number as usize
}

/// A length as stored in a file. A `usize` has at most 64 bits, as checked above.
#[inline(always)]
pub const fn length(length: usize) -> u64 {
    length as u64
}

/// A number that the caller has bounded, such as a shift, a place in a bucket or a length that was
/// checked when the image was opened. Builds with debug assertions check it.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it; see above")]
pub const fn small(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize);
    number as u32
}

/// Like [`small`], for a number below 2¹⁶.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it; see `small`")]
pub const fn short(number: usize) -> u16 {
    debug_assert!(number <= u16::MAX as usize);
    number as u16
}

/// Like [`small`], for a number below 2⁸.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it; see `small`")]
pub const fn byte(number: usize) -> u8 {
    debug_assert!(number <= u8::MAX as usize);
    number as u8
}

/// The low bits of a number of which others are not wanted, such as a part of a hash.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it")]
pub const fn low_byte(number: u64) -> u8 {
    number as u8
}

/// The low half of a number.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it")]
pub const fn low_half(number: u64) -> u32 {
    number as u32
}

/// Both halves of a number, the low one first.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it")]
pub const fn shorts(number: u32) -> [u16; 2] {
    [number as u16, (number >> 16) as u16]
}

/// Both halves of a number, the low one first.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one place for it")]
pub const fn halves(number: u128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

/// The element for a byte, of an array that has one for each.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
pub fn of_byte<T>(all: &[T; 256], byte: u8) -> &T {
    &all[byte as usize]
}
