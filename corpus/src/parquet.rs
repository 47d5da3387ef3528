//! Parquet: one row, one capture, by the names of the columns.
//!
//! Stands between `input`, which has the file, and `row`. Only the columns that are of use are read, a few rows at a time, so
//! memory holds of each a page and its dictionary, as large as the writer made them. Invariants: every row is one item; a
//! row group that is damaged is told, and the next one is read; where the crate `parquet` panics at damage, that is damage
//! like any other. It does not know what the columns mean.

use crate::SkipReason;
use crate::row::{Column, Row, Scalar};
use crate::sink::Sink;
use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use serde::de::IgnoredAny;
use std::fs::File;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows that are held at a time.
const ROWS: usize = 16;
/// Seconds of a day.
const DAY: i64 = 86_400;

/// A value that is there.
enum Value {
    Octets(ByteArray),
    Scalar(Scalar),
}

/// What gives the next values of a column, so many.
type Cells<'r> = Box<dyn FnMut(usize) -> Result<Vec<Option<Value>>, ParquetError> + 'r>;

/// Reads all rows of a file.
pub(crate) fn read(file: File, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let reader = match guarded(|| SerializedFileReader::new(file)) {
        Ok(reader) => reader,
        Err(error) => return sink.skip(0, SkipReason::Table(error.to_string())),
    };
    let columns = match columns(reader.metadata().file_metadata().schema_descr()) {
        Ok(columns) => columns,
        Err(reason) => return sink.skip(0, reason),
    };
    let mut number = 1;
    for (group, data) in reader.metadata().row_groups().iter().enumerate() {
        let rows = u64::try_from(data.num_rows()).unwrap_or(0);
        read_group(&reader, group, &columns, number..number.saturating_add(rows), sink)?;
        number = number.saturating_add(rows);
    }
    ControlFlow::Continue(())
}

/// What a call of the crate `parquet` gives: on damaged files, that is a panic where a check of its is missing.
fn guarded<T>(call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // What was called is not used again after an error.
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(ParquetError::General("the metadata contradict themselves".to_owned())))
}

/// The columns that are of use, each with its place among all.
fn columns(schema: &SchemaDescriptor) -> Result<Vec<(usize, Column)>, SkipReason> {
    let fields = schema.root_schema().get_fields();
    let known: Vec<Option<Column>> = fields.iter().map(|field| Column::of(field.name().as_bytes())).collect();
    if let Some(reason) = Column::missing(&known, fields.iter().map(|field| field.name().as_bytes())) {
        return Err(reason);
    }
    let mut columns = Vec::new();
    for (field, column) in fields.iter().zip(known) {
        let Some(column) = column else { continue };
        let plain = |leaf: &ColumnDescriptor| {
            leaf.path().parts().len() == 1 && leaf.name() == field.name() && leaf.max_rep_level() == 0
        };
        match schema.columns().iter().position(|leaf| plain(leaf)) {
            Some(place) => columns.push((place, column)),
            None => {
                let what =
                    format!("the column {:?} is a list or a structure; expected plain values", field.name());
                return Err(SkipReason::Table(what));
            }
        }
    }
    Ok(columns)
}

/// Reads the rows of a group, which have these numbers.
fn read_group(
    reader: &SerializedFileReader<File>,
    group: usize,
    columns: &[(usize, Column)],
    numbers: std::ops::Range<u64>,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let damaged = |error: ParquetError| SkipReason::Table(format!("row group {group}: {error}"));
    let mut all = match guarded(|| cells_of(reader, group, columns)) {
        Ok(all) => all,
        Err(error) => return sink.skip(numbers.start, damaged(error)),
    };
    let mut next = numbers.start;
    while next < numbers.end {
        let count = usize::try_from(numbers.end - next).unwrap_or(ROWS).min(ROWS);
        let mut rows: Vec<Result<Row, String>> = (0..count).map(|_| Ok(Row::default())).collect();
        for (column, cells) in &mut all {
            let values = match guarded(|| cells(count)) {
                Ok(values) if values.len() == count => values,
                Ok(_) => {
                    return sink
                        .skip(next, damaged(ParquetError::EOF("a column has too few rows".to_owned())));
                }
                Err(error) => return sink.skip(next, damaged(error)),
            };
            for (row, value) in rows.iter_mut().zip(values) {
                let Ok(fields) = row else { continue };
                match value {
                    Some(Value::Octets(octets)) => {
                        if let Err(what) = fields.set_octets(*column, octets.data()) {
                            *row = Err(what);
                        }
                    }
                    Some(Value::Scalar(scalar)) => fields.set(*column, scalar),
                    None => {}
                }
            }
        }
        for row in rows {
            let bad = |what: String| SkipReason::Row(what);
            sink.said(next, row.map_err(bad).and_then(|row| row.said(sink.limits.max_body, bad)))?;
            next += 1;
        }
    }
    ControlFlow::Continue(())
}

