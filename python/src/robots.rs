//! One robots.txt, as Python sees it.
//!
//! A text goes the whole way of an image, so the two give the same answers. Whatever URL is asked about is one of its site.

use crate::answer::Answer;
use crate::ask::{Agent, Crawlers, Use};
use crate::error::said;
use crate::image::{batch, told};
use crate::source::{Read, Source};
use crate::text::Text;
use crate::urls::Urls;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robomaton_compiler::Options;
use robomaton_explain::{Beside, Error, OfText, Origin, Single};
use robomaton_formats::Profile;
use robomaton_runtime::{Access, Crawler, Terms, Usage};
use self_cell::self_cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One robots.txt, compiled.
#[pyclass(frozen, module = "robomaton")]
pub struct Robots {
    source: Arc<Source>,
    /// What answers for whoever asked last.
    last: Mutex<Option<(Py<PyAny>, Resolved)>>,
}

self_cell! {
    /// What answers for a crawler that crawls the site of a text.
    struct Resolved {
        owner: (Arc<Single>, Arc<Crawler>),
        #[covariant]
        dependent: Access,
    }
}

/// A time of the day, in minutes since midnight UTC, from and to.
type Times = (u16, u16);

impl Robots {
    #[inline]
    fn read(&self) -> PyResult<&Read> {
        match &*self.source {
            Source::Text(read) => Ok(read),
            Source::Image(_) => Err(PyRuntimeError::new_err("internal error: an image in place of a text")),
        }
    }

    /// Whether a crawler may plainly fetch a URL, with what answers kept for the next question.
    ///
    /// # Errors
    /// When a name names nobody.
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

/// The octets of a text: `str` or `bytes`.
fn octets(text: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
    if let Ok(octets) = text.cast::<PyBytes>() {
        return Ok(octets.as_bytes().to_vec());
    }
    let Ok(text) = text.cast::<PyString>() else {
        let of = text.get_type();
        return Err(PyTypeError::new_err(format!("{what}: expected str or bytes, not {}", of.name()?)));
    };
    Ok(text.to_cow()?.into_owned().into_bytes())
}

#[pymethods]
impl Robots {
    /// Compiles a robots.txt. `url` is a URL of its site; `files` are texts that it refers to, by their paths. With `headers`
    /// an agent may be a whole `User-Agent` header, of which every token is a name.
    #[new]
    #[pyo3(
        signature = (text, url=None, *, profile="full".into(), files=None, headers=false),
        text_signature = "(text, url=None, *, profile='full', files=None, headers=False)"
    )]
    fn new(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        url: Option<Text<'_>>,
        profile: String,
        files: Option<BTreeMap<String, Bound<'_, PyAny>>>,
        headers: bool,
    ) -> PyResult<Robots> {
        let text = octets(text, "text")?;
        let profile: Profile =
            profile.parse().map_err(|error| PyValueError::new_err(format!("profile: {error}")))?;
        let options = Options { profile, ..Options::default() };
        let origin = match &url {
            Some(url) => {
                Origin::of(url.as_str(), profile).map_err(|error| PyValueError::new_err(error.to_string()))?
            }
            None => Origin::unknown().map_err(|error| said(&error))?,
        };
        let files = files.unwrap_or_default().into_iter();
        let beside = Beside::files(
            files
                .map(|(path, text)| {
                    let text = octets(&text, &format!("files[{path:?}]"))?;
                    Ok((path, text))
                })
                .collect::<PyResult<_>>()?,
        );
        let single = py.detach(|| Single::compile(&text, &origin, &beside, &options));
        let single = single.map_err(|error| said(&error))?;
        single.site().map_err(|error| said(&error))?;
        let (single, crawlers) = (Arc::new(single), Crawlers::new(headers));
        let read = Read { single, text, beside, options, crawlers };
        Ok(Robots { source: Arc::new(Source::Text(Box::new(read))), last: Mutex::default() })
    }

    /// What became of the text: `rules`, `empty`, `not-robots` or `over-limit`.
    #[getter]
    fn outcome(&self) -> PyResult<&'static str> {
        Ok(self.read()?.single.document.outcome.name())
    }

    /// Whether the crawler may plainly fetch the URL, or the path with query, or use it otherwise.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn allowed(
        &self,
        url: Text<'_>,
        agent: Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
    ) -> PyResult<bool> {
        if usage.is_none() && purpose.is_none() {
            return self.may_fetch(&agent, url.as_str());
        }
        let crawler = self.source.crawler(&agent)?;
        let to = Use { usage, purpose };
        let verdict = self.source.decide(&crawler, &to, None, url.as_str()).map_err(|error| said(&error))?;
        Ok(verdict.is_allowed())
    }

    /// Whether the crawler may plainly fetch the URL: `allowed`, with the parameters of other parsers.
    #[pyo3(signature = (url, user_agent))]
    fn can_fetch(&self, url: Text<'_>, user_agent: Agent<'_>) -> PyResult<bool> {
        self.may_fetch(&user_agent, url.as_str())
    }

    /// May this crawler use this URL in this way?
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn decide(
        &self,
        url: Text<'_>,
        agent: Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
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

    /// The verdicts for many URLs, as of `Image.decide_batch`.
    #[pyo3(signature = (urls, agent, *, usage=None, purpose=None, threads=1))]
    fn decide_batch<'py>(
        &self,
        py: Python<'py>,
        urls: Urls,
        agent: Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
        threads: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch(py, Arc::clone(&self.source), urls, &agent, Use { usage, purpose }, threads)?.verdicts(py)
    }

    /// Whether each of many URLs is plainly allowed, as of `Image.allowed_batch`.
    #[pyo3(signature = (urls, agent, *, usage=None, purpose=None, threads=1))]
    fn allowed_batch<'py>(
        &self,
        py: Python<'py>,
        urls: Urls,
        agent: Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
        threads: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch(py, Arc::clone(&self.source), urls, &agent, Use { usage, purpose }, threads)?.allowed(py)
    }

    /// Why: the text of `robomaton explain`.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn explain(
        &self,
        url: Text<'_>,
        agent: Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
    ) -> PyResult<String> {
        let read = self.read()?;
        let asker = self.source.asker(&agent, usage, purpose)?;
        let terms = Terms::default();
        let Read { text, beside, options, .. } = read;
        let question = OfText { text, beside, options, asker: &asker, terms: &terms, url: url.as_str() };
        told(&question.explain().map_err(|error| said(&error))?)
    }

    /// The seconds between fetches that Crawl-delay asks for; of several the longest.
    fn crawl_delay(&self, agent: Agent<'_>) -> PyResult<Option<f64>> {
        let crawler = self.source.crawler(&agent)?;
        Ok(self.read()?.single.site().map_err(|error| said(&error))?.crawl_delay(&crawler))
    }

    /// Request-rates: documents, seconds, and the times of the day for which they are meant, in minutes.
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

    /// Records of no crawler in particular that are kept and not weighed: line, key and value.
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
