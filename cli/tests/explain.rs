//! `explain` of files whose fields are weighed by specificity.

mod common;

use common::Place;

/// The outline of 4.7 of ACAP 0.2.
const PILOT: &str = include_str!("../../tests/golden/acap-pilot/robots.txt");

fn place(robots: &str) -> Place {
    let place = Place::new();
    place.write("a.example.txt", robots);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg"]).ok();
    place
}

/// A file and an image have the same explanation, except for the line that names the site.
#[track_caller]
fn explain(place: &Place, url: &str, more: &[&str]) -> String {
    let url = format!("http://a.example{url}");
    let told = ["a.example.txt", "i.rimg"].map(|source| {
        let out = place.run(&[&["explain", source, &url], more].concat()).ok();
        out.lines().filter(|line| !line.starts_with("note ")).collect::<Vec<_>>().join("\n")
    });
    let site =
        |told: &str| told.lines().filter(|line| !line.starts_with("site ")).collect::<Vec<_>>().join("\n");
    assert_eq!(site(&told[0]), site(&told[1]));
    told[0].clone()
}

#[test]
fn the_outline_of_the_pilot() {
    let place = place(PILOT);
    for (usage, url, expected) in [
        ("crawl", "/x", "verdict  allowed: line 13 permits it, and nothing as narrow prohibits it"),
        (
            "index",
            "/public",
            "verdict  allowed: line 14 has a narrower pattern than the prohibition in line 15",
        ),
        ("index", "/x", "verdict  disallowed: line 15 prohibits it, and nothing as narrow permits it"),
        (
            "preserve",
            "/news",
            "verdict  conditional: line 17 has a narrower pattern than the prohibition in line 18",
        ),
        ("preserve", "/news", "only if  time-limit=30-days"),
        (
            "present",
            "/a.pdf",
            "verdict  disallowed: line 22 has a narrower pattern than the permission in line 19",
        ),
        (
            "present",
            "/public/foo",
            "verdict  disallowed: line 23 has a narrower pattern than the permission in line 20",
        ),
        ("present-thumbnail", "/public", "on an equal pattern, line 21 speaks of present-thumbnail itself"),
        ("present-link", "/public", "verdict  allowed: line 20 has a narrower pattern"),
    ] {
        let out = explain(&place, url, &["--agent", "a", "--usage", usage]);
        assert!(out.contains(expected), "{expected}\n{out}");
        assert!(out.contains("line 12: *  (sub-record for *)"), "{out}");
        assert!(out.contains("applies  sub-records for this purpose, addressed to any crawler"), "{out}");
    }
    let out = explain(&place, "/public", &["--agent", "xyz", "--usage", "index"]);
    assert!(out.contains("line 26: xyz  (record, refers to a file that is missing)"), "{out}");
    let verdict = "verdict  disallowed: what is missing may prohibit it; without that it is allowed: line 14";
    assert!(out.contains(verdict), "{out}");
    assert!(
        out.ends_with("incomplete: without /xyz/robots.txt, so that allowed counts as disallowed"),
        "{out}"
    );
    place.write("xyz.txt", "ACAP-crawler: xyz\nACAP-disallow-(short-term-preserve): /news\n");
    let ask = ["explain", "a.example.txt", "/news", "--agent", "xyz", "--usage", "preserve"];
    let out = place.run(&[&ask[..], &["--with", "/xyz/robots.txt=xyz.txt"]].concat()).ok();
    assert!(out.contains("verdict  disallowed: line 2 of /xyz/robots.txt prohibits it"), "{out}");
    assert!(out.contains("a record that names the crawler overrides line 17"), "{out}");
}

#[test]
fn pairs_that_cannot_be_ordered_are_drawn() {
    let place = place(
        "ACAP-crawler: *\nACAP-allow-index: /%2a/*ab\nACAP-disallow-index: /%2A/*cd\nACAP-allow-crawl: /same\n\
         ACAP-disallow-crawl: /Same\n",
    );
    let out = explain(&place, "/*/abcd", &["--usage", "index"]);
    let expected = "
           line 2     /%2A/*ab
                            ^
           line 3     /%2A/*cd
                            ^
";
    assert!(out.contains(expected), "{out}");
    assert!(out.contains("disallowed: which of line 3 and line 2 is narrower cannot be determined"), "{out}");
    let story = &place.run(&["explain", "a.example.txt", "/*/abcd", "--usage", "index", "--json"]).json()[0];
    let pair = serde_json::json!({
        "rules": [{ "line": 2, "pattern": "/%2A/*ab" }, { "line": 3, "pattern": "/%2A/*cd" }], "column": 7
    });
    assert_eq!(story["undetermined"][0], pair);
    let out = explain(&place, "/same", &[]);
    assert!(out.contains("line 5 and line 4 have equal patterns; neither is narrower"), "{out}");
    assert!(!out.contains("unclear"), "{out}");
}

