//! Hostile texts in the languages about uses, and what stands beside them: Content-Signal,
//! Content-Usage, RSL, TDMRep, ai.txt, META tags, headers, Clean-param, sitemaps, data.txt.
//!
//! Long lines, many lines, many carriers, and products of two of them (pages by rules, pages by
//! licences, names by lines). Invariants: as in the parent module.

use super::{HostileSite, SiteBuilder, groups, line, lines, rules};
use robomaton_compiler::{Element, Header, MetaTag, Page, PageLicense};
use robomaton_formats::Profile;

/// Every builder.
pub const SITES: [SiteBuilder; 34] = [
    ("signals-in-one-line", |count| robots("Content-Signal: ", count, |_| "search=yes,".into()), 45_000),
    ("signals-with-paths", |count| many(count, |n| format!("Content-Signal: /*{n} ai-train=no")), 15_000),
    ("usage-keys-in-one-line", |count| robots("Content-Usage: ", count, |n| format!("k{n}=y, ")), 40_000),
    ("usage-of-one-key", |count| robots("Content-Usage: ", count, |_| "train-ai=n, ".into()), 40_000),
    ("usages-with-paths", |count| many(count, |n| format!("Content-Usage: /*{n} train-ai=n")), 15_000),
    ("ai-training", |count| many(count, |n| format!("{}AITraining: /{n}*a", sense(n))), 8_000),
    ("noindex", |count| many(count, |n| format!("Noindex: /{n}*a$")), 8_000),
    ("control-tokens", control_tokens, 7_000),
    ("names-by-statements", names_by_statements, 10_000),
    ("clean-params-in-one-line", |count| robots("Clean-param: ", count, |n| format!("p{n}&")), 60_000),
    ("clean-params", |count| many(count, |n| format!("Clean-param: p{n}&q /*{n}")), 15_000),
    ("sitemaps", |count| many(count, |n| format!("Sitemap: https://h.example/{n}.xml")), 12_000),
    ("extensions", |count| many(count, |n| format!("Key-{n}: {n}")), 25_000),
    ("delays", |count| many(count, |n| format!("Crawl-delay: {n}.{n}")), 20_000),
    ("licenses", licenses, 3_000),
    ("contents-of-a-license", contents_of_a_license, 8_000),
    ("terms-of-a-license", terms_of_a_license, 10_000),
    ("nested-elements-of-a-license", nested_license, 30_000),
    ("attributes-of-a-license", attributes_of_a_license, 30_000),
    ("tdmrep-rules", tdmrep_rules, 15_000),
    ("tdmrep-brackets", |count| tdmrep(format!("{}1{}", "[".repeat(count), "]".repeat(count))), 200_000),
    ("ai-txt", ai_txt, 15_000),
    ("headers-of-one-page", headers_of_one_page, 20_000),
    ("directives-of-one-header", directives_of_one_header, 50_000),
    ("elements-of-one-page", elements_of_one_page, 20_000),
    ("pages-by-tdmrep-rules", pages_by_tdmrep_rules, 3_000),
    ("pages-by-contents", pages_by_contents, 2_000),
    ("pages-by-combined-contents", pages_by_combined_contents, 2_000),
    ("pages-by-long-terms", pages_by_long_terms, 4_000),
    ("pages-by-long-policy", pages_by_long_policy, 10_000),
    ("pages-by-inline-licenses", pages_by_inline_licenses, 500),
    ("names-in-headers", names_in_headers, 40_000),
    ("data-txt-groups", |count| data_txt(groups(count)), 15_000),
    ("data-txt-rules", |count| data_txt(rules(count)), 25_000),
];

/// Every site at its usual size.
pub fn all() -> Vec<HostileSite> {
    SITES.into_iter().map(|(name, build, size)| build(size).named(name)).collect()
}

/// A robots.txt alone.
fn of(robots: Vec<u8>) -> HostileSite {
    HostileSite { robots, ..HostileSite::default() }
}

/// One line of `count` items.
fn robots(key: &str, count: usize, item: impl Fn(usize) -> String) -> HostileSite {
    let items: String = (0..count).map(item).collect();
    of(format!("User-agent: *\n{key}{items}\n").into_bytes())
}

/// One group of `count` lines.
fn many(count: usize, each: impl Fn(usize) -> String) -> HostileSite {
    let body = lines(count, |out, n| line(out, format_args!("{}", each(n))));
    of([b"User-agent: *\n", body.as_slice()].concat())
}

/// Groups that several control tokens share with crawlers.
fn control_tokens(count: usize) -> HostileSite {
    of(lines(count, |out, n| {
        let token = ["Google-Extended", "Applebot-Extended", "GPTBot"][n % 3];
        line(out, format_args!("User-agent: {token}\nUser-agent: b{n}\nDisallow: /*a{n}"));
    }))
}

