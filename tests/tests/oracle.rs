//! The oracle on the hand-written cases and on the vectors of other projects.
//!
//! The cases are right by the specification; if the oracle fails one, read RULES.md before changing
//! either. `ROBOMATON_WRITE=1` prints the new contents of `cases/expected-differences.toml` (with
//! `--nocapture`).

use robomaton_tests::engines::Oracle;
use robomaton_tests::{case, oracle, suite, vectors};
use std::collections::BTreeMap;

#[test]
fn cases() {
    let cases = case::load().unwrap();
    let filter = |case: &case::Case, ask: &case::Ask| {
        ["full", "rfc9309"].contains(&case.profile.as_str())
            && ask.usage == "crawl"
            && case::is_conventional(case)
    };
    let failures = suite::run_suite(&mut Oracle::default(), &cases, &filter);
    suite::assert_none("oracle", &failures);
}

#[test]
fn every_rule_has_cases() {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for rule in case::load().unwrap().into_iter().flat_map(|case| case.rules) {
        *named.entry(rule).or_default() += 1;
    }
    for rule in (1..=15).chain([18]).map(|number| format!("R{number}")) {
        assert!(named.get(&rule).is_some_and(|&count| count >= 3), "{rule} has too few cases: {named:#?}");
    }
}

#[test]
fn vectors_differ_exactly_as_listed() {
    let all = vectors::load().unwrap();
    assert_eq!(all.len(), 1426);
    let answer = |vector: &vectors::Vector| {
        let (origin, target) = vector.question();
        oracle::verdict(&vector.robots, &[&vector.agent], &target, origin.as_deref()).0
    };
    let answers: Vec<bool> = all.iter().map(answer).collect();
    let listed = vectors::differences().unwrap();
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        println!("{}", vectors::write_list(&all, &listed, &answers));
    }
    let wrong = vectors::compare(&all, &listed, &answers);
    assert!(wrong.is_empty(), "{} vectors:\n{}", wrong.len(), wrong.join("\n"));
}
