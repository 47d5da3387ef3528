//! Many URLs from Python, and their answers in the same kind: lists, NumPy arrays, Arrow arrays.
//!
//! Rows of NumPy and Arrow never become Python objects, unless they are: Arrow's are read in place,
//! NumPy's characters are converted to UTF-8 in blocks. Invariant: a row that is not text is an
//! error that names it or, if nulls are kept, a null with a null answer. It does not know the
//! question.

mod arrow;
mod codes;
mod numpy;

pub(crate) use codes::Codes;

use crate::VERDICTS;
use crate::ask::is_unordered;
use crate::text::{Spelling, Text};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyList, PyString};
use robomaton_runtime::Decision;
use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// The minimum number of rows for which a thread is started.
const PART: usize = 1 << 12;

/// The maximum number of threads for each core.
const THREADS_OF_CORE: usize = 4;

/// Concatenated texts.
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

/// The code of the answer for a text that is not a URL: unknown, with a warning.
pub(crate) const NO_URL: u8 = VERDICTS.len() as u8;

/// The code of the answer for a null row.
const NULL: u8 = u8::MAX;

/// A question about rows of URLs.
pub(crate) trait Ask: Sync {
    /// True if equal URLs have equal answers in all rows.
    fn is_uniform(&self) -> bool;

    /// The codes of the answers for rows; `first` is the number of the first row.
    fn codes<'u>(&self, first: usize, rows: impl Iterator<Item = &'u str>) -> Vec<u8>;
}

/// Contiguous rows.
struct Chunk {
    texts: Stored,
    /// The number of the first row.
    first: usize,
    /// Null rows, counted from the first; the answers for them are discarded.
    nulls: Vec<usize>,
}

/// The storage of texts.
enum Stored {
    Own(Texts),
    Arrow(arrow::Column),
}

impl Chunk {
    fn len(&self) -> usize {
        match &self.texts {
            Stored::Own(texts) => texts.len(),
            Stored::Arrow(column) => column.len(),
        }
    }

    /// The codes of all rows, computed on a number of threads.
    fn codes(&self, ask: &impl Ask, threads: usize) -> Vec<u8> {
        let mut codes = match &self.texts {
            Stored::Own(texts) => {
                in_parts(texts.len(), threads, |rows| ask.codes(self.first + rows.start, texts.rows(rows)))
            }
            Stored::Arrow(column) => column.codes(ask, self.first, threads),
        };
        self.nulls.iter().for_each(|&row| codes[row] = NULL);
        codes
    }
}

/// The codes of a number of rows, computed in parts on a number of threads. If a thread cannot be
/// started, its part is computed here.
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
                // A thread that panicked is a bug; its panic continues here.
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => codes(rows),
            });
        }
        all.extend(last);
        all
    })
}

/// The kind of column in which answers are returned.
enum Kind {
    List,
    NumPy,
    /// A pyarrow array.
    Arrow,
    /// A pyarrow chunked array.
    Chunked,
    /// A pandas series with this name and index.
    Pandas {
        name: Py<PyAny>,
        index: Py<PyAny>,
    },
    /// A polars series with this name.
    Polars(Py<PyAny>),
}

/// Options for reading a column.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// The argument, for errors.
    pub(crate) argument: &'static str,
    /// How rows of bytes are read.
    pub(crate) spelling: Spelling,
    /// True if rows may be null.
    pub(crate) nulls: bool,
}

/// A column of texts.
pub(crate) struct Column {
    kind: Kind,
    /// True if rows may be null.
    nulls: bool,
    chunks: Vec<Chunk>,
}

impl Reader {
    /// Reads a column of any kind.
    ///
    /// # Errors
    /// If it is not a column, or a row is not text.
    pub(crate) fn read(self, object: &Bound<'_, PyAny>) -> PyResult<Column> {
        let of = object.get_type();
        let unfit = |what: &str| {
            let said = format!("{}: expected a list or an array, not {what}", self.argument);
            Err(PyTypeError::new_err(said))
        };
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return unfit("a single string");
        }
        if is_unordered(object) {
            return unfit("what has no order of its own");
        }
        let own = |(texts, nulls)| vec![Chunk { texts: Stored::Own(texts), first: 0, nulls }];
        let name = of.name()?.to_string();
        let (kind, chunks) = if object.is_instance_of::<PyList>() {
            (Kind::List, own(self.list(object, 0)?))
        } else if is_instance(object, "numpy", "ndarray")? {
            (Kind::NumPy, own(numpy::read(self, object)?))
        } else if object.hasattr("__arrow_c_array__")? {
            (Kind::Arrow, vec![arrow::chunk(self, object, 0)?])
        } else if object.hasattr("__arrow_c_stream__")? {
            (Kind::Chunked, arrow::chunks(self, object)?)
        } else if object.hasattr("to_numpy")? {
            (Kind::NumPy, own(numpy::read(self, &object.call_method0("to_numpy")?)?))
        } else if object.try_iter().is_ok() {
            (Kind::List, own(self.list(object, 0)?))
        } else {
            return unfit(&name);
        };
        let kind = if is_instance(object, "pandas", "Series")? {
            let name = object.getattr("name")?.unbind();
            Kind::Pandas { name, index: object.getattr("index")?.unbind() }
        } else if is_instance(object, "polars", "Series")? {
            Kind::Polars(object.getattr("name")?.unbind())
        } else {
            kind
        };
        Ok(Column { kind, nulls: self.nulls, chunks })
    }

    /// The strings of a list or another iterable, and the null rows; `first` is the number of the
    /// first row.
    fn list(self, object: &Bound<'_, PyAny>, first: usize) -> PyResult<(Texts, Vec<usize>)> {
        let (mut texts, mut nulls) = (Texts::default(), Vec::new());
        for (row, item) in object.try_iter()?.enumerate() {
            let item = item?;
            if self.nulls && is_missing(&item) {
                nulls.push(row);
            } else {
                let text = Text::spelled(&item, self.spelling);
                texts.all.push_str(text.map_err(|error| self.at_row(&item, first + row, &error))?.as_str());
            }
            texts.end();
        }
        Ok((texts, nulls))
    }

    /// The error for a row, with its number.
    fn at_row(self, item: &Bound<'_, PyAny>, row: usize, error: &PyErr) -> PyErr {
        if is_missing(item) {
            return PyValueError::new_err(self.null(row));
        }
        let py = item.py();
        let said = format!("{}[{row}]: {}", self.argument, error.value(py));
        if error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(said)
        } else {
            PyValueError::new_err(said)
        }
    }

    /// The error message for a null that may not be kept.
    fn null(self, row: usize) -> String {
        format!("{}[{row}]: is null; nulls='keep' gives it a null answer", self.argument)
    }
}

