//! The lossless syntax tree: made by both readers, and used by everything after them.
//!
//! A tree is the source with spans over it: lines in order, and groups as ranges of lines. It owns
//! no text. Invariants: the lines cover the source without gap or overlap from `bom.end` to
//! `unread.start`; the groups are disjoint, in order, and every user-agent line is in one. The tree
//! does not know the meaning of a value.
//!
//! ```text
//!   source   EF BB BF │ Sitemap: /s ␊ │ User-agent: a ␊ │ Disallow: / # b ␊ │ half a li
//!   tree     bom      │ line 0        │ line 1          │ line 2            │ unread (over the limit)
//!                                     └── group { start: 1, body: 2, end: 3 }
//! ```

use std::ops::Range;

use crate::Key;

/// The minimum parse limit that RFC 9309 2.5 requires: 500 KiB (R4).
pub const DEFAULT_LIMIT: usize = 500 * 1024;

/// A half-open range of byte offsets into the source.
///
/// A missing part has an empty span at the end of its possible place.
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

    /// True if the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The number of bytes in the span.
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The offsets as a range, for slices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// Only white space, a comment, or both.
    Blank,
    /// A record with a known key.
    Field(Key),
    /// A field of the Automated Content Access Protocol: its key begins with `acap-`.
    Acap,
    /// A record with an unknown key.
    Unknown,
    /// Text that is not a record: it has no separator, or nothing before it.
    Malformed,
}

/// One line, with the spans of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The whole line with its terminator (CR, LF or CRLF; the last line may have none).
    pub span: Span,
    /// The kind of the line.
    pub kind: LineKind,
    /// The key without surrounding white space. In a malformed line without a separator, the whole
    /// text.
    pub key: Span,
    /// The value without surrounding white space and comment.
    pub value: Span,
    /// The comment, from `#` up to the terminator.
    pub comment: Span,
}

/// A run of user-agent lines with the rules that they share, as indexes into [`Tree::lines`] (R6).
///
/// Other lines (blank ones, Sitemap, ACAP fields, unknown keys) may occur anywhere between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// The first user-agent line.
    pub start: u32,
    /// The first allow or disallow line; `end` if there is none.
    pub body: u32,
    /// The line after the last one.
    pub end: u32,
}

/// A parsed robots.txt file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<'s> {
    /// The source bytes.
    pub source: &'s [u8],
    /// The UTF-8 byte order mark, or a part of one, at the start; skipped (R1).
    pub bom: Span,
    /// Every line, in order.
    pub lines: Vec<Line>,
    /// Every group, in order.
    pub groups: Vec<Group>,
    /// The part cut off by the limit (R4); normally empty. In a source over 4 GiB, it ends at the
    /// maximum of `u32`.
    pub unread: Span,
}

impl<'s> Tree<'s> {
    /// The source, reassembled from its parts byte for byte.
    pub fn print(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.source.len());
        out.extend_from_slice(self.text(self.bom));
        for line in &self.lines {
            out.extend_from_slice(self.text(line.span));
        }
        // Not `text(unread)`: the rest of a source over 4 GiB is longer than a span can express.
        out.extend_from_slice(&self.source[self.unread.start as usize..]);
        out
    }

    /// The bytes in a span of this tree.
    pub fn text(&self, span: Span) -> &'s [u8] {
        span.of(self.source)
    }

    /// True if a record has this key.
    pub fn has(&self, key: Key) -> bool {
        self.lines.iter().any(|line| line.kind == LineKind::Field(key))
    }

    /// The number of the line at `index` in [`Tree::lines`]; lines are numbered from 1.
    pub fn line_number(&self, index: usize) -> u32 {
        // A line has at least one byte and offsets are u32, so there are at most u32::MAX lines.
        index as u32 + 1
    }
}

/// The bounds of the text that is read: from after the byte order mark to the end or the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) bom: Span,
    pub(crate) unread: Span,
}

impl Extent {
    /// R1 and R4. The cut is after the last whole terminator within the limit, so that no reader
    /// ever sees part of a line; a CRLF across the limit is not within it.
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
