//! The ACAP fields of a file: the documents' own examples, and variations of them.
//!
//! Expected values are written by hand, production by production. The same lines, cut short,
//! repeated and scrambled, test for panics and for the growth of time and stack. `meta` has its own
//! file.

use proptest::prelude::*;
use robomaton_grammar::acap::{Action, Field, Problem, Qualifier, Resource, UsageName, fields, version};
use robomaton_grammar::{DEFAULT_LIMIT, Span, Tree, diagnose, scan};

/// Valid fields with their meanings. Most are examples from the documents.
#[rustfmt::skip]
const GOOD: &[(&str, &str)] = &[
    ("ACAP-ignore-conventional-records", "ignore"),
    ("acap-ignore-CONVENTIONAL-records : # c", "ignore"),
    ("ACAP-crawler: *", "crawler <*>"),
    ("ACAP-crawler:xyz", "crawler <xyz>"),
    ("acap-CRAWLER\t: searchbot # c", "crawler <searchbot>"),
    ("ACAP-crawler: Mozilla/5.0 (compatible; 'x') %  ", "crawler <Mozilla/5.0 (compatible; 'x') %>"),
    ("ACAP-crawler: *bot", "crawler <*bot>"),
    ("ACAP-crawler xyz", "crawler <xyz>"),
    ("ACAP-crawler: a:b", "crawler <a:b>"),
    ("ACAP-permissions-reference: /xyz/robots.txt", "reference </xyz/robots.txt>"),
    ("ACAP-permissions-reference: http://example.com/r?x", "reference <http://example.com/r?x>"),
    ("ACAP-usage-purpose: *", "purpose <*>"),
    ("ACAP-usage-purpose: news", "purpose <news>"),
    ("ACAP-usage-purpose: http://service.aggregator.*/*", "purpose <http://service.aggregator.*/*>"),
    ("ACAP-allow-crawl: /", "allow crawl </>"),
    ("ACAP-allow-index: /public/*.htm", "allow index </public/*.htm>"),
    ("ACAP-Allow-Present-Snippet: /x$", "allow Present-Snippet </x$>"),
    ("ACAP-allow-present-oldextract: /x", "allow present-oldextract </x>"),
    ("ACAP-allow-(local-usage): /special/*.htm", "allow (local-usage) </special/*.htm>"),
    ("ACAP-allow-index: acap:resource-set:stories", "allow index set <stories>"),
    ("ACAP-allow-index: THE-ACAP:Resource-Set:indexable", "allow index set <indexable>"),
    ("ACAP-allow-index: /news/2007/ time-limit=until-2007-12-31",
        "allow index </news/2007/> time-limit=<until-2007-12-31>"),
    ("ACAP-allow-present-currentcopy: /public/ prohibited-modification=format prohibited-modification=translation",
        "allow present-currentcopy </public/> prohibited-modification=<format> prohibited-modification=<translation>"),
    ("ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:class:abstract",
        "allow index </articles/> must-use-resource=<the-acap:extract:class:abstract>"),
    ("ACAP-allow-index: /a \t time-limit \t = 3-days  x= y=z ==", 
        "allow index </a> time-limit=<3-days> x=<y=z> ===<>"),
    ("ACAP-allow-index: /a\ttime-limit=", "allow index </a> time-limit=<>"),
    ("ACAP-allow-index: /a b c=d e", "allow index </a> b=<> c=<d> e=<>"),
    ("ACAP-allow-(x): / max-length=3-words", "allow (x) </> max-length=<3-words>"),
    ("ACAP-allow-index /a", "allow index </a>"),
    ("ACAP-disallow-crawl: /private", "disallow crawl </private>"),
    ("ACAP-disallow-index: the-acap:resource-set:images", "disallow index set <images>"),
    ("ACAP-disallow-(display-in-frame): /", "disallow (display-in-frame) </>"),
    ("ACAP-disallow-crawl: / time-limit=3-days or so", "disallow crawl </> time-limit=<3-days> or=<> so=<>"),
    ("ACAP-request-take-down: /news/bad-story.htm", "take down </news/bad-story.htm>"),
    ("ACAP-request-RE-crawl: /a", "re-crawl </a>"),
    ("ACAP-qualified-usage: short-term-preserve preserve time-limit=30-days",
        "qualified short-term-preserve: preserve time-limit=<30-days>"),
    ("ACAP-qualified-usage: display-copy-in-frame present used-resource=stored-copy context=within-frame",
        "qualified display-copy-in-frame: present used-resource=<stored-copy> context=<within-frame>"),
    ("ACAP-qualified-usage: present-original-format present prohibited-",
        "qualified present-original-format: present prohibited-=<>"),
    ("ACAP-composite-usage: basic-usages crawl index present", "composite basic-usages: crawl index present"),
    ("ACAP-composite-usage:\tmy-default-present\t(present-30-word-snippet)  present-thumbnail ",
        "composite my-default-present: (present-30-word-snippet) present-thumbnail"),
    ("ACAP-resource-set: images *.gif *.jpg *.png", "set images: <*.gif> <*.jpg> <*.png>"),
    ("ACAP-resource-set: s.t_1 /caf\u{e9}/\u{1f600}", "set s.t_1: </caf\u{e9}/\u{1f600}>"),
];

