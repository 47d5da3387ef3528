//! A service over a store: captures go in with a token, states and verdicts come out.

mod common;

use common::capture;
use common::store::{Service, TOKEN, options};
use flate2::Compression;
use flate2::write::GzEncoder;
use robomaton_runtime::Manifest;
use robomaton_serve::limits::{BATCH, QUESTIONS, REASON, WARC};
use robomaton_serve::{Server, StoreServerOptions};
use robomaton_store::limits::MEMORY_CAPTURES;
use robomaton_store::{Capture, Reader, ReaderOptions, Store, StoreOptions};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Mutex;
use tempfile::TempDir;

const RULES: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n";

#[test]
fn captures_answer_at_once_and_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let urls =
        "https://a.example/private\nhttps://a.example/\nhttps://b.example/\nhttps://c.example/\nno url\n";
    assert_eq!(service.words("", urls), "unknown\n".repeat(5));
    let body = [capture("a.example", 200, RULES), String::new(), capture("b.example", 503, "")].join("\n");
    assert_eq!(service.put_well(&body).json(), json!({ "taken": 2, "older": 0, "refused": [] }));
    assert_eq!(service.put_well(&body).json(), json!({ "taken": 0, "older": 2, "refused": [] }));
    let any = "disallowed\nallowed\ndisallowed\nunknown\nunknown\n";
    let named = "disallowed\ndisallowed\ndisallowed\nunknown\nunknown\n";
    let check = |service: &Service| {
        assert_eq!(service.words("", urls), any);
        assert_eq!(service.words("?agent=nobodysbot,GPTBot", urls), named);
        assert_eq!(service.words("?agent=nobodysbot&agent=GPTBot&usage=crawl", urls), named);
    };
    check(&service);
    let metrics = service.client().get("/metrics");
    assert!(metrics.text().contains("robomaton_requests_total{endpoint=\"/v1/captures\",status=\"200\"} 2"));
    assert!(metrics.text().contains("robomaton_image_sites 2"));
    let health = service.client().get("/healthz").json();
    assert_eq!((&health["status"], &health["sites"]), (&json!("ok"), &json!(2)));
    assert_eq!(health["compact_error"], Value::Null);
    // One process at a time has the store open.
    let second = Server::bind_store(options(folder.path(), Some(TOKEN)));
    assert!(second.err().expect("an error").to_string().contains("open for writing"));
    drop(service);
    check(&Service::start(folder.path(), None));
    // The words are the decisions of the store.
    let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
    let query = store.query(["GPTBot"], "crawl");
    let words: String = urls.lines().map(|url| format!("{}\n", store.decide(&query, url).name())).collect();
    assert_eq!(words, named);
}

/// The remarks of the service that does without damaged layers.
static REMARKS: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn a_damaged_layer_is_left_out_on_demand() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
    for host in ["a.example", "b.example"] {
        let capture = Capture::from_json(capture(host, 200, RULES).as_bytes(), u64::MAX);
        store.put(&capture.expect("a capture")).and_then(|_| store.flush()).expect("room");
    }
    let newest = Manifest::read(folder.path()).expect("a manifest").layers.pop().expect("a layer");
    drop(store);
    std::fs::write(folder.path().join(&newest), "no image").expect("room");
    let bind = |without_damaged_layers| {
        let remark = |line: &str| REMARKS.lock().expect("a list").push(line.to_owned());
        let options = options(folder.path(), Some(TOKEN));
        Server::bind_store(StoreServerOptions { without_damaged_layers, remark, ..options })
    };
    assert!(bind(false).err().expect("a damaged layer").to_string().contains(&newest));
    drop(bind(true).expect("the rest"));
    let remarks = REMARKS.lock().expect("a list").clone();
    let start = format!("the layer {newest} is left out: ");
    let end = format!("; its file, if there is one, is kept as {newest}.damaged");
    let [remark] = &remarks[..] else { panic!("{remarks:?}") };
    assert!(remark.starts_with(&start) && remark.ends_with(&end), "{remark}");
    let service = Service::start(folder.path(), Some(TOKEN));
    let urls = "https://a.example/private\nhttps://b.example/private\n";
    assert_eq!(service.words("", urls), "disallowed\nunknown\n");
}

