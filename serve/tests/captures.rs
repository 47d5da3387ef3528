//! A service over a store: captures go in with a token, states and verdicts come out.

mod common;

use common::{Answer, Client, capture};
use robomaton_compiler::Options as CompileOptions;
use robomaton_runtime::Terms;
use robomaton_serve::limits::{BATCH, QUESTIONS};
use robomaton_serve::{Server, StoreServerOptions, Token};
use robomaton_store::{Store, StoreOptions};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::thread::JoinHandle;
use tempfile::TempDir;
use tokio::sync::oneshot;

const TOKEN: &str = "0123456789abcdef";
const RULES: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n";

struct Service {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

fn options(directory: &Path, token: Option<&str>) -> StoreServerOptions {
    StoreServerOptions {
        directory: directory.to_owned(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        token: token.map(|token| Token::new(token).expect("a token")),
        compile: CompileOptions::default(),
        terms: Terms::default(),
        hosts: Vec::new(),
        remark: |_| {},
    }
}

impl Service {
    fn start(directory: &Path, token: Option<&str>) -> Service {
        let server = Server::bind_store(options(directory, token)).expect("a server");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            server.run(async {
                let _ = stopped.await;
            });
        });
        Service { address, stop: Some(stop), thread: Some(thread) }
    }

    fn client(&self) -> Client {
        Client::new(self.address)
    }

    fn put(&self, headers: &str, body: impl AsRef<[u8]>) -> Answer {
        let (mut client, body) = (self.client(), body.as_ref());
        let head = format!(
            "PUT /v1/captures HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        client.send(head.as_bytes());
        // The service need not read all of a body that it refuses.
        client.try_send(body);
        client.answer().expect("an answer")
    }

    /// Puts with the token.
    fn put_well(&self, body: impl AsRef<[u8]>) -> Answer {
        self.put(&format!("Authorization: Bearer {TOKEN}\r\n"), body)
    }

    fn words(&self, query: &str, urls: &str) -> String {
        let answer = self.client().post(&format!("/v1/verdicts{query}"), urls.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text().to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) {
            let _ = stop.send(());
            thread.join().expect("a good end");
        }
    }
}

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
        "since": null, "etag": null, "last_modified": null,
    });
    assert_eq!(state("https://b.example/").json(), unknown);
    state("http://").refused(400);
    assert!(state("https://b.example/&agent=x").refused(400).contains("no parameter \"agent\""));
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
        json!({ "url": "https://b.example/other" }).to_string(),
        json!({ "url": url, "status": 304 }).to_string(),
        json!({ "url": url, "fetched_at": 1_700_000_000_000_u64 }).to_string(),
        json!({ "url": url, "fetched_at": "yesterday" }).to_string(),
        json!({ "url": url, "headers": { "a": "b".repeat(300 << 10) } }).to_string(),
        capture("c.example", 404, ""),
    ];
    let mut body = lines.join("\r\n").into_bytes();
    body.extend_from_slice(b"\n\xff\n");
    let answer = service.put_well(&body);
    assert_eq!(answer.refused(422), "some lines are refused; all others are put");
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
    client.get("/v1/decide?url=https://a.example/").refused(404);
    client.get("/").refused(404);
    let mut refused =
        |query: &str| client.post(&format!("/v1/verdicts{query}"), b"https://a.example/").refused(400);
    assert!(refused("?purpose=x").contains("no parameter \"purpose\""));
    assert!(refused("?named_only=true").contains("no parameter \"named_only\""));
    assert!(refused("?agent=").contains("names no crawler"));
    assert!(refused("?usage=trian").contains("did you mean \"train\"?"));
    client.send(b"GET /v1/state?url=https://a.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    client.answer().expect("an answer").refused(421);
}
