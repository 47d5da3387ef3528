//! Integer conversions that cannot fail, each with its reason.
//!
//! The rest of the crate writes `index(x)` instead of `x as usize`, so that casts that may lose
//! bits stand out. This file knows no format.

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