#[test]
fn states_are_those_of_the_command() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let line = json!({
        "url": "https://a.example/robots.txt", "fetched_at": 1_700_000_000,
        "headers": [["ETag", "\"1\""]], "body": RULES,
    });
    assert_eq!(service.put_well(line.to_string()).json()["taken"], 1);
    let state = |url: &str| service.client().get(&format!("/v1/state?url={url}"));
    let known = state("https://a.example/x").json();
    assert_eq!(known["url"], "https://a.example/x");
    assert_eq!((&known["state"], &known["etag"]), (&json!("stale"), &json!("\"1\"")));
    assert_eq!(known["fetched_at"], "2023-11-14T22:13:20Z");
    let unknown = json!({
        "url": "https://b.example/", "state": "unknown", "fetched_at": null, "fetch_at": null,
        "in_flight": false, "not_before": null, "since": null, "etag": null, "last_modified": null,
        "verdict": null,
    });
    assert_eq!(state("https://b.example/").json(), unknown);
    state("http://").refused(400);
    assert!(state("https://b.example/&usage=x").refused(400).contains("no parameter \"usage\""));
    assert!(state("https://b.example/&agent=").refused(400).contains("names no crawler"));
    // A crawler learns how it may visit the site.
    let text = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nRequest-rate: 3/1m 0600-0845\nVisit-time: 0600-0845\n\
                Clean-param: sid\n\nUser-agent: b\nDisallow: /\n";
    let lines = [
        json!({ "url": "https://c.example/robots.txt", "body": text }).to_string(),
        json!({ "url": "https://d.example/robots.txt", "status": 429, "fetched_at": 1_700_000_000,
            "headers": { "Retry-After": "60" } })
        .to_string(),
    ];
    assert_eq!(service.put_well(lines.join("\n")).json()["taken"], 2);
    let manners = |agent: &str| {
        let state = state(&format!("https://c.example/&agent={agent}")).json();
        ["crawl_delay", "request_rates", "visit_times", "clean_params"].map(|key| state[key].clone())
    };
    let rates = json!([{ "documents": 3, "seconds": 60, "times": "06:00-08:45" }]);
    assert_eq!(manners("x,y"), [json!(2.0), rates, json!(["06:00-08:45"]), json!(["sid"])]);
    assert_eq!(manners("b"), [json!(null), json!([]), json!([]), json!(["sid"])]);
    assert_eq!(state("https://d.example/").json()["not_before"], "2023-11-14T22:14:20Z");
    assert!(service.client().get("/v1/state").refused(400).contains("no url"));
}

#[test]
fn every_line_is_counted_or_refused() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let url = "https://b.example/robots.txt";
    let lines = [
        capture("a.example", 200, RULES),
        "{".to_owned(),
        String::new(),
        json!({ "url": url, "boby": "" }).to_string(),
        json!({ "url": "https://b.example/other", "body": "" }).to_string(),
        json!({ "url": url, "status": 304 }).to_string(),
        json!({ "url": url, "fetched_at": 1_700_000_000_000_u64 }).to_string(),
        json!({ "url": url, "fetched_at": "yesterday" }).to_string(),
        json!({ "url": url, "body": "", "headers": { "a": "b".repeat(300 << 10) } }).to_string(),
        capture("c.example", 404, ""),
    ];
    let mut body = format!("\u{feff}{}", lines.join("\r\n")).into_bytes();
    body.extend_from_slice(b"\n\xff\n");
    let answer = service.put_well(&body);
    assert_eq!(answer.refused(422), "some captures are refused; all others are put");
    let summary: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!((&summary["taken"], &summary["older"]), (&json!(2), &json!(0)));
    let refused = summary["refused"].as_array().expect("a list");
    let numbers: Vec<u64> = refused.iter().filter_map(|line| line["line"].as_u64()).collect();
    assert_eq!(numbers, [2, 4, 5, 6, 7, 8, 9, 11]);
    for (line, reason) in refused.iter().zip(["EOF", "boby", "robots.txt", "304", "fetched_at"]) {
        assert!(line["error"].as_str().expect("a sentence").contains(reason), "{line}");
    }
    assert_eq!(service.words("", "https://c.example/\nhttps://b.example/"), "allowed\nunknown\n");
    assert!(service.put_well("\n \n").refused(400).contains("no captures"));
    let many = format!("{}\n", capture("d.example", 200, RULES));
    assert!(service.put_well(many.repeat(QUESTIONS + 1)).refused(413).contains("10000 captures"));
    assert!(service.put_well(" ".repeat(BATCH + 1)).refused(413).contains("8388608 bytes"));
    // Nothing of a refused body is put.
    assert_eq!(service.words("", "https://d.example/"), "unknown\n");
}

