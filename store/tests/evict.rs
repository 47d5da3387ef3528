//! What was evicted stays away, wherever the process was killed or a file could not be removed: a
//! log whose captures are in a layer must not bring them back.

use robomaton_store::{Capture, Durability, Reader, ReaderOptions, Store, StoreOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

const START: u64 = 1_800_000_000;
const SITES: usize = 5;

fn open(place: &Path) -> Store {
    let options = StoreOptions { durability: Durability::Never, ..StoreOptions::default() };
    Store::open(place, options).expect("a store")
}

fn url(site: usize) -> String {
    format!("https://site{site}.example/robots.txt")
}

fn capture(site: usize, fetched_at: u64) -> Capture {
    let body = format!("User-agent: *\nDisallow: /{fetched_at}\n").into();
    Capture { url: url(site), fetched_at, status: 200, body, ..Capture::default() }
}

/// A store of old captures, all of them in a layer, and in a log that a kill left.
fn killed(place: &Path) {
    let store = open(place);
    (0..SITES).for_each(|site| assert!(store.put(&capture(site, START)).expect("room")));
    let (log, bytes) = only_log(place);
    store.flush().expect("room");
    drop(store);
    assert!(!log.exists());
    fs::write(&log, bytes).expect("room");
}

fn logs(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).expect("a directory").map(|entry| entry.expect("one").path());
    entries.filter(|path| path.extension().is_some_and(|kind| kind == "log")).collect()
}

fn only_log(place: &Path) -> (PathBuf, Vec<u8>) {
    let mut logs = logs(place);
    let log = logs.pop().expect("a log");
    assert!(logs.is_empty());
    let bytes = fs::read(&log).expect("a log");
    (log, bytes)
}

/// The times of the captures that are held.
fn held(time: impl Fn(usize) -> Option<u64>) -> Vec<u64> {
    (0..=SITES).filter_map(time).collect()
}

fn of_store(store: &Store) -> Vec<u64> {
    held(|site| store.state(&url(site), START).expect("a site").fetched_at)
}

fn of_reader(reader: &Reader) -> Vec<u64> {
    reader.refresh().expect("a store");
    held(|site| reader.state(&url(site), START).expect("a site").fetched_at)
}

fn reader(place: &Path) -> Reader {
    Reader::open(place, ReaderOptions::default()).expect("a store")
}

#[test]
fn a_log_that_a_kill_left_brings_nothing_back() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    killed(place);
    let between = reader(place);
    assert_eq!(of_reader(&between), [START; SITES]);
    let store = open(place);
    assert_eq!((of_store(&store), of_reader(&between)), (vec![START; SITES], vec![START; SITES]));
    store.evict(START + 1).expect("room");
    assert_eq!((of_store(&store), of_reader(&between), of_reader(&reader(place))), (vec![], vec![], vec![]));
    drop(store);
    assert_eq!(
        (of_store(&open(place)), of_reader(&between), of_reader(&reader(place))),
        (vec![], vec![], vec![])
    );
}

#[test]
fn nor_does_it_after_more_kills_puts_and_compactions() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    for has_put in [false, true] {
        killed(place);
        let store = open(place);
        store.compact().expect("room");
        if has_put {
            assert!(store.put(&capture(SITES, START + 9)).expect("room"));
        }
        let kept =
            logs(place).into_iter().map(|log| (fs::read(&log).expect("a log"), log)).collect::<Vec<_>>();
        // The second kill is in the flush of an eviction.
        store.flush().expect("room");
        drop(store);
        kept.into_iter().for_each(|(bytes, log)| fs::write(log, bytes).expect("room"));
        let store = open(place);
        store.compact().expect("room");
        store.evict(START + 1).expect("room");
        let wanted = vec![START + 9; usize::from(has_put)];
        assert_eq!((of_store(&store), of_reader(&reader(place))), (wanted.clone(), wanted.clone()));
        drop(store);
        let store = open(place);
        assert_eq!(of_store(&store), wanted);
        store.evict(START + 99).expect("room");
    }
}

/// A log that holds nothing is kept, so that opening a store writes nothing that is not needed.
#[test]
fn an_empty_log_is_used_again() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    killed(place);
    drop(open(place));
    let log = only_log(place);
    drop(open(place));
    assert_eq!(only_log(place), log);
}

/// The log stays behind its layer, and its process goes on.
#[test]
fn a_log_that_cannot_be_removed_brings_nothing_back() {
    let place = tempfile::tempdir().expect("a directory");
    let (place, aside) = (place.path().join("store"), place.path().join("aside"));
    let store = open(&place);
    (0..SITES).for_each(|site| assert!(store.put(&capture(site, START)).expect("room")));
    let (log, _) = only_log(&place);
    // A directory cannot be removed as a file.
    fs::rename(&log, &aside).and_then(|()| fs::create_dir(&log)).expect("room");
    store.flush().expect_err("a log that cannot be removed");
    fs::remove_dir(&log).and_then(|()| fs::rename(&aside, &log)).expect("room");
    store.evict(START + 1).expect("room");
    assert_eq!((of_store(&store), of_reader(&reader(&place))), (vec![], vec![]));
    drop(store);
    assert!(of_store(&open(&place)).is_empty());
}

/// A 304 is logged without its text, which must not be evicted meanwhile.
#[test]
fn what_is_renewed_during_an_eviction_is_not_lost() {
    const MANY: usize = 2_000;
    const ROUNDS: u64 = 50;
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    let mut store = open(place);
    let time_of =
        |store: &Store, site: usize| store.state(&url(site), START).expect("a site").fetched_at.unwrap_or(0);
    for start in (0..ROUNDS).map(|round| START + round * 10_000) {
        (0..MANY).for_each(|site| assert!(store.put(&capture(site, start)).expect("room")));
        let renew = |site| Capture { status: 304, body: Vec::new(), ..capture(site, start + 1_000) };
        let mut is_met = false;
        let renewed: Vec<usize> = thread::scope(|scope| {
            let eviction = scope.spawn(|| store.evict(start + 1));
            let is_renewed = |&site: &usize| {
                let is_renewed = store.put(&renew(site)).is_ok();
                // It was refused although its text is held: an eviction is about to remove it.
                is_met |= !is_renewed && time_of(&store, site) == start;
                is_renewed
            };
            let renewed = (0..MANY).filter(is_renewed).collect();
            eviction.join().expect("an eviction").expect("room");
            renewed
        });
        drop(store);
        store = open(place);
        for site in renewed {
            assert_eq!(time_of(&store, site), start + 1_000, "{site}");
        }
        if is_met {
            return;
        }
    }
    panic!("no text was renewed during an eviction");
}
