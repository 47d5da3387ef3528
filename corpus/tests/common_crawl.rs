//! Records as Common Crawl writes them (Nutch, `org.commoncrawl.util.WarcRecordWriter`), revisits,
//! and byte ranges.

mod common;

use common::{at, built, lines, only, opened, text};
use robomaton_corpus::{BatchOptions, Built, Input, Item, Progress, ReadLimits, Skipped, build, read_below};
use robomaton_tests::write::{gzip, record};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// A record with more header lines.
fn with(fields: &str, record: Vec<u8>) -> Vec<u8> {
    let head = b"WARC/1.0\r\n";
    [head, fields.as_bytes(), record.strip_prefix(head).expect("a record")].concat()
}

/// A revisit record of this second, with its profile and the second that it refers to.
fn revisit(second: u32, uri: &str, profile: &str, of: Option<u32>, block: &str) -> Vec<u8> {
    let date = of.map(|of| {
        format!("WARC-Refers-To-Target-URI: {uri}\r\nWARC-Refers-To-Date: 1970-01-01T00:00:{of:02}Z\r\n")
    });
    let fields = format!(
        "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/{profile}\r\n{}",
        date.unwrap_or_default()
    );
    with(&fields, record("revisit", uri, &format!("1970-01-01T00:00:{second:02}Z"), block.as_bytes()))
}

const R: &str = "https://a.example/robots.txt";
const UNMODIFIED: &str = "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=9\r\n\r\n";

#[test]
fn a_decoded_body_under_renamed_headers() {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Crawler-Transfer-Encoding: chunked\r\n\
        X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Content-Length: 31\r\nContent-Length: 26\r\n\r\nUser-agent: *\nDisallow: /\r\n";
    let capture = only("x.warc", &with("WARC-Identified-Payload-Type: text/x-robots\r\n", at(1, R, block)));
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"User-agent: *\nDisallow: /\r\n"[..], false));
}

#[test]
fn a_truncated_payload_loses_its_last_line() {
    let records =
        [with("WARC-Truncated: length\r\n", at(1, R, text("User-agent: *\nDisallow: /x\nAllow: /x/y")))];
    let image = built(&records, &BatchOptions::default());
    assert_eq!(image.report.truncated, 1);
    assert_eq!(common::ask(&opened(&image, 2), "a", "crawl", "https://a.example/x/y"), "disallowed");
}

#[test]
fn a_redirect_is_a_record_of_its_own() {
    let moved = "HTTP/1.1 301 Moved Permanently\r\nLocation: https://www.a.example/robots.txt\r\nContent-Length: 0\r\n\r\n";
    let target = at(1, "https://www.a.example/robots.txt", text("User-agent: *\nDisallow: /x"));
    let image = opened(&built(&[at(1, R, moved), target], &BatchOptions::default()), 2);
    assert_eq!(common::ask(&image, "a", "crawl", "https://a.example/x"), "disallowed");
}

/// The fetch time of the site, whether `/x` is disallowed, and the skipped records.
fn told(records: &[Vec<u8>]) -> String {
    let built: Built = built(records, &BatchOptions { ..BatchOptions::default() });
    let image = opened(&built, 50);
    let site = image.site(R).and_then(|site| site.fetched_at()).unwrap_or(0);
    let skipped: Vec<String> =
        built.report.skipped.iter().map(|(name, count)| format!(" {count} {name}")).collect();
    format!("{site} {}{}", common::ask(&image, "a", "crawl", "https://a.example/x"), skipped.concat())
}

