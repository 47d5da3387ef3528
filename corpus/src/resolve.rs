//! Chooses the newest capture of each site, of its data.txt and of other URLs, and follows
//! redirects.
//!
//! It comes after the readers: the batch driver compiles bodies in any order, on any thread, and
//! passes the results to it. Invariant: the result depends only on the set of captures, never on
//! their order; every tie is broken by the contents of the captures ([`Capture::fingerprint`]). It
//! does not know what a payload is: captures arrive without their bodies.
//!
//! # Redirects (R16, RFC 9309 2.3.1.2)
//! The rules found after a redirect belong to the site that redirected. A `Location` is looked up
//! as a site if its path is `/robots.txt` (so it finds the newest capture of that site, and its own
//! redirects), and as an exact URL otherwise. Up to [`MAX_REDIRECTS`] hops are followed; a loop
//! never ends, so it is too many. A data.txt has its own language, so its redirects are followed to
//! other sites' data.txt only.
//!
//! # Revisits
//! A fetch that found the content of an older capture makes that capture as new as itself, if it is
//! newer than all other captures of the URL. So the newest capture with content is kept, even if
//! there is a newer one without: "unchanged since Monday" may follow an error on Tuesday. The
//! record identifies the capture by its time; if that capture was not kept, or has another ETag
//! than the record, nobody knows what the newest fetch found. Then the document is
//! [`Outcome::Unresolved`], or another URL has no content, and the revisit is reported. An older
//! capture must not answer instead: it may allow what the newest one prohibits. A record that
//! identifies nothing is about what the fetch before it found, be that known or not; behind a
//! redirect, nobody knows.

mod held;
mod place;
mod renewals;

use crate::capture::{NOT_MODIFIED, ROBOTS_TXT, is_root_file, target_of};
use crate::record::{NEVER, NEWEST};
use crate::status::{is_client_error, is_failure, is_redirection, is_success};
use crate::{Capture, Revisit, Skipped};
use foldhash::{HashMap, HashMapExt};
use held::Held;
use place::{hash_of, normal_hash, place_hash};
use renewals::{Renewal, Renewals};
use robomaton_formats::site::{Outcome, Scheme, SiteKey};
use robomaton_formats::url::parse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use held::Rank;
pub(crate) use place::Place;
pub(crate) use renewals::is_about;
pub use renewals::names_text;

/// The maximum number of redirects in a row.
pub const MAX_REDIRECTS: usize = 5;

/// The maximum number of captures of other URLs that are kept as possible targets of redirects. A
/// crawl of robots.txt files has few of them, a crawl of pages has nothing else.
pub const MAX_TARGETS: usize = 1 << 20;

/// A capture without its body. Created on any thread: hashing and parsing happen here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    place: Place,
    rank: Rank,
    fresh_for: Option<u32>,
    /// The target of a redirect, absolute and without fragment.
    next: Option<Box<str>>,
    /// False if not even the first line of the body is whole.
    has_line: bool,
}

impl Facts {
    /// The facts of a capture.
    pub fn of(capture: &Capture) -> Facts {
        Facts::placed(capture, capture.key())
    }

    /// The facts of a capture as one of an ordinary URL.
    pub fn of_url(capture: &Capture) -> Facts {
        Facts::placed(capture, None)
    }

    fn placed(capture: &Capture, key: Option<SiteKey>) -> Facts {
        let place = key.map_or_else(|| Place::Other(hash_of(capture)), Place::Site);
        let next = capture.redirect().map(|next| String::from(next).into_boxed_str());
        let has_line = capture.known_lines().is_ok();
        Facts { place, rank: Rank::of(capture), fresh_for: capture.fresh_for, next, has_line }
    }

    /// The status of the capture.
    pub fn status(&self) -> u16 {
        self.rank.status()
    }

    /// True if the body counts: a 2xx answer.
    pub fn has_content(&self) -> bool {
        is_success(self.status())
    }
}

