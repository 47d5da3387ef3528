//! One site of an image: what became of its robots.txt, and answers for its paths.

use crate::access::{self, Access};
use crate::crawler::{Crawler, Usage};
use crate::target;
use crate::terms::Terms;
use crate::verdict::{Rule, Verdict};
use robomaton_formats::detail::{Detail, Extension};
use robomaton_formats::layout::{FetchRecord, NONE, SiteRecord};
use robomaton_formats::read::View;
use robomaton_formats::{Outcome, Profile, Scheme};
use std::borrow::Cow;

/// A site of an image. Cheap to copy; made by [`crate::Image::site`].
#[derive(Clone, Copy, Debug)]
pub struct Site<'i> {
    pub(crate) view: View<'i>,
    pub(crate) profile: Profile,
    pub(crate) terms: &'i Terms,
    pub(crate) record: &'i SiteRecord,
    pub(crate) number: u32,
}

impl<'i> Site<'i> {
    /// The authority, `host[:port]`.
    pub fn authority(&self) -> Cow<'i, str> {
        String::from_utf8_lossy(self.view.authority(self.record).unwrap_or_default())
    }

    /// The scheme it was captured under.
    pub fn scheme(&self) -> Scheme {
        Scheme::from_u8(self.record.state & 3).unwrap_or(Scheme::Any)
    }

    /// What became of fetching its robots.txt (R16). `None` when the image is damaged here.
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::from_u8(self.record.state >> 2)
    }

    /// The HTTP status of the capture, 0 when there was none.
    pub fn status(&self) -> u16 {
        self.record.status.get()
    }

    fn fetch(&self) -> Option<&'i FetchRecord> {
        self.view.fetches().get(self.number as usize)
    }

    /// When its robots.txt was fetched, in seconds since 1970.
    pub fn fetched_at(&self) -> Option<u64> {
        self.fetch().map(|fetch| fetch.fetched_at.get()).filter(|&at| at != 0)
    }

    /// For how many seconds after the fetch answers are fresh: as the capture said, else the profile's default (R17).
    pub fn fresh_for(&self) -> u32 {
        let stated = self.fetch().map(|fetch| fetch.fresh_for.get()).filter(|&seconds| seconds != NONE);
        stated.unwrap_or(self.profile.default_fresh_for())
    }

    /// Whether the capture is older than it may be, on the terms' time. `None` when either time is unknown.
    pub fn is_stale(&self) -> Option<bool> {
        Some(self.terms.age(self.fetched_at()?)? > u64::from(self.fresh_for()))
    }

    /// The number of its document: sites with equal numbers had equal texts.
    pub fn document(&self) -> Option<u32> {
        self.fetch().map(|fetch| fetch.document.get()).filter(|&document| document != NONE)
    }

    /// Rules and records of its document, decoded.
    pub fn detail(&self) -> Option<Detail<'i>> {
        self.view.detail(self.document()?)
    }

    /// The text of its document, if the image holds texts.
    pub fn source(&self, limit: usize) -> Option<Vec<u8>> {
        self.view.source(self.document()?, limit)
    }

    /// The URLs of its sitemaps, in file order.
    pub fn sitemaps(&self) -> Vec<String> {
        let records = self.detail().map(|detail| detail.extensions).unwrap_or_default();
        let values = records.into_iter().filter(|record| record.key == "sitemap").map(|record| record.value);
        values.filter(|value| !value.is_empty()).collect()
    }

    /// The extension records of the groups that answer for a crawler, in file order (R18).
    pub fn extensions(&self, crawler: &Crawler) -> Vec<Extension> {
        let Some(detail) = self.detail() else { return Vec::new() };
        let groups = detail.groups_of(self.profile.agent_rule(), &crawler.names);
        groups.into_iter().flat_map(|group| detail.groups[group].extensions.clone()).collect()
    }

    /// Seconds between requests that the crawler's groups ask for; of several records the longest.
    pub fn crawl_delay(&self, crawler: &Crawler) -> Option<f64> {
        let records = self.extensions(crawler);
        let delays = records.iter().filter(|record| record.key == "crawl-delay").filter_map(|record| {
            let number: f64 = record.value.split_ascii_whitespace().next()?.parse().ok()?;
            (number.is_finite() && number >= 0.0).then_some(number)
        });
        delays.max_by(f64::total_cmp)
    }

    /// What rules are matched against of a URL of this site, or of a path with query, as it stands there (R9).
    pub fn target<'u>(&self, url: &'u str) -> Cow<'u, [u8]> {
        target::target(self.profile, url).octets
    }

    /// Resolves what answers for a crawler and a usage on this site, to be asked for many paths.
    #[inline]
    pub fn access<'a>(&self, crawler: &'a Crawler, usage: Usage) -> Access<'a>
    where
        'i: 'a,
    {
        Access::new(*self, crawler, usage)
    }

    /// Answers for a URL of this site, or a path with query. The host of a URL is not looked at again.
    #[inline]
    pub fn decide<'a>(&self, crawler: &'a Crawler, usage: Usage, url: &'a str) -> Verdict<'a>
    where
        'i: 'a,
    {
        let (decision, basis) = access::once(self, crawler, usage, url);
        Verdict { decision, basis, site: Some(*self), crawler, usage, url }
    }

    /// The rule that decides, by the naive matcher over the details.
    pub(crate) fn rule(&self, crawler: &Crawler, usage: Usage, url: &str) -> Option<Rule> {
        let target = self.target(url);
        let detail = self.detail()?;
        let groups = detail.groups_of(self.profile.agent_rule(), &crawler.names);
        let rules =
            groups.into_iter().flat_map(|group| detail.groups[group].rules.iter().map(move |r| (group, r)));
        let matching = rules.filter(|(_, rule)| {
            let pattern = rule.pattern();
            rule.usage == usage.number && pattern.matches(&pattern.notation.target(&target))
        });
        // Of equal tags the first in the file is named.
        let (group, rule) =
            matching.reduce(|best, next| if next.1.tag > best.1.tag { next } else { best })?;
        Some(Rule {
            line: rule.line,
            group,
            tag: rule.tag,
            permits: rule.permits(),
            usage: rule.usage,
            pattern: rule.pattern.to_vec(),
        })
    }
}
