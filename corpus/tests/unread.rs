//! What was not read permits nothing: bodies that do not decode or are a part, rows without a body,
//! redirects to files in other languages.

mod common;

use common::{ALLOWS, DISALLOWS, ROBOTS, answer, ask, at, crawl, image_of, lines, opened, redirect, text};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_tests::captures::build_from;
use robomaton_tests::write::{gzip, record, tar, zstd};

/// A redirect may lead to a file that has a meaning of its own. Its text counts as rules, too, and
/// no text keeps other sites from having an image.
#[test]
fn redirects_to_files_in_other_languages() {
    let rsl = "<rsl xmlns=\"https://rslstandard.org/rsl\">\nUser-agent: *\nDisallow: /\n</rsl>";
    let targets = [
        ("/ai.txt", "Content-Type: text/plain", DISALLOWS),
        ("https://b.example/ai.txt", "Content-Type: text/plain", DISALLOWS),
        ("/.well-known/tdmrep.json", "Content-Type: text/plain", DISALLOWS),
        ("/licence", "Content-Type: application/rsl+xml", DISALLOWS),
        ("/licence", "Content-Type: text/xml", rsl),
    ];
    for (to, head, body) in targets {
        let url = if to.starts_with('/') { format!("https://a.example{to}") } else { to.to_owned() };
        let records = [redirect(2, ROBOTS, to), at(1, &url, answer(head, body.as_bytes()))];
        for pages in [false, true] {
            let image = image_of(&records, pages);
            assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), "disallowed", "{to} {head}");
        }
    }
}

#[test]
fn rules_behind_a_redirect_to_what_looks_like_a_page() {
    for before in ["<br />\n<b>Warning</b>: no\n", "<!-- x -->\n", "<html>\n", "%PDF-1.4\n"] {
        let rules = at(1, "https://a.example/robots.php", text(&format!("{before}{DISALLOWS}")));
        assert_eq!(crawl(&[redirect(1, ROBOTS, "/robots.php"), rules]), "disallowed", "{before}");
    }
    let page = at(1, "https://a.example/", text("<html><body>allow: nothing</body></html>"));
    assert_eq!(crawl(&[redirect(1, ROBOTS, "/"), page]), "allowed", "no robots.txt");
}

#[test]
fn an_older_capture_does_not_answer_for_one_that_cannot_be_read() {
    let older = at(1, ROBOTS, text(ALLOWS));
    let unread = [
        answer("Content-Encoding: br", b"\x8b\x03\x80Allow: /\x03"),
        answer("Content-Encoding: gzip", &gzip(DISALLOWS.as_bytes())[..12]),
        b"no status\r\n\r\n".to_vec(),
    ];
    for unread in unread {
        assert_eq!(
            crawl(&[older.clone(), at(2, ROBOTS, &unread)]),
            "unknown",
            "{}",
            String::from_utf8_lossy(&unread)
        );
        let newer = at(3, ROBOTS, text(ALLOWS));
        assert_eq!(crawl(&[older.clone(), at(2, ROBOTS, &unread), newer]), "allowed");
        let unchanged = at(3, ROBOTS, "HTTP/1.1 304 Not Modified\r\n\r\n");
        assert_ne!(crawl(&[at(2, ROBOTS, &unread), unchanged.clone()]), "allowed");
        // It is about what nobody could read.
        assert_eq!(crawl(&[older.clone(), at(2, ROBOTS, &unread), unchanged]), "unknown");
    }
}

