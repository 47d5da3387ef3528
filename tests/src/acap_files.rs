//! Random robots.txt files with ACAP records, and matching queries.
//!
//! Alphabets are small, and each file draws from its own hand of a few patterns and usages. So
//! equal patterns, undetermined pairs, general and derived usages, both addressees and both
//! languages often occur together. [`Coverage`] counts the cases that occurred. Invariant: equal
//! seeds give equal output, on every machine.
//!
//! This file does not know the meaning of the fields: the oracle decides which answers are right.

use crate::acap::{Answer, Ask, Story};
use crate::generate::Random;

/// The origin of the files.
pub const ORIGIN: &str = "https://example.com";

/// Families of patterns: first ordinary ones with overlapping members, then unusual spellings.
const FAMILIES: [&[&str]; 9] = [
    &["/*a", "/*b", "/*ab", "/", "/a*b", "/b*a", "/*a*b"],
    &["/a/", "/a/*a", "/a/*b", "/a", "/a/*a$", "/a/*b*", "/a/b"],
    &["/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/a", "/b"],
    &["/a$", "/a", "/a*", "/a*$", "/A", "/%61", "/%41$"],
    &["*a", "*.a", "/*.a", "*", "/*", "/", "*b$"],
    &["/a?", "/a?*a", "/a?*b", "/?a", "/a*?b", "/a", "/a?a=b"],
    &["/a%2Fb", "/a/b", "/a%2fB", "/%2A", "/*", "/a%24", "/a$", "/%2a*a"],
    &["a", "b/", "a/b", "/a", "/b/", "/%C3%A9", "/\u{e9}", "a$", "/%25", "/%", "/%2541"],
    &["//a", "https://example.com/a", "http://other.example/", "/a$b", "/$", "$", "/a**b", "/a*b"],
];

/// Occasional endings of patterns.
const TAIL: [&str; 8] = ["a", "b", "/", "*", "$", "*a", "*b", "?"];

/// The main usages of a file, and further ones. Usages that interact with others are listed twice.
const MAIN: [&str; 8] = ["crawl", "crawl", "crawl", "index", "index", "present", "present", "dance"];
const ALSO: [&str; 9] = [
    "other",
    "other",
    "other",
    "present",
    "present-snippet",
    "present-thumbnail",
    "preserve",
    "crawl",
    "Present-Extract",
];

const CRAWLERS: [&str; 9] = ["a", "A/1.0", "b", "b", "c d", "*", "*", "* x", ""];
const NAMED: [&str; 7] = ["a", "b", "a/2.0", "b", "c", "c d", "C  e f"];
const PURPOSES: [&str; 9] =
    ["news", "News", "*", "*", "news*", "http://s.*/", "ads$", "newsletter", "http://s.a/x$"];
const ASKED_PURPOSES: [Option<&str>; 9] = [
    None,
    None,
    Some("news"),
    Some("NEWS"),
    Some("newsletter"),
    Some("http://s.a/x"),
    Some("HTTP://S.B/xy"),
    Some("ads"),
    Some("none"),
];
const LOCAL: [&str; 5] = ["q", "r", "s", "T", "undefined"];
const SETS: [&str; 4] = ["x", "y", "Z", "undefined"];
const QUALIFIERS: [&str; 9] = [
    "time-limit=3-days",
    "time-limit=until-recrawl",
    "time-limit=until-recrawled",
    "Time-Limit = until-2030-12-31",
    "max-length=30-words",
    "MAX-LENGTH=30-Words",
    "prohibited-modification=any",
    "must-use-resource=the-acap:extract:id:a=b",
    "unknown=x",
];
const REFERENCES: [&str; 8] = [
    "/r1.txt",
    "/r1.txt",
    "/r2.txt",
    "r2.txt",
    "https://EXAMPLE.com/r1.txt",
    "https://other.example/r1.txt",
    "//example.com/r1.txt",
    "/none.txt",
];

