//! Answers where languages, files, purposes and names meet: `query` and `explain` give the same.

mod common;

use common::{Place, capture, image, image_of, page, verdict};
use serde_json::json;

#[test]
fn statements_of_referred_files_count_for_the_crawlers_of_the_record() {
    const URL: &str = "https://h.example/p";
    let place = |robots: &str, referred: &str| {
        let captures =
            [capture("https://h.example/robots.txt", robots), capture("https://h.example/ref.txt", referred)];
        image(&captures, &["--pages"])
    };
    let training = |place: &Place, agent: &str| verdict(place, URL, &["-a", agent, "--usage", "ai-train"]);
    const YES: &str = "User-agent: *\nContent-Signal: ai-train=yes\n\n";
    let record =
        |crawler: &str| format!("{YES}ACAP-crawler: {crawler}\nACAP-permissions-reference: /ref.txt\n");
    for refusal in ["Content-Usage: train-ai=n", "Content-Signal: ai-train=no", "DisallowAITraining: /"] {
        let group = format!("User-agent: Foo\n{refusal}\n");
        assert_eq!(training(&place(&record("Foo"), &group), "Foo"), "disallowed", "{refusal}");
        assert_eq!(training(&place(&record("Foo"), &group), "Bar"), "allowed", "{refusal}");
        let default = format!("User-agent: *\n{refusal}\n");
        assert_eq!(training(&place(&record("*"), &default), "Foo"), "disallowed", "{refusal}");
    }
    let licence = "User-agent: Foo\nLicense: https://x.example/l.xml\n";
    assert_eq!(training(&place(&record("Foo"), licence), "Foo"), "unknown");
    // A group of its own takes nothing from `*`, also in a referred file.
    assert_eq!(training(&place(&record("Foo"), "User-agent: Foo\nDisallow: /x\n"), "Foo"), "unknown");
    let token = "User-agent: Google-Extended\nDisallow: /\n";
    assert_eq!(training(&place(&record("*"), token), "Googlebot"), "disallowed");
    // Statements before the first group of a referred file are ignored (decision 23).
    let quiet = "User-agent: *\nAllow: /\nACAP-crawler: *\nACAP-permissions-reference: /ref.txt\n";
    assert_eq!(training(&place(quiet, "Content-Signal: ai-train=yes\n"), "Foo"), "unknown");
    // The explanation names the file.
    let told = place(&record("Foo"), "User-agent: Foo\n\nContent-Signal: ai-train=no\n");
    let told = told.run(&["explain", "i.rimg", URL, "-a", "Foo", "--usage", "ai-train"]).out;
    assert!(told.contains("line 3 of /ref.txt"), "{told}");
}

/// Conventional records inside an ACAP record of the pilot are a group for its crawlers (decision
/// 36).
#[test]
fn statements_in_records_of_the_pilot_count() {
    for refusal in ["Content-Usage: train-ai=n", "Content-Signal: ai-train=no", "DisallowAITraining: /"] {
        let robots = format!(
            "##ACAP version=0.2\nACAP-crawler: Foo\n{refusal}\n\nUser-agent: *\nContent-Signal: ai-train=yes\n"
        );
        let place = image_of(&robots, &[]);
        for (agent, expected) in [("Foo", "disallowed"), ("Bar", "allowed")] {
            let options = ["-a", agent, "--usage", "ai-train"];
            assert_eq!(verdict(&place, "https://h.example/p", &options), expected, "{refusal} {agent}");
        }
    }
}

/// In a file that a record refers to, such rules count for the crawlers that both records name.
#[test]
fn rules_in_records_of_the_pilot_count_in_referred_files() {
    const REFERRED: &str = "##ACAP version=0.2\nACAP-crawler: Foo\nDisallow: /a\nContent-Usage: train-ai=n\n";
    let ask = |crawler: &str, agent: &str, usage: &str| {
        let robots = format!("ACAP-crawler: {crawler}\nACAP-permissions-reference: /ref.txt\n");
        let captures = [
            capture("https://h.example/robots.txt", &robots),
            capture("https://h.example/ref.txt", REFERRED),
        ];
        verdict(&image(&captures, &["--pages"]), "https://h.example/a", &["-a", agent, "--usage", usage])
    };
    for crawler in ["Foo", "*"] {
        assert_eq!(ask(crawler, "Foo", "crawl"), "disallowed", "{crawler}");
        assert_eq!(ask(crawler, "Bar", "crawl"), "allowed", "{crawler}");
    }
    assert_eq!(ask("Bar", "Foo", "crawl"), "allowed");
    assert_ne!(ask("Foo", "Foo", "ai-train"), "allowed");
}

