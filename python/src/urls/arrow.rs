//! Arrow columns, through the C data interface: read in place.
//!
//! It supports strings and binary in all their forms, including dictionaries of them, whose values
//! are decided once. Invariant: every row that is read is inside its buffer, and text is UTF-8. The
//! interface does not tell how long buffers are, so pyarrow checks this before it exports an array
//! ([`check_buffers`]); the import checks the rest. A library that exports other arrays vouches for
//! the lengths of their buffers.

use super::{Ask, Chunk, Kind, NULL, Reader, Stored, Texts, in_parts, is_allowed, is_instance};
use crate::VERDICTS;
use crate::text::Spelling;
use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int8Array, LargeStringArray, StringArray,
    StringViewArray, make_array,
};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// One array.
pub(crate) enum Column {
    Plain(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    /// Binary, converted to text.
    Spelled(Texts),
    /// Distinct values, and the key of each row.
    Coded(Box<Column>, Vec<usize>),
}

impl Column {
    /// Converts an array; the contents of null rows do not matter.
    fn of(argument: &str, spelling: Spelling, array: &ArrayRef) -> PyResult<Column> {
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Plain(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Column::Large(array.as_string::<i64>().clone()),
            DataType::Utf8View => Column::View(array.as_string_view().clone()),
            DataType::Binary => Column::spelled(spelling, array.as_binary::<i32>().iter()),
            DataType::LargeBinary => Column::spelled(spelling, array.as_binary::<i64>().iter()),
            DataType::BinaryView => Column::spelled(spelling, array.as_binary_view().iter()),
            // Without values, no key can be read.
            DataType::Dictionary(..) if array.as_any_dictionary().values().is_empty() => {
                Column::nulls(array.len())
            }
            DataType::Dictionary(..) => {
                let coded = array.as_any_dictionary();
                Column::Coded(
                    Box::new(Column::of(argument, spelling, coded.values())?),
                    coded.normalized_keys(),
                )
            }
            DataType::Null => Column::nulls(array.len()),
            other => {
                let said =
                    format!("{argument}: expected an Arrow array of strings or binary, not of {other}");
                return Err(PyTypeError::new_err(said));
            }
        })
    }

    fn spelled<'a>(spelling: Spelling, rows: impl Iterator<Item = Option<&'a [u8]>>) -> Column {
        let mut texts = Texts::default();
        for row in rows {
            texts.all.push_str(&spelling(row.unwrap_or_default()));
            texts.end();
        }
        Column::Spelled(texts)
    }

    /// A column of null rows.
    fn nulls(rows: usize) -> Column {
        Column::Spelled(Texts { all: String::new(), ends: vec![0; rows] })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Column::Plain(array) => array.len(),
            Column::Large(array) => array.len(),
            Column::View(array) => array.len(),
            Column::Spelled(texts) => texts.len(),
            Column::Coded(_, keys) => keys.len(),
        }
    }

    /// The text of one row.
    fn row(&self, row: usize) -> &str {
        match self {
            Column::Plain(array) => array.value(row),
            Column::Large(array) => array.value(row),
            Column::View(array) => array.value(row),
            Column::Spelled(texts) => texts.rows(row..row + 1).next().unwrap_or_default(),
            Column::Coded(values, keys) => values.row(keys[row]),
        }
    }

    /// Numbers the text of each row with `of`; null rows get 0. Each text of a dictionary is looked
    /// up once.
    pub(super) fn numbered(
        &self,
        mut is_null: impl FnMut(usize) -> bool,
        first: usize,
        of: &mut impl FnMut(usize, &str) -> PyResult<u32>,
        numbers: &mut Vec<u32>,
    ) -> PyResult<()> {
        let mut known = match self {
            Column::Coded(values, _) => vec![None; values.len()],
            _ => Vec::new(),
        };
        for row in 0..self.len() {
            if is_null(row) {
                numbers.push(0);
                continue;
            }
            let place = match self {
                Column::Coded(_, keys) => Some(keys[row]),
                _ => None,
            };
            let number = match place.and_then(|place| known[place]) {
                Some(number) => number,
                None => of(first + row, self.row(row))?,
            };
            if let Some(place) = place {
                known[place] = Some(number);
            }
            numbers.push(number);
        }
        Ok(())
    }

    /// The codes of all rows, computed on a number of threads; `first` is the number of the first
    /// row.
    pub(super) fn codes(&self, ask: &impl Ask, first: usize, threads: usize) -> Vec<u8> {
        if let Column::Coded(values, keys) = self
            && values.len() < keys.len()
            && ask.is_uniform()
        {
            let codes = values.codes(ask, first, threads);
            return keys.iter().map(|&key| codes[key]).collect();
        }
        in_parts(self.len(), threads, |rows| {
            let first = first + rows.start;
            match self {
                Column::Plain(array) => ask.codes(first, rows.map(|row| array.value(row))),
                Column::Large(array) => ask.codes(first, rows.map(|row| array.value(row))),
                Column::View(array) => ask.codes(first, rows.map(|row| array.value(row))),
                Column::Spelled(texts) => ask.codes(first, texts.rows(rows)),
                Column::Coded(..) => ask.codes(first, rows.map(|row| self.row(row))),
            }
        })
    }
}

