//! A store of captures, as Python sees it: open for reading, or, in `writer`, for writing.
//!
//! ```text
//!   arguments ──▶ capture ──▶ open (a store or a reader) ──▶ Answer, SiteState
//! ```
//!
//! It stands beside `image`, and gives the same answers for the same captures. Invariants: the
//! interpreter lock is released wherever a file is read or written; a question takes no lock of the
//! store. It decides nothing.

/// The options of a store from the keywords that both classes have.
macro_rules! options {
    ($profile:ident, $crawlers:ident, $vocabulary:ident, $control_tokens:ident, $limits:expr, $on_forbidden:ident,
        $on_throttled:ident, $on_long_unreachable:ident, $elements:ident, $without_damaged_layers:ident) => {{
        let compile = compile_options(&$profile, &$crawlers, &$vocabulary, &$control_tokens, $limits)?;
        let terms = Terms {
            on_forbidden: permission("on_forbidden", &$on_forbidden)?,
            on_throttled: permission("on_throttled", &$on_throttled)?,
            on_long_unreachable: permission("on_long_unreachable", &$on_long_unreachable)?,
            elements: $elements,
            ..Terms::default()
        };
        ReaderOptions { compile, terms, without_damaged_layers: $without_damaged_layers }
    }};
}

mod capture;
mod open;
mod state;
mod time;
mod writer;

use crate::answer::{Answer, from_json};
use crate::arguments;
use crate::ask::{Agent, Listed, Use};
use crate::batch::{Columns, warn_no_url};
use crate::error::{said, store_error};
use crate::image::{named, other, permission, text_of};
use crate::options::compile_options;
use crate::paths::Named;
use crate::text::Text;
use crate::urls::Codes;
use arc_swap::ArcSwapOption;
use capture::{Fetched, Fields, body, headers};
use open::{Moment, Open, Opened};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use robomaton_explain::{SiteInfo, explain, time as clock};
use robomaton_runtime::{Basis, Terms, Verdict};
use robomaton_store::{Reader, ReaderOptions, Stats, Store as Written, StoreError};
pub(crate) use state::SiteState;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use time::seconds;
pub(crate) use writer::Store;

/// A store that is open for reading: any number of processes may have it open while another one
/// writes it as a `Store`. Threads share it.
///
/// Answers stay as they are until `refresh`; then every capture counts whose `put` had returned
/// before, on this machine. `hand` gives the writer a capture that this process fetched. After a
/// fork, the child opens the store again by itself.
///
/// The options for compiling (`profile`, `crawlers`, `vocabulary`, `control_tokens`, `max_bytes`,
/// `max_groups`, `max_rules`, `max_stars`, as of `compile`) must be those of the writer.
/// `on_forbidden`, `on_throttled`, `on_long_unreachable`, `elements` and `named_only` are as of
/// `Image`, but the 30 days of an unreachable site begin with the first of its failures in a row;
/// with `headers`, every word of a `User-Agent` header is a name of the crawler, as of `Robots`.
/// With `without_damaged_layers`, layers that are missing or damaged are no error, but are left
/// out, and older captures count; `left_out` names them.
///
/// ```python
/// reader = robomaton.StoreReader("crawl.store")
/// reader.refresh()
/// if reader.state(url).state != "unknown" and reader.allowed(url, "mybot"):
///     ...
/// ```
#[pyclass(frozen, subclass, module = "robomaton")]
pub struct StoreReader {
    /// Empty if it is closed.
    opened: ArcSwapOption<Opened>,
    path: PathBuf,
}

impl StoreReader {
    /// The open store, for a call that keeps it.
    ///
    /// # Errors
    /// If it is closed, or belongs to the parent of this process.
    fn opened(&self, py: Python<'_>) -> PyResult<Arc<Opened>> {
        let Some(opened) = self.opened.load_full() else {
            return Err(PyValueError::new_err("the store is closed"));
        };
        if opened.is_of_this_process() {
            return Ok(opened);
        }
        let again = Arc::new(opened.again(py, &self.path)?);
        self.opened.store(Some(Arc::clone(&again)));
        Ok(again)
    }

    /// Calls a store without the interpreter lock.
    fn call<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&Open) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        let opened = self.opened(py)?;
        let result = py.detach(|| call(opened.open()));
        result.map_err(|error| store_error(py, &self.path, &error))
    }

    /// Answers about many URLs.
    fn ask(&self, py: Python<'_>, columns: &Columns<'_, '_>) -> PyResult<Codes> {
        let opened = self.opened(py)?;
        let snapshot = opened.open().snapshot();
        columns.ask(py, &Moment { opened: &opened, snapshot, now: clock::now() })
    }

    /// Calls a store that is open for writing.
    fn write<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&Written) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        let result = self.call(py, |open| match open {
            Open::Writer(store) => call(store).map(Some),
            Open::Reader(_) => Ok(None),
        })?;
        result.ok_or_else(|| PyTypeError::new_err("the store is open for reading"))
    }
}