/// If the crawler of such a record has no name, its prohibitions hold for any crawler (decision
/// 40).
#[test]
fn prohibitions_of_the_pilot_hold_for_any_crawler_where_none_is_named() {
    let robots = "##ACAP version=0.2\nACAP-crawler:\nDisallow: /a\nNoindex: /n\nAllow: /a/b\n\n\
                  ACAP-crawler: Foo\nAllow: /\n";
    let place = image_of(robots, &[]);
    let ask =
        |path: &str, usage: &str| verdict(&place, &format!("https://h.example{path}"), &["--usage", usage]);
    assert_eq!(ask("/a", "crawl"), "disallowed");
    assert_eq!(ask("/a/b", "crawl"), "disallowed");
    assert_eq!(ask("/n", "index"), "disallowed");
    assert_eq!(ask("/n", "crawl"), "allowed");
}

/// The group of a control token is not about crawling (decision i).
#[test]
fn refusals_of_a_token_hold_where_the_crawler_may_not_fetch() {
    const URL: &str = "https://h.example/x";
    let ask = |robots: &str, agent: &str| {
        verdict(&image_of(robots, &[]), URL, &["-a", agent, "--usage", "ai-train"])
    };
    const CLOSED: &str = "\nUser-agent: *\nDisallow: /\n";
    for refusal in ["Content-Usage: train-ai=n", "Content-Signal: ai-train=no", "DisallowAITraining: /"] {
        let robots = format!("User-agent: Google-Extended\n{refusal}\nAllow: /\n{CLOSED}");
        for agent in ["Googlebot", "Google-Extended"] {
            assert_eq!(ask(&robots, agent), "disallowed", "{refusal} {agent}");
        }
    }
    // The longest path decides, and of equal ones the refusal; a permission needs crawling.
    let group = |lines: &str| format!("User-agent: Google-Extended\n{lines}\n{CLOSED}");
    let open = group("Content-Usage: train-ai=n\nContent-Usage: /x train-ai=y");
    assert_eq!(ask(&open, "Googlebot"), "unknown");
    let tied = group("Content-Usage: /x train-ai=y\nContent-Usage: /x train-ai=n");
    assert_eq!(ask(&tied, "Googlebot"), "disallowed");
}

/// Clients join header lines of one name by commas.
#[test]
fn one_reservation_of_several_in_a_header_refuses() {
    let ask = |value: &str| {
        let page = page("https://h.example/x", &[("tdm-reservation", value)], "<title>t</title>");
        let robots = capture("https://h.example/robots.txt", "User-agent: *\nAllow: /\n");
        verdict(&image(&[robots, page], &["--pages"]), "https://h.example/x", &["--usage", "tdm"])
    };
    for value in ["1", "0, 1", "1,0", "x, 1"] {
        assert_eq!(ask(value), "disallowed", "{value}");
    }
    assert_eq!(ask("0, 0"), "allowed");
}

/// Records of the pilot make groups that stand between others.
#[test]
fn statements_stay_with_their_groups() {
    let robots = "##ACAP version=0.2\nUser-agent: a\nContent-Signal: ai-train=yes\nACAP-crawler: b\nDisallow: /x\n\
                  User-agent: c\nContent-Signal: ai-train=no\n";
    let place = image_of(robots, &[]);
    for (agent, expected) in [("a", "allowed"), ("b", "unknown"), ("c", "disallowed")] {
        let options = ["-a", agent, "--usage", "ai-train"];
        assert_eq!(verdict(&place, "https://h.example/p", &options), expected, "{agent}");
    }
}

