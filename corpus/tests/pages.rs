//! Pages with embedded permissions, compiled with the robots.txt of their site (M1 to M28).

mod common;

use common::{ask, at, built, html, opened, text};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Built};
use robomaton_formats::Profile;
use robomaton_runtime::{Basis, Image, Outcome, Usage};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";
const PAGE: &str = "<html><head><meta name=robots content='ACAP disallow-index'></head></html>";
const FREE: &str = "<html><head><meta name=robots content='ACAP allow-index'></head></html>";

fn with_pages(records: &[Vec<u8>]) -> Built {
    built(records, &BatchOptions { pages: true, ..BatchOptions::default() })
}

fn index(image: &Image<Vec<u8>>, url: &str) -> String {
    ask(image, "bot", "index", url)
}

#[test]
fn pages_speak_for_themselves() {
    let records = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/a?b=1#c", html(PAGE)),
        at(1, "https://a.example/free", html(FREE)),
        at(1, "https://a.example/silent", html("<html><body>nothing</body></html>")),
        at(1, "https://a.example/gone", format!("HTTP/1.1 404 N\r\nContent-Type: text/html\r\n\r\n{PAGE}")),
        at(1, "https://a.example/text", text("User-agent: *\nDisallow: /\n")),
        at(1, "https://a.example", html("<div class='the-acap:disallow-present'>x</div>")),
        at(1, "https://a.example/bare", format!("HTTP/1.1 200 OK\r\n\r\n{PAGE}")),
    ];
    let built = with_pages(&records);
    let image = opened(&built, 0);
    assert_eq!(index(&image, "https://a.example/a?b=1"), "disallowed");
    assert_eq!(index(&image, "https://a.example/a?b=1#d"), "disallowed");
    assert_eq!(index(&image, "https://a.example/a?b=12"), "unknown", "it speaks for no other page");
    assert_eq!(index(&image, "https://a.example/free"), "allowed");
    assert_eq!(index(&image, "https://a.example/silent"), "allowed", "a page that refuses nothing");
    assert_eq!(index(&image, "https://a.example/gone"), "unknown");
    assert_eq!(index(&image, "https://a.example/bare"), "disallowed", "known by its first bytes");
    assert_eq!(ask(&image, "bot", "present", "https://a.example/"), "disallowed");
    assert_eq!(ask(&image, "bot", "crawl", "https://a.example/private"), "disallowed");
    let report = &built.report;
    assert_eq!((report.pages, report.pages_with_permissions, report.pages_cut), (6, 4, 0));
    assert_eq!((report.sites, &report.outcomes), (1, &[("rules", 1)].into()));

    let without = common::built(&records, &BatchOptions::default());
    assert_eq!((without.report.pages, without.report.pages_with_permissions), (0, 0));
    assert_eq!(index(&opened(&without, 0), "https://a.example/a?b=1"), "unknown");
    let robots_alone = common::built(&records[..1], &BatchOptions::default());
    assert_eq!(robots_alone.image, without.image, "without pages, nothing changes");
    assert_eq!(robots_alone.image, with_pages(&records[..1]).image);
}

