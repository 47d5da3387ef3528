//! `diff`: added, removed and changed sites, and the crawlers that gained or lost.

mod common;

use common::Place;
use serde_json::json;

/// An image of sites, each with a host and a text; no text means 404.
fn image(place: &Place, name: &str, sites: &[(&str, Option<&str>)]) {
    let line = |(host, text): &(&str, Option<&str>)| {
        let url = format!("https://{host}/robots.txt");
        match text {
            Some(text) => json!({ "url": url, "body": text }),
            None => json!({ "url": url, "status": 404 }),
        }
        .to_string()
    };
    place.write(&format!("{name}.jsonl"), sites.iter().map(line).collect::<Vec<_>>().join("\n"));
    place.run(&["compile", &format!("{name}.jsonl"), "-o", &format!("{name}.rimg")]).ok();
}

/// Two images that differ in every way.
fn two() -> Place {
    let place = Place::new();
    let open = "User-agent: *\nDisallow:\n";
    image(
        &place,
        "old",
        &[
            ("gone.example", Some(open)),
            ("kept.example", Some(open)),
            ("lost.example", Some(open)),
            ("missing.example", Some("User-agent: *\nDisallow: /\n")),
            (
                "order.example",
                Some("User-agent: *\nDisallow: /a\nAllow: /b\n\nUser-agent: b\nUser-agent: c\nDisallow: /\n"),
            ),
            ("records.example", Some("User-agent: *\nDisallow: /a\n")),
        ],
    );
    image(
        &place,
        "new",
        &[
            ("added.example", Some(open)),
            ("kept.example", Some(open)),
            (
                "lost.example",
                Some("User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n"),
            ),
            ("missing.example", None),
            (
                "order.example",
                Some(
                    "# new\nUser-agent: c\nDisallow: /\n\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nAllow: /b\nDisallow: /a\nDisallow: /a\n",
                ),
            ),
            ("records.example", Some("User-agent: *\nCrawl-delay: 5\nDisallow: /a\n")),
        ],
    );
    place
}

const ASKED: [&str; 4] = ["--crawler", "GPTBot", "--crawler", "*"];

#[test]
fn a_summary() {
    let place = two();
    let run = place.run(&[&["diff", "old.rimg", "new.rimg"], &ASKED[..]].concat());
    let expected = "\
6 sites before, 6 now, 5 in both, 4 of them changed
       1  added             https://added.example
       1  gone              https://gone.example
       1  outcome changed   https://missing.example
       1  rules changed     https://lost.example
       1  records changed   https://records.example
       1  same for all      https://order.example
GPTBot, to crawl
       1  lost    all to none  https://lost.example
       1  gained  none to all  https://missing.example
*, to crawl
       1  lost    all to some  https://lost.example
       1  gained  none to all  https://missing.example
";
    assert_eq!(run.ok(), expected);
}

#[test]
fn lines_of_json() {
    let place = two();
    let lines = place.run(&[&["diff", "old.rimg", "new.rimg", "--json"], &ASKED[..]].concat()).json();
    let changes: Vec<_> = lines.iter().map(|line| line["change"].as_str().unwrap_or_default()).collect();
    assert_eq!(changes, ["added", "gone", "rules", "outcome", "text", "records"]);
    let expected = json!({ "site": "https://lost.example", "change": "rules", "outcome_from": "rules",
        "outcome_to": "rules", "text_changed": true, "access": [
            { "crawler": "GPTBot", "usage": "crawl", "share_from": "all", "share_to": "none",
              "explicit_from": false, "explicit_to": true, "line_from": null, "line_to": 3 },
            { "crawler": "*", "usage": "crawl", "share_from": "all", "share_to": "some",
              "explicit_from": false, "explicit_to": false, "line_from": null, "line_to": 6 },
        ], "uses": [] });
    assert_eq!(lines[2], expected);
}

