//! data.txt documents: stored next to robots.txt, in their own language, whatever the profile of
//! the image (K1 to K23).

mod common;

use common::{ask, ask_of, at, built, html, items_within, opened, text};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Item, ReadLimits};
use robomaton_formats::Profile;
use robomaton_runtime::{Image, Outcome};
use robomaton_tests::write::gzip;

const ROBOTS: &str = "User-agent: *\nDisallow: /r\n";
const DATA: &str = "\
User-agent: zebra webcrawler-extra
Disallow: /tmp
Allow: /tmp/ok.html
Dataset: /set.csv

User-agent: aardvark
Disallow: /a

User-agent: *
Disallow: /d
Licence: open # whoever
";

fn image_of(profile: Profile, records: &[Vec<u8>]) -> Image<Vec<u8>> {
    let compile = Options { profile, ..Options::default() };
    opened(&built(records, &BatchOptions { compile, ..BatchOptions::default() }), 100)
}

#[test]
fn the_same_in_images_of_all_profiles() {
    let records = [
        at(1, "http://www.bar.com:8001/data.txt", text(DATA)),
        at(1, "http://www.bar.com:8001/robots.txt", text(ROBOTS)),
        at(
            1,
            "http://other.example/robots.txt",
            text("User-agent: webcrawler\nUser-agent: extra\nAllow: /\n"),
        ),
    ];
    for profile in Profile::ALL {
        let image = image_of(profile, &records);
        assert_eq!((image.len(), image.sites().count(), image.documents().count()), (3, 2, 1));
        let url = "http://www.bar.com:8001/x/y?z";
        let data = image.document(url, "data.txt").unwrap();
        assert_eq!(
            (data.authority().as_ref(), data.document_name().as_deref()),
            ("www.bar.com:8001", Some("data.txt"))
        );
        assert_eq!((data.profile(), data.outcome()), (Profile::Koster, Some(Outcome::Rules)));
        for (crawler, path, said) in [
            ("WebCrawler/3.0", "/tmp", "disallowed rule"),
            ("webcrawler", "/tmp/ok.html", "disallowed rule"),
            ("webcrawler", "/d", "allowed no-rule"),
            ("extra", "/tmp", "disallowed rule"),
            ("zebra webcrawler", "/tmp", "disallowed rule"),
            ("webcrawler zebra", "/tmp", "allowed no-rule"),
            ("aardvark", "/a", "disallowed rule"),
            ("aardvark", "/tmp", "allowed no-rule"),
            ("k", "/a", "disallowed rule"),
            ("nobody", "/d", "disallowed rule"),
            ("nobody", "/robots.txt", "allowed robots-txt"),
            ("nobody", "/r", "allowed no-rule"),
        ] {
            assert_eq!(ask_of(&image, &data, crawler, path), said, "{profile}: {crawler} {path}");
        }
        let crawler = image.crawler(["webcrawler"]);
        let verdict = data.decide(&crawler, robomaton_runtime::Usage::CRAWL, "/tmp/ok.html");
        assert_eq!(verdict.rule().map(|rule| rule.line), Some(2), "{profile}");
        let records = data.extensions(&crawler);
        assert_eq!((&*records[0].key, &*records[0].value, records[0].line), ("dataset", "/set.csv", 4));
        // The robots.txt of the same site is unaffected, and so is the other site.
        assert_eq!(ask(&image, "nobody", "crawl", "http://www.bar.com:8001/r"), "disallowed", "{profile}");
        assert_eq!(ask(&image, "nobody", "crawl", "http://www.bar.com:8001/d"), "allowed");
        assert_eq!(image.site(url).unwrap().profile(), profile);
        assert!(image.document("https://www.bar.com:8001/", "data.txt").is_none());
        assert!(image.document("http://www.bar.com/", "data.txt").is_none());
        assert!(image.document(url, "ai.txt").is_none() && image.document("no URL", "data.txt").is_none());
        assert!(image.document("http://other.example/", "data.txt").is_none());
    }
}

