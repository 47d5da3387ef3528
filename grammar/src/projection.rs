//! Bytes as text for pest, and the way back.
//!
//! All grammars run on bytes through this file. pest reads text, but a robots.txt is bytes. So each
//! byte is projected to the character with the same number (Latin-1), which loses nothing, and
//! offsets are mapped back: from 0x80 on, a character takes two bytes. Invariant: ASCII is
//! borrowed, not copied. This file knows no rule of any grammar.

use std::borrow::Cow;

use pest::RuleType;
use pest::iterators::Pair;

use crate::Span;

/// A piece of a source as text.
pub(crate) struct Projection<'s> {
    pub(crate) text: Cow<'s, str>,
    /// The offset of the piece in the source.
    base: u32,
    /// For each byte offset into `text`, the offset into the piece; `None` if they are equal.
    offsets: Option<Vec<u32>>,
}

impl<'s> Projection<'s> {
    /// Projects `piece`, which is at `base` in its source.
    pub(crate) fn new(piece: &'s [u8], base: u32) -> Projection<'s> {
        if let Some(text) = str::from_utf8(piece).ok().filter(|text| text.is_ascii()) {
            return Projection { text: Cow::Borrowed(text), base, offsets: None };
        }
        let text: String = piece.iter().copied().map(char::from).collect();
        let mut offsets = Vec::with_capacity(text.len() + 1);
        for (offset, &byte) in piece.iter().enumerate() {
            offsets.resize(offsets.len() + char::from(byte).len_utf8(), offset as u32);
        }
        offsets.push(piece.len() as u32);
        Projection { text: Cow::Owned(text), base, offsets: Some(offsets) }
    }

    /// The span of a pair in the source.
    pub(crate) fn span<R: RuleType>(&self, pair: &Pair<'_, R>) -> Span {
        let span = pair.as_span();
        let offset = |at: usize| match &self.offsets {
            Some(offsets) => offsets[at],
            None => at as u32,
        };
        Span { start: self.base + offset(span.start()), end: self.base + offset(span.end()) }
    }
}