#[test]
fn versioned_rule_sets_of_a_control_token_count() {
    for (version, rules) in
        [("1.0.0", "Disallow: /\n"), ("1.2.0", "Disallow: /\n"), ("2.0.0", "Disallow: *\n")]
    {
        let robots = format!(
            "User-agent: Google-Extended\nRobot-version: {version}\n{rules}\nUser-agent: *\n\
             Content-Signal: ai-train=yes, ai-input=yes\n"
        );
        let place = image_of(&robots, &[]);
        for agent in ["Googlebot", "Google-Extended"] {
            let options = ["-a", agent, "--usage", "ai-train"];
            assert_eq!(verdict(&place, "https://h.example/p", &options), "disallowed", "{version} {agent}");
        }
        assert_eq!(verdict(&place, "https://h.example/p", &["-a", "x", "--usage", "ai-train"]), "allowed");
    }
    // In 2.0.0 the form of the match counts, not its length.
    let robots = "User-agent: Google-Extended\nRobot-version: 2.0.0\nAllow: /a\nDisallow: /a*\n";
    let place = image_of(robots, &[]);
    let training = |path: &str| {
        verdict(&place, &format!("https://h.example{path}"), &["-a", "Googlebot", "--usage", "ai-train"])
    };
    assert_eq!([training("/a"), training("/ab")], ["allowed", "disallowed"]);
}

#[test]
fn a_control_token_speaks_of_the_parts_of_its_usages() {
    let robots = "User-agent: T\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=yes, search=yes\n";
    for (token, usages) in [
        ("T=ai-all", &["ai-all", "ai-train", "ai-input"][..]),
        ("T=tdm", &["tdm", "ai-train"]),
        ("T=search", &["search", "index"]),
        ("T=present", &["present", "present-snippet"]),
        ("T=ai-train: Foo/1.0", &["ai-train"]),
        ("T=ai-train:*,Bar", &["ai-train"]),
    ] {
        let place = image_of(robots, &["--control-token", token]);
        for usage in usages {
            let options = ["-a", "foo", "--usage", usage];
            assert_eq!(verdict(&place, "https://h.example/p", &options), "disallowed", "{token} {usage}");
        }
    }
}

#[test]
fn the_purpose_of_a_question_is_that_of_the_fetch() {
    let url = "https://h.example/p";
    let ask = |robots: &str, usage: &str, purpose: &[&str]| {
        let captures = [
            capture("https://h.example/robots.txt", robots),
            page(url, &[("content-usage", "train-ai=y")], "<html></html>"),
        ];
        verdict(&image(&captures, &["--pages"]), url, &[&["-a", "Foo", "--usage", usage], purpose].concat())
    };
    let news = ["--purpose", "news"];
    let open = "ACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-usage-purpose: news\nACAP-allow-crawl: /\n\
                User-agent: *\nContent-Usage: train-ai=n\n";
    assert_eq!(ask(open, "crawl", &news), "allowed");
    // The line speaks of what may be fetched for this purpose (decision c).
    assert_eq!(ask(open, "ai-train", &news), "disallowed");
    assert_eq!(ask(open, "ai-train", &[]), "allowed");
    let shut = "ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-usage-purpose: news\nACAP-disallow-crawl: /\n\
                User-agent: *\nContent-Usage: train-ai=n\n";
    assert_eq!(ask(shut, "crawl", &news), "disallowed");
    assert_eq!(ask(shut, "ai-train", &news), "allowed");
    assert_eq!(ask(shut, "ai-train", &[]), "disallowed");
}

/// Decision 14: a field drops the rules that it contradicts, and no others on the same pattern.
#[test]
fn a_rule_is_not_lost_with_one_of_the_other_sense() {
    let record = "ACAP-crawler: Foo\nACAP-disallow-crawl: /*a\nUser-agent: *\nAllow: /a\n";
    for rules in ["Disallow: /*a\n", "Allow: /*a\nDisallow: /*a\n", "Disallow: /*a\nAllow: /*a\n"] {
        let place = image_of(&format!("{record}{rules}"), &[]);
        assert_eq!(verdict(&place, "https://h.example/a", &["-a", "Foo"]), "disallowed", "{rules}");
        let without = image_of(&format!("User-agent: *\nAllow: /a\n{rules}"), &[]);
        let expected = if rules.contains("Allow") { "allowed" } else { "disallowed" };
        assert_eq!(verdict(&without, "https://h.example/a", &["-a", "Foo"]), expected, "{rules}");
    }
}

#[test]
fn conditions_of_a_part_hold_for_the_whole() {
    let place = image_of("ACAP-crawler: *\nACAP-allow-index: / time-limit=until-recrawled\n", &[]);
    let url = "https://h.example/p";
    assert_eq!(verdict(&place, url, &["-a", "Foo", "--usage", "search"]), "conditional");
    let told = place.run(&["explain", "i.rimg", url, "-a", "Foo", "--usage", "search"]).out;
    assert!(told.contains("only if  time-limit=until-recrawled"), "{told}");
}

