//! Generates a text: groups, crawlers and rules by its shape, comments for the rest.
//!
//! Lists of rules have laws of their own, so different texts share them as in reality. The rest of
//! a text resembles reality only in its size and compressibility. Deterministic: a text depends
//! only on the seed and its number.

use super::model::{Body, List, Text};
use super::random::{Purpose, random};
use super::statistics::Statistics;
use super::words::{rules, syllables};
use robomaton_tests::generate::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The maximum distance, as a logarithm, of a list from the desired length.
const NEAR: f64 = 0.2;
/// Bytes of a comment line.
const LINE: usize = 70;
/// Words in the comments of one text, or in its HTML; found by trial.
const VOCABULARY: usize = 64;
/// Ranks that are drawn to find lists that are not yet in the text.
const TRIES: usize = 64;

/// Generates the text with this number.
pub(super) fn text(statistics: &Statistics, seed: u64, number: u64) -> Vec<u8> {
    let mut random = random(seed, Purpose::Text, number);
    let shape = statistics.texts.shape(number, &mut random);
    let bytes = shape.bytes as usize;
    if shape.kind == Text::BINARY {
        let noise = (0..bytes.saturating_sub(2)).map(|_| random.next_u64() as u8);
        return [0x1F, 0x8B].into_iter().chain(noise).take(bytes).collect();
    }
    let vocabulary = vocabulary(statistics, &mut random);
    let mut maker = Maker { statistics, seed, number, shape, vocabulary, random, out: String::new() };
    match shape.kind {
        Text::RULES => maker.records(),
        Text::HTML => {
            maker.out.push_str("<html>");
            while maker.out.len() < bytes {
                maker.out.push_str("<div class=\"");
                maker.filler(12);
                maker.out.push_str("\">");
                maker.filler(LINE);
                maker.out.push_str("</div>\n");
            }
            maker.out.truncate(bytes);
        }
        _ => {
            maker.filler(bytes);
            maker.out.truncate(bytes);
        }
    }
    maker.out.into_bytes()
}

/// The words of one text: few, so that it compresses like real texts.
fn vocabulary(statistics: &Statistics, random: &mut Random) -> Vec<String> {
    let word = |_| {
        let mut made = String::new();
        match statistics.words[random.below(statistics.words.len())].draw(random) {
            Ok(word) => made.push_str(word),
            Err(bytes) => syllables(bytes.max(2), random, &mut made),
        }
        made
    };
    (0..VOCABULARY).map(word).collect()
}

/// A text in progress.
struct Maker<'s> {
    statistics: &'s Statistics,
    seed: u64,
    number: u64,
    shape: Text,
    vocabulary: Vec<String>,
    random: Random,
    out: String,
}