/// A row that names a URL and a time is a fetch, whatever stands in its other fields. It is told
/// also where a newer capture answers.
#[test]
fn an_older_row_does_not_answer_for_one_with_a_mistake() {
    let row = |time: &str, rest: &str| format!(r#"{{"url": "{ROBOTS}", "fetched_at": {time}, {rest}}}"#);
    let verdict = |rows: &[String]| {
        let built = build_from(rows, 1);
        assert_eq!(built.report.skipped_examples.len(), 1, "{rows:?}");
        ask(&opened(&built, 0), "bot", "crawl", "https://a.example/public")
    };
    let older = row("2", r#""body": "User-agent: *\nAllow: /\n""#);
    let mistakes = [
        r#""body_base64": "?""#,
        r#""body": "", "body_base64": """#,
        r#""body": 7"#,
        r#""body": "", "body": """#,
        r#""body": "", "status": "OK""#,
        r#""body": "", "truncated": "length""#,
        r#""body": "", "headers": "nan""#,
        r#""body": "", "headers": {"X-Robots-Tag": {}}"#,
    ];
    for mistake in mistakes {
        assert_eq!(verdict(&[older.clone(), row("3", mistake)]), "unknown", "{mistake}");
        assert_eq!(verdict(&[row("3", mistake), older.clone()]), "unknown", "{mistake}");
        assert_eq!(verdict(&[older.clone(), row("1", mistake)]), "allowed", "{mistake}");
    }
}

/// Nobody knows whether a fetch is the newest if its time cannot be read.
#[test]
fn no_capture_answers_for_one_whose_time_cannot_be_read() {
    let no_times = ["2026-11-25T00:00:00 UTC", "20261125000000", "2026-11-25T24:00:00Z", "yesterday"];
    for time in no_times {
        let unread = record("response", ROBOTS, time, text(DISALLOWS).as_bytes());
        let records = [unread.clone(), at(2, ROBOTS, text(ALLOWS))];
        assert_eq!(crawl(&records), "unknown", "{time}");
        assert_eq!(crawl(&[unread]), "unknown", "{time}");
        // It is as new as the newest one whose time is known, so that a merge may find a newer one.
        let image = image_of(&records, false);
        assert_eq!(image.site(ROBOTS).and_then(|site| site.fetched_at()), Some(2), "{time}");
        let row = |time: &str, body: &str| {
            serde_json::json!({ "url": ROBOTS, "fetched_at": time, "body": body }).to_string()
        };
        let built = build_from(&[row(time, DISALLOWS), row("1970-01-01T00:00:02Z", ALLOWS)], 1);
        assert_eq!(ask(&opened(&built, 0), "bot", "crawl", "https://a.example/x"), "unknown", "{time}");
        assert_eq!(built.report.skipped_examples.len(), 1);
    }
    let empty = record("response", ROBOTS, "", text(DISALLOWS).as_bytes());
    assert_eq!(crawl(&[empty, at(2, ROBOTS, text(ALLOWS))]), "unknown");
    // One that was read and has no time is older; of one that was not read, nobody knows.
    let newer = at(2, ROBOTS, text(ALLOWS));
    assert_eq!(crawl(&[undated(text(DISALLOWS)), newer.clone()]), "allowed");
    let packed = answer("Content-Encoding: br", b"\x8b\x03\x80");
    assert_eq!(crawl(&[undated(packed), newer.clone()]), "unknown");
    assert_eq!(crawl(&[undated("HTTP/1.1 200 OK\r\nX-Y: no end"), newer]), "unknown");
}

/// A WARC record without a time.
fn undated(block: impl AsRef<[u8]>) -> Vec<u8> {
    let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {ROBOTS}\r\n");
    let length = format!("Content-Length: {}\r\n\r\n", block.as_ref().len());
    [head.as_bytes(), length.as_bytes(), block.as_ref(), b"\r\n\r\n"].concat()
}

/// Lines of a WARC header may be folded (ISO 28500 4).
#[test]
fn a_folded_line_of_a_record_counts() {
    for date in ["\r\n 1970-01-01T00:00:03Z", "\r\n\t1970-01-01T00:00:03Z\r\n "] {
        let folded = record("response", ROBOTS, date, text(DISALLOWS).as_bytes());
        assert_eq!(crawl(&[folded, at(2, ROBOTS, text(ALLOWS))]), "disallowed", "{date:?}");
    }
}

/// Only the body of a success matters.
#[test]
fn an_error_or_a_redirect_needs_no_body() {
    let coded = "Content-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x";
    let to = at(1, "https://a.example/r", text(DISALLOWS));
    for (status, wanted) in [
        ("500 E", "disallowed"),
        ("404 N", "allowed"),
        ("301 M\r\nLocation: /r", "disallowed"),
        ("200 O", "unknown"),
    ] {
        let answer = at(1, ROBOTS, format!("HTTP/1.1 {status}\r\n{coded}"));
        assert_eq!(crawl(&[answer, to.clone()]), wanted, "{status}");
    }
}

/// Codings make a body longer by a few bytes at most.
#[test]
fn a_coded_body_may_be_a_part_of_its_length() {
    let text = gzip(ALLOWS.as_bytes());
    let coded = |length: usize, body: &[u8]| {
        let head = format!("Content-Encoding: gzip\r\nContent-Length: {length}");
        crawl(&[at(1, ROBOTS, answer(&head, body))])
    };
    assert_eq!(coded(text.len(), &text), "allowed");
    assert_eq!(coded(text.len(), ALLOWS.as_bytes()), "allowed");
    assert_eq!((coded(20, b""), coded(180, b"")), ("allowed".into(), "unknown".into()));
    // What was stored as it was sent is as long as it says.
    let signal = gzip(b"User-agent: *\nContent-Signal: ai-train=yes\n");
    for (length, wanted) in [(signal.len(), "allowed"), (signal.len() + 1, "unknown incomplete")] {
        let head = format!("Content-Encoding: gzip\r\nContent-Length: {length}");
        let image = image_of(&[at(1, ROBOTS, answer(&head, &signal))], false);
        assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/x"), wanted, "{length}");
    }
    let row = |length: usize| {
        let headers = serde_json::json!({ "content-encoding": "br", "content-length": length });
        serde_json::json!({ "url": ROBOTS, "status": 200, "headers": headers, "body": "" }).to_string()
    };
    let crawl = |row| ask(&opened(&build_from(&[row], 1), 0), "bot", "crawl", "https://a.example/x");
    assert_eq!((crawl(row(1)), crawl(row(180))), ("allowed".into(), "unknown".into()));
    assert_eq!(crawl(row(60).replace("br", "Identity")), "unknown");
    let answer = at(1, ROBOTS, answer("Transfer-Encoding: chunked", b"1f\r"));
    assert_eq!(self::crawl(&[answer]), "unknown", "cut inside a size");
}

/// Clients that do not know a coding may take its bytes for characters.
#[test]
fn a_coded_body_that_was_taken_for_text_is_unread() {
    let crawl = |coding: &str, body: String| {
        let headers = serde_json::json!({ "Content-Encoding": coding });
        let row = serde_json::json!({ "url": ROBOTS, "status": 200, "headers": headers, "body": body });
        ask(&opened(&build_from(&[row.to_string()], 1), 0), "bot", "crawl", "https://a.example/x")
    };
    let brotli = [b"\x8b\x0c\x80", DISALLOWS.as_bytes(), b"\x03"].concat();
    let long: String =
        (0_u32..3000).map(|n| format!("Disallow: /{}\n", n.wrapping_mul(2_654_435_761))).collect();
    let zipped = gzip(format!("User-agent: *\n{long}").as_bytes());
    let deflated = zipped[10..zipped.len() - 8].to_vec();
    for (coding, bytes) in [("br", brotli), ("deflate", deflated)] {
        assert_eq!(crawl(coding, bytes.iter().copied().map(char::from).collect()), "unknown", "{coding}");
        assert_eq!(crawl(coding, String::from_utf8_lossy(&bytes).into_owned()), "unknown", "{coding}");
    }
    // Such texts were decoded, and their comments are in another encoding.
    for text in
        [format!("# F\u{fffd}r alle\n{DISALLOWS}"), format!("{DISALLOWS}# {}", "\u{fffd} ".repeat(99))]
    {
        assert_eq!(crawl("br", text), "disallowed");
    }
    let page = format!("<title>{}</title>", "\u{fffd} ".repeat(99));
    assert_eq!(crawl("br", page), "allowed", "a page in place of a robots.txt");
}

/// Text behind the last chunk does not belong to the body, so the body counts as a part.
#[test]
fn nothing_but_a_trailer_stands_behind_the_last_chunk() {
    let chunked = |body: &str| crawl(&[at(1, ROBOTS, answer("Transfer-Encoding: chunked", body.as_bytes()))]);
    assert_eq!(chunked(&format!("0\n{DISALLOWS}")), "disallowed", "a text that begins so");
    let rules = format!("{:x}\r\n{ALLOWS}\r\n0\r\n", ALLOWS.len());
    for (trailer, wanted) in [("", "allowed"), ("\r\n", "allowed"), ("A: b\r\n\r\n", "allowed")] {
        assert_eq!(chunked(&format!("{rules}{trailer}")), wanted, "{trailer:?}");
    }
    let signal = "User-agent: *\nContent-Signal: ai-train=yes\n";
    let trains = |behind: &str| {
        let body = format!("{:x}\r\n{signal}\r\n0\r\n\r\n{behind}", signal.len());
        let image = image_of(&[at(1, ROBOTS, answer("Transfer-Encoding: chunked", body.as_bytes()))], false);
        ask(&image, "bot", "ai-train", "https://a.example/x")
    };
    assert_eq!(trains("\r\n"), "allowed");
    assert_eq!(trains("Content-Signal: ai-train=no\n"), "unknown incomplete");
}

/// A body shorter than its Content-Length is a part, in tables, too; a list of lengths is one.
#[test]
fn a_body_shorter_than_one_of_its_lengths_is_a_part() {
    let signal = "User-agent: *\nContent-Signal: ai-train=yes\n";
    for (length, wanted) in [
        ("48", "allowed"),
        ("49", "unknown incomplete"),
        ("5, 49", "unknown incomplete"),
        ("99999999999999999999999", "unknown incomplete"),
        ("x", "unknown incomplete"),
        ("", "allowed"),
    ] {
        let row =
            serde_json::json!({ "url": ROBOTS, "body": signal, "headers": { "Content-Length": length } });
        let image = opened(&build_from(&[row.to_string()], 1), 0);
        assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/x"), wanted, "{length}");
        let sent = answer(&format!("Content-Length: 1\r\nContent-Length: {length}"), signal.as_bytes());
        let image = image_of(&[at(1, ROBOTS, sent)], false);
        let wanted = if length == "48" { "unknown incomplete" } else { wanted };
        assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/x"), wanted, "{length}");
    }
}

/// Clients differ in which of two media types they take.
#[test]
fn a_page_with_two_media_types_is_a_page() {
    let page = "https://a.example/p";
    let body = b"Hello <meta name=robots content=noindex>";
    for (one, other) in [("text/plain", "text/html"), ("text/html", "text/plain")] {
        let sent = answer(&format!("Content-Type: {one}\r\nContent-Type: {other}"), body);
        let image = image_of(&[at(1, ROBOTS, text(ALLOWS)), at(1, page, sent)], true);
        assert_eq!(ask(&image, "bot", "index", page), "disallowed", "{one}");
    }
    let sent = answer("Content-Type: text/html\r\nContent-Type: text/html; charset=utf-8", b"<p>x");
    let image = image_of(&[at(1, ROBOTS, text(ALLOWS)), at(1, page, sent)], true);
    assert_eq!(ask(&image, "bot", "index", page), "allowed", "one media type");
}

#[test]
fn every_coding_of_a_body_is_removed() {
    let (one, two) = (gzip(b"User-agent: *\n"), gzip(b"Disallow: /\n"));
    let both = gzip(&gzip(DISALLOWS.as_bytes()));
    let zipped = gzip(DISALLOWS.as_bytes());
    let chunked = [format!("{:x}\r\n", zipped.len()).as_bytes(), &zipped, b"\r\n0\r\n\r\n"].concat();
    let answers = [
        answer("Content-Encoding: gzip\r\nContent-Encoding: gzip", &both),
        answer("Content-Encoding: identity\r\nContent-Encoding: gzip", &zipped),
        answer("Transfer-Encoding: gzip, chunked", &chunked),
        answer("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", &chunked),
        answer("Content-Encoding: gzip", &[one, two].concat()),
    ];
    for answer in answers {
        assert_eq!(crawl(&[at(1, ROBOTS, answer)]), "disallowed");
    }
}

#[test]
fn a_body_in_more_codings_than_are_removed_is_unread() {
    let zipped = |times: usize| (0..times).fold(DISALLOWS.as_bytes().to_vec(), |body, _| gzip(&body));
    let crawl = |codings: String, body: &[u8]| {
        crawl(&[at(1, ROBOTS, answer(&format!("Content-Encoding: {codings}"), body))])
    };
    for (times, wanted) in [(1, "disallowed"), (4, "disallowed"), (5, "unknown"), (6, "unknown")] {
        assert_eq!(crawl(["gzip"].repeat(times).join(", "), &zipped(times)), wanted, "{times}");
        let codings = ["identity", "gzip", ""].repeat(times).join(", ");
        assert_eq!(crawl(codings, &zipped(times)), wanted, "{times}");
    }
    assert_eq!(crawl("gzip, identity, identity, identity, identity".to_owned(), &zipped(1)), "disallowed");
    assert_eq!(crawl(["gzip"].repeat(9).join(", "), DISALLOWS.as_bytes()), "disallowed", "stored as text");
}

/// The last line, `Allow: /p`, may have been `Allow: /private`.
#[test]
fn half_lines_of_partial_bodies_do_not_count() {
    let rules = b"User-agent: *\nDisallow: /\nAllow: /p";
    let whole = answer("Content-Length: 35", rules);
    assert_eq!(crawl(&[at(1, ROBOTS, &whole)]), "allowed");
    let short = answer("Content-Length: 99", rules);
    let partial = [b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-34/99\r\n\r\n", &rules[..]].concat();
    // Names of codings that change nothing.
    let uncoded = [
        "Content-Encoding: identity",
        "Content-Encoding:",
        "Content-Encoding: none",
        "Content-Encoding: x",
        "Transfer-Encoding: identity",
    ];
    let uncoded = uncoded.map(|field| answer(&format!("{field}\r\nContent-Length: 99"), rules));
    for answer in [short, partial].into_iter().chain(uncoded) {
        assert_eq!(crawl(&[at(1, ROBOTS, answer)]), "disallowed");
    }
    let zipped = gzip(rules);
    let decoded = format!("Content-Encoding: gzip\r\nContent-Length: {}", zipped.len());
    assert!(zipped.len() > rules.len());
    assert_eq!(crawl(&[at(1, ROBOTS, answer(&decoded, rules))]), "allowed", "the length is of the coding");
}

/// The lines before the part may prohibit.
#[test]
fn a_part_behind_the_first_byte_is_unread() {
    let rules = "User-agent: *\nAllow: /\n";
    for (range, wanted) in [
        ("bytes 0-23/60", "allowed"),
        (" Bytes  0-23/*", "allowed"),
        ("bytes 14-30/60", "unknown"),
        ("bytes 00-23/60", "unknown"),
        ("bytes */60", "unknown"),
        ("", "unknown"),
        ("lines 0-2/3", "unknown"),
    ] {
        let part = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Range:{range}\r\n\r\n{rules}");
        assert_eq!(crawl(&[at(1, ROBOTS, part("206 Partial"))]), wanted, "{range}");
        assert_eq!(crawl(&[at(1, ROBOTS, part("200 OK"))]), "allowed", "{range}");
        let row = serde_json::json!({
            "url": ROBOTS, "status": 206, "body": rules, "headers": { "Content-Range": range },
        });
        let image = opened(&build_from(&[row.to_string()], 1), 0);
        assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), wanted, "{range}");
    }
    for field in ["Content-Type: Multipart/byteranges; boundary=x", "Content-Type: text/plain"] {
        let part = format!("HTTP/1.1 206 P\r\n{field}\r\n\r\n{rules}");
        assert_eq!(crawl(&[at(1, ROBOTS, part)]), "unknown", "{field}");
    }
    let row = serde_json::json!({ "url": ROBOTS, "status": 206, "body": rules });
    let image = opened(&build_from(&[row.to_string()], 1), 0);
    assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), "allowed", "a row without a header");
}

