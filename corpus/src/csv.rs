//! CSV (RFC 4180) with a header line: each row is a capture, by the names of the columns.
//!
//! It stands between `window` and `row`. Fields are bytes, so bodies may be in any encoding.
//! Invariants: every row is one item; a row with too few or too many fields affects no other, and
//! is one for each URL that it may name; a row that names its URL before its mistake is a fetch
//! that cannot be read; a row that does not end within the limit, or damage, ends the table, since
//! inside a quoted body any line may look like a row: untrusted content must not become a capture
//! of another site. So a carriage return ends a row only if it ends the first one. The last row may
//! lack a line end, but not the end of a quote. It does not know what the columns mean.

use crate::capture::url_text;
use crate::record::{Event, Fetch, NEWEST};
use crate::row::{Column, Row};
use crate::window::{DAMAGED, DOUBT, Window};
use crate::{ReadLimits, SkipReason};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use robomaton_formats::site::SiteKey;

/// The reason for a row that the end of the file cuts.
const CUT: &str = "the file ends inside a quote of this row";

/// The reason for a row that ends where its last field could begin.
const CUT_FIELD: &str = "the file ends behind a comma of this row";

/// The reason for a quote that `csv_core` reads as text, so that a line end behind it ends the row.
const MISPLACED: &str = "a quote inside a field, so where a row ends is not known";

/// The maximum number of columns.
const MAX_COLUMNS: usize = 4096;

/// The rows of a table.
pub(crate) struct Rows<'w, 'a> {
    window: &'w mut Window<'a>,
    limits: &'w ReadLimits,
    lines: Lines,
    columns: Vec<Option<Column>>,
    number: u64,
    /// The events of the last row behind its first one.
    held: Vec<Event>,
    ended: bool,
}

impl<'w, 'a> Rows<'w, 'a> {
    /// Reads the header of a table.
    pub(crate) fn of(window: &'w mut Window<'a>, limits: &'w ReadLimits) -> Result<Rows<'w, 'a>, SkipReason> {
        if let [b'\xff', b'\xfe', ..] | [b'\xfe', b'\xff', ..] = window.want(2) {
            return Err(SkipReason::Table("it is UTF-16; write it as UTF-8".to_owned()));
        }
        window.take_byte_order_mark();
        let mut lines = Lines::of_any();
        let header = lines.fields(window, limits.max_line).map_err(|(_, reason)| reason)?;
        lines = lines.ended_alike(window);
        let columns: Vec<Option<Column>> = header.iter().flat_map(Fields::iter).map(Column::of).collect();
        let missing = header.as_ref().and_then(|header| Column::missing(&columns, header.iter()));
        let ended = header.is_none();
        match missing {
            Some(reason) => Err(reason),
            None => Ok(Rows { window, limits, lines, columns, number: 0, held: Vec::new(), ended }),
        }
    }

    /// The event for a row.
    fn event(&mut self, fields: &Fields) -> Event {
        let (count, expected) = (fields.ends.len(), self.columns.len());
        if count == expected {
            return Row::event(Ok(self.row(fields)), self.number, self.limits.max_body, SkipReason::Row);
        }
        let reason = SkipReason::Row(format!("{count} fields, but the header has {expected}"));
        let mut fetches = self.displaced(fields).into_iter();
        let first = Event::unread(self.number, fetches.next(), reason.clone());
        self.held.extend(fetches.map(|fetch| Event::unread(self.number, Some(fetch), reason.clone())));
        first
    }

    /// The fetches that a row with too few or too many fields may name. Where the mistake is, is
    /// not known, nor which of its fields is the time: its URL is where the column is, or as far
    /// from there as fields are missing or too many. Each of these that may be one counts.
    fn displaced(&self, fields: &Fields) -> Vec<Fetch> {
        let mut fetches: Vec<Fetch> = Vec::new();
        for (column, mark) in [(Column::Url, "://"), (Column::Host, ".")] {
            let Some(place) = self.columns.iter().position(|known| *known == Some(column)) else { continue };
            let other = (place + fields.ends.len()).saturating_sub(self.columns.len());
            let [first, last] = [place.min(other), place.max(other)];
            let near = fields.iter().enumerate().skip(first).take(last - first + 1);
            let names = near.filter_map(|(at, cell)| {
                let url = url_text(cell.trim_ascii());
                let may_be_one = at == place || url.contains(mark);
                (may_be_one && SiteKey::from_host(&url).is_ok()).then_some(url)
            });
            fetches.extend(names.map(|url| Fetch { fetched_at: NEWEST, url: url.into() }));
        }
        fetches.dedup();
        fetches
    }

