//! The fast reader: one pass over the bytes, a line at a time.
//!
//! Production uses this reader; `definition` defines the correct result, and a property test
//! compares the two. Invariants: linear time, no allocation except the growth of the two lists, no
//! failure. This file knows nothing that is not in `rep.pest`.

use crate::tree::Extent;
use crate::{Group, Key, Line, LineKind, Span, Tree};

/// Reads `source` up to `limit` bytes. Never fails: text that is not a record becomes a line of
/// another kind.
pub fn scan(source: &[u8], limit: usize) -> Tree<'_> {
    let Extent { bom, unread } = Extent::new(source, limit);
    let text = &source[..unread.start as usize];
    // Counting the lines takes less time than moving them. Few files have other line ends.
    let mut lines = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    let mut groups = Grouping::default();
    let mut start = bom.end as usize;
    while start < text.len() {
        let rule = rule_key(&text[start..]);
        let from = rule.map_or(start, |(_, length)| start + length);
        // Most lines have no comment: a single search finds the end of their text.
        let hash = memchr::memchr3(b'#', b'\r', b'\n', &text[from..]).map_or(text.len(), |at| from + at);
        let stop = match text.get(hash) {
            Some(b'#') => memchr::memchr2(b'\r', b'\n', &text[hash..]).map_or(text.len(), |at| hash + at),
            _ => hash,
        };
        let next = match &text[stop..] {
            [b'\r', b'\n', ..] => stop + 2,
            [_, ..] => stop + 1,
            [] => stop,
        };
        let (kind, key, value) = match rule {
            Some((key, length)) => {
                let colon = start + length;
                (LineKind::Field(key), span(start, colon), trim(text, colon + 1, hash))
            }
            None => read_record(text, start, hash),
        };
        let line = Line { span: span(start, next), kind, key, value, comment: span(hash, stop) };
        groups.see(lines.len() as u32, line.kind);
        lines.push(line);
        start = next;
    }
    let groups = groups.finish(lines.len() as u32);
    Tree { source, bom, lines, groups, unread }
}

/// The key at the start of most lines, if a colon follows directly, and its length. [`read_record`]
/// finds the same.
fn rule_key(line: &[u8]) -> Option<(Key, usize)> {
    // With this bit, letters are in lower case, and no other byte is a letter.
    const LOWER: u64 = u64::from_le_bytes([0x20; 8]);
    const FIVE: u64 = u64::MAX >> 24;
    let word = u64::from_le_bytes(*line.first_chunk()?) | LOWER;
    if word == u64::from_le_bytes(*b"disallow") && line.get(8) == Some(&b':') {
        Some((Key::Disallow, 8))
    } else if word & FIVE == u64::from_le_bytes(*b"allow\0\0\0") && line[5] == b':' {
        Some((Key::Allow, 5))
    } else {
        None
    }
}

/// Reads the text from `start` to `hash`: a line without its comment and terminator.
fn read_record(text: &[u8], start: usize, hash: usize) -> (LineKind, Span, Span) {
    let start = past_indent(text, start, hash);
    let words = trim(text, start, hash);
    let Some(colon) = memchr::memchr(b':', &text[start..hash]).map(|at| start + at) else {
        return two_words(text, words).unwrap_or_else(|| read_without_colon(text, words, span(hash, hash)));
    };
    let key = trim(text, start, colon);
    let kind = match Key::from_bytes(key.of(text)) {
        Some(key) => LineKind::Field(key),
        None if key.is_empty() => LineKind::Malformed,
        // The colon may be one of the value, as in `Sitemap https://…`. No crawler's name has one.
        None => match two_words(text, words) {
            Some(record) if !matches!(record.0, LineKind::Field(Key::UserAgent) | LineKind::Acap) => {
                return record;
            }
            _ if is_acap(key.of(text)) => LineKind::Acap,
            _ => LineKind::Unknown,
        },
    };
    (kind, key, trim(text, colon + 1, hash))
}

