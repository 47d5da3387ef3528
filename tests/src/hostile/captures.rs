//! Hostile streams of captures: WARC, JSON lines, CSV, tar, CDXJ, pages.
//!
//! Records that are no records, records by the ten thousand, fields that do not end. Invariants: as
//! in the parent module.

use super::{line, lines};

/// A builder of a stream: the name of its file, which says the format, and its usual size.
pub type StreamBuilder = (&'static str, fn(usize) -> Vec<u8>, &'static str, usize);

/// Every builder.
pub const STREAMS: [StreamBuilder; 16] = [
    ("warc-first-lines", |count| b"WARC/1.0\r\n".repeat(count), "x.warc", 200_000),
    (
        "warc-empty-records",
        |count| b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n".repeat(count),
        "x.warc",
        50_000,
    ),
    (
        "warc-long-record",
        |count| b"WARC/1.0\r\nContent-Length: 900000000\r\n\r\nx".repeat(count),
        "x.warc",
        50_000,
    ),
    ("warc-headers", warc_headers, "x.warc", 50_000),
    ("warc-http-headers", |count| warc(&"a: b\r\n".repeat(count), ""), "x.warc", 200_000),
    (
        "warc-chunks",
        |count| warc("Transfer-Encoding: chunked\r\n", &"1\r\na\r\n".repeat(count)),
        "x.warc",
        200_000,
    ),
    (
        "warc-encodings",
        |count| warc(&format!("Content-Encoding: {}\r\n", "gzip,".repeat(count)), "x"),
        "x.warc",
        50_000,
    ),
    ("json-lines", json_lines, "x.jsonl", 20_000),
    ("json-brackets", |count| b"[".repeat(count), "x.jsonl", 2_000_000),
    ("json-headers", json_headers, "x.jsonl", 100_000),
    (
        "json-escapes",
        |count| {
            format!("{{\"url\":\"https://h.example/robots.txt\",\"body\":\"{}\"}}\n", "\\u0000".repeat(count))
                .into()
        },
        "x.jsonl",
        300_000,
    ),
    ("csv-quotes", |count| [b"url,body\n", b"\"".repeat(count).as_slice()].concat(), "x.csv", 2_000_000),
    ("csv-columns", |count| [b"url,body\n", b",".repeat(count).as_slice()].concat(), "x.csv", 2_000_000),
    (
        "csv-rows",
        |count| [b"url,body\n", b"https://h.example/robots.txt,x\n".repeat(count).as_slice()].concat(),
        "x.csv",
        50_000,
    ),
    ("tar-members", tar_members, "x.tar", 3_000),
    ("cdxj-lines", cdxj_lines, "x.cdxj", 20_000),
];

/// A builder of an HTML page, by name, and its usual size.
pub type PageBuilder = super::Builder;

/// The builders of pages.
pub const PAGES: [PageBuilder; 9] = [
    (
        "html-meta-tags",
        |count| html(count, |n| format!("<meta name=b{n} content='noindex, max-snippet:{n}'>")),
        20_000,
    ),
    (
        "html-nested-elements",
        |count| html(count, |_| "<div class='the-acap:disallow-present'>".into()),
        30_000,
    ),
    (
        "html-classes",
        |count| format!("<body class='{}'>", "the-acap:disallow-present ".repeat(count)).into(),
        40_000,
    ),
    (
        "html-attributes",
        |count| format!("<body {}>", (0..count).map(|n| format!("a{n}=b ")).collect::<String>()).into(),
        100_000,
    ),
    (
        "html-licenses",
        |count| html(count, |n| format!("<link rel=license type=application/rsl+xml href=/{n}>")),
        20_000,
    ),
    (
        "html-entities",
        |count| format!("<meta name=robots content='{}'>", "&amp;&#120;".repeat(count)).into(),
        100_000,
    ),
    ("html-open-tags", |count| b"<meta ".repeat(count), 200_000),
    ("html-open-comments", |count| b"<!--".repeat(count), 300_000),
    ("html-scripts", |count| b"<script type=application/rsl+xml><rsl>".repeat(count), 30_000),
];

/// One record with a response of this header and body.
fn warc(header: &str, body: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{header}\r\n{body}");
    let of_record = "WARC-Type: response\r\nWARC-Target-URI: https://h.example/robots.txt\r\n\
         Content-Type: application/http; msgtype=response\r\n";
    let length = http.len();
    format!("WARC/1.0\r\n{of_record}Content-Length: {length}\r\n\r\n{http}\r\n\r\n").into_bytes()
}

/// A record of many lines.
fn warc_headers(count: usize) -> Vec<u8> {
    let header = lines(count, |out, n| line(out, format_args!("Key-{n}: a\r")));
    [b"WARC/1.0\r\n", header.as_slice(), b"Content-Length: 0\r\n\r\n\r\n\r\n"].concat()
}

/// A capture of the same site in each line, each newer than the last.
fn json_lines(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        let body = "User-agent: *\\nDisallow: /";
        line(
            out,
            format_args!(
                "{{\"url\":\"https://h.example/robots.txt\",\"fetched_at\":{n},\"body\":\"{body}{n}\"}}"
            ),
        );
    })
}

/// A capture with many headers.
fn json_headers(count: usize) -> Vec<u8> {
    let headers: Vec<String> = (0..count).map(|n| format!("[\"x-robots-tag\",\"b{n}: noindex\"]")).collect();
    let headers = headers.join(",");
    format!("{{\"url\":\"https://h.example/p\",\"headers\":[{headers}],\"body\":\"x\"}}\n").into_bytes()
}

/// Empty members whose names are hosts.
fn tar_members(count: usize) -> Vec<u8> {
    let member = |n: usize| {
        let mut header = [0; 512];
        let name = format!("h{n}.example");
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(b"00000000000");
        header[136..147].copy_from_slice(b"00000000000");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        // The sum of all bytes, with spaces in its own place.
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        header
    };
    (0..count).flat_map(member).chain([0; 1024]).collect()
}

/// Lines of an index whose file is not there.
fn cdxj_lines(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        let place = format!("\"filename\": \"none.warc.gz\", \"offset\": \"{n}\", \"length\": \"10\"");
        line(
            out,
            format_args!(
                "example,h{n})/robots.txt 20260101000000 {{\"url\": \"https://h{n}.example/robots.txt\", \"status\": \"200\", {place}}}"
            ),
        );
    })
}

fn html(count: usize, item: impl Fn(usize) -> String) -> Vec<u8> {
    let items: String = (0..count).map(item).collect();
    format!("<!DOCTYPE html><html><head>{items}</head></html>").into_bytes()
}
