//! Maps the layers of a store, if wanted without those that are missing or damaged.
//!
//! This is the only place of the crate that maps files, and thus the one that promises that they do
//! not change. It does not know what a layer holds.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, LeftOut, OpenError, OpenOptions};
use std::path::Path;

/// Maps the layers that the manifest names.
pub(crate) fn layers(directory: &Path) -> Result<Image, OpenError> {
    // SAFETY: a store writes a layer before the manifest names it, and never writes to it again;
    // who has the lock is the only writer. The documentation requires that others do not change the
    // files of a store.
    unsafe { Image::map(directory) }
}

/// Maps a layer that is to be named by the manifest.
pub(crate) fn layer(path: &Path) -> Result<Image, OpenError> {
    // SAFETY: as for `layers`.
    unsafe { Image::map(path) }
}

/// The layers that the manifest names and that are missing or do not verify.
pub(crate) fn damaged_layers(directory: &Path) -> Result<Vec<LeftOut>, OpenError> {
    let options = OpenOptions { without_damaged_layers: true, ..OpenOptions::default() };
    // SAFETY: as for `layers`.
    Ok(unsafe { options.open(directory)? }.left_out().to_vec())
}
