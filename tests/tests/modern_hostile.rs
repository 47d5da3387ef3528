//! Hostile input in the modern usage languages: named limits, no permission that nobody gave, and
//! time that grows with the input.

use robomaton_tests::modern::image::{Told, ask, image};
use robomaton_tests::modern::{Page, Question, Site};
use std::time::{Duration, Instant};

/// No site here may take longer, also in a build for debugging on a slow machine. Quadratic work on
/// the same sites takes minutes.
const MOST: Duration = Duration::from_secs(30);

fn site(robots: String) -> Site {
    Site { robots: Some(robots.into_bytes()), ..Site::new("https://example.com") }
}

fn told(site: &Site, usage: &str) -> Told {
    told_of("/x", site, usage)
}

fn told_of(url: &str, site: &Site, usage: &str) -> Told {
    let start = Instant::now();
    let question = Question {
        agents: vec!["Bot".to_owned()],
        url: url.to_owned(),
        usage: usage.to_owned(),
        ..Question::default()
    };
    let told = ask(&image(site), &site.origin, &question);
    assert!(start.elapsed() < MOST, "{:?}", start.elapsed());
    told
}

/// The answer is unknown, because something was not read.
fn is_unread(told: &Told) -> bool {
    told.verdict == "unknown" && told.incomplete
}

fn page(headers: &[(&str, String)], html: Option<String>) -> Page {
    let header = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
    Page { url: "https://example.com/x".to_owned(), headers: headers.iter().map(header).collect(), html }
}

#[test]
fn a_line_of_a_hundred_thousand_signals() {
    let many = "search=yes,".repeat(40_000);
    let unread = told(&site(format!("User-agent: *\nContent-Signal: {many}ai-input=yes\n")), "ai-input");
    assert!(is_unread(&unread), "{unread:?}");
    assert_eq!(unread.crawl, "allowed");
    // What was read and refuses stands.
    let refused = told(&site(format!("User-agent: *\nContent-Signal: ai-train=no,{many}\n")), "ai-train");
    assert_eq!(refused.verdict, "disallowed");
}

/// Under ACAP, a group grows with each name, and each statement in it is for all of them.
#[test]
fn suspended_statements_in_a_group_that_grows() {
    let groups: String =
        (0..12_000).map(|number| format!("User-agent: a{number}\nContent-Signal: ai-train=no\n")).collect();
    let head = "ACAP-ignore-conventional-records\nACAP-crawler: z\nACAP-allow-crawl: /\n";
    assert_eq!(told(&site(format!("{head}{groups}")), "ai-train").verdict, "disallowed");
}

#[test]
fn a_yes_before_signals_that_are_not_read_permits_nothing() {
    let value = format!("ai-train=yes,{}ai-train=no", ",".repeat(999));
    let unread = told(&site(format!("User-agent: *\nContent-Signal: {value}\n")), "ai-train");
    assert!(is_unread(&unread), "{unread:?}");
    let headers = [("Content-Signal", value)];
    let unread = told(&Site { pages: vec![page(&headers, None)], ..site(String::new()) }, "ai-train");
    assert!(is_unread(&unread), "{unread:?}");
}

#[test]
fn a_dictionary_of_many_members() {
    let many: String = (0..4_000).map(|n| format!("k{n}=y, ")).collect();
    let read = told(&site(format!("User-agent: *\nContent-Usage: {many}train-ai=n\n")), "ai-train");
    assert_eq!(read.verdict, "disallowed");
    let many: String = (0..10_000).map(|n| format!("k{n}=y, ")).collect();
    let unread = told(&site(format!("User-agent: *\nContent-Usage: {many}train-ai=y\n")), "ai-train");
    assert!(is_unread(&unread), "{unread:?}");
}

#[test]
fn more_lines_than_are_read() {
    let lines: String = (0..21_000).map(|n| format!("AllowAITraining:/{n}\n")).collect();
    let unread = told(&site(format!("User-agent: *\n{lines}AllowAITraining: /x\n")), "ai-train");
    assert!(is_unread(&unread), "{unread:?}");
    assert_eq!(unread.crawl, "allowed");
}