/// The captures chosen so far: one per site and other URL, each with a payload in place of its
/// body.
pub struct Chosen<P> {
    sites: HashMap<SiteKey, Held<P>>,
    /// The revisits of each document.
    revisits: BTreeMap<SiteKey, Renewals<P>>,
    /// The revisits of each other URL; the limit keeps the same ones as of `targets`.
    target_revisits: BTreeMap<u128, Renewals<P>>,
    /// Ordered by hash, so that the limit keeps the same ones in whatever order they come.
    targets: BTreeMap<u128, Held<P>>,
    max_targets: usize,
    /// The lowest hash of a URL that one of the two limits has dropped; none from there on is kept.
    dropped: Option<u128>,
}

/// The result for a site: its content, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<P> {
    /// Unix seconds, 0 if unknown: of the capture of the site itself, even if it is a redirect.
    pub fetched_at: i64,
    /// Seconds by which the oldest capture on the way is older.
    pub lag: u64,
    /// Seconds for which the answer is fresh, from the header of the last capture.
    pub fresh_for: Option<u32>,
    /// The status of the last capture.
    pub status: u16,
    /// The last target of redirects, if any could be followed.
    pub via: Option<Box<str>>,
    /// The payload of a 2xx answer, or the outcome of any other answer.
    pub fate: Result<P, Outcome>,
}

/// The times of the captures on the way from a site to its rules: of the first, and the oldest. An
/// unknown time (0) counts for neither.
#[derive(Clone, Copy)]
pub(crate) struct WayTimes {
    first: i64,
    oldest: i64,
}

impl From<i64> for WayTimes {
    fn from(first: i64) -> WayTimes {
        WayTimes { first, oldest: first }
    }
}

impl WayTimes {
    /// The way on to a capture of this time.
    pub(crate) fn to(self, time: i64) -> WayTimes {
        let known = |one: i64, other: i64| if one == 0 { other } else { one };
        let oldest = known(self.oldest, time).min(known(time, self.oldest));
        WayTimes { first: known(self.first, time), oldest }
    }

    /// The time of the fetch: that of its first answer, so that an older text behind a newer
    /// redirect counts as new as the redirect.
    pub(crate) fn fetched_at(self) -> i64 {
        self.first
    }

    /// Seconds by which the oldest answer is older, so the rules are fresh that much less long.
    pub(crate) fn lag(self) -> u64 {
        self.first.abs_diff(self.oldest)
    }
}

impl<P: Clone> Default for Chosen<P> {
    fn default() -> Chosen<P> {
        Chosen::with_max_targets(MAX_TARGETS)
    }
}

impl<P: Clone> Chosen<P> {
    /// No captures yet.
    pub fn new() -> Chosen<P> {
        Chosen::default()
    }

    /// No captures yet, with a limit other than [`MAX_TARGETS`].
    pub fn with_max_targets(max_targets: usize) -> Chosen<P> {
        Chosen {
            sites: HashMap::new(),
            revisits: BTreeMap::new(),
            target_revisits: BTreeMap::new(),
            targets: BTreeMap::new(),
            max_targets,
            dropped: None,
        }
    }

    /// Offers a capture. `payload` is called only if it [has content](Facts::has_content) and is
    /// the best capture of its place with content so far.
    pub fn insert(&mut self, facts: Facts, payload: impl FnOnce() -> P) {
        let content = facts.has_content();
        let Facts { place, rank, fresh_for, next, has_line } = facts;
        let payload = || content.then(payload);
        let moved_at = rank.moved_at();
        let held = || {
            let payload = payload();
            Held { rank, fresh_for, next, has_line, payload, behind: None, moved_at }
        };
        match place {
            Place::Site(site) => match self.sites.entry(site) {
                Entry::Vacant(entry) => {
                    entry.insert(held());
                }
                Entry::Occupied(mut entry) => entry.get_mut().take(rank, content, held),
            },
            Place::Other(hash) if self.is_dropped(hash) => {}
            Place::Other(hash) => {
                match self.targets.get_mut(&hash) {
                    Some(old) => old.take(rank, content, held),
                    None => drop(self.targets.insert(hash, held())),
                }
                self.limit();
            }
        }
    }

