//! The common behaviour of commands that read questions: forms of lines, mistakes, usages, hints,
//! colours.

mod common;

use common::{Place, ROBOTS};

/// Lines that `query`, `filter`, `visit` and `bench` all accept.
const LINES: &str = "https://a.example/x\n\
    GPTBot\thttps://a.example/x\n\
    {\"url\": \"https://a.example/x\", \"agent\": \"GPTBot\"}\n";

#[test]
fn every_command_reads_the_same_lines() {
    let place = Place::with_image();
    let ask = |arguments: &[&str]| place.run_with(arguments, LINES);
    let url = "https://a.example/x";
    let out = ask(&["query", "i.rimg"]).ok();
    assert_eq!(out, format!("allowed\t{url}\ndisallowed\t{url}\ndisallowed\t{url}\n"));
    let agents: Vec<_> =
        ask(&["query", "i.rimg", "--json"]).json().iter().map(|answer| answer["agent"].clone()).collect();
    assert_eq!(agents, ["*", "GPTBot", "GPTBot"]);
    assert_eq!(ask(&["filter", "i.rimg", "-a", "x"]).ok(), format!("{url}\n"));
    // Lines are printed as read.
    let (_, refused) = LINES.split_once('\n').unwrap();
    assert_eq!(ask(&["filter", "i.rimg", "-a", "x", "-v"]).ok(), refused);
    let answers = ask(&["filter", "i.rimg", "-a", "x", "-v", "--json"]).json();
    assert_eq!((answers.len(), &answers[0]["verdict"]), (2, &"disallowed".into()));
    let run = ask(&["visit", "i.rimg", "-a", "x"]);
    assert_eq!((run.code, run.out), (1, format!("now\t{url}\nnever\t{url}\nnever\t{url}\n")));
    let bench = ask(&["bench", "i.rimg", "--queries", "-", "--json"]).json();
    assert_eq!((&bench[0]["queries"], &bench[0]["unknown_sites"]), (&3.into(), &0.into()));
}

/// R5: a crawler's name that is not UTF-8 is Latin-1. JSON has to be UTF-8.
#[test]
fn names_that_are_not_utf8_are_whole() {
    let place = Place::new();
    let robots = "User-agent: *\nAllow: /\n\nUser-agent: J\u{e4}vla-bot\nDisallow: /\n";
    place.write("a.example.txt", robots);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg"]).ok();
    let line = [&b"J\xe4vla-bot\t"[..], b"https://a.example/x\n"].concat();
    let run = place.run_with(&["query", "i.rimg", "-a", "zz"], &line);
    assert_eq!((run.code, &run.out[..]), (0, "disallowed\thttps://a.example/x\n"), "{run:?}");
    let json = [&b"{\"url\": \"https://a.example/x\", \"agent\": \"J\xe4vla-bot\"}\n"[..]].concat();
    let run = place.run_with(&["filter", "i.rimg", "-a", "zz"], &json);
    assert!(run.code == 2 && run.err.contains("line 1: the JSON question is not UTF-8"), "{run:?}");
}

/// R9 drops a carriage return in a URL, so one answer would stand for all lines of such a file.
#[test]
fn a_carriage_return_ends_no_line() {
    let place = Place::with_image();
    let run = place.run_with(&["filter", "i.rimg", "-a", "x"], "https://a.example/x\rhttps://b.example/y\n");
    assert_eq!((run.code, &run.out[..]), (2, ""), "{run:?}");
    assert!(run.err.contains("a carriage return within the line"), "{run:?}");
    place.run_with(&["filter", "i.rimg", "-a", "x"], "https://a.example/x\r\n").ok();
}

/// A line may not name crawlers without end: each name is looked up.
#[test]
fn a_crawler_has_so_many_names() {
    let place = Place::with_image();
    let line = |count: usize| format!("{}\thttps://a.example/x\n", vec!["a"; count].join(","));
    place.run_with(&["query", "i.rimg"], line(64)).ok();
    let run = place.run_with(&["query", "i.rimg"], line(65));
    assert!(run.code == 2 && run.err.contains("more than 64 names of one crawler"), "{run:?}");
}

