//! The same measures of a real corpus and of a generated one, for comparison.
//!
//! Each measure has a tolerance, as a ratio, for a generated corpus of the real one's size; `check`
//! prints all, a test asserts them for the shipped statistics. It does not know how either corpus
//! was made.

use super::Generator;
use super::features::{self, Features};
use super::hosts;
use super::law::rarefied;
use super::model::{List, Measure, Text};
use super::words::kind;
use crate::Corpus;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The measures of a corpus of captures.
pub fn of_corpus(corpus: &Corpus) -> Vec<Measure> {
    let sites = corpus.sites.iter().map(|(site, body)| (site.host().to_owned(), *body as u64));
    of(sites, |body| corpus.bodies[body as usize].text.clone())
}

/// The measures of the first sites of a generated corpus.
pub fn of_generated(generator: &Generator, sites: u64) -> Vec<Measure> {
    let sites = generator.sites(0..sites).map(|site| (site.host, site.text));
    of(sites, |text| generator.text(text))
}

/// The number of sites of the measured corpus.
pub fn sites(measures: &[Measure]) -> u64 {
    measures.iter().find(|measure| measure.name == SITES).map_or(0, |measure| measure.value as u64)
}

const SITES: &str = "sites";

/// Data collected from distinct texts.
#[derive(Default)]
struct Gathered {
    bytes: Vec<f64>,
    rules: Vec<f64>,
    names: Vec<f64>,
    patterns: Vec<f64>,
    starred: f64,
    anchored: f64,
    allows: f64,
    /// Bytes that patterns share with the previous one in byte order.
    shared: f64,
    named: HashMap<String, u64>,
    lists: HashSet<List>,
    bodies: usize,
    programs: BTreeMap<u128, usize>,
    frames: [f64; 2],
    texts: [f64; 2],
}

fn of(sites: impl Iterator<Item = (String, u64)>, text: impl Fn(u64) -> Vec<u8>) -> Vec<Measure> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut hosts, mut suffixes) = (Vec::new(), HashMap::new());
    for (host, text) in sites {
        *counts.entry(text).or_default() += 1;
        hosts.push(host.len() as f64);
        *suffixes.entry(hosts::parts(&host).2).or_insert(0u64) += 1;
    }
    let all = hosts.len() as f64;
    let mut gathered = Gathered::default();
    let (mut kinds, mut bytes) = ([0.0; 4], 0.0);
    for (&number, &sites) in &counts {
        let text = text(number);
        let features = Features::of(&text);
        kinds[features.kind as usize] += sites as f64;
        bytes += text.len() as f64 * sites as f64;
        gathered.add(&features, text.len());
    }
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let common = |n: usize| counts.iter().take(n).sum::<u64>() as f64 / all;

    let mut measures = Vec::new();
    let mut put = |name: &str, tolerance: f64, value: f64| {
        measures.push(Measure { name: name.to_owned(), value, tolerance });
    };
    put(SITES, 1.0, all);
    for n in [1_000, 10_000, all as u64] {
        put(&format!("distinct texts among {n} sites"), 1.05, rarefied(&counts, n));
    }
    put("texts of one site", 1.1, counts.iter().filter(|&&count| count == 1).count() as f64);
    put("share of the commonest text", 1.1, common(1));
    put("share of the ten commonest", 1.1, common(10));
    put("share of sites with rules", 1.05, kinds[Text::RULES as usize] / all);
    put("share of sites with text without rules", 1.2, kinds[Text::EMPTY as usize] / all);
    put("share of sites with HTML or binary data", 1.2, (kinds[2] + kinds[3]) / all);
    put("bytes per site", 1.25, bytes / all);
    let mut suffixes: Vec<u64> = suffixes.into_values().collect();
    suffixes.sort_unstable_by(|a, b| b.cmp(a));
    put("bytes of a host, mean", 1.1, mean(&hosts));
    put("bytes of a host, p90", 1.15, quantile(&mut hosts, 0.9));
    put("share of the commonest domain end", 1.05, suffixes[0] as f64 / all);
    put("share of the ten commonest domain ends", 1.05, suffixes.iter().take(10).sum::<u64>() as f64 / all);
    gathered.measures(&mut put);
    measures
}

