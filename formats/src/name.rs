//! The code for site names, in which each frequent piece of a host name is one byte (SPEC.md
//! section 4).
//!
//! The names of a bucket are stored together: a head for each site, then a code for each. A code
//! that is too long for a bucket is in a section of its own. The writer encodes greedily. A reader
//! compares names in full without decoding them, so a look-up is exact and allocates nothing. Names
//! are ASCII (`site`) without NUL, so bytes from 0x80 are free for the pieces, and NUL for codes
//! that are elsewhere. This file does not know what a host is.

use crate::int::{byte, index, low_byte, of_byte, small};
use crate::notation::word;
use crate::site::{MAX_AUTHORITY, Scheme};

/// The pieces that the bytes from 0x80 stand for, ascending. Trained on the hosts of a crawl; part
/// of the format.
#[rustfmt::skip]
pub const SYMBOLS: [&str; 128] = [
    ".b", ".c", ".co.", ".com", ".de", ".gov", ".m", ".n", ".net", ".org", ".p", ".pl", ".s", ".us", "a-",
    "a.", "a.com", "a.gov", "a.pl", "ab", "ac", "ad", "ag", "ak", "al", "all", "am", "an", "and", "ap",
    "ar", "art", "as", "at", "au", "av", "aw", "ay", "az", "ch", "ci", "city", "cityof", "co", "con",
    "county", "de", "e.", "e.com", "eb", "ec", "ed", "edu", "el", "em", "en", "ent", "er", "es", "est",
    "et", "for", "fr", "go", "gov", "ho", "ia", "ic", "id", "ig", "il", "ill", "im", "in", "ing", "io",
    "ion", "ip", "ir", "is", "it", "ity", "iv", "le", "lin", "lo", "ne", "od", "of", "ok", "ol", "om", "on",
    "op", "or", "org", "ort", "ot", "ow", "pl", "re", "ro", "s.", "s.com", "sh", "sk", "sp", "st", "te",
    "th", "ton", "town", "tr", "ty", "ub", "uk", "um", "un", "up", "ur", "us", "ut", "ver", "www.", "www.b",
    "www.m", "www.s", "y.com",
];

/// The longest of [`SYMBOLS`] has at most this many bytes.
const WIDTH: usize = 8;
/// The maximum length of a code in a bucket.
const MAX_CODE: usize = 62;
/// The bytes in a bucket for a code that is elsewhere: a NUL, and the offset in
/// [`Section::Names`](crate::layout::Section::Names).
const ELSEWHERE: usize = 5;

/// The text that a code byte stands for.
#[derive(Clone, Copy)]
struct Piece {
    /// The bytes, padded with zeros.
    bytes: u64,
    /// The bits of the bytes.
    mask: u64,
    /// The number of bytes.
    length: u32,
}

/// The pieces of all code bytes.
static PIECES: [Piece; 256] = {
    let mut pieces = [Piece { bytes: 0, mask: 0, length: 0 }; 256];
    let mut code = 0;
    while code < 256 {
        let plain = [byte(code)];
        let text = if code < 0x80 { &plain } else { SYMBOLS[code - 0x80].as_bytes() };
        let mut bytes = [0; WIDTH];
        let mut at = 0;
        while at < text.len() {
            bytes[at] = text[at];
            at += 1;
        }
        let mask = u64::MAX >> (64 - 8 * small(text.len()));
        pieces[code] = Piece { bytes: u64::from_le_bytes(bytes), mask, length: small(text.len()) };
        code += 1;
    }
    pieces
};

/// For each byte, the index of the first symbol that begins with it, and of the first one after
/// these.
const ALIKE: [(u8, u8); 256] = {
    let mut alike = [(0, 0); 256];
    let (mut first, mut at) = (0, 0);
    while first < alike.len() {
        let start = at;
        while at < SYMBOLS.len() && SYMBOLS[at].as_bytes()[0] as usize == first {
            at += 1;
        }
        alike[first] = (byte(start), byte(at));
        first += 1;
    }
    alike
};