/// R9: a fragment is no part of the target, also where statements depend on the time.
#[test]
fn a_fragment_changes_no_answer() {
    let robots = "User-agent: *\nContent-Usage: search=y, train-ai=y\nAllow: /\nUser-agent: bot\n\
                  Content-Usage: train-ai=y\nACAP-crawler: *\nACAP-allow-present: /\n";
    let site = |path: &str| format!("https://h.example{path}");
    let captures = [
        capture(&site("/robots.txt"), robots),
        page(&site("/a"), &[("x-robots-tag", "unavailable_after: 2020-10-01, noai")], ""),
        page(&site("/b"), &[("x-robots-tag", "max-snippet: 10")], ""),
        page(&site("/c"), &[("content-usage", "train-ai=n")], ""),
        page(
            &site("/d"),
            &[("link", "<https://x.example/l.xml>; rel=license; type=\"application/rsl+xml\"")],
            "",
        ),
    ];
    let place = image(&captures, &["--pages"]);
    let mut answers = Vec::new();
    for path in ["/a", "/b", "/c", "/d", "/e"] {
        for usage in ["index", "ai-train", "present-snippet"] {
            for more in [&["-a", "bot"][..], &["-a", "bot", "--named-only"], &["-a", "x"]] {
                let options = [&["--usage", usage], more].concat();
                let plain = verdict(&place, &site(path), &options);
                let with_fragment = verdict(&place, &format!("{}#f", site(path)), &options);
                assert_eq!(plain, with_fragment, "{path} {options:?}");
                answers.push(plain);
            }
        }
    }
    for word in ["allowed", "disallowed", "conditional", "unknown"] {
        assert!(answers.iter().any(|answer| answer == word), "{answers:?}");
    }
}

#[test]
fn a_header_answers_to_a_record_with_a_version() {
    let place = image_of("ACAP-crawler: Foo/1.0\nACAP-disallow-crawl: /\n", &[]);
    for agent in ["Foo", "Foo/1.0", "Mozilla/5.0 (compatible; Foo/1.0)", "Foo/1.0 (+http://x.example)"] {
        let told = place.run(&["query", "i.rimg", "https://h.example/p", "-a", agent]).out;
        assert!(told.starts_with("disallowed\t"), "{agent}: {told}");
    }
}

/// K9: who asks as `*` has no name that a value could contain.
#[test]
fn any_crawler_is_no_crawler_whose_name_has_a_star() {
    let robots = "User-agent: foo*\nAllow: /\n\nUser-agent: *\nDisallow: /\n";
    let koster = image_of(robots, &["--profile", "koster"]);
    assert_eq!(verdict(&koster, "https://h.example/p", &["-a", "*"]), "disallowed");
    let captures =
        [capture("https://h.example/robots.txt", ""), capture("https://h.example/data.txt", robots)];
    let place = image(&captures, &["--pages"]);
    let options = ["--document", "data.txt", "-a", "*"];
    let told = place.run(&[&["query", "i.rimg", "https://h.example/p"], &options[..]].concat()).out;
    assert!(told.starts_with("disallowed\t"), "{told}");
}

/// Statements that are too many together are unread, for whoever explains as well.
#[test]
fn statements_beyond_a_limit_are_explained() {
    let place = Place::new();
    let lines = |line: fn(usize) -> String| (0..500).map(line).collect::<String>();
    let agents = lines(|n| format!("User-agent: a{n}\n"));
    let signals = lines(|n| format!("Content-Signal: /{n} ai-train=no\n"));
    let groups = lines(|n| format!("User-agent: a{n}\nContent-Usage: train-ai=y\n"));
    place.write("robots.txt", format!("{agents}{signals}Allow: /\n{groups}"));
    let told = place.run(&["explain", "robots.txt", "-a", "a7", "--usage", "ai-train", "/7"]).out;
    assert!(told.contains("over a limit") && told.contains("\nverdict  unknown"), "{told}");
}