#[test]
fn a_revisit_makes_its_capture_new() {
    let no = || at(10, R, text("User-agent: *\nDisallow: /x"));
    let yes = || at(20, R, text("User-agent: *\nAllow: /"));
    let error = || at(25, R, "HTTP/1.1 404 Not Found\r\n\r\n");
    let unmodified = |second, of| revisit(second, R, "server-not-modified", of, UNMODIFIED);
    let identical =
        |second, of| revisit(second, R, "identical-payload-digest", of, "HTTP/1.1 200 OK\r\n\r\n");

    assert_eq!(told(&[no(), unmodified(30, Some(10))]), "30 disallowed");
    assert_eq!(told(&[no(), identical(30, Some(10))]), "30 disallowed");
    assert_eq!(told(&[no(), unmodified(30, None)]), "30 disallowed");
    assert_eq!(
        told(&[no(), revisit(30, R, "server-not-modified", None, "")]),
        "30 disallowed",
        "no block at all"
    );
    assert_eq!(told(&[no(), at(30, R, UNMODIFIED)]), "30 disallowed", "a response of its own");
    assert_eq!(
        told(&[no(), unmodified(12, Some(10)), unmodified(30, Some(10))]),
        "30 disallowed",
        "the newest"
    );
    assert_eq!(told(&[no(), unmodified(5, None)]), "10 disallowed", "an older one says nothing");
    assert_eq!(told(&[no(), yes(), unmodified(15, Some(10))]), "20 allowed", "a newer capture counts");
    assert_eq!(told(&[no(), error(), unmodified(30, Some(10))]), "30 disallowed", "behind an error");
    assert_eq!(told(&[no(), error(), unmodified(24, Some(10))]), "25 allowed", "the error is newer");
    assert_eq!(
        told(&[no(), yes(), unmodified(30, Some(10))]),
        "30 unknown 1 revisit",
        "the older text may be back"
    );
    assert_eq!(told(&[no(), yes(), identical(30, Some(10))]), "30 unknown 1 revisit", "that one is not kept");
    assert_eq!(told(&[no(), unmodified(30, Some(11))]), "30 unknown 1 revisit", "that one is not there");
    let elsewhere =
        |url: &str| with(&format!("WARC-Refers-To-Target-URI: {url}\r\n"), identical(30, Some(20)));
    assert_eq!(told(&[yes(), elsewhere("<https://A.example:443/robots.txt#x>")]), "30 allowed");
    assert_eq!(told(&[yes(), elsewhere("https://b.example/robots.txt")]), "30 unknown 1 revisit");
    let redirect = || {
        at(
            40,
            "https://b.example/robots.txt",
            "HTTP/1.1 301 Moved\r\nLocation: https://a.example/robots.txt\r\n\r\n",
        )
    };
    let redirected = |records: &[Vec<u8>]| {
        let built = built(records, &BatchOptions::default());
        common::ask(&opened(&built, 50), "a", "crawl", "https://b.example/x")
    };
    assert_eq!(redirected(&[redirect(), yes()]), "allowed");
    assert_eq!(redirected(&[redirect(), no(), yes(), identical(30, Some(10))]), "unknown");
    assert_eq!(redirected(&[redirect(), no(), error(), identical(30, Some(10))]), "disallowed");
    assert_eq!(told(&[identical(30, Some(10)), unmodified(29, None)]), "30 unknown 1 revisit");
    assert_eq!(told(&[at(30, R, UNMODIFIED)]), "30 unknown 1 not-modified");
    let moved = revisit(30, R, "identical-payload-digest", Some(10), "HTTP/1.1 404 Not Found\r\n\r\n");
    assert_eq!(told(&[no(), moved]), "30 allowed", "an answer that needs no content");
}

#[test]
fn revisits_of_other_urls() {
    let other = revisit(30, "https://a.example/page", "server-not-modified", None, UNMODIFIED);
    assert_eq!(lines("x.warc", &other), ["revisit https://a.example/page"]);
    let data = revisit(30, "https://a.example/data.txt", "server-not-modified", None, UNMODIFIED);
    assert_eq!(lines("x.warc", &data), ["revisit https://a.example/data.txt"]);
}

/// Writers of WARC/1.0 name the capture with the content by its record and the digest of its
/// payload.
#[test]
fn a_revisit_may_refer_to_a_record() {
    let found = |second, id: &str, digest: &str, rule: &str| {
        let fields = format!("WARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Payload-Digest: sha1:{digest}\r\n");
        with(&fields, at(second, R, text(&format!("User-agent: *\n{rule}: /\n"))))
    };
    let same = |profile: &str, of: &str, digest: &str| {
        let fields = format!("WARC-Refers-To: <urn:uuid:{of}>\r\n{digest}");
        with(&fields, revisit(30, R, profile, None, "HTTP/1.1 200 OK\r\n\r\n"))
    };
    let told = |records: &[Vec<u8>]| {
        let built = built(records, &BatchOptions::default());
        common::ask(&opened(&built, 50), "a", "crawl", "https://a.example/x")
    };
    let (refuses, allows) = (found(10, "1", "A", "Disallow"), found(20, "2", "B", "Allow"));
    let digest = |digest: &str| format!("WARC-Payload-Digest: sha1:{digest}\r\n");
    let (identical, unmodified) = ("identical-payload-digest", "server-not-modified");
    for (profile, of, said, answer) in [
        (identical, "1", digest("A"), "unknown"),
        (identical, "1", String::new(), "unknown"),
        (identical, "9", digest("A"), "unknown"),
        // The same content under another name.
        (identical, "9", digest("B"), "allowed"),
        (identical, "2", digest("B"), "allowed"),
        (identical, "2", String::new(), "allowed"),
        // The digest of no payload.
        (unmodified, "2", digest("A"), "allowed"),
        (unmodified, "1", digest("B"), "unknown"),
        ("unknown", "2", String::new(), "unknown"),
    ] {
        let records = [refuses.clone(), allows.clone(), same(profile, of, &said)];
        assert_eq!(told(&records), answer, "{profile} {of} {said}");
    }
    let no_url =
        with("WARC-Refers-To-Target-URI: b.example/x\r\n", revisit(30, R, unmodified, None, UNMODIFIED));
    assert_eq!(told(&[allows, no_url]), "unknown");
}

