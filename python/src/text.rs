//! Strings from Python: `str` or `bytes`.
//!
//! A `str` with surrogates is not valid Unicode and is rejected with its place. Bytes that are not
//! UTF-8 are percent-encoded, which gives the same URL (R10), as in the command.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robomaton_explain::url_text;

/// A URL or a name, as given.
pub(crate) enum Text<'py> {
    /// UTF-8, owned by Python.
    Utf8(Bound<'py, PyBytes>),
    /// From bytes.
    Spelled(String),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text<'py>> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Text::Utf8(text.encode_utf8()?));
        }
        let Ok(bytes) = object.cast::<PyBytes>() else {
            let of = object.get_type();
            return Err(PyTypeError::new_err(format!("expected str or bytes, not {}", of.name()?)));
        };
        Ok(Text::Spelled(url_text(bytes.as_bytes()).into_owned()))
    }
}

impl Text<'_> {
    /// The text.
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // Python's encoder produces UTF-8.
            Text::Utf8(bytes) => std::str::from_utf8(bytes.as_bytes()).unwrap_or_default(),
            Text::Spelled(text) => text,
        }
    }
}