    /// Offers a revisit. `payload` is what its header says of a URL without a key; it is called
    /// only for a revisit that may matter.
    pub fn revisit(&mut self, revisit: Revisit, payload: impl FnOnce(&Capture) -> Option<P>) {
        let Revisit { answer, key, of, otherwise, .. } = revisit;
        let renewal = Renewal::of(&answer, of, otherwise);
        match key {
            Some(key) => drop(self.revisits.entry(key).or_default().offer(renewal)),
            None => self.offer_url(&answer, renewal, payload),
        }
    }

    /// Offers a revisit of a document as one of an ordinary URL: its header may speak of uses,
    /// though the document is the same.
    pub fn revisit_url(&mut self, revisit: &Revisit, payload: impl FnOnce(&Capture) -> Option<P>) {
        let Revisit { answer, of, otherwise, .. } = revisit;
        let of = if answer.speaks_of_uses() { NEVER } else { of.clone() };
        let renewal = Renewal { is_again: true, ..Renewal::of(answer, of, otherwise.clone()) };
        self.offer_url(answer, renewal, payload);
    }

    fn offer_url(
        &mut self,
        answer: &Capture,
        renewal: Renewal<P>,
        payload: impl FnOnce(&Capture) -> Option<P>,
    ) {
        let speaks_of_uses = renewal.of.is_empty() && answer.speaks_of_uses();
        let renewal = Renewal { speaks_of_uses, ..renewal };
        let hash = hash_of(answer);
        if self.is_dropped(hash) {
            return;
        }
        if let Some(renewal) = self.target_revisits.entry(hash).or_default().offer(renewal) {
            renewal.payload = payload(answer);
        }
        self.limit();
    }

    fn is_dropped(&self, hash: u128) -> bool {
        self.dropped.is_some_and(|lowest| hash >= lowest)
    }

    /// Keeps to the limit of captures and to that of revisits. One URL has both or neither: without
    /// its revisits, an older capture would answer.
    fn limit(&mut self) {
        let Chosen { targets, target_revisits, max_targets, .. } = self;
        let over = [
            targets.last_key_value().filter(|_| targets.len() > *max_targets).map(|(hash, _)| *hash),
            target_revisits
                .last_key_value()
                .filter(|_| target_revisits.len() > *max_targets)
                .map(|(hash, _)| *hash),
        ];
        if let Some(lowest) = over.into_iter().flatten().min() {
            targets.split_off(&lowest);
            target_revisits.split_off(&lowest);
            self.dropped = Some(lowest);
        }
    }

    /// The revisits because of which nobody knows what a newest fetch found, in an order that
    /// depends only on the URLs, and the number of captures that were renewed.
    pub fn revisited(&self) -> (Vec<&Skipped>, u64) {
        let of_sites = self.revisits.iter().map(|(key, renewals)| (renewals, self.sites.get(key)));
        let of_targets =
            self.target_revisits.iter().map(|(hash, renewals)| (renewals, self.targets.get(hash)));
        let (mut lost, mut renewed) = (Vec::new(), 0);
        for (renewals, held) in of_sites.chain(of_targets) {
            match renewals.renews(held) {
                _ if renewals.newest().is_again => {}
                Ok(held) => renewed += u64::from(held.is_some()),
                Err(renewal) => lost.push(&renewal.otherwise),
            }
        }
        (lost, renewed)
    }

    /// The number of sites so far.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// True if there is no site yet.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// True if there were more possible targets than the limit: a redirect to a URL whose path is
    /// not `/robots.txt` may then be unresolved although its target was captured.
    pub fn overflowed(&self) -> bool {
        self.dropped.is_some()
    }

    /// All sites ordered by key, with redirects followed; also those of which no capture could be
    /// read. Payloads are cloned, since several sites may redirect to one; a number or an `Arc` is
    /// suitable.
    pub fn finish(&self) -> Vec<(SiteKey, Resolved<P>)> {
        let keys: BTreeSet<&SiteKey> = self.sites.keys().chain(self.revisits.keys()).collect();
        keys.into_iter().filter_map(|key| Some((key.clone(), self.resolved(key)?))).collect()
    }