/// Appends the code of an ASCII name: from the left, always the longest matching symbol.
pub fn encode(name: &str, code: &mut Vec<u8>) {
    let mut rest = name.as_bytes();
    while let Some(&first) = rest.first() {
        let next = word(rest, 0);
        let &(start, end) = of_byte(&ALIKE, first);
        // Among the symbols that match, the longest one comes last.
        let mut symbols = (start..end).rev().map(|index| 0x80 + index);
        let longest = symbols.find(|&code| {
            let &Piece { bytes, mask, .. } = of_byte(&PIECES, code);
            next & mask == bytes
        });
        let piece = longest.unwrap_or(first);
        code.push(piece);
        rest = rest.get(index(of_byte(&PIECES, piece).length)..).unwrap_or_default();
    }
}

/// The number of bytes that the name with this code takes up in a bucket, with its head.
pub fn room(code: &[u8]) -> usize {
    1 + if code.len() > MAX_CODE { ELSEWHERE } else { code.len() }
}

/// Appends the names of one bucket in the order of places: their schemes and codes. Codes that are
/// too long for a bucket go into `elsewhere`, which continues a section at `offset`.
pub fn encode_bucket<'n>(
    names: impl Iterator<Item = (Scheme, &'n [u8])> + Clone,
    out: &mut Vec<u8>,
    (elsewhere, offset): (&mut Vec<u8>, u32),
) {
    out.extend(names.clone().map(|(scheme, code)| scheme as u8 | byte(room(code) - 1) << 2));
    for (_, code) in names {
        if code.len() <= MAX_CODE {
            out.extend_from_slice(code);
        } else {
            out.push(0);
            out.extend_from_slice(&offset.saturating_add(small(elsewhere.len())).to_le_bytes());
            elsewhere.push(byte(code.len()));
            elsewhere.extend_from_slice(code);
        }
    }
}

/// The names of one bucket, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Names<'i> {
    /// The heads, the first in the lowest byte.
    heads: u64,
    count: usize,
    /// The codes, and what follows them.
    codes: &'i [u8],
}

impl<'i> Names<'i> {
    /// Reads `count` names at the start of `bytes`. There are at most eight names, and at least
    /// eight bytes.
    #[inline(always)]
    pub fn read(bytes: &'i [u8], count: usize) -> Names<'i> {
        let heads = u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default());
        Names { heads, count, codes: bytes.get(count..).unwrap_or_default() }
    }

    /// The name of the site in a place; `None` if there is none or it is truncated.
    #[inline(always)]
    pub fn get(&self, place: usize) -> Option<Name<'i>> {
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        if place >= self.count {
            return None;
        }
        // The sum of the lengths of all codes before this one, in the highest byte.
        let before = (self.heads >> 2) & (0x3F * ONES) & ((1 << (8 * place)) - 1);
        let start = (before.wrapping_mul(ONES) >> 56) as usize;
        let head = low_byte(self.heads >> (8 * place));
        let code = self.codes.get(start..start + usize::from(head >> 2))?;
        Some(Name { scheme: head & 3, code })
    }

    /// The total length of the heads and codes in bytes; `None` if they are truncated.
    pub fn length(&self) -> Option<usize> {
        let heads = self.heads.to_le_bytes();
        let codes = heads.iter().take(self.count).map(|head| usize::from(head >> 2)).sum::<usize>();
        (codes <= self.codes.len()).then_some(self.count + codes)
    }
}

/// One encoded name: the scheme of its site, and its code.
#[derive(Clone, Copy, Debug)]
pub struct Name<'i> {
    scheme: u8,
    code: &'i [u8],
}

impl<'i> Name<'i> {
    /// The scheme of the site; `None` if its number is unknown.
    #[inline(always)]
    pub fn scheme(&self) -> Option<Scheme> {
        Scheme::from_u8(self.scheme)
    }

