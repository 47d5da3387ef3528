//! Which fetches are due.
//!
//! A layer holds millions of captures, of which few are due, and many hidden by newer layers. So a
//! question reads the fetch records of each file only, in the order in which they lie, and keeps
//! the first by the [`earliest`] time of their next fetch; of these, sites and visits are looked
//! up. What is hidden stays hidden, so a store looks at each capture once, and keeps an [`Agenda`]
//! for each file. Invariant: the queue is that of all sites sorted by the times of their
//! [`SiteState`]s, which a test holds. It does not fetch.

use crate::limits;
use crate::snapshot::{Snapshot, Stack};
use crate::state::{SiteState, stale_at};
use crate::visit::hash;
use robomaton_formats::layout::{FetchRecord, NONE};
use robomaton_formats::read::{Site, View};
use robomaton_formats::{Scheme, SiteKey};
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// A fetch that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The URL of the robots.txt.
    pub url: String,
    /// The state of its site before this fetch.
    pub state: SiteState,
}

/// A capture in a file: a time of its next fetch, and the number of its site.
type Place = (u64, u32);

/// The captures of a file that need not be looked for again: those up to a place, by their earliest
/// times. Some 32 bytes for each that waits: those that are due, and the sites that failed.
#[derive(Default)]
struct Agenda {
    passed: Option<Place>,
    /// Those of them that are not hidden, by their times.
    waiting: BTreeSet<Place>,
}

/// The agendas of all files, by the name of a layer and the number of the file there.
#[derive(Default)]
pub(crate) struct Agendas(HashMap<(String, usize), Agenda>);

impl Agendas {
    /// Forgets layers that are no more.
    pub(crate) fn keep(&mut self, stack: &Stack) {
        self.0.retain(|(layer, _), _| stack.names.contains(layer));
    }
}

impl Snapshot {
    /// The fetches that are due for the longest time, that first, in flight or not. Reads the times
    /// of all sites.
    pub fn due(&self, now: u64, most: usize) -> Vec<Due> {
        let overdue = self.overdue(now, most, &mut Agendas::default(), |_| false);
        overdue.into_iter().map(|key| self.fetch(key, now)).collect()
    }

    /// The sites that are due for the longest time, that first.
    pub(crate) fn overdue(
        &self,
        now: u64,
        most: usize,
        agendas: &mut Agendas,
        is_in_flight: impl Fn(u64) -> bool,
    ) -> Vec<SiteKey> {
        let mut queue = Queue { snapshot: self, now, most, is_in_flight, due: BTreeSet::new() };
        for single in [&self.table, &self.frozen].into_iter().flat_map(|table| table.captures()) {
            if let Some(site) = single.image.first_site() {
                queue.take(&site.stored());
            }
        }
        let layers = &self.stack.layers;
        for (name, layer) in self.stack.names.iter().zip(layers.layers()) {
            for (number, file) in layer.shards().enumerate() {
                let agenda = agendas.0.entry((name.clone(), number)).or_default();
                queue.take_file(file.view(), agenda);
            }
        }
        queue.due.into_iter().filter_map(|(_, name)| SiteKey::from_host(&name).ok()).collect()
    }

    /// The fetch of a site.
    pub(crate) fn fetch(&self, key: SiteKey, now: u64) -> Due {
        let scheme = if key.scheme() == Scheme::Any { "https://" } else { "" };
        Due { url: format!("{scheme}{key}/robots.txt"), state: self.state_of(&key, now, false) }
    }
}

/// The sites that are due, of those that were seen.
struct Queue<'s, F> {
    snapshot: &'s Snapshot,
    now: u64,
    most: usize,
    is_in_flight: F,
    /// The times of their fetches, and their names.
    due: BTreeSet<(u64, String)>,
}

