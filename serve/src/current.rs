//! The current image, and its replacement.
//!
//! Each request takes the image that is current when it begins, and keeps it to its end; the last
//! request frees an old image. Every second, [`crate::watch`] compares the file's length, times
//! and, on Unix, device and inode; of a directory, those of its shards, or of its manifest and the
//! files of its layers. A new file under the name is opened, verified against the rules of the
//! format, and only then made current. A file that cannot be opened is reported once and counted,
//! and the old image stays in use; if it may be sound, each check opens it again. An image up to a
//! size is a copy in memory, which nobody else can change. A larger one is mapped: if its file is
//! written to in place and does not pass verification again, the image in use is no longer what was
//! verified, and is reported as altered. Of a stack, a layer whose files are as they were when it
//! was verified is not verified again, unless SIGHUP asks for it. The clock of the terms is set
//! here, too, so that stale answers are marked in time.

use crate::Options;
use crate::agents::Agents;
use crate::error::Error;
use crate::stamps::{Stamp, Verified};
use arc_swap::ArcSwap;
use robomaton_explain::time::now;
use robomaton_runtime::{Image, LeftOut, OpenOptions, Terms};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// `None` if the file is to be opened again even if it does not change.
    stamps: Option<Vec<Stamp>>,
    failure: Option<String>,
    /// The files that the image in use maps, as they were when it was opened; none if it was read.
    mapped: Vec<Stamp>,
    /// True if one of them was written to, and did not pass verification since.
    is_altered: bool,
    /// The layers of the image in use that were verified.
    verified: Verified,
}

impl Attempt {
    fn new(stamps: Vec<Stamp>, opened: &Opened, options: &Options) -> Attempt {
        // What is left out counts, too: all files were looked at.
        let is_mapped = stamps.iter().map(Stamp::length).sum::<u64>() > options.map_above;
        let of_image = stamps.iter().filter(|stamp| is_mapped && !stamp.is_manifest);
        let mapped = of_image.cloned().collect();
        let verified = opened.verified.clone();
        Attempt { stamps: Some(stamps), failure: None, mapped, is_altered: false, verified }
    }
}

/// An image that was opened.
struct Opened {
    served: Served,
    /// The layers that were verified, now or before.
    verified: Verified,
    /// The number of those that were verified now.
    count: u64,
}

/// Opens an image; the only place that does. Layers that are known to be verified are not verified
/// again.
#[allow(unsafe_code)]
fn open(options: &Options, known: &Verified) -> Result<Opened, Error> {
    let Options { map_above, without_damaged_layers, ref image, .. } = *options;
    // Before the layers are read, as the stamps of all files.
    let candidates = Verified::candidates(image);
    let count = Cell::new(0);
    let is_verified = |name: &str| {
        let is_known = known.has(image, name);
        count.set(count.get() + u64::from(!is_known));
        is_known
    };
    let opening = OpenOptions { copy_up_to: map_above, without_damaged_layers };
    // SAFETY: the documentation of the service requires that large images are replaced by rename,
    // as `compile` and `merge` do.
    let opened = unsafe { opening.open_unless(image, &is_verified)? };
    for LeftOut { name, error } in opened.left_out() {
        (options.remark)(&format!("the layer {name} is left out: {error}"));
    }
    if options.verify {
        // Opening without damaged layers has verified all others.
        let verified = opened.verify_unless(|name| without_damaged_layers || is_verified(name));
        verified.map_err(|error| Error::Broken { path: image.clone(), error })?;
    }
    let is_verified = options.verify || without_damaged_layers;
    let names = if is_verified { opened.layer_names() } else { &[] };
    let (verified, count) = (candidates.only(names), count.get());
    Ok(Opened { served: Served::new(opened, &options.terms, Arc::default(), now()), verified, count })
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
    /// A new image is in use, for which so many layers were verified.
    Taken(u64),
    /// The file cannot be used, for this reason; true if the reason is new.
    Failed(String, bool),
}

impl Current {
    pub(crate) fn open(options: &Options) -> Result<Current, Error> {
        // Before the file is opened: the next check sees a change in between.
        let stamps = Stamp::of(&options.image);
        let opened = open(options, &Verified::default())?;
        let last = Mutex::new(Attempt::new(stamps, &opened, options));
        Ok(Current { served: ArcSwap::from_pointee(opened.served), last })
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
        if !insist && self.last().stamps.as_ref() == Some(&stamps) {
            return Look::Same;
        }
        let known = if insist { Verified::default() } else { self.last().verified.clone() };
        // Nothing is locked during verification.
        let opened = open(options, &known);
        let mut last = self.last();
        match opened {
            Ok(opened) => {
                *last = Attempt::new(stamps, &opened, options);
                self.served.store(Arc::new(opened.served));
                Look::Taken(opened.count)
            }
            Err(error) => {
                // It may be sound, and this process cannot read it at present.
                let is_for_now = matches!(&error, Error::Open(error) if !error.is_damage());
                let error = error.to_string();
                let is_news = last.failure.as_ref() != Some(&error);
                last.is_altered |=
                    stamps.iter().any(|now| last.mapped.iter().any(|then| now.is_written(then)));
                last.stamps = (!is_for_now).then_some(stamps);
                last.failure = Some(error.clone());
                Look::Failed(error, is_news)
            }
        }
    }

    /// Sets the clock, unless a new image, which has the time, comes meanwhile.
    pub(crate) fn tick(&self, terms: &Terms) {
        let current = self.served.load();
        let Served { image, opened_at, terms: asked, agents } = &**current;
        if asked.now != Some(now()) {
            let served = Served::new(image.clone(), terms, Arc::clone(agents), *opened_at);
            self.served.compare_and_swap(&current, Arc::new(served));
        }
    }
}
