//! Questions about whole URLs: finds the site, then answers for it.
//!
//! It stands above `find`, which looks for sites, and `access`, which answers for one; `batch` asks
//! many questions in the same way. It does not know how rules are weighed.

use crate::access;
use crate::answer::{Answer, NO_SITE, NO_URL};
use crate::crawler::{Crawler, Usage};
use crate::find::Search;
use crate::image::Image;
use crate::site::Site;
use crate::target;
use crate::verdict::Verdict;
use std::borrow::Cow;

impl<D: AsRef<[u8]>> Image<D> {
    /// The site that an absolute URL belongs to, if the image contains it.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        match self.search(url) {
            Search::Found((shard, site), _) => Some(self.site_of(shard, site)),
            Search::NoSite | Search::NoUrl => None,
        }
    }

    /// Another document of the site that an absolute URL belongs to, such as `data.txt` (K2), if
    /// the image contains it. Its verdicts are about URLs of that site.
    pub fn document(&self, url: &str, name: &str) -> Option<Site<'_>> {
        let (mut authority, _) = target::split(self.profile(), url).ok()?;
        authority.bytes = Cow::Owned([&authority.bytes, &b"/"[..], name.as_bytes()].concat());
        self.find(&authority).map(|(shard, site)| self.document_of(shard, site))
    }

    /// Decides whether the crawler may use the URL in this way. A site that the image does not
    /// contain is `unknown`.
    ///
    /// Allocates nothing, unless the URL's host is not canonical, or is not found and has 64 bytes
    /// or more, or its target needs more than a kilobyte of rewriting.
    #[inline]
    pub fn decide<'a>(&'a self, crawler: &'a Crawler, usage: Usage<'a>, url: &'a str) -> Verdict<'a> {
        let (answer, site) = self.of_url(crawler, usage, url);
        Verdict { answer, site, crawler, usage, url }
    }

    /// Out of line with a small result, so that a verdict is built in its caller, and only the
    /// parts that the caller uses.
    #[inline(never)]
    fn of_url<'i>(&'i self, crawler: &Crawler, usage: Usage<'_>, url: &str) -> (Answer, Option<Site<'i>>) {
        self.answer(self.search(url), crawler, usage)
    }

    /// The answer of the site that a search found, and the site.
    #[inline(always)]
    pub(crate) fn answer<'i>(
        &'i self,
        search: Search<'i, '_, D>,
        crawler: &Crawler,
        usage: Usage<'_>,
    ) -> (Answer, Option<Site<'i>>) {
        match search {
            Search::Found((shard, site), target) => {
                let site = self.site_of(shard, site);
                (access::once(&site, crawler, usage, &target), Some(site))
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
