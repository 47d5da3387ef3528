//! A part of `reliability`.

use crate::Form;
use robomaton_benches::results::Results;
use std::process::ExitCode;

/// The first argument of the process that serves.
pub(crate) const STAGE: &str = "stage-serve";

pub(crate) fn measure(_form: Form, _results: &mut Results) -> Result<(), String> {
    Err("not written".to_owned())
}

pub(crate) fn stage(_args: &[String]) -> ExitCode {
    ExitCode::FAILURE
}
