//! The current image, and its replacement.
//!
//! Each request takes the image that is current when it begins, and keeps it to its end; the last
//! request frees an old image. Every second, [`crate::watch`] compares the file's length,
//! modification time and, on Unix, device and inode. A new file under the name is opened, verified
//! against the rules of the format, and only then made current. A file that cannot be opened is
//! reported once and counted, and the old image stays in use. The clock of the terms is set here,
//! too, so that stale answers are marked in time.

use crate::Options;
use crate::agents::Agents;
use crate::error::Error;
use arc_swap::ArcSwap;
use robomaton_explain::time::now;
use robomaton_runtime::{Image, Terms};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
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
    stamp: Option<Stamp>,
    failure: Option<String>,
}

/// The state of a file, for comparison with a later one.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and inode.
    number: (u64, u64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let number = (0, 0);
        Some(Stamp { length: metadata.len(), modified: metadata.modified().ok(), number })
    }
}

/// Opens an image; the only place that does.
#[allow(unsafe_code)]
fn open(options: &Options) -> Result<Served, Error> {
    // SAFETY: the documentation of the service requires that images are replaced by rename, as
    // `compile` and `merge` do.
    let image = unsafe { Image::map(&options.image)? };
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
        let stamp = Stamp::of(&options.image);
        let served = ArcSwap::from_pointee(open(options)?);
        Ok(Current { served, last: Mutex::new(Attempt { stamp, failure: None }) })
    }

    /// The current image.
    pub(crate) fn get(&self) -> Arc<Served> {
        self.served.load_full()
    }

    /// The reason why the current file is not the image in use.
    pub(crate) fn failure(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }

    /// Opens the file again if it has changed, or if `insist` is set.
    pub(crate) fn look(&self, options: &Options, insist: bool) -> Look {
        let stamp = Stamp::of(&options.image);
        if !insist && stamp == self.last.lock().unwrap_or_else(PoisonError::into_inner).stamp {
            return Look::Same;
        }
        // Nothing is locked during verification.
        let opened = open(options);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.stamp = stamp;
        match opened {
            Ok(served) => {
                last.failure = None;
                self.served.store(Arc::new(served));
                Look::Taken
            }
            Err(error) => {
                let error = error.to_string();
                let is_news = last.failure.as_ref() != Some(&error);
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