#[test]
fn tables() {
    let place = two();
    let arguments = ["diff", "old.rimg", "new.rimg", "--to", "d", "--format", "csv"];
    place.run(&[&arguments[..], &ASKED].concat()).ok();
    let read = |name: &str| std::fs::read_to_string(place.path(name)).expect("a table");
    assert_eq!(
        read("d/changes.csv"),
        "\
site,change,outcome_from,outcome_to,text_changed,gained,lost
https://added.example,added,,rules,,0,0
https://gone.example,gone,rules,,,0,0
https://lost.example,rules,rules,rules,true,0,2
https://missing.example,outcome,rules,unavailable,,2,0
https://order.example,text,rules,rules,true,0,0
https://records.example,records,rules,rules,true,0,0
"
    );
    assert!(
        read("d/access.csv")
            .contains("https://lost.example,GPTBot,OpenAI,train,crawl,all,none,false,true,,3\n")
    );
    place.run(&["diff", "old.rimg", "new.rimg", "--to", "d"]).ok();
    assert!(place.path("d/changes.parquet").is_file() && place.path("d/access.parquet").is_file());
}

#[test]
fn exit_codes() {
    let place = two();
    let code = |arguments: &[&str]| place.run(arguments).code;
    assert_eq!(code(&["diff", "old.rimg", "new.rimg"]), 0);
    assert_eq!(code(&["diff", "old.rimg", "new.rimg", "--exit-code", "--json"]), 1);
    assert_eq!(code(&["diff", "old.rimg", "old.rimg", "--exit-code"]), 0);
    assert_eq!(place.run(&["diff", "old.rimg", "old.rimg", "--json"]).ok(), "");
    place.run(&["diff", "old.rimg", "none.rimg"]).fails("cannot open none.rimg");
    place.run(&["diff", "old.rimg", "old.jsonl"]).fails("old.jsonl");
    place.run(&["diff", "old.rimg", "new.rimg", "--format", "csv"]).fails("--to <DIR>");
}

#[test]
fn images_without_texts_and_of_other_profiles() {
    let place = two();
    place.run(&["compile", "new.jsonl", "-o", "bare.rimg", "--no-sources"]).ok();
    let lines = place.run(&["diff", "old.rimg", "bare.rimg", "--json"]).json();
    assert!(lines.iter().all(|line| line["text_changed"].is_null()), "{lines:?}");
    place.run(&["compile", "old.jsonl", "-o", "koster.rimg", "--profile", "koster"]).ok();
    let changes: Vec<_> = place.run(&["diff", "old.rimg", "koster.rimg", "--json"]).json();
    assert!(
        changes.iter().all(|line| line["change"] == "rules" && line["text_changed"] == false),
        "{changes:?}"
    );
}

/// To a robot of the 1996 draft, only the first group with its name applies (K9).
#[test]
fn groups_of_the_1996_draft_are_not_joined() {
    let place = Place::new();
    for (name, text) in [
        ("old", "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"),
        ("new", "User-agent: a\nDisallow: /x\nDisallow: /y\n"),
    ] {
        let line = json!({"url": "https://a.example/robots.txt", "body": text}).to_string();
        place.write(&format!("{name}.jsonl"), line);
        for profile in ["full", "koster"] {
            let image = format!("{name}-{profile}.rimg");
            place.run(&["compile", &format!("{name}.jsonl"), "-o", &image, "--profile", profile]).ok();
        }
    }
    let change = |profile: &str| {
        let images = ["old", "new"].map(|name| format!("{name}-{profile}.rimg"));
        place.run(&["diff", &images[0], &images[1], "--json"]).json()[0]["change"].clone()
    };
    assert_eq!((change("full"), change("koster")), (json!("text"), json!("rules")));
}