impl<F: Fn(u64) -> bool> Queue<'_, F> {
    /// Takes the captures of a file that are due.
    fn take_file(&mut self, view: View<'_>, agenda: &mut Agenda) {
        let waiting: Vec<Place> = agenda.waiting.iter().copied().take_while(|at| at.0 <= self.now).collect();
        for place in waiting {
            if self.is_full_before(place.0) {
                break;
            }
            let fetch_at = view.numbered(place.1).and_then(|site| self.take(&site));
            if fetch_at != Some(place.0) {
                agenda.waiting.remove(&place);
                agenda.waiting.extend(fetch_at.map(|at| (at, place.1)));
            }
        }
        let mut count = self.most.max(limits::DUE_AT_ONCE);
        loop {
            let next = first_behind(view, agenda.passed, self.now, count);
            for &place in &next {
                if self.is_full_before(place.0) {
                    return;
                }
                let fetch_at = view.numbered(place.1).and_then(|site| self.take(&site));
                agenda.waiting.extend(fetch_at.map(|at| (at, place.1)));
                agenda.passed = Some(place);
            }
            if next.len() < count {
                return;
            }
            // Most were hidden, so the next time, more are.
            count = count.saturating_mul(2);
        }
    }

    /// True if no site that is due at this time or later counts any more. Of equal times, any may.
    fn is_full_before(&self, at: u64) -> bool {
        self.due.len() >= self.most && self.due.last().is_none_or(|last| last.0 <= at)
    }

    /// Takes the site of a capture if it is due. Returns the time of its next fetch, or `None` if
    /// the capture is hidden for ever.
    fn take(&mut self, site: &Site<'_>) -> Option<u64> {
        let (name, scheme) = site.decoded_name().zip(site.scheme())?;
        if name.as_str().contains('/') {
            return None; // another document
        }
        let key = SiteKey::stored(name.as_str(), scheme);
        let snapshot = self.snapshot;
        let at = |site: &Site<'_>| Some(site.view().fetches().get(site.number() as usize)?.fetched_at.get());
        let held = snapshot.stored(&key).filter(|held| at(&held.stored()) == at(site))?;
        // A base may hold a host without a scheme; it is fetched with one, and then hidden.
        let is_stored = |&scheme: &Scheme| snapshot.stored(&SiteKey::stored(key.name(), scheme)).is_some();
        if scheme == Scheme::Any && [Scheme::Http, Scheme::Https].iter().any(is_stored) {
            return None;
        }
        let fetch_at = snapshot.fetch_at(&key, &held);
        if fetch_at <= self.now && !(self.is_in_flight)(hash(&key)) {
            self.due.insert((fetch_at, key.to_string()));
            if self.due.len() > self.most {
                self.due.pop_last();
            }
        }
        Some(fetch_at)
    }
}

/// The first captures behind a place, at most so many, that may be due.
fn first_behind(view: View<'_>, last: Option<Place>, now: u64, count: usize) -> Vec<Place> {
    let default = view.layout().profile.default_fresh_for();
    let mut first = BinaryHeap::new();
    for (number, record) in (0_u32..).zip(view.fetches()) {
        let place = (earliest(record, default), number);
        if place.0 > now || Some(place) <= last {
            continue;
        }
        if first.len() < count {
            first.push(place);
        } else if let Some(mut latest) = first.peek_mut().filter(|latest| place < **latest) {
            *latest = place;
        }
    }
    first.into_sorted_vec()
}

/// The earliest time of the next fetch that a record admits. Only of failures and of overloaded
/// sites is it another one: that depends on the visit.
fn earliest(record: &FetchRecord, default_fresh_for: u32) -> u64 {
    let fetched_at = record.fetched_at.get();
    match record.status.get() {
        _ if fetched_at == 0 => 0,
        ..200 | 429 | 500.. => fetched_at,
        _ => {
            let fresh_for = record.fresh_for.get();
            stale_at(fetched_at, if fresh_for == NONE { default_fresh_for } else { fresh_for })
        }
    }
}
