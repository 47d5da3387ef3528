//! Maps the layers of a store and verifies them, if wanted without those that are missing or
//! damaged. A damaged layer must not answer, nor its text become that of a new one.
//!
//! This is the only place of the crate that maps files, and thus the one that promises that they do
//! not change. It does not know what a layer holds.
#![allow(unsafe_code)]

use robomaton_runtime::{Image, OpenError, OpenOptions};
use std::path::Path;

/// Maps the layers that the manifest names. One that was verified is not verified again, since its
/// name stands for one content.
pub(crate) fn layers(
    directory: &Path,
    without_damaged_layers: bool,
    is_verified: &dyn Fn(&str) -> bool,
) -> Result<Image, OpenError> {
    let options = OpenOptions { without_damaged_layers, ..OpenOptions::default() };
    // SAFETY: a store writes a layer before the manifest names it, and never writes to it again;
    // who has the lock is the only writer. The documentation requires that others do not change the
    // files of a store.
    let layers = unsafe { options.open_unless(directory, is_verified)? };
    // Opening without damaged layers has verified all others.
    let verified = layers.verify_unless(|name| without_damaged_layers || is_verified(name));
    verified.map_err(|error| OpenError::Image { path: directory.to_owned(), error })?;
    Ok(layers)
}

/// Maps a layer that is to be named by the manifest.
pub(crate) fn layer(path: &Path) -> Result<Image, OpenError> {
    // SAFETY: as for `layers`.
    unsafe { Image::map(path) }
}
