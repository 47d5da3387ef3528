//! A record that names its URL is a fetch, whatever the mistake in it is: no older capture answers
//! for it.

mod common;

use base64::Engine as _;
use common::{ask, at, opened, text};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_tests::write::{gzip, record};
use std::fs;

const ROBOTS: &str = "https://a.example/robots.txt";
const ALLOWS: &str = "User-agent: *\nAllow: /\n";
const DISALLOWS: &str = "User-agent: *\nDisallow: /\n";

/// What an image of these files says about a page of the site, and what was built.
fn crawl(files: &[(&str, &[u8])]) -> (String, Built) {
    let home = tempfile::tempdir().expect("a directory");
    let path = |(number, (name, bytes)): (usize, &(&str, &[u8]))| {
        let path = home.path().join(format!("{number}.{name}"));
        fs::write(&path, bytes).expect("a file");
        Input::Path(path)
    };
    let inputs: Vec<Input> = files.iter().enumerate().map(path).collect();
    let options = BatchOptions { threads: 1, warc_root: Some(home.path().to_owned()), ..Default::default() };
    let built = build(&inputs, &options, &Progress::default()).expect("an image");
    (ask(&opened(&built, 0), "bot", "crawl", "https://a.example/x"), built)
}

/// Checks that an older capture does not answer for a fetch of the second 2 in this file, and that
/// a newer one does if the time can be read.
fn is_unread(name: &str, bytes: &[u8], has_time: bool) {
    let told = String::from_utf8_lossy(bytes);
    let [older, newer] = [1, 3].map(|second| at(second, ROBOTS, text(ALLOWS)));
    let (verdict, built) = crawl(&[("warc", &older), (name, bytes)]);
    assert_eq!(verdict, "unknown", "{told}");
    assert_ne!(built.report.skipped_examples, [""; 0], "{told}");
    assert_eq!(crawl(&[(name, bytes), ("warc", &older)]).0, "unknown", "{told}");
    let (verdict, _) = crawl(&[(name, bytes), ("warc", &newer)]);
    assert_eq!(verdict, if has_time { "allowed" } else { "unknown" }, "{told}");
}

#[test]
fn a_warc_record_that_is_not_whole() {
    let whole = at(2, ROBOTS, text(DISALLOWS));
    is_unread("warc", &whole[..whole.len() - 9], true);
    let packed = gzip(&whole);
    is_unread("warc.gz", &packed[..packed.len() - 9], true);
    is_unread("warc.gz", &gzip(&whole[..whole.len() - 9]), true);
    let head = String::from_utf8_lossy(&whole);
    let fields = head.split_inclusive('\n').take_while(|line| line.trim_end() != "");
    let fields: Vec<&str> = fields.collect();
    // Whole lines of a header count, in any order.
    for count in 0..fields.len() {
        let before = [fields[..count].concat(), fields[count][..5].to_owned()].concat();
        let (names_url, has_time) = (before.contains(ROBOTS), before.contains("00:00:02Z"));
        if names_url {
            is_unread("warc", before.as_bytes(), has_time);
        } else {
            let older = at(1, ROBOTS, text(ALLOWS));
            assert_eq!(crawl(&[("warc", &older), ("warc", before.as_bytes())]).0, "allowed", "{before}");
        }
    }
    let length = fields.iter().find(|line| line.starts_with("Content-Length")).expect("a length");
    for instead in ["Content-Length: 20\r\n", "Content-Length: x\r\n", "", "Content-Length: 99999999999\r\n"]
    {
        let broken = head.replacen(length, instead, 1);
        is_unread("warc", broken.as_bytes(), true);
        is_unread("warc.gz", &gzip(broken.as_bytes()), true);
    }
    is_unread("warc", head.replacen("WARC-Type: response\r\n", "", 1).as_bytes(), true);
    // A request is no answer.
    let request = record("request", ROBOTS, "1970-01-01T00:00:02Z", b"GET / HTTP/1.1\r\n\r\n");
    let older = at(1, ROBOTS, text(ALLOWS));
    let (verdict, built) = crawl(&[("warc", &older), ("warc", &request[..request.len() - 9])]);
    assert_eq!((verdict.as_str(), built.report.skipped_examples.len()), ("allowed", 1));
}

