//! Canonical bytes: the one spelling in which patterns and targets are compared.
//!
//! Both sides of every comparison pass through here: the compiler canonicalises patterns, the
//! runtime canonicalises targets, and each [`Notation`] defines how. Canonicalisation never fails,
//! looks at each byte a bounded number of times, and never makes an escape: under [`Notation::Rep`]
//! an escape that would complete a stray `%` to another escape is left alone, and
//! [`Notation::Koster`] and [`Notation::Acap`] write every percent sign as `%25` (decision 37).
//! Tabs and line ends in a target are dropped, as clients drop them from a URL before they request
//! it.
//! Text that is already canonical is borrowed, not copied; [`is_plain`] detects most of it without
//! a branch per byte.
//!
//! This file does not know the meaning of a pattern's `*` and `$` ([`crate::pattern`]), nor where a
//! URL's path begins.

use crate::int::small;
use std::borrow::Cow;
use wide::{i8x16, u8x16};

/// How patterns are written and how bytes are compared: one notation per dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub enum Notation {
    /// RFC 9309 with R10: escapes of unreserved characters are decoded, others kept in upper case,
    /// and characters that a URI must not contain are encoded; `*` and a final `$` are wildcards,
    /// `%2A` and `%24` the literal characters.
    Rep = 0,
    /// google/robotstxt: patterns get upper-case hex digits, and bytes from 0x80 are encoded;
    /// nothing else changes. Targets are left as they are. Wildcards as above, but the literal
    /// characters cannot be written.
    Google = 1,
    /// The 1996 draft (K13): every escape except `%2F` is decoded on both sides; a pattern is a
    /// prefix without wildcards.
    Koster = 2,
    /// ACAP (decision 8, V47): every escape is decoded except `%2F` and, in patterns, `%2A` and
    /// `%24`, which are the literal characters; letters become lower case; a literal `%` is written
    /// `%25`. Wildcards as in `Rep`.
    Acap = 3,
}

impl Notation {
    /// The notation with this number in a program, if there is one.
    pub const fn from_u8(number: u8) -> Option<Notation> {
        match number {
            0 => Some(Notation::Rep),
            1 => Some(Notation::Google),
            2 => Some(Notation::Koster),
            3 => Some(Notation::Acap),
            _ => None,
        }
    }

    /// The canonical bytes of a target (path and query, no fragment).
    #[inline]
    pub fn target<'t>(self, target: &'t [u8]) -> Cow<'t, [u8]> {
        match self {
            Notation::Google => Cow::Borrowed(target),
            Notation::Rep | Notation::Koster if is_plain(target) => Cow::Borrowed(target),
            _ if has_dropped(target) => {
                let kept: Vec<u8> = target.iter().copied().filter(|&byte| !is_dropped(byte)).collect();
                Cow::Owned(self.rewritten(&kept).into_owned())
            }
            _ => self.rewritten(target),
        }
    }

    /// The canonical bytes of a target from which nothing is dropped.
    fn rewritten(self, target: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Notation::Google => Cow::Borrowed(target),
            Notation::Acap => rewrite(target, acap_target),
            Notation::Rep => rewrite(target, rep_target),
            Notation::Koster => rewrite(target, koster),
        }
    }

    /// Like [`Notation::target`] without allocating: a target that must be rewritten is written
    /// into `space`. `None` if it does not fit, or [`has_dropped`] is true of it; otherwise three
    /// times the target's length suffices.
    #[inline]
    pub fn target_in<'t>(self, target: &'t [u8], space: &'t mut [u8]) -> Option<&'t [u8]> {
        if self == Notation::Google {
            return Some(target);
        }
        if is_plain(target) {
            return match self {
                Notation::Acap => lowercase_in(target, space),
                _ => Some(target),
            };
        }
        if has_dropped(target) {
            return None;
        }
        let mut buffer = Buffer { bytes: space, length: 0 };
        match self {
            Notation::Rep => run(target, rep_target, &mut buffer),
            Notation::Acap => run(target, acap_target, &mut buffer),
            Notation::Koster | Notation::Google => run(target, koster, &mut buffer),
        }
        let Buffer { bytes, length } = buffer;
        bytes.get(..length)
    }

    /// The canonical form of a pattern from a file, with its wildcards.
    pub fn pattern<'t>(self, pattern: &'t [u8]) -> Cow<'t, [u8]> {
        match self {
            Notation::Acap => rewrite(pattern, acap_pattern),
            _ if is_plain(pattern) => Cow::Borrowed(pattern),
            Notation::Rep => rewrite(pattern, rep_pattern),
            Notation::Google => rewrite(pattern, google_pattern),
            Notation::Koster => rewrite(pattern, koster),
        }
    }
}

