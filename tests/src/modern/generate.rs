//! Random sites and questions over small alphabets, in which all languages meet.
//!
//! [`super::coverage`] counts what occurs. Paths, agents and URLs are few, so ties, shadows, shared
//! groups and several statements about one URL are common; about one statement in six is broken.
//! Invariant: equal seeds give equal sites, on every machine.
//!
//! This file does not know the meaning of what it writes, and writes nothing on which only the
//! decisions in the head of [`super`] about malformed license documents and dates would decide.

use super::{FETCHED, Page, Profile, Question, Site};
use crate::generate::Random;

/// The site of all random sources.
pub const ORIGIN: &str = "https://example.com";

/// Patterns: some of equal length, some that match the same URLs.
const PATHS: [&str; 16] = [
    "/",
    "/",
    "/a",
    "/a",
    "/b",
    "/a/",
    "/ab",
    "/a*b",
    "/aab",
    "/*b",
    "/a$",
    "/a/b",
    "/*.pdf$",
    "/caf%C3%A9",
    "/%61",
    "/a?b",
];

/// Paths of questions.
const URLS: [&str; 12] =
    ["/", "/a", "/a", "/a/b", "/ab", "/aab", "/b", "/a/x.pdf", "/a/caf\u{E9}", "/caf\u{E9}", "/a?b", "/c"];

/// Agents of groups. `T` is the policy token of random sites.
const AGENTS: [&str; 14] = [
    "*",
    "*",
    "*",
    "*",
    "*",
    "Bot",
    "Bot",
    "Own",
    "Googlebot",
    "Applebot",
    "T",
    "Google-Extended",
    "Applebot-Extended",
    "Bot/2.0",
];

/// The names of asking crawlers.
const ASKERS: [&[&str]; 8] = [
    &["Bot"],
    &["Bot"],
    &["Own"],
    &["Nobody"],
    &["Googlebot"],
    &["Googlebot-News", "Googlebot"],
    &["Applebot"],
    &["Applebot", "Googlebot"],
];

const USAGES: [&str; 26] = [
    "ai-train",
    "ai-train",
    "ai-train",
    "ai-train",
    "ai-input",
    "ai-input",
    "ai-index",
    "ai-all",
    "all",
    "search",
    "search",
    "index",
    "index",
    "tdm",
    "tdm",
    "follow",
    "preserve",
    "translate",
    "present",
    "present-snippet",
    "present-thumbnail",
    "present-video",
    "present-currentcopy",
    "crawl",
    "crawl",
    "crawl",
];

const PREFERENCES: [&str; 18] = [
    "train-ai=n",
    "train-ai=y",
    "train-ai=n",
    "train-ai=y",
    "search=n",
    "search=y, train-ai=n",
    "ai-use=n, train-ai=y",
    "train-ai=y;p=1, search=n",
    "ai-use=y",
    "train-ai=n, train-ai=y",
    "train-ai",
    "train-ai=\"n\"",
    "Train-AI=n",
    "train-ai=n,",
    "train-ai = n",
    "ai=n train-ai=n",
    "foo=(a b);c, search=y",
    "",
];

const SIGNALS: [&str; 16] = [
    "ai-train=no",
    "ai-train=yes",
    "search=yes,ai-train=no",
    "search=yes, ai-train=yes, ai-input=yes",
    "ai-input=no",
    "search=no",
    "AI-Train = No",
    "ai-train=yes, ai-train=no",
    "ai-train=maybe, search=yes",
    "search=yes;ai-train=no",
    "ai-train: no",
    "ai-train=\"no\"",
    "train-ai=n",
    "use=immediate",
    "ai-input=yes, search=no",
    "foo=yes",
];

/// License documents: the last two are never supplied or cannot be named.
const LICENSES: [&str; 5] = [
    "https://example.com/l1.xml",
    "https://example.com/l2.xml",
    "https://collective.example/l3.xml",
    "https://collective.example/missing.xml",
    "/l1.xml",
];

