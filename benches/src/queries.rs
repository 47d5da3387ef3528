//! Questions derived from the rules of files, as from a crawler that knows a site.
//!
//! For each file there are some agents (two well-known ones, one that no file names, one that this
//! file names) and, in turn, paths made from its patterns: stars replaced by short runs, some
//! truncated, some extended, some changed in one byte.
//! Deterministic: equal files give equal questions. It does not know the answers.

use crate::field::{Class, Field, File};
use robomaton_compiler::{Policy, Rule};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Agents for every file, in addition to a name from the file.
pub const AGENTS: [&str; 3] = ["Googlebot", "GPTBot", "Nobodysbot"];

/// Files with records, taken evenly from the corpus, that the race asks about.
pub const FILES: usize = 2_750;
/// Questions per file of the race.
pub const PER_FILE: usize = 33;

/// Questions about one field, in some order.
///
/// Paths are contiguous in that order, as a crawler's own would be in the cache when it asks; so
/// the order determines only how often the *files* recur.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Queries {
    paths: String,
    urls: String,
    all: Vec<Query>,
    /// The pairs of file and agent that questions are about.
    pub seats: Vec<Seat>,
}

/// A file and an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seat {
    /// The index of the file.
    pub file: usize,
    /// The URL of its site.
    pub site: String,
    /// The agent.
    pub agent: String,
    /// The class of the rules that apply to it.
    pub class: Class,
    /// The number of those rules.
    pub rules: usize,
}

/// One question: ranges of the shared texts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Query {
    /// The index of file and agent in [`Queries::seats`].
    pub seat: u32,
    path: (u32, u32),
    url: (u32, u32),
}

/// The lengths of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Most paths are about sixty bytes long, as URLs with a query are.
    Long,
    /// Most paths are as long as the patterns that they come from, about twenty bytes.
    Short,
}

/// A small generator of reproducible numbers (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    /// Shuffles items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

impl Queries {
    /// Derives `per_file` questions for each file that has rules, in the order of the files.
    pub fn derive(field: &Field<'_>, per_file: usize, lengths: Lengths) -> Queries {
        let mut queries = Queries::default();
        field.policies(|number, file, policy| queries.of_file(number, file, policy, (per_file, lengths)));
        queries
    }

    /// The questions.
    #[inline]
    pub fn all(&self) -> &[Query] {
        &self.all
    }

    /// The path and query of a question.
    #[inline]
    pub fn path(&self, query: &Query) -> &str {
        &self.paths[query.path.0 as usize..query.path.1 as usize]
    }

    /// The absolute URL of a question.
    #[inline]
    pub fn url(&self, query: &Query) -> &str {
        &self.urls[query.url.0 as usize..query.url.1 as usize]
    }

    /// The file and agent of a question.
    #[inline]
    pub fn seat(&self, query: &Query) -> &Seat {
        &self.seats[query.seat as usize]
    }

    /// The same questions in a pseudo-random order, which is always the same.
    #[must_use]
    pub fn shuffled(&self) -> Queries {
        let mut order: Vec<&Query> = self.all.iter().collect();
        Random::new(7).shuffle(&mut order);
        self.laid_out(order)
    }

    /// The questions about some seats, in the same order.
    #[must_use]
    pub fn only(&self, is_wanted: impl Fn(usize) -> bool) -> Queries {
        self.laid_out(self.all.iter().filter(|query| is_wanted(query.seat as usize)))
    }

    /// The questions of all agents, asked by one of them, which has one seat in each file.
    #[must_use]
    pub fn of_agent(&self, agent: &str) -> Queries {
        let seats: Vec<Seat> = self.seats.iter().filter(|seat| seat.agent == agent).cloned().collect();
        let mut queries = Queries { seats, ..Queries::default() };
        for query in &self.all {
            let file = self.seat(query).file;
            if let Ok(seat) = queries.seats.binary_search_by_key(&file, |seat| seat.file) {
                queries.push(seat as u32, self.path(query), self.url(query));
            }
        }
        queries
    }

