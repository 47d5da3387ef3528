//! How many sites share a text: a law of ranks, fitted to counts and sampled at random.
//!
//! ```text
//!   rank     0 ........ head ......................... ∞
//!   chance   as counted | mass × ((1 + k / offset)^-exponent - (1 + (k + 1) / offset)^-exponent), k = rank - head
//! ```
//!
//! Things that occur at least [`COMMON`] times keep their counted frequency; rarer ones follow a
//! Pareto law whose two parameters are fitted so that subsamples of the corpus contain as many
//! distinct things as expected. Sampling needs no memory of earlier samples: ten million ranks may
//! be drawn in any order. The same law is used for texts, for rule lists, and for everything else
//! that repeats. It does not know what it is a law of.

use serde::{Deserialize, Serialize};

/// The number of occurrences from which a frequency is taken as counted.
pub const COMMON: u64 = 10;
/// From this rank on, the formula lacks the precision to distinguish ranks: each occurs once.
const ONCE: f64 = 9e15;

/// A law of ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// All occurrences that were counted.
    pub total: u64,
    /// Distinct things among them.
    pub distinct: u64,
    /// Things that occurred at least twice.
    pub repeated: u64,
    /// The occurrences of each thing that occurred at least [`COMMON`] times, descending.
    pub head: Vec<u64>,
    /// The rank at which the law of the tail bends.
    pub offset: f64,
    /// The steepness of the tail.
    pub exponent: f64,
}

impl Law {
    /// Fits a law to the occurrences of each distinct thing.
    pub fn fit(mut counts: Vec<u64>) -> Law {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let at_least = |least: u64| counts.partition_point(|&count| count >= least);
        let mut law = Law {
            total: counts.iter().sum(),
            distinct: counts.len() as u64,
            repeated: at_least(2) as u64,
            head: counts[..at_least(COMMON)].to_vec(),
            offset: 1.0,
            exponent: 1.0,
        };
        let sizes: Vec<u64> =
            (1..).map(|n| law.total >> (2 * n)).take_while(|&n| n > 50).chain([law.total]).collect();
        let seen: Vec<(u64, f64)> = sizes.into_iter().map(|n| (n, rarefied(&counts, n))).collect();
        let error = |law: &Law| -> f64 {
            seen.iter().map(|&(n, distinct)| (law.expected(n) / distinct).ln().powi(2)).sum()
        };
        // A grid over both logarithms, refined around the best point.
        let (mut offset, mut exponent, mut width) = (6.0f64, -1.0f64, (8.0, 3.0));
        for _ in 0..6 {
            let (middle, mut best) = ((offset, exponent), f64::INFINITY);
            for (x, y) in (-8..=8).flat_map(|x| (-8..=8).map(move |y| (f64::from(x), f64::from(y)))) {
                let (o, e) = (middle.0 + x * width.0 / 8.0, middle.1 + y * width.1 / 8.0);
                (law.offset, law.exponent) = (o.exp(), e.exp());
                let here = error(&law);
                if here < best {
                    (best, offset, exponent) = (here, o, e);
                }
            }
            width = (width.0 / 4.0, width.1 / 4.0);
        }
        (law.offset, law.exponent) = (offset.exp(), exponent.exp());
        law
    }

    /// The share of common things.
    fn head_mass(&self) -> f64 {
        self.head.iter().sum::<u64>() as f64 / self.total.max(1) as f64
    }

    /// The expected number of distinct things among `n` occurrences.
    pub fn expected(&self, n: u64) -> f64 {
        let chance = |count: u64| count as f64 / self.total as f64;
        let head: f64 = self.head.iter().map(|&count| 1.0 - (1.0 - chance(count)).powf(n as f64)).sum();
        // The tail as an integral over t = 1 + k / offset, in steps of ln t; the far end, where
        // nothing repeats, in closed form.
        let mass = 1.0 - self.head_mass();
        let met = n as f64 * mass;
        let dense = met * self.exponent / self.offset;
        let step = 0.05;
        let far = ((dense * 1e4).ln() / (self.exponent + 1.0)).max(1.0);
        let steps = (far / step).ceil();
        let near: f64 = (0..steps as u64)
            .map(|at| {
                let t = ((at as f64 + 0.5) * step).exp();
                -(-dense * t.powf(-self.exponent - 1.0)).exp_m1() * t
            })
            .sum();
        head + self.offset * near * step + met * (steps * step * -self.exponent).exp()
    }

    /// The rank for a number from 0 to 1.
    pub fn rank(&self, at: f64) -> u64 {
        let head_mass = self.head_mass();
        if at < head_mass {
            let mut left = at * self.total as f64;
            let rank = self.head.iter().position(|&count| {
                left -= count as f64;
                left < 0.0
            });
            return rank.unwrap_or(self.head.len()) as u64;
        }
        let share = (at - head_mass) / (1.0 - head_mass);
        let rank = self.offset * ((1.0 - share).powf(-1.0 / self.exponent) - 1.0);
        if rank < ONCE { self.head.len() as u64 + rank as u64 } else { at.to_bits() }
    }
}

/// The expected number of distinct things among `n` occurrences drawn from these without
/// replacement.
pub fn rarefied(counts: &[u64], n: u64) -> f64 {
    let total: u64 = counts.iter().sum();
    if n >= total {
        return counts.len() as f64;
    }
    // The probability of missing one that occurs `count` times: the product of (total - n - i) /
    // (total - i).
    let missed = |count: u64| -> f64 {
        (0..count.min(total)).map(|i| (total - n).saturating_sub(i) as f64 / (total - i) as f64).product()
    };
    counts.iter().map(|&count| 1.0 - missed(count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random::fraction;
    use robomaton_tests::generate::Random;

    #[test]
    fn what_was_drawn_is_as_varied_as_expected() {
        let law = Law { total: 100, head: vec![30, 10], offset: 50.0, exponent: 0.5, ..Law::default() };
        let mut random = Random::new(3);
        for n in [1_000u64, 50_000] {
            let mut ranks: Vec<u64> = (0..n).map(|_| law.rank(fraction(&mut random))).collect();
            ranks.sort_unstable();
            let common = ranks.iter().filter(|&&rank| rank == 0).count() as f64;
            ranks.dedup();
            let ratio = ranks.len() as f64 / law.expected(n);
            assert!((0.9..1.1).contains(&ratio), "{n}: {} against {}", ranks.len(), law.expected(n));
            assert!((common / n as f64 - 0.3).abs() < 0.05, "{common} of {n}");
        }
    }

    #[test]
    fn a_law_is_found_again() {
        let law = Law { total: 100, head: vec![30, 10], offset: 200.0, exponent: 0.4, ..Law::default() };
        let mut random = Random::new(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..40_000 {
            *counts.entry(law.rank(fraction(&mut random))).or_insert(0u64) += 1;
        }
        let fitted = Law::fit(counts.into_values().collect());
        for n in [1_000, 40_000, 1_000_000] {
            let ratio = fitted.expected(n) / law.expected(n);
            assert!((0.9..1.1).contains(&ratio), "{n}: {ratio}");
        }
    }
}
