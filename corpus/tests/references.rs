//! Files that a robots.txt refers to: read with it if they are captured (V16, decision 23).

mod common;

use common::{ask, at, built, html, opened, text};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Built};
use robomaton_formats::Profile;

const ROBOTS: &str = "ACAP-crawler: bot\nACAP-permissions-reference: /part.txt\nACAP-allow-index: /\n";
const PART: &str = "ACAP-crawler: bot\nACAP-disallow-index: /secret\n";

fn build(records: &[Vec<u8>]) -> Built {
    built(records, &BatchOptions::default())
}

/// The answer for `/secret`, and the numbers of found and missing references.
fn secret(records: &[Vec<u8>]) -> (String, u64, u64) {
    let built = build(records);
    let image = opened(&built, 0);
    let said = ask(&image, "bot", "index", "https://a.example/secret");
    (said, built.report.references_found, built.report.references_missing)
}

#[test]
fn a_file_that_was_captured_is_read() {
    let records = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/part.txt", text(PART)),
        at(1, "https://a.example/other.txt", text("User-agent: *\nDisallow: /\n")),
    ];
    assert_eq!(secret(&records), ("disallowed".into(), 1, 0));
    assert_eq!(secret(&records[..1]), ("allowed incomplete".into(), 0, 1));
    assert_eq!(secret(&[records[0].clone(), records[2].clone()]), ("allowed incomplete".into(), 0, 1));
    let image = opened(&build(&records), 0);
    assert_eq!(ask(&image, "bot", "index", "https://a.example/x"), "allowed");
    let verdict = image.crawler(["bot"]);
    let verdict = image.decide(&verdict, image.usage("index"), "https://a.example/secret");
    assert_eq!(verdict.rule().and_then(|rule| rule.file), Some((1, "/part.txt".to_owned())));
}

#[test]
fn no_texts_in_the_image_make_no_difference() {
    let records = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/part.txt", text(PART)),
    ];
    let compile = Options { no_sources: true, ..Options::default() };
    let built = built(&records, &BatchOptions { compile, ..BatchOptions::default() });
    let image = opened(&built, 0);
    assert_eq!(ask(&image, "bot", "index", "https://a.example/secret"), "disallowed");
    assert!(image.sites().all(|site| site.source(100).is_none()));
}

/// Decision 39.
#[test]
fn files_of_other_servers_are_read_if_they_were_captured() {
    for url in ["https://b.example/part.txt", "https://b.example/robots.txt"] {
        let robots = ROBOTS.replace("/part.txt", url);
        let records = [at(1, "https://a.example/robots.txt", text(&robots)), at(1, url, text(PART))];
        assert_eq!(secret(&records), ("disallowed".into(), 1, 0), "{url}");
        assert_eq!(secret(&records[..1]), ("allowed incomplete".into(), 0, 1), "{url}");
        let gone = [records[0].clone(), at(1, url, "HTTP/1.1 404 Not Found\r\n\r\n")];
        assert_eq!(secret(&gone), ("allowed incomplete".into(), 0, 1), "{url}");
        let page = [records[0].clone(), at(1, url, html("<html>not found</html>"))];
        assert_eq!(secret(&page), ("allowed incomplete".into(), 0, 1), "{url}");
        let built = build(&records);
        let image = opened(&built, 0);
        let verdict = image.crawler(["bot"]);
        let verdict = image.decide(&verdict, image.usage("index"), "https://a.example/secret");
        assert_eq!(verdict.rule().and_then(|rule| rule.file), Some((1, url.to_owned())));
    }
}

/// A reference may have a URL in its query.
#[test]
fn a_path_with_a_url_is_a_path() {
    let robots = ROBOTS.replace("/part.txt", "/part?of=https://b.example/");
    let part = at(1, "https://a.example/part?of=https://b.example/", text(PART));
    let records = [at(1, "https://a.example/robots.txt", text(&robots)), part];
    assert_eq!(secret(&records), ("disallowed".into(), 1, 0));
}