/// Names that share lines, and have a line of their own each.
fn names_by_statements(count: usize) -> HostileSite {
    let names = lines(count / 10, |out, n| line(out, format_args!("User-agent: b{n}")));
    let shared = lines(count, |out, n| line(out, format_args!("DisallowAITraining: /{n}")));
    let own = lines(count / 10, |out, n| {
        line(out, format_args!("User-agent: b{n}\nAllow: /\nContent-Signal: /{n} ai-train=no"));
    });
    of([names, shared, own].concat())
}

/// Documents that the text names, each for all paths.
fn licenses(count: usize) -> HostileSite {
    let url = |n: usize| format!("https://h.example/{n}.xml");
    let robots = lines(count, |out, n| line(out, format_args!("License: {}", url(n))));
    let xml = rsl("<content url=\"/\"><license><permits type=\"usage\">search</permits></license></content>");
    let licenses = (0..count).map(|n| (url(n), xml.clone())).collect();
    HostileSite { licenses, ..of(robots) }
}

/// A document about `count` patterns.
fn contents_of_a_license(count: usize) -> HostileSite {
    licensed(rsl(&contents(count)))
}

/// A licence of many permissions, places and payments.
fn terms_of_a_license(count: usize) -> HostileSite {
    let terms: String = (0..count).map(|n| format!("<permits type=\"geo\">A{n}</permits>")).collect();
    let pay: String = (0..count).map(|n| format!("<payment type=\"t{n}\"/>")).collect();
    licensed(rsl(&format!("<content url=\"/\"><license>{terms}{pay}</license></content>")))
}

/// Elements inside one another.
fn nested_license(count: usize) -> HostileSite {
    licensed(rsl(&format!("{}{}", "<x xmlns=\"y\">".repeat(count), "</x>".repeat(count))))
}

/// An element of many attributes.
fn attributes_of_a_license(count: usize) -> HostileSite {
    let attributes: String = (0..count).map(|n| format!(" a{n}=\"\"")).collect();
    licensed(rsl(&format!("<content url=\"/\"{attributes}></content>")))
}

fn rsl(contents: &str) -> Vec<u8> {
    format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{contents}</rsl>").into_bytes()
}

fn contents(count: usize) -> String {
    let content = |n| {
        format!(
            "<content url=\"/*{n}\"><license><prohibits type=\"usage\">ai-train</prohibits></license></content>"
        )
    };
    (0..count).map(content).collect()
}

/// A site whose robots.txt names one document.
fn licensed(xml: Vec<u8>) -> HostileSite {
    let url = "https://h.example/l.xml".to_owned();
    let robots = format!("License: {url}\nUser-agent: *\nAllow: /\n").into_bytes();
    HostileSite { licenses: vec![(url, xml)], ..of(robots) }
}

fn tdmrep(json: String) -> HostileSite {
    HostileSite { tdmrep: Some(json.into_bytes()), ..HostileSite::default() }
}

fn tdmrep_rules(count: usize) -> HostileSite {
    let rules: Vec<String> =
        (0..count).map(|n| format!("{{\"location\":\"/*{n}\",\"tdm-reservation\":{}}}", n % 2)).collect();
    tdmrep(format!("[{}]", rules.join(",")))
}

fn ai_txt(count: usize) -> HostileSite {
    let body = lines(count, |out, n| line(out, format_args!("{}: /*a{n}", sense(n))));
    HostileSite { ai_txt: Some([b"User-agent: *\n", body.as_slice()].concat()), ..HostileSite::default() }
}

fn page(number: usize, headers: Vec<Header>) -> Page {
    let target = format!("/{number}.html");
    Page { url: format!("https://h.example{target}"), target, headers, ..Page::default() }
}

fn header(name: &str, value: String) -> Header {
    Header { name: name.to_owned(), value: value.into_bytes() }
}

/// Headers of every kind, in turn.
fn headers_of_one_page(count: usize) -> HostileSite {
    let headers = (0..count).map(|n| match n % 4 {
        0 => header("x-robots-tag", format!("b{n}: noindex, max-snippet: {n}")),
        1 => header("content-usage", format!("train-ai=n, k{n}=y")),
        2 => header("tdm-policy", format!("https://h.example/{n}")),
        _ => header("link", format!("<https://h.example/{n}>; rel=license; type=application/rsl+xml")),
    });
    HostileSite { pages: vec![page(0, headers.collect())], ..HostileSite::default() }
}

/// One X-Robots-Tag and one META tag with many directives.
fn directives_of_one_header(count: usize) -> HostileSite {
    let each = |n| ["noindex", "max-snippet:2", "unavailable_after: 2030-01-01", "unknown"][n % 4];
    let all: Vec<&str> = (0..count).map(each).collect();
    let meta = MetaTag { name: "robots".to_owned(), content: all.join(", "), ..MetaTag::default() };
    let page = Page { metas: vec![meta], ..page(0, vec![header("x-robots-tag", all.join(", "))]) };
    HostileSite { pages: vec![page], ..HostileSite::default() }
}

