//! The captures of a WARC stream give a site the outcome that a batch of the same stream gives it.

use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_runtime::Image;
use robomaton_store::{Capture, Durability, Store, StoreOptions};
use robomaton_tests::write::record;
use std::fs;

const ALLOWS: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n";

fn answer(second: u32, url: &str, block: &str) -> Vec<u8> {
    record("response", url, &format!("2026-01-01T00:00:{second:02}Z"), block.as_bytes())
}

fn moved(to: &str) -> String {
    format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n")
}

fn robots(host: &str) -> String {
    format!("https://{host}.example/robots.txt")
}

fn store_options() -> StoreOptions {
    StoreOptions { durability: Durability::Never, ..StoreOptions::default() }
}

/// The outcome of this host's site, by a batch and by a store.
fn outcomes(host: &str, records: &[Vec<u8>]) -> [String; 2] {
    let place = tempfile::tempdir().expect("a directory");
    let (path, bytes) = (place.path().join("x.warc"), records.concat());
    fs::write(&path, &bytes).expect("room");
    let built = build(&[Input::Path(path)], &BatchOptions::default(), &Progress::default());
    let image = Image::from_bytes(built.expect("an image").image).expect("an image");
    let store = Store::open(place.path().join("store"), store_options()).expect("a store");
    let read = Capture::from_warc(&bytes[..], 1_800_000_000, 1 << 20, 100).expect("within the limits");
    for capture in read.records.into_iter().filter_map(|(_, capture)| capture.ok()) {
        store.put(&capture).expect("a capture");
    }
    let (url, snapshot) = (robots(host), store.snapshot());
    [image.site(&url), snapshot.site(&url)]
        .map(|site| site.and_then(|site| site.outcome()).expect("a site").to_string())
}

/// Five redirects, and this answer.
fn behind_five(block: &str) -> Vec<Vec<u8>> {
    let hop = |hop: u32| answer(1, &robots(&format!("h{hop}")), &moved(&robots(&format!("h{}", hop + 1))));
    (0..5).map(hop).chain([answer(1, &robots("h5"), block)]).collect()
}

#[test]
fn a_redirect_to_nowhere_is_none_too_many() {
    let to_nowhere = [
        "HTTP/1.1 300 Multiple Choices\r\n\r\n",
        "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 301 Moved\r\nLocation: http://[\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation:\r\n\r\n",
    ];
    for block in to_nowhere {
        assert_eq!(outcomes("h0", &behind_five(block)), ["unresolved"; 2], "{block}");
    }
    assert_eq!(outcomes("h0", &behind_five(&moved("/elsewhere"))), ["too-many-redirects"; 2]);
    assert_eq!(outcomes("h0", &behind_five(ALLOWS)), ["rules"; 2]);
}

/// A fetcher that gives no header fields says that it stopped at a redirect.
#[test]
fn a_line_of_json_may_lack_the_target_of_a_redirect() {
    let outcome = |rest: &str| {
        let place = tempfile::tempdir().expect("a directory");
        let store = Store::open(place.path(), store_options()).expect("a store");
        let line = format!("{{\"url\": \"{}\", \"status\": 301, {rest}}}", robots("a"));
        store.put(&Capture::from_json(line.as_bytes(), 7).expect("a capture")).expect("a capture");
        store.snapshot().site(&robots("a")).and_then(|site| site.outcome()).expect("a site").to_string()
    };
    assert_eq!(outcome("\"redirects\": 5"), "too-many-redirects");
    assert_eq!(outcome("\"redirects\": 4"), "unresolved");
    assert_eq!(outcome("\"redirects\": 5, \"headers\": {\"Location\": \"/x\"}"), "too-many-redirects");
    assert_eq!(outcome("\"redirects\": 5, \"headers\": {\"Location\": \"http://[\"}"), "unresolved");
    assert_eq!(outcome("\"redirects\": 5, \"headers\": {\"Server\": \"x\"}"), "unresolved");
}

#[test]
fn no_older_answer_of_a_target_answers_for_one_that_cannot_be_read() {
    let unread = [
        ("response", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x"),
        ("response", "no status"),
        ("response", "HTTP/1.1 206 Partial\r\n\r\nUser-agent: *"),
        ("revisit", "HTTP/1.1 200 OK\r\nETag: \"other\"\r\n\r\n"),
    ];
    for target in [robots("b"), "https://b.example/rules".to_owned()] {
        for (kind, block) in unread {
            let older = format!("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n\r\n{}", &ALLOWS[19..]);
            let at = |second: u32| {
                let date = format!("2026-01-01T00:00:{second:02}Z");
                record(kind, &target, &date, block.as_bytes())
            };
            let redirect = answer(5, &robots("a"), &moved(&target));
            let first = answer(2, &target, &older);
            let unread = [first.clone(), at(3), redirect.clone()];
            assert_eq!(outcomes("a", &unread), ["unresolved"; 2], "{target} {block}");
            let unread = [at(3), redirect.clone(), first.clone()];
            assert_eq!(outcomes("a", &unread), ["unresolved"; 2], "{target} {block}");
            let older = [at(1), redirect, first];
            assert_eq!(outcomes("a", &older), ["rules"; 2], "{target} {block}");
        }
    }
}

/// The site of a redirect's target is the one of its captures, however its URL is written.
#[test]
fn targets_are_found_by_their_sites() {
    for location in
        ["https://b.example./robots.txt", "https://u:p@b.example/robots.txt#x", "//B.example:443/robots.txt"]
    {
        let records = [answer(1, &robots("a"), &moved(location)), answer(1, &robots("b"), ALLOWS)];
        assert_eq!(outcomes("a", &records), ["rules"; 2], "{location}");
    }
}
