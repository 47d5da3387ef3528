//! What has ended permits nothing, and what was not read permits nothing: a store answers as the
//! image of the same captures does at the same time.

use robomaton_formats::Decision;
use robomaton_runtime::{Image, Terms, Usage};
use robomaton_store::{Capture, Store, StoreError, StoreOptions};
use robomaton_tests::captures::build_from;
use std::fs;

const START: u64 = 1_790_000_000;
/// The first of October 2026, which the page names, and three weeks before it.
const ENDS: u64 = 1_790_812_800;
const DAY: u64 = 86_400;

fn page(path: &str, headers: serde_json::Value) -> String {
    let url = format!("https://a.example{path}");
    serde_json::json!({ "url": url, "fetched_at": START, "headers": headers, "body": "<html></html>" })
        .to_string()
}

/// A site with a page that is available until a date, and one with a licence that gets out of date.
fn lines() -> Vec<String> {
    let robots = "User-agent: *\nContent-Usage: search=y\nAllow: /\n";
    let licence = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/q\"><license>\
                   <permits type=\"usage\">ai-train</permits></license></content></rsl>";
    let document = |path: &str, kind: &str, body: &str| {
        let (url, headers) =
            (format!("https://a.example{path}"), serde_json::json!({ "Content-Type": kind }));
        serde_json::json!({ "url": url, "fetched_at": START, "headers": headers, "body": body }).to_string()
    };
    let tag =
        serde_json::json!({ "Content-Type": "text/html", "X-Robots-Tag": "unavailable_after: 2026-10-01" });
    let link = "</lic.xml>; rel=\"license\"; type=\"application/rsl+xml\"";
    vec![
        document("/robots.txt", "text/plain", robots),
        page("/p", tag),
        page("/q", serde_json::json!({ "Content-Type": "text/html", "Link": link })),
        document("/lic.xml", "application/rsl+xml", licence),
    ]
}

#[test]
fn what_has_ended_permits_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let (directory, path) = (place.path().join("store"), place.path().join("base.rimg"));
    let bytes = build_from(&lines(), 1).image;
    fs::write(&path, &bytes).expect("room");
    let image = Image::from_bytes(bytes).expect("an image");
    let store = Store::open(&directory, StoreOptions::default()).expect("a store");
    store.seed(&[path]).expect("a base");
    let mut decisions = Vec::new();
    for now in [START, ENDS - DAY, ENDS + 2 * DAY, ENDS, START + 400 * DAY, START] {
        let image = image.clone().with_terms(Terms { now: Some(now), ..Terms::default() });
        for (path, usage) in [("/p", "index"), ("/p", "search"), ("/q", "ai-train"), ("/p", "crawl")] {
            let url = format!("https://a.example{path}");
            let crawler = image.crawler(["foo"]);
            let usages: Usage<'_> = image.usage(usage);
            let verdict = image.decide(&crawler, usages, &url);
            let query = store.query(["foo"], usage);
            let facts = store.snapshot().ask_at(&query, &url, now, |found| {
                assert_eq!(found.site().and_then(|site| site.is_stale()), Some(now > START + DAY));
                (found.decision(), found.is_incomplete())
            });
            assert_eq!(facts, (verdict.decision(), verdict.is_incomplete()), "{path} {usage} {now}");
            assert_eq!(store.decide_at(&query, &url, now), verdict.decision());
            decisions.push((path, usage, now, facts));
        }
    }
    let of =
        |path, usage, now| decisions.iter().find(|found| (found.0, found.1, found.2) == (path, usage, now));
    assert_ne!(
        of("/p", "index", ENDS + 2 * DAY).map(|found| found.3),
        of("/p", "index", START).map(|found| found.3)
    );
    let of_licence = |now| of("/q", "ai-train", now).map(|found| found.3.0);
    assert_eq!(of_licence(START), Some(Decision::Allowed));
    assert_eq!(of_licence(START + 400 * DAY), Some(Decision::Unknown));
    // The text of a capture in memory gets stale as one of a layer does.
    let url = "https://b.example/robots.txt".to_owned();
    let body = b"User-agent: *\nDisallow: /x\n".to_vec();
    let capture = Capture { url, fetched_at: START, status: 200, body, ..Capture::default() };
    assert!(store.put(&capture).expect("room"));
    let query = store.query(["foo"], "crawl");
    for (now, is_stale) in [(START, false), (START + 400 * DAY, true)] {
        let facts = |verdict: &robomaton_runtime::Verdict<'_>| {
            (verdict.decision(), verdict.site().and_then(|site| site.is_stale()))
        };
        let found = store.snapshot().ask_at(&query, "https://b.example/x", now, facts);
        assert_eq!(found, (Decision::Disallowed, Some(is_stale)));
    }
}

/// `compile` does not read such a text, and the store refuses it: one without a line would allow
/// all.
#[test]
fn a_text_that_is_cut_in_its_first_line_is_refused() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), StoreOptions::default()).expect("a store");
    let put = |status, body: &str, fetched_at| {
        let url = "https://a.example/robots.txt".to_owned();
        store.put(&Capture { url, fetched_at, status, body: body.into(), ..Capture::default() })
    };
    let answer = || {
        let query = store.query(["foo"], "crawl");
        store.decide_at(&query, "https://a.example/x", START + 9)
    };
    for body in ["User-agent: *", "# a long comment with no end", ""] {
        let refused = put(206, body, START);
        assert!(
            matches!(&refused, Err(error @ StoreError::Capture(_)) if error.is_of_capture()),
            "{refused:?}"
        );
        assert_eq!(answer(), Decision::Unknown);
    }
    assert!(put(206, "User-agent: *\nDisallow: /x\nAllow: /", START).expect("a whole line"));
    assert_eq!(answer(), Decision::Disallowed);
    let body = b"\x1f\x8b\x08\x00 still compressed".to_vec();
    let headers = vec![("Content-Encoding".to_owned(), b"gzip".to_vec())];
    let url = "https://a.example/robots.txt".to_owned();
    let coded = Capture { url, fetched_at: START + 1, status: 200, headers, body, ..Capture::default() };
    assert!(matches!(store.put(&coded), Err(error @ StoreError::Capture(_)) if error.is_of_capture()));
    assert!(put(206, "", START + 1).is_err());
    assert_eq!(answer(), Decision::Disallowed, "the earlier text counts");
}
