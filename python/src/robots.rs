//! One robots.txt, as Python sees it.
//!
//! A text is compiled like an image, so the two give the same answers. Every URL is taken to belong
//! to the text's site.

use crate::answer::Answer;
use crate::arguments;
use crate::ask::{Agent, Crawlers, Use};
use crate::batch::Columns;
use crate::error::said;
use crate::image::text_of;
use crate::reference::location;
use crate::source::{Read, Source};
use crate::text::Text;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use robomaton_compiler::Options;
use robomaton_explain::{Error, Origin, SingleSite, SiteFiles, TextQuery, canonical_url};
use robomaton_formats::Profile;
use robomaton_formats::site::absolute_url;
use robomaton_runtime::{Access, Crawler, Terms, Usage};
use self_cell::self_cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One robots.txt, compiled. It is pickled and copied by its text, which is compiled again.
#[pyclass(frozen, subclass, module = "robomaton")]
pub struct Robots {
    source: Arc<Source>,
    /// The resolved access of the last crawler.
    last: Mutex<Option<(Py<PyAny>, Resolved)>>,
}

self_cell! {
    /// The access of a crawler that crawls the site of a text.
    struct Resolved {
        owner: (Arc<SingleSite>, Arc<Crawler>),
        #[covariant]
        dependent: Access,
    }
}

/// Times of the day, in minutes since midnight UTC, from and to.
type Times = (u16, u16);

impl Robots {
    #[inline]
    fn read(&self) -> PyResult<&Read> {
        match &*self.source {
            Source::Text(read) => Ok(read),
            Source::Image(_) => Err(PyRuntimeError::new_err("internal error: an image in place of a text")),
        }
    }

    /// True if a crawler may fetch a URL without conditions. Keeps the resolved access for the next
    /// question.
    ///
    /// # Errors
    /// If a name names no crawler.
    #[inline]
    fn may_fetch(&self, agent: &Agent<'_>, url: &str) -> PyResult<bool> {
        if let Some(string) = agent.plain()
            && let Some((last, resolved)) = &*self.last()
            && last.is(string)
        {
            return Ok(resolved.borrow_dependent().decide(url).is_allowed());
        }
        let crawler = self.source.crawler(agent)?;
        let resolved = Resolved::try_new((Arc::clone(&self.read()?.single), crawler), |(single, crawler)| {
            Ok::<_, Error>(single.site()?.access(crawler, Usage::CRAWL))
        });
        let resolved = resolved.map_err(|error| said(&error))?;
        let allowed = resolved.borrow_dependent().decide(url).is_allowed();
        if let Some(string) = agent.kept() {
            *self.last() = Some((string.clone().unbind(), resolved));
        }
        Ok(allowed)
    }

