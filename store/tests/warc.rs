//! The captures of a WARC stream give a site the outcome that a batch of the same stream gives it.

use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::{Decision, Outcome};
use robomaton_runtime::Image;
use robomaton_store::{Capture, Durability, Store, StoreOptions};
use robomaton_tests::generate::Random;
use robomaton_tests::write::record;
use std::fs;
use std::path::Path;

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

/// A newer fetch that cannot be read leaves the site unresolved in a store, too. Only a revisit of
/// a text that the stream does not name is refused without a trace: the text may be the one that
/// is held.
#[test]
fn no_older_answer_answers_for_one_that_cannot_be_read() {
    for block in [
        "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x",
        "no status",
        "HTTP/1.1 206 Partial\r\n\r\nUser-agent: *",
    ] {
        let unread = |second| answer(second, &robots("a"), block);
        assert_eq!(
            outcomes("a", &[answer(2, &robots("a"), ALLOWS), unread(3)]),
            ["unresolved"; 2],
            "{block}"
        );
        assert_eq!(
            outcomes("a", &[unread(3), answer(2, &robots("a"), ALLOWS)]),
            ["unresolved"; 2],
            "{block}"
        );
        assert_eq!(outcomes("a", &[answer(2, &robots("a"), ALLOWS), unread(1)]), ["rules"; 2], "{block}");
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

/// A text that comes behind an answer 304, but was fetched before it, is the one that the 304 is
/// about. Where a batch of the same records finds rules, the store has them, too; where it finds
/// that nobody knows, the store refuses an answer, if they come in their order. Behind an error, a
/// store holds no text, so a 304 renews one of its own stream only.
#[test]
fn the_order_of_captures_does_not_count() {
    let mut random = Random::new(18);
    let (mut renewed, mut unresolved) = (0, 0);
    for case in 0..300 {
        let has_errors = case % 2 == 1;
        let mut records = records_of_one_site(has_errors, &mut random);
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("x.warc");
        fs::write(&path, records.concat()).expect("room");
        let built = build(&[Input::Path(path)], &BatchOptions::default(), &Progress::default());
        let image = Image::from_bytes(built.expect("an image").image).expect("an image");
        let outcome = image.site(&robots("a")).and_then(|site| site.outcome());
        let decide = |url: &str| image.decide(&image.crawler(["a"]), image.usage("crawl"), url).decision();
        let wanted = PAGES.map(decide);
        // All in one stream, or each in its own.
        let sizes = [records.len(), 1];
        for &size in if has_errors { &sizes[..1] } else { &sizes[..] } {
            let (found, _) = put(&place.path().join(size.to_string()), records.chunks(size), &mut random);
            if outcome != Some(Outcome::Unresolved) {
                assert_eq!(found, wanted, "case {case}, {size} records at once:\n{}", text(&records));
            }
        }
        let date = |record: &Vec<u8>| {
            text(std::slice::from_ref(record)).split("WARC-Date: ").nth(1).map(str::to_owned)
        };
        records.sort_by_cached_key(date);
        let (found, refused) = put(&place.path().join("sorted"), records.chunks(records.len()), &mut random);
        match outcome {
            Some(Outcome::Unresolved) => {
                assert!(refused > 0, "case {case}:\n{}", text(&records));
                unresolved += 1;
            }
            _ => assert_eq!(found, wanted, "case {case}:\n{}", text(&records)),
        }
        renewed += usize::from(outcome == Some(Outcome::Rules) && text(&records).contains(" 304 "));
    }
    assert!(renewed > 10 && unresolved > 10, "{renewed} renewed, {unresolved} unresolved");
}

/// The decisions of a new store for the pages after these streams, and the number of answers that
/// are refused.
fn put<'r>(
    directory: &Path,
    streams: impl Iterator<Item = &'r [Vec<u8>]>,
    random: &mut Random,
) -> ([Decision; 2], usize) {
    let open = || Store::open(directory, store_options()).expect("a store");
    let (mut store, mut refused) = (open(), 0);
    for stream in streams {
        let read = Capture::from_warc(&stream.concat()[..], 1_800_000_000, 1 << 20, 100);
        for (_, capture) in read.expect("within the limits").records {
            refused += usize::from(capture.is_err());
            refused += capture.map_or(0, |capture| usize::from(store.put(&capture).is_err()));
        }
        match random.below(4) {
            0 => store.flush().expect("room"),
            1 => store.evict(0).expect("room"),
            2 => {
                drop(store);
                store = open();
            }
            _ => {}
        }
    }
    let query = store.query(["a"], "crawl");
    (PAGES.map(|url| store.decide(&query, url)), refused)
}

fn text(records: &[Vec<u8>]) -> String {
    String::from_utf8_lossy(&records.concat()).into_owned()
}

const PAGES: [&str; 2] = ["https://a.example/x", "https://a.example/y"];

/// Some answers of several days, in any order.
fn records_of_one_site(has_errors: bool, random: &mut Random) -> Vec<Vec<u8>> {
    let mut days: Vec<usize> = (1..=9).collect();
    days.sort_by_cached_key(|_| random.next_u64());
    days.truncate(1 + random.below(6));
    let answer = |day: usize| {
        let tag = random.pick(&["", "", "ETag: 1\r\n", "ETag: 2\r\n"]);
        let rule = random.pick(&["Allow: /", "Disallow: /", "Disallow: /x"]);
        let (kind, block) = match random.below(10) {
            0..4 => ("response", format!("HTTP/1.1 200 OK\r\n{tag}\r\nUser-agent: *\n{rule}\n")),
            4 | 5 if has_errors => {
                ("response", format!("HTTP/1.1 {} No\r\n\r\n", random.pick(&["404", "503"])))
            }
            4 => ("response", format!("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n{tag}\r\n?")),
            _ => (random.pick(&["response", "revisit"]), format!("HTTP/1.1 304 Same\r\n{tag}\r\n")),
        };
        let record = record(kind, &robots("a"), &format!("2026-01-0{day}T00:00:00Z"), block.as_bytes());
        let about = match random.below(5) {
            0 => "WARC-Refers-To-Target-URI: https://b.example/robots.txt\r\n".to_owned(),
            1 | 2 => {
                let profile = random.pick(&["", "WARC-Profile: x/server-not-modified\r\n"]);
                format!("{profile}WARC-Refers-To-Date: 2026-01-0{}T00:00:00Z\r\n", 1 + random.below(9))
            }
            _ => String::new(),
        };
        if kind == "revisit" { with_field(&record, &about) } else { record }
    };
    days.into_iter().map(answer).collect()
}

/// A record with one more field of its header.
fn with_field(record: &[u8], field: &str) -> Vec<u8> {
    let first = record.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    [&record[..first], field.as_bytes(), &record[first..]].concat()
}
