//! The binary: hands its arguments to the library. It knows nothing.

use std::process::ExitCode;

fn main() -> ExitCode {
    robomaton_cli::main(std::env::args_os())
}
