//! The class of a store that is open for writing.
//!
//! It extends `StoreReader`, which has the questions, and adds puts and upkeep. It decides nothing.

use super::StoreReader;
use super::capture::{Fetched, Fields, body, headers};
use super::open::{Open, Opened};
use super::time::{given, seconds};
use crate::arguments;
use crate::ask::Listed;
use crate::error::store_error;
use crate::image::permission;
use crate::options::compile_options;
use crate::paths::Named;
use crate::text::Text;
use arc_swap::ArcSwapOption;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use robomaton_runtime::Terms;
use robomaton_store::{Durability, ReaderOptions, Store as Written, StoreOptions};
use std::time::Duration;

/// A store of captures that answers while captures go in: a directory, which is created if it is
/// missing. One process at a time has it open as a `Store`, and a second one gets a `StoreLocked`;
/// others read it as a `StoreReader`.
///
/// `durability` says when a put is durable: `"each"` when it returns; a number of milliseconds, at
/// most so long after; `None` when the system writes it (a crash of the process loses nothing, a
/// power failure may). `memory_captures` is the number of captures in memory before they become a
/// layer (4096). With `without_damaged_layers`, layers that are missing or damaged are taken out of
/// the store, which keeps their files. The other options are those of `StoreReader`.
///
/// ```python
/// with robomaton.Store("crawl.store") as store:
///     if store.state(url).state == "unknown" and store.begin(url):
///         response = fetch(robots_url)
///         store.put(robots_url, response.status, response.body, headers=response.headers)
///     if store.allowed(url, "mybot"):
///         ...
/// ```
#[pyclass(frozen, subclass, extends = StoreReader, module = "robomaton")]
pub struct Store;

/// When a put is durable, as given.
fn durability(value: &Bound<'_, PyAny>) -> PyResult<Option<Durability>> {
    let expected = || PyValueError::new_err("durability: expected 'each', milliseconds or None");
    if value.is_none() {
        return Ok(Some(Durability::Never));
    }
    if value.is_instance_of::<PyString>() {
        return if value.eq("each")? { Ok(Some(Durability::Each)) } else { Err(expected()) };
    }
    let milliseconds = arguments::durability(value)?;
    // A thread that syncs without a pause would do nothing else.
    if milliseconds == 0 {
        return Err(expected());
    }
    Ok(Some(Durability::Every(Duration::from_millis(milliseconds.into()))))
}

/// A number that is not zero, if it is given.
fn at_least_one(name: &str, value: Option<usize>) -> PyResult<Option<usize>> {
    match value {
        Some(0) => Err(PyValueError::new_err(format!("{name}: expected 1 or more"))),
        value => Ok(value),
    }
}

