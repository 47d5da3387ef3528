//! One site of an image, or another document of a site: the outcome of its fetch, and its records.
//!
//! Made by `image`; `access` answers for its paths. It does not know how rules are weighed.

use crate::crawler::{Crawler, Usage};
use crate::stack::Shared;
use crate::target::target_of;
use crate::terms::may_refuse;
use robomaton_formats::detail::{Detail, Extension};
use robomaton_formats::layout::{FetchRecord, NONE};
use robomaton_formats::policy::PolicyView;
use robomaton_formats::read::{self, View};
use robomaton_formats::schedule::Schedule;
use robomaton_formats::site::split_name;
use robomaton_formats::{Decision, DocumentId, NoRules, Outcome, Profile, Scheme, SiteEntry};
use std::borrow::Cow;

/// A site of an image. Cheap to copy; made by [`crate::Image::site`] and
/// [`crate::Image::document`].
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: *\nCrawl-delay: 2\nDisallow: /private/\nSitemap: https://example.com/map.xml\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Image, Outcome, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let crawler = image.crawler(["mybot"]);
/// let site = image.site("https://example.com/any/path").expect("the image holds the site");
/// assert_eq!(site.outcome(), Some(Outcome::Rules));
/// assert_eq!(site.crawl_delay(&crawler), Some(2.0));
/// assert_eq!(site.sitemaps(), ["https://example.com/map.xml"]);
/// assert!(!site.decide(&crawler, Usage::CRAWL, "/private/x").is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Site<'i> {
    pub(crate) profile: Profile,
    pub(crate) shared: &'i Shared,
    pub(crate) site: read::Site<'i>,
    pub(crate) origin: Origin,
}

/// The kind of a site and its layer, in one byte: nearly all questions are about a robots.txt of
/// the newest layer, and one comparison tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(u8);

impl Origin {
    const DOCUMENT: u8 = 0x80;

    /// The robots.txt of a layer; 0 is the newest.
    #[inline(always)]
    pub(crate) fn robots(layer: u8) -> Origin {
        Origin(layer)
    }

    /// Another document of a layer.
    pub(crate) fn document(layer: u8) -> Origin {
        Origin(layer | Origin::DOCUMENT)
    }

    /// The layer; 0 is the newest, and an image alone.
    #[inline(always)]
    pub(crate) fn layer(self) -> u8 {
        self.0 & !Origin::DOCUMENT
    }

    /// True if it is a document other than robots.txt.
    #[inline(always)]
    pub(crate) fn is_document(self) -> bool {
        self.0 & Origin::DOCUMENT != 0
    }

    /// True if it is a robots.txt of the newest layer.
    #[inline(always)]
    pub(crate) fn is_first(self) -> bool {
        self.0 == 0
    }
}

impl<'i> Site<'i> {
    /// The crawler and the usage as the layer of this site has them.
    #[inline(always)]
    pub(crate) fn of_layer<'c, 'p>(
        &self,
        crawler: &'c Crawler,
        usage: Usage<'p>,
    ) -> (&'c Crawler, Usage<'p>) {
        match self.origin.layer() {
            0 => (crawler, usage),
            layer => (crawler.of_layer(layer), self.shared.usage_of_layer(usage, layer)),
        }
    }

