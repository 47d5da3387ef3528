//! Clients and sites that want to do harm: what they get, and that others still get answers.

mod common;

use common::{Service, capture, compile};
use serde_json::{Value, json};

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
