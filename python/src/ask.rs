//! Who asks and for what, as Python says it; crawlers resolved once.
//!
//! Names mean what they mean to the command: a `str` is one name or a list of product tokens parted by commas, best first; a
//! list is a list. Where whole `User-Agent` headers are expected, every token in one is a name.

use crate::text::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robomaton_explain::{names, reduced_name};
use robomaton_runtime::{Crawler, Image, Usage};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Crawlers of one image that are kept resolved.
const KEPT: usize = 1 << 16;

/// Tokens of a header that are looked for.
const TOKENS: usize = 32;

/// A crawler's names, best first, as they were given: a string, or several.
pub(crate) struct Agent<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for Agent<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Agent<'py>> {
        Ok(Agent(object.to_owned()))
    }
}

impl<'py> Agent<'py> {
    /// What was given.
    #[inline]
    pub(crate) fn object(&self) -> &Bound<'py, PyAny> {
        &self.0
    }

    /// Whether it is one string.
    fn is_one(&self) -> bool {
        self.0.is_instance_of::<PyString>() || self.0.is_instance_of::<PyBytes>()
    }

    /// Whether it can be known again by its object: a string of Python's own, which neither changes nor does anything when it goes.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.0.is_exact_instance_of::<PyString>()
    }

    /// The strings.
    ///
    /// # Errors
    /// When it is anything else.
    pub(crate) fn strings(&self) -> PyResult<Vec<String>> {
        let text = |item: &Bound<'py, PyAny>| {
            let text = item.extract::<Text<'py>>();
            text.map_err(|error| match error.is_instance_of::<PyTypeError>(item.py()) {
                true => self.mistyped(),
                false => error,
            })
        };
        if self.is_one() {
            return Ok(vec![text(&self.0)?.as_str().to_owned()]);
        }
        let items = self.0.try_iter().map_err(|_| self.mistyped())?;
        let strings: Vec<String> =
            items.map(|item| Ok(text(&item?)?.as_str().to_owned())).collect::<PyResult<_>>()?;
        if strings.is_empty() {
            return Err(PyValueError::new_err(
                "agent: an empty list names nobody; `*` asks the default groups",
            ));
        }
        Ok(strings)
    }

    fn mistyped(&self) -> PyErr {
        let of = self.0.get_type();
        let of = of.name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("agent: expected str, bytes or a list of them, not {of}"))
    }

    /// The names, as the command understands them.
    ///
    /// # Errors
    /// When it is no string and no list of such.
    pub(crate) fn names(&self) -> PyResult<Vec<String>> {
        let strings = self.strings()?;
        match (self.is_one(), strings.as_slice()) {
            (true, [one]) => Ok(names(one).into_iter().map(str::to_owned).collect()),
            _ => Ok(strings),
        }
    }
}

/// What a crawler wants to do with URLs, by names.
#[derive(Clone)]
pub(crate) struct Use {
    pub(crate) usage: Option<String>,
    pub(crate) purpose: Option<String>,
}

impl Use {
    /// The usage as answers tell it.
    pub(crate) fn name(&self) -> &str {
        self.usage.as_deref().unwrap_or("crawl")
    }

    /// As an image knows it.
    #[inline]
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Usage<'_> {
        let usage = self.usage.as_ref().map_or(Usage::CRAWL, |usage| image.usage(usage));
        self.purpose.as_ref().map_or(usage, |purpose| usage.for_purpose(purpose))
    }
}

/// Crawlers of one image, resolved once.
pub(crate) struct Crawlers {
    /// Whether names may be whole headers.
    headers: bool,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The string that was asked with last: a program that asks much asks with one object.
    last: Option<(Py<PyAny>, Arc<Crawler>)>,
    /// By strings.
    all: HashMap<Vec<String>, Arc<Crawler>>,
}

impl Crawlers {
    pub(crate) fn new(headers: bool) -> Crawlers {
        Crawlers { headers, known: Mutex::default() }
    }

    /// The crawler of these names.
    ///
    /// # Errors
    /// When a name names nobody.
    #[inline]
    pub(crate) fn resolve<D: AsRef<[u8]>>(
        &self,
        image: &Image<D>,
        agent: &Agent<'_>,
    ) -> PyResult<Arc<Crawler>> {
        if let Some((last, crawler)) = &self.lock().last
            && last.is(&agent.0)
        {
            return Ok(Arc::clone(crawler));
        }
        self.look_up(image, agent)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_up<D: AsRef<[u8]>>(&self, image: &Image<D>, agent: &Agent<'_>) -> PyResult<Arc<Crawler>> {
        let mut key = agent.strings()?;
        // No list is taken for a string.
        key.extend((!agent.is_one()).then(String::new));
        let known = self.lock().all.get(&key).cloned();
        let crawler = match known {
            Some(crawler) => crawler,
            None => Arc::new(self.crawler(image, agent, &key)?),
        };
        let mut known = self.lock();
        // Whoever makes names up shall not fill the memory.
        if known.all.len() >= KEPT {
            known.all.clear();
        }
        known.all.insert(key, Arc::clone(&crawler));
        if agent.is_plain() {
            known.last = Some((agent.0.clone().unbind(), Arc::clone(&crawler)));
        }
        Ok(crawler)
    }

    fn crawler<D: AsRef<[u8]>>(
        &self,
        image: &Image<D>,
        agent: &Agent<'_>,
        key: &[String],
    ) -> PyResult<Crawler> {
        if self.headers && agent.is_one() {
            return Ok(image.crawler(key.iter().flat_map(|header| tokens(header))));
        }
        let names = agent.names()?;
        for name in &names {
            reduced_name(name, image.profile())
                .map_err(|error| PyValueError::new_err(format!("agent: {error}")))?;
        }
        Ok(image.crawler(names))
    }
}

/// The product tokens of a `User-Agent` header, comments included, the longest first: what stands before a slash in each of
/// its words, if that begins with a letter.
fn tokens(header: &str) -> Vec<&str> {
    let words = header.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | ')' | ','));
    let mut tokens: Vec<&str> = words
        .map(|word| word.split('/').next().unwrap_or_default())
        .filter(|token| token.starts_with(|c: char| c.is_ascii_alphabetic()) && !token.ends_with(':'))
        .collect();
    tokens.sort_by_key(|token| Reverse(token.len()));
    tokens.dedup();
    tokens.truncate(TOKENS);
    if tokens.is_empty() { vec!["*"] } else { tokens }
}