/// A capture that cannot be read permits nothing, wherever it stands (R16).
#[test]
fn captures_that_cannot_be_read_permit_nothing() {
    let redirect = |from: &str, to: &str| {
        json!({ "url": from, "status": 301, "headers": { "location": to }, "fetched_at": 1_790_000_000 })
            .to_string()
    };
    let of_host = |host: &str| {
        json!({ "host": host, "body": "User-agent: *\nAllow: /", "fetched_at": 1_790_000_000 }).to_string()
    };
    let unread = |url: &str| json!({ "url": url, "status": 200, "fetched_at": 1_790_000_001 }).to_string();
    let cut = |url: &str, status: u16| {
        let body = "User-agent: *";
        json!({ "url": url, "status": status, "body": body, "truncated": true, "fetched_at": 1_790_000_001 })
            .to_string()
    };
    let robots = |host: &str| format!("https://{host}.example/robots.txt");
    let captures = [
        redirect(&robots("cut"), "/r.txt"),
        cut("https://cut.example/r.txt", 200),
        redirect(&robots("part"), "/r.txt"),
        cut("https://part.example/r.txt", 206),
        redirect(&robots("none"), "/r.txt"),
        unread("https://none.example/r.txt"),
        // A host without a scheme does not answer for a capture by URL.
        of_host("unread.example"),
        unread(&robots("unread")),
        of_host("half.example"),
        cut(&robots("half"), 200),
        redirect(&robots("from"), &robots("to")),
        of_host("to.example"),
        unread(&robots("to")),
        // The scheme that the host redirects to was not captured.
        redirect("secure.example", &robots("secure")),
        redirect("round.example", &robots("about")),
        redirect(&robots("about"), &robots("round")),
    ];
    let place = image(&captures, &["--pages"]);
    for host in ["cut", "part", "none", "unread", "half", "from", "to", "secure", "round", "about"] {
        assert_eq!(verdict(&place, &format!("https://{host}.example/x"), &[]), "unknown", "{host}");
    }
    // K1: so does a data.txt.
    let data = |host: &str| format!("https://{host}.example/data.txt");
    let captures = [
        capture(&data("old"), "User-agent: *\nDisallow: /\n"),
        unread(&data("old")),
        unread(&data("none")),
        cut(&data("half"), 200),
    ];
    place.write("data.jsonl", captures.join("\n"));
    place.run(&["compile", "data.jsonl", "-o", "data.rimg"]).ok();
    for host in ["old", "none", "half"] {
        let url = format!("https://{host}.example/x");
        let told = place.run(&["query", "data.rimg", "--document", "data.txt", &url]).out;
        assert!(told.starts_with("unknown\t"), "{host}: {told}");
    }
    // Parts of the captures, each compiled by itself, give the same.
    place.write("old.jsonl", [of_host("m.example"), of_host("n.example")].join("\n"));
    place.write("new.jsonl", [unread("m.example"), of_host("o.example")].join("\n"));
    place.run(&["compile", "old.jsonl", "-o", "old.rimg"]).ok();
    place.run(&["compile", "new.jsonl", "-o", "new.rimg"]).ok();
    place.run(&["merge", "old.rimg", "new.rimg", "-o", "i.rimg", "--force"]).ok();
    assert_eq!(verdict(&place, "https://m.example/x", &[]), "unknown");
    assert_eq!(verdict(&place, "https://n.example/x", &[]), "allowed");
}

/// The headers of a document count as those of a page do.
#[test]
fn headers_of_documents_count() {
    let document = |url: &str, body: &str| page(url, &[("x-robots-tag", "noindex, noai")], body);
    let urls = ["/robots.txt", "/ai.txt", "/data.txt", "/.well-known/tdmrep.json", "/license.xml"];
    let bodies = [
        "User-agent: *\nContent-Signal: ai-train=yes\n",
        "User-Agent: *\nAllow: /\n",
        "User-agent: *\nAllow: /\n",
        "[]",
        "<rsl xmlns=\"https://rslstandard.org/rsl\"/>",
    ];
    let captures: Vec<String> = urls
        .iter()
        .zip(bodies)
        .map(|(path, body)| document(&format!("https://h.example{path}"), body))
        .collect();
    let place = image(&captures, &["--pages"]);
    for path in urls {
        for usage in ["index", "ai-train"] {
            let url = format!("https://h.example{path}");
            assert_eq!(verdict(&place, &url, &["--usage", usage]), "disallowed", "{usage} {path}");
        }
    }
    assert_eq!(verdict(&place, "https://h.example/other", &["--usage", "ai-train"]), "allowed");
}

