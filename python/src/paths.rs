//! File names from Python: `str`, `bytes` or `os.PathLike`, one or several.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::PathBuf;

/// A file name.
pub(crate) struct Named(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for Named {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Named> {
        let path: PathBuf = object.py().import("os")?.call_method1("fsdecode", (object,))?.extract()?;
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(PyValueError::new_err("embedded null byte in a path"));
        }
        Ok(Named(path))
    }
}

/// File names, at least one.
pub(crate) struct Several(pub(crate) Vec<PathBuf>);

impl<'py> FromPyObject<'_, 'py> for Several {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Several> {
        let many = || PyTypeError::new_err("expected a list of paths, not a single one");
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return Err(many());
        }
        let items = object.try_iter().map_err(|_| many())?;
        let paths: Vec<PathBuf> =
            items.map(|item| Ok(item?.extract::<Named>()?.0)).collect::<PyResult<_>>()?;
        if paths.is_empty() {
            return Err(PyValueError::new_err("expected a list of paths, and it is empty"));
        }
        Ok(Several(paths))
    }
}
