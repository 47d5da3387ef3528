//! The answers for a column of URLs, as codes, and their conversion to the kind of that column.
//!
//! Invariant: a null row has no answer. [`code`] defines the codes.

use super::{Kind, NO_URL, NULL, arrow, code, is_allowed, numpy};
use crate::VERDICTS;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyList, PyString};
use robomaton_runtime::Decision;

/// The answers for a column of URLs, as codes.
pub(crate) struct Codes {
    pub(super) kind: Kind,
    /// True if rows may be null.
    pub(super) nulls: bool,
    pub(super) chunks: Vec<Vec<u8>>,
}

/// The mask for NumPy and pandas: true where there is no answer.
fn is_null(codes: &[u8]) -> Vec<bool> {
    codes.iter().map(|&code| code == NULL).collect()
}

impl Codes {
    /// The rows that are not URLs: the first of them and their number. From here on they are simply
    /// unknown.
    pub(crate) fn take_no_urls(&mut self) -> Option<(usize, usize)> {
        let mut found = None;
        let mut first = 0;
        for chunk in &mut self.chunks {
            if !chunk.contains(&NO_URL) {
                first += chunk.len();
                continue;
            }
            for (row, answer) in chunk.iter_mut().enumerate().filter(|(_, answer)| **answer == NO_URL) {
                found.get_or_insert((first + row, 0)).1 += 1;
                *answer = code(Decision::Unknown);
            }
            first += chunk.len();
        }
        found
    }

    /// Sets null answers for these rows.
    pub(crate) fn set_null(&mut self, rows: impl Iterator<Item = usize>) {
        let (mut chunks, mut first) = (self.chunks.iter_mut(), 0);
        let mut chunk: &mut [u8] = &mut [];
        // Both rows and chunks are in ascending order.
        for row in rows {
            while row - first >= chunk.len() {
                first += chunk.len();
                let Some(next) = chunks.next() else { return };
                chunk = next;
            }
            chunk[row - first] = NULL;
        }
    }

    /// The verdicts: a list of strings, a NumPy array of codes, an Arrow dictionary array, or a
    /// categorical series.
    pub(crate) fn verdicts(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Codes { kind, nulls, chunks } = self;
        match kind {
            Kind::List => {
                let names = VERDICTS.map(|name| PyString::intern(py, name));
                let rows = chunks.iter().flatten().map(|&code| names.get(usize::from(code)));
                Ok(PyList::new(py, rows.collect::<Vec<_>>())?.into_any())
            }
            Kind::NumPy => {
                let codes = chunks.concat();
                let mask = nulls.then(|| is_null(&codes));
                numpy::masked(py, numpy::array(py, codes), mask)
            }
            Kind::Arrow => arrow::verdicts(py, chunks.concat()),
            Kind::Chunked | Kind::Polars(_) => arrow::chunked(&kind, py, chunks, arrow::verdicts),
            Kind::Pandas { name, index } => {
                // In pandas, -1 is a row without a category.
                let codes =
                    chunks.into_iter().flatten().map(|code| if code == NULL { -1 } else { code as i8 });
                let codes = numpy::array(py, codes.collect());
                let arguments = [("categories", VERDICTS)].into_py_dict(py)?;
                let categorical = py.import("pandas")?.getattr("Categorical")?;
                let values = categorical.call_method("from_codes", (codes,), Some(&arguments))?;
                series(py, values, name, index)
            }
        }
    }

    /// True for each row that is allowed without conditions.
    pub(crate) fn allowed(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let bare = |codes: &[u8]| codes.iter().map(|&code| code == 0).collect::<Vec<bool>>();
        let Codes { kind, nulls, chunks } = self;
        match kind {
            Kind::List => {
                let rows = chunks.iter().flatten();
                let rows = rows.map(|&code| is_allowed(code).map(|allowed| PyBool::new(py, allowed)));
                Ok(PyList::new(py, rows.collect::<Vec<_>>())?.into_any())
            }
            Kind::NumPy => {
                let codes = chunks.concat();
                let mask = nulls.then(|| is_null(&codes));
                numpy::masked(py, numpy::array(py, bare(&codes)), mask)
            }
            Kind::Arrow => arrow::mask(py, chunks.concat()),
            Kind::Chunked | Kind::Polars(_) => arrow::chunked(&kind, py, chunks, arrow::mask),
            Kind::Pandas { name, index } => {
                let codes = chunks.concat();
                let allowed = numpy::array(py, bare(&codes));
                let values = if nulls {
                    let arrays = py.import("pandas")?.getattr("arrays")?;
                    arrays.call_method1("BooleanArray", (allowed, numpy::array(py, is_null(&codes))))?
                } else {
                    allowed
                };
                series(py, values, name, index)
            }
        }
    }
}

/// A pandas series.
fn series<'py>(
    py: Python<'py>,
    values: Bound<'py, PyAny>,
    name: Py<PyAny>,
    index: Py<PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = [("name", name)].into_py_dict(py)?;
    py.import("pandas")?.call_method("Series", (values, index), Some(&arguments))
}
