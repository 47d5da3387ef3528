//! Diagnostics with carets.
//!
//! Each place is drawn with its own line, so that a file of many diagnostics costs no more than its lines. It knows
//! no byte of the source but through [`Places`].

use super::place::Places;
use super::remark::{Place, Remark};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::io::{self, Write};

pub(super) fn renderer(color: bool) -> Renderer {
    if color { Renderer::styled() } else { Renderer::plain() }
}

pub(super) fn draw(
    renderer: &Renderer,
    places: &Places<'_, '_>,
    remark: &Remark<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (text, range) = places.text(remark.place);
    let primary = AnnotationKind::Primary.span(range);
    let mut snippets = Vec::new();
    let second = remark.second.as_ref().map(|second| (second, places.text(second.place)));
    match second {
        Some((second, (same, other))) if second.place.line == remark.place.line && same == text => {
            let first = snippet(remark.file, remark.place, text).annotation(primary);
            snippets.push(first.annotation(AnnotationKind::Context.span(other).label(second.message)));
        }
        Some((second, (other_text, other))) => {
            let other = AnnotationKind::Context.span(other).label(second.message);
            snippets.push(snippet(remark.file, remark.place, text).annotation(primary));
            snippets.push(snippet(remark.file, second.place, other_text).annotation(other));
        }
        None => snippets.push(snippet(remark.file, remark.place, text).annotation(primary)),
    }
    let report = [level(remark).primary_title(remark.message).id(remark.code).elements(snippets)];
    writeln!(out, "{}\n", renderer.render(&report))
}

/// A line in the style of a remark, without a place.
pub(super) fn title(
    renderer: &Renderer,
    remark: &Remark<'_>,
    message: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let title = Group::with_title(level(remark).primary_title(message).id(remark.code));
    writeln!(out, "{}\n", renderer.render(&[title]))
}

fn level(remark: &Remark<'_>) -> Level<'static> {
    match remark.severity {
        "error" => Level::ERROR,
        "warning" => Level::WARNING,
        _ => Level::NOTE,
    }
}

fn snippet<'a>(file: &'a str, place: Place, text: String) -> Snippet<'a, Annotation<'a>> {
    Snippet::source(text).line_start(place.line as usize).path(file)
}
