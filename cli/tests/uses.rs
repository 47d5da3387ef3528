//! What a person reads about uses of content: `explain`, `check`, `query` and `page`.

mod common;

use common::Place;
use serde_json::{Value, json};

const ROBOTS: &str = "\
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /free/ train-ai=y
Content-Signal: search=yes, ai-train=no
Disallow: /closed/
";

fn place() -> Place {
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    place
}

fn explain(place: &Place, url: &str, usage: &str) -> String {
    place.run(&["explain", "robots.txt", url, "--usage", usage]).ok()
}

/// The lines of an explanation from the statements on.
fn end(text: &str) -> String {
    text.lines().skip_while(|line| *line != "statements").collect::<Vec<_>>().join("\n")
}

#[test]
fn every_statement_is_explained() {
    let place = place();
    let told = end(&explain(&place, "/free/a", "ai-train"));
    let expected = "\
statements
           line 4 (Content Signals): Content-Signal: search=yes, ai-train=no
             ai-train disallowed  <- decides: one refusal suffices
           line 3 (AIPREF): Content-Usage: /free/ train-ai=y
             ai-train allowed  stands, but one refusal suffices
           line 2 (AIPREF): Content-Usage: train-ai=n
             ai-train disallowed  beaten by line 3 (AIPREF), which has a longer path (6 bytes; this one none)
crawl    allowed
verdict  disallowed: line 4 (Content Signals) refuses it, and one refusal suffices";
    assert_eq!(told, expected);
    // Two refusals, of two languages.
    let told = explain(&place, "/a", "ai-train");
    let reason = "line 2 (AIPREF) and line 4 (Content Signals) refuse it, and one refusal suffices\n";
    assert!(told.ends_with(&format!("crawl    allowed\nverdict  disallowed: {reason}")), "{told}");
}

#[test]
fn a_part_is_named_with_its_whole() {
    let place = place();
    // The signal speaks of the index, too, which is part of search.
    let told = end(&explain(&place, "/a", "search"));
    assert!(told.contains("             search allowed  <- decides: nothing refuses\n"), "{told}");
    assert!(
        told.contains("             index allowed  stands, but a part never permits the whole\n"),
        "{told}"
    );
    assert!(told.ends_with("allowed: line 4 (Content Signals) permits it, and nothing refuses it"), "{told}");
    place.write("robots.txt", "User-agent: *\nContent-Signal: search=yes\nNoindex: /a\n");
    let told = explain(&place, "/a", "search");
    let reason = "line 3 refuses index, which is part of search, and one refusal suffices\n";
    assert!(told.ends_with(&format!("verdict  disallowed: {reason}")), "{told}");
    // Mining covers training, and training alone does not permit mining.
    place.write("robots.txt", "User-agent: *\nContent-Signal: ai-train=yes\n");
    let told = explain(&place, "/a", "tdm");
    let reason = "line 2 (Content Signals) permits only a part of tdm, and a part never permits the whole\n";
    assert!(told.ends_with(&format!("verdict  unknown: {reason}")), "{told}");
}

#[test]
fn an_unknown_answer_has_a_reason() {
    let place = place();
    let reason = |url, usage| {
        let told = explain(&place, url, usage);
        told.lines().last().unwrap_or_default().to_owned()
    };
    place.write("robots.txt", "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /closed/\n");
    assert_eq!(
        reason("/a", "ai-input"),
        "verdict  unknown: line 2 (AIPREF) says nothing about ai-input, and nothing else speaks of it"
    );
    assert_eq!(
        reason("/closed/a", "ai-train"),
        "verdict  unknown: line 2 (AIPREF) does not count, because the URL may not be fetched"
    );
    assert_eq!(
        reason("/a", "ai-index"),
        "verdict  unknown: nothing that applies to this crawler speaks of the usage \"ai-index\""
    );
    let told = end(&explain(&place, "/closed/a", "ai-train"));
    assert!(told.contains("  does not count: the URL may not be fetched, so that it has no preference\n"));
    assert!(told.contains("\ncrawl    disallowed\n"), "{told}");
    place.write("robots.txt", "License: https://a.example/l.xml\n\nUser-agent: *\nAllow: /\n");
    let told = explain(&place, "https://a.example/x", "ai-train");
    assert!(told.contains("ai-train unread  <- decides: what could not be read permits nothing\n"), "{told}");
    assert!(told.contains("unknown: line 1 (RSL) could not be read or is missing, so nothing"), "{told}");
    assert!(told.ends_with("incomplete: what could not be read, or is missing, may permit or refuse it\n"));
}

