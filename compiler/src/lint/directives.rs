//! Robots directives and reservations of pages, in META tags and header fields, that state nothing.
//!
//! The counterpart of `language/robots_tags` and `language/tdmrep`, which read the same tags.
//! Places are lines of the page; a header has line 0. This file does not know which directive wins.

use super::finding::PageFinding;
use super::{Code, quote};
use crate::context::{MetaTag, Page};
use robomaton_grammar::meta::{Meta, content};
use robomaton_grammar::modern::robots_tag::{directives, robots_tag};
use robomaton_grammar::modern::tdmrep::reservation;
use robomaton_grammar::modern::{Mistake, MistakeCode};

/// The findings about the directives of pages.
pub(super) fn lint_pages(pages: &[Page]) -> Vec<PageFinding> {
    let mut found = Vec::new();
    for (page, read) in pages.iter().enumerate() {
        let mut say = |line, said: Vec<(Code, String)>| {
            let said = said.into_iter();
            found.extend(said.map(|(code, message)| PageFinding { code, page, line, message }));
        };
        for header in read.header("x-robots-tag") {
            say(0, robots_tag(header).mistakes.iter().map(of_mistake).collect());
        }
        for tag in read.metas.iter().filter(|tag| has_directives(tag)) {
            let read = directives(tag.content.as_bytes());
            say(tag.line, read.mistakes.iter().map(of_mistake).collect());
        }
        for header in read.header(RESERVATION) {
            say(0, header.split(|byte| *byte == b',').filter_map(of_reservation).collect());
        }
        for tag in read.meta(RESERVATION) {
            say(tag.line, of_reservation(tag.content.trim_ascii().as_bytes()).into_iter().collect());
        }
    }
    found
}

/// The name of the header field and of the META tag.
const RESERVATION: &str = "tdm-reservation";

/// A reservation that cannot be read.
fn of_reservation(value: &[u8]) -> Option<(Code, String)> {
    reservation(value).is_none().then(|| {
        let message = format!("{} states nothing: the reservation is 0 or 1", quote(value));
        (Code::TdmReservationValue, message)
    })
}

/// False for the META tags of ACAP, for its name alone, and for those of TDMRep.
fn has_directives(tag: &MetaTag) -> bool {
    let is_tdm = [RESERVATION, "tdm-policy"].iter().any(|name| tag.name.eq_ignore_ascii_case(name));
    let is_acap = tag.content.trim().eq_ignore_ascii_case("acap");
    !is_tdm && !is_acap && matches!(content(&tag.content), Meta::Conventional(_))
}

fn of_mistake(mistake: &Mistake) -> (Code, String) {
    let quoted = quote(mistake.text.as_bytes());
    let is_list = |separator: fn(char) -> bool| {
        let first = mistake.text.split_once(separator).map(|(first, _)| first.trim());
        first.is_some_and(|first| !first.is_empty() && directives(first.as_bytes()).mistakes.is_empty())
    };
    match mistake.code {
        _ if mistake.code == MistakeCode::EmptyAgent || mistake.text.starts_with(':') => {
            let message =
                format!("no crawler is named before the colon, so {quoted} is for none; leave out the colon");
            (Code::RobotsTagWithoutAgent, message)
        }
        MistakeCode::InvalidDirectiveValue => {
            let message = format!("{quoted} states nothing: {}", form(&mistake.text));
            (Code::RobotsDirectiveValue, message)
        }
        MistakeCode::OverLimit => {
            let message = format!("the tag has {}; the rest is not read", mistake.text);
            (Code::RobotsDirectiveValue, message)
        }
        _ if is_list(|c| c == ';') || is_list(char::is_whitespace) => {
            let message = format!("{quoted} is no directive: directives are separated by commas");
            (Code::RobotsDirectiveSeparator, message)
        }
        _ => (Code::RobotsDirectiveUnknown, format!("there is no directive {quoted}; it states nothing")),
    }
}

/// The form of a directive's value.
fn form(text: &str) -> &'static str {
    let name = text.split(':').next().unwrap_or_default().trim();
    if name.eq_ignore_ascii_case("max-image-preview") {
        "the value is `none`, `standard` or `large`"
    } else if name.eq_ignore_ascii_case("unavailable_after") {
        "the value is a date, such as `2026-12-31T00:00:00Z`"
    } else {
        "the value is a number, or `-1` for no limit"
    }
}
