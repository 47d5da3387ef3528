//! Parquet: typed columns in row groups, compressed with zstd.
//!
//! The schema follows from the table. Words are dictionaries, times are timestamps in UTC, and each column is nullable
//! where the table says so.

use super::Sink;
use crate::schema::{Cell, Kind, Table};
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, StringDictionaryBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows that are turned to columns at once.
const BATCH: usize = 8 << 10;
/// Rows of a row group, which is what is held in memory.
const ROW_GROUP: usize = 256 << 10;

/// A Parquet file.
pub(super) struct Parquet<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    columns: Vec<Column>,
    waiting: usize,
}

/// The cells of a column that wait.
enum Column {
    Text(StringBuilder),
    Word(StringDictionaryBuilder<Int32Type>),
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMillisecondBuilder),
}

fn utc() -> Arc<str> {
    "UTC".into()
}

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Word => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        Kind::Number => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Flag => DataType::Boolean,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some(utc())),
    }
}

impl Column {
    fn new(kind: Kind) -> Column {
        match kind {
            Kind::Text => Column::Text(StringBuilder::new()),
            Kind::Word => Column::Word(StringDictionaryBuilder::new()),
            Kind::Number => Column::Number(Int64Builder::new()),
            Kind::Real => Column::Real(Float64Builder::new()),
            Kind::Flag => Column::Flag(BooleanBuilder::new()),
            Kind::Time => Column::Time(TimestampMillisecondBuilder::new().with_timezone(utc())),
        }
    }

    /// Adds a cell, which is of the column's kind.
    fn push(&mut self, cell: Cell<'_>) -> io::Result<()> {
        let signed = |number: u64| i64::try_from(number).map_err(io::Error::other);
        match (self, cell) {
            (Column::Text(cells), Cell::Text(text)) => cells.append_value(text),
            (Column::Word(cells), Cell::Text(text)) => {
                cells.append(text).map_err(arrow)?;
            }
            (Column::Number(cells), Cell::Number(number)) => cells.append_value(signed(number)?),
            (Column::Real(cells), Cell::Real(number)) => cells.append_value(number),
            (Column::Flag(cells), Cell::Flag(flag)) => cells.append_value(flag),
            (Column::Time(cells), Cell::Time(seconds)) => {
                cells.append_value(signed(seconds.saturating_mul(1_000))?);
            }
            (Column::Text(cells), _) => cells.append_null(),
            (Column::Word(cells), _) => cells.append_null(),
            (Column::Number(cells), _) => cells.append_null(),
            (Column::Real(cells), _) => cells.append_null(),
            (Column::Flag(cells), _) => cells.append_null(),
            (Column::Time(cells), _) => cells.append_null(),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Column::Text(cells) => ArrayBuilder::finish(cells),
            Column::Word(cells) => ArrayBuilder::finish(cells),
            Column::Number(cells) => ArrayBuilder::finish(cells),
            Column::Real(cells) => ArrayBuilder::finish(cells),
            Column::Flag(cells) => ArrayBuilder::finish(cells),
            Column::Time(cells) => ArrayBuilder::finish(cells),
        }
    }
}

impl<W: Write + Send> Parquet<W> {
    pub(super) fn new(table: &Table, out: W) -> io::Result<Parquet<W>> {
        let field =
            |column: &crate::schema::Column| Field::new(column.name, data_type(column.kind), column.nullable);
        let schema = Arc::new(Schema::new(table.columns.iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(failed)?;
        let columns = table.columns.iter().map(|column| Column::new(column.kind)).collect();
        Ok(Parquet { writer, schema, columns, waiting: 0 })
    }

    fn flush(&mut self) -> io::Result<()> {
        let columns = self.columns.iter_mut().map(Column::finish).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(arrow)?;
        self.waiting = 0;
        self.writer.write(&batch).map_err(failed)
    }
}

impl<W: Write + Send> Sink for Parquet<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (column, &cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell)?;
        }
        self.waiting += 1;
        if self.waiting == BATCH { self.flush() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()?;
        self.writer.close().map(|_| ()).map_err(failed)
    }
}

/// An error of writing the file is handed on as it was.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

fn arrow(error: ArrowError) -> io::Error {
    io::Error::other(error)
}
