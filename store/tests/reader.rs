//! A reader follows a store through its files: after a refresh it answers as the writer does,
//! whatever the writer does meanwhile.

use robomaton_runtime::{Decision, Manifest};
use robomaton_store::{
    Capture, Durability, Reader, ReaderOptions, Snapshot, Store, StoreError, StoreOptions,
};
use robomaton_tests::generate::Random;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const START: u64 = 1_800_000_000;
const SITES: usize = 40;

fn options() -> StoreOptions {
    StoreOptions { durability: Durability::Never, memory_captures: Some(20), ..StoreOptions::default() }
}

fn reader(place: &Path) -> Reader {
    Reader::open(place, ReaderOptions::default()).expect("a store")
}

fn url(site: usize) -> String {
    format!("https://site{site}.example/robots.txt")
}

fn capture(site: usize, fetched_at: u64, status: u16) -> Capture {
    let body =
        if status == 200 { format!("User-agent: *\nDisallow: /{fetched_at}-\n").into() } else { vec![] };
    let headers = vec![("ETag".to_owned(), format!("\"{fetched_at}\"").into_bytes())];
    Capture { url: url(site), fetched_at, status, body, headers, ..Capture::default() }
}

/// What a snapshot holds of a site.
fn facts(snapshot: &Snapshot, site: usize) -> impl PartialEq + std::fmt::Debug + use<> {
    let site = snapshot.site(&url(site))?;
    Some((site.fetched_at(), site.status(), site.outcome(), site.source(1 << 20)))
}

/// The reader holds as much as the store, no more and no less.
fn compare(reader: &Reader, store: &Store, now: u64) {
    let (read, written) = (reader.snapshot(), store.snapshot());
    for site in 0..=SITES {
        assert_eq!(facts(&read, site), facts(&written, site), "site {site}");
        let state = store.state(&url(site), now).expect("a site");
        let mut read = reader.state(&url(site), now).expect("a site");
        if (&state.etag, &state.last_modified) == (&None, &None) {
            // That a 304 was refused is in the writer's memory.
            (read.etag, read.last_modified) = (None, None);
        }
        assert_eq!(read, state, "site {site}");
    }
}

/// A reader does without damaged layers on demand, and leaves their files as they are.
#[test]
fn a_damaged_layer_is_left_out_on_demand() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    let store = Store::open(place, options()).expect("a store");
    for (site, fetched_at) in [(1, START), (2, START), (1, START + 1)] {
        store.put(&capture(site, fetched_at, 200)).and_then(|_| store.flush()).expect("room");
    }
    drop(store);
    let damaged = Manifest::read(place).expect("a manifest").layers.pop().expect("a layer");
    fs::write(place.join(&damaged), "no image").expect("room");
    let without_damaged_layers = true;
    let error = Reader::open(place, ReaderOptions::default()).err().expect("a damaged layer").to_string();
    assert!(error.contains(&damaged), "{error}");
    let reader = Reader::open(place, ReaderOptions { without_damaged_layers, ..ReaderOptions::default() });
    let reader = reader.expect("the rest");
    let left_out = || reader.left_out().into_iter().map(|layer| layer.name).collect::<Vec<_>>();
    let times =
        || [1, 2, 3].map(|site| reader.state(&url(site), START).ok().and_then(|state| state.fetched_at));
    assert_eq!((left_out(), times()), (vec![damaged.clone()], [Some(START), Some(START), None]));
    assert_eq!(fs::read(place.join(&damaged)).expect("its file"), b"no image");
    // The writer sets it aside, and goes on.
    let store = Store::open(place, StoreOptions { without_damaged_layers, ..options() }).expect("the rest");
    store.put(&capture(3, START, 200)).and_then(|_| store.flush()).expect("room");
    assert!(reader.refresh().expect("a store"));
    assert_eq!((left_out(), times()), (vec![], [Some(START); 3]));
    store.put(&capture(2, START + 1, 200)).and_then(|_| store.flush()).expect("room");
    assert!(reader.refresh().expect("a store"));
    assert_eq!((left_out(), times()), (vec![], [Some(START), Some(START + 1), Some(START)]));
}

