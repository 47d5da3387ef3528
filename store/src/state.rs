//! What is known of a site, and when to fetch it again.
//!
//! A state is computed from the capture that is held and the last visit; the time is an argument.
//! Fetches in flight are known in memory only, so they are forgotten at the end of the process, and
//! by themselves after [`limits::IN_FLIGHT_SECONDS`]. It does not fetch.

use crate::snapshot::{Query, Snapshot};
use crate::visit::{Visit, hash};
use crate::{StoreError, limits};
use robomaton_corpus::SkipReason;
use robomaton_formats::schedule::Schedule;
use robomaton_formats::{Decision, Outcome, SiteKey};
use robomaton_runtime::Site;
use std::collections::{HashMap, HashSet};

/// How well a site's rules are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Nothing was put: fetch robots.txt before anything else.
    Unknown,
    /// The answers count.
    Fresh,
    /// The answers count, and robots.txt is to be fetched again.
    Stale,
    /// Server or network errors, so everything is disallowed, and after 30 days as chosen (RFC 9309
    /// 2.3.1.4).
    Unreachable {
        /// The time of the first of the failures in a row.
        since: u64,
    },
}

impl Knowledge {
    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Knowledge::Unknown => "unknown",
            Knowledge::Fresh => "fresh",
            Knowledge::Stale => "stale",
            Knowledge::Unreachable { .. } => "unreachable",
        }
    }
}

/// The state of a site. Times are in Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteState {
    /// How well its rules are known.
    pub knowledge: Knowledge,
    /// The time of the capture, if it is known.
    pub fetched_at: Option<u64>,
    /// The time of the next fetch; 0 if there was none.
    pub fetch_at: u64,
    /// True if a fetch has begun and no capture came yet.
    pub in_flight: bool,
    /// The value for `If-None-Match`.
    pub etag: Option<String>,
    /// The value for `If-Modified-Since`.
    pub last_modified: Option<String>,
    /// The time before which the site asked not to be asked at all: Retry-After of an answer 429 or
    /// 503. It may have passed.
    pub not_before: Option<u64>,
    /// The answer about all pages of an unreachable site at this time: disallowed, and after 30
    /// days as chosen ([`on_long_unreachable`](robomaton_runtime::Terms::on_long_unreachable)).
    /// `None` for other sites.
    pub verdict: Option<Decision>,
}

/// How a site wants to be visited by a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Crawl-delay, Request-rate and Visit-time of the crawler's groups.
    pub schedule: Schedule,
    /// The values of the Clean-param records of the site: query parameters that do not change a
    /// page. At most [`limits::CLEAN_PARAMS`].
    pub clean_params: Vec<String>,
}

/// The sites whose fetch has begun, by their numbers in files of visits, and when.
#[derive(Clone, Default)]
pub(crate) struct InFlight {
    begun: HashMap<u64, u64>,
    /// The number of fetches from which on those that are lost are removed. It grows with them, so
    /// a fetch is looked at a few times.
    most: usize,
    /// The sites whose last answer was a 304 that was refused: their next fetch is unconditional.
    refused: HashSet<u64>,
}

impl InFlight {
    pub(crate) fn has(&self, site: u64, now: u64) -> bool {
        self.begun.get(&site).is_some_and(|&at| is_in_flight(at, now))
    }

    /// False if the fetch is in flight already.
    pub(crate) fn begin(&mut self, site: u64, now: u64) -> bool {
        if self.has(site, now) {
            return false;
        }
        if self.begun.len() >= self.most {
            self.begun.retain(|_, at| is_in_flight(*at, now));
            self.most = (2 * self.begun.len()).max(limits::IN_FLIGHT);
        }
        self.begun.insert(site, now);
        true
    }

    /// Ends the fetch of a site.
    pub(crate) fn end(&mut self, site: u64, is_refused: bool) {
        self.begun.remove(&site);
        if !is_refused {
            self.refused.remove(&site);
        } else if self.refused.len() < limits::REFUSED {
            self.refused.insert(site);
        }
    }

    /// The state of a site, without validators if its next fetch is to be unconditional.
    pub(crate) fn state(&self, site: u64, state: SiteState) -> SiteState {
        match self.refused.contains(&site) {
            true => SiteState { etag: None, last_modified: None, ..state },
            false => state,
        }
    }
}

/// True if a fetch that began at a time is neither lost nor of a clock that was ahead. Callers may
/// differ by as much as a fetch takes.
fn is_in_flight(at: u64, now: u64) -> bool {
    now.abs_diff(at) < limits::IN_FLIGHT_SECONDS
}