/// A client reads on behind interim answers (RFC 9110 15.2).
#[test]
fn the_final_answer_counts() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    for (head, wanted) in [
        (interim, "allowed"),
        ("HTTP/1.1 100 Continue\n\n", "allowed"),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "disallowed"),
    ] {
        assert_eq!(crawl(&[at(1, ROBOTS, format!("{head}{}", text(ALLOWS)))]), wanted, "{head}");
    }
    let unmodified = at(2, ROBOTS, format!("{interim}HTTP/1.1 304 Not Modified\r\n\r\n"));
    assert_eq!(crawl(&[at(1, ROBOTS, text(ALLOWS)), unmodified]), "allowed");
    assert_eq!(
        crawl(&[at(1, ROBOTS, "HTTP/1.1 100 Continue\r\n\r\nDisallow: /")]),
        "disallowed",
        "no other answer"
    );
}

/// Its body is that of an answer whose status is not known (ISO 28500, 6.4).
#[test]
fn a_resource_record_of_http_is_unread() {
    let older = at(1, ROBOTS, text(ALLOWS));
    let newer = |kind: &str, url: &str| record(kind, url, "1970-01-01T00:00:02Z", ALLOWS.as_bytes());
    assert_eq!(crawl(&[older.clone(), newer("resource", ROBOTS)]), "unknown");
    assert_eq!(crawl(&[newer("Resource", ROBOTS), older.clone()]), "unknown");
    for (kind, url) in [("conversion", ROBOTS), ("resource", "urn:text:https://a.example/robots.txt")] {
        assert_eq!(crawl(&[older.clone(), newer(kind, url)]), "allowed", "{kind} {url}");
    }
}