/// True if the text consists of printable ASCII that a URI may contain, without `%` and `#`. Then
/// every notation except `Acap`, which folds case, leaves the text unchanged, and the text has no
/// fragment. Written as folds without early exits, so that the compiler vectorises it.
#[inline]
pub fn is_plain(text: &[u8]) -> bool {
    !any(text, |bytes| {
        let signed: i8x16 = wide::bytemuck::cast(bytes);
        let above = |least: i8| -> u8x16 { wide::bytemuck::cast(signed.simd_gt(i8x16::splat(least))) };
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        let braces_and_delete = above(b'z'.cast_signed()) & !is(b'~');
        !above(0x20)
            | braces_and_delete
            | pair(bytes, 2, b'<')
            | pair(bytes, 2, b'\\')
            | pair(bytes, 1, b'"')
            | is(b'%')
            | is(b'`')
    })
}

/// True if clients drop this byte from a URL, wherever it stands (URL standard, "basic URL
/// parser").
#[inline]
pub const fn is_dropped(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}

/// True if the target has a byte that [`is_dropped`].
#[inline]
pub fn has_dropped(target: &[u8]) -> bool {
    memchr::memchr3(b'\t', b'\n', b'\r', target).is_some()
}

/// True if the text has none of the bytes `*`, `$` and `%`, with which a pattern may stand for
/// other bytes than its own.
#[inline]
pub(crate) fn is_literal(text: &[u8]) -> bool {
    !any(text, |bytes| pair(bytes, 1, b'$') | bytes.simd_eq(u8x16::splat(b'*')))
}

/// One comparison for a byte and the byte that differs from it in this bit, which it lacks: `<`
/// and `>`, `\` and `^`, `"` and `#` (0x22, 0x23), `$` and `%` (0x24, 0x25).
#[inline(always)]
fn pair(bytes: u8x16, bit: u8, byte: u8) -> u8x16 {
    (bytes & u8x16::splat(!bit)).simd_eq(u8x16::splat(byte))
}

/// True if `odd` marks any byte of the text.
#[inline(always)]
fn any(text: &[u8], odd: impl Fn(u8x16) -> u8x16) -> bool {
    let (chunks, rest) = text.as_chunks::<16>();
    let odd = |chunk: &[u8; 16]| odd(u8x16::new(*chunk));
    let found = chunks.iter().fold(u8x16::splat(0), |found, chunk| found | odd(chunk));
    if rest.is_empty() {
        return found.any();
    }
    // The partial last chunk is read as a full one that overlaps the previous one.
    match text.last_chunk::<16>() {
        Some(last) => (found | odd(last)).any(),
        None => odd(&first_bytes(text)).to_bitmask() & ((1 << text.len()) - 1) != 0,
    }
}

