//! tar archives: their files are read like those of a directory.
//!
//! It stands above `window`, which may decompress the archive; `input` reads the files. The crate
//! `tar` splits the entries; long names are read here, within a limit, since it has none.
//! Invariants: nothing is written anywhere, so names may have any form; an archive that cannot be
//! split, or has no end, is reported, and not read further.

use crate::archive::{Archive, Entry};
use crate::damage::Damage;
use crate::{ReadLimits, SkipReason};
use ::tar::PaxExtensions;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// The zeros that an archive ends in: a block of its two. No text ends in as many.
const END: usize = 512;

/// An archive in a stream.
pub(crate) struct Tar<R: Read> {
    archive: ::tar::Archive<Zeros<R>>,
    zeros: Rc<Cell<usize>>,
    damage: Damage,
}

impl<R: Read> Tar<R> {
    /// An archive in a stream of which some bytes may be known to be in doubt.
    pub(crate) fn of(stream: R, damage: Option<Damage>) -> Tar<R> {
        let zeros = Rc::default();
        let mut archive = ::tar::Archive::new(Zeros { stream, count: Rc::clone(&zeros) });
        // Archives may be joined by `cat`; and a compressed one is only known to be intact at its
        // end.
        archive.set_ignore_zeros(true);
        Tar { archive, zeros, damage: damage.unwrap_or_default() }
    }

    /// The entries, before anything was read.
    pub(crate) fn entries<'a>(&'a mut self, limits: &'a ReadLimits) -> Result<Entries<'a, R>, SkipReason> {
        // Raw: long names come as entries of their own.
        let entries = self.archive.entries().map_err(|error| not_read(&error))?.raw(true);
        let (zeros, damage) = (&*self.zeros, &self.damage);
        Ok(Entries { entries, zeros, damage, limits, number: 0, end: 0, ended: false })
    }
}

/// A stream, and the number of zeros at the end of what was read of it.
struct Zeros<R> {
    stream: R,
    count: Rc<Cell<usize>>,
}

impl<R: Read> Read for Zeros<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(out)?;
        let zeros = out[..count].iter().rev().take_while(|byte| **byte == 0).count();
        let before = if zeros == count { self.count.get() } else { 0 };
        self.count.set(before.saturating_add(zeros));
        Ok(count)
    }
}

/// The entries of an archive.
pub(crate) struct Entries<'a, R: Read> {
    entries: ::tar::Entries<'a, Zeros<R>>,
    zeros: &'a Cell<usize>,
    damage: &'a Damage,
    limits: &'a ReadLimits,
    number: u64,
    /// The end of the last one in the archive.
    end: u64,
    ended: bool,
}

/// An entry, and what was said of it.
struct Framed<'a, R: Read> {
    entry: ::tar::Entry<'a, Zeros<R>>,
    name: String,
    /// Its data begin with a list of the holes of the file.
    is_sparse: bool,
}

impl<'a, R: Read> Entries<'a, R> {
    /// The next entry; those that describe another are skipped.
    fn framed(&mut self) -> io::Result<Option<Framed<'a, R>>> {
        let (mut long_name, mut is_sparse) = (None, false);
        for entry in self.entries.by_ref() {
            let mut entry = entry?;
            let kind = entry.header().entry_type();
            if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
                let next = description(&mut entry, kind.is_gnu_longname(), self.limits.max_header)?;
                (long_name, is_sparse) = (next.name.or(long_name), is_sparse || next.is_sparse);
            } else if !kind.is_gnu_longlink() && !kind.is_pax_global_extensions() {
                if self.number > self.limits.max_entries {
                    return Err(io::Error::other("more entries than the limit max_entries"));
                }
                let name = long_name.unwrap_or_else(|| entry.path_bytes().into_owned());
                let name = String::from_utf8_lossy(&name).into_owned();
                return Ok(Some(Framed { entry, name, is_sparse }));
            }
        }
        Ok(None)
    }
}

impl<R: Read> Archive for Entries<'_, R> {
    fn next(&mut self) -> Option<Entry<'_>> {
        if self.ended {
            return None;
        }
        self.number += 1;
        let number = self.number;
        Some(match self.framed() {
            Ok(None) => {
                self.ended = true;
                let is_whole = self.zeros.get() >= END;
                let reason =
                    SkipReason::Archive("the archive has no end, so files may be missing".to_owned());
                return (!is_whole).then(|| Entry::last(number, reason));
            }
            Err(error) => {
                self.ended = true;
                Entry::last(number, not_read(&error))
            }
            Ok(Some(Framed { entry, name, is_sparse })) => {
                let kind = entry.header().entry_type();
                let end = entry.raw_file_position().saturating_add(entry.size());
                let is_damaged = self.damage.meets(&(self.end..end));
                let damage = is_damaged.then(Damage::everywhere);
                self.end = end;
                let data: Result<Option<Box<dyn Read + '_>>, _> = if kind.is_dir() || name.ends_with('/') {
                    Ok(None)
                } else if kind.is_file() && !is_sparse {
                    let left = entry.size();
                    Ok(Some(Box::new(Whole { entry, left })))
                } else {
                    Err(SkipReason::NotRegular(name.clone()))
                };
                Entry { number, name, damage, data }
            }
        })
    }
}

/// The reason why an archive is not read further.
fn not_read(error: &io::Error) -> SkipReason {
    SkipReason::Archive(format!("the rest of the archive is not read: {error}"))
}

/// The description of an entry, from the entry before it.
#[derive(Default)]
struct Description {
    name: Option<Vec<u8>>,
    is_sparse: bool,
}

/// Reads the description of the next entry.
fn description<R: Read>(
    entry: &mut ::tar::Entry<'_, R>,
    is_gnu: bool,
    max: usize,
) -> io::Result<Description> {
    if entry.size() > max as u64 {
        return Err(io::Error::other("the name of an entry is longer than the limit max_header"));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    if is_gnu {
        let end = memchr::memchr(0, &bytes).unwrap_or(bytes.len());
        bytes.truncate(end);
        return Ok(Description { name: Some(bytes), is_sparse: false });
    }
    let mut next = Description::default();
    for field in PaxExtensions::new(&bytes) {
        let field = field?;
        match field.key_bytes() {
            // The header has a name of its own then, and `path` may repeat it.
            b"GNU.sparse.name" => next.name = Some(field.value_bytes().to_vec()),
            b"path" if !next.is_sparse => next.name = Some(field.value_bytes().to_vec()),
            b"size" => return Err(io::Error::other("an entry is longer than 8 GiB")),
            _ => {}
        }
        next.is_sparse |= field.key_bytes().starts_with(b"GNU.sparse.");
    }
    Ok(next)
}

/// An entry; an end before its full size is an error.
struct Whole<R> {
    entry: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.entry.read(out)?;
        if count == 0 && self.left > 0 && !out.is_empty() {
            return Err(io::Error::other("the archive ends inside this entry"));
        }
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }
}
