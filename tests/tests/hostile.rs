//! Hostile files: each compiles in time to a named outcome, and to an image of bounded size that
//! verifies and answers in time.
//!
//! The times are those of the dev profile on a slow machine; in release mode everything takes less
//! than a second. Run with `--nocapture` for the table.

use robomaton_compiler::automaton::{self, Prioritized};
use robomaton_compiler::{Document, Entry, LimitName, Options, Policy, compile, emit, lower, precedence};
use robomaton_formats::layout::Section;
use robomaton_formats::program::Weighing;
use robomaton_formats::{Outcome, Profile, SiteKey};
use robomaton_runtime::{Basis, Image, Usage};
use robomaton_tests::generate::Random;
use robomaton_tests::hostile;
use std::time::{Duration, Instant};

/// The time for one file under one profile: reading, lowering, building.
const COMPILE: Duration = Duration::from_secs(4);
/// The time for one look-up of an adversarial path.
const LOOK_UP: Duration = Duration::from_millis(20);
/// The time to explain one verdict, which decodes the details of the document and matches naively.
const ACCOUNT: Duration = Duration::from_secs(2);

/// The limit that each file exceeds, by profile; files that are not listed exceed none.
fn over(name: &str, profile: Profile) -> Option<LimitName> {
    match (name, profile) {
        // 1996 patterns have no stars.
        ("stars-in-one-rule" | "segments" | "same-rule" | "too-deep", Profile::Koster) => None,
        ("too-deep", _) => Some(LimitName::Depth),
        // Stars are counted while reading, before equal rules are merged.
        ("stars-in-one-rule" | "segments" | "same-rule", _) => Some(LimitName::Stars),
        // The other profiles read 500 KiB, which ends before too many groups or rules, or the long
        // line.
        ("ten-megabytes", Profile::Google) => Some(LimitName::Rules),
        ("groups", Profile::Google) => Some(LimitName::Groups),
        // Every percent sign takes three bytes in canonical form (decision 37).
        ("percents", Profile::Koster) => Some(LimitName::Pattern),
        _ => None,
    }
}

/// Paths of 2,048 bytes that nearly match many patterns: runs of `a`, an alphabet, incomplete
/// segments.
fn adversarial_paths() -> Vec<String> {
    let fill = |piece: &str| format!("/{}", piece.repeat(2_047 / piece.len()));
    let mut random = Random::new(2048);
    let noise: String = (0..2_047).map(|_| random.pick(&['a', 'b', 'c', 'd', 'e', 'f', 'o'])).collect();
    vec![
        fill("a"),
        fill("abcdefghijklmnopqrstuvwxyz"),
        fill("same/"),
        fill("%2"),
        fill("\u{e9}"),
        format!("/{noise}"),
    ]
}

/// No program is larger than six times its patterns plus 512 bytes; returns the largest ratio.
fn assert_sizes(name: &str, policy: &Policy<'_>) -> f64 {
    let priorities = precedence::priorities(policy);
    let mut worst: f64 = 0.0;
    let mut code = Vec::new();
    for group in &policy.groups {
        for usage in 0..2 {
            let rules = group.rules.clone().filter(|&rule| policy.rules[rule].usage == usage);
            let mut rules: Vec<_> = rules
                .map(|rule| Prioritized { pattern: policy.rules[rule].pattern(), priority: priorities[rule] })
                .collect();
            let bytes: usize = rules.iter().map(|rule| rule.pattern.text.len()).sum();
            code.clear();
            automaton::normalise(&mut rules);
            automaton::build(
                &rules,
                policy.profile.notation(),
                Weighing::Ranked(precedence::silence([], Some(usage))),
                &mut code,
            );
            let bound = 6 * bytes + 512;
            let (profile, size) = (policy.profile, code.len());
            assert!(
                size <= bound,
                "{name}, {profile}: a program of {size} bytes for {bytes} bytes of patterns"
            );
            if bytes > 512 {
                worst = worst.max(size as f64 / bytes as f64);
            }
        }
    }
    worst
}

#[test]
fn hostile_files_cost_little() {
    println!(
        "{:<30}{:>9} {:<8}{:>9}  {:<12}{:>11}{:>7}{:>10}",
        "file", "bytes", "profile", "compile", "outcome", "image", "ratio", "look-up"
    );
    for (name, robots) in hostile::all() {
        for profile in Profile::ALL {
            let options = Options { profile, ..Options::default() };
            let start = Instant::now();
            let document = compile(&robots, None, &options);
            let time = start.elapsed();
            assert!(time < COMPILE, "{name}, {profile}: compiled in {time:?}");
            let limit = document.over_limit.map(|over| over.limit);
            assert_eq!(limit, over(name, profile), "{name}, {profile}: {:?}", document.over_limit);
            assert_eq!(document.outcome == Outcome::OverLimit, limit.is_some(), "{name}, {profile}");

            let tree = robomaton_grammar::scan(&robots, options.limits.bytes(profile));
            let ratio = lower(&tree, None, &options).map_or(0.0, |policy| assert_sizes(name, &policy));

            let site = SiteKey::from_host("h.example").unwrap();
            let bytes = emit(vec![Entry::fetched(site, &document)], &options).unwrap();
            let image = Image::from_bytes(bytes.as_slice()).unwrap();
            image.verify().unwrap_or_else(|error| panic!("{name}, {profile}: {error}"));
            let slowest = look_ups(name, &image);
            let outcome = document.outcome.name();
            let length = robots.len();
            let profile = profile.name();
            println!(
                "{name:<30}{length:>9} {profile:<8}{time:>9.1?}  {outcome:<12}{:>11}{ratio:>7.2}{slowest:>10.1?}",
                bytes.len()
            );
        }
    }
}

