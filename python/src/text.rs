//! Strings from Python: `str` or `bytes`.
//!
//! A `str` with surrogates is not valid Unicode and is rejected with its place. Bytes that are not
//! UTF-8 are percent-encoded in a URL, which gives the same one (R10), and Latin-1 in the name of a
//! crawler (R5), as in the command. A `str` is read in place, which is `unsafe` here alone.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robomaton_explain::url_text;
use std::borrow::Cow;
use std::ffi::c_char;
use std::slice;

#[allow(unsafe_code)]
unsafe extern "C" {
    /// The UTF-8 of a `str`, which Python makes once and keeps as long as the `str`. The stable
    /// interface has it from Python 3.10 on; Python 3.9 exports it with the same signature.
    fn PyUnicode_AsUTF8AndSize(string: *mut ffi::PyObject, size: *mut ffi::Py_ssize_t) -> *const c_char;
}

/// How bytes are read as text.
pub(crate) type Spelling = for<'b> fn(&'b [u8]) -> Cow<'b, str>;

/// A URL or a name, as given.
pub(crate) enum Text<'py> {
    /// A `str` that has a form in UTF-8.
    Str(Bound<'py, PyString>),
    /// From bytes.
    Spelled(String),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text<'py>> {
        Text::spelled(&object, url_text)
    }
}

impl<'py> Text<'py> {
    /// The text of an object.
    ///
    /// # Errors
    /// If it is neither `str` nor `bytes`, or has surrogates.
    #[inline]
    pub(crate) fn spelled(object: &Bound<'py, PyAny>, spelling: Spelling) -> PyResult<Text<'py>> {
        if let Ok(text) = object.cast::<PyString>() {
            utf8(text)?;
            return Ok(Text::Str(text.clone()));
        }
        let Ok(bytes) = object.cast::<PyBytes>() else {
            let of = object.get_type();
            return Err(PyTypeError::new_err(format!("expected str or bytes, not {}", of.name()?)));
        };
        Ok(Text::Spelled(spelling(bytes.as_bytes()).into_owned()))
    }

    /// The text.
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // It has been read once before.
            Text::Str(text) => utf8(text).unwrap_or_default(),
            Text::Spelled(text) => text,
        }
    }
}

/// The text of a `str`, in place.
///
/// # Errors
/// If it has surrogates.
#[inline]
#[allow(unsafe_code)]
fn utf8<'s>(string: &'s Bound<'_, PyString>) -> PyResult<&'s str> {
    let mut size = 0;
    // SAFETY: this thread is attached to the interpreter, and the object is a `str`.
    let start = unsafe { PyUnicode_AsUTF8AndSize(string.as_ptr(), &raw mut size) };
    // The size of a string that failed is -1 since Python 3.13.
    if start.is_null() {
        return Err(PyErr::fetch(string.py()));
    }
    let size = usize::try_from(size).unwrap_or_default();
    // SAFETY: Python has written UTF-8 of this size, which neither changes nor moves as long as the
    // `str` lives, and the reference to it outlives the result.
    Ok(unsafe { str::from_utf8_unchecked(slice::from_raw_parts(start.cast(), size)) })
}
