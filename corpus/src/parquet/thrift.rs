//! Structures in Thrift's compact protocol: what they hold, told to a caller without keeping it.
//!
//! It stands below `footer` and `pages`. The crate `parquet` reads the same bytes again. It takes
//! the last of repeated fields, believes its own types of fields whatever the file says, and passes
//! over lists of flags one by one without reading a byte for each, so it could see other numbers
//! than this file does, or never end. Invariant: only structures pass that both read alike, in time
//! linear in their bytes: fields in the order of their numbers, as all writers write them, with the
//! types of the format; no map and no list of flags, which the format has nowhere. It does not know
//! what the numbers mean. Format: Apache Thrift, `thrift-compact-protocol.md`, and
//! `parquet.thrift`.

use super::damage;
use ::parquet::errors::Result;
use std::io::{self, BufRead, Read};

/// The depth of structures and lists, at most. Those of the format have up to nine.
const DEPTH: u32 = 32;

/// A structure of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// `FileMetaData`.
    File,
    /// `SchemaElement`.
    Schema,
    LogicalType,
    DecimalType,
    /// `TimeType` and `TimestampType`.
    TimeType,
    TimeUnit,
    IntType,
    VariantType,
    /// `GeometryType` and `GeographyType`.
    GeographyType,
    RowGroup,
    SortingColumn,
    ColumnChunk,
    /// `ColumnMetaData`.
    Column,
    Statistics,
    PageEncodingStats,
    SizeStatistics,
    GeospatialStatistics,
    BoundingBox,
    KeyValue,
    ColumnOrder,
    PageHeader,
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    /// One that the format does not have, or one without fields.
    Other,
}

/// The kind of value in a field.
enum Holds {
    Number,
    /// A number of one byte.
    Byte,
    /// A number of eight bytes.
    Double,
    Bytes,
    Inside(Structure),
    /// A list of these; or of what its own type says, if they are `Other`.
    List(Structure),
    /// A value of the type that the file says. The crate `parquet` believes the file here, too.
    Any,
}

impl Structure {
    fn holds(self, field: u16) -> Holds {
        use Structure as S;
        match (self, field) {
            (S::File, 2) => Holds::List(S::Schema),
            (S::File, 4) => Holds::List(S::RowGroup),
            (S::File, 5) => Holds::List(S::KeyValue),
            (S::File, 7) => Holds::List(S::ColumnOrder),
            (S::Schema, 10) => Holds::Inside(S::LogicalType),
            (S::LogicalType, 5) => Holds::Inside(S::DecimalType),
            (S::LogicalType, 7 | 8) => Holds::Inside(S::TimeType),
            (S::LogicalType, 10) => Holds::Inside(S::IntType),
            (S::LogicalType, 16) => Holds::Inside(S::VariantType),
            (S::LogicalType, 17 | 18) => Holds::Inside(S::GeographyType),
            (S::TimeType, 2) => Holds::Inside(S::TimeUnit),
            (S::RowGroup, 1) => Holds::List(S::ColumnChunk),
            (S::RowGroup, 4) => Holds::List(S::SortingColumn),
            (S::ColumnChunk, 3) => Holds::Inside(S::Column),
            (S::Column, 12) | (S::DataPageHeader, 5) | (S::DataPageHeaderV2, 8) => {
                Holds::Inside(S::Statistics)
            }
            (S::Column, 13) => Holds::List(S::PageEncodingStats),
            (S::Column, 16) => Holds::Inside(S::SizeStatistics),
            (S::Column, 17) => Holds::Inside(S::GeospatialStatistics),
            (S::GeospatialStatistics, 1) => Holds::Inside(S::BoundingBox),
            (S::PageHeader, 5) => Holds::Inside(S::DataPageHeader),
            (S::PageHeader, 7) => Holds::Inside(S::DictionaryPageHeader),
            (S::PageHeader, 8) => Holds::Inside(S::DataPageHeaderV2),
            (S::LogicalType, 1..=4 | 6 | 11..=15 | 19)
            | (S::TimeUnit | S::ColumnOrder, 1..=3)
            | (S::PageHeader, 6) => Holds::Inside(S::Other),
            (S::Column | S::GeospatialStatistics, 2) | (S::SizeStatistics, 2 | 3) => Holds::List(S::Other),
            (S::File, 6)
            | (S::Schema, 4)
            | (S::GeographyType | S::ColumnChunk, 1)
            | (S::Statistics, 1 | 2 | 5 | 6)
            | (S::KeyValue, 1 | 2) => Holds::Bytes,
            (S::IntType | S::VariantType, 1) => Holds::Byte,
            (S::BoundingBox, 1..=8) => Holds::Double,
            (S::File, 1 | 3)
            | (S::Schema, 1..=3 | 5..=9)
            | (S::DecimalType | S::DictionaryPageHeader, 1 | 2)
            | (S::GeographyType, 2)
            | (S::RowGroup, 2 | 3 | 5 | 7)
            | (S::SortingColumn | S::SizeStatistics, 1)
            | (S::ColumnChunk, 2 | 4..=7)
            | (S::Column, 1 | 4..=7 | 9..=11 | 14 | 15)
            | (S::Statistics, 3 | 4 | 9)
            | (S::PageEncodingStats, 1..=3)
            | (S::PageHeader | S::DataPageHeader, 1..=4)
            | (S::DataPageHeaderV2, 1..=6) => Holds::Number,
            _ => Holds::Any,
        }
    }
}