#[test]
fn a_reader_holds_what_the_store_holds() {
    let place = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(place.path(), options()).expect("a store");
    let (mut random, mut old) = (Random::new(5), reader(place.path()));
    for step in 0..600_u64 {
        let now = START + step;
        let status = random.pick(&[200, 200, 200, 304, 404, 503, 0]);
        let mut capture = capture(random.below(SITES), now - random.below(9) as u64, status);
        // Half of the answers 304 are about the text that is held.
        if status == 304
            && random.below(2) == 0
            && let Some(etag) = store.state(&capture.url, now).expect("a site").etag
        {
            capture.headers = vec![("ETag".to_owned(), etag.into_bytes())];
        }
        match store.put(&capture) {
            Ok(_) | Err(StoreError::NotModified(_)) => {}
            Err(error) => panic!("{error}"),
        }
        match random.below(60) {
            0 => store.flush().expect("room"),
            1 => store.compact().expect("room"),
            2 => store.evict(now - 300).expect("room"),
            3 => {
                drop(store);
                old.refresh().expect("a store that is closed");
                store = Store::open(place.path(), options()).expect("a store");
            }
            4 => old = reader(place.path()),
            _ => {}
        }
        if random.below(3) == 0 {
            old.refresh().expect("a store");
            assert!(!old.refresh().expect("a store"), "nothing was put meanwhile");
            compare(&old, &store, now);
        }
    }
    let now = START + 1_000_000;
    old.refresh().expect("a store");
    compare(&reader(place.path()), &store, now);
    let urls: Vec<String> = old.due(now, 1_000).into_iter().map(|due| due.url).collect();
    assert_eq!(urls, store.due(now, 1_000).into_iter().map(|due| due.url).collect::<Vec<_>>());
    assert_eq!(old.due(now, 1_000).len(), urls.len(), "a reader marks nothing as begun");
    let (read, written) = (old.stats(), store.stats());
    assert_eq!((read.layers, read.layer_sites), (written.layers, written.layer_sites));
    assert!(read.log_bytes >= written.log_bytes, "a frozen log counts, too");
}

/// While captures are put, flushed, merged and evicted: each one whose put has returned is there
/// after a refresh, and answers never go back.
#[test]
fn a_refresh_has_what_was_put_before() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    let put: Vec<AtomicU64> = (0..SITES).map(|_| AtomicU64::new(0)).collect();
    let is_done = AtomicBool::new(false);
    let follow = || {
        let reader = reader(place.path());
        let query = reader.query(["a"], "crawl");
        let mut last = [0; SITES];
        while !is_done.load(Ordering::Acquire) {
            let least: Vec<u64> = put.iter().map(|round| round.load(Ordering::Acquire)).collect();
            reader.refresh().expect("a store");
            let snapshot = reader.snapshot();
            for (site, &least) in least.iter().enumerate() {
                let Some(found) = snapshot.site(&url(site)) else {
                    assert_eq!(least, 0, "site {site} is gone");
                    continue;
                };
                let round = found.fetched_at().expect("a time");
                assert!(round >= least.max(last[site]), "site {site}: {round} after {least}, {}", last[site]);
                last[site] = round;
                let page = format!("https://site{site}.example/{round}-");
                assert!(!snapshot.decide(&query, &page).is_allowed(), "site {site}, round {round}");
            }
        }
    };
    thread::scope(|scope| {
        let followers: Vec<_> = (0..2).map(|_| scope.spawn(follow)).collect();
        for round in 1..=40 {
            for (site, put) in put.iter().enumerate() {
                assert!(store.put(&capture(site, START + round, 200)).expect("room"));
                put.store(START + round, Ordering::Release);
            }
            match round % 4 {
                0 => store.compact().expect("room"),
                1 => store.evict(START).expect("room"),
                _ => {}
            }
        }
        is_done.store(true, Ordering::Release);
        followers.into_iter().for_each(|follower| follower.join().expect("a reader"));
    });
}

