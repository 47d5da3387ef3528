//! Authorities that are canonical as they are written.
//!
//! [`site`](crate::site) splits most URLs with it; all others go through the `url` crate.
//! Invariant: an authority that is accepted here is what the `url` crate would make of it, which
//! tests hold. It knows neither schemes nor paths.

use crate::notation::first_bytes;
use wide::u8x16;

/// The lengths of the host and of the authority at the start of a text, if the host is plain: lower
/// case, without `xn--`, not a number at its end, and shorter than 64 bytes. A host that ends in a
/// number is an IPv4 address in some spelling, and one with `xn--` must be valid punycode.
#[inline]
pub(crate) fn authority(text: &[u8]) -> Option<(usize, usize)> {
    let Classes { letters, dots, hyphens, plain } = Classes::of(text);
    let host = plain.trailing_ones() as usize;
    if host == u64::BITS as usize {
        return None;
    }
    let within = !(u64::MAX << host);
    let (dots, hyphens) = (dots & within, hyphens & within);
    // The last label begins after the last dot.
    let label = u64::BITS - dots.leading_zeros();
    let is_name = (letters & within) >> label & 1 != 0;
    if !is_name || dots & 1 != 0 || dots & dots >> 1 != 0 || hyphens & hyphens >> 1 != 0 {
        return None;
    }
    let mut end = host;
    if text.get(host) == Some(&b':') {
        let port = text.get(host + 1..)?;
        let digits = port.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(port.len());
        // Empty, zero-led and five-digit ports are rare enough for the slow path.
        if !(1..=4).contains(&digits) || port.first() == Some(&b'0') {
            return None;
        }
        end = host + 1 + digits;
    }
    if !matches!(text.get(end), None | Some(b'/' | b'?' | b'#')) {
        return None;
    }
    Some((host, end))
}

/// Classes of the bytes at the start of a text, one bit for each byte, up to the end of a plain
/// host and for at most 64 bytes.
struct Classes {
    letters: u64,
    dots: u64,
    hyphens: u64,
    plain: u64,
}

impl Classes {
    #[inline(always)]
    fn of(text: &[u8]) -> Classes {
        let mut classes = Classes { letters: 0, dots: 0, hyphens: 0, plain: 0 };
        for at in (0..64).step_by(16) {
            let bytes = u8x16::new(first_bytes(text.get(at..).unwrap_or_default()));
            let is = |byte| bytes.simd_eq(u8x16::splat(byte));
            let among = |first, count: u8| {
                let place = bytes - u8x16::splat(first);
                place.min(u8x16::splat(count - 1)).simd_eq(place)
            };
            let (letter, dot, hyphen) = (among(b'a', 26), is(b'.'), is(b'-'));
            let plain = letter | dot | hyphen | among(b'0', 10) | is(b'_');
            let bits = |mask: u8x16| u64::from(mask.to_bitmask()) << at;
            classes.letters |= bits(letter);
            classes.dots |= bits(dot);
            classes.hyphens |= bits(hyphen);
            classes.plain |= bits(plain);
            if plain.to_bitmask() != 0xFFFF {
                break;
            }
        }
        classes
    }
}
