//! `query` and `filter`: order, input and output formats, terms.

mod common;

use common::{Place, ROBOTS};

#[test]
fn arguments_are_answered_in_order() {
    let place = Place::with_image();
    let urls =
        ["https://b.example/xaby", "https://a.example/private", "https://z.example/", "https://a.example/"];
    let out = place.run(&[&["query", "i.rimg"][..], &urls].concat()).ok();
    let verdicts = ["disallowed", "disallowed", "unknown", "allowed"];
    let expected: Vec<_> =
        verdicts.iter().zip(urls).map(|(verdict, url)| format!("{verdict}\t{url}")).collect();
    assert_eq!(out.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn lines_and_objects_keep_their_order() {
    let place = Place::with_image();
    let input = "https://a.example/private\r\n\n  https://a.example/x \n\
        {\"url\": \"https://a.example/x\", \"agent\": \"GPTBot\"}\n\
        {\"url\": \"https://a.example/drafts\", \"agent\": [\"nobody\", \"gptbot\"], \"usage\": \"index\"}\n\
        {broken\nhttps://a.example/equal\nno url\nhttps://gone.example/x";
    let run = place.run_with(&["query", "i.rimg"], input);
    assert_eq!(
        run.out,
        "disallowed\thttps://a.example/private\n\
         allowed\thttps://a.example/x\n\
         disallowed\thttps://a.example/x\n\
         disallowed\thttps://a.example/drafts\n\
         unknown\t{broken\n\
         allowed\thttps://a.example/equal\n\
         unknown\tno url\n\
         allowed\thttps://gone.example/x\n"
    );
    assert_eq!(run.code, 2);
    assert_eq!(
        run.err,
        "robomaton: line 6: invalid JSON question: key must be a string, at column 2\n\
         robomaton: line 8: \"no url\" is not a URL: it begins with neither http:// nor https://\n"
    );
}

#[test]
fn lines_that_are_not_utf_8_are_urls_too() {
    let place = Place::new();
    place.write("h.example", b"User-agent: *\nDisallow: /caf\xe9\n");
    place.run(&["compile", "h.example", "-o", "i.rimg"]).ok();
    let mut command = assert_cmd::Command::from_std(place.command(&["query", "i.rimg"]));
    let input = b"http://h.example/caf\xe9/x\nhttp://h.example/caf\xe8\n";
    let output = command.write_stdin(&input[..]).output().unwrap();
    assert_eq!(output.stdout, b"disallowed\thttp://h.example/caf\xe9/x\nallowed\thttp://h.example/caf\xe8\n");
    let out = place.run_with(&["query", "i.rimg", "--json"], input).ok();
    assert_eq!(out.lines().count(), 2);
}

#[test]
fn many_lines_keep_their_order() {
    let place = Place::with_image();
    let line = |n: usize| match n % 3 {
        0 => format!("disallowed\thttps://a.example/private/{n}\n"),
        1 => format!("allowed\thttps://a.example/private/open/{n}\n"),
        _ => format!("unknown\thttps://z{n}.example/\n"),
    };
    let expected: String = (0..50_000).map(line).collect();
    let input: String =
        expected.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)).collect();
    assert!(place.run_with(&["query", "i.rimg"], &input).ok() == expected);
    let allowed: String =
        (0..50_000).filter(|n| n % 3 == 1).map(|n| line(n).replace("allowed\t", "")).collect();
    assert!(place.run_with(&["filter", "i.rimg", "--agent", "x"], &input).ok() == allowed);
}

