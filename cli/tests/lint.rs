//! `lint`, and LINTS.md: each code has an entry, and each example has the finding that it shows.

mod common;

use common::{Place, ROBOTS};
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../LINTS.md");

/// An entry of the document.
struct Entry {
    code: &'static str,
    /// Severity and rule.
    head: &'static str,
    options: Vec<&'static str>,
    /// True if the example is a page.
    is_page: bool,
    example: Vec<u8>,
}

fn entries() -> Vec<Entry> {
    let entry = |text: &'static str| {
        let (code, rest) = text.split_once("\n\n").expect("a heading alone");
        let (said, rest) = rest.split_once("```").expect("an example");
        let (kind, rest) = rest.split_once('\n').expect("an example on lines of its own");
        let (kind, options) = kind.split_once(' ').unwrap_or((kind, ""));
        assert!(["robots", "html"].contains(&kind), "{code}: {kind}");
        let (example, _) = rest.split_once("```").expect("an end of the example");
        let head = said.split_once(". ").expect("a sentence").0;
        let options = options.split_whitespace().collect();
        Entry { code, head, options, is_page: kind == "html", example: bytes(example) }
    };
    DOCUMENT.split("\n### ").skip(1).map(entry).collect()
}

/// A text with each `\xNN` replaced by its byte.
fn bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

