//! `robomaton man`: writes the help of all subcommands as man pages.

use crate::Cli;
use crate::failure::Failure;
use clap::{Args, CommandFactory};
use robomaton_build::Error;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Directory for `robomaton.1` and `robomaton-SUBCOMMAND.1`; created if it does not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  robomaton man --to ~/.local/share/man/man1";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let written = std::fs::create_dir_all(&arguments.to)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &arguments.to));
    written.map_err(|error| Error::write(&arguments.to, error))?;
    Ok(ExitCode::SUCCESS)
}
