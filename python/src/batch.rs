//! Questions about many URLs: the crawlers, the answers, and warnings about rows that are not URLs.
//!
//! One crawler applies to all rows, or each row has its own; then each distinct name is resolved
//! once.

use crate::ask::{Agent, Use};
use crate::source::Source;
use crate::urls::{Ask, Codes, Column, NO_URL, Reader, code, is_array, threads_of};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use robomaton_explain::{name_text, quoted, url_mistake, url_text};
use robomaton_runtime::{Access, Basis, Crawler, Decision, Question, Verdict};
use std::collections::HashSet;
use std::ffi::CString;
use std::sync::Arc;

/// A question about many URLs, from Python.
pub(crate) struct Columns<'a, 'py> {
    pub(crate) urls: &'a Bound<'py, PyAny>,
    pub(crate) agent: Option<&'a Bound<'py, PyAny>>,
    pub(crate) agents: Option<&'a Bound<'py, PyAny>>,
    pub(crate) to: Use,
    pub(crate) threads: i64,
    pub(crate) nulls: &'a str,
}

/// Who answers about many URLs: an image, a text, or a store at one moment.
pub(crate) trait Answers: Sync {
    /// A crawler whose names are resolved.
    type Crawler: Send + Sync;

    /// The crawler of these names.
    ///
    /// # Errors
    /// If a name names no crawler.
    fn crawler(&self, agent: &Agent<'_>, to: &Use) -> PyResult<Arc<Self::Crawler>>;

    /// Rejects a usage that is unknown here.
    ///
    /// # Errors
    /// If so.
    fn check_usage(&self, to: &Use) -> PyResult<()>;

    /// Calls `each` with the verdict on each URL. The first URL is that of the row `first`.
    fn verdicts<'u>(
        &self,
        who: &Who<Self::Crawler>,
        to: &Use,
        first: usize,
        urls: impl Iterator<Item = &'u str>,
        each: impl FnMut(&Verdict<'_>),
    );
}

/// The crawlers of the rows.
pub(crate) enum Who<C> {
    /// The same crawler for all rows.
    One(Arc<C>),
    /// A crawler for each row, by its index among the distinct ones.
    Each { crawlers: Vec<Arc<C>>, rows: Vec<u32> },
}

impl<C> Who<C> {
    /// The crawler of a row.
    pub(crate) fn of(&self, row: usize) -> &C {
        match self {
            Who::One(crawler) => crawler,
            Who::Each { crawlers, rows } => &crawlers[rows[row] as usize],
        }
    }
}

/// A question about many URLs.
struct Batch<'a, S: Answers> {
    source: &'a S,
    who: &'a Who<S::Crawler>,
    to: &'a Use,
}

impl Columns<'_, '_> {
    /// Answers the question.
    ///
    /// # Errors
    /// If a column cannot be read, or a name names no crawler.
    pub(crate) fn ask<S: Answers>(&self, py: Python<'_>, source: &S) -> PyResult<Codes> {
        let nulls = match self.nulls {
            "error" => false,
            "keep" => true,
            other => {
                let said = format!("nulls: expected 'error' or 'keep', not {other:?}");
                return Err(PyValueError::new_err(said));
            }
        };
        let threads = threads_of(self.threads)?;
        let urls = Reader { argument: "urls", spelling: url_text, nulls }.read(self.urls)?;
        source.check_usage(&self.to)?;
        let mut unasked = Vec::new();
        let who = match (self.agent, self.agents) {
            (agent, None) => Who::One(self.one(py, source, agent, urls.len())?),
            (None, Some(agents)) => {
                let agents = Reader { argument: "agents", spelling: name_text, nulls }.read(agents)?;
                unasked.extend(agents.nulls());
                self.each(py, source, &agents, &urls)?
            }
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err("agent, agents: expected one of the two, not both"));
            }
        };
        let mut codes = urls.codes(py, &Batch { source, who: &who, to: &self.to }, threads);
        codes.set_null(unasked.into_iter());
        if let Some((row, count)) = codes.take_no_urls() {
            let others = if count > 1 { format!(" and {} more rows", count - 1) } else { String::new() };
            let said = format!("urls[{row}]{others}: no URL of a site; the answer is unknown");
            warn(py, &said)?;
        }
        Ok(codes)
    }

    /// The crawler for all rows; `rows` is their number.
    fn one<S: Answers>(
        &self,
        py: Python<'_>,
        source: &S,
        agent: Option<&Bound<'_, PyAny>>,
        rows: usize,
    ) -> PyResult<Arc<S::Crawler>> {
        let none = py.None().into_bound(py);
        let agent = agent.unwrap_or(&none);
        if is_array(agent)? {
            let said = "agent: expected one crawler's names, not a column; agents= takes one agent a row";
            return Err(PyTypeError::new_err(said));
        }
        let agent: Agent<'_> = agent.extract()?;
        let names = agent.strings()?;
        // A name is never listed twice as an alternative to itself: this is a column.
        if rows > 1 && names.len() == rows {
            let mut seen = HashSet::new();
            if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
                return Err(PyValueError::new_err(format!(
                    "agent: a list has the names of one crawler, best first, and this one, as long as urls, has \
                 {twice:?} twice; agents= takes one agent a row"
                )));
            }
        }
        source.crawler(&agent, &self.to)
    }

    /// The crawler of each row.
    fn each<S: Answers>(
        &self,
        py: Python<'_>,
        source: &S,
        agents: &Column,
        urls: &Column,
    ) -> PyResult<Who<S::Crawler>> {
        if agents.len() != urls.len() {
            let said = format!("agents: has {} rows, and urls {}", agents.len(), urls.len());
            return Err(PyValueError::new_err(said));
        }
        if let (Some(agents), Some(urls)) = (agents.index(py), urls.index(py))
            && !agents.call_method1("equals", (urls,))?.extract::<bool>()?
        {
            return Err(PyValueError::new_err("agents: has another index than urls"));
        }
        let crawler = |name: &str| source.crawler(&Agent::One(PyString::new(py, name).into_any()), &self.to);
        let mut crawlers = Vec::new();
        let rows = agents.numbered(|row, name| {
            crawlers.push(crawler(name).map_err(|error| {
                let said = error.value(py).to_string();
                let said = said.strip_prefix("agent: ").unwrap_or(&said);
                PyValueError::new_err(format!("agents[{row}]: {said}"))
            })?);
            Ok(crawlers.len() as u32 - 1)
        })?;
        if crawlers.is_empty() {
            // There are no rows.
            crawlers.push(crawler("*")?);
        }
        Ok(Who::Each { crawlers, rows })
    }
}

