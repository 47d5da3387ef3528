//! Random files over small alphabets: all engines give the same answer.
//!
//! `ROBOMATON_SEED` and `ROBOMATON_CASES` vary a run; a failure names the seed and prints the
//! smallest file that still shows it.

use robomaton_tests::engines::{self, Trace};
use robomaton_tests::generate::{self, Random};
use robomaton_tests::panel::{Panel, Query, same};
use robomaton_tests::regexes::Regexes;
use robomaton_tests::setting;
use robomaton_tests::suite::{Engine, Question, Text};

const ORIGIN: &str = "https://example.com";

/// The number of pairs of rule set and target (or of file and query) that a test compares.
fn cases() -> usize {
    setting("ROBOMATON_CASES", 100_000)
}

fn random(salt: u64) -> Random {
    Random::new(setting("ROBOMATON_SEED", 9309) ^ salt)
}

/// Bytes on which parsers disagree, inserted anywhere.
const ODD: [&[u8]; 18] = [
    b"\0",
    b"\x0B",
    b"\x0C",
    b"\r",
    b"\n",
    b"#",
    b":",
    b"%",
    b"$",
    b"*",
    b"\xEF\xBB\xBF",
    b"\x80",
    b"\xFF",
    b" ",
    b"\t",
    b"/index.htm",
    b"\r\n\r\n",
    b"\x7F",
];

#[test]
fn automaton_trace_oracle_and_regexes_agree() {
    let mut random = random(1);
    let (mut panel, mut regexes) = (Panel::of("full"), Regexes::default());
    let (mut compared, mut decided, mut built, mut sets, mut by_regex) = (0, 0, 0, 0, 0);
    while compared < cases() {
        // Most sets are small; a few need more slots than the smallest array of the walk has.
        let (count, length) = match random.below(100) {
            0 => (40 + random.below(100), 1 + random.below(12)),
            _ => (1 + random.below(12), 1 + random.below(7)),
        };
        let rules = random.rules(count, length);
        let robots = generate::one_group(&rules).into_bytes();
        panel.load(&robots, Some(ORIGIN));
        regexes.load(&Text::new(&robots, Some(ORIGIN), "full"));
        sets += 1;
        built += usize::from(regexes.is_built());
        for _ in 0..10 {
            let (pattern, _) = &rules[random.below(rules.len())];
            let url = format!("{ORIGIN}{}", random.query(pattern));
            compared += 1;
            match panel.ask("a", "crawl", &url) {
                Ok(answer) => {
                    decided += usize::from(answer.is_decided());
                    if regexes.is_built() {
                        by_regex += 1;
                        let other = regexes.ask(&Question::new(&["a"], "crawl", &url));
                        if let Err(said) = same(&[("all others", answer), ("regex-automata", other)]) {
                            panic!("{url:?}\n{said}{}", String::from_utf8_lossy(&robots));
                        }
                    }
                }
                Err(_) => panic!("{}", panel.account(&query(&robots, "a", "crawl", &url))),
            }
        }
    }
    println!("{compared} pairs compared, {decided} decided by a rule");
    println!("{built} of {sets} sets built by regex-automata, {by_regex} pairs compared with it");
    assert!(decided * 3 > compared, "the alphabets are too large: {decided} of {compared} decided");
    assert!(built * 10 > sets * 9, "regex-automata has built {built} of {sets} sets only");
}

/// Sets with more than a thousand slots, which no general engine can handle.
#[test]
fn large_sets_of_stars_agree() {
    let mut random = random(8);
    let mut panel = Panel::of("full");
    for _ in 0..cases().div_ceil(10_000) {
        let rules = random.rules(1_500, 6);
        let robots = generate::one_group(&rules).into_bytes();
        panel.load(&robots, Some(ORIGIN));
        for _ in 0..40 {
            let (pattern, _) = &rules[random.below(rules.len())];
            let url = format!("{ORIGIN}{}", random.query(pattern));
            if panel.ask("a", "crawl", &url).is_err() {
                panic!("{}", panel.account(&query(&robots, "a", "crawl", &url)));
            }
        }
    }
}

/// A frequent segment, `a`, for which the steps after the prefix `/a/` wait before those after the
/// segment `/` do, which ends earlier in the target.
#[test]
fn steps_after_prefixes_and_segments_agree() {
    let robots =
        b"User-agent: *\nAllow: */**a\nAllow: *b/**a\nDisallow: *b/aa*a\nAllow: /a/**a\nDisallow: /a/aa*a\n\
        Disallow: /a/\nAllow: //aab/**a\nDisallow: //aab/aa*a\nAllow: /b?//**a\nDisallow: /b?//aa*a\n";
    let mut panel = Panel::of("full");
    panel.load(robots, Some(ORIGIN));
    for path in ["/a/", "/a/a", "/b/a", "//aab/a"] {
        let answer = panel.ask("a", "crawl", &format!("{ORIGIN}{path}")).expect("one answer");
        assert!(answer.is_decided(), "{path}");
    }
}