#[test]
fn lines_that_are_no_questions_are_told_and_the_others_answered() {
    let place = Place::with_image();
    let bad = "{\"url\": \"https://a.example/x\", \"agnet\": \"GPTBot\"}\n\
        \n\
        www.a.example/x\n\
        /1.0\thttps://a.example/x\n\
        {\"url\": \"https://a.example/x\", \"usage\": \"trian\"}\n";
    let input = format!("{bad}https://a.example/x\n");
    let told = [
        "line 1: invalid JSON question: unknown field `agnet`",
        "line 3: \"www.a.example/x\" has no scheme; write https://www.a.example/x",
        "line 4: \"/1.0\" names no crawler",
        "did you mean \"train\"?",
    ];
    let commands: [&[&str]; 4] = [
        &["query", "i.rimg"],
        &["filter", "i.rimg", "-a", "x"],
        &["visit", "i.rimg", "-a", "x"],
        &["bench", "i.rimg", "--queries", "-"],
    ];
    for command in commands {
        let run = place.run_with(command, &input);
        assert_eq!((run.code, run.err.lines().count()), (2, 4), "{run:?}");
        assert!(told.iter().all(|told| run.err.contains(told)), "{run:?}");
        let lines = [1, 3, 4, 5].map(|line| format!("robomaton: line {line}: "));
        assert!(run.err.lines().zip(&lines).all(|(told, line)| told.starts_with(line)), "{run:?}");
        // The valid line has its answer.
        match command[0] {
            "query" => {
                assert!(run.out.lines().count() == 5 && run.out.ends_with("allowed\thttps://a.example/x\n"))
            }
            "filter" => assert_eq!(run.out, "https://a.example/x\n"),
            "visit" => assert!(run.out.ends_with("\nnow\thttps://a.example/x\n"), "{run:?}"),
            _ => assert!(run.out.contains("\n1 query, 0 left out"), "{run:?}"),
        }
    }
    // Invalid lines are printed neither with nor without -v.
    let run = place.run_with(&["filter", "i.rimg", "-a", "x", "-v"], &input);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    let many = place.run_with(&["filter", "i.rimg", "-a", "x"], "x\n".repeat(25));
    assert_eq!(many.err.lines().count(), 11);
    assert!(many.err.ends_with("25 invalid lines in all; --verbose prints the other 15\n"), "{many:?}");
    let all = place.run_with(&["filter", "i.rimg", "-a", "x", "--verbose"], "x\n".repeat(25));
    assert!(all.err.lines().count() == 25 && all.err.contains("line 25: "), "{all:?}");
    // An argument has no line number.
    let run = place.run(&["query", "i.rimg", "/x"]);
    assert_eq!((run.code, run.out.as_str()), (2, "unknown\t/x\n"));
    assert!(run.err.starts_with("robomaton: \"/x\" is a path without a site"), "{run:?}");
}

#[test]
fn numbers_of_lines_go_on_behind_the_first_chunk() {
    let place = Place::with_image();
    let many = "https://a.example/some/path/that/is/long/enough/to/fill/a/chunk\n".repeat(20_000);
    let run = place.run_with(&["filter", "i.rimg", "-a", "x"], format!("{many}oops\n{many}\noops"));
    let told: Vec<_> = run.err.lines().map(|line| line.split('"').next().unwrap()).collect();
    assert_eq!(told, ["robomaton: line 20001: ", "robomaton: line 40003: "]);
}

#[test]
fn a_site_that_is_held_otherwise_is_named_once() {
    let place = Place::with_image();
    let input = "http://a.example/x\nhttp://b.example/\nhttps://www.a.example/\n";
    for command in
        [&["query", "i.rimg"][..], &["filter", "i.rimg", "-a", "x"], &["visit", "i.rimg", "-a", "x"]]
    {
        let run = place.run_with(command, input);
        assert_eq!(run.err, "robomaton: the image contains https://a.example, not http://a.example\n");
        let quiet = place.run_with(&[command, &["--quiet"]].concat(), input);
        assert_eq!((quiet.out, quiet.err.as_str()), (run.out, ""));
    }
    let explain = |url| place.run(&["explain", "i.rimg", url]).ok();
    let told = explain("http://www.a.example/x");
    assert!(
        told.ends_with("verdict  unknown: the image contains https://a.example, not http://www.a.example\n")
    );
    assert!(explain("https://z.example/").ends_with("unknown: the image does not contain the site\n"));
    place
        .run(&["inspect", "i.rimg", "--site", "www.a.example"])
        .fails("the image contains https://a.example");
    place.run(&["explain", "i.rimg", "a.example/x"]).fails("write https://a.example/x");
}

#[test]
fn usages_that_nobody_knows_are_refused() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    place.write("p.html", "<html>");
    let url = "https://a.example/";
    let commands: [&[&str]; 8] = [
        &["query", "i.rimg", url],
        &["filter", "i.rimg", "-a", "x"],
        &["visit", "i.rimg", "-a", "x", url],
        &["explain", "i.rimg", url],
        &["explain", "robots.txt", url],
        &["check", "robots.txt", "x", "/"],
        &["page", "p.html", "--url", url, "-a", "x"],
        &["export", "i.rimg", "--to", "t"],
    ];
    for command in commands {
        place.run(&[command, &["--usage", "trian"]].concat()).fails("did you mean \"train\"?");
        place.run(&[command, &["--usage", "present-snipet"]].concat()).fails("\"present-snippet\"");
        place.run(&[command, &["--usage", "zzz"]].concat()).fails("known usages are crawl, index");
        let known = place.run(&[command, &["--usage", "AI-train"]].concat());
        assert!(known.code < 2, "{known:?}");
    }
    // A usage that a record names is known.
    place.write("o.example.txt", "ACAP-crawler: *\nACAP-disallow-fold: /\n");
    place.run(&["compile", "o.example.txt", "-o", "o.rimg"]).ok();
    let out = place.run(&["query", "o.rimg", "--usage", "fold", "http://o.example/"]).ok();
    assert_eq!(out, "disallowed\thttp://o.example/\n");
}

