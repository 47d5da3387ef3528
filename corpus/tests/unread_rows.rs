//! Rows of tables with a mistake name their fetches, so that no older capture answers for them.

mod common;

use common::{ask, opened};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_runtime::Image;
use robomaton_tests::captures::build_from;

const ROBOTS: &str = "https://a.example/robots.txt";
const ALLOWS: &str = "User-agent: *\nAllow: /\n";

/// A mistake of syntax before the URL does not lose the fetch.
#[test]
fn a_line_with_a_mistake_before_its_url_names_its_fetch() {
    let older = serde_json::json!({ "url": ROBOTS, "fetched_at": 1, "body": ALLOWS }).to_string();
    for before in [r#""score":NaN"#, "\"\u{1}\":1", r#""a":"\"url\":\"x\"","b":-"#, r#""url":NaN"#] {
        let line = format!(r#"{{{before},"url" : "{ROBOTS}","body":"User-agent: *\nDisallow: /\n"}}"#);
        let image = opened(&build_from(&[older.clone(), line], 1), 0);
        assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), "unknown", "{before}");
    }
}

/// Files of lines are joined with `cat`, and written without line ends; hosts stand beside empty
/// texts.
#[test]
fn an_object_anywhere_in_a_line_names_its_fetch() {
    let older = serde_json::json!({ "host": "a.example", "fetched_at": 1, "body": ALLOWS }).to_string();
    let newer = r#"{"host":"a.example","fetched_at":2,"body":"User-agent: *\nDisallow: /\n"}"#;
    let other = newer.replace("a.example", "b.example");
    let crawl = |line: String| {
        ask(&opened(&build_from(&[older.clone(), line], 1), 0), "bot", "crawl", "https://a.example/x")
    };
    let read = [
        format!("{other}{newer}"),
        format!("{newer} {other}"),
        format!("{other}\r{newer}"),
        format!("x,y 20260102030405 {other}{newer}{other}"),
        format!("\u{feff}{newer}"),
        newer.replace('{', r#"{"url":"","#),
    ];
    for line in read {
        assert_eq!(crawl(line.clone()), "disallowed", "{line}");
    }
    let named = [
        format!("[{newer},"),
        format!("[{other},{newer}]"),
        format!("\u{1e}{newer}"),
        format!("x,y 20260102030405000 {newer}"),
        format!("{other}x{newer}"),
        newer.replace('{', r#"{"url":"/robots.txt","#),
    ];
    for line in named {
        assert_eq!(crawl(line.clone()), "unknown", "{line}");
    }
    // In linear time.
    let start = std::time::Instant::now();
    for many in ["{}", r#"{"\ud800":1}"#, ",{}"] {
        crawl(many.repeat((4 << 20) / many.len()));
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A default port names the scheme of a bare host, which remains the name of a robots.txt.
#[test]
fn a_host_with_a_default_port_names_its_robots_txt() {
    for (host, https, http) in [
        ("a.example:443", "disallowed", "allowed"),
        ("a.example:80", "allowed", "disallowed"),
        ("a.example:080", "allowed", "disallowed"),
    ] {
        let older = |scheme: &str| {
            let url = format!("{scheme}://a.example/robots.txt");
            serde_json::json!({ "url": url, "fetched_at": 1, "body": ALLOWS }).to_string()
        };
        let moved = serde_json::json!({
            "host": host, "fetched_at": 2, "status": 301, "headers": { "location": "/r" },
        });
        let target = format!("{}://a.example/r", if host.ends_with("443") { "https" } else { "http" });
        let target =
            serde_json::json!({ "url": target, "fetched_at": 2, "body": "User-agent: *\nDisallow: /\n" });
        let newer = serde_json::json!({ "url": host, "fetched_at": 2, "body": target["body"] });
        for rows in [vec![newer.to_string()], vec![moved.to_string(), target.to_string()]] {
            let rows = [vec![older("https"), older("http")], rows].concat();
            let image = opened(&build_from(&rows, 1), 0);
            assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), https, "{rows:?}");
            assert_eq!(ask(&image, "bot", "crawl", "http://a.example/x"), http, "{rows:?}");
        }
    }
}

/// Values that are no header fields take no memory, and the others a limited one.
#[test]
fn headers_of_a_row_are_limited() {
    let crawl = |headers: &str| {
        let row = format!(r#"{{"url":"{ROBOTS}","body":"User-agent: *\nAllow: /\n","headers":{headers}}}"#);
        ask(&opened(&build_from(&[row], 1), 0), "bot", "crawl", "https://a.example/x")
    };
    let many = |value: &str, count: usize| vec![value; count].join(",");
    assert_eq!(crawl(&format!(r#"{{"a":[{}]}}"#, many("[0]", 1 << 18))), "allowed");
    assert_eq!(crawl(&format!(r#"{{"a":[{}]}}"#, many("0", 1 << 16))), "allowed");
    assert_eq!(crawl(&format!(r#"{{"a":[{}]}}"#, many("0", 1 << 20))), "unknown");
    assert_eq!(crawl(&format!("{{{}}}", many(r#""a":null"#, 1 << 20))), "unknown");
    assert_eq!(crawl(&format!("[{}]", many(r#"["a",null]"#, 1 << 10))), "allowed");
}

/// Which field of a row is missing or too many is not known, so each that may be the URL is one.
#[test]
fn rows_of_csv_with_a_wrong_number_of_fields_name_their_fetches() {
    let place = tempfile::tempdir().expect("a directory");
    let crawl = |table: &str| {
        let path = place.path().join("x.csv");
        std::fs::write(&path, table).expect("room");
        let built = build(&[Input::Path(path)], &BatchOptions::default(), &Progress::default());
        ask(&opened(&built.expect("an image"), 0), "bot", "crawl", "https://a.example/x")
    };
    let text = ["\"User-agent: *\nAllow: /\n\"", "\"User-agent: *\nDisallow: /\n\""];
    let urls = |second: &str| {
        format!(
            "source,url,status,fetched_at,body\nhttps://s.example/,{ROBOTS},200,1,{}\n{second}\n",
            text[0]
        )
    };
    for second in [
        format!("https://s.example/,{ROBOTS},200,2"),
        format!("{ROBOTS},200,2,{}", text[1]),
        format!("https://s.example/,https://t.example/,{ROBOTS},200,2,{}", text[1]),
    ] {
        assert_eq!(crawl(&urls(&second)), "unknown", "{second}");
    }
    let hosts =
        |second: &str| format!("id,host,status,fetched_at,body\n1,a.example,200,1,{}\n{second}\n", text[0]);
    for second in ["a.example,200,2,x", "2,3,a.example,200,2,x", "2,a.example,200,2"] {
        assert_eq!(crawl(&hosts(second)), "unknown", "{second}");
    }
    let bare = format!("url,status,fetched_at,body\na.example,200,1,{}\na.example,200,2\n", text[0]);
    assert_eq!(crawl(&bare), "unknown");
    let wide = format!("url,status\n{}", format!("{}\n", "a,".repeat(4000)).repeat(500));
    let start = std::time::Instant::now();
    crawl(&wide);
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Without a body, nobody knows what a fetch found; without a time, nobody knows when.
#[test]
fn a_row_without_a_body_and_a_time_is_no_older_one() {
    let row = |url: &str, rest: &str| format!(r#"{{"url": "{url}", {rest}}}"#);
    let moved = row(ROBOTS, r#""status": 301, "fetched_at": 1, "headers": {"location": "/r"}"#);
    let known = row("https://a.example/r", r#""fetched_at": 1, "body": "User-agent: *\nAllow: /\n""#);
    let missing = row("https://a.example/r", r#""status": 200"#);
    let image = opened(&build_from(&[moved, known, missing], 1), 0);
    assert_eq!(ask(&image, "bot", "crawl", "https://a.example/x"), "unknown");
}

/// Writers join the lines of a field by line ends.
#[test]
fn lines_in_the_value_of_a_header_are_lines() {
    let page = "https://a.example/p";
    for (name, value, usage, wanted) in [
        ("X-Robots-Tag", "noindex\nnofollow", "index", "disallowed"),
        ("X-Robots-Tag", "googlebot: noarchive\nnoindex", "index", "disallowed"),
        ("X-Robots-Tag", "googlebot: noarchive\rnoindex", "index", "disallowed"),
        ("X-Robots-Tag", "googlebot: noarchive\r\nnoindex", "index", "disallowed"),
        ("X-Robots-Tag", "googlebot: noarchive,\r\n noindex", "index", "allowed"),
        ("Content-Signal", "ai-train=no\nsearch=yes", "ai-train", "disallowed"),
        ("tdm-reservation", "1\n1", "tdm", "disallowed"),
    ] {
        let row = |url: &str, headers: serde_json::Value| {
            serde_json::json!({ "url": url, "body": ALLOWS, "headers": headers }).to_string()
        };
        let rows = [row(ROBOTS, serde_json::json!({})), row(page, serde_json::json!({ name: value }))];
        let image = image_of_rows(&rows);
        assert_eq!(ask(&image, "bot", usage, page), wanted, "{name}: {value:?}");
    }
}

/// In a structured field, a control character is a mistake (RFC 9651).
#[test]
fn a_control_character_permits_nothing() {
    let page = "https://a.example/p";
    for (value, wanted) in [
        ("train-ai=y", "allowed"),
        (" \ttrain-ai=y; q\t", "allowed"),
        ("train-ai=y,\r\n search=y", "allowed"),
        ("train-ai=y;\tq", "unknown"),
        ("train-ai=y\u{0}", "unknown"),
        ("train-ai=y\u{c}", "unknown"),
        ("\u{b}train-ai=y", "unknown"),
        ("train-ai=y;a=\"\u{1}\"", "unknown"),
    ] {
        let headers = serde_json::json!({ "Content-Usage": value });
        let image = image_of_rows(&[
            serde_json::json!({ "url": ROBOTS, "body": ALLOWS }).to_string(),
            serde_json::json!({ "url": page, "body": "<p>x", "headers": headers }).to_string(),
        ]);
        assert_eq!(ask(&image, "bot", "ai-train", page), wanted, "{value:?}");
    }
}

/// The text of a table has no character set any more, whatever the header says.
#[test]
fn text_is_not_decoded_again() {
    let page = "https://a.example/p";
    let html = "<p>\u{e9}<meta name=robots content=noindex>";
    let sixteen: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, sixteen);
    for charset in ["utf-16", "UTF-16LE", "utf-16be", "windows-1251", "utf-8"] {
        for kind in ["text/html; charset=@", "text/html;charset='@', text/html", "text/html; a=b; Charset=@"]
        {
            let headers = serde_json::json!({ "Content-Type": kind.replace('@', charset) });
            let row = |name: &str, body: &str| {
                serde_json::json!({ "url": page, name: body, "headers": headers }).to_string()
            };
            let index = |row: String| {
                let robots = serde_json::json!({ "url": ROBOTS, "body": ALLOWS }).to_string();
                ask(&image_of_rows(&[robots, row]), "bot", "index", page)
            };
            assert_eq!(index(row("body", html)), "disallowed", "{kind} {charset}");
            if charset == "UTF-16LE" && !kind.contains(',') {
                assert_eq!(index(row("body_base64", &encoded)), "disallowed", "{kind}");
            }
        }
    }
}

/// The image of these lines of JSON, with pages.
fn image_of_rows(rows: &[String]) -> Image<Vec<u8>> {
    let place = tempfile::tempdir().expect("a directory");
    let path = place.path().join("x.jsonl");
    std::fs::write(&path, rows.join("\n")).expect("room");
    let options = BatchOptions { pages: true, ..BatchOptions::default() };
    opened(&build(&[Input::Path(path)], &options, &Progress::default()).expect("an image"), 0)
}
