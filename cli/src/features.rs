//! What a build may leave out, and what it says then.
//!
//! A subcommand that was left out is there, takes any arguments, and tells the reason: a name that
//! is not known would look like a mistake in spelling. It does not know what the features are for.

use crate::failure::Failure;

/// What to say where a feature is missing.
pub(crate) fn left_out(feature: &str) -> Failure {
    Failure::Said(format!("this robomaton was built without `{feature}`"))
}

/// The arguments of a subcommand that was left out.
#[cfg(not(all(feature = "pages", feature = "report", feature = "serve")))]
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LeftOut {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<std::ffi::OsString>,
}