/// R1: the place after the white space and the marks at the start of a line.
pub(crate) fn past_indent(text: &[u8], mut start: usize, end: usize) -> usize {
    loop {
        match &text[start..end] {
            [byte, ..] if is_space(*byte) => start += 1,
            line => match mark_length(line) {
                0 => return start,
                length => start += length,
            },
        }
    }
}

/// R1: the length of the byte order mark, perhaps encoded twice, or of the zero-width character at
/// the start of a text; 0 if there is none.
pub(crate) fn mark_length(text: &[u8]) -> usize {
    match text {
        [0xEF, 0xBB, 0xBF, ..] | [0xE2, 0x80, 0x8B..=0x8D, ..] => 3,
        [0xC3, 0xAF, 0xC2, 0xBB, 0xC2, 0xBF, ..] => 6,
        _ => 0,
    }
}

/// True if a key outside [`Key`] belongs to an ACAP field (V1).
pub(crate) fn is_acap(key: &[u8]) -> bool {
    // One byte rules out other keys, so ordinary files pay for nothing else.
    matches!(key.first(), Some(b'A' | b'a'))
        && key.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"acap-"))
}

/// R3: two words that no colon separates are a record if the first one is a key.
fn two_words(text: &[u8], words: Span) -> Option<(LineKind, Span, Span)> {
    let (start, end) = (words.start as usize, words.end as usize);
    let gap = start + text[start..end].iter().position(|&byte| is_space(byte))?;
    let word = &text[start..gap];
    let kind = match Key::from_bytes(word) {
        Some(key) => LineKind::Field(key),
        None if is_acap(word) => LineKind::Acap,
        None => return None,
    };
    let value = trim(text, gap, end);
    let is_word = !value.of(text).iter().any(|&byte| is_space(byte));
    is_word.then(|| (kind, span(start, gap), value))
}

/// V4: one word is a record if it is the directive of ACAP.
fn read_without_colon(text: &[u8], words: Span, absent: Span) -> (LineKind, Span, Span) {
    if words.is_empty() {
        return (LineKind::Blank, absent, absent);
    }
    let is_directive = words.of(text).eq_ignore_ascii_case(b"acap-ignore-conventional-records");
    (if is_directive { LineKind::Acap } else { LineKind::Malformed }, words, absent)
}

/// The range without surrounding white space; an empty span at `end` if there is nothing else.
fn trim(text: &[u8], mut start: usize, mut end: usize) -> Span {
    let absent = span(end, end);
    while start < end && is_space(text[start]) {
        start += 1;
    }
    while start < end && is_space(text[end - 1]) {
        end -= 1;
    }
    if start == end { absent } else { span(start, end) }
}

pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn span(start: usize, end: usize) -> Span {
    // `Extent` keeps all read offsets below u32::MAX.
    Span { start: start as u32, end: end as u32 }
}

/// The groups so far; the last one is open. R6: only a rule closes its list of agents.
#[derive(Default)]
struct Grouping {
    groups: Vec<Group>,
}

impl Grouping {
    /// The end of a group or list that is still open: beyond every line.
    const OPEN: u32 = u32::MAX;

    /// Processes the line at `index`.
    fn see(&mut self, index: u32, kind: LineKind) {
        match (kind, self.groups.last_mut()) {
            (LineKind::Field(Key::UserAgent), Some(group)) if group.body == Self::OPEN => {}
            (LineKind::Field(Key::UserAgent), last) => {
                if let Some(group) = last {
                    group.end = index;
                }
                self.groups.push(Group { start: index, body: Self::OPEN, end: Self::OPEN });
            }
            (LineKind::Field(Key::Allow | Key::Disallow), Some(group)) => group.body = group.body.min(index),
            _ => {}
        }
    }

    /// The finished groups of a text with `lines` lines.
    fn finish(mut self, lines: u32) -> Vec<Group> {
        if let Some(group) = self.groups.last_mut() {
            group.body = group.body.min(lines);
            group.end = lines;
        }
        self.groups
    }
}
