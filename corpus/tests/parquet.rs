//! Parquet: pages of every encoding are read, and numbers that no page and no metadata can keep are
//! an error before memory is reserved for them.

use ::parquet::basic::{Compression, Encoding};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::{ByteArray, FixedLenByteArray};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use robomaton_corpus::{Input, Item, ReadLimits, read};
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Rows of a file. Many, so that a delta encoding needs several blocks.
const ROWS: usize = 1_000;

fn url(row: usize) -> Vec<u8> {
    format!("http://h{row:04}.example/robots.txt").into_bytes()
}

/// A body; every third row has none.
fn body(row: usize) -> Option<Vec<u8>> {
    (!row.is_multiple_of(3)).then(|| format!("Disallow: /{}\n", "x".repeat(row % 50)).into_bytes())
}

/// A file of a column of URLs of this type, and a column of bodies.
fn file(
    url_type: &str,
    compression: Compression,
    version: WriterVersion,
    encoding: Option<Encoding>,
) -> Vec<u8> {
    let schema = format!("message m {{ required {url_type} url; optional binary body; }}");
    let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_dictionary_enabled(encoding.is_none())
        .set_data_page_row_count_limit(300)
        .set_write_batch_size(100);
    let properties = match encoding {
        Some(encoding) => properties.set_encoding(encoding),
        None => properties,
    };
    let mut out = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut out, schema, Arc::new(properties.build())).expect("a Vec");
    let mut group = writer.next_row_group().expect("a row group");
    while let Some(mut column) = group.next_column().expect("a column") {
        let levels: Vec<i16> = (0..ROWS).map(|row| i16::from(body(row).is_some())).collect();
        match column.untyped() {
            ColumnWriter::FixedLenByteArrayColumnWriter(out) => {
                let urls: Vec<_> = (0..ROWS).map(|row| FixedLenByteArray::from(url(row))).collect();
                out.write_batch(&urls, None, None).expect("values");
            }
            ColumnWriter::ByteArrayColumnWriter(out) if out.get_descriptor().name() == "url" => {
                let urls: Vec<_> = (0..ROWS).map(|row| ByteArray::from(url(row))).collect();
                out.write_batch(&urls, None, None).expect("values");
            }
            ColumnWriter::ByteArrayColumnWriter(out) => {
                let bodies: Vec<_> = (0..ROWS).filter_map(body).map(ByteArray::from).collect();
                out.write_batch(&bodies, Some(&levels), None).expect("values");
            }
            _ => panic!("a column of another type"),
        }
        column.close().expect("a column");
    }
    group.close().expect("a row group");
    writer.close().expect("a file");
    out
}

/// What a file holds: `SITE BODY` of its captures, and reasons.
fn told(bytes: &[u8]) -> Vec<String> {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("x.parquet");
    fs::write(&path, bytes).expect("a file");
    let mut lines = Vec::new();
    let mut tell = |item| {
        lines.push(match item {
            Item::Capture(capture) => format!("{} {}", capture.site, String::from_utf8_lossy(&capture.body)),
            Item::Skipped(skipped) => format!("{} {}", skipped.reason.name(), skipped.reason),
            other => panic!("{other:?}"),
        });
        ControlFlow::Continue(())
    };
    read(&[Input::Path(path)], &ReadLimits::default(), &AtomicU64::new(0), &mut tell).expect("a file");
    lines
}

#[test]
fn pages_of_every_encoding_are_read() {
    let expected: Vec<String> = (0..ROWS)
        .map(|row| {
            let body = String::from_utf8(body(row).unwrap_or_default()).expect("text");
            format!("http://h{row:04}.example {body}")
        })
        .collect();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (url_type, encoding) in [
            ("binary", None),
            ("binary", Some(Encoding::PLAIN)),
            ("binary", Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)),
            ("binary", Some(Encoding::DELTA_BYTE_ARRAY)),
            ("fixed_len_byte_array(31)", None),
            ("fixed_len_byte_array(31)", Some(Encoding::PLAIN)),
            ("fixed_len_byte_array(31)", Some(Encoding::DELTA_BYTE_ARRAY)),
        ] {
            for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
                let told = told(&file(url_type, compression, version, encoding));
                assert!(
                    told == expected,
                    "{version:?} {url_type} {encoding:?} {compression:?}: {:?}",
                    &told[..1]
                );
            }
        }
    }
}