/// A log that grows byte by byte: a record counts when it is whole.
/// A reader may see the log of a 304, and neither the log nor the layer of the text that it is
/// about.
#[test]
fn a_304_renews_the_same_text_for_a_reader() {
    let place = tempfile::tempdir().expect("a directory");
    let options = StoreOptions { memory_captures: Some(1), ..options() };
    let store = Store::open(place.path(), options).expect("a store");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let putting = || {
            for step in 0..250 {
                let text = START + step / 2 * 2;
                let status = if step % 2 == 0 { 200 } else { 304 };
                let put = store.put(&Capture { fetched_at: START + step, ..capture(0, text, status) });
                assert!(put.expect("room"));
                // Time for a reader to read the files once, or more often.
                thread::sleep(Duration::from_micros(step % 16 * 500));
            }
            is_done.store(true, Ordering::Release);
        };
        let follow = || {
            let reader = reader(place.path());
            while !is_done.load(Ordering::Acquire) {
                reader.refresh().expect("a store");
                let snapshot = reader.snapshot();
                let Some(site) = snapshot.site(&url(0)) else { continue };
                let step = site.fetched_at().expect("every capture has a time") - START;
                let text = capture(0, START + step / 2 * 2, 200).body;
                assert_eq!(site.source(1 << 20), Some(text), "step {step}");
            }
        };
        scope.spawn(putting);
        scope.spawn(follow);
        scope.spawn(follow);
    });
}

#[test]
fn a_torn_record_counts_when_it_is_whole() {
    let place = tempfile::tempdir().expect("a directory");
    let (whole, growing) = (place.path().join("whole"), place.path().join("growing"));
    let store = Store::open(&whole, StoreOptions::default()).expect("a store");
    let mut ends = Vec::new();
    for site in 0..4 {
        store.put(&capture(site, START, 200)).expect("room");
        ends.push(store.stats().log_bytes as usize);
    }
    drop(store);
    fs::create_dir(&growing).expect("room");
    let mut log = String::new();
    for entry in fs::read_dir(&whole).expect("a directory") {
        let entry = entry.expect("a file");
        let name = entry.file_name().into_string().expect("a name");
        if name.ends_with(".log") {
            log = name;
        } else {
            fs::copy(entry.path(), growing.join(name)).expect("room");
        }
    }
    let bytes = fs::read(whole.join(&log)).expect("a log");
    let grown = reader(&growing);
    let mut file = File::create(growing.join(&log)).expect("room");
    for length in 0..bytes.len() {
        file.write_all(&bytes[length..=length]).expect("room");
        if length % 7 == 0 || ends.contains(&(length + 1)) {
            let is_new = grown.refresh().expect("a store");
            assert_eq!(is_new, ends.contains(&(length + 1)), "{length} bytes");
        }
        let count = (0..4).filter(|&site| grown.snapshot().site(&url(site)).is_some()).count();
        assert_eq!(count, ends.iter().filter(|&&end| end <= length + 1).count());
    }
}

