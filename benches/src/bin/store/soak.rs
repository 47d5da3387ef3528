//! A soak of the store: puts, questions, states, compaction, readers and reopening for a time, with
//! every answer checked.
//!
//! Each site has versions; the version is the time of its capture, and its text disallows a path
//! that only this version has. A version that was put before a question and the one that was begun
//! after it bound the answer from both sides, so each answer is either checked or a failure:
//! nothing is left out. A round ends with dropping the store and opening it again, after which
//! every site is compared. Times of the store are versions, so no clock counts.

use super::{Failure, options};
use robomaton_benches::results::Table;
use robomaton_store::{Capture, Durability, Knowledge, Reader, ReaderOptions, Snapshot, Store, StoreError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Sites of the soak.
const SITES: u64 = 20_000;
/// The time of a round.
const ROUND: Duration = Duration::from_secs(20);
/// Threads that ask, and that put.
const ASKING: u64 = 2;
const PUTTING: u64 = 2;
/// Puts between two that are older than what is held.
const OLDER: u64 = 50;

/// A site as the test knows it.
#[derive(Default)]
struct Site {
    /// The version whose put has begun, and the one whose put has returned.
    begun: AtomicU64,
    put: AtomicU64,
}

/// Counts of all threads, each of an operation whose answer was checked.
#[derive(Default)]
struct Counts {
    taken: AtomicU64,
    older: AtomicU64,
    unmodified: AtomicU64,
    decisions: AtomicU64,
    states: AtomicU64,
    due: AtomicU64,
    readers: AtomicU64,
    compactions: AtomicU64,
    longest_put: AtomicU64,
    longest_question: AtomicU64,
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// A generator of numbers that needs no more than to be fast.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// The result of a fetch, by site and version.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rules,
    Unreachable,
    Missing,
    /// The rules of an earlier version, which are unchanged.
    Unmodified(u64),
}

/// The kind of a version. A version is unmodified if it follows rules.
fn kind(site: u64, version: u64) -> Kind {
    let draw = |version: u64| (site * 7 + version * 13) % 16;
    match draw(version) {
        0 => Kind::Unreachable,
        1 => Kind::Missing,
        2..5 if version > 1 => match kind(site, version - 1) {
            Kind::Rules => Kind::Unmodified(version - 1),
            Kind::Unmodified(rules) => Kind::Unmodified(rules),
            _ => Kind::Rules,
        },
        _ => Kind::Rules,
    }
}

/// The version that the ETag of an answer names: its own if it has rules, that of the rules if it
/// leaves them unchanged.
fn tag(site: u64, version: u64) -> Option<u64> {
    match kind(site, version) {
        Kind::Rules => Some(version),
        Kind::Unmodified(rules) => Some(rules),
        Kind::Unreachable | Kind::Missing => None,
    }
}

fn url(site: u64) -> String {
    format!("https://site{site}.example")
}

fn capture(site: u64, version: u64) -> Capture {
    let (status, rules) = match kind(site, version) {
        Kind::Rules => (200, Some(version)),
        Kind::Unreachable => (503, None),
        Kind::Missing => (404, None),
        Kind::Unmodified(_) => (304, None),
    };
    let filler = |line: u64| format!("Disallow: /{line}/*.x{site}$\n");
    let body = rules.map_or_else(String::new, |rules| {
        let more: String = (0..site % 40).map(filler).collect();
        format!("User-agent: *\nDisallow: /v{rules}-\n{more}")
    });
    let headers = vec![("ETag".to_owned(), tag(site, version).unwrap_or(version).to_string().into_bytes())];
    Capture {
        url: format!("{}/robots.txt", url(site)),
        fetched_at: version,
        status,
        headers,
        body: body.into(),
        ..Capture::default()
    }
}

/// Fails unless the answers of a site are those of one version, from `least` to `most`.
fn check(
    snapshot: &Snapshot,
    query: &robomaton_store::Query,
    site: u64,
    least: u64,
    most: impl Fn() -> u64,
) -> Result<(), Failure> {
    let url = url(site);
    let held = snapshot.site(&format!("{url}/")).and_then(|held| held.fetched_at()).unwrap_or(0);
    let most = most();
    if held < least || held > most {
        return Err(format!("site {site}: version {held}, not {least} to {most}").into());
    }
    let kind = if held == 0 { None } else { Some(kind(site, held)) };
    let (rules, is_other_allowed) = match kind {
        Some(Kind::Rules) => (Some(held), true),
        Some(Kind::Unmodified(rules)) => (Some(rules), true),
        Some(Kind::Missing) => (None, true),
        Some(Kind::Unreachable) | None => (None, false),
    };
    for version in [rules.unwrap_or(held), held + 1] {
        let wanted = is_other_allowed && rules != Some(version);
        let found = snapshot.decide(query, &format!("{url}/v{version}-")).is_allowed();
        if found != wanted {
            return Err(format!("site {site}, version {held}: /v{version}- is allowed: {found}").into());
        }
    }
    Ok(())
}

/// Fails unless the state of a site is that of the version which a snapshot holds.
fn check_state(snapshot: &Snapshot, site: u64) -> Result<(), Failure> {
    let url = format!("{}/", url(site));
    let held = snapshot.site(&url).and_then(|held| held.fetched_at());
    let state = snapshot.state(&url, held.unwrap_or(0))?;
    let kind = held.map(|held| kind(site, held));
    let knowledge = match (kind, state.knowledge) {
        (None, found) => found == Knowledge::Unknown,
        (Some(Kind::Unreachable), found) => {
            matches!(found, Knowledge::Unreachable { since } if Some(since) <= held)
        }
        (Some(_), found) => found == Knowledge::Fresh,
    };
    let etag = held.and_then(|held| tag(site, held)).map(|tag| tag.to_string());
    if knowledge && state.etag == etag && state.fetched_at == held {
        return Ok(());
    }
    Err(format!("site {site}, version {held:?}: {state:?}").into())
}

/// The state that all threads share.
struct Soak {
    sites: Vec<Site>,
    counts: Counts,
    is_over: AtomicBool,
}

impl Soak {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Puts the next versions of the sites of one thread, and from time to time an older one.
    fn put(&self, store: &Store, thread: u64, seed: u64) -> Result<(), Failure> {
        let (mut numbers, mut puts) = (Numbers(seed), 0);
        while !self.is_over() {
            let number = numbers.below(SITES / PUTTING) * PUTTING + thread;
            let site = &self.sites[number as usize];
            let version = site.put.load(Ordering::Acquire) + 1;
            site.begun.store(version, Ordering::Release);
            let capture = capture(number, version);
            let began = Instant::now();
            let is_taken = store.put(&capture)?;
            self.counts.longest_put.fetch_max(began.elapsed().as_micros() as u64, Ordering::Relaxed);
            if !is_taken {
                return Err(format!("site {number}: version {version} is not taken").into());
            }
            site.put.store(version, Ordering::Release);
            add(if capture.status == 304 { &self.counts.unmodified } else { &self.counts.taken });
            puts += 1;
            if puts % OLDER == 0 && version > 1 {
                // 304 without a text is refused, and changes nothing either.
                match store.put(&self::capture(number, version - 1)) {
                    Ok(false) | Err(StoreError::NotModified(_)) => add(&self.counts.older),
                    other => return Err(format!("site {number}: an older version: {other:?}").into()),
                }
            }
        }
        Ok(())
    }

    fn ask(&self, store: &Store, seed: u64) -> Result<(), Failure> {
        let (mut numbers, query) = (Numbers(seed), store.query(["a"], "crawl"));
        let mut asked = 0_u64;
        while !self.is_over() {
            let number = numbers.below(SITES);
            let site = &self.sites[number as usize];
            let least = site.put.load(Ordering::Acquire);
            let began = Instant::now();
            let snapshot = store.snapshot();
            check(&snapshot, &query, number, least, || site.begun.load(Ordering::Acquire))?;
            let took = began.elapsed().as_micros() as u64;
            self.counts.longest_question.fetch_max(took, Ordering::Relaxed);
            add(&self.counts.decisions);
            add(&self.counts.decisions);
            asked += 1;
            if asked.is_multiple_of(8) {
                check_state(&snapshot, number)?;
                add(&self.counts.states);
            }
        }
        Ok(())
    }

    /// Compacts, asks which fetches are due, and reads the files as another process would.
    fn maintain(&self, store: &Store, directory: &Path) -> Result<(), Failure> {
        while !self.is_over() {
            store.compact()?;
            add(&self.counts.compactions);
            // Long after all versions, all sites that were put are due: the longest first.
            let due = store.list_due(u64::MAX / 2, 100);
            if !due.is_sorted_by_key(|due| due.state.fetch_at)
                || due.iter().any(|due| due.state.fetched_at.is_none())
            {
                return Err("the queue is not in order".into());
            }
            add(&self.counts.due);
            let least: Vec<u64> = self.sites.iter().map(|site| site.put.load(Ordering::Acquire)).collect();
            let reader = Reader::open(directory, ReaderOptions::default())?;
            let query = reader.query(["a"], "crawl");
            for (number, &least) in least.iter().enumerate().step_by(97) {
                let most = || self.sites[number].begun.load(Ordering::Acquire);
                check(&reader.snapshot(), &query, number as u64, least, most)?;
                add(&self.counts.decisions);
                add(&self.counts.decisions);
            }
            add(&self.counts.readers);
            thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// One round on an open store.
    fn round(&self, store: &Store, directory: &Path, seed: u64, time: Duration) -> Result<(), Failure> {
        self.is_over.store(false, Ordering::Release);
        // A failure ends the round at once.
        let guarded = |work: &dyn Fn() -> Result<(), Failure>| {
            let done = work().map_err(|error| error.to_string());
            if done.is_err() {
                self.is_over.store(true, Ordering::Release);
            }
            done
        };
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for thread in 0..PUTTING {
                threads
                    .push(scope.spawn(move || guarded(&|| self.put(store, thread, seed * 100 + thread + 1))));
            }
            for thread in 0..ASKING {
                threads.push(scope.spawn(move || guarded(&|| self.ask(store, seed * 100 + thread + 50))));
            }
            threads.push(scope.spawn(|| guarded(&|| self.maintain(store, directory))));
            let began = Instant::now();
            while began.elapsed() < time && !self.is_over() {
                thread::sleep(Duration::from_millis(50));
            }
            self.is_over.store(true, Ordering::Release);
            for thread in threads {
                thread.join().map_err(|_| "a thread panicked")??;
            }
            Ok(())
        })
    }

    /// Compares every site: nothing is under way, so the version is known.
    fn check_all(&self, store: &Store) -> Result<(), Failure> {
        let (snapshot, query) = (store.snapshot(), store.query(["a"], "crawl"));
        for (number, site) in self.sites.iter().enumerate() {
            let put = site.put.load(Ordering::Acquire);
            check(&snapshot, &query, number as u64, put, || put)?;
            check_state(&snapshot, number as u64)?;
            add(&self.counts.decisions);
            add(&self.counts.decisions);
            add(&self.counts.states);
        }
        Ok(())
    }
}

/// Runs for some seconds.
///
/// # Errors
/// At the first wrong answer, or error of the store.
pub(crate) fn soak(directory: &Path, seconds: u64) -> Result<Table, Failure> {
    let sites = (0..SITES).map(|_| Site::default()).collect();
    let soak = Soak { sites, counts: Counts::default(), is_over: AtomicBool::new(false) };
    let (began, time) = (Instant::now(), Duration::from_secs(seconds));
    let (mut rounds, mut longest_open) = (0, Duration::ZERO);
    let durable = [Durability::Never, Durability::Every(Duration::from_millis(100)), Durability::Each];
    let mut store = Store::open(directory, options(durable[0]))?;
    while began.elapsed() < time {
        soak.round(&store, directory, rounds + 1, ROUND.min(time.saturating_sub(began.elapsed())))?;
        soak.check_all(&store)?;
        if rounds % 5 == 4 {
            store.evict(0)?;
        }
        drop(store);
        rounds += 1;
        let opening = Instant::now();
        store = Store::open(directory, options(durable[rounds as usize % durable.len()]))?;
        longest_open = longest_open.max(opening.elapsed());
        soak.check_all(&store)?;
    }
    let stats = store.stats();
    let mut table = Table::new("store-soak", &["what:", "value"]);
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    let Counts { taken, older, unmodified, decisions, states, due, readers, compactions, .. } = &soak.counts;
    row("seconds", began.elapsed().as_secs().to_string());
    for (what, count) in [
        ("puts of an answer", taken),
        ("puts of 304", unmodified),
        ("puts of an older version", older),
        ("decisions, all as wanted", decisions),
        ("states, all as wanted", states),
        ("lists of due fetches", due),
        ("readers of the files", readers),
        ("compactions", compactions),
    ] {
        row(what, count.load(Ordering::Relaxed).to_string());
    }
    let millis = |micros: &AtomicU64| format!("{:.1} ms", micros.load(Ordering::Relaxed) as f64 / 1e3);
    row("reopened, and every site compared", rounds.to_string());
    row("longest put", millis(&soak.counts.longest_put));
    row("longest two decisions", millis(&soak.counts.longest_question));
    row("longest opening", format!("{:.1} ms", longest_open.as_secs_f64() * 1e3));
    row("layers in the end", stats.layers.to_string());
    row("sites in the end, in all layers and memory", (stats.layer_sites + stats.memory_sites).to_string());
    Ok(table)
}
