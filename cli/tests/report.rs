//! `report`: the page is written completely, counts are printed, and errors are reported.

mod common;

use common::Place;
use serde_json::json;

#[test]
fn the_page_is_written() {
    let place = Place::with_image();
    assert_eq!(place.run(&["report", "i.rimg", "-o", "r.html"]).ok(), "");
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    assert!(page.contains("<h1>What 6 sites tell crawlers</h1>"));
    place.run(&["report", "i.rimg", "-o", "few.html", "--sites", "2"]).ok();
    let few = std::fs::read_to_string(place.path("few.html")).expect("a page");
    assert!(few.contains("This page holds the 2 sites whose records are the longest, of 6"));
    let names: Vec<_> = std::fs::read_dir(place.path("."))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!names.iter().any(|name| name.ends_with(".part")), "{names:?}");
}

#[test]
fn counts_are_printed_as_json() {
    let place = Place::with_image();
    let run = place.run(&["report", "i.rimg", "-o", "r.html", "--json", "--title", "Papers & more"]);
    let [counted] = &run.json()[..] else { panic!("{run:?}") };
    assert_eq!((&counted["file"], &counted["image"]), (&json!("r.html"), &json!("i")));
    assert_eq!((&counted["sites"], &counted["sites_with_rules"]), (&json!(6), &json!(2)));
    assert_eq!(counted["oldest"], "2024-05-11T00:00:00Z");
    assert_eq!(counted["newest"], counted["oldest"]);
    let gptbot = counted["crawlers"].as_array().expect("a list").iter().find(|of| of["crawler"] == "GPTBot");
    // Blocked on a.example; down.example answered 503, which is not a rule.
    let expected = json!({ "crawler": "GPTBot", "kept_out": 1, "kept_out_by_name": 1, "some": 1, "all": 3,
        "reserving_ai_train": 0 });
    assert_eq!(gptbot, Some(&expected));
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    assert!(page.contains("<h1>Papers &amp; more</h1>") && page.contains("fetched on 2024-05-11"));
}

#[test]
fn uses_are_counted_by_language() {
    let place = Place::new();
    let line = |host: &str, body: &str| {
        let url = format!("https://{host}.example/robots.txt");
        json!({ "url": url, "fetched_at": "2026-01-01T00:00:00Z", "body": body }).to_string()
    };
    let lines = [
        line("a", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
        line("b", "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nAllow: /\n"),
        line("c", "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /x train-ai=y\nAllow: /\n"),
        line(
            "d",
            "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
        ),
        line("e", "User-agent: *\nDisallow: /x\n"),
        line(
            "f",
            "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
        ),
        json!({
            "url": "https://g.example/robots.txt", "fetched_at": "2026-01-01T00:00:00Z",
            "body": "User-agent: *\nContent-Signal: ai-train=yes\n", "truncated": true,
        })
        .to_string(),
    ];
    place.write("captures.jsonl", lines.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let counted = place.run(&["report", "i.rimg", "-o", "r.html", "--json"]).json().remove(0);
    let expected = json!({
        "usage": "ai-train",
        "refused": 3, "refused_in_part": 1, "conditional": 0, "permitted": 1, "unknown": 1, "silent": 1,
        "languages": [
            { "language": "aipref", "refused": 0, "refused_in_part": 1, "conditional": 0, "permitted": 1, "unknown": 0 },
            { "language": "content-signals", "refused": 3, "refused_in_part": 0, "conditional": 0, "permitted": 2, "unknown": 0 },
            // The unread rest of g is not a Content Signal.
            { "language": "rep", "refused": 0, "refused_in_part": 0, "conditional": 0, "permitted": 0, "unknown": 1 },
        ],
        "contradictory": 1,
        "contradictions": [
            { "refused_in": "content-signals", "permitted_in": "aipref", "sites": 1, "examples": ["https://b.example"] },
        ],
    });
    assert_eq!(counted["uses"][0], expected);
    let usages: Vec<_> = counted["uses"].as_array().expect("a list").iter().map(|of| &of["usage"]).collect();
    assert_eq!(usages, ["ai-train", "ai-input", "ai-index", "search", "index", "tdm"]);
    assert_eq!(counted["reserving_ai_train"], 4);
    let gptbot = counted["crawlers"].as_array().expect("a list").iter().find(|of| of["crawler"] == "GPTBot");
    let gptbot = gptbot.expect("a crawler");
    assert_eq!((&gptbot["kept_out_by_name"], &gptbot["reserving_ai_train"]), (&json!(2), &json!(1)));
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    for text in [
        "4 of 7 sites refuse AI training in one language at least",
        "training of models; 1 site is silent",
        "Content Signals refuses, AIPREF permits; for example <bdi>https://b.example</bdi>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        ["uses", "languages", "by-name", "contradictions"].map(|id| page.contains(&format!("id=\"{id}\"")))
            == [true; 4]
    );
}

