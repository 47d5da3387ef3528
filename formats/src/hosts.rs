//! Where sites stand in the host table (SPEC.md section 4).
//!
//! The writer's half of the look-up: every site goes into the first bucket from its home that has
//! room, four fifths of all places are taken. Fuller costs more than it saves: at nine tenths a
//! host that is absent reads 2.4 buckets, not 1.2, for 0.8 bytes a site. Depends on names and their
//! order alone; it does not know what a site says.

use crate::error::ImageError;
use crate::layout::*;
use zerocopy::FromZeros;

/// Seeds that are tried. An adversary who picks hosts that collide under one meets the next.
const SEEDS: u64 = 64;

/// The places of sites, by their numbers in the order of the keys.
pub(crate) struct Table {
    /// Of the host hash.
    pub(crate) seed: u64,
    /// Fingerprints and overflow alone; the rest is zero.
    buckets: Vec<Bucket>,
    /// For each place the number of its site.
    numbers: Vec<u32>,
}

impl Table {
    /// Places the sites of these names under the first seed that displaces none too far.
    pub(crate) fn of(names: &[&str]) -> Result<Table, ImageError> {
        let count = (5 * names.len()).div_ceil(4 * BUCKET_SITES);
        if u32::try_from(count * BUCKET_SITES).is_err() {
            return Err(ImageError::TooLarge("2³² places of sites"));
        }
        (0..SEEDS)
            .find_map(|seed| Table::under(seed, names, count))
            .ok_or(ImageError::TooLarge("host names collide under every seed"))
    }

    fn under(seed: u64, names: &[&str], count: usize) -> Option<Table> {
        let mut table = Table {
            seed,
            buckets: vec![Bucket::new_zeroed(); count],
            numbers: vec![0; count * BUCKET_SITES],
        };
        for (number, name) in (0..).zip(names) {
            let hash = host_hash(name.as_bytes(), seed);
            let home = home_bucket(hash, count);
            let mut probes = (0..MAX_PROBE.min(count)).map(|probe| (home + probe) % count);
            let (at, place) = probes.find_map(|at| {
                let bucket = &mut table.buckets[at];
                let place = bucket.fingerprints.iter().position(|&fingerprint| fingerprint == 0);
                if place.is_none() {
                    bucket.overflow |= overflow_bit(hash);
                }
                Some((at, place?))
            })?;
            table.buckets[at].fingerprints[place] = fingerprint(hash);
            table.numbers[at * BUCKET_SITES + place] = number;
        }
        Some(table)
    }

    /// The buckets, each with the numbers of its sites in the order of their places.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (Bucket, &[u32])> {
        let numbers = self.numbers.chunks_exact(BUCKET_SITES);
        self.buckets.iter().zip(numbers).map(|(bucket, numbers)| (*bucket, &numbers[..bucket.sites()]))
    }
}
