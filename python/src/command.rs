//! The `robomaton` command, for `robomaton` on the PATH after installation of the wheel, and for
//! `python -m robomaton`.
//!
//! The command is the library that its binary runs. It handles neither arguments nor signals:
//! `__main__.py` does.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command; returns its exit code.
#[pyfunction]
#[pyo3(name = "_command")]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| robomaton_cli::status(arguments))
}