#[test]
fn fates_and_levels() {
    let place = place(
        "User-agent: *\nDisallow: /c\nAllow: /c/x\n\
         ACAP-crawler: *\nACAP-disallow-crawl: /c/x\nACAP-disallow-index: /i\nACAP-disallow-other: /o\n\
         ACAP-crawler: me\nACAP-allow-index: /\nACAP-usage-purpose: news\nACAP-usage-purpose: ads\n\
         ACAP-disallow-index: /i\n",
    );
    let out = explain(&place, "/c/x", &[]);
    assert!(out.contains("rank 4  contradicted by a field on the same pattern"), "{out}");
    assert!(
        out.contains("conventional line 3 says the opposite on the very same pattern and is ignored"),
        "{out}"
    );
    assert!(out.contains("sides    ACAP alone disallowed, the conventional rules alone disallowed"), "{out}");
    let out = explain(&place, "/i", &["--agent", "me", "--usage", "index"]);
    assert!(out.contains("(sub-record for news, ads, which is not asked for)"), "{out}");
    assert!(out.contains("applies  the general fields of records, that name the crawler"), "{out}");
    assert!(out.contains("line 6     ACAP-disallow-index: /i  record, to any        overridden"), "{out}");
    assert!(out.contains("a record that names the crawler overrides line 6"), "{out}");
    let out = explain(&place, "/i", &["--agent", "me", "--usage", "index", "--purpose", "ads"]);
    assert!(out.contains("asks     me, to index, for ads"), "{out}");
    assert!(out.contains("verdict  disallowed: line 12 prohibits it"), "{out}");
    let out = explain(&place, "/o", &["--usage", "train"]);
    assert!(out.contains("no field speaks of \"train\" here, so those of \"other\" answer: line 7"), "{out}");
    let out = explain(&place, "/x", &["--usage", "translate"]);
    assert!(out.contains("where ACAP is silent, every usage is permitted"), "{out}");
    let story = &place
        .run(&["explain", "i.rimg", "http://a.example/i", "-a", "me", "--usage", "index", "--json"])
        .json()[0];
    let level = serde_json::json!({ "other": false, "any": true, "holder": "record" });
    assert_eq!((&story["matches"][0]["level"], &story["matches"][0]["fate"]), (&level, &"overridden".into()));
    assert_eq!(story["groups"][3]["purposes"], serde_json::json!(["news", "ads"]));
}

#[test]
fn bytes_that_steer_terminals_are_not_printed() {
    let place =
        place("ACAP-crawler: *\nACAP-allow-index: /%1B%0A*a x=\u{1b}\nACAP-disallow-index: /%1B%0A*b\n");
    let out = explain(&place, "/%1b%0aab", &["--usage", "index"]);
    assert!(
        !out.contains('\u{1b}') && out.contains("/\\u{1b}\\n*a") && out.contains("cannot be determined"),
        "{out}"
    );
}