#[pymethods]
impl Store {
    /// Opens the store in a directory, which is created if it is missing.
    #[new]
    #[pyo3(
        signature = (
            path, *, durability=None, memory_captures=None, without_damaged_layers=false, profile="full".into(),
            crawlers=Listed::default(), vocabulary=Listed::default(), control_tokens=Listed::default(), max_bytes=None,
            max_groups=None, max_rules=None, max_stars=None, on_forbidden="allow".into(), on_throttled="allow".into(),
            on_long_unreachable="deny".into(), elements=false, named_only=false, headers=false
        ),
        text_signature = "(path, *, durability='each', memory_captures=None, without_damaged_layers=False, profile='full', \
                          crawlers=(), vocabulary=(), control_tokens=(), max_bytes=None, max_groups=None, max_rules=None, max_stars=None, \
                          on_forbidden='allow', on_throttled='allow', on_long_unreachable='deny', elements=False, named_only=False, headers=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: Named,
        #[pyo3(from_py_with = durability)] durability: Option<Durability>,
        #[pyo3(from_py_with = arguments::memory_captures)] memory_captures: Option<usize>,
        without_damaged_layers: bool,
        profile: String,
        crawlers: Listed<'_>,
        vocabulary: Listed<'_>,
        control_tokens: Listed<'_>,
        #[pyo3(from_py_with = arguments::max_bytes)] max_bytes: Option<usize>,
        #[pyo3(from_py_with = arguments::max_groups)] max_groups: Option<usize>,
        #[pyo3(from_py_with = arguments::max_rules)] max_rules: Option<usize>,
        #[pyo3(from_py_with = arguments::max_stars)] max_stars: Option<usize>,
        on_forbidden: String,
        on_throttled: String,
        on_long_unreachable: String,
        elements: bool,
        named_only: bool,
        headers: bool,
    ) -> PyResult<PyClassInitializer<Store>> {
        let limits = [max_bytes, max_groups, max_rules, max_stars];
        let options = options!(
            profile,
            crawlers,
            vocabulary,
            control_tokens,
            limits,
            on_forbidden,
            on_throttled,
            on_long_unreachable,
            elements,
            without_damaged_layers
        );
        let path = path.0;
        let store = StoreOptions {
            compile: options.compile.clone(),
            durability: durability.unwrap_or_default(),
            terms: options.terms.clone(),
            memory_captures: at_least_one("memory_captures", memory_captures)?,
            without_damaged_layers: options.without_damaged_layers,
        };
        let store = py.detach(|| Written::open(&path, store));
        let store = store.map_err(|error| store_error(py, &path, &error))?;
        let opened = Opened::new(py, Open::Writer(Box::new(store)), options, headers, named_only)?;
        let reader = StoreReader { opened: ArcSwapOption::from_pointee(opened), path };
        Ok(PyClassInitializer::from(reader).add_subclass(Store))
    }

    /// Puts the result of fetching a robots.txt: it counts for the next question, and is durable as
    /// configured. False if the store has one that is as new, which stays.
    ///
    /// `url` is the URL that was asked first; `status` is the HTTP status of the last answer after
    /// so many `redirects`, 0 if there was no answer; 304 renews the text that is held. `headers`
    /// is a mapping or pairs of `str` or `bytes`, also with lists of values; `body` is without
    /// transfer and content encodings. `fetched_at` is in seconds since 1970, or a datetime with a
    /// time zone; the default is the clock's. Of a body that was cut (`truncated`), only whole
    /// lines count, and what they permit of uses is not certain.
    #[pyo3(
        signature = (url, status, body=None, *, headers=None, redirects=0, fetched_at=None, truncated=false),
        text_signature = "($self, url, status, body=None, *, headers=(), redirects=0, fetched_at=None, truncated=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn put(
        slf: &Bound<'_, Store>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        #[pyo3(from_py_with = arguments::status)] status: u16,
        #[pyo3(from_py_with = body)] body: Option<Vec<u8>>,
        #[pyo3(from_py_with = headers)] headers: Option<Fields>,
        #[pyo3(from_py_with = arguments::redirects)] redirects: u16,
        fetched_at: Option<&Bound<'_, PyAny>>,
        truncated: bool,
    ) -> PyResult<bool> {
        let capture = Fetched { url, status, body, headers, redirects, fetched_at, truncated }.capture()?;
        slf.as_super().get().write(slf.py(), |store| store.put(&capture))
    }

    /// Marks the fetch of a site's robots.txt as begun. False if one is in flight. It ends with a
    /// put of the site, or after ten minutes.
    #[pyo3(signature = (url, now=None))]
    fn begin(
        slf: &Bound<'_, Store>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let (url, now) = (url.as_str().to_owned(), seconds("now", now)?);
        slf.as_super().get().write(slf.py(), |store| store.begin(&url, now))
    }

    /// Puts the captures that readers handed over. Returns how many of them counted. Call it every
    /// second or so if there are readers that fetch.
    fn take_handed(slf: &Bound<'_, Store>) -> PyResult<usize> {
        slf.as_super().get().write(slf.py(), |store| store.take_handed())
    }

    /// Makes a layer of a full table of captures, merges layers where that pays off, and replaces a
    /// broken log. Call it about once a second from a thread of its own; puts and questions
    /// continue meanwhile.
    fn compact(slf: &Bound<'_, Store>) -> PyResult<()> {
        slf.as_super().get().write(slf.py(), |store| store.compact())
    }

    /// Removes the captures that were fetched before a time, and those of unknown time, and writes
    /// all others as one layer.
    fn evict(slf: &Bound<'_, Store>, oldest: &Bound<'_, PyAny>) -> PyResult<()> {
        let oldest = given("oldest", oldest)?;
        slf.as_super().get().write(slf.py(), |store| store.evict(oldest))
    }

    /// Writes all captures in memory as a layer.
    fn flush(slf: &Bound<'_, Store>) -> PyResult<()> {
        slf.as_super().get().write(slf.py(), |store| store.flush())
    }

    /// Makes all captures durable that were put.
    fn sync(slf: &Bound<'_, Store>) -> PyResult<()> {
        slf.as_super().get().write(slf.py(), |store| store.sync())
    }
}