/// True if an object stands for a missing value: None or NaN.
fn is_missing(item: &Bound<'_, PyAny>) -> bool {
    item.is_none() || item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
}

/// True if it is an array rather than a Python list, which means that it exports its rows.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    for mark in ["__arrow_c_array__", "__arrow_c_stream__", "to_numpy"] {
        if object.hasattr(mark)? {
            return Ok(true);
        }
    }
    is_instance(object, "numpy", "ndarray")
}

/// True if it is of a class of a package. False if the package is not imported.
fn is_instance(object: &Bound<'_, PyAny>, package: &str, class: &str) -> PyResult<bool> {
    let modules = object.py().import("sys")?.getattr("modules")?;
    let package = modules.call_method1("get", (package,))?;
    Ok(!package.is_none() && object.is_instance(&package.getattr(class)?)?)
}

/// A number of threads, 0 for one per core.
///
/// # Errors
/// If it is negative.
pub(crate) fn threads_of(threads: i64) -> PyResult<usize> {
    let negative = |_| PyValueError::new_err(format!("threads: 0 for one per core, or more, not {threads}"));
    usize::try_from(threads).map_err(negative)
}

impl Column {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(Chunk::len).sum()
    }

    /// The index, if it is a pandas series.
    pub(crate) fn index<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        match &self.kind {
            Kind::Pandas { index, .. } => Some(index.bind(py)),
            _ => None,
        }
    }

    /// The null rows.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = usize> {
        self.chunks.iter().flat_map(|chunk| chunk.nulls.iter().map(|row| chunk.first + row))
    }

    /// Numbers the text of each row, equal texts equally. `number` assigns the number of a new
    /// text; null rows get 0.
    ///
    /// # Errors
    /// The first error of `number`.
    pub(crate) fn numbered(
        &self,
        mut number: impl FnMut(usize, &str) -> PyResult<u32>,
    ) -> PyResult<Vec<u32>> {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut numbers = Vec::with_capacity(self.len());
        let mut of = |row: usize, text: &str| match known.get(text) {
            Some(&number) => Ok(number),
            None => number(row, text).inspect(|&number| {
                known.insert(text.to_owned(), number);
            }),
        };
        for chunk in &self.chunks {
            let (first, mut nulls) = (chunk.first, chunk.nulls.iter().peekable());
            let mut is_null = |row: usize| nulls.next_if(|&&null| null == row).is_some();
            match &chunk.texts {
                Stored::Own(texts) => {
                    for (row, text) in texts.rows(0..texts.len()).enumerate() {
                        numbers.push(if is_null(row) { 0 } else { of(first + row, text)? });
                    }
                }
                Stored::Arrow(column) => column.numbered(is_null, first, &mut of, &mut numbers)?,
            }
        }
        Ok(numbers)
    }

    /// The codes of all rows, computed without the interpreter lock on a number of threads; 0 for
    /// one per core.
    pub(crate) fn codes(self, py: Python<'_>, ask: &impl Ask, threads: usize) -> Codes {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cores } else { threads.min(THREADS_OF_CORE * cores) };
        let chunks = py.detach(|| self.chunks.iter().map(|chunk| chunk.codes(ask, threads)).collect());
        Codes { kind: self.kind, nulls: self.nulls, chunks }
    }
}

/// True if an answer is an unconditional permission; `None` for a null.
fn is_allowed(code: u8) -> Option<bool> {
    (code != NULL).then_some(code == 0)
}

/// The code of a decision: its index in [`VERDICTS`].
#[inline]
pub(crate) fn code(decision: Decision) -> u8 {
    match decision {
        Decision::Allowed => 0,
        Decision::Disallowed => 1,
        Decision::Conditional => 2,
        Decision::Unknown => 3,
    }
}
