//! Which page a capture is of: by its URL as it was written, and for robots.txt and data.txt, too.

mod common;

use common::{ask, at, built, html, opened, text};
use robomaton_corpus::{BatchOptions, Built};

fn with_pages(records: &[Vec<u8>]) -> Built {
    built(records, &BatchOptions { pages: true, ..BatchOptions::default() })
}

/// A row with a host is a capture of its robots.txt, not of its home page.
#[test]
fn the_header_of_a_host_is_that_of_its_robots_txt() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.jsonl");
    for (header, usage, of_robots) in [
        ("{\"content-usage\": \"train-ai=y\"}", "ai-train", "allowed"),
        ("{\"x-robots-tag\": \"noai\"}", "ai-train", "disallowed"),
        ("{\"link\": \"</x.css>; rel=preload\"}", "index", "allowed"),
    ] {
        let row = format!(r#"{{"host": "a.example", "body": "User-agent: *\n", "headers": {header}}}"#);
        std::fs::write(&path, row).unwrap();
        let options = BatchOptions { pages: true, ..BatchOptions::default() };
        let inputs = [robomaton_corpus::Input::Path(path.clone())];
        let built = robomaton_corpus::build(&inputs, &options, &Default::default()).unwrap();
        let image = opened(&built, 0);
        for scheme in ["https", "http"] {
            assert_eq!(ask(&image, "bot", usage, &format!("{scheme}://a.example/")), "unknown", "{header}");
            let robots = format!("{scheme}://a.example/robots.txt");
            assert_eq!(ask(&image, "bot", usage, &robots), of_robots, "{header}");
        }
    }
}

/// Rules tell these URLs apart, though clients ask for the second as for the first.
#[test]
fn urls_that_rules_tell_apart_are_pages_of_their_own() {
    let robots = text("User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n");
    let robots = at(1, "https://a.example/robots.txt", robots);
    let noai = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\nContent-Type: text/html\r\n\r\n<p>";
    let spellings =
        [("/p?a=%27", "/p?a='"), ("/p", "/x/../p"), ("/p", "/./p"), ("/p", "/x/%2e%2e/p"), ("/p/q", "/p\\q")];
    for (one, other) in spellings {
        for (one, other) in [(one, other), (other, one)] {
            let [one, other] = [one, other].map(|path| format!("https://a.example{path}"));
            let refused = at(1, &one, noai);
            for later in
                [&html("<p>"), "HTTP/1.1 404 N\r\n\r\n", "HTTP/1.1 304 N\r\nContent-Usage: a=b\r\n\r\n"]
            {
                let image = opened(&with_pages(&[robots.clone(), refused.clone(), at(2, &other, later)]), 0);
                assert_eq!(ask(&image, "bot", "ai-train", &one), "disallowed", "{one} {other}");
            }
        }
    }
    // These are one URL.
    for (one, other) in [("/p%7e", "/p~"), ("/p|", "/p%7C"), ("/p#x", "/p"), ("/p", "/p\u{1} ")] {
        let [one, other] = [one, other].map(|path| format!("https://a.example{path}"));
        let newer = at(2, &other, html("<p>"));
        let image = opened(&with_pages(&[robots.clone(), at(1, &one, noai), newer]), 0);
        assert_eq!(ask(&image, "bot", "ai-train", &one), "allowed", "{one} {other}");
    }
}

/// A reference and a capture may both be written as no client asks for them.
#[test]
fn a_file_is_found_by_the_url_that_names_it() {
    let robots = "ACAP-crawler: *\nACAP-permissions-reference: /f?a='\nACAP-allow-crawl: /\n";
    for path in ["/f?a='", "/f?a=%27"] {
        let file = text("ACAP-crawler: *\nACAP-disallow-crawl: /p\n");
        let records = [
            at(1, "https://a.example/robots.txt", text(robots)),
            at(1, &format!("https://a.example{path}"), file),
        ];
        let image = opened(&with_pages(&records), 0);
        assert_eq!(ask(&image, "bot", "crawl", "https://a.example/p"), "disallowed", "{path}");
    }
}

