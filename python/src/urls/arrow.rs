//! Columns of Arrow, by its C data interface: read where they lie.
//!
//! Strings and binary in all their forms, dictionaries of them among those: values that many rows have are asked about once.

use super::{Ask, Kind, Texts, in_parts};
use crate::VERDICTS;
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
use robomaton_explain::spelled;
use std::sync::Arc;

/// One array.
pub(crate) enum Column {
    Plain(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    /// Binary, as URLs.
    Spelled(Texts),
    /// Distinct values, and which of them each row has.
    Coded(Box<Column>, Vec<usize>),
}

impl Column {
    /// Reads what exports itself as an array; `first` is the number of its first row.
    pub(super) fn read(object: &Bound<'_, PyAny>, first: usize) -> PyResult<Column> {
        let unfit =
            |error: PyErr| PyValueError::new_err(format!("urls[{first}..]: {}", error.value(object.py())));
        let array = make_array(ArrayData::from_pyarrow_bound(object).map_err(unfit)?);
        if let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            let row = (0..nulls.len()).find(|&row| nulls.is_null(row)).unwrap_or(0);
            return Err(PyValueError::new_err(format!("urls[{}]: is null", first + row)));
        }
        Column::of(&array)
    }

    /// Of an array without nulls, or of the values of a dictionary, where no row has those that are null.
    fn of(array: &ArrayRef) -> PyResult<Column> {
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Plain(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Column::Large(array.as_string::<i64>().clone()),
            DataType::Utf8View => Column::View(array.as_string_view().clone()),
            DataType::Binary => Column::spelled(array.as_binary::<i32>().iter()),
            DataType::LargeBinary => Column::spelled(array.as_binary::<i64>().iter()),
            DataType::BinaryView => Column::spelled(array.as_binary_view().iter()),
            // Of one without values no key can be read.
            DataType::Dictionary(..) if array.is_empty() => Column::Spelled(Texts::default()),
            DataType::Dictionary(..) => {
                let coded = array.as_any_dictionary();
                Column::Coded(Box::new(Column::of(coded.values())?), coded.normalized_keys())
            }
            DataType::Null if array.is_empty() => Column::Spelled(Texts::default()),
            other => {
                let said = format!("urls: expected an Arrow array of strings or binary, not of {other}");
                return Err(PyTypeError::new_err(said));
            }
        })
    }

    fn spelled<'a>(rows: impl Iterator<Item = Option<&'a [u8]>>) -> Column {
        let mut texts = Texts::default();
        for row in rows {
            texts.all.push_str(&spelled(row.unwrap_or_default()));
            texts.end();
        }
        Column::Spelled(texts)
    }

    fn len(&self) -> usize {
        match self {
            Column::Plain(array) => array.len(),
            Column::Large(array) => array.len(),
            Column::View(array) => array.len(),
            Column::Spelled(texts) => texts.len(),
            Column::Coded(_, keys) => keys.len(),
        }
    }

    /// One row.
    fn row(&self, row: usize) -> &str {
        match self {
            Column::Plain(array) => array.value(row),
            Column::Large(array) => array.value(row),
            Column::View(array) => array.value(row),
            Column::Spelled(texts) => texts.rows(row..row + 1).next().unwrap_or_default(),
            Column::Coded(values, keys) => values.row(keys[row]),
        }
    }

    /// The codes of all rows, on so many threads.
    pub(super) fn codes(&self, ask: &impl Ask, threads: usize) -> Vec<u8> {
        if let Column::Coded(values, keys) = self
            && values.len() < keys.len()
        {
            let codes = values.codes(ask, threads);
            return keys.iter().map(|&key| codes[key]).collect();
        }
        in_parts(self.len(), threads, |rows| match self {
            Column::Plain(array) => ask.codes(rows.map(|row| array.value(row))),
            Column::Large(array) => ask.codes(rows.map(|row| array.value(row))),
            Column::View(array) => ask.codes(rows.map(|row| array.value(row))),
            Column::Spelled(texts) => ask.codes(texts.rows(rows)),
            Column::Coded(..) => ask.codes(rows.map(|row| self.row(row))),
        })
    }
}

/// The chunks of what exports itself as a stream.
pub(super) fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Vec<super::Chunk>> {
    let py = object.py();
    let chunked = py.import("pyarrow")?.call_method1("chunked_array", (object,))?;
    let mut chunks = Vec::new();
    let mut first = 0;
    for chunk in chunked.getattr("chunks")?.try_iter()? {
        let chunk = chunk?;
        chunks.push(super::Chunk::Arrow(Column::read(&chunk, first)?));
        first += chunk.len()?;
    }
    Ok(chunks)
}

/// Verdicts as a dictionary array.
pub(super) fn verdicts(py: Python<'_>, codes: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    let keys = Int8Array::from_iter_values(codes.into_iter().map(|code| code as i8));
    let names = Arc::new(StringArray::from(VERDICTS.to_vec()));
    let array = DictionaryArray::<Int8Type>::try_new(keys, names);
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    array.to_data().to_pyarrow(py)
}

/// A boolean array.
pub(super) fn mask(py: Python<'_>, mask: Vec<bool>) -> PyResult<Bound<'_, PyAny>> {
    BooleanArray::from(mask).to_data().to_pyarrow(py)
}

/// Codes in chunks as one column of pyarrow, or of polars.
pub(super) fn chunked<'py>(
    kind: &Kind,
    py: Python<'py>,
    chunks: Vec<Vec<u8>>,
    of: impl Fn(Python<'py>, Vec<u8>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let data_type = of(py, Vec::new())?.getattr("type")?;
    let arrays: Vec<_> = chunks.into_iter().map(|chunk| of(py, chunk)).collect::<PyResult<_>>()?;
    let column = py.import("pyarrow")?.call_method1("chunked_array", (arrays, data_type))?;
    if matches!(kind, Kind::Polars) {
        py.import("polars")?.call_method1("from_arrow", (column,))
    } else {
        Ok(column)
    }
}