const ROBOTS_TAGS: [&str; 36] = [
    "noindex",
    "noindex, nofollow",
    "none",
    "all",
    "index, follow",
    "nosnippet",
    "noarchive",
    "nocache, noai",
    "noai",
    "noml",
    "noimageai",
    "notranslate",
    "noimageindex",
    "max-snippet:20",
    "max-snippet:0",
    "max-snippet:-1",
    "max-snippet:abc",
    "max-snippet: 50, max-snippet:30",
    "max-image-preview:none",
    "max-image-preview:standard",
    "max-image-preview:large",
    "max-video-preview:10",
    "max-video-preview: 0",
    "noindex, indexifembedded",
    "indexifembedded",
    "noindex;nofollow",
    "no index",
    "noindex nofollow",
    "unavailable_after: 25 Jun 2026 15:00:00 PST",
    "unavailable_after: Friday, 25-Jun-27 15:00:00 PST, noarchive",
    "unavailable_after: 2027-06-25T15:00:00Z",
    "unavailable_after: soon",
    "nofollow, unknown-rule",
    "noindex: true",
    "noai:, noml",
    "",
];

/// What stands before the rules of a header: names, and texts that are none.
const AGENTS_OF_TAGS: [&str; 13] = [
    "",
    "",
    "",
    "googlebot: ",
    "OwN:",
    "bot: ",
    "bot: noai, own: ",
    "Own News: ",
    "own (x) : ",
    "bot 2: noai, ",
    "own noindex: ",
    "own: noai, crawl-delay: 10, ",
    "max_snippet: none, ",
];

/// A site with some of everything.
pub fn site(random: &mut Random) -> Site {
    let mut site = Site::new(ORIGIN);
    site.robots = Some(robots(random).into_bytes());
    if random.once_in(24) {
        site.robots_status = random.pick(&[404, 410, 503]);
    }
    if random.once_in(8) {
        site.profile = Profile::Rfc9309;
    }
    if random.once_in(2) {
        site.tokens.insert("T".to_owned(), vec!["ai-train".to_owned()]);
    }
    if random.once_in(2) {
        site.tdmrep = Some(tdmrep(random).into_bytes());
    }
    if random.once_in(3) {
        site.ai_txt = Some(ai_txt(random).into_bytes());
    }
    for url in &LICENSES[..3] {
        if !random.once_in(10) {
            site.documents.push(((*url).to_owned(), license_document(random).into_bytes()));
        }
    }
    for path in URLS {
        let url = format!("{ORIGIN}{path}");
        if random.once_in(4) && !site.pages.iter().any(|page| page.url == url) {
            site.pages.push(page(random, url));
        }
    }
    site
}

/// A question about one of the URLs.
pub fn question(random: &mut Random) -> Question {
    let now = match random.below(12) {
        0..=3 => None,
        4 => Some(FETCHED + 40 * 86_400),
        _ => Some(FETCHED + 3600),
    };
    let some =
        |random: &mut Random, values: &[&str]| random.once_in(3).then(|| random.pick(values).to_owned());
    Question {
        agents: random.pick(&ASKERS).iter().map(|&agent| agent.to_owned()).collect(),
        url: format!("{ORIGIN}{}", random.pick(&URLS)),
        usage: random.pick(&USAGES).to_owned(),
        now,
        user: some(random, &["commercial", "education"]),
        geo: some(random, &["US", "JP"]),
        elements: random.once_in(4),
        named_only: random.once_in(8),
    }
}

/// A robots.txt: leading lines, groups, floating lines.
fn robots(random: &mut Random) -> String {
    let mut lines: Vec<String> = Vec::new();
    if random.once_in(3) {
        for _ in 0..=random.below(2) {
            lines.push(record(random));
        }
    }
    for _ in 0..random.below(5) {
        if !random.once_in(3) {
            lines.push(String::new());
        }
        for _ in 0..=random.below(2) {
            lines.push(format!("{}: {}", random.pick(&["User-agent", "User-Agent"]), random.pick(&AGENTS)));
            if random.once_in(6) {
                lines.push(random.pick(&["Crawl-delay: 5", "", "# comment"]).to_owned());
            }
        }
        for _ in 0..random.below(6) {
            let line = record(random);
            let twin = twin(&line).filter(|_| random.once_in(4));
            lines.push(odd(random, line));
            lines.extend(twin);
        }
    }
    if random.once_in(4) {
        lines.push(String::new());
        lines.push(record(random));
    }
    let end = random.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
    lines.iter().map(|line| format!("{line}{end}")).collect()
}

/// A line, sometimes without its colon or behind a byte order mark.
fn odd(random: &mut Random, line: String) -> String {
    match random.below(24) {
        0 => line.replacen(": ", " ", 1),
        1 => format!("\u{FEFF}{line}"),
        _ => line,
    }
}