/// Invalid lines, with code and place.
#[rustfmt::skip]
const BAD: &[(&str, &str)] = &[
    ("ACAP-foo: x", "acap-unknown-field <ACAP-foo>"),
    ("ACAP-: x", "acap-unknown-field <ACAP->"),
    ("ACAP-crawlers: x", "acap-unknown-field <ACAP-crawlers>"),
    ("ACAP-allowed: /", "acap-unknown-field <ACAP-allowed>"),
    ("ACAP-crawler: # x", "acap-empty-value <ACAP-crawler>"),
    ("ACAP-resource-set :", "acap-empty-value <ACAP-resource-set>"),
    ("ACAP-disallow-crawl:", "acap-empty-value <ACAP-disallow-crawl>"),
    ("ACAP-crawler x: y", "acap-malformed-field <y>"),
    ("ACAP-ignore-conventional-records: yes", "acap-malformed-field <yes>"),
    ("ACAP-ignore-conventional-records yes", "acap-malformed-field <yes>"),
    ("ACAP-usage-purpose: news and more", "acap-malformed-field <news and more>"),
    ("ACAP-permissions-reference: /a /b", "acap-malformed-field </a /b>"),
    ("ACAP-allow-: /", "acap-malformed-field </>"),
    ("ACAP-disallow-(crawl: /", "acap-malformed-field </>"),
    ("ACAP-disallow-((x)): /", "acap-malformed-field </>"),
    ("ACAP-disallow-2: /", "acap-malformed-field </>"),
    ("ACAP-disallow crawl: /", "acap-unknown-field <ACAP-disallow crawl>"),
    ("ACAP-disallow-crawl x: /", "acap-malformed-field </>"),
    ("ACAP-allow-index: the-acap:resource-set:", "acap-malformed-field <the-acap:resource-set:>"),
    ("ACAP-allow-index: acap:resource-set:a/b", "acap-malformed-field <acap:resource-set:a/b>"),
    ("ACAP-request-burn: /", "acap-unknown-action <ACAP-request-burn>"),
    ("ACAP-request-take-downs: /", "acap-unknown-action <ACAP-request-take-downs>"),
    ("ACAP-request-: ", "acap-unknown-action <ACAP-request->"),
    ("ACAP-request-take-down: /a /b", "acap-malformed-field </a /b>"),
    ("ACAP-qualified-usage: a preserve", "acap-malformed-field <a preserve>"),
    ("ACAP-qualified-usage: a (b) c=d", "acap-malformed-field <a (b) c=d>"),
    ("ACAP-qualified-usage: a", "acap-malformed-field <a>"),
    ("ACAP-composite-usage: a", "acap-malformed-field <a>"),
    ("ACAP-composite-usage: a b (c", "acap-malformed-field <a b (c>"),
    ("ACAP-composite-usage: (a) b", "acap-malformed-field <(a) b>"),
    ("ACAP-resource-set: a", "acap-malformed-field <a>"),
    ("ACAP-resource-set: /a /b", "acap-malformed-field </a /b>"),
];

