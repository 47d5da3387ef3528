//! Puts, questions, compaction and eviction in several threads at once: an answer is always that of
//! a capture that was put, and never goes back in time.

use robomaton_store::{Capture, Durability, Store, StoreOptions};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const SITES: u64 = 40;
const ROUNDS: u64 = 60;

fn capture(site: u64, round: u64) -> Capture {
    Capture {
        url: format!("https://site{site}.example/robots.txt"),
        fetched_at: 1_000 + round,
        status: 200,
        body: format!("User-agent: *\nDisallow: /{round}-\n").into(),
        ..Capture::default()
    }
}

#[test]
fn answers_never_go_back() {
    let place = tempfile::tempdir().expect("a directory");
    let options = || StoreOptions {
        durability: Durability::Every(Duration::from_millis(1)),
        memory_captures: Some(7),
        ..StoreOptions::default()
    };
    let store = Store::open(place.path(), options()).expect("a store");
    // The newest round of each site whose put has returned.
    let put: Vec<AtomicU64> = (0..SITES).map(|_| AtomicU64::new(0)).collect();
    let is_done = AtomicBool::new(false);
    let check = |store: &Store, site: u64| {
        let least = put[site as usize].load(Ordering::Acquire);
        let snapshot = store.snapshot();
        let query = store.query(["a"], "crawl");
        let Some(found) = snapshot.site(&format!("https://site{site}.example/")) else {
            assert_eq!(least, 0, "site {site} is gone");
            return;
        };
        let round = found.fetched_at().expect("a time") - 1_000;
        assert!(round >= least, "site {site}: {round} after {least}");
        for (path, is_allowed) in [(round, false), (round + 1, true)] {
            let decision = snapshot.decide(&query, &format!("https://site{site}.example/{path}-"));
            assert_eq!(decision.is_allowed(), is_allowed, "site {site}, round {round}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                store.compact().expect("room");
                store.evict(1_000).expect("room");
                store.sync().expect("a disk");
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    (0..SITES).for_each(|site| check(&store, site));
                }
            });
        }
        let (store, put, check) = (&store, &put, &check);
        let writers: Vec<_> = (0..2)
            .map(|number| {
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        for site in (number..SITES).step_by(2) {
                            assert!(store.put(&capture(site, round)).expect("room"));
                            put[site as usize].store(round, Ordering::Release);
                            check(store, site);
                        }
                    }
                })
            })
            .collect();
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_done.store(true, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.expect("a writer"));
    });
    drop(store);
    let store = Store::open(place.path(), options()).expect("a store");
    (0..SITES).for_each(|site| check(&store, site));
}