#[test]
fn check_and_json_have_the_same_statements() {
    let place = place();
    let run = place.run(&["check", "robots.txt", "x", "/free/a", "--usage", "ai-train"]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.starts_with("disallowed\t/free/a\nstatements\n           line 4 (Content"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with("(6 bytes; this one none)\ncrawl    allowed\n"), "{}", run.out);
    // A question about fetching is answered by one line.
    assert_eq!(place.run(&["check", "robots.txt", "x", "/free/a"]).ok(), "allowed\t/free/a\n");
    let run = |command: &[&str]| place.run(command).json().remove(0);
    let told = run(&["explain", "robots.txt", "/free/a", "--usage", "ai-train", "--json"]);
    let checked = run(&["check", "robots.txt", "*", "/free/a", "--usage", "ai-train", "--json"]);
    assert_eq!(told["statements"], checked["statements"]);
    assert_eq!(
        told["statements"][0],
        json!({
            "language": "content-signals", "carrier": "robots", "line": 4, "document": null,
            "usage": "ai-train", "effect": "disallowed", "fate": "decides",
            "why": "decides: one refusal suffices", "text": "Content-Signal: search=yes, ai-train=no",
            "conditions": []
        })
    );
    assert_eq!(told["crawl"], "allowed");
    let fates: Vec<&Value> = told["statements"].as_array().unwrap().iter().map(|s| &s["fate"]).collect();
    assert_eq!(fates, ["decides", "stands", "beaten"]);
    let told = run(&["explain", "robots.txt", "/free/a", "--json"]);
    assert_eq!((&told["crawl"], &told["statements"]), (&Value::Null, &Value::Null));
}

#[test]
fn an_image_explains_headers_and_documents_of_the_site() {
    let place = Place::new();
    let capture = |path: &str, body: &str, headers: Value| {
        let url = format!("https://a.example{path}");
        json!({ "url": url, "status": 200, "body": body, "headers": headers }).to_string()
    };
    let tdm = r#"[{"location":"/a","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#;
    let page = "<html><body>x</body></html>";
    let lines = [
        capture("/robots.txt", "User-agent: *\nContent-Signal: ai-train=yes\n", json!({})),
        capture("/.well-known/tdmrep.json", tdm, json!({})),
        capture(
            "/a.html",
            page,
            json!({ "content-type": "text/html", "x-robots-tag": "max-snippet: 20, unavailable_after: 25 Jun 2010 15:00:00 GMT" }),
        ),
    ];
    place.write("captures.jsonl", lines.join("\n"));
    place.run(&["compile", "captures.jsonl", "--pages", "-o", "i.rimg"]).ok();
    let ask =
        |usage: &str| place.run(&["explain", "i.rimg", "https://a.example/a.html", "--usage", usage]).ok();
    let told = ask("tdm");
    assert!(told.contains("rule 1 of /.well-known/tdmrep.json (TDMRep): /a: tdm-reservation 0\n"), "{told}");
    assert!(
        told.contains("beaten by rule 1 of /.well-known/tdmrep.json (TDMRep), the first that matches\n"),
        "{told}"
    );
    let told = ask("present-snippet");
    assert!(told.contains("present-snippet conditional only if "), "{told}");
    assert!(told.contains("\nonly if  "), "{told}");
    assert!(
        told.contains("verdict  conditional: a response header (META and X-Robots-Tag) permits"),
        "{told}"
    );
    // The header is about a time that is over.
    let told = ask("index");
    assert!(told.contains("  <- its time is over; decides: one refusal suffices\n"), "{told}");
}

#[test]
fn a_page_shows_its_statements() {
    let place = Place::new();
    place.write(
        "a.html",
        "<html><head>\n<meta name=robots content=\"noarchive\">\n<meta name=googlebot content=\"noindex\">\n\
         <meta name=tdm-reservation content=1>\n\
         <link rel=license type=\"application/rsl+xml\" href=\"/l.xml\">\n\
         </head><body>\n<div data-nosnippet>x</div></body></html>\n",
    );
    place.write("robots.txt", "User-agent: *\nAllow: /\n");
    let ask = |agent: &str, usage: &str| {
        let arguments = ["page", "a.html", "--url", "https://a.example/a.html", "--robots", "robots.txt"];
        place.run(&[&arguments[..], &["-a", agent, "--usage", usage]].concat()).out
    };
    let told = ask("x", "preserve");
    for expected in [
        "robots: noarchive\n                   prohibits preserve, prohibits present-currentcopy, prohibits present-oldcopy  <- decides\n",
        "googlebot: noindex\n                   prohibits index, prohibits search  for another crawler\n",
        "tdm-reservation: 1\n                   prohibits tdm, prohibits ai-train  of another usage\n",
        "prohibits present-snippet for the whole page, to one who does not work on elements  of another usage\n",
        "licences\n           https://a.example/l.xml\n",
        "line 2 of the page (META and X-Robots-Tag): META robots \"noarchive\"\n             preserve disallowed  <- decides",
        "verdict  disallowed: line 2 of the page (META and X-Robots-Tag) refuses it",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    let told = ask("googlebot", "index");
    assert!(told.contains("prohibits index, prohibits search  <- decides\n"), "{told}");
    let told = ask("x", "index");
    assert!(told.contains("the page (META and X-Robots-Tag): default: index, follow\n"), "{told}");
    let told = ask("x", "tdm");
    assert!(told.contains("prohibits tdm, prohibits ai-train  <- decides\n"), "{told}");
    let told = ask("x", "present-snippet");
    assert!(told.contains("line 7 of the page (META and X-Robots-Tag): data-nosnippet\n"), "{told}");
    let told = ask("x", "ai-input");
    assert!(told.contains("may prohibit ai-input"), "{told}");
    assert!(told.contains("verdict  unknown: the page (RSL)"), "{told}");
}

/// A licence inside an element of the body speaks of that element: it refuses for the whole page,
/// and permits nothing of the rest.
#[test]
fn a_licence_of_a_part_permits_nothing() {
    let place = Place::new();
    place.write("robots.txt", "User-agent: *\nAllow: /\n");
    let document = |terms: &str| {
        format!(
            "<script type=application/rsl+xml><rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"\">\
             <license>{terms}</license></content></rsl></script>"
        )
    };
    let permits = document("<permits type=\"usage\">ai-train</permits>");
    let prohibits = document("<prohibits type=\"usage\">ai-train</prohibits>");
    let paid = document("<permits type=\"usage\">ai-train</permits><payment type=\"purchase\"/>");
    for (head, part, expected) in [
        (&permits, "", "allowed"),
        (&paid, "", "conditional"),
        (&String::new(), &*permits, "unknown"),
        (&String::new(), &*paid, "unknown"),
        (&String::new(), &*prohibits, "disallowed"),
        (&permits, &*permits, "allowed"),
        (&permits, &*paid, "unknown"),
        (&permits, &*prohibits, "disallowed"),
        (&prohibits, &*permits, "disallowed"),
    ] {
        let html = format!("<html><head>{head}</head><body><article>{part}</article></body></html>");
        place.write("a.html", &html);
        let arguments = ["page", "a.html", "--url", "https://a.example/a.html", "--robots", "robots.txt"];
        let told = place.run(&[&arguments[..], &["-a", "x", "--usage", "ai-train"]].concat()).out;
        assert!(told.contains(&format!("verdict  {expected}")), "{html}\n{told}");
    }
}

const OPTIONAL: &str = "\
{\"url\":\"https://a.example/robots.txt\",\"status\":200,\"fetched_at\":\"2026-01-01T00:00:00Z\",\"body\":\"User-agent: *\\nContent-Signal: use=immediate\\nAllow: /\\n\\nUser-agent: No-Training\\nDisallow: /\\n\"}
";

#[test]
fn vocabularies_and_control_tokens_are_options() {
    let place = Place::new();
    place.write("rows.jsonl", OPTIONAL);
    let compile = |image: &str, options: &[&str]| {
        place.run(&[&["compile", "rows.jsonl", "-o", image], options].concat()).ok();
    };
    let verdict = |image: &str, agent: &str, usage: &str| {
        let url = "https://a.example/x";
        place.run(&["query", image, "--agent", agent, "--usage", usage, url]).ok()
    };
    let said = |word: &str| format!("{word}\thttps://a.example/x\n");
    compile("plain.rimg", &[]);
    assert_eq!(verdict("plain.rimg", "b", "ai-train"), said("unknown"));
    assert_eq!(verdict("plain.rimg", "b", "preserve"), said("unknown"));
    compile("table.rimg", &["--vocabulary", "cloudflare-2026-07"]);
    assert_eq!(verdict("table.rimg", "b", "preserve"), said("disallowed"));
    compile("token.rimg", &["--control-token", "No-Training=train-ai:examplebot"]);
    assert_eq!(verdict("token.rimg", "ExampleBot", "ai-train"), said("disallowed"));
    assert_eq!(verdict("token.rimg", "b", "ai-train"), said("unknown"));
    compile("all.rimg", &["--control-token", "No-Training=ai-train"]);
    assert_eq!(verdict("all.rimg", "b", "ai-train"), said("disallowed"));
    // An image says what counted, and is explained by it.
    let inspected = place.run(&["inspect", "token.rimg"]).ok();
    assert!(inspected.contains("vocabulary       No-Training - ai-train examplebot\n"), "{inspected}");
    let explain = ["explain", "all.rimg", "--agent", "b", "--usage", "ai-train", "https://a.example/x"];
    let explained = place.run(&explain).ok();
    assert!(explained.contains("line 6"), "{explained}");
    let check = ["check", "robots.txt", "b", "/x", "--usage", "ai-train", "--control-token", "T=ai-train"];
    place.write("robots.txt", "User-agent: T\nDisallow: /\n");
    assert_eq!(place.run(&check).code, 1);
    // Images that were made by different vocabularies have no common answer.
    let merged = place.run(&["merge", "plain.rimg", "all.rimg", "-o", "merged.rimg"]);
    assert!(merged.code == 2 && merged.err.contains("vocabulary"), "{}", merged.err);
    for mistake in ["T", "=ai-train", "T=nothing", "T=", "a b=ai-train"] {
        assert_eq!(
            place.run(&["check", "robots.txt", "b", "/x", "--control-token", mistake]).code,
            2,
            "{mistake}"
        );
    }
}

#[test]
fn meaningless_parameters_are_removed() {
    let place = Place::new();
    place.write("a.example.txt", "Clean-param: ref&sid /shop/\nUser-agent: *\nDisallow: /x\n");
    place.run(&["compile", "a.example.txt", "-o", "a.rimg"]).ok();
    let urls = ["https://a.example/shop/?ref=1&id=2&sid=3", "https://a.example/?ref=1", "not a URL"];
    let clean = "https://a.example/shop/?id=2\nhttps://a.example/?ref=1\nnot a URL\n";
    assert_eq!(place.run(&[&["canonical", "a.rimg"], &urls[..]].concat()).ok(), clean);
    let lines = format!(" {} \r\n\n{}", urls[0], urls[1..].join("\n"));
    assert_eq!(place.run_with(&["canonical", "a.rimg"], lines.as_bytes()).ok(), clean);
}
