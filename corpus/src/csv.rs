//! CSV (RFC 4180) with a header line: one row, one capture, by the names of the columns.
//!
//! Stands between `window` and `row`. Fields are octets, so a body arrives in whatever encoding it was. Invariants: every
//! row is one item, and one with too few or too many fields costs itself alone; a row that does not end within the limit,
//! or damage, ends the table, since inside a quoted body any line may look like a row: what a stranger wrote there must
//! not become a capture of another site. It does not know what the columns mean.

use crate::SkipReason;
use crate::row::{Column, Row};
use crate::sink::Sink;
use crate::window::Window;
use csv_core::{ReadRecordResult, Reader};
use std::ops::ControlFlow;

/// Columns that a table may have.
const MAX_COLUMNS: usize = 4096;

/// The fields of one row: their octets, one behind the other, and where each ends.
struct Record {
    octets: Vec<u8>,
    ends: Vec<usize>,
}

impl Record {
    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.octets[start..end])
    }
}

/// Reads all rows of a file.
pub(crate) fn read(window: &mut Window<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    if let [b'\xff', b'\xfe', ..] | [b'\xfe', b'\xff', ..] = window.want(2) {
        return sink.skip(0, SkipReason::Table("it is UTF-16; write it as UTF-8".to_owned()));
    }
    if window.want(3).starts_with(b"\xef\xbb\xbf") {
        window.take(3);
    }
    let max = sink.limits.max_line;
    let mut reader = Reader::new();
    let header = match record(&mut reader, window, max) {
        Ok(Some(header)) => header,
        Ok(None) => return ControlFlow::Continue(()),
        Err(reason) => return sink.skip(0, reason),
    };
    let columns: Vec<Option<Column>> = header.fields().map(Column::of).collect();
    if let Some(reason) = Column::missing(&columns, header.fields()) {
        return sink.skip(0, reason);
    }
    for number in 1.. {
        match record(&mut reader, window, max) {
            Ok(Some(record)) => {
                let bad = |what: String| SkipReason::Row(what);
                let row = row(&columns, &record).map_err(bad);
                sink.said(number, row.and_then(|row| row.said(sink.limits.max_body, bad)))?;
            }
            Ok(None) => break,
            Err(reason) => return sink.skip(number, reason),
        }
    }
    ControlFlow::Continue(())
}

/// The next row; `None` at the end.
fn record(reader: &mut Reader, window: &mut Window<'_>, max: usize) -> Result<Option<Record>, SkipReason> {
    let mut record = Record { octets: vec![0; max.min(1024)], ends: vec![0; 16] };
    let (mut written, mut ended) = (0, 0);
    loop {
        // At the end there is nothing in the window, which tells the reader to give what it has.
        let data = window.want(1);
        let data_ends = data.is_empty();
        let (result, taken, out, ends) =
            reader.read_record(data, &mut record.octets[written..], &mut record.ends[ended..]);
        window.take(taken);
        (written, ended) = (written + out, ended + ends);
        if data_ends && let Some(damage) = window.pass() {
            return Err(SkipReason::Table(damage.to_string()));
        }
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull if written >= max => return Err(SkipReason::LineTooLong),
            ReadRecordResult::OutputFull => record.octets.resize((2 * written).min(max), 0),
            ReadRecordResult::OutputEndsFull if ended >= MAX_COLUMNS => {
                return Err(SkipReason::Table(format!("a row has more than {MAX_COLUMNS} fields")));
            }
            ReadRecordResult::OutputEndsFull => record.ends.resize(2 * ended, 0),
            ReadRecordResult::Record => {
                record.octets.truncate(written);
                record.ends.truncate(ended);
                return Ok(Some(record));
            }
            ReadRecordResult::End => return Ok(None),
        }
    }
}

fn row(columns: &[Option<Column>], record: &Record) -> Result<Row, String> {
    if record.ends.len() != columns.len() {
        return Err(format!("{} fields, but the header has {}", record.ends.len(), columns.len()));
    }
    let mut row = Row::default();
    for (column, octets) in columns.iter().zip(record.fields()) {
        if let Some(column) = column {
            row.set_octets(*column, octets)?;
        }
    }
    Ok(row)
}