/// An archive that was cut between two of its files.
#[test]
fn a_tar_archive_without_an_end_is_reported() {
    let whole = tar(&["a.example", "b.example"].map(|name| (name, ALLOWS.into())));
    for (cut, wanted) in [(0, 0), (512, 0), (1024, 1), (2048, 1)] {
        let found = lines("x.tar", &whole[..whole.len() - cut]);
        let without_end = found.iter().filter(|line| line.ends_with(": archive")).count();
        assert_eq!(without_end, wanted, "{cut}: {found:?}");
    }
}

/// A record may hold a segment of an answer.
#[test]
fn segments_of_records_are_partial() {
    let segment = |kind: &str, second: u32, number: &str, block: &str| {
        let date = format!("1970-01-01T00:00:{second:02}Z\r\nWARC-Segment-Number: {number}");
        record(kind, ROBOTS, &date, block.as_bytes())
    };
    let first = text("User-agent: *\nDisallow: /\nAllow: /p");
    let rest = "rivate\n";
    assert_eq!(crawl(&[segment("response", 1, "1", &first)]), "disallowed");
    let both = [segment("response", 1, "1", &first), segment("continuation", 1, "2", rest)];
    assert_eq!(crawl(&both), "disallowed");
    let older = at(1, ROBOTS, text(ALLOWS));
    for (kind, number) in [("continuation", "2"), ("response", "2"), ("response", "x")] {
        let later = segment(kind, 2, number, &text(ALLOWS));
        assert_eq!(crawl(&[older.clone(), later]), "unknown", "{kind} {number}");
    }
}

