//! `export`: the files, their contents, and errors.

mod common;

use common::Place;
use serde_json::{Value, json};

fn rows(place: &Place, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path(file)).expect("a table");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn all_tables_in_all_formats() {
    let place = Place::with_image();
    for format in ["parquet", "csv", "jsonl"] {
        let written = place.run(&["export", "i.rimg", "--to", "t", "--format", format, "--json"]).json();
        let names: Vec<_> = written.iter().map(|table| table["table"].as_str().unwrap_or_default()).collect();
        assert_eq!(
            names,
            ["sites", "groups", "rules", "crawlers", "sitemaps", "extensions", "policy", "usages"]
        );
        place.run(&["export", "i.rimg", "--to", "again", "--format", format]).ok();
        for name in names {
            let file = |folder| place.path(&format!("{folder}/{name}.{format}"));
            let [first, again] = ["t", "again"].map(|folder| std::fs::read(file(folder)).expect("a file"));
            assert!(first == again, "{name}.{format} differs from run to run");
        }
    }
    let rest: Vec<_> = std::fs::read_dir(place.path("t")).expect("a directory").collect();
    assert_eq!(rest.len(), 24, "no other files are left: {rest:?}");
}

#[test]
fn rows_say_what_the_texts_say() {
    let place = Place::with_image();
    place
        .run(&[
            "export",
            "i.rimg",
            "--to",
            "t",
            "--format",
            "jsonl",
            "--crawler",
            "*",
            "--crawler",
            "GPTBot/1.0",
        ])
        .ok();
    let sites = rows(&place, "t/sites.jsonl");
    let a = sites.iter().find(|site| site["host"] == "a.example").expect("a site");
    let expected = json!({
        "site": "https://a.example", "scheme": "https", "host": "a.example", "port": null, "outcome": "rules",
        "status": 200, "fetched_at": "2024-05-11T00:00:00Z", "fresh_for": 86400, "document": a["document"],
        "octets": common::ROBOTS.len(), "groups": 2, "rules": 6, "named": 1, "sitemaps": 1,
        "domain": "a.example",
    });
    assert_eq!(a, &expected);
    let gone = sites.iter().find(|site| site["host"] == "gone.example").expect("a site");
    assert_eq!(
        (&gone["outcome"], &gone["document"], &gone["rules"]),
        (&json!("unavailable"), &json!(null), &json!(null))
    );
    let of_a = |file: &str| {
        let all = rows(&place, file).into_iter().filter(|row| row["document"] == a["document"]);
        all.collect::<Vec<_>>()
    };
    let groups = of_a("t/groups.jsonl");
    assert_eq!((&groups[0]["default"], &groups[0]["crawl_delay"]), (&json!(true), &json!(2.5)));
    let rules = of_a("t/rules.jsonl");
    let noindex = json!({ "document": a["document"], "group": 1, "line": 10, "allow": false, "usage": "index",
        "pattern": "/drafts", "conditions": null });
    assert!(rules.len() == 6 && rules.contains(&noindex), "{rules:?}");
    let crawlers = of_a("t/crawlers.jsonl");
    let names: Vec<_> = crawlers.iter().map(|row| (&row["crawler"], &row["operator"])).collect();
    assert_eq!(names, [(&json!("*"), &json!(null)), (&json!("gptbot"), &json!("OpenAI"))]);
    assert_eq!(of_a("t/sitemaps.jsonl")[0]["url"], "https://a.example/s.xml");
    let policy = rows(&place, "t/policy.jsonl");
    let told = |site: &str, crawler: &str| {
        let found =
            policy.iter().find(|row| row["site"] == site && row["crawler"] == crawler).expect("a row");
        ["share", "ground", "line", "purpose"].map(|column| found[column].clone())
    };
    assert_eq!(told("https://a.example", "*"), [json!("some"), json!("default"), json!(2), json!(null)]);
    assert_eq!(
        told("https://a.example", "GPTBot/1.0"),
        [json!("none"), json!("named"), json!(9), json!("train")]
    );
    assert_eq!(
        told("https://down.example", "*"),
        [json!("none"), json!("outcome"), json!(null), json!(null)]
    );
    assert_eq!(policy.len(), 12);
}

