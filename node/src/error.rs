//! Errors of the crates below as JavaScript errors.
//!
//! Each has a `code`, which programs compare, and a message for people. Errors about the type of an
//! argument come from napi-rs and have its codes (`InvalidArg`, `StringExpected`, …).

use robomaton_runtime::{ImageError, MODIFIED, OpenError};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// The `code` of an error.
pub enum Code {
    /// An argument has the right type and no valid value.
    Argument,
    /// The image is closed.
    Closed,
    /// The image is damaged, of another version, or no image.
    Image,
    /// The file of a mapped image was written to.
    Modified,
    /// The file does not exist.
    NotFound,
    /// The file may not be read.
    Denied,
    /// The file cannot be read for another reason.
    Io,
    /// Any other error.
    Other,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Code::Argument => "ERR_INVALID_ARG_VALUE",
            Code::Closed => "ERR_ROBOMATON_CLOSED",
            Code::Image => "ERR_ROBOMATON_IMAGE",
            Code::Modified => "ERR_ROBOMATON_MODIFIED",
            // The names that Node itself gives to these errors.
            Code::NotFound => "ENOENT",
            Code::Denied => "EACCES",
            Code::Io => "EIO",
            Code::Other => "ERR_ROBOMATON",
        }
    }
}

pub(crate) type Error = napi::Error<Code>;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error about the value of an argument.
pub(crate) fn argument(name: &str, said: impl Display) -> Error {
    Error::new(Code::Argument, format!("{name}: {said}"))
}

/// Any other error.
pub(crate) fn other(said: impl Display) -> Error {
    Error::new(Code::Other, said.to_string())
}

/// The error for a closed image.
pub(crate) fn closed() -> Error {
    Error::new(Code::Closed, "the image is closed".to_owned())
}

/// The error for a damaged image.
pub(crate) fn damaged(path: &str, error: &ImageError) -> Error {
    Error::new(Code::Image, format!("{path}: {error}"))
}

/// The error for an image that was modified after it was opened.
pub(crate) fn modified(path: &str) -> Error {
    Error::new(Code::Modified, format!("{path}: {MODIFIED}"))
}

/// The error of the operating system for a file.
pub(crate) fn system(path: &Path, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::NotFound => Code::NotFound,
        io::ErrorKind::PermissionDenied => Code::Denied,
        _ => Code::Io,
    };
    Error::new(code, format!("cannot open {}: {error}", path.display()))
}

/// The error for an image that cannot be opened.
pub(crate) fn unopened(error: &OpenError) -> Error {
    match error {
        OpenError::Io { path, error } => system(path, error),
        OpenError::Modified { .. } => Error::new(Code::Modified, error.to_string()),
        _ => Error::new(Code::Image, error.to_string()),
    }
}
