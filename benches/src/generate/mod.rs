//! Corpora of any size that resemble a real one: sites and texts on demand, from a seed and their
//! numbers.
//!
//! ```text
//!   corpus ──▶ learn ──▶ data/statistics.json ──▶ Generator ──▶ site(n) = (host, text number), text(number) ──▶ warc
//!                              └── measures: real and generated side by side ──┘
//! ```
//!
//! Nothing is stored: the site with a number is the same in every corpus of a seed, so a corpus of
//! a thousand sites is a prefix of one of ten million, and the repetition of texts follows a law
//! ([`law`]) that was fitted to the real corpus. Invariants: equal statistics and seeds give equal
//! bytes (on machines whose powers and logarithms agree to the last digit); the statistics contain
//! no text of a real site. It does not know what is measured on its corpora.

mod features;
mod hosts;
pub mod law;
pub mod learn;
pub mod measures;
pub mod model;
mod random;
pub mod statistics;
mod text;
pub mod warc;
mod words;

use random::{Purpose, random};
use statistics::Statistics;
use std::ops::Range;

/// Generates sites and texts.
#[derive(Clone, Debug)]
pub struct Generator {
    statistics: Statistics,
    seed: u64,
}

/// A site: its host and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its host; it was fetched over https.
    pub host: String,
    /// The number of its text; sites with the same number have the same text.
    pub text: u64,
}

impl Generator {
    /// A generator; each seed gives another corpus.
    pub fn new(statistics: Statistics, seed: u64) -> Generator {
        Generator { statistics, seed }
    }

    /// The generator with the shipped statistics.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn shipped(seed: u64) -> Result<Generator, String> {
        Ok(Generator::new(Statistics::shipped()?, seed))
    }

    /// Its statistics.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The site with this number.
    pub fn site(&self, number: u64) -> Site {
        let random = &mut random(self.seed, Purpose::Site, number);
        let text = self.statistics.texts.rank(random);
        Site { host: hosts::host(&self.statistics, number, random), text }
    }

    /// Sites in the order of their numbers.
    pub fn sites(&self, numbers: Range<u64>) -> impl Iterator<Item = Site> {
        numbers.map(|number| self.site(number))
    }

    /// The text with this number.
    pub fn text(&self, number: u64) -> Vec<u8> {
        text::text(&self.statistics, self.seed, number)
    }
}
