//! The current image, and its replacement.
//!
//! Each request takes the image that is current when it begins, and keeps it to its end; the last
//! request frees an old image. Every second, [`crate::watch`] compares the file's length, times
//! and, on Unix, device and inode; of a directory, those of its shards, or of its manifest and the
//! files of its layers. A new file under the name is opened, verified against the rules of the
//! format, and only then made current. A file that cannot be opened is reported once and counted,
//! and the old image stays in use. An image up to a size is a copy in memory, which nobody else can
//! change. A larger one is mapped: if its file is written to in place and does not pass
//! verification again, the image in use is no longer what was verified, and is reported as altered.
//! The clock of the terms is set here, too, so that stale answers are marked in time.

use crate::Options;
use crate::agents::Agents;
use crate::error::Error;
use arc_swap::ArcSwap;
use robomaton_explain::time::now;
use robomaton_runtime::{Image, LeftOut, Manifest, OpenOptions, Terms, files};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// An image with its terms, valid for one second.
pub(crate) struct Served {
    pub(crate) image: Image,
    pub(crate) terms: Terms,
    /// Shared by all terms of an image.
    pub(crate) agents: Arc<Agents>,
    /// The time when it was opened, in seconds since 1970.
    pub(crate) opened_at: u64,
}

/// The current image.
pub(crate) struct Current {
    served: ArcSwap<Served>,
    /// The last attempt to open the file. It is locked only to read or record an attempt.
    last: Mutex<Attempt>,
}

struct Attempt {
    stamps: Vec<Stamp>,
    failure: Option<String>,
    /// The files that the image in use maps, as they were when it was opened; none if it was read.
    mapped: Vec<Stamp>,
    /// True if one of them was written to, and did not pass verification since.
    is_altered: bool,
}

impl Attempt {
    fn new(stamps: Vec<Stamp>, image: &Image, options: &Options) -> Attempt {
        let is_mapped = image.bytes() as u64 > options.map_above;
        let of_image = stamps.iter().filter(|stamp| is_mapped && !stamp.is_manifest);
        let mapped = of_image.cloned().collect();
        Attempt { stamps, failure: None, mapped, is_altered: false }
    }
}

/// The state of a file, for comparison with a later one.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and inode.
    number: Option<(u64, u64)>,
    /// The time of the last change, which no program can set.
    changed: Option<(i64, i64)>,
    /// True for the manifest of a stack, which is read and not kept.
    is_manifest: bool,
}

impl Stamp {
    /// The files of an image. None if they cannot be listed.
    fn of(path: &Path) -> Vec<Stamp> {
        let mut files = files(path).unwrap_or_default();
        files.sort_unstable();
        let manifest = Manifest::path(path);
        let of = |file: &PathBuf| Some(Stamp { is_manifest: *file == manifest, ..Stamp::of_file(file)? });
        files.iter().filter_map(of).collect()
    }

    fn of_file(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let (number, changed) = {
            use std::os::unix::fs::MetadataExt;
            let number = (metadata.dev(), metadata.ino());
            (Some(number), Some((metadata.ctime(), metadata.ctime_nsec())))
        };
        #[cfg(not(unix))]
        let (number, changed) = (None, None);
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        Some(Stamp { length, modified, number, changed, is_manifest: false })
    }

    /// True if this is the same file in another state.
    fn is_written(&self, before: &Stamp) -> bool {
        self.number.is_some() && self.number == before.number && self != before
    }
}

/// Opens an image; the only place that does.
#[allow(unsafe_code)]
fn open(options: &Options) -> Result<Served, Error> {
    let Options { map_above, without_damaged_layers, .. } = *options;
    let opening = OpenOptions { copy_up_to: map_above, without_damaged_layers };
    // SAFETY: the documentation of the service requires that large images are replaced by rename,
    // as `compile` and `merge` do.
    let image = unsafe { opening.open(&options.image)? };
    for LeftOut { name, error } in image.left_out() {
        (options.remark)(&format!("the layer {name} is left out: {error}"));
    }
    if options.verify {
        let path = options.image.clone();
        image.verify().map_err(|error| Error::Broken { path, error })?;
    }
    Ok(Served::new(image, &options.terms, Arc::default(), now()))
}

impl Served {
    fn new(image: Image, terms: &Terms, agents: Arc<Agents>, opened_at: u64) -> Served {
        let terms = Terms { now: Some(now()), ..terms.clone() };
        Served { image: image.with_terms(terms.clone()), terms, agents, opened_at }
    }
}

/// The result of a check of the file.
pub(crate) enum Look {
    /// The file has not changed.
    Same,
    /// A new image is in use.
    Taken,
    /// The file cannot be used, for this reason; true if the reason is new.
    Failed(String, bool),
}

impl Current {
    pub(crate) fn open(options: &Options) -> Result<Current, Error> {
        // Before the file is opened: the next check sees a change in between.
        let stamps = Stamp::of(&options.image);
        let served = open(options)?;
        let last = Mutex::new(Attempt::new(stamps, &served.image, options));
        Ok(Current { served: ArcSwap::from_pointee(served), last })
    }

    /// The current image.
    pub(crate) fn get(&self) -> Arc<Served> {
        self.served.load_full()
    }

    fn last(&self) -> MutexGuard<'_, Attempt> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reason why the current file is not the image in use.
    pub(crate) fn failure(&self) -> Option<String> {
        self.last().failure.clone()
    }

    /// True if the image in use may no longer be the one that was verified.
    pub(crate) fn is_altered(&self) -> bool {
        self.last().is_altered
    }

    /// Opens the file again if it has changed, or if `insist` is set.
    pub(crate) fn look(&self, options: &Options, insist: bool) -> Look {
        let stamps = Stamp::of(&options.image);
        if !insist && stamps == self.last().stamps {
            return Look::Same;
        }
        // Nothing is locked during verification.
        let opened = open(options);
        let mut last = self.last();
        match opened {
            Ok(served) => {
                *last = Attempt::new(stamps, &served.image, options);
                self.served.store(Arc::new(served));
                Look::Taken
            }
            Err(error) => {
                let error = error.to_string();
                let is_news = last.failure.as_ref() != Some(&error);
                last.is_altered |=
                    stamps.iter().any(|now| last.mapped.iter().any(|then| now.is_written(then)));
                last.stamps = stamps;
                last.failure = Some(error.clone());
                Look::Failed(error, is_news)
            }
        }
    }

    /// Sets the clock.
    pub(crate) fn tick(&self, terms: &Terms) {
        let Served { image, opened_at, terms: asked, agents } = &**self.served.load();
        if asked.now != Some(now()) {
            let served = Served::new(image.clone(), terms, Arc::clone(agents), *opened_at);
            self.served.store(Arc::new(served));
        }
    }
}