/// A value of a field.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// A number of up to 64 bits as it is stored: twice the number, or one less than twice the
    /// amount of a negative one.
    Number(u64),
    /// The length of bytes.
    Bytes(u64),
}

/// Takes a value, given its structure and the number of its field.
pub(super) type Tell<'t> = &'t mut dyn FnMut(Structure, u16, Value) -> Result<()>;

/// Reads a structure to its end, and tells its values and those of the structures in it.
pub(super) fn read(from: &mut impl BufRead, structure: Structure, tell: Tell<'_>) -> Result<()> {
    fields(from, structure, DEPTH, tell)
}

fn fields(from: &mut impl BufRead, structure: Structure, depth: u32, tell: Tell<'_>) -> Result<()> {
    let depth = depth.checked_sub(1).ok_or_else(strange)?;
    let mut field = 0_u16;
    loop {
        let head = byte(from)?;
        if head == 0 {
            return Ok(());
        }
        let next = match u16::from(head >> 4) {
            // A number of 16 bits with a sign follows.
            0 => u16::try_from(varint(from)?).ok().filter(|number| number % 2 == 0).map(|number| number / 2),
            step => field.checked_add(step),
        };
        field = next.filter(|next| *next > field).ok_or_else(strange)?;
        let tell_value = &mut |value| tell(structure, field, value);
        match (structure.holds(field), head & 15) {
            (Holds::Number, kind @ 4..=6)
            | (Holds::Byte, kind @ 3)
            | (Holds::Double, kind @ 7)
            | (Holds::Bytes, kind @ 8) => simple(from, kind, tell_value)?,
            (Holds::Inside(inside), 12) => fields(from, inside, depth, tell)?,
            (Holds::List(items), 9) => list(from, items, depth, tell)?,
            (Holds::Any, 9 | 10) => list(from, Structure::Other, depth, tell)?,
            (Holds::Any, 12) => fields(from, Structure::Other, depth, tell)?,
            // The type of a flag is its value.
            (Holds::Any, 1 | 2) => {}
            (Holds::Any, kind) => simple(from, kind, tell_value)?,
            _ => return Err(strange()),
        }
    }
}

/// Reads a list whose items, if they are structures, are these.
fn list(from: &mut impl BufRead, items: Structure, depth: u32, tell: Tell<'_>) -> Result<()> {
    let depth = depth.checked_sub(1).ok_or_else(strange)?;
    let head = byte(from)?;
    let kind = head & 15;
    let count = match u64::from(head >> 4) {
        15 => varint(from)?,
        count => count,
    };
    for _ in 0..count {
        match kind {
            9 | 10 => list(from, Structure::Other, depth, tell)?,
            12 => fields(from, items, depth, tell)?,
            _ => simple(from, kind, &mut |_| Ok(()))?,
        }
    }
    Ok(())
}

/// Reads a value that is no flag and has no others in it.
fn simple(from: &mut impl BufRead, kind: u8, tell: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
    match kind {
        3 => pass(from, 1),
        4..=6 => tell(Value::Number(varint(from)?)),
        7 => pass(from, 8),
        8 => {
            let length = varint(from)?;
            tell(Value::Bytes(length))?;
            pass(from, length)
        }
        // A UUID.
        13 => pass(from, 16),
        _ => Err(strange()),
    }
}

fn strange() -> ::parquet::errors::ParquetError {
    damage("a structure is not as writers write it")
}

/// Passes over bytes.
fn pass(from: &mut impl BufRead, length: u64) -> Result<()> {
    if io::copy(&mut from.take(length), &mut io::sink())? == length {
        Ok(())
    } else {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
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