#[test]
fn nobody_writes_without_the_token() {
    let folder = TempDir::new().expect("a folder");
    let body = capture("a.example", 200, RULES);
    let service = Service::start(folder.path(), Some(TOKEN));
    for headers in [
        String::new(),
        "Authorization: Bearer\r\n".to_owned(),
        "Authorization: Bearer 0123456789abcdeg\r\n".to_owned(),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: Bearer {TOKEN}0\r\n"),
        format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
    ] {
        let answer = service.put(&headers, &body);
        assert!(answer.refused(401).contains("need the token"), "{headers}");
        assert!(answer.head.contains("www-authenticate: Bearer"), "{}", answer.head);
    }
    assert_eq!(service.words("", "https://a.example/"), "unknown\n");
    drop(service);
    let service = Service::start(folder.path(), None);
    assert!(service.put("", &body).refused(403).contains("without a token"));
    assert!(service.put_well(&body).refused(403).contains("without a token"));
    assert_eq!(service.words("", "https://a.example/"), "unknown\n");
    drop(service);
    let listen = SocketAddr::from(([0, 0, 0, 0], 0));
    let open = Server::bind_store(StoreServerOptions { listen, ..options(folder.path(), None) });
    assert!(open.err().expect("an error").to_string().contains("only with a token"));
    assert!(Server::bind_store(StoreServerOptions { listen, ..options(folder.path(), Some(TOKEN)) }).is_ok());
}

#[test]
fn other_requests_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let mut client = service.client();
    assert!(client.get("/v1/captures").refused(405).contains("use PUT"));
    assert!(client.get("/v1/verdicts").refused(405).contains("use POST"));
    assert!(client.get("/v1/begin").refused(405).contains("use POST"));
    assert!(client.post("/v1/state", b"").refused(405).contains("use GET"));
    client.get("/v1/crawlers").refused(404);
    client.get("/").refused(404);
    let mut refused =
        |query: &str| client.post(&format!("/v1/verdicts{query}"), b"https://a.example/").refused(400);
    assert!(refused("?document=data.txt").contains("no parameter \"document\""));
    assert!(refused("?named_only=yes").contains("named_only"));
    assert!(refused("?agent=").contains("names no crawler"));
    assert!(refused("?usage=trian").contains("did you mean \"train\"?"));
    client.send(b"GET /v1/state?url=https://a.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    client.answer().expect("an answer").refused(421);
}

/// A record of an answer.
fn record(url: &str, block: &str) -> Vec<u8> {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
    .into_bytes()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(bytes).and_then(|()| member.finish()).expect("memory")
}

#[test]
fn warc_records_are_captures() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let headers = format!("Authorization: Bearer {TOKEN}\r\nContent-Type: Application/WARC; x=y\r\n");
    let put = |body: &[u8]| service.put(&headers, body);
    let records = [
        record("https://a.example/robots.txt", "HTTP/1.1 302 x\r\nLocation: https://www.a.example/r\r\n\r\n"),
        record("https://www.a.example/r", &format!("HTTP/1.1 200 OK\r\nETag: \"7\"\r\n\r\n{RULES}")),
        record("https://b.example/robots.txt", "HTTP/1.1 503 x\r\n\r\n"),
        record("https://c.example/robots.txt", "HTTP/1.1 304 x\r\n\r\n"),
    ];
    let members: Vec<u8> = records[..3].iter().flat_map(|record| packed(record)).collect();
    let taken = json!({ "taken": 2, "older": 0, "refused": [], "others": 1 });
    assert_eq!(put(&members).json(), taken);
    assert_eq!(put(&records[..3].concat()).json()["older"], 2);
    let urls = "https://a.example/private\nhttps://a.example/\nhttps://b.example/\n";
    assert_eq!(service.words("", urls), "disallowed\nallowed\ndisallowed\n");
    let state = service.client().get("/v1/state?url=https://a.example/").json();
    assert_eq!((&state["etag"], &state["fetched_at"]), (&json!("\"7\""), &json!("2026-01-01T00:00:00Z")));
    let answer = put(&records.concat());
    answer.refused(422);
    let summary: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let offset = records[..3].concat().len();
    assert_eq!((&summary["refused"][0]["offset"], &summary["older"]), (&json!(offset), &json!(2)));
    // Of a body over a limit, nothing is put.
    let new = record("https://d.example/robots.txt", &format!("HTTP/1.1 200 OK\r\n\r\n{RULES}"));
    let bomb = [packed(&new), packed(&vec![b' '; WARC])].concat();
    assert!(put(&bomb).refused(413).contains("67108864 bytes"));
    assert!(put(&packed(&new.repeat(QUESTIONS + 1))).refused(413).contains("10000 captures"));
    assert!(put(&vec![b' '; BATCH + 1]).refused(413).contains("8388608 bytes"));
    assert_eq!(service.words("", "https://d.example/"), "unknown\n");
    assert!(put(b"").refused(400).contains("no captures"));
    put(b"no WARC").refused(422);
    // A stream without its type.
    for body in [&new[..], &members] {
        assert!(service.put_well(body).refused(415).contains("application/warc"));
    }
}