/// A redirect is as new as its own capture, so that an older text of the site does not answer for
/// the one behind it.
#[test]
fn a_redirect_counts_from_its_own_time() {
    let records = [
        at(2, ROBOTS, text(ALLOWS)),
        redirect(4, ROBOTS, "https://b.example/robots.txt"),
        at(1, "https://b.example/robots.txt", text(DISALLOWS)),
    ];
    assert_eq!(crawl(&records), "disallowed");
    let image = image_of(&records, false);
    let site = image.site("https://a.example/").expect("a site");
    // Three seconds of the day have passed when the site is asked.
    assert_eq!((site.fetched_at(), site.fresh_for()), (Some(4), 86_400 - 3));
}

/// A site that states a yes in its robots.txt, and one more record.
fn trains(record: Vec<u8>) -> String {
    let robots = at(1, ROBOTS, text("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n"));
    ask(&image_of(&[robots, record], true), "bot", "ai-train", "https://a.example/x")
}

/// A 304 without the capture that has the content says that there is a file, and not what it says.
/// A 429 does not say whether there is one.
#[test]
fn a_304_or_429_alone_leaves_a_document_of_the_site_unread() {
    for path in ["/.well-known/tdmrep.json", "/ai.txt"] {
        let url = format!("https://a.example{path}");
        let answer = |status: &str| trains(at(2, &url, format!("HTTP/1.1 {status}\r\n\r\n")));
        assert_eq!(answer("404 Not Found"), "allowed", "{path}");
        assert_eq!(answer("429 Too Many Requests"), "unknown incomplete", "{path}");
        assert_eq!(answer("304 Not Modified"), "unknown incomplete", "{path}");
        assert_eq!(answer("304 Not Modified\r\nETag: \"1\""), "unknown incomplete", "{path}");
    }
    let unchanged = at(2, "https://a.example/page", "HTTP/1.1 304 Not Modified\r\n\r\n");
    assert_eq!(trains(unchanged), "allowed");
}

