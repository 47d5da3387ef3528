//! Compiled images against the oracle of the modern usage languages: on every case, and on random
//! sites.
//!
//! `ROBOMATON_SEED` and `ROBOMATON_CASES` (sites) extend or vary the run.

use robomaton_tests::case;
use robomaton_tests::generate::Random;
use robomaton_tests::modern::image::{Told, ask, image, trace};
use robomaton_tests::modern::{Answer, Question, Site, answer, children, generate};
use robomaton_tests::setting;

/// Questions about each random site.
const QUESTIONS: usize = 14;

fn expected(answer: &Answer) -> Told {
    let mut conditions = answer.conditions.clone();
    conditions.sort_unstable();
    let conditional = answer.verdict.name() == "conditional";
    Told {
        verdict: answer.verdict.name(),
        incomplete: answer.incomplete,
        conditions: if conditional { conditions } else { Vec::new() },
        crawl: answer.crawl.name(),
    }
}

/// The rows of a site, for a person.
fn shown(site: &Site) -> String {
    let row = |row: &serde_json::Value| {
        let body = row["body"].as_str().unwrap_or_default();
        format!("{} {} {}\n{body}\n", row["status"], row["url"], row["headers"])
    };
    site.rows().iter().map(row).collect()
}

#[test]
fn images_answer_the_cases() {
    let mut failures = Vec::new();
    let mut count = 0;
    for case in case::load_modern().expect("the cases load") {
        let site = Site::of(&case).expect("a profile that the oracle knows");
        let image = image(&site);
        for asked in &case.asks {
            let question = Question::of(asked);
            let told = ask(&image, &site.origin, &question);
            let expected = expected(&answer(&site, &question));
            count += 1;
            if told != expected {
                failures.push(format!(
                    "{} ({}): {question:?}\n  image  {told:?}\n  oracle {expected:?}",
                    case.name, case.file
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 300);
}

/// Asks images about random sites, and holds the answers against the oracle and the trace.
fn agree(seed: u64) {
    let mut random = Random::new(setting("ROBOMATON_SEED", seed));
    let sites: usize = setting("ROBOMATON_CASES", 4_200);
    let (mut failures, mut count, mut traced) = (Vec::new(), 0, 0);
    for _ in 0..sites {
        let site = generate::site(&mut random);
        let image = image(&site);
        for _ in 0..QUESTIONS {
            let mut question = generate::question(&mut random);
            // An image tells terms, against which facts about the user are held afterwards. That
            // answers only where the terms of the usage itself decide.
            let bare = Question { user: None, geo: None, ..question.clone() };
            let decides = answer(&site, &bare).verdict.name() == "conditional";
            if !decides || !children(&question.usage).is_empty() {
                question = bare;
            }
            let told = ask(&image, &site.origin, &question);
            let expected = expected(&answer(&site, &question));
            count += 1;
            let by_trace = trace(&site, &question);
            traced += usize::from(by_trace.is_some());
            if told != expected || by_trace.as_ref().is_some_and(|trace| *trace != told) {
                let told = format!("image  {told:?}\n  oracle {expected:?}\n  trace  {by_trace:?}");
                failures.push(format!("{question:?}\n  {told}\n{}", shown(&site)));
                break;
            }
        }
    }
    println!("{count} answers, {traced} of them traced");
    let shown: Vec<String> = failures.iter().take(8).cloned().collect();
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), shown.join("\n---\n"));
    assert!(traced > count / 10, "{traced} of {count}");
}

// Two tests, so that two threads share the work.
#[test]
fn images_answer_random_sites() {
    agree(160);
}

#[test]
fn images_answer_more_random_sites() {
    agree(161);
}
