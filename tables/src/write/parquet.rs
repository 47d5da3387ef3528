//! Parquet: typed columns in row groups, compressed with zstd.
//!
//! The schema follows from the table. Words are dictionaries, times are timestamps in UTC, and each
//! column is nullable if the table says so. The columns go directly to the crate `parquet`, without
//! Arrow, which takes longer to build than this whole workspace; `arrow_schema` stores the types
//! for readers that know Arrow.

use super::{Sink, WRITER, arrow_schema};
use crate::schema::{self, Cell, Kind, Table};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a row group. One row group is in memory.
const ROW_GROUP: usize = 256 << 10;
/// Bytes of the texts of a row group: with longer texts it has fewer rows.
const ROW_GROUP_TEXT: usize = 64 << 20;
/// Cells that are passed to a column's writer at once.
const BATCH: usize = 8 << 10;

/// A Parquet file.
pub(super) struct Parquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    text: usize,
}

/// The buffered cells of a column.
struct Column {
    /// 1 for a value, 0 for an empty cell; `None` if the column is not nullable.
    levels: Option<Vec<i16>>,
    values: Values,
}

/// The values of the cells.
enum Values {
    Text(Texts),
    Number(Vec<i64>),
    Real(Vec<f64>),
    Flag(Vec<bool>),
}

/// Concatenated texts.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Column {
    fn new(column: &schema::Column) -> Column {
        let values = match column.kind {
            Kind::Text | Kind::Word => Values::Text(Texts::default()),
            Kind::Number | Kind::Time => Values::Number(Vec::new()),
            Kind::Real => Values::Real(Vec::new()),
            Kind::Flag => Values::Flag(Vec::new()),
        };
        Column { levels: column.nullable.then(Vec::new), values }
    }

    /// Adds a cell of the column's kind.
    fn push(&mut self, cell: Cell<'_>) -> io::Result<()> {
        let signed = |number: u64| i64::try_from(number).map_err(io::Error::other);
        let there = match (&mut self.values, cell) {
            (Values::Text(cells), Cell::Text(text)) => {
                cells.bytes.extend(text.as_bytes());
                cells.ends.push(cells.bytes.len());
                true
            }
            (Values::Number(cells), Cell::Number(number)) => {
                cells.push(signed(number)?);
                true
            }
            (Values::Number(cells), Cell::Time(seconds)) => {
                cells.push(signed(seconds.saturating_mul(1_000))?);
                true
            }
            (Values::Real(cells), Cell::Real(number)) => {
                cells.push(number);
                true
            }
            (Values::Flag(cells), Cell::Flag(flag)) => {
                cells.push(flag);
                true
            }
            _ => false,
        };
        if let Some(levels) = &mut self.levels {
            levels.push(i16::from(there));
        }
        Ok(())
    }

    /// Writes the buffered cells.
    fn write(&mut self, mut out: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.levels.as_deref();
        match &mut self.values {
            Values::Text(cells) => {
                let (bytes, ends) = (std::mem::take(&mut cells.bytes), std::mem::take(&mut cells.ends));
                let (bytes, mut start) = (ByteArray::from(bytes), 0);
                // Each text is a slice of the one buffer.
                let texts =
                    ends.into_iter().map(|end| bytes.slice(start, end - std::mem::replace(&mut start, end)));
                batches(out.typed::<ByteArrayType>(), &texts.collect::<Vec<_>>(), levels)?;
            }
            Values::Number(cells) => batches(out.typed::<Int64Type>(), cells, levels)?,
            Values::Real(cells) => batches(out.typed::<DoubleType>(), cells, levels)?,
            Values::Flag(cells) => batches(out.typed::<BoolType>(), cells, levels)?,
        }
        out.close()?;
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.levels.iter_mut().for_each(Vec::clear);
        match &mut self.values {
            Values::Text(cells) => *cells = Texts::default(),
            Values::Number(cells) => cells.clear(),
            Values::Real(cells) => cells.clear(),
            Values::Flag(cells) => cells.clear(),
        }
    }
}

/// Writes cells in batches, so that the writer checks the size of its pages in between.
fn batches<T: DataType>(
    out: &mut ColumnWriterImpl<'_, T>,
    mut values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(levels) = levels else {
        return values.chunks(BATCH).try_for_each(|values| out.write_batch(values, None, None).map(|_| ()));
    };
    for levels in levels.chunks(BATCH) {
        let there = levels.iter().filter(|&&level| level == 1).count();
        let (these, rest) = values.split_at(there);
        out.write_batch(these, Some(levels), None)?;
        values = rest;
    }
    Ok(())
}

/// The schema of a table.
fn schema(table: &Table) -> Result<Type, ParquetError> {
    let field = |column: &schema::Column| {
        let (physical, logical) = match column.kind {
            Kind::Text | Kind::Word => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Number => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        };
        let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        field.with_repetition(repetition).build().map(Arc::new)
    };
    let fields = table.columns.iter().map(field).collect::<Result<Vec<TypePtr>, _>>()?;
    Type::group_type_builder(table.name).with_fields(fields).build()
}

impl<W: Write + Send> Parquet<W> {
    pub(super) fn new(table: &Table, out: W) -> io::Result<Parquet<W>> {
        let types = KeyValue::new(arrow_schema::KEY.to_owned(), arrow_schema::encode(table));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(vec![types]))
            .set_created_by(format!("{WRITER} version {}", env!("CARGO_PKG_VERSION")))
            .build();
        let schema = schema(table).map_err(failed)?;
        let writer =
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        let columns = table.columns.iter().map(Column::new).collect();
        Ok(Parquet { writer, columns, rows: 0, text: 0 })
    }

    /// Writes a row group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let Some(out) = group.next_column()? {
            let Some(column) = columns.next() else { break };
            column.write(out)?;
        }
        group.close()?;
        (self.rows, self.text) = (0, 0);
        Ok(())
    }
}

impl<W: Write + Send> Sink for Parquet<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (column, &cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell)?;
            if let Cell::Text(text) = cell {
                self.text += text.len();
            }
        }
        self.rows += 1;
        if self.rows == ROW_GROUP || self.text >= ROW_GROUP_TEXT {
            self.flush().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.rows > 0 {
            self.flush().map_err(failed)?;
        }
        self.writer.close().map(|_| ()).map_err(failed)
    }
}

/// Converts an error; an error of writing the file stays the same.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
