//! The options for compiling, from Python's keywords; those of an image and those of a store.

use crate::ask::Listed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robomaton_compiler::{Limits, Options};
use robomaton_formats::Profile;
use robomaton_formats::vocabulary::{ControlToken, optional_tables};

/// The options of these keywords; the limits are of bytes, groups, rules and stars.
///
/// # Errors
/// If a name is unknown; the error names the keyword.
pub(crate) fn compile_options(
    profile: &str,
    crawlers: &Listed<'_>,
    vocabulary: &Listed<'_>,
    control_tokens: &Listed<'_>,
    limits: [Option<usize>; 4],
) -> PyResult<Options> {
    let crawlers = crawlers.names("crawlers")?;
    let profile: Profile =
        profile.parse().map_err(|error| PyValueError::new_err(format!("profile: {error}")))?;
    let tables = vocabulary.names("vocabulary")?;
    if let Some(unknown) = tables.iter().find(|&table| !optional_tables().any(|known| known == table)) {
        return Err(PyValueError::new_err(format!("vocabulary: there is no table {unknown:?}")));
    }
    let token = |text: &String| {
        text.parse().map_err(|error| PyValueError::new_err(format!("control_tokens: {error}")))
    };
    let tokens =
        control_tokens.names("control_tokens")?.iter().map(token).collect::<PyResult<Vec<ControlToken>>>()?;
    let default = Limits::default();
    let [bytes, groups, rules, stars] = limits;
    if bytes == Some(0) {
        // A text of which nothing is read would allow everything.
        return Err(PyValueError::new_err("max_bytes: at least 1"));
    }
    let limits = Limits {
        bytes,
        groups: groups.unwrap_or(default.groups),
        rules: rules.unwrap_or(default.rules),
        stars: stars.unwrap_or(default.stars),
        ..default
    };
    Ok(Options { profile, limits, crawlers, tables, tokens, ..Options::default() })
}