/// Looks up the adversarial paths, each best of three; returns the slowest time.
fn look_ups(name: &str, image: &Image<&[u8]>) -> Duration {
    let mut slowest = Duration::ZERO;
    for crawler in ["bot7", "nobody"].map(|crawler| image.crawler([crawler])) {
        for path in adversarial_paths() {
            let url = format!("http://h.example{path}");
            let ask = || {
                let start = Instant::now();
                std::hint::black_box(image.decide(&crawler, Usage::CRAWL, &url).decision());
                start.elapsed()
            };
            let time = (0..3).map(|_| ask()).min().unwrap_or_default();
            let profile = image.profile();
            assert!(time < LOOK_UP, "{name}, {profile}: {time:?} for {:.40}...", url);
            slowest = slowest.max(time);
        }
    }
    slowest
}

/// The maximum size of programs, policies, lists and scopes in an image: bytes per input byte, and
/// a minimum.
const HOT: (usize, usize) = (40, 16 << 10);
/// The maximum number of bytes that compiler and emitter hold at one time.
const MEMORY: u64 = 1 << 30;

/// The limit that each file with ACAP records or pages exceeds; files that are not listed exceed
/// none.
fn scoped_over(name: &str) -> Option<LimitName> {
    match name {
        // Limits on expansion.
        "crawlers-by-sub-records" | "long-name-of-many-groups" => Some(LimitName::Entries),
        "purposes-by-usages" | "crawlers-by-entries" => Some(LimitName::Purposes),
        "composites-by-one-long-pattern"
        | "long-page"
        | "long-usage-by-rules"
        | "references-to-many-records"
        | "references-by-definitions"
        | "references-by-long-name" => Some(LimitName::Rules),
        "qualifiers" | "qualified-by-explicit" | "too-many-metas-of-one-page" => Some(LimitName::Conditions),
        "shared-long-rules" | "long-name-beside-groups" => Some(LimitName::Merged),
        // All fields for one crawler may have no more stars than a group.
        "composites-by-sets"
        | "shared-stars-by-the-ten-thousand"
        | "long-chain-of-narrower"
        | "long-words-of-stars"
        | "alike-by-the-hundred"
        | "alike-at-every-place-of-records"
        | "any-records-with-too-many-stars" => Some(LimitName::Stars),
        "opaque-usages" => Some(LimitName::Usages),
        "times" | "times-of-many" => Some(LimitName::Times),
        "references-by-the-thousand" | "references-of-too-many" => Some(LimitName::References),
        "pages-for-too-many" => Some(LimitName::Groups),
        _ => None,
    }
}

/// The bytes of the sections that grow with the rules and that verdicts read.
fn hot(image: &Image<&[u8]>) -> usize {
    let sections = [Section::Policies, Section::Lists, Section::Programs, Section::Scopes, Section::Purposes];
    sections.into_iter().map(|section| image.section_bytes(section)).sum()
}

#[test]
fn hostile_records_cost_little() {
    println!(
        "{:<32}{:>8} {:>8}{:>8}{:>7}  {:<12}{:>9}{:>9}{:>9}{:>10}{:>10}  slowest",
        "file", "bytes", "compile", "emit", "MiB", "limit", "image", "hot", "scope", "look-up", "account"
    );
    let only: String = robomaton_tests::setting("ROBOMATON_HOSTILE", String::new());
    for file in hostile::acap::all().into_iter().filter(|file| file.name.starts_with(&only)) {
        let name = file.name;
        let length = file.bytes();
        let options = Options::default();
        let (mut document, mut time) = (Document::default(), Duration::ZERO);
        let compiled = allocation_counter::measure(|| {
            let start = Instant::now();
            document = file.compile();
            time = start.elapsed();
        });
        let (mut bytes, mut emitting) = (Vec::new(), Duration::ZERO);
        let emitted = allocation_counter::measure(|| {
            let start = Instant::now();
            let site = SiteKey::from_host("h.example").unwrap();
            bytes = emit(vec![Entry::fetched(site, &document)], &options).unwrap();
            emitting = start.elapsed();
        });
        let memory = compiled.bytes_max.max(emitted.bytes_max + compiled.bytes_current.unsigned_abs());
        let image = Image::from_bytes(bytes.as_slice()).unwrap();
        let verified = image.verify();
        let limit = document.over_limit.map(|over| over.limit);
        let (slowest, account, what) = scoped_look_ups(&image);
        println!(
            "{name:<32}{length:>8} {time:>8.0?}{emitting:>8.0?}{:>7}  {:<12}{:>9}{:>9}{:>9}{slowest:>10.1?}{account:>10.1?}  {what}",
            memory >> 20,
            limit.map_or("", LimitName::name),
            bytes.len(),
            hot(&image),
            document.scope.len(),
        );
        if !only.is_empty() {
            continue;
        }
        verified.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(time < COMPILE, "{name}: compiled in {time:?}");
        assert!(emitting < COMPILE, "{name}: emitted in {emitting:?}");
        assert!(memory < MEMORY, "{name}: {memory} bytes held");
        assert_eq!(limit, scoped_over(name), "{name}: {:?}", document.over_limit);
        assert_eq!(document.outcome == Outcome::OverLimit, limit.is_some(), "{name}");
        assert!(hot(&image) <= HOT.0 * length + HOT.1, "{name}: {} bytes for {length}", hot(&image));
        assert!(slowest < LOOK_UP, "{name}: {slowest:?} for {what}");
        assert!(account < ACCOUNT, "{name}: {account:?} for the account of a verdict");
    }
}

