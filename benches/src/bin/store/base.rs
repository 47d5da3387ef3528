//! The base of all measurements: generated sites, compiled once, in a store of their own.
//!
//! ```text
//!   stage-captures ──pipe──▶ stage-compile ──▶ image ──seed──▶ store
//! ```
//!
//! The captures are never on disk: those of ten million sites are 28 GB. Each further store has the
//! layer under a second name (a hard link), so the disk holds one base. Nothing writes into a
//! layer, so that is as good as a copy.

use super::{Failure, options};
use robomaton_benches::generate::{Generator, warc};
use robomaton_corpus::{BatchOptions, Input, Progress, prepare};
use robomaton_runtime::Manifest;
use robomaton_store::{Durability, Store};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The seed of the corpus.
pub(crate) const SEED: u64 = 1;
/// The time before which captures are evicted: half of the base is older.
pub(crate) const OLDEST: u64 = 1_767_225_600 + 86_400;

/// A base.
pub(crate) struct Base {
    /// Its image.
    pub(crate) image: PathBuf,
    pub(crate) sites: u64,
    pub(crate) bytes: u64,
    pub(crate) seeding: Duration,
}

impl Base {
    /// Compiles the first sites of the corpus, unless the image is there, and seeds a store.
    pub(crate) fn new(image: PathBuf, sites: u64, place: &Path) -> Result<Base, Failure> {
        if !image.is_file() {
            compile(&image, sites)?;
        }
        let bytes = fs::metadata(&image)?.len();
        let directory = place.join("seeded");
        let store = Store::open(&directory, options(Durability::Each))?;
        let start = Instant::now();
        store.seed(std::slice::from_ref(&image))?;
        let seeding = start.elapsed();
        drop(store);
        fs::remove_dir_all(&directory)?;
        Ok(Base { image, sites, bytes, seeding })
    }

    /// A directory of a store of this base alone.
    pub(crate) fn store(&self, directory: PathBuf) -> Result<PathBuf, Failure> {
        fs::create_dir(&directory)?;
        let layer = "1.rimg";
        fs::hard_link(&self.image, directory.join(layer))?;
        let manifest = Manifest { generation: 1, layers: vec![layer.to_owned()] };
        fs::write(Manifest::path(&directory), manifest.to_string())?;
        Ok(directory)
    }
}

/// Runs both stages, connected by a pipe.
fn compile(image: &Path, sites: u64) -> Result<(), Failure> {
    eprintln!("compiling {sites} sites");
    let own = std::env::current_exe()?;
    let mut captures =
        Command::new(&own).args(["stage-captures", &sites.to_string()]).stdout(Stdio::piped()).spawn()?;
    let pipe = captures.stdout.take().ok_or("a process without output")?;
    let compiled = Command::new(own).arg("stage-compile").arg(image).stdin(pipe).status()?;
    if !(captures.wait()?.success() && compiled.success()) {
        return Err("the base could not be compiled".into());
    }
    Ok(())
}

/// Writes the captures of the first sites to the output.
pub(crate) fn captures(sites: u64) -> Result<(), Failure> {
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    Ok(warc::write_plain(&Generator::shipped(SEED)?, sites, out)?)
}

/// Compiles the captures of the input.
pub(crate) fn stage(image: &Path) -> Result<(), Failure> {
    let scratch = image.parent().map(Path::to_owned);
    let options = BatchOptions { scratch, ..BatchOptions::default() };
    let prepared = prepare(&[Input::Stdin], &options, &Progress::default())?;
    let unfinished = image.with_extension("part");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&unfinished)?);
    prepared.write(&mut out)?;
    out.flush()?;
    Ok(fs::rename(unfinished, image)?)
}
