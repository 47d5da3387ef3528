//! The three formats: reading gives the rows written, equal rows give equal bytes, and rows that do
//! not fit are refused.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use robomaton_tables::schema::{Cell, Column, Kind, Table};
use robomaton_tables::write::{Format, Writer};
use std::io::{self, Write};

static TABLE: Table = Table {
    name: "t",
    about: "a test",
    columns: &[
        column("text", Kind::Text),
        column("word", Kind::Word),
        column("number", Kind::Number),
        column("real", Kind::Real),
        column("flag", Kind::Flag),
        column("time", Kind::Time),
        Column { name: "always", kind: Kind::Number, nullable: false, about: "" },
    ],
};

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, nullable: true, about: "" }
}

fn full(number: u64) -> [Cell<'static>; 7] {
    let text = Cell::Text("a \"b\",\r\n\u{0}\u{e9}");
    let time = Cell::Time(1_566_259_200);
    [text, Cell::Text("w"), Cell::Number(7), Cell::Real(2.5), Cell::Flag(true), time, Cell::Number(number)]
}

fn empty() -> [Cell<'static>; 7] {
    let mut cells = [Cell::Null; 7];
    cells[6] = Cell::Number(2);
    cells
}

fn written(format: Format, rows: &[[Cell<'_>; 7]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&TABLE, format, &mut out).expect("a writer");
    rows.iter().for_each(|row| writer.row(row).expect("a row"));
    assert_eq!(writer.finish().expect("an end"), rows.len() as u64);
    out
}

#[test]
fn lines() {
    let rows = [full(1), empty()];
    let csv = String::from_utf8(written(Format::Csv, &rows)).expect("UTF-8");
    let expected = "text,word,number,real,flag,time,always\n\
                    \"a \"\"b\"\",\r\n\u{0}\u{e9}\",w,7,2.5,true,2019-08-20T00:00:00Z,1\n,,,,,,2\n";
    assert_eq!(csv, expected);
    let jsonl = String::from_utf8(written(Format::Jsonl, &rows)).expect("UTF-8");
    let expected = "{\"text\":\"a \\\"b\\\",\\r\\n\\u0000\u{e9}\",\"word\":\"w\",\"number\":7,\"real\":2.5,\"flag\":true,\
                    \"time\":\"2019-08-20T00:00:00Z\",\"always\":1}\n\
                    {\"text\":null,\"word\":null,\"number\":null,\"real\":null,\"flag\":null,\"time\":null,\"always\":2}\n";
    assert_eq!(jsonl, expected);
    assert_eq!(written(Format::Csv, &[]), b"text,word,number,real,flag,time,always\n");
    assert_eq!(written(Format::Jsonl, &[]), b"");
}

#[test]
fn parquet_comes_back() {
    let rows: Vec<_> =
        (0..20_000).map(|number| if number % 3 == 0 { empty() } else { full(number) }).collect();
    let bytes = written(Format::Parquet, &rows);
    assert_eq!(bytes, written(Format::Parquet, &rows), "equal rows give equal bytes");
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("a file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let mut count = 0;
    for (row, cells) in reader.get_row_iter(None).expect("rows").zip(&rows) {
        let row = row.expect("a row");
        let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
        for (field, cell) in fields.into_iter().zip(cells) {
            let fits = match (field, *cell) {
                (Field::Null, Cell::Null) => true,
                (Field::Str(found), Cell::Text(text)) => found == text,
                (&Field::Long(found), Cell::Number(number)) => found == number as i64,
                (&Field::Double(found), Cell::Real(number)) => found == number,
                (&Field::Bool(found), Cell::Flag(flag)) => found == flag,
                (&Field::TimestampMillis(found), Cell::Time(seconds)) => found == seconds as i64 * 1_000,
                _ => false,
            };
            assert!(fits, "{field:?} is not {cell:?}");
        }
        count += 1;
    }
    assert_eq!(count, rows.len());
}

#[test]
fn what_does_not_fit_is_refused() {
    for format in Format::ALL {
        let fails = |cells: &[Cell<'_>], what: &str| {
            let mut writer = Writer::new(&TABLE, format, io::sink()).expect("a writer");
            let error = writer.row(cells).expect_err(what).to_string();
            assert!(error.contains(what) && error.contains("table t"), "{error}");
        };
        fails(&full(1)[..6], "a row of 6 cells, not 7");
        let with = |at: usize, cell| {
            let mut cells = full(1);
            cells[at] = cell;
            cells
        };
        fails(&with(6, Cell::Null), "column always cannot hold Null");
        fails(&with(0, Cell::Number(1)), "column text cannot hold");
        fails(&with(5, Cell::Number(1)), "column time cannot hold");
        // RFC 3339 ends with the year 9999; Parquet has no number beyond 63 bits.
        let mut writer = Writer::new(&TABLE, format, io::sink()).expect("a writer");
        assert!(writer.row(&with(5, Cell::Time(u64::MAX))).is_err(), "{format:?}");
    }
}

/// A file on a full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    for format in Format::ALL {
        let write = || -> io::Result<u64> {
            let mut writer = Writer::new(&TABLE, format, Full)?;
            writer.row(&full(1))?;
            writer.finish()
        };
        let error = write().expect_err("nothing can be written");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{format:?}: {error}");
    }
}
