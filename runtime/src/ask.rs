//! Questions about whole URLs: finds the site, then answers for it.
//!
//! It stands above `find`, which looks for sites, and `access`, which answers for one; `batch` asks
//! many questions in the same way. It does not know how rules are weighed.

use crate::access;
use crate::answer::{Answer, NO_SITE, NO_URL};
use crate::crawler::{Crawler, Usage};
use crate::find::{Found, Search};
use crate::image::Image;
use crate::short;
use crate::site::Site;
use crate::stack::Rest;
use crate::target::{self, Written};
use crate::verdict::Verdict;
use robomaton_formats::Notation;
use std::borrow::Cow;

/// An answer, and the site that it is about.
pub(crate) type Answered<'i, D> = (Answer, Option<Found<'i, D>>);

impl<D: AsRef<[u8]>> Image<D> {
    /// The site that an absolute URL belongs to, if the image contains it.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        match self.search(url) {
            Search::Found((shard, slot), _) => Some(self.site_of(shard, slot)),
            Search::NoSite | Search::NoUrl => None,
        }
    }

    /// Another document of the site that an absolute URL belongs to, such as `data.txt` (K2), if
    /// the image contains it. Its verdicts are about URLs of that site.
    pub fn document(&self, url: &str, name: &str) -> Option<Site<'_>> {
        let (mut authority, _) = target::split(self.profile(), url).ok()?;
        authority.bytes = Cow::Owned([&authority.bytes, &b"/"[..], name.as_bytes()].concat());
        self.find(&authority).map(|(shard, slot)| self.document_of(shard, slot))
    }

    /// Decides whether the crawler may use the URL in this way. A site that the image does not
    /// contain is `unknown`.
    ///
    /// Allocates nothing, unless the URL's host is not canonical, or is not found and has 64 bytes
    /// or more, or its target needs more than a kilobyte of rewriting.
    #[inline]
    pub fn decide<'a>(&'a self, crawler: &'a Crawler, usage: Usage<'a>, url: &'a str) -> Verdict<'a> {
        let answered = self.of_url(crawler, &usage, url);
        self.verdict(answered, crawler, usage, url)
    }

    /// The verdict with an answer.
    #[inline(always)]
    pub(crate) fn verdict<'a>(
        &'a self,
        (answer, found): Answered<'a, D>,
        crawler: &'a Crawler,
        usage: Usage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        Verdict { answer, site: found.map(|(shard, slot)| self.site_of(shard, slot)), crawler, usage, url }
    }

    /// Out of line with a small result, so that a verdict is built in its caller, and only the
    /// parts that the caller uses. The usage is borrowed, which spares a copy.
    #[inline(never)]
    fn of_url(&self, crawler: &Crawler, usage: &Usage<'_>, url: &str) -> Answered<'_, D> {
        if let Some(rest) = &self.rest {
            return self.of_url_in(rest, crawler, usage, url);
        }
        let written = Written::of(url.as_bytes());
        if let Some(written) = &written
            && let Some(slot) = self.first.find_name(written)
        {
            return self.of_written((&self.first, slot), written, crawler, *usage, url);
        }
        self.of_parsed(written.as_ref(), crawler, *usage, url)
    }

    /// The answer about a URL by an image of several files.
    #[inline(never)]
    fn of_url_in<'i>(
        &'i self,
        rest: &'i Rest<D>,
        crawler: &Crawler,
        usage: &Usage<'_>,
        url: &str,
    ) -> Answered<'i, D> {
        let written = Written::of(url.as_bytes());
        if let Some(written) = &written
            && let Some(found) = self.find_in(rest, written)
        {
            return self.of_files(found, written, crawler, *usage, url);
        }
        self.of_parsed(written.as_ref(), crawler, *usage, url)
    }

    /// The answer about a URL whose host was found in one of several files.
    #[inline(never)]
    pub(crate) fn of_files<'i>(
        &'i self,
        found: Found<'i, D>,
        written: &Written<'_>,
        crawler: &Crawler,
        usage: Usage<'_>,
        url: &str,
    ) -> Answered<'i, D> {
        let (crawler, usage) = self.site_of(found.0, found.1).of_layer(crawler, usage);
        self.of_written(found, written, crawler, usage, url)
    }

    /// The answer about a URL whose host was found as it is `written`. The crawler and the usage
    /// are those of the layer.
    #[inline(always)]
    pub(crate) fn of_written<'i>(
        &'i self,
        (shard, slot): Found<'i, D>,
        written: &Written<'_>,
        crawler: &Crawler,
        usage: Usage<'_>,
        url: &str,
    ) -> Answered<'i, D> {
        if usage.is_crawl()
            && let Some(path) = written.path().filter(|_| self.profile().notation() != Notation::Google)
            && let Some(answer) = short::answer(shard.view(), slot.entry(), crawler, path)
        {
            return (answer.answer(), Some((shard, slot)));
        }
        let target = written.target(self.profile(), url);
        (access::at_length(&self.site_of(shard, slot), crawler, usage, &target), Some((shard, slot)))
    }

    /// The answer about a URL whose host was not found as it is `written`.
    #[inline(never)]
    pub(crate) fn of_parsed(
        &self,
        written: Option<&Written<'_>>,
        crawler: &Crawler,
        usage: Usage<'_>,
        url: &str,
    ) -> Answered<'_, D> {
        match self.search_parsed(written, url) {
            Search::Found((shard, slot), target) => {
                let site = self.site_of(shard, slot);
                let answer = match shard.layer {
                    0 => access::once(&site, crawler, usage, &target),
                    _ => access::in_layer(&site, crawler, usage, &target),
                };
                (answer, Some((shard, slot)))
            }
            Search::NoSite => (NO_SITE, None),
            Search::NoUrl => (NO_URL, None),
        }
    }

    /// Like [`Image::decide`], by another document of the site, such as `data.txt` (K2). If the
    /// image does not contain the document, robots.txt does not answer in its place.
    pub fn decide_document<'a>(
        &'a self,
        name: &str,
        crawler: &'a Crawler,
        usage: Usage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        match self.document(url, name) {
            Some(site) => site.decide(crawler, usage, url),
            None => {
                let is_url = target::split(self.profile(), url).is_ok();
                Verdict { answer: if is_url { NO_SITE } else { NO_URL }, site: None, crawler, usage, url }
            }
        }
    }
}