/// Two images whose sites say other things about uses.
fn two_of_uses() -> Place {
    let place = Place::new();
    let star = |record: &str| format!("User-agent: *\n{record}Allow: /\n");
    let signal = star("Content-Signal: ai-train=no\n");
    let usage = star("Content-Usage: train-ai=n\n");
    let named = format!("{signal}\nUser-agent: GPTBot\nContent-Signal: ai-train=yes\nAllow: /\n");
    let part = star("Content-Usage: train-ai=n\nContent-Usage: /free/ train-ai=y\n");
    let order = format!("# again\n{signal}");
    let silent = star("");
    let sites = |texts: [&str; 6]| -> Vec<(String, String)> {
        let names = ["dropped", "language", "named", "new", "order", "part"];
        names.iter().zip(texts).map(|(name, text)| (format!("{name}.example"), text.to_owned())).collect()
    };
    for (name, texts) in [
        ("old", [&*signal, &signal, &signal, &silent, &signal, &usage]),
        ("new", [&*silent, &usage, &named, &signal, &order, &part]),
    ] {
        let sites = sites(texts);
        let sites: Vec<_> = sites.iter().map(|(host, text)| (host.as_str(), Some(text.as_str()))).collect();
        image(&place, name, &sites);
    }
    place
}

#[test]
fn uses_in_a_summary() {
    let place = two_of_uses();
    let expected = "\
6 sites before, 6 now, 6 in both, 6 of them changed
       1  rules changed     https://named.example
       4  uses changed      https://dropped.example, https://language.example, https://new.example, ...
       1  same for all      https://order.example
*, to ai-train
       1  new     unknown to none (content-signals)  https://new.example
       1  dropped none (content-signals) to unknown  https://dropped.example
       1  same    none (content-signals) to none (aipref)  https://language.example
       1  gained  none (aipref) to some (aipref)  https://part.example
gptbot, to ai-train
       1  gained  none (content-signals) to all (content-signals)  https://named.example
";
    let run = |more: &[&str]| place.run(&[&["diff", "old.rimg", "new.rimg"], more].concat()).ok();
    assert_eq!(run(&["--usage", "ai-train"]), expected);
    // By default, all usages are compared. A refusal of training also refuses mining.
    let told = run(&[]);
    assert!(told.starts_with(expected.split("*, to").next().unwrap_or_default()), "{told}");
    let dropped = "gptbot, to tdm\n       1  dropped none (content-signals) to unknown (content-signals)  ";
    assert!(told.contains("*, to tdm\n       1  new     ") && told.contains(dropped), "{told}");
}

#[test]
fn uses_in_lines_of_json() {
    let place = two_of_uses();
    let run = |more: &[&str]| place.run(&[&["diff", "old.rimg", "new.rimg", "--json"], more].concat()).json();
    let lines = run(&[]);
    let changes: Vec<_> = lines.iter().map(|line| line["change"].as_str().unwrap_or_default()).collect();
    assert_eq!(changes, ["uses", "uses", "rules", "uses", "text", "uses"]);
    let expected = json!({ "site": "https://named.example", "change": "rules", "outcome_from": "rules",
        "outcome_to": "rules", "text_changed": true, "access": [], "uses": [
            { "crawler": "gptbot", "usage": "ai-train", "share_from": "none", "share_to": "all",
              "languages_from": ["content-signals"], "languages_to": ["content-signals"],
              "conditional_from": false, "conditional_to": false },
            { "crawler": "gptbot", "usage": "tdm", "share_from": "none", "share_to": "unknown",
              "languages_from": ["content-signals"], "languages_to": ["content-signals"],
              "conditional_from": false, "conditional_to": false },
        ] });
    assert_eq!(lines[2], expected);
    // A label is the usage. The crawler is named as requested.
    let lines = run(&["--usage", "train-ai", "--crawler", "GPTBot"]);
    assert_eq!(lines[2]["uses"][0]["crawler"], "GPTBot");
    assert_eq!(lines[0]["uses"].as_array().map(Vec::len), Some(1));
    let lines = run(&["--usage", "search"]);
    assert!(lines.iter().all(|line| line["uses"] == json!([]) && line["change"] != "uses"), "{lines:?}");
}

#[test]
fn uses_in_tables_and_exit_codes() {
    let place = two_of_uses();
    let run = ["diff", "old.rimg", "new.rimg", "--exit-code", "--to", "d", "--format", "csv"];
    assert_eq!(place.run(&run).code, 1);
    let uses = std::fs::read_to_string(place.path("d/uses.csv")).expect("a table");
    assert!(
        uses.contains("named.example,gptbot,OpenAI,train,ai-train,none,all,content-signals,content-signals,"),
        "{uses}"
    );
    assert_eq!(uses.lines().count(), 11);
    let none = "6 sites before, 6 now, 6 in both, 0 of them changed\n";
    assert_eq!(place.run(&["diff", "new.rimg", "new.rimg", "--exit-code"]).ok(), none);
}

