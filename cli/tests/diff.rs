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
        ] });
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
