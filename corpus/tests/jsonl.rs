//! JSON lines: valid lines, and the effect of invalid ones.

mod common;

use common::{items_within, lines, lines_within, only};
use robomaton_corpus::{Item, ReadLimits};
use robomaton_tests::write::gzip;

#[test]
fn a_line_has_all_its_facts() {
    let line = br#"{"url": "https://a.example/robots.txt", "status": 301, "fetched_at": "1970-01-01T01:01:40+01:00",
        "body": "\u00e9", "headers": {"LOCATION": "/x", "content-type": ["text/plain"], "Cache-Control": "no-store", "n": 1},
        "unknown": {"a": []}}"#;
    let line: Vec<u8> = line.iter().copied().filter(|byte| *byte != b'\n').collect();
    let capture = only("x.jsonl", &line);
    assert_eq!(capture.site.to_string(), "https://a.example");
    assert_eq!((capture.status, capture.fetched_at, capture.fresh_for), (301, 100, Some(0)));
    assert_eq!(
        (capture.location.as_deref(), capture.content_type.as_deref()),
        (Some("/x"), Some("text/plain"))
    );
    assert_eq!(capture.body, "é".as_bytes());
}

#[test]
fn what_may_be_left_out() {
    let host = only("-", br#"{"url": "a.example:8080", "body_base64": "QWxsb3c6IC8"}"#);
    assert_eq!((host.site.to_string().as_str(), host.status, host.fetched_at), ("a.example:8080", 200, 0));
    assert_eq!(host.body, b"Allow: /");
    assert_eq!(only("-", br#"{"url": "a.example", "status": null}"#).status, 0, "no answer");
    assert_eq!(only("-", br#"{"url": "a.example", "fetched_at": 7}"#).fetched_at, 7);
    assert_eq!(
        only("-", br#"{"host": "a.example", "status": "404"}"#).status,
        404,
        "as indexes write numbers"
    );
    assert_eq!(
        only("-", br#"{"host": {}, "url": "a.example", "length": null}"#).site.to_string(),
        "a.example"
    );
    assert!(only("-", br#"{"url": "a.example", "body": "x\n", "truncated": true}"#).truncated);
}

#[test]
fn a_bad_line_costs_itself() {
    let lines_in: [&[u8]; 15] = [
        b"\xef\xbb\xbf{\"url\": \"first.example\", \"body\": \"\"}\r",
        b"{\"url\": \"a.example\"",
        b"not json",
        br#"{"status": 200}"#,
        br#"{"url": "a.example", "body_base64": "?"}"#,
        br#"{"url": "a.example", "body": "", "body_base64": ""}"#,
        br#"{"url": "a.example", "status": "OK"}"#,
        br#"{"url": "a.example", "status": 70000}"#,
        br#"{"url": "a.example", "fetched_at": "yesterday"}"#,
        br#"{"url": "mailto:a"}"#,
        b"{\"url\": \"\xff.example\"}",
        b"  \t",
        br#"["a.example"]"#,
        br#"{"url": "a.example", "status": 304}"#,
        br#"{"url": "last.example", "body": "x"}"#,
    ];
    let expected = [
        "first.example ",
        "at 2: json",
        "at 3: json",
        "at 4: json",
        "at 5: json",
        "at 6: json",
        "at 7: json",
        "at 8: json",
        "at 9: json",
        "at 10: url",
        "at 11: json",
        "at 13: json",
        "revisit a.example",
        "last.example x",
    ];
    let bytes = lines_in.join(&b'\n');
    assert_eq!(lines("x.jsonl", &bytes), expected);
    assert_eq!(lines("x.jsonl.gz", &gzip(&bytes)), expected);
}

#[test]
fn no_header_line_that_speaks_of_uses_is_dropped() {
    let line = |headers: &str| {
        format!(r#"{{"url": "https://a.example/p", "status": 200, "body": "", "headers": {headers}}}"#)
    };
    let stated = |headers: &str| -> Vec<String> {
        let capture = only("x.jsonl", line(headers).as_bytes());
        let text = |(name, value): &(&str, Vec<u8>)| format!("{name}: {}", String::from_utf8_lossy(value));
        capture.headers.iter().map(text).collect()
    };
    assert_eq!(stated(r#"{"tdm-reservation": 1, "other": {}}"#), ["tdm-reservation: 1"]);
    assert_eq!(stated(r#"{"tdm-reservation": [1, null]}"#), ["tdm-reservation: 1"]);
    assert_eq!(stated(r#"[["tdm-reservation", 1]]"#), ["tdm-reservation: 1"]);
    assert_eq!(stated(r#"{"X-Robots-Tag ": "noindex"}"#), ["x-robots-tag: noindex"]);
    let both = ["x-robots-tag: noindex", "x-robots-tag: nofollow"];
    assert_eq!(stated(r#"{"X-Robots-Tag": "noindex", "X-Robots-Tag": "nofollow"}"#), both);
    for headers in [
        r#"{"X-Robots-Tag": {"value": "noindex"}}"#,
        r#"{"x-robots-tag ": [["noindex"]]}"#,
        r#"[["tdm-reservation", true]]"#,
        r#""X-Robots-Tag: noindex""#,
        r#"["X-Robots-Tag: noindex"]"#,
    ] {
        assert_eq!(lines("x.jsonl", line(headers).as_bytes()), ["at 1: json"], "{headers}");
    }
}

#[test]
fn a_time_in_milliseconds_does_not_win_for_ever() {
    let line = br#"{"url": "a.example", "body": "", "fetched_at": 1700000000000}"#;
    assert_eq!(lines("x.jsonl", line), ["at 1: json"]);
}

#[test]
fn seconds_may_have_a_fraction_or_an_exponent() {
    for (time, seconds) in [
        ("1700000000.5", 1_700_000_000),
        ("1e9", 1_000_000_000),
        ("\"1700000000.987654\"", 1_700_000_000),
        ("0.25", 0),
        ("-0.0", 0),
    ] {
        let line = format!("{{\"url\": \"a.example\", \"fetched_at\": {time}}}");
        assert_eq!(only("x.jsonl", line.as_bytes()).fetched_at, seconds, "{time}");
    }
    for (time, reason) in [
        ("-1", "fetched_at: -1 is before 1970"),
        ("-0.5", "fetched_at: -0.5 is before 1970"),
        ("\"1969-12-31T23:59:59Z\"", "fetched_at: \"1969-12-31T23:59:59Z\" is no RFC 3339 time since 1970"),
        ("1e12", "fetched_at: 1000000000000 is no number of seconds since 1970; is it milliseconds?"),
        (
            "1700000000000.5",
            "fetched_at: 1700000000000.5 is no number of seconds since 1970; is it milliseconds?",
        ),
        ("\"NaN\"", "fetched_at: \"NaN\" is no RFC 3339 time since 1970"),
    ] {
        let line = format!("{{\"url\": \"a.example\", \"fetched_at\": {time}}}");
        match items_within("x.jsonl", line.as_bytes(), &ReadLimits::default()).as_slice() {
            [Item::Revisit(revisit)] => {
                assert_eq!(revisit.otherwise.reason.to_string(), format!("bad JSON line: {reason}"));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A writer that was killed in a line goes on behind it.
#[test]
fn the_object_behind_a_torn_one_is_a_fetch_that_cannot_be_read() {
    let next = "{\"url\":\"b.example\",\"body\":\"B\"}";
    let last = "{\"url\":\"c.example\",\"body\":\"C\"}";
    for (torn, named) in [
        ("{\"url\":\"a.example\",\"body\":\"Disallow: /pri", true),
        ("{\"url\":\"a.example\",\"fetched_at\":17", true),
        ("{\"url\":\"a.example\",\"bo", true),
        ("{\"url\":\"a.example\",", true),
        ("{\"url\":\"a.exam", false),
        ("{\"ur", false),
        ("{", false),
        // The next one is the value of a key, or behind half an escape.
        ("{\"url\":\"a.example\",\"status\":", true),
        ("{\"url\":\"a.example\",\"headers\":{\"x\":", true),
        ("{\"url\":\"a.example\",\"body\":\"\\u", true),
    ] {
        let text = format!("{torn}{next}{last}\n{{\"url\":\"d.example\"}}\n");
        let found = items_within("x.jsonl", text.as_bytes(), &ReadLimits::default());
        let mut sites = sites(&found);
        // One that is the value of a key is named twice.
        sites.dedup();
        let first = named.then_some("-a.example");
        let wanted: Vec<&str> = first.into_iter().chain(["-b.example", "-c.example", "d.example"]).collect();
        assert_eq!(sites, wanted, "{torn}");
    }
}

/// The sites of captures, and with a sign those of fetches that cannot be read.
fn sites(items: &[Item]) -> Vec<String> {
    let site = |item: &Item| match item {
        Item::Revisit(unread) => Some(format!("-{}", unread.key.as_ref()?)),
        Item::Capture(capture) => Some(capture.site.to_string()),
        _ => None,
    };
    items.iter().filter_map(site).collect()
}

/// A server chose the headers of its answer. They are values of the object, which may stand before
/// its URL.
#[test]
fn headers_of_a_torn_object_name_no_fetch() {
    let headers = r#""headers":{"url":"https://v.example/robots.txt","host":"v.example"}"#;
    let url = r#""url":"https://a.example/robots.txt""#;
    for torn in [
        format!(r#"{{{url},{headers},"fetched_at":1,"body":"Disal"#),
        format!(r#"{{{headers},{url},"body":"Disal"#),
        format!(r#"{{{url},{headers},"took":NaN}}"#),
        format!(r#"{{{url},"took":NaN,{headers}}}"#),
        format!(r#"{{{url},"history":[{{"url":"v.example"}}],"took":NaN}}"#),
    ] {
        let found = items_within("x.jsonl", torn.as_bytes(), &ReadLimits::default());
        assert_eq!(sites(&found), ["-https://a.example"], "{torn}");
        for next in [
            format!(r#"{{"status":200,{headers},"url":"b.example"}}"#),
            format!(r#"{{{headers},"url":"b.example","b"#),
        ] {
            let found = items_within("x.jsonl", format!("{torn}{next}").as_bytes(), &ReadLimits::default());
            let sites = sites(&found);
            assert!(sites.contains(&"-b.example".to_owned()), "{torn}{next}: {sites:?}");
        }
    }
    // Nor do the headers of an object whose beginning is missing.
    let found = items_within("x.jsonl", format!("bots.txt\",{headers}}}").as_bytes(), &ReadLimits::default());
    assert_eq!(sites(&found), [""; 0]);
    // But rows may be values.
    for text in [
        "{\"a\": {\"url\":\"a.example\"},\n\"v\": {\"url\":\"v.example\"}}",
        "\"v\": {\"url\":\"v.example\"}, \"b\": {\"url\":\"b.example\"},",
        "\"rows\": [{\"url\":\"v.example\"},{\"url\":\"b.example\"}]}",
    ] {
        let sites = sites(&items_within("x.jsonl", text.as_bytes(), &ReadLimits::default()));
        assert!(sites.contains(&"-v.example".to_owned()), "{text}: {sites:?}");
    }
}

/// However long the line is.
#[test]
fn rows_behind_a_torn_one_are_all_named() {
    let torn = r#"{"url":"a.example","body":"Dis"#;
    let row = |host: &str| format!(r#"{{"headers":{{"server":"x"}},"url":"{host}","body":"B"}}"#);
    let long = format!(r#"{{"url":"d.example","body":"{}"}}"#, "x".repeat(40 << 20));
    let text = [torn, &row("b.example"), &row("c.example"), &long].concat();
    let found = items_within("x.jsonl", text.as_bytes(), &ReadLimits::default());
    assert_eq!(sites(&found), ["-a.example", "-b.example", "-c.example", "-d.example"]);
}

/// A list of rows may have one in each line.
#[test]
fn a_comma_behind_a_row() {
    let text = "{\"url\":\"a.example\",\"body\":\"Dis{\"url\":\"b.example\",\"body\":\"B\"},\n";
    let found = items_within("x.jsonl", text.as_bytes(), &ReadLimits::default());
    assert_eq!(sites(&found), ["-a.example", "-b.example"]);
}

/// In linear time, whatever is in a line.
#[test]
fn many_objects_without_an_end() {
    let start = std::time::Instant::now();
    for many in [r#"{"a":"#, r#"{"url":"#, r#"{"a":1,"b":{"c":2}"#, r#"{"x":{"url":"b.example"}},"#] {
        let text = format!("{{\"a\":x{}", many.repeat((4 << 20) / many.len()));
        items_within("x.jsonl", text.as_bytes(), &ReadLimits::default());
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Libraries write whole columns as floats where some values are missing.
#[test]
fn numbers_may_be_floats() {
    for (status, truncated) in
        [("404.0", "1.0"), ("\"404.0\"", "\"1.0\""), ("4.04e2", "1e0"), ("404", "\"True\"")]
    {
        let line = format!("{{\"url\": \"a.example\", \"status\": {status}, \"truncated\": {truncated}}}");
        let capture = only("x.jsonl", line.as_bytes());
        assert_eq!((capture.status, capture.truncated), (404, true), "{line}");
    }
    for status in ["404.5", "\"NaN\"", "1e300", "-404.0", "true"] {
        let line = format!("{{\"url\": \"a.example\", \"status\": {status}}}");
        assert_eq!(lines("x.jsonl", line.as_bytes()), ["at 1: json"], "{line}");
    }
}

#[test]
fn a_body_is_bytes() {
    let capture = only("-", b"{\"url\": \"a.example\", \"body\": \"Disallow: /caf\xe9 \\ud800\\n\"}");
    assert!(capture.body.starts_with(b"Disallow: /caf\xe9 "));
}

#[test]
fn limits_and_damage() {
    let mut limits = ReadLimits::default();
    (limits.max_line, limits.max_body) = (40, 2);
    let long = format!("{{\"url\": \"long.example\", \"x\": \"{}\"}}", "x".repeat(1_000_000));
    let text =
        format!("{{\"url\":\"a.example\",\"body\":\"#\\nx\"}}\n{long}\n{{\"url\":\"b.example\"}}\n{long}");
    let expected = ["a.example #\n (truncated)", "at 2: line-too-long", "b.example ", "at 4: line-too-long"];
    assert_eq!(lines_within("x.jsonl", text.as_bytes(), &limits), expected);

    let good = gzip(b"{\"url\":\"a.example\"}\n{\"url\":\"b.example\"}\n");
    let cut = [&good[..good.len() - 8], b"\0\0\0\0\0\0\0\0", &good].concat();
    let read = items_within("x.jsonl.gz", &cut, &ReadLimits::default());
    // Rows under a wrong checksum may say anything.
    let count = |wanted: fn(&Item) -> bool| read.iter().filter(|item| wanted(item)).count();
    assert_eq!(count(|item| matches!(item, Item::Revisit(_))), 2);
    assert_eq!(count(|item| matches!(item, Item::Capture(_))), 2);
    assert_eq!(read.len(), 5, "the damage is told: {read:?}");
}
