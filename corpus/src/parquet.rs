//! Parquet: each row is a capture, by the names of the columns.
//!
//! It stands between `input`, which has the file, and `row`; `footer` and `pages` check what the
//! file claims before memory is reserved. Only relevant columns are read, a few rows at a time, so
//! memory holds one page and one dictionary of each, as large as the writer made them. Invariants:
//! every row is one item; of a damaged row group, the rows whose URLs can be read are fetches that
//! cannot be, and the next group is read; a panic of the crate `parquet` counts as damage. It does
//! not know what the columns mean.

mod footer;
mod pages;
mod thrift;

use crate::record::Event;
use crate::row::{Column, Row, Scalar};
use crate::{ReadLimits, SkipReason};
use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use pages::Checked;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows in memory at a time.
const ROWS: usize = 16;
/// Seconds of a day.
const DAY: i64 = 86_400;

/// A value that is not null.
enum Value {
    Bytes(ByteArray),
    Scalar(Scalar),
}

/// Returns the next values of a column, given their number.
type Cells = Box<dyn FnMut(usize) -> Result<Vec<Option<Value>>, ParquetError>>;

/// The rows of a file.
pub(crate) struct Rows<'l> {
    file: File,
    metadata: ParquetMetaData,
    limits: &'l ReadLimits,
    columns: Columns,
    /// The reason why no row can be read but for its URL.
    nested: Option<SkipReason>,
    /// The number of row groups that were started.
    groups: usize,
    /// The columns of the current group, first those that name a fetch.
    cells: Vec<(Column, Cells)>,
    /// The reason why the rest of the group cannot be read but for its URLs.
    damage: Option<SkipReason>,
    /// Rows that were read, but not yielded yet.
    held: std::vec::IntoIter<Row>,
    /// The number of the next row, and the one after the last of its group.
    next: u64,
    group_end: u64,
}

impl<'l> Rows<'l> {
    /// Reads the metadata of a file.
    pub(crate) fn of(file: File, limits: &'l ReadLimits) -> Result<Rows<'l>, SkipReason> {
        let metadata =
            guarded(|| footer::read(&file)).map_err(|error| SkipReason::Table(error.to_string()))?;
        let (mut columns, nested) = columns(metadata.file_metadata().schema_descr())?;
        columns.sort_by_key(|(_, column)| !column.names_fetch());
        let (cells, damage, held) = (Vec::new(), None, Vec::new().into_iter());
        let (groups, next, group_end) = (0, 1, 1);
        Ok(Rows { file, metadata, limits, columns, nested, groups, cells, damage, held, next, group_end })
    }

    /// Starts the next row group.
    fn begin(&mut self, group: usize) {
        let group = self.metadata.row_group(group);
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        self.groups += 1;
        self.group_end = self.next.saturating_add(rows);
        self.damage = self.nested.clone();
        let cells = |&(place, column): &(usize, Column)| {
            let damaged = |error| Box::new(move |_| Err(damage(format!("{error}")))) as Cells;
            (column, guarded(|| cells_of(&self.file, group, place)).unwrap_or_else(damaged))
        };
        self.cells = self.columns.iter().map(cells).collect();
    }

    /// Reads some rows of the group. After damage to a column, only those are read that name the
    /// fetches of rows, without the damaged one.
    ///
    /// # Errors
    /// If no URL or host can be read.
    fn fill(&mut self) -> Result<(), ParquetError> {
        let count = usize::try_from(self.group_end - self.next).unwrap_or(ROWS).min(ROWS);
        let mut rows: Vec<Row> = (0..count).map(|_| Row::default()).collect();
        let mut damaged = Vec::new();
        for (column, cells) in &mut self.cells {
            if !damaged.is_empty() && !column.names_fetch() {
                break;
            }
            let read = guarded(|| cells(count)).and_then(|values| match values.len() == count {
                true => Ok(values),
                false => Err(ParquetError::EOF("a column has too few rows".to_owned())),
            });
            let values = match read {
                Ok(values) => values,
                Err(error) => {
                    damaged.push((*column, error));
                    continue;
                }
            };
            for (row, value) in rows.iter_mut().zip(values) {
                match value {
                    Some(Value::Bytes(bytes)) => {
                        // Unlike an empty cell of CSV, an empty value is there.
                        row.has_body_cell |= matches!(column, Column::Body | Column::BodyBase64);
                        row.set_bytes(*column, bytes.data());
                    }
                    Some(Value::Scalar(scalar)) => row.set(*column, scalar),
                    None => {}
                }
            }
        }
        let is_whole = |column| damaged.iter().all(|(damaged, _)| *damaged != column);
        if !damaged.is_empty() {
            self.cells.retain(|(column, _)| column.names_fetch() && is_whole(*column));
        }
        let has_name = |(column, _): &(Column, Cells)| matches!(column, Column::Url | Column::Host);
        let is_named = is_whole(Column::Url) && self.cells.iter().any(has_name);
        if let Some((_, error)) = damaged.into_iter().next() {
            if !is_named {
                return Err(error);
            }
            self.damage = Some(self.reason(error));
        }
        if self.damage.is_some() {
            rows.iter_mut().for_each(Row::set_unread);
        }
        self.held = rows.into_iter();
        Ok(())
    }

    /// The reason why the rest of the group cannot be read.
    fn reason(&self, error: ParquetError) -> SkipReason {
        let reason = format!("row group {}: {error}", self.groups - 1);
        // The codec that this build may lack. The crate has no code for it.
        let is_brotli = cfg!(not(feature = "brotli")) && reason.contains("compile time: brotli");
        if is_brotli { SkipReason::LeftOut("brotli") } else { SkipReason::Table(reason) }
    }
}

impl Iterator for Rows<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let at = self.next;
            if let Some(row) = self.held.next() {
                self.next += 1;
                let damage = self.damage.as_ref();
                let bad = |mistake| damage.cloned().unwrap_or(SkipReason::Row(mistake));
                return Some(Row::event(Ok(row), at, self.limits.max_body, bad));
            }
            if at == self.group_end {
                if self.groups == self.metadata.num_row_groups() {
                    return None;
                }
                self.begin(self.groups);
            } else if let Err(error) = self.fill() {
                // The rest of the group is lost.
                self.next = self.group_end;
                return Some(Event::skipped(at, self.reason(error)));
            }
        }
    }
}