    /// The file and agent with the most rules of a class.
    pub fn largest(&self, class: Class) -> Option<usize> {
        let of_class = (0..self.seats.len()).filter(|&seat| self.seats[seat].class == class);
        of_class.max_by_key(|&seat| self.seats[seat].rules)
    }

    fn laid_out<'q>(&'q self, order: impl IntoIterator<Item = &'q Query>) -> Queries {
        let mut queries = Queries { seats: self.seats.clone(), ..Queries::default() };
        order.into_iter().for_each(|query| queries.push(query.seat, self.path(query), self.url(query)));
        queries
    }

    fn push(&mut self, seat: u32, path: &str, url: &str) {
        let put = |text: &mut String, part: &str| {
            let start = text.len() as u32;
            text.push_str(part);
            (start, text.len() as u32)
        };
        let (path, url) = (put(&mut self.paths, path), put(&mut self.urls, url));
        self.all.push(Query { seat, path, url });
    }

    fn of_file(
        &mut self,
        number: usize,
        file: &File<'_>,
        policy: &Policy<'_>,
        (per_file, lengths): (usize, Lengths),
    ) {
        if policy.rules.is_empty() {
            return;
        }
        let mut random = Random::new(number as u64 + 1);
        let plain =
            |name: &&str| name.len() > 2 && name.bytes().all(|o| o.is_ascii_alphabetic() || o == b'-');
        let named: Vec<&str> = policy.groups.iter().flat_map(|group| group.names()).filter(plain).collect();
        let own = (!named.is_empty()).then(|| named[random.below(named.len())]);
        let site = file.site.to_string();
        let site = if site.contains("://") { site } else { format!("https://{site}") };
        let first = self.seats.len();
        for agent in AGENTS.into_iter().chain(own) {
            let (class, rules) = Class::of(policy, agent);
            self.seats.push(Seat { file: number, site: site.clone(), agent: agent.to_owned(), class, rules });
        }
        let seats = self.seats.len() - first;
        for turn in 0..per_file {
            let rule = &policy.rules[random.below(policy.rules.len())];
            let path = path(rule, lengths, &mut random);
            let url = format!("{site}{path}");
            self.push((first + turn % seats) as u32, &path, &url);
        }
    }

    /// The mean length of the paths.
    pub fn mean_length(&self) -> f64 {
        self.paths.len() as f64 / self.all.len().max(1) as f64
    }
}

const WORDS: [&str; 12] = [
    "index",
    "news",
    "article-2024",
    "tag",
    "product",
    "page",
    "view",
    "category",
    "search",
    "images",
    "users",
    "a",
];

/// A path related to a rule.
fn path(rule: &Rule<'_>, lengths: Lengths, random: &mut Random) -> String {
    let parts = rule.pattern().parts();
    let mut path = String::from_utf8_lossy(&parts.prefix).into_owned();
    for segment in &parts.segments {
        for _ in 0..random.below(7) {
            path.push(char::from(b'a' + random.below(26) as u8));
        }
        path.push_str(&String::from_utf8_lossy(segment));
    }
    if !path.starts_with('/') {
        path.insert(0, '/');
    }
    path.retain(|letter| letter.is_ascii_graphic() && letter != '#');
    match random.below(8) {
        0 => path.truncate(1 + random.below(path.len())),
        1 | 2 => change(&mut path, random),
        3 => return path,
        _ => {}
    }
    let length = match lengths {
        Lengths::Long => 40 + random.below(40),
        Lengths::Short => 4 + random.below(20),
    };
    while path.len() < length {
        let word = WORDS[random.below(WORDS.len())];
        let _ = match random.below(5) {
            0 => write!(path, "?{word}={}", random.below(1000)),
            1 => write!(path, "-{word}"),
            2 => write!(path, "/{word}.html"),
            _ => write!(path, "/{word}"),
        };
    }
    path
}

/// Changes one byte after the first.
fn change(path: &mut String, random: &mut Random) {
    if path.len() > 1 {
        let at = 1 + random.below(path.len() - 1);
        let letter = char::from(b'a' + random.below(26) as u8);
        path.replace_range(at..=at, letter.encode_utf8(&mut [0; 4]));
    }
}
