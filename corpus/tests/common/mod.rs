//! Helpers: records, a reader into a list, and builds of images.
//!
//! Everything is built in code, so each test shows its bytes.

#![allow(dead_code)] // each test file uses its part of this

use robomaton_corpus::{
    BatchOptions, Built, Capture, Input, Item, Progress, ReadLimits, Revisit, build, read_from,
};
use robomaton_runtime::{Image, Site, Terms, Usage, Verdict};
use robomaton_tests::write::record;
use std::ops::ControlFlow;

/// A response record fetched on 1 January 1970 at 00:01:40.
pub(crate) fn response(uri: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    record("response", uri, "1970-01-01T00:01:40Z", block.as_ref())
}

/// A response record with status 200 and this body.
pub(crate) fn page(uri: &str, body: &str) -> Vec<u8> {
    response(uri, format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}"))
}

/// All items of a stream.
pub(crate) fn items_within(name: &str, bytes: &[u8], limits: &ReadLimits) -> Vec<Item> {
    let mut items = Vec::new();
    let flow = read_from(name, bytes, limits, &mut |item| {
        items.push(item);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    items
}

/// All items of a stream, one per line: `URL BODY` for a capture, `at N: kind` for a skipped
/// record.
pub(crate) fn lines_within(name: &str, bytes: &[u8], limits: &ReadLimits) -> Vec<String> {
    let line = |item: &Item| match item {
        Item::Capture(Capture { url, body, truncated, .. }) => {
            format!("{url} {}{}", String::from_utf8_lossy(body), if *truncated { " (truncated)" } else { "" })
        }
        Item::Target(target) => format!("target {}", target.url),
        Item::Revisit(revisit) => match &**revisit {
            Revisit { otherwise, .. } if !otherwise.reason.is_of_revisit() => {
                format!("at {}: {}", otherwise.at, otherwise.reason.name())
            }
            Revisit { key: Some(key), .. } => format!("revisit {key}"),
            Revisit { url, .. } => format!("revisit {url}"),
        },
        Item::Skipped(skipped) => format!("at {}: {}", skipped.at, skipped.reason.name()),
        Item::Ignored => "ignored".to_owned(),
    };
    items_within(name, bytes, limits).iter().map(line).collect()
}

/// [`lines_within`] the default limits.
pub(crate) fn lines(name: &str, bytes: &[u8]) -> Vec<String> {
    lines_within(name, bytes, &ReadLimits::default())
}

/// The only item of a stream, which is a capture.
pub(crate) fn only(name: &str, bytes: &[u8]) -> Capture {
    match items_within(name, bytes, &ReadLimits::default()).as_slice() {
        [Item::Capture(capture) | Item::Target(capture)] => capture.clone(),
        other => panic!("one capture expected: {other:?}"),
    }
}

/// A response record fetched at a second of 1 January 1970, below 60.
pub(crate) fn at(second: u32, uri: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    record("response", uri, &format!("1970-01-01T00:00:{second:02}Z"), block.as_ref())
}

/// The block of a plain text.
pub(crate) fn text(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}")
}

/// The block of a page.
pub(crate) fn html(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}")
}

/// Builds the image of these records in several orders and with several threads, and checks that it
/// is always the same.
pub(crate) fn built(records: &[Vec<u8>], options: &BatchOptions) -> Built {
    let once = |records: &[&Vec<u8>], threads| {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("x.warc");
        std::fs::write(&path, records.iter().flat_map(|record| record.iter().copied()).collect::<Vec<u8>>())
            .expect("a file");
        let options = BatchOptions { threads, ..options.clone() };
        build(&[Input::Path(path)], &options, &Progress::default()).expect("an image")
    };
    let mut order: Vec<&Vec<u8>> = records.iter().collect();
    let first = once(&order, 1);
    for threads in 1..=records.len().min(5) {
        order.rotate_left(1);
        order.reverse();
        let again = once(&order, threads);
        assert!(again.image == first.image, "another order on {threads} threads gives another image");
        let counts = |built: &Built| {
            let report = &built.report;
            let references = (report.references_found, report.references_missing);
            (references, report.pages, report.pages_with_permissions, report.pages_cut, report.sites)
        };
        assert_eq!(counts(&again), counts(&first));
    }
    first
}

/// Opens a built image, with the time of the question.
pub(crate) fn opened(built: &Built, now: u64) -> Image<Vec<u8>> {
    let image = Image::from_bytes(built.image.clone()).expect("an image");
    image.verify().expect("a sound image");
    image.with_terms(Terms { now: Some(now), ..Terms::default() })
}

/// `decision`, and `incomplete` if it is.
pub(crate) fn told(verdict: &Verdict<'_>) -> String {
    let incomplete = if verdict.is_incomplete() { " incomplete" } else { "" };
    format!("{}{incomplete}", verdict.decision())
}

/// The image's answer for a crawler, a usage and a URL.
pub(crate) fn ask(image: &Image<Vec<u8>>, crawler: &str, usage: &str, url: &str) -> String {
    told(&image.decide(&image.crawler([crawler]), image.usage(usage), url))
}

/// The answer of a document other than robots.txt about crawling.
pub(crate) fn ask_of(image: &Image<Vec<u8>>, document: &Site<'_>, crawler: &str, url: &str) -> String {
    let crawler = image.crawler([crawler]);
    let verdict = document.decide(&crawler, Usage::CRAWL, url);
    format!("{} {}", verdict.decision(), verdict.basis().name())
}

/// The robots.txt of the tests about what was not read, and two texts of it.
pub(crate) const ROBOTS: &str = "https://a.example/robots.txt";
pub(crate) const ALLOWS: &str = "User-agent: *\nAllow: /\n";
pub(crate) const DISALLOWS: &str = "User-agent: *\nDisallow: /\n";

/// The image of these records.
pub(crate) fn image_of(records: &[Vec<u8>], pages: bool) -> Image<Vec<u8>> {
    opened(&built(records, &BatchOptions { pages, ..BatchOptions::default() }), 0)
}

/// What the image of these records says about a page of the site.
pub(crate) fn crawl(records: &[Vec<u8>]) -> String {
    ask(&image_of(records, false), "bot", "crawl", "https://a.example/public")
}

/// An answer with these header lines, and this body as it was sent.
pub(crate) fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n\r\n", body].concat()
}

/// A redirect at this second.
pub(crate) fn redirect(second: u32, from: &str, to: &str) -> Vec<u8> {
    at(second, from, format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n"))
}
