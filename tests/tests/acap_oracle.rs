//! The ACAP oracle on the documents' own files and examples, on each decision once, and on random
//! files.
//!
//! The verdicts of the first two parts were worked out by hand from the documents. If the oracle
//! fails one, read the decision before changing either.

use robomaton_tests::acap::examples::{OUTLINE, OVERVIEW};
use robomaton_tests::acap::scope::{self, Scope};
use robomaton_tests::acap::{self, Answer, Ask};
use robomaton_tests::acap_files::{Coverage, ORIGIN};
use robomaton_tests::generate::Random;
use robomaton_tests::{oracle, setting};

/// The minimum count of each kind in a thousand random answers.
const LEAST: [(&str, usize); 19] = [
    ("allowed", 300),
    ("disallowed", 250),
    ("conditional", 30),
    ("unknown", 30),
    ("silent", 200),
    ("incomplete", 60),
    ("undetermined", 15),
    ("equal", 80),
    ("derived", 8),
    ("beaten", 80),
    ("other", 15),
    ("overridden", 120),
    ("purpose", 80),
    ("referred", 20),
    ("joined", 35),
    ("dropped", 25),
    ("alone", 20),
    ("several lines", 80),
    ("several conditions", 10),
];

/// A query on one line: `agents usage[/purpose] target`, with the agents separated by commas.
fn put(robots: &str, question: &str) -> Answer {
    put_with(robots, &[], question)
}

fn put_with(robots: &str, others: &[(&str, &str)], question: &str) -> Answer {
    let [agents, usage, target] = question.split(' ').collect::<Vec<_>>()[..] else { panic!("{question}") };
    let (usage, purpose) = usage.split_once('/').map_or((usage, None), |(usage, rest)| (usage, Some(rest)));
    let agents: Vec<&str> = agents.split(',').collect();
    let target = target.as_bytes();
    let referred =
        |path: &str| others.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec());
    acap::answer(
        robots.as_bytes(),
        &referred,
        &Ask { agents: &agents, usage, purpose, target, origin: Some(ORIGIN) },
    )
}

/// Verdict, lines and conditions on one line.
fn told(answer: &Answer) -> String {
    let lines: Vec<String> = answer.lines.iter().map(u32::to_string).collect();
    let parts = [answer.verdict.to_owned(), lines.join(","), answer.conditions.join(" ")];
    let incomplete = if answer.incomplete { " incomplete" } else { "" };
    parts.join(" ").trim_end().to_owned() + incomplete
}

/// Each row is a query and its expected answer.
fn rows(robots: &str, rows: &[(&str, &str)]) {
    rows_with(robots, &[], rows);
}

fn rows_with(robots: &str, others: &[(&str, &str)], rows: &[(&str, &str)]) {
    for (question, expected) in rows {
        assert_eq!(told(&put_with(robots, others, question)), *expected, "{question} of\n{robots}");
    }
}

#[test]
fn outline_of_the_pilot() {
    rows(
        OUTLINE,
        &[
            ("any crawl /x", "allowed 13"),
            ("any crawl/news /x", "allowed 13"),
            ("any index /public/x", "allowed 14"),
            ("any index /PUBLIC", "allowed 14"),
            ("any index /x", "disallowed 15"),
            ("any preserve /public/x", "allowed 16"),
            ("any preserve /news/1", "conditional 17 time-limit=30-days"),
            ("any preserve /x", "disallowed 18"),
            // `*` is broader than `/` (5).
            ("any present /a.pdf", "disallowed 22"),
            ("any present /public/a.pdf", "allowed 20"),
            ("any present-snippet /public/x", "allowed 20"),
            ("any present-thumbnail /public/x", "disallowed 21"),
            ("any present-thumbnail /x", "disallowed 22"),
            ("any present /public/foo/1", "disallowed 23"),
            ("any present-thumbnail /public/bar", "disallowed 21,23"),
            ("any follow /public/x", "allowed"),
            ("any crawl /robots.txt", "allowed"),
            // Its own record has no effect without the other file.
            ("xyz index /x", "disallowed 15 incomplete"),
            ("xyz follow /x", "allowed incomplete"),
        ],
    );
    let other = "ACAP-crawler: xyz\nACAP-allow-(short-term-preserve): /x\nACAP-allow-index: /\n";
    rows_with(
        OUTLINE,
        &[("/xyz/robots.txt", other)],
        &[
            ("xyz index /x", "allowed 1000003"),
            ("xyz preserve /x", "conditional 1000002 time-limit=30-days"),
            ("xyz preserve /y", "disallowed 18"),
            ("any preserve /x", "disallowed 18"),
        ],
    );
}

