//! Writers of the formats of captures: WARC records, compressed members, tables, archives.
//!
//! For tests of the readers and for the fuzz targets. Each writes what common programs write; what
//! is broken on purpose is broken by the tests. A buffer takes everything, so nothing here fails.

use flate2::write::GzEncoder;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{Cursor, Write};
use std::sync::Arc;

/// A WARC record of any type with a block.
pub fn record(kind: &str, uri: &str, date: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: {date}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// One gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_at(flate2::Compression::default(), bytes)
}

/// A gzip member that is not compressed, so that its content stands in it as it is.
pub fn stored_gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_at(flate2::Compression::none(), bytes)
}

fn gzip_at(level: flate2::Compression, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

/// One zstd frame with a checksum.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut packer = zstd::bulk::Compressor::new(3).expect("a level");
    packer.include_checksum(true).expect("a setting");
    packer.compress(bytes).expect("room")
}

/// A frame for each part, after a dictionary in a skippable frame, as in `.warc.zst` files.
pub fn zstd_with_dictionary(dictionary: &[u8], pack_dictionary: bool, parts: &[Vec<u8>]) -> Vec<u8> {
    let stored = if pack_dictionary { zstd(dictionary) } else { dictionary.to_vec() };
    let mut out = skippable(0x5d, &stored);
    let mut packer = zstd::bulk::Compressor::with_dictionary(3, dictionary).expect("a dictionary");
    packer.include_checksum(true).expect("a setting");
    parts.iter().for_each(|part| out.extend(packer.compress(part).expect("room")));
    out
}

/// A skippable frame.
pub fn skippable(first: u8, data: &[u8]) -> Vec<u8> {
    [&[first, 0x2a, 0x4d, 0x18], &(data.len() as u32).to_le_bytes()[..], data].concat()
}

/// A dictionary that zstd built from many records.
pub fn dictionary(record: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let samples: Vec<Vec<u8>> = (0..2000).map(record).collect();
    zstd::dict::from_samples(&samples, 4 << 10).expect("a dictionary")
}

/// A tar archive of these files.
pub fn tar(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, bytes.as_slice()).expect("a Vec takes all");
    }
    builder.into_inner().expect("a Vec takes all")
}

/// A zip archive of these files.
pub fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip_at(zip::CompressionMethod::Deflated, files)
}

/// A zip archive of these files, which are not compressed.
pub fn stored_zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip_at(zip::CompressionMethod::Stored, files)
}

fn zip_at(method: zip::CompressionMethod, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in files {
        writer.start_file(*name, options).expect("a Vec takes all");
        writer.write_all(bytes).expect("a Vec takes all");
    }
    writer.finish().expect("a Vec takes all").into_inner()
}

/// A CSV row.
pub fn csv_row(cells: &[&[u8]]) -> Vec<u8> {
    let mut row = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        row.extend_from_slice(if number > 0 { b",\"" } else { b"\"" });
        cell.iter().for_each(|byte| {
            row.extend_from_slice(if *byte == b'"' { b"\"\"" } else { std::slice::from_ref(byte) })
        });
        row.push(b'"');
    }
    row.extend_from_slice(b"\r\n");
    row
}

/// The values of a column of a Parquet file; `None` only in optional columns.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Of a `binary` column.
    Bytes(Vec<Option<Vec<u8>>>),
    /// Of an `int32` column.
    Int32(Vec<Option<i32>>),
    /// Of an `int64` column.
    Int64(Vec<Option<i64>>),
    /// Of a `double` column.
    Double(Vec<Option<f64>>),
    /// Of a `boolean` column.
    Bool(Vec<Option<bool>>),
}

/// A Parquet file with this schema and with row groups of these columns.
pub fn parquet(schema: &str, compression: Compression, groups: &[Vec<Cells>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, properties).expect("a Vec takes all");
    for cells in groups {
        let mut group = writer.next_row_group().expect("a row group");
        for cells in cells {
            let mut column = group.next_column().expect("a column").expect("as many as the schema has");
            macro_rules! write {
                ($writer:expr, $values:expr, $convert:expr) => {{
                    let levels: Vec<i16> = $values.iter().map(|value| i16::from(value.is_some())).collect();
                    let values: Vec<_> = $values.iter().flatten().cloned().map($convert).collect();
                    $writer.write_batch(&values, Some(&levels), None).expect("values");
                }};
            }
            match (column.untyped(), cells) {
                (ColumnWriter::ByteArrayColumnWriter(out), Cells::Bytes(values)) => {
                    write!(out, values, ByteArray::from)
                }
                (ColumnWriter::Int32ColumnWriter(out), Cells::Int32(values)) => {
                    write!(out, values, |value| value)
                }
                (ColumnWriter::Int64ColumnWriter(out), Cells::Int64(values)) => {
                    write!(out, values, |value| value)
                }
                (ColumnWriter::DoubleColumnWriter(out), Cells::Double(values)) => {
                    write!(out, values, |value| value)
                }
                (ColumnWriter::BoolColumnWriter(out), Cells::Bool(values)) => {
                    write!(out, values, |value| value)
                }
                _ => panic!("cells of another type than the column"),
            }
            column.close().expect("a column");
        }
        group.close().expect("a row group");
    }
    writer.close().expect("a file");
    out
}
