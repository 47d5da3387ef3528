//! `robomaton merge`: images in, one image out.
//!
//! Nothing is compiled again: the newest capture of each site counts, as if all had been compiled together.

use crate::destination::{Destination, DestinationArgs};
use crate::failure::Failure;
use crate::input::open_image;
use crate::output::Out;
use clap::Args;
use robomaton_compiler::{Merge, MergeError};
use robomaton_corpus::scratch;
use robomaton_explain::count;
use robomaton_runtime::Image;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The images, files or directories of shards. They must have been compiled alike: same profile, crawlers and limits.
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,
    #[command(flatten)]
    destination: DestinationArgs,
    /// Print the summary as one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Of several captures of a site the newest counts. The order of the images does not matter, nor does one that is given \
twice. The result is the image that all their captures give when they are compiled together, if what redirects and \
references lead to was captured into the same image as the site.

Every image is verified before it is read.

Examples:
  robomaton merge monday.rimg tuesday.rimg -o week.rimg
  robomaton merge crawl.rimg --shards 8 -o crawl.shards";

/// What came of it; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct Summary {
    images: usize,
    sites: usize,
    image_bytes: usize,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let destination = Destination::open(&arguments.destination)?;
    let mut images = Vec::with_capacity(arguments.images.len());
    for path in &arguments.images {
        let image = open_image(path)?;
        image.verify().map_err(|error| Failure::of(path, error))?;
        images.push(image);
    }
    // Errors name files by their numbers; a shard has that of its image.
    let files: Vec<(usize, Image<&[u8]>)> = (0..)
        .zip(&images)
        .flat_map(|(number, image)| image.shards().map(move |shard| (number, shard)))
        .collect();
    let views: Vec<_> = files.iter().map(|(_, shard)| shard.view()).collect();
    let named = |error: MergeError| match error {
        MergeError::Unlike { image, what } => {
            let what = format!("was compiled with another {what} than {}", arguments.images[0].display());
            Failure::of(&arguments.images[files[image].0], what)
        }
        MergeError::Damaged { image } => Failure::of(&arguments.images[files[image].0], "is damaged"),
        MergeError::Nothing => Failure::from_error(error),
    };
    let merge = Merge::new(&views).map_err(named)?;
    let shards = destination.shards();
    for number in 0..shards.get() {
        let spool = || scratch(destination.room());
        let write = |out: &mut dyn Write| merge.write((number, shards.get() - 1), spool, out);
        destination.write(number, Box::new(write)).map_err(|error| destination.failed(error))?;
    }
    let image = destination.image()?;
    let summary = Summary {
        images: arguments.images.len(),
        sites: image.sites().count(),
        image_bytes: image.bytes(),
        seconds: start.elapsed().as_secs_f64(),
    };
    drop(image);
    destination.finish()?;
    let mut out = Out::new();
    if arguments.json {
        out.json(&summary)?;
    } else {
        let Summary { images, sites, image_bytes, seconds } = summary;
        let (images, sites) = (count(images, "image"), count(sites, "site"));
        writeln!(out, "{images} merged: {sites}, {}, in {seconds:.2} s", count(image_bytes, "byte"))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
