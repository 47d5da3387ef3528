//! What can be asked: an image, or one text.
//!
//! Both answer one question, or many in a row, by the runtime; of a text, whatever URL is asked about is one of its site. It
//! knows nothing of Python but how a crawler's names are put.

use crate::ask::{Agent, Crawlers, Use};
use crate::error::changed;
use crate::urls::{Ask, code};
use crate::watch::Watch;
use pyo3::prelude::*;
use robomaton_compiler::Options;
use robomaton_explain::{Asker, Beside, Error, Single, decide};
use robomaton_runtime::{Crawler, Image, Question, Terms, Verdict};
use std::path::PathBuf;
use std::sync::Arc;

/// An image, or one text.
pub(crate) enum Source {
    Image(Box<Open>),
    Text(Box<Read>),
}

/// An open image.
pub(crate) struct Open {
    pub(crate) image: Image,
    pub(crate) terms: Terms,
    /// The time of asking, where it was given.
    pub(crate) given: Option<u64>,
    pub(crate) path: PathBuf,
    pub(crate) watch: Watch,
    pub(crate) crawlers: Crawlers,
}

/// A text that was read.
pub(crate) struct Read {
    pub(crate) single: Arc<Single>,
    pub(crate) text: Vec<u8>,
    pub(crate) beside: Beside,
    pub(crate) options: Options,
    pub(crate) crawlers: Crawlers,
}

impl Source {
    /// Sees that nobody has written to what is about to be read.
    ///
    /// # Errors
    /// When somebody has.
    #[inline]
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Source::Image(open) if !open.watch.is_unchanged() => Err(changed(py, &open.path)),
            _ => Ok(()),
        }
    }

    /// The crawler of these names.
    ///
    /// # Errors
    /// When a name names nobody.
    #[inline]
    pub(crate) fn crawler(&self, agent: &Agent<'_>) -> PyResult<Arc<Crawler>> {
        match self {
            Source::Image(open) => open.crawlers.resolve(&open.image, agent),
            Source::Text(read) => read.crawlers.resolve(read.single.image(), agent),
        }
    }

    /// Who asks, as the crate of stories takes it.
    ///
    /// # Errors
    /// When a name names nobody.
    pub(crate) fn asker(
        &self,
        agent: &Agent<'_>,
        usage: Option<String>,
        purpose: Option<String>,
    ) -> PyResult<Asker> {
        self.crawler(agent)?;
        let (crawlers, elements) = match self {
            Source::Image(open) => (&open.crawlers, open.terms.elements),
            Source::Text(read) => (&read.crawlers, false),
        };
        let usage = usage.unwrap_or_else(|| "crawl".to_owned());
        Ok(Asker { agents: crawlers.names(agent)?, usage, purpose, elements })
    }

    /// Answers one question. `document` is the document of the site that answers, where it is not robots.txt.
    ///
    /// # Errors
    /// None that can happen.
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

/// A question about many URLs.
pub(crate) struct Batch<'a> {
    pub(crate) source: &'a Source,
    pub(crate) crawler: &'a Crawler,
    pub(crate) to: &'a Use,
}

impl Ask for Batch<'_> {
    fn codes<'u>(&self, urls: impl Iterator<Item = &'u str>) -> Vec<u8> {
        let Batch { source, crawler, to } = *self;
        let mut codes = Vec::with_capacity(urls.size_hint().0);
        let each = |verdict: Verdict<'_>| codes.push(code(verdict.safe_decision()));
        match source {
            Source::Image(open) => {
                let usage = to.resolve(&open.image);
                open.image.decide_batch(urls.map(|url| Question { crawler, usage, url }), each);
            }
            Source::Text(read) => {
                let image = read.single.image();
                let access = image.first_site().map(|site| site.access(crawler, to.resolve(image)));
                // There is no text without a site.
                urls.flat_map(|url| access.map(|access| access.decide(url))).for_each(each);
            }
        }
        codes
    }
}
