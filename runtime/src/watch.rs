//! Watches files for modification in place: mapped ones, and any while they are copied.
//!
//! Truncating a mapped file ends the process that reads it. A file that is replaced by rename stays
//! the same for its readers; this module detects the other kind of replacement. `open` makes a
//! watch for readers in other languages, whose callers cannot be held to a promise in Rust, and
//! maps or copies the very files that the watch has opened: a path may lead to another file by
//! then.
//! Invariant: its answer is at most [`TRUSTED`] old.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

/// Nanoseconds for which the files are assumed to be unmodified: a check costs more than a
/// question.
const TRUSTED: u64 = 20_000;

/// The files of an image, as they were when it was opened; made by [`crate::Image::read_or_watch`].
#[derive(Debug)]
pub struct Watch {
    files: Vec<Watched>,
    begun: Instant,
    /// The time of the last check, in nanoseconds since [`Watch::begun`].
    looked_at: AtomicU64,
}

/// A file and its state when it was opened.
#[derive(Debug)]
struct Watched {
    path: PathBuf,
    file: File,
    then: Stamp,
}

/// Length and modification time.
type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &File) -> io::Result<Stamp> {
    file.metadata().map(|data| (data.len(), data.modified().ok()))
}

impl Watch {
    /// Starts with these files.
    ///
    /// # Errors
    /// If one cannot be read: its path, and the operating system's error.
    pub(crate) fn new(files: &[PathBuf]) -> Result<Watch, (PathBuf, io::Error)> {
        let watched = |path: &PathBuf| {
            // Opening a pipe would wait for its writer.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "is neither a file nor a directory"));
            }
            let file = File::open(path)?;
            let then = stamp(&file)?;
            Ok(Watched { path: path.clone(), file, then })
        };
        let files = files.iter().map(|path| watched(path).map_err(|error| (path.clone(), error)));
        let files = files.collect::<Result<_, _>>()?;
        Ok(Watch { files, begun: Instant::now(), looked_at: AtomicU64::new(0) })
    }

    /// The size of the files in bytes, when they were opened.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|watched| watched.then.0).sum()
    }

    /// The file that this path led to when the watch began.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if it is not among the watched files.
    pub(crate) fn file(&self, path: &Path) -> io::Result<&File> {
        let watched = self.files.iter().find(|watched| watched.path == path);
        watched.map(|watched| &watched.file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// True if the files are unmodified now, as far as length and modification time show.
    pub fn is_still_unchanged(&self) -> bool {
        self.files.iter().all(|watched| stamp(&watched.file).is_ok_and(|now| now == watched.then))
    }

    /// The same, at most 20 µs ago: for every question.
    #[inline]
    pub fn is_unchanged(&self) -> bool {
        let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if now.saturating_sub(self.looked_at.load(Ordering::Relaxed)) <= TRUSTED {
            return true;
        }
        let unchanged = self.is_still_unchanged();
        if unchanged {
            self.looked_at.store(now, Ordering::Relaxed);
        }
        unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    #[test]
    fn a_renamed_file_is_read_as_it_was_opened() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (path, newer) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old")?;
        fs::write(&newer, "newer")?;
        let watch = Watch::new(std::slice::from_ref(&path)).map_err(|(_, error)| error)?;
        fs::rename(&newer, &path)?;
        assert_eq!(Memory::copy_file(watch.file(&path)?)?.as_ref(), b"old");
        assert!(watch.is_still_unchanged());
        assert_eq!(watch.bytes(), 3);
        assert!(watch.file(&newer).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
        Ok(())
    }
}
