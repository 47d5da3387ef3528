//! An open store of this process, and the queries that were resolved against it.
//!
//! Invariant: a store is used and closed by the process that opened it. After a fork, the locks and
//! the threads of the parent are not there in the child, so the child leaves the store of its
//! parent as it is, even at the end. A store is never closed with the interpreter lock held. It
//! knows no class of Python.

use crate::ask::{Agent, Use, check_names, names_of};
use crate::batch::{Answers, Who};
use crate::error::{StoreError as Raised, image_error, store_error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robomaton_compiler::emit;
use robomaton_explain::{Query as Explained, check_usage};
use robomaton_runtime::{Image, LeftOut, Verdict};
use robomaton_store::{Due, Query, Reader, ReaderOptions, SiteState, Snapshot, Stats, Store, StoreError};
use std::collections::HashMap;
use std::path::Path;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of queries that are kept, and the maximum bytes of their names.
const KEPT: usize = 1 << 12;
const LONGEST_KEPT: usize = 1 << 10;

/// A store, by the way in which it is open.
pub(crate) enum Open {
    Writer(Box<Store>),
    Reader(Box<Reader>),
}

impl Open {
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        match self {
            Open::Writer(store) => store.snapshot(),
            Open::Reader(reader) => reader.snapshot(),
        }
    }

    pub(crate) fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        match self {
            Open::Writer(store) => store.state(url, now),
            Open::Reader(reader) => reader.state(url, now),
        }
    }

    pub(crate) fn due(&self, now: u64, most: usize) -> Vec<Due> {
        match self {
            Open::Writer(store) => store.due(now, most),
            Open::Reader(reader) => reader.due(now, most),
        }
    }

    pub(crate) fn left_out(&self) -> Vec<LeftOut> {
        match self {
            Open::Writer(store) => store.left_out().to_vec(),
            Open::Reader(reader) => reader.left_out(),
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        match self {
            Open::Writer(store) => store.stats(),
            Open::Reader(reader) => reader.stats(),
        }
    }

    fn query(&self, names: Vec<String>, usage: &str) -> Query {
        match self {
            Open::Writer(store) => store.query(names, usage),
            Open::Reader(reader) => reader.query(names, usage),
        }
    }
}

/// Names, a usage and a purpose.
type Question = (Vec<String>, Option<String>, Option<String>);

/// An open store.
pub(crate) struct Opened {
    /// Empty once it is dropped.
    open: Option<Open>,
    process: u32,
    options: ReaderOptions,
    /// An image without sites: it has the usages that every image knows.
    empty: Image<Vec<u8>>,
    is_of_headers: bool,
    is_named_only: bool,
    queries: Mutex<HashMap<Question, Arc<Query>>>,
}

impl Opened {
    /// An error would be that of an empty image, which fits the format.
    pub(crate) fn new(
        py: Python<'_>,
        open: Open,
        options: ReaderOptions,
        is_of_headers: bool,
        is_named_only: bool,
    ) -> PyResult<Opened> {
        let empty = emit(Vec::new(), &options.compile).and_then(Image::from_bytes);
        let empty = empty.map_err(|error| image_error(py, None, &error))?;
        let (open, process, queries) = (Some(open), process::id(), Mutex::default());
        Ok(Opened { open, process, options, empty, is_of_headers, is_named_only, queries })
    }

    pub(crate) fn is_of_this_process(&self) -> bool {
        self.process == process::id()
    }

    /// Opens a store of the parent again, for reading.
    ///
    /// # Errors
    /// If it is open for writing there, or cannot be opened.
    pub(crate) fn again(&self, py: Python<'_>, path: &Path) -> PyResult<Opened> {
        if matches!(self.open(), Open::Writer(_)) {
            let (path, process) = (path.display(), self.process);
            let said =
                format!("{path}: is open for writing by process {process}; a fork opens it as StoreReader");
            return Err(Raised::new_err(said));
        }
        let reader = py.detach(|| Reader::open(path, self.options.clone()));
        let open = Open::Reader(Box::new(reader.map_err(|error| store_error(py, path, &error))?));
        Opened::new(py, open, self.options.clone(), self.is_of_headers, self.is_named_only)
    }