impl<S: Answers> Ask for Batch<'_, S> {
    fn is_uniform(&self) -> bool {
        matches!(self.who, Who::One(_))
    }

    fn codes<'u>(&self, first: usize, urls: impl Iterator<Item = &'u str>) -> Vec<u8> {
        let mut codes = Vec::with_capacity(urls.size_hint().0);
        self.source.verdicts(self.who, self.to, first, urls, |verdict| {
            codes.push(match verdict.safe_decision() {
                Decision::Unknown if verdict.basis() == Basis::NoUrl => NO_URL,
                decision => code(decision),
            });
        });
        codes
    }
}

impl Answers for Source {
    type Crawler = Crawler;

    fn crawler(&self, agent: &Agent<'_>, _to: &Use) -> PyResult<Arc<Crawler>> {
        Source::crawler(self, agent)
    }

    fn check_usage(&self, to: &Use) -> PyResult<()> {
        Source::check_usage(self, to)
    }

    fn verdicts<'u>(
        &self,
        who: &Who<Crawler>,
        to: &Use,
        first: usize,
        urls: impl Iterator<Item = &'u str>,
        mut each: impl FnMut(&Verdict<'_>),
    ) {
        let each = |verdict: Verdict<'_>| each(&verdict);
        match (self, who) {
            (Source::Image(open), Who::One(crawler)) => {
                let usage = to.resolve(&open.image);
                open.image.decide_batch(urls.map(|url| Question { crawler, usage, url }), each);
            }
            (Source::Image(open), Who::Each { crawlers, rows }) => {
                let usage = to.resolve(&open.image);
                let rows = rows[first..].iter().zip(urls);
                let question = |(&row, url)| Question { crawler: &crawlers[row as usize], usage, url };
                open.image.decide_batch(rows.map(question), each);
            }
            // A text without a site does not occur.
            (Source::Text(read), Who::One(crawler)) => {
                let image = read.single.image();
                let access = image.first_site().map(|site| site.access(crawler, to.resolve(image)));
                urls.flat_map(|url| access.map(|access| access.decide(url))).for_each(each);
            }
            (Source::Text(read), Who::Each { crawlers, rows }) => {
                let image = read.single.image();
                let usage = to.resolve(image);
                let mut known: Vec<Option<Access<'_>>> = vec![None; crawlers.len()];
                let rows = rows[first..].iter().zip(urls);
                let decide = |(&row, url)| {
                    let (known, crawler) = (&mut known[row as usize], &crawlers[row as usize]);
                    if known.is_none() {
                        *known = image.first_site().map(|site| site.access(crawler, usage));
                    }
                    known.map(|access| access.decide(url))
                };
                rows.filter_map(decide).for_each(each);
            }
        }
    }
}

/// Warns about a URL that an image cannot answer for.
///
/// # Errors
/// If warnings are errors.
pub(crate) fn warn_no_url(py: Python<'_>, url: &str) -> PyResult<()> {
    let mistake = url_mistake(url).unwrap_or_else(|| format!("{} is not the URL of a site", quoted(url)));
    warn(py, &format!("{mistake}; the answer is unknown"))
}

/// Warns of something that does not count.
///
/// # Errors
/// If warnings are errors.
pub(crate) fn warn(py: Python<'_>, said: &str) -> PyResult<()> {
    let said = CString::new(said.replace('\0', "\\0"))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &said, 1)
}
