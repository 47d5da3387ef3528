//! The answers of a service over a store are those of one over an image of the same captures.

mod common;

use common::store::{self, TOKEN};
use common::{Answer, Service, captures};
use robomaton_runtime::{Decision, Terms};
use robomaton_serve::StoreServerOptions;
use robomaton_store::{Capture, Store, StoreOptions};
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

const URLS: [&str; 8] = [
    "https://a.example/private",
    "https://a.example/private/open?x=%2526",
    "http://a.example/private",
    "https://a.example/drafts",
    "https://b.example/xay",
    "https://gone.example/",
    "https://html.example/a",
    "https://unknown.example/",
];

const CRAWLERS: [&str; 7] = [
    "",
    "&agent=GPTBot",
    "&agent=nobodysbot,GPTBot",
    "&agent=nobodysbot&agent=GPTBot&usage=index",
    "&agent=nobodysbot&named_only=true",
    "&agent=GPTBot&usage=ai-train&purpose=train",
    "&document=data.txt",
];

struct Both {
    image: Service,
    store: store::Service,
    _folder: TempDir,
}

impl Both {
    fn start() -> Both {
        let folder = TempDir::new().expect("a folder");
        let store = store::Service::start(folder.path(), Some(TOKEN));
        assert_eq!(store.put_well(captures()).json()["taken"], 4);
        Both { image: Service::start(), store, _folder: folder }
    }

    /// The captures are in a layer when the service starts.
    fn of_layers() -> Both {
        let folder = TempDir::new().expect("a folder");
        let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
        for line in captures().lines() {
            let capture = Capture::from_json(line.as_bytes(), u64::MAX).expect("a capture");
            assert!(store.put(&capture).expect("room"));
        }
        store.flush().expect("room");
        drop(store);
        let store = store::Service::start(folder.path(), Some(TOKEN));
        Both { image: Service::start(), store, _folder: folder }
    }

    /// Compares two answers, and returns the one of the store.
    fn same(&self, ask: impl Fn(&mut common::Client) -> Answer) -> Answer {
        let (image, store) = (ask(&mut self.image.client()), ask(&mut self.store.client()));
        assert_eq!((image.status, image.text()), (store.status, store.text()));
        store
    }
}

#[test]
fn single_answers_are_those_of_an_image() {
    let both = Both::start();
    for round in 0..2 {
        for url in URLS {
            for crawler in CRAWLERS {
                let path = format!("/v1/decide?url={url}{crawler}");
                let answer = both.same(|client| client.get(&path)).json();
                assert_eq!(answer["url"], url.replace("%25", "%"));
            }
        }
        for bad in [
            "",
            "url=x&agent=",
            "url=x&usage=trian",
            "url=x&colour=red",
            "url=x&document=y",
            "url=x&agent=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q",
        ] {
            assert_eq!(both.same(|client| client.get(&format!("/v1/decide?{bad}"))).status, 400, "{bad}");
        }
        let known = both.same(|client| client.get("/v1/decide?url=https://a.example/private")).json();
        let wanted = (&json!("disallowed"), &json!("Disallow: /private"), &json!(2), &json!(true));
        assert_eq!((&known["verdict"], &known["rule"], &known["line"], &known["stale"]), wanted);
        // The layers of another generation answer, too.
        if round == 0 {
            let lines: Vec<String> =
                (0..5_000).map(|host| common::capture(&format!("h{host}.example"), 404, "")).collect();
            both.store.put_well(lines.join("\n")).json();
        }
    }
    let health = both.store.client().get("/healthz").json();
    assert!(health["layers"].as_u64() >= Some(1), "{health}");
}

