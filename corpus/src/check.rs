//! Reads a compressed file for its checksums, before it is read for its records.
//!
//! The checksum of a gzip member or a zstd frame is at its end, and damage often leaves data that
//! decompress. Where many records share a member, the first ones would have been passed on before
//! it is known. `input` has each file checked that can be read twice; for a stream that cannot be,
//! `window` looks ahead. It does not know records.

use crate::ReadLimits;
use crate::damage::Damage;
use crate::kind::{HEAD, Kind};
use crate::source::{CHUNK, Source};
use crate::window::Window;
use std::io::{self, Read};

/// Reads a file to its end if its records may share members; `None` if they do not. `named` is what
/// its name says of its format.
pub(crate) fn damage(
    file: impl Read,
    named: Option<Kind>,
    limits: &ReadLimits,
) -> io::Result<Option<Damage>> {
    let mut window = Window::new(Source::open(Box::new(file), limits)?);
    let is_shared = match Kind::of_bytes(window.want(HEAD)).or(named) {
        Some(Kind::Jsonl | Kind::Csv | Kind::Tar) => true,
        Some(Kind::Warc) => has_more_records(&mut window),
        Some(Kind::Parquet | Kind::Zip) | None => false,
    };
    Ok(is_shared.then(|| window.damage()))
}

/// True if a WARC file seems to have more records than members, as its beginning shows. What a body
/// quotes counts, too.
fn has_more_records(window: &mut Window<'_>) -> bool {
    let records = memchr::memmem::find_iter(window.want(CHUNK), b"WARC/1.").count();
    records > window.members().count() + 1
}
