//! Random rules, files and queries over small alphabets, so that overlaps are common.
//!
//! The same builders are available in two ways: [`Random`], a small deterministic generator for
//! benches, and proptest strategies ([`patterns`], [`files`]) whose seed proptest shrinks. Queries
//! are derived from the rules of a file, so a good share of them match. Invariant: equal seeds give
//! equal output, on every machine.
//!
//! This file does not know the meaning of the rules: the oracle decides which answers are right.

use proptest::prelude::*;

/// Pieces of patterns: few letters, both wildcards, escapes in several spellings, a stray percent.
const PATTERN: [&str; 20] = [
    "a", "a", "b", "b", "/", "/", "*", "*", "$", ".", "%2F", "%2f", "%61", "?", "%2A", "%24", "%", "é",
    "%C3%A9", "aab",
];

/// Texts that replace a star in a derived query.
const RUN: [&str; 12] = ["", "", "a", "b", "/", "aa", "ab", "ba", "a/b", "%61", "?", "%2F"];

/// Agents of random files: few, so that groups are shared, with some odd spellings.
const AGENT: [&str; 10] = ["a", "A", "b", "b/1.0", "c", "*", "*", "* x", "*x", ""];

/// The agents for queries: each of the names above, and one that no file has.
pub const ASKED: [&str; 5] = ["a", "b", "c", "x", "nobody"];

/// A small deterministic generator (xorshift64*). Not cryptographically secure.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed; every seed is valid.
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds must begin differently, and the state must not be zero.
        let mixed = (seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Random((mixed ^ (mixed >> 31)) | 1)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high bits are the best ones; the bias does not matter here.
        let wide = u128::from(self.next_u64()) * (bound as u128);
        (wide >> 64) as usize
    }

    /// True with a probability of one in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A random element.
    ///
    /// # Panics
    /// On an empty slice.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A pattern of up to `length` pieces. One in sixteen lacks its slash or begins with a star.
    pub fn pattern(&mut self, length: usize) -> String {
        let mut out = String::from(if self.once_in(16) { self.pick(&["", "*"]) } else { "/" });
        for _ in 0..self.below(length + 1) {
            out.push_str(self.pick(&PATTERN));
        }
        if self.once_in(5) {
            out.push('$');
        }
        out
    }

    /// Patterns with senses, `(pattern, allow)`. Some are derived from the previous one, so that
    /// prefixes, equal lengths and equal patterns occur.
    pub fn rules(&mut self, count: usize, length: usize) -> Vec<(String, bool)> {
        let mut rules: Vec<(String, bool)> = Vec::with_capacity(count);
        for _ in 0..count {
            let pattern = match rules.last() {
                Some((last, _)) if self.once_in(3) => {
                    let tail = self.pick(&["", "a", "*", "$", "/", "b$", "*a"]);
                    format!("{last}{tail}")
                }
                _ => self.pattern(length),
            };
            let allow = self.once_in(2);
            rules.push((pattern, allow));
        }
        rules
    }

    /// A complete robots.txt: several groups, shared and repeated agents, misspelt keys, odd lines
    /// and line ends.
    pub fn file(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.once_in(10) {
            out.extend_from_slice(self.pick(&[
                &b"\xEF\xBB\xBF"[..],
                b"\xEF\xBB",
                b"\xEF",
                b"\xEF\xBB\xBF\xEF",
            ]));
        }
        if self.once_in(8) {
            self.rule_line(&mut out);
        }
        for _ in 0..=self.below(5) {
            for _ in 0..=self.below(3) {
                let key = self.pick(&["User-agent", "User-agent", "USER-AGENT", "useragent", "user agent"]);
                let agent = self.pick(&AGENT);
                let behind =
                    if self.once_in(8) { format!(" Disallow: {}", self.pattern(3)) } else { String::new() };
                self.line(&mut out, key, &format!("{agent}{behind}"));
                if self.once_in(6) {
                    self.odd_line(&mut out);
                }
            }
            for _ in 0..self.below(6) {
                self.rule_line(&mut out);
                if self.once_in(8) {
                    self.odd_line(&mut out);
                }
            }
        }
        out
    }

    fn rule_line(&mut self, out: &mut Vec<u8>) {
        let keys = ["Disallow", "Disallow", "Allow", "Allow", "disalow", "DISSALLOW", "allow", "Disallow-x"];
        let key = self.pick(&keys);
        let value = match self.below(16) {
            0 => String::new(),
            1 => format!("https://example.com{}", self.pattern(3)),
            2 => format!("https://other.example{}", self.pattern(3)),
            3 => format!("{}:{}", self.pattern(3), self.pattern(2)),
            4 => format!("{}{}", self.pick(&["www.example.com", "Example.com"]), self.pattern(3)),
            5 => format!("{}\u{200B}", self.pattern(3)),
            6 => format!("http://www.example.com{}", self.pattern(3)),
            _ => self.pattern(5),
        };
        self.line(out, key, &value);
    }

    fn line(&mut self, out: &mut Vec<u8>, key: &str, value: &str) {
        let lead = if self.once_in(10) {
            self.pick(&[" ", "\t", " \t ", "\u{FEFF}", " \u{FEFF}\t", "\u{200B}"])
        } else {
            ""
        };
        let colon = if self.once_in(8) { self.pick(&[":", " : ", "\t:\t", " ", "\t", "::"]) } else { ": " };
        let tail = if self.once_in(10) { self.pick(&[" ", " # comment", "#x", " x", "\t"]) } else { "" };
        out.extend_from_slice(format!("{lead}{key}{colon}{value}{tail}").as_bytes());
        self.line_end(out);
    }

    fn odd_line(&mut self, out: &mut Vec<u8>) {
        let lines: [&[u8]; 12] = [
            b"",
            b" ",
            b"# Disallow: /",
            b"Sitemap: https://example.com/s.xml",
            b"Crawl-delay: 2",
            b"nonsense",
            b"Disallow",
            b": /",
            b"\0",
            b"\xFF\xFE: \x80",
            b"Unknown: /",
            b"Allow /a /b",
        ];
        out.extend_from_slice(self.pick(&lines));
        self.line_end(out);
    }

    fn line_end(&mut self, out: &mut Vec<u8>) {
        let end = if self.once_in(6) { self.pick(&["\r\n", "\r", "\n\n", "\n\r"]) } else { "\n" };
        out.extend_from_slice(end.as_bytes());
    }

    /// A target (path and query) that the pattern matches or nearly matches: stars become random
    /// runs, then the text is sometimes truncated, extended or changed. It begins with a slash and
    /// has no fragment.
    pub fn query(&mut self, pattern: &str) -> String {
        let body = pattern.strip_suffix('$').unwrap_or(pattern);
        let mut out = String::new();
        for piece in body.split_inclusive('*') {
            out.push_str(piece.strip_suffix('*').unwrap_or(piece));
            if piece.ends_with('*') {
                for _ in 0..self.below(3) {
                    out.push_str(self.pick(&RUN));
                }
            }
        }
        match self.below(8) {
            0 | 1 => out.push_str(self.pick(&["a", "b", "/", "?a", "aa", "%61", "$", "*"])),
            2 => drop(out.pop()),
            3 | 4 => {
                let mut chars: Vec<char> = out.chars().collect();
                if !chars.is_empty() {
                    let at = self.below(chars.len());
                    chars[at] = self.pick(&['a', 'b', '/', '.', '?', '*', '$', '%']);
                }
                out = chars.into_iter().collect();
            }
            _ => {}
        }
        let slash = if out.starts_with('/') { "" } else { "/" };
        format!("{slash}{out}")
    }

    /// Targets for a file: most are derived from its own values, a few are random.
    pub fn queries(&mut self, robots: &[u8], count: usize) -> Vec<String> {
        let text = String::from_utf8_lossy(robots);
        let values: Vec<&str> = text
            .split(['\r', '\n'])
            .filter_map(|line| line.split('#').next()?.rsplit_once(['\t', ' ', ':']))
            .map(|(_, value)| value.strip_prefix("//example.com").unwrap_or(value))
            .filter(|value| value.starts_with(['/', '*']))
            .collect();
        let mut queries = vec!["/".to_owned(), "/robots.txt".to_owned()];
        while queries.len() < count {
            let pattern = if values.is_empty() || self.once_in(8) {
                self.pattern(4)
            } else {
                self.pick(&values).to_owned()
            };
            queries.push(self.query(&pattern).replace('#', "a"));
        }
        queries
    }
}