    /// The offset in the section of long names, if the code is there.
    pub fn elsewhere(&self) -> Option<u32> {
        let (0, offset) = self.code.split_first()? else { return None };
        Some(u32::from_le_bytes(offset.try_into().ok()?))
    }

    /// True if the code is in the section of long names.
    #[inline(always)]
    pub fn is_elsewhere(&self) -> bool {
        self.code.first() == Some(&0)
    }

    /// The name with its code, which is read from the section of long names if it is there. `None`
    /// if it lies outside of that section.
    pub fn whole(self, section: &'i [u8]) -> Option<Name<'i>> {
        if !self.is_elsewhere() {
            return Some(self);
        }
        let (&length, rest) = section.get(self.elsewhere()? as usize..)?.split_first()?;
        let code = rest.get(..length.into()).filter(|code| code.first() != Some(&0))?;
        Some(Name { code, ..self })
    }

    /// The length of the code in bytes.
    pub fn code_length(&self) -> usize {
        self.code.len()
    }

    /// True if a writer stores a code of this length in the section of long names.
    pub fn is_long(&self) -> bool {
        self.code.len() > MAX_CODE
    }

    /// True if this is the name that the first `length` bytes of `text` hold. Compares piece by
    /// piece, without decoding. Optimised for equal names, the usual case, with eight more bytes
    /// behind them.
    #[inline(always)]
    pub fn is(&self, text: &[u8], length: usize) -> bool {
        if text.len() < length + WIDTH {
            return is_short(self.code, text, length);
        }
        // A place of 32 bits, to which eight can be added without a check.
        let (mut at, mut differing) = (0u32, 0);
        for &code in self.code {
            let Some(bytes) = text.get(index(at)..index(at) + WIDTH).and_then(<[u8]>::first_chunk) else {
                return false;
            };
            let piece = of_byte(&PIECES, code);
            differing |= (u64::from_le_bytes(*bytes) ^ piece.bytes) & piece.mask;
            at += piece.length;
        }
        differing == 0 && index(at) == length
    }

    /// The bytes of the name; `None` if it is longer than the limit.
    #[inline]
    pub fn decode(&self) -> Option<Decoded> {
        let (mut bytes, mut length) = ([0; MAX_AUTHORITY + WIDTH], 0);
        for &code in self.code {
            // Copies whole pieces; the next piece overwrites the padding.
            let piece = of_byte(&PIECES, code);
            *bytes.get_mut(length..)?.first_chunk_mut()? = piece.bytes.to_le_bytes();
            length += index(piece.length);
        }
        (length <= MAX_AUTHORITY).then_some(Decoded { bytes, length })
    }
}

/// Like [`Name::is`], for a text that ends less than eight bytes after the name.
#[inline(never)]
fn is_short(code: &[u8], text: &[u8], length: usize) -> bool {
    let (mut at, mut differing) = (0, 0);
    for &code in code {
        if at > text.len() {
            return false;
        }
        let piece = of_byte(&PIECES, code);
        differing |= (word(text, at) ^ piece.bytes) & piece.mask;
        at += index(piece.length);
    }
    differing == 0 && at == length
}

/// A decoded name.
#[derive(Clone, Debug)]
pub struct Decoded {
    bytes: [u8; MAX_AUTHORITY + WIDTH],
    length: usize,
}

impl Decoded {
    /// The bytes, which are ASCII.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random names from the permitted bytes, with symbols among them.
    fn random_names() -> Vec<String> {
        let mut state = 7u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let mut names = Vec::new();
        for length in (0..2_000).map(|n| 1 + n % 60).chain([300; 50]) {
            let mut name = String::new();
            for _ in 0..length {
                match below(3) {
                    0 => name.push(char::from(b'!' + below(94) as u8)),
                    1 => name.push(char::from(b'a' + below(26) as u8)),
                    _ => name.push_str(SYMBOLS[below(128)]),
                }
            }
            name.truncate(MAX_AUTHORITY);
            names.push(name);
        }
        names
    }

