//! Random numbers for a thing, from the seed, the purpose and the number of the thing only.
//!
//! So a thing is the same whatever was generated before. It does not know what things are.

use robomaton_tests::generate::Random;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The purposes of random numbers; each has its own sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Site,
    Text,
    Body,
    Several,
    Own,
    Named,
    List,
    Crawler,
}

/// The random numbers for one thing.
pub(super) fn random(seed: u64, purpose: Purpose, number: u64) -> Random {
    Random::new(xxh3_64_with_seed(&number.to_le_bytes(), seed ^ (purpose as u64) << 56))
}

/// A number from 0 to 1, excluding 1.
pub(super) fn fraction(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