/// The same rules behind several prefixes, which programs store once.
#[test]
fn repeated_rules_agree() {
    let mut random = random(9);
    let mut panel = Panel::of("full");
    for _ in 0..cases().div_ceil(1_000) {
        let count = 5 + random.below(25);
        let (repeated, mut rules) = (random.rules(count, 6), random.rules(10, 4));
        for _ in 0..2 + random.below(8) {
            let prefix = random.pattern(3);
            let behind = repeated.iter().map(|(pattern, sense)| (format!("{prefix}{pattern}"), *sense));
            rules.extend(behind);
        }
        let robots = generate::one_group(&rules).into_bytes();
        panel.load(&robots, Some(ORIGIN));
        for _ in 0..40 {
            let (pattern, _) = &rules[random.below(rules.len())];
            let url = format!("{ORIGIN}{}", random.query(pattern));
            if panel.ask("a", "crawl", &url).is_err() {
                panic!("{}", panel.account(&query(&robots, "a", "crawl", &url)));
            }
        }
    }
}

/// Very many groups of one crawler become one program, unless they have many stars.
#[test]
fn many_groups_of_one_crawler_agree() {
    let mut random = random(10);
    let mut panel = Panel::of("full");
    for case in 0..cases().div_ceil(1_000) {
        let count = 70 + random.below(200);
        let mut rules = random.rules(count, 6);
        if case % 4 > 0 {
            rules.retain(|(pattern, _)| !pattern.contains('*'));
        }
        let groups: String = rules.chunks(1 + random.below(4)).map(generate::one_group).collect();
        let robots = groups.into_bytes();
        panel.load(&robots, Some(ORIGIN));
        for _ in 0..40 {
            let (pattern, _) = &rules[random.below(rules.len())];
            let url = format!("{ORIGIN}{}", random.query(pattern));
            if panel.ask("a", "crawl", &url).is_err() {
                panic!("{}", panel.account(&query(&robots, "a", "crawl", &url)));
            }
        }
    }
}

#[test]
fn files_under_full() {
    files("full", 2, cases() / 5, &|_, _| {});
}

#[test]
fn files_under_koster() {
    files("koster", 3, cases() / 5, &|_, _| {});
}

#[test]
fn files_with_odd_bytes_under_full() {
    files("full", 4, cases() / 5, &odd_bytes);
}

#[test]
fn files_with_odd_bytes_under_google() {
    files("google", 5, cases() / 2, &odd_bytes);
}

#[test]
fn files_with_odd_bytes_under_koster() {
    files("koster", 6, cases() / 5, &odd_bytes);
}

/// Inserts odd bytes anywhere except in lines with an absolute URL: the oracle does not know the
/// spelling of host names.
fn odd_bytes(random: &mut Random, file: &mut Vec<u8>) {
    for _ in 0..random.below(4) {
        let at = random.below(file.len() + 1);
        let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let [before, after] = [&file[..at], &file[at..]];
        let before = before.rsplit(ends).next().unwrap_or_default();
        let after = after.split(ends).next().unwrap_or_default();
        if [before, after].concat().windows(3).any(|bytes| bytes == b"://") {
            continue;
        }
        let bytes = random.pick(&ODD);
        file.splice(at..at, bytes.iter().copied());
    }
}

/// Random files and queries: all engines of the profile agree.
fn files(profile: &'static str, salt: u64, cases: usize, change: &dyn Fn(&mut Random, &mut Vec<u8>)) {
    let mut random = random(salt);
    let mut panel = Panel::of(profile);
    let (mut compared, mut decided) = (0, 0);
    while compared < cases {
        let mut file = random.file();
        let targets = random.queries(&file, 8);
        change(&mut random, &mut file);
        if random.once_in(4) {
            file.extend_from_slice(b"\nNoindex: /a*b\nnoindex: /b$\n");
        }
        panel.load(&file, Some(ORIGIN));
        for target in targets {
            let agent = random.pick(&generate::ASKED);
            let usage = if random.once_in(8) && profile != "google" { "index" } else { "crawl" };
            let url = format!("{ORIGIN}{target}");
            compared += 1;
            match panel.ask(agent, usage, &url) {
                Ok(answer) => decided += usize::from(answer.is_decided()),
                Err(_) => panic!("{}", panel.account(&query(&file, agent, usage, &url))),
            }
        }
    }
    println!("{profile}: {compared} questions compared, {decided} decided by a rule");
    assert!(decided * 20 > compared, "{decided} of {compared} decided");
}