fn show(tree: &Tree<'_>, outcome: &Result<Field, Problem>) -> String {
    let text = |span: &Span| String::from_utf8_lossy(tree.text(*span)).into_owned();
    let usage = |usage: &UsageName| match usage {
        UsageName::Standard(name) => text(name),
        UsageName::Local(name) => format!("({})", text(name)),
    };
    let resource = |resource: &Resource| match resource {
        Resource::Pattern(pattern) => format!("<{}>", text(pattern)),
        Resource::Set(name) => format!("set <{}>", text(name)),
    };
    let qualifiers = |list: &[Qualifier]| {
        list.iter().map(|q| format!(" {}=<{}>", text(&q.name), text(&q.value))).collect::<String>()
    };
    match outcome {
        Err(problem) => format!("{} <{}>", problem.code, text(&problem.span)),
        Ok(Field::IgnoreConventional) => "ignore".to_owned(),
        Ok(Field::Crawler(name)) => format!("crawler <{}>", text(name)),
        Ok(Field::PermissionsReference(locator)) => format!("reference <{}>", text(locator)),
        Ok(Field::UsagePurpose(pattern)) => format!("purpose <{}>", text(pattern)),
        Ok(Field::Permission { usage: name, resource: what, qualifiers: list }) => {
            format!("allow {} {}{}", usage(name), resource(what), qualifiers(list))
        }
        Ok(Field::Prohibition { usage: name, resource: what, qualifiers: list }) => {
            format!("disallow {} {}{}", usage(name), resource(what), qualifiers(list))
        }
        Ok(Field::Request { action: Action::TakeDown, path }) => format!("take down <{}>", text(path)),
        Ok(Field::Request { action: Action::ReCrawl, path }) => format!("re-crawl <{}>", text(path)),
        Ok(Field::QualifiedUsage { name, usage: of, qualifiers: list }) => {
            format!("qualified {}: {}{}", text(name), usage(of), qualifiers(list))
        }
        Ok(Field::CompositeUsage { name, members }) => {
            let members = members.iter().map(|member| format!(" {}", usage(member)));
            format!("composite {}:{}", text(name), members.collect::<String>())
        }
        Ok(Field::ResourceSet { name, patterns }) => {
            let patterns = patterns.iter().map(|pattern| format!(" <{}>", text(pattern)));
            format!("set {}:{}", text(name), patterns.collect::<String>())
        }
    }
}

/// The only field of a source with one line.
fn only(source: &[u8]) -> String {
    let tree = scan(source, usize::MAX);
    let found = fields(&tree);
    assert_eq!(found.len(), 1, "{}", source.escape_ascii());
    show(&tree, &found[0].1)
}

#[test]
fn every_production_is_read() {
    for (line, said) in GOOD.iter().chain(BAD) {
        // With and without a line end, after another line, and with white space around.
        assert_eq!(only(line.as_bytes()), *said, "{line}");
        assert_eq!(only(format!("# \u{e9}\n\t{line}\r\n").as_bytes()), *said, "{line}");
    }
}

#[test]
fn any_bytes_are_kept() {
    let tree = scan(b"\xe4\nACAP-resource-set: a /\xff\xe9 /\0\x80 \nACAP-crawler: \xe4 b", DEFAULT_LIMIT);
    let found = fields(&tree);
    let Ok(Field::ResourceSet { name, patterns }) = &found[0].1 else { panic!("a set") };
    assert_eq!(tree.text(*name), b"a");
    assert_eq!(patterns.iter().map(|&span| tree.text(span)).collect::<Vec<_>>(), [b"/\xff\xe9", b"/\0\x80"]);
    let Ok(Field::Crawler(name)) = found[1].1 else { panic!("a crawler") };
    assert_eq!((found[1].0, tree.text(name)), (2, &b"\xe4 b"[..]));
}

