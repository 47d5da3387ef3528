//! Readers through the files see a store as it is, beside a process that writes it; a second writer
//! is refused.

use robomaton_store::{Capture, Durability, Reader, ReaderOptions, Store, StoreError, StoreOptions};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

const SITES: u64 = 30;
const PUTS: u64 = 1_200;

fn options() -> StoreOptions {
    StoreOptions { memory_captures: Some(9), durability: Durability::Never, ..StoreOptions::default() }
}

fn capture(site: u64, at: u64) -> Capture {
    Capture {
        url: format!("https://site{site}.example/robots.txt"),
        fetched_at: at,
        status: 200,
        headers: vec![("ETag".into(), at.to_string().into())],
        body: format!("User-agent: *\nDisallow: /{at}-\n").into(),
        ..Capture::default()
    }
}

/// The names and contents of all files.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("one").path());
    let file = |path: std::path::PathBuf| {
        (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("a file"))
    };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

#[test]
fn a_reader_sees_every_put_that_returned() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    let put: Vec<AtomicU64> = (0..SITES).map(|_| AtomicU64::new(0)).collect();
    let is_done = AtomicBool::new(false);
    let read = || {
        let least: Vec<u64> = put.iter().map(|at| at.load(Ordering::Acquire)).collect();
        let reader = Reader::open(place.path(), ReaderOptions::default()).expect("a store");
        let query = reader.query(["a"], "crawl");
        for (site, &least) in least.iter().enumerate().filter(|(_, least)| **least > 0) {
            let url = format!("https://site{site}.example/");
            let state = reader.snapshot().state(&url, 0).expect("a site");
            let at = state.fetched_at.expect("it was put");
            assert!(at >= least, "{at} {least}");
            // Validators and rules are those of this capture.
            assert_eq!(state.etag, Some(at.to_string()));
            assert!(!reader.snapshot().decide(&query, &format!("{url}{at}-")).is_allowed());
            assert!(reader.snapshot().decide(&query, &format!("{url}x")).is_allowed());
        }
    };
    let reads = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Acquire) {
                store.compact().expect("room");
            }
        });
        let readers = [0, 1].map(|_| {
            scope.spawn(|| {
                let mut reads = 0;
                while !is_done.load(Ordering::Acquire) {
                    read();
                    reads += 1;
                }
                reads
            })
        });
        for number in 1..=PUTS {
            let site = number * 7 % SITES;
            assert!(store.put(&capture(site, number)).expect("room"));
            put[site as usize].store(number, Ordering::Release);
        }
        is_done.store(true, Ordering::Release);
        readers.map(|reader| reader.join().expect("a reader"))
    });
    assert!(reads.iter().all(|&reads| reads > 0), "{reads:?}");
    read();
}

#[test]
fn a_reader_changes_nothing_and_agrees_with_the_writer() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = place.path().join("missing");
    assert!(Reader::open(&missing, ReaderOptions::default()).is_err() && !missing.exists());
    let store = Store::open(place.path(), options()).expect("a store");
    for number in 1..100 {
        store.put(&capture(number % SITES, number)).expect("room");
    }
    // A torn record, as of a put that is under way.
    let before = files(place.path());
    let log = before.iter().rfind(|(name, _)| name.ends_with(".log")).expect("a log");
    let torn = [&log.1[..], &log.1[24..60]].concat();
    fs::write(place.path().join(&log.0), torn).expect("room");
    let before = files(place.path());
    let reader = Reader::open(place.path(), ReaderOptions::default()).expect("a store");
    assert_eq!(files(place.path()), before);
    let now = 200_000;
    let (mut ours, theirs) = (reader.snapshot().due(now, 99), store.list_due(now, 99));
    assert_eq!((ours.len() as u64, &ours), (SITES, &theirs));
    assert_eq!(store.due(now, 5), theirs[..5]);
    // A reader does not know what is in flight.
    ours = reader.snapshot().due(now, 99);
    assert_eq!((ours.len() as u64, store.list_due(now, 99).len() as u64), (SITES, SITES - 5));
    assert_eq!(reader.stats().layers, store.stats().layers);
    // One writer.
    let own = std::process::id().to_string();
    match Store::open(place.path(), options()).err() {
        Some(StoreError::Locked { holder, .. }) => assert_eq!(holder, own),
        other => panic!("{other:?}"),
    }
    fs::write(place.path().join("store.lock"), "").expect("room");
    let error = Store::open(place.path(), options()).err().expect("an error").to_string();
    assert!(error.ends_with("is open for writing by another process"), "{error}");
    // It is again the one that was first.
    store.put(&capture(1, 1_000)).expect("room");
    assert_eq!(
        Reader::open(place.path(), ReaderOptions::default()).expect("a store").stats().layer_sites,
        store.stats().layer_sites
    );
}

#[test]
fn a_reader_names_the_file_that_is_damaged() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), StoreOptions::default()).expect("a store");
    for number in 1..9 {
        store.put(&capture(number, number)).expect("room");
    }
    drop(store);
    let files = files(place.path());
    let (name, bytes) = files.iter().find(|(name, _)| name.ends_with(".log")).expect("a log");
    let mut bytes = bytes.clone();
    bytes[70] ^= 1;
    fs::write(place.path().join(name), bytes).expect("room");
    let error = Reader::open(place.path(), ReaderOptions::default()).err().expect("an error").to_string();
    assert!(error.contains(name) && error.contains("damaged at byte 24"), "{error}");
}
