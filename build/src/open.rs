//! Opens images: those that this crate writes, and those that it merges.
//!
//! This is the only place of the crate that maps files, and thus the one that promises that they do
//! not change. It does not know what an image is used for.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError};
use std::path::Path;

/// Maps an image file or a directory of shards.
pub(crate) fn open(path: &Path) -> Result<Image, OpenError> {
    // SAFETY: a new image has a temporary name that nobody else writes to, and is renamed to its
    // path. Images to be merged belong to the caller; the documentation requires that images are
    // replaced by rename only.
    unsafe { Image::map(path) }
}
