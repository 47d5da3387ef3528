//! `robomaton completions`: completion scripts for shells.

use crate::Cli;
use crate::failure::Failure;
use crate::output::Out;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Shell to write the script for
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  robomaton completions bash \\
    >~/.local/share/bash-completion/completions/robomaton
  robomaton completions fish >~/.config/fish/completions/robomaton.fish
  robomaton completions zsh >~/.zfunc/_robomaton";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "robomaton", &mut script);
    let mut out = Out::new();
    out.write_all(&script)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
