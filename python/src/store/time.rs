//! Times from Python: seconds since 1970, or a `datetime` with a time zone.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use robomaton_explain::time;
use robomaton_formats::schedule::LATEST;

/// The seconds of an argument; those of the clock if it is missing.
///
/// # Errors
/// If it is no time, or one before 1970 or after the year 9999.
pub(crate) fn seconds(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    value.filter(|value| !value.is_none()).map_or_else(|| Ok(time::now()), |value| given(name, value))
}

/// The seconds of an argument that must be there.
///
/// # Errors
/// As of [`seconds`].
pub(crate) fn given(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let seconds = number(name, value)?;
    if seconds.is_nan() {
        return Err(PyValueError::new_err(format!("{name}: no number")));
    }
    if seconds < 0.0 || seconds >= LATEST as f64 + 1.0 {
        let what = if seconds < 0.0 { "negative" } else { "too large" };
        return Err(PyOverflowError::new_err(format!("{name}: the number is {what}")));
    }
    // Any such number is exact as a float.
    Ok(seconds as u64)
}

fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let datetime = value.py().import("datetime")?.getattr("datetime")?;
    if value.is_instance(&datetime)? {
        if value.getattr("tzinfo")?.is_none() {
            return Err(PyValueError::new_err(format!("{name}: a datetime needs a time zone")));
        }
        return value.call_method0("timestamp")?.extract();
    }
    value.extract().map_err(|error: PyErr| {
        let py = value.py();
        if error.is_instance_of::<PyTypeError>(py) {
            let of =
                value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
            let said = format!("{name}: expected seconds since 1970 or a datetime, not {of}");
            PyTypeError::new_err(said)
        } else if error.is_instance_of::<PyOverflowError>(py) {
            let what = if value.lt(0).unwrap_or(false) { "negative" } else { "too large" };
            PyOverflowError::new_err(format!("{name}: the number is {what}"))
        } else {
            error
        }
    })
}
