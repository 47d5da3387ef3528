//! `robomaton verify`: checks an image against the rules of its format.
//!
//! The rules are in `formats::verify`; this file reports the violated rule and where.

use crate::failure::Failure;
use crate::input::open_image;
use crate::output::Out;
use clap::Args;
use robomaton_explain::count;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image to verify. The error of a stack names the layer
    image: PathBuf,
    /// Also decompress every text
    #[arg(long)]
    texts: bool,
    /// Print the result as one JSON object: image, ok, sites, bytes, profile, texts
    #[arg(long)]
    json: bool,
}

/// The output of `--json`; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct Verified<'a> {
    image: Cow<'a, str>,
    /// Always true: an image that violates a rule is an error.
    ok: bool,
    sites: usize,
    bytes: usize,
    profile: &'static str,
    /// True if the texts were decompressed.
    texts: bool,
}

const EXAMPLES: &str = "\
Prints `ok: ...`, or reports the violated rule of the format with its byte offset and exits with 2. Everything that \
verdicts and their reasons depend on is checked. Texts are decompressed only with --texts, which takes longer.

Examples:
  robomaton verify crawl.rimg
  robomaton verify --texts crawl.rimg";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.image)?;
    let verified = if arguments.texts { image.verify_with_texts() } else { image.verify() };
    verified.map_err(|error| Failure::of(&arguments.image, error))?;
    let Arguments { image: path, texts, json } = arguments;
    let (sites, bytes, profile) = (image.sites().count(), image.bytes(), image.profile());
    let mut out = Out::new();
    if *json {
        let image = path.to_string_lossy();
        out.json(&Verified { image, ok: true, sites, bytes, profile: profile.name(), texts: *texts })?;
    } else {
        let (sites, bytes) = (count(sites, "site"), count(bytes, "byte"));
        out.buffer().extend_from_slice(b"ok: ");
        out.name(path.as_os_str().as_encoded_bytes());
        writeln!(out, ": {sites}, {bytes}, profile {profile}")?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
