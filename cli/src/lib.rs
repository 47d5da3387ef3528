//! The `robomaton` command: compiles robots.txt captures into an image, and asks images.
//!
//! ```text
//!   arguments ──▶ Cli (typed) ──▶ cmd::*::run ──▶ stdout, exit code
//! ```
//!
//! The last station of the arrow; everything it knows of robots.txt it asks the other crates. A
//! library, so that the binary and the Python wheel run the same command. Invariants: results go to
//! standard output and remarks to standard error; an error is one line and exit code 2; a reader
//! that closes its pipe is a success. This file knows no subcommand's options.

mod ask;
mod bar;
mod cmd;
mod failure;
mod features;
mod input;
mod options;
mod output;
mod tables;
mod usage;

use clap::{CommandFactory, FromArgMatches, Parser};
use failure::Failure;
use output::ColorArg;
use std::ffi::OsString;
use std::process::ExitCode;

/// robots.txt files of many sites, compiled into one memory-mapped image of rule automata.
#[derive(Parser)]
#[command(name = "robomaton", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    /// When to use colours; `auto` is on a terminal, unless NO_COLOR is set.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: ColorArg,
    /// Say nothing on standard error but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more: the whole summary of `compile`, and every line that is no question.
    #[arg(long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: cmd::Command,
}

const EXAMPLES: &str = "\
Examples:
  robomaton compile crawl.warc.gz -o crawl.rimg
  robomaton query crawl.rimg --agent GPTBot https://example.com/private/x
  robomaton filter crawl.rimg --agent mybot <urls.txt >allowed.txt
  robomaton visit crawl.rimg --agent mybot https://example.com/x
  robomaton check robots.txt Googlebot https://example.com/x

Exit codes: 0 success (`check` and `page`: allowed; `visit`: all may be visited now; `lint`: nothing above a note), \
1 the other answer of those four, 2 error. A closed pipe is success.";

/// Runs the command with these arguments, the first of which is its own name. What `main` of the
/// binary does.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match run(arguments.into_iter().collect()) {
        Ok(code) => code,
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Said(message)) => {
            output::error(&message);
            ExitCode::from(2)
        }
    }
}

/// The same for who cannot return an exit code: its number.
pub fn status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let code = main(arguments);
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(u8::MAX)
}

fn run(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    let command = Cli::command().color(output::asked_for(&arguments).into());
    let parsed = command.try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => {
            output::set_volume(cli.quiet, cli.verbose);
            cli.command.run(cli.color)
        }
        Err(error) => usage::usage(error),
    }
}
