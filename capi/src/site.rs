//! The facts about one site, as numbers and texts that a handle owns.

use crate::abi::{RobomatonOutcome, RobomatonSiteFacts, RobomatonString};
use robomaton_runtime::{Crawler, Site as RuntimeSite};

/// The facts about one site.
pub(crate) struct Site {
    pub(crate) facts: RobomatonSiteFacts,
    sitemaps: Vec<String>,
}

impl Site {
    /// Reads the facts; the crawl delay is that of a crawler.
    pub(crate) fn new(site: &RuntimeSite<'_>, crawler: &Crawler) -> Site {
        let (outcome, sitemaps) = (site.outcome(), site.sitemaps());
        let facts = RobomatonSiteFacts {
            fetched_at: site.fetched_at().unwrap_or_default(),
            fresh_for: site.fresh_for(),
            status: site.status(),
            outcome: outcome.map_or(RobomatonOutcome::Rules, RobomatonOutcome::from),
            damaged: outcome.is_none().into(),
            crawl_delay: site.crawl_delay(crawler).unwrap_or(-1.0),
            sitemaps: sitemaps.len(),
        };
        Site { facts, sitemaps }
    }

    /// The URL of a sitemap, in file order.
    pub(crate) fn sitemap(&self, index: usize) -> Option<RobomatonString> {
        self.sitemaps.get(index).map(|sitemap| RobomatonString::of(sitemap))
    }
}