    /// The image, or the shard of the site.
    #[inline(always)]
    pub(crate) fn view(&self) -> View<'i> {
        self.site.view()
    }

    /// The site as its image stores it, for tools that compare captures.
    pub fn stored(&self) -> read::Site<'i> {
        self.site
    }

    fn name(&self) -> String {
        self.site.decoded_name().map(|name| name.as_str().to_owned()).unwrap_or_default()
    }

    /// The authority, `host[:port]`.
    pub fn authority(&self) -> String {
        split_name(&self.name()).0.to_owned()
    }

    /// Its URL, or the authority alone if it was captured without a scheme. For a document other
    /// than robots.txt, the URL of the document.
    pub fn address(&self) -> String {
        match self.scheme() {
            Scheme::Any => self.name(),
            Scheme::Http => format!("http://{}", self.name()),
            Scheme::Https => format!("https://{}", self.name()),
        }
    }

    /// The name of the document, such as `data.txt`; `None` for robots.txt.
    pub fn document_name(&self) -> Option<String> {
        self.origin.is_document().then(|| split_name(&self.name()).1.unwrap_or_default().to_owned())
    }

    /// The profile that it is read under: the image's, or the document's own.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The scheme of the capture.
    pub fn scheme(&self) -> Scheme {
        self.site.scheme().unwrap_or(Scheme::Any)
    }

    /// The site entry; `None` if the image is damaged here.
    #[inline]
    pub(crate) fn entry(&self) -> Option<SiteEntry> {
        self.site.entry()
    }

    /// The outcome of fetching its robots.txt, or this document (R16). `None` if the image is
    /// damaged here.
    pub fn outcome(&self) -> Option<Outcome> {
        Some(self.no_rules()?.map_or(Outcome::Rules, |no_rules| no_rules.outcome))
    }

    /// The outcome that stands in place of rules, if any. The outer `None` means that the image is
    /// damaged here.
    fn no_rules(&self) -> Option<Option<NoRules>> {
        Some(match self.entry()? {
            SiteEntry::Program(_) => None,
            SiteEntry::Policy(at) => PolicyView::read(self.view().policy(at)?)?.no_rules(),
            SiteEntry::NoRules(no_rules) => Some(no_rules),
        })
    }

    /// True if the site may have a robots.txt that was not read, or if its outcome disallows
    /// everything on these terms. Such a robots.txt may refuse what pages and statements permit.
    pub fn robots_may_refuse(&self) -> bool {
        let Some(no_rules) = self.no_rules() else { return true };
        no_rules.is_some_and(|no_rules| may_refuse(no_rules.outcome, self.decide_outcome(no_rules)))
    }

    /// The HTTP status of the capture, 0 if there was none.
    pub fn status(&self) -> u16 {
        self.fetch().map_or(0, |fetch| fetch.status.get())
    }

    fn fetch(&self) -> Option<&'i FetchRecord> {
        self.view().fetches().get(self.site.number() as usize)
    }

    /// The time of the fetch, in seconds since 1970.
    pub fn fetched_at(&self) -> Option<u64> {
        self.fetch().map(|fetch| fetch.fetched_at.get()).filter(|&at| at != 0)
    }

    /// Seconds after the fetch for which answers are fresh: as stated by the capture, else the
    /// profile's default (R17).
    pub fn fresh_for(&self) -> u32 {
        let stated = self.fetch().map(|fetch| fetch.fresh_for.get()).filter(|&seconds| seconds != NONE);
        stated.unwrap_or(self.profile.default_fresh_for())
    }

    /// True if the capture is no longer fresh at the terms' time. `None` if either time is unknown.
    pub fn is_stale(&self) -> Option<bool> {
        Some(self.shared.terms.age(self.fetched_at()?)? > u64::from(self.fresh_for()))
    }

    /// The document's id, by which [`crate::Image::detail`] finds it.
    pub fn document(&self) -> Option<DocumentId> {
        Some(self.view().document_of(self.fetch()?)?.in_layer(self.origin.layer()))
    }

    /// The decoded rules and records of its document.
    pub fn detail(&self) -> Option<Detail<'i>> {
        self.view().detail(self.document()?)
    }

    /// The size of its document's details in bytes.
    pub fn detail_length(&self) -> u32 {
        let record = self.document().and_then(|document| self.view().document(document));
        record.map_or(0, |record| record.detail_length.get())
    }

    /// The size of its text in bytes, as stated by the image, if the image contains texts.
    pub fn text_length(&self) -> Option<u64> {
        self.view().text_length(self.document()?)
    }

    /// The text of its document, if the image contains texts.
    pub fn source(&self, limit: usize) -> Option<Vec<u8>> {
        self.view().source(self.document()?, limit)
    }

    /// The URLs of its sitemaps, in file order.
    pub fn sitemaps(&self) -> Vec<String> {
        let records = self.detail().map(|detail| detail.extensions).unwrap_or_default();
        let values = records
            .into_iter()
            .filter(|record| record.key == "sitemap")
            .map(|record| record.value.into_owned());
        values.filter(|value| !value.is_empty()).collect()
    }

    /// The extension records of the groups that apply to a crawler, in file order (R18).
    pub fn extensions(&self, crawler: &Crawler) -> Vec<Extension<'i>> {
        let Some(detail) = self.detail() else { return Vec::new() };
        let rule = self.profile.agent_rule();
        crawler.groups(&detail, rule).into_iter().flat_map(|(_, group)| group.extensions.clone()).collect()
    }

    /// When and how often the crawler may visit: all schedule records of its groups together (N15
    /// to N18, R18).
    pub fn schedule(&self, crawler: &Crawler) -> Schedule {
        let mut schedule = Schedule::default();
        if let Some(detail) = self.detail() {
            let rule = self.profile.agent_rule();
            for (_, group) in crawler.groups(&detail, rule) {
                group.schedule.iter().for_each(|of| schedule.merge(Schedule::clone(of)));
            }
        }
        schedule
    }

    /// Seconds between requests from Crawl-delay in the crawler's groups; of several records the
    /// longest.
    pub fn crawl_delay(&self, crawler: &Crawler) -> Option<f64> {
        self.schedule(crawler).crawl_delay()
    }

    /// The decision of the outcome about crawling where there are no rules.
    pub(crate) fn decide_outcome(&self, no_rules: NoRules) -> Decision {
        let answered = matches!(no_rules.outcome, Outcome::Empty | Outcome::NotRobots | Outcome::OverLimit);
        // K4: the contents of another document that is not found may be found by other means, and
        // no other status is defined.
        if self.origin.is_document() && !answered {
            return Decision::Unknown;
        }
        self.shared.terms.decide(no_rules, || self.fetched_at().unwrap_or(0))
    }

    /// The bytes of a URL of this site, or of a path with query, that rules are matched against, as
    /// written (R9).
    pub fn target<'u>(&self, url: &'u str) -> Cow<'u, [u8]> {
        target_of(self.profile, url)
    }
}
