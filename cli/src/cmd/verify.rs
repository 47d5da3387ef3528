//! `robomaton verify`: an image held against the rules of its format.
//!
//! The rules are those of `formats::verify`; this only says which one broke, and where.

use crate::failure::Failure;
use crate::input::open_image;
use crate::output::Out;
use clap::Args;
use robomaton_explain::count;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image to check.
    image: PathBuf,
    /// Decompress every text, too.
    #[arg(long)]
    texts: bool,
}

const EXAMPLES: &str = "\
Prints `ok: ...`, or says which rule of the format is broken at which byte and exits with 2. All that verdicts
and their reasons rest on is checked; that a text decompresses, only with --texts, which takes longer.

Examples:
  robomaton verify crawl.rimg
  robomaton verify --texts crawl.rimg";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.image)?;
    let verified = if arguments.texts { image.verify_with_texts() } else { image.verify() };
    verified.map_err(|error| Failure::of(&arguments.image, error))?;
    let mut out = Out::new();
    let (sites, bytes) = (count(image.sites().count(), "site"), count(image.bytes(), "byte"));
    writeln!(out, "ok: {}: {sites}, {bytes}, profile {}", arguments.image.display(), image.profile())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
