//! The state of a site, as Python sees it. Times are in seconds since 1970.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robomaton_store::{Knowledge, SiteState as State};

/// How well the rules of a site are known, and when its robots.txt is to be fetched again.
#[pyclass(frozen, eq, module = "robomaton")]
#[derive(PartialEq, Eq)]
pub struct SiteState(State);

impl From<State> for SiteState {
    fn from(state: State) -> SiteState {
        SiteState(state)
    }
}

#[pymethods]
impl SiteState {
    /// `unknown`: fetch robots.txt first; `fresh`: the answers count; `stale`: they count, and
    /// robots.txt is to be fetched again; `unreachable`: `verdict` is the answer about all pages.
    #[getter]
    fn state(&self) -> &'static str {
        self.0.knowledge.name()
    }

    /// True if a fetch has begun (`Store.begin`, `Store.due`) and no capture came yet. A reader
    /// does not know that.
    #[getter]
    fn in_flight(&self) -> bool {
        self.0.in_flight
    }

    /// The time of the capture, if it is known.
    #[getter]
    fn fetched_at(&self) -> Option<u64> {
        self.0.fetched_at
    }

    /// The time of the next fetch; None if there was none.
    #[getter]
    fn fetch_at(&self) -> Option<u64> {
        (self.0.knowledge != Knowledge::Unknown).then_some(self.0.fetch_at)
    }

    /// The time of the first of the failures in a row, if the site is unreachable.
    #[getter]
    fn since(&self) -> Option<u64> {
        match self.0.knowledge {
            Knowledge::Unreachable { since } => Some(since),
            _ => None,
        }
    }

    /// The answer about all pages of an unreachable site: `disallowed`, and after 30 days as
    /// `on_long_unreachable` says; None for other sites.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.0.verdict.map(|verdict| verdict.name())
    }

    /// The ETag of the text that is held.
    #[getter]
    fn etag(&self) -> Option<&str> {
        self.0.etag.as_deref()
    }

    /// The Last-Modified of the text that is held.
    #[getter]
    fn last_modified(&self) -> Option<&str> {
        self.0.last_modified.as_deref()
    }

    /// The header fields of a conditional request, whose answer may be 304.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let conditions = PyDict::new(py);
        if let Some(etag) = self.etag() {
            conditions.set_item("If-None-Match", etag)?;
        }
        if let Some(time) = self.last_modified() {
            conditions.set_item("If-Modified-Since", time)?;
        }
        Ok(conditions)
    }

    fn __repr__(&self) -> String {
        let in_flight = if self.0.in_flight { " in flight" } else { "" };
        format!("<robomaton.SiteState {}{in_flight}>", self.state())
    }
}
