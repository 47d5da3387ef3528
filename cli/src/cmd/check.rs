//! `robomaton check`: one robots.txt, one crawler, one URL; the exit code is the answer.
//!
//! For scripts, and for comparison with Google's `robots_main`, whose arguments and exit codes these are. Only a
//! plain permission is exit code 0.

use crate::failure::Failure;
use crate::input::{is_image, read_file};
use crate::options::{Dialect, names};
use crate::output::Out;
use crate::single::{Origin, Single};
use clap::Args;
use robomaton_runtime::Usage;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The robots.txt; `-` is standard input.
    file: PathBuf,
    /// Name of the crawler; several product tokens, best first, are parted by commas.
    agent: String,
    /// The URL, or its path and query alone.
    url: String,
    #[command(flatten)]
    dialect: Dialect,
}

const EXAMPLES: &str = "\
Prints VERDICT<TAB>URL. Exit codes: 0 allowed, 1 not allowed, 2 error.

Examples:
  robomaton check robots.txt Googlebot https://example.com/private/x
  robomaton check robots.txt googlebot-news,googlebot /private/x
  curl -s https://example.com/robots.txt | robomaton check - mybot https://example.com/x
  robomaton check --profile google robots.txt FooBot http://foo.bar/x";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let text = read_file(&arguments.file)?;
    if is_image(&text) {
        return Err(Failure::of(
            &arguments.file,
            "is an image, not a robots.txt; `robomaton query` asks images",
        ));
    }
    let origin = Origin::of(&arguments.url, arguments.dialect.profile)?;
    let single = Single::compile(&text, &origin, &arguments.dialect.options())?;
    let crawler = single.image().crawler(names(&arguments.agent));
    let verdict = single.site()?.decide(&crawler, Usage::CRAWL, &arguments.url);
    let mut out = Out::new();
    let told = writeln!(out, "{}\t{}", verdict.decision(), arguments.url).map_err(Failure::from);
    match told.and_then(|()| out.finish()) {
        // The exit code is the answer, whether anybody reads the line or not.
        Ok(()) | Err(Failure::ClosedPipe) => Ok(ExitCode::from(u8::from(!verdict.is_allowed()))),
        Err(failure) => Err(failure),
    }
}