/// A text with ASCII letters in lower case, written into `space`: what `Acap` makes of plain text.
/// `None` if it does not fit.
#[inline]
pub fn lowercase_in<'t>(text: &[u8], space: &'t mut [u8]) -> Option<&'t [u8]> {
    let out = space.get_mut(..text.len())?;
    let lower = |chunk: &[u8; 16]| -> [u8; 16] {
        let signed = i8x16::new(chunk.map(u8::cast_signed));
        let above = |least: i8| signed.simd_gt(i8x16::splat(least));
        let capital = above(b'@'.cast_signed()) & !above(b'Z'.cast_signed());
        wide::bytemuck::cast(signed | capital & i8x16::splat(0x20))
    };
    // The partial last chunk is written as a full one that overlaps the previous one.
    if let (Some(last), Some(place)) = (text.last_chunk(), out.last_chunk_mut()) {
        *place = lower(last);
        for (chunk, place) in text.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
            *place = lower(chunk);
        }
    } else {
        let bytes = lower(&first_bytes(text));
        out.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
    }
    Some(out)
}

/// True if a URI may contain this byte of printable ASCII (RFC 3986 2). Clients percent-encode the
/// others.
const fn may_stand(byte: u8) -> bool {
    !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

/// Eight bytes of a text starting at `at` (at most its length), padded with zeros.
#[inline(always)]
pub fn word(text: &[u8], at: usize) -> u64 {
    match text.last_chunk::<8>() {
        Some(_) => {
            // Near the end, shift the last eight bytes. The shift is done in two halves, since it
            // may be the full width.
            let start = at.min(text.len() - 8);
            let bytes = text.get(start..).and_then(<[u8]>::first_chunk);
            let shift = 4 * small(at.saturating_sub(start));
            u64::from_le_bytes(bytes.copied().unwrap_or_default()) >> shift >> shift
        }
        None => text.iter().skip(at).rev().fold(0, |word, &byte| (word << 8) | u64::from(byte)),
    }
}

/// The first sixteen bytes of a text, padded with zeros.
#[inline(always)]
pub fn first_bytes(text: &[u8]) -> [u8; 16] {
    if let Some(&whole) = text.first_chunk() {
        return whole;
    }
    let (low, high) = if let (Some(&first), Some(&last)) = (text.first_chunk(), text.last_chunk()) {
        let shift = 8 * small(16 - text.len());
        (u64::from_le_bytes(first), u64::from_le_bytes(last).checked_shr(shift).unwrap_or_default())
    } else if let (Some(&first), Some(&last)) = (text.first_chunk(), text.last_chunk()) {
        // Where the two overlap, their bytes are equal.
        let last = u64::from(u32::from_le_bytes(last)) << (8 * (text.len() - 4));
        (u64::from(u32::from_le_bytes(first)) | last, 0)
    } else {
        (text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0)
    };
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

/// A buffer and the number of bytes pushed; more than its length means that it was too small.
struct Buffer<'b> {
    bytes: &'b mut [u8],
    length: usize,
}

impl Buffer<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length += 1;
    }

    #[inline]
    fn push_three(&mut self, bytes: [u8; 3]) {
        if let Some(place) = self.bytes.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut) {
            *place = bytes;
        }
        self.length += 3;
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.length > self.bytes.len()
    }
}

