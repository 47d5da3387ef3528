//! tar archives: their files are read as those of a directory are.
//!
//! Stands between `window`, which may unpack the archive, and `input`, which reads what a file holds. The crate `tar` frames
//! the entries; long names are read here, within a limit, since it has none. Invariants: nothing is written anywhere, so
//! what names look like is of no matter; an archive that cannot be framed is told, and not read further.

use crate::SkipReason;
use crate::input::member;
use crate::sink::Sink;
use crate::window::Window;
use ::tar::{Archive, Entry, PaxExtensions};
use std::io::{self, Read};
use std::ops::ControlFlow;

/// Reads all entries of an archive.
pub(crate) fn read(window: &mut Window<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let mut archive = Archive::new(window);
    // Archives may be joined by `cat`; and the end of a packed one is where it shows whether it was sound.
    archive.set_ignore_zeros(true);
    let mut entries = match archive.entries() {
        // Raw: long names come as entries of their own.
        Ok(entries) => entries.raw(true),
        Err(error) => return sink.skip(0, ends(&error)),
    };
    let (mut number, mut long_name) = (1, None);
    loop {
        let mut entry = match entries.next() {
            Some(Ok(entry)) => entry,
            Some(Err(error)) => return sink.skip(number, ends(&error)),
            None => return ControlFlow::Continue(()),
        };
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            match long(&mut entry, kind.is_gnu_longname(), sink.limits.max_header) {
                Ok(name) => long_name = name.or(long_name),
                Err(error) => return sink.skip(number, ends(&error)),
            }
            continue;
        }
        if kind.is_gnu_longlink() || kind.is_pax_global_extensions() {
            continue;
        }
        if number > sink.limits.max_entries {
            return sink.skip(number, ends(&io::Error::other("more entries than the limit max_entries")));
        }
        let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name).into_owned();
        if kind.is_file() && !name.ends_with('/') {
            let left = entry.size();
            member(&name, Box::new(Whole { entry, left }), sink)?;
        } else if !kind.is_dir() && !name.ends_with('/') {
            sink.skip(number, SkipReason::NotRegular(name))?;
        }
        number += 1;
    }
}

/// Why an archive is not read further.
fn ends(error: &io::Error) -> SkipReason {
    SkipReason::Archive(format!("the rest of the archive is not read: {error}"))
}

/// The name of the next entry, in an entry of its own.
fn long<R: Read>(entry: &mut Entry<'_, R>, is_gnu: bool, max: usize) -> io::Result<Option<Vec<u8>>> {
    if entry.size() > max as u64 {
        return Err(io::Error::other("the name of an entry is longer than the limit max_header"));
    }
    let mut octets = Vec::new();
    entry.read_to_end(&mut octets)?;
    if is_gnu {
        let end = memchr::memchr(0, &octets).unwrap_or(octets.len());
        octets.truncate(end);
        return Ok(Some(octets));
    }
    let mut name = None;
    for field in PaxExtensions::new(&octets) {
        let field = field?;
        match field.key_bytes() {
            b"path" => name = Some(field.value_bytes().to_vec()),
            b"size" => return Err(io::Error::other("an entry is longer than 8 GiB")),
            _ => {}
        }
    }
    Ok(name)
}

/// An entry; to end before its size is an error.
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