/// A strategy for single patterns, shrinking towards short ones.
pub fn patterns() -> impl Strategy<Value = String> {
    (proptest::collection::vec(proptest::sample::select(&PATTERN[..]), 0..7), any::<bool>())
        .prop_map(|(pieces, end)| format!("/{}{}", pieces.concat(), if end { "$" } else { "" }))
}

/// A strategy for targets that share the patterns' alphabet.
pub fn targets() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&PATTERN[..]), 0..9)
        .prop_map(|pieces| format!("/{}", pieces.concat()))
}

/// A strategy for rule sets, `(pattern, allow)`.
pub fn rule_sets() -> impl Strategy<Value = Vec<(String, bool)>> {
    proptest::collection::vec((patterns(), any::<bool>()), 0..12)
}

/// A strategy for whole files with matching queries. The lines of a file shrink away one by one.
pub fn files() -> impl Strategy<Value = (Vec<u8>, Vec<String>)> {
    any::<u64>().prop_flat_map(|seed| {
        let mut random = Random::new(seed);
        let file = random.file();
        let queries = random.queries(&file, 24);
        let lines: Vec<Vec<u8>> = file.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let count = lines.len();
        (proptest::sample::subsequence(lines, 0..=count), Just(queries))
            .prop_map(|(lines, queries)| (lines.concat(), queries))
    })
}

/// A robots.txt with these rules in one group for all crawlers.
pub fn one_group(rules: &[(String, bool)]) -> String {
    let line = |(pattern, allow): &(String, bool)| {
        format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" })
    };
    "User-agent: *\n".to_owned() + &rules.iter().map(line).collect::<String>()
}
