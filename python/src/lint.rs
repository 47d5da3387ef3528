//! The findings about a text, for Python, as in `robomaton lint --json`.

use crate::answer::from_json;
use crate::error::said;
use crate::robots::{Files, Given};
use crate::text::Text;
use pyo3::prelude::*;
use robomaton_compiler::lint::STEPS;
use robomaton_explain::lint::lint;

/// The findings about a robots.txt, as dicts.
#[pyfunction]
#[pyo3(signature = (text, url, profile, files))]
pub(crate) fn _lint<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    url: Option<Text<'_>>,
    profile: String,
    files: Files<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let Given { text, origin, others, options } = Given::of(text, url.as_ref(), &profile, files)?;
    let found = py.detach(|| lint(&text, &origin, &others, &options, STEPS));
    let json = serde_json::to_string(&found).map_err(|error| said(&error))?;
    from_json(py, &json)
}