    /// The row of these fields, which may be the first ones only.
    fn row(&self, fields: &Fields) -> Row {
        let bodies = [Column::Body, Column::BodyBase64].map(Some);
        let mut row = Row::default();
        row.has_body_cell = self.columns.iter().any(|column| bodies.contains(column));
        for (column, bytes) in self.columns.iter().zip(fields.iter()) {
            if let Some(column) = column {
                row.set_bytes(*column, bytes);
            }
        }
        row
    }
}

impl Iterator for Rows<'_, '_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let held = self.held.pop();
        if held.is_some() || self.ended {
            return held;
        }
        self.number += 1;
        match self.lines.fields(self.window, self.limits.max_line) {
            Ok(Some(fields)) if self.window.doubt(0, DOUBT).is_some() => {
                let reason = SkipReason::Row(DAMAGED.to_owned());
                Some(Event::unread(self.number, self.row(&fields).named(), reason))
            }
            Ok(Some(fields)) => Some(self.event(&fields)),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err((first, reason)) => {
                self.ended = true;
                Some(Event::unread(self.number, self.row(&first).named(), reason))
            }
        }
    }
}

/// The fields of one row: their concatenated bytes, and the end of each.
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    /// Drops a carriage return at the end of the last field, if it is there.
    fn drop_return(&mut self) {
        if self.iter().last().is_some_and(|field| field.ends_with(b"\r"))
            && let Some(end) = self.ends.last_mut()
        {
            self.bytes.pop();
            *end = self.bytes.len();
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}

/// The line end of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// A line feed, a carriage return, or both.
    Any,
    LineFeed,
    Return,
    /// Both.
    Pair,
}

impl LineEnd {
    /// True for the last byte of a line end.
    fn is_last(self, byte: u8) -> bool {
        match self {
            LineEnd::Any => matches!(byte, b'\r' | b'\n'),
            LineEnd::LineFeed | LineEnd::Pair => byte == b'\n',
            LineEnd::Return => byte == b'\r',
        }
    }
}

/// The lines of a table, one for each row.
struct Lines {
    reader: Reader,
    end: LineEnd,
    /// The last byte that was read.
    last: u8,
    /// True if a carriage return stands between a quote and the line end.
    is_behind_quote: bool,
}

impl Lines {
    /// Lines that end in whatever way.
    fn of_any() -> Lines {
        Lines { reader: Reader::new(), end: LineEnd::Any, last: 0, is_behind_quote: false }
    }

    /// Lines that all end as the first one did. Some writers put no quotes around a carriage return
    /// or a line feed that ends none of their lines.
    fn ended_alike(self, window: &mut Window<'_>) -> Lines {
        let end = match self.last {
            b'\n' => LineEnd::LineFeed,
            b'\r' if window.want(1).starts_with(b"\n") => LineEnd::Pair,
            b'\r' => LineEnd::Return,
            _ => return self,
        };
        window.take(usize::from(end == LineEnd::Pair));
        let last = if end == LineEnd::Return { b'\r' } else { b'\n' };
        let reader = ReaderBuilder::new().terminator(Terminator::Any(last)).build();
        Lines { reader, end, ..self }
    }

    /// The fields of the next row; `None` at the end.
    ///
    /// # Errors
    /// If the end of the row is not known: its first fields, and the reason.
    fn fields(
        &mut self,
        window: &mut Window<'_>,
        max: usize,
    ) -> Result<Option<Fields>, (Fields, SkipReason)> {
        loop {
            let Some(mut fields) = self.line(window, max)? else { return Ok(None) };
            // The reader passes over a line that is empty, not over half a line end alone.
            let is_half = matches!(fields.bytes[..], [byte @ (b'\r' | b'\n')] if !self.end.is_last(byte));
            if is_half && fields.ends.len() == 1 {
                continue;
            }
            if self.end == LineEnd::Pair || self.is_behind_quote {
                fields.drop_return();
            }
            return Ok(Some(fields));
        }
    }

