//! One stage: compiles a generated corpus to an image.
//!
//! It works like the command: only bounded data is in memory, and the image goes to its file.

use robomaton_benches::generate::{Generator, warc};
use robomaton_corpus::{BatchOptions, Input, Progress, Report, prepare};
use robomaton_formats::layout::Section;
use robomaton_tests::map;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// The results of the stage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Built {
    /// Bytes of all bodies, and of the distinct ones.
    pub(crate) captured: u64,
    pub(crate) distinct: u64,
    /// Distinct bodies.
    pub(crate) texts: u64,
    /// Seconds of reading and decompressing, of compiling (both in parallel), of emitting, and in
    /// total, including writing the file.
    pub(crate) read: f64,
    pub(crate) compile: f64,
    pub(crate) emit: f64,
    pub(crate) total: f64,
    /// Bytes of the file, and of each section.
    pub(crate) image: u64,
    pub(crate) sections: Vec<(String, u64)>,
    /// The peak of resident memory in bytes.
    pub(crate) peak: u64,
}

/// From captures to an image.
fn compile(captures: &Path, image: &Path) -> Result<Report, String> {
    let (inputs, options) = ([Input::Path(captures.to_owned())], BatchOptions::default());
    let prepared = prepare(&inputs, &options, &Progress::default()).map_err(|error| error.to_string())?;
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", image.display());
    let mut out = BufWriter::new(File::create(image).map_err(|error| failed(&error))?);
    let report = prepared.write(&mut out).map_err(|error| failed(&error))?;
    out.flush().map_err(|error| failed(&error))?;
    Ok(report)
}

/// Writes the captures of the first sites.
pub(crate) fn captures(sites: u64, path: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let out = BufWriter::new(File::create(path).map_err(failed)?);
    warc::write(&Generator::shipped(super::SEED)?, sites, out).map_err(failed).map(|_| ())
}

/// The stage, in a process of its own.
pub(crate) fn stage(captures: &Path, image: &Path) -> Result<Built, String> {
    let start = Instant::now();
    let report = compile(captures, image)?;
    let total = start.elapsed().as_secs_f64();
    let peak = super::memory::own("VmHWM").unwrap_or(0);
    let opened = map(image).map_err(|error| error.to_string())?;
    let length = |section: &Section| (section.name().to_owned(), opened.section_bytes(*section) as u64);
    Ok(Built {
        captured: report.captured_bytes,
        distinct: report.distinct_bytes,
        texts: report.distinct_bodies,
        read: report.read_time.as_secs_f64(),
        compile: report.compile_time.as_secs_f64(),
        emit: report.emit_time.as_secs_f64(),
        total,
        image: std::fs::metadata(image).map_err(|error| error.to_string())?.len(),
        sections: Section::ALL.iter().map(length).collect(),
        peak,
    })
}
