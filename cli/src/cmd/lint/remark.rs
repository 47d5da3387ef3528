//! A diagnostic of either crate, and the same with its places: what all outputs are made from.

use super::place::Places;
use robomaton_compiler::OverLimit;
use robomaton_compiler::lint::Finding;
use robomaton_grammar::{Code, Diagnostic, Severity, Span};
use serde::Serialize;

/// A diagnostic of either crate.
pub(super) struct Said {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    /// The number of the rule it rests on.
    pub(super) source: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) second: Option<(Span, String)>,
}

impl From<Diagnostic> for Said {
    fn from(Diagnostic { code, span, message, second }: Diagnostic) -> Said {
        Said { severity: code.severity(), code: code.name(), source: code.rule(), span, message, second }
    }
}

impl From<Finding> for Said {
    fn from(Finding { code, span, message, second }: Finding) -> Said {
        Said { severity: code.severity(), code: code.name(), source: code.rule(), span, message, second }
    }
}

impl Said {
    pub(super) fn over(over: OverLimit, places: &Places<'_, '_>) -> Said {
        let message =
            format!("over the limit of {} {}; everything is disallowed", over.allowed, over.limit.name());
        let (code, span, second) = (Code::OverLimit, places.line(over.line), None);
        Said::from(Diagnostic { code, span, message, second })
    }

    pub(super) fn placed<'a>(&'a self, file: &'a str, places: &Places<'_, '_>) -> Remark<'a> {
        let second = |(span, message): &'a (Span, String)| Second { place: places.of(*span), message };
        Remark {
            file,
            place: places.of(self.span),
            severity: self.severity.name(),
            code: self.code,
            source: self.source,
            message: &self.message,
            second: self.second.as_ref().map(second),
        }
    }
}

/// A diagnostic, placed. The fields are those of the JSON output.
#[derive(Serialize)]
pub(super) struct Remark<'a> {
    pub(super) file: &'a str,
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) severity: &'static str,
    pub(super) code: &'static str,
    pub(super) source: &'static str,
    pub(super) message: &'a str,
    pub(super) second: Option<Second<'a>>,
}

/// Another place, and why it matters.
#[derive(Serialize)]
pub(super) struct Second<'a> {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) message: &'a str,
}

/// A place in a text.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The names of severities, in the order of the counts.
const SEVERITIES: [&str; 3] = [Severity::Error.name(), Severity::Warning.name(), Severity::Note.name()];

/// How many remarks there are of each severity.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts([usize; 3]);

impl Counts {
    pub(super) fn add(&mut self, said: &Said) {
        self.0[said.severity as usize] += 1;
    }

    /// Whether there is anything above a note.
    pub(super) fn is_bad(self) -> bool {
        self.0[..2] != [0, 0]
    }

    /// In words.
    pub(super) fn words(self) -> String {
        let counts = SEVERITIES.iter().zip(self.0);
        let words: Vec<String> =
            counts.map(|(name, number)| robomaton_explain::count(number, name)).collect();
        words.join(", ")
    }
}
