//! zip archives: their files are read as those of a directory are.
//!
//! Stands between `input`, which has the file, and `input` again, which reads what a file in it holds. The crate `zip` reads
//! the directory at the end, some hundred octets of memory for each entry. Invariants: an entry that cannot be read costs
//! itself alone; entries that overlap are refused with their archive, since they would unpack to more than any file can.

use crate::SkipReason;
use crate::input::member;
use crate::sink::Sink;
use crate::window::CHUNK;
use ::zip::ZipArchive;
use ::zip::result::ZipError;
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;

/// Reads all entries of an archive.
pub(crate) fn read(file: File, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let damaged = |error: ZipError| SkipReason::Archive(format!("the archive is not read: {error}"));
    let mut archive = match ZipArchive::new(BufReader::with_capacity(CHUNK, file)) {
        Ok(archive) => archive,
        Err(error) => return sink.skip(0, damaged(error)),
    };
    match archive.has_overlapping_entries() {
        Ok(false) => {}
        Ok(true) => return sink.skip(0, damaged(ZipError::InvalidArchive("entries overlap".into()))),
        Err(error) => return sink.skip(0, damaged(error)),
    }
    for (number, index) in (1..).zip(0..archive.len()) {
        if number > sink.limits.max_entries {
            let what = "the rest of the archive is not read: more entries than the limit max_entries";
            return sink.skip(number, SkipReason::Archive(what.to_owned()));
        }
        let name = archive.name_for_index(index).and_then(Result::ok).unwrap_or_default().into_owned();
        match archive.by_index(index) {
            Ok(entry) if entry.is_dir() => {}
            Ok(entry) if entry.is_symlink() => sink.skip(number, SkipReason::NotRegular(name))?,
            Ok(entry) => member(&name, Box::new(entry), sink)?,
            Err(error) => sink.skip(number, SkipReason::Archive(format!("the entry {name:?}: {error}")))?,
        }
    }
    ControlFlow::Continue(())
}
