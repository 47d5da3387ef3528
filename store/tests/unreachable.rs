//! Sites that are unreachable for long: the choice that RFC 9309 leaves to the crawler, with a
//! clock that moves.

use robomaton_formats::Decision;
use robomaton_runtime::Terms;
use robomaton_store::{Capture, Knowledge, Query, Reader, ReaderOptions, Snapshot, Store, StoreOptions};
use std::path::Path;

const DAY: u64 = 86_400;
const START: u64 = 1_800_000_000;
const URL: &str = "https://a.example/robots.txt";
const PAGE: &str = "https://a.example/x";

fn open(place: &Path, on_long_unreachable: Decision) -> Store {
    let terms = Terms { on_long_unreachable, ..Terms::default() };
    Store::open(place, StoreOptions { terms, ..StoreOptions::default() }).expect("a store")
}

fn put(store: &Store, fetched_at: u64, status: u16) {
    let body = if status == 200 { b"User-agent: *\nDisallow: /x\n".to_vec() } else { Vec::new() };
    let capture = Capture { url: URL.to_owned(), fetched_at, status, body, ..Capture::default() };
    assert!(store.put(&capture).expect("room"));
}

/// The answer about a page, which is also the state's and the explanation's.
fn answer(snapshot: &Snapshot, query: &Query, now: u64) -> Decision {
    let verdict = snapshot.state(URL, now).expect("a site").verdict.expect("an unreachable site");
    assert_eq!(snapshot.decide_at(query, PAGE, now), verdict, "{now}");
    let explained = snapshot.with_site(PAGE, now, |image| {
        image.decide(&image.crawler(["a"]), image.usage("crawl"), PAGE).decision()
    });
    assert_eq!(explained.expect("sound layers"), verdict, "{now}");
    verdict
}

/// RFC 9309 2.3.1.4: the time counts from the first failure in a row, wherever it is stored.
#[test]
fn a_site_that_is_unreachable_for_long_is_answered_as_chosen() {
    let place = tempfile::tempdir().expect("a directory");
    let (allowed, disallowed) = (Decision::Allowed, Decision::Disallowed);
    // The clock moves: a failure every four days, in layers, in the log, and over openings.
    for day in (0..=60).step_by(4) {
        let store = open(place.path(), allowed);
        put(&store, START + day * DAY, 503);
        if day % 12 == 0 {
            store.flush().expect("room");
        }
        let query = store.query(["a"], "crawl");
        let by_default = Reader::open(place.path(), ReaderOptions::default()).expect("a store");
        let its_query = by_default.query(["a"], "crawl");
        for (now, wanted) in [
            (START - 1, disallowed),
            (START + day * DAY, if day > 30 { allowed } else { disallowed }),
            (START + 30 * DAY, disallowed),
            (START + 30 * DAY + 1, allowed),
        ] {
            assert_eq!(answer(&store.snapshot(), &query, now), wanted, "{day} days, {now}");
            // The choice is each caller's, and nobody's without a time.
            assert_eq!(answer(&by_default.snapshot(), &its_query, now), disallowed);
            assert_eq!(store.decide(&query, PAGE), disallowed);
            assert_eq!(store.decide_at(&query, "https://other.example/x", now), Decision::Unknown);
        }
    }
    // An answer ends the row; the next failure begins another.
    let store = open(place.path(), allowed);
    let query = store.query(["a"], "crawl");
    put(&store, START + 61 * DAY, 200);
    assert_eq!(store.state(URL, START + 61 * DAY).expect("a site").verdict, None);
    assert_eq!(store.decide_at(&query, PAGE, START + 100 * DAY), disallowed);
    assert_eq!(store.decide_at(&query, "https://a.example/y", START + 100 * DAY), allowed);
    put(&store, START + 62 * DAY, 500);
    assert_eq!(answer(&store.snapshot(), &query, START + 92 * DAY), disallowed);
    assert_eq!(answer(&store.snapshot(), &query, START + 92 * DAY + 1), allowed);
}

/// A row may begin in an image that was compiled, which has no visits.
#[test]
fn a_row_of_failures_begins_in_a_layer_without_visits() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path(), Decision::Allowed);
    put(&store, START, 503);
    store.flush().expect("room");
    drop(store);
    for entry in std::fs::read_dir(place.path()).expect("a directory") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "visits") {
            std::fs::remove_file(path).expect("a file");
        }
    }
    let store = open(place.path(), Decision::Allowed);
    let query = store.query(["a"], "crawl");
    assert_eq!(answer(&store.snapshot(), &query, START + 30 * DAY + 1), Decision::Allowed);
    put(&store, START + 20 * DAY, 503);
    let state = store.state(URL, START + 20 * DAY).expect("a site");
    assert_eq!(state.knowledge, Knowledge::Unreachable { since: START });
    assert_eq!(answer(&store.snapshot(), &query, START + 30 * DAY + 1), Decision::Allowed);
}

/// A row of failures ends with an answer, also if that is put after a later failure.
#[test]
fn an_answer_that_comes_late_ends_a_row_of_failures() {
    let since = |store: &Store| match store.state(URL, START + 50 * DAY).expect("a site").knowledge {
        Knowledge::Unreachable { since } => (since - START) / DAY,
        other => panic!("{other:?}"),
    };
    for (is_in_layer, status) in [(false, 200), (true, 200), (false, 404), (true, 404)] {
        let place = tempfile::tempdir().expect("a directory");
        let store = open(place.path(), Decision::Allowed);
        let query = store.query(["a"], "crawl");
        put(&store, START + DAY, 500);
        put(&store, START + 30 * DAY, 503);
        if is_in_layer {
            store.flush().expect("room");
        }
        let late = |day| {
            let body = b"User-agent: *\nAllow: /\n".to_vec();
            Capture { url: URL.to_owned(), fetched_at: START + day * DAY, status, body, ..Capture::default() }
        };
        // An answer before the row does not end it, and nor does another failure.
        assert!(!store.put(&late(0)).expect("room"));
        assert!(!store.put(&Capture { status: 500, ..late(20) }).expect("room"));
        assert_eq!(since(&store), 1);
        assert!(store.put(&late(20)).expect("room"));
        assert!(!store.put(&late(25)).expect("room") && !store.put(&late(20)).expect("room"));
        let check = |store: &Store| {
            assert_eq!(since(store), 30, "{is_in_layer} {status}");
            assert_eq!(answer(&store.snapshot(), &query, START + 60 * DAY), Decision::Disallowed);
            assert_eq!(answer(&store.snapshot(), &query, START + 60 * DAY + 1), Decision::Allowed);
            let site = store.snapshot().site(URL).map(|site| (site.status(), site.fetched_at()));
            assert_eq!(site, Some((503, Some(START + 30 * DAY))));
        };
        check(&store);
        drop(store);
        let store = open(place.path(), Decision::Allowed);
        check(&store);
        store.compact().expect("room");
        check(&store);
        drop(store);
        check(&open(place.path(), Decision::Allowed));
    }
}
