//! `store`: captures go in, states and due fetches come out, and a store is an input of `merge`.

mod common;

use common::Place;
use robomaton_runtime::Manifest;
use serde_json::{Value, json};
use std::io::Write;

const DAY: u64 = 86_400;
const START: u64 = 1_767_225_600;

fn lines() -> String {
    let line = |host: &str, status: u16, body: &str, age: u64| {
        json!({
            "url": format!("https://{host}/robots.txt"), "status": status, "fetched_at": START - age,
            "headers": { "ETag": "\"1\"" }, "body": body,
        })
        .to_string()
    };
    let rules = "User-agent: *\nDisallow: /x\n";
    [
        line("a.example", 200, "User-agent: *\nDisallow: /x\nCrawl-delay: 3\n", 10),
        line("b.example", 200, rules, 3 * DAY),
        line("c.example", 404, "", 2 * DAY),
        line("d.example", 503, "", 2 * DAY),
        line("b.example", 200, "User-agent: *\nDisallow: /old\n", 4 * DAY),
        String::new(),
    ]
    .join("\n")
}

fn filled() -> Place {
    let place = Place::new();
    place.write("fetched.jsonl", lines());
    let put = place.run(&["store", "put", "s", "fetched.jsonl"]).ok();
    assert_eq!(put, "4 captures put, 1 not newer, 0 invalid\n");
    place
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn states_are_lines_and_objects() {
    let place = filled();
    let urls = ["https://a.example/", "https://b.example/x", "http://b.example/", "https://d.example/"];
    let now = START.to_string();
    let state =
        |options: &[&str]| place.run(&[&["store", "state", "s", "--now", &now], options, &urls].concat());
    assert_eq!(
        state(&[]).ok(),
        "fresh\thttps://a.example/\nstale\thttps://b.example/x\nunknown\thttp://b.example/\n\
         unreachable\thttps://d.example/\n"
    );
    let found = objects(&state(&["--json"]).ok());
    assert_eq!(
        found[0],
        json!({
            "url": "https://a.example/", "state": "fresh", "fetched_at": "2025-12-31T23:59:50Z",
            "fetch_at": "2026-01-01T23:59:50Z", "in_flight": null, "not_before": null, "since": null,
            "etag": "\"1\"", "last_modified": null, "verdict": null,
        })
    );
    assert_eq!((&found[2]["fetch_at"], &found[3]["since"]), (&Value::Null, &json!("2025-12-30T00:00:00Z")));
    let verdict = |days: u64, options: &[&str]| {
        let now = (START + days * DAY).to_string();
        let state = ["store", "state", "s", "https://d.example/", "--json", "--now", &now];
        objects(&place.run(&[&state, options].concat()).ok())[0]["verdict"].clone()
    };
    let allow = &["--on-long-unreachable", "allow"];
    assert_eq!([28, 29].map(|days| verdict(days, allow)), [json!("disallowed"), json!("allowed")]);
    assert_eq!(verdict(29, &[]), json!("disallowed"));
    place.run(&["store", "state", "s", "--on-long-unreachable", "yes", "https://a.example/"]).fails("allow");
    let found = objects(&state(&["--json", "--agent", "x,y"]).ok());
    assert_eq!((&found[0]["crawl_delay"], &found[0]["visit_times"]), (&json!(3.0), &json!([])));
    assert_eq!(found[2]["request_rates"], json!([]));
    place.run(&["store", "state", "s", "--agent", "x", "https://a.example/"]).fails("--json");
    place.run(&["store", "state", "s", "--json", "--agent", "", "https://a.example/"]).fails("crawler");
    let wrong = place.run(&["store", "state", "s", "ftp://a/", "https://a.example/", "--now", &now]);
    assert_eq!((wrong.code, wrong.out.as_str()), (2, "fresh\thttps://a.example/\n"));
    assert!(wrong.err.contains("ftp://a/"), "{}", wrong.err);
}

#[test]
fn due_names_the_most_overdue_first() {
    let place = filled();
    let now = START.to_string();
    let due = |options: &[&str]| place.run(&[&["store", "due", "s", "--now", &now], options].concat()).ok();
    let [b, c, d] = ["b", "c", "d"].map(|host| format!("https://{host}.example/robots.txt\n"));
    assert_eq!(due(&[]), [&b[..], &d, &c].concat());
    assert_eq!(due(&["--count", "1"]), b);
    let found = objects(&due(&["--json", "--count", "1"]));
    assert_eq!((&found[0]["state"], &found[0]["etag"]), (&json!("stale"), &json!("\"1\"")));
    // 304 renews.
    let renewed = json!({ "url": b.trim(), "status": 304, "fetched_at": START });
    place.write("renewed.jsonl", renewed.to_string());
    place.run(&["store", "put", "s", "renewed.jsonl"]).ok();
    assert_eq!(due(&[]), [&d[..], &c].concat());
}

#[test]
fn lines_that_are_no_captures_are_named() {
    let place = filled();
    let lines = [
        r#"{"url": "https://e.example/robots.txt", "body": "User-agent: *\n"}"#,
        "no json",
        r#"{"url": "https://e.example/page", "body": ""}"#,
        r#"{"url": "https://f.example/robots.txt", "status": 304}"#,
        r#"{"url": "https://f.example/robots.txt", "fetched_at": "yesterday"}"#,
        r#"{"url": "https://f.example/robots.txt", "colour": "red"}"#,
        r#"{"url": "https://g.example/robots.txt", "headers": [["etag", "1"], ["etag", "2"]], "redirects": 1, "body": ""}"#,
    ];
    place.write("mixed.jsonl", format!("\u{feff}{}", lines.join("\n")));
    let run = place.run(&["store", "put", "s", "mixed.jsonl", "--json"]);
    assert_eq!((run.code, objects(&run.out)), (2, vec![json!({ "taken": 2, "older": 0, "invalid": 5 })]));
    for number in 2..=6 {
        assert!(run.err.contains(&format!("line {number}: ")), "{}", run.err);
    }
    place.run(&["store", "put", "s", "missing.jsonl"]).fails("missing.jsonl");
    place.run(&["store", "stats", "none"]).fails("is no store");
    place.run(&["store", "stats", "s", "--profile", "google"]).fails("profile");
}

#[test]
fn a_store_is_compacted_and_merged() {
    let place = filled();
    let stats = || objects(&place.run(&["store", "stats", "s", "--json"]).ok()).remove(0);
    assert_eq!((&stats()["memory_sites"], &stats()["layers"]), (&json!(4), &json!(1)));
    let text = place.run(&["store", "stats", "s"]).ok();
    assert!(text.contains("in no layer yet: 4 sites"), "{text}");
    place.run(&["store", "compact", "s"]).ok();
    let before = (START - 2 * DAY).to_string();
    place.run(&["store", "compact", "s", "--evict-before", &before]).ok();
    assert_eq!((&stats()["memory_sites"], &stats()["layer_sites"]), (&json!(0), &json!(3)));
    place.run(&["merge", "s", "-o", "i.rimg"]).ok();
    let answers = place.run(&["query", "i.rimg", "https://a.example/x", "https://b.example/x"]).ok();
    assert_eq!(answers, "disallowed\thttps://a.example/x\nunknown\thttps://b.example/x\n");
}

#[test]
fn a_compiled_image_is_the_base_of_a_new_store() {
    let place = Place::new();
    place.write("fetched.jsonl", lines());
    place.run(&["compile", "fetched.jsonl", "-o", "base.rimg"]).ok();
    let seeded = objects(&place.run(&["store", "seed", "s", "base.rimg", "--json"]).ok()).remove(0);
    assert_eq!((&seeded["layers"], &seeded["layer_sites"]), (&json!(1), &json!(4)));
    let now = START.to_string();
    let urls = ["https://a.example/", "https://b.example/x", "https://d.example/", "https://e.example/"];
    let state = place.run(&[&["store", "state", "s", "--now", &now], &urls[..]].concat()).ok();
    let states: Vec<&str> = state.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
    assert_eq!(states, ["fresh", "stale", "unreachable", "unknown"]);
    place.run(&["store", "seed", "s", "base.rimg"]).fails("holds captures already");
    place.run(&["store", "seed", "t", "missing.rimg"]).fails("missing.rimg");
    place.run(&["store", "seed", "t", "base.rimg", "--profile", "google"]).fails("profile");
    place.run(&["store", "seed", "t", "base.rimg", "base.rimg"]).ok();
}

/// A damaged file of what readers hand over stays, and is named; the rest is done.
#[test]
fn a_damaged_file_of_a_reader_keeps_nothing_from_being_compacted() {
    let place = filled();
    place.write("s/handed/0.capture", "no capture");
    let compacted = place.run(&["store", "compact", "s"]);
    compacted.fails("0.capture");
    let stats = objects(&place.run(&["store", "stats", "s", "--json"]).ok()).remove(0);
    assert_eq!((&stats["memory_sites"], &stats["layer_sites"]), (&json!(0), &json!(4)));
}

/// Commands that read a store leave out damaged layers on demand, as those that write it do.
#[test]
fn damaged_layers_are_left_out_on_demand() {
    let place = filled();
    place.run(&["store", "compact", "s"]).ok();
    place.write("more.jsonl", json!({ "url": "https://e.example/robots.txt", "body": "" }).to_string());
    place.run(&["store", "put", "s", "more.jsonl"]).ok();
    place.run(&["store", "compact", "s"]).ok();
    let newest = Manifest::read(&place.path("s")).expect("a manifest").layers.pop().expect("a layer");
    place.write(&format!("s/{newest}"), "no image");
    let states = ["store", "state", "s", "https://c.example/", "https://e.example/"];
    for command in [&states[..], &["store", "due", "s"], &["store", "stats", "s"]] {
        place.run(command).fails(&newest);
        let without = place.run(&[command, &["--without-damaged-layers"]].concat());
        assert!(without.err.contains(&format!("the layer {newest} is left out")), "{}", without.err);
        assert_eq!(without.code, 0);
    }
    let states = place.run(&[&states[..], &["--without-damaged-layers"]].concat());
    assert_eq!(states.out, "stale\thttps://c.example/\nunknown\thttps://e.example/\n");
}

/// Readers work beside a writer, and writers do not.
#[test]
fn a_store_that_is_open_is_read_but_not_written() {
    let place = filled();
    let directory = place.path("s");
    let store = robomaton_store::Store::open(&directory, Default::default()).expect("a store");
    let url = "https://new.example/robots.txt".to_owned();
    let capture = robomaton_store::Capture { url, fetched_at: START, status: 404, ..Default::default() };
    assert!(store.put(&capture).expect("room"));
    let now = START.to_string();
    let state = place.run(&["store", "state", "s", "--now", &now, "https://new.example/"]).ok();
    assert_eq!(state, "fresh\thttps://new.example/\n");
    assert_eq!(place.run(&["store", "due", "s", "--now", &now]).ok().lines().count(), 3);
    let stats = objects(&place.run(&["store", "stats", "s", "--json"]).ok()).remove(0);
    assert_eq!(stats["memory_sites"], json!(5));
    let holder = format!("is open for writing by process {}", std::process::id());
    place.run(&["store", "put", "s", "fetched.jsonl"]).fails(&holder);
    place.run(&["store", "compact", "s"]).fails(&holder);
    drop(store);
    place.run(&["store", "compact", "s"]).ok();
}

/// A record of an answer, a day after the start.
fn record(url: &str, kind: &str, block: &str) -> Vec<u8> {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-03T00:00:00Z\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
    .into_bytes()
}

#[test]
fn warc_files_are_put() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /x\n";
    let records = [
        record(
            "https://a.example/robots.txt",
            "response",
            "HTTP/1.1 301 x\r\nLocation: https://b.example/r\r\n\r\n",
        ),
        record("https://b.example/r", "response", &format!("HTTP/1.1 200 OK\r\nETag: \"7\"\r\n\r\n{text}")),
        record("https://a.example/robots.txt", "request", "GET /robots.txt HTTP/1.1\r\n\r\n"),
        record("https://c.example/robots.txt", "response", "HTTP/1.1 503 x\r\n\r\n"),
        record("https://d.example/robots.txt", "response", "HTTP/1.1 304 x\r\n\r\n"),
    ];
    let warc = records.concat();
    place.write("whole.warc", &warc);
    let run = place.run(&["store", "put", "s", "whole.warc"]);
    assert_eq!(run.out, "2 captures put, 0 not newer, 1 invalid, 2 other records\n", "{run:?}");
    let at = records[..4].concat().len();
    assert!(run.code == 2 && run.err.contains(&format!("the record at byte {at}: ")), "{run:?}");
    let now = "2026-01-03T01:00:00Z";
    let urls = ["https://a.example/", "https://c.example/", "https://d.example/"];
    let state = place.run(&[&["store", "state", "s", "--json", "--now", now], &urls[..]].concat()).json();
    let states: Vec<&Value> = state.iter().map(|state| &state["state"]).collect();
    assert_eq!(states, ["fresh", "unreachable", "unknown"]);
    assert_eq!(
        (&state[0]["etag"], &state[0]["fetched_at"]),
        (&json!("\"7\""), &json!("2026-01-03T00:00:00Z"))
    );
    // Gzip members, on standard input.
    let members: Vec<u8> = records[..4].iter().flat_map(|record| packed(record)).collect();
    let run = place.run_with(&["store", "put", "t", "--json"], &members);
    assert_eq!(run.json(), [json!({ "taken": 2, "older": 0, "invalid": 0, "others": 2 })]);
    let run = place.run_with(&["store", "put", "t", "-"], &members);
    assert_eq!(run.ok(), "0 captures put, 2 not newer, 0 invalid, 2 other records\n");
    // A zstd file may begin with a frame that is skipped, such as a dictionary.
    let skipped = [&b"\x50\x2a\x4d\x18\0\0\0\0"[..], &members].concat();
    let run = place.run_with(&["store", "put", "z", "-"], &skipped);
    assert!(!run.err.contains("JSON"), "{run:?}");
    place.write("none.warc", &records[1]);
    place.run(&["store", "put", "s", "none.warc"]).fails("none.warc: no record is a response");
    // Short files are lines.
    let run = place.run_with(&["store", "put", "s"], "{}");
    assert!(run.code == 2 && run.err.contains("line 1: "), "{run:?}");
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    member.write_all(bytes).and_then(|()| member.finish()).expect("memory")
}

