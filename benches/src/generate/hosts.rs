//! Host names: with the lengths, depths and domain suffixes of real ones, one for each number.
//!
//! The registered label ends with the site's number, so no two sites share a name; syllables before
//! it fill up the desired length. It does not know the texts of sites.

use super::statistics::{Statistics, histogram};
use super::words::syllables;
use robomaton_tests::generate::Random;

/// Bytes of a site's number: enough for 36⁵ sites, some 60 million.
const NUMBER: u32 = 5;
/// Second labels that belong to the suffix if the last label is that of a country.
const SECOND: [&str; 12] = ["ac", "co", "com", "edu", "go", "gov", "gob", "ltd", "ne", "net", "or", "org"];

/// A host's labels: those before the registered one, that one, and the suffix.
pub(super) fn parts(host: &str) -> (Vec<&str>, &str, String) {
    let mut labels: Vec<&str> = host.split(':').next().unwrap_or_default().split('.').collect();
    let mut suffix = labels.pop().unwrap_or_default().to_owned();
    if labels.len() > 1 && suffix.len() == 2 && labels.last().is_some_and(|second| SECOND.contains(second)) {
        suffix = format!("{}.{suffix}", labels.pop().unwrap_or_default());
    }
    let registered = labels.pop().unwrap_or_default();
    (labels, registered, suffix)
}

/// The host of a site.
pub(super) fn host(statistics: &Statistics, number: u64, random: &mut Random) -> String {
    let mut host = String::new();
    for _ in 0..histogram(&statistics.labels, random) {
        match statistics.subdomains.draw(random) {
            Ok(label) => host.push_str(label),
            Err(bytes) => syllables(bytes.max(1), random, &mut host),
        }
        host.push('.');
    }
    let length = histogram(&statistics.label_lengths, random).min(63);
    syllables(length.saturating_sub(NUMBER as usize), random, &mut host);
    let digit = |place: u32| {
        char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number / 36u64.pow(place) % 36) as usize])
    };
    host.extend((0..NUMBER).rev().map(digit));
    host.push('.');
    host.push_str(statistics.suffixes.draw(random).unwrap_or("example"));
    host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_come_apart() {
        assert_eq!(parts("www.example.co.uk:8080"), (vec!["www"], "example", "co.uk".to_owned()));
        assert_eq!(parts("example.com"), (vec![], "example", "com".to_owned()));
        assert_eq!(parts("co.uk"), (vec![], "co", "uk".to_owned()));
    }
}