/// A robots.txt and the files to which it may refer.
#[derive(Clone, Debug)]
pub struct AcapFile {
    /// The robots.txt.
    pub robots: String,
    /// Other files: of the host by path, of another by URL.
    pub others: Vec<(&'static str, String)>,
    hand: Hand,
}

impl AcapFile {
    /// The other file with this path, if there is one.
    pub fn referred(&self, path: &str) -> Option<Vec<u8>> {
        self.others.iter().find(|(name, _)| *name == path).map(|(_, text)| text.clone().into_bytes())
    }
}

/// A query that owns its parts.
#[derive(Clone, Debug)]
pub struct Question {
    /// Names of the crawler, best first.
    pub agents: Vec<&'static str>,
    /// The usage.
    pub usage: String,
    /// The purpose, if any.
    pub purpose: Option<&'static str>,
    /// Path and query.
    pub target: String,
}

impl Question {
    /// The query in the form that the oracle takes.
    pub fn ask(&self) -> Ask<'_> {
        Ask {
            agents: &self.agents,
            usage: &self.usage,
            purpose: self.purpose,
            target: self.target.as_bytes(),
            origin: Some(ORIGIN),
        }
    }
}

/// The patterns and usages from which one file draws.
#[derive(Clone, Debug)]
struct Hand {
    patterns: Vec<String>,
    usages: Vec<&'static str>,
}