/// A malformed tag or class of ACAP permits nothing, and loses no prohibition.
#[test]
fn malformed_acap_in_pages_prohibits() {
    for (name, markup) in [
        ("robots", "ACAP\u{a0}disallow-index"),
        ("robots", "ACAP: disallow-index"),
        ("shop", "ACAP; disallow-index"),
    ] {
        let body = format!("<html><head><meta name=\"{name}\" content=\"{markup}\">");
        assert_eq!(index_of(&body, "shop"), "disallowed", "{markup}");
    }
    assert_eq!(index_of("<p class='the-acap:disallow-index;'>", "shop"), "disallowed");
    assert_eq!(index_of("<p class='the-acap:disallow-follow;'>", "shop"), "allowed");
    assert_eq!(index_of("<meta name=robots content='ACAP: allow-index'>", "shop"), "allowed", "by silence");
}

/// The verdict about indexing a page of `h.example`.
#[track_caller]
fn index_of(body: &str, crawler: &str) -> String {
    let captures = [
        capture("https://h.example/robots.txt", "User-agent: *\nAllow: /\n"),
        page("https://h.example/p", &[], body),
    ];
    let place = image(&captures, &["--pages"]);
    verdict(&place, "https://h.example/p", &["--usage", "index", "-a", crawler])
}

/// Nobody knows whether the policy of a rule without a location is for this page.
#[test]
fn a_policy_without_a_location_is_for_no_page() {
    let place = image(
        &[
            capture("https://h.example/robots.txt", "User-agent: *\nAllow: /\n"),
            capture(
                "https://h.example/.well-known/tdmrep.json",
                &json!([
                    { "tdm-reservation": 1, "tdm-policy": "https://p.example/x" },
                    { "location": "/", "tdm-reservation": 1 },
                ])
                .to_string(),
            ),
            page("https://h.example/p", &[("tdm-reservation", "1")], ""),
        ],
        &["--pages"],
    );
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "tdm"]), "disallowed");
}

/// An image of a page that permits a crawler by name, beside a robots.txt of this status.
fn tag_beside(status: u16) -> Place {
    let robots =
        json!({ "url": "https://h.example/robots.txt", "status": status, "fetched_at": 1_790_000_000 });
    let body = "<meta name=bot content='ACAP allow-index'>";
    image(&[robots.to_string(), page("https://h.example/p", &[], body)], &["--pages"])
}

/// An unreachable robots.txt disallows everything, also what a page permits a crawler by name.
#[test]
fn an_unreachable_robots_txt_overrides_every_tag() {
    let place = tag_beside(503);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "index", "-a", "bot"]), "disallowed");
    let told = place.run(&["query", "i.rimg", "https://h.example/p", "--usage", "index", "--json"]).ok();
    assert!(told.contains(r#""language":null,"carrier":null"#), "{told}");
}

/// A robots.txt that was not read may refuse what a tag permits, also by name.
#[test]
fn a_tag_beside_an_unread_robots_txt_permits_nothing() {
    let place = tag_beside(301);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "index", "-a", "bot"]), "disallowed");
}

/// A missing file may name the crawler, also one that obeys only groups that name it.
#[test]
fn a_missing_file_of_a_record_for_all_may_name_the_crawler() {
    let text = "ACAP-crawler: *\nACAP-permissions-reference: /ref.txt\n\nUser-agent: Foo\nAllow: /\n";
    let place = image_of(text, &[]);
    for usage in ["crawl", "index"] {
        let options = ["-a", "Foo", "--named-only", "--usage", usage];
        assert_eq!(verdict(&place, "https://h.example/p", &options), "disallowed", "{usage}");
    }
}

/// A missing file of a record for a control token may have groups for the token.
#[test]
fn a_missing_file_of_a_control_token_may_refuse() {
    let text = "ACAP-crawler: Google-Extended\nACAP-permissions-reference: /ref.txt\n\n\
                User-agent: Googlebot\nAllow: /\nContent-Signal: ai-train=yes, search=yes\n";
    let place = image_of(text, &[]);
    let asked = |usage: &str| verdict(&place, "https://h.example/p", &["-a", "Googlebot", "--usage", usage]);
    assert_eq!(asked("ai-train"), "unknown");
    assert_eq!(asked("search"), "allowed");
}

/// A record that names the token with a version names the token (decision 34).
#[test]
fn a_control_token_may_have_a_version() {
    let text = "##ACAP version=0.2\nACAP-crawler: Google-Extended/1.0\nDisallow: /\nACAP-allow-index: /\n\n\
                User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n";
    let place = image_of(text, &[]);
    for (agent, expected) in
        [("Googlebot", "disallowed"), ("Google-Extended", "disallowed"), ("Bot", "allowed")]
    {
        let options = ["-a", agent, "--usage", "ai-train"];
        assert_eq!(verdict(&place, "https://h.example/p", &options), expected, "{agent}");
    }
}

