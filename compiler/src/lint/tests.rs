//! Findings about small texts and hostile ones; LINTS.md has an example of each code, which the
//! command's tests check.

mod acap;
mod preferences;

use super::*;
use crate::policy::Sense;
use crate::trace::{Fate, TraceQuery, trace};
use robomaton_formats::Decision;
use robomaton_grammar::{DEFAULT_LIMIT, scan};

fn report(text: &[u8], profile: Profile) -> Report {
    let tree = scan(text, DEFAULT_LIMIT);
    let origin = Some("a.example");
    lint(
        &tree,
        &CompileContext { origin, ..CompileContext::default() },
        &Options { profile, ..Options::default() },
    )
}

/// The names of the codes, each with the line of its finding.
fn said_by(profile: Profile, text: &str) -> Vec<(&'static str, usize)> {
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let report = report(text.as_bytes(), profile);
    report.findings.iter().map(|finding| (finding.code.name(), line(finding.span.start))).collect()
}

fn said(text: &str) -> Vec<(&'static str, usize)> {
    said_by(Profile::Full, text)
}

#[test]
fn names_are_unlike_those_of_the_grammar() {
    let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    names.extend(robomaton_grammar::Code::ALL.map(|code| code.name()));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn rules_that_never_decide() {
    let group = |rules: &str| said(&format!("User-agent: *\n{}\n", rules.replace(", ", "\n")));
    assert_eq!(group("Disallow: /a, Allow: /a"), [("superseded-rule", 2)]);
    assert_eq!(group("Disallow: /a, Disallow: /%61"), [("duplicate-rule", 3)]);
    assert_eq!(group("Disallow: /, Allow: /*"), [("unreachable-rule", 2)]);
    assert_eq!(
        group("Disallow: /, Allow: /*, ACAP-crawler: *, ACAP-disallow-crawl: /*"),
        [("acap-contradicted-rule", 3)]
    );
    assert_eq!(group("Disallow: /a*, Allow: /a"), [("unreachable-rule", 3)]);
    assert_eq!(group("Disallow: *, Allow: /"), [("unreachable-rule", 2)]);
    assert_eq!(group("Disallow: /*b, Allow: /*a/b*"), [("redundant-star", 3)]);
    assert_eq!(group("Disallow: /a, Allow: /a/b, Disallow: /a/b/c"), []);
    assert_eq!(group("Disallow: /search/, Disallow: /search*"), [("redundant-star", 3)]);
    assert_eq!(group("Disallow: /$*"), []);
    assert_eq!(group("Disallow: /$*$"), []);
    assert_eq!(said_by(Profile::Google, "user-agent: a\nallow: /d/index.html\ndisallow: /d/\n"), []);
}

#[test]
fn permissions_without_use() {
    let group = |rules: &str| said(&format!("User-agent: *\n{}\n", rules.replace(", ", "\n")));
    assert_eq!(group("Allow: /"), []);
    assert_eq!(group("Allow: /x"), [("redundant-allow", 2)]);
    assert_eq!(group("Allow: /, Disallow: /x"), [("redundant-allow", 2)]);
    assert_eq!(group("Allow: /x, Disallow: /x/y"), [("redundant-allow", 2)]);
    assert_eq!(group("Allow: /x/y, Disallow: /x"), []);
    assert_eq!(group("Allow: /*.css, Disallow: /x"), []);
    assert_eq!(group("Allow: /x/*.css, Disallow: /y"), [("redundant-allow", 2)]);
    assert_eq!(group("Allow: /%24, Disallow: /$a"), []);
    // Another group of the same crawler counts, and so does a shared group.
    let shared = "User-agent: a\nUser-agent: b\nAllow: /x/y\n\nUser-agent: B\nDisallow: /x\n";
    assert_eq!(said(shared), []);
    assert_eq!(said(&shared.replace("B\n", "c\n")), [("redundant-allow", 3)]);
}

#[test]
fn groups_that_were_meant_to_be_two() {
    let with = |between: &str| said(&format!("User-agent: a\n{between}User-agent: *\nDisallow: /\n"));
    let merged = [("merged-groups", 1)];
    assert_eq!(with("\n"), merged);
    assert_eq!(with("Crawl-delay: 5\n"), merged);
    assert_eq!(with("\nSitemap: https://a.example/s\n\n"), merged);
    assert_eq!(with(""), []);
    assert_eq!(with("# b\n"), []);
    assert_eq!(with("Disallow:\n"), []);
    assert_eq!(with("\nUser-agent: b\n\n"), [("merged-groups", 1), ("merged-groups", 3)]);
    // No crawler is affected.
    assert_eq!(said("User-agent: a\n\nUser-agent: *\nAllow: /\n"), []);
    assert_eq!(said("User-agent: *\n\nUser-agent: *\nDisallow: /\n"), []);
    // Blank lines throughout the file; and a group that ends with the file.
    assert_eq!(said("User-agent: a\n\nUser-agent: b\n\nDisallow: /\n"), []);
    assert_eq!(said("User-agent: a\n\nUser-agent: b"), []);
    let text = "User-agent: a\n\nUser-agent: *\nDisallow: /\n";
    assert_eq!(said_by(Profile::Google, text), merged);
    assert_eq!(said_by(Profile::Koster, text), []);
}

#[test]
fn misspelt_crawlers() {
    let group = |agents: &str| {
        said(&format!("User-agent: {}\nDisallow: /a\n", agents.replace(", ", "\nUser-agent: ")))
    };
    assert_eq!(group("Googelbot/2.1, ClaudBot"), [("misspelled-agent", 1), ("misspelled-agent", 2)]);
    assert_eq!(group("Googelbot, Bingbot, googlebot"), []);
    assert_eq!(group("Googlebot-News, pingbot, *"), []);
    let text = "User-agent: Googelbot\nDisallow: /\n";
    let report = report(text.as_bytes(), Profile::Full);
    assert_eq!(
        report.findings[0].message,
        "no well-known crawler is called `Googelbot`; did you mean `Googlebot`?"
    );
}

#[test]
fn stars_and_anchors_in_vain() {
    let group = |rules: &str| said(&format!("User-agent: *\n{}\n", rules.replace(", ", "\n")));
    let star = [("redundant-star", 2)];
    for rule in ["/*?*", "/a*", "/*", "/a*$", "/a**b", "*/a/*", "a*"] {
        let found = group(&format!("Disallow: {rule}"));
        assert_eq!(found.iter().filter(|said| star.contains(said)).count(), 1, "{rule}: {found:?}");
    }
    for rule in ["/", "*", "/*?", "/a%2A", "/*/a", "/a*b$"] {
        assert_eq!(group(&format!("Disallow: {rule}")), [], "{rule}");
    }
    // With its star, the rule wins over another.
    assert_eq!(group("Disallow: /a/*, Allow: /*/b"), []);
    assert_eq!(group("Disallow: /a/b/*, Allow: /*/b"), [("redundant-star", 2)]);
    assert_eq!(said_by(Profile::Koster, "User-agent: *\nDisallow: /a*\n"), []);
    assert_eq!(said("User-agent: *\nRobot-version: 2.0.0\nDisallow: /a/*\n"), [("default-set-version", 2)]);
    for (rule, is_said) in [
        ("/*.pdf$/", true),
        ("/*.php$*", true),
        ("/*.gif$ # x", false),
        ("/*.gif$ /b", true),
        ("/$metadata", false),
        ("/a$b", false),
        ("/a$", false),
        ("/price/$*", false),
    ] {
        let found = group(&format!("Disallow: {rule}"));
        assert_eq!(found.contains(&("misplaced-anchor", 2)), is_said, "{rule}: {found:?}");
    }
}

#[test]
fn an_empty_disallow_takes_nothing_back() {
    let said_of = |text: &str| said(&text.replace(", ", "\n"));
    let taken_back = [("contradictory-disallow", 3)];
    assert_eq!(said_of("User-agent: *, Disallow: /, Disallow:, "), taken_back);
    assert_eq!(said_of("User-agent: *, Disallow: /a, Disallow:, "), []);
    assert_eq!(said_of("User-agent: a, Disallow: /, User-agent: b, Disallow:, "), []);
    let found = said_of("User-agent: a, Disallow: /, User-agent: A, Disallow:, ");
    assert_eq!(found, [("contradictory-disallow", 4)]);
    assert_eq!(said_of("User-agent: *, Noindex: /a, Disallow: /b, "), [("unread-noindex", 2)]);
}

#[test]
fn a_blank_line_ends_a_record_of_the_draft() {
    let behind = |line| ("rule-behind-blank-line", line);
    let text =
        "User-agent: a\nDisallow: /b\n\nDisallow: /c\n\nAllow: /d\n\nUser-agent: *\n# e\nDisallow: /e\n";
    assert_eq!(said_by(Profile::Koster, text), [behind(4), behind(6)]);
    assert_eq!(said(text), [("redundant-allow", 6)]);
    assert_eq!(said_by(Profile::Koster, "User-agent: a\n \nDisallow: /b\nDisallow:\n"), [behind(3)]);
    // The grammar reports this one.
    assert_eq!(said_by(Profile::Koster, "Disallow: /b\n\nUser-agent: a\nDisallow: /c\n"), []);
}

#[test]
fn the_draft_takes_the_first_match() {
    let text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nAllow: /c/d\nDisallow: /c\nDisallow: /%61/c\n";
    assert_eq!(said_by(Profile::Koster, text), [("unreachable-rule", 3), ("unreachable-rule", 6)]);
    assert_eq!(said(text), []);
    let text = "User-agent: *\nDisallow: /robots.txt\n";
    assert_eq!(said_by(Profile::Koster, text), [("rule-for-robots-txt", 2)]);
    assert_eq!(said_by(Profile::Google, text), []);
}

#[test]
fn rule_sets_of_version_two() {
    let text = "User-agent: a\nDisallow: /\nUser-agent: a\nRobot-version: 2.0.0\nAllow: /x.html\nUser-agent: *\nDisallow: /\n";
    assert_eq!(said(text), []);
    assert_eq!(said_by(Profile::Rfc9309, &text.replace(".html", "/")), []);
    let set = |rules: &str| said(&format!("User-agent: a\n{}\n", rules.replace(", ", "\n")));
    assert_eq!(set("Robot-version: 2.0.0, Disallow: /a/, Allow: /a/*"), [("explicit-directory", 3)]);
    assert_eq!(set("Robot-version: 2.0.0, Disallow: /a*, Allow: /a/*"), [("unreachable-rule", 4)]);
    assert_eq!(set("Robot-version: 2.0.0, Disallow: /a*, Allow: /a/b"), []);
    assert_eq!(set("Disallow: /a, Robot-version: 2.0.0"), [("robot-version-misplaced", 3)]);
    assert_eq!(set("Robot-version: 2, Disallow: /a"), [("bad-robot-version", 2)]);
    assert_eq!(set("Robot-version: 3.0.0, Disallow: /a*"), [("robot-version-unknown", 2)]);
    let twice = "User-agent: a\nRobot-version: 2.0.0\nDisallow: /a*\n";
    assert_eq!(said(&twice.repeat(2)), [("rule-set-without-answer", 5)]);
}

#[test]
fn fields_that_never_win() {
    let record = |fields: &str| said(&format!("ACAP-crawler: *\n{}\n", fields.replace(", ", "\n")));
    let pair = |permission: &str, prohibition: &str| {
        record(&format!("ACAP-allow-index: {permission}, ACAP-disallow-index: {prohibition}"))
    };
    assert_eq!(pair("*.pdf", "/"), [("acap-never-wins", 2)]);
    assert_eq!(pair("/", "*.pdf"), [("acap-never-wins", 3)]);
    assert_eq!(pair("/a", "/a*"), [("acap-never-wins", 2)]);
    assert_eq!(pair("/*a/b", "/*b"), [("acap-never-wins", 2)]);
    assert_eq!(pair("/foo$", "/foo*"), [("acap-anchor-loses", 2)]);
    assert_eq!(pair("/foo*", "/foo$"), [("acap-anchor-loses", 3)]);
    assert_eq!(pair("/Foo", "/fo%6F"), [("acap-equal-patterns", 2)]);
    assert_eq!(pair("/*a", "/*b"), [("acap-undetermined-pair", 2)]);
    assert_eq!(pair("/*a$", "/*b$"), []);
    assert_eq!(pair("/*a$", "/*ba$"), [("acap-undetermined-pair", 2)]);
    assert_eq!(pair("/a", "/b"), []);
    assert_eq!(pair("/a/b", "/a"), []);
    assert_eq!(pair("*.pdf, ACAP-crawler: x", "/"), []);
    assert_eq!(pair("*.pdf, ACAP-usage-purpose: x", "/"), []);
}

#[test]
fn special_usages_meet_the_general_one() {
    let record = |fields: &str| said(&format!("ACAP-crawler: *\n{}\n", fields.replace(", ", "\n")));
    assert_eq!(record("ACAP-allow-present: /, ACAP-disallow-present-link: /"), []);
    assert_eq!(record("ACAP-allow-present-link: *.a, ACAP-disallow-present: /"), [("acap-never-wins", 2)]);
    assert_eq!(record("ACAP-allow-present: *.a, ACAP-disallow-present-link: /"), []);
    assert_eq!(record("ACAP-allow-present: /, ACAP-disallow-present-link: *.a"), [("acap-never-wins", 3)]);
    assert_eq!(record("ACAP-allow-present-link: /, ACAP-disallow-present: *.a"), []);
}

#[test]
fn local_names() {
    let text = "ACAP-qualified-usage: q index time-limit=3-days\nACAP-composite-usage: c (q) crawl\n\
                ACAP-resource-set: s /a *.b\nACAP-crawler: *\nACAP-allow-(c): the-acap:resource-set:s\n";
    assert_eq!(said(text), []);
    assert_eq!(
        said(&text.replace("(c)", "(d)").replace(":s\n", ":t\n")),
        [
            ("acap-unused-definition", 2),
            ("acap-unused-definition", 3),
            ("acap-undefined-usage", 5),
            ("acap-undefined-set", 5)
        ]
    );
    assert_eq!(
        said(&text.replace("(q)", "(c)")),
        [("acap-unused-definition", 1), ("acap-composite-member", 2)]
    );
    assert_eq!(said(&text.replace("index", "crawl")), [("acap-misplaced-qualifier", 1)]);
    let twice = "ACAP-composite-usage: q crawl\nACAP-qualified-usage: Q index time-limit=3-days\n\
                 ACAP-crawler: *\nACAP-allow-(q): /\n";
    assert_eq!(said(twice), [("acap-repeated-usage", 2)]);
    // Referenced files may use the definitions of this text.
    let referring =
        text.replace("ACAP-allow-(c): the-acap:resource-set:s", "ACAP-permissions-reference: /x.txt");
    assert_eq!(said(&referring), [("acap-reference-missing", 5)]);
    let tree = scan(referring.as_bytes(), DEFAULT_LIMIT);
    let files = [("/x.txt", &b"ACAP-crawler: *\nACAP-allow-(c): /\n"[..])];
    let context = CompileContext { files: &files, ..CompileContext::default() };
    assert_eq!(lint(&tree, &context, &Options::default()).findings, []);
    let own = referring.replace(" /x.txt", " https://a.example/x.txt");
    assert_eq!(said(&own), [("acap-reference-missing", 5)]);
    assert_eq!(said(&own.replace("a.example", "b.example")), [("acap-reference-elsewhere", 5)]);
}

#[test]
fn records_that_merge() {
    let text = "ACAP-crawler: a\n# a\n\nACAP-crawler: b\nACAP-disallow-crawl: /\n";
    assert_eq!(said(text), [("acap-merged-records", 4)]);
    assert_eq!(said(&text.replace("# a\n\n", "")), []);
    assert_eq!(said(&text.replace("# a", "User-agent: c")), []);
    assert_eq!(said(&text.replace("# a", "ACAP-allow-crawl:")), []);
    let unnamed = "ACAP-allow-crawl: /\nACAP-crawler:\nACAP-allow-crawl: /\n";
    assert_eq!(said(unnamed), [("acap-field-outside-record", 1)]);
    // An escape is one symbol in the specificity order, but three bytes in coverage.
    let pair = "ACAP-crawler: *\nACAP-allow-index: /%2F%25/a$\nACAP-disallow-index: /%2f%25/a*\n";
    assert_eq!(said(pair), [("acap-anchor-loses", 2)]);
}

#[test]
fn visit_times() {
    let group = |lines: &str| said(&format!("User-agent: a\n{}\n", lines.replace(", ", "\n")));
    assert_eq!(group("Visit-time: 0600-0845, Visit-time: 1200-1300"), [("visit-time-repeated", 3)]);
    assert_eq!(group("Visit-time: 0600-0845, Disallow: /, User-agent: b, Visit-time: 1200-1300"), []);
    assert_eq!(group("Visit-time: never, Visit-time: 1200-1300"), [("bad-visit-time", 2)]);
}

#[test]
fn texts_that_are_none() {
    let code = |text: &[u8]| report(text, Profile::Full).findings.first().map(|finding| finding.code);
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    assert_eq!(code(&utf16("\u{feff}User-agent: *\nDisallow: /")), Some(Code::Utf16));
    assert_eq!(code(&utf16("User-agent: *\nDisallow: /")), Some(Code::Utf16));
    assert_eq!(code(b"\xef\xbb\xbf\n <!DOCTYPE html>\n<p>"), Some(Code::Html));
    assert_eq!(code(b"<p>\nUser-agent: *\nDisallow: /"), None);
    assert_eq!(code(b"\0"), None);
}

#[test]
fn work_is_bounded() {
    let started = std::time::Instant::now();
    let rules = |sense: &str, count: usize| -> String {
        (0..count).map(|number| format!("{sense}: /*a*{number}*c\n")).collect()
    };
    let text = format!("User-agent: *\n{}{}", rules("Allow", 1300), rules("Disallow", 1300));
    let record =
        format!("ACAP-crawler: *\n{}{}", rules("ACAP-allow-crawl", 1300), rules("ACAP-disallow-crawl", 1300));
    for text in [text, record] {
        let report = report(text.as_bytes(), Profile::Full);
        assert_eq!(report.over, None);
        assert!(report.findings.iter().any(|finding| finding.code == Code::UncheckedPairs));
    }
    let names: String = (0..30_000).map(|number| format!("User-agent: googleb{number}\n\n")).collect();
    report(format!("{names}User-agent: *\nDisallow: /\n").as_bytes(), Profile::Full);
    let misspelt = format!("User-agent: {}\n", "Googlebott\nUser-agent: Gogglebot".repeat(10_000));
    report(format!("{misspelt}Disallow: /\n").as_bytes(), Profile::Full);
    let stars = |count: usize| format!("Disallow: /{}\n", "*".repeat(count));
    report(format!("User-agent: *\n{}{}", stars(8000), stars(1).repeat(20_000)).as_bytes(), Profile::Full);
    let heads: String = (0..20_000)
        .map(|number| format!("Allow: /{}\nDisallow: /{number}\n", "a".repeat(number % 40)))
        .collect();
    report(format!("User-agent: *\n{heads}").as_bytes(), Profile::Full);
    report(format!("User-agent: *\n{heads}").as_bytes(), Profile::Koster);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// A deterministic sequence of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    fn pattern(&mut self) -> String {
        let parts =
            (0..self.below(4)).map(|_| self.of(&["a", "b", "*", "/", "%2F", "%24"])).collect::<String>();
        format!("{}{parts}{}", self.of(&["/", "/", "*"]), self.of(&["", "", "", "$"]))
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(3) {
            let acap = self.below(3) == 0;
            let agent = self.of(&["x", "y", "*"]);
            let head = if acap { "ACAP-crawler" } else { "User-agent" };
            text += &format!("{head}: {agent}\n");
            if !acap {
                text += self.of(&["", "", "Robot-version: 2.0.0\n"]);
            }
            for _ in 0..1 + self.below(4) {
                let usage = self.of(&["index", "index", "present", "present-link", "crawl"]);
                let key = match (acap, self.below(2)) {
                    (true, 0) => format!("ACAP-allow-{usage}"),
                    (true, _) => format!("ACAP-disallow-{usage}"),
                    (false, 0) => "Allow".to_owned(),
                    (false, _) => "Disallow".to_owned(),
                };
                text += &format!("{key}: {}\n", self.pattern());
            }
        }
        text
    }
}