#[test]
fn uses_of_sites_that_no_longer_answer() {
    let place = Place::new();
    let text = "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n";
    image(&place, "old", &[("a.example", Some(text))]);
    image(&place, "new", &[("a.example", None)]);
    let lines = place.run(&["diff", "old.rimg", "new.rimg", "--json", "--usage", "ai-train"]).json();
    assert_eq!(lines[0]["change"], "outcome");
    let [change] = &lines[0]["uses"].as_array().expect("a list")[..] else { panic!("{lines:?}") };
    assert_eq!((&change["share_from"], &change["share_to"]), (&json!("all"), &json!("unknown")));
    // The summary has one line about it.
    let told = place.run(&["diff", "old.rimg", "new.rimg", "--usage", "ai-train", "--crawler", "*"]).ok();
    let line = "       1  dropped all (content-signals) to unknown  https://a.example\n";
    assert!(told.ends_with(&format!("*, to ai-train\n{line}")), "{told}");
}

/// A refusal that moves to another path leaves the share of the site as it was.
#[test]
fn statements_that_move_are_changes_of_uses() {
    let place = Place::new();
    let line = |host: &str, path: &str, kind: &str, body: &str| {
        let url = format!("https://{host}.example/{path}");
        json!({ "url": url, "status": 200, "content_type": kind, "body": body }).to_string()
    };
    let star = |record: String| format!("User-agent: *\n{record}\nAllow: /\n");
    let tdmrep = |path: &str| json!([{ "location": path, "tdm-reservation": 1 }]).to_string();
    let page = |name: &str| format!("<meta name={name} content=noindex>");
    for (name, path, crawler) in [("old", "/q", "a"), ("new", "/r", "b")] {
        let captures = [
            line("ai", "robots.txt", "text/plain", ""),
            line("ai", "ai.txt", "text/plain", &format!("User-Agent: *\nDisallow: {path}\n")),
            line(
                "order",
                "robots.txt",
                "text/plain",
                &format!("# {name}\n{}", star("DisallowAITraining: /".into())),
            ),
            line("page", "robots.txt", "text/plain", ""),
            line("page", "x", "text/html", &page(crawler)),
            line("signal", "robots.txt", "text/plain", &star(format!("Content-Signal: {path} ai-train=no"))),
            line("tdm", "robots.txt", "text/plain", ""),
            line("tdm", ".well-known/tdmrep.json", "application/json", &tdmrep(path)),
        ];
        place.write(&format!("{name}.jsonl"), captures.join("\n"));
        let (input, output) = (format!("{name}.jsonl"), format!("{name}.rimg"));
        place.run(&["compile", &input, "-o", &output, "--pages"]).ok();
    }
    let run = |more: &[&str]| -> Vec<String> {
        let lines = place.run(&[&["diff", "old.rimg", "new.rimg", "--json"], more].concat()).json();
        let change =
            |line: &serde_json::Value| format!("{} {}", line["site"], line["change"]).replace('"', "");
        lines.iter().map(change).collect()
    };
    let expected = |changes: [&str; 5]| -> Vec<String> {
        let line = |change: &str| format!("https://{}", change.replace(' ', ".example "));
        changes.into_iter().map(line).collect()
    };
    assert_eq!(run(&[]), expected(["ai uses", "order text", "page uses", "signal uses", "tdm uses"]));
    assert_eq!(
        run(&["--usage", "index"]),
        expected(["ai text", "order text", "page uses", "signal records", "tdm text"])
    );
    assert_eq!(
        run(&["--crawler", "c"]),
        expected(["ai uses", "order text", "page text", "signal uses", "tdm uses"])
    );
}

