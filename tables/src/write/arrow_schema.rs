//! The Arrow schema of a table, as stored in Parquet files for readers that know Arrow.
//!
//! Parquet has no type for a dictionary of strings: readers treat a word as plain text unless the
//! file's metadata has the original type under [`KEY`], as an Arrow IPC message in base64. The
//! message is a flatbuffer; slots and numbers are those of `Schema.fbs` and `Message.fbs` in the
//! Arrow format. It does not know rows.

use crate::schema::{Column, Kind, Table};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, WIPOffset};

/// The key of the metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// The field `number` of a table.
const fn slot(number: u16) -> u16 {
    4 + 2 * number
}

/// Members of the union `MessageHeader`, of `MetadataVersion`, `Precision` and `TimeUnit`.
const HEADER_SCHEMA: u8 = 1;
const VERSION_5: i16 = 4;
const PRECISION_DOUBLE: i16 = 2;
const UNIT_MILLISECOND: i16 = 1;

/// Members of the union `Type`.
const TYPE_INT: u8 = 2;
const TYPE_FLOATING_POINT: u8 = 3;
const TYPE_UTF8: u8 = 5;
const TYPE_BOOL: u8 = 6;
const TYPE_TIMESTAMP: u8 = 10;

type Offset = WIPOffset<TableFinishedWIPOffset>;

/// The schema in base64.
pub(super) fn encode(table: &Table) -> String {
    let mut out = FlatBufferBuilder::new();
    let mut words = 0..;
    let fields: Vec<Offset> =
        table.columns.iter().map(|column| field(&mut out, column, &mut words)).collect();
    let fields = out.create_vector(&fields);
    let schema = out.start_table();
    out.push_slot_always(slot(1), fields);
    let schema = out.end_table(schema);
    let message = out.start_table();
    out.push_slot_always(slot(0), VERSION_5);
    out.push_slot_always(slot(1), HEADER_SCHEMA);
    out.push_slot_always(slot(2), schema);
    let message = out.end_table(message);
    out.finish(message, None);
    let message = out.finished_data();

    // A marker, the length, and the message up to a multiple of eight.
    let padded = message.len().next_multiple_of(8);
    let mut framed = vec![0xff; 4];
    framed.extend(u32::try_from(padded).unwrap_or(u32::MAX).to_le_bytes());
    framed.extend(message);
    framed.resize(8 + padded, 0);
    BASE64_STANDARD.encode(framed)
}

/// A field; `words` numbers the dictionaries.
fn field(out: &mut FlatBufferBuilder<'_>, column: &Column, words: &mut impl Iterator<Item = i64>) -> Offset {
    let name = out.create_string(column.name);
    let (tag, of_type) = data_type(out, column.kind);
    let dictionary = (column.kind == Kind::Word).then(|| dictionary(out, words.next().unwrap_or_default()));
    // Readers reject a field without a list of children.
    let children = out.create_vector::<Offset>(&[]);
    let field = out.start_table();
    out.push_slot_always(slot(0), name);
    out.push_slot(slot(1), column.nullable, false);
    out.push_slot_always(slot(2), tag);
    out.push_slot_always(slot(3), of_type);
    if let Some(dictionary) = dictionary {
        out.push_slot_always(slot(4), dictionary);
    }
    out.push_slot_always(slot(5), children);
    out.end_table(field)
}

/// The type of the cells, as a member of the union `Type`.
fn data_type(out: &mut FlatBufferBuilder<'_>, kind: Kind) -> (u8, Offset) {
    match kind {
        Kind::Text | Kind::Word => (TYPE_UTF8, empty(out)),
        Kind::Number => (TYPE_INT, integer(out, 64)),
        Kind::Flag => (TYPE_BOOL, empty(out)),
        Kind::Real => {
            let real = out.start_table();
            out.push_slot_always(slot(0), PRECISION_DOUBLE);
            (TYPE_FLOATING_POINT, out.end_table(real))
        }
        Kind::Time => {
            let zone = out.create_string("UTC");
            let time = out.start_table();
            out.push_slot_always(slot(0), UNIT_MILLISECOND);
            out.push_slot_always(slot(1), zone);
            (TYPE_TIMESTAMP, out.end_table(time))
        }
    }
}

fn empty(out: &mut FlatBufferBuilder<'_>) -> Offset {
    let table = out.start_table();
    out.end_table(table)
}

fn integer(out: &mut FlatBufferBuilder<'_>, bits: i32) -> Offset {
    let table = out.start_table();
    out.push_slot_always(slot(0), bits);
    out.push_slot_always(slot(1), true);
    out.end_table(table)
}

/// The encoding of words: numbers of 32 bits.
fn dictionary(out: &mut FlatBufferBuilder<'_>, id: i64) -> Offset {
    let number = integer(out, 32);
    let table = out.start_table();
    out.push_slot_always(slot(0), id);
    out.push_slot_always(slot(1), number);
    out.end_table(table)
}
