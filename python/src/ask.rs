//! Crawlers and usages from Python; crawlers are resolved once.
//!
//! Names have the same meaning as in the command: a `str` is one name, names separated by commas,
//! best first, or a whole `User-Agent` header, which stands for the names that the crawler gives
//! itself; a list is a list. In the interfaces of other parsers every word of a header is a name,
//! as in protego.

use crate::text::Text;
use arc_swap::ArcSwapOption;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};
use robomaton_explain::{crawler_names, name_text, names};
use robomaton_formats::Profile;
use robomaton_formats::user_agent::{is_header, words};
use robomaton_runtime::{Crawler, Image, Usage};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of resolved crawlers that are cached for one image, and the maximum bytes of their
/// names.
const KEPT: usize = 1 << 12;
const LONGEST_KEPT: usize = 1 << 10;

/// A crawler's names, best first, as given.
pub(crate) enum Agent<'py> {
    /// One string.
    One(Bound<'py, PyAny>),
    /// Several strings.
    Several(Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Agent<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Agent<'py>> {
        if is_string(&object) {
            Ok(Agent::One(object.to_owned()))
        } else if is_unordered(&object) {
            let said =
                "agent: expected str, bytes or a list of them, best first, not what has no order of its own";
            Err(PyTypeError::new_err(said))
        } else {
            strings(&object, "agent").map(Agent::Several)
        }
    }
}

#[inline]
fn is_string(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}

/// True if it has no order of its own, while the best name comes first.
pub(crate) fn is_unordered(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>()
        || object.is_instance_of::<PyDict>()
}

/// The strings of a list, at least one.
fn strings(list: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    let mistyped = |object: &Bound<'_, PyAny>| {
        let of = object.get_type();
        let of = of.name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("{what}: expected str, bytes or a list of them, not {of}"))
    };
    let item = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        if is_string(&item) {
            Ok(Text::spelled(&item, name_text)?.as_str().to_owned())
        } else {
            Err(mistyped(&item))
        }
    };
    let items = list.try_iter().map_err(|_| mistyped(list))?;
    let strings: Vec<String> = items.map(item).collect::<PyResult<_>>()?;
    if strings.is_empty() {
        let said = "an empty list names no crawler; `*` means any crawler";
        return Err(PyValueError::new_err(format!("{what}: {said}")));
    }
    Ok(strings)
}

impl Agent<'_> {
    /// The string, if it can be recognized by its object: an exact Python `str`, which is immutable
    /// and has no destructor.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&Bound<'_, PyAny>> {
        match self {
            Agent::One(string) => Some(string).filter(|string| string.is_exact_instance_of::<PyString>()),
            Agent::Several(_) => None,
        }
    }

    /// The strings.
    ///
    /// # Errors
    /// If one has surrogates.
    pub(crate) fn strings(&self) -> PyResult<Vec<String>> {
        match self {
            Agent::One(string) => Ok(vec![Text::spelled(string, name_text)?.as_str().to_owned()]),
            Agent::Several(strings) => Ok(strings.clone()),
        }
    }

    /// The same, if it is worth caching.
    pub(crate) fn kept(&self) -> Option<&Bound<'_, PyAny>> {
        self.plain().filter(|string| string.len().is_ok_and(|len| len <= LONGEST_KEPT))
    }
}

/// A list of names, possibly empty, read once its argument is known.
#[derive(Default)]
pub(crate) struct Listed<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Listed<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Listed<'py>> {
        Ok(Listed(Some(object.to_owned())))
    }
}

impl Listed<'_> {
    /// The names. Errors name the argument.
    pub(crate) fn names(&self, argument: &str) -> PyResult<Vec<String>> {
        let Some(object) = &self.0 else { return Ok(Vec::new()) };
        if is_string(object) {
            let error = format!("{argument}: expected a list of names, not a single one");
            return Err(PyTypeError::new_err(error));
        }
        if object.len().is_ok_and(|len| len == 0) {
            return Ok(Vec::new());
        }
        strings(object, argument)
    }
}

/// A usage and a purpose, by name.
#[derive(Clone)]
pub(crate) struct Use {
    pub(crate) usage: Option<String>,
    pub(crate) purpose: Option<String>,
}

impl Use {
    /// The name of the usage, as in answers.
    pub(crate) fn name(&self) -> &str {
        self.usage.as_deref().unwrap_or("crawl")
    }

    /// Resolves the usage for an image.
    #[inline]
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Usage<'_> {
        let usage = self.usage.as_ref().map_or(Usage::CRAWL, |usage| image.usage(usage));
        self.purpose.as_ref().map_or(usage, |purpose| usage.for_purpose(purpose))
    }
}