impl Maker<'_> {
    /// Random numbers for a list of rules, which other texts may have, too.
    fn random_of(&self, purpose: Purpose, number: u64) -> Random {
        random(self.seed, purpose, number)
    }

    /// Words up to a number of bytes, or a few more.
    fn filler(&mut self, bytes: usize) {
        let end = self.out.len() + bytes;
        while self.out.len() < end {
            self.out.push_str(&self.vocabulary[self.random.below(self.vocabulary.len())]);
            self.out.push(' ');
        }
    }

    fn records(&mut self) {
        let Text { groups, names, sitemaps, delays, body, bytes, .. } = self.shape;
        let mut records = String::new();
        let lists = self.named_lists();
        let names = self.names(names);
        let at = |group: u32| (u64::from(group) * names.len() as u64 / u64::from(groups.max(1))) as usize;
        for group in 0..groups {
            let rules = &lists[group as usize % lists.len()];
            push_group(&names[at(group)..at(group + 1)], rules, group < delays, &mut records);
        }
        if body > 0 {
            let mut default = String::new();
            push_group(&["*".to_owned()], &self.body(), groups < delays, &mut default);
            let at = if self.random.once_in(2) { records.len() } else { 0 };
            records.insert_str(at, &default);
        }
        let mut host = String::new();
        syllables(8, &mut self.random, &mut host);
        for sitemap in 0..sitemaps {
            let number = if sitemap == 0 { String::new() } else { sitemap.to_string() };
            let _ = writeln!(records, "Sitemap: https://www.{host}.com/sitemap{number}.xml");
        }
        // Comments fill up the text to the desired size.
        while self.out.len() + records.len() + 2 < bytes as usize {
            let line = LINE.min(bytes as usize - self.out.len() - records.len() - 2);
            self.out.push_str("# ");
            let start = self.out.len();
            self.filler(line);
            self.out.truncate(start + line - 1);
            self.out.push('\n');
        }
        self.out.push_str(&records);
    }

    /// The rules for crawlers without groups of their own.
    fn body(&mut self) -> List {
        let Statistics { bodies, several, .. } = self.statistics;
        let (numbers, purpose, number) = match self.shape.body {
            Text::OWN => (self.shape.own, Purpose::Own, self.number),
            Text::SEVERAL => {
                let place = self.random.below(several.len());
                (several.get(place).copied().unwrap_or_default(), Purpose::Several, place as u64)
            }
            body => {
                let place = body as usize - 1;
                (bodies.get(place).copied().unwrap_or_default(), Purpose::Body, place as u64)
            }
        };
        rules(self.statistics, numbers, &mut self.random_of(purpose, number))
    }

    /// The distinct lists of rules of the named groups: at least one, if there are groups.
    fn named_lists(&mut self) -> Vec<List> {
        let Text { groups, lists: wanted, rules: all, .. } = self.shape;
        let named = &self.statistics.named;
        // Draws several, and takes the one whose length is closest to that of the text's lists.
        let length = (f64::from(all) / f64::from(groups.max(1))).max(0.5);
        let mut chosen: Vec<(u64, List)> = Vec::new();
        for _ in 0..if groups == 0 { 0 } else { wanted.max(1) } {
            let mut best: Option<(f64, u64, Body)> = None;
            for _ in 0..TRIES {
                let rank = named.rank(&mut self.random);
                let numbers = named.shape(rank, &mut self.random_of(Purpose::Named, rank));
                let far = (f64::from(numbers.rules).max(0.5) / length).ln().abs();
                let is_new = chosen.iter().all(|(known, _)| *known != rank);
                if is_new && best.is_none_or(|(best, ..)| far < best) {
                    best = Some((far, rank, numbers));
                }
                if best.is_some_and(|(best, ..)| best < NEAR) {
                    break;
                }
            }
            if let Some((_, rank, numbers)) = best {
                let list = rules(self.statistics, numbers, &mut self.random_of(Purpose::List, rank));
                chosen.push((rank, list));
            }
        }
        chosen.into_iter().map(|(_, list)| list).collect()
    }

    /// Distinct names of crawlers.
    fn names(&mut self, count: u32) -> Vec<String> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut names = Vec::new();
        while names.len() < count as usize {
            let name = match self.statistics.crawlers.draw(&mut self.random) {
                Ok(name) => name.to_owned(),
                Err(_) => {
                    // Some rare names are in many texts, most in few; and there are always more
                    // than needed.
                    let most = (1 << (4 + self.random.below(10))).max(4 * names.len());
                    let mut own = random(0, Purpose::Crawler, self.random.below(most) as u64);
                    let mut made = String::new();
                    syllables(3 + own.below(8), &mut own, &mut made);
                    made + "bot"
                }
            };
            if known.insert(name.clone()) {
                names.push(name);
            }
        }
        names
    }
}

fn push_group(names: &[String], rules: &[(bool, String)], delay: bool, out: &mut String) {
    for name in names {
        let _ = writeln!(out, "User-agent: {name}");
    }
    if delay {
        out.push_str("Crawl-delay: 10\n");
    }
    if rules.is_empty() {
        out.push_str("Disallow:\n");
    }
    for (allow, pattern) in rules {
        let _ = writeln!(out, "{}: {pattern}", if *allow { "Allow" } else { "Disallow" });
    }
    out.push('\n');
}
