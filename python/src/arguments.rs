//! Arguments from Python whose errors name them: numbers out of range, and values of the wrong
//! type.
//!
//! pyo3 adds the name as a note, which neither `str(error)` nor Python before 3.11 shows.

use crate::paths::{Named, Several};
use crate::text::Text;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

#[inline]
fn named<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| rename(name, value, error.into()))
}

#[cold]
fn rename(name: &str, value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    if error.is_instance_of::<PyOverflowError>(py) {
        let what = if value.lt(0).unwrap_or(false) { "negative" } else { "too large" };
        PyOverflowError::new_err(format!("{name}: the number is {what}"))
    } else if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(format!("{name}: {}", error.value(py)))
    } else {
        error
    }
}

macro_rules! arguments {
    ($($name:ident: $of:ty),* $(,)?) => {
        $(
            #[inline]
            pub(crate) fn $name<'py>(value: &Bound<'py, PyAny>) -> PyResult<$of> {
                named(stringify!($name), value)
            }
        )*
    };
}

arguments! {
    durability: u32,
    images: Several,
    inputs: Several,
    map_above: u64,
    max_bytes: Option<usize>,
    max_groups: Option<usize>,
    max_rules: Option<usize>,
    max_stars: Option<usize>,
    now: Option<u64>,
    memory_captures: Option<usize>,
    most: usize,
    nulls: String,
    output: Named,
    path: Named,
    purpose: Option<String>,
    redirects: u16,
    shards: Option<i64>,
    status: u16,
    threads: i64,
    url: Text<'py>,
    usage: Option<String>,
}
