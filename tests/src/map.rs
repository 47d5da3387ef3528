//! Maps images that tests and benches have written.
//!
//! The only place in tests and benches that maps files, and so the only one that promises that they
//! stay unchanged.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError, OpenOptions, Watch};
use std::path::Path;

/// Maps an image that the caller has written and does not change.
///
/// # Errors
/// If it cannot be opened.
pub fn map(path: impl AsRef<Path>) -> Result<Image, OpenError> {
    // SAFETY: tests and benches write their images into their own places, and nothing writes there
    // again.
    unsafe { Image::map(path) }
}

/// Opens an image that the caller has written and does not change while it is asked.
///
/// # Errors
/// If it cannot be opened.
pub fn open(options: OpenOptions, path: impl AsRef<Path>) -> Result<Image, OpenError> {
    // SAFETY: as for `map`.
    unsafe { options.open(path) }
}

/// The same, watched if it is larger than `most` bytes.
///
/// # Errors
/// If it cannot be opened.
pub fn watch(most: u64, path: impl AsRef<Path>) -> Result<(Image, Option<Watch>), OpenError> {
    // SAFETY: as for `map`.
    unsafe { Image::read_or_watch(most, path) }
}
