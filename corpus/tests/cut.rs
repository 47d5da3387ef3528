//! Texts that were not read to their end: what they permit of uses is not certain, and crawling is
//! as the part before the cut says (R4).

mod common;

use common::{ask, at, built, html, opened, text};
use robomaton_compiler::Options;
use robomaton_corpus::BatchOptions;
use robomaton_formats::Profile;
use robomaton_runtime::Image;

const USES: [&str; 6] = ["index", "search", "present-snippet", "ai-train", "other", "ai-all"];
const URL: &str = "https://a.example/x";
const ROBOTS: &str = "https://a.example/robots.txt";
const GROUP: &str = "User-agent: *\nDisallow: /no\n\
                     Content-Signal: search=yes, ai-train=yes, ai-input=yes\nContent-Usage: train-ai=y\n";
const ACAP: &str = "ACAP-crawler: *\nACAP-allow-other: /\nACAP-disallow-follow: /\n";

fn image(records: &[Vec<u8>]) -> Image<Vec<u8>> {
    opened(&built(records, &BatchOptions { pages: true, ..BatchOptions::default() }), 0)
}

/// A capture that was cut in the line after this body.
fn cut(uri: &str, body: &str) -> Vec<u8> {
    let record = at(1, uri, text(&format!("{body}Disal")));
    let record = String::from_utf8(record).expect("text");
    record.replacen("WARC-Type", "WARC-Truncated: length\r\nWARC-Type", 1).into_bytes()
}

/// A text over the limit of bytes.
fn long(body: &str) -> String {
    format!("{body}{}", "# more\n".repeat(500 * 1024 / 7))
}

#[track_caller]
fn permits_nothing(image: &Image<Vec<u8>>, uses: &[&str]) {
    for usage in uses {
        assert_eq!(ask(image, "bot", usage, URL), "unknown incomplete", "{usage}");
    }
    assert_eq!(ask(image, "bot", "crawl", URL), "allowed");
    assert_eq!(ask(image, "bot", "crawl", "https://a.example/no"), "disallowed");
}

#[test]
fn what_stands_behind_the_cut_may_refuse() {
    let part = text(GROUP).replacen("200 OK", "206 Part\r\nContent-Range: bytes 0-9/99", 1);
    let moved = "HTTP/1.1 301 M\r\nLocation: /r.txt\r\n\r\n";
    let page = at(1, URL, html("<title>t</title>"));
    for records in [
        vec![cut(ROBOTS, GROUP)],
        vec![cut(ROBOTS, GROUP), page.clone()],
        vec![at(1, ROBOTS, part)],
        vec![at(1, ROBOTS, text(&long(GROUP)))],
        vec![at(1, ROBOTS, text(&long(GROUP))), page],
        vec![at(1, ROBOTS, moved), cut("https://a.example/r.txt", GROUP)],
        // Another site has the same text, and all of it.
        vec![cut(ROBOTS, GROUP), at(1, "https://b.example/robots.txt", text(GROUP))],
    ] {
        let image = image(&records);
        permits_nothing(&image, &USES);
        let other = ask(&image, "bot", "ai-train", "https://b.example/x");
        assert!(["allowed", "unknown"].contains(&other.as_str()), "{other}");
    }
}

#[test]
fn acap_and_its_silence_permit_no_use_before_a_cut() {
    let robots = format!("User-agent: *\nDisallow: /no\n\n{ACAP}");
    for robots in [cut(ROBOTS, &robots), at(1, ROBOTS, text(&long(&robots)))] {
        let image = image(&[robots]);
        permits_nothing(&image, &USES);
        permits_nothing(&image, &["present-foo", "foo"]);
        assert_eq!(ask(&image, "bot", "follow", URL), "disallowed", "a refusal that was read");
    }
}

#[test]
fn a_text_without_a_record_before_the_cut_permits_no_use() {
    let image = image(&[cut(ROBOTS, "# a comment\n"), at(1, URL, html("<title>t</title>"))]);
    for usage in USES {
        assert_eq!(ask(&image, "bot", usage, URL), "unknown incomplete", "{usage}");
    }
    assert_eq!(ask(&image, "bot", "crawl", URL), "allowed");
}

/// Of robots.txt, `rfc9309` reads Noindex, and `google` nothing about uses.
#[test]
fn a_cut_leaves_open_what_the_profile_reads() {
    for (profile, wanted) in [(Profile::Rfc9309, "unknown incomplete"), (Profile::Google, "allowed")] {
        let mut options = BatchOptions { pages: true, ..BatchOptions::default() };
        options.compile.profile = profile;
        let records = [cut(ROBOTS, GROUP), at(1, URL, html("<title>t</title>"))];
        let image = opened(&built(&records, &options), 0);
        assert_eq!(ask(&image, "bot", "index", URL), wanted, "{profile}");
        assert_eq!(ask(&image, "bot", "follow", URL), "allowed", "{profile}");
    }
}