#[test]
fn more_stars_than_a_program_holds() {
    for (key, value) in [("Content-Signal", "ai-train=no"), ("Content-Usage", "train-ai=n")] {
        let lines: String = (0..15_000).map(|n| format!("{key}: /*{n} {value}\n")).collect();
        let unread = told(&site(format!("User-agent: *\n{lines}Disallow: /y\n")), "ai-train");
        assert!(is_unread(&unread), "{key}: {unread:?}");
        assert_eq!(unread.crawl, "allowed", "{key}");
        // What a page refuses still counts.
        let noindex = [("X-Robots-Tag", "noindex".to_owned())];
        let robots = format!("User-agent: *\n{lines}Disallow: /y\n");
        let refused = told(&Site { pages: vec![page(&noindex, None)], ..site(robots) }, "index");
        assert_eq!(refused.verdict, "disallowed", "{key}: {refused:?}");
    }
}

#[test]
fn many_groups_of_many_names() {
    // A thousand names share ten thousand lines, and each has a line of its own: joined for each
    // name, these are ten million.
    let names: String = (0..1_000).map(|n| format!("User-agent: b{n}\n")).collect();
    let lines: String = (0..10_000).map(|n| format!("AllowAITraining: /{n}\n")).collect();
    let own: String =
        (0..1_000).map(|n| format!("User-agent: b{n}\nAllow: /\nAllowAITraining: /{n}a\n")).collect();
    let told = told(&site(format!("{names}{lines}\n{own}\nUser-agent: *\nAllowAITraining: /\n")), "ai-train");
    assert!(is_unread(&told), "{told:?}");
    assert_eq!(told.crawl, "allowed");
}

#[test]
fn deep_and_large_json() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let told_deep = told(&Site { tdmrep: Some(deep.into_bytes()), ..site(String::new()) }, "tdm");
    assert_ne!(told_deep.verdict, "allowed");
    let rules: Vec<String> =
        (0..20_000).map(|n| format!("{{\"location\":\"/{n}\",\"tdm-reservation\":0}}")).collect();
    let many = format!("[{}]", rules.join(","));
    let told_many = told(&Site { tdmrep: Some(many.into_bytes()), ..site(String::new()) }, "tdm");
    assert!(is_unread(&told_many), "{told_many:?}");
}

const LICENSE: &str = "https://example.com/l.xml";

/// A site with this document.
fn licensed_site(robots: String, xml: String) -> Site {
    Site { documents: vec![(LICENSE.to_owned(), xml.into_bytes())], ..site(robots) }
}

fn licensed(xml: String) -> Told {
    let robots = format!("License: {LICENSE}\n\nUser-agent: *\nAllow: /\n");
    told(&licensed_site(robots, xml), "ai-train")
}

fn wrapped(inner: &str) -> String {
    format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{inner}</rsl>")
}

/// Groups that name the document.
fn groups(count: usize) -> String {
    (0..count).map(|number| format!("User-agent: a{number}\nLicense: {LICENSE}\nAllow: /\n")).collect()
}

/// A document is weighed once for all groups and pages that name it.
#[test]
fn many_licences_of_many_groups_and_pages() {
    let license = |number| {
        format!("<license><payment type=\"crawl\"><custom>https://x/{number}</custom></payment></license>")
    };
    let xml =
        wrapped(&format!("<content url=\"/\">{}</content>", (0..5_000).map(license).collect::<String>()));
    let pages = (0..200).map(|number| Page {
        url: format!("https://example.com/{number}"),
        headers: vec![("Link".to_owned(), format!("<{LICENSE}>; rel=license; type=\"application/rsl+xml\""))],
        html: None,
    });
    let site = Site { pages: pages.collect(), ..licensed_site(groups(1_000), xml) };
    assert_eq!(told_of("/7", &site, "ai-train").verdict, "conditional");
}

