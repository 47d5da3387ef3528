//! The answers of a service over a store are those of one over an image of the same captures.

mod common;

use common::store::{self, TOKEN};
use common::{Answer, Service, captures};
use serde_json::{Value, json};
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
    questions.push(json!({ "url": URLS[0], "agent": [], "usage": "index", "purpose": "train" }));
    questions.push(json!({ "url": URLS[0], "agent": "x,y", "named_only": true }));
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let bodies = [lines.join("\n"), json!(questions).to_string()];
    for body in &bodies {
        let answer = both.same(|client| client.post("/v1/decide", body.as_bytes()));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    for bad in
        ["", "[]", "x", r#"{"url": "x", "agnet": "a"}"#, r#"[{"url": "x"}, {"url": "x", "agent": ""}]"#]
    {
        assert_eq!(both.same(|client| client.post("/v1/decide", bad.as_bytes())).status, 400, "{bad}");
    }
    let urls = URLS.join("\n");
    for query in ["", "?agent=GPTBot", "?agent=x&named_only=true", "?agent=GPTBot&usage=index&purpose=a"] {
        both.same(|client| client.post(&format!("/v1/verdicts{query}"), urls.as_bytes()));
    }
    let metrics = both.store.client().get("/metrics");
    assert!(metrics.text().contains("robomaton_decisions_total{verdict=\"disallowed\"}"));
    assert!(metrics.text().contains("endpoint=\"/v1/decide\",status=\"200\"} 2"));
}

/// A usage that only a text names is known while a text that is held names it.
#[test]
fn usages_of_texts_are_known() {
    let both = Both::start();
    both.same(|client| client.get("/v1/decide?url=https://a.example/&usage=index"));
    let unknown = "/v1/decide?url=https://a.example/&usage=trian";
    assert!(both.store.client().get(unknown).refused(400).contains("did you mean \"train\"?"));
}
