//! The manifest of a store: replacing it, and removing the layers that it names no more.
//!
//! Invariant: a layer is removed only if the manifest on the disk is known not to name it, and, if
//! it was named before, only when the layers of the present manifest answer in its place. It does
//! not know what a layer holds.

use crate::StoreError;
use crate::files::{failed, remove_layer, write_manifest};
use robomaton_runtime::{MOST_LAYERS, Manifest};
use std::io;
use std::path::Path;

/// The manifest, and what only one thread at a time may replace it with.
pub(crate) struct Generations {
    pub(crate) manifest: Manifest,
    /// The generation of the last manifest that was begun. The file may have it although an error
    /// came back, as when its directory could not be synced, so it is not used again.
    last: u64,
    /// True if the manifest names the layer of the frozen table, but the layers could not be opened
    /// since. That table must not become a second layer.
    pub(crate) is_frozen_named: bool,
    /// Layers that the manifest names no more, or never did, and whose files are there still.
    old: Vec<String>,
}

impl Generations {
    pub(crate) fn new(manifest: Manifest) -> Generations {
        Generations { last: manifest.generation, manifest, is_frozen_named: false, old: Vec::new() }
    }

    /// Replaces the manifest by one that names a new layer. From here on, readers have the new
    /// generation. After an error, the new layer is removed: it would fill the disk, one for each
    /// attempt.
    pub(crate) fn replace(
        &mut self,
        directory: &Path,
        layers: Vec<String>,
        new: &str,
    ) -> Result<(), StoreError> {
        self.write(directory, layers).inspect_err(|_| {
            // A manifest that could not be synced may name it all the same. The next one will not.
            if is_named(directory, new) || remove_layer(directory, new).is_err() {
                self.old.push(new.to_owned());
            }
        })
    }

    /// The layers that may be removed, if the layers that answer are these; the caller removes
    /// them.
    pub(crate) fn take_old(&mut self, answering: &[String]) -> Vec<String> {
        // After an error, the file may be another manifest.
        let is_known = self.last == self.manifest.generation;
        if is_known && answering == self.manifest.layers { std::mem::take(&mut self.old) } else { Vec::new() }
    }

    /// Puts back layers that could not be removed.
    pub(crate) fn keep_old(&mut self, layers: Vec<String>) {
        self.old.extend(layers);
    }

    fn write(&mut self, directory: &Path, layers: Vec<String>) -> Result<(), StoreError> {
        // Nobody could read it.
        if layers.len() > MOST_LAYERS {
            let error = io::Error::other(format!("{} layers are too many", layers.len()));
            return Err(failed(&Manifest::path(directory), error));
        }
        self.last += 1;
        let manifest = Manifest { generation: self.last, layers };
        write_manifest(directory, &manifest)?;
        let former = std::mem::replace(&mut self.manifest, manifest).layers;
        self.old.extend(former.into_iter().filter(|name| !self.manifest.layers.contains(name)));
        Ok(())
    }
}

/// True unless the manifest on the disk is known not to name a layer.
pub(crate) fn is_named(directory: &Path, layer: &str) -> bool {
    Manifest::read(directory).map_or(true, |manifest| manifest.layers.iter().any(|name| name == layer))
}
