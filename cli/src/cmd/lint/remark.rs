//! The findings of one file, and their counts by severity.

use robomaton_explain::lint::{Finding, FindingCounts};
use robomaton_grammar::Severity;
use serde::Serialize;

/// A finding with its file. The fields are those of the JSON output.
#[derive(Serialize)]
pub(super) struct FileFinding<'a> {
    pub(super) file: &'a str,
    #[serde(flatten)]
    pub(super) finding: Finding,
}

/// True if there is a finding above a note.
pub(super) fn has_mistakes(counts: FindingCounts) -> bool {
    counts.errors + counts.warnings > 0
}

/// Counts in words.
pub(super) fn words(FindingCounts { errors, warnings, notes }: FindingCounts) -> String {
    let counts = [(errors, Severity::Error), (warnings, Severity::Warning), (notes, Severity::Note)];
    counts.map(|(number, severity)| robomaton_explain::count(number, severity.name())).join(", ")
}
