//! Captures that readers hand to the writer: they count for the reader at once, for all when they
//! are taken, and none is lost between.

use robomaton_store::limits::{BODY_BYTES, HANDED_BYTES, HANDED_LEAST, HEADER_BYTES};
use robomaton_store::{
    Capture, Durability, Knowledge, Reader, ReaderOptions, Store, StoreError, StoreOptions,
};
use std::fs;
use std::path::{Path, PathBuf};

const START: u64 = 1_800_000_000;

fn store(place: &Path) -> Store {
    let options =
        StoreOptions { durability: Durability::Never, memory_captures: Some(3), ..StoreOptions::default() };
    Store::open(place, options).expect("a store")
}

fn reader(place: &Path) -> Reader {
    Reader::open(place, ReaderOptions::default()).expect("a store")
}

fn url(site: usize) -> String {
    format!("https://site{site}.example/robots.txt")
}

fn capture(site: usize, fetched_at: u64) -> Capture {
    let body = b"User-agent: *\nDisallow: /x\n".to_vec();
    Capture { url: url(site), fetched_at, status: 200, body, ..Capture::default() }
}

/// The files that wait for the writer.
fn waiting(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place.join("handed")) else { return Vec::new() };
    entries.map(|entry| entry.expect("a file").path()).collect()
}

fn time(reader: &Reader, site: usize) -> Option<u64> {
    reader.refresh().expect("a store");
    reader.state(&url(site), START).expect("a site").fetched_at
}

#[test]
fn a_capture_counts_at_once_and_for_all_when_it_is_taken() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    let writer = store(place);
    assert_eq!(writer.take_handed().expect("nothing"), 0);
    let [one, other] = [reader(place), reader(place)];
    for site in 0..9 {
        assert!(one.hand(&capture(site, START)).expect("room"));
        assert!(!one.hand(&capture(site, START - 1)).expect("room"), "an older one changes nothing");
        // The table is built again whenever the writer makes a layer.
        writer.put(&capture(100 + site, START)).expect("room");
        if site % 4 == 3 {
            writer.flush().expect("room");
        }
        for past in 0..=site {
            assert_eq!((time(&one, past), time(&other, past)), (Some(START), None), "{past} of {site}");
        }
        assert_eq!(time(&one, 100 + site), Some(START));
    }
    assert_eq!(waiting(place).len(), 9);
    assert_eq!(writer.take_handed().expect("room"), 9);
    assert_eq!((waiting(place).len(), writer.take_handed().expect("nothing")), (0, 0));
    let query = other.query(["a"], "crawl");
    for site in 0..9 {
        assert_eq!((time(&one, site), time(&other, site)), (Some(START), Some(START)));
        assert!(!other.decide(&query, &format!("https://site{site}.example/x")).is_allowed());
    }
    writer.evict(START + 1).expect("room");
    assert_eq!((time(&one, 0), time(&other, 0)), (None, None), "a reader keeps nothing that was taken");
}

#[test]
fn captures_wait_for_the_next_writer() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    drop(store(place));
    let one = reader(place);
    one.hand(&capture(1, START)).expect("room");
    one.hand(&Capture { url: url(2), fetched_at: START, ..Capture::default() }).expect("room");
    let renewed = Capture { status: 304, body: Vec::new(), ..capture(1, START + 5) };
    assert!(matches!(one.hand(&renewed), Err(StoreError::NotModified(_))));
    assert!(matches!(one.hand(&Capture::default()), Err(error) if error.is_of_capture()));
    drop(one);
    let writer = store(place);
    assert_eq!((writer.take_handed().expect("room"), waiting(place).len()), (2, 0));
    let state = |site| writer.state(&url(site), START).expect("a site");
    assert_eq!(state(1).fetched_at, Some(START));
    assert_eq!(state(2).knowledge, Knowledge::Unreachable { since: START });
}

