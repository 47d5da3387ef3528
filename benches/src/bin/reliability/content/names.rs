//! Names chosen against the hashes of the code.
//!
//! Where strangers choose keys of hash tables, names that collide under a known key cost no more
//! than any others: all tables have keys that depend on the process or, where bytes must be the
//! same for everyone, on all names. Each family of names collides under one hash with a known key,
//! and is put into every place. Invariant: a place gets as many names of each family, of one
//! length.

use crate::Form;
use robomaton_benches::clock::fastest;
use robomaton_benches::results::Table;
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::SiteKey;
use robomaton_formats::layout::{home_bucket, host_hash};
use robomaton_runtime::{Image, Usage};
use std::fmt::Write as _;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::{Duration, Instant};

/// Names of each family, a multiple of [`OLD_SEEDS`].
const NAMES: usize = 16_000;
/// As many fit into one text.
const OF_TEXT: usize = 8_000;
/// All names have the home bucket 0 in tables of up to so many buckets.
const BUCKETS: usize = 1 << 12;
/// The seeds of the host hash that are tried one after the other if they depend on nothing.
const OLD_SEEDS: usize = 64;
/// How much longer chosen names may take than others.
const RATIO: f64 = 2.0;
/// Further measurements before a ratio above it counts.
const ATTEMPTS: usize = 3;
/// Letters of names: product tokens have no digits.
const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
/// The end of every name. A host needs one.
const SUFFIX: &str = ".example";

/// Names that collide, and what it took to find them.
struct Family {
    name: &'static str,
    names: Vec<String>,
    candidates: u64,
    time: Duration,
}

impl Family {
    fn all() -> Vec<Family> {
        let foldhash = foldhash::fast::FixedState::with_seed(0);
        let sip = BuildHasherDefault::<DefaultHasher>::default();
        let in_low_bits = |hash: u64| (hash as usize).is_multiple_of(BUCKETS);
        let of_host = |name: &str, seed| home_bucket(host_hash(name.as_bytes(), seed), BUCKETS) == 0;
        vec![
            Family::find("none", |_, _| true),
            Family::find("xxh3-64, seed 0", |name, _| of_host(name, 0)),
            // Each seed has its part of the names.
            Family::find("xxh3-64, seeds 0 to 63", |name, found| {
                of_host(name, (found / (NAMES / OLD_SEEDS)) as u64)
            }),
            Family::find("foldhash, seed 0", |name, _| in_low_bits(foldhash.hash_one(name))),
            Family::find("SipHash-1-3, key 0", |name, _| in_low_bits(sip.hash_one(name))),
        ]
    }

    /// The first names that are chosen; the choice also gets the number of those before.
    fn find(name: &'static str, is_chosen: impl Fn(&str, usize) -> bool) -> Family {
        let (start, mut names, mut candidates) = (Instant::now(), Vec::with_capacity(NAMES), 0);
        let mut candidate = String::new();
        while names.len() < NAMES {
            candidate.clear();
            let letter = |place| char::from(LETTERS[(candidates / 26u64.pow(place) % 26) as usize]);
            candidate.extend((0..8).map(letter));
            candidate.push_str(SUFFIX);
            candidates += 1;
            if is_chosen(&candidate, names.len()) {
                names.push(candidate.clone());
            }
        }
        Family { name, names, candidates, time: start.elapsed() }
    }
}

/// A place where strangers choose names: what its hash depends on, and the work with the names.
type Place = (&'static str, &'static str, fn(&[String]) -> Result<(), String>);

const PLACES: [Place; 7] = [
    ("hosts of an image", "xxh3-64, all names", hosts),
    ("hosts of captures", "foldhash and xxh3-128, process", captures),
    ("crawlers", "foldhash, process", |names| text(names, "User-agent: {}\nDisallow: /{}\n")),
    ("crawlers of ACAP", "SipHash-1-3, process", |names| {
        text(names, "ACAP-crawler: {}\nACAP-allow-index: /{}\n")
    }),
    ("keys", "SipHash-1-3, process", |names| text(names, "{}: {}\n")),
    ("keys of Content-Usage", "SipHash-1-3, process", |names| {
        let keys: Vec<String> = names.iter().take(OF_TEXT).map(|name| format!("{name}=y")).collect();
        text(&[keys.join(", ")], "User-agent: *\nContent-Usage: {}\n")
    }),
    ("values of ACAP", "SipHash-1-3, process", |names| text(names, "ACAP-resource-set: {} /{}\n")),
];

