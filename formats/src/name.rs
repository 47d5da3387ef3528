//! The code for site names, in which each frequent piece of a host name is one byte (SPEC.md
//! section 4).
//!
//! The names of a bucket are stored together: a header for each site, then a code for each. The
//! writer encodes greedily. A reader decodes one name and compares it in full, so a look-up is
//! exact and allocates nothing. Names are ASCII (`site`), so bytes from 0x80 are free for the
//! pieces. This file does not know what a host is.

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
/// The length value in a header that means: the first byte of the code is the length.
const LONG: u8 = 63;

/// The expansion of every code byte, padded with zeros.
const PIECES: [[u8; WIDTH]; 256] = {
    let mut pieces = [[0; WIDTH]; 256];
    let mut code = 0;
    while code < 256 {
        let plain = [code as u8];
        let piece = if code < 0x80 { &plain } else { SYMBOLS[code - 0x80].as_bytes() };
        let mut at = 0;
        while at < piece.len() {
            pieces[code][at] = piece[at];
            at += 1;
        }
        code += 1;
    }
    pieces
};

/// The lengths of [`PIECES`] in bytes.
const LENGTHS: [u8; 256] = {
    let mut lengths = [1; 256];
    let mut code = 0x80;
    while code < 256 {
        lengths[code] = SYMBOLS[code - 0x80].len() as u8;
        code += 1;
    }
    lengths
};

/// For each ASCII byte, the index of the first symbol that begins with it.
const STARTS: [u8; 129] = {
    let mut starts = [0; 129];
    let (mut byte, mut at) = (0, 0);
    while byte < starts.len() {
        while at < SYMBOLS.len() && (SYMBOLS[at].as_bytes()[0] as usize) < byte {
            at += 1;
        }
        starts[byte] = at as u8;
        byte += 1;
    }
    starts
};

/// Appends the code of an ASCII name: from the left, always the longest matching symbol.
pub fn encode(name: &str, code: &mut Vec<u8>) {
    let mut rest = name.as_bytes();
    while let Some(&first) = rest.first() {
        let byte = usize::from(first & 0x7F);
        let alike = usize::from(STARTS[byte])..usize::from(STARTS[byte + 1]);
        // Among the symbols that match, the longest one comes last.
        match alike.rev().find(|&symbol| rest.starts_with(SYMBOLS[symbol].as_bytes())) {
            Some(symbol) => {
                code.push(0x80 + symbol as u8);
                rest = &rest[SYMBOLS[symbol].len()..];
            }
            None => {
                code.push(first);
                rest = &rest[1..];
            }
        }
    }
}

/// Appends the names of one bucket in the order of places.
pub fn encode_bucket<'n>(names: impl Iterator<Item = (&'n str, Scheme)> + Clone, out: &mut Vec<u8>) {
    let mut codes = Vec::new();
    for (name, scheme) in names {
        let start = codes.len();
        encode(name, &mut codes);
        let length = (codes.len() - start) as u8;
        if length >= LONG {
            codes.insert(start, length);
        }
        out.push(scheme as u8 | length.min(LONG) << 2);
    }
    out.append(&mut codes);
}

/// The names of one bucket, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Names<'i> {
    heads: &'i [u8],
    /// The codes, followed by the rest of the section.
    codes: &'i [u8],
}

impl<'i> Names<'i> {
    /// Reads `count` names at the start of `bytes`; `None` if there is no room for their headers.
    #[inline]
    pub fn read(bytes: &'i [u8], count: usize) -> Option<Names<'i>> {
        let (heads, codes) = bytes.split_at_checked(count)?;
        Some(Names { heads, codes })
    }

    /// The name of the site in a place; `None` if there is none or it is truncated.
    #[inline]
    pub fn get(&self, place: usize) -> Option<Name<'i>> {
        let head = *self.heads.get(place)?;
        let start = self.start(place)?;
        let end = start + self.span(head, start)?;
        let code = self.codes.get(start + usize::from(head >> 2 == LONG)..end)?;
        Some(Name { scheme: head & 3, code })
    }

    /// The total length of the names in bytes; `None` if they are truncated.
    pub fn length(&self) -> Option<usize> {
        let end = self.start(self.heads.len())?;
        (end <= self.codes.len()).then_some(self.heads.len() + end)
    }

    /// True if lengths are stored the way a writer stores them.
    pub fn is_canonical(&self) -> bool {
        (0..self.heads.len()).all(|place| {
            let long = self.heads[place] >> 2 == LONG;
            self.get(place).is_some_and(|name| (name.code.len() >= usize::from(LONG)) == long)
        })
    }

    /// The start of a place's code.
    #[inline]
    fn start(&self, place: usize) -> Option<usize> {
        self.heads.get(..place)?.iter().try_fold(0, |at, &head| Some(at + self.span(head, at)?))
    }

    /// The number of bytes of `codes` that belong to the name with this header, whose code begins
    /// at `at`.
    #[inline]
    fn span(&self, head: u8, at: usize) -> Option<usize> {
        match head >> 2 {
            LONG => Some(1 + usize::from(*self.codes.get(at)?)),
            length => Some(usize::from(length)),
        }
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
    #[inline]
    pub fn scheme(&self) -> Option<Scheme> {
        Scheme::from_u8(self.scheme)
    }

    /// Compares the name piece by piece, without decoding it. Optimised for equal names, the usual
    /// case.
    #[inline]
    pub fn is(&self, name: &[u8]) -> bool {
        let (mut at, mut differing) = (0, 0);
        for &code in self.code {
            let bytes = match name.get(at..) {
                Some(rest) => {
                    rest.first_chunk().map_or_else(|| word(name, at), |&rest| u64::from_le_bytes(rest))
                }
                None => return false,
            };
            let length = usize::from(LENGTHS[usize::from(code)]);
            let piece = u64::from_le_bytes(PIECES[usize::from(code)]);
            differing |= (bytes ^ piece) & (u64::MAX >> (64 - 8 * length));
            at += length;
        }
        differing == 0 && at == name.len()
    }

    /// The bytes of the name; `None` if it is longer than the limit.
    #[inline]
    pub fn decode(&self) -> Option<Decoded> {
        let (mut bytes, mut length) = ([0; MAX_AUTHORITY + WIDTH], 0);
        for &code in self.code {
            // Copies whole pieces; the next piece overwrites the padding.
            *bytes.get_mut(length..)?.first_chunk_mut()? = PIECES[usize::from(code)];
            length += usize::from(LENGTHS[usize::from(code)]);
        }
        (length <= MAX_AUTHORITY).then_some(Decoded { bytes, length })
    }
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
        &self.bytes[..self.length]
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
        for count in 1..12 {
            for names in names.chunks_exact(count) {
                let of_place = || names.iter().map(String::as_str).zip(schemes.into_iter().cycle());
                let mut bytes = Vec::new();
                encode_bucket(of_place(), &mut bytes);
                let whole = bytes.len();
                bytes.push(0xFF);
                let block = Names::read(&bytes, count).unwrap();
                assert_eq!((block.length(), block.is_canonical()), (Some(whole), true));
                for (place, (name, scheme)) in of_place().enumerate() {
                    let found = block.get(place).unwrap();
                    assert_eq!((found.decode().unwrap().as_str(), found.scheme()), (name, Some(scheme)));
                    assert!(found.is(name.as_bytes()) && !found.is(b"") && !found.is(&name.as_bytes()[1..]));
                }
                assert!(block.get(count).is_none());
                let cut = Names::read(&bytes[..whole - 1], count).unwrap();
                assert!(cut.length().is_none() && cut.get(count - 1).is_none());
            }
        }
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
