//! Maps the layers of a store, if wanted without those that are missing or damaged.
//!
//! This is the only place of the crate that maps files, and thus the one that promises that they do
//! not change. It does not know what a layer holds.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError, OpenOptions};
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

/// Maps the layers that the manifest names without those that are missing or do not verify. A layer
/// is not verified again, since its name stands for one content.
pub(crate) fn sound_layers(directory: &Path, is_verified: &dyn Fn(&str) -> bool) -> Result<Image, OpenError> {
    let options = OpenOptions { without_damaged_layers: true, ..OpenOptions::default() };
    // SAFETY: as for `layers`.
    unsafe { options.open_unless(directory, is_verified) }
}
