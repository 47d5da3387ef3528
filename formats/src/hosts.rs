//! The positions of sites in the host table (SPEC.md section 4).
//!
//! This is the writer's half of the look-up: each site goes into the first of its buckets
//! ([`probes`]) with room for its entry and name. The number of buckets is prime, so that the steps
//! between them lead through the whole table. The positions depend only on names and their order.
//! This file does not know any site's rules.

use crate::error::ImageError;
use crate::int::byte;
use crate::layout::*;
use xxhash_rust::xxh3::Xxh3;
use zerocopy::FromZeros;

/// The number of seeds to try with one number of buckets.
const SEEDS: u64 = 64;

/// The number of times that the table grows, by a half each time, if no seed serves.
const GROWTHS: usize = 16;

/// The share of the bytes for entries and names that is used, in percent. A fuller table costs more
/// than it saves (RESULTS.md, "Host table and short way").
const FILL: usize = 80;

/// The share of the places that is used at most, in percent. Only names of two or three characters
/// take up so little room that places are short, not bytes.
const PLACES_FILL: usize = 90;

/// The places of the host table, with sites numbered in the order of their keys.
pub(crate) struct Table {
    /// The seed of the host hash.
    pub(crate) seed: u64,
    buckets: Vec<Places>,
}

/// The places of one bucket.
#[derive(Clone)]
struct Places {
    /// Fingerprints and overflow byte only; the rest is zero.
    bucket: Bucket,
    /// The numbers of its sites.
    numbers: [u32; BUCKET_SITES],
    /// The bytes that are left for entries and names.
    left: u8,
}

impl Places {
    /// Takes the next place for a site, if there is one and room for its entry and name. Marks the
    /// bucket as full otherwise.
    fn take(&mut self, number: u32, hash: u64, room: usize) -> Option<()> {
        let place = self.bucket.sites();
        let places = self.bucket.fingerprints.get_mut(place).zip(self.numbers.get_mut(place));
        let left = u8::try_from(room).ok().and_then(|room| self.left.checked_sub(room));
        let Some(((print, slot), left)) = places.zip(left) else {
            self.bucket.overflow |= overflow_bit(hash);
            return None;
        };
        (*print, *slot, self.left) = (fingerprint(hash), number, left);
        Some(())
    }
}

impl Table {
    /// Places sites, each given by its name and the number of bytes that it takes up in a bucket,
    /// under the first seed that keeps every site near its home, in the smallest table that has
    /// one.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] for 2³² places, or names that collide in every table: equal ones.
    pub(crate) fn of<'n>(sites: impl Iterator<Item = (&'n str, usize)> + Clone) -> Result<Table, ImageError> {
        let (number, rooms) =
            sites.clone().fold((0_usize, 0_usize), |(number, rooms), (_, room)| (number + 1, rooms + room));
        let of_bytes = (100 * rooms).div_ceil(FILL * BUCKET_BODY);
        let mut count = next_prime(of_bytes.max((100 * number).div_ceil(PLACES_FILL * BUCKET_SITES)));
        for _ in 0..=GROWTHS {
            if u32::try_from(count * BUCKET_SITES).is_err() {
                return Err(ImageError::TooLarge("2³² places of sites"));
            }
            let mut seeds = seeds(sites.clone().map(|(name, _)| name));
            if let Some(table) = seeds.find_map(|seed| Table::under(seed, sites.clone(), count)) {
                return Ok(table);
            }
            count = next_prime(count + count.div_ceil(2));
        }
        Err(ImageError::TooLarge("host names collide in every table"))
    }

    fn under<'n>(seed: u64, sites: impl Iterator<Item = (&'n str, usize)>, count: usize) -> Option<Table> {
        let left = byte(BUCKET_BODY);
        let empty = Places { bucket: Bucket::new_zeroed(), numbers: [0; BUCKET_SITES], left };
        let mut buckets = vec![empty; count];
        for (number, (name, room)) in (0..).zip(sites) {
            let hash = host_hash(name.as_bytes(), seed);
            probes(hash, count).find_map(|at| buckets.get_mut(at)?.take(number, hash, room))?;
        }
        Some(Table { seed, buckets })
    }

    /// The buckets, each with the numbers of its sites in the order of places.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (Bucket, &[u32])> {
        self.buckets.iter().map(|Places { bucket, numbers, .. }| {
            (*bucket, numbers.get(..bucket.sites()).unwrap_or_default())
        })
    }
}