#[test]
fn damage_is_an_error_and_answers_stay() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), StoreOptions::default()).expect("a store");
    store.put(&capture(0, START, 200)).expect("room");
    let old = reader(place.path());
    let start = store.stats().log_bytes as usize;
    (1..4).for_each(|site| assert!(store.put(&capture(site, START, 200)).expect("room")));
    drop(store);
    let logs = fs::read_dir(place.path()).expect("a directory").map(|entry| entry.expect("a file").path());
    let log =
        logs.into_iter().find(|path| path.extension().is_some_and(|name| name == "log")).expect("a log");
    let good = fs::read(&log).expect("a log");
    let mut bad = good.clone();
    bad[start + 30] ^= 1;
    fs::write(&log, &bad).expect("room");
    for _ in 0..2 {
        assert!(
            matches!(old.refresh(), Err(StoreError::Damaged { path, at }) if path == log && at == start as u64)
        );
        assert!(old.snapshot().site(&url(0)).is_some());
        assert!(Reader::open(place.path(), ReaderOptions::default()).is_err());
    }
    fs::write(&log, &good).expect("room");
    assert!(old.refresh().expect("a store"));
    assert!(old.snapshot().site(&url(3)).is_some());
    fs::write(&log, b"another file with some bytes").expect("room");
    assert!(matches!(Reader::open(place.path(), ReaderOptions::default()), Err(StoreError::NotLog { .. })));
}

#[test]
fn a_reader_writes_nothing_and_waits_for_nobody() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = Reader::open(place.path(), ReaderOptions::default());
    assert!(
        matches!(missing, Err(StoreError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound)
    );
    let names = || -> BTreeSet<_> {
        let entries = fs::read_dir(place.path()).expect("a directory").map(|entry| entry.expect("a file"));
        entries.map(|entry| (entry.file_name(), entry.metadata().expect("a file").len())).collect()
    };
    assert!(names().is_empty());
    let store = Store::open(place.path(), options()).expect("a store");
    store.put(&capture(1, START, 200)).expect("room");
    let before = names();
    let readers: Vec<Reader> = (0..3).map(|_| reader(place.path())).collect();
    assert!(matches!(Store::open(place.path(), options()), Err(StoreError::Locked { .. })));
    for reader in &readers {
        assert!(!reader.refresh().expect("a store") && reader.snapshot().site(&url(1)).is_some());
        assert!(reader.state("ftp://a/", START).is_err());
    }
    assert_eq!(names(), before);
    let options = ReaderOptions {
        compile: robomaton_compiler::Options { crawlers: vec!["a".to_owned()], ..Default::default() },
        ..ReaderOptions::default()
    };
    assert!(matches!(Reader::open(place.path(), options), Err(StoreError::OtherOptions { .. })));
}

/// However a URL or a host is written that the store answers about, the image of its site has the
/// capture that counts.
#[test]
fn the_image_of_a_site_answers_as_the_snapshot() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    let put = |scheme: &str, fetched_at, rule: &str| {
        let url = format!("{scheme}://a.example/robots.txt");
        let body = format!("User-agent: *\n{rule}: /\n").into_bytes();
        assert!(
            store.put(&Capture { url, fetched_at, status: 200, body, ..Capture::default() }).expect("room")
        );
    };
    ["http", "https"].into_iter().for_each(|scheme| put(scheme, START, "Allow"));
    store.flush().expect("room");
    ["http", "https"].into_iter().for_each(|scheme| put(scheme, START + 1, "Disallow"));
    let (snapshot, query) = (store.snapshot(), store.query(["bot"], "crawl"));
    for url in [
        "https://a.example/p",
        "https:/a.example/p",
        "https:a.example/p",
        "https:\\\\a.example/p",
        " HTTP:a.example:80/p",
    ] {
        let explained = snapshot.with_site(url, START + 1, |image| {
            image.decide(&image.crawler(["bot"]), image.usage("crawl"), url).decision()
        });
        assert_eq!(snapshot.decide_at(&query, url, START + 1), Decision::Disallowed, "{url:?}");
        assert_eq!(explained.expect("sound layers"), Decision::Disallowed, "{url:?}");
    }
    for (host, url) in [
        ("a.example", "http://a.example/"),
        ("a.example/p", "https://a.example/"),
        ("a.example:80", "http://a.example/"),
        ("a.example:443", "https://a.example/"),
    ] {
        let at = snapshot.with_site(host, START + 1, |image| image.site(url)?.fetched_at());
        assert_eq!(at.expect("sound layers"), Some(START + 1), "{host}");
    }
}