/// A licence that was fetched again and found unchanged counts; one that is not known does not.
#[test]
fn a_licence_is_renewed() {
    const LICENCE: &str = "https://b.example/l.xml";
    let robots = || at(10, R, text("License: https://b.example/l.xml\nUser-agent: *\nAllow: /\n"));
    let rsl = |second, usage: &str| {
        let of = format!(
            "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\
             <permits type=\"usage\">{usage}</permits></license></content></rsl>"
        );
        at(second, LICENCE, format!("HTTP/1.1 200 OK\r\nContent-Type: application/rsl+xml\r\n\r\n{of}"))
    };
    let told = |records: &[Vec<u8>]| {
        let built = built(records, &BatchOptions::default());
        let answer = common::ask(&opened(&built, 50), "a", "ai-train", "https://a.example/x");
        format!("{answer} {} of {}", built.report.renewed, built.report.revisits)
    };
    let same = |of| revisit(30, LICENCE, "identical-payload-digest", Some(of), "HTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(told(&[robots(), rsl(20, "ai-train")]), "allowed 0 of 0");
    assert_eq!(told(&[robots(), rsl(20, "ai-train"), at(30, LICENCE, UNMODIFIED)]), "allowed 1 of 1");
    assert_eq!(told(&[robots(), rsl(20, "ai-train"), same(20)]), "allowed 1 of 1");
    let unknown = told(&[robots(), rsl(10, "search"), rsl(20, "ai-train"), same(10)]);
    assert_eq!(unknown, "unknown incomplete 0 of 1");
}

/// Nobody knows what the newest fetch of a page found, or said in its header: the page allows no
/// use, and prohibits what it did.
#[cfg(feature = "pages")]
#[test]
fn a_revisit_of_a_page_allows_nothing() {
    const PAGE: &str = "https://a.example/p";
    let robots = || at(5, R, text("User-agent: *\nAllow: /\n"));
    let page = |second, meta: &str| at(second, PAGE, common::html(&format!("<html><head>{meta}")));
    let same = |of, header: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n");
        revisit(30, PAGE, "identical-payload-digest", Some(of), &block)
    };
    let of_use = |usage: &str, records: &[Vec<u8>]| {
        let options = BatchOptions { pages: true, ..BatchOptions::default() };
        common::ask(&opened(&built(records, &options), 50), "a", usage, PAGE)
    };
    let told = |records: &[Vec<u8>]| of_use("index", records);
    let (clean, noindex) = ("", "<meta name=robots content=noindex>");
    assert_eq!(told(&[robots(), page(10, noindex), page(20, clean)]), "allowed");
    assert_eq!(told(&[robots(), page(10, noindex), page(20, clean), same(20, "")]), "allowed");
    let unknown = told(&[robots(), page(10, noindex), page(20, clean), same(10, "")]);
    assert_eq!(unknown, "unknown incomplete");
    let header = "X-Robots-Tag: noindex\r\n";
    assert_eq!(told(&[robots(), page(20, clean), same(20, header)]), "disallowed");
    assert_eq!(told(&[robots(), same(20, header)]), "disallowed");
    assert_eq!(told(&[robots(), same(20, "")]), "unknown incomplete");
    let undecoded = |header: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n";
        at(20, PAGE, [format!("{head}{header}\r\n").as_bytes(), b"\x8b\x00\x80\xff\x03"].concat())
    };
    assert_eq!(told(&[robots(), undecoded("")]), "unknown incomplete");
    assert_eq!(told(&[robots(), undecoded(header)]), "disallowed");
    let endless = at(20, PAGE, "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nContent-Type: text/html");
    assert_eq!(told(&[robots(), page(10, clean), endless]), "disallowed");
    assert_eq!(told(&[robots(), page(20, noindex), same(20, header)]), "disallowed");
    // What the header of an answer 304 says is not taken back by a later one that says nothing.
    let tagged = |second, status: &str, header: &str| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nETag: \"1\"\r\n{header}\r\n");
        at(second, PAGE, head)
    };
    let [text, silent] = [tagged(10, "200 OK", ""), tagged(40, "304 Not Modified", "")];
    let refuses = |second| tagged(second, "304 Not Modified", header);
    assert_eq!(told(&[robots(), text.clone(), silent.clone()]), "allowed");
    assert_eq!(told(&[robots(), text.clone(), refuses(20), silent.clone()]), "disallowed");
    assert_eq!(told(&[silent.clone(), refuses(30), robots(), text.clone(), refuses(20)]), "disallowed");
    assert_eq!(told(&[robots(), text, refuses(5), silent]), "allowed");
    for usage in ["translate", "present-video"] {
        assert_eq!(of_use(usage, &[robots(), page(20, clean), same(20, "")]), "allowed", "{usage}");
        let unknown = of_use(usage, &[robots(), page(10, noindex), page(20, clean), same(10, "")]);
        assert_eq!(unknown, "unknown incomplete", "{usage}");
    }
}

