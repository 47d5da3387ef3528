//! The lossless syntax tree: what both readers make, and what everything after them reads.
//!
//! A tree is the source with spans over it: lines in order, and groups as ranges of lines. It owns
//! no text. Invariants: the lines cover the source without gap or overlap from `bom.end` to
//! `unread.start`; the groups are disjoint, in order, and every user-agent line is in one. It does
//! not know what a value means.
//!
//! ```text
//!   source   EF BB BF │ Sitemap: /s ␊ │ User-agent: a ␊ │ Disallow: / # b ␊ │ half a li
//!   tree     bom      │ line 0        │ line 1          │ line 2            │ unread (over the limit)
//!                                     └── group { start: 1, body: 2, end: 3 }
//! ```

use std::ops::Range;

use crate::Key;

/// The parse limit that RFC 9309 2.5 asks for at least: 500 KiB (R4).
pub const DEFAULT_LIMIT: usize = 500 * 1024;

/// A half-open range of byte offsets into the source.
///
/// What is absent has an empty span at the end of the place it could have stood in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes under the span.
    ///
    /// # Panics
    /// If the span is not of this source.
    pub fn of(self, source: &[u8]) -> &[u8] {
        &source[self.range()]
    }

    /// Whether no byte is under the span.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The number of bytes under the span.
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The offsets as slices take them.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// Nothing but white space, a comment, or both.
    Blank,
    /// A record with a known key.
    Field(Key),
    /// A field of the Automated Content Access Protocol: its key begins with `acap-`.
    Acap,
    /// A record with a key that nobody knows.
    Unknown,
    /// Text that is no record: it has no separator, or nothing before it.
    Malformed,
}

/// One line, with the spans of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The whole line with its terminator (CR, LF or CRLF; the last line may have none).
    pub span: Span,
    /// What the line is.
    pub kind: LineKind,
    /// The key without white space around it. All the text, where a malformed line has no
    /// separator.
    pub key: Span,
    /// The value without white space around it and without the comment.
    pub value: Span,
    /// The comment, from `#` to before the terminator.
    pub comment: Span,
}

/// A run of user-agent lines with the rules they share, as indices into [`Tree::lines`] (R6).
///
/// Other lines (blank ones, Sitemap, ACAP fields, unknown keys) may stand anywhere between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// The first user-agent line.
    pub start: u32,
    /// The first allow or disallow line; `end` if there is none.
    pub body: u32,
    /// After the last line.
    pub end: u32,
}

/// A robots.txt file as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<'s> {
    /// The bytes that were read.
    pub source: &'s [u8],
    /// The UTF-8 byte order mark, or a part of one, at the very start; skipped (R1).
    pub bom: Span,
    /// Every line, in order.
    pub lines: Vec<Line>,
    /// Every group, in order.
    pub groups: Vec<Group>,
    /// What the limit cut off (R4); empty as a rule. Of a source over 4 GiB, it ends where `u32`
    /// ends.
    pub unread: Span,
}

impl<'s> Tree<'s> {
    /// The source again, put together from the parts: byte for byte what was read.
    pub fn print(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.source.len());
        out.extend_from_slice(self.text(self.bom));
        for line in &self.lines {
            out.extend_from_slice(self.text(line.span));
        }
        // Not `text(unread)`: the rest of a source over 4 GiB is longer than a span can say.
        out.extend_from_slice(&self.source[self.unread.start as usize..]);
        out
    }

    /// The bytes under a span of this tree.
    pub fn text(&self, span: Span) -> &'s [u8] {
        span.of(self.source)
    }

    /// The number of the line at `index` of [`Tree::lines`]: lines are numbered from 1.
    pub fn line_number(&self, index: usize) -> u32 {
        // A line has at least one byte and offsets are u32, so there are at most u32::MAX lines.
        index as u32 + 1
    }
}

/// Where the text that is read begins and ends: after the byte order mark, and at the end or the
/// limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) bom: Span,
    pub(crate) unread: Span,
}

impl Extent {
    /// R1 and R4. The cut falls after the last whole terminator within the limit, so that no reader
    /// ever sees a part of a line; a CRLF that straddles the limit is not within it.
    pub(crate) fn new(source: &[u8], limit: usize) -> Extent {
        let mark = b"\xef\xbb\xbf".iter().zip(source).take_while(|(mark, byte)| mark == byte).count();
        let limit = limit.min(u32::MAX as usize);
        let cut = if source.len() <= limit {
            source.len()
        } else {
            let split = limit > 0 && source[limit - 1..].starts_with(b"\r\n");
            let within = &source[..limit - usize::from(split)];
            memchr::memrchr2(b'\r', b'\n', within).map_or(mark, |last| last + 1)
        };
        let end = source.len().min(u32::MAX as usize);
        Extent {
            bom: Span { start: 0, end: mark as u32 },
            unread: Span { start: cut as u32, end: end as u32 },
        }
    }
}
