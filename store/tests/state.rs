//! What to fetch and when: states, validators, back-off, and the queue of fetches that are due.

use robomaton_formats::{Decision, Outcome};
use robomaton_store::limits::{HEADER_BYTES, IN_FLIGHT_SECONDS, LONGEST_RETRY_SECONDS};
use robomaton_store::{Capture, Durability, Knowledge, Store, StoreError, StoreOptions};
use robomaton_tests::generate::Random;
use std::collections::BTreeMap;
use std::path::Path;

const DAY: u64 = 86_400;
const START: u64 = 1_800_000_000;

fn open(place: &Path) -> Store {
    let options =
        StoreOptions { durability: Durability::Never, memory_captures: Some(20), ..StoreOptions::default() };
    Store::open(place, options).expect("a store")
}

fn url(site: usize) -> String {
    format!("https://site{site}.example/robots.txt")
}

fn capture(site: usize, fetched_at: u64, status: u16) -> Capture {
    let body = if status == 200 { b"User-agent: *\nDisallow: /x\n".to_vec() } else { Vec::new() };
    Capture { url: url(site), fetched_at, status, body, ..Capture::default() }
}

fn validated(capture: Capture) -> Capture {
    let headers = vec![
        ("ETag".to_owned(), b"\"v1\"".to_vec()),
        ("Last-Modified".to_owned(), b"Tue, 24 Nov 2026 18:00:00 GMT".to_vec()),
    ];
    Capture { headers, ..capture }
}

/// Calls the check with a store as it is, flushed, opened again and compacted.
fn in_every_place(place: &Path, mut store: Store, check: impl Fn(&Store)) -> Store {
    check(&store);
    store.flush().expect("room");
    check(&store);
    drop(store);
    store = open(place);
    check(&store);
    store.evict(0).expect("room");
    check(&store);
    drop(store);
    store = open(place);
    check(&store);
    store
}

#[test]
fn a_text_is_fresh_then_stale_and_renewed() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let state = store.state(&url(1), START).expect("a site");
    assert_eq!((state.knowledge, state.fetch_at, state.in_flight), (Knowledge::Unknown, 0, false));
    assert_eq!(state.not_before, None);
    assert!(store.begin(&url(1), START).expect("a site"));
    assert!(!store.begin(&url(1), START + 1).expect("a site"));
    assert!(store.state("https://SITE1.example:443/x", START + 1).expect("a site").in_flight);
    assert!(store.put(&validated(capture(1, START, 200))).expect("room"));
    assert!(!store.state(&url(1), START + 1).expect("a site").in_flight);
    let store = in_every_place(place.path(), store, |store| {
        for (now, knowledge) in [
            (START - 9, Knowledge::Fresh),
            (START + DAY, Knowledge::Fresh),
            (START + DAY + 1, Knowledge::Stale),
        ] {
            let state = store.state(&url(1), now).expect("a site");
            assert_eq!((state.knowledge, state.fetched_at), (knowledge, Some(START)));
            assert_eq!((state.fetch_at, state.etag.as_deref()), (START + DAY, Some("\"v1\"")));
            assert_eq!(state.last_modified.as_deref(), Some("Tue, 24 Nov 2026 18:00:00 GMT"));
        }
    });
    // 304 keeps text and validators, and is fresh again.
    assert!(store.put(&capture(1, START + 2 * DAY, 304)).expect("room"));
    assert!(!store.put(&capture(1, START + DAY, 304)).expect("room"));
    in_every_place(place.path(), store, |store| {
        let state = store.state(&url(1), START + 3 * DAY).expect("a site");
        assert_eq!((state.knowledge, state.fetched_at), (Knowledge::Fresh, Some(START + 2 * DAY)));
        assert_eq!(state.etag.as_deref(), Some("\"v1\""));
        let query = store.query(["a"], "crawl");
        assert!(!store.decide(&query, "https://site1.example/x").is_allowed());
        assert!(store.decide(&query, "https://site1.example/y").is_allowed());
        assert_eq!(store.snapshot().site(&url(1)).map(|site| site.status()), Some(200));
    });
}