/// Puts every family into every place; adds the places where one takes longer than others.
pub(crate) fn measure(form: Form, broken: &mut Vec<String>) -> Result<Table, String> {
    let rounds = super::rounds(form).max(3);
    let families = Family::all();
    for Family { name, candidates, time, .. } in &families {
        eprintln!("names against {name}: {candidates} candidates, {time:.1?}");
    }
    let mut table = Table::new("names", &["place:", "hash and its key:", "other names, ms", "worst ratio:"]);
    for (place, hash, work) in PLACES {
        let time = |family: &Family| {
            let mut result = Ok(());
            let time = fastest(rounds, || result = work(&family.names)).as_secs_f64() * 1e3;
            result.map(|()| time).map_err(|what| format!("{place}, {}: {what}", family.name))
        };
        let (none, chosen) = families.split_first().ok_or("no names")?;
        let others = time(none)?;
        let mut worst = (0.0, "");
        for family in chosen {
            let mut ratio = time(family)? / others;
            // Another process may have disturbed one of the two.
            for _ in 0..ATTEMPTS {
                if ratio > RATIO {
                    ratio = ratio.min(time(family)? / time(none)?);
                }
            }
            if ratio > worst.0 {
                worst = (ratio, family.name);
            }
        }
        let (ratio, against) = worst;
        if ratio > RATIO {
            broken.push(format!("{place}: names against {against} take {ratio:.1} times as long"));
        }
        let row =
            [place.to_owned(), hash.to_owned(), format!("{others:.1}"), format!("{ratio:.2} ({against})")];
        table.row(row.to_vec());
    }
    Ok(table)
}

/// Makes an image of sites with these names, and looks each of them up.
fn hosts(names: &[String]) -> Result<(), String> {
    let options = Options::default();
    let document = compile(b"User-agent: *\nDisallow: /a\n", None, &options);
    let site = |name: &String| SiteKey::from_host(name).map_err(|error| error.to_string());
    let entries: Result<Vec<_>, String> =
        names.iter().map(|name| Ok(Entry::fetched(site(name)?, &document))).collect();
    let bytes = emit(entries?, &options).map_err(|error| error.to_string())?;
    find_all(&bytes, names)
}

/// Compiles captures of these hosts.
fn captures(names: &[String]) -> Result<(), String> {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().map_err(|error| error.to_string())?;
    let row = |name| {
        format!("{{\"url\":\"https://{name}/robots.txt\",\"body\":\"User-agent: {name}\\nDisallow: /a\"}}\n")
    };
    let rows: String = names.iter().map(row).collect();
    std::io::Write::write_all(&mut file, rows.as_bytes()).map_err(|error| error.to_string())?;
    let options = BatchOptions { threads: 1, ..BatchOptions::default() };
    let inputs = [Input::Path(file.path().to_owned())];
    let built = build(&inputs, &options, &Progress::default()).map_err(|error| error.to_string())?;
    find_all(&built.image, names)
}

/// Verifies an image, and finds every name in it.
fn find_all(bytes: &[u8], names: &[String]) -> Result<(), String> {
    let image = Image::from_bytes(bytes).map_err(|error| error.to_string())?;
    image.verify().map_err(|error| error.to_string())?;
    let crawler = image.crawler(["bot"]);
    for name in names {
        let url = format!("https://{name}/a");
        if image.site(&url).is_none() {
            return Err(format!("{url} is not found"));
        }
        std::hint::black_box(image.decide(&crawler, Usage::CRAWL, &url).decision());
    }
    Ok(())
}

/// Compiles a text that repeats lines with each name in place of `{}`.
fn text(names: &[String], lines: &str) -> Result<(), String> {
    let mut text = String::new();
    for name in names.iter().take(OF_TEXT) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}", lines.replace("{}", name.trim_end_matches(SUFFIX)));
    }
    let document = compile(text.as_bytes(), None, &Options::default());
    match document.over_limit {
        Some(over) => Err(over.to_string()),
        None => {
            std::hint::black_box(document);
            Ok(())
        }
    }
}
