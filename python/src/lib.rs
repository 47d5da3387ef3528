//! The native part of the Python package: images, texts, stores and builds as Python sees them.
//!
//! ```text
//!   str, bytes, list, NumPy, Arrow ──▶ urls ──▶ batch ──▶ source (image or text) ──▶ answers ──▶ str, list, NumPy, Arrow
//! ```
//!
//! It stands next to `cli` and `serve` and gives the same answers: names, usages and answers go
//! through `explain`, images are made by `build`. Invariants: any problem with an argument or an
//! image is a Python exception; the interpreter lock is released for builds, for the files of a
//! store, and for questions about many URLs; rows of NumPy and Arrow never become Python objects.
//! It decides nothing.

mod answer;
mod arguments;
mod ask;
mod batch;
mod build;
mod command;
mod error;
mod image;
mod lint;
mod options;
mod paths;
mod reference;
mod robots;
mod sites;
mod source;
mod store;
mod text;
mod urls;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The verdicts, in the order of their codes in NumPy arrays.
const VERDICTS: [&str; 4] = ["allowed", "disallowed", "conditional", "unknown"];

#[pymodule]
fn _robomaton(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("VERDICTS", PyTuple::new(py, VERDICTS)?)?;
    module.add("Error", py.get_type::<error::Error>())?;
    module.add("ImageError", py.get_type::<error::ImageError>())?;
    module.add("StoreError", py.get_type::<error::StoreError>())?;
    module.add("StoreLocked", py.get_type::<error::StoreLocked>())?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<image::Image>()?;
    module.add_class::<robots::Robots>()?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_class::<sites::Sites>()?;
    module.add_class::<store::SiteState>()?;
    module.add_class::<store::Store>()?;
    module.add_class::<store::StoreReader>()?;
    module.add_function(wrap_pyfunction!(build::compile, module)?)?;
    module.add_function(wrap_pyfunction!(build::merge, module)?)?;
    module.add_function(wrap_pyfunction!(lint::_lint, module)?)?;
    Ok(())
}