/// A URL that `query` answers differently is a change, also for usages without rows in `uses`, for
/// names with a version, and where a statement moves to another document.
#[test]
fn changes_of_statements_are_no_changes_of_text() {
    let place = Place::new();
    let line = |path: &str, more: serde_json::Value| {
        let mut line = json!({ "url": format!("https://a.example/{path}"), "status": 200 });
        let (Some(line), Some(more)) = (line.as_object_mut(), more.as_object()) else { return String::new() };
        line.extend(more.clone());
        serde_json::to_string(line).expect("an object")
    };
    let rsl = |contents: &[(&str, &str)]| {
        let content = |(url, what): &(&str, &str)| {
            format!(
                "<content url='{url}'><license><{what} type='usage'>ai-train</{what}></license></content>"
            )
        };
        let contents: String = contents.iter().map(content).collect();
        json!({ "content_type": "application/rsl+xml",
            "body": format!("<rsl xmlns='https://rslstandard.org/rsl'>{contents}</rsl>") })
    };
    let moved = [
        [vec![("/", "prohibits")], vec![("/a", "permits")]],
        [vec![("/", "prohibits"), ("/a", "permits")], vec![]],
    ];
    for (number, name) in ["old", "new"].into_iter().enumerate() {
        let rest = [("/zz", "permits")];
        let [one, two] = moved[number].clone().map(|contents| [&contents[..], &rest].concat());
        let tags = ["noarchive", "max-snippet:5"][number];
        let header = ["/p1", "/p2"][number];
        let captures = [
            line(
                "robots.txt",
                json!({ "body": "License: https://a.example/1.xml\nLicense: https://a.example/2.xml\nUser-agent: *\nDisallow: /x\n" }),
            ),
            line("1.xml", rsl(&one)),
            line("2.xml", rsl(&two)),
            line(
                "p",
                json!({ "content_type": "text/html", "body": format!("<meta name=robots content='{tags}'>") }),
            ),
            line(
                &header[1..],
                json!({ "content_type": "text/html", "body": "<p>",
                "headers": [["X-Robots-Tag", "gptbot: noai"]] }),
            ),
        ];
        place.write(&format!("{name}.jsonl"), captures.join("\n"));
        let (input, output) = (format!("{name}.jsonl"), format!("{name}.rimg"));
        place.run(&["compile", &input, "-o", &output, "--pages"]).ok();
    }
    let run = |more: &[&str]| place.run(&[&["diff", "old.rimg", "new.rimg", "--json"], more].concat()).json();
    // The content moved.
    assert_eq!(run(&["--crawler", "c", "--usage", "ai-train"])[0]["change"], "uses");
    for name in ["GPTBot", "GPTBot/1.2", "Mozilla/5.0 (compatible; GPTBot/1.2)"] {
        assert_eq!(run(&["--crawler", name, "--usage", "ai-input"])[0]["change"], "uses", "{name}");
    }
    assert_eq!(run(&["--usage", "preserve", "--crawler", "c"])[0]["change"], "uses");
    for (name, signal) in [("old", "no"), ("new", "yes")] {
        image(&place, name, &[("a.example", Some(&format!("Content-Signal: ai-train={signal}\n")))]);
    }
    let all = run(&["--usage", "ai-all", "--crawler", "c"]);
    assert_eq!(
        (&all[0]["change"], &all[0]["access"][0]["share_from"]),
        (&json!("uses"), &json!("none")),
        "{all:?}"
    );
}

/// Each of many names has each of many rules.
#[test]
fn names_that_share_rules_are_compared_once() {
    let place = Place::new();
    let names: String = (0..9_000).map(|name| format!("User-agent: b{name:x}\n")).collect();
    let rules: String = (1..9_000).map(|rule| format!("Disallow: /{rule:x}\n")).collect();
    for (name, rule) in [("old", "/x"), ("new", "/y"), ("again", "/y\n# again")] {
        let text = format!("{names}Disallow: {rule}\n{rules}");
        image(&place, name, &[("a.example", Some(&text))]);
    }
    let start = std::time::Instant::now();
    for (image, change) in [("old.rimg", "rules"), ("again.rimg", "text")] {
        let lines = place.run(&["diff", "new.rimg", image, "--json"]).json();
        assert_eq!(lines[0]["change"], change);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}
