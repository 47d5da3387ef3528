//! Answers 304: which text they renew, and which they leave unknown.

mod common;

use common::{ALLOWS, DISALLOWS, ROBOTS, answer, ask, at, crawl, image_of, redirect, text};
use robomaton_tests::write::record;

/// What a 304 is about is what the fetch before it found, unless it has the ETag or the date of a
/// capture.
#[test]
fn a_304_renews_no_text_before_one_that_nobody_knows() {
    let text = |second, head: &str, rules: &str| at(second, ROBOTS, answer(head, rules.as_bytes()));
    let unread = |head: &str| at(2, ROBOTS, answer(&format!("{head}Content-Encoding: br"), b"\x8b\x03\x80"));
    let unchanged = |second, head: &str| at(second, ROBOTS, format!("HTTP/1.1 304 N\r\n{head}\r\n"));
    let revisit = |second: u32, of: u32| {
        let date = format!(
            "1970-01-01T00:00:{second:02}Z\r\nWARC-Refers-To-Date: 1970-01-01T00:00:{of:02}Z\r\n\
             WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
        );
        record("revisit", ROBOTS, &date, b"HTTP/1.1 200 OK\r\n\r\n")
    };
    let (tag, other) = ("ETag: \"1\"\r\n", "ETag: \"2\"\r\n");
    let (plain, tagged) = (text(1, "X: y", ALLOWS), text(1, "ETag: \"1\"", ALLOWS));
    let plain_again = unchanged(4, "");
    let cases: [(&str, Vec<Vec<u8>>); 12] = [
        ("allowed", vec![plain.clone(), plain_again.clone()]),
        ("unknown", vec![tagged.clone(), unread(other), plain_again.clone()]),
        ("unknown", vec![tagged.clone(), unread(other), unchanged(3, ""), plain_again.clone()]),
        ("unknown", vec![tagged.clone(), unchanged(3, other), plain_again.clone()]),
        ("allowed", vec![tagged.clone(), unchanged(3, tag), plain_again.clone()]),
        ("allowed", vec![tagged.clone(), unread(other), unchanged(3, tag), plain_again.clone()]),
        ("unknown", vec![plain.clone(), unread(other), unchanged(3, tag), plain_again.clone()]),
        ("unknown", vec![plain.clone(), revisit(2, 0), plain_again.clone()]),
        ("allowed", vec![plain.clone(), revisit(2, 0), revisit(3, 1), plain_again.clone()]),
        ("allowed", vec![plain.clone(), unread(""), revisit(3, 1), plain_again.clone()]),
        (
            "unknown",
            vec![plain.clone(), unread(""), at(3, ROBOTS, "HTTP/1.1 500 E\r\n\r\n"), plain_again.clone()],
        ),
        ("disallowed", vec![plain, unread(""), text(3, "X: y", DISALLOWS), plain_again]),
    ];
    for (number, (wanted, records)) in cases.iter().enumerate() {
        assert_eq!(crawl(records), *wanted, "{number}");
    }
}