#[test]
fn a_json_line_with_a_mistake() {
    let body = r#""body": "User-agent: *\nDisallow: /\n""#;
    for (fields, has_time) in [
        (r#""fetched_at": 2, "fetched_at": 2"#, false),
        (r#""fetched_at": 1e400"#, false),
        (r#""fetched_at": 2, "url": 1"#, true),
    ] {
        is_unread("jsonl", format!(r#"{{"url": "{ROBOTS}", {fields}, {body}}}"#).as_bytes(), has_time);
    }
    let after = format!(r#"{{"fetched_at": 1e400, {body}, "url": "{ROBOTS}"}}"#);
    is_unread("jsonl", after.as_bytes(), false);
    // What a line says before it ends.
    for (fields, has_time) in [
        (r#""fetched_at": 2, "body": "Us"#, true),
        (r#""fetched_at": 2"#, false),
        (r#""status": 200, "bo"#, false),
    ] {
        let cut = format!(r#"{{"url": "{ROBOTS}", {fields}"#);
        is_unread("jsonl", cut.as_bytes(), has_time);
        is_unread("cdxj", format!("example,a)/robots.txt 19700101000002 {cut}").as_bytes(), has_time);
    }
}

/// A row that names a file or an offset is a byte range, and one that lacks a part of it is no
/// fetch of a time before all others.
#[test]
fn a_byte_range_that_is_not_whole() {
    for fields in [
        r#""filename": "w.warc", "length": 9"#,
        r#""filename": "w.warc", "offset": null, "length": 9, "status": 404"#,
        r#""offset": 0, "length": 9, "status": 200"#,
        r#""filename": "w.warc", "offset": 0, "length": 9, "headers": 5"#,
        r#""filename": "w.warc", "warc_filename": "w.warc", "offset": 0, "length": 9"#,
        r#""status": 200"#,
    ] {
        is_unread("jsonl", format!(r#"{{"url": "{ROBOTS}", {fields}}}"#).as_bytes(), false);
        is_unread("jsonl", format!(r#"{{"url": "{ROBOTS}", "fetched_at": 2, {fields}}}"#).as_bytes(), true);
    }
    for row in ["w.warc,,9", ",0,9", "w.warc,0,"] {
        let csv = format!("url,filename,offset,length\n{ROBOTS},{row}\n");
        is_unread("csv", csv.as_bytes(), false);
    }
}

/// A row without a status and a body whose site answered with a header.
#[test]
fn a_header_without_an_answer() {
    let row = format!(r#"{{"url": "{ROBOTS}", "fetched_at": 2, "headers": {{"X-Robots-Tag": "noai"}}}}"#);
    is_unread("jsonl", row.as_bytes(), true);
}

/// Tables have decoded bodies, whatever the header says; one that is still compressed is not read.
#[test]
fn a_body_that_is_still_compressed() {
    let line = |coding: &str, body: &[u8]| {
        let body = base64::engine::general_purpose::STANDARD.encode(body);
        let headers = format!(r#""headers": {{"Content-Encoding": "{coding}"}}"#);
        format!(r#"{{"url": "{ROBOTS}", "fetched_at": 2, {headers}, "body_base64": "{body}"}}"#)
    };
    let deflated = b"\x78\x9c\x0b\x2d\x4e\x2d\xd2\x4d\x4c\x4f\xcd\x2b\xb1\x52\xd0\xe2\x72\xc9\x2c\x4e\xcc";
    for (coding, body) in [("gzip", gzip(DISALLOWS.as_bytes())), ("deflate", deflated.to_vec())] {
        is_unread("jsonl", line(coding, &body).as_bytes(), true);
    }
    for (coding, body) in [("gzip", DISALLOWS), ("identity", DISALLOWS), ("br", "# Caf\u{e9}\nDisallow: /\n")]
    {
        let (verdict, built) = crawl(&[("jsonl", line(coding, body.as_bytes()).as_bytes())]);
        assert_eq!((verdict != "unknown", built.report.skipped_examples.len()), (true, 0), "{coding}");
    }
}

#[test]
fn a_csv_row_with_a_field_too_many_or_too_few() {
    let header = "fetched_at,url,status,body\n";
    for row in [
        format!("2,{ROBOTS},200,Disallow: /,x"),
        format!("1,000,{ROBOTS},200,Disallow: /"),
        format!("{ROBOTS},200,Disallow: /"),
        format!("2,{ROBOTS}"),
    ] {
        is_unread("csv", format!("{header}{row}\n").as_bytes(), false);
    }
}

/// Where such a row ends is not known, but what it begins with is.
#[test]
fn a_csv_row_that_does_not_end() {
    let header = "fetched_at,url,status,body\n";
    for body in ["\"Disallow: /", "x\"", "\"a\"b,c"] {
        is_unread("csv", format!("{header}2,{ROBOTS},200,{body}\n").as_bytes(), true);
    }
    // What follows may be a stranger's text.
    let older = at(1, ROBOTS, text(ALLOWS));
    let row = format!("body,url\nx\",{ROBOTS}\n");
    assert_eq!(crawl(&[("warc", &older), ("csv", row.as_bytes())]).0, "allowed");
}

#[test]
fn a_byte_range_that_cannot_be_read() {
    let damaged = gzip(b"no record");
    for (name, offset, length) in [
        ("none.warc", "0", "9"),
        ("1.warc.gz", "0", "99999"),
        ("1.warc.gz", "0", "29"),
        ("1.warc.gz", "-1", "9"),
        ("1.warc.gz", "1e400", "9"),
    ] {
        let row = |time: &str| {
            let range = format!(r#""filename": "{name}", "offset": "{offset}", "length": {length}"#);
            format!("{{\"url\": \"{ROBOTS}\"{time}, {range}}}\n")
        };
        let files = |row: &str, second| {
            let whole = at(second, ROBOTS, text(ALLOWS));
            crawl(&[("warc", &whole), ("warc.gz", &damaged), ("jsonl", row.as_bytes())]).0
        };
        assert_eq!(files(&row(r#", "fetched_at": 2"#), 1), "unknown", "{name} {offset} {length}");
        assert_eq!(files(&row(r#", "fetched_at": 2"#), 3), "allowed", "{name} {offset} {length}");
        assert_eq!(files(&row(""), 3), "unknown", "{name} {offset} {length}");
    }
}