#[test]
fn which_captures_are_of_a_data_txt() {
    for (url, is_one) in [
        ("http://a.example/data.txt", true),
        ("http://A.example:80/x/../data.txt#top", true),
        ("http://a.example/data.txt?", false),
        ("http://a.example/data.txt?x", false),
        ("http://a.example/Data.txt", false),
        ("http://a.example/x/data.txt", false),
        ("http://a.example/?/data.txt", false),
    ] {
        let built = built(&[at(1, url, text(DATA))], &BatchOptions::default());
        assert_eq!(built.report.data_captures, u64::from(is_one), "{url}");
        assert_eq!(built.report.other_captures, u64::from(!is_one), "{url}");
        let image = opened(&built, 0);
        assert_eq!(image.document("http://a.example/", "data.txt").is_some(), is_one, "{url}");
        assert_eq!((built.report.sites, image.sites().count()), (0, 0));
    }
}

#[test]
fn outcomes() {
    let moved = |to: &str| format!("HTTP/1.1 301 M\r\nLocation: {to}\r\n\r\n");
    for (block, outcome, said) in [
        (text(DATA), Outcome::Rules, "disallowed rule"),
        (text("# nothing"), Outcome::Empty, "allowed outcome"),
        (html("<html>x</html>"), Outcome::NotRobots, "allowed outcome"),
        ("HTTP/1.1 404 N\r\n\r\n".into(), Outcome::Unavailable, "unknown outcome"),
        ("HTTP/1.1 403 F\r\n\r\n".into(), Outcome::Unavailable, "unknown outcome"),
        ("HTTP/1.1 503 B\r\n\r\n".into(), Outcome::Unreachable, "unknown outcome"),
        (moved("https://b.example/data.txt"), Outcome::Rules, "disallowed rule"),
        (moved("/elsewhere.txt"), Outcome::Unresolved, "unknown outcome"),
        (moved("https://b.example/robots.txt"), Outcome::Unresolved, "unknown outcome"),
        (moved("http://a.example/data.txt"), Outcome::TooManyRedirects, "unknown outcome"),
    ] {
        let records = [
            at(1, "http://a.example/data.txt", &block),
            at(1, "http://a.example/elsewhere.txt", text(DATA)),
            at(1, "https://b.example/data.txt", text(DATA)),
            at(1, "https://b.example/robots.txt", text(DATA)),
        ];
        let image = image_of(Profile::Full, &records);
        let data = image.document("http://a.example/", "data.txt").unwrap();
        assert_eq!(data.outcome(), Some(outcome), "{block}");
        assert_eq!(ask_of(&image, &data, "nobody", "/d"), said, "{block}");
        assert!(image.site("http://a.example/").is_none(), "a data.txt makes no robots.txt");
    }
}

#[test]
fn a_robots_txt_may_redirect_to_a_data_txt() {
    let records = [
        at(1, "http://a.example/robots.txt", "HTTP/1.1 301 M\r\nLocation: /data.txt\r\n\r\n"),
        at(1, "http://a.example/data.txt", text("User-agent: *\nDisallow: /\nAllow: /x\n")),
    ];
    let image = image_of(Profile::Full, &records);
    assert_eq!(ask(&image, "bot", "crawl", "http://a.example/x"), "allowed", "read as a robots.txt is");
    let data = image.document("http://a.example/", "data.txt").unwrap();
    assert_eq!(ask_of(&image, &data, "bot", "/x"), "disallowed rule");
}

#[test]
fn the_newest_wins() {
    let records = [
        at(2, "http://a.example/data.txt", text("User-agent: *\nDisallow: /new\n")),
        at(1, "http://a.example/data.txt", text(DATA)),
        at(0, "http://a.example/data.txt", "HTTP/1.1 404 N\r\n\r\n"),
    ];
    let image = image_of(Profile::Full, &records);
    let data = image.document("http://a.example/", "data.txt").unwrap();
    assert_eq!(ask_of(&image, &data, "bot", "/new"), "disallowed rule");
}

