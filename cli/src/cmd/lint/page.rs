//! The findings about a page, each with the place of its tag or element.
//!
//! A page is recognized by its file name. To locate tags, the page is split into lines like a
//! robots.txt, after conversion to UTF-8 as in the reader of pages. The compiler gets a number for
//! each tag and element in place of its line, so that a finding leads back to it. It knows nothing
//! about ACAP.

use crate::failure::Failure;
#[cfg(not(feature = "pages"))]
use crate::features::left_out;
#[cfg(feature = "pages")]
use robomaton_compiler::lint::{PageFinding, lint_pages};
#[cfg(feature = "pages")]
use robomaton_corpus::read_page;
use robomaton_explain::lint::Finding;
#[cfg(feature = "pages")]
use robomaton_explain::lint::{Places, sort};
use robomaton_grammar::Tree;
#[cfg(feature = "pages")]
use robomaton_grammar::{Code, Span};
use std::borrow::Cow;
use std::path::Path;

/// Media types by file extension.
const KINDS: [(&str, &str); 4] = [
    ("html", "text/html"),
    ("htm", "text/html"),
    ("xhtml", "application/xhtml+xml"),
    ("xht", "application/xhtml+xml"),
];

/// The media type if the file is a page.
pub(super) fn kind(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?;
    KINDS.iter().find(|(end, _)| extension.eq_ignore_ascii_case(end)).map(|(_, kind)| *kind)
}

/// The page in UTF-8, without a byte order mark.
pub(super) fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let units = |low: usize| {
        let byte = |pair: &[u8], at: usize| pair.get(at).copied().unwrap_or(0);
        let units = bytes[2..].chunks(2);
        let units = units.map(|pair| u16::from_le_bytes([byte(pair, low), byte(pair, 1 - low)]));
        let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
        Cow::Owned(text.into_bytes())
    };
    match bytes {
        [0xff, 0xfe, ..] => units(0),
        [0xfe, 0xff, ..] => units(1),
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        _ => Cow::Borrowed(bytes),
    }
}

/// The findings about a page whose lines are those of the tree, ordered by position.
#[cfg(feature = "pages")]
pub(super) fn lint(tree: &Tree<'_>, kind: &str) -> Result<Vec<Finding>, Failure> {
    let found = read_page(tree.source, Some(kind));
    let is_cut = found.cut;
    let metas = found.metas.iter().map(|tag| (tag.line, tag.column));
    let elements = found.elements.iter().map(|element| (element.line, element.column));
    let places: Vec<(u32, u32)> = metas.chain(elements).collect();
    let mut page = found.for_compiler(String::new(), String::new());
    let lines = page.metas.iter_mut().map(|tag| &mut tag.line);
    let lines = lines.chain(page.elements.iter_mut().map(|element| &mut element.line));
    lines.zip(0..).for_each(|(line, number)| *line = number);
    let in_text = Places::new(tree);
    let findings = lint_pages(&[page]).into_iter().map(|PageFinding { code, line, message, .. }| Finding {
        place: in_text.of(tag_at(tree, places[line as usize])),
        severity: code.severity(),
        code: code.name(),
        source: code.rule(),
        message,
        second: None,
    });
    let unread = is_cut.then(|| Finding {
        place: in_text.of(Span::default()),
        severity: Code::OverLimit.severity(),
        code: Code::OverLimit.name(),
        source: Code::OverLimit.rule(),
        message: "the page is not read whole; it permits no use".to_owned(),
        second: None,
    });
    let mut findings: Vec<Finding> = findings.chain(unread).collect();
    sort(&mut findings);
    Ok(findings)
}

/// The error of a build that cannot read pages.
#[cfg(not(feature = "pages"))]
pub(super) fn lint(_: &Tree<'_>, _: &str) -> Result<Vec<Finding>, Failure> {
    Err(left_out("pages"))
}

/// The tag at a line and a column, as far as it is on the line.
#[cfg(feature = "pages")]
fn tag_at(tree: &Tree<'_>, (line, column): (u32, u32)) -> Span {
    let Some(line) = tree.lines.get(line.saturating_sub(1) as usize) else { return Span::default() };
    let start = (line.span.start + column.saturating_sub(1)).min(line.comment.end);
    let rest = &tree.source[start as usize..line.comment.end as usize];
    let length = memchr::memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
    Span { start, end: start + length as u32 }
}