#[test]
fn a_site_without_a_text_is_not_renewed() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let refused = |site, at| {
        let error = store.put(&capture(site, at, 304)).expect_err("nothing to renew");
        assert!(matches!(error, StoreError::NotModified(_)), "{error}");
    };
    refused(1, START);
    // The fetch has ended, so that it can be repeated without conditions.
    assert!(store.begin(&url(1), START).expect("a site"));
    refused(1, START);
    assert!(!store.state(&url(1), START).expect("a site").in_flight);
    for (site, status) in [(2, 404), (3, 503)] {
        store.put(&validated(capture(site, START, 200))).expect("room");
        store.put(&validated(capture(site, START + 1, status))).expect("room");
        // The text is gone, so there is nothing to validate.
        assert_eq!(store.state(&url(site), START).expect("a site").etag, None);
        refused(site, START + 2);
    }
    assert!(store.state("ftp://a/", START).is_err());
}

#[test]
fn failures_are_tried_again_ever_more_rarely() {
    let place = tempfile::tempdir().expect("a directory");
    let mut store = open(place.path());
    let (mut now, mut longest) = (START, 0);
    for failure in 0..30 {
        let status = [503, 0, 500][failure % 3];
        assert!(store.put(&capture(1, now, status)).expect("room"));
        store = in_every_place(place.path(), store, |store| {
            let state = store.state(&url(1), now).expect("a site");
            assert_eq!(state.knowledge, Knowledge::Unreachable { since: START });
            let wait = state.fetch_at - now;
            let least = (longest / 2).max(30);
            assert!((least..=LONGEST_RETRY_SECONDS).contains(&wait), "{wait}");
            assert!(!store.decide(&store.query(["a"], "crawl"), "https://site1.example/y").is_allowed());
        });
        let next = store.state(&url(1), now).expect("a site").fetch_at;
        longest = longest.max(next - now);
        assert_eq!(store.due(next - 1, 9), []);
        assert_eq!(store.due(next, 9).len(), 1);
        now = next;
    }
    assert!(now > START + 9 * DAY);
    store.put(&capture(1, now, 200)).expect("room");
    assert_eq!(store.state(&url(1), now).expect("a site").knowledge, Knowledge::Fresh);
    store.put(&capture(1, now + 1, 503)).expect("room");
    let since = now + 1;
    assert_eq!(store.state(&url(1), since).expect("a site").knowledge, Knowledge::Unreachable { since });
}

#[test]
fn a_fetch_in_flight_is_due_again_when_it_is_lost() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    for site in 0..10 {
        store.put(&validated(capture(site, START + site as u64, 200))).expect("room");
    }
    let urls = |now, most| store.due(now, most).into_iter().map(|due| due.url).collect::<Vec<_>>();
    let now = START + 2 * DAY;
    let list: Vec<String> = store.list_due(now, 3).into_iter().map(|due| due.url).collect();
    assert_eq!(list, [url(0), url(1), url(2)]);
    assert_eq!(urls(now, 3), [url(0), url(1), url(2)]);
    assert_eq!(store.list_due(now, 1)[0].url, url(3));
    assert_eq!(urls(now + 1, 2), [url(3), url(4)]);
    store.put(&capture(3, now, 200)).expect("room");
    assert_eq!(urls(now + IN_FLIGHT_SECONDS, 4), [url(0), url(1), url(2), url(5)]);
    assert_eq!(urls(now + IN_FLIGHT_SECONDS, 99).len(), 4);
    assert_eq!(urls(now + IN_FLIGHT_SECONDS, 99), Vec::<String>::new());
    let due = store.due(now + 9 * DAY, 1).remove(0);
    assert_eq!((due.url, due.state.etag.as_deref()), (url(0), Some("\"v1\"")));
}

/// A 304 behind a redirect is about the text there, whatever the validators say.
#[test]
fn a_304_behind_a_redirect_renews_no_text_of_the_site_itself() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let behind = |redirects, capture| Capture { redirects, ..capture };
    for (text, unchanged, is_renewed) in [(0, 0, true), (0, 1, false), (1, 1, true), (1, 0, false)] {
        let site = usize::from(2 * text + unchanged);
        store.put(&behind(text, validated(capture(site, START, 200)))).expect("room");
        let put = |at| store.put(&behind(unchanged, validated(capture(site, at, 304))));
        let first = put(START + DAY);
        assert_eq!(first.is_ok(), is_renewed, "{text} {unchanged}");
        store.flush().expect("room");
        assert_eq!(put(START + 2 * DAY).is_ok(), is_renewed, "{text} {unchanged}");
        if !is_renewed {
            assert!(matches!(first, Err(StoreError::NotModified(_))));
            assert_eq!(store.state(&url(site), START + 2 * DAY).expect("a site").etag, None);
        }
    }
}