    #[expect(clippy::expect_used, reason = "it is taken when it is dropped, and at no other time")]
    pub(crate) fn open(&self) -> &Open {
        self.open.as_ref().expect("an open store")
    }

    fn names(&self, agent: &Agent<'_>) -> PyResult<Vec<String>> {
        names_of(agent, self.is_of_headers, self.options.compile.profile)
    }

    /// The query of a crawler and a usage.
    ///
    /// # Errors
    /// If a name names no crawler, or the usage is unknown.
    pub(crate) fn query(&self, agent: &Agent<'_>, to: &Use) -> PyResult<Arc<Query>> {
        let question = (self.names(agent)?, to.usage.clone(), to.purpose.clone());
        let known = || self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(query) = known().get(&question) {
            return Ok(Arc::clone(query));
        }
        check_names(&question.0, self.is_of_headers, self.options.compile.profile)?;
        self.check_usage(to)?;
        let query = self.open().query(question.0.clone(), to.name()).named_only(self.is_named_only);
        let query = match &to.purpose {
            Some(purpose) => query.for_purpose(purpose),
            None => query,
        };
        let query = Arc::new(query);
        // Invented names must not fill the memory.
        let words = question.0.iter().chain(&question.1).chain(&question.2);
        if words.map(String::len).sum::<usize>() <= LONGEST_KEPT {
            let mut known = known();
            if known.len() >= KEPT {
                known.clear();
            }
            known.insert(question, Arc::clone(&query));
        }
        Ok(query)
    }

    /// Rejects a usage that no vocabulary has.
    ///
    /// # Errors
    /// If so; the error suggests a name that may have been meant.
    fn check_usage(&self, to: &Use) -> PyResult<()> {
        check_usage(&self.empty, to.name())
            .map_err(|unknown| PyValueError::new_err(format!("usage: {unknown}")))
    }

    /// The query by names, for an explanation.
    ///
    /// # Errors
    /// As of [`Opened::query`].
    pub(crate) fn explained(&self, agent: &Agent<'_>, to: &Use) -> PyResult<Explained> {
        self.query(agent, to)?;
        let (agents, usage) = (self.names(agent)?, to.name().to_owned());
        let (elements, named_only) = (self.options.terms.elements, self.is_named_only);
        Ok(Explained { agents, usage, purpose: to.purpose.clone(), elements, named_only })
    }
}

/// A store at one moment, for questions about many URLs.
pub(crate) struct Moment<'o> {
    pub(crate) opened: &'o Opened,
    pub(crate) snapshot: Arc<Snapshot>,
    /// In Unix seconds.
    pub(crate) now: u64,
}

impl Answers for Moment<'_> {
    type Crawler = Query;

    fn crawler(&self, agent: &Agent<'_>, to: &Use) -> PyResult<Arc<Query>> {
        self.opened.query(agent, to)
    }

    fn check_usage(&self, to: &Use) -> PyResult<()> {
        self.opened.check_usage(to)
    }

    fn verdicts<'u>(
        &self,
        who: &Who<Query>,
        _to: &Use,
        first: usize,
        urls: impl Iterator<Item = &'u str>,
        mut each: impl FnMut(&Verdict<'_>),
    ) {
        for (row, url) in (first..).zip(urls) {
            self.snapshot.ask_at(who.of(row), url, self.now, &mut each);
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut open = self.open.take();
        if !self.is_of_this_process() {
            std::mem::forget(open);
            return;
        }
        // Closing a writer syncs. The last holder may be a question that outlives a `close` in
        // another thread, or the collector, with the interpreter lock.
        let _ = Python::try_attach(|py| py.detach(|| drop(open.take())));
        // If there is no interpreter any more, nobody waits for its lock.
        drop(open);
    }
}