/// One rewriting step, a function of a text and its first byte, a flag and the output: it reads at
/// least that byte, appends its canonical form and returns the number of bytes read. The flag is
/// true at a `%` if a stray one is one or two bytes back, so that a decoded digit could complete
/// it.
trait Step: Fn(u8, &[u8], bool, &mut Buffer<'_>) -> usize {}

impl<F: Fn(u8, &[u8], bool, &mut Buffer<'_>) -> usize> Step for F {}

fn rewrite(text: &[u8], step: impl Step) -> Cow<'_, [u8]> {
    // No byte becomes more than an escape.
    let mut bytes = vec![0; 3 * text.len()];
    let mut out = Buffer { bytes: &mut bytes, length: 0 };
    run(text, step, &mut out);
    let length = out.length;
    bytes.truncate(length);
    if bytes == text {
        return Cow::Borrowed(text);
    }
    bytes.shrink_to_fit();
    Cow::Owned(bytes)
}

/// Rewrites a text, or its start if the room is over.
#[inline]
fn run(text: &[u8], step: impl Step, out: &mut Buffer<'_>) {
    let mut at = 0;
    // All escapes before `at` have been read, so a `%` this close is a stray one.
    let near = |at: usize| {
        let byte = |back: usize| text.get(at.wrapping_sub(back));
        byte(1) == Some(&b'%') || byte(2) == Some(&b'%') && byte(1).is_some_and(u8::is_ascii_hexdigit)
    };
    while let Some(rest @ &[first, ..]) = text.get(at..)
        && !out.is_over()
    {
        at += step(first, rest, first == b'%' && near(at), out);
    }
}

#[inline]
fn rep_target(first: u8, text: &[u8], stray: bool, out: &mut Buffer<'_>) -> usize {
    match escape(text) {
        // The literal character of a wildcard matches in both spellings, so targets have it
        // unescaped (R10).
        Some(byte @ (b'*' | b'$')) => out.push(byte),
        Some(byte) if is_unreserved(byte) && !(stray && byte.is_ascii_hexdigit()) => out.push(byte),
        Some(byte) => push_escape(byte, out),
        None => return plain_or_encoded(first, out),
    }
    3
}

#[inline]
fn rep_pattern(first: u8, text: &[u8], stray: bool, out: &mut Buffer<'_>) -> usize {
    match escape(text) {
        Some(byte) if is_unreserved(byte) && !(stray && byte.is_ascii_hexdigit()) => out.push(byte),
        Some(byte) => push_escape(byte, out),
        None => return plain_or_encoded(first, out),
    }
    3
}

#[inline]
fn google_pattern(first: u8, text: &[u8], _: bool, out: &mut Buffer<'_>) -> usize {
    match escape(text) {
        Some(byte) => {
            push_escape(byte, out);
            3
        }
        None => {
            if first >= 0x80 {
                push_escape(first, out)
            } else {
                out.push(first)
            }
            1
        }
    }
}

#[inline]
fn koster(first: u8, text: &[u8], _: bool, out: &mut Buffer<'_>) -> usize {
    decode_all(first, text, |byte| byte, out)
}

#[inline]
fn acap_target(first: u8, text: &[u8], _: bool, out: &mut Buffer<'_>) -> usize {
    decode_all(first, text, |byte| byte.to_ascii_lowercase(), out)
}

/// Decodes every escape but that of a slash, which differs from a slash. A percent sign is written
/// as `%25`, since a bare one would look like the start of an escape (decision 37).
#[inline]
fn decode_all(first: u8, text: &[u8], fold: impl Fn(u8) -> u8, out: &mut Buffer<'_>) -> usize {
    let escape = escape(text);
    match escape.unwrap_or(first) {
        b'/' if escape.is_some() => push_escape(b'/', out),
        b'%' => push_escape(b'%', out),
        byte => out.push(fold(byte)),
    }
    if escape.is_some() { 3 } else { 1 }
}

#[inline]
fn acap_pattern(first: u8, text: &[u8], stray: bool, out: &mut Buffer<'_>) -> usize {
    match escape(text) {
        Some(byte @ (b'*' | b'$')) => {
            push_escape(byte, out);
            3
        }
        _ => acap_target(first, text, stray, out),
    }
}

#[inline]
fn plain_or_encoded(byte: u8, out: &mut Buffer<'_>) -> usize {
    if !byte.is_ascii_graphic() || !may_stand(byte) {
        push_escape(byte, out)
    } else {
        out.push(byte)
    }
    1
}

/// The byte that a `%xx` at the start of `text` stands for. `None` for a stray `%`.
#[inline]
pub(crate) fn escape(text: &[u8]) -> Option<u8> {
    let &[b'%', high, low, ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

#[inline]
fn push_escape(byte: u8, out: &mut Buffer<'_>) {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'A' - 10 + value };
    out.push_three([b'%', digit(byte >> 4), digit(byte & 15)]);
}

/// Unreserved characters (RFC 3986 2.3).
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Cow<'_, [u8]>) -> String {
        String::from_utf8(bytes.into_owned()).unwrap()
    }

    #[test]
    fn r10_on_both_sides() {
        for (written, pattern, target) in [
            ("/a%2fb%61%7e", "/a%2Fba~", "/a%2Fba~"),
            ("/%2a%24*$", "/%2A%24*$", "/*$*$"),
            ("/é \x01", "/%C3%A9%20%01", "/%C3%A9%20%01"),
            ("/a{b}|\"<>\\^`[]", "/a%7Bb%7D%7C%22%3C%3E%5C%5E%60[]", "/a%7Bb%7D%7C%22%3C%3E%5C%5E%60[]"),
            ("/%zz%", "/%zz%", "/%zz%"),
            ("/%252A", "/%252A", "/%252A"),
            ("/a%2%41%%32%41", "/a%2%41%%32A", "/a%2%41%%32A"),
        ] {
            assert_eq!(text(Notation::Rep.pattern(written.as_bytes())), pattern);
            assert_eq!(text(Notation::Rep.target(written.as_bytes())), target);
            let mut space = [0; 64];
            assert_eq!(Notation::Rep.target_in(written.as_bytes(), &mut space), Some(target.as_bytes()));
            assert_eq!(Notation::Rep.target_in(written.as_bytes(), &mut space[..3]), None);
        }
    }

    #[test]
    fn other_notations() {
        assert_eq!(text(Notation::Google.pattern("/%2fé %61".as_bytes())), "/%2F%C3%A9 %61");
        assert_eq!(text(Notation::Google.target("/%2f".as_bytes())), "/%2f");
        assert_eq!(text(Notation::Koster.pattern(b"/%7ejoe%2fa*")), "/~joe%2Fa*");
        assert_eq!(text(Notation::Koster.pattern(b"/%252F%2541%zz%25")), "/%252F%2541%25zz%25");
        assert_eq!(text(Notation::Acap.pattern(b"/%7eJoe%2fA*%2a%24%25%z$")), "/~joe%2Fa*%2A%24%25%25z$");
        assert_eq!(text(Notation::Acap.target(b"/%7eJoe%2fA*%2a%24%25%z$")), "/~joe%2Fa**$%25%25z$");
    }

    #[test]
    fn tabs_and_line_ends_are_dropped_from_targets() {
        for (notation, written, target) in [
            (Notation::Rep, "/\nx%4\r1\t\x0B", "/xA%0B"),
            (Notation::Koster, "/\nx%4\r1\t", "/xA"),
            (Notation::Acap, "/\nX%4\r1\t", "/xa"),
            (Notation::Google, "/\nx%4\r1\t", "/\nx%4\r1\t"),
        ] {
            assert_eq!(text(notation.target(written.as_bytes())), target);
            let fits = notation.target_in(written.as_bytes(), &mut [0; 64]).is_some();
            assert_eq!(fits, notation == Notation::Google);
        }
        assert_eq!(text(Notation::Rep.pattern(b"/a\tb")), "/a%09b");
    }

    #[test]
    fn plain_is_what_no_notation_changes() {
        for length in 0..40 {
            for at in 0..length {
                for byte in 0..=255u8 {
                    let mut text = vec![b'a'; length];
                    text[at] = byte;
                    assert_eq!(is_literal(&text), !b"*$%".contains(&byte));
                    let odd = b"%#\"<>\\^`{|}";
                    assert_eq!(is_plain(&text), byte.is_ascii_graphic() && !odd.contains(&byte));
                }
            }
        }
    }

    #[test]
    fn letters_become_lower_case_at_every_length() {
        let all: Vec<u8> = (0..=u8::MAX).chain(0..=u8::MAX).collect();
        for text in (0..40).flat_map(|length| all.windows(length.max(1)).map(move |text| &text[..length])) {
            let mut space = [0; 40];
            assert_eq!(lowercase_in(text, &mut space), Some(&*text.to_ascii_lowercase()));
        }
        assert_eq!(lowercase_in(b"abc", &mut [0; 2]), None);
    }
}
