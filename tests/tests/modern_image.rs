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

/// ACAP suspends conventional records alone. What other languages refuse there counts for the
/// user-agents above (decision 40), or in the pilot for the crawlers of the record (decision 36).
#[test]
fn statements_that_acap_suspends_refuse() {
    let inside = "User-agent: *\nDisallow: /d\nACAP-crawler: x\nACAP-allow-crawl: /\n\
                  Content-Usage: train-ai=n\nContent-Signal: ai-input=yes\nDisallow: /e\n";
    let alone = "ACAP-ignore-conventional-records\nUser-agent: *\nContent-Signal: ai-train=no, ai-input=yes\n\
                 Disallow: /d\nUser-agent: a\nDisallowAITraining: /a\nDisallow: /\n\
                 ACAP-crawler: *\nACAP-disallow-index: /i\n";
    let pilot = "##ACAP version=0.2\nUser-agent: *\nAllow: /\nACAP-crawler: x\nACAP-allow-crawl: /\n\
                 Content-Usage: train-ai=n\n";
    let fallback = "Content-Signal: ai-train=no\nUser-agent: *\nContent-Usage: train-ai=y\nDisallow: /d\n\
                    ACAP-crawler: x\nACAP-allow-crawl: /\nContent-Signal: ai-input=no, search=yes\n";
    let named = "ACAP-ignore-conventional-records\nUser-agent: *\nDisallowAITraining: /\n\
                 User-agent: googlebot\nDisallow: /z\nACAP-crawler: googlebot-news\nACAP-allow-ai-train: /\n";
    let unreadable = "##ACAP version=0.2\nUser-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n\
                      ACAP-crawler:\nACAP-allow-crawl: /\nContent-Usage: train-ai=n\n";
    let cases = [
        (inside, "b", "/x", "ai-train", "disallowed"),
        (inside, "b", "/x", "ai-input", "unknown"),
        (inside, "b", "/d", "crawl", "disallowed"),
        (inside, "b", "/e", "crawl", "allowed"),
        (alone, "b", "/x", "ai-train", "disallowed"),
        (alone, "b", "/x", "ai-input", "unknown"),
        (alone, "b", "/d", "crawl", "allowed"),
        (alone, "a", "/x", "ai-train", "disallowed"),
        (alone, "a", "/a", "ai-train", "disallowed"),
        (alone, "a", "/x", "crawl", "allowed"),
        (alone, "a", "/i", "index", "disallowed"),
        // A statement before all groups still counts.
        (fallback, "b", "/x", "ai-train", "disallowed"),
        (fallback, "b", "/x", "ai-input", "disallowed"),
        // The first name is that of an ACAP record, so the groups of the second do not count.
        (named, "googlebot-news googlebot", "/x", "ai-train", "disallowed"),
        (unreadable, "b", "/x", "ai-train", "disallowed"),
        (pilot, "b", "/x", "ai-train", "unknown"),
        (pilot, "x", "/x", "ai-train", "disallowed"),
    ];
    for (robots, agent, url, usage, verdict) in cases {
        let mut site = Site::new("https://example.com");
        (site.robots, site.robots_status) = (Some(robots.as_bytes().to_vec()), 200);
        let question = Question {
            agents: agent.split(' ').map(str::to_owned).collect(),
            url: url.to_owned(),
            usage: usage.to_owned(),
            ..Question::default()
        };
        let told = ask(&image(&site), &site.origin, &question);
        assert_eq!(told.verdict, verdict, "{question:?}\n{robots}");
        let traced = trace(&site, &question);
        assert!(traced.is_none_or(|traced| traced == told), "{question:?}\n{robots}");
    }
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
