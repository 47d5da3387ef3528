//! All findings of lint about a text, ordered by position.
//!
//! The grammar finds syntax errors, the compiler questionable rules; here both become [`Finding`]s
//! with a place ([`Places`]). A place is inside its line, whatever the line end: a source may be
//! any bytes. [`entry()`] reads the document that explains the codes.

mod entry;
mod places;

pub use entry::{Entry, entry};
pub use places::{Place, Places};

use crate::single::{Origin, SiteFiles};
use robomaton_compiler::lint::{STEPS, lint_within};
use robomaton_compiler::{CompileContext, Options, OverLimit};
use robomaton_grammar::{Code, Severity, Span, Tree, scan};
use serde::{Serialize, Serializer};

/// A finding about a text; the fields are the keys that scripts rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// `error`, `warning` or `note`.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// The code.
    pub code: &'static str,
    /// The rule of RULES.md that is violated or applied.
    pub source: &'static str,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// A second place that explains the first.
    pub second: Option<Second>,
}

/// A second place, and its relation to the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Second {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The relation.
    pub message: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn severity_name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

/// All findings about a robots.txt of a site, ordered by position. At most `steps` symbols of
/// patterns are compared to find patterns that hide others.
pub fn lint(
    text: &[u8],
    origin: &Origin,
    files: &SiteFiles,
    options: &Options,
    steps: usize,
) -> Vec<Finding> {
    let tree = scan(text, options.limits.bytes(options.profile));
    let files = files.spelled(origin);
    let files = files.slices();
    lint_tree(&tree, &origin.context(&files), options, steps)
}

/// Like [`lint`], for a text that is already scanned.
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
        (line, format!("over the limit of {allowed} {}; everything is disallowed", limit.name()))
    });
    let unread = report.unread.map(|line| {
        let message = "over a limit for statements about uses; this one is not read, nor may later ones be";
        (line, message.to_owned())
    });
    let over = over.into_iter().chain(unread).map(|(line, message)| {
        let code = Code::OverLimit;
        finding(code.severity(), code.name(), code.rule(), places.line(line), message, None)
    });
    let mut findings: Vec<Finding> = meaning.chain(over).chain(form).collect();
    sort(&mut findings);
    findings
}

/// Sorts findings by position.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|found| (found.place.start, found.severity, found.code));
}

/// The number of findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingCounts {
    /// Lines, or parts of them, that have no effect.
    pub errors: usize,
    /// Lines that crawlers will read differently.
    pub warnings: usize,
    /// Everything else worth knowing.
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

    /// Counts one more finding.
    pub fn add(&mut self, found: &Finding) {
        match found.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }
}