/// Damage to the bodies loses no fetch, as long as its URL can be read.
#[test]
fn rows_behind_damage_to_bodies_are_unread() {
    let whole = file("binary", Compression::SNAPPY, WriterVersion::PARQUET_1_0, Some(Encoding::PLAIN));
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("x.parquet");
    let bodies = (0..whole.len()).find(|&at| whole[at..].starts_with(b"Disallow")).expect("a body");
    let mut damaged = whole;
    damaged[bodies - 20..bodies].fill(0xff);
    fs::write(&path, damaged).expect("a file");
    let (mut read_rows, mut unread) = (0, 0);
    let mut tell = |item| {
        match item {
            Item::Capture(_) => read_rows += 1,
            Item::Revisit(revisit) => {
                assert_eq!((revisit.of.is_empty(), revisit.otherwise.reason.name()), (true, "table"));
                unread += 1;
            }
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    };
    read(&[Input::Path(path)], &ReadLimits::default(), &AtomicU64::new(0), &mut tell).expect("a file");
    assert_eq!(read_rows + unread, ROWS);
    assert!(unread > 0);
}

/// A text that is not the one of its page's checksum is no text. Hadoop and Spark write checksums.
#[test]
fn checksums_of_pages_count() {
    let mut bytes = fs::read("tests/data/page-checksums.parquet").expect("a file");
    let count = |bytes: &[u8]| {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("x.parquet");
        fs::write(&path, bytes).expect("a file");
        let (mut texts, mut others) = (0, 0);
        let mut tell = |item| {
            match item {
                Item::Capture(_) => texts += 1,
                _ => others += 1,
            }
            ControlFlow::Continue(())
        };
        read(&[Input::Path(path)], &ReadLimits::default(), &AtomicU64::new(0), &mut tell).expect("a file");
        (texts, others)
    };
    assert_eq!(count(&bytes), (1, 0));
    let at = (0..bytes.len()).find(|&at| bytes[at..].starts_with(b"Disallow")).expect("a body");
    bytes[at] ^= 8;
    assert_eq!(count(&bytes), (0, 1));
}

/// Numbers count as their type says: seconds with digits behind the point, and what has no sign.
#[test]
fn numbers_have_the_meaning_of_their_type() {
    let told = |fetched_at: &str, value: i64| {
        let schema = format!("message m {{ required binary url; required {fetched_at}; }}");
        let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
        let mut out = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::default()).expect("a Vec");
        let mut group = writer.next_row_group().expect("a row group");
        while let Some(mut column) = group.next_column().expect("a column") {
            let written = match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(out) => {
                    out.write_batch(&[ByteArray::from(url(1))], None, None)
                }
                ColumnWriter::Int32ColumnWriter(out) => out.write_batch(&[value as i32], None, None),
                ColumnWriter::Int64ColumnWriter(out) => out.write_batch(&[value], None, None),
                ColumnWriter::FixedLenByteArrayColumnWriter(out) => {
                    let bytes = (0..9).rev().map(|place| (i128::from(value) >> (8 * place)) as u8);
                    out.write_batch(&[FixedLenByteArray::from(bytes.collect::<Vec<u8>>())], None, None)
                }
                _ => panic!("a column of another type"),
            };
            written.expect("values");
            column.close().expect("a column");
        }
        group.close().expect("a row group");
        writer.close().expect("a file");
        let (home, mut times) = (tempfile::tempdir().expect("a directory"), Vec::new());
        let path = home.path().join("x.parquet");
        fs::write(&path, &out).expect("a file");
        let mut tell = |item| {
            times.push(match item {
                Item::Capture(capture) => Some(capture.fetched_at),
                _ => None,
            });
            ControlFlow::Continue(())
        };
        read(&[Input::Path(path)], &ReadLimits::default(), &AtomicU64::new(0), &mut tell).expect("a file");
        times
    };
    for (fetched_at, value, seconds) in [
        ("int64 fetched_at", 1_735_689_600, Some(1_735_689_600)),
        ("int64 fetched_at (DECIMAL(12,2))", 173_568_960_025, Some(1_735_689_600)),
        ("int64 fetched_at (DECIMAL(12,0))", 1_735_689_600, Some(1_735_689_600)),
        ("fixed_len_byte_array(9) fetched_at (DECIMAL(20,2))", 173_568_960_025, Some(1_735_689_600)),
        ("fixed_len_byte_array(9) fetched_at (DECIMAL(20,0))", -1, None),
        ("int32 fetched_at (INTEGER(32,false))", 3_000_000_000, Some(3_000_000_000)),
        ("int32 fetched_at (DATE)", 20_089, Some(20_089 * 86_400)),
        ("int64 fetched_at (TIMESTAMP(MICROS,true))", 1_735_689_600_000_001, Some(1_735_689_600)),
        ("int64 fetched_at (TIME(MICROS,true))", 3_723_000_000, None),
        ("int32 fetched_at (TIME(MILLIS,true))", 3_723_000, None),
    ] {
        assert_eq!(told(fetched_at, value), [seconds], "{fetched_at}");
    }
}

