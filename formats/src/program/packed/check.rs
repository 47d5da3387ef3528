//! The check that a packed program is well-formed (I14). [`program::check`](crate::program::check)
//! calls it.
//!
//! A program that passes answers as its texts define: columns and prefilters exclude no rule that
//! may match.

use super::*;
use crate::notation::Notation;

/// Checks the program at the start of `bytes`. `Err` holds the offset of the offending byte and the
/// error.
pub fn check(bytes: &[u8]) -> Result<(), (usize, &'static str)> {
    let packed = Packed::read(bytes).ok_or((0, "the front of a packed program is damaged"))?;
    let notation = Notation::from_u8(bytes[0] & 7);
    if bytes[0] & 0x58 != 0 || !matches!(notation, Some(Notation::Rep | Notation::Google)) {
        return Err((0, "reserved bits or a wrong notation in the front of a packed program"));
    }
    rules(&packed)?;
    prefilters(&packed)
}

type Wrong = (usize, &'static str);

const CUT: &str = "a packed program runs past the end of the programs";

/// Checks texts, kinds, columns, priorities and reach.
fn rules(packed: &Packed<'_>) -> Result<(), Wrong> {
    let (mut offset, mut highest, mut longest, mut any_wild) = (0, Priority::MAX, 0, false);
    for number in 0..packed.count {
        let at = packed.offsets_at() + 2 * number;
        let kind = packed.front[packed.kinds_at() + number];
        let rule = packed.rule(number).ok_or((at, CUT))?;
        let start = u16::from_le_bytes([packed.front[at], packed.front[at + 1]]);
        let text = rule.text.get(..rule.length).ok_or((at, CUT))?;
        if usize::from(start) != offset || text.len() > MAX_LENGTH {
            return Err((at, "the texts of a packed program do not lie end to end, or one is too long"));
        }
        offset += text.len();
        let star = memchr::memchr(b'*', text);
        let both = kind & (ANCHORED | STARRED) == ANCHORED | STARRED;
        if kind & !(PERMITS | ANCHORED | STARRED | WILD) != 0 || both || rule.wild != star.is_some() {
            return Err((packed.kinds_at() + number, "the kind of a rule is not that of its text"));
        }
        if text.iter().any(|byte| !(1..0x80).contains(byte)) || text.ends_with(b"*") {
            return Err((at, "a text ends in a star, or holds a byte that no text holds"));
        }
        if rule.priority < 2 || rule.priority > highest || rule.priority <= packed.fallback {
            return Err((at, "the rules of a packed program do not stand best first"));
        }
        highest = rule.priority;
        longest = longest.max(text.len());
        any_wild |= rule.wild;
        for (column, &place) in packed.probes.iter().enumerate() {
            let at = HEADER + column * packed.count + number;
            let prefix = &text[..star.unwrap_or(text.len())];
            if packed.front[at] != prefix.get(usize::from(place)).copied().unwrap_or(0) {
                return Err((at, "a column does not hold the byte that its rule wants"));
            }
        }
    }
    let reach = if any_wild { REACH_ALL } else { longest as u8 + 1 };
    if packed.reach != reach || packed.fallback == 1 {
        return Err((4, "the reach is not that of the rules, or a priority of rank 0"));
    }
    Ok(())
}

/// Checks that every wildcard rule waits for one prefilter, which occurs in one of its pieces after
/// the prefix.
fn prefilters(packed: &Packed<'_>) -> Result<(), Wrong> {
    let at = packed.prefilters_at();
    let prefilters = packed.prefilters().ok_or((at, CUT))?;
    let mut waiting = vec![None; packed.count];
    for (number, prefilter) in prefilters.iter().enumerate() {
        let wanted = if number < packed.pairs { &prefilter[..] } else { &prefilter[..1] };
        if wanted.contains(&0) || number >= packed.pairs && prefilter[1] != 0 {
            return Err((at + 2 * number, "a prefilter is not two bytes, or one and a zero"));
        }
        let mask = packed.waiting(number).ok_or((at, CUT))?;
        for (rule, waiting) in waiting.iter_mut().enumerate() {
            if mask >> rule & 1 == 1 && waiting.replace(wanted).is_some() {
                return Err((at, "a rule waits for two prefilters"));
            }
        }
    }
    let wild = if prefilters.is_empty() { 0 } else { packed.wild().ok_or((at, CUT))? };
    for (number, waiting) in waiting.iter().enumerate() {
        let rule = packed.rule(number).ok_or((at, CUT))?;
        let mut pieces = rule.text[..rule.length].split(|&byte| byte == b'*').skip(1);
        let fits = match waiting {
            None => !rule.wild,
            Some(prefilter) => pieces.any(|piece| memchr::memmem::find(piece, prefilter).is_some()),
        };
        if !fits || rule.wild != (wild >> number & 1 == 1) {
            return Err((at, "a rule does not wait for what its text holds"));
        }
    }
    Ok(())
}
