//! Clients and sites that want to do harm: what they get, and that others still get answers.

mod common;

use common::{Service, capture, compile};
use robomaton_serve::limits::{BATCH, BODIES, FIELDS, QUESTIONS};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The status lines of all answers until the connection ends.
fn statuses(service: &Service, requests: &[u8]) -> Vec<u16> {
    let mut client = service.client();
    client.send(requests);
    std::iter::from_fn(|| client.answer()).map(|answer| answer.status).collect()
}

#[test]
fn a_bad_request_is_refused_and_the_good_ones_before_it_are_answered() {
    let service = Service::start();
    let good = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3);
    let many: String = (0..101).map(|n| format!("x-{n}: a\r\n")).collect();
    for (bad, status) in [
        ("GARBAGE\r\n\r\n".to_owned(), 400),
        ("GET /\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), 400),
        // The name of the crawler would be lost.
        (
            "GET /v1/decide?url=https://a.example/#x&agent=a HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            400,
        ),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
        (format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(70_000)), 431),
    ] {
        assert_eq!(statuses(&service, bad.as_bytes()), [status], "{bad:.40}");
        assert_eq!(
            statuses(&service, (good.clone() + &bad).as_bytes()),
            [200, 200, 200, status],
            "{bad:.40}"
        );
    }
    // Nor do they wait for the second half of another one.
    let mut client = service.client();
    client.send((good + "GET /heal").as_bytes());
    assert!((0..3).all(|_| client.answer().is_some_and(|answer| answer.status == 200)));
}

/// A site whose every answer quotes a megabyte: 40 conditions of 6,000 bytes.
fn wordy() -> String {
    let conditions: String =
        (0..40).map(|n| format!(" must-use-resource=/{}{n}", "a".repeat(6000))).collect();
    let text = format!("##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: /{conditions}\n");
    capture("a.example", 200, &text)
}

#[test]
fn an_answer_quotes_no_more_than_there_is_room_for() {
    let service = Service::with(|options| compile(&wordy(), &options.image));
    let mut client = service.client();
    let answer = client.get("/v1/decide?url=https://a.example/x");
    assert!(answer.body.len() < 2 * robomaton_explain::ROOM, "{}", answer.body.len());
    let answer = answer.json();
    let (conditions, typed) = (&answer["conditions"], &answer["typed_conditions"]);
    let quoted = conditions.as_array().map_or(0, Vec::len);
    assert_eq!(typed.as_array().map(Vec::len), Some(quoted));
    // The other conditions, and the rule, which repeats all of them.
    assert_eq!(answer["verdict"], "conditional");
    assert_eq!((quoted, &answer["left_out"], &answer["rule"]), (5, &json!(35 + 1), &Value::Null));
    assert_eq!(answer["line"], 3);
    let explained = client.get("/v1/explain?url=https://a.example/x").json();
    assert_eq!(explained["conditions"].as_array().map(Vec::len), Some(40));
}

#[test]
fn a_batch_with_too_long_answers_names_the_question() {
    // Every answer quotes the pattern twice.
    let text = format!("User-agent: *\nDisallow: /{}\n", "*".repeat(8000));
    let service = Service::with(|options| compile(&capture("a.example", 200, &text), &options.image));
    let question = r#"{"url": "https://a.example/x"}"#;
    let mut client = service.client();
    let batch = |count: usize| format!("{question}\n").repeat(count);
    assert_eq!(client.post("/v1/decide", batch(100).as_bytes()).status, 200);
    let answer = client.post("/v1/decide", batch(4500).as_bytes());
    let refused = answer.refused(413);
    let question = serde_json::from_slice::<Value>(&answer.body).unwrap()["question"].as_u64().unwrap();
    assert!((4000..4200).contains(&question), "{refused}");
    assert!(refused.ends_with("the answers up to this one is over the limit of 67108864 bytes"), "{refused}");
}

