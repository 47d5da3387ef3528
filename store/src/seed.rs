//! The base of a new store: an image that was compiled elsewhere becomes its only layer.
//!
//! ```text
//!   image or shards ──copy──▶ layer ──verify──▶ manifest
//!   several images, stacks ──merge──▶ layer ──▶ manifest
//! ```
//!
//! Invariants: the store holds no capture before, so none can be older than one below it; until the
//! manifest names the new layer, its files are strays, which the next opening removes. Nothing is
//! compiled. A single image is copied and not linked, since its owner may write into it later, and
//! the layers of a store must not change. It does not know what the image holds.

use crate::files::{failed, layer_name, remove_layer};
use crate::generations::is_named;
use crate::log::sync_directory;
use crate::snapshot::Snapshot;
use crate::store::{check_options, stack};
use crate::{Store, StoreError, open};
use robomaton_build::{Destination, MergeOptions, merge_with};
use robomaton_runtime::{Manifest, OpenError, files};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

impl Store {
    /// Makes an image the base of a store that holds nothing yet. A single image, a file or a
    /// directory of shards, is copied as it is; several images, and the layers of stacks, are
    /// merged, so that the newest capture of each site counts. All are verified. When it returns,
    /// the base is durable; after a kill before that, the store is as it was.
    ///
    /// An image has the times of the fetches if its captures had them, and no validators, failures
    /// or Retry-After. So a fetch of such a site is unconditional. Where the time is unknown, the
    /// site is stale, or unreachable since 1970, and due before all others; any capture with a time
    /// replaces it, and [`Store::evict`] removes it. An unreachable site counts as having failed
    /// once. A host without a scheme answers for both schemes, but its [`Store::state`] is unknown;
    /// it is due as `https`.
    ///
    /// ```
    /// # use robomaton_compiler::{Entry, Options, compile, emit};
    /// use robomaton_store::{Store, StoreOptions};
    ///
    /// # let place = tempfile::tempdir()?;
    /// # let (directory, image) = (place.path().join("crawl.store"), place.path().join("crawl.rimg"));
    /// # let document = compile(b"User-agent: *\nDisallow: /private/\n", None, &Options::default());
    /// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
    /// # std::fs::write(&image, emit(vec![Entry::fetched(site, &document)], &Options::default())?)?;
    /// let store = Store::open(directory, StoreOptions::default())?;
    /// store.seed(&[image])?;
    /// let query = store.query(["mybot"], "crawl");
    /// assert!(!store.decide_at(&query, "https://example.com/private/x", 1_800_000_000).is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`StoreError::NotEmpty`] if the store holds a site, or one is put meanwhile; if there is no
    /// image, one is damaged, or one was compiled with other options; or if a file cannot be
    /// written. The store is as it was then.
    pub fn seed(&self, images: &[PathBuf]) -> Result<(), StoreError> {
        let _compacting = self.compacting();
        let _freezing = self.freezing();
        self.check_empty(&self.current.load())?;
        let name = layer_name(self.take());
        let seeded = self.write_base(&name, images).and_then(|()| self.replace_by_base(&name));
        // A manifest that could not be synced may name it all the same.
        if seeded.is_err() && !is_named(&self.directory, &name) {
            // If it cannot be removed, the next opening does.
            let _ = remove_layer(&self.directory, &name);
        }
        seeded
    }

    fn check_empty(&self, current: &Snapshot) -> Result<(), StoreError> {
        let is_empty = current.stack.layers.layers().all(|layer| layer.is_empty())
            && current.frozen.len() + current.table.len() == 0;
        if is_empty { Ok(()) } else { Err(StoreError::NotEmpty { path: self.directory.clone() }) }
    }

    /// Writes the layer, verified and durable.
    fn write_base(&self, name: &str, images: &[PathBuf]) -> Result<(), StoreError> {
        let path = self.directory.join(name);
        let layer = match images {
            [image] if !Manifest::is_in(image) => {
                copy(image, &path)?;
                // The image is at fault, not its copy.
                let at = || image.clone();
                let copied = open::layer(&path).map_err(|error| match error {
                    OpenError::Image { error, .. } => OpenError::Image { path: at(), error },
                    OpenError::Shards { error, .. } => OpenError::Shards { path: at(), error },
                    other => other,
                })?;
                copied.verify().map_err(|error| OpenError::Image { path: at(), error })?;
                copied
            }
            _ => {
                let destination = Destination::open(&path, None)?;
                merge_with(MergeOptions::default(), images, destination)?;
                open::layer(&path)?
            }
        };
        let named = images.first().unwrap_or(&path);
        check_options(named, &layer, &self.options.compile)
    }

    /// Replaces the manifest, and removes the layers of the former one.
    fn replace_by_base(&self, name: &str) -> Result<(), StoreError> {
        let mut generations = self.generations();
        // No capture is put from here on.
        let writer = self.writer();
        self.check_empty(&self.current.load())?;
        generations.replace(&self.directory, vec![name.to_owned()], name)?;
        // The base was verified.
        let layers = open::layers(&self.directory, false, &|_| true)?;
        self.answer_from(&writer, stack(&self.directory, layers, &self.options.terms)?, false);
        drop(writer);
        self.remove_old(generations)
    }
}

/// Copies an image, a file or a directory of shards, and makes the copy durable. Where the file
/// system shares blocks of equal files, no byte is written.
fn copy(image: &Path, to: &Path) -> Result<(), StoreError> {
    let is_directory = image.is_dir();
    if is_directory {
        fs::create_dir(to).map_err(|error| failed(to, error))?;
    }
    for from in files(image)? {
        let to = match from.file_name().filter(|_| is_directory) {
            Some(shard) => to.join(shard),
            None => to.to_owned(),
        };
        let mut read = File::open(&from).map_err(|error| failed(&from, error))?;
        let written = File::create_new(&to).and_then(|mut written| {
            io::copy(&mut read, &mut written)?;
            written.sync_all()?;
            sync_directory(&to)
        });
        written.map_err(|error| failed(&to, error))?;
    }
    // The name of the directory is durable, too.
    if is_directory { sync_directory(to).map_err(|error| failed(to, error)) } else { Ok(()) }
}
