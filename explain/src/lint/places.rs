//! Spans of a tree as lines and columns, and the lines as text that can be drawn.
//!
//! A source may be any bytes, and its lines may end in CR alone. So each line is made drawable by
//! itself, and byte offsets are translated to offsets of the drawable text. Invariant: a place is
//! always inside its line.

use robomaton_grammar::{Span, Tree};
use serde::Serialize;
use std::ops::Range;

/// Bytes of a line that are drawn before and after a place.
const AROUND: usize = 400;
/// Bytes of a line whose characters are counted. A hostile line may be megabytes long and have many
/// places.
const COUNTED: u32 = 4096;

/// A place in a text; the fields are the keys that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// In bytes of the text, from 0.
    pub start: u32,
    /// The end, exclusive.
    pub end: u32,
}

/// The places of a tree.
pub struct Places<'t, 's> {
    tree: &'t Tree<'s>,
}

impl<'t, 's> Places<'t, 's> {
    /// The places of this tree.
    pub fn new(tree: &'t Tree<'s>) -> Places<'t, 's> {
        Places { tree }
    }

    /// The line of a byte offset, as an index, and its bytes without the terminator.
    fn line_at(&self, at: u32) -> (usize, Span) {
        let Tree { source, lines, bom, unread, .. } = self.tree;
        if at >= unread.start && !unread.is_empty() {
            let rest = &source[unread.range()];
            let length = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            return (lines.len(), Span { start: unread.start, end: unread.start + length as u32 });
        }
        let index = lines.partition_point(|line| line.span.end <= at).min(lines.len().saturating_sub(1));
        let Some(line) = lines.get(index) else { return (0, *bom) };
        // The byte order mark is part of the first line.
        let start = if index == 0 { 0 } else { line.span.start };
        (index, Span { start, end: line.comment.end.max(start) })
    }

    /// The place of a span.
    pub fn of(&self, span: Span) -> Place {
        let (index, line) = self.line_at(span.start);
        Place {
            line: self.tree.line_number(index),
            column: span.start - line.start + 1,
            start: span.start,
            end: span.end,
        }
    }

    /// The span of a line, by its number.
    pub fn line(&self, number: u32) -> Span {
        let line = self.tree.lines.get(number.saturating_sub(1) as usize);
        line.map_or(Span::default(), |line| Span { start: line.span.start, end: line.comment.end })
    }

    /// The part of a place that is on its line.
    pub fn on_line(&self, place: Place) -> Place {
        let (_, line) = self.line_at(place.start);
        Place { end: place.end.min(line.end).max(place.start), ..place }
    }

    /// The columns where a place begins and ends, in characters from 1; an invalid byte counts as
    /// one character. `None` if the line is too long to count them.
    pub fn columns(&self, place: Place) -> Option<(usize, usize)> {
        let (_, line) = self.line_at(place.start);
        let place = self.on_line(place);
        if place.end - line.start > COUNTED {
            return None;
        }
        let characters =
            |start, end| String::from_utf8_lossy(self.tree.text(Span { start, end })).chars().count();
        let before = characters(line.start, place.start);
        Some((before + 1, before + characters(place.start, place.end) + 1))
    }

    /// The line of a place as drawable text, and the place in it.
    pub fn text(&self, place: Place) -> (String, Range<usize>) {
        let (_, line) = self.line_at(place.start);
        let bytes = self.tree.text(line);
        let start = ((place.start - line.start) as usize).min(bytes.len());
        let end = (place.end.saturating_sub(line.start) as usize).clamp(start, bytes.len());
        // A hostile line may be megabytes long.
        let cut = start.saturating_sub(AROUND)..bytes.len().min(end.min(start + AROUND) + AROUND);
        let (start, end) = (start - cut.start, end.min(cut.end) - cut.start);
        let (text, offsets) = drawable(&bytes[cut], [start, end]);
        (text, offsets[0]..offsets[1])
    }
}

/// A line as UTF-8 with invalid bytes replaced, and some byte offsets translated to it.
fn drawable<const N: usize>(bytes: &[u8], offsets: [usize; N]) -> (String, [usize; N]) {
    let mut text = String::with_capacity(bytes.len());
    let mut moved = [0; N];
    let mut at = 0;
    let mut reach = |text: &String, from: usize, to: usize| {
        for (moved, &offset) in moved.iter_mut().zip(&offsets) {
            // Inside a character, its beginning.
            if (from..to).contains(&offset) {
                *moved = text.len();
            }
        }
    };
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            reach(&text, at, at + character.len_utf8());
            text.push(character);
            at += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            reach(&text, at, at + chunk.invalid().len());
            text.push(char::REPLACEMENT_CHARACTER);
            at += chunk.invalid().len();
        }
    }
    reach(&text, at, usize::MAX);
    (text, moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_grammar::scan;

    #[test]
    fn offsets_follow_what_is_replaced() {
        let (text, offsets) = drawable(b"a\xffb\xc3\xa9c", [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(text, "a\u{fffd}b\u{e9}c");
        assert_eq!(offsets, [0, 1, 4, 5, 5, 7, 8]);
    }

    #[test]
    fn places_are_in_lines_whatever_ends_them() {
        let source = b"\xef\xbb\xbfallow: x\rdisallow: y\r\n\n# z\nhalf";
        let tree = scan(source, 30);
        let places = Places::new(&tree);
        let place = |start, end| places.of(Span { start, end });
        assert_eq!((place(0, 3).line, place(0, 3).column), (1, 1));
        assert_eq!((place(10, 11).line, place(10, 11).column), (1, 11));
        assert_eq!((place(22, 23).line, place(22, 23).column), (2, 11));
        assert_eq!(places.text(place(22, 23)), ("disallow: y".to_owned(), 10..11));
        assert_eq!(places.columns(place(22, 23)), Some((11, 12)));
        let unread = place(tree.unread.start, tree.unread.end);
        assert_eq!(places.columns(unread), Some((1, 5)));
        assert_eq!(places.text(unread), ("half".to_owned(), 0..4));
        assert_eq!(unread.line, 5);
    }
}
