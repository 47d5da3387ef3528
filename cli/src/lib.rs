//! The `robomaton` command: compiles robots.txt captures into an image, and queries images.
//!
//! ```text
//!   arguments ──▶ Cli (typed) ──▶ cmd::*::run ──▶ stdout, exit code
//! ```
//!
//! It is the last step; everything it knows about robots.txt comes from the other crates. It is a
//! library, so that the binary and the Python wheel run the same command. Invariants: results go to
//! standard output and remarks to standard error; an error is one line and exit code 2, and a
//! closed pipe is none. This file does not know the options of the subcommands.

mod ask;
mod bar;
mod cmd;
mod failure;
mod features;
mod input;
mod options;
mod output;
mod signals;
mod tables;
mod usage;

use clap::{CommandFactory, FromArgMatches, Parser};
use failure::Failure;
use output::ColorArg;
use std::ffi::OsString;
use std::process::ExitCode;

/// Compile the robots.txt files of many sites into one memory-mapped image, and query it
#[derive(Parser)]
#[command(name = "robomaton", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    /// When to use colours; `auto` uses them on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: ColorArg,
    /// Print only errors on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more: the full summary of `compile`, and every invalid input line
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

Exit codes: 0 success, 1 a negative answer (`check` and `page`: not allowed; `visit`: not all may be visited now; \
`lint`: errors or warnings; `diff --exit-code`: differences), 2 error. A closed pipe is no error.";

/// Runs the command with these arguments, the first of which is the program's name. The binary's
/// `main` calls it.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    signals::survive_size_limit();
    match run(arguments.into_iter().collect()) {
        Ok(code) => code,
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Message(message)) => {
            output::error(&message);
            ExitCode::from(2)
        }
    }
}

/// Like [`main`], for callers that cannot return an `ExitCode`: returns its number.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples can be pasted: a terminal of 80 columns does not wrap them.
    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
            let mut lines = examples.lines().filter(|line| line.starts_with("  "));
            let call = format!("  robomaton {} ", command.get_name());
            assert!(lines.clone().any(|line| line.starts_with(&call)), "{call}: {help}");
            assert!(lines.all(|line| line.len() <= 80), "{help}");
        }
    }
}