#[test]
fn versions() {
    let of = |source: &[u8]| version(&scan(source, DEFAULT_LIMIT));
    assert_eq!(of(b"##ACAP version=1.0\n"), Some((1, 0, 0)));
    assert_eq!(of(b"##ACAP version=0.2 # pilot version\n"), Some((0, 2, 0)));
    assert_eq!(of(b"\n## \tacap  VERSION = 1.10#x"), Some((1, 10, 1)));
    assert_eq!(of(b"ACAP-crawler: * ##ACAP version=1.1"), Some((1, 1, 0)));
    assert_eq!(of(b"##ACAP version=xxx\n##ACAP version=1.1\n##ACAP version=0.2"), Some((1, 1, 1)));
    for none in [
        "#ACAP version=1.0",
        "##ACAP version=1",
        "##ACAP version=1.0.1",
        "##ACAP version=1.0 x",
        "##ACAPversion=1.0",
        "##ACAP version 1.0",
        "##ACAP version=4294967296.0",
        "###ACAP version=1.0",
        "",
        "ACAP-version: 1.0",
    ] {
        assert_eq!(of(none.as_bytes()), None, "{none}");
    }
}

/// The outline of 0.2 (4.7), with its field that is printed on two lines.
#[test]
fn the_outline_of_the_pilot_loads() {
    let source = "##ACAP version=0.2 # pilot version
# The following section of this robots.txt file is
# addressed to crawlers that are able to read ACAP permissions

# Locally-defined usages
ACAP-qualified-usage: short-term-preserve preserve time-limit=30-days
ACAP-qualified-usage: present-original-format present prohibited-
modification=format
ACAP-resource-set: foobar /public/foo /public/bar

# Permissions for crawlers in general
ACAP-crawler: *
ACAP-usage-purpose: *
ACAP-allow-crawl: /
ACAP-allow-index: /public
ACAP-disallow-index: /
ACAP-allow-preserve: /public
ACAP-allow-(short-term-preserve): /news
ACAP-disallow-preserve: /
ACAP-allow-(present-original-format): *.pdf
ACAP-allow-present: /public
ACAP-disallow-present-thumbnail: /public
ACAP-disallow-present: /
ACAP-disallow-present: acap:resource-set:foobar

# Permissions for crawler xyz
ACAP-crawler: xyz
# Full ACAP permissions can be found in a robots.txt file
# at the following location.
ACAP-permissions-reference: /xyz/robots.txt
";
    let tree = scan(source.as_bytes(), DEFAULT_LIMIT);
    let found = fields(&tree);
    assert_eq!(found.len(), 18);
    assert!(found.iter().all(|(_, field)| field.is_ok()));
    assert_eq!(version(&tree), Some((0, 2, 0)));
    let said: Vec<_> = diagnose(&tree).iter().map(|d| d.code.name()).collect();
    assert_eq!(said, ["acap-qualifier-value", "malformed-line"]);
    // On one line, as in the file, there are no findings.
    assert_eq!(diagnose(&scan(source.replace("-\nmod", "-mod").as_bytes(), DEFAULT_LIMIT)), []);
}

/// The overview of 1.0 (2.1), without the blank lines between.
#[test]
fn the_overview_of_the_first_version_loads() {
    let source = b"##ACAP version=1.0
User-agent: *
Disallow: /

User-agent: named-crawler
Allow: /index.html
# ACAP-ignore-conventional-records
ACAP-resource-set: crawlable /public/ /promotion/ /news/
ACAP-qualified-usage: cache preserve time-limit=until-recrawled
ACAP-composite-usage: basic-usages crawl index present
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: named-crawler
ACAP-allow-(basic-usages): the-acap:resource-set:crawlable
# ACAP-allow-(cache): the-acap:resource-set:crawlable
";
    let tree = scan(source, DEFAULT_LIMIT);
    let found = fields(&tree);
    assert_eq!(found.len(), 7);
    assert!(found.iter().all(|(_, field)| field.is_ok()));
    assert_eq!(diagnose(&tree), []);
}

