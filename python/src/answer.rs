//! One answer, and on demand everything that is known about it: the keys of `robomaton query
//! --json`.
//!
//! The verdict is computed with the question; the rest is read from the cold sections on demand. An
//! answer keeps its image or text open, or the moment of its store.

use crate::ask::Use;
use crate::error::said;
use crate::source::Source;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use robomaton_explain::time;
use robomaton_explain::{AnswerJson, QuestionJson};
use robomaton_runtime::{Crawler, Verdict};
use robomaton_store::{Query, Snapshot};
use std::sync::Arc;

/// The answer to one question: may this crawler use this URL in this way? It is true if the URL is
/// allowed without conditions.
#[pyclass(frozen, module = "robomaton")]
pub struct Answer {
    asked: Asked,
    agent: String,
    to: Use,
    /// The URL.
    #[pyo3(get)]
    url: String,
    /// The answer to act on: `allowed`, `disallowed`, `conditional` or `unknown`.
    #[pyo3(get)]
    verdict: &'static str,
    /// The decision of what was read; differs from the verdict only if something was not.
    #[pyo3(get)]
    decision: &'static str,
    /// True if a file, page or statement was not read, so that more may be refused.
    #[pyo3(get)]
    incomplete: bool,
    /// The basis of the decision.
    #[pyo3(get)]
    pub(crate) basis: &'static str,
    /// True if the crawler may go ahead without conditions.
    #[pyo3(get)]
    allowed: bool,
    told: PyOnceLock<Py<PyDict>>,
}

/// Who answers, and which crawler asks.
enum Asked {
    Source { source: Arc<Source>, crawler: Arc<Crawler>, document: Option<String> },
    Store { snapshot: Arc<Snapshot>, query: Arc<Query>, now: u64 },
}

impl Asked {
    fn ask<T>(&self, to: &Use, url: &str, answer: impl FnOnce(&Verdict<'_>) -> T) -> PyResult<T> {
        match self {
            Asked::Source { source, crawler, document } => {
                let verdict = source.decide(crawler, to, document.as_deref(), url);
                Ok(answer(&verdict.map_err(|error| said(&error))?))
            }
            Asked::Store { snapshot, query, now } => Ok(snapshot.ask_at(query, url, *now, answer)),
        }
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Asked::Source { source, .. } => source.check(py),
            Asked::Store { .. } => Ok(()),
        }
    }
}

impl Answer {
    /// Answers the question.
    pub(crate) fn new(
        source: Arc<Source>,
        crawler: Arc<Crawler>,
        agent: String,
        to: Use,
        document: Option<String>,
        url: String,
    ) -> PyResult<Answer> {
        source.check_usage(&to)?;
        Answer::of(Asked::Source { source, crawler, document }, agent, to, url)
    }

    /// The answer of a store at one moment.
    pub(crate) fn of_store(
        snapshot: Arc<Snapshot>,
        query: Arc<Query>,
        agent: String,
        to: Use,
        url: String,
    ) -> PyResult<Answer> {
        Answer::of(Asked::Store { snapshot, query, now: time::now() }, agent, to, url)
    }

    fn of(asked: Asked, agent: String, to: Use, url: String) -> PyResult<Answer> {
        let facts = asked.ask(&to, &url, |verdict| {
            let (safe, decision) = (verdict.safe_decision().name(), verdict.decision().name());
            (safe, decision, verdict.is_incomplete(), verdict.basis().name(), verdict.is_allowed())
        })?;
        let (verdict, decision, incomplete, basis, allowed) = facts;
        let told = PyOnceLock::new();
        Ok(Answer { asked, agent, to, url, verdict, decision, incomplete, basis, allowed, told })
    }

    fn told<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyDict>> {
        let told = self.told.get_or_try_init(py, || {
            self.asked.check(py)?;
            let question = QuestionJson {
                url: &self.url,
                agent: &self.agent,
                usage: self.to.name(),
                purpose: self.to.purpose.as_deref(),
            };
            let json = self.asked.ask(&self.to, &self.url, |verdict| {
                let answer = AnswerJson::new(question, verdict);
                serde_json::to_string(&match self.asked {
                    Asked::Source { .. } => answer,
                    Asked::Store { now, .. } => answer.at(verdict, now),
                })
            })?;
            let json = json.map_err(|error| said(&error))?;
            Ok::<_, PyErr>(from_json(py, &json)?.cast_into::<PyDict>()?.unbind())
        })?;
        Ok(told.bind(py))
    }

    fn key<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.told(py)?.as_any().get_item(key)
    }
}

/// JSON as Python's objects.
pub(crate) fn from_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

#[pymethods]
impl Answer {
    /// The line of the deciding rule, from 1; None if no rule decides.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "line")
    }

    /// The deciding rule, in canonical spelling; the first of several.
    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "rule")
    }

    /// The groups that apply: `named` if some name the crawler, `default`, or `nobody` if there is
    /// neither; None if no rules were consulted.
    #[getter]
    fn choice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "choice")
    }

    /// The crawler's name by which its groups were found; None if no group names it.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "name")
    }

    /// The conditions of a conditional permission, in canonical spelling. All must be met.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "conditions")?.call_method0("copy")
    }

    /// The language of the rule or statement that decides, or of the one that wins and states
    /// nothing: `rep`, `acap`, `aipref`, `content-signals`, `rsl`, …; None if there is none.
    #[getter]
    fn language<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "language")
    }

    /// Its place: `robots`, `header`, `page`, `tdmrep`, `rsl` or `ai-txt`.
    #[getter]
    fn carrier<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "carrier")
    }

    /// The verdict about fetching the URL; None if that was the question, or without the site.
    #[getter]
    fn crawl<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.told(py)?.get_item("crawl")
    }

    /// The statements about the usage that match, those that decide first, each as a dict.
    #[getter]
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.told(py)?.get_item("statements")? {
            Some(statements) => py.import("copy")?.call_method1("deepcopy", (statements,)),
            None => Ok(PyList::empty(py).into_any()),
        }
    }

    /// Everything that `robomaton query --json` prints, as a dict.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.told(py)?.copy()
    }

    fn __bool__(&self) -> bool {
        self.allowed
    }

    fn __repr__(&self) -> String {
        format!("<robomaton.Answer {} {:?}>", self.verdict, self.url)
    }
}