/// Elements with different classes.
fn elements_of_one_page(count: usize) -> HostileSite {
    let element = |n: usize| Element {
        token: format!("the-acap:{}-present-u{}", sense(n).to_ascii_lowercase(), n % 200),
        line: n as u32,
    };
    let page = Page { elements: (0..count).map(element).collect(), ..page(0, Vec::new()) };
    HostileSite { pages: vec![page], ..HostileSite::default() }
}

/// Pages that state a policy, beside as many rules.
fn pages_by_tdmrep_rules(count: usize) -> HostileSite {
    let pages = (0..count).map(|n| page(n, vec![header("tdm-policy", "https://h.example/p".to_owned())]));
    let rule = |n| format!("{{\"location\":\"/x*{n}\",\"tdm-reservation\":1}}");
    let rules: Vec<String> = (0..count).map(rule).collect();
    HostileSite { pages: pages.collect(), ..tdmrep(format!("[{}]", rules.join(","))) }
}

/// Pages that name one document of as many contents.
fn pages_by_contents(count: usize) -> HostileSite {
    let link = || vec![PageLicense::Link("https://h.example/l.xml".to_owned())];
    let pages = (0..count).map(|n| Page { licenses: link(), ..page(n, Vec::new()) });
    HostileSite { pages: pages.collect(), ..contents_of_a_license(count) }
}

/// A content for this path, under terms of so many bytes.
fn sold(path: &str, bytes: usize) -> String {
    let terms = "x".repeat(bytes);
    format!(
        "<content url=\"{path}\"><license><payment type=\"crawl\"><custom>{terms}</custom></payment></license>\
         </content>"
    )
}

/// Pages, each of which another combination of contents grants alike.
fn pages_by_combined_contents(count: usize) -> HostileSite {
    let letters = || (b'a'..=b'l').map(char::from);
    let contents: String = letters().map(|letter| sold(&format!("/*{letter}"), 8 * count)).collect();
    let link = || vec![PageLicense::Link("https://h.example/l.xml".to_owned())];
    let target = |n: usize| {
        let chosen =
            letters().zip(0..).filter(|(_, at)| (n * 40_503) >> at & 1 == 1).map(|(letter, _)| letter);
        format!("/{}", chosen.collect::<String>())
    };
    let pages = (0..count).map(|n| Page { licenses: link(), target: target(n), ..page(n, Vec::new()) });
    HostileSite { pages: pages.collect(), ..licensed(rsl(&contents)) }
}

/// Pages that two contents with long terms grant alike.
fn pages_by_long_terms(count: usize) -> HostileSite {
    let link = || vec![PageLicense::Link("https://h.example/l.xml".to_owned())];
    let pages = (0..count).map(|n| Page { licenses: link(), ..page(n, Vec::new()) });
    let contents = [sold("/", 50 * count), sold("/", 50 * count + 1)].concat();
    HostileSite { pages: pages.collect(), ..licensed(rsl(&contents)) }
}

/// Pages that are reserved, beside a rule with a long policy.
fn pages_by_long_policy(count: usize) -> HostileSite {
    let pages = (0..count).map(|n| page(n, vec![header("tdm-reservation", "1".to_owned())]));
    let policy = format!("https://p.example/{}", "x".repeat(50 * count));
    let rule = format!("[{{\"location\":\"/\",\"tdm-reservation\":1,\"tdm-policy\":\"{policy}\"}}]");
    HostileSite { pages: pages.collect(), ..tdmrep(rule) }
}

/// Pages with long URLs and documents of their own.
fn pages_by_inline_licenses(count: usize) -> HostileSite {
    let of = |n| {
        let own = vec![PageLicense::Inline(String::new()); 63];
        let url = format!("https://h.example/{n}{}", "x".repeat(2_000));
        Page { url, licenses: own, ..page(n, Vec::new()) }
    };
    HostileSite { pages: (0..count).map(of).collect(), ..HostileSite::default() }
}

/// Names of crawlers in the headers of fifty pages.
fn names_in_headers(count: usize) -> HostileSite {
    let value = |n: usize| {
        let names: Vec<String> = (0..count / 50).map(|at| format!("b{n}x{at}:noai")).collect();
        names.join(",")
    };
    let pages = (0..50).map(|n| page(n, vec![header("x-robots-tag", value(n))]));
    HostileSite { pages: pages.collect(), ..HostileSite::default() }
}

fn data_txt(text: Vec<u8>) -> HostileSite {
    HostileSite { profile: Profile::Koster, ..of(text) }
}

fn sense(n: usize) -> &'static str {
    if n.is_multiple_of(3) { "Allow" } else { "Disallow" }
}