#[test]
fn json_has_every_key() {
    let place = Place::with_image();
    let ask = ["query", "i.rimg", "--json", "--agent", "GPTBot"];
    let urls = ["https://a.example/private", "https://gone.example/", "https://z.example/"];
    let answers = place.run(&[&ask[..], &urls].concat()).json();
    let expected = serde_json::json!({
        "url": "https://a.example/private", "agent": "GPTBot", "usage": "crawl", "purpose": null, "language": "rep", "carrier": "robots",
        "verdict": "disallowed", "decision": "disallowed", "incomplete": false, "choice": "named",
        "name": "gptbot", "looked_for": ["gptbot"], "conditions": [], "typed_conditions": [], "rule": "Disallow: /", "line": 9,
        "rules": [{ "line": 9, "file": null, "page": null, "rule": "Disallow: /" }], "fields": null, "conventional": "disallowed",
        "outcome": "rules", "basis": "rule", "stale": true, "status": 200, "fetched_at": "2024-05-11T00:00:00Z",
    });
    assert_eq!(answers[0], expected);
    assert_eq!(answers[1]["outcome"], "unavailable");
    assert_eq!((&answers[1]["status"], &answers[1]["basis"]), (&404.into(), &"outcome".into()));
    for (key, value) in answers[2].as_object().unwrap() {
        let stated = ["url", "agent", "usage", "verdict", "decision", "incomplete", "looked_for", "basis"];
        let stated = stated.contains(&key.as_str());
        assert_eq!(value.is_null() || *value == serde_json::json!([]), !stated, "{key}");
    }
    assert_eq!(answers[2]["verdict"], "unknown");
}

#[test]
fn agents_stand_best_first() {
    let place = Place::with_image();
    let ask = |agents: &[&str]| {
        let agents = agents.iter().flat_map(|agent| ["--agent", agent]);
        place
            .run(&["query", "i.rimg", "https://a.example/x"].into_iter().chain(agents).collect::<Vec<_>>())
            .ok()
    };
    assert!(ask(&[]).starts_with("allowed\t"));
    assert!(ask(&["*"]).starts_with("allowed\t"));
    assert!(ask(&["nobody", "gptbot"]).starts_with("disallowed\t"));
    assert!(ask(&["GPTBot/1.0 (x)"]).starts_with("disallowed\t"));
}

#[test]
fn usages_that_nobody_speaks_of_are_unknown() {
    let place = Place::with_image();
    let ask = |usage| {
        place.run(&["query", "i.rimg", "--usage", usage, "-a", "gptbot", "https://a.example/drafts"]).ok()
    };
    assert!(ask("crawl").starts_with("disallowed\t"));
    assert!(ask("index").starts_with("disallowed\t"));
    assert!(ask("train").starts_with("unknown\t"));
}

#[test]
fn terms_say_what_outcomes_mean() {
    let place = Place::with_image();
    let ask = |host: &str, terms: &[&str]| {
        let url = format!("https://{host}.example/");
        let out = place.run(&[&["query", "i.rimg", &url], terms].concat()).ok();
        out.split('\t').next().unwrap().to_owned()
    };
    assert_eq!(ask("closed", &[]), "allowed");
    assert_eq!(ask("closed", &["--on-forbidden", "deny"]), "disallowed");
    let explained =
        place.run(&["explain", "i.rimg", "https://closed.example/", "--on-forbidden", "deny"]).ok();
    assert!(explained.contains("verdict  disallowed"), "{explained}");
    assert_eq!(ask("gone", &["--on-forbidden", "deny"]), "allowed");
    assert_eq!(ask("busy", &["--on-throttled", "deny"]), "disallowed");
    assert_eq!(ask("down", &[]), "disallowed");
    assert_eq!(ask("down", &["--on-long-unreachable", "allow"]), "allowed");
}

#[test]
fn filter_prints_one_side() {
    let place = Place::with_image();
    let input = "https://a.example/x\nhttps://a.example/private\nhttps://z.example/\n";
    let filter =
        |more: &[&str]| place.run_with(&[&["filter", "i.rimg", "--agent", "any"], more].concat(), input).ok();
    assert_eq!(filter(&[]), "https://a.example/x\n");
    assert_eq!(filter(&["-v"]), "https://a.example/private\nhttps://z.example/\n");
    assert_eq!(filter(&["--unknown", "allow"]), "https://a.example/x\nhttps://z.example/\n");
    assert_eq!(filter(&["-v", "--unknown", "allow"]), "https://a.example/private\n");
    place.run(&["filter", "i.rimg"]).fails("--agent");
}

