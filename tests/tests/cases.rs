//! The hand-written cases on every engine that can answer them.
//!
//! The cases are right by the specification; if an engine fails one, read RULES.md before changing
//! either.

use robomaton_tests::case::{self, Ask, Case};
use robomaton_tests::engines::{self, GoogleOracle, Oracle, Trace};
use robomaton_tests::suite::{self, Engine};

fn run(mut engine: impl Engine, filter: &dyn Fn(&Case, &Ask) -> bool) {
    let cases = case::load().expect("the cases load");
    let failures = suite::run_suite(&mut engine, &cases, filter);
    suite::assert_none(engine.name(), &failures);
}

#[test]
fn trace_evaluator() {
    // The trace reads texts, and knows nothing of the outcome of a fetch.
    run(Trace::default(), &|case, _| case.status == 200);
}

#[test]
fn fresh_image() {
    run(engines::fresh(), &|_, _| true);
    run(engines::plain(), &|_, _| true);
}

#[test]
fn reloaded_image() {
    run(engines::reloaded(), &|_, _| true);
}

#[test]
fn mapped_image() {
    run(engines::mapped(), &|_, _| true);
}

#[test]
fn rfc_oracle() {
    run(Oracle::default(), &|case, ask| {
        ["full", "rfc9309"].contains(&case.profile.as_str())
            && ask.usage == "crawl"
            && case::is_conventional(case)
    });
}

#[test]
fn google_oracle() {
    run(GoogleOracle::default(), &|case, ask| {
        case.profile == "google"
            && ask.usage == "crawl"
            && ask.agents.len() == 1
            && case::is_conventional(case)
    });
}

#[test]
fn every_profile_and_usage_has_cases() {
    let cases = case::load().expect("the cases load");
    for profile in ["full", "rfc9309", "google", "koster"] {
        assert!(cases.iter().any(|case| case.profile == profile), "no case of profile {profile}");
    }
    for usage in ["crawl", "index"] {
        let asks = cases.iter().flat_map(|case| &case.asks).filter(|ask| ask.usage == usage);
        assert!(asks.count() >= 3, "too few questions about {usage}");
    }
}