#[test]
fn several_images_are_one_table_over_time() {
    let place = Place::new();
    let line = |host: &str, day: u32| {
        let url = format!("https://{host}/robots.txt");
        let at = format!("2024-05-{day:02}T00:00:00Z");
        json!({ "url": url, "fetched_at": at, "body": "User-agent: GPTBot\nDisallow: /\n" }).to_string()
            + "\n"
    };
    place.write("late.jsonl", line("a.example", 9) + &line("b.example", 4));
    place.write("early.jsonl", line("a.example", 2));
    place.write("other/early.jsonl", "{\"url\":\"https://c.example/robots.txt\",\"body\":\"\"}\n");
    for name in ["late", "early", "other/early"] {
        place.run(&["compile", &format!("{name}.jsonl"), "-o", &format!("{name}.rimg")]).ok();
    }
    let images = ["export", "late.rimg", "early.rimg", "other/early.rimg"];
    let said = place.run(&[&images[..], &["--to", "t", "--format", "jsonl"]].concat()).ok();
    assert!(said.starts_with("sites               4  t/sites.jsonl\n"), "{said}");
    // Oldest first, before all those without a date; images of one name are ordered by path.
    let told: Vec<_> = rows(&place, "t/sites.jsonl")
        .into_iter()
        .map(|row| {
            ["site", "image", "newest"].map(|column| row[column].as_str().unwrap_or("null").to_owned())
        })
        .collect();
    let expected = [
        ["https://c.example", "other/early.rimg", "null"],
        ["https://a.example", "early.rimg", "2024-05-02T00:00:00Z"],
        ["https://a.example", "late", "2024-05-09T00:00:00Z"],
        ["https://b.example", "late", "2024-05-09T00:00:00Z"],
    ];
    assert_eq!(told, expected);
    // Each image has the rows of its own tables, with two more cells.
    for table in ["sites", "groups", "rules", "crawlers", "sitemaps", "extensions", "policy", "usages"] {
        let mut alone = Vec::new();
        for name in ["other/early", "early", "late"] {
            place.run(&["export", &format!("{name}.rimg"), "--to", "one", "--format", "jsonl"]).ok();
            alone.extend(rows(&place, &format!("one/{table}.jsonl")));
        }
        let mut together = rows(&place, &format!("t/{table}.jsonl"));
        for row in &mut together {
            let row = row.as_object_mut().expect("an object");
            assert!(row.remove("image").is_some() && row.remove("newest").is_some(), "{table}");
        }
        assert_eq!(together, alone, "{table}");
    }
    for format in ["parquet", "csv"] {
        place.run(&[&images[..], &["--to", "t", "--format", format]].concat()).ok();
    }
    let csv = std::fs::read_to_string(place.path("t/crawlers.csv")).expect("a table");
    assert!(csv.starts_with("document,group,crawler,operator,purpose,image,newest\n"), "{csv}");
}

#[test]
fn paths_are_printed_as_given() {
    let place = Place::with_image();
    let export = ["export", "i.rimg", "--to", "t", "--format", "csv", "--table", "sites"];
    for _ in 0..2 {
        assert!(place.run(&export).ok().ends_with("  t/sites.csv\n"));
        let json = place.run(&[&export[..], &["--json"]].concat()).json();
        assert_eq!(json[0]["file"], "t/sites.csv");
    }
}

#[test]
fn some_tables_and_usages() {
    let place = Place::with_image();
    let arguments = ["export", "i.rimg", "--to", "deep/t", "--format", "csv", "--table", "policy"];
    let more = ["--crawler", "GPTBot", "--usage", "index", "--usage", "crawl"];
    let said = place.run(&[&arguments[..], &more].concat()).ok();
    assert!(said.starts_with("policy             12  "), "{said}");
    let text = std::fs::read_to_string(place.path("deep/t/policy.csv")).expect("a table");
    assert!(
        text.contains("https://a.example,GPTBot,OpenAI,train,index,unknown,named,true,false,false,10\n"),
        "{text}"
    );
    assert_eq!(std::fs::read_dir(place.path("deep/t")).expect("a directory").count(), 1);
}

/// Of several names, the first one that a group names counts (R5).
#[test]
fn lists_of_names_are_crawlers_of_their_own() {
    let place = Place::new();
    let body = "User-agent: aaa\nDisallow: /\n\nUser-agent: bbb\nDisallow:\n";
    place.write("c.jsonl", json!({ "url": "https://a.example/robots.txt", "body": body }).to_string());
    place.run(&["compile", "c.jsonl", "-o", "i.rimg"]).ok();
    let header = "Mozilla/5.0 (compatible; aaa/1.0; bbb/1.0)";
    let crawlers = ["--crawler", "bbb,aaa", "--crawler", "aaa,bbb", "--crawler", header];
    let export = ["export", "i.rimg", "--to", "t", "--format", "csv", "--table", "policy"];
    place.run(&[&export[..], &crawlers].concat()).ok();
    let text = std::fs::read_to_string(place.path("t/policy.csv")).expect("a table");
    let shares: Vec<&str> =
        text.lines().skip(1).filter_map(|row| row.split(",crawl,").nth(1)?.split(',').next()).collect();
    assert_eq!(shares, ["all", "none", "none"], "{text}");
}

