//! `lint --explain CODE`: the entry of LINTS.md.
//!
//! The document is part of the program, so what is printed is what stands there. A test holds its codes against those
//! of the crates.

use crate::failure::Failure;
use crate::output::Out;
use std::io::Write;

const DOCUMENT: &str = include_str!("../../../../LINTS.md");

pub(super) fn explain(code: &str) -> Result<(), Failure> {
    let head = format!("### {}\n", code.trim().to_ascii_lowercase());
    let start = DOCUMENT.find(&format!("\n{head}"));
    let Some(entry) = start.map(|start| &DOCUMENT[start + 1..]) else {
        let said = format!("no remark has the code {code:?}; LINTS.md lists them all");
        return Err(Failure::Said(said));
    };
    let end = entry[head.len()..].find("\n##").map_or(entry.len(), |end| head.len() + end);
    let mut out = Out::new();
    writeln!(out, "{}", entry[..end].trim_end())?;
    out.finish()
}
