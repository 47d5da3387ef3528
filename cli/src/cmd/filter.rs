//! `robomaton filter`: URLs in, those out that a crawler may fetch.
//!
//! `query` with one bit of answer: URLs go out as they came in, in order, without the white space
//! around them; empty lines are left out. A condition is not a plain permission, and a permission that a missing file
//! might take back is none: both count as refusals.

use crate::ask::{Asker, Line};
use crate::failure::Failure;
use crate::input::{Chunks, open_image};
use crate::options::{AskerArgs, Permission, TermsArgs};
use crate::output::Out;
use clap::Args;
use robomaton_runtime::Decision;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// The image to ask.
    image: PathBuf,
    #[command(flatten)]
    asker: AskerArgs,
    /// Print the URLs that are not allowed instead.
    #[arg(short = 'v', long)]
    invert: bool,
    /// What to make of URLs that the image does not know about.
    #[arg(long, value_name = "PERMISSION", default_value = "deny")]
    unknown: Permission,
    #[command(flatten)]
    terms: TermsArgs,
}

const EXAMPLES: &str = "\
Reads URLs from standard input, one a line. Lines that are no URL are unknown; what is conditional or incomplete is not allowed.

Examples:
  robomaton filter crawl.rimg --agent mybot <urls.txt >allowed.txt
  robomaton filter crawl.rimg --agent mybot -v <urls.txt >refused.txt
  robomaton filter crawl.rimg --agent mybot --unknown allow <urls.txt
  robomaton filter crawl.rimg --agent mybot \\
    --usage present-snippet --purpose news <urls.txt";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image =
        open_image(&arguments.image)?.with_terms(arguments.terms.terms(arguments.asker.use_.elements));
    arguments.asker.heed(image.profile())?;
    let (crawler, usage) = arguments.asker.resolve(&image);
    let asker = Asker { image: &image, crawler: &crawler, usage, document: None, objects: false };
    let mut out = Out::new();
    let mut chunks = Chunks::new(io::stdin().lock());
    while let Some(chunk) = chunks.next()? {
        asker.chunk(chunk, &mut |line| {
            let Line::Answered(url, verdict) = line else { return };
            let allowed = match verdict.safe_decision() {
                Decision::Allowed => true,
                Decision::Disallowed | Decision::Conditional => false,
                Decision::Unknown => arguments.unknown == Permission::Allow,
            };
            if allowed != arguments.invert {
                out.buffer().extend_from_slice(url);
                out.buffer().push(b'\n');
            }
        });
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}
