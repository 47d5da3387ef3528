//! The image that answers, and how another takes its place.
//!
//! Each request takes the image that is current when it begins, and keeps it to its end; the map of an old one is given
//! back by the last of them. The file is looked at each second: its length, its time and, on Unix, its number; another
//! file under the name is opened, held against the rules of the format, and only then made current. What cannot be
//! opened is said once and counted, and the old image goes on. The clock of the terms is set here, too, so that an
//! answer is stale when it says so.

use crate::error::Error;
use crate::routes::App;
use crate::signals::Hangup;
use crate::{Options, first_of};
use arc_swap::ArcSwap;
use robomaton_explain::time::now;
use robomaton_runtime::{Image, Terms};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// An image, as of one second.
pub(crate) struct Served {
    pub(crate) image: Image,
    pub(crate) terms: Terms,
    /// When it was opened, in seconds since 1970.
    pub(crate) opened_at: u64,
}

/// The image that answers.
pub(crate) struct Current {
    served: ArcSwap<Served>,
    /// What the file was like when it was last tried, and why that failed, if it did. Whoever tries holds this.
    tried: Mutex<Tried>,
}

struct Tried {
    stamp: Option<Stamp>,
    failure: Option<String>,
}

/// What tells one state of a file from another.
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

/// Opens an image: the one place that does.
#[allow(unsafe_code)]
fn open(options: &Options) -> Result<Served, Error> {
    // SAFETY: the documents of the service demand that images are replaced by rename, as `compile`
    // and `merge` do it.
    let image = unsafe { Image::map(&options.image)? };
    if options.verify {
        let path = options.image.clone();
        image.verify().map_err(|error| Error::Broken { path, error })?;
    }
    Ok(Served::new(image, &options.terms, now()))
}

impl Served {
    fn new(image: Image, terms: &Terms, opened_at: u64) -> Served {
        let terms = Terms { now: Some(now()), ..terms.clone() };
        Served { image: image.with_terms(terms.clone()), terms, opened_at }
    }
}

/// What became of a look at the file.
pub(crate) enum Look {
    /// It is as it was.
    Same,
    /// Another image answers.
    Taken,
    /// The file cannot be used, for this reason; whether that is news.
    Failed(String, bool),
}

impl Current {
    pub(crate) fn open(options: &Options) -> Result<Current, Error> {
        // Before it is opened: if it changes in between, the next look sees that.
        let stamp = Stamp::of(&options.image);
        let served = ArcSwap::from_pointee(open(options)?);
        Ok(Current { served, tried: Mutex::new(Tried { stamp, failure: None }) })
    }

    /// The image that answers now.
    pub(crate) fn get(&self) -> Arc<Served> {
        self.served.load_full()
    }

    /// Why the file, as it is now, is not the image that answers.
    pub(crate) fn failure(&self) -> Option<String> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }

    /// Opens the file again if it has changed, or if somebody insists.
    pub(crate) fn look(&self, options: &Options, insist: bool) -> Look {
        let stamp = Stamp::of(&options.image);
        if !insist && stamp == self.tried.lock().unwrap_or_else(PoisonError::into_inner).stamp {
            return Look::Same;
        }
        // Nothing is locked while an image is verified.
        let opened = open(options);
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.stamp = stamp;
        match opened {
            Ok(served) => {
                tried.failure = None;
                self.served.store(Arc::new(served));
                Look::Taken
            }
            Err(error) => {
                let error = error.to_string();
                let is_news = tried.failure.as_ref() != Some(&error);
                tried.failure = Some(error.clone());
                Look::Failed(error, is_news)
            }
        }
    }

    /// Sets the clock.
    fn tick(&self, terms: &Terms) {
        let Served { image, opened_at, terms: asked } = &**self.served.load();
        if asked.now != Some(now()) {
            self.served.store(Arc::new(Served::new(image.clone(), terms, *opened_at)));
        }
    }
}

/// Looks at the file, again and again.
pub(crate) async fn watch(app: Arc<App>, mut hangup: Hangup) {
    let mut ticks = tokio::time::interval(app.options.poll);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let mut insist = false;
        let tick = async {
            ticks.tick().await;
        };
        let called = async {
            hangup.next().await;
            insist = true;
        };
        first_of(tick, called).await;
        let looking = app.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let look = looking.current.look(&looking.options, insist);
            looking.current.tick(&looking.options.terms);
            look
        });
        let remark = app.options.remark;
        match looked.await {
            Ok(Look::Same) => {}
            Ok(Look::Taken) => {
                app.metrics.reloaded(true);
                remark(&format!(
                    "opened {} anew: {} sites",
                    app.options.image.display(),
                    app.current.get().image.len()
                ));
            }
            Ok(Look::Failed(error, is_news)) => {
                app.metrics.reloaded(false);
                if is_news {
                    remark(&format!("{error}; the image that was opened before goes on answering"));
                }
            }
            Err(_) => return,
        }
    }
}