#[test]
fn overview_of_1_0() {
    rows(
        OVERVIEW,
        &[
            ("other crawl /public/x", "disallowed 5,27"),
            ("other index /x", "allowed"),
            ("named-crawler crawl /public/x", "allowed 9,32"),
            ("named-crawler crawl /index.html", "allowed 8"),
            ("named-crawler crawl /else", "disallowed 27"),
            ("Named-Crawler/2.0 index /news/1", "allowed 32"),
            ("named-crawler present-thumbnail /promotion/", "allowed 32"),
            ("named-crawler preserve /news/1", "allowed"),
        ],
    );
    let both = put(OVERVIEW, "named-crawler crawl /index.html");
    assert_eq!((both.acap, both.conventional), (Some("disallowed"), Some("allowed")));
    let ignoring = OVERVIEW.replace("# ACAP-ignore", "ACAP-ignore");
    rows(
        &ignoring,
        &[("named-crawler crawl /index.html", "disallowed 27"), ("other crawl /x", "disallowed 27")],
    );
    let cached = OVERVIEW.replace("# ACAP-allow-(cache)", "ACAP-allow-(cache)");
    rows(&cached, &[("named-crawler preserve /news/1", "conditional 39 time-limit=until-recrawled")]);
}

#[test]
fn examples_of_the_documents() {
    let file = |lines: &str| format!("ACAP-crawler: *\n{lines}");
    let qualified = file("ACAP-allow-preserve: /news/ time-limit=until-recrawl\n");
    rows(&qualified, &[("a preserve /news/1", "conditional 2 time-limit=until-recrawled")]);
    let images = file(
        "ACAP-resource-set: images *.gif *.jpg *.png\n\
        ACAP-disallow-index: the-acap:resource-set:images\n",
    );
    rows(&images, &[("a index /x/Y.GIF", "disallowed 3"), ("a index /x.txt", "allowed")]);
    let default = file(
        "ACAP-qualified-usage: present-30-word-snippet present-snippet max-length=30-words\n\
        ACAP-composite-usage: my-default-present (present-30-word-snippet) present-thumbnail\n\
        ACAP-allow-(my-default-present): /public/\nACAP-disallow-present: /\n",
    );
    rows(
        &default,
        &[
            ("a present-snippet /public/x", "conditional 4 max-length=30-words"),
            ("a present-thumbnail /public/x", "allowed 4"),
            ("a present-link /public/x", "disallowed 5"),
        ],
    );
    let snippets = file("ACAP-allow-present-snippet: /public/\nACAP-disallow-present-thumbnail: /public/\n");
    rows(
        &snippets,
        &[("a present-snippet /public/", "allowed 2"), ("a present-thumbnail /public/", "disallowed 3")],
    );
    let purpose = "ACAP-crawler: a\nACAP-usage-purpose: http://news.search.*/\nACAP-disallow-index: /\n";
    rows(
        purpose,
        &[
            ("a index/http://news.search.example/ /x", "disallowed 3"),
            ("a index/http://www.search.example/ /x", "allowed"),
            ("a index /", "allowed"),
        ],
    );
    // The prohibition of a local usage that the pilot's text both uses and forbids (21);
    // (display-original) is undefined.
    let frame = file(
        "ACAP-composite-usage: display-in-frame (display-original) (display-copy-in-frame)\n\
        ACAP-qualified-usage: display-copy-in-frame present used-resource=stored-copy context=within-frame\n\
        ACAP-disallow-(display-in-frame): /\n",
    );
    rows(
        &frame,
        &[
            ("a present /", "disallowed 4"),
            ("a present-original /", "disallowed 4"),
            ("a index /", "allowed"),
        ],
    );
    // Composites may not nest (P42), nor is a local name a word without parentheses. Such a member
    // permits nothing, and its prohibition is one of all that it may mean (40).
    let nested = file(
        "ACAP-composite-usage: d (c) index\nACAP-composite-usage: c (d) crawl q\n\
        ACAP-qualified-usage: q follow x=1\nACAP-disallow-(d): /a\nACAP-allow-(d): /\n",
    );
    rows(
        &nested,
        &[
            ("a crawl /a", "disallowed 5"),
            ("a follow /a", "disallowed 5"),
            ("a index /a", "disallowed 5"),
            ("a preserve /a", "allowed"),
            ("a index /", "allowed 6"),
        ],
    );
}

