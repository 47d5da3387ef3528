//! Rows to a file: Parquet, CSV or JSON lines.
//!
//! A writer takes rows as they come and holds no more than one row group of them. Invariants: equal rows give equal
//! bytes; a row that does not fit its table is an error, never a wrong file. It does not know what a row says, nor where
//! the octets go.

mod parquet;
mod text;

use crate::schema::{Cell, Kind, Table};
use std::io::{self, Write};

/// What a file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Parquet, compressed with zstd.
    Parquet,
    /// Comma-separated values with a head line (RFC 4180): flags are `true` and `false`, empty cells are empty.
    Csv,
    /// One JSON object a line; empty cells are `null`.
    Jsonl,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Parquet, Format::Csv, Format::Jsonl];

    /// The name, and the ending of a file.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
        }
    }
}

/// A file of rows in one format.
trait Sink {
    /// Takes a row that fits its table.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;
    /// Writes what is left.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A table on its way to a file.
pub struct Writer<'w> {
    table: &'static Table,
    sink: Box<dyn Sink + Send + 'w>,
    rows: u64,
}

impl<'w> Writer<'w> {
    /// An empty table.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub fn new(table: &'static Table, format: Format, out: impl Write + Send + 'w) -> io::Result<Writer<'w>> {
        let sink: Box<dyn Sink + Send + 'w> = match format {
            Format::Parquet => Box::new(parquet::Parquet::new(table, out)?),
            Format::Csv => Box::new(text::Csv::new(table, out)?),
            Format::Jsonl => Box::new(text::Jsonl::new(table, out)),
        };
        Ok(Writer { table, sink, rows: 0 })
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row: a cell for each column, of its kind.
    ///
    /// # Errors
    /// When it does not fit, or cannot be written.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        if let Some(what) = misfit(self.table, cells) {
            return Err(io::Error::other(format!("table {}: {what}", self.table.name)));
        }
        self.rows += 1;
        self.sink.row(cells)
    }

    /// Writes what is left. Gives the number of rows.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn finish(self) -> io::Result<u64> {
        self.sink.finish().map(|()| self.rows)
    }
}

/// What is wrong with a row, if anything.
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