    /// The fields of the next line, which may be empty.
    fn line(&mut self, window: &mut Window<'_>, max: usize) -> Result<Option<Fields>, (Fields, SkipReason)> {
        let mut fields = Fields { bytes: vec![0; max.min(1024)], ends: vec![0; 16] };
        let (mut written, mut ended, mut quotes) = (0, 0, Quotes::Before);
        // The fields that end before the quotes do not add up.
        let mut whole = 0;
        let reason = loop {
            // At the end the window is empty, which makes the reader return the rest.
            let data = window.want(1);
            let data_ends = data.is_empty();
            let (result, taken, out, ends) =
                self.reader.read_record(data, &mut fields.bytes[written..], &mut fields.ends[ended..]);
            for &byte in data.iter().take(taken) {
                whole += usize::from(byte == b',' && quotes != Quotes::Inside);
                if byte != b'\n' {
                    self.is_behind_quote = byte == b'\r' && matches!(quotes, Quotes::Ended | Quotes::Halved);
                }
                let Some(behind) = quotes.behind(byte, self.end) else {
                    quotes = Quotes::Misplaced;
                    break;
                };
                quotes = behind;
            }
            self.last = data.get(..taken).and_then(<[u8]>::last).copied().unwrap_or(self.last);
            window.take(taken);
            (written, ended) = (written + out, ended + ends);
            if quotes == Quotes::Misplaced {
                break SkipReason::Table(MISPLACED.to_owned());
            }
            if data_ends && let Some(damage) = window.pass() {
                break SkipReason::Table(damage.to_string());
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if written >= max => break SkipReason::LineTooLong,
                ReadRecordResult::OutputFull => fields.bytes.resize((2 * written).min(max), 0),
                ReadRecordResult::OutputEndsFull if ended >= MAX_COLUMNS => {
                    break SkipReason::Table(format!("a row has more than {MAX_COLUMNS} fields"));
                }
                ReadRecordResult::OutputEndsFull => fields.ends.resize(2 * ended, 0),
                // The last row may lack a line end (RFC 4180 2), but not the end of a quote.
                ReadRecordResult::Record if data_ends && quotes == Quotes::Inside => {
                    break SkipReason::Table(CUT.to_owned());
                }
                // Nor may it end where a last field could begin.
                ReadRecordResult::Record if data_ends && quotes == Quotes::Before => {
                    break SkipReason::Table(CUT_FIELD.to_owned());
                }
                ReadRecordResult::Record if quotes == Quotes::Inside => {
                    break SkipReason::Table(MISPLACED.to_owned());
                }
                ReadRecordResult::Record => {
                    fields.bytes.truncate(written);
                    fields.ends.truncate(ended);
                    return Ok(Some(fields));
                }
                ReadRecordResult::End => return Ok(None),
            }
        };
        fields.ends.truncate(ended.min(whole));
        Err((fields, reason))
    }
}

/// Where in a field the quotes of RFC 4180 are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// Before a field.
    Before,
    /// In a field without quotes.
    Outside,
    /// Behind the first quote.
    Inside,
    /// Behind a second one, which ends the field, or is the first half of a quote in it.
    Ended,
    /// Behind that and half a line end, which ends no row.
    Halved,
    /// Where none may be, so what follows is not known.
    Misplaced,
}

impl Quotes {
    /// The place behind the next byte; `None` if a quote may not stand here, or nothing but one.
    fn behind(self, byte: u8, end: LineEnd) -> Option<Quotes> {
        let is_half = matches!(byte, b'\r' | b'\n') && !end.is_last(byte);
        Some(match (self, byte) {
            (Quotes::Before | Quotes::Outside, _) if is_half => Quotes::Outside,
            (Quotes::Ended | Quotes::Halved, _) if is_half => Quotes::Halved,
            (Quotes::Inside, b'"') => Quotes::Ended,
            (Quotes::Inside, _) | (Quotes::Before | Quotes::Ended, b'"') => Quotes::Inside,
            (_, b',' | b'\r' | b'\n') => Quotes::Before,
            (Quotes::Ended | Quotes::Halved | Quotes::Misplaced, _) | (Quotes::Outside, b'"') => return None,
            (Quotes::Before | Quotes::Outside, _) => Quotes::Outside,
        })
    }
}
