//! Builders of hostile files: large, deep, repetitive, or not a robots.txt at all.
//!
//! Used by the limit suite, the benches and the fuzz seeds. Each builder is named after what it
//! stresses, takes a size, and is deterministic. [`BUILDERS`] lists them with their usual sizes.
//! Invariant: no builder takes more memory than the file that it returns. Files with ACAP records,
//! and their context, are in [`acap`], the modern languages in [`modern`], streams and pages in
//! [`captures`]. This file knows neither limits nor right answers; suites only require that an
//! engine finishes in time and within its limits.

pub mod acap;
pub mod captures;
pub mod modern;

use crate::generate::Random;
use robomaton_compiler::{
    CompileContext, Document, Header, License, MetaTag, Options, Page, PageLicense, compile_with,
};
use robomaton_formats::{Profile, Scheme};
use std::fmt::Write as _;

/// A hostile file and its name.
pub type Hostile = (&'static str, Vec<u8>);

/// A builder of a text, by name, and its usual size.
pub type Builder = (&'static str, fn(usize) -> Vec<u8>, usize);

/// A builder of a site's texts, by name, and its usual size.
pub type SiteBuilder = (&'static str, fn(usize) -> HostileSite, usize);

/// The texts of a hostile site.
#[derive(Clone, Debug, Default)]
pub struct HostileSite {
    /// The name of the builder.
    pub name: &'static str,
    /// The dialect in which the text is read.
    pub profile: Profile,
    /// The robots.txt.
    pub robots: Vec<u8>,
    /// Other files of the site, by path.
    pub files: Vec<(String, Vec<u8>)>,
    /// Pages of the site.
    pub pages: Vec<Page>,
    /// Its `/.well-known/tdmrep.json`.
    pub tdmrep: Option<Vec<u8>>,
    /// Its `/ai.txt`.
    pub ai_txt: Option<Vec<u8>>,
    /// RSL documents, by URL.
    pub licenses: Vec<(String, Vec<u8>)>,
}

impl HostileSite {
    /// A text alone.
    pub fn alone(name: &'static str, robots: Vec<u8>) -> HostileSite {
        HostileSite { name, robots, ..HostileSite::default() }
    }

    /// The same under a name.
    #[must_use]
    pub fn named(self, name: &'static str) -> HostileSite {
        HostileSite { name, ..self }
    }

    /// The total number of bytes that are read.
    pub fn bytes(&self) -> usize {
        let texts = |texts: &[(String, Vec<u8>)]| texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        let tag = |tag: &MetaTag| tag.name.len() + tag.content.len();
        let header = |header: &Header| header.name.len() + header.value.len();
        let inline = |license: &PageLicense| match license {
            PageLicense::Link(text) | PageLicense::Inline(text) => text.len(),
        };
        let page = |page: &Page| {
            let tags: usize = page.metas.iter().map(tag).sum();
            let headers: usize = page.headers.iter().map(header).sum();
            let licenses: usize = page.licenses.iter().map(inline).sum();
            let elements: usize = page.elements.iter().map(|element| element.token.len()).sum();
            page.target.len() + tags + headers + licenses + elements
        };
        let beside = [&self.tdmrep, &self.ai_txt].into_iter().flatten().map(Vec::len).sum::<usize>();
        let pages: usize = self.pages.iter().map(page).sum();
        self.robots.len() + texts(&self.files) + texts(&self.licenses) + beside + pages
    }

    /// Compiles the site as `https://h.example`.
    pub fn compile(&self) -> Document {
        let files: Vec<(&str, &[u8])> =
            self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
        let licenses: Vec<License<'_>> =
            self.licenses.iter().map(|(url, xml)| License { url, xml, fetched_at: 0 }).collect();
        let context = CompileContext {
            origin: Some("h.example"),
            scheme: Some(Scheme::Https),
            files: &files,
            pages: &self.pages,
            tdmrep: self.tdmrep.as_deref(),
            ai_txt: self.ai_txt.as_deref(),
            licenses: &licenses,
            ..CompileContext::default()
        };
        compile_with(&self.robots, &context, &Options { profile: self.profile, ..Options::default() })
    }
}

/// Every builder.
pub const BUILDERS: [Builder; 25] = [
    ("ten-megabytes", long_file, 10_000_000),
    ("groups", groups, 100_000),
    ("rules", rules, 100_000),
    ("alphabet-stars", |count| alphabet_stars(count, 20), 100),
    ("stars-in-one-rule", stars_in_one_rule, 20_000),
    ("segments", |count| segments(count, 2_048), 125),
    ("long-lines", long_lines, 2 << 20),
    ("nuls", nuls, 1 << 20),
    ("utf16-little-endian", |count| utf16(count, false), 1_000),
    ("utf16-big-endian", |count| utf16(count, true), 1_000),
    ("html", html, 5_000),
    ("shared-and-own-groups", shared_and_own_groups, 800),
    ("groups-of-one-crawler", groups_of_one_crawler, 16_000),
    ("star-heads", star_heads, 100),
    ("awaiting", awaiting, 8_000),
    ("nested-segments", |count| nested_segments(15, count), 75),
    ("nested-chains", |stars| nested_chains(16, stars), 500),
    ("too-deep", |count| nested_segments(60, count), 90),
    ("prefix-chain", prefix_chain, 900),
    ("same-rule", same_rule, 20_000),
    ("one-agent-line-after-another", agents, 30_000),
    ("comments-only", |count| b"#\n".repeat(count), 200_000),
    ("colons", |count| b":\n".repeat(count), 200_000),
    ("percents", percents, 20_000),
    ("random-bytes", random_bytes, 500_000),
];

/// Every text at its usual size, about 30 MB in total.
pub fn all() -> Vec<Hostile> {
    BUILDERS.into_iter().map(|(name, build, size)| (name, build(size))).collect()
}

/// A well-formed file of so many bytes, with its last rule at the very end: 10 MB are beyond every
/// parse limit.
pub fn long_file(bytes: usize) -> Vec<u8> {
    let mut out = String::from("User-agent: *\n");
    for number in 0.. {
        if out.len() >= bytes {
            break;
        }
        line(&mut out, format_args!("Disallow: /directory/{number}/page.html"));
    }
    line(&mut out, format_args!("Disallow: /the-end"));
    out.into_bytes()
}

/// `count` groups, each with its own agent and rule.
pub fn groups(count: usize) -> Vec<u8> {
    lines(count, |out, n| line(out, format_args!("User-agent: bot{n}\nDisallow: /{n}/\n")))
}

/// One group with `count` distinct rules.
pub fn rules(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| line(out, format_args!("{}: /a{}/b{n}", sense(n), n % 97)));
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// Rules such as `/*c*d*e...`, each beginning with another letter: sets whose determinisation
/// explodes.
pub fn alphabet_stars(count: usize, stars: usize) -> Vec<u8> {
    let body = lines(count, |out, n| {
        let letter = |at: usize| char::from(b"abcdefghijklmnopqrstuvwxyz"[at % 26]);
        let pattern: String = (0..stars).flat_map(|at| ['*', letter(n * 7 + at * (1 + n % 5))]).collect();
        line(out, format_args!("{}: /{pattern}", sense(n)));
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// One rule `/*a*a*a...` with this number of stars.
pub fn stars_in_one_rule(stars: usize) -> Vec<u8> {
    format!("User-agent: *\nDisallow: /{}b\n", "*a".repeat(stars)).into_bytes()
}

/// `count` rules of `segments` one-letter segments each.
pub fn segments(count: usize, segments: usize) -> Vec<u8> {
    let mut random = Random::new(segments as u64);
    let body = lines(count, |out, n| {
        let pattern: String = (0..segments).flat_map(|_| ['*', random.pick(&['a', 'b', 'c'])]).collect();
        line(out, format_args!("{}: /{pattern}", sense(n)));
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// Lines of this number of bytes: a comment, an unknown key, an agent, a path.
pub fn long_lines(bytes: usize) -> Vec<u8> {
    let long = "x".repeat(bytes);
    format!(
        "#{long}\nUnknown: {long}\nUser-agent: *\nUser-agent: {long}\nDisallow: /short\nDisallow: /{long}\n"
    )
    .into_bytes()
}

/// NULs, with valid lines between them.
pub fn nuls(bytes: usize) -> Vec<u8> {
    let run = vec![0; bytes / 2];
    [run.as_slice(), b"\nUser-agent: *\n", &run, b"\nDisallow: /x\n"].concat()
}

/// A valid file in UTF-16 with its byte order mark and `count` rules.
pub fn utf16(count: usize, big_endian: bool) -> Vec<u8> {
    let text = format!("\u{FEFF}User-agent: *\r\n{}", "Disallow: /x\r\n".repeat(count));
    text.encode_utf16()
        .flat_map(|unit| if big_endian { be(unit) } else { [be(unit)[1], be(unit)[0]] })
        .collect()
}

/// An error page of `count` rows that mention directives.
pub fn html(count: usize) -> Vec<u8> {
    let row = "<tr><td>User-agent: *</td><td style=\"color: red\">Disallow: /</td></tr>\n";
    format!("<!DOCTYPE html>\n<html><body><table>\n{}</table></body></html>\n", row.repeat(count))
        .into_bytes()
}

/// Agents that are all in one shared group and each in its own group: merging by copying is
/// quadratic.
pub fn shared_and_own_groups(agents: usize) -> Vec<u8> {
    let shared = lines(agents, |out, n| line(out, format_args!("User-agent: bot{n}")));
    let rules = lines(agents, |out, n| line(out, format_args!("Disallow: /shared{n}")));
    let own = lines(agents, |out, n| line(out, format_args!("User-agent: bot{n}\nAllow: /shared{n}/own\n")));
    [shared, rules, own].concat()
}

/// `count` groups for one crawler.
pub fn groups_of_one_crawler(count: usize) -> Vec<u8> {
    lines(count, |out, n| line(out, format_args!("User-agent: bot\nDisallow: /{n}")))
}

/// `count` rules `/*word`: tens of thousands of states under leftmost-first determinisation.
pub fn star_heads(count: usize) -> Vec<u8> {
    let mut random = Random::new(7);
    let body = lines(count, |out, n| {
        let word: String =
            (0..3 + n % 5).map(|_| random.pick(&['a', 'b', 'c', 'd', 'e', 'f', 'o'])).collect();
        line(out, format_args!("{}: /*{word}", sense(n)));
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// `count` rules that all wait for one segment, after different prefixes.
pub fn awaiting(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| line(out, format_args!("{}: /{n}*a$", sense(n))));
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// Rules `/*xa`, `/*xaa`, `/*xaaa`...: segments that all branch from one another at each position
/// of a path of `a`. Other rules make the set too large for a packed program.
pub fn nested_segments(depth: usize, count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| match n < depth {
        true => line(out, format_args!("{}: /*x{}", sense(n), "a".repeat(n + 1))),
        false => line(out, format_args!("{}: /{n}*b{n}", sense(n))),
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// `chains` rules of `stars` stars each, whose segments `a`, `aa`, `aaa`... are suffixes of one
/// another: at each position of a path of `a` all of them end, and steps wait for many. The slowest
/// set found.
pub fn nested_chains(chains: usize, stars: usize) -> Vec<u8> {
    let body = lines(chains, |out, n| {
        let segment = |at: usize| format!("*{}", "a".repeat((7 * at + n) % 15 + 1));
        line(out, format_args!("{}: /{}b", sense(n), (0..stars).map(segment).collect::<String>()));
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// Rules `/a`, `/aa`, `/aaa`..., with alternating senses: a trie whose depth is the number of
/// rules.
pub fn prefix_chain(depth: usize) -> Vec<u8> {
    let body = lines(depth, |out, n| line(out, format_args!("{}: /{}", sense(n), "a".repeat(n + 1))));
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// One rule, repeated `count` times.
pub fn same_rule(count: usize) -> Vec<u8> {
    [b"User-agent: *\n".as_slice(), &b"Disallow: /same/*/rule$\n".repeat(count)].concat()
}

/// One group of `count` agents.
pub fn agents(count: usize) -> Vec<u8> {
    let agents = lines(count, |out, n| line(out, format_args!("User-agent: b{n}")));
    [agents.as_slice(), b"Disallow: /x\n"].concat()
}

/// A path of stray percents, and one of truncated escapes.
pub fn percents(count: usize) -> Vec<u8> {
    format!("User-agent: *\nDisallow: /{}\nDisallow: /{}\n", "%".repeat(count), "%2".repeat(count))
        .into_bytes()
}

/// Random bytes.
pub fn random_bytes(count: usize) -> Vec<u8> {
    let mut random = Random::new(count as u64);
    (0..count).map(|_| random.next_u64().to_le_bytes()[7]).collect()
}

fn be(unit: u16) -> [u8; 2] {
    [(unit >> 8) as u8, (unit & 0xFF) as u8]
}

fn sense(n: usize) -> &'static str {
    if n.is_multiple_of(3) { "Allow" } else { "Disallow" }
}

fn lines(count: usize, mut each: impl FnMut(&mut String, usize)) -> Vec<u8> {
    let mut out = String::new();
    (0..count).for_each(|n| each(&mut out, n));
    out.into_bytes()
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
    out.push('\n');
}
