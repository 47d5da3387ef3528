//! Odd texts, tags, links and names: none of them permits more than what it was meant to say.

mod common;

use common::{capture, image, image_of, page, verdict};
use serde_json::json;

/// A label of a language means its usage in ACAP, too, whatever other sites write.
#[test]
fn labels_are_other_names_of_usages() {
    let acap = "ACAP-crawler: *\nACAP-allow-crawl: /\n";
    let robots = |host: &str, text: &str| capture(&format!("https://{host}.example/robots.txt"), text);
    let asking = [
        robots("h", &format!("User-agent: *\nContent-Signal: ai-train=no, ai-input=no\n\n{acap}")),
        robots("own", "ACAP-crawler: *\nACAP-disallow-train-ai: /\nACAP-allow-ai-use: /\n"),
    ];
    let other =
        robots("o", "ACAP-crawler: *\nACAP-allow-train-ai: /\nACAP-allow-ai-use: /\nACAP-allow-train: /\n");
    for captures in [asking.to_vec(), [&asking[..], &[other]].concat()] {
        let place = image(&captures, &[]);
        for usage in ["ai-train", "train-ai", "train", "ai-input", "ai-use"] {
            let told = verdict(&place, "https://h.example/p", &["--usage", usage]);
            assert_eq!(told, "disallowed", "{usage} of {} sites", captures.len());
        }
        for (usage, expected) in [
            ("ai-train", "disallowed"),
            ("train-ai", "disallowed"),
            ("ai-input", "allowed"),
            ("ai-use", "allowed"),
        ] {
            assert_eq!(verdict(&place, "https://own.example/p", &["--usage", usage]), expected, "{usage}");
        }
    }
}

/// Fields about a usage and about its parts permit under the conditions of both.
#[test]
fn conditions_of_parts_hold_for_the_whole() {
    let text = "ACAP-crawler: *\nACAP-allow-search: /a time-limit=until-recrawled\n\
                ACAP-allow-index: / time-limit=3-days\n";
    let place = image(&[capture("https://h.example/robots.txt", text)], &[]);
    let arguments = ["query", "i.rimg", "https://h.example/a", "--usage", "search", "--json"];
    let answer = place.run(&arguments).json().remove(0);
    assert_eq!(answer["conditions"], json!(["time-limit=3-days", "time-limit=until-recrawled"]));
    place.run(&["explain", "i.rimg", "https://h.example/a", "--usage", "search"]).ok();
}

/// A composite usage prohibits what a member with a malformed definition may mean, and does not
/// permit it.
#[test]
fn malformed_members_of_composites_are_prohibited() {
    let text = "ACAP-qualified-usage: mal index\nACAP-composite-usage: comp (mal) follow\n\
                ACAP-composite-usage: bare mal follow\n\
                ACAP-qualified-usage: twice follow time-limit=3-days\n\
                ACAP-composite-usage: both (twice)\nACAP-qualified-usage: twice preserve\n\
                ACAP-crawler: *\nACAP-disallow-(comp): /a\nACAP-disallow-(bare): /b\n\
                ACAP-disallow-follow: /\nACAP-allow-(both): /c\n";
    let place = image(&[capture("https://h.example/robots.txt", text)], &[]);
    for (path, usage) in [("a", "index"), ("b", "index"), ("a", "follow"), ("c", "follow")] {
        let url = format!("https://h.example/{path}");
        assert_eq!(verdict(&place, &url, &["--usage", usage]), "disallowed", "{path} {usage}");
    }
}

/// Thousands of licences under the same long terms take the memory of one.
#[test]
#[cfg(target_os = "linux")]
fn terms_of_many_licences_are_held_once() {
    let document = format!(
        "<rsl xmlns='https://rslstandard.org/rsl' max-age='36500'><content url='/'><license>\
         <payment type='crawl'><custom>{}</custom></payment></license></content></rsl>",
        "x".repeat(400_000)
    );
    let robots = format!("User-agent: *\n{}", "License: https://h.example/l.xml\n".repeat(4_000));
    let captures =
        [capture("https://h.example/robots.txt", &robots), capture("https://h.example/l.xml", &document)];
    let place = image(&captures, &[]);
    let script = "ulimit -v 1000000; exec \"$0\" query i.rimg --usage ai-train https://h.example/x";
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_robomaton")])
        .current_dir(place.path("."))
        .output()
        .expect("a process");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "conditional\thttps://h.example/x\n");
}