fn cells_of<'r>(
    reader: &'r SerializedFileReader<File>,
    group: usize,
    columns: &[(usize, Column)],
) -> Result<Vec<(Column, Cells<'r>)>, ParquetError> {
    let group = reader.get_row_group(group)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let cells = |&(place, column): &(usize, Column)| {
        let chunk = group.metadata().column(place);
        let numbers =
            [chunk.compressed_size(), chunk.data_page_offset(), chunk.dictionary_page_offset().unwrap_or(0)];
        if numbers.iter().any(|number| *number < 0) {
            return Err(ParquetError::General("a place or a length is negative".to_owned()));
        }
        let (leaf, data) = (schema.column(place), group.get_column_reader(place)?);
        let level = leaf.max_def_level();
        let scale = scale(&leaf);
        let number = move |number: i64| Some(Value::Scalar(Scalar::Number(scale(number))));
        // Where numbers may be missing, some libraries make floating ones of all, and "not a number" of what is missing.
        let float = move |float: f64| match float {
            float if float.is_nan() => None,
            float if float.fract() == 0.0 => number(float as i64),
            _ => Some(Value::Scalar(Scalar::Other(IgnoredAny))),
        };
        let cells: Cells<'_> = match data {
            ColumnReader::ByteArrayColumnReader(data) => {
                cells(data, level, |octets| Some(Value::Octets(octets.clone())))
            }
            ColumnReader::FixedLenByteArrayColumnReader(data) => {
                cells(data, level, |octets| Some(Value::Octets(ByteArray::from(octets.data().to_vec()))))
            }
            ColumnReader::BoolColumnReader(data) => {
                cells(data, level, |flag| Some(Value::Scalar(Scalar::Flag(*flag))))
            }
            ColumnReader::Int32ColumnReader(data) => {
                cells(data, level, move |value| number(i64::from(*value)))
            }
            ColumnReader::Int64ColumnReader(data) => cells(data, level, move |value| number(*value)),
            ColumnReader::Int96ColumnReader(data) => {
                cells(data, level, move |value| number(value.to_seconds()))
            }
            ColumnReader::FloatColumnReader(data) => {
                cells(data, level, move |value| float(f64::from(*value)))
            }
            ColumnReader::DoubleColumnReader(data) => cells(data, level, move |value| float(*value)),
        };
        Ok((column, cells))
    };
    columns.iter().map(cells).collect()
}

/// The values of one column; those that are missing have a lower `level` than the others.
fn cells<'r, T: DataType>(
    mut data: ColumnReaderImpl<T>,
    level: i16,
    value: impl Fn(&T::T) -> Option<Value> + 'r,
) -> Cells<'r>
where
    ColumnReaderImpl<T>: 'r,
{
    Box::new(move |count| {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        data.read_records(count, Some(&mut levels), None, &mut values)?;
        if level == 0 {
            return Ok(values.iter().map(&value).collect());
        }
        let mut values = values.iter();
        let there = |of: i16| if of == level { values.next().and_then(&value) } else { None };
        Ok(levels.into_iter().map(there).collect())
    })
}

/// What makes seconds of the numbers of a column that are times; other numbers stay what they are.
fn scale(leaf: &ColumnDescriptor) -> fn(i64) -> i64 {
    let unit = match (leaf.logical_type_ref(), leaf.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => time.unit,
        (None, ConvertedType::TIMESTAMP_MILLIS) => TimeUnit::MILLIS,
        (None, ConvertedType::TIMESTAMP_MICROS) => TimeUnit::MICROS,
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => return |days| days.saturating_mul(DAY),
        _ => return |number| number,
    };
    match unit {
        TimeUnit::MILLIS => |number| number.div_euclid(1_000),
        TimeUnit::MICROS => |number| number.div_euclid(1_000_000),
        TimeUnit::NANOS => |number| number.div_euclid(1_000_000_000),
    }
}