impl Snapshot {
    /// The state of the site of a URL at a time, as [`Store::state`](crate::Store::state) says it.
    /// Fetches in flight are known to the store alone, so none is.
    ///
    /// # Errors
    /// If the URL names no site.
    pub fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        Ok(self.state_of(&key(url)?, now, false))
    }

    /// How the site of a URL wants to be visited by the crawler of a query. Without records, and
    /// for a site of which nothing was put, empty. Decodes the site's details, so it allocates.
    pub fn manners(&self, query: &Query, url: &str) -> Manners {
        let Some((site, crawler)) = self.site_and_crawler(query, url) else { return Manners::default() };
        let records = site.detail().map(|detail| detail.extensions).unwrap_or_default();
        let records = records.iter().filter(|record| record.key == "clean-param").take(limits::CLEAN_PARAMS);
        let clean_params = records.map(|record| record.value.to_string()).collect();
        Manners { schedule: site.schedule(&crawler), clean_params }
    }

    pub(crate) fn state_of(&self, key: &SiteKey, now: u64, in_flight: bool) -> SiteState {
        let Some(site) = self.stored(key) else {
            let knowledge = Knowledge::Unknown;
            let (fetched_at, etag, last_modified, not_before, verdict) = (None, None, None, None, None);
            return SiteState {
                knowledge,
                fetched_at,
                fetch_at: 0,
                in_flight,
                etag,
                last_modified,
                not_before,
                verdict,
            };
        };
        let fetched_at = site.fetched_at();
        let visit = self.visit(key, &site).unwrap_or_default();
        let is_fresh = fetched_at.is_some_and(|at| now <= at.saturating_add(site.fresh_for().into()));
        let knowledge = if site.outcome() == Some(Outcome::Unreachable) {
            Knowledge::Unreachable { since: visit.unreachable_since().or(fetched_at).unwrap_or(0) }
        } else if is_fresh {
            Knowledge::Fresh
        } else {
            Knowledge::Stale
        };
        let verdict = match knowledge {
            Knowledge::Unreachable { since } => Some(self.stack.terms_at(now).decide_unreachable(since)),
            _ => None,
        };
        let fetch_at = self.fetch_at(key, &site);
        let Visit { etag, last_modified, not_before, .. } = visit;
        SiteState { knowledge, fetched_at, fetch_at, in_flight, etag, last_modified, not_before, verdict }
    }

    /// The time of the next fetch of a site that is held.
    pub(crate) fn fetch_at(&self, key: &SiteKey, site: &Site<'_>) -> u64 {
        let Some(fetched_at) = site.fetched_at() else { return 0 };
        let is_unreachable = site.outcome() == Some(Outcome::Unreachable);
        // Of other sites, the visit says nothing about the time, and it is read from a file.
        if is_unreachable || site.status() == 429 {
            let visit = self.visit(key, site).unwrap_or_default();
            match (is_unreachable, visit.not_before) {
                (true, asked) => return visit.retry_at(hash(key)).max(asked.unwrap_or(0)),
                (false, Some(asked)) => return asked.max(fetched_at.saturating_add(limits::LEAST_SECONDS)),
                (false, None) => {}
            }
        }
        stale_at(fetched_at, site.fresh_for())
    }
}

/// The time from which on a capture is to be fetched again.
pub(crate) fn stale_at(fetched_at: u64, fresh_for: u32) -> u64 {
    fetched_at.saturating_add(u64::from(fresh_for).max(limits::LEAST_SECONDS))
}

pub(crate) fn key(url: &str) -> Result<SiteKey, StoreError> {
    let key = SiteKey::from_url(url);
    Ok(key.map_err(|error| SkipReason::Url { url: url.to_owned(), error })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_fetches_are_forgotten() {
        let mut in_flight = InFlight::default();
        let wait = limits::IN_FLIGHT_SECONDS;
        for fetch in 0..100_000 {
            assert!(in_flight.begin(fetch, 1_000 + fetch));
            assert!(!in_flight.begin(fetch, 1_000 + fetch + wait - 1));
        }
        let most = limits::IN_FLIGHT.max(4 * wait as usize);
        assert!(in_flight.begun.len() <= most, "{} fetches", in_flight.begun.len());
        // A clock that was ahead.
        assert!(in_flight.begin(7, u64::MAX) && in_flight.begin(7, 1_000));
    }
}