/// A statement beyond the limit leaves its usages unread.
#[test]
fn tags_beyond_the_limit_of_statements_are_unread() {
    let robots = capture("https://h.example/robots.txt", "User-agent: *\nContent-Signal: ai-train=yes\n");
    let mut captures = vec![robots];
    captures.extend((0..20_100).map(|number| page(&format!("https://h.example/a{number:06}"), &[], "x")));
    captures.push(page("https://h.example/z", &[("x-robots-tag", "noai")], "x"));
    let place = image(&captures, &["--pages"]);
    for usage in ["ai-train", "index"] {
        assert_eq!(verdict(&place, "https://h.example/z", &["--usage", usage]), "unknown", "{usage}");
    }
}

/// A word that refuses counts in a tag of ACAP that cannot be understood.
#[test]
fn directives_in_malformed_tags_of_acap_count() {
    for (content, usage) in [
        ("ACAP noindex", "index"),
        ("ACAP, noindex", "index"),
        ("ACAP disallow-preserve, noindex", "index"),
        ("ACAP noai", "ai-train"),
        ("ACAP allow-follow noindex", "index"),
        ("ACAP disallow-follow noindex, noai", "ai-train"),
    ] {
        let tag = format!("<meta name=robots content='{content}'>");
        let robots = capture("https://h.example/robots.txt", "User-agent: *\nContent-Signal: ai-train=yes\n");
        let place = image(&[robots, page("https://h.example/p", &[], &tag)], &["--pages"]);
        assert_eq!(verdict(&place, "https://h.example/p", &["--usage", usage]), "disallowed", "{content}");
        place.run(&["explain", "i.rimg", "https://h.example/p", "--usage", usage]).ok();
    }
}

/// The site's licences count beside the licence of a part of a page.
#[test]
fn an_unread_licence_of_a_part_leaves_the_sites_refusal() {
    let robots = capture("https://h.example/robots.txt", "License: https://h.example/l.xml\n");
    let refusing = "<rsl xmlns='https://rslstandard.org/rsl' max-age='36500'><content url='/'><license>\
                    <prohibits type='usage'>all</prohibits></license></content></rsl>";
    let part = "<body><div><link rel=license type='application/rsl+xml' href=/none.xml></div>";
    let captures =
        [robots, capture("https://h.example/l.xml", refusing), page("https://h.example/p", &[], part)];
    let place = image(&captures, &["--pages"]);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "ai-train"]), "disallowed");
    place.run(&["explain", "i.rimg", "https://h.example/p", "--usage", "ai-train"]).ok();
}

/// Lists of a licence without a member, and links and URLs in odd spellings, lose no refusal.
#[test]
fn odd_spellings_of_licences_lose_nothing() {
    let document =
        |contents: &str| format!("<rsl xmlns='https://rslstandard.org/rsl' max-age='36500'>{contents}</rsl>");
    let permits = "<permits type='usage'>ai-train</permits>";
    let all = format!("<content url='/'><license>{permits}</license></content>");
    let refuses = |url: &str| {
        format!(
            "{all}<content url='{url}'><license><prohibits type='usage'>all</prohibits></license></content>"
        )
    };
    for (contents, path, expected) in [
        (all.clone(), "/b", "allowed"),
        (
            format!("<content url='/'><license>{permits}<permits type='user'/></license></content>"),
            "/b",
            "unknown",
        ),
        (
            format!("<content url='/'><license>{permits}<permits type='geo'> </permits></license></content>"),
            "/b",
            "unknown",
        ),
        (refuses("/b/ "), "/b/x", "disallowed"),
        (refuses("&#10;/b/"), "/b/x", "disallowed"),
        (refuses("https://h.example/b#f"), "/b", "disallowed"),
        (refuses("https://h.example./b"), "/b", "disallowed"),
        (refuses("https://h.example?u=/b"), "/?u=/b", "disallowed"),
        (refuses("https:///h.example/"), "/b", "unknown"),
        (refuses("https://\\h.example/"), "/b", "unknown"),
        (refuses("https://&#9;/h.example/"), "/b", "unknown"),
        (refuses("/&#9;/h.example/"), "/b", "unknown"),
        (refuses("https:/h.example/x?u=http://y/"), "/b", "unknown"),
        ("<content url='https://h.example?free=1'><license/></content>".to_owned(), "/b", "unknown"),
    ] {
        let robots = capture("https://h.example/robots.txt", "License: https://h.example/l.xml\n");
        let place = image(&[robots, capture("https://h.example/l.xml", &document(&contents))], &["--pages"]);
        let url = format!("https://h.example{path}");
        assert_eq!(verdict(&place, &url, &["--usage", "ai-train"]), expected, "{contents}");
    }
    let robots = capture("https://h.example/robots.txt", "User-agent: *\nContent-Signal: ai-train=yes\n");
    let license = "</l.xml>; rel=license; type=\"application/rsl+xml\"";
    for link in [
        format!("</a>; title=\"x\\\"\"; rel=next, {license}"),
        "</l.xml>; title=\"a; rel=next\"; rel=license; type=\"application/rsl+xml\"".to_owned(),
        "</a>; title=\"x, </l.xml>; rel=license; type=application/rsl+xml".to_owned(),
    ] {
        let captures = [robots.clone(), page("https://h.example/p", &[("link", &link)], "x")];
        let place = image(&captures, &["--pages"]);
        assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "ai-train"]), "unknown", "{link}");
    }
}