/// Counting only groups that name the crawler is the same as a file whose default groups name no
/// crawler.
#[test]
fn named_only_is_without_default_groups() {
    let mut random = random(9);
    let (mut trace, mut image) = (Trace::default(), engines::fresh());
    let (mut other_trace, mut changed) = (Trace::default(), 0);
    for _ in 0..cases() / 40 {
        let file = random.file();
        let other = engines::without_default_groups(&file);
        let targets = random.queries(&file, 4);
        trace.load(&Text::new(&file, Some(ORIGIN), "full"));
        image.load(&Text::new(&file, Some(ORIGIN), "full"));
        other_trace.load(&Text::new(&other, Some(ORIGIN), "full"));
        for target in targets {
            let url = format!("{ORIGIN}{target}");
            let agents = [random.pick(&generate::ASKED)];
            let plain = Question::new(&agents, if random.once_in(4) { "index" } else { "crawl" }, &url);
            let question = Question { named_only: true, ..plain };
            let answers = [trace.ask(&question), image.ask(&question), other_trace.ask(&plain)];
            changed += usize::from(trace.ask(&plain) != answers[0]);
            assert!(
                answers.iter().all(|answer| *answer == answers[0]),
                "{question:?}\n{answers:?}\n{}",
                String::from_utf8_lossy(&file)
            );
        }
    }
    assert!(changed > 0, "no default group ever answered");
}

/// Google's parser accepts anything as a URL; the image must split it in the same way.
#[test]
fn odd_urls_under_google() {
    let mut random = random(7);
    let mut panel = Panel::of("google");
    let pieces = ["/", "//", "?", ";", "#", "://", "http", "a", "b", "", "%61", "*", ":", "é", " ", "@"];
    for _ in 0..cases() / 50 {
        let file = random.file();
        panel.load(&file, None);
        for _ in 0..10 {
            let url: String = (0..random.below(8)).map(|_| random.pick(&pieces)).collect();
            let agent = random.pick(&["a", "b", "c", "x", "", "b/1.0"]);
            if panel.ask(agent, "crawl", &url).is_err() {
                let query = Query { origin: None, ..query(&file, agent, "crawl", &url) };
                panic!("{}", panel.account(&query));
            }
        }
    }
}

/// R14: where the host of the file is not known, a URL in a rule prohibits, and permits nothing.
#[test]
fn urls_in_rules_of_an_unknown_host() {
    let robots = b"User-agent: *\nDisallow: https://example.com/a\nAllow: https://other.example/a/b\n\
        Disallow: /c\nAllow: https://example.com/c/d\nDisallow: https:///e\n\
        Disallow: http://other.example?f\n";
    let mut panel = Panel::of("full");
    panel.load(robots, None);
    for (target, verdict, line) in [
        ("/a", "disallowed", 2),
        ("/a/b", "disallowed", 2),
        ("/c/d", "disallowed", 4),
        ("/e", "allowed", 0),
        ("/?f", "disallowed", 7),
        ("/x", "allowed", 0),
    ] {
        let answer = panel.ask("a", "crawl", target).unwrap_or_else(|said| panic!("{target}\n{said}"));
        let lines = if line == 0 { Vec::new() } else { vec![line] };
        assert_eq!((answer.verdict.as_str(), answer.lines), (verdict, Some(lines)), "{target}");
    }
}

/// Decision 40: the same in fields of ACAP and in resource sets.
#[test]
fn urls_in_fields_of_an_unknown_host() {
    let robots = b"ACAP-resource-set: s https://other.example/s\nACAP-crawler: *\n\
        ACAP-disallow-index: https://example.com/a\nACAP-allow-index: https://example.com/a/b\n\
        ACAP-allow-index: /a/c\nACAP-disallow-index: the-acap:resource-set:s\n\
        ACAP-disallow-index: /t\nACAP-allow-index: https://example.com/t/s\n";
    let mut panel = Panel::of("full");
    panel.load(robots, None);
    for (target, verdict, lines) in [
        ("/a", "disallowed", vec![3]),
        ("/a/b", "disallowed", vec![3]),
        ("/a/c", "allowed", vec![5]),
        ("/s", "disallowed", vec![6]),
        ("/t/s", "disallowed", vec![7]),
    ] {
        let answer = panel.ask("a", "index", target).unwrap_or_else(|said| panic!("{target}\n{said}"));
        assert_eq!((answer.verdict.as_str(), answer.lines), (verdict, Some(lines)), "{target}");
    }
}

fn query(robots: &[u8], agent: &str, usage: &str, url: &str) -> Query {
    let [agent, usage, url] = [agent, usage, url].map(str::to_owned);
    Query { robots: robots.to_vec(), origin: Some(ORIGIN.to_owned()), agent, usage, url }
}