#[test]
fn nothing_in_is_nothing_out() {
    let place = Place::with_image();
    assert_eq!(place.run(&["query", "i.rimg"]).ok(), "");
    assert_eq!(place.run_with(&["query", "i.rimg", "--json"], "\n \n\r\n").ok(), "");
    assert_eq!(place.run(&["filter", "i.rimg", "-a", "x"]).ok(), "");
}

#[test]
fn slow_lines_are_answered_at_once() {
    use std::io::{BufRead, BufReader, Write};
    let place = Place::with_image();
    let mut child = place.command(&["query", "i.rimg"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for path in ["x", "private"] {
        writeln!(stdin, "https://a.example/{path}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.ends_with(&format!("/{path}\n")), "{line}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn no_sources_still_names_the_line() {
    let place = Place::new();
    place.write("a.example.txt", ROBOTS);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg", "--no-sources"]).ok();
    let answers = place.run(&["query", "i.rimg", "--json", "http://a.example/private"]).json();
    assert_eq!(answers[0]["line"], 2);
    let explain = place.run(&["explain", "i.rimg", "--agent", "x", "http://a.example/private"]);
    explain.fails("--no-sources");
}

/// ACAP with purposes, conditions, a reference to a missing file, and a usage of its own.
const ACAP: &str = "\
##ACAP version=1.0
ACAP-crawler: *
ACAP-allow-present-snippet: /s max-length=30-words time-limit=3-days
ACAP-disallow-train: /
ACAP-usage-purpose: news
ACAP-disallow-index: /
ACAP-crawler: far
ACAP-permissions-reference: /far.txt
User-agent: *
Disallow: /c
Allow: /c/x
ACAP-crawler: near
ACAP-disallow-crawl: /c
";

fn with_acap() -> Place {
    let place = Place::new();
    place.write("a.example.txt", ACAP);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg"]).ok();
    place
}

#[test]
fn purposes_and_usages_are_asked_for() {
    let place = with_acap();
    let ask = |more: &[&str]| {
        let out = place.run(&[&["query", "i.rimg", "http://a.example/x"], more].concat()).ok();
        out.split('\t').next().unwrap().to_owned()
    };
    assert_eq!(ask(&["--usage", "index"]), "allowed");
    assert_eq!(ask(&["--usage", "index", "--purpose", "News"]), "disallowed");
    assert_eq!(ask(&["--usage", "index", "--purpose", "newsletter"]), "allowed");
    assert_eq!(ask(&["--usage", "train"]), "disallowed");
    assert_eq!(ask(&["--usage", "tdm"]), "disallowed", "a part that is refused refuses the whole");
    assert_eq!(ask(&["--usage", "ai-input"]), "unknown", "silence permits no use by models");
    let input = "http://a.example/x\n\
        {\"url\": \"http://a.example/x\", \"purpose\": \"news\"}\n\
        {\"url\": \"http://a.example/x\", \"usage\": \"crawl\", \"purpose\": \"news\"}\n";
    let out = place.run_with(&["query", "i.rimg", "--usage", "index"], input).ok();
    let verdicts: Vec<_> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(verdicts, ["allowed", "disallowed", "allowed"]);
}

#[test]
fn what_is_missing_permits_nothing() {
    let place = with_acap();
    let ask = ["query", "i.rimg", "-a", "far", "--usage", "index", "http://a.example/x"];
    assert_eq!(place.run(&ask).ok(), "disallowed\thttp://a.example/x\n");
    let answer = &place.run(&[&ask[..], &["--json"]].concat()).json()[0];
    assert_eq!((&answer["verdict"], &answer["decision"]), (&"disallowed".into(), &"allowed".into()));
    assert_eq!(answer["incomplete"], true);
    let filter = |agent| {
        place.run_with(&["filter", "i.rimg", "-a", agent, "--usage", "index"], "http://a.example/x\n").ok()
    };
    assert_eq!((filter("far"), filter("a")), (String::new(), "http://a.example/x\n".to_owned()));
}

#[test]
fn conditions_and_sides_in_json() {
    let place = with_acap();
    let ask = |more: &[&str]| place.run(&[&["query", "i.rimg", "--json"], more].concat()).json().remove(0);
    let answer = ask(&["--usage", "present-snippet", "http://a.example/s"]);
    assert_eq!(answer["verdict"], "conditional");
    assert_eq!(answer["conditions"], serde_json::json!(["time-limit=3-days", "max-length=30-words"]));
    let typed = serde_json::json!([{ "TimeLimit": { "Days": 3 } }, { "MaxWords": 30 }]);
    assert_eq!((&answer["typed_conditions"], &answer["purpose"]), (&typed, &serde_json::Value::Null));
    assert_eq!(answer["rule"], "ACAP-allow-present-snippet: /s max-length=30-words time-limit=3-days");
    let answer = ask(&["-a", "near", "http://a.example/c/x"]);
    assert_eq!((&answer["fields"], &answer["conventional"]), (&"disallowed".into(), &"allowed".into()));
    assert_eq!((&answer["verdict"], &answer["line"]), (&"allowed".into(), &11.into()));
    let answer = ask(&["-a", "near", "http://a.example/c"]);
    let lines: Vec<_> = answer["rules"].as_array().unwrap().iter().map(|rule| rule["line"].clone()).collect();
    assert_eq!((&answer["basis"], lines), (&"fields".into(), vec![10.into(), 13.into()]));
}

#[test]
fn other_documents_answer_for_themselves() {
    let place = Place::new();
    let line = |path: &str, body: &str| {
        let url = format!("https://a.example/{path}");
        serde_json::json!({ "url": url, "status": 200, "body": body }).to_string()
    };
    let captures = [
        line("robots.txt", "User-agent: *\nDisallow: /r\n"),
        line("data.txt", "User-agent: *\nDisallow: /d\nAllow: /d/x\n"),
        serde_json::json!({ "url": "https://b.example/robots.txt", "status": 200, "body": "User-agent: *\nAllow: /" }).to_string(),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let input = "https://a.example/r\nhttps://a.example/d/x\n{\"url\": \"https://b.example/\"}\nno url\n";
    let ask = |more: &[&str]| {
        let out = place.run_with(&[&["query", "i.rimg"], more].concat(), input).out;
        out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ask(&["--document", "data.txt"]), ["allowed", "disallowed", "unknown", "unknown"]);
    assert_eq!(ask(&[]), ["disallowed", "allowed", "allowed", "unknown"]);
    assert_eq!(ask(&["--document", "robots.txt"]), ask(&[]));
    let json =
        place.run(&["query", "i.rimg", "--json", "--document", "data.txt", "https://b.example/x"]).json();
    assert_eq!((&json[0]["basis"], &json[0]["url"]), (&"no-site".into(), &"https://b.example/x".into()));
    place.run(&["query", "i.rimg", "--document", "humans.txt", "https://a.example/"]).fails("humans.txt");
}

#[test]
fn arguments_must_say_something() {
    let place = Place::with_image();
    place.run(&["query", "i.rimg", ""]).fails("the URL is empty");
    place.run(&["query", "i.rimg", "-a", "", "https://a.example/"]).fails("names no crawler");
    place.run(&["filter", "i.rimg", "-a", "/1"]).fails("names no crawler");
    let run = place.run(&["query", "i.rimg", "-a", "My Bot", "https://a.example/"]);
    assert!(run.code == 0 && run.err.starts_with("robomaton: asking as \"My\", then \"Bot\": "), "{run:?}");
}