/// The queue is that of a plain map, wherever the captures are.
#[test]
fn due_is_what_a_plain_map_says() {
    let place = tempfile::tempdir().expect("a directory");
    let (mut store, mut random) = (open(place.path()), Random::new(3));
    let mut newest: BTreeMap<String, u64> = BTreeMap::new();
    for step in 0..1_500 {
        let (site, fetched_at) = (random.below(90), START + random.below(4 * DAY as usize) as u64);
        let mut capture = capture(site, fetched_at, random.pick(&[200, 404, 200]));
        if random.below(3) == 0 {
            capture.url = capture.url.replace("https:", "http:");
        }
        let known = newest.entry(capture.url.clone()).or_default();
        *known = fetched_at.max(*known);
        store.put(&capture).expect("room");
        match random.below(60) {
            0 => store.flush().expect("room"),
            1 => store.compact().expect("room"),
            _ => {}
        }
        if step % 50 == 49 {
            // Nothing is in flight in a store that was opened again.
            drop(store);
            store = open(place.path());
            let now = START + random.below(6 * DAY as usize) as u64;
            let mut wanted: Vec<(u64, &String)> =
                newest.iter().map(|(url, &at)| (at + DAY, url)).filter(|&(at, _)| at <= now).collect();
            wanted.sort_unstable();
            let found = store.due(now, 1_000);
            let mut found: Vec<(u64, &String)> =
                found.iter().map(|due| (due.state.fetch_at, &due.url)).collect();
            assert!(found.is_sorted_by_key(|&(at, _)| at));
            found.sort_unstable();
            assert_eq!(found, wanted);
        }
    }
}

/// Validators are those of the text that is held, even if two were fetched in one second.
#[test]
fn a_text_has_no_validators_of_another_one() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    assert!(store.put(&validated(capture(1, START, 200))).expect("room"));
    store.flush().expect("room");
    let texts = (b'a'..=b'z').map(|letter| [b"User-agent: *\nDisallow: /", &[letter][..]].concat());
    let captures = texts.map(|body| Capture { body, ..capture(1, START, 200) });
    let taken = captures.filter(|capture| store.put(capture).expect("room")).count();
    assert!(taken > 0, "a text of the same second is chosen by its bytes");
    let store = in_every_place(place.path(), store, |store| {
        let state = store.state(&url(1), START).expect("a site");
        assert_eq!((state.etag, state.last_modified), (None, None));
    });
    // An ordinary visit does not hide anything.
    assert!(store.put(&validated(capture(1, START + 1, 200))).expect("room"));
    assert!(store.state(&url(1), START + 1).expect("a site").etag.is_some());
}

/// A site that is overloaded says when it may be asked again, and a crawler how it may be visited.
#[test]
fn waiting_and_manners_come_along() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let busy = |site, status, wait: &str| Capture {
        headers: vec![("Retry-After".to_owned(), wait.into())],
        ..capture(site, START, status)
    };
    for (site, status, wait) in
        [(1, 503, "7200"), (2, 503, "1"), (3, 429, "7200"), (4, 429, "1"), (5, 429, "soon"), (6, 404, "9")]
    {
        assert!(store.put(&busy(site, status, wait)).expect("room"));
    }
    let text = "User-agent: *\nDisallow: /x\nCrawl-delay: 2.5\nRequest-rate: 1/5 0600-0845\nVisit-time: 0530-2059\n\n\
                User-agent: b\nDisallow: /\nClean-param: sid&ref /shop/\n";
    assert!(store.put(&Capture { body: text.into(), ..capture(7, START, 200) }).expect("room"));
    in_every_place(place.path(), store, |store| {
        let state = |site| store.state(&url(site), START).expect("a site");
        assert_eq!((state(1).not_before, state(1).fetch_at), (Some(START + 7200), START + 7200));
        assert_eq!(state(2).not_before, Some(START + 1));
        assert!((START + 30..=START + 60).contains(&state(2).fetch_at));
        assert_eq!((state(3).not_before, state(3).fetch_at), (Some(START + 7200), START + 7200));
        assert_eq!((state(4).not_before, state(4).fetch_at), (Some(START + 1), START + 600));
        assert_eq!((state(5).not_before, state(5).fetch_at), (None, START + DAY));
        assert_eq!((state(6).not_before, state(6).fetch_at), (None, START + DAY));
        let due: Vec<String> = store.list_due(START + 7200, 9).into_iter().map(|due| due.url).collect();
        assert_eq!(due, [url(2), url(4), url(1), url(3)]);
        let manners = |name: &str| store.snapshot().manners(&store.query([name], "crawl"), &url(7));
        let any = manners("*");
        assert_eq!(
            (any.schedule.delays.as_slice(), any.clean_params.as_slice()),
            (&[2500][..], &["sid&ref /shop/".to_owned()][..])
        );
        assert_eq!(
            (any.schedule.rates[0].millis(), any.schedule.visits[0].to_string()),
            (5000, "05:30-20:59".to_owned())
        );
        let named = manners("b");
        assert_eq!((named.schedule, named.clean_params), (Default::default(), any.clean_params));
        assert_eq!(store.snapshot().manners(&store.query(["b"], "crawl"), &url(99)), Default::default());
    });
}

