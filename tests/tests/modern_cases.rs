//! The hand-written cases of the modern usage languages: every rule has one, and the oracle answers
//! each as written.
//!
//! The cases are right by the specification; if the oracle fails one, read the rule before changing
//! either.

use robomaton_tests::case::{self, Ask, Case};
use robomaton_tests::modern::{self, Answer, Question, Site};
use std::collections::BTreeSet;

/// The first letter of the ids of each language, with their number.
const ROWS: [(char, u32); 6] = [('U', 18), ('Y', 8), ('C', 15), ('L', 18), ('T', 16), ('X', 17)];

/// Rules without a number.
const NAMED: [&str; 8] = [
    "across languages",
    "silence",
    "disallowed paths",
    "DisallowAITraining",
    "ai.txt",
    "Clean-param",
    "Noindex",
    "R16",
];

fn cases() -> Vec<Case> {
    case::load_modern().expect("the cases load")
}

#[test]
fn every_rule_has_a_case() {
    let named: BTreeSet<String> = cases().into_iter().flat_map(|case| case.rules).collect();
    let numbered = ROWS.iter().flat_map(|&(letter, last)| (1..=last).map(move |n| format!("{letter}{n}")));
    let rules = numbered.chain(NAMED.map(str::to_owned));
    let bare: Vec<String> = rules.filter(|rule| !named.contains(rule)).collect();
    assert!(bare.is_empty(), "rules without a case: {bare:?}");
}

#[test]
fn no_case_names_a_rule_that_does_not_exist() {
    for case in cases() {
        for rule in &case.rules {
            let is_row = ROWS.iter().any(|&(letter, last)| {
                let number = rule.strip_prefix(letter).and_then(|number| number.parse::<u32>().ok());
                number.is_some_and(|number| (1..=last).contains(&number))
            });
            let is_named = NAMED.contains(&rule.as_str()) || rule.starts_with("section ");
            assert!(
                is_row || is_named || ["R5", "R6", "R7"].contains(&rule.as_str()),
                "{}: {rule}",
                case.name
            );
        }
    }
}

#[test]
fn verdicts_of_every_kind_occur() {
    let cases = cases();
    for verdict in ["allowed", "disallowed", "conditional", "unknown"] {
        let asks = cases.iter().flat_map(|case| &case.asks);
        let count = asks.filter(|ask| ask.verdict == verdict && ask.usage != "crawl").count();
        assert!(count >= 15, "only {count} answers {verdict:?}");
    }
    assert!(cases.iter().flat_map(|case| &case.asks).filter(|ask| ask.incomplete).count() >= 10);
}

/// The expectations of a query that the answer does not meet.
fn differences(ask: &Ask, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |what: &str, is_met: bool| {
        if !is_met {
            wrong.push(what.to_owned());
        }
    };
    expect("verdict", ask.verdict == answer.verdict.name());
    expect("incomplete", ask.incomplete == answer.incomplete);
    let leaves_open = ask.verdict == "unknown" && ask.conditions.is_empty();
    expect("conditions", leaves_open || ask.conditions == answer.conditions);
    let crawl = &ask.modern.crawl;
    expect("crawl", crawl.as_deref().is_none_or(|crawl| crawl == answer.crawl.name()));
    let deciding = || answer.statements.iter().filter(|statement| statement.decides);
    let is = |expected: &Option<String>, word: &str| expected.as_deref().is_none_or(|text| text == word);
    let modern = &ask.modern;
    if ask.line == Some(0) {
        expect("no line", deciding().all(|statement| statement.line.is_none()));
    }
    let line = ask.line.filter(|&line| line != 0);
    let decides = deciding().any(|statement| {
        (line.is_none() || line == statement.line)
            && (modern.rule.is_none() || modern.rule == statement.rule)
            && is(&modern.language, statement.language)
            && is(&modern.carrier, statement.carrier)
            && is(&modern.reason, statement.reason.unwrap_or_default())
    });
    let is_open = line.is_none()
        && modern.rule.is_none()
        && modern.language.is_none()
        && modern.carrier.is_none()
        && modern.reason.is_none();
    expect("deciding statement", is_open || decides);
    wrong
}

#[test]
fn the_oracle_answers_every_case_as_written() {
    let mut failures = Vec::new();
    let mut count = 0;
    for case in cases() {
        let site = Site::of(&case).expect("a profile that the oracle knows");
        for ask in &case.asks {
            let answer = modern::answer(&site, &Question::of(ask));
            let wrong = differences(ask, &answer);
            count += 1;
            if !wrong.is_empty() {
                failures.push(format!("{} ({}): {wrong:?}\n  {ask:?}\n  {answer:?}", case.name, case.file));
            }
        }
        for url in &case.facts.canonical {
            let result = modern::canonical(&site, &url.url);
            if result != url.result {
                failures.push(format!("{}: {url:?} became {result}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} answers:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 300, "only {count} questions");
}

#[test]
fn a_wrong_expectation_is_found() {
    let mut count = 0;
    for case in cases() {
        let site = Site::of(&case).expect("a profile that the oracle knows");
        for ask in &case.asks {
            let answer = modern::answer(&site, &Question::of(ask));
            let other = |change: &dyn Fn(&mut Ask)| {
                let mut ask = ask.clone();
                change(&mut ask);
                differences(&ask, &answer)
            };
            let verdict = if ask.verdict == "allowed" { "disallowed" } else { "allowed" };
            let wrong = [
                other(&|ask| ask.verdict = verdict.to_owned()),
                other(&|ask| ask.incomplete = !ask.incomplete),
                other(&|ask| ask.line = Some(999)),
                other(&|ask| ask.conditions.push("zzz=1".to_owned())),
                other(&|ask| ask.modern.language = Some("zzz".to_owned())),
                other(&|ask| ask.modern.carrier = Some("zzz".to_owned())),
                other(&|ask| ask.modern.rule = Some(999)),
                other(&|ask| ask.modern.crawl = Some("conditional".to_owned())),
            ];
            assert!(wrong.iter().all(|found| !found.is_empty()), "{}: {wrong:?}", case.name);
            count += 1;
        }
    }
    assert!(count > 300, "only {count} questions");
}

#[test]
fn rows_hold_every_source() {
    for case in cases() {
        let site = Site::of(&case).expect("a profile that the oracle knows");
        let rows = site.rows();
        let modern = &case.modern;
        let files = usize::from(modern.tdmrep.is_some()) + usize::from(modern.ai_txt.is_some());
        assert_eq!(rows.len(), 1 + files + modern.documents.len() + case.pages.len(), "{}", case.name);
        for row in &rows {
            for key in ["url", "status", "fetched_at", "headers", "body"] {
                assert!(!row[key].is_null(), "{}: {row}", case.name);
            }
        }
        assert_eq!(rows[0]["body"].as_str().map(str::as_bytes), Some(&case.robots[..]));
    }
}
