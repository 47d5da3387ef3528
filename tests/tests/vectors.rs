//! The vectors of other projects on images and on the google oracle.
//!
//! Profile `google` must answer Google's own 545 vectors like Google, without exception; profile
//! `full` must differ from all 1,426 exactly as listed in `cases/expected-differences.toml`.

use robomaton_tests::engines::{self, GoogleOracle, Trace};
use robomaton_tests::suite::{Engine, Question, Text};
use robomaton_tests::vectors::{self, Vector};

fn answers(mut engine: impl Engine, profile: &str, vectors: &[Vector]) -> Vec<bool> {
    let mut answer = |vector: &Vector| {
        let origin = vector.question().0;
        engine.load(&Text::new(&vector.robots, origin.as_deref(), profile));
        engine.ask(&Question::new(&[&vector.agent], "crawl", &vector.url)).verdict == "allowed"
    };
    vectors.iter().map(&mut answer).collect()
}

fn google_answers(engine: impl Engine) {
    let mut all = vectors::load().expect("the vectors load");
    all.retain(|vector| vector.source.starts_with("google_"));
    assert_eq!(all.len(), 145 + 400);
    let wrong = vectors::compare(&all, &[], &answers(engine, "google", &all));
    assert!(wrong.is_empty(), "{} vectors:\n{}", wrong.len(), wrong.join("\n"));
}

fn full_answers(engine: impl Engine) {
    let all = vectors::load().expect("the vectors load");
    assert_eq!(all.len(), 1426);
    let listed = vectors::differences().expect("the list loads");
    let wrong = vectors::compare(&all, &listed, &answers(engine, "full", &all));
    assert!(wrong.is_empty(), "{} vectors:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn google_on_a_fresh_image() {
    google_answers(engines::fresh());
}

#[test]
fn google_on_the_trace_evaluator() {
    google_answers(Trace::default());
}

#[test]
fn google_on_its_oracle() {
    google_answers(GoogleOracle::default());
}

#[test]
fn full_on_a_fresh_image() {
    full_answers(engines::fresh());
}

#[test]
fn full_on_the_trace_evaluator() {
    full_answers(Trace::default());
}