#[test]
fn what_is_said_of_rules_is_so() {
    let mut random = Random(7);
    let targets: Vec<String> = (0..4u32.pow(4))
        .map(|number| {
            (0..4).map(|digit| ["a", "b", "/", "$"][number as usize / 4usize.pow(digit) % 4]).collect()
        })
        .flat_map(|text: String| {
            (0..=4).map(move |length| format!("/{}", &text[..length])).collect::<Vec<_>>()
        })
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for number in 0..6000 {
        let profile = [Profile::Full, Profile::Full, Profile::Koster, Profile::Google][number % 4];
        let options = Options { profile, ..Options::default() };
        let text = random.text();
        let tree = scan(text.as_bytes(), DEFAULT_LIMIT);
        let policy = crate::lower(&tree, None, &options).unwrap();
        for finding in lint(&tree, &CompileContext::default(), &options).findings {
            let line = text[..finding.span.start as usize].matches('\n').count() as u32 + 1;
            let code = finding.code;
            let fields = [Code::AcapNeverWins, Code::AcapAnchorLoses, Code::AcapEqualPatterns];
            let without = tree.lines[line as usize - 1].key.end as usize + 1;
            let rest = text[without..].find('\n').unwrap();
            let without = match code {
                Code::RedundantStar => {
                    let (start, end) = (finding.span.start as usize, finding.span.end as usize);
                    let star = if text[start..end].starts_with("**") { "*" } else { "" };
                    format!("{}{star}{}", &text[..start], &text[end..])
                }
                _ => format!("{}{}", &text[..without], &text[without + rest..]),
            };
            let tree_without = scan(without.as_bytes(), DEFAULT_LIMIT);
            let policy_without = crate::lower(&tree_without, None, &options).unwrap();
            let own =
                [Code::SupersededRule, Code::UnreachableRule, Code::RedundantAllow, Code::RedundantStar];
            if !own.contains(&code) && !fields.contains(&code) {
                continue;
            }
            *seen.entry(code.name()).or_default() += 1;
            for (agent, usage) in ["x", "y", "z"]
                .into_iter()
                .flat_map(|agent| ["crawl", "index", "present", "present-link"].map(|usage| (agent, usage)))
            {
                for target in targets.iter().step_by(1 + number % 3) {
                    let agents = [agent];
                    let asked = TraceQuery { usage, ..TraceQuery::crawl(&agents, target.as_bytes()) };
                    let answer = trace(&policy, &asked);
                    let what = || format!("{text}\n{}: line {line}, {agent} {usage} {target}", code.name());
                    if matches!(code, Code::RedundantAllow | Code::RedundantStar) {
                        assert_eq!(answer.decision, trace(&policy_without, &asked).decision, "{}", what());
                        continue;
                    }
                    let live = |fate| fate == Fate::Decides || fate == Fate::Beaten;
                    let own = answer.matches.iter().find(|found| policy.rules[found.rule].line == line);
                    let Some(own) = own.filter(|own| live(own.fate)) else { continue };
                    let sense = policy.rules[own.rule].sense;
                    if fields.contains(&code) && sense == Sense::Permit {
                        let permits = |found: &&crate::trace::Match| {
                            live(found.fate) && policy.rules[found.rule].sense == Sense::Permit
                        };
                        let alone = answer.matches.iter().filter(permits).count() == 1;
                        assert!(!alone || answer.decision == Decision::Disallowed, "{}", what());
                    } else {
                        assert_ne!(own.fate, Fate::Decides, "{}", what());
                    }
                }
            }
        }
    }
    assert!(seen.values().filter(|&&count| count > 10).count() >= 6, "{seen:?}");
    assert!(seen["redundant-star"] > 100, "{seen:?}");
}