/// A backslash after a host stands for a slash, as in a URL.
#[test]
fn a_backslash_ends_a_host() {
    for (text, path, expected) in [
        ("User-agent: *\nDisallow: /\nAllow: https://h.example\\public\n", "/private", "disallowed"),
        ("User-agent: *\nDisallow: /\nAllow: https://h.example\\public\n", "/public", "allowed"),
        (
            "ACAP-crawler: *\nACAP-allow-crawl: https://h.example\\public\nACAP-disallow-crawl: /\n",
            "/x",
            "disallowed",
        ),
        ("ACAP-crawler: *\nACAP-disallow-crawl: https://h.example?p\n", "/?p", "disallowed"),
    ] {
        let place = image_of(text, &[]);
        assert_eq!(verdict(&place, &format!("https://h.example{path}"), &[]), expected, "{text} {path}");
    }
}

/// One long header line that names many crawlers makes no large image.
#[test]
fn records_quote_the_beginning_of_a_line() {
    let line: String = (0..4_000).map(|number| format!("a{number:x}:noai,")).collect();
    let robots = capture("https://h.example/robots.txt", "User-agent: *\nDisallow: /x\n");
    let place = image(&[robots, page("https://h.example/p", &[("x-robots-tag", &line)], "x")], &["--pages"]);
    let size = std::fs::metadata(place.path("i.rimg")).expect("an image").len();
    assert!(size < 8 << 20, "{size}");
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "ai-train", "-a", "af9f"]), "disallowed");
}

/// Where the URL may not be fetched, it may not be visited for any use.
#[test]
fn a_visit_needs_the_permission_to_crawl() {
    let captures = [
        capture("https://h.example/robots.txt", "User-agent: *\nDisallow: /\n"),
        capture("https://h.example/.well-known/tdmrep.json", "[{\"location\":\"/\",\"tdm-reservation\":0}]"),
    ];
    let place = image(&captures, &["--pages"]);
    assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "ai-train"]), "allowed");
    let visit = place.run(&["visit", "i.rimg", "-a", "bot", "--usage", "ai-train", "https://h.example/p"]);
    assert_eq!((visit.code, &*visit.out), (1, "never\thttps://h.example/p\n"));
}

/// A site whose statements could not be read is not an unknown site.
#[test]
fn a_filter_leaves_out_what_could_not_be_read() {
    let captures = [
        capture("https://h.example/robots.txt", "License: https://l.example/none.xml\n"),
        capture("https://s.example/robots.txt", "User-agent: *\nDisallow: /x\n"),
    ];
    let place = image(&captures, &[]);
    let arguments = ["filter", "i.rimg", "-a", "bot", "--usage", "ai-train", "--unknown", "allow"];
    let run = place.run_with(&arguments, "https://h.example/\nhttps://s.example/\n");
    assert_eq!(run.out, "https://s.example/\n");
}

/// More documents than a page may name are unread, and no alternatives of each other.
#[test]
fn a_page_names_few_documents() {
    let document = |number: usize| {
        let terms = format!(
            "<permits type='usage'>ai-train</permits><payment type='use'><custom>https://t.example/{number}</custom></payment>"
        );
        let text = format!(
            "<rsl xmlns='https://rslstandard.org/rsl' max-age='36500'><content url='/'><license>{terms}</license></content></rsl>"
        );
        capture(&format!("https://h.example/{number}.xml"), &text)
    };
    for (count, expected) in [(60, "conditional"), (70, "unknown")] {
        let links: Vec<String> = (0..count)
            .map(|number| format!("</{number}.xml>; rel=license; type=\"application/rsl+xml\""))
            .collect();
        let mut captures: Vec<String> = (0..count).map(document).collect();
        captures.push(capture("https://h.example/robots.txt", "User-agent: *\nDisallow: /x\n"));
        captures.push(page("https://h.example/p", &[("link", &links.join(", "))], "x"));
        let place = image(&captures, &["--pages"]);
        assert_eq!(verdict(&place, "https://h.example/p", &["--usage", "ai-train"]), expected, "{count}");
    }
}
