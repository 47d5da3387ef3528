//! zip archives: their files are read like those of a directory.
//!
//! `input` opens the archive, and reads the files. The crate `zip` reads the directory at the end,
//! with about a kilobyte of memory for each entry, so the length of a directory has a limit.
//! Invariants: an entry that cannot be read affects no other; an archive with overlapping entries
//! is rejected, since it would decompress to more than any file can.

use crate::archive::{Archive, Entry};
use crate::check;
use crate::damage::Damage;
use crate::kind::{HEAD, Kind, Name};
use crate::source::is_packed;
use crate::{ReadLimits, SkipReason};
use ::zip::ZipArchive;
use ::zip::result::ZipError;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

/// Bytes that are read at once. Each entry moves the reader, which drops what it has read.
const BUFFER: usize = 16 << 10;

/// A file of which a limited number of bytes can be read. What an archive says about the length of
/// its directory may be wrong, so the bytes are counted.
struct Counted {
    file: BufReader<File>,
    left: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        let left = self.left.get().checked_sub(count as u64);
        let over = || io::Error::other("its directory is longer than the limit max_zip_directory");
        self.left.set(left.ok_or_else(over)?);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The entries of an archive.
pub(crate) struct Entries<'l> {
    archive: ZipArchive<Counted>,
    /// The number of entries yielded.
    done: usize,
    limits: &'l ReadLimits,
}

impl<'l> Entries<'l> {
    /// Reads the directory of an archive.
    pub(crate) fn of(file: File, limits: &'l ReadLimits) -> Result<Entries<'l>, SkipReason> {
        let damaged = |error: ZipError| SkipReason::Archive(format!("the archive is not read: {error}"));
        let left = Rc::new(Cell::new(limits.max_zip_directory));
        let directory = file.try_clone();
        let file = Counted { file: BufReader::with_capacity(BUFFER, file), left: Rc::clone(&left) };
        let mut archive = ZipArchive::new(file).map_err(damaged)?;
        left.set(u64::MAX);
        if archive.has_overlapping_entries().map_err(damaged)? {
            return Err(damaged(ZipError::InvalidArchive("entries overlap".into())));
        }
        let listed = directory.and_then(|file| headers(file, archive.central_directory_start()));
        // Of entries with one name, the crate keeps the last.
        if listed.map_err(|error| damaged(error.into()))? > archive.len() {
            return Err(damaged(ZipError::InvalidArchive("several entries have one name".into())));
        }
        Ok(Entries { archive, done: 0, limits })
    }

    /// The damage to an entry, as its own checksum and those inside it tell. The text of a host is
    /// read whole anyway.
    fn damage(&mut self, index: usize, name: &str) -> Option<Damage> {
        let named = match Name::of(Path::new(name)) {
            Name::Host(_) => return None,
            Name::Kind(kind) => Some(kind),
            Name::Nothing => None,
        };
        let mut head = Vec::new();
        self.archive.by_index(index).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
        if named.is_none() && !is_packed(&head) && Kind::of_bytes(&head).is_none() {
            return None;
        }
        let mut entry = self.archive.by_index(index).ok()?;
        let inside = match is_packed(&head) {
            true => check::damage(&mut entry, named, self.limits).ok()?,
            false => None,
        };
        match io::copy(&mut entry, &mut io::sink()) {
            Ok(_) => inside,
            Err(_) => Some(Damage::everywhere()),
        }
    }
}

/// The number of headers in the directory that begins here (APPNOTE.TXT 4.3.12).
fn headers(file: File, at: u64) -> io::Result<usize> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    file.seek(SeekFrom::Start(at))?;
    let (mut header, mut count) = ([0; 46], 0);
    while matches!(file.read_exact(&mut header), Ok(())) && header.starts_with(b"PK\x01\x02") {
        let [.., a, b, c, d, e, f] = header[..34] else { break };
        let behind = [[a, b], [c, d], [e, f]].map(|length| i64::from(u16::from_le_bytes(length)));
        file.seek_relative(behind.iter().sum())?;
        count += 1;
    }
    Ok(count)
}

impl Archive for Entries<'_> {
    fn next(&mut self) -> Option<Entry<'_>> {
        let index = self.done;
        if index == self.archive.len() {
            return None;
        }
        self.done += 1;
        let number = self.done as u64;
        if number > self.limits.max_entries {
            self.done = self.archive.len();
            let reason = "the rest of the archive is not read: more entries than the limit max_entries";
            return Some(Entry::last(number, SkipReason::Archive(reason.to_owned())));
        }
        let name = self.archive.name_for_index(index);
        let name = name.and_then(Result::ok).unwrap_or_default().into_owned();
        let damage = self.damage(index, &name);
        let data: Result<Option<Box<dyn Read + '_>>, _> = match self.archive.by_index(index) {
            Ok(entry) if entry.is_dir() => Ok(None),
            Ok(entry) if entry.is_symlink() => Err(SkipReason::NotRegular(name.clone())),
            Ok(entry) => Ok(Some(Box::new(entry))),
            Err(error) => Err(SkipReason::Archive(format!("the entry {name:?}: {error}"))),
        };
        Some(Entry { number, name, damage, data })
    }
}