    #[test]
    fn symbols_ascend_and_fit() {
        assert!(SYMBOLS.is_sorted_by(|a, b| a < b));
        assert!(SYMBOLS.iter().all(|s| s.is_ascii() && (2..=WIDTH).contains(&s.len())));
    }

    #[test]
    fn the_longest_symbol_is_taken() {
        for name in random_names() {
            let (mut code, mut rest, mut expected) = (Vec::new(), name.as_str(), Vec::new());
            encode(&name, &mut code);
            while !rest.is_empty() {
                let fits = (0..128).filter(|&n| rest.starts_with(SYMBOLS[n]));
                let longest = fits.max_by_key(|&n| SYMBOLS[n].len());
                expected.push(longest.map_or(rest.as_bytes()[0], |n| 0x80 + n as u8));
                rest = &rest[longest.map_or(1, |n| SYMBOLS[n].len())..];
            }
            assert_eq!(code, expected, "{name}");
        }
    }

    #[test]
    fn names_come_back() {
        let schemes = [Scheme::Any, Scheme::Http, Scheme::Https];
        let names = random_names();
        let codes: Vec<Vec<u8>> = names
            .iter()
            .map(|name| {
                let mut code = Vec::new();
                encode(name, &mut code);
                code
            })
            .collect();
        let mut met = [0; 8];
        for (count, met) in (1..).zip(&mut met) {
            for (names, codes) in names.chunks_exact(count).zip(codes.chunks_exact(count)) {
                // The codes of a bucket have less than 256 bytes.
                if codes.iter().map(|code| room(code)).sum::<usize>() > 250 {
                    continue;
                }
                *met += 1;
                let of_place = || schemes.into_iter().cycle().zip(codes.iter().map(Vec::as_slice));
                let (mut bytes, mut section) = (Vec::new(), vec![7; 3]);
                encode_bucket(of_place().take(count), &mut bytes, (&mut section, 0));
                let whole = bytes.len();
                assert_eq!(whole, codes.iter().map(|code| room(code)).sum::<usize>());
                bytes.resize(whole + 8, 0xFF);
                let block = Names::read(&bytes, count);
                assert_eq!(block.length(), Some(whole));
                for (place, (name, (scheme, code))) in names.iter().zip(of_place()).enumerate() {
                    let stored = block.get(place).unwrap();
                    assert_eq!(stored.elsewhere().is_some(), code.len() > MAX_CODE);
                    let found = stored.whole(&section).unwrap();
                    assert_eq!((found.decode().unwrap().as_str(), found.scheme()), (&name[..], Some(scheme)));
                    let text = [name.as_bytes(), b"/path/behind"].concat();
                    assert!(found.is(&text, name.len()) && found.is(name.as_bytes(), name.len()));
                    assert!(!found.is(&text, name.len() + 1) && !found.is(&text, name.len() - 1));
                    assert!(!found.is(b"", 0) && !found.is(&text[1..], name.len()));
                    assert!(stored.elsewhere().is_none() || stored.whole(&section[..4]).is_none());
                }
                assert!(block.get(count).is_none());
                let cut = Names::read(&bytes[..(whole - 1).max(8)], count);
                assert!(whole <= 8 || cut.length().is_none() && cut.get(count - 1).is_none());
            }
        }
        assert!(met.iter().all(|&met| met > 2), "{met:?}");
    }

    #[test]
    fn what_is_too_long_is_no_name() {
        let of = |code: &[u8]| Name { scheme: 0, code }.decode().map(|name| name.as_bytes().len());
        assert_eq!(of(&[b'a'; MAX_AUTHORITY]), Some(MAX_AUTHORITY));
        assert_eq!(of(&[b'a'; MAX_AUTHORITY + 1]), None);
        assert_eq!(of(&[0xFF; 51]), Some(51 * SYMBOLS[127].len()));
        assert_eq!(of(&[0xFF; 52]), None);
        assert_eq!(of(&[0xFF; 255]), None);
    }
}