/// What a document says once is not kept once for each group and page.
#[test]
fn long_texts_of_many_groups_and_pages() {
    let content = |number| {
        format!(
            "<content url=\"/{number}{}\"><license><permits type=\"usage\">all</permits></license></content>",
            "x".repeat(20_000)
        )
    };
    let xml = wrapped(&(0..5).map(content).collect::<String>());
    let length = image(&licensed_site(groups(300), xml)).len();
    assert!(length < 20 << 20, "{length} bytes");
    let pages = (0..300).map(|number| Page {
        url: format!("https://example.com/{number}"),
        headers: vec![("tdm-reservation".to_owned(), "1".to_owned())],
        html: None,
    });
    let policy = format!("https://p.example/{}", "x".repeat(200_000));
    let tdmrep = format!("[{{\"location\":\"/\",\"tdm-reservation\":1,\"tdm-policy\":\"{policy}\"}}]");
    let site = Site { pages: pages.collect(), tdmrep: Some(tdmrep.into_bytes()), ..site(String::new()) };
    let length = image(&site).len();
    assert!(length < 2 << 20, "{length} bytes");
    assert_eq!(told_of("/7", &site, "tdm").verdict, "conditional");
}

/// The URLs of contents are read once for all pages, and long ones count as several patterns.
#[test]
fn long_urls_of_many_pages() {
    let content = |number| {
        let url = format!("https://example.com/{}{number}", "x".repeat(20_000));
        format!("<content url=\"{url}\"><license><permits type=\"usage\">all</permits></license></content>")
    };
    let xml = wrapped(&(0..60).map(content).collect::<String>());
    let pages = (0..4_000).map(|number| Page {
        url: format!("https://example.com/{number:04}"),
        headers: vec![("Link".to_owned(), format!("<{LICENSE}>; rel=license; type=\"application/rsl+xml\""))],
        html: None,
    });
    let site = Site { pages: pages.collect(), ..licensed_site(String::new(), xml) };
    let first = told_of("/0000", &site, "ai-train");
    assert!(!first.incomplete, "{first:?}");
    let last = told_of("/3999", &site, "ai-train");
    assert!(is_unread(&last), "{last:?}");
}

/// Links of a header are relative to a long URL, and stars of locations are compared with pages.
#[test]
fn many_links_and_stars() {
    let path = "x".repeat(60_000);
    let links: String =
        (0..70_000).map(|n| format!("<?{n}>;rel=license;type=\"application/rsl+xml\",")).collect();
    let url = format!("https://example.com/{path}");
    let headers = vec![("Link".to_owned(), links)];
    let pages = vec![Page { url: url.clone(), headers, html: None }];
    let unread = told_of(&url, &Site { pages, ..site(String::new()) }, "ai-train");
    assert!(is_unread(&unread), "{unread:?}");
    let rules =
        (0..500).map(|n| format!("{{\"location\":\"/{}*b{n}\",\"tdm-reservation\":0}}", "*a".repeat(450)));
    let tdmrep = format!("[{}]", rules.collect::<Vec<_>>().join(","));
    let pages = (0..1_000).map(|n| Page {
        url: format!("https://example.com/{}{n:04}", "a".repeat(1_900)),
        headers: vec![("tdm-reservation".to_owned(), "0".to_owned())],
        html: None,
    });
    let site = Site { pages: pages.collect(), tdmrep: Some(tdmrep.into_bytes()), ..site(String::new()) };
    let last = format!("https://example.com/{}0999", "a".repeat(1_900));
    let unread = told_of(&last, &site, "tdm");
    assert!(is_unread(&unread), "{unread:?}");
}

/// Each licence of a content names its server.
#[test]
fn a_long_server_of_many_licences() {
    let document = |server: usize| {
        let licence = |number| {
            format!(
                "<license><permits type=\"usage\">all</permits><reporting type=\"x{}\"/></license>",
                number % 2_000
            )
        };
        let licences: String = (0..8_000).map(licence).collect();
        let server = "x".repeat(server);
        wrapped(&format!("<content url=\"/\" server=\"https://s.example/{server}\">{licences}</content>"))
    };
    let robots = || format!("License: {LICENSE}\n\nUser-agent: *\nAllow: /\n");
    let length = image(&licensed_site(robots(), document(400))).len();
    assert!(length < 2 << 20, "{length} bytes");
    assert_eq!(licensed(document(400)).verdict, "conditional");
    let unread = licensed(document(300_000));
    assert!(is_unread(&unread), "{unread:?}");
}

