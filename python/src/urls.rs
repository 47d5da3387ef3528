//! Many URLs out of Python, and their answers back in the same kind: lists, NumPy arrays, Arrow arrays.
//!
//! Rows of NumPy and Arrow never become Python objects, unless they are such: Arrow's are read where they lie, NumPy's
//! characters are put into UTF-8 in blocks. Invariant: a row that is no text is an error that names it. It does not know what is asked.

mod arrow;
mod numpy;

use crate::VERDICTS;
use crate::text::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString};
use robomaton_runtime::Decision;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// Rows that a thread is worth being started for.
const PART: usize = 1 << 12;

/// More threads than so many for each core are not started.
const THREADS_OF_CORE: usize = 4;

/// Texts one behind the other.
#[derive(Default)]
pub(crate) struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Ends a text that was appended to [`Texts::all`].
    fn end(&mut self) {
        self.ends.push(self.all.len());
    }

    fn append(&mut self, other: &Texts) {
        let start = self.all.len();
        self.all.push_str(&other.all);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = &str> {
        let start = rows.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        let starts = std::iter::once(start).chain(self.ends[rows.clone()].iter().copied());
        starts.zip(&self.ends[rows]).map(|(start, &end)| &self.all[start..end])
    }
}

/// What is asked about rows of URLs.
pub(crate) trait Ask: Sync {
    /// The code of the answer of each row.
    fn codes<'u>(&self, rows: impl Iterator<Item = &'u str>) -> Vec<u8>;
}

/// Rows that lie together.
pub(crate) enum Chunk {
    Own(Texts),
    Arrow(arrow::Column),
}

impl Chunk {
    /// The codes of all rows, on so many threads.
    fn codes(&self, ask: &impl Ask, threads: usize) -> Vec<u8> {
        match self {
            Chunk::Own(texts) => in_parts(texts.len(), threads, |rows| ask.codes(texts.rows(rows))),
            Chunk::Arrow(column) => column.codes(ask, threads),
        }
    }
}

/// The codes of so many rows, in parts on so many threads. What no thread can be had for is done here.
fn in_parts(rows: usize, threads: usize, codes: impl Fn(Range<usize>) -> Vec<u8> + Sync) -> Vec<u8> {
    let part = rows.div_ceil(threads).max(PART);
    let parts = (0..rows).step_by(part).map(|start| start..rows.min(start + part));
    thread::scope(|scope| {
        let codes = &codes;
        let spawn = |rows: Range<usize>| {
            let spawned = thread::Builder::new().spawn_scoped(scope, {
                let rows = rows.clone();
                move || codes(rows)
            });
            (rows, spawned)
        };
        let mut parts: Vec<Range<usize>> = parts.collect();
        let last = parts.pop();
        let others: Vec<_> = parts.into_iter().map(spawn).collect();
        let last = last.map(codes).unwrap_or_default();
        let mut all = Vec::with_capacity(rows);
        for (rows, spawned) in others {
            all.extend(match spawned {
                // A thread that panicked is a bug; its panic goes on here.
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => codes(rows),
            });
        }
        all.extend(last);
        all
    })
}

/// The kind that answers are given back in.
enum Kind {
    List,
    NumPy,
    /// One array of pyarrow.
    Arrow,
    /// A chunked array of pyarrow.
    Chunked,
    /// A series of pandas with this index.
    Pandas(Py<PyAny>),
    /// A series of polars.
    Polars,
}

/// URLs, read.
pub(crate) struct Urls {
    kind: Kind,
    chunks: Vec<Chunk>,
}

/// Their answers, by code.
pub(crate) struct Codes {
    kind: Kind,
    chunks: Vec<Vec<u8>>,
}

impl<'py> FromPyObject<'_, 'py> for Urls {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Urls> {
        let of = object.get_type();
        let unfit =
            |what: &str| Err(PyTypeError::new_err(format!("urls: expected a list or an array, not {what}")));
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return unfit("a single string");
        }
        if object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
            || object.is_instance_of::<PyDict>()
        {
            return unfit("what has no order of its own");
        }
        if object.is_instance_of::<PyList>() {
            return Ok(Urls { kind: Kind::List, chunks: vec![Chunk::Own(list(&object, 0)?)] });
        }
        if is_instance(&object, "numpy", "ndarray")? {
            return Ok(Urls { kind: Kind::NumPy, chunks: vec![Chunk::Own(numpy::read(&object)?)] });
        }
        let name = of.name()?.to_string();
        let (kind, chunks) = if object.hasattr("__arrow_c_array__")? {
            (Kind::Arrow, vec![Chunk::Arrow(arrow::Column::read(&object, 0)?)])
        } else if object.hasattr("__arrow_c_stream__")? {
            (Kind::Chunked, arrow::chunks(&object)?)
        } else if object.hasattr("to_numpy")? {
            (Kind::NumPy, vec![Chunk::Own(numpy::read(&object.call_method0("to_numpy")?)?)])
        } else if object.try_iter().is_ok() {
            (Kind::List, vec![Chunk::Own(list(&object, 0)?)])
        } else {
            return unfit(&name);
        };
        let kind = match () {
            () if is_instance(&object, "pandas", "Series")? => {
                Kind::Pandas(object.getattr("index")?.unbind())
            }
            () if is_instance(&object, "polars", "Series")? => Kind::Polars,
            () => kind,
        };
        Ok(Urls { kind, chunks })
    }
}