/// Looks up the adversarial paths, each best of three; returns the slowest time with its query, and
/// the slowest explanation.
fn scoped_look_ups(image: &Image<&[u8]>) -> (Duration, Duration, String) {
    let (mut slowest, mut account) = ((Duration::ZERO, String::new()), Duration::ZERO);
    let usages = ["crawl", "index", "present-snippet", "other"].map(|usage| image.usage(usage));
    let usages = usages.into_iter().flat_map(|usage| [usage, usage.for_purpose("news")]);
    let usages: Vec<Usage<'_>> = usages.collect();
    for name in ["bot7", "b7", "nobody"] {
        let crawler = image.crawler([name]);
        for (at, &usage) in usages.iter().enumerate() {
            for path in adversarial_paths() {
                let url = format!("http://h.example{path}");
                let ask = || {
                    let start = Instant::now();
                    std::hint::black_box(image.decide(&crawler, usage, &url).decision());
                    start.elapsed()
                };
                let time = (0..3).map(|_| ask()).min().unwrap_or_default();
                let verdict = image.decide(&crawler, usage, &url);
                assert_ne!(verdict.basis(), Basis::Damaged, "{name}, {:.40}", path);
                if time > slowest.0 {
                    slowest = (time, format!("{name}, usage {at}, {:.12}", path));
                }
                if at % 2 == 0 && path.starts_with("/aa") {
                    let start = Instant::now();
                    std::hint::black_box(verdict.account());
                    account = account.max(start.elapsed());
                }
            }
        }
    }
    (slowest.0, account, slowest.1)
}

#[test]
fn what_is_over_a_limit_is_disallowed() {
    let options = Options::default();
    let document = compile(&hostile::stars_in_one_rule(20_000), None, &options);
    let site = SiteKey::from_host("h.example").unwrap();
    let image = Image::from_bytes(emit(vec![Entry::fetched(site, &document)], &options).unwrap()).unwrap();
    let crawler = image.crawler(["a"]);
    let allowed = |url| image.decide(&crawler, Usage::CRAWL, url).is_allowed();
    assert!(!allowed("http://h.example/"));
    assert!(allowed("http://h.example/robots.txt"), "R13");
}

#[test]
fn groups_with_many_stars_are_not_merged() {
    // Each group is within the limit on stars, both together are not within that of a program.
    let group = |last: &str| format!("User-agent: bot\nDisallow: /{}{last}\n\n", "*a".repeat(8_000));
    let robots = group("x") + &group("y");
    let options = Options::default();
    let document = compile(robots.as_bytes(), None, &options);
    let site = SiteKey::from_host("h.example").unwrap();
    let image = Image::from_bytes(emit(vec![Entry::fetched(site, &document)], &options).unwrap()).unwrap();
    image.verify().unwrap();
    let crawler = image.crawler(["bot"]);
    let allowed = |last| {
        image
            .decide(&crawler, Usage::CRAWL, &format!("http://h.example/{}{last}", "a".repeat(8_000)))
            .is_allowed()
    };
    assert_eq!(["x", "y", "z"].map(allowed), [false, false, true]);
}

#[test]
fn random_sets_cost_little() {
    let mut random = Random::new(6);
    let mut worst: f64 = 0.0;
    for _ in 0..2_000 {
        let (count, length) = (1 + random.below(200), 1 + random.below(40));
        let mut robots = "User-agent: *\n".to_owned();
        for (pattern, allow) in random.rules(count, length) {
            robots.push_str(if allow { "Allow: " } else { "Disallow: " });
            robots.push_str(&pattern);
            robots.push('\n');
        }
        for profile in [Profile::Full, Profile::Google, Profile::Koster] {
            let options = Options { profile, ..Options::default() };
            let tree = robomaton_grammar::scan(robots.as_bytes(), robots.len());
            let policy = lower(&tree, None, &options).unwrap();
            worst = worst.max(assert_sizes("random", &policy));
        }
    }
    println!("random sets: at most {worst:.2} bytes per byte of patterns");
}
