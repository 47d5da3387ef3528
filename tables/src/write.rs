//! Writes rows to a file: Parquet, CSV or JSON lines.
//!
//! A writer takes rows one by one and holds at most one row group of them. Invariants: equal rows
//! give equal bytes; a row that does not fit its table is an error, never a wrong file. It does not
//! know the content of a row, nor the destination of the bytes.

#[cfg(feature = "parquet")]
mod arrow_schema;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

use crate::schema::{Cell, Kind, Table};
use std::io::{self, Write};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Parquet, compressed with zstd: the feature `parquet`. Without it, creating a [`Writer`] is
    /// an error.
    Parquet,
    /// Comma-separated values with a header line (RFC 4180): flags are `true` and `false`, null
    /// cells are empty.
    Csv,
    /// One JSON object per line; empty cells are `null`.
    Jsonl,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Parquet, Format::Csv, Format::Jsonl];

    /// The name, which is also the file extension.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
        }
    }

    /// True if these may be the first and the last bytes of a table in this format, also of one of
    /// a series, or of another version: text begins with the first columns, and the end of a
    /// Parquet file names its writer.
    pub fn is_table(self, table: &Table, head: &[u8], tail: &[u8]) -> bool {
        let columns: Vec<&str> = table.columns.iter().take(FIRST).map(|column| column.name).collect();
        match self {
            Format::Parquet => memchr::memmem::find(tail, format!("{WRITER} version ").as_bytes()).is_some(),
            Format::Csv => head.starts_with(columns.join(",").as_bytes()),
            Format::Jsonl => {
                let end = memchr::memchr(b'\n', head);
                let line = &head[..end.unwrap_or(head.len())];
                let keys: Vec<String> = columns.iter().map(|name| format!("\"{name}\":")).collect();
                // A long cell may hide all but the first.
                let has = |key: &String| memchr::memmem::find(line, key.as_bytes()).is_some();
                let first = keys.first().map_or("", String::as_str);
                line.starts_with(format!("{{{first}").as_bytes()) && (end.is_none() || keys.iter().all(has))
            }
        }
    }
}

/// The program that Parquet files name as their writer.
const WRITER: &str = "robomaton";

/// The number of columns by which a table is known.
const FIRST: usize = 3;

/// A file of rows in one format.
trait Sink {
    /// Takes a row that fits its table.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;
    /// Writes the rest.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A table that is being written to a file.
pub struct Writer<'w> {
    table: &'static Table,
    sink: Box<dyn Sink + Send + 'w>,
    rows: u64,
    /// In a series of images, the image of the rows: its name and the time of its newest capture.
    snapshot: Option<(String, Option<u64>)>,
}

impl<'w> Writer<'w> {
    /// An empty table.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn new(table: &'static Table, format: Format, out: impl Write + Send + 'w) -> io::Result<Writer<'w>> {
        let sink: Box<dyn Sink + Send + 'w> = match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Box::new(parquet::Parquet::new(table, out)?),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => {
                let what = "this robomaton was built without `parquet`; csv and jsonl are there";
                return Err(io::Error::new(io::ErrorKind::Unsupported, what));
            }
            Format::Csv => Box::new(text::Csv::new(table, out)?),
            Format::Jsonl => Box::new(text::Jsonl::new(table, out)),
        };
        Ok(Writer { table, sink, rows: 0, snapshot: None })
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Sets the image of the following rows, in a table of [`SERIES`](crate::schema::SERIES): their
    /// last two cells.
    pub fn begin(&mut self, image: &str, newest: Option<u64>) {
        self.snapshot = Some((image.to_owned(), newest));
    }

    /// Adds a row: a cell of the right kind for each column, except for those set by
    /// [`Writer::begin`].
    ///
    /// # Errors
    /// If it does not fit, or cannot be written.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let with_snapshot: Vec<Cell<'_>>;
        let cells = match &self.snapshot {
            None => cells,
            Some((image, newest)) => {
                let tail = [Cell::from(image), newest.map_or(Cell::Null, Cell::Time)];
                with_snapshot = cells.iter().copied().chain(tail).collect();
                &with_snapshot
            }
        };
        if let Some(what) = misfit(self.table, cells) {
            return Err(io::Error::other(format!("table {}: {what}", self.table.name)));
        }
        self.rows += 1;
        self.sink.row(cells)
    }

    /// Writes the rest. Returns the number of rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> io::Result<u64> {
        self.sink.finish().map(|()| self.rows)
    }
}

/// The mistake in a row, if any.
fn misfit(table: &Table, cells: &[Cell<'_>]) -> Option<String> {
    if cells.len() != table.columns.len() {
        return Some(format!("a row of {} cells, not {}", cells.len(), table.columns.len()));
    }
    let fits = |kind, nullable, cell: &Cell<'_>| match cell {
        Cell::Null => nullable,
        Cell::Text(_) => matches!(kind, Kind::Text | Kind::Word),
        Cell::Number(_) => kind == Kind::Number,
        Cell::Real(_) => kind == Kind::Real,
        Cell::Flag(_) => kind == Kind::Flag,
        Cell::Time(_) => kind == Kind::Time,
    };
    let mut columns = table.columns.iter().zip(cells);
    let (column, cell) = columns.find(|(column, cell)| !fits(column.kind, column.nullable, cell))?;
    Some(format!("column {} cannot hold {cell:?}", column.name))
}