#[test]
fn images_keep_files_and_pages() {
    let place = Place::new();
    let line = |path: &str, kind: &str, body: &str| {
        let url = format!("https://a.example{path}");
        serde_json::json!({ "url": url, "status": 200, "content_type": kind, "body": body }).to_string()
    };
    let page = "<html><head>\n<meta name=robots content=\"ACAP disallow-index\"></head></html>";
    let captures = [
        line("/robots.txt", "text/plain", "ACAP-crawler: far\nACAP-permissions-reference: /far.txt\n"),
        line("/far.txt", "text/plain", "ACAP-crawler: far\nACAP-disallow-follow: /f\n"),
        line("/a.html", "text/html", page),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--pages"]).ok();
    let ask = |url: &str, usage: &str| {
        place
            .run(&["explain", "i.rimg", &format!("https://a.example{url}"), "-a", "far", "--usage", usage])
            .ok()
    };
    let out = ask("/f", "follow");
    assert!(out.contains("line 2 of /far.txt prohibits it"), "{out}");
    assert!(out.contains("note     the text refers to other files"), "{out}");
    let out = ask("/a.html", "index");
    assert!(out.contains("verdict  disallowed: line 2 of the page prohibits it"), "{out}");
    assert!(out.contains("META ACAP disallow-index  page, to any          <- decides"), "{out}");
}

#[test]
fn rule_sets_and_their_versions() {
    let place = place(
        "User-agent: a\nRobot-version: 2.1.0\nAllow: /x\nUser-agent: a\nDisallow: /old\n\
         User-agent: a\nRobot-version: 2.0.0\nAllow: /p*\nUser-agent: a\nRobot-version: 2.0.0\nDisallow: /q\n\
         User-agent: a\nRobot-version: 3.0.0\nDisallow: /z\n\
         User-agent: b\nDisallow: *\nRobot-version: 2.0.0\n",
    );
    let out = explain(&place, "/z", &["-a", "a"]);
    let expected = "
           line 6: a, a*  (Robot-version 2.0)
           line 1: a  (Robot-version 2.1) is skipped: it is experimental, as its minor is odd
           line 4: a  (no Robot-version, so 1.0) is skipped: version 2.0 goes before it
           line 9: a  (Robot-version 2.0) is skipped: an earlier set of the same version answers
           line 12: a  (Robot-version 3.0) is skipped: nobody knows that version
matches
           line 6     (nothing else is allowed)  rank 1  <- decides
verdict  disallowed: the rule set of line 6 lists what is allowed, and not this";
    assert!(out.contains(expected), "{out}");
    let story = &place.run(&["explain", "i.rimg", "http://a.example/p", "-a", "a", "--json"]).json()[0];
    assert_eq!(story["groups"][0]["version"], serde_json::json!({ "major": 2, "minor": 0, "stated": true }));
    assert_eq!(story["skipped"][1]["why"], "version 2.0 goes before it");
    let rule = |agent| {
        let ask = ["query", "i.rimg", "http://a.example/z", "--json", "-a", agent];
        place.run(&ask).json()[0]["rule"].clone()
    };
    assert_eq!((rule("a"), rule("b")), ("(nothing else is allowed)".into(), "Disallow: *".into()));
    let out = explain(&place, "/z", &["-a", "c"]);
    assert!(out.contains("no group names \"c\", and there is no default"), "{out}");
}

#[test]
fn narrowed_images_decide_nothing_of_others() {
    let place = Place::new();
    place.write("a.example.txt", "User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: /\n");
    place.run(&["compile", "a.example.txt", "-o", "i.rimg", "--crawler", "a"]).ok();
    let ask = |agent| place.run(&["explain", "i.rimg", "http://a.example/x", "-a", agent]).ok();
    assert!(ask("a").contains("<- decides"));
    let out = ask("b");
    assert!(out.contains("verdict  unknown: ") && !out.contains("decides"), "{out}");
}

#[test]
fn rules_of_pages_name_their_page() {
    let place = Place::new();
    let line = |path: &str, kind: &str, body: &str| {
        let url = format!("https://a.example{path}");
        serde_json::json!({ "url": url, "status": 200, "content_type": kind, "body": body }).to_string()
    };
    let page = "<html><head>\n<meta name=robots content=\"ACAP disallow-index\"></head></html>";
    let captures = [
        line("/robots.txt", "text/plain", "User-agent: *\nDisallow: /x\n"),
        line("/a?b=1", "text/html", page),
        line("/c", "text/html", &page.replace('\n', "")),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--pages"]).ok();
    let ask = |command, url, more: &[&str]| {
        place.run(&[&[command, "i.rimg", url, "--usage", "index"], more].concat()).ok()
    };
    let answer = ask("query", "https://a.example/a?b=1", &["--json"]);
    let rule = serde_json::json!({
        "line": 2, "file": null, "page": "/a?b=1", "rule": "META ACAP disallow-index"
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).unwrap()["rules"][0], rule);
    let out = ask("explain", "https://a.example/a?b=1", &[]);
    assert!(out.contains("\n           line 2 of /a?b=1: *  (META tags)\n"), "{out}");
    let out = ask("explain", "https://a.example/c", &[]);
    assert!(out.contains("\n           line 1 of /c: *  (META tags)\n"), "{out}");
    assert!(!ask("explain", "https://a.example/d", &[]).contains("META"));
    let story = ask("explain", "https://a.example/c", &["--json"]);
    let story: serde_json::Value = serde_json::from_str(&story).unwrap();
    assert_eq!((&story["matches"][0]["page"], &story["groups"][1]["page"]), (&"/c".into(), &"/c".into()));
}

#[test]
fn other_documents_are_explained() {
    let place = Place::new();
    let line = |path: &str, body: &str| {
        serde_json::json!({ "url": format!("https://a.example/{path}"), "status": 200, "body": body })
            .to_string()
    };
    let data = "User-agent: unhip\nDisallow: /d\nUser-agent: *\nAllow: /d\n";
    let captures = [line("robots.txt", "User-agent: *\nDisallow: /r\n"), line("data.txt", data)];
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let ask = |url, agent| place.run(&["explain", "i.rimg", "--document", "data.txt", url, "-a", agent]).ok();
    let out = ask("https://a.example/d/x", "unhip/1");
    assert!(out.contains("site     https://a.example/data.txt: rules"), "{out}");
    assert!(out.contains("line 2     Disallow: /d") && out.contains("verdict  disallowed: line 2"), "{out}");
    assert!(ask("https://a.example/r", "x").contains("verdict  allowed: no rule matches"));
    let out = ask("https://b.example/", "x");
    assert!(out.contains("verdict  unknown: the image does not contain a data.txt of the site"), "{out}");
    place.write("robots.txt", data);
    place.run(&["explain", "robots.txt", "/", "--document", "data.txt"]).fails("--profile koster");
}

#[test]
fn what_became_of_the_fetch_goes_before_pages() {
    let place = Place::new();
    let line = |url: &str, status: u16, kind: &str, body: &str| {
        let url = format!("https://{url}");
        serde_json::json!({ "url": url, "status": status, "content_type": kind, "body": body }).to_string()
    };
    let page = "<meta name=robots content=\"ACAP allow-crawl\">";
    let captures = [
        line("down.example/robots.txt", 503, "text/plain", ""),
        line("down.example/a", 200, "text/html", page),
        line("none.example/a", 200, "text/html", page),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place.write("a.html", page);
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--pages"]).ok();
    let down = "unreachable, goes before what a page says";
    for (host, why) in [("down", down), ("none", "without the robots.txt of the site")] {
        let url = format!("https://{host}.example/a");
        assert!(place.run(&["query", "i.rimg", &url]).ok().starts_with("disallowed\t"));
        let out = place.run(&["explain", "i.rimg", &url]).ok();
        assert!(out.contains("verdict  disallowed: ") && out.contains(why), "{out}");
        assert_eq!(out.contains("<- decides"), host == "none", "{out}");
        let out = place.run(&["page", "a.html", "--url", &url, "--image", "i.rimg", "-a", "x"]).out;
        assert!(out.contains("verdict  disallowed: ") && out.contains(why), "{out}");
        assert_eq!(out.contains("<- decides"), host == "none", "{out}");
    }
}

/// Its group names the token as a crawler, and states for the crawlers that the token binds, too.
#[test]
fn a_statement_of_a_token_names_each_usage_once() {
    let place = place("User-agent: Google-Extended\nContent-Usage: train-ai=n\nAllow: /\n");
    let out = explain(&place, "/", &["--usage", "ai-train", "-a", "Google-Extended"]);
    let refusals: Vec<&str> = out.lines().map(str::trim).filter(|line| line.contains("<- decides")).collect();
    assert_eq!(refusals, ["ai-train disallowed  <- decides: one refusal suffices"; 2]);
}

#[test]
fn names_of_groups_are_escaped() {
    let text = "ACAP-crawler: a\u{1b}[31mb x\nACAP-crawler: *\nACAP-disallow-crawl: /a\n";
    let out = Place::new().run_with(&["explain", "-", "/a"], text).out;
    assert!(out.contains(r"a\u{1b}[31mb x, *") && !out.contains('\u{1b}'), "{out}");
}