/// What an older header said does not count for the newest capture, whatever the body is.
#[test]
fn the_newest_header_of_robots_txt_and_data_txt_counts() {
    let answer = |head: &str, body: &str| format!("HTTP/1.1 {head}\r\n\r\n{body}");
    let stated = "200 OK\r\nContent-Type: text/plain\r\nContent-Usage: train-ai=y";
    let rules = "User-agent: *\nAllow: /\n";
    let robots = "https://a.example/robots.txt";
    for url in [robots, "https://a.example/data.txt"] {
        let said = |newer: &[&str]| {
            let mut records = vec![at(1, url, answer(stated, rules))];
            records.extend(newer.iter().zip(2..).map(|(head, second)| at(second, url, answer(head, rules))));
            if url != robots {
                records.push(at(1, robots, text(rules)));
            }
            ask(&opened(&with_pages(&records), 0), "bot", "ai-train", url)
        };
        let plain = "200 OK\r\nContent-Type: text/plain";
        assert_eq!(said(&[]), "allowed", "{url}");
        assert_eq!(said(&[plain]), "unknown", "{url}");
        assert_eq!(said(&["404 N"]), "unknown", "{url}");
        assert_eq!(said(&["304 N"]), "allowed", "{url}");
        let refusing = "304 N\r\nContent-Usage: train-ai=n";
        assert_eq!(said(&[refusing]), "disallowed", "{url}");
        assert_eq!(said(&[refusing, "304 N"]), "disallowed", "{url}");
        assert_eq!(said(&["304 N\r\nContent-Usage: ai-use=n", "304 N"]), "unknown incomplete", "{url}");
        assert_eq!(said(&["206 P\r\nContent-Range: bytes 5-24/99"]), "unknown incomplete", "{url}");
        assert_eq!(said(&["500 E"]), if url == robots { "disallowed" } else { "unknown incomplete" });
    }
}

/// A robots.txt may refer to it.
#[test]
fn a_data_txt_that_cannot_be_read_is_no_older_one() {
    let robots = "ACAP-crawler: *\nACAP-permissions-reference: /data.txt\nACAP-allow-crawl: /\n";
    let url = "https://a.example/data.txt";
    let records = [
        at(1, "https://a.example/robots.txt", text(robots)),
        at(1, url, text("ACAP-crawler: *\nACAP-allow-crawl: /x\n")),
        at(2, url, "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{7}"),
    ];
    let image = opened(&built(&records, &BatchOptions::default()), 0);
    assert_eq!(ask(&image, "bot", "crawl", "https://a.example/p"), "allowed incomplete");
}

/// Bytes that are not UTF-8 are part of a URL, as escapes (R10).
#[test]
fn pages_with_bytes_in_their_urls() {
    let robots = text("User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n");
    let noai = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\nContent-Type: text/html\r\n\r\n<p>";
    let mut page = at(1, "https://a.example/caf?/?", noai);
    for at in [b"?/?".as_slice(), b"?\r"] {
        let place = page.windows(at.len()).position(|bytes| bytes == at).expect("the URL");
        page[place] = 0xe9;
    }
    let other = at(2, "https://a.example/caf%E8/%E9", html("<p>"));
    let records = [at(1, "https://a.example/robots.txt", robots), page, other];
    let image = opened(&with_pages(&records), 0);
    for (path, wanted) in [("/caf%E9/%E9", "disallowed"), ("/caf%e8/%e9", "allowed")] {
        assert_eq!(ask(&image, "bot", "ai-train", &format!("https://a.example{path}")), wanted, "{path}");
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.csv");
    let rows: [&[u8]; 4] = [
        b"url,headers,body\n",
        b"https://a.example/robots.txt,,\"User-agent: *\nContent-Usage: train-ai=y\"\n",
        b"https://a.example/caf\xe9,\"{\"\"x-robots-tag\"\": \"\"noai\"\"}\",x\n",
        b"https://a.example/caf\xe8,,x\n",
    ];
    std::fs::write(&path, rows.concat()).unwrap();
    let options = BatchOptions { pages: true, ..BatchOptions::default() };
    let inputs = [robomaton_corpus::Input::Path(path)];
    let image = opened(&robomaton_corpus::build(&inputs, &options, &Default::default()).unwrap(), 0);
    assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/caf%E9"), "disallowed");
    assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/caf%E8"), "allowed");
}
