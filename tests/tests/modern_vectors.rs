//! What the test suites of other projects expect of headers, META tags and records about uses.
//!
//! Each line of `data/vectors/modern.jsonl` is one expectation of a suite, in a common form: a
//! site, a question, and whether the use is permitted there (silence permits), or the canonical
//! form of a URL. `DIFFERENT` lists, by line, those that we answer otherwise, with the rule and the
//! reason. The list is exact.

use robomaton_explain::canonical_url;
use robomaton_tests::modern::{Page, Site, image};
use serde::Deserialize;

const VECTORS: &str = include_str!("../data/vectors/modern.jsonl");

/// Lines from 1, the rule, the reason.
const DIFFERENT: &[(&[usize], &str, &str)] = &[
    (
        &[2, 8, 15],
        "robots-meta, noimageai",
        "images may not be used, other content may: the answer is conditional",
    ),
    (
        &[46],
        "robots-meta, prefixes",
        "a line for all crawlers counts beside one for a name; `googlebot*` is no name",
    ),
    (&[74], "Content Signals, matching", "the longest path decides, and its line says nothing of the usage"),
    (&[79], "R18", "Noindex speaks of indexing; their parser lets it refuse the fetch"),
    (&[86], "Clean-param", "a record within the value of a Disallow is a path"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    source: String,
    note: String,
    robots: Option<String>,
    #[serde(default)]
    headers: Vec<String>,
    html: Option<String>,
    path: Option<String>,
    agent: Option<String>,
    usage: Option<String>,
    allowed: Option<bool>,
    canonical: Option<String>,
}

/// `None` if our answer is theirs, else both.
fn difference(vector: &Vector) -> Option<String> {
    let origin = "https://example.com";
    let url = format!("{origin}{}", vector.path.as_deref().unwrap_or("/x"));
    let header = |line: &String| {
        let (name, value) = line.split_once(": ").expect("a header line");
        (name.to_owned(), value.to_owned())
    };
    let page = Page {
        url: url.clone(),
        headers: vector.headers.iter().map(header).collect(),
        html: vector.html.clone(),
    };
    let is_page = vector.html.is_some() || !vector.headers.is_empty();
    let site = Site {
        robots: vector.robots.clone().map(String::into_bytes),
        pages: is_page.then_some(page).into_iter().collect(),
        ..Site::new(origin)
    };
    let image = image::image(&site);
    let (ours, theirs) = match (&vector.canonical, vector.allowed) {
        (Some(theirs), None) => {
            (canonical_url(&image.site(&url).expect("the site"), &url), format!("{origin}{theirs}"))
        }
        (None, Some(allowed)) => {
            let usage = vector.usage.as_deref().expect("a usage");
            let crawler = image.crawler([vector.agent.as_deref().expect("an agent")]);
            let verdict = image.decide(&crawler, image.usage(usage), &url);
            // Their suites know no conditions and no silence: what is not refused is permitted.
            let ours = verdict.decision().name() != "disallowed";
            (ours.to_string(), allowed.to_string())
        }
        _ => panic!("{}: either allowed or canonical", vector.note),
    };
    (ours != theirs).then(|| format!("ours {ours}, theirs {theirs}"))
}

#[test]
fn other_suites_agree_but_for_the_list() {
    let listed: Vec<usize> = DIFFERENT.iter().flat_map(|(lines, ..)| lines.iter().copied()).collect();
    let mut wrong = Vec::new();
    for (line, number) in VECTORS.lines().zip(1..) {
        let vector: Vector = serde_json::from_str(line).expect("a vector");
        let found = difference(&vector);
        if found.is_some() != listed.contains(&number) {
            let what = found.unwrap_or_else(|| "listed, but agrees".to_owned());
            wrong.push(format!("line {number}, {} ({}): {what}: {line}", vector.source, vector.note));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(DIFFERENT.iter().all(|(_, rule, why)| !rule.is_empty() && !why.is_empty()));
}
