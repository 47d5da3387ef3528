//! zip archives: their files are read like those of a directory.
//!
//! `input` opens the archive, and reads the files. The crate `zip` reads the directory at the end,
//! with some hundred bytes of memory for each entry. Invariants: an entry that cannot be read
//! affects no other; an archive with overlapping entries is rejected, since it would decompress to
//! more than any file can.

use crate::archive::{Archive, Entry, Member};
use crate::source::CHUNK;
use crate::{ReadLimits, SkipReason};
use ::zip::ZipArchive;
use ::zip::result::ZipError;
use std::fs::File;
use std::io::BufReader;

/// The entries of an archive.
pub(crate) struct Entries {
    archive: ZipArchive<BufReader<File>>,
    /// The number of entries yielded.
    done: usize,
    max_entries: u64,
}

impl Entries {
    /// Reads the directory of an archive.
    pub(crate) fn of(file: File, limits: &ReadLimits) -> Result<Entries, SkipReason> {
        let damaged = |error: ZipError| SkipReason::Archive(format!("the archive is not read: {error}"));
        let mut archive = ZipArchive::new(BufReader::with_capacity(CHUNK, file)).map_err(damaged)?;
        if archive.has_overlapping_entries().map_err(damaged)? {
            return Err(damaged(ZipError::InvalidArchive("entries overlap".into())));
        }
        Ok(Entries { archive, done: 0, max_entries: limits.max_entries })
    }
}

impl Archive for Entries {
    fn next(&mut self) -> Option<Entry<'_>> {
        let index = self.done;
        if index == self.archive.len() {
            return None;
        }
        self.done += 1;
        let number = self.done as u64;
        if number > self.max_entries {
            self.done = self.archive.len();
            let reason = "the rest of the archive is not read: more entries than the limit max_entries";
            return Some(Entry { number, member: Err(SkipReason::Archive(reason.to_owned())) });
        }
        let name = self.archive.name_for_index(index);
        let name = name.and_then(Result::ok).unwrap_or_default().into_owned();
        let member = match self.archive.by_index(index) {
            Ok(entry) if entry.is_dir() => Ok(None),
            Ok(entry) if entry.is_symlink() => Err(SkipReason::NotRegular(name)),
            Ok(entry) => Ok(Some(Member { name, data: Box::new(entry) })),
            Err(error) => Err(SkipReason::Archive(format!("the entry {name:?}: {error}"))),
        };
        Some(Entry { number, member })
    }
}