/// A number as Thrift's compact protocol and delta encodings write it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A structure in Thrift's compact protocol, of numbers in fields that follow each other.
fn numbers(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| [vec![0x15], varint(value * 2)].concat()).collect()
}

/// The header of a page of this type and length, with the field of its type and the numbers in it.
fn header(page_type: u64, length: u64, stored: usize, field: u8, inside: &[u64]) -> Vec<u8> {
    [numbers(&[page_type, length, stored as u64]), vec![field << 4 | 12], numbers(inside), vec![0, 0]]
        .concat()
}

/// A page of values of an encoding, whose column has no missing values.
fn data_page(values: u64, encoding: Encoding, data: &[u8]) -> Vec<u8> {
    let inside = [values, encoding as u64, Encoding::RLE as u64, Encoding::RLE as u64];
    [header(0, data.len() as u64, data.len(), 2, &inside), data.to_vec()].concat()
}

/// A dictionary.
fn dictionary(values: u64, data: &[u8]) -> Vec<u8> {
    let inside = [values, Encoding::PLAIN as u64];
    [header(2, data.len() as u64, data.len(), 4, &inside), data.to_vec()].concat()
}

#[test]
fn numbers_that_no_page_can_keep_are_an_error() {
    let list = |count: u64| [varint(128), varint(4), varint(count), varint(0)].concat();
    // Deltas of no bits.
    let long_list = |count: u64| {
        let blocks = (count - 1).div_ceil(128) as usize;
        [list(count), vec![0; 5 * blocks]].concat()
    };
    let claims = |length| [header(0, length, 20, 2, &[1, 0, 3, 3]), vec![0; 20]].concat();
    let strange = "a structure is not as writers write it";
    let lengths = "a page has more lengths than values, or ends in them";
    let (many, some) = (u64::from(u32::MAX) / 2, 1 << 23);
    for (page, expected) in [
        (claims((1 << 31) - 1), "a page claims 2147483647 bytes; with 20 in the file, 16777216 are the most"),
        (claims(1 << 40), "a page claims 1099511627776 bytes; with 20 in the file, 16777216 are the most"),
        (dictionary(many, &[0; 20]), "a page claims 2147483647 values; 8388608 are the most"),
        (dictionary(21, &[0; 20]), "a dictionary claims more values than it has bytes"),
        (data_page(9, Encoding::DELTA_LENGTH_BYTE_ARRAY, &list(1 << 45)), lengths),
        (data_page(9, Encoding::DELTA_BYTE_ARRAY, &list(10)), lengths),
        (data_page(9, Encoding::DELTA_BYTE_ARRAY, &[long_list(9), list(1 << 45)].concat()), lengths),
        (data_page(9, Encoding::DELTA_BYTE_ARRAY, &long_list(9)), lengths),
        (
            data_page(some + 1, Encoding::DELTA_BYTE_ARRAY, &list(1)),
            "a page claims 8388609 values; 8388608 are the most",
        ),
        // Fields that the crate `parquet` would read otherwise: one without a length, one that is
        // repeated, one of another type, one in a structure, one behind unknown fields.
        (vec![0x15, 0, 0x25, 2, 0x15, 2, 0], "the header of a page lacks a length"),
        ([&numbers(&[0, 20, 20])[..], &[5, 4, 2, 0]].concat(), strange),
        ([&numbers(&[0, 20])[..], &[0x18, 2, 0, 0, 0]].concat(), strange),
        ([&numbers(&[0, 20, 20])[..], &[0x2c, 0x18, 2, 5, 4, 0, 0, 0]].concat(), strange),
        // One behind a list of flags, which has a byte for each by the format.
        ([&numbers(&[0, 20, 20])[..], &[0xf9, 0x51, 5, 4, 0]].concat(), strange),
        (vec![0x15; 80], strange),
    ] {
        // In the place of the first page, which is longer.
        let mut file =
            file("binary", Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, Some(Encoding::PLAIN));
        file[4..4 + page.len()].copy_from_slice(&page);
        assert_eq!(
            told(&file),
            [format!(
                "table damaged table, of which the rest is not read: row group 0: Parquet error: {expected}"
            )]
        );
    }
}

/// An element of a schema: its name, and how many children it has; none for a column.
fn element(name: &[u8], children: Option<u64>) -> Vec<u8> {
    let name = [&[0x18][..], &varint(name.len() as u64), name].concat();
    match children {
        // A byte array that is there in every row.
        None => [&[0x15, 12, 0x25, 0][..], &name, &[0]].concat(),
        Some(children) => [&[0x35, 0][..], &name, &[0x15], &varint(children * 2), &[0]].concat(),
    }
}

