//! Random sites over small alphabets, in which all languages meet.
//!
//! Strategies, so that a failure shrinks to few lines. Invariant: every group has a rule, so its
//! list of agents ends (R6), and every ACAP record a field, so sections can change places. This
//! file does not know the meaning of what it writes.

use super::{Body, Document, Fetch, PATHS, Section, Site};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const PATTERNS: &[&str] = &["/", "/", "/a", "/a/", "/a/b", "*", "/*.pdf$", "/a$", "/*b", "/q"];

const AGENTS: &[&str] = &[
    "*",
    "*",
    "Foobot",
    "Foobot",
    "Googlebot",
    "GPTBot",
    "Google-Extended",
    "Applebot-Extended",
    "Applebot",
];

const PREFERENCES: &[&str] =
    &["train-ai=y", "train-ai=n", "ai-use=y, search=n", "search=y, train-ai=n", "train-ai=?"];

const SIGNALS: &[&str] =
    &["ai-train=yes", "ai-train=no", "search=yes, ai-train=no", "ai-input=yes, ai-train=yes", "ai-input=no"];

const LICENSES: &[&str] = &["https://host.invalid/l1.xml", "https://host.invalid/l2.xml"];

const ACAP_USAGES: &[&str] =
    &["crawl", "index", "follow", "preserve", "present", "present-snippet", "other", "foo"];

const QUALIFIERS: &[&str] = &["", "", "", " time-limit=3-days"];

const TAGS: &[&str] = &[
    "noindex",
    "nofollow",
    "noarchive",
    "nosnippet",
    "none",
    "noai",
    "max-snippet:5",
    "all",
    "noindex, indexifembedded",
];

const LICENSED: &[&str] = &["all", "ai-all", "ai-train", "ai-input", "search", "ai-index search"];

/// A site with a robots.txt and some other documents.
pub fn sites() -> impl Strategy<Value = Site> {
    let robots = vec(prop_oneof![3 => group(), 2 => record(true)], 0..4);
    let referred = vec(prop_oneof![group(), record(false)], 1..3);
    let rules = vec(tdm_rule(), 1..3);
    let ai_txt = vec((names(), vec(rule(), 1..3)).prop_map(section("User-agent")), 1..3);
    let others = (
        option::of(referred),
        option::of(vec(content(), 1..3)),
        option::of(vec(content(), 1..3)),
        option::of(rules),
        option::of(ai_txt),
    );
    let pages = PATHS.map(|path| option::of(page(path)));
    let has_token = prop::bool::weighted(0.15);
    (robots, others, pages, has_token).prop_map(|(mut robots, others, pages, has_token)| {
        let (mut referred, first, second, rules, ai_txt) = others;
        if has_token {
            robots.extend(token_by_reference());
            let group = section("User-agent")((vec!["Google-Extended"], vec!["Disallow: /".to_owned()]));
            referred.get_or_insert_default().push(group);
        }
        let captured = |path, body| Document { path, headers: Vec::new(), body, fetch: Fetch::Whole };
        let others = [
            referred.map(|sections| captured("/ref.txt", Body::Records(sections))),
            first.map(|contents| captured("/l1.xml", Body::Contents(contents))),
            second.map(|contents| captured("/l2.xml", Body::Contents(contents))),
            rules.map(|rules| captured("/.well-known/tdmrep.json", Body::Rules(rules))),
            ai_txt.map(|sections| captured("/ai.txt", Body::Records(sections))),
        ];
        let robots = captured("/robots.txt", Body::Records(robots));
        Site {
            documents: [robots]
                .into_iter()
                .chain(others.into_iter().flatten())
                .chain(pages.into_iter().flatten())
                .collect(),
        }
    })
}

/// A record for a control token whose group stands in the file that it refers to, and what a
/// crawler of the token may do without that group: too rare to come together by chance.
fn token_by_reference() -> [Section; 2] {
    let reference = "ACAP-permissions-reference: /ref.txt".to_owned();
    let permission = "Content-Signal: ai-train=yes, search=yes".to_owned();
    [
        section("ACAP-crawler")((vec!["Google-Extended"], vec![reference])),
        section("User-agent")((vec!["Googlebot"], vec!["Allow: /".to_owned(), permission])),
    ]
}

fn section(key: &'static str) -> impl Fn((Vec<&'static str>, Vec<String>)) -> Section {
    move |(names, lines)| Section {
        heads: names.iter().map(|name| format!("{key}: {name}")).collect(),
        lines,
    }
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(AGENTS), 1..3)
}