/// Whether it is of a class of a package. Where nobody has imported that, nothing is.
fn is_instance(object: &Bound<'_, PyAny>, package: &str, class: &str) -> PyResult<bool> {
    let modules = object.py().import("sys")?.getattr("modules")?;
    let package = modules.call_method1("get", (package,))?;
    Ok(!package.is_none() && object.is_instance(&package.getattr(class)?)?)
}

/// So many threads, 0 for one per core.
///
/// # Errors
/// When it is less.
pub(crate) fn threads_of(threads: i64) -> PyResult<usize> {
    let negative = |_| PyValueError::new_err(format!("threads: 0 for one per core, or more, not {threads}"));
    usize::try_from(threads).map_err(negative)
}

/// The strings of a list, or of anything that can be gone through; `first` is the number of the first.
fn list(object: &Bound<'_, PyAny>, first: usize) -> PyResult<Texts> {
    let mut texts = Texts::default();
    for (item, row) in object.try_iter()?.zip(first..) {
        let item = item?;
        let text = item.extract::<Text<'_>>().map_err(|error| at_row(&item, row, error))?;
        texts.all.push_str(text.as_str());
        texts.end();
    }
    Ok(texts)
}

/// An error of a row, with its number.
fn at_row(item: &Bound<'_, PyAny>, row: usize, error: PyErr) -> PyErr {
    let py = item.py();
    let said = format!("urls[{row}]: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(said)
    } else {
        PyValueError::new_err(said)
    }
}

impl Urls {
    /// Asks about all of them, the interpreter let go, on so many threads; 0 for one per core.
    pub(crate) fn codes(self, py: Python<'_>, ask: &impl Ask, threads: usize) -> Codes {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cores } else { threads.min(THREADS_OF_CORE * cores) };
        let chunks = py.detach(|| self.chunks.iter().map(|chunk| chunk.codes(ask, threads)).collect());
        Codes { kind: self.kind, chunks }
    }
}

/// The code of a decision: its place in [`VERDICTS`].
#[inline]
pub(crate) fn code(decision: Decision) -> u8 {
    match decision {
        Decision::Allowed => 0,
        Decision::Disallowed => 1,
        Decision::Conditional => 2,
        Decision::Unknown => 3,
    }
}

fn is_allowed(code: u8) -> bool {
    code == 0
}

impl Codes {
    /// The verdicts: a list of strings, a NumPy array of codes, a dictionary array of Arrow, or a categorical series.
    pub(crate) fn verdicts(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Codes { kind, chunks } = self;
        match kind {
            Kind::List => {
                let names = VERDICTS.map(|name| PyString::intern(py, name));
                let rows = chunks.iter().flatten().map(|&code| &names[usize::from(code)]);
                Ok(PyList::new(py, rows.collect::<Vec<_>>())?.into_any())
            }
            Kind::NumPy => Ok(numpy::codes(py, chunks.concat())),
            Kind::Arrow => arrow::verdicts(py, chunks.concat()),
            Kind::Chunked | Kind::Polars => arrow::chunked(&kind, py, chunks, arrow::verdicts),
            Kind::Pandas(index) => {
                let codes = numpy::codes(py, chunks.concat());
                let arguments = [("categories", VERDICTS)].into_py_dict(py)?;
                let categorical = py.import("pandas")?.getattr("Categorical")?;
                let values = categorical.call_method("from_codes", (codes,), Some(&arguments))?;
                series(py, values, index)
            }
        }
    }

    /// Whether each is plainly allowed.
    pub(crate) fn allowed(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let mask = |codes: Vec<u8>| codes.into_iter().map(is_allowed).collect::<Vec<bool>>();
        let Codes { kind, chunks } = self;
        match kind {
            Kind::List => {
                let rows = chunks.iter().flatten().map(|&code| PyBool::new(py, is_allowed(code)));
                Ok(PyList::new(py, rows.collect::<Vec<_>>())?.into_any())
            }
            Kind::NumPy => Ok(numpy::mask(py, mask(chunks.concat()))),
            Kind::Arrow => arrow::mask(py, mask(chunks.concat())),
            Kind::Chunked | Kind::Polars => {
                arrow::chunked(&kind, py, chunks, |py, chunk| arrow::mask(py, mask(chunk)))
            }
            Kind::Pandas(index) => series(py, numpy::mask(py, mask(chunks.concat())), index),
        }
    }
}

/// A series of pandas.
fn series<'py>(py: Python<'py>, values: Bound<'py, PyAny>, index: Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("pandas")?.call_method1("Series", (values, index))
}
