//! The sites of a batch: the outcome of the robots.txt of each, and its pages.
//!
//! `join` makes them of what was gathered, `own` compiles documents for some, and `join` emits an
//! entry for each. Pages of a site without a capture of its robots.txt make a site of
//! [`Outcome::NotCaptured`]. It does not know documents, only their numbers.

use super::gather::{Body, Gathered};
use super::store::Known;
use crate::Looks;
use crate::resolve::Resolved;
use robomaton_compiler::{Entry, Page};
use robomaton_formats::{Outcome, Scheme, SiteKey};
use std::collections::BTreeMap;

/// A site, the outcome of its robots.txt, and its pages; or a data.txt.
pub(super) struct Site {
    pub(super) key: SiteKey,
    pub(super) resolved: Resolved<Body>,
    pub(super) pages: Vec<Page>,
    /// The site has pages, or may have a document of its own about uses.
    pub(super) states: bool,
    /// The number of its document: its own, or the one of its text.
    pub(super) document: Option<usize>,
}

impl Site {
    /// `pages` is present for a site with pages, or that may have a document of its own about uses.
    pub(super) fn new(pages: Option<Vec<Page>>, key: SiteKey, resolved: Resolved<Body>) -> Site {
        let document = resolved.fate.as_ref().ok().and_then(|body| body.document);
        let states = pages.is_some();
        Site { key, resolved, pages: pages.unwrap_or_default(), states, document }
    }

    /// The outcome, given the facts about its document.
    pub(super) fn outcome(&self, known: Option<&Known>) -> Outcome {
        match (&self.resolved.fate, known.map(|known| known.outcome)) {
            (_, Some(Outcome::OverLimit)) => Outcome::OverLimit,
            (Err(outcome), _) => *outcome,
            (Ok(body), Some(Outcome::Empty)) if body.looks != Looks::Text => Outcome::NotRobots,
            (Ok(body), said) => said.filter(|_| body.document.is_some()).unwrap_or(Outcome::NotRobots),
        }
    }

    /// The entry; `default_fresh_for` counts for rules whose header says nothing.
    pub(super) fn entry(self, known: Option<&Known>, default_fresh_for: u32) -> Entry<usize> {
        // A redirect may be newer than the rules behind it.
        let lag = u32::try_from(self.resolved.lag).unwrap_or(u32::MAX);
        let stated = self.resolved.fresh_for;
        let fresh_for =
            if lag == 0 { stated } else { Some(stated.unwrap_or(default_fresh_for).saturating_sub(lag)) };
        Entry {
            outcome: self.outcome(known),
            site: self.key,
            status: self.resolved.status,
            fetched_at: u64::try_from(self.resolved.fetched_at).unwrap_or(0),
            fresh_for,
            document: self.document,
        }
    }
}

/// The chosen pages, by site. A page whose newest content is not known says what its newest capture
/// does, and is not read whole: it prohibits what it did, and allows no use.
pub(super) fn pages_by_site(gathered: &mut Gathered) -> BTreeMap<SiteKey, Vec<Page>> {
    let mut by_site: BTreeMap<SiteKey, Vec<Page>> = BTreeMap::new();
    for site in std::mem::take(&mut gathered.stating) {
        by_site.entry(site).or_default();
    }
    for (number, is_known) in gathered.chosen.others().filter_map(|(body, known)| Some((body.page?, known))) {
        let (site, page) = &mut gathered.pages[number];
        page.is_cut |= !is_known;
        by_site.entry(site.clone()).or_default().push(std::mem::take(page));
    }
    by_site
}

/// Assigns pages to sites, in the order of the keys. Pages have one scheme; a site that was
/// captured without a scheme gets them, too.
pub(super) fn with_pages(
    resolved: Vec<(SiteKey, Resolved<Body>)>,
    mut pages: BTreeMap<SiteKey, Vec<Page>>,
) -> Vec<Site> {
    let mut sites: Vec<Site> =
        resolved.into_iter().map(|(key, resolved)| Site::new(pages.remove(&key), key, resolved)).collect();
    let known = sites.len();
    for (key, pages) in pages {
        let any = SiteKey::stored(key.authority(), Scheme::Any);
        let of_any_scheme = sites[..known].binary_search_by(|site| site.key.cmp(&any));
        let of_any_scheme = of_any_scheme.ok().map(|at| sites[at].resolved.clone());
        let not_captured = Resolved {
            fetched_at: 0,
            lag: 0,
            fresh_for: None,
            status: 0,
            via: None,
            fate: Err(Outcome::NotCaptured),
        };
        sites.push(Site::new(Some(pages), key, of_any_scheme.unwrap_or(not_captured)));
    }
    sites.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    sites
}
