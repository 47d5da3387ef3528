//! CSV and JSON lines: one line per row.
//!
//! Both write times in RFC 3339. It does not know Parquet.

use super::Sink;
use crate::schema::{Cell, Table};
use jiff::Timestamp;
use serde_json::Value;
use std::io::{self, BufWriter, Write};

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Comma-separated values.
pub(super) struct Csv<W: Write> {
    out: csv::Writer<W>,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(table: &Table, out: W) -> io::Result<Csv<W>> {
        let mut out = csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        out.write_record(table.columns.iter().map(|column| column.name)).map_err(io::Error::from)?;
        Ok(Csv { out })
    }
}

impl<W: Write> Sink for Csv<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match *cell {
                Cell::Null => self.out.write_field(""),
                Cell::Text(text) => self.out.write_field(text),
                Cell::Number(number) => self.out.write_field(number.to_string()),
                Cell::Real(number) => self.out.write_field(number.to_string()),
                Cell::Flag(flag) => self.out.write_field(if flag { "true" } else { "false" }),
                Cell::Time(seconds) => self.out.write_field(rfc3339(seconds)?),
            }
            .map_err(io::Error::from)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(io::Error::from)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// JSON lines.
pub(super) struct Jsonl<W: Write> {
    columns: &'static [crate::schema::Column],
    out: BufWriter<W>,
}

impl<W: Write> Jsonl<W> {
    pub(super) fn new(table: &'static Table, out: W) -> Jsonl<W> {
        Jsonl { columns: table.columns, out: BufWriter::with_capacity(BUFFER, out) }
    }
}

impl<W: Write> Sink for Jsonl<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (number, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            // Names of columns need no escapes.
            write!(self.out, "{}\"{}\":", if number == 0 { "{" } else { "," }, column.name)?;
            match *cell {
                Cell::Null => self.out.write_all(b"null"),
                Cell::Text(text) => serde_json::to_writer(&mut self.out, text).map_err(io::Error::from),
                Cell::Number(number) => write!(self.out, "{number}"),
                Cell::Real(number) => write!(self.out, "{}", Value::from(number)),
                Cell::Flag(flag) => write!(self.out, "{flag}"),
                Cell::Time(seconds) => write!(self.out, "\"{}\"", rfc3339(seconds)?),
            }?;
        }
        self.out.write_all(b"}\n")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// Seconds since 1970 in RFC 3339, which ends with the year 9999.
fn rfc3339(seconds: u64) -> io::Result<String> {
    let moment = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    moment
        .map(|moment| moment.to_string())
        .ok_or_else(|| io::Error::other(format!("{seconds} seconds since 1970 are after the year 9999")))
}
