//! Integer conversions, each with its reason. No other file of this crate and of the runtime casts a
//! number so that bits may be lost: a lint forbids it (`cast_possible_truncation`).
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
