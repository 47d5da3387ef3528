//! The binary: passes its arguments to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    robomaton_cli::main(std::env::args_os())
}
