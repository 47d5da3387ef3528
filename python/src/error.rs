//! Errors of the crates below as Python exceptions, with their places.
//!
//! Errors of the operating system are `OSError`s with number and file name; an invalid argument is
//! a `ValueError`; a damaged image is an `ImageError` that names file, byte and violated rule; any
//! other error is an `Error`.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;
use robomaton_corpus::{BuildError, ReadError};
use robomaton_formats::WriteError;
use robomaton_runtime::{MODIFIED, OpenError};
use robomaton_store::StoreError as Store;
use std::fmt::Display;
use std::io;
use std::path::Path;

create_exception!(
    robomaton,
    Error,
    PyException,
    "The base of what this package raises beyond Python's own exceptions."
);
create_exception!(
    robomaton,
    ImageError,
    Error,
    "An image is damaged, of another version, or no image. `path` names the file; `offset` and `rule` say where and which \
     rule of formats/SPEC.md is broken, where that is known."
);

create_exception!(
    robomaton,
    StoreError,
    Error,
    "A store is damaged, was compiled with other options, or belongs to another process. `path` names the file or the directory."
);
create_exception!(
    robomaton,
    StoreLocked,
    StoreError,
    "Another process has the store open for writing, or this one has it open twice. `holder` is the number of the process, \
     where that is known. A `StoreReader` reads it all the same."
);

/// An operating system error for a file.
pub(crate) fn os_error(path: &Path, error: &io::Error) -> PyErr {
    match number(error) {
        // Python chooses the class by the number: FileNotFoundError, PermissionError and so on.
        Some(number) => {
            let said = io::Error::from_raw_os_error(number).to_string();
            let text = said.split(" (os error").next().unwrap_or(&said).to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

/// The number of an error; for an error wrapped by a library, as far as its kind implies it.
fn number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or(match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::StorageFull => Some(28),
        io::ErrorKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    })
}

/// The error for a damaged image.
pub(crate) fn image_error(
    py: Python<'_>,
    path: Option<&Path>,
    error: &robomaton_formats::ImageError,
) -> PyErr {
    let offset = match error {
        robomaton_formats::ImageError::Damaged { at, .. } => Some(*at),
        _ => None,
    };
    let said = match path {
        Some(path) => format!("{}: {error}", path.display()),
        None => error.to_string(),
    };
    with_place(py, said, path, offset, error.rule())
}

fn with_place(
    py: Python<'_>,
    said: String,
    path: Option<&Path>,
    offset: Option<u64>,
    rule: Option<u8>,
) -> PyErr {
    let raised = ImageError::new_err(said);
    let value = raised.value(py);
    let placed = value
        .setattr("path", path.map(|path| path.as_os_str().to_owned()))
        .and_then(|()| value.setattr("offset", offset))
        .and_then(|()| value.setattr("rule", rule));
    placed.err().unwrap_or(raised)
}

/// The error for an image that cannot be opened.
pub(crate) fn open_error(py: Python<'_>, error: &OpenError) -> PyErr {
    match error {
        OpenError::Io { path, error } => os_error(path, error),
        OpenError::Image { path, error } => image_error(py, Some(path), error),
        OpenError::Shards { path, .. } => with_place(py, error.to_string(), Some(path), None, None),
        OpenError::Modified { path } => changed(py, path),
        _ => said(error),
    }
}

/// The error of a store in a directory.
pub(crate) fn store_error(py: Python<'_>, directory: &Path, error: &Store) -> PyErr {
    let placed = |raised: PyErr, path: &Path| {
        let set = raised.value(py).setattr("path", path.as_os_str().to_owned());
        set.err().unwrap_or(raised)
    };
    match error {
        Store::Locked { path, holder } => {
            let said = format!("{error}; open a StoreReader beside it");
            let raised = placed(StoreLocked::new_err(said), path);
            let set = raised.value(py).setattr("holder", holder.parse::<u32>().ok());
            set.err().unwrap_or(raised)
        }
        Store::Io { path, error } => os_error(path, error),
        Store::Image(error) => image_error(py, None, error),
        Store::Open(error) => open_error(py, error),
        Store::Damaged { path, .. }
        | Store::NotLog { path }
        | Store::LogVersion { path }
        | Store::Broken { path }
        | Store::Unlike { path, .. } => placed(StoreError::new_err(error.to_string()), path),
        error if error.is_of_capture() => PyValueError::new_err(error.to_string()),
        error => placed(StoreError::new_err(error.to_string()), directory),
    }
}

/// The error for an image that was modified after it was opened.
pub(crate) fn changed(py: Python<'_>, path: &Path) -> PyErr {
    with_place(py, format!("{}: {MODIFIED}", path.display()), Some(path), None, None)
}

/// The error of a job.
pub(crate) fn job_error(py: Python<'_>, error: robomaton_build::Error) -> PyErr {
    use robomaton_build::Error as Job;
    match &error {
        Job::Write { path, error } => os_error(path, error),
        Job::Build(BuildError::Read(ReadError::Open { path, error, listed: None })) => os_error(path, error),
        Job::Build(BuildError::Write(WriteError::Image(error))) => image_error(py, None, error),
        Job::Open(error) => open_error(py, error),
        Job::Image { path, error } => image_error(py, Some(path), error),
        Job::Nobody(_) | Job::Pages(_) | Job::Merge { .. } | Job::Nothing => {
            PyValueError::new_err(error.to_string())
        }
        Job::Empty { examples, .. } => {
            let cure = "allow_empty=True writes an empty one";
            let skipped: String = examples.iter().map(|example| format!("\nskipped {example}")).collect();
            Error::new_err(format!("{error}; {cure}{skipped}"))
        }
        _ => said(&error),
    }
}

/// Any other error.
pub(crate) fn said(error: &impl Display) -> PyErr {
    Error::new_err(error.to_string())
}
