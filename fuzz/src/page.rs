//! A page through its reader, the compiler and an explanation.

use robomaton_explain::page::{Page, PageQuery, SiteRobots};
use robomaton_explain::{Error, Query, SiteFiles};
use robomaton_runtime::Terms;

const URL: &str = "https://x.example/p";
const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /p\nACAP-crawler: a\nACAP-allow-index: /\n";
const TYPES: [Option<&str>; 5] = [
    None,
    Some("text/html"),
    Some("application/xhtml+xml; charset=utf-16le"),
    Some("text/html; charset=iso-2022-jp"),
    Some("text/html;charset=shift_jis"),
];
const USAGES: [&str; 4] = ["crawl", "index", "present-snippet", "ai-train"];

/// Explains an answer about a page. The first byte has its type in bits 0 to 2, the usage in bits 3
/// and 4, a purpose in bit 5, elements of pages in bit 6.
///
/// # Panics
/// If image and trace differ.
pub fn page(data: &[u8]) {
    let Some((&options, html)) = data.split_first() else { return };
    let page = Page::read(html, TYPES[usize::from(options & 7) % TYPES.len()], URL);
    let query = Query {
        agents: vec!["a".to_owned()],
        usage: USAGES[usize::from(options >> 3 & 3)].to_owned(),
        purpose: (options & 1 << 5 != 0).then(|| "news".to_owned()),
        elements: options & 1 << 6 != 0,
        named_only: false,
    };
    let terms = Terms { elements: query.elements, ..Terms::default() };
    let robots = SiteRobots::from_text(ROBOTS.to_vec());
    let files = SiteFiles::default();
    let asked =
        PageQuery { page: &page, url: URL, robots: &robots, files: &files, query: &query, terms: &terms };
    let bug = |error: &Error| {
        matches!(error, Error::Disagreement { .. } | Error::NoSite | Error::Image(_) | Error::NoUrl(_))
    };
    if let Some(error) = asked.explain().err().filter(bug) {
        panic!("{error}");
    }
}