/// A name that stands whole in an ACAP record is a crawler like others, without quotation marks.
#[test]
fn whole_names_are_names() {
    let place = Place::new();
    let body = "User-agent: Bot\nContent-Signal: search=no\nAllow: /\n\nACAP-crawler: Bot/1.0\nACAP-allow-crawl: /\n";
    place.write("c.jsonl", json!({ "url": "https://a.example/robots.txt", "body": body }).to_string());
    place.run(&["compile", "c.jsonl", "-o", "i.rimg"]).ok();
    place.run(&["export", "i.rimg", "--to", "t", "--format", "csv"]).ok();
    let table = |name: &str| std::fs::read_to_string(place.path(&format!("t/{name}.csv"))).expect("a table");
    for name in ["usages", "crawlers", "sites"] {
        assert!(!table(name).contains("\"\""), "{}", table(name));
    }
    assert!(table("usages").contains("bot,,,search,none,"), "{}", table("usages"));
    assert!(table("crawlers").contains("bot/1.0"), "{}", table("crawlers"));
}

#[test]
fn what_cannot_be() {
    let place = Place::with_image();
    place.run(&["export", "none.rimg", "--to", "t"]).fails("cannot open none.rimg");
    place.run(&["export", "captures.jsonl", "--to", "t"]).fails("captures.jsonl");
    place.run(&["export", "i.rimg", "--to", "i.rimg"]).fails("i.rimg: is a file; --to names the directory");
    place.run(&["export", "i.rimg", "--to", "t", "--table", "x"]).fails("invalid value 'x'");
    place.run(&["export", "i.rimg", "--to", "t", "--crawler", "/"]).fails("names no crawler");
    // If a table cannot be written, the others stay unchanged.
    std::fs::create_dir_all(place.path("u/rules.csv")).expect("a directory");
    place.write("u/sites.csv", "old");
    place.run(&["export", "i.rimg", "--to", "u", "--format", "csv", "--force"]).fails("is a directory");
    assert_eq!(std::fs::read_to_string(place.path("u/sites.csv")).expect("a file"), "old");
    assert_eq!(std::fs::read_dir(place.path("u")).expect("a directory").count(), 2);
}

#[test]
fn documents_beside_robots_txt_are_counted() {
    let place = Place::new();
    let line = |path: &str| {
        json!({ "url": format!("https://a.example/{path}"), "body": "User-agent: *\nDisallow: /x\n" })
            .to_string()
    };
    place.write("c.jsonl", [line("robots.txt"), line("data.txt")].join("\n"));
    place.run(&["compile", "c.jsonl", "-o", "i.rimg"]).ok();
    let run = place.run(&["export", "i.rimg", "--to", "t", "--format", "jsonl"]);
    assert!(run.err.contains("1 document beside it"), "{run:?}");
    assert_eq!((rows(&place, "t/sites.jsonl").len(), rows(&place, "t/rules.jsonl").len()), (1, 1));
}

/// One document of statements answers differently beside different outcomes of robots.txt.
#[test]
fn shares_depend_on_the_outcome() {
    let place = Place::new();
    let reserves = r#"[{"location":"/","tdm-reservation":1}]"#;
    let line = |host: &str, path: &str, status: u16, body: &str| {
        json!({ "url": format!("https://{host}.example/{path}"), "status": status, "body": body }).to_string()
    };
    let lines: Vec<String> = [("a", 404), ("b", 500), ("c", 404)]
        .iter()
        .flat_map(|&(host, status)| {
            [line(host, "robots.txt", status, ""), line(host, ".well-known/tdmrep.json", 200, reserves)]
        })
        .collect();
    place.write("c.jsonl", lines.join("\n"));
    place.run(&["compile", "--pages", "c.jsonl", "-o", "i.rimg"]).ok();
    place.run(&["export", "i.rimg", "--to", "t", "--format", "jsonl", "--crawler", "*"]).ok();
    let policy = rows(&place, "t/policy.jsonl");
    let share = |host: &str| {
        let row = policy.iter().find(|row| row["site"] == format!("https://{host}.example"));
        row.expect("a row")["share"].clone()
    };
    assert_eq!(["a", "b", "c"].map(share), ["all", "none", "all"]);
}