/// The metadata of a file without rows, and a field at their end.
fn metadata(schema: &[Vec<u8>], end: &[u8]) -> Vec<u8> {
    let count = varint(schema.len() as u64);
    [&[0x15, 2, 0x19, 0xfc][..], &count, &schema.concat(), &[0x16, 0, 0x19, 0x0c], end, &[0]].concat()
}

#[test]
fn metadata_that_nothing_can_keep_are_an_error() {
    let columns = [element(b"url", None), element(b"body", None)];
    let plain = [&[element(b"schema", Some(2))][..], &columns].concat();
    let with = |groups: &[Vec<u8>]| {
        let root = element(b"schema", Some(3));
        metadata(&[&[root][..], &columns, groups].concat(), &[])
    };
    // Groups in each other, with a column in the last one.
    let deep = |levels: usize| {
        let groups = (0..levels).map(|_| element(b"a", Some(1)));
        with(&groups.chain([element(b"b", None)]).collect::<Vec<_>>())
    };
    let wide = |name: &[u8], count: u64| {
        let columns = (0..count).map(|_| element(b"", None));
        with(&[element(name, Some(count))].into_iter().chain(columns).collect::<Vec<_>>())
    };
    // As many flags as a list may have.
    let flags = |kind: u8| [&[0xf0 | kind][..], &varint((1 << 31) - 1)].concat();
    let strange = "a structure is not as writers write it";
    let children = "an element of the schema has more than 65536 children";
    for (metadata, expected) in [
        (metadata(&plain, &[]), ""),
        (deep(62), ""),
        (wide(b"n", 60_000), ""),
        // An unknown field of 16 bits, as extensions have it.
        (metadata(&plain, &[&[8][..], &varint(65_534), &[3, 1, 2, 3]].concat()), ""),
        (metadata(&plain, &[&[0x69][..], &flags(1)].concat()), strange),
        (metadata(&plain, &[&[0x6a][..], &flags(2)].concat()), strange),
        // A list of lists, a structure with a list, a map.
        (metadata(&plain, &[&[0x69, 0x19][..], &flags(2)].concat()), strange),
        (metadata(&plain, &[&[0x6c, 0x19][..], &flags(2)].concat()), strange),
        (metadata(&plain, &[&[0x6b][..], &varint((1 << 31) - 1), &[0x11]].concat()), strange),
        // The name of the program as a number, and as a list: the crate `parquet` reads a text
        // anyhow, and would see other fields behind it.
        (metadata(&plain, &[&[0x25, 9, 0x49][..], &flags(2)].concat()), strange),
        (metadata(&plain, &[&[0x29, 0x12, 1, 2, 3][..], &flags(2)].concat()), strange),
        // Lists in lists.
        (metadata(&plain, &[&[0x69][..], &[0x19; 40]].concat()), strange),
        (metadata(&[element(b"schema", Some(1 << 30)), columns[0].clone()], &[]), children),
        (metadata(&[element(b"schema", Some(1 << 62)), columns[0].clone()], &[]), children),
        (deep(200_000), "the schema has more than 64 levels"),
        (wide(b"n", 65_536), "the schema has more than 65536 elements"),
        (wide(&[b'n'; 2_000], 60_000), "the paths of the schema take more than 67108864 bytes"),
        (vec![0; (32 << 20) + 1], "the metadata have 33554433 bytes; at most 33554432 are read"),
    ] {
        let length = u32::try_from(metadata.len()).expect("a short list").to_le_bytes();
        let file = [b"PAR1", &metadata[..], &length, b"PAR1"].concat();
        let expected: Vec<String> = match expected {
            "" => Vec::new(),
            _ => {
                let what = format!("damaged table, of which the rest is not read: Parquet error: {expected}");
                vec![format!("table {what}")]
            }
        };
        assert_eq!(told(&file), expected, "{:x?}", &metadata[..metadata.len().min(200)]);
    }
}

#[test]
fn ends_that_are_no_metadata_are_an_error() {
    let whole = file("binary", Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, None);
    let (front, tail) = whole.split_at(whole.len() - 8);
    for (file, expected) in [
        (b"PAR1".to_vec(), "the file ends in its metadata"),
        (
            [front, &u32::MAX.to_le_bytes(), b"PAR1"].concat(),
            "the metadata have 4294967295 bytes; at most 33554432 are read",
        ),
        ([b"PAR1", &99_u32.to_le_bytes()[..], b"PAR1"].concat(), "the file ends in its metadata"),
        ([front, &tail[..4], b"PARE"].concat(), "the metadata are encrypted"),
        ([front, &tail[..4], b"PAR2"].concat(), "Invalid Parquet file. Corrupt footer"),
    ] {
        let what = format!("damaged table, of which the rest is not read: Parquet error: {expected}");
        assert_eq!(told(&file), [format!("table {what}")]);
    }
}