/// Fields about `present` do not speak of fetching, also where a special form of it is asked for.
#[test]
fn fetching_is_not_presenting() {
    let place = image_of("ACAP-crawler: Foo\nACAP-disallow-crawl: /\nACAP-allow-present: /a\n", &[]);
    let asked = ["query", "i.rimg", "https://h.example/a", "-a", "Foo", "--json", "--usage"];
    for usage in ["present", "present-snippet"] {
        let told = place.run(&[&asked[..], &[usage]].concat()).ok();
        assert!(told.contains(r#""crawl":"disallowed""#), "{usage}: {told}");
    }
}

/// A page that is still compressed may refuse.
#[test]
fn a_packed_page_is_unread() {
    let packed = json!({
        "url": "https://h.example/p", "status": 200, "fetched_at": 1_790_000_000,
        "headers": { "content-type": "text/html" }, "body_base64": "H4sIAAAAAAAAAw==",
    });
    let robots = capture("https://h.example/robots.txt", "User-agent: *\nAllow: /\n");
    let place = image(&[robots, packed.to_string()], &["--pages"]);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "index"]), "unknown");
}

/// Groups of records may stand between rule sets.
#[test]
fn versions_of_a_pilot_text_are_those_of_its_groups() {
    let text = "##ACAP version=0.2\nACAP-crawler: Foo\nDisallow: /x\n\nUser-agent: Bar\n\
                Robot-version: 2.0.0\nAllow: /a\n\nUser-agent: *\nDisallow: /y\n";
    let place = image_of(text, &[]);
    let explained = |agent: &str| place.run(&["explain", "i.rimg", "https://h.example/a", "-a", agent]).ok();
    assert!(!explained("Foo").contains("line 2: Foo  (Robot-version"), "{}", explained("Foo"));
    assert!(explained("Bar").contains("(Robot-version 2.0)"), "{}", explained("Bar"));
}

/// A page without a body and a media type may refuse.
#[test]
fn a_page_without_a_body_is_unread() {
    let captures = [
        capture("https://h.example/robots.txt", "User-agent: *\nAllow: /\n"),
        json!({ "url": "https://h.example/p", "status": 200, "fetched_at": 1_790_000_000 }).to_string(),
        json!({ "url": "https://h.example/q", "status": 200, "fetched_at": 1_790_000_000, "body": "" })
            .to_string(),
    ];
    let place = image(&captures, &["--pages"]);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "index"]), "unknown");
    assert_eq!(verdict(&place, "https://h.example/q", &["--usage", "index"]), "allowed");
}

#[test]
fn a_robots_txt_that_was_cut_permits_no_use() {
    const URL: &str = "https://h.example/p";
    let acap = "ACAP-crawler: *\nACAP-allow-index: /\nACAP-disallow-follow: /\n";
    let signals = "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nDisallow: /no\n";
    let tag = "<meta name=robots content='ACAP allow-index, allow-foo'>";
    for robots in [format!("{signals}\n{acap}"), acap.to_owned(), signals.to_owned()] {
        let part = json!({
            "url": "https://h.example/robots.txt", "fetched_at": 1_790_000_000,
            "body": format!("{robots}Disal"), "truncated": true,
        });
        let whole = capture("https://h.example/robots.txt", &format!("{robots}{}", "#\n".repeat(1 << 18)));
        for robots in [part.to_string(), whole] {
            for captures in [vec![robots.clone()], vec![robots.clone(), page(URL, &[], tag)]] {
                let place = image(&captures, &["--pages"]);
                for usage in ["index", "search", "ai-train", "ai-all", "other", "present-foo"] {
                    assert_eq!(verdict(&place, URL, &["--usage", usage]), "unknown", "{usage}: {captures:?}");
                }
                assert_eq!(verdict(&place, URL, &[]), "allowed");
                let told = place.run(&["explain", "i.rimg", URL, "--usage", "index"]).out;
                assert!(
                    told.contains("robots.txt (Robots Exclusion Protocol): not read to its end"),
                    "{told}"
                );
                assert!(told.contains("\nunread   the text "), "{told}");
            }
        }
    }
}
