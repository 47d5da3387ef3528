//! The code of site names: the most frequent pieces of host names are one byte each (SPEC.md
//! section 4).
//!
//! The names of a bucket stand together: a head for each site, then a code for each. The writer
//! encodes, greedily; a reader decodes the one name that it wants and compares it whole, so a
//! look-up is exact and allocates nothing. Names are ASCII (`site`), so bytes from 0x80 are free
//! for the pieces. It does not know what a host is.

use crate::notation::word;
use crate::site::{MAX_AUTHORITY, Scheme};

/// What the bytes from 0x80 stand for, ascending. Trained on the hosts of a crawl; part of the
/// format.
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

/// The longest of [`SYMBOLS`] fits into as many bytes.
const WIDTH: usize = 8;
/// The length in a head that says: the length is the first byte of the code.
const LONG: u8 = 63;

/// What every byte of a code stands for, filled up with zeros.
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

/// How many bytes each of [`PIECES`] has.
const LENGTHS: [u8; 256] = {
    let mut lengths = [1; 256];
    let mut code = 0x80;
    while code < 256 {
        lengths[code] = SYMBOLS[code - 0x80].len() as u8;
        code += 1;
    }
    lengths
};

/// Where the symbols begin that begin with each byte of ASCII.
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

/// Appends the code of a name, which is ASCII: from the left, always the longest symbol that fits.
pub fn encode(name: &str, code: &mut Vec<u8>) {
    let mut rest = name.as_bytes();
    while let Some(&first) = rest.first() {
        let byte = usize::from(first & 0x7F);
        let alike = usize::from(STARTS[byte])..usize::from(STARTS[byte + 1]);
        // Of symbols that the rest begins with, the longest stands last.
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

/// Appends the names of one bucket, in the order of its places.
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

/// The names of one bucket in place.
#[derive(Clone, Copy, Debug)]
pub struct Names<'i> {
    heads: &'i [u8],
    /// The codes, and what follows them in the section.
    codes: &'i [u8],
}

impl<'i> Names<'i> {
    /// The `count` names that `bytes` begin with; `None` when there is no room for their heads.
    #[inline]
    pub fn read(bytes: &'i [u8], count: usize) -> Option<Names<'i>> {
        let (heads, codes) = bytes.split_at_checked(count)?;
        Some(Names { heads, codes })
    }

    /// The name of the site in a place; `None` when there is none, or it is cut off.
    #[inline]
    pub fn get(&self, place: usize) -> Option<Name<'i>> {
        let head = *self.heads.get(place)?;
        let start = self.start(place)?;
        let end = start + self.span(head, start)?;
        let code = self.codes.get(start + usize::from(head >> 2 == LONG)..end)?;
        Some(Name { scheme: head & 3, code })
    }

    /// How many bytes the names take up; `None` when they are cut off.
    pub fn length(&self) -> Option<usize> {
        let end = self.start(self.heads.len())?;
        (end <= self.codes.len()).then_some(self.heads.len() + end)
    }

    /// Whether lengths are written as a writer does.
    pub fn is_canonical(&self) -> bool {
        (0..self.heads.len()).all(|place| {
            let long = self.heads[place] >> 2 == LONG;
            self.get(place).is_some_and(|name| (name.code.len() >= usize::from(LONG)) == long)
        })
    }

    /// Where the code of a place begins.
    #[inline]
    fn start(&self, place: usize) -> Option<usize> {
        self.heads.get(..place)?.iter().try_fold(0, |at, &head| Some(at + self.span(head, at)?))
    }

    /// How many bytes of `codes` belong to the name with this head, whose code begins here.
    #[inline]
    fn span(&self, head: u8, at: usize) -> Option<usize> {
        match head >> 2 {
            LONG => Some(1 + usize::from(*self.codes.get(at)?)),
            length => Some(usize::from(length)),
        }
    }
}

/// One name in place: the scheme of its site, and its code.
#[derive(Clone, Copy, Debug)]
pub struct Name<'i> {
    scheme: u8,
    code: &'i [u8],
}

impl<'i> Name<'i> {
    /// The scheme of the site; `None` when its number is unknown.
    #[inline]
    pub fn scheme(&self) -> Option<Scheme> {
        Scheme::from_u8(self.scheme)
    }

    /// Whether it is this name: piece by piece, so that nothing is decoded for it. What is asked
    /// about most often is.
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

    /// The bytes of the name; `None` when it is longer than a name may be.
    #[inline]
    pub fn decode(&self) -> Option<Decoded> {
        let (mut bytes, mut length) = ([0; MAX_AUTHORITY + WIDTH], 0);
        for &code in self.code {
            // Whole pieces, of which the next one covers what is too much.
            *bytes.get_mut(length..)?.first_chunk_mut()? = PIECES[usize::from(code)];
            length += usize::from(LENGTHS[usize::from(code)]);
        }
        (length <= MAX_AUTHORITY).then_some(Decoded { bytes, length })
    }
}

/// A name, decoded.
#[derive(Clone, Debug)]
pub struct Decoded {
    bytes: [u8; MAX_AUTHORITY + WIDTH],
    length: usize,
}

impl Decoded {
    /// Its bytes, which are ASCII.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The same as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that names may hold, and symbols among them.
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
