//! Draws diagnostics with carets.
//!
//! Each place is drawn with its own line only, so the cost of a file with many diagnostics is
//! linear in its lines. It reads the source through [`Places`] only.

use super::remark::FileFinding;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use robomaton_explain::lint::{Place, Places};
use robomaton_grammar::Severity;
use std::io::{self, Write};

pub(super) fn renderer(color: bool) -> Renderer {
    if color { Renderer::styled() } else { Renderer::plain() }
}

pub(super) fn draw(
    renderer: &Renderer,
    places: &Places<'_, '_>,
    found: &FileFinding<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let FileFinding { file, finding } = found;
    let (text, range) = places.text(finding.place);
    let primary = AnnotationKind::Primary.span(range);
    let mut snippets = Vec::new();
    let second = finding.second.as_ref().map(|second| (second, places.text(second.place)));
    match second {
        Some((second, (same, other))) if second.place.line == finding.place.line && same == text => {
            let first = snippet(file, finding.place, text).annotation(primary);
            snippets
                .push(first.annotation(AnnotationKind::Context.span(other).label(second.message.as_str())));
        }
        Some((second, (other_text, other))) => {
            let other = AnnotationKind::Context.span(other).label(second.message.as_str());
            snippets.push(snippet(file, finding.place, text).annotation(primary));
            snippets.push(snippet(file, second.place, other_text).annotation(other));
        }
        None => snippets.push(snippet(file, finding.place, text).annotation(primary)),
    }
    let report =
        [level(finding.severity).primary_title(finding.message.as_str()).id(finding.code).elements(snippets)];
    writeln!(out, "{}\n", rendered(renderer, &report))
}

/// A title line in the style of a finding, without a place.
pub(super) fn title(
    renderer: &Renderer,
    found: &FileFinding<'_>,
    message: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let finding = &found.finding;
    let title = Group::with_title(level(finding.severity).primary_title(message).id(finding.code));
    writeln!(out, "{}\n", rendered(renderer, &[title]))
}

/// The drawing as text. The renderer itself replaces only the control characters of ASCII.
fn rendered(renderer: &Renderer, groups: &[Group<'_>]) -> String {
    renderer.render(groups).replace(|letter| ('\u{80}'..='\u{9F}').contains(&letter), "\u{FFFD}")
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn snippet<'a>(file: &'a str, place: Place, text: String) -> Snippet<'a, Annotation<'a>> {
    Snippet::source(text).line_start(place.line as usize).path(file)
}
