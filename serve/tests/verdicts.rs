//! Words for many URLs: the verdicts of full answers, and refusals with the number of the line.

mod common;

use common::{Client, Service};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_runtime::{Image, Terms};
use robomaton_serve::limits::{BATCH, QUESTIONS, URL};
use serde_json::{Value, json};

/// A service over the sample, and URLs of its sites: on paths of their own rules, and others.
fn of_sample() -> (Service, Vec<String>) {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.warc.gz");
    let built = build(&[Input::Path(sample.into())], &BatchOptions::default(), &Progress::default());
    let Built { image: bytes, .. } = built.expect("the sample");
    let image = Image::from_bytes(bytes.clone()).expect("an image").with_terms(Terms::default());
    let mut urls = vec!["https://nobody.example/".to_owned(), "no url".to_owned()];
    for site in image.sites() {
        let address = site.address();
        // One that was captured without a scheme is asked with one.
        let host = if address.contains("://") { address } else { format!("https://{address}") };
        let detail = site.detail().unwrap_or_default();
        let rules = detail.groups.iter().flat_map(|group| &group.rules).step_by(3).take(8);
        let paths = rules.map(|rule| String::from_utf8_lossy(&rule.pattern.0).replace(['*', '$'], "x"));
        urls.extend(
            paths.chain(["/".to_owned(), "/robots.txt".to_owned()]).map(|path| format!("{host}{path}")),
        );
    }
    (Service::with(|options| std::fs::write(&options.image, bytes).expect("a file")), urls)
}

/// The words for some URLs.
fn words(client: &mut Client, query: &str, urls: &[String]) -> Vec<String> {
    let answer = client.post(&format!("/v1/verdicts{query}"), urls.join("\n").as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.head.contains("content-type: text/plain; charset=utf-8"), "{}", answer.head);
    assert!(answer.text().ends_with('\n'));
    answer.text().lines().map(str::to_owned).collect()
}

#[test]
fn words_are_the_verdicts_of_full_answers() {
    let (service, urls) = of_sample();
    assert!(urls.len() > 1_000, "{} URLs", urls.len());
    let mut client = service.client();
    for (query, question) in [
        ("", json!({})),
        ("?agent=GPTBot", json!({ "agent": "GPTBot" })),
        ("?agent=nobodysbot&agent=Googlebot", json!({ "agent": ["nobodysbot", "Googlebot"] })),
        ("?agent=nobodysbot,bingbot", json!({ "agent": "nobodysbot,bingbot" })),
        ("?agent=AdsBot-Google&named_only=true", json!({ "agent": "AdsBot-Google", "named_only": true })),
        ("?agent=a&usage=ai-train", json!({ "agent": "a", "usage": "ai-train" })),
        ("?usage=index&purpose=news", json!({ "usage": "index", "purpose": "news" })),
    ] {
        let lines = urls.iter().map(|url| {
            let mut question = question.clone();
            question["url"] = json!(url);
            format!("{question}\n")
        });
        let full = client.post("/v1/decide", lines.collect::<String>().as_bytes());
        let verdict = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["verdict"].take();
        let full: Vec<Value> = full.text().lines().map(verdict).collect();
        assert_eq!(words(&mut client, query, &urls), full, "{query}");
    }
}

#[test]
fn lines_end_in_both_ways() {
    let service = Service::start();
    for body in ["https://a.example/private\nno url", "https://a.example/private\r\nno url\r\n"] {
        assert_eq!(service.post("/v1/verdicts", body).text(), "disallowed\nunknown\n");
    }
}

#[test]
fn each_word_is_counted() {
    let service = Service::start();
    let body = "https://a.example/private\n".repeat(3) + "https://a.example/\n";
    assert_eq!(service.post("/v1/verdicts?agent=other", body).status, 200);
    let metrics = service.get("/metrics");
    for line in [
        "robomaton_decisions_total{verdict=\"disallowed\"} 3",
        "robomaton_decisions_total{verdict=\"allowed\"} 1",
        "robomaton_requests_total{endpoint=\"/v1/verdicts\",status=\"200\"} 1",
    ] {
        assert!(metrics.text().lines().any(|told| told == line), "{line}");
    }
}

#[test]
fn wrong_lines_and_parameters_are_refused() {
    let service = Service::start();
    let good = "https://a.example/\n";
    let refused = |query: &str, body: &str, status: u16| {
        let answer = service.post(&format!("/v1/verdicts{query}"), body);
        let sentence = answer.refused(status);
        (serde_json::from_slice::<Value>(&answer.body).expect("JSON")["question"].take(), sentence)
    };
    assert_eq!(refused("", "", 400), (Value::Null, "no questions: one URL a line".to_owned()));
    let empty = format!("{good} \n{good}");
    assert_eq!(refused("", &empty, 400), (json!(2), "question 2: the line is empty".to_owned()));
    assert_eq!(refused("", &format!("{good}https://a.example/{}", "a".repeat(URL)), 413).0, 2);
    assert!(refused("", &good.repeat(QUESTIONS + 1), 413).1.contains("10000 questions"));
    assert!(refused("", &" ".repeat(BATCH + 1), 413).1.contains("8388608 bytes"));
    let old = refused("", "https://a.example/x\rhttps://a.example/private\r", 400).1;
    assert!(old.contains("a carriage return within the line"), "{old}");
    let marked = service.post("/v1/verdicts", "\u{feff}https://a.example/private\r\n");
    assert_eq!(marked.text(), service.post("/v1/verdicts", "https://a.example/private").text());
    assert!(refused("?url=https://a.example/", good, 400).1.contains("no parameter \"url\" here"));
    assert!(refused("?agent=", good, 400).1.contains("names no crawler"));
    assert!(refused("?usage=trian", good, 400).1.contains("did you mean \"train\"?"));
    assert!(refused("?named_only=1", good, 400).1.contains("named_only is true or false"));
    assert!(service.post("/v1/verdicts", b"\xff").refused(400).contains("not UTF-8"));
    assert!(service.get("/v1/verdicts").refused(405).contains("use POST"));
}
