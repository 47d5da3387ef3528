//! Reads a compressed file for its checksums, before it is read for its records.
//!
//! The checksum of a gzip member or a zstd frame is at its end, and damage often leaves data that
//! decompress. Where many records share a member, the first ones would have been passed on before
//! it is known. `input` has each file checked that can be read twice; for a stream that cannot be,
//! `window` looks ahead. It does not know records.

use crate::ReadLimits;
use crate::damage::Damage;
use crate::kind::{HEAD, Kind};
use crate::source::Source;
use crate::window::Window;
use std::io::{self, Read};

/// Members that show whether each record of a WARC file has one.
pub(crate) const FEW: u64 = 8;

/// Reads a file to its end if its records may share members; `None` if they do not. `named` is what
/// its name says of its format.
pub(crate) fn damage(
    file: impl Read,
    named: Option<Kind>,
    limits: &ReadLimits,
) -> io::Result<Option<Damage>> {
    let mut window = Window::new(Source::open(Box::new(file), limits)?);
    let kind = Kind::of_bytes(window.want(HEAD)).or(named);
    Ok(match kind {
        Some(Kind::Jsonl | Kind::Csv | Kind::Tar) => window.damage(|_, _| false),
        Some(Kind::Warc) => {
            let mut shares = false;
            window.damage(|data, members| {
                shares |= has_second_record(data);
                members > FEW && !shares
            })
        }
        Some(Kind::Parquet | Kind::Zip) | None => None,
    })
}

/// True if a WARC record seems to begin behind the first one of a member. A body may quote one.
fn has_second_record(data: &[u8]) -> bool {
    memchr::memmem::find(data, b"\nWARC/").is_some()
}