/// Of two files of one name, the last one replaces the first, as `tar` and zip have it.
#[test]
fn the_last_file_of_a_name_in_an_archive_counts() {
    let place = tempfile::tempdir().expect("a directory");
    let verdict = |name: &str, archive: &[u8], reports: usize| {
        let path = place.path().join(name);
        std::fs::write(&path, archive).expect("room");
        let built = build(&[Input::Path(path)], &BatchOptions::default(), &Progress::default());
        let built = built.expect("an image");
        assert_eq!(built.report.skipped_examples.len(), reports, "{:?}", built.report.skipped_examples);
        ask(&opened(&built, 0), "bot", "crawl", "https://a.example/x")
    };
    for (bodies, wanted) in [
        (&[ALLOWS, DISALLOWS][..], "disallowed"),
        (&[DISALLOWS, ALLOWS], "allowed"),
        (&[DISALLOWS, DISALLOWS, ALLOWS], "allowed"),
        (&[ALLOWS, ALLOWS, DISALLOWS], "disallowed"),
    ] {
        let files: Vec<_> = bodies.iter().map(|body| ("d/a.example.txt", body.as_bytes().to_vec())).collect();
        assert_eq!(verdict("x.tar", &tar(&files), bodies.len() - 1), wanted);
        assert_eq!(verdict("x.tgz", &gzip(&tar(&files)), bodies.len() - 1), wanted);
    }
    let names = [ALLOWS, DISALLOWS].map(|body| ("a.zip", body.as_bytes().to_vec()));
    let path = place.path().join("y.tar");
    std::fs::write(&path, tar(&names)).expect("room");
    let built =
        build(&[Input::Path(path)], &BatchOptions::default(), &Progress::default()).expect("an image");
    assert_eq!(built.report.skipped_examples.len(), 1);
    assert_eq!(ask(&opened(&built, 0), "bot", "crawl", "https://a.zip/x"), "disallowed");
    let damaged = ("d/a.example.txt", gzip(DISALLOWS.as_bytes())[..12].to_vec());
    let files = [("d/a.example.txt", ALLOWS.as_bytes().to_vec()), damaged];
    assert_eq!(verdict("x.tar", &tar(&files), 2), "unknown");
}