#[test]
fn seven_days_unless_the_header_says_otherwise() {
    let with = |head: &str| format!("HTTP/1.1 200 OK\r\n{head}\r\n{DATA}");
    const DAY: u32 = 86_400;
    for (head, fresh_for) in [
        ("", 7 * DAY),
        ("Cache-Control: public\r\n", 7 * DAY),
        ("Cache-Control: max-age=60\r\n", 60),
        ("Cache-Control: max-age=60, s-maxage=5\r\n", 60),
        ("Cache-Control: no-cache\r\n", 0),
        ("Cache-Control: no-store, max-age=60\r\n", 0),
        ("Expires: Thu, 01 Jan 1970 01:00:01 GMT\r\n", 3600),
        ("Date: Thu, 01 Jan 1970 00:30:01 GMT\r\nExpires: Thu, 01 Jan 1970 01:00:01 GMT\r\n", 1800),
        ("Expires: 0\r\n", 0),
        ("Expires: Thu, 01 Jan 1970 01:00:01 GMT\r\nCache-Control: max-age=9\r\n", 9),
    ] {
        let records = [
            at(1, "http://a.example/data.txt", with(head)),
            at(1, "http://a.example/robots.txt", text(ROBOTS)),
        ];
        let built = built(&records, &BatchOptions::default());
        let image = opened(&built, 1);
        let data = image.document("http://a.example/", "data.txt").unwrap();
        assert_eq!((data.fetched_at(), data.fresh_for()), (Some(1), fresh_for), "{head}");
        assert_eq!(image.site("http://a.example/").unwrap().fresh_for(), DAY);
        for (now, stale) in [(1 + u64::from(fresh_for), false), (2 + u64::from(fresh_for), true)] {
            let image = opened(&built, now);
            let data = image.document("http://a.example/", "data.txt").unwrap();
            assert_eq!(data.is_stale(), Some(stale), "{head}");
        }
    }
}

#[test]
fn a_host_too_long_for_both_is_skipped() {
    let host = |last: usize| format!("{0}.{0}.{0}.{0}.{1}", "a".repeat(49), "b".repeat(last));
    for (last, fits) in [(46, true), (47, false)] {
        let url = format!("http://{}/data.txt", host(last));
        let record = at(1, &url, text(DATA));
        let items = items_within("x.warc", &record, &ReadLimits::default());
        let named =
            |item: &Item| matches!(item, Item::Skipped(skipped) if skipped.reason.name() == "long-name");
        assert_eq!(!items.iter().any(named), fits, "{items:?}");
        let built = built(&[record], &BatchOptions::default());
        assert_eq!(built.report.data_txt.len(), usize::from(fits), "{:?}", built.report.skipped);
        assert_eq!(opened(&built, 0).documents().count(), usize::from(fits));
    }
}

#[test]
fn narrowed_images_know_whom_they_hold() {
    let compile = Options { crawlers: vec!["aardvark".into()], ..Options::default() };
    let record = [at(1, "http://a.example/data.txt", gzip_block(DATA))];
    let image = opened(&built(&record, &BatchOptions { compile, ..BatchOptions::default() }), 0);
    let data = image.document("http://a.example/", "data.txt").unwrap();
    assert_eq!(ask_of(&image, &data, "aardvark/2.0", "/a"), "disallowed rule");
    assert_eq!(ask_of(&image, &data, "zebra", "/tmp"), "unknown narrowed");
    assert_eq!(ask_of(&image, &data, "*", "/d"), "disallowed rule");
}

/// A compressed answer.
fn gzip_block(body: &str) -> Vec<u8> {
    [&b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"[..], &gzip(body.as_bytes())].concat()
}

#[test]
fn over_a_limit_is_disallowed_as_ever() {
    let mut compile = Options::default();
    compile.limits.rules = 1;
    let record = [at(1, "http://a.example/data.txt", text(DATA))];
    let built = built(&record, &BatchOptions { compile, ..BatchOptions::default() });
    assert_eq!(built.report.over_limit[0].0, "http://a.example/data.txt");
    let image = opened(&built, 0);
    let data = image.document("http://a.example/", "data.txt").unwrap();
    assert_eq!(ask_of(&image, &data, "bot", "/"), "disallowed outcome");
}
