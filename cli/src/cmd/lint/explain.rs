//! The entries of LINTS.md: what `lint --explain CODE` prints, and what rules say in SARIF.
//!
//! The document is part of the program, so what is printed is what stands there. A test holds its codes against those
//! of the crates.

use crate::failure::Failure;
use crate::output::Out;
use std::io::Write;

/// The whole document.
pub(in crate::cmd) const DOCUMENT: &str = include_str!("../../../LINTS.md");

/// What the document says of a code.
#[derive(Default)]
pub(super) struct Entry {
    /// All of it, heading and example included.
    pub(super) text: &'static str,
    /// What it says in words, on one line.
    pub(super) about: String,
}

/// The entry of a code.
pub(super) fn entry(code: &str) -> Option<Entry> {
    let head = format!("### {code}\n");
    let start = DOCUMENT.find(&format!("\n{head}"))? + 1;
    let text = &DOCUMENT[start..];
    let text = &text[..text[head.len()..].find("\n##").map_or(text.len(), |end| head.len() + end)];
    // Severity and rule stand before the first sentence.
    let about = text[head.len()..].split("```").next().and_then(|said| said.split_once(". "));
    let about = about.map(|(_, about)| about.split_whitespace().collect::<Vec<_>>().join(" "));
    Some(Entry { text: text.trim_end(), about: about.unwrap_or_default() })
}

pub(super) fn explain(code: &str) -> Result<(), Failure> {
    let Some(entry) = entry(&code.trim().to_ascii_lowercase()) else {
        let said = format!("no remark has the code {code:?}; LINTS.md lists them all");
        return Err(Failure::Said(said));
    };
    let mut out = Out::new();
    writeln!(out, "{}", entry.text)?;
    out.finish()
}