/// Reads an object that exports itself as an array; `first` is the number of its first row.
pub(super) fn chunk(reader: Reader, object: &Bound<'_, PyAny>, first: usize) -> PyResult<Chunk> {
    check_buffers(reader, object)?;
    imported(reader, object, first)
}

/// Reads an array whose buffers are as long as it says.
fn imported(reader: Reader, object: &Bound<'_, PyAny>, first: usize) -> PyResult<Chunk> {
    let Reader { argument, spelling, nulls: keeps } = reader;
    let unfit =
        |error: PyErr| PyValueError::new_err(format!("{argument}[{first}..]: {}", error.value(object.py())));
    // This checks all offsets, views, keys and text (`ArrayData::validate_full`).
    let array = make_array(ArrayData::from_pyarrow_bound(object).map_err(unfit)?);
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let nulls: Vec<usize> =
        nulls.map_or_else(Vec::new, |nulls| (0..nulls.len()).filter(|&row| nulls.is_null(row)).collect());
    if let Some(row) = nulls.first().filter(|_| !keeps) {
        return Err(PyValueError::new_err(reader.null(first + row)));
    }
    Ok(Chunk { texts: Stored::Arrow(Column::of(argument, spelling, &array)?), first, nulls })
}

/// Reads the chunks of an object that exports itself as a stream.
pub(super) fn chunks(reader: Reader, object: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    let py = object.py();
    let column = column_of_series(object)?;
    // The stream no longer knows how long the buffers are.
    check_buffers(reader, &column)?;
    let chunked = py.import("pyarrow")?.call_method1("chunked_array", (column,))?;
    let mut chunks = Vec::new();
    let mut first = 0;
    for array in chunked.getattr("chunks")?.try_iter()? {
        let array = array?;
        chunks.push(imported(reader, &array, first)?);
        first += array.len()?;
    }
    Ok(chunks)
}

/// The pyarrow column of a pandas series that holds one; any other object itself.
fn column_of_series<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if is_instance(object, "pandas", "Series")? {
        let values = object.getattr("array")?;
        if values.hasattr("__arrow_array__")? {
            let values = values.call_method0("__arrow_array__")?;
            let is_whole = is_instance(&values, "pyarrow", "Array")?;
            let pyarrow = object.py().import("pyarrow")?;
            return if is_whole { pyarrow.call_method1("chunked_array", ([values],)) } else { Ok(values) };
        }
    }
    Ok(object.clone())
}

/// Lets pyarrow check that the buffers of its own arrays are as long as their offsets say: a column
/// that was read from a damaged IPC file, for example, may lie.
///
/// # Errors
/// If they are not.
fn check_buffers(reader: Reader, object: &Bound<'_, PyAny>) -> PyResult<()> {
    for class in ["Array", "ChunkedArray", "RecordBatch", "Table"] {
        if is_instance(object, "pyarrow", class)? {
            object.call_method0("validate").map_err(|error| {
                PyValueError::new_err(format!("{}: {}", reader.argument, error.value(object.py())))
            })?;
        }
    }
    Ok(())
}

/// Verdicts as a dictionary array.
pub(super) fn verdicts(py: Python<'_>, codes: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    let keys = codes.into_iter().map(|code| (code != NULL).then_some(code as i8));
    let names = Arc::new(StringArray::from(VERDICTS.to_vec()));
    let array = DictionaryArray::<Int8Type>::try_new(keys.collect::<Int8Array>(), names);
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    array.to_data().to_pyarrow(py)
}

/// A boolean array, true for each row that is allowed without conditions.
pub(super) fn mask(py: Python<'_>, codes: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    // Without nulls, whole words of bits are built.
    let allowed = if codes.contains(&NULL) {
        codes.into_iter().map(is_allowed).collect()
    } else {
        BooleanArray::from(codes.into_iter().map(|code| code == 0).collect::<Vec<bool>>())
    };
    allowed.to_data().to_pyarrow(py)
}

/// Chunks of codes as one pyarrow or polars column.
pub(super) fn chunked<'py>(
    kind: &Kind,
    py: Python<'py>,
    chunks: Vec<Vec<u8>>,
    of: impl Fn(Python<'py>, Vec<u8>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let data_type = of(py, Vec::new())?.getattr("type")?;
    let arrays: Vec<_> = chunks.into_iter().map(|chunk| of(py, chunk)).collect::<PyResult<_>>()?;
    let column = py.import("pyarrow")?.call_method1("chunked_array", (arrays, data_type))?;
    match kind {
        Kind::Polars(name) => {
            let series = py.import("polars")?.call_method1("from_arrow", (column,))?;
            series.call_method1("alias", (name,))
        }
        _ => Ok(column),
    }
}
