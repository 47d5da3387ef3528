//! What the tests of the readers share: writers of WARC records and gzip members, and a reader into a list.
//!
//! Everything is built in code, so a test shows the octets it is about.

#![allow(dead_code)] // each test file uses its part of this

use flate2::Compression;
use flate2::write::GzEncoder;
use robomaton_corpus::{Capture, Item, ReadLimits, read_from};
use std::io::Write;
use std::ops::ControlFlow;

/// One gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

/// A record of any type, around a block.
pub(crate) fn record(kind: &str, uri: &str, date: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: {date}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A response record fetched on 1 January 1970 at 00:01:40.
pub(crate) fn response(uri: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    record("response", uri, "1970-01-01T00:01:40Z", block.as_ref())
}

/// A response record of a plain 200 with this body.
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

/// All items of a stream, one line each: `URL BODY` of a capture, `at N: kind` of what was skipped.
pub(crate) fn lines_within(name: &str, bytes: &[u8], limits: &ReadLimits) -> Vec<String> {
    let line = |item: &Item| match item {
        Item::Capture(Capture { url, body, truncated, .. }) => {
            format!("{url} {}{}", String::from_utf8_lossy(body), if *truncated { " (truncated)" } else { "" })
        }
        Item::Target(target) => format!("target {}", target.url),
        Item::Skipped(skipped) => format!("at {}: {}", skipped.at, skipped.reason.name()),
        Item::Ignored => "ignored".to_owned(),
    };
    items_within(name, bytes, limits).iter().map(line).collect()
}

/// [`lines_within`] the default limits.
pub(crate) fn lines(name: &str, bytes: &[u8]) -> Vec<String> {
    lines_within(name, bytes, &ReadLimits::default())
}

/// The only item of a stream, a capture.
pub(crate) fn only(name: &str, bytes: &[u8]) -> Capture {
    match items_within(name, bytes, &ReadLimits::default()).as_slice() {
        [Item::Capture(capture) | Item::Target(capture)] => capture.clone(),
        other => panic!("one capture expected: {other:?}"),
    }
}
