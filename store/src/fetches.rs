//! Fetches of the sites of a store: their states, those that have begun, and those that are due.
//!
//! [`Snapshot`]s say what was put, and the store adds the fetches in flight. It does not fetch.

use crate::due::Due;
use crate::snapshot::Snapshot;
use crate::state::{InFlight, SiteState, key};
use crate::visit::hash;
use crate::{Store, StoreError};
use robomaton_formats::SiteKey;
use std::sync::{Arc, MutexGuard, PoisonError};

impl Store {
    /// The state of the site of a URL at a time.
    ///
    /// # Errors
    /// If the URL names no site.
    pub fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        let key = key(url)?;
        let site = hash(&key);
        let is_in_flight = self.is_in_flight(site, now);
        let state = self.current.load().state_of(&key, now, is_in_flight);
        Ok(self.in_flight().state(site, state))
    }

    /// Marks the fetch of a site as begun. False if one is in flight. It ends with a put of the
    /// site, or after [`crate::limits::IN_FLIGHT_SECONDS`].
    ///
    /// # Errors
    /// If the URL names no site.
    pub fn begin(&self, url: &str, now: u64) -> Result<bool, StoreError> {
        Ok(self.begin_key(&key(url)?, now))
    }

    pub(crate) fn begin_key(&self, key: &SiteKey, now: u64) -> bool {
        self.in_flight().begin(hash(key), now)
    }

    /// True if the fetch of a site is in flight.
    pub(crate) fn is_in_flight(&self, site: u64, now: u64) -> bool {
        self.in_flight().has(site, now)
    }

    /// Ends the fetch of a site, whose answer may be a 304 that was refused.
    pub(crate) fn end(&self, key: &SiteKey, is_refused: bool) {
        self.in_flight().end(hash(key), is_refused);
    }

    pub(crate) fn in_flight(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fetches that are due for the longest time, that first, and marks them as begun; of equal
    /// times, any of them. Reads the times of all sites, so ask for many at a time. A site of which
    /// nothing was put is not among them.
    pub fn due(&self, now: u64, most: usize) -> Vec<Due> {
        let (current, overdue) = self.overdue(now, most);
        overdue
            .into_iter()
            .filter(|key| self.begin_key(key, now))
            .map(|key| self.fetch(&current, key, now))
            .collect()
    }

    /// The same fetches, but marks none as begun.
    pub fn list_due(&self, now: u64, most: usize) -> Vec<Due> {
        let (current, overdue) = self.overdue(now, most);
        overdue.into_iter().map(|key| self.fetch(&current, key, now)).collect()
    }

    /// The fetch of a site.
    fn fetch(&self, current: &Snapshot, key: SiteKey, now: u64) -> Due {
        let site = hash(&key);
        let Due { url, state } = current.fetch(key, now);
        Due { url, state: self.in_flight().state(site, state) }
    }

    /// The sites that are due and not in flight, and the moment that says so.
    fn overdue(&self, now: u64, most: usize) -> (Arc<Snapshot>, Vec<SiteKey>) {
        let mut agendas = self.agendas.lock().unwrap_or_else(PoisonError::into_inner);
        let in_flight = self.in_flight().clone();
        let current = self.snapshot();
        agendas.keep(&current.stack);
        let overdue = current.overdue(now, most, &mut agendas, |hash| in_flight.has(hash, now));
        (current, overdue)
    }
}