/// A question to the layers says that it does not know the log.
#[test]
fn captures_in_the_log_alone_are_told() {
    let place = Place::new();
    let line = |body: &str, time: u64| {
        json!({ "url": "https://a.example/robots.txt", "status": 200, "body": body, "fetched_at": time })
            .to_string()
    };
    place.write("1.jsonl", line("User-agent: *\nDisallow: /old\n", 1_700_000_000));
    place.write("2.jsonl", line("User-agent: *\nDisallow: /\n", 1_700_000_001));
    place.run(&["store", "put", "s", "1.jsonl"]).ok();
    place.run(&["store", "compact", "s"]).ok();
    let asked = ["query", "s", "--agent", "bot", "https://a.example/x"];
    assert!(!place.run(&asked).err.contains("last compaction"));
    place.run(&["store", "put", "s", "2.jsonl"]).ok();
    let run = place.run(&asked);
    let told = "captures since the last compaction do not count";
    assert!(run.err.contains(told), "{run:?}");
    for command in [&["merge", "s", "-o", "m.rimg"][..], &["store", "seed", "other", "s"]] {
        let run = place.run(command);
        assert!(run.code == 0 && run.err.contains(told), "{run:?}");
    }
}

/// A store in a directory of shards would be read in their place.
#[test]
fn a_directory_of_shards_becomes_no_store() {
    let place = Place::with_image();
    place.run(&["compile", "captures.jsonl", "-o", "d", "--shards", "2"]).ok();
    for command in [&["store", "put", "d", "captures.jsonl"][..], &["store", "seed", "d", "i.rimg"]] {
        place.run(command).fails("d: holds the shards of an image");
    }
    place.run(&["compile", "captures.jsonl", "-o", "d", "--shards", "2"]).ok();
}

/// A command that failed can be corrected and run again.
#[test]
fn a_failure_leaves_no_new_store() {
    let place = Place::with_image();
    place.run(&["compile", "captures.jsonl", "-o", "g.rimg", "--profile", "google"]).ok();
    let damaged = std::fs::read(place.path("i.rimg")).map(|mut bytes| {
        bytes.truncate(bytes.len() / 2);
        bytes
    });
    place.write("damaged.rimg", damaged.expect("an image"));
    let seed = |image: &str| place.run(&["store", "seed", "s", image]);
    seed("g.rimg").fails("g.rimg: has the profile google, not full");
    seed("damaged.rimg").fails("damaged.rimg");
    seed("none.rimg").fails("none.rimg");
    place.write("no.csv", "a,b\n1,2\n");
    let put = place.run(&["store", "put", "s", "no.csv"]);
    assert_eq!((put.code, put.out.as_str()), (2, "0 captures put, 0 not newer, 2 invalid\n"));
    assert!(!place.path("s").exists());
    place.run(&["store", "seed", "s", "g.rimg", "--profile", "google"]).ok();
    place.run(&["store", "stats", "s"]).fails("s: has the profile google, not full");
}
