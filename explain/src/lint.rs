//! What there is to say about a text: its form and its meaning together, each remark with its
//! place.
//!
//! What is wrong with the form says the grammar, what is odd about the meaning the compiler; here
//! both are put in the order of their places. A place is inside its line, whatever ends that: a
//! source may be any bytes.

use crate::single::{Beside, Origin};
use robomaton_compiler::lint::lint_within;
use robomaton_compiler::{Options, OverLimit, Surroundings};
use robomaton_grammar::{Code, Diagnostic, Severity, Span, Tree, scan};
use serde::Serialize;

/// A remark; the fields are the keys that scripts rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// What it is about.
    pub code: &'static str,
    /// The rule of RULES.md that is broken or applied.
    pub source: &'static str,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// Another place that explains this one.
    pub second: Option<Second>,
}

/// Another place, and why it matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Second {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// Why.
    pub message: String,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// In bytes of the text, from 0.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Place {
    /// The place of a span.
    fn of(tree: &Tree<'_>, span: Span) -> Place {
        let (line, start) = if span.start >= tree.unread.start && !tree.unread.is_empty() {
            (tree.lines.len(), tree.unread.start)
        } else {
            let line = tree.lines.partition_point(|line| line.span.end <= span.start);
            let line = line.min(tree.lines.len().saturating_sub(1));
            // The byte order mark is part of the first line.
            (line, if line == 0 { 0 } else { tree.lines[line].span.start })
        };
        let column = span.start.saturating_sub(start) + 1;
        Place { line: tree.line_number(line), column, start: span.start, end: span.end }
    }
}

/// Everything worth saying about a robots.txt of a site, in the order of places. No more than
/// `steps` symbols of patterns are compared to find those that hide others.
pub fn lint(text: &[u8], origin: &Origin, beside: &Beside, options: &Options, steps: usize) -> Vec<Finding> {
    let tree = scan(text, options.limits.bytes(options.profile));
    let files = beside.slices();
    let around = Surroundings { origin: origin.authority(), files: &files, pages: &[] };
    let report = lint_within(&tree, &around, options, steps);
    let finding = |severity: Severity, code, source, span, message, second: Option<(Span, String)>| {
        let second = second.map(|(span, message)| Second { place: Place::of(&tree, span), message });
        let place = Place::of(&tree, span);
        (severity, Finding { place, severity: severity.name(), code, source, message, second })
    };
    let mut found: Vec<(Severity, Finding)> = report
        .findings
        .into_iter()
        .map(|found| {
            let code = found.code;
            finding(code.severity(), code.name(), code.rule(), found.span, found.message, found.second)
        })
        .collect();
    let mut diagnostics = report.syntax;
    diagnostics.extend(report.over.map(|over| over_limit(&tree, over)));
    found.extend(diagnostics.into_iter().map(|found| {
        let code = found.code;
        finding(code.severity(), code.name(), code.rule(), found.span, found.message, found.second)
    }));
    found.sort_by_key(|(severity, found)| (found.place.start, *severity, found.code));
    found.into_iter().map(|(_, found)| found).collect()
}

/// That a text has too much of something, at the line that goes over the limit.
fn over_limit(tree: &Tree<'_>, over: OverLimit) -> Diagnostic {
    let message =
        format!("over the limit of {} {}; everything is disallowed", over.allowed, over.limit.name());
    let line = tree.lines.get(over.line.saturating_sub(1) as usize);
    let span = line.map_or(Span::default(), |line| Span { start: line.span.start, end: line.comment.end });
    Diagnostic { code: Code::OverLimit, span, message, second: None }
}