#[test]
fn every_code_has_its_entry() {
    use robomaton_compiler::lint::Code;
    let of_grammar =
        robomaton_grammar::Code::ALL.map(|code| (code.name(), code.severity().name(), code.rule()));
    let of_meaning = Code::ALL.iter().map(|code| (code.name(), code.severity().name(), code.rule()));
    let codes: Vec<_> = of_grammar.into_iter().chain(of_meaning).collect();
    let entries = entries();
    let found: Vec<_> = entries.iter().map(|entry| (entry.code, entry.head.to_owned())).collect();
    let expected: Vec<_> =
        codes.iter().map(|(name, severity, rule)| (*name, format!("*{severity}*, {rule}"))).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_example_gets_its_remark_and_no_other() {
    let place = Place::new();
    place.write("with", "ACAP-crawler: *\nACAP-disallow-crawl: /y\n");
    place.write("chain", "ACAP-crawler: *\nACAP-permissions-reference: /y.txt\n");
    let mut wrong = Vec::new();
    for Entry { code, options, is_page, example, .. } in entries() {
        place.write("page.html", &example);
        let file = if is_page { "page.html" } else { "-" };
        let mut arguments = vec!["lint".to_owned(), "--json".to_owned(), file.to_owned()];
        let mut expected = BTreeSet::from([code.to_owned()]);
        for option in options {
            match option.split_once('=').expect("an option with a value") {
                ("and", other) => _ = expected.insert(other.to_owned()),
                ("with", path) => arguments.push(format!("--with={path}=with")),
                ("chain", path) => arguments.push(format!("--with={path}=chain")),
                _ => arguments.push(format!("--{option}")),
            }
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = place.run_with(&arguments, &example);
        let found: BTreeSet<String> =
            run.json().iter().map(|remark| remark["code"].as_str().expect("a code").to_owned()).collect();
        if found != expected {
            wrong.push(format!("{code}: {found:?} {}", run.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_are_explained() {
    let place = Place::new();
    let text = place.run(&["lint", "--explain", "unreachable-rule"]).ok();
    assert!(
        text.starts_with("### unreachable-rule\n\n*warning*, R12. ") && text.ends_with("```\n"),
        "{text}"
    );
    let last = entries().last().expect("an entry").code;
    for code in [last, "acap-qualifier-value", "BYTE-order-mark"] {
        let text = place.run(&["lint", "--explain", code]).ok();
        assert_eq!(text.matches("###").count(), 1, "{text}");
        assert_eq!(text.matches("```").count(), 2, "{text}");
    }
    place.run(&["lint", "--explain", "no-such-code"]).fails("no-such-code");
    place.run(&["lint", "--explain", "html", "robots.txt"]).fails("--explain");
}

#[test]
fn remarks_of_both_kinds_stand_in_order() {
    let place = Place::new();
    let text = "User-agent: a/1\nAllow: /x\nCrawl-delay: no\nDisalow: /x\n";
    let found = place.run_with(&["lint", "--json", "-"], text).json();
    let codes: Vec<_> = found.iter().map(|remark| remark["code"].as_str().expect("a code")).collect();
    assert_eq!(codes, ["text-after-token", "bad-crawl-delay", "misspelled-key", "superseded-rule"]);
    assert_eq!(found[3]["second"]["line"], 2);
}

#[test]
fn lint_draws_carets() {
    let place = Place::new();
    place.write("robots.txt", "User-agent: *\nDisallow: /\n");
    assert_eq!(place.run(&["lint", "robots.txt"]).ok(), "robots.txt: 0 errors, 0 warnings, 0 notes\n");
    place.write("notes.txt", "User-agent: a\nDisallow:\nUser-agent: A\nDisallow:\n");
    let run = place.run(&["lint", "notes.txt"]);
    assert!(run.code == 0 && run.out.contains("first seen here"), "{run:?}");
    place.write("bad.txt", b"User-agent: caf\xe9 x\nDisalow: /\rAllow: y\n");
    let run = place.run(&["lint", "robots.txt", "bad.txt"]);
    assert_eq!(run.code, 1);
    let expected = "\
warning[misspelled-key]: `Disalow` is read as `Disallow`
 --> bad.txt:2:1
  |
2 | Disalow: /
  | ^^^^^^^
";
    assert!(run.out.contains(expected), "{}", run.out);
    assert!(run.out.contains("3 | Allow: y\n  |        ^\n"), "{}", run.out);
    place.run(&["lint", "missing"]).fails("missing");
    assert_eq!(place.run(&["lint"]).ok(), "standard input: 0 errors, 0 warnings, 0 notes\n");
    let run = place.run_with(&["lint"], "Disalow: /");
    assert!(run.code == 1 && run.out.contains(" --> -:1:1\n"), "{run:?}");
}

#[test]
fn one_total_for_all_files() {
    let place = Place::new();
    place.write("a/robots.txt", "User-agent: *\nDisallow: /\n");
    place.write("a/b/c.TXT", "User-agent: *\nDisallow: /*?*\n");
    place.write("a/b/.hidden/x.txt", "Disalow: /\n");
    place.write("a/b/picture.png", "Disalow: /\n");
    place.write("e/f", "");
    let out = place.run(&["lint", "a"]).ok();
    assert!(out.ends_with("\n\n2 files, 1 clean: 0 errors, 0 warnings, 1 note\n"), "{out}");
    assert_eq!(out.matches(" note").count(), 1, "{out}");
    let file = ["a", "b", "c.TXT"].iter().collect::<std::path::PathBuf>();
    assert!(out.contains(&format!(" --> {}:2:14\n", file.display())), "{out}");
    assert_eq!(place.run(&["lint", "--quiet", "a"]).ok(), "2 files, 1 clean: 0 errors, 0 warnings, 1 note\n");
    assert_eq!(place.run(&["lint", "a/robots.txt", "a/robots.txt"]).ok(), "2 files, all clean\n");
    let run = place.run_with(&["lint", "-q", "a/b/picture.png", "-"], "Disalow: /");
    assert_eq!((run.code, run.out.as_str()), (1, "2 files: 2 errors, 2 warnings, 0 notes\n"));
    place.run(&["lint", "e"]).fails("no file below this directory");
    let run = place.run(&["lint", "e", "a/robots.txt"]);
    assert!(run.code == 2 && run.out == "a/robots.txt: 0 errors, 0 warnings, 0 notes\n", "{run:?}");
}

#[test]
fn many_remarks_of_one_code_are_drawn_in_part() {
    let place = Place::new();
    let text = |count: usize| {
        (0..count)
            .fold("User-agent: *\n".to_owned(), |text, number| text + &format!("Disallow: /{number}/*\n"))
    };
    let run = |count: usize, more: &[&str]| place.run_with(&[&["lint"], more].concat(), text(count)).ok();
    assert_eq!(run(4, &[]).matches(" --> ").count(), 4);
    let out = run(10, &[]);
    assert_eq!(out.matches(" --> ").count(), 3);
    let last = "note[redundant-star]: 7 more like this in -, on lines 5 to 11\n\nstandard input: 0 errors, 0 warnings, 10 notes\n";
    assert!(out.ends_with(last), "{out}");
    assert_eq!(run(10, &["--all"]).matches(" --> ").count(), 10);
    assert_eq!(run(10, &["--json"]).lines().count(), 10);
    assert_eq!(run(10, &["--format", "json"]), run(10, &["--json"]));
}

#[test]
fn lint_in_json() {
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    let run = place.run_with(&["lint", "--json", "-"], "Allow: /\nUser-agent: a\nUser-agent: a\nAllow: /");
    assert_eq!(run.code, 1);
    let found = run.json();
    let expected = serde_json::json!({
        "file": "-", "line": 1, "column": 1, "start": 0, "end": 8, "severity": "error", "code": "rule-before-group",
        "source": "R8", "message": "a rule before any user-agent line; it is ignored", "second": null,
    });
    assert_eq!(found[0], expected);
    assert_eq!((&found[1]["code"], &found[1]["second"]["line"]), (&"repeated-agent".into(), &2.into()));
    let run = place.run(&["lint", "--json", "--max-rules", "2", "robots.txt"]);
    assert_eq!((run.code, run.json()[0]["line"].clone()), (1, 4.into()));
    assert_eq!(run.json()[0]["code"], "over-limit");
}

#[test]
fn pages_have_remarks_with_places() {
    let place = Place::new();
    let html = "<!DOCTYPE html>\r\n<title>x</title><meta name=robots\r\n content='ACAP allow'>\n\
                <p class='x the-acap:allow-(a) the-acap:b'>caf\u{e9}</p>\n";
    place.write("a.html", html);
    let utf16 = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        let text = html.encode_utf16().flat_map(bytes);
        mark.iter().copied().chain(text).collect::<Vec<u8>>()
    };
    place.write("b.HTM", utf16(b"\xff\xfe", u16::to_le_bytes));
    place.write("c.xht", format!("\u{feff}{html}"));
    place.write("d.xhtml", utf16(b"\xfe\xff", |unit| unit.swap_bytes().to_le_bytes()));
    for file in ["a.html", "b.HTM", "c.xht", "d.xhtml"] {
        let run = place.run(&["lint", "--json", file]);
        let found: Vec<_> = run.json().iter().map(place_of).collect();
        let expected = [
            ("meta-problem".to_owned(), 2, 17),
            ("meta-local-usage-in-class".to_owned(), 4, 1),
            ("meta-problem".to_owned(), 4, 1),
        ];
        assert_eq!((run.code, found.as_slice()), (1, &expected[..]), "{file} {run:?}");
    }
    let run = place.run(&["lint", "a.html"]);
    let expected = "\
 --> a.html:4:1
  |
4 | <p class='x the-acap:allow-(a) the-acap:b'>caf\u{e9}</p>
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
";
    assert!(run.out.contains(expected), "{}", run.out);
    assert!(run.out.ends_with("a.html: 3 errors, 0 warnings, 0 notes\n"), "{}", run.out);
    for text in ["", "\n", "\u{feff}", "<meta name=robots content='ACAP"] {
        place.write("e.html", text);
        assert_eq!(place.run(&["lint", "e.html"]).ok(), "e.html: 0 errors, 0 warnings, 0 notes\n");
    }
    // What is no text is not read as a page.
    for (bytes, code) in [(&b"\xff\xfe"[..], 0), (b"\xfe\xff\0", 1), (b"\xff\xfe\0\xd8", 0), (b"\0", 1)] {
        place.write("e.html", bytes);
        assert_eq!(place.run(&["lint", "e.html"]).code, code, "{bytes:?}");
    }
}

#[test]
fn pages_that_are_not_read_whole_are_errors() {
    let place = Place::new();
    place.write("a.html", "\n<meta name=robots content=all>\n".repeat(20_000));
    let run = place.run(&["lint", "--json", "a.html"]);
    let found: Vec<_> = run.json().iter().map(place_of).collect();
    assert_eq!((run.code, found.as_slice()), (1, &[("over-limit".to_owned(), 1, 1)][..]), "{run:?}");
    assert_eq!(run.err, "");
    let run = place.run(&["lint", "a.html"]);
    assert!(run.out.contains("error[over-limit]: the page is not read whole"), "{}", run.out);
}

/// Code, line and column of a finding.
fn place_of(remark: &serde_json::Value) -> (String, u64, u64) {
    let number = |name: &str| remark[name].as_u64().expect("a number");
    (remark["code"].as_str().expect("a code").to_owned(), number("line"), number("column"))
}

#[test]
fn lint_survives_anything() {
    let place = Place::new();
    let long = format!(
        "User-agent: *\nfoo{}: \u{7}\nDisallow: {}x",
        "\0".repeat(100_000),
        "\u{fffd}é\t".repeat(50_000)
    );
    for text in
        [&b""[..], b"\n", b"\xef\xbb", b"\xef\xbb\xbf", b"\xff\xfe\n\0", b":", b"\r\r: \r", long.as_bytes()]
    {
        let run = place.run_with(&["lint", "-"], text);
        assert!(run.code < 2, "{:?} {}", &text[..text.len().min(9)], run.err);
        let run = place.run_with(&["lint", "-", "--max-bytes", "5"], text);
        assert!(run.code < 2, "{:?} {}", &text[..text.len().min(9)], run.err);
    }
}

/// `lint` reports what is not read of a text.
#[test]
fn statements_over_a_limit() {
    let place = Place::new();
    let many: String = (0..20_010).map(|number| format!("AllowAITraining: /{number}\n")).collect();
    let long = format!("AllowAITraining: /\nDisallowAITraining: /{}\n", "a".repeat(70_000));
    // Limits of automata make all statements unread.
    let stars = format!("AllowAITraining: /\nDisallowAITraining: /{}b\n", "*a".repeat(30_000));
    for (text, line) in [(many, 20_002), (long, 3), (stars, 2)] {
        let run = place.run_with(&["lint", "--json"], format!("User-agent: *\n{text}"));
        let found = run.json();
        let over = found.iter().find(|remark| remark["code"] == "over-limit").expect("the remark");
        assert_eq!((run.code, &over["line"]), (1, &line.into()));
    }
}
