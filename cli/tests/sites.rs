//! The parts of a site besides its robots.txt: pages, referenced files, data.txt; and `inspect
//! --site`.

mod common;

use common::Place;
use serde_json::{Value, json};

const ACAP: &str = "\
##ACAP version=1.0
User-agent: *
Disallow: /private
Crawl-delay: 2.5
Request-rate: 6/1m 0530-2059
Visit-time: 2200-0600
Comment: be gentle
ACAP-crawler: bot
ACAP-permissions-reference: /part.txt
ACAP-permissions-reference: /missing.txt
ACAP-request-take-down: /old
ACAP-request-re-crawl: /new
ACAP-allow-index: / time-limit=3-days
ACAP-usage-purpose: news.example
ACAP-disallow-index: /paid
";

const DATA: &str = "\
User-agent: zebra
Disallow: /z
Dataset: /set.csv

User-agent: *
Disallow:
Licence: open
";

fn line(url: &str, status: u16, headers: Value, body: &str) -> String {
    let fetched_at = "2024-05-11T00:00:00Z";
    json!({ "url": url, "status": status, "fetched_at": fetched_at, "headers": headers, "body": body })
        .to_string()
}

fn place() -> Place {
    let place = Place::new();
    let page = r#"<meta name="robots" content="ACAP allow-index time-limit=3-days"><p class="the-acap:disallow-present">"#;
    let html = json!({ "Content-Type": "text/html" });
    let captures = [
        line("https://a.example/robots.txt", 200, json!({}), ACAP),
        line(
            "https://a.example/part.txt",
            200,
            json!({}),
            "ACAP-crawler: bot\nACAP-disallow-index: /secret\n",
        ),
        line("https://a.example/data.txt", 200, json!({ "Cache-Control": "max-age=60" }), DATA),
        line("https://b.example/data.txt", 404, json!({}), ""),
        line("https://c.example/data.txt", 503, json!({}), ""),
        line("https://c.example/page", 200, html.clone(), page),
        line("https://c.example/silent", 200, html, "<p>"),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place
}

fn compiled(arguments: &[&str]) -> (Place, Value) {
    let place = place();
    let all = [&["compile", "captures.jsonl", "-o", "i.rimg", "--json"], arguments].concat();
    let run = place.run(&all);
    assert_eq!(run.code, 0, "{run:?}");
    let summary = run.json()[0].clone();
    place.run(&["verify", "i.rimg"]).ok();
    (place, summary)
}

#[test]
fn the_summary_counts_them() {
    let (place, summary) = compiled(&["--pages"]);
    assert_eq!((&summary["captures"], &summary["sites"]), (&json!(1), &json!(2)));
    assert_eq!(summary["outcomes"], json!({ "rules": 1, "not-captured": 1 }));
    assert_eq!(summary["data_captures"], 3);
    assert_eq!(summary["data_txt"], json!({ "rules": 1, "unavailable": 1, "unreachable": 1 }));
    assert_eq!(summary["references"], json!({ "found": 1, "missing": 1, "over_limit": 0 }));
    let pages = json!({ "captures": 4, "with_permissions": 1, "cut": 0, "bytes": 240 });
    assert_eq!(summary["pages"], pages);
    let table = place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--pages", "--verbose"]).ok();
    for row in [
        "data.txt                    3  rules 1, unavailable 1, unreachable 1\n",
        "references                  2  found 1, missing 1, over the limit 0\n",
        "pages                       4  in the image with permissions 1, cut 0; 240 bytes\n",
    ] {
        assert!(table.contains(row), "{row}{table}");
    }
    // Texts are not the only part of this image, so no ratio to them is printed.
    assert!(!table.contains("per byte"), "{table}");
    let (_, summary) = compiled(&[]);
    assert_eq!((&summary["sites"], &summary["pages"]["captures"]), (&json!(1), &json!(0)));
    let other = ["compile", "captures.jsonl", "-o", "j.rimg", "--pages", "--profile", "koster"];
    place.run(&other).fails("--pages");
    assert!(!place.path("j.rimg").exists());
}

#[test]
fn compile_and_inspect_count_alike() {
    for arguments in [&["--pages"][..], &[], &["--profile", "rfc9309"]] {
        let (place, summary) = compiled(arguments);
        let contents = &place.run(&["inspect", "i.rimg", "--json"]).json()[0];
        let same = [
            "sites",
            "outcomes",
            "data_txt",
            "documents",
            "text_bytes",
            "rules",
            "policies",
            "programs",
            "image_bytes",
            "hot_bytes",
            "sections",
        ];
        for key in same {
            assert_eq!(summary[key], contents[key], "{key} {arguments:?}");
        }
        let table = place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--verbose"]).ok();
        assert!(table.contains(" per byte of distinct text"), "{table}");
    }
    let (_, without) = compiled(&[]);
    let (_, with) = compiled(&["--pages"]);
    let rules = |summary: &Value| summary["rules"].as_u64().unwrap();
    // One from the page, one from its element.
    assert_eq!(rules(&with), rules(&without) + 2);
}

#[test]
fn an_image_of_pages_alone_is_not_empty() {
    let place = place();
    let page = line("https://c.example/page", 200, json!({}), "<html><meta name=robots content=noindex>");
    place.write("pages.jsonl", page);
    let run = place.run(&["compile", "pages.jsonl", "-o", "p.rimg", "--pages"]);
    assert!(run.err.contains("no capture of a robots.txt\n"), "{run:?}");
    let ask = |usage| place.run(&["query", "p.rimg", "--usage", usage, "https://c.example/page"]).ok();
    assert!(ask("index").starts_with("disallowed"));
    assert!(ask("crawl").starts_with("unknown"));
}

#[test]
fn inspect_counts_data_txt_apart() {
    let (place, _) = compiled(&["--pages"]);
    let contents = &place.run(&["inspect", "i.rimg", "--json"]).json()[0];
    assert_eq!((&contents["sites"], &contents["outcomes"]["not-captured"]), (&json!(2), &json!(1)));
    assert_eq!(contents["data_txt"], json!({ "rules": 1, "unavailable": 1, "unreachable": 1 }));
    let text = place.run(&["inspect", "i.rimg"]).ok();
    assert!(text.contains("data.txt                    3  rules 1"), "{text}");
    assert!(contents["programs"].as_u64().unwrap() > 5, "those of ACAP are counted: {contents}");
}

#[test]
fn a_site_shows_what_it_says() {
    let (place, _) = compiled(&["--pages"]);
    let text = place.run(&["inspect", "i.rimg", "--site", "https://a.example/x"]).ok();
    for row in [
        "site        https://a.example\n",
        "incomplete  files that it refers to are missing\n",
        "group       *: 1 rule\n",
        "  schedule  delay 2.5 seconds\n",
        "  schedule  rate 6 in 60 seconds, 05:30-20:59 UTC\n",
        "  schedule  visits 22:00-06:00 UTC\n",
        "  comment   line 7: be gentle\n",
        "acap        bot: 1 rule, incomplete\n",
        "            line 13: allow index / if time-limit=3-days\n",
        "  request   line 11: take-down /old\n",
        "  request   line 12: re-crawl /new\n",
        "acap        bot: 1 rule, for news.example, incomplete\n",
        "            line 15: disallow index /paid\n",
        "acap        bot: 1 rule, from /part.txt\n",
        "            line 2: disallow index /secret\n",
        "\nsite        https://a.example/data.txt\noutcome     rules\n",
        "fresh_for   60 seconds\n",
        "fetched_at  2024-05-11T00:00:00Z (stale)\n",
        "group       zebra: 1 rule\n",
        "zebra: 1 rule\n            line 2: disallow crawl /z\n            line 3: dataset: /set.csv\n",
        "            line 7: licence: open\n",
    ] {
        assert!(text.contains(row), "{row}{text}");
    }
    let site = &place.run(&["inspect", "i.rimg", "--json", "--site", "a.example"]).json()[0];
    assert_eq!((&site["profile"], &site["incomplete"]), (&json!("full"), &json!(true)));
    assert_eq!(site["groups"][1]["role"], "acap");
    let field = json!({
        "line": 13, "allow": true, "usage": "index", "pattern": "/", "conditions": ["time-limit=3-days"],
    });
    assert_eq!(site["groups"][1]["fields"], json!([field]));
    assert_eq!(site["groups"][0]["schedule"][0], "delay 2.5 seconds");
    let data = &site["data_txt"];
    assert_eq!((&data["profile"], &data["fresh_for"]), (&json!("koster"), &json!(60)));
    let dataset = json!([{ "line": 3, "key": "dataset", "value": "/set.csv" }]);
    assert_eq!(data["groups"][0]["extensions"], dataset);
}

#[test]
fn outcomes_in_words() {
    let (place, _) = compiled(&["--pages"]);
    let show = |site| place.run(&["inspect", "i.rimg", "--site", site]).ok();
    let text = show("b.example");
    let words =
        "outcome     unavailable (not found: data to be discovered by other methods)\nstatus      404\n";
    assert!(text.starts_with("site        https://b.example/data.txt\n") && text.contains(words), "{text}");
    assert!(text.contains("fresh_for   604800 seconds\n"), "{text}");
    let text = show("c.example");
    assert!(text.contains("not-captured (pages of the site were captured, and no robots.txt)\n"), "{text}");
    assert!(
        text.contains("page        *: 1 rule\n            line 1: allow index /page$ if time-limit"),
        "{text}"
    );
    assert!(text.contains("element     *: 1 rule\n"), "{text}");
    assert!(
        text.contains("outcome     unreachable (says nothing: only 2xx and 404 have a meaning)\n"),
        "{text}"
    );
    place.run(&["inspect", "i.rimg", "--site", "z.example"]).fails("z.example");
    let site = &place.run(&["inspect", "i.rimg", "--json", "--site", "b.example"]).json()[0];
    assert!(site.get("site").is_none() && site["data_txt"]["outcome"] == "unavailable", "{site}");
}
