//! WARC files: intact ones with every compression, and broken ones.

mod common;

use common::{items_within, lines, lines_within, only, page, response};
use robomaton_corpus::{Item, ReadLimits};
use robomaton_tests::write::{gzip, record, stored_gzip, zstd};
use std::time::{Duration, Instant};

fn limits(change: impl FnOnce(&mut ReadLimits)) -> ReadLimits {
    let mut limits = ReadLimits::default();
    change(&mut limits);
    limits
}

#[test]
fn a_capture_has_all_its_facts() {
    let block = "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Type: text/plain; charset=utf-8\r\n\
                 Cache-Control: max-age=60\r\n\r\nUser-agent: *\n";
    let capture = only("x.warc", &response("<https://Example.com/robots.txt>", block));
    assert_eq!(capture.url, "https://Example.com/robots.txt");
    assert_eq!(capture.site.to_string(), "https://example.com");
    assert_eq!((capture.fetched_at, capture.status, capture.fresh_for), (100, 200, Some(60)));
    assert_eq!(capture.content_type.as_deref(), Some("text/plain; charset=utf-8"));
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"User-agent: *\n"[..], false));
}

#[test]
fn a_header_ends_where_another_record_begins() {
    let whole = page("http://a.example/robots.txt", "A");
    let cut = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://b.example/robots.txt\r\n";
    let read = lines("x.warc", &[&cut[..], &whole].concat());
    assert_eq!(read, ["at 0: warc-header", "at 77: unread"]);
    // Each byte is examined once; with twenty thousand looks at each of them, this took a minute.
    let (lines_of_records, start) = (100_000, Instant::now());
    let two_lines = gzip(&b"WARC/1.0\r\n".repeat(2));
    let read = lines("x.warc", &[two_lines.repeat(lines_of_records), gzip(&whole)].concat());
    assert_eq!(read.len(), lines_of_records + 1);
    assert_eq!(read.last().map(String::as_str), Some("http://a.example/robots.txt A"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// A record of another site in the body of this one never counts, whatever happens to the file.
#[test]
fn no_record_is_read_inside_another() {
    let fake = page("http://victim.example/robots.txt", "Allow: /");
    let body = [b"HTTP/1.1 200 OK\r\n\r\n# x\r\n\r\n", &fake[..], &b"#\n".repeat(500)].concat();
    let evil = response("http://evil.example/robots.txt", &body);
    let length = format!("Content-Length: {}\r\n", body.len());
    let with_length = |new: &str| {
        let head = String::from_utf8_lossy(&evil[..200]).replacen(&length, new, 1);
        [head.as_bytes(), &evil[200..]].concat()
    };
    let last = page("http://last.example/robots.txt", "Z");
    let mut wrong_sum = gzip(&evil);
    let sum = wrong_sum.len() - 8;
    wrong_sum[sum] ^= 1;
    let cut = |bytes: &[u8], count: usize| bytes[..bytes.len() - count].to_vec();
    let plain = |new: &str| [&with_length(new)[..], &last].concat();
    // One member for two records says nothing about the beginning of the third.
    let two_in_one = [gzip(&[&last[..], &last].concat()), wrong_sum.clone(), gzip(&last)].concat();
    for (bytes, reads_last, is_unread) in [
        ([&evil[..], &last].concat(), true, false),
        (cut(&evil, 500), false, false),
        (cut(&gzip(&evil), 12), false, false),
        (cut(&gzip(&[&last[..], &evil].concat()), 12), true, false),
        ([gzip(&cut(&evil, 500)), gzip(&last)].concat(), true, false),
        ([zstd(&cut(&evil, 500)), zstd(&last)].concat(), true, false),
        ([wrong_sum, gzip(&last)].concat(), true, false),
        (two_in_one, true, true),
        (plain("Content-Length: 30\r\n"), false, true),
        (plain("Content-Length: 99999\r\n"), false, false),
        (plain("Content-Length: 99999999999\r\n"), false, false),
        (plain("X: y\r\n"), false, true),
        ([b"lost\n", &evil[100..], &last].concat(), false, true),
    ] {
        let read = lines("x.warc", &bytes);
        assert!(
            !read.iter().any(|line| line.contains("http://victim") && !line.contains("evil")),
            "{read:?}"
        );
        assert_eq!(read.iter().any(|line| line.starts_with("http://last")), reads_last, "{read:?}");
        assert_eq!(read.iter().any(|line| line.ends_with(": unread")), is_unread, "{read:?}");
    }
}

#[test]
fn every_wrapping_gives_the_same() {
    let records = [page("http://a.example/robots.txt", "A"), page("http://b.example/robots.txt", "B")];
    let plain = records.concat();
    let expected = ["http://a.example/robots.txt A", "http://b.example/robots.txt B"];
    let (front, back) = plain.split_at(70);
    for bytes in [
        plain.clone(),
        gzip(&plain),
        records.iter().flat_map(|record| gzip(record)).collect(),
        [gzip(front), gzip(back)].concat(), // members that are not aligned with records
        [gzip(&plain), vec![0; 512]].concat(),
    ] {
        assert_eq!(lines("x.warc.gz", &bytes), expected);
        assert_eq!(lines("-", &bytes), expected, "standard input is known by its first bytes");
    }
}

#[test]
fn other_records_are_counted() {
    let bytes = [
        record("warcinfo", "", "", b"software: x"),
        record("request", "http://a.example/robots.txt", "", b"GET /robots.txt HTTP/1.1\r\n\r\n"),
        record("response", "dns:a.example", "", b"20240101\na.example 1 IN A 192.0.2.1"),
        record("metadata", "http://a.example/robots.txt", "", b""),
        page("http://a.example/robots.txt", ""),
        page("http://a.example/index.html", "x"),
        page("http://a.example/robots.txt?x", "x"),
        page("ftp://a.example/robots.txt", "x"),
        page("robots.txt", "x"),
        response("http://a.example/robots.txt", "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ]
    .concat();
    let kinds: Vec<String> =
        lines("x.warc", &bytes).iter().map(|line| line.replace(char::is_numeric, "")).collect();
    let expected = [
        "ignored",
        "ignored",
        "ignored",
        "ignored",
        "http://a.example/robots.txt ",
        "target http://a.example/index.html",
        "target http://a.example/robots.txt?x",
        "at : url",
        "at : url",
        "revisit http://a.example",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn bodies_are_decoded() {
    let body = |head: &str, body: &[u8]| {
        let block = [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n\r\n", body].concat();
        lines("x.warc", &response("http://a/robots.txt", block)).join("")
    };
    let zlib = {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, b"Allow: /\n").unwrap();
        encoder.finish().unwrap()
    };
    let (deflate, whole) = (&zlib[2..zlib.len() - 4], "http://a/robots.txt Allow: /\n");
    assert_eq!(body("Transfer-Encoding: chunked", b"3\r\nAll\r\n6;x=y\r\now: /\n\r\n0\r\n\r\n"), whole);
    assert_eq!(body("transfer-encoding: Chunked", b"3\nAll\n06\now: /\n\n0\n"), whole);
    assert_eq!(body("Transfer-Encoding: chunked", b"9\r\nAllow: /\n"), format!("{whole} (truncated)"));
    assert_eq!(body("Transfer-Encoding: chunked", b"Allow: /\n"), whole, "decoded already");
    assert_eq!(body("Transfer-Encoding: chunked", b"User-agent: *\nAllow: /\n").len(), whole.len() + 14);
    assert_eq!(body("Content-Encoding: gzip", &gzip(b"Allow: /\n")), whole);
    assert_eq!(body("Content-Encoding: X-GZIP", &gzip(b"Allow: /\n")), whole);
    assert_eq!(body("Content-Encoding: gzip", b"Allow: /\n"), whole, "decoded already");
    assert_eq!(body("Content-Encoding: deflate", &zlib), whole);
    assert_eq!(body("Content-Encoding: deflate", deflate), whole);
    assert_eq!(body("Content-Encoding: deflate", b"Allow: /\n"), whole, "decoded already");
    assert_eq!(body("Content-Encoding: deflate", &zlib[..zlib.len() - 1]), format!("{whole} (truncated)"));
    assert_eq!(body("Content-Encoding: br", b"Allow: /\n"), whole, "decoded already");
    assert_eq!(body("Content-Encoding: gzip, identity, gzip", &gzip(&gzip(b"Allow: /\n"))), whole);
    assert!(body("Content-Encoding: br", b"\x8b\x03\x80Allow: /\x03").ends_with(": encoding"));
    let chunks = [&b"1\r\n\x1f\r\n1000\r\n"[..], &gzip(b"Allow: /\n")[1..]].concat();
    let both = "Content-Encoding: gzip\r\nTransfer-Encoding: chunked";
    assert_eq!(body(both, &chunks), format!("{whole} (truncated)"));
    let long = gzip(&b"Disallow: /x\n".repeat(9999));
    assert!(body("Content-Encoding: gzip", &long[..long.len() - 12]).ends_with("(truncated)"));
}

#[test]
fn bodies_are_limited() {
    let small = limits(|limits| (limits.max_body, limits.max_header) = (4, 200));
    let wire = |body: &[u8], head: &str| {
        response("http://a/robots.txt", [head.as_bytes(), b"\r\n\r\n", body].concat())
    };
    let cut = "http://a/robots.txt #\nab (truncated)";
    assert_eq!(
        lines_within("x.warc", &wire(b"#\nab", "HTTP/1.1 200 OK"), &small),
        ["http://a/robots.txt #\nab"]
    );
    assert_eq!(lines_within("x.warc", &wire(b"#\nabc", "HTTP/1.1 200 OK"), &small), [cut]);
    let bomb = gzip(&[b"#\nab".as_slice(), &vec![b'x'; 50_000_000]].concat());
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip";
    assert_eq!(lines_within("x.warc", &wire(&bomb, head), &small), [cut]);
    // Longer than the buffer: the rest is skipped, and the next record is found.
    let long =
        [wire(&b"#\nabc".repeat(100_000), "HTTP/1.1 200 OK"), page("http://b/robots.txt", "B")].concat();
    assert_eq!(lines_within("x.warc", &long, &small), [cut, "http://b/robots.txt B"]);
    assert_eq!(lines_within("x.warc", &long[..400_000], &small), ["at 0: record-cut"]);
}

#[test]
fn a_cut_capture_says_so() {
    let head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/robots.txt\r\nWARC-Truncated: length\r\n";
    let bytes = format!("{head}Content-Length: 21\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx\n\r\n\r\n");
    let capture = only("x.warc", bytes.as_bytes());
    assert_eq!((capture.truncated, capture.fetched_at, capture.body.as_slice()), (true, 0, &b"x\n"[..]));
}

#[test]
fn odd_http_headers() {
    let line = |block: &str| lines("x.warc", &response("http://a/robots.txt", block)).join("");
    assert_eq!(line("HTTP/1.1 200 OK\nContent-Type: text/plain\n\nbody"), "http://a/robots.txt body");
    assert_eq!(line("HTTP/2 200\r\n\r\nbody"), "http://a/robots.txt body");
    assert_eq!(
        line("HTTP/1.1 200\r\nno colon here\r\n\x01\x02: \x7f\r\n folded\r\n\r\nbody"),
        "http://a/robots.txt body"
    );
    let many = "X-Many: yes\r\n".repeat(5000);
    assert_eq!(line(&format!("HTTP/1.1 200 OK\r\n{many}\r\nbody")), "http://a/robots.txt body");
    let huge = "y".repeat(300 << 10);
    assert_eq!(line(&format!("HTTP/1.1 200 OK\r\nX: {huge}\0\r\n\r\nbody")), "at 0: http");
    assert_eq!(line("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nUser-agent: *\r\n"), "at 0: http");
    assert_eq!(line("HTTP/1.1 404 Not Found\r\nServer: x\r\n"), "http://a/robots.txt ", "a status is enough");
    assert_eq!(line("User-agent: *\n\nDisallow: /\n"), "at 0: http");
    assert_eq!(line(""), "at 0: http");
    assert_eq!(line("HTTP/1.1 abc\r\n\r\n"), "at 0: http");
}

#[test]
fn odd_warc_headers() {
    let good = page("http://b/robots.txt", "B");
    let with_next = |bytes: &str| lines("x.warc", &[bytes.as_bytes(), good.as_slice()].concat());
    let next_member = |bytes: &str| lines("x.warc", &[gzip(bytes.as_bytes()), gzip(&good)].concat());
    let next = "http://b/robots.txt B";
    let block = "HTTP/1.1 200 OK\n\nA\n\n";
    let lf = format!(
        "WARC/1.0\nwarc-type:response\nWARC-TARGET-URI:http://a/robots.txt\ncontent-length:18\n\n{block}"
    );
    assert_eq!(with_next(&lf), ["http://a/robots.txt A", next]);
    let huge = format!("WARC/1.0\r\nX: {}\r\n", "x".repeat(1 << 20));
    for (bytes, kind, is_read) in [
        ("WARC/1.0\r\nWARC-Type: response\r\n\r\n", "warc-header", false),
        ("WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n", "warc-header", true),
        ("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nx\r\n\r\n", "warc-header", true),
        ("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -1\r\n\r\nx\r\n\r\n", "warc-header", false),
        (
            "WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 99999999999999999999999\r\n\r\n\r\n",
            "warc-header",
            false,
        ),
        ("WARC/1.0\r\n", "warc-header", false), // its fields are the next record's
        (&huge, "warc-header", false),
    ] {
        let read = with_next(bytes);
        assert_eq!((read.len(), read[0].as_str()), (2, format!("at 0: {kind}").as_str()), "{read:?}");
        assert_eq!(read[1] == next, is_read, "{read:?}");
        assert!(is_read || read[1].ends_with(": unread"), "{read:?}");
        assert_eq!(next_member(bytes), [&read[0], next]);
    }
    let long = "WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 99999999999\r\n\r\nx\r\n\r\n";
    assert_eq!(with_next(long), ["at 0: record-too-long"], "the rest of the file is its block");
    assert_eq!(next_member(long), ["at 0: record-too-long", next]);
    let small = limits(|limits| limits.max_record = 70);
    let long = page("http://a/robots.txt", &"Allow: /\n".repeat(10));
    let read = lines_within("x.warc", &[&long[..], &good].concat(), &small);
    assert_eq!(read, ["at 0: record-too-long", next]);
}

#[test]
fn a_wrong_length_costs_one_member_or_the_rest() {
    let (one, two) =
        (page("http://a/robots.txt", "Allow: /\nDisallow: /x\n"), page("http://b/robots.txt", "B"));
    let length = "Content-Length: 67\r\n";
    let text = String::from_utf8(one.clone()).unwrap();
    assert!(text.contains(length), "{text}");
    for wrong in [1, 20, 60, 65, 72, 75, 200, 1000, 1_000_000] {
        let broken = text.replace(length, &format!("Content-Length: {wrong}\r\n"));
        let in_members = lines("x.warc", &[gzip(broken.as_bytes()), gzip(&two)].concat());
        let plain = lines("x.warc", &[broken.as_bytes(), &two].concat());
        for read in [&plain, &in_members] {
            assert!(
                ["at 0: record-length", "at 0: record-cut"].contains(&read[0].as_str()),
                "{wrong}: {read:?}"
            );
        }
        assert_eq!(in_members[1..], ["http://b/robots.txt B"]);
        assert!(plain.len() == 1 && wrong > 100 || plain[1].ends_with(": unread"), "{wrong}: {plain:?}");
    }
}

/// A record that is longer than what is held of it takes no members behind it along.
#[test]
fn a_wrong_length_passes_over_no_member() {
    let small = limits(|limits| (limits.max_body, limits.max_header) = (1000, 1000));
    let robots = |host: &str| gzip(&page(&format!("http://{host}/robots.txt"), &"Disallow: /\n".repeat(70)));
    let behind: Vec<u8> = (0..400).flat_map(|number| robots(&number.to_string())).collect();
    let text = String::from_utf8(page("http://b/robots.txt", "Disallow: /x\n")).unwrap();
    let length = "Content-Length: 58\r\n";
    assert!(text.contains(length), "{text}");
    // The record is held in part, its end is in a later member or behind the file.
    for wrong in [70_000, 300_000, 1_000_000_000] {
        let broken = gzip(text.replace(length, &format!("Content-Length: {wrong}\r\n")).as_bytes());
        let read = lines_within("x.warc", &[robots("a"), broken, behind.clone()].concat(), &small);
        assert_eq!(read.len(), 402, "{wrong}: {:?}", &read[..2]);
        assert_eq!(read.iter().filter(|line| line.contains("record-length")).count(), 1, "{wrong}");
    }
}

#[test]
fn garbage_between_records() {
    let (one, two) = (page("http://a/robots.txt", "A"), page("http://b/robots.txt", "B"));
    for garbage in
        ["x", "garbage\r\n", "\r\n\r\nWARC\n", "WARC/no\r\n", &"no line end, WARC/1.0 ".repeat(50_000)]
    {
        let garbage = format!("{garbage}\n");
        let read = lines("x.warc", &[&one, garbage.as_bytes(), &two].concat());
        // Where a record ends shows what follows it.
        let is_record = garbage.starts_with("WARC/");
        assert_eq!(
            read[0],
            if is_record { "http://a/robots.txt A" } else { "at 0: record-length" },
            "{read:?}"
        );
        assert!(read.len() <= 3 && read[read.len() - 1].ends_with(": unread"), "{read:?}");
        let members = [garbage.as_bytes(), &one, garbage.as_bytes(), &two].map(gzip);
        let read = lines("x.warc", &members.concat());
        let kept: Vec<&String> = read.iter().filter(|line| line.starts_with("http")).collect();
        assert_eq!(kept, ["http://a/robots.txt A", "http://b/robots.txt B"], "{read:?}");
        assert_eq!(read.len(), 4, "{read:?}");
    }
    assert_eq!(lines("x.warc", b"not a WARC file at all"), ["at 0: unread"]);
    assert_eq!(lines("x.warc", b""), [""; 0]);
}

/// A length that is damaged may end at an empty line of the body.
#[test]
fn an_empty_line_is_no_end_of_a_record() {
    let whole = page("http://a/robots.txt", "User-agent: a\nDisallow: /a\n\n\nUser-agent: b\nDisallow: /\n");
    let length = |record: &[u8], count: usize| {
        let text = String::from_utf8(record.to_vec()).expect("text");
        text.replacen(&format!("Content-Length: {count}"), &format!("Content-Length: {}", count - 29), 1)
            .into_bytes()
    };
    let block = whole.len() - 4 - whole.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") - 4;
    let short = length(&whole, block);
    let next = page("http://b/robots.txt", "B");
    assert_eq!(lines("x.warc", &[&short[..], &next].concat()), ["at 0: record-length", "at 195: unread"]);
    let members = lines("x.warc.gz", &[gzip(&short), gzip(&next)].concat());
    assert_eq!(members, ["at 0: record-length", "http://b/robots.txt B"]);
}

/// The record of a member is there before its checksum. If the end of the member is damaged, too,
/// the checksum is not looked at.
#[test]
fn a_member_whose_end_is_damaged_does_not_count() {
    // Before its blocks, a member has ten bytes; the first block says whether it is the last.
    const FLAGS: usize = 10;
    for n in 0..200 {
        let [one, two] = ["a", "b"].map(|host| {
            stored_gzip(&page(&format!("http://{host}/robots.txt"), &format!("# {n}\nDisallow: /x\n")))
        });
        let mut damaged = [&one[..], &two].concat();
        // The letter x, before three line ends of the record and the trailer of the member.
        let letter = one.len() - 8 - 4 - 2;
        assert_eq!(damaged[letter], b'x');
        damaged[letter] ^= 1;
        damaged[FLAGS] ^= 1;
        let read = lines("x.warc.gz", &damaged);
        assert!(!read.iter().any(|line| line.contains("Disallow: /y")), "{n}: {read:?}");
    }
}

#[test]
fn damaged_gzip_costs_its_member() {
    let name = |n: u32| format!("http://h{n}.example/robots.txt");
    let members: Vec<Vec<u8>> =
        (0..5).map(|n| gzip(&page(&name(n), &"Disallow: /some/path\n".repeat(20)))).collect();
    let expect = |bytes: &[u8], kept: &[u32], damage: usize| {
        let read = items_within("x.warc.gz", bytes, &ReadLimits::default());
        let urls: Vec<String> = read
            .iter()
            .filter_map(
                |item| if let Item::Capture(capture) = item { Some(capture.url.clone()) } else { None },
            )
            .collect();
        assert_eq!(urls, kept.iter().map(|&n| name(n)).collect::<Vec<_>>(), "{read:?}");
        let told = |item: &&Item| matches!(item, Item::Skipped(skipped) if skipped.reason.name() == "gzip");
        assert_eq!(read.iter().filter(told).count(), damage, "{read:?}");
    };
    let all = members.concat();
    expect(&all, &[0, 1, 2, 3, 4], 0);
    let before_last = all.len() - members[4].len();
    for cut in [before_last + 1, before_last + 12, all.len() - 9] {
        expect(&all[..cut], &[0, 1, 2, 3], 1);
    }
    expect(&all[..before_last], &[0, 1, 2, 3], 0);
    let start: usize = members[..2].iter().map(Vec::len).sum();
    // In the magic, in the data, in the checksum: even a record that decompresses does not count.
    for offset in [0, 1, 2, 40, members[2].len() - 7] {
        let mut bytes = all.clone();
        bytes[start + offset] ^= 0x55;
        expect(&bytes, &[0, 1, 3, 4], 1);
    }
    expect(&[&all[..start], b"garbage", &all[start..]].concat(), &[0, 1, 2, 3, 4], 1);
    expect(&[&all[..], b"garbage"].concat(), &[0, 1, 2, 3, 4], 1);
}

/// Each member could be the beginning of a header that all others belong to.
#[test]
fn members_inside_a_header_are_passed_in_linear_time() {
    let whole = gzip(&page("http://a.example/robots.txt", "A"));
    let part = gzip(b"WARC/1.0\na");
    for between in [Vec::new(), gzip(b"a")] {
        let parts = [&part[..], &between].concat().repeat(40_000);
        let start = Instant::now();
        // So many show that members are records.
        let read = lines("x.warc.gz", &[&whole.repeat(8)[..], &parts, &whole].concat());
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        let captures = read.iter().filter(|line| line.starts_with("http://a.example/")).count();
        assert_eq!(captures, 8 + 1);
        assert_eq!(read[8], format!("at {}: warc-header", 8 * 182));
    }
}
