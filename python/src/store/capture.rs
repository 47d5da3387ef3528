//! The result of a fetch from Python: bodies and header fields in the forms of its HTTP clients.
//!
//! `requests` has a mapping of strings, Scrapy one of bytes with lists of values, `http.client`
//! pairs. Whatever they are, the fields are bounded before they fill the memory.

use super::time::seconds;
use crate::text::Text;
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};
use robomaton_corpus::is_success;
use robomaton_store::{Capture, limits};

/// Header fields, in their order.
pub(crate) type Fields = Vec<(String, Vec<u8>)>;

/// The arguments of a put.
pub(crate) struct Fetched<'a, 'py> {
    pub(crate) url: Text<'a>,
    pub(crate) status: u16,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) headers: Option<Fields>,
    pub(crate) redirects: u16,
    pub(crate) fetched_at: Option<&'a Bound<'py, PyAny>>,
    pub(crate) truncated: bool,
}

impl Fetched<'_, '_> {
    /// The capture of these arguments.
    ///
    /// # Errors
    /// If the time is none, or a success has no body: a forgotten one is no empty text, which
    /// allows all.
    pub(crate) fn capture(self) -> PyResult<Capture> {
        let fetched_at = seconds("fetched_at", self.fetched_at)?;
        if self.body.is_none() && is_success(self.status) {
            let said = format!("body: status {}, and no body; that of an empty text is b''", self.status);
            return Err(PyValueError::new_err(said));
        }
        Ok(Capture {
            url: self.url.as_str().to_owned(),
            fetched_at,
            status: self.status,
            redirects: self.redirects,
            headers: self.headers.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            truncated: self.truncated,
            refers_to: None,
        })
    }
}

fn mistyped(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let of = value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: expected {expected}, not {of}"))
}

/// The bytes of a body.
pub(crate) fn body(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Some(value.extract::<Text<'_>>()?.as_str().as_bytes().to_vec()));
    }
    if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
        let copy = PyBytes::type_object(value.py()).call1((value,))?;
        return Ok(Some(copy.cast::<PyBytes>()?.as_bytes().to_vec()));
    }
    Err(mistyped("body", "bytes or str", value))
}

/// The header fields of a mapping, or of pairs.
pub(crate) fn headers(value: &Bound<'_, PyAny>) -> PyResult<Option<Fields>> {
    let expected = "a mapping or pairs of names and values";
    if value.is_none() {
        return Ok(None);
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(mistyped("headers", expected, value));
    }
    let items = match value.hasattr("items")? {
        true => value.call_method0("items")?,
        false => value.clone(),
    };
    let too_long = || PyValueError::new_err(format!("headers: longer than {} bytes", limits::HEADER_BYTES));
    let (mut fields, mut room) = (Vec::new(), limits::HEADER_BYTES);
    for pair in items.try_iter().map_err(|_| mistyped("headers", expected, value))? {
        let pair = pair?;
        // Also without a value, a pair takes some room.
        room = room.checked_sub(1).ok_or_else(too_long)?;
        let is_pair = pair.is_instance_of::<PyTuple>() || pair.is_instance_of::<PyList>();
        if !is_pair || pair.len()? != 2 {
            return Err(mistyped("headers", expected, &pair));
        }
        let (name, value) = (text(&pair.get_item(0)?)?, pair.get_item(1)?);
        let name = String::from_utf8_lossy(&name).into_owned();
        let mut add = |value: &Bound<'_, PyAny>| {
            let value = text(value)?;
            room = room.checked_sub(name.len() + value.len() + 1).ok_or_else(too_long)?;
            fields.push((name.clone(), value));
            PyResult::Ok(())
        };
        if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
            for value in value.try_iter()? {
                add(&value?)?;
            }
        } else {
            add(&value)?;
        }
    }
    Ok(Some(fields))
}

/// The bytes of a name or a value.
fn text(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if value.is_instance_of::<PyString>() {
        return Ok(value.extract::<Text<'_>>()?.as_str().as_bytes().to_vec());
    }
    Err(mistyped("headers", "str or bytes", value))
}
