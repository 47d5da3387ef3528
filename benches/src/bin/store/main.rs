//! The store on a base of generated sites: puts by durability, puts and questions while it
//! compacts, questions to layers, opening, and what compaction writes and needs.
//!
//! ```text
//!   --sites N ──▶ base ──▶ puts, visible, filling, eviction, meanwhile, questions ──▶ tables
//! ```
//!
//! Captures are generated when they are needed (`generate`). Each measurement has a store of its
//! own below `--folder`, since the file system decides about the syncs. With `--base`, an image is
//! kept for the next run. Times are of the wall clock, so a loaded machine shows. With `--soak`,
//! nothing is measured but answers are checked for a time ([`soak`]).

mod base;
mod compaction;
mod latency;
mod puts;
mod questions;
mod soak;

use base::Base;
use robomaton_benches::generate::Generator;
use robomaton_benches::results::Results;
use robomaton_store::{Capture, Durability, StoreOptions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: store [--sites N] [--puts N] [--base IMAGE] [--only NAME] [--folder DIR] [--json FILE]
       store --soak SECONDS [--folder DIR] [--json FILE]";

pub(crate) type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match *args {
        ["stage-captures", sites] => sites.parse().map_err(|_| USAGE.into()).and_then(base::captures),
        ["stage-compile", image] => base::stage(Path::new(image)),
        ["stage-evict", directory] => compaction::stage(Path::new(directory)),
        _ => run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("store: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &[&str]) -> Result<(), Failure> {
    let (mut sites, mut puts, mut seconds, mut folder) = (100_000, 200_000, None, std::env::temp_dir());
    let (mut image, mut only, mut json) = (None, None, None);
    for pair in args.chunks(2) {
        match *pair {
            ["--sites", value] => sites = value.parse().map_err(|_| USAGE)?,
            ["--puts", value] => puts = value.parse().map_err(|_| USAGE)?,
            ["--soak", value] => seconds = Some(value.parse().map_err(|_| USAGE)?),
            ["--base", value] => image = Some(PathBuf::from(value)),
            ["--only", value] => only = Some(value),
            ["--folder", value] => folder = PathBuf::from(value),
            ["--json", value] => json = Some(PathBuf::from(value)),
            _ => return Err(USAGE.into()),
        }
    }
    let place = tempfile::tempdir_in(&folder)?;
    let place = place.path();
    let mut results = Results::default();
    if let Some(seconds) = seconds {
        results.tables.push(soak::soak(place, seconds)?);
        return Ok(results.deliver(json.as_deref())?);
    }
    let generator = &Generator::shipped(base::SEED)?;
    let base = &Base::new(image.unwrap_or_else(|| place.join("base.rimg")), sites, place)?;
    type Measure<'a> = &'a dyn Fn() -> Result<robomaton_benches::results::Table, Failure>;
    let measures: [(&str, Measure<'_>); 6] = [
        ("puts", &|| puts::puts(generator, base, puts, place)),
        ("visible", &|| puts::visible(generator, base, place)),
        ("filling", &|| compaction::filling(generator, puts, place)),
        ("questions", &|| questions::questions(generator, base, place)),
        ("eviction", &|| compaction::eviction(base, place)),
        ("meanwhile", &|| compaction::meanwhile(generator, base, place)),
    ];
    if only.is_some_and(|only| measures.iter().all(|(name, _)| *name != only)) {
        return Err(USAGE.into());
    }
    for (name, measure) in measures {
        if only.is_none_or(|only| only == name) {
            results.tables.push(measure()?);
        }
    }
    Ok(results.deliver(json.as_deref())?)
}

/// The capture of a site of the generated corpus.
pub(crate) fn capture(generator: &Generator, number: u64, fetched_at: u64) -> Capture {
    let site = generator.site(number);
    Capture {
        url: format!("https://{}/robots.txt", site.host),
        fetched_at,
        status: 200,
        body: generator.text(site.text),
        ..Capture::default()
    }
}

pub(crate) fn options(durability: Durability) -> StoreOptions {
    StoreOptions { durability, ..StoreOptions::default() }
}
