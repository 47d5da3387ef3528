//! `robomaton merge`: merges images into one.
//!
//! Nothing is compiled again: the newest capture of each site is kept, as if all captures had been
//! compiled together.

use crate::failure::Failure;
use crate::input::{remark_left_out, remark_logged};
use crate::options::{DestinationArgs, LayersArgs, ThreadsArgs};
use crate::output::Out;
use clap::Args;
use robomaton_build::{MergeOptions, Merged, merge_with};
use robomaton_explain::count;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Images to merge, files, directories of shards, or stacks of layers. They must have been
    /// compiled with the same profile, crawlers and limits
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,
    #[command(flatten)]
    destination: DestinationArgs,
    #[command(flatten)]
    layers: LayersArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
The newest capture of a site counts. The order of the images does not matter, nor does an image that is given twice. The \
result is the same as if all captures were compiled together, provided that one image has all captures of a \
site: its pages and other files, and the targets of its redirects and references. What only an older image knows of a \
site does not count. Nor is it said which of two captures of the same second counts, nor which image if both have the same \
capture of the robots.txt and only one of them a newer page or file.

Every image is verified before it is read.

Examples:
  robomaton merge monday.rimg tuesday.rimg -o week.rimg
  robomaton merge crawl.rimg --shards 8 -o crawl.shards";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let LayersArgs { without_damaged_layers } = arguments.layers;
    let options = MergeOptions {
        threads: arguments.threads.threads,
        without_damaged_layers,
        ..MergeOptions::default()
    };
    let merged = merge_with(options, &arguments.images, arguments.destination.open()?)?;
    remark_left_out(&merged.left_out);
    arguments.images.iter().for_each(|image| remark_logged(image));
    let mut out = Out::new();
    if arguments.json {
        out.json(&merged)?;
    } else {
        let Merged { images, sites, image_bytes, seconds, .. } = merged;
        let (images, sites) = (count(images, "image"), count(sites, "site"));
        writeln!(out, "{images} merged: {sites}, {}, in {seconds:.2} s", count(image_bytes, "byte"))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