#[test]
fn verdicts_are_coloured_where_that_is_wanted() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    let url = "https://a.example/private";
    let red = |word: &str| format!("\u{1b}[31m{word}\u{1b}[0m");
    let commands: [(&[&str], &str); 4] = [
        (&["query", "i.rimg", url], "disallowed"),
        (&["visit", "i.rimg", "-a", "x", url], "never"),
        (&["explain", "i.rimg", url], "disallowed"),
        (&["check", "robots.txt", "x", url], "disallowed"),
    ];
    for (command, word) in commands {
        let painted = place.run(&[command, &["--color", "always"]].concat()).out;
        assert!(painted.contains(&red(word)), "{painted:?}");
        let piped = place.run(command).out;
        assert!(piped.contains(word) && !piped.contains('\u{1b}'), "{piped:?}");
    }
}

#[test]
fn documents_are_filtered_and_visited_too() {
    let place = Place::new();
    let line = |path: &str, body: &str| {
        let url = format!("https://a.example/{path}");
        serde_json::json!({ "url": url, "status": 200, "body": body }).to_string()
    };
    let data = line("data.txt", "User-agent: *\nDisallow: /d\n");
    place.write("captures.jsonl", format!("{}\n{data}", line("robots.txt", "User-agent: *\nDisallow: /r\n")));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let input = "https://a.example/r\nhttps://a.example/d\n";
    let ask = |command: &[&str]| place.run_with(&[command, &["--document", "data.txt"]].concat(), input).out;
    assert_eq!(ask(&["filter", "i.rimg", "-a", "x"]), "https://a.example/r\n");
    assert_eq!(
        ask(&["visit", "i.rimg", "-a", "x"]),
        "now\thttps://a.example/r\nnever\thttps://a.example/d\n"
    );
}

/// Clients drop tabs and line ends from a URL before they request it.
#[test]
fn one_url_has_one_verdict_everywhere() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    let verdict = |run: common::Run| run.out.split('\t').next().unwrap_or_default().to_owned();
    for (url, decision) in [
        ("https://a.example/\nprivate", "disallowed"),
        ("https://a.example/pri\rvate/x", "disallowed"),
        ("https://a.example/\tprivate", "disallowed"),
        ("https://a.example/priv%6\n1te", "disallowed"),
        ("\u{1}https://a.example/private\u{1f}", "disallowed"),
        ("https://a.example/x\nprivate", "allowed"),
    ] {
        let answer = &place.run(&["query", "i.rimg", "--json", url]).json()[0];
        assert_eq!((&answer["url"], &answer["verdict"]), (&url.into(), &decision.into()), "{url:?}");
        let line = format!("{}\n", serde_json::json!({ "url": url }));
        let answer = &place.run_with(&["query", "i.rimg", "--json"], line).json()[0];
        assert_eq!((&answer["url"], &answer["verdict"]), (&url.into(), &decision.into()), "{url:?}");
        assert_eq!(verdict(place.run(&["query", "i.rimg", url])), decision, "{url:?}");
        assert_eq!(verdict(place.run(&["check", "robots.txt", "x", url])), decision, "{url:?}");
        for file in ["i.rimg", "robots.txt"] {
            let answer = &place.run(&["explain", file, url, "--json"]).json()[0];
            assert_eq!(answer["verdict"], decision, "{url:?}");
        }
    }
    // An answer in text is one line.
    let run = place.run(&["query", "i.rimg", "https://a.example/\nprivate"]);
    assert_eq!(run.out, "disallowed\thttps://a.example/private\n");
    // Where a parser and other software may see two hosts, none is asked.
    for url in
        ["ht\ttps://a.example/x", "https:\n//a.example/x", "h\nttps://a.example/x", "https://a.\nexample/x"]
    {
        assert_eq!(verdict(place.run(&["query", "i.rimg", url])), "unknown", "{url:?}");
        for command in [["check", "robots.txt", "x", url].as_slice(), &["explain", "robots.txt", url]] {
            place.run(command).fails("has white space or a control character before the path");
        }
    }
}