#[test]
fn scopes() {
    let compare = |one: &str, other: &str| {
        let pattern = |text: &str| scope::pattern(text.as_bytes()).expect("a path");
        scope::compare(&pattern(one), &pattern(other))
    };
    for (one, other, expected) in [
        ("/a", "/", Scope::Narrower),
        ("/a$", "/a", Scope::Narrower),
        ("/a*", "/a$", Scope::Narrower),
        ("/a*", "/a", Scope::Narrower),
        ("/ab", "/a*", Scope::Narrower),
        ("*.pdf", "/", Scope::Broader),
        ("/a$b", "/a*", Scope::Narrower),
        ("/*a", "/*b", Scope::Undetermined),
        ("/a/*a", "/a/*b", Scope::Undetermined),
        ("/A%62", "/ab", Scope::Equal),
        ("/%2f", "/%2F", Scope::Equal),
        ("/%252F", "/%2F", Scope::Undetermined),
        ("/%2A", "/*", Scope::Narrower),
        ("a", "/a", Scope::Equal),
    ] {
        assert_eq!(compare(one, other), expected, "{one} and {other}");
    }
    let matches = |pattern: &str, target: &str| {
        let pattern = scope::pattern(pattern.as_bytes()).expect("a path");
        scope::matches(&pattern, &scope::target(target.as_bytes()))
    };
    assert!(matches("/%2a", "/*") && matches("/%2a", "/%2A") && !matches("/%2a", "/a"));
    assert!(matches("/a%24", "/a$") && !matches("/a$", "/ab") && matches("/a$b", "/A$Bc"));
    assert!(matches("/%c3%A9", "/\u{e9}") && matches("*service=Print", "/x?y&service=print"));
    assert!(!matches("/a/b", "/a%2fb") && matches("/a%2Fb", "/A%2fB") && !matches("/%252f", "/%2f"));
    assert!(matches("/%2541", "/%2541") && !matches("/%2541", "/a") && !matches("/%2541", "/%41"));
    for absolute in ["//", "//host/", "http://host/", "a+b.c-d://"] {
        assert_eq!(scope::pattern(absolute.as_bytes()), None);
    }
    assert!(scope::pattern(b"*://host").is_some() && scope::pattern(b"mailto:x").is_some());
}

#[test]
fn purposes() {
    for (pattern, asked, expected) in [
        ("*", None, true),
        ("*", Some("x"), true),
        ("**", None, false),
        ("news", Some("NEWS"), true),
        ("news", Some("newsletter"), false),
        ("news*", Some("newsletter"), true),
        ("news$", Some("news"), true),
        ("news$", Some("newsletter"), false),
        ("a$b", Some("a$b"), true),
        ("a$b", Some("a$bc"), false),
        ("http://s.*/", Some("http://S.x/y"), true),
        ("http://s", Some("http://service"), true),
        ("", Some(""), false),
        ("news", None, false),
    ] {
        assert_eq!(scope::is_purpose(pattern.as_bytes(), asked), expected, "{pattern} for {asked:?}");
    }
}