#[test]
fn a_renewed_capture_is_fresh_as_the_new_header_says() {
    let records = [
        at(10, R, text("User-agent: *\nDisallow: /x")),
        revisit(30, R, "server-not-modified", None, UNMODIFIED),
    ];
    let built = built(&records, &BatchOptions::default());
    assert_eq!((built.report.revisits, built.report.renewed), (1, 1));
    let image = opened(&built, 50);
    assert_eq!(image.site(R).map(|site| site.fresh_for()), Some(9));
}

/// The results for the ranges of an index, in the order of reading.
fn ranges(home: &Path, index: &str, limits: &ReadLimits) -> Vec<String> {
    fs::write(home.join("index.csv"), index).expect("a file");
    let mut lines = Vec::new();
    read_below(home, &[Input::Path(home.join("index.csv"))], limits, &AtomicU64::new(0), &mut |item| {
        lines.push(match item {
            Item::Capture(capture) => capture.url,
            Item::Skipped(skipped) => format!("{}:{} {}", skipped.source, skipped.at, skipped.reason),
            Item::Revisit(revisit) => {
                let Skipped { source, at, reason } = revisit.otherwise;
                format!("{source}:{at} {reason}")
            }
            other => format!("{other:?}"),
        });
        ControlFlow::Continue(())
    })
    .expect("the index is there");
    lines
}

