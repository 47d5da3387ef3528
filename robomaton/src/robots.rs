//! One robots.txt, ready for questions.
//!
//! A simpler interface to an image of one site. It ignores the host of a URL: every URL is taken to
//! belong to the text's site.

use crate::{Access, Crawler, Error, Image, Outcome, ParseOptions, Schedule, Site, Usage, Verdict};
use robomaton_compiler::{CompileContext, Entry, compile_fetched, emit};
use robomaton_formats::SiteKey;

/// The host if the site is unknown.
const NO_HOST: &str = "localhost";

use std::time::Duration;

/// One robots.txt.
///
/// ```
/// use robomaton::{Robots, Usage};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n");
/// assert!(!robots.allowed("anybot", "/private/x"));
///
/// let crawler = robots.crawler(["anybot"]);
/// let verdict = robots.decide(&crawler, Usage::CRAWL, "https://example.com/private/x");
/// let rule = verdict.rule().expect("a rule decides");
/// assert_eq!((rule.line, rule.to_string().as_str()), (2, "Disallow: /private/"));
/// assert_eq!(robots.crawl_delay("anybot"), Some(std::time::Duration::from_secs(2)));
/// ```
#[derive(Clone, Debug)]
pub struct Robots {
    image: Image<Vec<u8>>,
}

impl ParseOptions {
    /// Parses a text.
    ///
    /// # Errors
    /// If the site is not a URL of a site, or limits were raised so far that the text does not fit
    /// an image.
    pub fn parse(&self, text: impl AsRef<[u8]>) -> Result<Robots, Error> {
        let error = |error| Error::Site { url: self.site.clone().unwrap_or_default(), error };
        let site = match &self.site {
            Some(url) => SiteKey::from_url(url),
            None => SiteKey::from_host(NO_HOST),
        };
        let site = site.map_err(error)?;
        let files: Vec<(&str, &[u8])> =
            self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
        let origin = self.site.is_some().then(|| site.authority());
        let around = CompileContext { origin, files: &files, ..CompileContext::default() };
        let document = compile_fetched(text.as_ref(), &around, &self.options);
        let entry = Entry::fetched(site.clone(), &document);
        Ok(Robots::new(emit(vec![entry], &self.options).and_then(Image::from_bytes)?))
    }
}

impl Robots {
    /// Parses a text, `str` or bytes, in every language, with the default limits. [`ParseOptions`]
    /// has more.
    ///
    /// No text is an error: a line that is no record is skipped, an HTML page has no rules, and a
    /// text over a limit disallows everything (see [`Robots::outcome`]).
    pub fn parse(text: impl AsRef<[u8]>) -> Robots {
        let parsed = ParseOptions::new().parse(text);
        parsed.expect("within the default limits, every text fits an image of one site")
    }

    pub(crate) fn new(image: Image<Vec<u8>>) -> Robots {
        Robots { image }
    }

    /// True if a crawler may fetch a URL, or a path with query, without conditions.
    pub fn allowed(&self, crawler: &str, url: &str) -> bool {
        self.decide(&self.crawler([crawler]), Usage::CRAWL, url).is_allowed()
    }

    /// Resolves a crawler by its names, best first, for questions about many URLs or for details.
    pub fn crawler<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Crawler {
        self.image.crawler(names)
    }

    /// A usage by its name, such as `index` or `train`; crawling is [`Usage::CRAWL`].
    pub fn usage(&self, name: &str) -> Usage<'static> {
        self.image.usage(name)
    }

    /// May this crawler use this URL in this way? The verdict gives the deciding rule and its line.
    pub fn decide<'a>(&'a self, crawler: &'a Crawler, usage: Usage<'a>, url: &'a str) -> Verdict<'a> {
        match self.site() {
            Some(site) => site.decide(crawler, usage, url),
            None => self.image.decide(crawler, usage, url),
        }
    }

    /// Resolves a crawler and a usage once, for many URLs.
    ///
    /// ```
    /// use robomaton::{Robots, Usage};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /*.pdf$\n");
    /// let crawler = robots.crawler(["anybot"]);
    /// let access = robots.access(&crawler, Usage::CRAWL).expect("a text is a site");
    /// let urls = ["/a", "/b.pdf", "/c"];
    /// assert_eq!(urls.iter().filter(|url| access.decide(url).is_allowed()).count(), 2);
    /// ```
    pub fn access<'a>(&'a self, crawler: &'a Crawler, usage: Usage<'a>) -> Option<Access<'a>> {
        Some(self.site()?.access(crawler, usage))
    }

    /// The time between two fetches from Crawl-delay in the crawler's groups; of several records
    /// the longest.
    pub fn crawl_delay(&self, crawler: &str) -> Option<Duration> {
        self.schedule(crawler).delays.into_iter().max().map(Duration::from_millis)
    }

    /// When and how often the crawler may visit: Crawl-delay, Request-rate, Visit-time.
    pub fn schedule(&self, crawler: &str) -> Schedule {
        self.site().map(|site| site.schedule(&self.crawler([crawler]))).unwrap_or_default()
    }

    /// The URLs of sitemaps, in file order.
    pub fn sitemaps(&self) -> Vec<String> {
        self.site().map(|site| site.sitemaps()).unwrap_or_default()
    }

    /// The outcome of the text: rules, none, an HTML page instead, or a text over a limit.
    ///
    /// ```
    /// use robomaton::{Outcome, Robots};
    ///
    /// assert_eq!(Robots::parse("").outcome(), Outcome::Empty);
    /// assert_eq!(Robots::parse("<!DOCTYPE html><title>404</title>").outcome(), Outcome::NotRobots);
    /// ```
    pub fn outcome(&self) -> Outcome {
        self.site().and_then(|site| site.outcome()).unwrap_or_default()
    }

    /// The text as a site, with its records.
    pub fn site(&self) -> Option<Site<'_>> {
        self.image.first_site()
    }

    /// The image of that one site. Like an image of many sites, it is queried under the host of its
    /// URLs.
    pub fn image(&self) -> &Image<Vec<u8>> {
        &self.image
    }
}