#[test]
fn fields_are_counted_even_if_they_are_equal() {
    let service = Service::start();
    let text = |fields: usize| {
        format!("ACAP-crawler: *\n{}", "ACAP-allow-crawl: /\nACAP-disallow-crawl: /\n".repeat(fields / 2))
    };
    for (path, question) in [
        ("/v1/test", json!({ "url": "/a" })),
        ("/v1/test/urls", json!({ "urls": ["/a"] })),
        ("/v1/test/crawlers", json!({ "url": "/a" })),
    ] {
        let ask = |fields: usize| {
            let mut question = question.clone();
            question["text"] = text(fields).into();
            service.post(path, question.to_string())
        };
        assert_eq!(ask(FIELDS).status, 200, "{path}");
        assert!(ask(FIELDS + 2).refused(422).contains("1 groups, 514 fields"), "{path}");
    }
}

#[test]
fn work_that_nobody_waits_for_ends() {
    let text = format!("User-agent: *\nDisallow: /{}\n", "*".repeat(8000));
    let service = Service::with(|options| compile(&capture("a.example", 200, &text), &options.image));
    // Seconds of work for all processors, for clients that leave at once.
    let body = r#"{"url": "https://a.example/x"}"#.to_owned() + "\n";
    let body = body.repeat(QUESTIONS);
    for _ in 0..4 * robomaton_serve::limits::heavy() {
        let head =
            format!("POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
        service.client().send((head + &body).as_bytes());
    }
    let decided = || {
        let metrics = service.get("/metrics");
        let line = "robomaton_decisions_total{verdict=\"allowed\"} ";
        let other = "robomaton_decisions_total{verdict=\"disallowed\"} ";
        let of =
            |line| metrics.text().lines().find_map(|told| told.strip_prefix(line)?.parse::<usize>().ok());
        of(line).unwrap_or(0) + of(other).unwrap_or(0)
    };
    service.post("/v1/decide", r#"[{"url": "https://b.example/"}]"#).json();
    assert!(decided() < QUESTIONS, "{}", decided());
}

#[test]
fn words_that_nobody_waits_for_end() {
    let records: String =
        (0..4000).map(|n| format!("Content-Usage: /{}{n} ai-train=y\n", "*a".repeat(8))).collect();
    let site = capture("a.example", 200, &format!("User-agent: bot\n{records}"));
    let service = Service::with(|options| compile(&site, &options.image));
    // Minutes of work for all processors, for clients that leave at once.
    let body: String =
        (0..QUESTIONS).map(|n| format!("https://a.example/{}{n}\n", "a".repeat(700))).collect();
    for _ in 0..robomaton_serve::limits::heavy() {
        let path = "/v1/verdicts?agent=bot&usage=ai-train&named_only=true";
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n");
        service.client().send((head + &body).as_bytes());
    }
    let asked = Instant::now();
    assert_eq!(service.get("/v1/site?url=https://a.example/").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
}

#[test]
fn bodies_that_do_not_end_leave_room_for_others() {
    let service = Service::start();
    let unended = [b' '; 1 << 20].repeat(BATCH >> 20);
    let mut clients = Vec::new();
    for _ in 0..BODIES / BATCH + 4 {
        let mut client = service.client();
        let head = format!("POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BATCH}\r\n\r\n");
        client.send(head.as_bytes());
        client.try_send(&unended[1..]);
        clients.push(client);
    }
    let until = Instant::now() + Duration::from_secs(20);
    let soon = |what: &str, is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let refused = "robomaton_requests_total{endpoint=\"/v1/decide\",status=\"503\"}";
    soon("all are waited for", &|| service.get("/metrics").text().contains(refused));
    // Small ones have room.
    assert_eq!(service.post("/v1/decide", r#"[{"url": "https://a.example/"}]"#).status, 200);
    drop(clients);
    soon("the room is not given back", &|| service.post("/v1/decide", &unended).status == 400);
}
