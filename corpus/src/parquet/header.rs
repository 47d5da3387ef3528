//! The two lengths in the header of a page, a structure in Thrift's compact protocol.
//!
//! It stands below `pages`. The crate `parquet` reads the header again, takes the last of repeated
//! fields, and believes its own types of fields whatever the file says, so it could see other
//! lengths than this file does. Invariant: only headers pass that both read alike: fields in the
//! order of their numbers, as all writers write them, with the types of the format; and no unknown
//! field but numbers, flags and bytes. It does not know what else a header says. Format: Apache
//! Thrift, `thrift-compact-protocol.md`, and `PageHeader` in `parquet.thrift`.

use super::damage;
use ::parquet::errors::Result;
use std::io::{self, BufRead, Read};

/// The lengths of a page.
pub(super) struct Lengths {
    /// Bytes of the page.
    pub(super) page: u64,
    /// Bytes in the file.
    pub(super) stored: u64,
}

/// A structure in a header.
#[derive(Clone, Copy)]
enum Structure {
    Header,
    Data,
    Index,
    Dictionary,
    DataV2,
    Statistics,
}

/// What a field holds, by its structure and its number.
enum Holds {
    Number,
    Inside(Structure),
    /// What its own type says: a number, a flag or bytes.
    Simple,
}

impl Structure {
    fn holds(self, field: u8) -> Holds {
        match (self, field) {
            (Structure::Header, 5) => Holds::Inside(Structure::Data),
            (Structure::Header, 6) => Holds::Inside(Structure::Index),
            (Structure::Header, 7) => Holds::Inside(Structure::Dictionary),
            (Structure::Header, 8) => Holds::Inside(Structure::DataV2),
            (Structure::Data, 5) | (Structure::DataV2, 8) => Holds::Inside(Structure::Statistics),
            (Structure::Header | Structure::Data, 1..=4)
            | (Structure::Dictionary, 1..=2)
            | (Structure::DataV2, 1..=6) => Holds::Number,
            _ => Holds::Simple,
        }
    }
}

impl Lengths {
    /// Reads the header at the front of `from`.
    pub(super) fn read(mut from: impl BufRead) -> Result<Lengths> {
        let (mut page, mut stored) = (None, None);
        fields(&mut from, Structure::Header, &mut |field, number| match field {
            2 => page = Some(number),
            3 => stored = Some(number),
            _ => {}
        })?;
        // Twice the number, or for a negative one twice its amount less one.
        let length = |number: Option<u64>| number.filter(|number| number % 2 == 0).map(|number| number / 2);
        match (length(page), length(stored)) {
            (Some(page), Some(stored)) => Ok(Lengths { page, stored }),
            _ => Err(damage("the header of a page lacks a length")),
        }
    }
}

/// Reads the fields of a structure to its end, and tells the numbers of those that hold one.
fn fields(from: &mut impl BufRead, structure: Structure, tell: &mut dyn FnMut(u8, u64)) -> Result<()> {
    let unknown = || damage("the header of a page is not as writers write it");
    let mut field = 0_u8;
    loop {
        let head = byte(from)?;
        if head == 0 {
            return Ok(());
        }
        // Without a step, the number of the field would follow: one that was there before, perhaps.
        let step = Some(head >> 4).filter(|step| *step > 0).ok_or_else(unknown)?;
        field = field.checked_add(step).ok_or_else(unknown)?;
        match (structure.holds(field), head & 15) {
            (Holds::Number, 4..=6) => tell(field, varint(from)?),
            (Holds::Inside(inside), 12) => fields(from, inside, &mut |_, _| {})?,
            // The type of a flag is its value.
            (Holds::Simple, 1 | 2) => {}
            (Holds::Simple, 4..=6) => drop(varint(from)?),
            (Holds::Simple, 8) => {
                let length = varint(from)?;
                if io::copy(&mut from.take(length), &mut io::sink())? != length {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
            }
            _ => return Err(unknown()),
        }
    }
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Takes a number of up to ten bytes, seven bits in each, the lowest first.
pub(super) fn varint(from: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for place in 0..10 {
        let byte = byte(from)?;
        number |= u64::from(byte & 0x7F).wrapping_shl(7 * place);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number has more than ten bytes"))
}
