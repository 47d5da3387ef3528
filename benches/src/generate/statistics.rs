//! The statistics of a corpus: one small file of counts, without a line of any site.
//!
//! `learn` computes them, the generators read them; [`Statistics::shipped`] is the file in the
//! repository. *Shapes* are numbers only: how many groups, rules, bytes a text has. Words and
//! crawler names are stored if [`COMMON_TEXTS`] texts or more use them, so that nothing belongs to
//! a single site. Invariant: equal statistics and equal seeds give equal corpora. It does not know
//! how to generate a text.

use super::law::Law;
use super::model::{Body, Measure, Text};
use super::random::fraction;
use robomaton_tests::generate::Random;
use serde::{Deserialize, Serialize};

/// A word, a crawler's name or a domain suffix is stored by name if this many texts, or sites, have
/// it.
pub const COMMON_TEXTS: u64 = 20;
/// Places of words with tables of their own: first in a pattern, after a dot, in a query,
/// elsewhere.
pub const PLACES: usize = 4;
/// Kinds of patterns with forms of their own: by star (1) and anchor (2).
pub const KINDS: usize = 4;

const SHIPPED: &str = include_str!("../../data/statistics.json");

/// The statistics of a corpus.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statistics {
    /// The measures that `check` compares, taken from the corpus itself.
    pub measures: Vec<Measure>,
    /// How often texts are shared, and their shapes by rank.
    pub texts: Shapes<Text>,
    /// Lists of rules for crawlers without groups of their own that many distinct texts have, most
    /// frequent first.
    pub bodies: Vec<Body>,
    /// Lists that several texts have, but not many.
    pub several: Vec<Body>,
    /// Lists of rules for named crawlers, over the groups of distinct texts.
    pub named: Shapes<Body>,
    /// Names of crawlers, by the distinct texts that name them.
    pub crawlers: Table,
    /// Words of patterns, by their place.
    pub words: [Table; PLACES],
    /// Forms of patterns, by kind: `W` is a word, `E` an escape.
    pub forms: [Table; KINDS],
    /// Labels before the registered domain: 0, 1, 2, …
    pub labels: Vec<u64>,
    /// Bytes of the registered label.
    pub label_lengths: Vec<u64>,
    /// Labels before the registered domain, by name.
    pub subdomains: Table,
    /// Suffixes of hosts.
    pub suffixes: Table,
}

impl Statistics {
    /// The statistics in the repository.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn shipped() -> Result<Statistics, String> {
        serde_json::from_str(SHIPPED).map_err(|error| format!("benches/data/statistics.json: {error}"))
    }

    /// The statistics as text, one line per table, so that changes are readable.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn to_text(&self) -> Result<String, String> {
        let value = serde_json::to_value(self).map_err(|error| error.to_string())?;
        let entries = value.as_object().into_iter().flatten();
        let lines: Vec<String> = entries.map(|(key, value)| format!("\"{key}\":{value}")).collect();
        Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
    }
}

/// Names with weights, and the uses of names too rare to store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Table {
    /// Names, most frequent first.
    common: Vec<(String, u64)>,
    /// Uses of all other names.
    rare: u64,
    /// A histogram of the lengths of the other names in bytes: 0, 1, 2, …
    rare_lengths: Vec<u64>,
    /// Cumulative uses of each name.
    sums: Vec<u64>,
}

/// The serialised form of a table.
type Written = (Vec<(String, u64)>, u64, Vec<u64>);

impl From<Written> for Table {
    fn from((common, rare, rare_lengths): Written) -> Table {
        let mut sum = 0;
        let add = |(_, count): &(String, u64)| {
            sum += count;
            sum
        };
        let sums = common.iter().map(add).collect();
        Table { common, rare, rare_lengths, sums }
    }
}

impl From<Table> for Written {
    fn from(table: Table) -> Written {
        (table.common, table.rare, table.rare_lengths)
    }
}

impl Table {
    /// Draws a name.
    ///
    /// # Errors
    /// The length of one that is too rare for the table.
    pub fn draw(&self, random: &mut Random) -> Result<&str, usize> {
        let all = self.sums.last().copied().unwrap_or(0) + self.rare;
        let at = random.below(all.max(1) as usize) as u64;
        match self.common.get(self.sums.partition_point(|&sum| sum <= at)) {
            Some((name, _)) => Ok(name),
            None => Err(histogram(&self.rare_lengths, random)),
        }
    }
}

/// Draws a value of a histogram.
pub(super) fn histogram(counts: &[u64], random: &mut Random) -> usize {
    let mut at = random.below(counts.iter().sum::<u64>().max(1) as usize) as u64;
    let value = counts.iter().position(|&count| {
        let here = at < count;
        at = at.saturating_sub(count);
        here
    });
    value.unwrap_or(0)
}

/// A law, and the shape for each rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shapes<T> {
    /// How often they repeat.
    pub law: Law,
    /// The shapes of the head, in the order of rank.
    pub head: Vec<T>,
    /// A sample of shapes that repeat less often, each with the number that it stands for.
    pub repeated: Vec<(u64, T)>,
    /// A sample of shapes that occur once.
    pub once: Vec<(u64, T)>,
}

impl<T: Copy + Default> Shapes<T> {
    /// Draws a rank.
    pub fn rank(&self, random: &mut Random) -> u64 {
        self.law.rank(fraction(random))
    }

    /// The shape of a rank; `random` must be that of the rank.
    pub fn shape(&self, rank: u64, random: &mut Random) -> T {
        if let Some(shape) = self.head.get(rank as usize) {
            return *shape;
        }
        let sample = if rank < self.law.repeated { &self.repeated } else { &self.once };
        let mut at =
            random.below(sample.iter().map(|(weight, _)| weight).sum::<u64>().max(1) as usize) as u64;
        let found = sample.iter().find(|(weight, _)| {
            let here = at < *weight;
            at = at.saturating_sub(*weight);
            here
        });
        found.map(|(_, shape)| *shape).unwrap_or_default()
    }
}