#[test]
fn a_damaged_file_is_named_and_the_others_are_taken() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path();
    let (writer, one) = (store(place), reader(place));
    one.hand(&capture(0, START)).expect("room");
    let bad = waiting(place).remove(0);
    let good = fs::read(&bad).expect("a capture");
    (1..5).for_each(|site| assert!(one.hand(&capture(site, START)).expect("room")));
    let folder = place.join("handed");
    fs::write(folder.join(".part"), "").expect("room");
    fs::create_dir(folder.join("directory.capture")).expect("room");
    let mut damaged: Vec<Vec<u8>> =
        (0..good.len()).step_by(5).map(|length| good[..length].to_vec()).collect();
    damaged.extend([[&good[..], b"x"].concat(), [&good[..], &good[24..]].concat()]);
    damaged.extend((0..good.len()).step_by(7).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    }));
    fs::remove_dir(folder.join("directory.capture")).expect("it is empty");
    for bytes in damaged {
        fs::write(&bad, bytes).expect("room");
        assert!(matches!(writer.take_handed(), Err(StoreError::Damaged { path, .. }) if path == bad));
        assert_eq!(waiting(place).len(), 2);
    }
    assert_eq!(writer.state(&url(4), START).expect("a site").fetched_at, Some(START));
    fs::write(&bad, &good).expect("room");
    assert_eq!(writer.take_handed().expect("room"), 1);
    // Nor does one that cannot be read hold up others, in whatever order they are listed.
    #[cfg(unix)]
    {
        (6..12).for_each(|site| assert!(one.hand(&capture(site, START)).expect("room")));
        let links = (0..6).map(|number| folder.join(format!("{number}.capture")));
        let links: Vec<_> = links.collect();
        links.iter().for_each(|link| std::os::unix::fs::symlink("gone", link).expect("room"));
        assert!(matches!(writer.take_handed(), Err(StoreError::Io { path, .. }) if links.contains(&path)));
        assert!((6..12).all(|site| writer.state(&url(site), START).expect("a site").fetched_at.is_some()));
        links.iter().for_each(|link| fs::remove_file(link).expect("a link"));
    }
    fs::create_dir(folder.join("directory.capture")).expect("room");
    assert!(matches!(writer.take_handed(), Err(StoreError::Damaged { .. })));
}

/// Without a writer, a reader holds no more than a limit, and says so.
#[test]
fn what_nobody_takes_has_a_limit() {
    let place = tempfile::tempdir().expect("a directory");
    drop(store(place.path()));
    let one = reader(place.path());
    let large = |site| Capture { body: vec![b'\n'; 2 * BODY_BYTES], ..capture(site, START) };
    let most = HANDED_BYTES / (BODY_BYTES + HANDED_LEAST);
    (0..most).for_each(|site| assert!(one.hand(&large(site)).expect("room")));
    let refused = |capture: &Capture| {
        let error = one.hand(capture).expect_err("it is full");
        assert!(matches!(error, StoreError::NotTaken { captures, .. } if captures >= most), "{error}");
        assert!(!error.is_of_capture(), "it may be handed over later");
        assert_eq!(one.state(&capture.url, START).expect("a site").knowledge, Knowledge::Unknown);
    };
    refused(&large(most));
    // The rest is for small ones; what was handed over goes on to count.
    let small = Capture { body: Vec::new(), ..capture(most, START) };
    assert!(one.hand(&small).expect("room"));
    assert_eq!(waiting(place.path()).len(), most + 1);
    (0..=most).for_each(|site| assert_eq!(time(&one, site), Some(START)));
    // Another reader has its own.
    assert!(reader(place.path()).hand(&large(most + 1)).expect("room"));
    // A writer makes room.
    let writer = store(place.path());
    assert_eq!(writer.take_handed().expect("room"), most + 2);
    assert!(one.hand(&large(most + 2)).expect("room"));
}

/// A file that a reader hands over must not be larger than what the writer reads.
#[test]
fn fields_without_bytes_count() {
    let place = tempfile::tempdir().expect("a directory");
    let store = store(place.path());
    let reader = reader(place.path());
    let fields = |count: usize| vec![(String::new(), Vec::new()); count];
    let many = Capture { headers: fields(HEADER_BYTES / 2), ..capture(1, START) };
    assert!(matches!(reader.hand(&many), Err(StoreError::TooLong)));
    let body = vec![b'#'; BODY_BYTES];
    let most = Capture { headers: fields(HEADER_BYTES / 2 - 100), body, ..capture(1, START) };
    assert!(reader.hand(&most).expect("room"));
    assert_eq!(store.take_handed().expect("it is whole"), 1);
}
