//! One text through the public interface: any text parses and answers; the effects of options; the
//! same results as the compiler.

use proptest::prelude::*;
use robomaton::{Basis, Decision, Error, Outcome, ParseOptions, Profile, Robots, Usage};
use std::time::Duration;

const TEXT: &str = "\
User-agent: GPTBot
Disallow: /
Crawl-delay: 1.5

User-agent: *
Allow: /private/press
Disallow: /private/
Sitemap: https://example.com/sitemap.xml
";

#[test]
fn a_text_answers() {
    let robots = Robots::parse(TEXT);
    assert!(!robots.allowed("GPTBot", "https://example.com/a"));
    assert!(robots.allowed("otherbot", "https://example.com/a"));
    assert!(!robots.allowed("otherbot", "/private/a"));
    assert!(robots.allowed("otherbot", "/private/press/1"));
    assert_eq!(robots.crawl_delay("GPTBot"), Some(Duration::from_millis(1_500)));
    assert_eq!(robots.crawl_delay("otherbot"), None);
    assert_eq!(robots.sitemaps(), ["https://example.com/sitemap.xml"]);
    assert_eq!(robots.outcome(), Outcome::Rules);
}

#[test]
fn a_verdict_knows_its_line() {
    let robots = Robots::parse(TEXT);
    let crawler = robots.crawler(["otherbot"]);
    let verdict = robots.decide(&crawler, Usage::CRAWL, "/private/a?b");
    assert_eq!((verdict.decision(), verdict.basis()), (Decision::Disallowed, Basis::Rule));
    let rule = verdict.rule().expect("a rule");
    assert_eq!((rule.line, rule.to_string()), (7, "Disallow: /private/".to_owned()));
    assert_eq!(robots.decide(&crawler, Usage::CRAWL, "/a").basis(), Basis::NoRule);
    let train = robots.usage("train");
    assert_eq!(robots.decide(&crawler, train, "/a").decision(), Decision::Unknown);
}

#[test]
fn an_image_of_one_site_is_an_image() {
    let robots = ParseOptions::new().site("https://example.com/robots.txt").parse(TEXT).expect("a site");
    let image = robots.image();
    image.verify().expect("an image by the rules of its format");
    let crawler = image.crawler(["otherbot"]);
    let verdict = image.decide(&crawler, Usage::CRAWL, "https://example.com/private/a");
    assert_eq!(verdict.rule().map(|rule| rule.line), Some(7));
    let other = image.decide(&crawler, Usage::CRAWL, "https://example.org/private/a");
    assert_eq!((other.decision(), other.basis()), (Decision::Unknown, Basis::NoSite));
}

#[test]
fn options_change_the_reading() {
    let absolute = "User-agent: *\nDisallow: https://example.com/private/\n";
    let of_site = |site: &str| ParseOptions::new().site(site).parse(absolute).expect("a site");
    assert!(!of_site("https://example.com/").allowed("a", "/private/x"));
    assert!(of_site("https://example.org/").allowed("a", "/private/x"));
    assert!(!Robots::parse(absolute).allowed("a", "/private/x"), "the URL may be one of the text's site");
    let first = ParseOptions::new().profile(Profile::Koster).parse("User-agent: *\nAllow: /\nDisallow: /x\n");
    assert!(first.expect("a text").allowed("a", "/x"), "the first match of the 1996 draft");
    assert!(!Robots::parse("User-agent: *\nAllow: /\nDisallow: /x\n").allowed("a", "/x"));
    for bad in ["", "example.com", "ftp://example.com/", "https://"] {
        assert!(matches!(ParseOptions::new().site(bad).parse(TEXT), Err(Error::Site { .. })), "{bad:?}");
    }
}

/// Contents of an RSL document may be for the text's site, whose host is not known.
#[test]
fn licences_for_urls_of_an_unknown_host() {
    let content =
        |url: &str, terms: &str| format!("<content url=\"{url}\"><license>{terms}</license></content>");
    let refused = content("https://example.com/private", "<prohibits type=\"usage\">ai-train</prohibits>");
    let xml = [content("/", ""), refused].concat();
    let xml = format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{xml}</rsl>");
    let parse = |options: ParseOptions| {
        let options = options.file("https://example.com/rsl.xml", xml.as_str());
        options.parse("License: https://example.com/rsl.xml\n").expect("a text")
    };
    let decide = |robots: &Robots, path: &str| {
        let (crawler, train) = (robots.crawler(["a"]), robots.usage("ai-train"));
        robots.decide(&crawler, train, path).decision()
    };
    let robots = parse(ParseOptions::new());
    assert_eq!(["/private", "/a"].map(|path| decide(&robots, path)), [Decision::Unknown, Decision::Allowed]);
    let robots = parse(ParseOptions::new().site("https://example.com/"));
    assert_eq!(
        ["/private", "/a"].map(|path| decide(&robots, path)),
        [Decision::Disallowed, Decision::Allowed]
    );
    let robots = parse(ParseOptions::new().site("https://other.example/"));
    assert_eq!(["/private", "/a"].map(|path| decide(&robots, path)), [Decision::Allowed; 2]);
}

#[test]
fn too_much_is_disallowed() {
    let mut text = "User-agent: *\n".to_owned();
    (0..300_000).for_each(|_| text.push_str("Allow:/\n"));
    let limits = robomaton::Limits { bytes: Some(usize::MAX), rules: 1_000, ..robomaton::Limits::default() };
    let robots = ParseOptions::new().limits(limits).parse(text).expect("a text");
    assert_eq!(robots.outcome(), Outcome::OverLimit);
    assert!(!robots.allowed("a", "/"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Nothing in a text, a name or a URL makes it fail.
    #[test]
    fn whatever_it_says(
        text in prop::collection::vec(any::<u8>(), 0..300),
        lines in "((User-agent|Disallow|Allow|Crawl-delay|ACAP-crawler|ACAP-disallow-crawl|Robot-version|x)[: ][ -~]{0,20}\n){0,12}",
        agent in ".{0,20}",
        url in ".{0,40}",
    ) {
        for text in [&text[..], lines.as_bytes()] {
            let robots = Robots::parse(text);
            robots.allowed(&agent, &url);
            robots.crawl_delay(&agent);
            robots.sitemaps();
            prop_assert!(robots.site().is_some());
        }
    }
}
