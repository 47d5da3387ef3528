//! The states of files, by which a change is noticed, and the layers that need no second look.
//!
//! [`crate::current`] compares them. Invariant: a layer counts as verified only in the state that
//! it had before it was read for that, and only if its last change was long enough ago that any
//! later one shows. It opens no image.

use robomaton_runtime::{Manifest, files};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Seconds after which a file has settled: more than a tick of any file system's clock.
const SETTLED: i64 = 2;

/// The state of a file, for comparison with a later one.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and inode.
    number: Option<(u64, u64)>,
    /// The time of the last change, which no program can set.
    changed: Option<(i64, i64)>,
    /// True for the manifest of a stack, which is read and not kept.
    pub(crate) is_manifest: bool,
}

impl Stamp {
    /// The files of an image. None if they cannot be listed.
    pub(crate) fn of(path: &Path) -> Vec<Stamp> {
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

    /// Its bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// True if this is the same file in another state.
    pub(crate) fn is_written(&self, before: &Stamp) -> bool {
        self.number.is_some() && self.number == before.number && self != before
    }

    /// True if a later write to the file is sure to have another time: two in one tick of the file
    /// system's clock look alike. Through a mapping, only the first write to a page since that was
    /// written back has a time.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Some((seconds, _)) = self.changed else { return false };
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_secs()).is_ok_and(|now| now.saturating_sub(seconds) > SETTLED)
    }
}

/// The layers of a stack that were verified, by their names, and the states of their files before
/// that. As long as a file has this state, it has the content that was verified.
#[derive(Clone, Default)]
pub(crate) struct Verified(HashMap<String, Vec<Stamp>>);

impl Verified {
    /// The layers of a stack that no write can change unnoticed, as they are now; none of another
    /// image.
    pub(crate) fn candidates(stack: &Path) -> Verified {
        let now = SystemTime::now();
        let names = Manifest::read(stack).map(|manifest| manifest.layers).unwrap_or_default();
        let stamps = names.into_iter().map(|name| {
            let stamps = Stamp::of(&stack.join(&name));
            (name, stamps)
        });
        let is_settled = |stamps: &[Stamp]| stamps.iter().all(|stamp| stamp.is_settled(now));
        Verified(stamps.filter(|(_, stamps)| !stamps.is_empty() && is_settled(stamps)).collect())
    }

    /// True if the files of a layer, as they are now, were verified.
    pub(crate) fn has(&self, stack: &Path, name: &str) -> bool {
        self.0.get(name).is_some_and(|then| *then == Stamp::of(&stack.join(name)))
    }

    /// The stamps of these names.
    pub(crate) fn only(mut self, names: &[String]) -> Verified {
        self.0.retain(|name, _| names.contains(name));
        self
    }
}