#[test]
fn nothing_is_too_odd() {
    let mut random = Random(3);
    let words = [
        "User-agent",
        "Allow",
        "Disallow",
        "Robot-version",
        "ACAP-crawler",
        "ACAP-usage-purpose",
        "ACAP-allow-(a)",
        "ACAP-disallow-present-x",
        "ACAP-resource-set",
        "ACAP-qualified-usage",
        "ACAP-composite-usage",
        "Sitemap",
        "Content-Usage",
        "Content-Signal",
        "Content-Signals",
        "License",
        "DisallowAITraining",
        "tdm-policy",
        "train-ai=n",
        "ai-train=no",
        ",",
        ";",
        "ACAP-permissions-reference",
        "##ACAP version=0.2",
        "ACAP-ignore-conventional-records",
        ":",
        ":",
        ":",
        "\n",
        "\n",
        "\r",
        " ",
        " ",
        "*",
        "$",
        "/",
        "/a",
        "%2A",
        "%",
        "a",
        "(a)",
        "present",
        "index",
        "time-limit=3-days",
        "prohibited-modification=any",
        "the-acap:resource-set:a",
        "//x",
        "http://a.example/x",
        "2.0.0",
        "1.1.1",
        "\0",
        "\u{e9}",
        "#",
        "<p>",
    ];
    let pages = [crate::Page { target: "/a".to_owned(), ..crate::Page::default() }];
    for number in 0..4000 {
        let text: String = (0..random.below(60)).map(|_| random.of(&words)).collect();
        let bytes = &text.as_bytes()[..text.len() - usize::from(number % 7 == 0 && !text.is_empty())];
        let tree = scan(bytes, DEFAULT_LIMIT);
        let profile = Profile::ALL[number % 4];
        let files: &[(&str, &[u8])] = &[("/a", b"ACAP-crawler: *\n")];
        let context = CompileContext { files, pages: &pages, ..CompileContext::default() };
        let report = lint(&tree, &context, &Options { profile, ..Options::default() });
        for finding in report.findings {
            let spans = [Some(finding.span), finding.second.map(|(span, _)| span)];
            assert!(
                spans
                    .into_iter()
                    .flatten()
                    .all(|span| span.start <= span.end && span.end as usize <= bytes.len())
            );
            assert!(finding.message.len() < 300 && !finding.message.ends_with('.'), "{}", finding.message);
        }
    }
}
