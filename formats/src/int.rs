//! Conversions between integers that cannot fail, each with its reason.
//!
//! The rest of the crate writes `index(x)` in place of `x as usize`, so that a cast that may lose
//! bits stands out. It knows no format.

#[cfg(not(any(target_pointer_width = "32", target_pointer_width = "64")))]
compile_error!("offsets of 32 bits must fit a usize");

/// An offset or a number as an index: a `usize` has 32 bits at least, which is checked above.
#[inline(always)]
pub const fn index(number: u32) -> usize {
    number as usize
}

/// A length as it stands in a file: a `usize` has 64 bits at most, which is checked above.
#[inline(always)]
pub const fn length(length: usize) -> u64 {
    length as u64
}