/// What was not captured refuses no use, and is no text without rules.
#[test]
fn sites_without_a_robots_txt_refuse_nothing() {
    let place = Place::new();
    let headers = json!({ "content-type": "text/html" });
    let page = json!({ "url": "https://a.example/p", "headers": headers, "body": "<html>" }).to_string();
    place.write("c.jsonl", page);
    place.run(&["compile", "c.jsonl", "--pages", "-o", "i.rimg"]).ok();
    let run = place.run(&["report", "i.rimg", "-o", "r.html", "--json"]);
    let [counted] = &run.json()[..] else { panic!("{run:?}") };
    for uses in counted["uses"].as_array().expect("a list") {
        let refused = [&uses["refused"], &uses["refused_in_part"]];
        assert_eq!(refused, [&json!(0); 2], "{uses}");
    }
}

#[test]
fn without_statements_there_is_one_chart_of_uses() {
    let place = Place::with_image();
    place.run(&["report", "i.rimg", "-o", "r.html"]).ok();
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    assert!(page.contains("id=\"uses\"") && !page.contains("id=\"languages\""));
}

#[test]
fn several_images_are_reported_over_time() {
    let place = Place::with_image();
    place.write(
        "old.jsonl",
        "{\"url\":\"https://a.example/robots.txt\",\"fetched_at\":\"2023-01-01T00:00:00Z\",\"body\":\"\"}\n",
    );
    place.run(&["compile", "old.jsonl", "-o", "old.rimg"]).ok();
    // The newest image is determined by its captures, not by its position.
    let run = place.run(&["report", "i.rimg", "old.rimg", "-o", "r.html", "--json"]);
    let names: Vec<_> = run.json().iter().map(|counted| counted["image"].clone()).collect();
    assert_eq!(names, ["old", "i"]);
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    assert!(page.contains("<h1>What 6 sites tell crawlers</h1>") && page.contains("old, 2023-01-01"));
    assert!(page.contains("id=\"over-time\""));
}

#[test]
fn what_fails_is_said_and_leaves_the_old_page() {
    let place = Place::with_image();
    place.write("r.html", "old");
    place.write("no.rimg", "User-agent: *\n");
    place.run(&["report", "no.rimg", "-o", "r.html"]).fails("is not an image");
    place.run(&["report", "missing.rimg", "-o", "r.html"]).fails("missing.rimg");
    place.run(&["report", "i.rimg", "-o", "."]).fails("is a directory; --output names the page");
    place.run(&["report", "i.rimg", "-o", "no/such/folder/r.html"]).fails("cannot write");
    place.run(&["report", "i.rimg", "-o", "r.html", "--sites", "x"]).fails("--sites");
    place.run(&["report", "i.rimg"]).fails("--output");
    assert_eq!(std::fs::read_to_string(place.path("r.html")).expect("a page"), "old");
}

#[test]
fn damage_is_survived() {
    let place = Place::with_image();
    let whole = std::fs::read(place.path("i.rimg")).expect("an image");
    // Bytes after the header: the page may count less, but it is written.
    for at in (whole.len() / 2..whole.len()).step_by(whole.len() / 40) {
        let mut bent = whole.clone();
        bent[at] ^= 0xA5;
        place.write("bent.rimg", &bent);
        place.run(&["report", "bent.rimg", "-o", "bent.html"]).ok();
    }
}