#[test]
fn byte_ranges_and_what_is_wrong_with_them() {
    let home = tempfile::tempdir().expect("a directory");
    fs::create_dir(home.path().join("sub")).expect("a folder");
    let url = |n: usize| format!("http://h{n}.example/robots.txt");
    let members: Vec<Vec<u8>> = (0..4).map(|n| gzip(&at(1, &url(n), text("#")))).collect();
    let starts: Vec<usize> = (0..4).map(|n| members[..n].iter().map(Vec::len).sum()).collect();
    fs::write(home.path().join("sub/x.warc.gz"), members.concat()).expect("a file");
    let plain: Vec<Vec<u8>> = (4..6).map(|n| at(1, &url(n), text("#"))).collect();
    fs::write(home.path().join("y.warc"), plain.concat()).expect("a file");
    let row = |n: usize| format!("sub/x.warc.gz,{},{}\n", starts[n], members[n].len());
    let index = [
        "filename,offset,length\n".to_owned(),
        row(3),
        format!("y.warc,{},{}\n", plain[0].len(), plain[1].len()),
        row(0),
        format!("./y.warc,0,{}\n", plain[0].len()),
    ]
    .concat();
    let sorted = ranges(home.path(), &index, &ReadLimits::default());
    assert_eq!(sorted, [url(4), url(0), url(3), url(5)], "file by file, front to back");
    let mut few = ReadLimits::default();
    few.max_ranges = 1;
    assert_eq!(ranges(home.path(), &index, &few), [url(3), url(5), url(0), url(4)], "as they come");

    let size = members.concat().len();
    let bad =
        |row: &str| ranges(home.path(), &format!("filename,offset,length,url\n{row},?\n"), &few).join("; ");
    let x = "sub/x.warc.gz";
    assert_eq!(
        bad(&format!("{x},{size},1")),
        format!("{x}:{size} bad byte range: 1 bytes from {size} on, but the file ends at {size}")
    );
    assert_eq!(
        bad(&format!("{x},0,{}", u64::MAX >> 1)),
        format!("{x}:0 bad byte range: {} bytes from 0 on, but the file ends at {size}", u64::MAX >> 1)
    );
    assert_eq!(bad(&format!("{x},0,0")), format!("{x}:0 bad byte range: it holds no WARC record"));
    let cut = bad(&format!("{x},{},{}", starts[1], members[1].len() - 9));
    assert!(cut.starts_with(&format!("{x}:{} ", starts[1])) && !cut.contains("http"), "{cut}");
    assert!(
        bad(&format!("{x},{},{}", starts[1] + 1, members[1].len()))
            .starts_with(&format!("{x}:{} ", starts[1] + 1))
    );
    assert_eq!(
        bad("../x.warc.gz,7,1"),
        "../x.warc.gz:7 bad byte range: the path leads out of the folder of WARC files"
    );
    assert_eq!(
        bad("/x.warc.gz,7,1"),
        "/x.warc.gz:7 bad byte range: the path leads out of the folder of WARC files"
    );
    assert!(bad("none.warc.gz,7,1").starts_with("none.warc.gz:7 bad byte range: cannot open "));
    assert!(bad("sub,7,1").ends_with("not a regular file"));
    // Each range has the record of the URL that its row names, in any spelling of it.
    let named = |url: &str| {
        let row = format!("{x},{},{},{url}", starts[1], members[1].len());
        ranges(home.path(), &format!("filename,offset,length,url\n{row}\n"), &few)
    };
    for same in [&*url(1), "http://H1.example:80/robots%2Etxt", "h1.example"] {
        assert_eq!(named(same), [url(1)], "{same}");
    }
    for other in
        ["https://h1.example/robots.txt", "http://h2.example/robots.txt", "http://h1.example/x", "h2.example"]
    {
        let [first, second] = named(other).try_into().expect("two items");
        assert!(first == url(1) && second.contains("its records are of other URLs"), "{other}: {second}");
    }
    let index = home.path().join("index.csv");
    assert_eq!(
        bad(&format!("{x},-1,1")),
        format!("{}:1 bad row: offset: \"-1\" is no number of bytes", index.display())
    );
}

#[test]
fn lists_name_inputs() {
    let home = tempfile::tempdir().expect("a directory");
    let put = |name: &str, bytes: &[u8]| {
        let path = home.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let (one, two) = (put("a.example.txt", b"A"), put("b.example.txt", b"B"));
    let text = format!("# captures\n\n  {}  \r\n{}\n", one.display(), two.display());
    let of = |list: &Path| Input::from_args([format!("@{}", list.display()).as_ref(), "-".as_ref()]);
    let expected = [Input::Path(one.clone()), Input::Path(two), Input::Stdin];
    assert_eq!(of(&put("list", text.as_bytes())).expect("a list"), expected);
    assert_eq!(of(&put("list.gz", &gzip(text.as_bytes()))).expect("a list"), expected);
    let inputs = of(&put("empty", b"")).expect("a list");
    assert_eq!(inputs, [Input::Stdin]);

    let wrong = |text: &str| {
        of(&put("wrong", format!("# 1\n{text}\n").as_bytes())).expect_err("an error").to_string()
    };
    let place = format!(" ({}, line 2)", home.path().join("wrong").display());
    assert_eq!(
        wrong("none.warc"),
        format!("cannot open none.warc: No such file or directory (os error 2){place}")
    );
    assert_eq!(wrong("-"), format!("cannot open -: a list names files, not standard input{place}"));
    assert_eq!(
        wrong("@x"),
        format!("cannot open @x: a list names files, not lists; ./@NAME is a file{place}")
    );
    let none = of(&home.path().join("none")).expect_err("an error").to_string();
    assert!(none.starts_with("cannot open ") && none.contains("none: No such file"), "{none}");
    assert!(of(&put("binary", b"\xff\xfe\n")).expect_err("an error").to_string().contains("UTF-8"));

    let built = build(
        &of(&put("list", format!("{}\n", one.display()).as_bytes())).expect("a list")[..1],
        &BatchOptions::default(),
        &Progress::default(),
    );
    assert_eq!(built.expect("an image").report.sites, 1);
}