/// A byte order mark says what the media type leaves open.
#[test]
fn pages_in_utf_16() {
    let page = "<?xml version='1.0'?><html><head><meta name='robots' content='noindex'/></head></html>";
    let sixteen = |mark: &str| -> Vec<u8> {
        format!("{mark}{page}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let capture = |path: &str, header: &str, body: &[u8]| {
        let block = [format!("HTTP/1.1 200 OK\r\n{header}\r\n").as_bytes(), body].concat();
        at(1, &format!("https://a.example/{path}"), block)
    };
    let built = with_pages(&[
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        capture("bare", "", &sixteen("\u{feff}")),
        capture("xml", "Content-Type: application/xml\r\n", &sixteen("\u{feff}")),
        capture("unmarked", "Content-Type: text/html\r\n", &sixteen("")),
        capture("image", "Content-Type: text/html\r\n", b"\x89PNG\r\n"),
        capture("png", "Content-Type: image/png\r\n", b"\x89PNG\r\n"),
    ]);
    let image = opened(&built, 0);
    for (path, expected) in [
        ("bare", "disallowed"),
        ("xml", "disallowed"),
        ("unmarked", "unknown incomplete"),
        ("image", "unknown incomplete"),
        ("png", "allowed"),
    ] {
        assert_eq!(index(&image, &format!("https://a.example/{path}")), expected, "{path}");
    }
}

/// A crawler may run scripts or not: what `noscript` contains may refuse, and permits nothing
/// (decision 40).
#[test]
fn noscript_permits_nothing() {
    let page = |path: &str, header: &str, content: &str| {
        let html = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n{content}");
        at(1, &format!("https://a.example/{path}"), html)
    };
    let license = "<script type=application/rsl+xml><rsl xmlns='https://rslstandard.org/rsl'><content url=''>\
        <license><permits type='usage'>all</permits></license></content></rsl></script>";
    let built = with_pages(&[
        at(1, "https://a.example/robots.txt", text("ACAP-crawler: *\nACAP-disallow-index: /acap\n")),
        page("license", "", &format!("<noscript>{license}</noscript>")),
        page("zero", "tdm-reservation: 1\r\n", "<noscript><meta name=tdm-reservation content=0></noscript>"),
        page("one", "", "<noscript><meta name=tdm-reservation content='1\n'></noscript>"),
        page(
            "policy",
            "tdm-reservation: 1\r\n",
            "<noscript><meta name=tdm-policy content=https://p.example/></noscript>",
        ),
        page(
            "embedded",
            "",
            "<meta name=robots content=noindex><noscript><meta name=robots content=indexifembedded></noscript>",
        ),
        page("images", "", "<noscript><meta name=robots content=noimageai></noscript>"),
        page("acap", "", "<noscript><meta name=bot content='ACAP allow-index'></noscript>"),
        page(
            "limited",
            "",
            "<noscript><meta name=bot content='ACAP allow-index time-limit=3-days'></noscript>",
        ),
        page("silent", "", "<body><noscript><div data-nosnippet>x</div></noscript>"),
        page("class", "", "<body><noscript><p class=acap:disallow-preserve>x</noscript>"),
        page("base", "", &format!("{license}<noscript><base href=//b.example></noscript>")),
        page(
            "version",
            "",
            "<noscript><meta name=robots content='ACAP Version 1.0'></noscript>\
             <meta name=robots content='ACAP Version 1.1'><meta name=bot content='ACAP allow-index ref=x'>",
        ),
    ]);
    let image = opened(&built, 0);
    for (path, usage, expected) in [
        ("license", "ai-train", "unknown"),
        ("zero", "tdm", "disallowed"),
        ("one", "tdm", "disallowed"),
        ("policy", "tdm", "disallowed"),
        ("embedded", "index", "disallowed"),
        ("images", "ai-train", "unknown incomplete"),
        ("acap", "index", "disallowed"),
        ("limited", "index", "disallowed"),
        ("silent", "present-snippet", "disallowed"),
        ("class", "preserve", "disallowed"),
        ("base", "ai-train", "unknown incomplete"),
        ("version", "index", "conditional"),
    ] {
        assert_eq!(ask(&image, "bot", usage, &format!("https://a.example/{path}")), expected, "{path}");
    }
}

#[test]
fn the_newest_capture_of_a_page_counts() {
    let robots = at(1, "https://a.example/robots.txt", text(ROBOTS));
    let page = |second, block: &str| at(second, "https://a.example/p", block);
    let said = |records: &[Vec<u8>]| index(&opened(&with_pages(records), 0), "https://a.example/p");
    assert_eq!(said(&[robots.clone(), page(2, &html(FREE)), page(1, &html(PAGE))]), "allowed");
    assert_eq!(said(&[robots.clone(), page(1, &html(FREE)), page(2, &html(PAGE))]), "disallowed");
    assert_eq!(said(&[robots.clone(), page(1, &html(PAGE)), page(2, &html("<p>silent"))]), "allowed");
    assert_eq!(said(&[robots.clone(), page(1, &html(PAGE)), page(2, "HTTP/1.1 410 G\r\n\r\n")]), "unknown");
    // A failure says nothing of the page.
    for failure in ["HTTP/1.1 503 U\r\n\r\n", "HTTP/1.1 429 T\r\n\r\n"] {
        assert_eq!(said(&[robots.clone(), page(1, &html(PAGE)), page(2, failure)]), "disallowed");
        assert_eq!(said(&[robots.clone(), page(1, &html("<p>")), page(2, failure)]), "unknown incomplete");
        assert_eq!(said(&[robots.clone(), page(2, failure)]), "unknown", "it was never captured");
    }
    // In the same second, the bytes break the tie: the same in any order, which `built` checks.
    said(&[robots, page(1, &html(PAGE)), page(1, &html(FREE))]);
}

#[test]
fn a_site_without_a_capture_of_its_robots_txt() {
    let built =
        with_pages(&[at(1, "https://a.example/p", html(PAGE)), at(1, "http://a.example:80/", html("<p>"))]);
    let image = opened(&built, 0);
    let site = image.site("https://a.example/").unwrap();
    assert_eq!((site.outcome(), site.status(), site.fetched_at()), (Some(Outcome::NotCaptured), 0, None));
    // A robots.txt that could not be read might name the crawler.
    assert_eq!(index(&image, "https://a.example/p"), "disallowed incomplete");
    assert_eq!(index(&image, "https://a.example/q"), "unknown");
    let crawler = image.crawler(["bot"]);
    let crawl = image.decide(&crawler, Usage::CRAWL, "https://a.example/p");
    assert_eq!(common::told(&crawl), "unknown");
    assert_eq!(crawl.basis(), Basis::Outcome(Outcome::NotCaptured));
    assert_eq!(index(&image, "http://a.example/"), "allowed incomplete", "a page that refuses nothing");
    assert_eq!((built.report.captures, &built.report.outcomes), (0, &[("not-captured", 2)].into()));
}

#[test]
fn the_outcome_stays_what_it_is() {
    let page = at(1, "https://a.example/p", html(PAGE));
    for (block, outcome, crawl) in [
        ("HTTP/1.1 404 N\r\n\r\n".to_owned(), Outcome::Unavailable, "allowed"),
        ("HTTP/1.1 500 E\r\n\r\n".to_owned(), Outcome::Unreachable, "disallowed"),
        ("HTTP/1.1 302 F\r\nLocation: /x\r\n\r\n".to_owned(), Outcome::Unresolved, "unknown"),
        (html("<html>no robots</html>"), Outcome::NotRobots, "allowed"),
        (text("# nothing\n"), Outcome::Empty, "allowed"),
        (text(ROBOTS), Outcome::Rules, "allowed"),
    ] {
        let image = opened(&with_pages(&[page.clone(), at(1, "https://a.example/robots.txt", block)]), 0);
        assert_eq!(image.site("https://a.example/").unwrap().outcome(), Some(outcome));
        let doubt = if outcome == Outcome::Unresolved { " incomplete" } else { "" };
        assert_eq!(index(&image, "https://a.example/p"), format!("disallowed{doubt}"), "{outcome}");
        assert_eq!(ask(&image, "bot", "crawl", "https://a.example/p"), crawl, "{outcome}");
        assert_eq!(
            index(&image, "https://a.example/q"),
            if crawl == "disallowed" { crawl } else { "unknown" }
        );
    }
}

#[test]
fn a_robots_txt_that_was_not_fetched_may_refuse_what_pages_permit() {
    let page = at(1, "https://a.example/p", html("<p>silent"));
    let signal = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: train-ai=y\r\n\r\n<p>";
    let stated = at(1, "https://a.example/q", signal);
    let moved = "HTTP/1.1 302 F\r\nLocation: /x\r\n\r\n";
    for (block, doubt) in
        [(None, " incomplete"), (Some(moved), " incomplete"), (Some("HTTP/1.1 404 N\r\n\r\n"), "")]
    {
        let robots = block.map(|block| at(1, "https://a.example/robots.txt", block));
        let records: Vec<Vec<u8>> = robots.into_iter().chain([page.clone(), stated.clone()]).collect();
        let image = opened(&with_pages(&records), 0);
        for (url, usage) in [("/p", "index"), ("/p", "search"), ("/p", "present-snippet"), ("/q", "ai-train")]
        {
            let answer = ask(&image, "bot", usage, &format!("https://a.example{url}"));
            assert_eq!(answer, format!("allowed{doubt}"), "{block:?} {usage}");
        }
    }
}

/// The answers about training by robots.txt, which permits it, and one more document.
fn training(records: &[Vec<u8>]) -> String {
    let robots = text("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n");
    let all = [&[at(1, "https://a.example/robots.txt", robots)], records].concat();
    ask(&opened(&with_pages(&all), 0), "bot", "ai-train", "https://a.example/p")
}

#[test]
fn a_document_about_uses_that_was_not_read_permits_nothing() {
    let reserves = "HTTP/1.1 200 OK\r\n\r\n[{\"location\":\"/\",\"tdm-reservation\":1}]";
    let refuses = text("User-agent: *\nDisallow: /\n");
    let permits = text("User-agent: *\nAllow: /\n");
    let moved = |to: &str| format!("HTTP/1.1 301 M\r\nLocation: {to}\r\n\r\n");
    for (path, refusal) in [("/.well-known/tdmrep.json", reserves), ("/ai.txt", &refuses)] {
        let url = &format!("https://a.example{path}");
        let old = at(1, url, refusal);
        assert_eq!(training(&[]), "allowed");
        assert_eq!(training(std::slice::from_ref(&old)), "disallowed");
        for status in ["404 N", "410 G", "403 F"] {
            let gone = at(2, url, format!("HTTP/1.1 {status}\r\n\r\n"));
            assert_eq!(training(&[old.clone(), gone]), "allowed", "{path} {status}");
        }
        for block in ["HTTP/1.1 500 E\r\n\r\n".to_owned(), moved("/lost"), "HTTP/1.1 301 M\r\n\r\n".into()] {
            let newest = at(2, url, &block);
            assert_eq!(training(std::slice::from_ref(&newest)), "unknown incomplete", "{path} {block}");
            assert_eq!(training(&[old.clone(), newest]), "unknown incomplete", "{path} {block}");
        }
        let page = at(1, "https://a.example/home", html("<p>home"));
        assert_eq!(training(&[at(2, url, moved("/home")), page]), "unknown incomplete", "{path}");
        // The document of another site is found behind a redirect.
        let other = at(1, &format!("https://b.example{path}"), refusal);
        assert_eq!(
            training(&[at(2, url, moved(&format!("//b.example{path}"))), other]),
            "disallowed",
            "{path}"
        );
    }
    let ai_txt = |block: &str| at(1, "https://a.example/ai.txt", block);
    let found =
        |text: &str| training(&[ai_txt(&moved("/a/b.txt")), at(1, "https://a.example/a/b.txt", text)]);
    assert_eq!([found(&refuses), found(&permits)], ["disallowed", "allowed"]);
    let cut = |text: &str| training(&[truncated("https://a.example/ai.txt", text)]);
    assert_eq!(cut(&text("User-agent: *\nDisallow: /q\nDisa")), "unknown incomplete");
    assert_eq!(cut(&refuses), "disallowed");
    let elsewhere = at(1, "https://a.example/tdm.json", reserves);
    let json = at(1, "https://a.example/.well-known/tdmrep.json", moved("/tdm.json"));
    assert_eq!(training(&[json.clone(), elsewhere.clone()]), "disallowed");
    // Without texts in the image, one without records of a robots.txt is not kept.
    let signal = text("User-agent: *\nContent-Signal: ai-train=yes\n");
    let records = [at(1, "https://a.example/robots.txt", signal), json, elsewhere];
    let compile = Options { no_sources: true, ..Options::default() };
    let lean = built(&records, &BatchOptions { compile, pages: true, ..BatchOptions::default() });
    assert_eq!(ask(&opened(&lean, 0), "bot", "ai-train", "https://a.example/p"), "unknown incomplete");
    // They are asked for only with pages.
    let robots = at(1, "https://a.example/robots.txt", text("User-agent: *\nContent-Signal: ai-train=yes\n"));
    let failed = at(1, "https://a.example/ai.txt", "HTTP/1.1 500 E\r\n\r\n");
    let image = opened(&built(&[robots, failed], &BatchOptions::default()), 0);
    assert_eq!(ask(&image, "bot", "ai-train", "https://a.example/p"), "allowed");
}

#[test]
fn an_unchanged_page_whose_header_speaks_of_uses_permits_nothing() {
    let base = [
        at(1, "https://a.example/robots.txt", text(ROBOTS)),
        at(1, "https://a.example/p", html("<p>silent")),
    ];
    let with = |field: &str| {
        let newest = at(2, "https://a.example/p", format!("HTTP/1.1 304 N\r\n{field}\r\n"));
        let built = with_pages(&[&base[..], &[newest]].concat());
        (
            index(&opened(&built, 0), "https://a.example/p"),
            built.report.skipped.get("revisit-header").copied(),
        )
    };
    assert_eq!(with("Date: x\r\n"), ("allowed".to_owned(), None));
    assert_eq!(with("X-Robots-Tag: noindex\r\n"), ("disallowed".to_owned(), Some(1)));
    assert_eq!(with("Content-Signal: search=no\r\n"), ("disallowed".to_owned(), Some(1)));
    assert_eq!(with("Content-Signal: ai-train=no\r\n"), ("unknown incomplete".to_owned(), Some(1)));
    let link = "Link: <https://a.example/l.xml>; rel=license; type=\"application/RSL+xml\"\r\n";
    assert_eq!(with(link), ("unknown incomplete".to_owned(), Some(1)));
    assert_eq!(with("Link: </x.css>; rel=preload\r\n"), ("allowed".to_owned(), None));
}

/// Bytes that are not UTF-8 are Latin-1 (R5), so that this is not `J`.
#[test]
fn a_name_in_a_header_may_be_latin_1() {
    let page =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: J\xe4vla-bot: noindex\r\n\r\n<p>";
    let records = [at(1, "https://a.example/robots.txt", text(ROBOTS)), at(1, "https://a.example/p", page)];
    let image = opened(&with_pages(&records), 0);
    assert_eq!(ask(&image, "J\u{e4}vla-bot", "index", "https://a.example/p"), "disallowed");
    assert_eq!(ask(&image, "J", "index", "https://a.example/p"), "allowed");
}

#[test]
fn a_folded_header_line_counts() {
    let folded = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: foo,\r\n noindex\r\n\r\n<p>";
    let records = [at(1, "https://a.example/robots.txt", text(ROBOTS)), at(1, "https://a.example/p", folded)];
    assert_eq!(index(&opened(&with_pages(&records), 0), "https://a.example/p"), "disallowed");
}

#[test]
fn too_many_fields_of_pages_are_unread_and_do_not_shut_the_site() {
    let mut records: Vec<Vec<u8>> =
        (0..5).map(|n| at(1, &format!("https://a.example/{n}"), html(PAGE))).collect();
    records.push(at(1, "https://a.example/robots", html("<meta name=robots content=noindex>")));
    records.push(at(1, "https://a.example/robots.txt", "HTTP/1.1 404 N\r\n\r\n"));
    let mut compile = Options::default();
    compile.limits.rules = 4;
    let built = built(&records, &BatchOptions { compile, pages: true, ..BatchOptions::default() });
    let [(site, why)] = &built.report.over_limit[..] else { panic!("{:?}", built.report) };
    assert_eq!(site, "https://a.example");
    assert!(why.starts_with("its pages are not read whole: "), "{why}");
    let image = opened(&built, 0);
    assert_eq!(ask(&image, "bot", "crawl", "https://a.example/"), "allowed");
    // What the fields refuse is not known; the robots directives still count.
    assert_eq!(index(&image, "https://a.example/1"), "unknown incomplete");
    assert_eq!(index(&image, "https://a.example/robots"), "disallowed");
}

#[test]
fn what_is_not_read_whole_permits_nothing() {
    let robots = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\
                  User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n";
    let long = format!("<meta name=robots content='noindex{}'>", " ".repeat(5000));
    let records = [
        at(1, "https://a.example/robots.txt", robots),
        truncated("https://a.example/cut", &html("<html><head><title>t</title>")),
        at(1, "https://a.example/long", html(&long)),
        at(1, "https://a.example/whole", html("<html><head><title>t</title>")),
        at(1, "https://b.example/robots.txt", robots),
        truncated(
            "https://b.example/.well-known/tdmrep.json",
            "HTTP/1.1 200 OK\r\n\r\n[{\"location\":\"/\",",
        ),
    ];
    let image = opened(&with_pages(&records), 0);
    let asked = |url: &str| ["index", "ai-train"].map(|usage| ask(&image, "bot", usage, url));
    assert_eq!(asked("https://a.example/whole"), ["allowed", "allowed"]);
    assert_eq!(asked("https://a.example/cut"), ["unknown incomplete"; 2]);
    assert_eq!(asked("https://a.example/long"), ["unknown incomplete"; 2]);
    assert_eq!(asked("https://b.example/x"), ["allowed", "unknown incomplete"]);
}

/// A tag of ACAP with words that are none of ACAP cannot be understood, so it allows nothing
/// (decision 28); what refuses in it counts.
#[test]
fn words_of_robots_in_a_tag_of_acap_may_only_refuse() {
    let page = |path: &str, metas: &[&str]| {
        let metas: String = metas.iter().map(|meta| format!("<meta name=robots content='{meta}'>")).collect();
        at(1, &format!("https://a.example/{path}"), html(&metas))
    };
    let built = with_pages(&[
        at(1, "https://a.example/robots.txt", text("User-agent: *\nDisallow: /no\n")),
        page("soft", &["noindex", "ACAP allow-follow indexifembedded"]),
        page("hard", &["ACAP allow-follow noindex"]),
        page("images", &["ACAP disallow-follow noimageai"]),
    ]);
    let image = opened(&built, 0);
    for (path, usage, expected) in [
        ("soft", "index", "disallowed"),
        ("hard", "index", "disallowed"),
        ("images", "ai-train", "unknown incomplete"),
    ] {
        assert_eq!(ask(&image, "bot", usage, &format!("https://a.example/{path}")), expected, "{path}");
    }
}

#[test]
fn locations_of_tdmrep_that_name_no_page_of_the_site() {
    let tdm = |rules: &str| {
        let records = [
            at(1, "https://a.example/robots.txt", text("Content-Signal: ai-train=yes\n")),
            at(1, "https://a.example/.well-known/tdmrep.json", text(rules)),
        ];
        ask(&opened(&with_pages(&records), 0), "bot", "ai-train", "https://a.example/a")
    };
    let reserved = |location: &str| tdm(&format!(r#"[{{"location":"{location}","tdm-reservation":1}}]"#));
    // One part of a page reserves all of it, and its policy is not that of the page.
    let part = r#"{"location":"/a#x","tdm-reservation":1,"tdm-policy":"https://a.example/p"}"#;
    assert_eq!(tdm(&format!(r#"[{part},{{"location":"/a","tdm-reservation":1}}]"#)), "disallowed");
    assert_eq!(tdm(&format!("[{part}]")), "disallowed");
    for (location, expected) in [
        ("/a", "disallowed"),
        ("https://b.example/a", "allowed"),
        ("android-app://com.example/a", "allowed"),
        ("/ /a", "allowed"),
        ("//b.example/a", "unknown incomplete"),
        ("/\\t/b.example/a", "unknown incomplete"),
        ("https:/b.example/a", "unknown incomplete"),
    ] {
        assert_eq!(reserved(location), expected, "{location}");
    }
}

/// An escape of an unreserved character is that character (R10).
#[test]
fn documents_are_known_under_every_spelling_of_their_url() {
    let tdmrep = r#"[{"location":"/","tdm-reservation":1}]"#;
    let ai_txt = "User-agent: *\nDisallow: /\n";
    let training =
        |records: &[Vec<u8>]| ask(&opened(&with_pages(records), 0), "bot", "ai-train", "https://a.example/x");
    let robots = at(1, "https://a.example/robots%2etxt", text("User-agent: *\nDisallow: /no\n"));
    for (path, body) in [
        ("/.well-known/tdmrep.json", tdmrep),
        ("/.well-known/tdmrep%2ejson", tdmrep),
        ("/%2Ewell-known/tdmre%70.json", tdmrep),
        ("/ai%2etxt", ai_txt),
        ("/%61i.txt", ai_txt),
    ] {
        let document = at(1, &format!("https://a.example{path}"), text(body));
        assert_eq!(training(&[robots.clone(), document]), "disallowed", "{path}");
        let failed = at(1, &format!("https://a.example{path}"), "HTTP/1.1 503 B\r\n\r\n");
        assert_eq!(training(&[robots.clone(), failed]), "unknown incomplete", "{path}");
    }
    // Behind a redirect to such a spelling, and with another one in a reference.
    let moved = "HTTP/1.1 301 M\r\nLocation: https://b.example/robots%2etxt\r\n\r\n";
    let records = [
        at(1, "https://a.example/robots.txt", moved),
        at(
            1,
            "https://b.example/%72obots.txt",
            text("ACAP-crawler: *\nACAP-permissions-reference: /%7Er.txt\n"),
        ),
        at(1, "https://a.example/~r.txt", text("ACAP-crawler: *\nACAP-disallow-index: /\n")),
    ];
    assert_eq!(index(&opened(&with_pages(&records), 0), "https://a.example/x"), "disallowed");
}

/// A record whose capture was cut.
fn truncated(uri: &str, block: &str) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Truncated: length\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block.as_bytes(), b"\r\n\r\n"].concat()
}

#[test]
fn a_text_that_redirects_lead_to_is_kept() {
    for no_sources in [false, true] {
        let records = [
            at(1, "https://a.example/robots.txt", "HTTP/1.1 302 F\r\nLocation: /r.txt\r\n\r\n"),
            at(1, "https://a.example/r.txt", text(ROBOTS)),
            at(1, "https://a.example/p", html(PAGE)),
        ];
        let compile = Options { no_sources, ..Options::default() };
        let image =
            opened(&built(&records, &BatchOptions { compile, pages: true, ..BatchOptions::default() }), 0);
        assert_eq!(ask(&image, "bot", "crawl", "https://a.example/private"), "disallowed");
        assert_eq!(index(&image, "https://a.example/p"), "disallowed");
    }
}

#[test]
fn a_host_without_scheme_keeps_its_rules() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a.example.txt"), ROBOTS).unwrap();
    std::fs::write(home.path().join("x.warc"), at(1, "https://a.example/p", html(PAGE))).unwrap();
    let inputs = [robomaton_corpus::Input::Path(home.path().to_owned())];
    let options = BatchOptions { pages: true, ..BatchOptions::default() };
    let built = robomaton_corpus::build(&inputs, &options, &Default::default()).unwrap();
    let image = opened(&built, 0);
    assert_eq!(index(&image, "https://a.example/p"), "disallowed");
    assert_eq!(index(&image, "http://a.example/p"), "unknown");
    for url in ["https://a.example/private", "http://a.example/private"] {
        assert_eq!(ask(&image, "bot", "crawl", url), "disallowed", "{url}");
    }
}

#[test]
fn what_was_cut_is_counted() {
    let many = "<meta name=robots content='ACAP disallow-index'>".repeat(2000);
    let records = [at(1, "https://a.example/p", html(&many)), truncated("https://a.example/q", &html(PAGE))];
    let built = with_pages(&records);
    assert_eq!((built.report.pages, built.report.pages_cut, built.report.pages_with_permissions), (2, 2, 2));
    assert_eq!(
        index(&opened(&built, 0), "https://a.example/q"),
        "disallowed incomplete",
        "no line end is no reason to lose it"
    );
}

#[test]
fn references_and_pages_go_together() {
    let robots = "ACAP-crawler: bot\nACAP-permissions-reference: https://a.example/part.txt\n";
    let records = [
        at(1, "https://a.example/robots.txt", text(robots)),
        at(1, "https://a.example/part.txt", text("ACAP-crawler: bot\nACAP-disallow-index: /\n")),
        at(1, "https://a.example/p", html("<meta name=bot content='ACAP allow-index'>")),
    ];
    let built = with_pages(&records);
    let image = opened(&built, 0);
    assert_eq!(index(&image, "https://a.example/p"), "allowed");
    assert_eq!(index(&image, "https://a.example/q"), "disallowed");
    assert_eq!((built.report.references_found, built.report.references_missing), (1, 0));
}

#[test]
fn the_draft_of_1996_reads_no_pages() {
    let records =
        [at(1, "https://a.example/robots.txt", text(ROBOTS)), at(1, "https://a.example/p", html(PAGE))];
    let compile = Options { profile: Profile::Koster, ..Options::default() };
    let with =
        |pages| built(&records, &BatchOptions { compile: compile.clone(), pages, ..BatchOptions::default() });
    assert_eq!(with(true).image, with(false).image);
}