    /// The result for a site; `None` if nothing was fetched.
    fn resolved(&self, key: &SiteKey) -> Option<Resolved<P>> {
        let newest = self.sites.get(key);
        let Some(renewals) = self.revisits.get(key) else {
            return Some(self.follow(key.document(), newest?));
        };
        let last = renewals.newest();
        Some(match renewals.renews(newest) {
            Ok(Some(held)) => Resolved {
                fetched_at: last.fetched_at,
                fresh_for: last.fresh_for.or(held.fresh_for),
                ..self.follow(key.document(), held)
            },
            Ok(None) => self.follow(key.document(), newest?),
            Err(_) => Resolved {
                // A fetch whose time cannot be read may be as old as the newest other one.
                fetched_at: match last.fetched_at {
                    NEWEST => newest.map_or(0, |held| held.rank.fetched_at),
                    fetched_at => fetched_at,
                },
                lag: 0,
                fresh_for: last.fresh_for,
                status: NOT_MODIFIED,
                via: None,
                fate: Err(Outcome::Unresolved),
            },
        })
    }

    /// The payloads of other URLs, in an order that depends only on the URLs; each with true if the
    /// newest fetch is known to have found it. If nobody knows what that would have found, they are
    /// those of the newest capture with content and of the revisit because of which that is so.
    pub fn others(&self) -> impl Iterator<Item = (&P, bool)> {
        let is_alone = |hash: &&u128| !self.targets.contains_key(hash);
        let hashes = self.targets.keys().chain(self.target_revisits.keys().filter(is_alone));
        hashes.flat_map(|hash| {
            let (newest, revisit) = (self.targets.get(hash), self.target_revisits.get(hash));
            let held = found(newest, revisit).and_then(|(_, held)| held);
            let is_known = held.is_some_and(|held| !is_failure(held.rank.status()));
            let (last, of_revisit) = match held {
                Some(held) if is_known => (Some(held), None),
                Some(failed) => (failed.content(), None),
                None => {
                    let lost = revisit.and_then(|revisits| revisits.renews(newest).err());
                    (newest.and_then(Held::content), lost.and_then(|revisit| revisit.payload.as_ref()))
                }
            };
            let of_last = last.and_then(|last| last.payload.as_ref());
            of_last.into_iter().chain(of_revisit).map(move |payload| (payload, is_known))
        })
    }

    /// The payload of the newest capture of these URLs, if it has content. Redirects are not
    /// followed.
    pub fn newest<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> Option<&P> {
        self.newest_held(urls)?.1?.payload.as_ref()
    }

    /// The payload that the newest fetch of these URLs led to, with redirects followed, or the
    /// outcome without one; `None` if none of them was captured. After an answer 429 nothing is
    /// known of the resource, as after 5xx: it is `Unreachable`.
    pub fn led_to<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> Option<Result<P, Outcome>> {
        let (_, held) = self.newest_held(urls)?;
        let Some(held) = held else { return Some(Err(Outcome::Unresolved)) };
        let Resolved { status, fate, .. } = self.follow(None, held);
        Some(fate.map_err(|outcome| if is_failure(status) { Outcome::Unreachable } else { outcome }))
    }

    /// The time of the newest capture of these URLs, in Unix seconds; 0 if it is unknown.
    pub fn newest_at<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> i64 {
        self.newest_held(urls).map_or(0, |(at, _)| at)
    }

    /// The newest of the captures of these URLs.
    fn newest_held<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> Option<(i64, Option<&Held<P>>)> {
        let captured = urls.into_iter().filter_map(|url| self.captured(url));
        captured.max_by_key(|(at, held)| (*at, held.map(|held| held.rank)))
    }

    /// The time of the newest fetch of a URL, which may be a site's robots.txt, and the capture
    /// with what it found, if that is known. Of a URL with revisits alone, it is not.
    fn captured(&self, url: &str) -> Option<(i64, Option<&Held<P>>)> {
        let parsed = parse(url).ok()?;
        let of_site =
            if is_root_file(&parsed, ROBOTS_TXT) { self.site(&SiteKey::from_url(url).ok()?) } else { None };
        let normal = normal_hash(&parsed);
        let given = SiteKey::from_url(url).map_or(normal, |site| place_hash(&site, &target_of(url)));
        let of_url = || {
            let captured = [given, normal].into_iter().filter_map(|hash| self.target(&hash));
            captured.max_by_key(|(at, held)| (*at, held.map(|held| held.rank)))
        };
        of_site.or_else(of_url)
    }