impl Gathered {
    fn add(&mut self, features: &Features, bytes: usize) {
        let is_rules = features.kind == Text::RULES;
        self.frames[usize::from(is_rules)] += features.document.source.len() as f64;
        self.texts[usize::from(is_rules)] += bytes as f64;
        if !is_rules {
            return;
        }
        self.bytes.push(bytes as f64);
        self.names.push(features.names.len() as f64);
        self.rules.push(features.body.iter().chain(&features.groups).map(Vec::len).sum::<usize>() as f64);
        features.names.iter().for_each(|name| *self.named.entry(name.clone()).or_default() += 1);
        self.bodies += usize::from(features.body.is_some());
        for range in &features.document.programs {
            let code = &features.document.code[range.clone()];
            self.programs.insert(xxhash_rust::xxh3::xxh3_128(code), code.len());
        }
        for list in features.body.iter().chain(&features.groups) {
            if !self.lists.insert(list.clone()) {
                continue;
            }
            let body = features::numbers(list);
            self.allows += f64::from(body.allows);
            self.shared += f64::from(body.shared);
            let mut sorted: Vec<&str> = list.iter().map(|(_, pattern)| pattern.as_str()).collect();
            sorted.sort_unstable();
            sorted.dedup();
            for pattern in &sorted {
                self.patterns.push(pattern.len() as f64);
                self.starred += f64::from(kind(pattern) as u32 & 1);
                self.anchored += f64::from(kind(pattern) as u32 >> 1);
            }
        }
    }

    fn measures(mut self, put: &mut impl FnMut(&str, f64, f64)) {
        let texts = self.bytes.len() as f64;
        put("distinct texts with rules", 1.1, texts);
        for (name, share, tolerance) in
            [("p10", 0.1, 1.5), ("p50", 0.5, 1.2), ("p90", 0.9, 1.2), ("p99", 0.99, 1.3)]
        {
            put(&format!("bytes of a text with rules, {name}"), tolerance, quantile(&mut self.bytes, share));
        }
        put("bytes of a text with rules, mean", 1.25, mean(&self.bytes));
        for (name, share, tolerance) in [("p50", 0.5, 1.25), ("p90", 0.9, 1.25), ("p99", 0.99, 1.3)] {
            put(&format!("rules of a text, {name}"), tolerance, quantile(&mut self.rules, share));
        }
        put("rules of a text, mean", 1.25, mean(&self.rules));
        let naming = self.names.iter().filter(|&&names| names > 0.0).count() as f64;
        put("share of texts that name crawlers", 1.1, naming / texts);
        put("crawlers named in a text, mean", 1.25, mean(&self.names));
        let mut named: Vec<u64> = self.named.into_values().collect();
        named.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = named.iter().sum();
        put("distinct crawlers", 1.5, named.len() as f64);
        put(
            "share of the ten commonest crawlers",
            1.4,
            named.iter().take(10).sum::<u64>() as f64 / all as f64,
        );
        put("distinct lists of rules", 1.15, self.lists.len() as f64);
        let patterns = self.patterns.len() as f64;
        put("patterns of distinct lists", 1.3, patterns);
        put("share of permissions", 1.25, self.allows / patterns);
        put("share of patterns with a star", 1.25, self.starred / patterns);
        put("share of patterns with an anchor", 1.35, self.anchored / patterns);
        for (name, share, tolerance) in [("p10", 0.1, 1.35), ("p50", 0.5, 1.25), ("p90", 0.9, 1.25)] {
            put(&format!("bytes of a pattern, {name}"), tolerance, quantile(&mut self.patterns, share));
        }
        put("bytes of a pattern, mean", 1.2, mean(&self.patterns));
        put("bytes shared with the next pattern, mean", 1.3, self.shared / patterns);
        put("distinct programs", 1.15, self.programs.len() as f64);
        let code: usize = self.programs.values().sum();
        put("bytes of programs by byte of pattern", 1.25, code as f64 / self.patterns.iter().sum::<f64>());
        put("compressed bytes by byte, texts with rules", 1.4, self.frames[1] / self.texts[1]);
        put("compressed bytes by byte, other texts", 1.5, self.frames[0] / self.texts[0]);
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get((values.len() as f64 * share) as usize).copied().unwrap_or(0.0)
}