/// Every span is inside its line, and every field is valid, wherever the line is cut.
fn check(source: &[u8]) {
    let tree = scan(source, usize::MAX);
    version(&tree);
    for (index, outcome) in fields(&tree) {
        show(&tree, &outcome);
        if let Err(problem) = outcome {
            let line = tree.lines[index];
            assert!(line.span.start <= problem.span.start && problem.span.end <= line.span.end);
            assert!(!problem.span.is_empty());
        }
    }
    diagnose(&tree);
}

#[test]
fn lines_cut_short_are_read() {
    for (line, _) in GOOD.iter().chain(BAD) {
        for end in 0..=line.len() {
            check(&line.as_bytes()[..end]);
            check(&line.as_bytes()[end..]);
            check(&[b"ACAP-", &line.as_bytes()[end..]].concat());
        }
    }
}

/// A hundred thousand repetitions on one line take little time and no more stack than one.
#[test]
fn repetition_takes_no_stack() {
    let repeated = |head: &str, piece: &str| [head, &piece.repeat(100_000)].concat();
    let sources = [
        repeated("ACAP-composite-usage: a", " b"),
        repeated("ACAP-composite-usage: a", " (b)"),
        repeated("ACAP-resource-set: a", " /b"),
        repeated("ACAP-resource-set: a", " acap:resource-set:b"),
        repeated("ACAP-allow-index: /", " time-limit=3-days"),
        repeated("ACAP-allow-index: /", " a ="),
        repeated("ACAP-allow-index: /", " a  \t "),
        repeated("ACAP-disallow-index: /", "="),
        repeated("ACAP-disallow-index: / ", "= "),
        repeated("ACAP-disallow-index: / max-length=", "9"),
        repeated("ACAP-allow-", "("),
        repeated("ACAP-allow-", "(a)"),
        repeated("ACAP-allow-", "(a):"),
        repeated("ACAP-composite-usage: a ", "("),
        repeated("ACAP-crawler: ", "a "),
        repeated("ACAP-crawler", " \t"),
        repeated("ACAP-", "-"),
        repeated("ACAP-request-", "take-down"),
        repeated("ACAP-usage-purpose: a", " "),
        repeated("ACAP-usage-purpose: ", "* "),
        repeated("ACAP-qualified-usage: a b", " c=%41"),
        repeated("ACAP-allow-index: / must-use-resource=", "acap:extract:id:"),
        repeated("ACAP-allow-index: / must-use-resource=", "%x0041"),
        repeated("##ACAP version=", "1."),
        repeated("##ACAP", " "),
    ];
    let reader = std::thread::Builder::new().stack_size(320 << 10).spawn(move || {
        for source in sources {
            let begin = std::time::Instant::now();
            check(source.as_bytes());
            // Quadratic time would take minutes.
            assert!(begin.elapsed().as_secs() < 20, "{}", &source[..40]);
        }
    });
    reader.unwrap().join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

    #[test]
    fn random_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..60), which in 0..GOOD.len(), at in 0usize..40) {
        let line = GOOD[which].0.as_bytes();
        check(&[&line[..at.min(line.len())], &bytes].concat());
    }

    #[test]
    fn scrambled_fields_are_read(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "allow-", "disallow-", "crawl", "(", ")", "a", ":", ": ", " ", "\t", "=", "/", "*", "the-acap:", "acap:",
            "resource-set", "-", "time-limit", "3-days", "extract:id:", "%41", "%", "\u{e9}", "#", "\n", "ACAP-",
            "crawler", "request-", "take-down", "qualified-usage", "composite-usage", "usage-purpose",
        ]), 0..16),
    ) {
        check(["ACAP-", &pieces.concat()].concat().as_bytes());
    }
}
