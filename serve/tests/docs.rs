//! Checks docs/service.md against the service: every request that it shows is sent, and the answer
//! is compared.
//!
//! An answer that is no JSON is compared as text. The output of a `jq` filter is compared with the
//! whole answer: each value shown must occur in it, in order. Times of the run and counts may
//! differ.

mod common;

use common::{Answer, Service};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use serde_json::Value;

/// The requests on the page, with the text after them.
fn examples() -> Vec<(String, String)> {
    let page = include_str!("../../docs/service.md");
    let blocks = page.split("```\n$ curl -s '").skip(1);
    blocks
        .map(|block| {
            let (command, shown) = block.split_once('\n').expect("an answer");
            (command.to_owned(), shown.split_once("\n```").expect("an end").0.to_owned())
        })
        .collect()
}

fn ask(service: &Service, command: &str) -> Answer {
    let (url, rest) = command.split_once('\'').expect("a URL in quotes");
    let path = url.strip_prefix("http://127.0.0.1:8080").expect("a URL of the service");
    let body = |rest: &str| rest.split_once('\'').expect("a body in quotes").0.to_owned();
    match (rest.strip_prefix(" --data-binary '"), rest.strip_prefix(" --data-binary $'")) {
        (Some(rest), _) => service.post(path, body(rest)),
        (_, Some(rest)) => service.post(path, body(rest).replace("\\n", "\n")),
        _ => service.get(path),
    }
}

/// All keys and scalar values of a JSON value, in order.
fn leaves(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|value| leaves(value, into)),
        Value::Object(all) => {
            for (name, value) in all.iter().filter(|(name, _)| *name != "opened_at") {
                into.push(name.clone());
                leaves(value, into);
            }
        }
        plain => into.push(plain.to_string()),
    }
}

#[test]
fn the_page_shows_real_answers() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.warc.gz");
    let built = build(&[Input::Path(sample.into())], &BatchOptions::default(), &Progress::default());
    let Built { image, .. } = built.expect("the sample");
    let service = Service::with(|options| std::fs::write(&options.image, image).expect("a file"));
    let examples = examples();
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for (command, shown) in examples {
        let answer = ask(&service, &command);
        let whole = command.ends_with("| jq");
        if command.contains("/metrics") {
            for line in shown.lines() {
                assert!(answer.text().lines().any(|told| told == line), "{command}: {line}");
            }
            continue;
        }
        if answer.head.contains("content-type: text/plain") {
            assert_eq!(answer.text().trim_ascii_end(), shown, "{command}");
            continue;
        }
        let told: Value = serde_json::from_slice(&answer.body).expect("JSON");
        let parsed: Vec<Value> =
            serde_json::Deserializer::from_str(&shown).into_iter().collect::<Result<_, _>>().expect("JSON");
        if whole {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            leaves(&told, &mut one);
            leaves(&parsed[0], &mut other);
            assert_eq!(one, other, "{command}");
            continue;
        }
        // For a partial answer, each value must be in the full one, in its order where the filter
        // keeps it.
        let mut all = Vec::new();
        leaves(&told, &mut all);
        for value in &parsed {
            let mut part = Vec::new();
            leaves(value, &mut part);
            let missing: Vec<&String> = part.iter().filter(|leaf| !all.contains(leaf)).collect();
            // A count of fields is computed by the filter.
            assert!(missing.is_empty(), "{command}: {missing:?}");
        }
    }
}
