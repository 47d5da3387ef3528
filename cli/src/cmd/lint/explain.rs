//! `lint --explain CODE`: prints the entry of a code in LINTS.md.
//!
//! The document is embedded in the program and printed as it is. A test compares its codes with
//! those of the crates.

use crate::failure::Failure;
use crate::output::Out;
use robomaton_explain::lint::entry;
use std::io::Write;

/// The whole document.
pub(in crate::cmd) const DOCUMENT: &str = include_str!("../../../LINTS.md");

pub(super) fn explain(code: &str) -> Result<(), Failure> {
    let Some(entry) = entry(DOCUMENT, &code.trim().to_ascii_lowercase()) else {
        let message = format!("no remark has the code {code:?}; LINTS.md lists them all");
        return Err(Failure::Message(message));
    };
    let mut out = Out::new();
    writeln!(out, "{}", entry.text)?;
    out.finish()
}