#[test]
fn conflicts() {
    let file = "ACAP-crawler: *\nACAP-allow-index: /*a x=1\nACAP-disallow-index: /*b\n\
        ACAP-allow-index: /c y=1 x=1\nACAP-allow-index: /%63 y=2\n";
    rows(
        file,
        &[
            ("a index /ab", "disallowed 3"), // 1
            ("a index /a", "conditional 2 x=1"),
            ("a index /cab", "conditional 4,5 x=1 y=1 y=2"), // 2, 20
            ("a index /d", "allowed"),
        ],
    );
    let file = "ACAP-crawler: *\nACAP-allow-present: /a/b\nACAP-disallow-present-snippet: /a\n\
        ACAP-disallow-present: /c\nACAP-allow-present-snippet: /c\nACAP-disallow-x: /\n\
        ACAP-allow-x: /\n";
    rows(
        file,
        &[
            ("a present-snippet /a/b", "allowed 2"), // 9: the narrower path first
            ("a present-snippet /c", "allowed 5"),
            ("a present /c", "disallowed 4"),
            ("a present-link /c", "disallowed 4"),
            ("a X /", "disallowed 6"), // 3, 18
            ("a y /", "allowed"),
        ],
    );
    let file = "ACAP-crawler: *\nACAP-disallow-other: /\nACAP-allow-other: /c\nACAP-allow-present: /a\n";
    rows(
        file,
        &[
            ("a present-link /a", "allowed 4"), // 10
            ("a present-link /b", "disallowed 2"),
            ("a ai-train /c", "allowed 3"),
            ("a other /", "disallowed 2"),
        ],
    );
}

#[test]
fn levels() {
    let file = "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-usage-purpose: news\nACAP-allow-index: /\n\
        ACAP-crawler: b\nACAP-disallow-index: /own\nACAP-allow-crawl: /\nACAP-usage-purpose: x*\n\
        ACAP-usage-purpose: news\nACAP-allow-index: /own/n\nACAP-usage-purpose: *\n\
        ACAP-disallow-crawl: /p\n";
    rows(
        file,
        &[
            ("a index /", "disallowed 2"),
            ("a index/news /", "allowed 4"),
            ("b index /", "disallowed 2"), // 11: none of its own fields match
            ("b index/news /", "allowed 4"),
            ("b index/news /own", "disallowed 6"),
            ("b index/news /own/n", "allowed 10"), // 12
            ("b index/xy /own/n", "allowed 10"),
            ("b index /own/n", "disallowed 6"),
            ("b crawl /p", "disallowed 12"),
            ("b crawl /q", "allowed 7"),
        ],
    );
    // 16 and 17: lines without effect do not separate crawler lines; a field or a User-agent line
    // does.
    let joined = "ACAP-crawler: a\n\n# c\nFoo: x\nDisallow: /\nACAP-crawler: *\nACAP-disallow-index: /\n\
        ACAP-crawler: b\nUser-agent: x\nACAP-crawler: c\nACAP-allow-index: /\nACAP-crawler: *\n\
        ACAP-allow-index: /y\n";
    rows(
        joined,
        &[
            ("a index /y", "disallowed 7"),
            ("b index /y", "allowed 13"),
            ("b index /", "disallowed 7"),
            ("c index /", "allowed 11"),
            ("d index /z", "disallowed 7"),
        ],
    );
    // One name for both kinds of records.
    let names =
        "User-agent: b\nDisallow: /\n\nUser-agent: *\nAllow: /\n\nACAP-crawler: c\nACAP-allow-index: /\n";
    rows(
        names,
        &[
            ("b,c crawl /", "disallowed 2"),
            ("c,b crawl /", "allowed 5"),
            ("x,b crawl /", "disallowed 2"),
            ("x crawl /", "allowed 5"),
        ],
    );
}