#[test]
fn a_client_learns_what_was_put_when_the_store_fails() {
    let folder = TempDir::new().expect("a folder");
    let directory = folder.path().join("s");
    let service = Service::start(&directory, Some(TOKEN));
    // The next log cannot be created.
    std::fs::remove_dir_all(&directory).expect("a directory");
    let line = |host: usize| capture(&format!("h{host}.example"), 200, RULES);
    let body: Vec<String> = (0..MEMORY_CAPTURES + 100).map(line).collect();
    let answer = service.put_well(body.join("\n"));
    let error = answer.refused(500);
    assert!(error.contains(&format!("line {}: ", MEMORY_CAPTURES + 1)), "{error}");
    assert!(error.contains("this capture and all after it are not put"), "{error}");
    let summary: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!((&summary["taken"], &summary["refused"]), (&json!(MEMORY_CAPTURES), &json!([])));
    let health = service.client().get("/healthz").json();
    assert_eq!((&health["put_error"], &health["sites"]), (&json!(error), &json!(MEMORY_CAPTURES)));
    // Questions go on.
    assert_eq!(service.words("", "https://h7.example/private"), "disallowed\n");
}

#[test]
fn reasons_are_short() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let url = format!("https://a.example/{}", "\u{e9}".repeat(5_000));
    let answer = service.put_well(json!({ "url": url, "body": "" }).to_string());
    answer.refused(422);
    let summary: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let reason = summary["refused"][0]["error"].as_str().expect("a sentence");
    assert!(reason.ends_with('\u{2026}') && reason.len() <= REASON + 3, "{reason}");
}

#[test]
fn the_queue_needs_the_token_and_is_marked_by_post() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let line = |host: &str| capture(host, 200, RULES);
    service.put_well([line("a.example"), line("b.example"), line("c.example")].join("\n")).json();
    let due = |method: &str, query: &str| {
        let answer = service.asked_well(method, &format!("/v1/due{query}"));
        let due = answer.json()["due"].as_array().expect("a list").clone();
        due.iter().map(|due| due["url"].as_str().expect("a URL").to_owned()).collect::<Vec<_>>()
    };
    let urls = ["a", "b", "c"].map(|host| format!("https://{host}.example/robots.txt"));
    assert_eq!(due("GET", ""), urls);
    assert_eq!(due("GET", "?limit=1"), urls[..1]);
    assert_eq!(due("POST", "?limit=2"), urls[..2]);
    assert_eq!(due("GET", ""), urls[2..]);
    let begin = |url: &str| service.asked_well("POST", &format!("/v1/begin?url={url}"));
    assert_eq!(begin("https://a.example/x").json(), json!({ "begun": false }));
    assert_eq!(begin("https://c.example/x").json(), json!({ "begun": true }));
    assert_eq!(begin("https://new.example/").json(), json!({ "begun": true }));
    assert_eq!(begin("https://new.example/").json(), json!({ "begun": false }));
    assert_eq!(due("POST", ""), Vec::<String>::new());
    // A put ends the fetch.
    service
        .put_well(json!({ "url": urls[0], "fetched_at": 1_750_000_000, "body": RULES }).to_string())
        .json();
    assert_eq!(due("POST", ""), urls[..1]);
    for query in ["?limit=0", "?limit=10001", "?limit=x", "?limit=1&limit=2", "?url=x"] {
        service.asked_well("GET", &format!("/v1/due{query}")).refused(400);
    }
    begin("ftp://a/").refused(400);
    assert!(service.client().get("/v1/due").refused(401).contains("need the token"));
    service.client().post("/v1/due", b"").refused(401);
    service.client().post("/v1/begin?url=https://a.example/", b"").refused(401);
}

/// A process that reads the files of the store hands a capture to the service.
#[test]
fn captures_of_readers_are_taken() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), None);
    let reader = Reader::open(folder.path(), ReaderOptions::default()).expect("a store");
    let (url, body) = ("https://a.example/robots.txt".to_owned(), RULES.into());
    let capture = Capture { url, fetched_at: 1_800_000_000, status: 200, body, ..Capture::default() };
    assert!(reader.hand(&capture).expect("room"));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while service.words("", "https://a.example/private\n") != "disallowed\n" {
        assert!(std::time::Instant::now() < end, "it is taken within a second or so");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn captures_have_no_parameters_and_are_objects() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path(), Some(TOKEN));
    let refused = service.asked_well("PUT", "/v1/captures?x=1").refused(400);
    assert!(refused.starts_with("no parameter \"x\" here"), "{refused}");
    let put = service.put_well(r#"["https://a.example/robots.txt",1700000000,200,0,{},"User-agent: *"]"#);
    assert!(put.status == 422 && put.text().contains("not a JSON object"), "{}", put.text());
}