/// The opposite line, for ties.
fn twin(line: &str) -> Option<String> {
    const OPPOSITES: [(&str, &str); 8] = [
        ("DisallowAITraining:", "AllowAITraining:"),
        ("AllowAITraining:", "DisallowAITraining:"),
        ("Disallow:", "Allow:"),
        ("Allow:", "Disallow:"),
        ("train-ai=n", "train-ai=y"),
        ("train-ai=y", "train-ai=n"),
        ("=no", "=yes"),
        ("=yes", "=no"),
    ];
    let (from, to) = OPPOSITES.iter().find(|(from, _)| line.contains(from))?;
    Some(line.replacen(from, to, 1))
}

/// One line of a group.
fn record(random: &mut Random) -> String {
    let path = random.pick(&PATHS);
    let prefix = if random.once_in(2) { format!("{path} ") } else { String::new() };
    match random.below(18) {
        0 | 1 => format!("Disallow: {path}"),
        2 | 3 => format!("Allow: {path}"),
        4..=7 => format!("Content-Usage: {prefix}{}", random.pick(&PREFERENCES)),
        8..=10 => {
            let key = random.pick(&["Content-Signal", "Content-Signal", "content-signal", "Content-Signals"]);
            format!("{key}: {prefix}{}", random.pick(&SIGNALS))
        }
        11 => format!("DisallowAITraining: {path}"),
        12 => format!("AllowAITraining: {path}"),
        13 => format!("Noindex: {path}"),
        14 | 15 => {
            let count = if random.once_in(5) { LICENSES.len() } else { 3 };
            format!("License: {}", random.pick(&LICENSES[..count]))
        }
        16 => "Disallow:".to_owned(),
        _ => random.pick(&["Sitemap: https://example.com/s.xml", "tdm-reservation: 1", "# x"]).to_owned(),
    }
}

fn ai_txt(random: &mut Random) -> String {
    if random.once_in(10) {
        let before = random.pick(&["", "# x\n", "\n #\n"]);
        return format!("{before}Training: no\nUser-agent: *\nDisallow: /\n");
    }
    let mut text = String::new();
    for _ in 0..=random.below(2) {
        text.push_str(&format!("User-Agent: {}\n", random.pick(&["*", "*", "*", "Bot", "Googlebot"])));
        for _ in 0..random.below(4) {
            let path = if random.once_in(3) { "*.pdf" } else { random.pick(&PATHS) };
            text.push_str(&format!("{}: {path}\n", random.pick(&["Disallow", "Disallow", "Allow"])));
        }
    }
    text
}

/// Locations in which a client may find a host.
const ODD_LOCATIONS: [&str; 7] = [
    "//example.com/",
    "https:///example.com/",
    "https:/example.com/a",
    "https://*.com/a",
    "/\\\\example.com/",
    "https://example.com/a",
    "https://other.example/",
];

fn tdmrep(random: &mut Random) -> String {
    if random.once_in(12) {
        let broken = [
            "{\"location\":\"/\",\"tdm-reservation\":1}",
            "[",
            "[{\"location\":\"/\",\"tdm-reservation\":1},]",
        ];
        return random.pick(&broken).to_owned();
    }
    let mut rules = Vec::new();
    for _ in 0..random.below(4) {
        let value = random.pick(&["1", "1", "1", "0", "0", "\"1\"", "true", "2", "1.0"]);
        let policy = if random.once_in(3) { ",\"tdm-policy\":\"https://p.example/1\"" } else { "" };
        let location = match random.below(8) {
            0 => random.pick(&ODD_LOCATIONS),
            1 => &format!("{}#{}", random.pick(&PATHS), random.pick(&["", "x"])),
            _ => random.pick(&PATHS),
        };
        rules.push(format!("{{\"location\":\"{location}\",\"tdm-reservation\":{value}{policy}}}"));
    }
    format!("[{}]", rules.join(","))
}

