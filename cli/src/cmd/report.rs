//! `robomaton report`: one page with pictures and tables of an image, and a search for a site.
//!
//! The page is `robomaton_report`'s; this file says where it goes and how far it is.

use crate::bar;
use crate::failure::Failure;
use crate::input::open_image;
use clap::Args;
use indicatif::ProgressBar;
use robomaton_explain::options_of;
use robomaton_jobs::Target;
use robomaton_report::{Options, SITES, report};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image.
    image: PathBuf,
    /// The page to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Sites whose policies the page holds, for its search. Of more, those are taken whose records are the longest.
    #[arg(long, value_name = "N", default_value_t = SITES)]
    sites: usize,
}

const EXAMPLES: &str = "\
The page is one HTML file that loads nothing. Its pictures count all sites: how much of them well-known crawlers may \
crawl, outcomes, rules, sizes, wildcards, the most named crawlers and the remarks of lint, each with a table behind it. \
Sizes and remarks need the texts, which an image compiled with --no-sources does not hold.

Examples:
  robomaton report crawl.rimg -o report.html
  robomaton report crawl.rimg -o report.html --sites 1000

A link to one site: report.html#site=https%3A%2F%2Fexample.com, or #site=example.com";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.image)?;
    let target = Target::open(&arguments.output, "--output names the page")?;
    let options = Options { compiled: options_of(&image), sites: arguments.sites };
    let done = AtomicU64::new(0);
    let look = |bar: &ProgressBar| bar.set_position(done.load(Ordering::Relaxed));
    let shape = "{elapsed_precise} [{wide_bar}] {human_pos} of {human_len} sites";
    let made = bar::with_bar(Some(image.len() as u64), shape, look, || report(&image, &options, &done));
    let html = made.map_err(Failure::from_error)?.html;
    target.file().write_all(html.as_bytes()).map_err(|error| target.failed(error))?;
    target.finish()?;
    Ok(ExitCode::SUCCESS)
}