impl Random {
    /// A file in one of the dialects; one in twelve has no ACAP record.
    pub fn acap_file(&mut self) -> AcapFile {
        let starred = self.once_in(3);
        let family = self.pick(if starred { &FAMILIES[..2] } else { &FAMILIES });
        let mut patterns: Vec<String> =
            (0..4 + self.below(3)).map(|_| self.pick(family).to_owned()).collect();
        let another = self.pick(&FAMILIES[..4]);
        patterns.push(self.pick(another).to_owned());
        if self.once_in(2) {
            let longer = self.pick(&patterns.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
            patterns.push(longer + self.pick(&TAIL));
        }
        let main = self.pick(&MAIN);
        let beside = if main == "present" { "present-snippet" } else { main };
        let usages = vec![main, main, beside, self.pick(&ALSO)];
        let hand = Hand { patterns, usages };

        let mut robots = String::new();
        if !self.once_in(3) {
            let versions = ["0.2 # pilot version", "0.2", "1.0", "1.1", " 1.0", "x"];
            robots.push_str(&format!("##ACAP version={}\n", self.pick(&versions)));
        }
        let acap = !self.once_in(12);
        self.acap_text(&hand, &mut robots, acap, 3);
        let mut others = Vec::new();
        for name in ["/r1.txt", "/r2.txt", "https://other.example/r1.txt"] {
            if !self.once_in(4) {
                let mut text = String::new();
                self.acap_text(&hand, &mut text, true, 1);
                others.push((name, text));
            }
        }
        AcapFile { robots, others, hand }
    }

    /// Records of both kinds in any order, with definitions before and between them.
    fn acap_text(&mut self, hand: &Hand, out: &mut String, acap: bool, length: usize) {
        if self.once_in(14) {
            out.push_str("ACAP-ignore-conventional-records\n");
        }
        self.acap_definitions(hand, out, 5);
        for _ in 0..=length {
            match self.below(5) {
                0 | 1 => self.conventional_group(hand, out),
                _ if acap => self.acap_record(hand, out),
                _ => self.conventional_group(hand, out),
            }
            if self.once_in(4) {
                self.acap_definitions(hand, out, 1);
            }
        }
        if acap {
            self.acap_record(hand, out);
        }
    }

    fn acap_definitions(&mut self, hand: &Hand, out: &mut String, most: usize) {
        for _ in 0..self.below(most + 1) {
            let line = match self.below(4) {
                0 => {
                    let patterns: Vec<String> =
                        (0..1 + self.below(3)).map(|_| self.acap_pattern(hand)).collect();
                    format!("ACAP-resource-set: {} {}", self.pick(&SETS[..3]), patterns.join(" "))
                }
                1 => {
                    let members: Vec<String> = (0..1 + self.below(3))
                        .map(|_| match self.once_in(2) {
                            true => format!("({})", self.pick(&LOCAL)),
                            false => self.pick(&hand.usages).to_owned(),
                        })
                        .collect();
                    format!("ACAP-composite-usage: {} {}", self.pick(&LOCAL[..4]), members.join(" "))
                }
                _ => {
                    let (name, usage) = (self.pick(&LOCAL[..4]), self.pick(&hand.usages));
                    format!("ACAP-qualified-usage: {name} {usage} {}", self.qualifiers())
                }
            };
            out.push_str(&line);
            out.push('\n');
        }
    }

    fn qualifiers(&mut self) -> String {
        let count = if self.once_in(3) { 2 } else { 1 };
        (0..count).map(|_| self.pick(&QUALIFIERS)).collect::<Vec<_>>().join(" ")
    }

    fn acap_pattern(&mut self, hand: &Hand) -> String {
        if self.once_in(20) {
            return self.pattern(4);
        }
        hand.patterns[self.below(hand.patterns.len())].clone()
    }

    fn conventional_group(&mut self, hand: &Hand, out: &mut String) {
        for _ in 0..=self.below(2) {
            let name = self.pick(&CRAWLERS);
            out.push_str(&format!("User-agent: {name}\n"));
            if self.once_in(20) {
                out.push_str("ACAP-allow-crawl: /a\n"); // in the last ACAP record, if there is one
            }
        }
        for _ in 0..1 + self.below(4) {
            self.conventional_rule(hand, out);
        }
    }

    fn conventional_rule(&mut self, hand: &Hand, out: &mut String) {
        let key = self.pick(&["Disallow", "Disallow", "Disallow", "Allow", "Allow", "Noindex", "Noindex"]);
        let pattern = if self.once_in(15) { String::new() } else { self.acap_pattern(hand) };
        out.push_str(&format!("{key}: {pattern}\n"));
    }

    fn acap_record(&mut self, hand: &Hand, out: &mut String) {
        let names: Vec<&str> = match self.below(6) {
            0 | 1 => vec!["*"],
            2 | 3 => vec![self.pick(&NAMED)],
            4 => vec![self.pick(&NAMED), self.pick(&NAMED)],
            _ => vec![self.pick(&CRAWLERS), self.pick(&CRAWLERS)],
        };
        for name in names {
            let key = self.pick(&["ACAP-crawler", "ACAP-crawler", "acap-Crawler "]);
            out.push_str(&format!("{key}: {name}\n"));
            self.odd_acap_line(hand, out);
        }
        if self.once_in(7) {
            let reference = self.pick(&REFERENCES);
            out.push_str(&format!("ACAP-permissions-reference: {reference}\n"));
            if self.once_in(2) {
                return;
            }
        }
        for _ in 0..self.below(8) {
            self.acap_field(hand, out);
        }
        for _ in 0..[0, 0, 0, 1, 1, 2][self.below(6)] {
            for _ in 0..1 + self.below(2) {
                let purpose = self.pick(&PURPOSES);
                out.push_str(&format!("ACAP-usage-purpose: {purpose}\n"));
                self.odd_acap_line(hand, out);
            }
            for _ in 0..1 + self.below(3) {
                self.acap_field(hand, out);
            }
        }
    }

    fn acap_field(&mut self, hand: &Hand, out: &mut String) {
        let sense = self.pick(&["allow", "allow", "disallow", "disallow", "Allow", "DISALLOW"]);
        let usage = match self.below(4) {
            0 => format!("({})", self.pick(&LOCAL)),
            _ => self.pick(&hand.usages).to_owned(),
        };
        if self.once_in(3) {
            let contrary = if sense.eq_ignore_ascii_case("allow") { "disallow" } else { "allow" };
            let pattern = self.acap_pattern(hand);
            out.push_str(&format!("ACAP-{contrary}-{usage}: {pattern}\n"));
        }
        let resource = if self.once_in(7) {
            let scheme = self.pick(&["acap", "the-acap", "The-ACAP"]);
            format!("{scheme}:resource-set:{}", self.pick(&SETS))
        } else {
            self.acap_pattern(hand)
        };
        // Occasionally a prohibition has one, too, although it must not.
        let often = if sense.eq_ignore_ascii_case("allow") { 4 } else { 16 };
        let qualifiers = if self.once_in(often) { format!(" {}", self.qualifiers()) } else { String::new() };
        let comment = if self.once_in(16) { " # why" } else { "" };
        out.push_str(&format!("ACAP-{sense}-{usage}: {resource}{qualifiers}{comment}\n"));
        self.odd_acap_line(hand, out);
    }

    /// An occasional odd line between the fields of a record.
    fn odd_acap_line(&mut self, hand: &Hand, out: &mut String) {
        if !self.once_in(8) {
            return;
        }
        let lines = [
            "",
            "# a comment",
            "##ACAP version=0.2",
            "Unknown: /",
            "ACAP-unknown: /",
            "ACAP-allow-: /a",
            "Sitemap: https://example.com/s.xml",
            "ACAP-request-take-down: /a",
            "ACAP-allow-crawl:",
            "ACAP-resource-set: x /b",
        ];
        match self.below(lines.len() + 3) {
            at if at < lines.len() => {
                out.push_str(lines[at]);
                out.push('\n');
            }
            _ => self.conventional_rule(hand, out),
        }
    }

    /// Queries about a file, mostly with its own patterns, usages and crawlers.
    pub fn acap_questions(&mut self, file: &AcapFile, count: usize) -> Vec<Question> {
        (0..count).map(|_| self.acap_question(file)).collect()
    }

    fn acap_question(&mut self, file: &AcapFile) -> Question {
        let hand = &file.hand;
        let usage = match self.below(8) {
            0 => self.pick(&ALSO).to_owned(),
            1 => self.pick(&["preserve", "index", "dance", "CRAWL"]).to_owned(), // often just `other`
            _ => match self.pick(&hand.usages) {
                "present" if self.once_in(2) => "present-snippet".to_owned(),
                usage => usage.to_owned(),
            },
        };
        let agents = match self.below(11) {
            0 => vec!["nobody"],
            1 => vec!["nobody", "b"],
            2 => vec!["c", "a"],
            3 => vec![],
            4 | 5 => vec!["a"],
            6 => vec!["B/3.0"],
            7 => vec!["a/2.0"],
            8 => vec!["c d"],
            9 => vec!["nobody", "C E  F"],
            _ => vec!["*", "b"],
        };
        Question { agents, usage, purpose: self.pick(&ASKED_PURPOSES), target: self.acap_target(hand) }
    }

    /// A target that one pattern of the hand matches or nearly matches, and often another one as
    /// well.
    fn acap_target(&mut self, hand: &Hand) -> String {
        if self.once_in(40) {
            return self.pick(&["/robots.txt", "/%72obots.txt", "/ROBOTS.txt", "/robots.txt?a"]).to_owned();
        }
        let pattern = self.acap_pattern(hand);
        if self.once_in(2) {
            // The text before the first wildcard, followed by text that matches many patterns with
            // stars.
            let start =
                pattern.split(['*', '$']).next().filter(|start| start.starts_with('/')).unwrap_or("/");
            let tail = ["", "a", "b", "ab", "ba", "aab", "a?ab", "b.a/b", "/Ab", "/b/a"];
            return format!("{start}{}{}", self.pick(&tail), self.pick(&tail));
        }
        let mut target = self.query(pattern.strip_prefix(ORIGIN).unwrap_or(&pattern)).replace('#', "a");
        if self.once_in(3) {
            target.push_str(self.pick(&["ab", "ba", "/ab", "b.a", "?ab", "/A/b", "a/b/a"]));
        }
        target
    }
}

/// The number of answers of each kind.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    counts: std::collections::BTreeMap<&'static str, usize>,
    total: usize,
}

impl Coverage {
    /// Counts an answer.
    pub fn see(&mut self, answer: &Answer, story: &Story) {
        self.total += 1;
        let kinds = [
            (answer.verdict, true),
            ("acap", story.acap),
            ("silent", answer.lines.is_empty()),
            ("incomplete", answer.incomplete),
            ("undetermined", story.undetermined),
            ("equal", story.equal),
            ("derived", story.derived),
            ("beaten", story.beaten),
            ("other", story.other),
            ("overridden", story.overridden),
            ("purpose", story.purpose),
            ("referred", story.referred),
            ("joined", story.joined),
            ("dropped", story.dropped),
            ("alone", story.alone),
            ("several lines", answer.lines.len() > 1),
            ("several conditions", answer.conditions.len() > 1),
        ];
        for (kind, _) in kinds.into_iter().filter(|(_, is)| *is) {
            *self.counts.entry(kind).or_default() += 1;
        }
    }

    /// Answers of a kind, per thousand.
    pub fn per_mille(&self, kind: &str) -> usize {
        1000 * self.counts.get(kind).copied().unwrap_or_default() / self.total.max(1)
    }
}