/// The header of a page that could not be read counts, although the newest fetch did not repeat it.
#[test]
fn a_304_keeps_what_an_unread_page_refused() {
    let page = "https://a.example/x";
    let records = [
        at(1, ROBOTS, text("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n")),
        at(1, page, text("x")),
        at(2, page, answer("X-Robots-Tag: noai\r\nContent-Encoding: br", b"\x8b\x03\x80")),
        at(3, page, "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ];
    let image = image_of(&records, true);
    assert_eq!(ask(&image, "bot", "ai-train", page), "disallowed");
}

/// An answer 304 behind a redirect may be about what that led to.
#[test]
fn a_304_renews_no_text_before_a_redirect() {
    let moved = |second| [redirect(second, ROBOTS, "/r"), at(second, "https://a.example/r", text(DISALLOWS))];
    let unchanged = |head: &str| at(4, ROBOTS, format!("HTTP/1.1 304 N\r\n{head}\r\n"));
    let tagged = at(1, ROBOTS, answer("ETag: \"1\"", ALLOWS.as_bytes()));
    let of = |between: &[Vec<u8>], last| crawl(&[std::slice::from_ref(&tagged), between, &[last]].concat());
    assert_eq!(of(&moved(2), unchanged("")), "unknown");
    assert_eq!(of(&moved(2), unchanged("ETag: \"1\"\r\n")), "allowed");
    let failed = at(3, ROBOTS, "HTTP/1.1 500 E\r\n\r\n");
    assert_eq!(of(std::slice::from_ref(&failed), unchanged("")), "allowed");
    assert_eq!(of(&[&moved(2)[..], &[failed]].concat(), unchanged("")), "unknown");
    // One before the redirect tells nothing of one behind it.
    let earlier = at(2, ROBOTS, "HTTP/1.1 304 N\r\nETag: \"1\"\r\n\r\n");
    assert_eq!(of(&[&[earlier], &moved(3)[..]].concat(), unchanged("")), "unknown");
}

/// A 304 says that the text with its ETag is unchanged.
#[test]
fn a_304_renews_no_text_with_another_etag() {
    let text = |second, tag: &str, rules: &str| {
        at(second, ROBOTS, answer(&format!("ETag: {tag}"), rules.as_bytes()))
    };
    let unchanged = |tag: &str| at(3, ROBOTS, format!("HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n"));
    let allows = text(1, "\"1\"", ALLOWS);
    assert_eq!(crawl(&[allows.clone(), unchanged("\"1\"")]), "allowed");
    assert_eq!(crawl(&[allows.clone(), unchanged("W/\"1\"")]), "allowed");
    assert_eq!(crawl(&[allows.clone(), unchanged("\"2\"")]), "unknown");
    assert_eq!(crawl(&[allows, text(2, "\"2\"", DISALLOWS), unchanged("\"2\"")]), "disallowed");
    // One that has an ETag is about a text that had one.
    let plain = at(2, ROBOTS, common::text(ALLOWS));
    assert_eq!(crawl(&[plain.clone(), unchanged("\"2\"")]), "unknown");
    assert_eq!(crawl(&[text(1, "\"2\"", DISALLOWS), plain, unchanged("\"2\"")]), "unknown");
    // Of two in one second, chance chooses, and not their order.
    let [one, two] = ["\"1\"", "\"2\""].map(|tag| text(1, tag, ALLOWS));
    let found = crawl(&[one.clone(), two.clone(), unchanged("\"2\"")]);
    assert_eq!(crawl(&[two, one, unchanged("\"2\"")]), found);
}

/// One that names an older fetch is about the newest text only if that has its ETag or its time of
/// the last change: what an older fetch found may be back.
#[test]
fn a_304_renews_no_text_behind_the_one_that_it_names() {
    let tagged = |second, tag: &str, rules: &str| {
        at(second, ROBOTS, answer(&format!("ETag: \"{tag}\""), rules.as_bytes()))
    };
    let unchanged = |of: u32, head: &str| {
        let date = format!(
            "1970-01-01T00:00:09Z\r\nWARC-Refers-To-Date: 1970-01-01T00:00:{of:02}Z\r\n\
             WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"
        );
        record("revisit", ROBOTS, &date, format!("HTTP/1.1 304 N\r\n{head}\r\n").as_bytes())
    };
    let texts = [tagged(1, "1", DISALLOWS), tagged(2, "2", ALLOWS)];
    let told = |last| crawl(&[&texts[..], &[last]].concat());
    assert_eq!(told(unchanged(1, "")), "unknown");
    assert_eq!(told(unchanged(1, "ETag: \"1\"\r\n")), "unknown");
    assert_eq!(told(unchanged(1, "ETag: \"2\"\r\n")), "allowed");
    assert_eq!(told(unchanged(2, "")), "allowed");
    assert_eq!(told(unchanged(2, "ETag: \"1\"\r\n")), "unknown");
}

/// Without two ETags, it says so of the text with its time of the last change (RFC 9111 4.3.4).
#[test]
fn a_304_renews_no_text_of_another_change() {
    let changed = |year: u32| format!("Last-Modified: Mon, 01 Jan {year} 00:00:00 GMT");
    let text = |second, head: &str, rules: &str| at(second, ROBOTS, answer(head, rules.as_bytes()));
    let unchanged = |second, head: &str| at(second, ROBOTS, format!("HTTP/1.1 304 N\r\n{head}\r\n\r\n"));
    let (old, new) = (changed(2018), changed(2024));
    let tagged = |tag: &str, time: &str| format!("ETag: \"{tag}\"\r\n{time}");
    let cases: [(&str, Vec<Vec<u8>>); 10] = [
        ("allowed", vec![text(1, &new, ALLOWS), unchanged(3, &new)]),
        ("unknown", vec![text(1, &old, DISALLOWS), text(2, &new, ALLOWS), unchanged(3, &old)]),
        ("unknown", vec![text(1, &old, ALLOWS), unchanged(3, &new)]),
        // An ETag goes before the time. An answer with either is about a text that has it, too.
        ("allowed", vec![text(1, &tagged("1", &old), ALLOWS), unchanged(3, &tagged("1", &new))]),
        ("unknown", vec![text(1, &tagged("1", &old), ALLOWS), unchanged(3, &tagged("2", &old))]),
        ("unknown", vec![text(1, &tagged("1", &old), ALLOWS), unchanged(3, &new)]),
        ("unknown", vec![text(1, "ETag: \"1\"", ALLOWS), unchanged(3, &new)]),
        // The newest that tells of the text decides.
        (
            "unknown",
            vec![
                text(1, "ETag: \"1\"", ALLOWS),
                unchanged(2, "ETag: \"2\""),
                unchanged(3, &new),
                unchanged(4, "X: y"),
            ],
        ),
        (
            "allowed",
            vec![text(1, &old, ALLOWS), unchanged(2, &new), unchanged(3, &old), unchanged(4, "X: y")],
        ),
        (
            "unknown",
            vec![text(1, &old, ALLOWS), unchanged(2, &new), unchanged(3, &old), unchanged(4, "ETag: \"1\"")],
        ),
    ];
    for (number, (wanted, records)) in cases.iter().enumerate() {
        assert_eq!(crawl(records), *wanted, "{number}");
        let other: Vec<Vec<u8>> = records.iter().rev().cloned().collect();
        assert_eq!(crawl(&other), *wanted, "{number} in the other order");
    }
}