#[test]
fn a_long_file_that_a_text_refers_to_is_missing() {
    let robots = "ACAP-crawler: *\nACAP-permissions-reference: /r.txt\n";
    let referred = "ACAP-crawler: *\nACAP-allow-index: /\n";
    for (referred, wanted) in [(referred.to_owned(), "allowed"), (long(referred), "allowed incomplete")] {
        let records = [at(1, ROBOTS, text(robots)), at(1, "https://a.example/r.txt", text(&referred))];
        assert_eq!(ask(&image(&records), "bot", "index", URL), wanted);
    }
}

#[test]
fn a_long_ai_txt_permits_no_training() {
    let permits = "User-agent: bot\nAllow: /\n";
    for (ai_txt, wanted) in [(permits.to_owned(), "allowed"), (long(permits), "unknown incomplete")] {
        let records = [at(1, ROBOTS, text(permits)), at(1, "https://a.example/ai.txt", text(&ai_txt))];
        let image = image(&records);
        assert_eq!(ask(&image, "bot", "ai-train", URL), wanted);
        // For this one, the records of the site are read.
        let named = image.crawler(["bot"]).named_only(true);
        let found = image.decide(&named, image.usage("ai-train"), URL);
        assert_eq!(found.is_allowed(), wanted == "allowed");
    }
}

#[test]
fn a_page_that_was_not_read_whole_is_unread_for_usages_of_acap() {
    let long = format!("<meta name=robots content='noindex{}'>", " ".repeat(5000));
    let records = [at(1, ROBOTS, text(&format!("{ACAP}ACAP-allow-present: /\n"))), at(1, URL, html(&long))];
    let image = image(&records);
    for usage in ["other", "foo", "present-foo", "present-snippet"] {
        assert_eq!(ask(&image, "bot", usage, URL), "unknown incomplete", "{usage}");
        assert_eq!(ask(&image, "bot", usage, "https://a.example/y"), "allowed", "{usage}");
    }
    assert_eq!(ask(&image, "bot", "crawl", URL), "allowed");
}

/// So many lines would take much memory for few bytes of a compressed file.
#[test]
fn a_page_with_many_lines_about_uses_is_not_read_whole() {
    let robots = || at(1, ROBOTS, text("User-agent: *\nAllow: /\n"));
    for (count, wanted) in [(1024, "allowed"), (1025, "unknown incomplete")] {
        let lines = "X-Robots-Tag: archive\r\n".repeat(count);
        let page = at(1, URL, format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{lines}\r\n<p>"));
        assert_eq!(ask(&image(&[robots(), page]), "bot", "index", URL), wanted, "{count}");
    }
}

/// It is no robots.txt, as far as it was read.
#[test]
fn a_long_page_behind_a_redirect_permits_no_use() {
    let moved = at(1, ROBOTS, "HTTP/1.1 301 M\r\nLocation: /r\r\n\r\n");
    let stated = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: train-ai=y\r\n\r\n<p>";
    let page = at(1, URL, stated);
    let rest = "User-agent: *\nContent-Usage: train-ai=n\n";
    let target = |body: String| at(1, "https://a.example/r", text(&body));
    for (target, wanted) in [
        (target(format!("<html>\n{rest}")), "disallowed"),
        (target(format!("{}{rest}", long("<html>\n"))), "unknown incomplete"),
        (target(format!("{}{rest}", long("%PDF-1.4\n"))), "unknown incomplete"),
        (cut("https://a.example/r", "<html>\n"), "unknown incomplete"),
        (target("<html>\n".to_owned()), "allowed"),
    ] {
        let said = image(&[moved.clone(), target.clone(), page.clone()]);
        assert_eq!(ask(&said, "bot", "ai-train", URL), wanted);
        let alone = image(&[moved.clone(), target]);
        let wanted = if wanted == "allowed" { "unknown" } else { wanted };
        assert_eq!(ask(&alone, "bot", "ai-train", URL), wanted, "without pages");
    }
}

#[test]
fn no_texts_in_the_image_hide_no_cut() {
    let stated = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: train-ai=y\r\n\r\n<p>";
    let robots = at(1, ROBOTS, text(&format!("{}User-agent: *\nContent-Usage: train-ai=n\n", long(""))));
    for no_sources in [false, true] {
        let compile = Options { no_sources, ..Options::default() };
        let options = BatchOptions { compile, pages: true, ..BatchOptions::default() };
        let image = opened(&built(&[robots.clone(), at(1, URL, stated)], &options), 0);
        assert_eq!(ask(&image, "bot", "ai-train", URL), "unknown incomplete", "{no_sources}");
    }
}
