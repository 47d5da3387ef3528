//! Opens images: those that this crate makes, and those that it merges.
//!
//! The one place of the crate that maps files, and with it the one that promises that they stay as
//! they are. It does not know what becomes of an image.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError};
use std::path::Path;

/// Maps an image file or a directory of shards.
pub(crate) fn open(path: &Path) -> Result<Image, OpenError> {
    // SAFETY: an image is made under a temporary name that nobody else writes to, and put in its
    // place by rename. Those to be merged belong to the caller, whom the documents ask to replace
    // images by rename only.
    unsafe { Image::map(path) }
}