/// User names and the dot of the root label are no part of a site, so not of its files either.
#[test]
fn a_document_of_a_site_is_found_however_its_url_is_written() {
    for path in ["/.well-known/tdmrep.json", "/ai.txt"] {
        let body = match path {
            "/ai.txt" => "User-Agent: *\nDisallow: /\n",
            _ => r#"[{"location": "/", "tdm-reservation": 1}]"#,
        };
        for authority in ["a.example", "u:p@a.example", "a.example.", "u@A.example.:443"] {
            let url = format!("https://{authority}{path}");
            assert_eq!(trains(at(1, &url, text(body))), "disallowed", "{url}");
        }
    }
    let noindex = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n";
    let records = [at(1, ROBOTS, text(ALLOWS)), at(1, "https://a.example/x\ty?\tz", noindex)];
    let image = image_of(&records, true);
    for url in ["https://a.example/xy?z", "https://a.example/x\ty?\tz"] {
        assert_eq!(ask(&image, "bot", "index", url), "disallowed", "{url:?}");
    }
}

/// A row that the end of a file cuts before its body has no empty body.
#[test]
fn a_table_that_ends_behind_a_comma_is_cut() {
    let read = |row: &str| {
        let table = format!("url,status,fetched_at,body\n{ROBOTS},200,2,{row}");
        lines("x.csv", table.as_bytes())
    };
    assert_eq!(read(""), ["at 1: table"]);
    for whole in ["\n", "\"\"", "\"\"\r\n"] {
        assert_eq!(read(whole), [format!("{ROBOTS} ")], "{whole:?}");
    }
    assert_eq!(read("x"), [format!("{ROBOTS} x")]);
}