fn group() -> impl Strategy<Value = Section> {
    let lines = (rule(), vec(prop_oneof![rule(), statement()], 0..4)).prop_map(|(rule, mut lines)| {
        lines.insert(0, rule);
        lines
    });
    (names(), lines).prop_map(section("User-agent"))
}

fn rule() -> impl Strategy<Value = String> {
    (select(&["Allow", "Disallow"][..]), select(PATTERNS)).prop_map(|(key, path)| format!("{key}: {path}"))
}

fn statement() -> impl Strategy<Value = String> {
    let prefix = || select(&["", "", "/ ", "/a "][..]);
    prop_oneof![
        select(PATTERNS).prop_map(|path| format!("Noindex: {path}")),
        (prefix(), select(PREFERENCES)).prop_map(|(prefix, said)| format!("Content-Usage: {prefix}{said}")),
        (prefix(), select(SIGNALS)).prop_map(|(prefix, said)| format!("Content-Signal: {prefix}{said}")),
        select(PATTERNS).prop_map(|path| format!("DisallowAITraining: {path}")),
        select(PATTERNS).prop_map(|path| format!("AllowAITraining: {path}")),
        select(LICENSES).prop_map(|url| format!("License: {url}")),
    ]
}

/// An ACAP record, which may refer to a file.
fn record(refers: bool) -> impl Strategy<Value = Section> {
    let reference = prop::bool::weighted(if refers { 0.4 } else { 0.0 });
    let lines = (reference, vec(field(), 1..4)).prop_map(|(refers, mut lines)| {
        if refers {
            lines.insert(0, "ACAP-permissions-reference: /ref.txt".to_owned());
        }
        lines
    });
    (names(), lines).prop_map(section("ACAP-crawler"))
}

fn field() -> impl Strategy<Value = String> {
    let prohibition = (select(ACAP_USAGES), select(PATTERNS))
        .prop_map(|(usage, path)| format!("ACAP-disallow-{usage}: {path}"));
    let permission = (select(ACAP_USAGES), select(PATTERNS), select(QUALIFIERS))
        .prop_map(|(usage, path, qualifier)| format!("ACAP-allow-{usage}: {path}{qualifier}"));
    prop_oneof![prohibition, permission]
}

fn tdm_rule() -> impl Strategy<Value = String> {
    let policy = select(&["", "", ",\"tdm-policy\":\"https://p.example/\""][..]);
    (select(PATTERNS), select(&["0", "1", "2"][..]), policy).prop_map(|(path, value, policy)| {
        format!("{{\"location\":\"{path}\",\"tdm-reservation\":{value}{policy}}}")
    })
}

fn content() -> impl Strategy<Value = String> {
    let uses = |kind: &'static str| {
        option::of(select(LICENSED)).prop_map(move |uses| {
            uses.map_or(String::new(), |uses| format!("<{kind} type=\"usage\">{uses}</{kind}>"))
        })
    };
    let payment = select(&["", "", "<payment type=\"training\"/>"][..]);
    (select(PATTERNS), uses("permits"), uses("prohibits"), payment).prop_map(
        |(path, permits, prohibits, payment)| {
            format!("<content url=\"{path}\"><license>{permits}{prohibits}{payment}</license></content>")
        },
    )
}

fn page(path: &'static str) -> impl Strategy<Value = Document> {
    let header = prop_oneof![
        3 => (select(&["", "", "foobot: ", "googlebot: "][..]), select(TAGS))
            .prop_map(|(name, said)| ("X-Robots-Tag", format!("{name}{said}"))),
        1 => select(PREFERENCES).prop_map(|said| ("Content-Usage", said.to_owned())),
        1 => select(SIGNALS).prop_map(|said| ("Content-Signal", said.to_owned())),
        1 => select(&["0", "1", "2"][..]).prop_map(|value| ("tdm-reservation", value.to_owned())),
        1 => select(LICENSES).prop_map(|url| {
            ("Link", format!("<{url}>; rel=\"license\"; type=\"application/rsl+xml\""))
        }),
    ];
    let name = || select(&["robots", "robots", "Foobot", "Googlebot"][..]);
    let tag = prop_oneof![
        (name(), select(TAGS)).prop_map(|(name, said)| format!("<meta name={name} content='{said}'>")),
        (name(), select(&["allow", "disallow"][..]), select(ACAP_USAGES))
            .prop_map(|(name, says, usage)| format!("<meta name={name} content='ACAP {says}-{usage}'>")),
        select(&["0", "1"][..]).prop_map(|value| format!("<meta name=tdm-reservation content={value}>")),
    ];
    (vec(header, 0..3), vec(tag, 0..3)).prop_map(move |(headers, tags)| Document {
        path,
        headers,
        body: Body::Tags(tags),
        fetch: Fetch::Whole,
    })
}