/// What of a text and its 304 tells that they belong together.
fn headers(etag: &str, last_modified: &str) -> Vec<(String, Vec<u8>)> {
    let fields = [("ETag", etag), ("Last-Modified", last_modified)];
    fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|&(name, value)| (name.to_owned(), value.into()))
        .collect()
}

/// While a fetch with the validators of the first text is under way, a second text is put. The 304
/// is about the first one.
#[test]
fn a_304_renews_the_text_that_it_is_about() {
    let (monday, friday) = ("Mon, 23 Nov 2026 18:00:00 GMT", "Fri, 27 Nov 2026 18:00:00 GMT");
    for (second, answer, is_renewed) in [
        ((r#""2""#, ""), (r#""1""#, ""), false),
        ((r#""2""#, monday), (r#""1""#, monday), false),
        ((r#""2""#, ""), (r#"W/"2""#, ""), true),
        ((r#"W/"2""#, ""), (r#""2""#, friday), true),
        (("", monday), ("", friday), false),
        (("", monday), (r#""1""#, friday), false),
        (("", monday), (r#""1""#, monday), true),
        // Nothing tells.
        (("", ""), ("", ""), false),
        ((r#""2""#, ""), ("", friday), false),
        (("", monday), (r#""1""#, ""), false),
        ((r#""2""#, ""), ("", ""), false),
    ] {
        let case = format!("{answer:?} about {second:?}");
        let place = tempfile::tempdir().expect("a directory");
        let store = open(place.path());
        let first = Capture { headers: headers(r#""1""#, ""), ..capture(1, START, 200) };
        assert!(store.put(&first).expect("room"));
        let now = START + DAY;
        assert!(store.begin(&url(1), now).expect("a site"));
        let body = b"User-agent: *\nDisallow: /y\n".to_vec();
        let second = Capture { headers: headers(second.0, second.1), body, ..capture(1, now + 1, 200) };
        assert!(store.put(&second).expect("room"));
        let answer = Capture { headers: headers(answer.0, answer.1), ..capture(1, now + 2, 304) };
        let put = store.put(&answer);
        match is_renewed {
            true => assert!(put.expect("it is the second one"), "{case}"),
            false => {
                assert!(matches!(put, Err(StoreError::NotModified(_))), "{case}: {put:?}");
                // Else the same validators would bring the same answer.
                let due = store.list_due(now + 9 * DAY, 1).remove(0).state;
                for state in [store.state(&url(1), now + 2).expect("a site"), due] {
                    assert_eq!((state.etag, state.last_modified), (None, None), "{case}");
                }
            }
        }
        in_every_place(place.path(), store, |store| {
            let state = store.state(&url(1), now + 2).expect("a site");
            assert_eq!(state.fetched_at, Some(now + 1 + u64::from(is_renewed)), "{case}");
            assert!(!state.in_flight, "it is fetched again, without conditions");
            assert!(!store.decide(&store.query(["a"], "crawl"), "https://site1.example/y").is_allowed());
        });
    }
}

/// A text that comes late is not the one that a 304 is about whose own validators are those of the
/// text that was held: that one was in force. Without validators, or if they are those of the late
/// text, too, the later one is.
#[test]
fn a_late_text_is_not_the_one_that_a_304_names() {
    for (of_answer, of_late, is_late_one) in [
        (r#""1""#, r#""2""#, false),
        (r#""1""#, "", false),
        ("", r#""2""#, true),
        (r#""1""#, r#"W/"1""#, true),
    ] {
        let place = tempfile::tempdir().expect("a directory");
        let store = open(place.path());
        let first = Capture { headers: headers(r#""1""#, ""), ..capture(1, START, 200) };
        assert!(store.put(&first).expect("room"));
        assert!(store.begin(&url(1), START + DAY).expect("a site"));
        let answer = Capture { headers: headers(of_answer, ""), ..capture(1, START + DAY, 304) };
        assert!(store.put(&answer).expect("room"));
        let put_late = |tag: &str, at, path: &str| {
            let body = format!("User-agent: *\nDisallow: {path}\n").into();
            store.put(&Capture { headers: headers(tag, ""), body, ..capture(1, at, 200) }).expect("room")
        };
        assert_eq!(put_late(of_late, START + 9, "/y"), is_late_one, "{of_answer} {of_late}");
        assert!(!put_late(of_late, START + 9, "/y"), "twice");
        // What the 304 named is not forgotten.
        if !of_answer.is_empty() {
            assert!(!put_late(r#""3""#, START + 10, "/z"), "{of_answer} {of_late}");
        }
        in_every_place(place.path(), store, |store| {
            let refuses = |path: &str| {
                let url = format!("https://site1.example{path}");
                !store.decide(&store.query(["a"], "crawl"), &url).is_allowed()
            };
            assert_eq!((refuses("/x"), refuses("/y")), (!is_late_one, is_late_one));
        });
    }
}

/// What a redirect found that comes late may be what a 304 without validators is about, and the
/// text that is held, too.
#[test]
fn a_late_redirect_behind_a_304_leaves_its_text_open() {
    let body = b"User-agent: *\nDisallow: /y\n".to_vec();
    let text = Capture { body, ..capture(1, START + 9, 200) };
    for late in [Capture { redirects: 1, ..text.clone() }, capture(1, START + 9, 301)] {
        for (tag, outcome) in [("", Outcome::Unresolved), (r#""1""#, Outcome::Rules)] {
            let place = tempfile::tempdir().expect("a directory");
            let store = open(place.path());
            let first = Capture { headers: headers(r#""1""#, ""), ..capture(1, START, 200) };
            assert!(store.put(&first).expect("room"));
            let answer = Capture { headers: headers(tag, ""), ..capture(1, START + DAY, 304) };
            assert!(store.put(&answer).expect("room"));
            assert_eq!(store.put(&late).expect("room"), tag.is_empty());
            assert!(!store.put(&late).expect("room"), "twice");
            in_every_place(place.path(), store, |store| {
                let found = store.snapshot().site(&url(1)).and_then(|site| site.outcome());
                assert_eq!(found, Some(outcome), "{tag}");
            });
        }
    }
}

/// Without the layer of its text, a 304 of the log is about no text that is held.
#[test]
fn a_304_renews_no_older_text_when_the_layer_of_its_own_is_left_out() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let old = Capture { headers: headers(r#""1""#, ""), ..capture(1, START, 200) };
    assert!(store.put(&old).and_then(|_| store.flush()).is_ok());
    let body = b"User-agent: *\nDisallow: /\n".to_vec();
    let new = Capture { headers: headers(r#""2""#, ""), body, ..capture(1, START + DAY, 200) };
    assert!(store.put(&new).and_then(|_| store.flush()).is_ok());
    let answer = Capture { headers: headers(r#""2""#, ""), ..capture(1, START + 2 * DAY, 304) };
    assert!(store.put(&answer).expect("room"));
    drop(store);
    let layer = robomaton_runtime::Manifest::read(place.path()).expect("a manifest").layers.pop();
    std::fs::write(place.path().join(layer.expect("a layer")), "no image").expect("room");
    let options = StoreOptions { without_damaged_layers: true, ..StoreOptions::default() };
    let store = Store::open(place.path(), options).expect("the rest");
    let state = store.state(&url(1), START + 2 * DAY).expect("a site");
    assert_eq!((state.knowledge, state.fetched_at), (Knowledge::Stale, Some(START)));
    assert_eq!(state.etag.as_deref(), Some(r#""1""#));
}

/// An answer of the same second may be about the first text, too; a longer freshness does not make
/// it one about the second.
#[test]
fn a_304_of_the_same_second_renews_the_text_that_it_is_about() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let put = |tag: &str, age: &str, status| {
        let mut headers = headers(tag, "");
        headers.push(("Cache-Control".to_owned(), format!("max-age={age}").into()));
        store.put(&Capture { headers, ..capture(1, START, status) })
    };
    assert!(put(r#""2""#, "100", 200).expect("room"));
    assert!(matches!(put(r#""1""#, "5000", 304), Err(StoreError::NotModified(_))));
    assert!(put(r#""2""#, "5000", 304).expect("it is about the second text"));
    assert_eq!(store.state(&url(1), START).expect("a site").etag.as_deref(), Some(r#""2""#));
}

/// Else its site would be in flight, and fetched again for ever without a failure.
#[test]
fn a_capture_that_is_too_long_ends_its_fetch() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    assert!(store.begin(&url(1), START).expect("a site"));
    let long =
        Capture { headers: vec![("a".to_owned(), vec![b'a'; HEADER_BYTES])], ..capture(1, START, 200) };
    assert!(matches!(store.put(&long), Err(StoreError::TooLong)));
    assert!(!store.state(&url(1), START).expect("a site").in_flight);
}

/// A 304 without validators counts if nothing was put since its fetch began, and an old one changes
/// nothing.
#[test]
fn a_304_without_validators_renews_what_was_held_when_its_fetch_began() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    assert!(store.put(&validated(capture(1, START, 200))).expect("room"));
    let renew = |at| store.put(&capture(1, at, 304));
    assert!(matches!(renew(START + IN_FLIGHT_SECONDS - 1), Err(StoreError::NotModified(_))));
    assert!(store.begin(&url(1), START + 5).expect("a site"));
    assert!(renew(START + 9).expect("the fetch that began"));
    assert!(matches!(renew(START + 10), Err(StoreError::NotModified(_))));
    assert_eq!(store.state(&url(1), START + 10).expect("a site").etag, None);
    assert!(renew(START + 9 + IN_FLIGHT_SECONDS).expect("a later fetch"));
    assert!(store.state(&url(1), START + 10).expect("a site").etag.is_some());
    let other = Capture { headers: headers(r#""0""#, ""), ..capture(1, START + 3, 304) };
    assert!(!store.put(&other).expect("an old answer"));
    // What is gone is not renewed.
    for (status, at) in [(503, START + 2_000), (404, START + 3_000)] {
        assert!(store.put(&capture(1, at, status)).expect("room"));
        assert!(matches!(renew(at + 900), Err(StoreError::NotModified(_))));
    }
    assert!(store.put(&validated(capture(1, START + 5_000, 200))).expect("room"));
    assert!(store.begin(&url(1), START + 6_000).expect("a site"));
    store.evict(START + 5_001).expect("room");
    assert!(matches!(renew(START + 6_001), Err(StoreError::NotModified(_))));
}

/// What is missing may refuse, also after the text was renewed.
#[test]
fn a_text_that_was_cut_permits_no_use() {
    let body = "User-agent: *\nDisallow: /x\nContent-Signal: ai-train=yes\nDisal";
    for (truncated, wanted) in [(false, (Decision::Allowed, false)), (true, (Decision::Unknown, true))] {
        let place = tempfile::tempdir().expect("a directory");
        let store = open(place.path());
        let line = serde_json::json!({
            "url": url(1), "fetched_at": START, "body": body, "truncated": truncated,
            "headers": { "etag": "\"v1\"" },
        });
        let put = Capture::from_json(line.to_string().as_bytes(), START).expect("a capture");
        assert!(store.put(&put).expect("room"));
        let check = |store: &Store| {
            store.snapshot().ask(&store.query(["a"], "ai-train"), "https://site1.example/y", |verdict| {
                assert_eq!((verdict.decision(), verdict.is_incomplete()), wanted);
            });
            assert!(!store.decide(&store.query(["a"], "crawl"), "https://site1.example/x").is_allowed());
            assert!(store.decide(&store.query(["a"], "crawl"), "https://site1.example/y").is_allowed());
        };
        let store = in_every_place(place.path(), store, check);
        let headers = vec![("ETag".to_owned(), b"\"v1\"".to_vec())];
        let renewed = Capture { headers, ..capture(1, START + DAY, 304) };
        assert!(store.put(&renewed).expect("room"));
        in_every_place(place.path(), store, check);
    }
}
