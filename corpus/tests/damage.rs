//! No bytes make a reader panic, hang, or lose records before the damage.

mod common;

use common::{items_within, page, response};
use proptest::prelude::*;
use robomaton_corpus::{Facts, Item, ReadLimits, SkipReason, read_from, sniff};
use robomaton_tests::write::{gzip, record};
use std::io::{self, Read};
use std::ops::ControlFlow;

/// A file with many kinds of records.
fn sample() -> Vec<u8> {
    let packed =
        [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzip(b"Allow: /").as_slice()].concat();
    [
        record("warcinfo", "", "2026-01-01", b"software: x\r\n"),
        page("http://a.example/robots.txt", "User-agent: *\nDisallow: /\n"),
        response("http://b.example/robots.txt", packed),
        response("http://c.example/robots.txt", "HTTP/1.1 301 Moved\r\nLocation: /x\r\nExpires: 0\r\n\r\n"),
        response(
            "http://d.example/robots.txt",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ),
        page("http://e.example/robots.txt", "last"),
    ]
    .concat()
}

/// Small limits, so that damage exceeds them.
fn limits(small: bool) -> ReadLimits {
    let mut limits = ReadLimits::default();
    if small {
        (limits.max_body, limits.max_record, limits.max_header, limits.max_line) = (8, 300, 150, 64);
    }
    limits
}

/// A stream that yields one byte at a time.
struct Dribble<'b>(&'b [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = out.len().min(1);
        self.0.read(&mut out[..count])
    }
}

/// Reads the items and uses them like the driver.
fn survive(name: &str, bytes: &[u8], small: bool) -> Vec<Item> {
    let items = items_within(name, bytes, &limits(small));
    // Every item consumes bytes of the stream, which bounds their number.
    assert!(items.len() <= bytes.len().max(1) * 1032);
    for item in &items {
        match item {
            Item::Capture(capture) | Item::Target(capture) => {
                Facts::of(capture);
                sniff(&capture.body, capture.content_type.as_deref());
            }
            Item::Revisit(revisit) => assert!(!revisit.otherwise.reason.to_string().is_empty()),
            Item::Skipped(skipped) => assert!(!skipped.reason.to_string().is_empty()),
            Item::Ignored => {}
        }
    }
    items
}

#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Cut(usize, usize),
    Insert(usize, Vec<u8>),
    Repeat(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<usize>();
    let token = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..20),
        prop::sample::select(vec![
            "\r\n\r\n",
            "WARC/1.0\r\n",
            "\n",
            "0",
            "999999999",
            ": ",
            "HTTP/1.1 200 OK\r\n\r\n",
            "\x1f\u{8b}\x08"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    let change = prop_oneof![
        (at, any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at, 1..60_usize).prop_map(|(at, count)| Change::Cut(at, count)),
        (at, token).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at, 1..200_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ];
    prop::collection::vec(change, 1..6)
}

fn apply(mut bytes: Vec<u8>, changes: Vec<Change>) -> Vec<u8> {
    for change in changes {
        let within = |at: usize| at % (bytes.len() + 1);
        match change {
            Change::Set(at, byte) => {
                let at = within(at);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = byte;
                }
            }
            Change::Cut(at, count) => {
                let at = within(at);
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Change::Insert(at, new) => {
                let at = within(at);
                bytes.splice(at..at, new);
            }
            Change::Repeat(at, count) => {
                let at = within(at);
                let again = bytes[at..(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn mutated_warc(changes in changes(), small: bool) {
        survive("x.warc", &apply(sample(), changes), small);
    }

    #[test]
    fn mutated_gzip(changes in changes(), small: bool) {
        let members = [
            gzip(&sample()),
            gzip(&page("http://x.example/robots.txt", "x")),
            gzip(&page("http://y.example/robots.txt", "y")),
            gzip(&page("http://z.example/robots.txt", "z")),
        ];
        let bytes = apply(members.concat(), changes);
        let items = survive("x.warc.gz", &bytes, small);
        // No member is ever in the buffer.
        let mut piecewise = Vec::new();
        let _ = read_from("x.warc.gz", Dribble(&bytes), &limits(small), &mut |item| {
            piecewise.push(item);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(items, piecewise);
    }

    #[test]
    fn mutated_jsonl(changes in changes(), small: bool) {
        let line = b"{\"url\": \"a.example\", \"status\": 200, \"fetched_at\": \"2026-01-01T00:00:00Z\", \"body\": \"x\"}\n";
        survive("x.jsonl", &apply(line.repeat(3), changes), small);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), small: bool) {
        survive("x.warc", &bytes, small);
        survive("x.jsonl", &bytes, small);
        survive("x.warc", &[b"WARC/1.0\r\nContent-Length: 9\r\n\r\n", bytes.as_slice()].concat(), small);
        survive("x.warc", &response("http://a.example/robots.txt", &bytes), small);
        survive("x.warc.gz", &[b"\x1f\x8b\x08", bytes.as_slice()].concat(), small);
    }
}

/// A file truncated anywhere yields the records that end before, and at most one report.
#[test]
fn every_truncation() {
    let whole = sample();
    let all = survive("x.warc", &whole, false);
    for cut in 0..whole.len() {
        let read = survive("x.warc", &whole[..cut], false);
        let is_cut = |item: &&Item| match item {
            Item::Skipped(_) => true,
            Item::Revisit(revisit) => revisit.otherwise.reason == SkipReason::RecordCut,
            _ => false,
        };
        let kept = read.iter().filter(|item| !is_cut(item)).count();
        assert_eq!(read[..kept], all[..kept], "{cut}");
        assert!(read.len() - kept <= 1, "{cut}: {read:?}");
    }
}
