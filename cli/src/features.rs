//! Optional features, and the error for one that is missing.
//!
//! A subcommand that is not in the build still exists, accepts any arguments and reports the
//! reason: an unknown name would look like a typing error. It does not know what the features do.

use crate::failure::Failure;

/// The error for a missing feature.
pub(crate) fn left_out(feature: &str) -> Failure {
    Failure::Message(format!("this robomaton was built without `{feature}`"))
}

/// The arguments of a subcommand that is not in the build.
#[cfg(not(all(feature = "pages", feature = "report", feature = "serve")))]
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LeftOut {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<std::ffi::OsString>,
}