#[test]
fn beside_conventional_records() {
    let file = "User-agent: *\nDisallow: /a\nDisallow: /n/*b\nAllow: /n\nNoindex: /i\nDisallow: /d\n\
        Allow: /D\n\
        ACAP-crawler: *\nACAP-allow-crawl: /A\nACAP-disallow-crawl: /n\nACAP-allow-index: /i/x\n\
        Disallow: /loose\n\
        User-agent: *\nDisallow: /late\nACAP-allow-crawl: /late/x\n";
    rows(
        file,
        &[
            ("a crawl /a", "allowed 9"), // 14: the same pattern, ACAP's field counts
            ("a crawl /n/b", "disallowed 3,10"),
            ("a crawl /n", "disallowed 10"), // the Allow is dropped
            ("a index /i", "disallowed 5"),
            ("a index /i/x", "allowed 11"),
            ("a crawl /d", "disallowed 6"),
            ("a crawl /loose", "allowed"), // 15, V53
            ("a crawl /late", "disallowed 14"),
            ("a crawl /late/x", "allowed 15"), // the ACAP record continues
            ("a follow /a", "allowed"),
            ("a crawl /robots.txt", "allowed"),
        ],
    );
    rows(&format!("##acap Version = 0.2\n{file}"), &[("a crawl /loose", "disallowed 13")]);
    let both = put(file, "a crawl /a");
    assert_eq!((both.acap, both.conventional), (Some("allowed"), Some("disallowed")));
    // 14: the field drops the Allow alone, and the Disallow with the same pattern counts beside it.
    let file = "User-agent: *\nDisallow: /a\nAllow: /a\nACAP-crawler: *\nACAP-disallow-crawl: /a\n\
        ACAP-disallow-other: /\n";
    rows(file, &[("a crawl /a", "disallowed 2,5"), ("a crawl /b", "disallowed 6")]);
    // Without ACAP records, its other lines have no effect.
    let file = "User-agent: *\nACAP-disallow-crawl: /\nDisallow: /x\nACAP-ignore-conventional-records\n";
    rows(file, &[("a crawl /x", "disallowed 3"), ("a crawl /", "allowed"), ("a index /", "unknown")]);
}

#[test]
fn definitions_and_references() {
    // 24: two passes, the first usage of a name, the union of sets, no effect if undefined.
    let file = "ACAP-crawler: *\nACAP-allow-(q): /a z=1\nACAP-disallow-(c): acap:resource-set:S\n\
        ACAP-allow-(no): /\n\
        ACAP-disallow-index: acap:resource-set:no\nACAP-qualified-usage: Q index x=1\n\
        ACAP-qualified-usage: q crawl\n\
        ACAP-composite-usage: c (q) (c) (no) follow\nACAP-resource-set: s /s\n\
        ACAP-resource-set: s /t //u\n\
        ACAP-composite-usage: q crawl\nACAP-disallow-(q): /a/b k=1\n";
    rows(
        file,
        &[
            ("a index /a", "conditional 2 x=1 z=1"),
            ("a index /a/b", "disallowed 12"),
            ("a index /t", "disallowed 3"),
            ("a follow /S", "disallowed 3"),
            ("a crawl /a/b", "allowed"),
            ("a index //u", "allowed"),
        ],
    );
    // 23: for the crawlers of the referring record, at its level, without fields for others.
    let file = "ACAP-crawler: a\nACAP-crawler: b\nACAP-permissions-reference: https://EXAMPLE.com/r\n\
        ACAP-crawler: *\nACAP-disallow-index: /\nACAP-qualified-usage: q follow k=1\n\
        ACAP-permissions-reference: //x/r\n";
    let other = "ACAP-allow-index: /\nUser-agent: *\nDisallow: /\nACAP-crawler: c\nACAP-disallow-crawl: /\n\
        ACAP-crawler: b\nACAP-allow-index: /b\nACAP-allow-(q): /\n\
        ACAP-permissions-reference: /more\n\
        ACAP-crawler: *\nACAP-usage-purpose: *\nACAP-disallow-preserve: /\n";
    rows_with(
        file,
        &[("/r", other)],
        &[
            ("b index /b", "allowed 1000007 incomplete"),
            ("a index /b", "disallowed 5 incomplete"),
            ("b follow /", "conditional 1000008 k=1 incomplete"),
            ("a preserve /", "disallowed 1000012 incomplete"),
            // 35: the conventional group of the referred file is for these crawlers, too.
            ("a crawl /", "disallowed 1000003 incomplete"), // the second reference cannot be followed
            ("c crawl /", "allowed incomplete"),
            ("c preserve /", "allowed incomplete"),
        ],
    );
    rows(file, &[("a index /b", "disallowed 5 incomplete")]);
    let own = "ACAP-crawler: *\nACAP-permissions-reference: /r\nACAP-crawler: a\nACAP-allow-index: /\n";
    rows(
        own,
        &[
            // The missing file might name the crawler.
            ("a index /", "allowed 4 incomplete"),
            ("a crawl /", "allowed incomplete"),
            ("b index /", "allowed incomplete"),
        ],
    );
}

