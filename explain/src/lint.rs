//! Everything that lint has to say about a text, in the order of places.
//!
//! The grammar finds mistakes of form, the compiler oddities of meaning; here both become
//! [`Finding`]s with a place ([`Places`]). A finding's place is inside its line, whatever ends
//! that: a source may be any bytes. [`entry()`] reads the document that explains the codes.

mod entry;
mod places;

pub use entry::{Entry, entry};
pub use places::{Place, Places};

use crate::single::{Origin, SiteFiles};
use robomaton_compiler::lint::{STEPS, lint_within};
use robomaton_compiler::{CompileContext, Options, OverLimit};
use robomaton_grammar::{Code, Severity, Span, Tree, scan};
use serde::{Serialize, Serializer};

/// A remark about a text; the fields are the keys that scripts rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// `error`, `warning` or `note`.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn severity_name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

/// Everything worth saying about a robots.txt of a site, in the order of places. No more than
/// `steps` symbols of patterns are compared to find those that hide others.
pub fn lint(
    text: &[u8],
    origin: &Origin,
    files: &SiteFiles,
    options: &Options,
    steps: usize,
) -> Vec<Finding> {
    let tree = scan(text, options.limits.bytes(options.profile));
    let files = files.slices();
    let context = CompileContext { origin: origin.authority(), files: &files, pages: &[] };
    lint_tree(&tree, &context, options, steps)
}

/// As [`lint`], of a text that is scanned already.
pub fn lint_tree<'s>(
    tree: &Tree<'s>,
    context: &CompileContext<'_, 's>,
    options: &Options,
    steps: usize,
) -> Vec<Finding> {
    let report = lint_within(tree, context, options, steps);
    let places = Places::new(tree);
    let finding = |severity, code, source, span, message, second: Option<(Span, String)>| {
        let second = second.map(|(span, message)| Second { place: places.of(span), message });
        Finding { place: places.of(span), severity, code, source, message, second }
    };
    let meaning = report.findings.into_iter().map(|found| {
        let code = found.code;
        finding(code.severity(), code.name(), code.rule(), found.span, found.message, found.second)
    });
    let diagnostics = report.syntax;
    let form = diagnostics.into_iter().map(|found| {
        let code = found.code;
        finding(code.severity(), code.name(), code.rule(), found.span, found.message, found.second)
    });
    let over = report.over.map(|OverLimit { limit, allowed, line }| {
        let message = format!("over the limit of {allowed} {}; everything is disallowed", limit.name());
        let code = Code::OverLimit;
        finding(code.severity(), code.name(), code.rule(), places.line(line), message, None)
    });
    let mut findings: Vec<Finding> = meaning.chain(over).chain(form).collect();
    sort(&mut findings);
    findings
}

/// Puts findings in the order of their places.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|found| (found.place.start, found.severity, found.code));
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingCounts {
    /// Lines, or parts of them, that have no effect.
    pub errors: usize,
    /// Lines that crawlers will read differently.
    pub warnings: usize,
    /// All else that is worth knowing.
    pub notes: usize,
}

impl FindingCounts {
    /// Counts the findings about the text of a site with this host and port.
    pub fn of(text: &[u8], authority: &str, options: &Options) -> FindingCounts {
        let tree = scan(text, options.limits.bytes(options.profile));
        let context = CompileContext { origin: Some(authority), ..CompileContext::default() };
        let mut counts = FindingCounts::default();
        lint_tree(&tree, &context, options, STEPS).iter().for_each(|found| counts.add(found));
        counts
    }

    /// Counts one more.
    pub fn add(&mut self, found: &Finding) {
        match found.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }
}
