//! Files that are mapped, watched for who writes to them in place.
//!
//! A mapped file that is cut short ends the process that reads it. One that is replaced by renaming
//! stays as it is for who has it open; it is the other kind of replacing that is found out here.
//! Invariant: what is said is at most [`TRUSTED`] old.

use robomaton_runtime::SHARD_EXTENSION;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

/// For so many nanoseconds it is taken for granted that nobody writes to the files: looking costs
/// more than a question.
const TRUSTED: u64 = 20_000;

/// The files of an image, as they were when it was opened.
pub(crate) struct Watch {
    files: Vec<(File, Stamp)>,
    begun: Instant,
    /// When they were last looked at, in nanoseconds since [`Watch::begun`].
    looked_at: AtomicU64,
}

/// Length and time of change.
type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &File) -> io::Result<Stamp> {
    file.metadata().map(|data| (data.len(), data.modified().ok()))
}

impl Watch {
    /// Begins with the files that [`robomaton_runtime::Image::map`] maps.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(crate) fn new(path: &Path) -> io::Result<Watch> {
        let mut files = Vec::new();
        let mut add = |path: &Path| {
            // Opening a pipe would wait for whoever writes into it.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "is neither a file nor a directory"));
            }
            let file = File::open(path)?;
            let stamp = stamp(&file)?;
            files.push((file, stamp));
            Ok::<_, io::Error>(())
        };
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
                    add(&path)?;
                }
            }
        } else {
            add(path)?;
        }
        Ok(Watch { files, begun: Instant::now(), looked_at: AtomicU64::new(0) })
    }

    /// Whether nobody has written to the files, so far as length and time of change tell.
    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if now.saturating_sub(self.looked_at.load(Ordering::Relaxed)) <= TRUSTED {
            return true;
        }
        let unchanged = self.files.iter().all(|(file, then)| stamp(file).is_ok_and(|now| now == *then));
        if unchanged {
            self.looked_at.store(now, Ordering::Relaxed);
        }
        unchanged
    }
}