/// A content whose URL no one can read may be about any URL of the site.
#[test]
fn contents_of_urls_that_cannot_be_read() {
    let permits = "<content url=\"/\"><license/></content>";
    let prohibits = |url: &str| {
        let prohibited = "<license><prohibits type=\"usage\">all</prohibits></license>";
        licensed(wrapped(&format!("{permits}<content url=\"{url}\">{prohibited}</content>")))
    };
    for url in [
        "https://example.com /x",
        "https://example.com:99999/x",
        "//example.com/x",
        "https:/example.com/x",
        "https:\\\\example.com\\x",
        "\\\\example.com/x",
        "https://*.com/x",
    ] {
        let told = prohibits(url);
        assert!(is_unread(&told), "{url}: {told:?}");
    }
    for url in
        ["https://other.example/x", "/y", "y/x", "urn:x", "mailto:x@example.com", "/go?to=https://b.example/"]
    {
        assert_eq!(prohibits(url).verdict, "allowed", "{url}");
    }
}

#[test]
fn large_nested_and_expanding_xml() {
    let content = "<content url=\"/\"><license><permits type=\"usage\">all</permits></license></content>";
    assert_eq!(licensed(wrapped(content)).verdict, "allowed");
    let large = licensed(wrapped(&content.repeat((50 << 20) / content.len())));
    assert!(is_unread(&large), "{large:?}");
    let nested =
        licensed(wrapped(&format!("{}{}", "<x xmlns=\"y\">".repeat(100_000), "</x>".repeat(100_000))));
    assert!(is_unread(&nested), "{nested:?}");
    let bomb = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>";
    let expanding = licensed(format!("{bomb}{}", wrapped(content)));
    assert!(is_unread(&expanding), "{expanding:?}");
}

#[test]
fn headers_of_a_mebibyte() {
    let long = "noindex, ".repeat((1 << 20) / 9);
    let refused =
        told(&Site { pages: vec![page(&[("X-Robots-Tag", long)], None)], ..site(String::new()) }, "index");
    assert_eq!(refused.verdict, "disallowed");
    let long = "unknown, ".repeat((1 << 20) / 9);
    let unread =
        told(&Site { pages: vec![page(&[("X-Robots-Tag", long)], None)], ..site(String::new()) }, "index");
    assert!(is_unread(&unread), "{unread:?}");
    let many: String = (0..100_000).map(|n| format!("k{n}=y, ")).collect();
    let usage = format!("{many}train-ai=y");
    let unread = told(
        &Site { pages: vec![page(&[("Content-Usage", usage)], None)], ..site(String::new()) },
        "ai-train",
    );
    assert!(is_unread(&unread), "{unread:?}");
}

#[test]
fn many_pages_with_many_rules() {
    let pages = (0..3_000).map(|n| Page {
        url: format!("https://example.com/{n:04}"),
        headers: vec![("tdm-reservation".to_owned(), "0".to_owned())],
        html: None,
    });
    let rules: Vec<String> =
        (0..3_000).map(|n| format!("{{\"location\":\"/y*{n}\",\"tdm-reservation\":1}}")).collect();
    let tdmrep = Some(format!("[{}]", rules.join(",")).into_bytes());
    let site = Site { tdmrep, pages: pages.collect(), ..site(String::new()) };
    assert_eq!(told(&site, "tdm").verdict, "unknown");
    // Pages are compared with rules a million times; what later ones permit is unread.
    assert_eq!(told_of("/0000", &site, "tdm").verdict, "allowed");
    let unread = told_of("/2999", &site, "tdm");
    assert!(is_unread(&unread), "{unread:?}");
}
