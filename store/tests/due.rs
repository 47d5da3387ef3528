//! The queue of a store that is never closed: what was hidden once stays out of it, and nothing
//! else does.

use robomaton_store::{Capture, Durability, Store, StoreOptions};
use robomaton_tests::generate::Random;
use std::collections::{BTreeMap, BTreeSet};

const DAY: u64 = 86_400;
const START: u64 = 1_800_000_000;
const SITES: usize = 3_000;

fn capture(site: usize, fetched_at: u64, status: u16) -> Capture {
    let url = format!("https://site{site}.example/robots.txt");
    Capture { url, fetched_at, status, body: b"User-agent: *\n".to_vec(), ..Capture::default() }
}

/// The fetches of a crawler, against a plain map of the times of the next ones.
#[test]
fn a_crawl_fetches_what_is_due_first() {
    let place = tempfile::tempdir().expect("a directory");
    let options =
        StoreOptions { durability: Durability::Never, memory_captures: Some(300), ..StoreOptions::default() };
    let store = Store::open(place.path(), options).expect("a store");
    let mut random = Random::new(5);
    let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
    // More than half of a layer that is never merged is hidden in the end, and unreachable sites
    // are among those that are not.
    for site in 0..SITES {
        let fetched_at = START + random.below(2 * DAY as usize) as u64;
        let capture = capture(site, fetched_at, random.pick(&[200, 404, 200, 503, 429]));
        store.put(&capture).expect("room");
        let state = store.state(&capture.url, fetched_at).expect("a site");
        wanted.insert(capture.url, state.fetch_at);
    }
    store.flush().expect("room");
    let (mut now, mut fetched) = (START + DAY, 0);
    for round in 0..400 {
        let most = random.pick(&[0, 1, 7, 40]);
        let mut first: Vec<u64> = wanted.values().copied().filter(|&at| at <= now).collect();
        first.sort_unstable();
        first.truncate(most);
        let due = store.due(now, most);
        assert_eq!(due.iter().map(|due| due.state.fetch_at).collect::<Vec<_>>(), first, "round {round}");
        let urls: BTreeSet<&String> = due.iter().map(|due| &due.url).collect();
        assert_eq!(urls.len(), due.len());
        for url in urls {
            assert!(wanted[url] <= now, "{url}");
            let site = url.trim_start_matches("https://site").split('.').next().expect("a label");
            let capture = capture(site.parse().expect("a number"), now, random.pick(&[200, 200, 503]));
            assert_eq!(capture.url, *url);
            assert!(store.put(&capture).expect("room"));
            wanted.insert(url.clone(), store.state(url, now).expect("a site").fetch_at);
            fetched += 1;
        }
        match random.below(40) {
            0 => store.flush().expect("room"),
            1 => store.compact().expect("room"),
            _ => {}
        }
        now += random.below(DAY as usize / 50) as u64;
    }
    assert!(fetched > SITES, "{fetched}");
}
