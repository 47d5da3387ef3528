//! The requests of ACAP records for one URL: to erase every copy of it, or to fetch it again (P47,
//! V40).
//!
//! No verdict depends on them, so they are in the cold records, and found on demand. A request
//! names one resource; a star in it is a star.

use crate::crawler::Crawler;
use crate::site::Site;
use robomaton_formats::detail::{Detail, Extension, Group};
use robomaton_formats::policy::Role;
use robomaton_formats::{Profile, SiteKey};

/// The prefix of the keys of requests.
const KEY: &str = "request-";

/// A request of an ACAP record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `take-down` or `re-crawl`.
    pub action: String,
    /// The resource as written.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The file that contains it, if the robots.txt refers to one.
    pub file: Option<String>,
}

impl<'i> Site<'i> {
    /// The requests of ACAP records to the crawler (`request-take-down`, `request-re-crawl`; P47,
    /// V40), in file order.
    pub fn requests(&self, crawler: &Crawler) -> Vec<Extension<'i>> {
        let Some(detail) = self.detail() else { return Vec::new() };
        of_crawler(&detail, self.profile, crawler).map(|(_, record)| record.clone()).collect()
    }
}

/// The requests of some details to the crawler, each with its group.
fn of_crawler<'r, 'd>(
    detail: &'r Detail<'d>,
    profile: Profile,
    crawler: &Crawler,
) -> impl Iterator<Item = (&'r Group<'d>, &'r Extension<'d>)> {
    let rule = profile.agent_rule();
    let name = detail.name_of(rule, crawler.lookup_for(rule));
    let asked = move |group: &&Group<'_>| {
        let named = name.is_some_and(|name| group.crawlers.contains(name));
        group.role == Role::Field && (group.default && !crawler.is_named_only() || named)
    };
    let groups = detail.groups.iter().filter(asked);
    groups.flat_map(|group| group.extensions.iter().map(move |record| (group, record)))
}

/// False if a site has no requests. Nearly none has, and decoding takes far longer than a search.
pub(crate) fn may_have_any(site: &Site<'_>) -> bool {
    let bytes = site.document().and_then(|document| site.view().detail_bytes(document)).unwrap_or_default();
    memchr::memmem::find(bytes, KEY.as_bytes()).is_some()
}

/// The requests of a site to the crawler for this URL, in the order of the document.
pub(crate) fn of_url(site: &Site<'_>, detail: &Detail<'_>, crawler: &Crawler, url: &str) -> Vec<Request> {
    let mut records = detail.groups.iter().flat_map(|group| &group.extensions);
    if !records.any(|record| record.key.starts_with(KEY)) {
        return Vec::new();
    }
    let (target, authority) = (site.target(url), site.authority());
    let of = |(group, record): (&Group<'_>, &Extension<'_>)| {
        let action = record.key.strip_prefix(KEY)?.to_owned();
        let path = path_of(&record.value, &authority)?;
        let notation = group.notation;
        let file = detail.file(group.file).map(str::to_owned);
        (notation.target(path.as_bytes()) == notation.target(&target)).then(|| Request {
            action,
            path: record.value.to_string(),
            line: record.line,
            file,
        })
    };
    of_crawler(detail, site.profile, crawler).filter_map(of).collect()
}

/// The path of a resource that is a path or a URL of the site itself.
fn path_of(written: &str, authority: &str) -> Option<String> {
    let Some((_, after)) = written.split_once("://") else {
        let slash = if written.starts_with('/') { "" } else { "/" };
        return Some(format!("{slash}{written}"));
    };
    let is_own = SiteKey::from_url(written).is_ok_and(|site| site.authority() == authority);
    let path = after.find(['/', '?']).map_or("", |at| &after[at..]);
    let slash = if path.starts_with('/') { "" } else { "/" };
    is_own.then(|| format!("{slash}{path}"))
}