/// Calls the crate `parquet`, which may panic on damaged files where it lacks a check.
fn guarded<T>(call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // The callee is not used again after an error.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err(damage("the metadata contradict themselves")))
}

/// The error for damage that the crate `parquet` does not see.
fn damage(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

/// Columns, each with its index among all.
type Columns = Vec<(usize, Column)>;

/// The relevant columns; and the reason why rows are unread, if one
/// of the others is no plain column.
///
/// # Errors
/// If the URLs cannot be read.
fn columns(schema: &SchemaDescriptor) -> Result<(Columns, Option<SkipReason>), SkipReason> {
    let fields = schema.root_schema().get_fields();
    let known: Vec<Option<Column>> = fields.iter().map(|field| Column::of(field.name().as_bytes())).collect();
    if let Some(reason) = Column::missing(&known, fields.iter().map(|field| field.name().as_bytes())) {
        return Err(reason);
    }
    let (mut columns, mut nested) = (Vec::new(), None);
    for (field, column) in fields.iter().zip(&known) {
        let &Some(column) = column else { continue };
        let plain = |leaf: &ColumnDescriptor| {
            leaf.path().parts().len() == 1 && leaf.name() == field.name() && leaf.max_rep_level() == 0
        };
        match schema.columns().iter().position(|leaf| plain(leaf)) {
            Some(place) => columns.push((place, column)),
            None => {
                let what =
                    format!("the column {:?} is a list or a structure; expected plain values", field.name());
                let is_named =
                    known.iter().flatten().any(|column| matches!(column, Column::Url | Column::Host));
                if column.names_fetch() || !is_named {
                    return Err(SkipReason::Table(what));
                }
                nested = Some(SkipReason::Table(what));
            }
        }
    }
    Ok((columns, nested))
}

/// Creates the reader for a column of a row group.
fn cells_of(file: &File, group: &RowGroupMetaData, place: usize) -> Result<Cells, ParquetError> {
    let chunk = group.column(place);
    let numbers =
        [chunk.compressed_size(), chunk.data_page_offset(), chunk.dictionary_page_offset().unwrap_or(0)];
    if numbers.iter().any(|number| *number < 0) {
        return Err(damage("a place or a length is negative"));
    }
    let leaf = chunk.column_descr_ptr();
    let data = get_column_reader(leaf.clone(), Box::new(Checked::of(file, group, place)?));
    let level = leaf.max_def_level();
    let meaning = Meaning::of(&leaf);
    let number = move |number: i64| Some(Value::Scalar(meaning.scalar(number)));
    let bytes = move |bytes: &ByteArray| {
        let is_number = matches!(meaning, Meaning::Decimal(_));
        Some(if is_number {
            Value::Scalar(meaning.digits(bytes.data()))
        } else {
            Value::Bytes(bytes.clone())
        })
    };
    // If numbers may be missing, some libraries convert all to floats, with NaN for a missing one.
    let float = |float: f64| (!float.is_nan()).then_some(Value::Scalar(Scalar::Float(float)));
    Ok(match data {
        ColumnReader::ByteArrayColumnReader(data) => cells(data, level, bytes),
        ColumnReader::FixedLenByteArrayColumnReader(data) => cells(data, level, move |value| bytes(value)),
        ColumnReader::BoolColumnReader(data) => {
            cells(data, level, |flag| Some(Value::Scalar(Scalar::Flag(*flag))))
        }
        ColumnReader::Int32ColumnReader(data) => cells(data, level, move |value| number(i64::from(*value))),
        ColumnReader::Int64ColumnReader(data) => cells(data, level, move |value| number(*value)),
        ColumnReader::Int96ColumnReader(data) => cells(data, level, move |value| number(value.to_seconds())),
        ColumnReader::FloatColumnReader(data) => cells(data, level, move |value| float(f64::from(*value))),
        ColumnReader::DoubleColumnReader(data) => cells(data, level, move |value| float(*value)),
    })
}

/// The values of one column; missing values have a lower `level` than the others.
fn cells<T: DataType>(
    mut data: ColumnReaderImpl<T>,
    level: i16,
    value: impl Fn(&T::T) -> Option<Value> + 'static,
) -> Cells {
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

/// The meaning of the whole numbers of a column.
#[derive(Clone, Copy)]
enum Meaning {
    Number,
    /// 32 bits without a sign, in a column of numbers with one.
    Unsigned,
    /// Times; this many units are one second.
    Time(i64),
    Days,
    /// Digits; this many stand behind the point.
    Decimal(i32),
    /// A time of day, or a span of time: no field takes one.
    Other,
}

impl Meaning {
    fn of(leaf: &ColumnDescriptor) -> Meaning {
        let units = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        match (leaf.logical_type_ref(), leaf.converted_type()) {
            (Some(LogicalType::Timestamp(time)), _) => Meaning::Time(units(&time.unit)),
            (Some(LogicalType::Date), _) => Meaning::Days,
            (Some(LogicalType::Decimal(of)), _) => Meaning::Decimal(of.scale),
            (Some(LogicalType::Time(_)), _) => Meaning::Other,
            (Some(LogicalType::Integer(of)), _) if of.bit_width == 32 && !of.is_signed => Meaning::Unsigned,
            (Some(_), _) => Meaning::Number,
            (None, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Time(1_000),
            (None, ConvertedType::TIMESTAMP_MICROS) => Meaning::Time(1_000_000),
            (None, ConvertedType::DATE) => Meaning::Days,
            (None, ConvertedType::DECIMAL) => Meaning::Decimal(leaf.type_scale()),
            (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS | ConvertedType::INTERVAL) => {
                Meaning::Other
            }
            (None, ConvertedType::UINT_32) => Meaning::Unsigned,
            (None, _) => Meaning::Number,
        }
    }

    /// A number of the column; of a time, whole seconds.
    fn scalar(self, number: i64) -> Scalar {
        match self {
            Meaning::Number | Meaning::Decimal(0) => Scalar::Number(number),
            Meaning::Unsigned => Scalar::Number(number & i64::from(u32::MAX)),
            Meaning::Time(units) => Scalar::Number(number.div_euclid(units)),
            Meaning::Days => Scalar::Number(number.saturating_mul(DAY)),
            Meaning::Decimal(digits) => Scalar::Float(number as f64 / 10f64.powi(digits)),
            Meaning::Other => Scalar::Other,
        }
    }

    /// A number of the column in big-endian bytes.
    fn digits(self, bytes: &[u8]) -> Scalar {
        let sign = bytes.first().map_or(0, |first| i128::from(*first as i8 >> 7));
        let number = bytes.iter().fold(sign, |number, byte| number << 8 | i128::from(*byte));
        match i64::try_from(number).ok().filter(|_| bytes.len() <= size_of::<i128>()) {
            Some(number) => self.scalar(number),
            None => Scalar::Other,
        }
    }
}