#[test]
fn scope_is_an_order() {
    let mut random = Random::new(3);
    let mut undetermined = 0;
    for _ in 0..setting("ROBOMATON_CASES", 20_000) {
        let [a, b, c] = [(); 3].map(|()| {
            let text = random.pattern(4);
            scope::pattern(text.as_bytes()).unwrap_or_default()
        });
        let below =
            |one: &[scope::Symbol], other: &[scope::Symbol]| scope::compare(one, other) == Scope::Narrower;
        assert!(!(below(&a, &b) && below(&b, &a)));
        assert!(!(below(&a, &b) && below(&b, &c)) || below(&a, &c), "{a:?} {b:?} {c:?}");
        // 1: of two patterns that match one target, only those that share a star can be
        // undetermined.
        let target = scope::target(random.query("/*a*b").as_bytes());
        if scope::compare(&a, &b) == Scope::Undetermined
            && [&a, &b].iter().all(|p| scope::matches(p, &target))
        {
            let shared = a.iter().zip(&b).take_while(|(one, other)| one == other);
            assert!(shared.into_iter().any(|(symbol, _)| *symbol == scope::Symbol::Star), "{a:?} {b:?}");
            undetermined += 1;
        }
    }
    assert!(undetermined > 0);
}

#[test]
fn without_acap_as_the_other_oracle() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 5));
    for _ in 0..setting("ROBOMATON_CASES", 2_000) {
        let file = random.file();
        for query in random.queries(&file, 8) {
            let agents = [random.pick(&robomaton_tests::generate::ASKED), "b"];
            let (target, origin) = (query.as_bytes(), Some(ORIGIN));
            let ask = Ask { agents: &agents, usage: "crawl", purpose: None, target, origin };
            let answer = acap::answer(&file, &|_| None, &ask);
            let (allowed, line) = oracle::verdict(&file, &agents, target, origin);
            let found = (answer.verdict == "allowed", answer.lines.first().copied());
            assert_eq!(found, (allowed, line), "{query} of\n{}", String::from_utf8_lossy(&file));
        }
    }
}

#[test]
fn random_files_are_interesting() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 7));
    let mut coverage = Coverage::default();
    for _ in 0..setting("ROBOMATON_CASES", 3_000) {
        let file = random.acap_file();
        for question in random.acap_questions(&file, 16) {
            let referred = |path: &str| file.referred(path);
            let (answer, story) = acap::explain(file.robots.as_bytes(), &referred, &question.ask());
            coverage.see(&answer, &story);
            let context = || format!("{question:?} {answer:?} {story:?} of\n{}", file.robots);
            assert!(answer.lines.is_sorted() && answer.conditions.is_sorted(), "{}", context());
            assert_eq!(answer.verdict == "conditional", !answer.conditions.is_empty(), "{}", context());
            assert!(answer.verdict != "unknown" || !story.acap, "{}", context());
            // Comments have no effect, wherever they are.
            let spaced = file.robots.replace('\n', "\n# x\n");
            let mut other = acap::answer(spaced.as_bytes(), &referred, &question.ask());
            other
                .lines
                .iter_mut()
                .filter(|line| **line < 1_000_000)
                .for_each(|line| *line = line.div_ceil(2));
            assert_eq!(answer, other, "{}", context());
        }
    }
    for (kind, least) in LEAST {
        let share = coverage.per_mille(kind);
        assert!(share >= least, "{kind}: {share} of a thousand, at least {least} wanted\n{coverage:#?}");
    }
}
