//! NumPy arrays: fixed-width characters, fixed-width bytes, strings of any length, objects.
//!
//! The zeros with which NumPy pads a string are removed.

use super::{Reader, Texts};
use crate::text::Spelling;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PySlice};

/// Rows of variable-length strings that are converted together.
const BLOCK: usize = 1 << 12;

/// The maximum length in characters of one of them.
const LONGEST: usize = 1 << 10;

/// Reads a one-dimensional array, and its null rows.
pub(super) fn read(reader: Reader, array: &Bound<'_, PyAny>) -> PyResult<(Texts, Vec<usize>)> {
    let Reader { argument, spelling, nulls: keeps } = reader;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let &[rows] = shape.as_slice() else {
        let said = format!("{argument}: expected an array of one dimension, not of {}", shape.len());
        return Err(PyValueError::new_err(said));
    };
    if array.hasattr("mask")? {
        if !keeps {
            let said = format!(
                "{argument}: expected an array without a mask; nulls='keep' gives what is masked null answers"
            );
            return Err(PyTypeError::new_err(said));
        }
        let numpy = array.py().import("numpy.ma")?;
        let mask: Vec<bool> = numpy.call_method1("getmaskarray", (array,))?.extract()?;
        let (texts, mut nulls) = read(reader, &array.call_method1("filled", ("",))?)?;
        nulls.extend((0..rows).filter(|&row| mask[row]));
        nulls.sort_unstable();
        return Ok((texts, nulls));
    }
    let dtype = array.getattr("dtype")?;
    let (mut texts, mut nulls) = (Texts::default(), Vec::new());
    match dtype.getattr("kind")?.extract::<String>()?.as_str() {
        "U" => characters(argument, array, rows, 0, &mut texts)?,
        "S" => bytes(spelling, array, rows, &mut texts)?,
        "O" => return reader.list(&array.call_method0("tolist")?, 0),
        "T" => {
            for first in (0..rows).step_by(BLOCK) {
                let end = rows.min(first + BLOCK);
                let block = array.get_item(PySlice::new(array.py(), first as isize, end as isize, 1))?;
                match unfolded(&block) {
                    Some(block) => characters(argument, &block, end - first, first, &mut texts)?,
                    None => {
                        let (block, missing) = reader.list(&block.call_method0("tolist")?, first)?;
                        texts.append(&block);
                        nulls.extend(missing.into_iter().map(|row| first + row));
                    }
                }
            }
        }
        _ => {
            let said = format!("{argument}: expected an array of strings, not of {dtype}");
            return Err(PyTypeError::new_err(said));
        }
    }
    Ok((texts, nulls))
}

/// Converts strings of any length to fixed-width characters. `None` if that would be too large, or
/// a row is missing: the rows are then read one by one, so that an error can name it.
fn unfolded<'py>(block: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let lengths = block.py().import("numpy.strings").ok()?.call_method1("str_len", (block,)).ok()?;
    let longest = lengths.call_method0("max").ok()?.extract::<usize>().ok()?.max(1);
    if longest > LONGEST {
        return None;
    }
    block.call_method1("astype", (format!("U{longest}"),)).ok()
}

/// The rows of an array as rows of numbers.
fn view<'py, T: numpy::Element>(
    array: &Bound<'py, PyAny>,
    rows: usize,
    of: &str,
    size: usize,
) -> PyResult<PyReadonlyArray2<'py, T>> {
    let numpy = array.py().import("numpy")?;
    let dtype = array.getattr("dtype")?;
    let native = array
        .call_method1("astype", (dtype.call_method1("newbyteorder", ("=",))?, "C", "equiv", true, false))?;
    let native = numpy.call_method1("ascontiguousarray", (native,))?;
    let width = dtype.getattr("itemsize")?.extract::<usize>()? / size;
    let numbers = native.call_method1("view", (of,))?.call_method1("reshape", ((rows, width),))?;
    Ok(numbers.extract::<PyReadonlyArray2<'py, T>>()?)
}

/// `first` is the number of the first row.
fn characters(
    argument: &str,
    array: &Bound<'_, PyAny>,
    rows: usize,
    first: usize,
    texts: &mut Texts,
) -> PyResult<()> {
    if array.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? == 0 {
        (0..rows).for_each(|_| texts.end());
        return Ok(());
    }
    if rows == 0 {
        return Ok(());
    }
    let numbers = view::<u32>(array, rows, "uint32", 4)?;
    for (row, place) in numbers.as_array().rows().into_iter().zip(first..) {
        let end = row.iter().rposition(|&number| number != 0).map_or(0, |last| last + 1);
        for &number in row.iter().take(end) {
            let character = char::from_u32(number);
            let said = || format!("{argument}[{place}]: {number:#x} is no character of Unicode");
            texts.all.push(character.ok_or_else(|| PyValueError::new_err(said()))?);
        }
        texts.end();
    }
    Ok(())
}

fn bytes(spelling: Spelling, array: &Bound<'_, PyAny>, rows: usize, texts: &mut Texts) -> PyResult<()> {
    if rows == 0 {
        return Ok(());
    }
    let numbers = view::<u8>(array, rows, "uint8", 1)?;
    let mut text = Vec::new();
    for row in numbers.as_array().rows() {
        text.clear();
        text.extend(row);
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        texts.all.push_str(&spelling(&text[..end]));
        texts.end();
    }
    Ok(())
}

/// Numbers or flags as an array.
pub(super) fn array<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyAny> {
    PyArray1::from_vec(py, values).into_any()
}

/// The array with this mask, if there is one.
pub(super) fn masked<'py>(
    py: Python<'py>,
    array: Bound<'py, PyAny>,
    mask: Option<Vec<bool>>,
) -> PyResult<Bound<'py, PyAny>> {
    match mask {
        None => Ok(array),
        Some(mask) => {
            let arguments = [("mask", self::array(py, mask))].into_py_dict(py)?;
            py.import("numpy.ma")?.call_method("array", (array,), Some(&arguments))
        }
    }
}