fn license_document(random: &mut Random) -> String {
    let mut contents = String::new();
    for _ in 0..=random.below(3) {
        let server = if random.once_in(6) { " server=\"https://s.example/\"" } else { "" };
        let mut url = random.pick(&PATHS).to_owned();
        if random.once_in(8) {
            let origins = [ORIGIN, ORIGIN, "http://example.com", "https://example.com:8443"];
            url = format!("{}{url}", random.pick(&origins));
        }
        let mut licenses = String::new();
        for _ in 0..=random.below(2) {
            licenses.push_str(&format!("<license>{}</license>", license(random)));
        }
        contents.push_str(&format!("<content url=\"{url}\"{server}>{licenses}</content>"));
    }
    let age = match random.below(16) {
        0..4 => " max-age=\"60\"",
        4 => " max-age=\"a year\"",
        _ => "",
    };
    match random.below(40) {
        0 => "<rsl".to_owned(),
        1 => format!("<rsl xmlns=\"https://example.com/\">{contents}</rsl>"),
        2 => format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{contents}<content url=\"/a\"/></rsl>"),
        3 => "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\
             <permit type=\"usage\">all</permit></license></content></rsl>"
            .to_owned(),
        _ => format!("<rsl xmlns=\"https://rslstandard.org/rsl\"{age}>{contents}</rsl>"),
    }
}

fn license(random: &mut Random) -> String {
    const USES: [&str; 9] = [
        "all",
        "ai-all",
        "ai-train",
        "ai-input",
        "ai-index",
        "search",
        "ai-train ai-input",
        "ai-train search",
        "ai-all search",
    ];
    let mut text = String::new();
    if !random.once_in(5) {
        text.push_str(&format!("<permits type=\"usage\">{}</permits>", random.pick(&USES)));
    }
    if random.once_in(4) {
        text.push_str(&format!("<prohibits type=\"usage\">{}</prohibits>", random.pick(&USES)));
    }
    if random.once_in(4) {
        text.push_str("<permits type=\"user\">non-commercial education</permits>");
    }
    if random.once_in(5) {
        text.push_str("<prohibits type=\"geo\">US</prohibits>");
    }
    match random.below(8) {
        0 => text.push_str("<payment type=\"training\"/>"),
        1 => text.push_str(
            "<payment type=\"crawl\"><amount currency=\"USD\">0.015</amount>\
             <custom>https://c.example/</custom></payment>",
        ),
        2 => text.push_str("<payment type=\"free\"><standard>https://t.example/</standard></payment>"),
        3 => text.push_str("<payment type=\"free\"><amount currency=\"USD\">1</amount></payment>"),
        _ => {}
    }
    if random.once_in(10) {
        text.push_str("<reporting type=\"audit\" profile=\"https://r.example/\"/>");
    }
    text
}

fn page(random: &mut Random, url: String) -> Page {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    for _ in 0..random.below(4) {
        match random.below(10) {
            0 | 1 => add("Content-Usage", random.pick(&PREFERENCES[..17]).to_owned()),
            2 | 3 => add("Content-Signal", random.pick(&SIGNALS).to_owned()),
            4 => add("tdm-reservation", random.pick(&["1", "1", "0", "yes", "2"]).to_owned()),
            5 => add("tdm-policy", "https://p.example/2".to_owned()),
            6 => {
                let target =
                    random.pick(&["https://collective.example/l3.xml", "/l1.xml", "/l2.xml", "/none.xml"]);
                add("Link", format!("<{target}>; rel=\"license\"; type=\"application/rsl+xml\""));
            }
            _ => {
                let agent = random.pick(&AGENTS_OF_TAGS);
                add("X-Robots-Tag", format!("{agent}{}", random.pick(&ROBOTS_TAGS)));
            }
        }
    }
    let html = (!random.once_in(4)).then(|| html(random));
    Page { url, headers, html }
}

fn html(random: &mut Random) -> String {
    let mut head = String::new();
    for _ in 0..random.below(4) {
        let tag = match random.below(8) {
            0 => format!("<meta name=\"tdm-reservation\" content=\"{}\">", random.pick(&["1", "0", "yes"])),
            1 => "<meta name=\"tdm-policy\" content=\"https://p.example/3\">".to_owned(),
            2 => {
                let target = random.pick(&["https://example.com/l2.xml", "/l1.xml", "/l1.xml", "/none.xml"]);
                format!("<link rel=\"license\" type=\"application/rsl+xml\" href=\"{target}\">")
            }
            _ => {
                let name = random.pick(&["robots", "robots", "ROBOTS", "googlebot", "bot", "bot, own"]);
                format!("<META name=\"{name}\" content=\"{}\">", random.pick(&ROBOTS_TAGS))
            }
        };
        head.push_str(&tag);
    }
    let body = random.pick(&[
        "text",
        "text",
        "text",
        "<p data-nosnippet>text</p>",
        "<div data-nosnippet>text</div>",
    ]);
    format!("<html><head><title>t</title>{head}</head><body>{body}</body></html>")
}