/// Decision 35, also where another site's robots.txt is the same text and the image keeps none.
/// Their rule sets have the meaning of their versions, in their own file.
#[test]
fn rule_sets_of_the_file_are_read() {
    let crawl = |part: &str| {
        let records = [
            at(1, "https://a.example/robots.txt", text(ROBOTS)),
            at(1, "https://a.example/part.txt", text(part)),
        ];
        ask(&opened(&build(&records), 0), "bot", "crawl", "https://a.example/secret")
    };
    let only_the_root = "User-agent: *\nRobot-version: 2.0.0\nAllow: /\n";
    assert_eq!(crawl(only_the_root), "disallowed");
    assert_eq!(crawl("User-agent: *\nRobot-version: 2.1.0\nDisallow: *\n"), "allowed", "an experiment");
    let two = format!("User-agent: *\nDisallow: /secret\n{}", only_the_root.replace("/\n", "*\n"));
    assert_eq!(crawl(&two), "allowed", "the higher version counts");
}

#[test]
fn conventional_groups_of_the_file_are_read() {
    let groups = text("User-agent: *\nDisallow: /secret\n");
    let records = [
        at(1, "https://b.example/robots.txt", &*groups),
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/part.txt", &*groups),
    ];
    for no_sources in [false, true] {
        let compile = Options { no_sources, ..Options::default() };
        let built = built(&records, &BatchOptions { compile, ..BatchOptions::default() });
        let image = opened(&built, 0);
        let crawl = |agent| ask(&image, agent, "crawl", "https://a.example/secret");
        assert_eq!([crawl("bot"), crawl("other")], ["disallowed", "allowed"], "{no_sources}");
        assert_eq!(ask(&image, "other", "crawl", "https://b.example/secret"), "disallowed");
    }
}

#[test]
fn the_newest_capture_of_the_file_counts() {
    let robots = at(1, "https://a.example/robots.txt", text(ROBOTS));
    let part = |second, block: &str| at(second, "https://a.example/part.txt#x", block);
    let other = "ACAP-crawler: bot\nACAP-disallow-index: /other\n";
    let both = [robots.clone(), part(2, &text(PART)), part(3, &text(other)), part(1, &text(PART))];
    assert_eq!(secret(&both), ("allowed".into(), 1, 0));
    for newest in [
        "HTTP/1.1 404 Not Found\r\n\r\n",
        "HTTP/1.1 301 Moved\r\nLocation: /moved.txt\r\n\r\n",
        "HTTP/1.1 503 Busy\r\n\r\n",
        &html("<html>not found</html>"),
    ] {
        let moved = at(9, "https://a.example/moved.txt", text(PART));
        let records = [robots.clone(), part(2, &text(PART)), part(3, newest), moved];
        assert_eq!(secret(&records), ("allowed incomplete".into(), 0, 1), "{newest}");
    }
    // A text without ACAP fields has no effect, but is not missing.
    assert_eq!(secret(&[robots, part(1, &text("nothing\n"))]), ("allowed".into(), 1, 0));
}

#[test]
fn a_file_is_one_of_its_site() {
    let elsewhere = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "http://a.example/part.txt", text(PART)),
        at(1, "https://a.example:8443/part.txt", text(PART)),
        at(1, "https://b.example/part.txt", text(PART)),
    ];
    assert_eq!(secret(&elsewhere), ("allowed incomplete".into(), 0, 1));
    // The same text on two sites, one of which has the file.
    let two = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://b.example/robots.txt", text(ROBOTS)),
        at(1, "https://b.example/part.txt", text(PART)),
    ];
    let built = build(&two);
    let image = opened(&built, 0);
    assert_eq!((built.report.references_found, built.report.references_missing), (1, 1));
    assert_eq!(ask(&image, "bot", "index", "https://a.example/secret"), "allowed incomplete");
    assert_eq!(ask(&image, "bot", "index", "https://b.example/secret"), "disallowed");
    assert_ne!(
        image.site("https://a.example/").unwrap().document(),
        image.site("https://b.example/").unwrap().document()
    );
}

#[test]
fn a_url_of_the_own_site_is_a_path() {
    let robots = ROBOTS.replace("/part.txt", "https://a.example/p?q=1");
    let records = [
        at(1, "https://a.example/robots.txt", text(&robots)),
        at(1, "https://a.example/p?q=1", text(PART)),
        at(1, "https://b.example/robots.txt", text(&robots)),
    ];
    assert_eq!(secret(&records), ("disallowed".into(), 2, 0));
    let image = opened(&build(&records), 0);
    assert_eq!(ask(&image, "bot", "index", "https://b.example/secret"), "disallowed", "as a file of a");
}