/// All blocks before damage of a zstd frame are read, so a wrong checksum hides no URL.
#[test]
fn a_wrong_checksum_hides_no_url() {
    for size in [10, 10_000, 300_000] {
        let newer = text(&format!("{DISALLOWS}#{}", "x".repeat(size)));
        let mut damaged = zstd(&at(2, ROBOTS, newer));
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        let file = [zstd(&at(1, ROBOTS, text(ALLOWS))), damaged].concat();
        assert_eq!(
            lines("x.warc.zst", &file)[..2],
            [format!("{ROBOTS} {ALLOWS}"), "at 205: record-cut".to_owned()]
        );
    }
}

/// A document of a site that nobody decompressed may refuse.
#[test]
fn documents_that_are_no_text_are_unread() {
    let refuses = "User-Agent: *\nDisallow: /\n";
    let wide: Vec<u8> = format!("\u{feff}{refuses}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for path in ["/ai.txt", "/.well-known/tdmrep.json"] {
        for body in [gzip(refuses.as_bytes()), zstd(refuses.as_bytes()), wide.clone()] {
            let records = [
                at(1, ROBOTS, text("User-agent: *\nContent-Signal: ai-train=yes\n")),
                at(1, &format!("https://a.example{path}"), answer("Content-Type: text/plain", &body)),
            ];
            assert_eq!(
                ask(&image_of(&records, true), "bot", "ai-train", "https://a.example/x"),
                "unknown incomplete"
            );
        }
    }
}