    fn last(&self) -> MutexGuard<'_, Option<(Py<PyAny>, Resolved)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a text: `str` or `bytes`.
fn bytes(text: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let Ok(text) = text.cast::<PyString>() else {
        let of = text.get_type();
        return Err(PyTypeError::new_err(format!("{what}: expected str or bytes, not {}", of.name()?)));
    };
    Ok(text.to_cow()?.into_owned().into_bytes())
}

/// The site of a text, by its URL.
fn origin(url: Option<&str>, profile: Profile) -> Result<Origin, Error> {
    url.map_or_else(Origin::unknown, |url| Origin::of(url, profile))
}

/// A text as given, with the texts that it is compiled with.
pub(crate) struct Given {
    pub(crate) text: Vec<u8>,
    pub(crate) origin: Origin,
    pub(crate) others: SiteFiles,
    pub(crate) options: Options,
}

/// Texts that a text refers to, by the paths of those of its site and the URLs of others.
pub(crate) type Files<'py> = Option<BTreeMap<String, Bound<'py, PyAny>>>;

impl Given {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If one is invalid.
    pub(crate) fn of(
        text: &Bound<'_, PyAny>,
        url: Option<&Text<'_>>,
        profile: &str,
        files: Files<'_>,
    ) -> PyResult<Given> {
        let text = bytes(text, "text")?;
        let profile: Profile =
            profile.parse().map_err(|error| PyValueError::new_err(format!("profile: {error}")))?;
        let origin = origin(url.map(Text::as_str), profile)
            .map_err(|error| PyValueError::new_err(format!("url: {error}")))?;
        let file = |(path, text): (String, Bound<'_, PyAny>)| {
            let text = bytes(&text, &format!("files[{path:?}]"))?;
            Ok((absolute_url(&path).unwrap_or(path), text))
        };
        let files = files.unwrap_or_default().into_iter().map(file).collect::<PyResult<_>>()?;
        let options = Options { profile, ..Options::default() };
        Ok(Given { text, origin, others: SiteFiles(files), options })
    }
}

#[pymethods]
impl Robots {
    /// Compiles a robots.txt. `url` is a URL of its site; `files` are texts that it refers to, by
    /// the paths of those of its site and the URLs of others. From a whole `User-Agent` header, the
    /// names count that the crawler gives itself; with `headers` every word counts, as in protego.
    /// With `named_only`, only groups that name the crawler count.
    #[new]
    #[pyo3(
        signature = (text, url=None, *, profile="full".into(), files=None, headers=false, named_only=false),
        text_signature = "(text, url=None, *, profile='full', files=None, headers=False, named_only=False)"
    )]
    fn new(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        url: Option<Text<'_>>,
        profile: String,
        files: Files<'_>,
        headers: bool,
        named_only: bool,
    ) -> PyResult<Robots> {
        let Given { text, origin, others, options } = Given::of(text, url.as_ref(), &profile, files)?;
        let single = py.detach(|| SingleSite::compile(&text, &origin, &others, &options));
        let single = single.map_err(|error| said(&error))?;
        single.site().map_err(|error| said(&error))?;
        let (single, crawlers) = (Arc::new(single), Crawlers::new(headers, named_only));
        let url = url.map(|url| url.as_str().to_owned());
        let read = Read { single, text, url, others, options, headers, crawlers };
        Ok(Robots { source: Arc::new(Source::Text(Box::new(read))), last: Mutex::default() })
    }

    /// The arguments by which `pickle` and `copy` create an equal object.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Read { text, url, others, options, headers, crawlers, .. } = self.read()?;
        let files = PyDict::new(py);
        for (path, text) in &others.0 {
            files.set_item(path, PyBytes::new(py, text))?;
        }
        let keywords = PyDict::new(py);
        keywords.set_item("profile", options.profile.name())?;
        keywords.set_item("files", files)?;
        keywords.set_item("headers", headers)?;
        keywords.set_item("named_only", crawlers.named_only)?;
        Ok(((PyBytes::new(py, text), url).into_pyobject(py)?, keywords))
    }

    /// The outcome of the text: `rules`, `empty`, `not-robots` or `over-limit`.
    #[getter]
    fn outcome(&self) -> PyResult<&'static str> {
        Ok(self.read()?.single.document.outcome.name())
    }

    /// True if the crawler may fetch the URL, or the path with query, or use it otherwise, without
    /// conditions.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn allowed(
        &self,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<bool> {
        if usage.is_none() && purpose.is_none() {
            return self.may_fetch(&agent, url.as_str());
        }
        let crawler = self.source.crawler(&agent)?;
        let to = Use { usage, purpose };
        self.source.check_usage(&to)?;
        let verdict = self.source.decide(&crawler, &to, None, url.as_str()).map_err(|error| said(&error))?;
        Ok(verdict.is_allowed())
    }

    /// True if the crawler may fetch the URL without conditions, with the URL read as by other
    /// parsers: in a URL of any scheme, in `//host/x` and in `https:///x`, the path follows the
    /// host.
    #[pyo3(signature = (url, user_agent))]
    fn can_fetch(
        &self,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        user_agent: Agent<'_>,
    ) -> PyResult<bool> {
        match self.read()?.options.profile {
            // This profile has its own rule, for any scheme.
            Profile::Google => self.may_fetch(&user_agent, url.as_str()),
            _ => self.may_fetch(&user_agent, &location(url.as_str())),
        }
    }

    /// May this crawler use this URL in this way?
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn decide(
        &self,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<Answer> {
        let crawler = self.source.crawler(&agent)?;
        Answer::new(
            Arc::clone(&self.source),
            crawler,
            agent.strings()?.join(","),
            Use { usage, purpose },
            None,
            url.as_str().to_owned(),
        )
    }

    /// The verdicts for many URLs, as in `Image.decide_batch`.
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
        columns.ask(py, &*self.source)?.verdicts(py)
    }

    /// For each of many URLs, true if it is allowed without conditions, as in
    /// `Image.allowed_batch`.
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
        columns.ask(py, &*self.source)?.allowed(py)
    }

    /// The explanation: the text of `robomaton explain`.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn explain(
        &self,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<String> {
        let read = self.read()?;
        let query = self.source.query(&agent, Use { usage, purpose })?;
        let terms = Terms::default();
        let Read { text, url: own, others, options, .. } = read;
        let question =
            TextQuery { text, files: others, options, query: &query, terms: &terms, url: url.as_str() };
        let origin = origin(own.as_deref(), options.profile);
        let explanation = origin.and_then(|origin| question.explain_on(&origin));
        text_of(&explanation.map_err(|error| said(&error))?)
    }

    /// The seconds between fetches from Crawl-delay; the longest of several.
    fn crawl_delay(&self, agent: Agent<'_>) -> PyResult<Option<f64>> {
        let crawler = self.source.crawler(&agent)?;
        Ok(self.read()?.single.site().map_err(|error| said(&error))?.crawl_delay(&crawler))
    }

    /// Request-rates: documents, seconds, and the times of the day when they apply, in minutes
    /// since midnight UTC.
    fn request_rates(&self, agent: Agent<'_>) -> PyResult<Vec<(u32, u32, Option<Times>)>> {
        let crawler = self.source.crawler(&agent)?;
        let schedule = self.read()?.single.site().map_err(|error| said(&error))?.schedule(&crawler);
        let rate = |rate: &robomaton_formats::schedule::Rate| {
            (rate.documents.get(), rate.seconds.get(), rate.window.map(|window| (window.from(), window.to())))
        };
        Ok(schedule.rates.iter().map(rate).collect())
    }

    /// Times of the day at which visits are welcome, in minutes since midnight UTC.
    fn visit_times(&self, agent: Agent<'_>) -> PyResult<Vec<Times>> {
        let crawler = self.source.crawler(&agent)?;
        let schedule = self.read()?.single.site().map_err(|error| said(&error))?.schedule(&crawler);
        Ok(schedule.visits.iter().map(|window| (window.from(), window.to())).collect())
    }

    /// The URLs of sitemaps, in file order.
    #[getter]
    fn sitemaps(&self) -> PyResult<Vec<String>> {
        Ok(self.read()?.single.site().map_err(|error| said(&error))?.sitemaps())
    }

    /// The URL without the query parameters that `Clean-param` records name.
    fn canonical_url(&self, #[pyo3(from_py_with = arguments::url)] url: Text<'_>) -> PyResult<String> {
        let site = self.read()?.single.site().map_err(|error| said(&error))?;
        Ok(canonical_url(&site, url.as_str()))
    }

    /// Records outside of all groups that are stored but not weighed: line, key and value.
    #[getter]
    fn extensions(&self) -> PyResult<Vec<(u32, String, String)>> {
        let detail = self.read()?.single.site().map_err(|error| said(&error))?.detail().unwrap_or_default();
        let records = detail.extensions.into_iter();
        Ok(records.map(|record| (record.line, record.key.into_owned(), record.value.into_owned())).collect())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<robomaton.Robots {}>", self.outcome()?))
    }
}