/// The seeds to try: 0, and others that depend on all names. Whoever chooses the names of some
/// sites can make them collide under a seed that is known, but every other site changes the seeds
/// after the first.
fn seeds<'n>(names: impl Iterator<Item = &'n str>) -> impl Iterator<Item = u64> {
    let all = std::cell::LazyCell::new(move || {
        let mut hash = Xxh3::new();
        // No name contains a line end.
        names.for_each(|name| [name.as_bytes(), b"\n"].iter().for_each(|part| hash.update(part)));
        hash.digest()
    });
    (0..SEEDS).map(move |number| if number == 0 { 0 } else { host_hash(&number.to_le_bytes(), *all) })
}

/// The least prime number that is not less than this one; of 0, 0.
fn next_prime(least: usize) -> usize {
    let is_prime = |&number: &usize| {
        (2..).take_while(|divisor| divisor * divisor <= number).all(|divisor| !number.is_multiple_of(divisor))
    };
    if least < 2 { least } else { (least..).find(is_prime).unwrap_or(least) }
}

#[cfg(test)]
mod tests {
    use super::{Table, home_bucket, host_hash, next_prime, seeds};
    use crate::error::ImageError;

    /// Names whose home is the first bucket of any small table under seed 0: more than have room
    /// near it.
    fn colliding() -> Vec<String> {
        let names = (0..).map(|number| format!("{number}.example"));
        names.filter(|name| home_bucket(host_hash(name.as_bytes(), 0), 1 << 10) == 0).take(600).collect()
    }

    #[test]
    fn chosen_names_cannot_prevent_an_image() {
        let names = colliding();
        let sites = || names.iter().map(|name| (name.as_str(), 20));
        let table = Table::of(sites()).expect("another seed");
        assert_ne!(table.seed, 0);
        // One more site changes all seeds but the first.
        let more = || names.iter().map(String::as_str).chain(["one.more"]);
        let (own, beside): (Vec<_>, Vec<_>) =
            (seeds(sites().map(|(name, _)| name)).collect(), seeds(more()).collect());
        assert_eq!((own.len(), own[0], beside[0]), (64, 0, 0));
        assert!(own[1..].iter().all(|seed| !beside.contains(seed)));
        // Equal names are the only ones that collide everywhere.
        let equal = Table::of((0..600).map(|_| ("a.example", 20)));
        assert!(matches!(equal, Err(ImageError::TooLarge(_))));
    }

    /// Names of any length find places, and the table grows where they do not.
    #[test]
    fn every_number_of_names_finds_places() {
        for room in [5, 8, 11, 14, 20, 60, 115] {
            for number in (0..300).chain([1000, 5000]) {
                let names: Vec<String> = (0..number).map(|number| format!("{number:x}.x")).collect();
                let table = Table::of(names.iter().map(|name| (name.as_str(), room)));
                let table = table.unwrap_or_else(|error| panic!("{number} of {room}: {error}"));
                let placed: usize = table.buckets().map(|(_, numbers)| numbers.len()).sum();
                assert_eq!(placed, number);
            }
        }
        // One site fits in each bucket, and the first table is too small for all.
        let large: Vec<String> = (0..200).map(|number| format!("{number}.example")).collect();
        let table = Table::of(large.iter().map(|name| (name.as_str(), 90))).expect("a larger table");
        assert!(table.buckets.len() >= 200, "{}", table.buckets.len());
    }

    #[test]
    fn primes() {
        let found = [0, 1, 2, 3, 4, 8, 9, 24, 90, 65_535, 1 << 20].map(next_prime);
        assert_eq!(found, [0, 1, 2, 3, 5, 11, 11, 29, 97, 65_537, 1_048_583]);
    }
}