#[pymethods]
impl StoreReader {
    /// Opens the store in a directory.
    #[new]
    #[pyo3(
        signature = (
            path, *, without_damaged_layers=false, profile="full".into(), crawlers=Listed::default(), vocabulary=Listed::default(),
            control_tokens=Listed::default(), max_bytes=None, max_groups=None, max_rules=None, max_stars=None,
            on_forbidden="allow".into(), on_throttled="allow".into(),
            on_long_unreachable="deny".into(), elements=false, named_only=false, headers=false
        ),
        text_signature = "(path, *, without_damaged_layers=False, profile='full', crawlers=(), vocabulary=(), control_tokens=(), max_bytes=None, \
                          max_groups=None, max_rules=None, max_stars=None, on_forbidden='allow', on_throttled='allow', \
                          on_long_unreachable='deny', elements=False, named_only=False, headers=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: Named,
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
    ) -> PyResult<StoreReader> {
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
        let reader = py.detach(|| Reader::open(&path, options.clone()));
        let reader = reader.map_err(|error| store_error(py, &path, &error))?;
        let opened = Opened::new(py, Open::Reader(Box::new(reader)), options, headers, named_only)?;
        Ok(StoreReader { opened: ArcSwapOption::from_pointee(opened), path })
    }

    /// The path by which it was opened.
    #[getter]
    fn path(&self) -> &OsStr {
        self.path.as_os_str()
    }

    /// The layers that are left out, each with the reason: see `without_damaged_layers`.
    #[getter]
    fn left_out(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.call(py, |open| Ok(named(&open.left_out())))
    }

    /// True if it is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.opened.load().is_none()
    }

    /// Closes it. Calls in progress in other threads keep it open until they are done.
    fn close(&self) {
        self.opened.store(None);
    }

    fn __enter__(slf: Bound<'_, StoreReader>) -> PyResult<Bound<'_, StoreReader>> {
        slf.get().opened(slf.py())?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(slf: &Bound<'_, StoreReader>) -> PyResult<String> {
        let (name, this) = (slf.get_type().name()?, slf.get());
        let closed = if this.closed() { " closed" } else { "" };
        Ok(format!("<robomaton.{name} {:?}{closed}>", this.path))
    }

    /// Reads what was put since. True if something changed. A store that is open for writing needs
    /// no refresh.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        self.call(py, |open| match open {
            Open::Writer(_) => Ok(false),
            Open::Reader(reader) => reader.refresh(),
        })
    }

    /// True if the crawler may fetch the URL, or use it otherwise, without conditions. A site that
    /// was never put is unknown, and so not allowed; an unreachable one is disallowed, and after 30
    /// days as `on_long_unreachable` says.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn allowed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<bool> {
        let opened = self.opened(py)?;
        let query = opened.query(&agent, &Use { usage, purpose })?;
        let snapshot = opened.open().snapshot();
        let answer = |verdict: &Verdict<'_>| (verdict.is_allowed(), verdict.basis());
        let (allowed, basis) = snapshot.ask_at(&query, url.as_str(), clock::now(), answer);
        if basis == Basis::NoUrl {
            warn_no_url(py, url.as_str())?;
        }
        Ok(allowed)
    }

    /// May this crawler use this URL in this way?
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn decide(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<Answer> {
        let opened = self.opened(py)?;
        let to = Use { usage, purpose };
        let query = opened.query(&agent, &to)?;
        let (snapshot, agent) = (opened.open().snapshot(), agent.strings()?.join(","));
        let answer = Answer::of_store(snapshot, query, agent, to, url.as_str().to_owned())?;
        if answer.basis == Basis::NoUrl.name() {
            warn_no_url(py, url.as_str())?;
        }
        Ok(answer)
    }

    /// The verdicts for many URLs at one moment; the arguments and columns are those of
    /// `Image.decide_batch`.
    #[pyo3(
        signature = (
            urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls="error".into()
        ),
        text_signature = "($self, urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls='error')"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn decide_batch<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        agent: Option<&Bound<'py, PyAny>>,
        agents: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        #[pyo3(from_py_with = arguments::threads)] threads: i64,
        #[pyo3(from_py_with = arguments::nulls)] nulls: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns { urls, agent, agents, to: Use { usage, purpose }, threads, nulls: &nulls };
        self.ask(py, &columns)?.verdicts(py)
    }

    /// For each of many URLs, true if it is allowed without conditions; the arguments and columns
    /// are those of `Image.allowed_batch`.
    #[pyo3(
        signature = (
            urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls="error".into()
        ),
        text_signature = "($self, urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls='error')"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn allowed_batch<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        agent: Option<&Bound<'py, PyAny>>,
        agents: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        #[pyo3(from_py_with = arguments::threads)] threads: i64,
        #[pyo3(from_py_with = arguments::nulls)] nulls: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns { urls, agent, agents, to: Use { usage, purpose }, threads, nulls: &nulls };
        self.ask(py, &columns)?.allowed(py)
    }

    /// The explanation: the text of `robomaton explain`. `document` is the document of the site
    /// that answers, as of `Image.explain`.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None, document=None))]
    fn explain(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        document: Option<String>,
    ) -> PyResult<String> {
        let document = other(document)?;
        let query = self.opened(py)?.explained(&agent, &Use { usage, purpose })?;
        let (url, now) = (url.as_str(), clock::now());
        let explanation = self.call(py, |open| {
            open.snapshot().with_site(url, now, |image| explain(image, &query, document.as_deref(), url))
        })?;
        text_of(&explanation.map_err(|error| said(&error))?)
    }

    /// What is held of the site of a URL or host, as printed by `robomaton inspect --site --json`;
    /// None if nothing is.
    fn site<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (url, now) = (url.as_str(), clock::now());
        let site = self
            .call(py, |open| open.snapshot().with_site(url, now, |image| SiteInfo::find(image, url, now)))?;
        let Some(site) = site else { return Ok(None) };
        let json = serde_json::to_string(&site).map_err(|error| said(&error))?;
        from_json(py, &json).map(Some)
    }

    /// The URLs of the site's sitemaps, in file order.
    fn sitemaps(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
    ) -> PyResult<Vec<String>> {
        let snapshot = self.opened(py)?.open().snapshot();
        Ok(snapshot.site(url.as_str()).map(|site| site.sitemaps()).unwrap_or_default())
    }

    /// The seconds between fetches that the site requests from the crawler by Crawl-delay, if any.
    fn crawl_delay(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
    ) -> PyResult<Option<f64>> {
        let opened = self.opened(py)?;
        let query = opened.query(&agent, &Use { usage: None, purpose: None })?;
        Ok(opened.open().snapshot().ask(&query, url.as_str(), |verdict| {
            verdict.site().and_then(|site| site.crawl_delay(verdict.crawler()))
        }))
    }

    /// How well the rules of the site of a URL are known, and when to fetch its robots.txt again.
    /// `now` is a time in seconds since 1970, or a datetime with a time zone; the default is the
    /// clock's.
    #[pyo3(signature = (url, now=None))]
    fn state(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SiteState> {
        let (url, now) = (url.as_str().to_owned(), seconds("now", now)?);
        self.call(py, |open| open.state(&url, now)).map(SiteState::from)
    }

    /// The URLs of the robots.txt files that are due, the most overdue first, each with the state
    /// of its site. Reads the times of all sites, so ask for many at a time. A `Store` marks them
    /// as begun; a reader marks nothing.
    #[pyo3(signature = (now=None, *, most=1000))]
    fn due(
        &self,
        py: Python<'_>,
        now: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::most)] most: usize,
    ) -> PyResult<Vec<(String, SiteState)>> {
        let now = seconds("now", now)?;
        let due = self.call(py, |open| Ok(open.due(now, most)))?;
        Ok(due.into_iter().map(|due| (due.url, SiteState::from(due.state))).collect())
    }

    /// Gives the capture of a robots.txt to the writer: for questions to this reader it counts at
    /// once; for others, when the writer calls `take_handed`. It is durable when this returns.
    /// False if the store has one that is as new. The arguments are those of `Store.put`, which a
    /// `Store` calls here. An answer 304 is a `ValueError`: a reader asks without validators. A
    /// `StoreError` says that no writer took the captures of this reader, once they have 32 MiB.
    #[pyo3(
        signature = (url, status, body=None, *, headers=None, redirects=0, fetched_at=None, truncated=false),
        text_signature = "($self, url, status, body=None, *, headers=(), redirects=0, fetched_at=None, truncated=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn hand(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        #[pyo3(from_py_with = arguments::status)] status: u16,
        #[pyo3(from_py_with = body)] body: Option<Vec<u8>>,
        #[pyo3(from_py_with = headers)] headers: Option<Fields>,
        #[pyo3(from_py_with = arguments::redirects)] redirects: u16,
        fetched_at: Option<&Bound<'_, PyAny>>,
        truncated: bool,
    ) -> PyResult<bool> {
        let capture = Fetched { url, status, body, headers, redirects, fetched_at, truncated }.capture()?;
        self.call(py, |open| match open {
            Open::Writer(store) => store.put(&capture),
            Open::Reader(reader) => reader.hand(&capture),
        })
    }

    /// Counts: `layers`, `layer_bytes`, `layer_sites`, `memory_sites`, `memory_bytes`, `log_bytes`,
    /// as of `robomaton store stats --json`.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.call(py, |open| Ok(open.stats()))?;
        let Stats { layers, layer_bytes, layer_sites, memory_sites, memory_bytes, log_bytes } = stats;
        let dict = PyDict::new(py);
        dict.set_item("layers", layers)?;
        dict.set_item("layer_bytes", layer_bytes)?;
        dict.set_item("layer_sites", layer_sites)?;
        dict.set_item("memory_sites", memory_sites)?;
        dict.set_item("memory_bytes", memory_bytes)?;
        dict.set_item("log_bytes", log_bytes)?;
        Ok(dict)
    }
}