    /// The same for a document.
    fn site(&self, key: &SiteKey) -> Option<(i64, Option<&Held<P>>)> {
        found(self.sites.get(key), self.revisits.get(key))
    }

    /// The same for any other URL.
    fn target(&self, hash: &u128) -> Option<(i64, Option<&Held<P>>)> {
        found(self.targets.get(hash), self.target_revisits.get(hash))
    }

    fn follow(&self, document: Option<&str>, first: &Held<P>) -> Resolved<P> {
        let (mut last, mut via, mut times) = (first, None, WayTimes::from(first.rank.fetched_at));
        // Nearly all captures are no redirects, and then nothing is allocated.
        let mut way = Vec::new();
        let fate = loop {
            let status = last.rank.status();
            match (&last.payload, &last.next) {
                (Some(payload), _) if last.has_line => break Ok(payload.clone()),
                (Some(_), _) => break Err(Outcome::Unresolved),
                (None, Some(_)) if way.len() == MAX_REDIRECTS => break Err(Outcome::TooManyRedirects),
                (None, Some(next)) => {
                    way.push(last);
                    let Some(target) = self.lookup(document, next, &way) else {
                        break Err(Outcome::Unresolved);
                    };
                    (last, via) = (target, Some(next.clone()));
                    times = times.to(target.rank.fetched_at);
                }
                (None, None) if is_redirection(status) => break Err(Outcome::Unresolved),
                (None, None) if is_client_error(status) => break Err(Outcome::Unavailable),
                (None, None) => break Err(Outcome::Unreachable),
            }
        };
        let (fetched_at, lag) = (times.fetched_at(), times.lag());
        Resolved { fetched_at, lag, fresh_for: last.fresh_for, status: last.rank.status(), via, fate }
    }

    /// The capture that a redirect leads to, from a robots.txt or another document; `way` has all
    /// captures that redirected.
    fn lookup<'h>(&'h self, document: Option<&str>, next: &str, way: &[&'h Held<P>]) -> Option<&'h Held<P>> {
        let url = parse(next).ok()?;
        match (is_root_file(&url, document.unwrap_or(ROBOTS_TXT)), document) {
            (true, None) => {}
            (true, Some(document)) => {
                return self.site(&SiteKey::from_url(next).ok()?.with_document(document)?)?.1;
            }
            (false, None) => return self.target(&normal_hash(&url))?.1,
            (false, Some(_)) => return None,
        }
        let site = SiteKey::from_url(next).ok()?;
        let found = self.site(&site).or_else(|| {
            // A file named after its host counts for both schemes. What redirects is not what
            // answers behind the redirect, so where it leads back to its host, the scheme that it
            // names was not captured.
            let of_host = self.site(&SiteKey::stored(site.authority(), Scheme::Any));
            let was_on_way = |held: &Held<P>| way.iter().any(|one| std::ptr::eq(*one, held));
            of_host.filter(|(_, held)| !held.is_some_and(was_on_way))
        });
        found?.1
    }
}

/// The time of the newest fetch of a URL, by its newest capture and its revisits, and the capture
/// with what it found, if that is known; `None` if there are neither.
fn found<'h, P>(
    newest: Option<&'h Held<P>>,
    revisits: Option<&Renewals<P>>,
) -> Option<(i64, Option<&'h Held<P>>)> {
    match revisits.map(|revisits| (revisits.newest().fetched_at, revisits.renews(newest))) {
        Some((at, Ok(Some(held)))) => Some((at, Some(held))),
        Some((at, Err(_))) => Some((at, None)),
        Some((_, Ok(None))) | None => newest.map(|newest| (newest.rank.fetched_at, Some(newest))),
    }
}
