//! The source of answers: an image, or one text.
//!
//! Both answer by the runtime; for a text, every URL is taken to belong to its site. It knows
//! nothing about Python except the form of a crawler's names.

use crate::ask::{Agent, Crawlers, Use};
use crate::error::changed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robomaton_compiler::Options;
use robomaton_explain::{Error, Query, SingleSite, SiteFiles, check_usage, decide, time};
use robomaton_runtime::{Crawler, Image, OpenOptions, Terms, Verdict, Watch};
use std::path::PathBuf;
use std::sync::Arc;

/// An image, or one text.
pub(crate) enum Source {
    Image(Box<Open>),
    Text(Box<Read>),
}

/// An open image, at a time: the one that was given, or a second of the clock.
pub(crate) struct Open {
    pub(crate) image: Image,
    pub(crate) opened: Arc<Opened>,
}

/// What an open image has at all times.
pub(crate) struct Opened {
    /// The time of all questions, if it was given.
    pub(crate) given: Option<u64>,
    pub(crate) path: PathBuf,
    /// How it was opened.
    pub(crate) options: OpenOptions,
    /// Watches the files of a mapped image.
    pub(crate) watch: Option<Watch>,
    pub(crate) crawlers: Crawlers,
}

/// A compiled text.
pub(crate) struct Read {
    pub(crate) single: Arc<SingleSite>,
    pub(crate) text: Vec<u8>,
    /// A URL of its site, as given.
    pub(crate) url: Option<String>,
    pub(crate) others: SiteFiles,
    pub(crate) options: Options,
    /// True if every word of a header is a name.
    pub(crate) headers: bool,
    pub(crate) crawlers: Crawlers,
}

impl Open {
    /// The same image at a time. The bytes are shared.
    #[cold]
    fn at(&self, now: Option<u64>) -> Open {
        let terms = Terms { now, ..self.image.terms().clone() };
        Open { image: self.image.clone().with_terms(terms), opened: Arc::clone(&self.opened) }
    }
}

impl Source {
    /// Checks that the files of an image were not modified.
    ///
    /// # Errors
    /// If they were.
    #[inline]
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        if let Source::Image(open) = self
            && let Some(watch) = &open.opened.watch
            && !watch.is_unchanged()
        {
            return Err(changed(py, &open.opened.path));
        }
        Ok(())
    }

    /// The image at the time of the clock, unless it has the time that its questions are to have.
    #[inline]
    pub(crate) fn at_the_clock(&self) -> Option<Source> {
        let Source::Image(open) = self else { return None };
        if open.opened.given.is_some() {
            return None;
        }
        let now = Some(time::now());
        (open.image.terms().now != now).then(|| Source::Image(Box::new(open.at(now))))
    }

    /// The crawler of these names.
    ///
    /// # Errors
    /// If a name names no crawler.
    #[inline]
    pub(crate) fn crawler(&self, agent: &Agent<'_>) -> PyResult<Arc<Crawler>> {
        self.with_crawler(agent, Arc::clone)
    }

    /// Asks about the crawler of these names, without a count of its users.
    ///
    /// # Errors
    /// If a name names no crawler.
    #[inline]
    pub(crate) fn with_crawler<T>(
        &self,
        agent: &Agent<'_>,
        ask: impl FnOnce(&Arc<Crawler>) -> T,
    ) -> PyResult<T> {
        match self {
            Source::Image(open) => open.opened.crawlers.with(&open.image, agent, ask),
            Source::Text(read) => read.crawlers.with(read.single.image(), agent, ask),
        }
    }

    /// Rejects a usage that neither a vocabulary nor the records in question have.
    ///
    /// # Errors
    /// If neither has it; the error suggests a name that may have been meant.
    pub(crate) fn check_usage(&self, to: &Use) -> PyResult<()> {
        let Some(usage) = &to.usage else { return Ok(()) };
        let checked = match self {
            Source::Image(open) => check_usage(&open.image, usage),
            Source::Text(read) => check_usage(read.single.image(), usage),
        };
        checked.map_err(|unknown| PyValueError::new_err(format!("usage: {unknown}")))
    }

    /// The query by names, for an explanation.
    ///
    /// # Errors
    /// If a name names no crawler.
    pub(crate) fn query(&self, agent: &Agent<'_>, to: Use) -> PyResult<Query> {
        let crawler = self.crawler(agent)?;
        self.check_usage(&to)?;
        let elements = match self {
            Source::Image(open) => open.image.terms().elements,
            Source::Text(_) => false,
        };
        let (agents, usage) = (crawler.given().to_vec(), to.name().to_owned());
        Ok(Query { agents, usage, purpose: to.purpose, elements, named_only: crawler.is_named_only() })
    }

    /// Answers one question. `document` is the document of the site that answers, if it is not
    /// robots.txt.
    ///
    /// # Errors
    /// None that can occur.
    #[inline]
    pub(crate) fn decide<'a>(
        &'a self,
        crawler: &'a Crawler,
        to: &'a Use,
        document: Option<&str>,
        url: &'a str,
    ) -> Result<Verdict<'a>, Error> {
        match self {
            Source::Image(open) => Ok(decide(&open.image, document, crawler, to.resolve(&open.image), url)),
            Source::Text(read) => {
                let usage = to.resolve(read.single.image());
                Ok(read.single.site()?.decide(crawler, usage, url))
            }
        }
    }
}