/// Crawlers of one image, resolved once.
pub(crate) struct Crawlers {
    /// True if every word of a header is a name.
    headers: bool,
    /// True if only groups that name a crawler count for it.
    pub(crate) named_only: bool,
    /// The last string: a program with many questions uses the same object. Threads read it without
    /// a lock.
    last: ArcSwapOption<Last>,
    /// By strings.
    known: Mutex<HashMap<Vec<String>, Arc<Crawler>>>,
}

/// A string of Python, and the crawler that it names. While this lives, no other object has the
/// address of the string.
struct Last {
    string: Py<PyAny>,
    crawler: Arc<Crawler>,
}

impl Crawlers {
    pub(crate) fn new(headers: bool, named_only: bool) -> Crawlers {
        Crawlers { headers, named_only, last: ArcSwapOption::empty(), known: Mutex::default() }
    }

    /// Asks about the crawler of these names.
    ///
    /// # Errors
    /// If a name names no crawler.
    #[inline]
    pub(crate) fn with<D: AsRef<[u8]>, T>(
        &self,
        image: &Image<D>,
        agent: &Agent<'_>,
        ask: impl FnOnce(&Arc<Crawler>) -> T,
    ) -> PyResult<T> {
        let last = self.last.load();
        let other;
        let crawler = match (last.as_ref(), agent.plain()) {
            (Some(last), Some(string)) if last.string.is(string) => &last.crawler,
            _ => {
                other = self.look_up(image, agent)?;
                &other
            }
        };
        Ok(ask(crawler))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<String>, Arc<Crawler>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn look_up<D: AsRef<[u8]>>(&self, image: &Image<D>, agent: &Agent<'_>) -> PyResult<Arc<Crawler>> {
        let mut key = agent.strings()?;
        // Distinguishes a list from a string.
        key.extend(matches!(agent, Agent::Several(_)).then(String::new));
        let known = self.lock().get(&key).cloned();
        let crawler = match known {
            Some(crawler) => crawler,
            None => Arc::new(self.crawler(image, agent)?),
        };
        // Invented names must not fill the memory.
        if key.iter().map(String::len).sum::<usize>() > LONGEST_KEPT {
            return Ok(crawler);
        }
        let mut known = self.lock();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, Arc::clone(&crawler));
        drop(known);
        if let Some(string) = agent.kept() {
            let (string, crawler) = (string.clone().unbind(), Arc::clone(&crawler));
            self.last.store(Some(Arc::new(Last { string, crawler })));
        }
        Ok(crawler)
    }

    fn crawler<D: AsRef<[u8]>>(&self, image: &Image<D>, agent: &Agent<'_>) -> PyResult<Crawler> {
        let names = names_of(agent, self.headers, image.profile())?;
        check_names(&names, self.headers, image.profile())?;
        let crawler = image.crawler(names);
        Ok(crawler.named_only(self.named_only))
    }
}

/// The names of an agent, best first. With `headers`, every word of a header is a name.
///
/// # Errors
/// If one has surrogates.
pub(crate) fn names_of(agent: &Agent<'_>, headers: bool, profile: Profile) -> PyResult<Vec<String>> {
    let strings = agent.strings()?;
    let of = |string| if headers { every_word(string, profile) } else { names(string) };
    match agent {
        Agent::One(_) => Ok(strings.iter().flat_map(|string| of(string)).map(str::to_owned).collect()),
        Agent::Several(_) => Ok(strings),
    }
}

/// Checks that names are those of a crawler.
///
/// # Errors
/// If one names no crawler.
pub(crate) fn check_names(names: &[String], headers: bool, profile: Profile) -> PyResult<()> {
    // In the other interfaces, a header without a name means any crawler.
    for name in names.iter().filter(|_| !headers) {
        crawler_names(name, profile).map_err(|error| PyValueError::new_err(format!("agent: {error}")))?;
    }
    Ok(())
}

/// Every word of a `User-Agent` header that could be a name, including comments, the longest first.
/// The last name is the whole header, which a record of ACAP may name. A name of one word is cut by
/// the profile alone, which has its version for ACAP; `google` does not cut it.
fn every_word(agent: &str, profile: Profile) -> Vec<&str> {
    let is_name = !is_header(agent) && names(agent).len() == 1 && crawler_names(agent, profile).is_ok();
    if is_name && profile != Profile::Google {
        return vec![agent];
    }
    let mut words = words(agent);
    if words.is_empty() {
        return vec!["*"];
    }
    words.sort_by_key(|word| Reverse(word.len()));
    words.push(agent);
    words
}