#[test]
fn a_redirect_may_lead_to_a_text_with_references() {
    let records = [
        at(1, "https://a.example/robots.txt", "HTTP/1.1 302 F\r\nLocation: /r.txt\r\n\r\n"),
        at(1, "https://a.example/r.txt", text(ROBOTS)),
        at(1, "https://a.example/part.txt", text(PART)),
    ];
    assert_eq!(secret(&records), ("disallowed".into(), 1, 0));
}

#[test]
fn a_host_without_scheme_has_the_newest_file_of_either() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a.example.txt"), ROBOTS).unwrap();
    let records = [
        at(2, "http://a.example/part.txt", text(PART)),
        at(1, "https://a.example/part.txt", text("ACAP-crawler: bot\nACAP-disallow-index: /other\n")),
    ];
    std::fs::write(home.path().join("x.warc"), records.concat()).unwrap();
    let inputs = [robomaton_corpus::Input::Path(home.path().to_owned())];
    let built = robomaton_corpus::build(&inputs, &BatchOptions::default(), &Default::default()).unwrap();
    assert_eq!(ask(&opened(&built, 0), "bot", "index", "https://a.example/secret"), "disallowed");
}

#[test]
fn what_is_too_long_together_is_left_out() {
    // Nineteen of these exceed eight MiB.
    let long = format!("{PART}{}", "# filler\n".repeat(50_000));
    let refers: String = (10..30).map(|n| format!("ACAP-permissions-reference: /{n}\n")).collect();
    let mut records =
        vec![at(1, "https://a.example/robots.txt", text(&format!("ACAP-crawler: bot\n{refers}")))];
    records.extend((10..30).map(|n| at(1, &format!("https://a.example/{n}"), text(&long))));
    let report = build(&records).report;
    assert_eq!((report.references_found, report.references_missing, report.references_over), (18, 0, 2));
    assert_eq!(secret(&records).0, "disallowed incomplete");
}

#[test]
fn other_profiles_know_no_references() {
    let records = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/part.txt", text(PART)),
    ];
    for profile in [Profile::Rfc9309, Profile::Google, Profile::Koster] {
        let compile = Options { profile, ..Options::default() };
        let built = built(&records, &BatchOptions { compile, ..BatchOptions::default() });
        assert_eq!((built.report.references_found, built.report.references_missing), (0, 0));
    }
}

/// The rest of a truncated file may prohibit.
#[test]
fn a_truncated_file_is_missing() {
    let url = "https://a.example/part.txt";
    let robots = at(1, "https://a.example/robots.txt", text(ROBOTS));
    let whole = at(1, url, text("ACAP-crawler: bot\nACAP-disallow-index: /x\n"));
    assert_eq!(secret(&[robots.clone(), whole.clone()]), ("allowed".into(), 1, 0));
    let whole = String::from_utf8(whole).expect("text");
    let truncated = whole.replacen("WARC-Type", "WARC-Truncated: length\r\nWARC-Type", 1).into_bytes();
    assert_eq!(secret(&[robots, truncated]), ("allowed incomplete".into(), 0, 1));
}

/// The rest of a file over the limit of bytes may prohibit, whatever its beginning is.
#[test]
fn a_file_that_is_not_read_to_its_end_leaves_answers_open() {
    let urls = ["https://a.example/part.txt", "https://a.example/data.txt", "https://b.example/part.txt"];
    let comments = "# filler\n".repeat(60_000);
    let texts =
        [format!("{comments}{PART}"), format!("<html>\n{comments}{PART}"), format!("{PART}{comments}")];
    for (url, body) in urls.iter().flat_map(|url| texts.iter().map(move |body| (url, body))) {
        let robots = ROBOTS.replace("/part.txt", url.strip_prefix("https://a.example").unwrap_or(url));
        let records = [at(1, "https://a.example/robots.txt", text(&robots)), at(1, url, text(body))];
        for no_sources in [false, true] {
            let compile = Options { no_sources, ..Options::default() };
            let built = built(&records, &BatchOptions { compile, ..BatchOptions::default() });
            let said = ask(&opened(&built, 0), "bot", "index", "https://a.example/secret");
            let wanted = if body.starts_with(PART) { "disallowed incomplete" } else { "allowed incomplete" };
            assert_eq!(said, wanted, "{url} {no_sources} {}", &body[..6]);
        }
    }
}
