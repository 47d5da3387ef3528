//! Maps images: those that tests and benches have written themselves.
//!
//! The one place of tests and benches that maps files, and with it the one that promises that they
//! stay as they are.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError};
use std::path::Path;

/// Maps an image that the caller has written and leaves alone.
///
/// # Errors
/// When it cannot be opened.
pub fn map(path: impl AsRef<Path>) -> Result<Image, OpenError> {
    // SAFETY: tests and benches write their images into places of their own, and nothing writes
    // there again.
    unsafe { Image::map(path) }
}