#[test]
fn batches_are_those_of_an_image() {
    let both = Both::start();
    let question = |url: &str, agent: Value| json!({ "url": url, "agent": agent });
    let mut questions: Vec<Value> = URLS.iter().map(|url| question(url, json!("GPTBot"))).collect();
    questions.extend(URLS.iter().map(|url| question(url, json!(["nobodysbot", "GPTBot"]))));
    questions.push(json!({ "url": URLS[0] }));
    questions.push(json!({ "url": URLS[0], "usage": "index", "purpose": "train" }));
    questions.push(json!({ "url": URLS[0], "agent": "x,y", "named_only": true }));
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let bodies = [lines.join("\n"), json!(questions).to_string()];
    let bodies = bodies.iter().flat_map(|body| [body.clone(), format!("\u{feff}{body}")]);
    for body in bodies {
        let answer = both.same(|client| client.post("/v1/decide", body.as_bytes()));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    for bad in [
        "",
        "[]",
        "x",
        r#"{"url": "x", "agnet": "a"}"#,
        r#"[{"url": "x"}, {"url": "x", "agent": ""}]"#,
        r#"{"url": "x", "agent": []}"#,
        r#"[["x", null, null, null, false]]"#,
    ] {
        assert_eq!(both.same(|client| client.post("/v1/decide", bad.as_bytes())).status, 400, "{bad}");
    }
    let urls = URLS.join("\n");
    for query in ["", "?agent=GPTBot", "?agent=x&named_only=true", "?agent=GPTBot&usage=index&purpose=a"] {
        both.same(|client| client.post(&format!("/v1/verdicts{query}"), urls.as_bytes()));
    }
    let metrics = both.store.client().get("/metrics");
    assert!(metrics.text().contains("robomaton_decisions_total{verdict=\"disallowed\"}"));
    assert!(metrics.text().contains("endpoint=\"/v1/decide\",status=\"200\"} 4"));
}

/// A usage that only a text names is known while a text that is held names it.
#[test]
fn usages_of_texts_are_known() {
    let both = Both::start();
    both.same(|client| client.get("/v1/decide?url=https://a.example/&usage=index"));
    let unknown = "/v1/decide?url=https://a.example/&usage=trian";
    assert!(both.store.client().get(unknown).refused(400).contains("did you mean \"train\"?"));
}

/// Sites, texts, explanations and the list: from memory, from a layer, and from a layer with a
/// newer capture in memory.
#[test]
fn what_is_held_is_that_of_an_image() {
    let memory = Both::start();
    what_is_held_is_the_same(&memory, "2024-05-11T00:00:00Z");
    let layers = Both::of_layers();
    what_is_held_is_the_same(&layers, "2024-05-11T00:00:00Z");
    let text = "User-agent: *\nDisallow: /private/open\n";
    let newest = "2024-05-12T00:00:00Z";
    for host in ["a.example", "new.example"] {
        let url = format!("https://{host}/robots.txt");
        let line = json!({ "url": url, "fetched_at": newest, "body": text }).to_string();
        assert_eq!(layers.store.put_well(&line).json()["taken"], 1);
        let path = layers.image.image();
        let before = std::fs::read_to_string(path.with_extension("jsonl")).expect("captures");
        common::compile(&format!("{before}\n{line}"), &path);
    }
    let end = Instant::now() + Duration::from_secs(30);
    while layers.image.get("/v1/text?url=https://new.example/").status != 200 {
        assert!(Instant::now() < end, "the new image answers soon");
    }
    what_is_held_is_the_same(&layers, newest);
}

fn what_is_held_is_the_same(both: &Both, newest: &str) {
    for url in URLS.into_iter().chain(["a.example", "https://A.Example:443/", "new.example", "no url"]) {
        for path in ["/v1/site?", "/v1/text?", "/v1/text?document=data.txt&"] {
            both.same(|client| without_numbers(client.get(&format!("{path}url={}", url.replace(' ', "+")))));
        }
        for crawler in CRAWLERS {
            let path = format!("/v1/explain?url={}{crawler}", url.replace(' ', "+"));
            both.same(|client| client.get(&path));
        }
    }
    for query in
        ["", "?limit=1", "?limit=2&after=https://b.example", "?prefix=https://g", "?after=http://a.example"]
    {
        both.same(|client| client.get(&format!("/v1/sites{query}")));
    }
    let site = both.same(|client| without_numbers(client.get("/v1/site?url=https://a.example/"))).json();
    assert_eq!((&site["fetched_at"], &site["stale"]), (&json!(newest), &json!(true)));
    let explained = both.same(|client| client.get("/v1/explain?url=https://a.example/private/open")).json();
    assert!(explained["matches"].as_array().is_some_and(|matches| !matches.is_empty()), "{explained}");
    for bad in [
        "site?url=",
        "text?url=a&usage=x",
        "explain?url=https://a.example/&colour=x",
        "explain?url=https://a.example/&usage=trian",
        "sites?limit=0",
    ] {
        assert_eq!(both.same(|client| client.get(&format!("/v1/{bad}"))).status, 400, "{bad}");
    }
}

/// The number of a document is the image's own.
fn without_numbers(answer: Answer) -> Answer {
    let body = match serde_json::from_slice::<Value>(&answer.body) {
        Ok(mut value) => {
            value.as_object_mut().map(|site| site.remove("document"));
            value.to_string().into_bytes()
        }
        Err(_) => answer.body,
    };
    Answer { body, ..answer }
}

/// Every answer about a site that is unreachable for long is the chosen one.
#[test]
fn sites_that_are_unreachable_for_long_are_answered_as_chosen() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    let capture = |host: &str, days: u64| {
        let (url, fetched_at) = (format!("https://{host}/robots.txt"), now - days * 86_400);
        json!({ "url": url, "status": 503, "fetched_at": fetched_at }).to_string()
    };
    let captures = [capture("long.example", 31), capture("short.example", 29), capture("long.example", 1)];
    for (on_long_unreachable, wanted) in
        [(Decision::Allowed, ["allowed", "disallowed"]), (Decision::Disallowed, ["disallowed"; 2])]
    {
        let folder = TempDir::new().expect("a folder");
        let terms = Terms { on_long_unreachable, ..Terms::default() };
        let options = StoreServerOptions { terms, ..store::options(folder.path(), Some(TOKEN)) };
        let service = store::Service::with(options);
        assert_eq!(service.put_well(captures.join("\n")).json()["taken"], 3);
        let urls = ["https://long.example/x", "https://short.example/x"];
        assert_eq!(service.words("", &urls.join("\n")), wanted.map(|word| format!("{word}\n")).concat());
        for (url, wanted) in urls.into_iter().zip(wanted) {
            for path in ["state", "decide", "explain"] {
                let answer = service.client().get(&format!("/v1/{path}?url={url}")).json();
                assert_eq!(answer["verdict"], wanted, "{path} of {url}");
            }
            let question = json!({ "url": url, "agent": "a" }).to_string();
            let answer = service.client().post("/v1/decide", question.as_bytes()).json();
            assert_eq!(answer["verdict"], wanted, "{url}");
        }
    }
}
