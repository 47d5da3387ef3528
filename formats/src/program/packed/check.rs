//! The check that a packed program is well-formed (I14). [`program::check`](crate::program::check)
//! calls it.
//!
//! A program that passes answers as its texts define: columns and triggers exclude no rule that
//! may match.

use super::*;
use crate::int::{byte, short, shorts};
use crate::notation::Notation;
use crate::program::{FRONT_SCOPED, FRONT_SILENCE, Silence};

/// Checks the program at the start of `bytes`, and returns its length.
///
/// # Errors
/// The offset of the offending byte, and what is wrong.
pub fn check(bytes: &[u8]) -> Result<usize, Wrong> {
    let packed = Packed::read(bytes).ok_or((0, "the front of a packed program is damaged"))?;
    let front = packed.front[0];
    let notation = Notation::from_u8(front & 7);
    if front & FRONT_SCOPED != 0
        || front & FRONT_SILENCE > (Silence::Unknown as u8) << 5
        || !matches!(notation, Some(Notation::Rep | Notation::Google))
    {
        return Err((0, "reserved bits or a wrong notation in the front of a packed program"));
    }
    let length = rules(&packed)?;
    triggers(&packed)?;
    Ok(length)
}

type Wrong = (usize, &'static str);

const CUT: &str = "a packed program runs past the end of the programs";

/// One bit for each rule. [`Packed::all`] has one even if there is no rule.
fn all(packed: &Packed<'_>) -> u64 {
    if packed.count == 0 { 0 } else { packed.all() }
}

/// Checks texts, words, columns, priorities and reach, and returns where the texts end.
fn rules(packed: &Packed<'_>) -> Result<usize, Wrong> {
    let (mut highest, mut longest, mut any_wild) = (Priority::MAX, 0, false);
    let is_rep = Notation::from_u8(packed.front[0] & 7) == Some(Notation::Rep);
    let masks = usize::from(packed.trigger_count() != 0);
    let triggers = packed.trigger_count() * (2 + packed.mask_length());
    let texts = packed.wild_at() + masks * packed.mask_length() + triggers;
    let mut offset = texts;
    let starred = packed.starred().ok_or((packed.masks_at(), CUT))?;
    if packed.front[0] & FRONT_STARRED != 0 && (starred == 0 || starred & !all(packed) != 0) {
        return Err((packed.masks_at(), "a mask of starred rules without any, or beyond the last rule"));
    }
    for number in 0..packed.count {
        let at = packed.words_at() + 2 * number;
        let (words, rule) = packed.words(number).zip(packed.rule(number)).ok_or((at, CUT))?;
        let text = rule.text.get(..rule.length).ok_or((at, CUT))?;
        if usize::from(shorts(words)[0] & OFFSET) != offset || text.len() > MAX_LENGTH {
            return Err((at, "the texts of a packed program do not lie end to end, or one is too long"));
        }
        offset += text.len();
        let star = memchr::memchr(b'*', text);
        let is_starred = starred >> number & 1 == 1;
        if rule.anchored && is_starred || rule.wild != star.is_some() {
            return Err((at, "the kind of a rule is not that of its text"));
        }
        if text.iter().any(|byte| !(1..0x80).contains(byte)) || text.ends_with(b"*") {
            return Err((at, "a text ends in a star, or holds a byte that no text holds"));
        }
        // Canonical targets have the character, so such a text would match none.
        if is_rep && text.windows(3).any(|escape| matches!(escape, b"%2A" | b"%24")) {
            return Err((at, "a text holds an escape of a wildcard's character"));
        }
        if rule.priority < 2 || rule.priority > highest || rule.priority <= packed.fallback {
            return Err((at, "the rules of a packed program do not stand best first"));
        }
        highest = rule.priority;
        longest = longest.max(text.len());
        any_wild |= rule.wild;
        for (column, &place) in packed.probes.iter().enumerate() {
            let at = HEADER + column * packed.count + number;
            let prefix = star.and_then(|star| text.get(..star)).unwrap_or(text);
            let wanted = prefix.get(usize::from(place)).copied().unwrap_or(0);
            if packed.front.get(at) != Some(&wanted) {
                return Err((at, "a column does not hold the byte that its rule wants"));
            }
        }
    }
    let end = packed.words_at() + 2 * packed.count;
    if offset > usize::from(OFFSET)
        || packed.front.get(end..end + 2) != Some(&short(offset).to_le_bytes())
        || offset - texts > MAX_TEXTS
    {
        return Err((end, "the texts of a packed program do not end where its last word says"));
    }
    let reach = if any_wild { REACH_ALL } else { (byte(longest) + 1).max(MIN_REACH) };
    if packed.reach != reach || packed.fallback == 1 {
        return Err((4, "the reach is not that of the rules, or a priority of rank 0"));
    }
    Ok(offset)
}

/// Checks that every wildcard rule waits for one trigger, which occurs in one of its pieces after
/// the prefix.
fn triggers(packed: &Packed<'_>) -> Result<(), Wrong> {
    let at = packed.wild_at();
    let mut waiting = vec![None; packed.count];
    for (number, (trigger, mask)) in packed.waiting().ok_or((at, CUT))?.into_iter().enumerate() {
        let is_pair = number < packed.pairs;
        if trigger[0] == 0 || is_pair == (trigger[1] == 0) {
            return Err((at, "a trigger is not two bytes, or one and a zero"));
        }
        let text = if is_pair { &trigger[..] } else { &trigger[..1] };
        if mask == 0 || mask & !all(packed) != 0 {
            return Err((at, "a trigger of no rule, or of one that does not exist"));
        }
        for (rule, waiting) in waiting.iter_mut().enumerate() {
            if mask >> rule & 1 == 1 && waiting.replace(text.to_vec()).is_some() {
                return Err((at, "a rule waits for two triggers"));
            }
        }
    }
    let wild = if packed.trigger_count() == 0 { 0 } else { packed.wild().ok_or((at, CUT))? };
    for (number, waiting) in waiting.iter().enumerate() {
        let rule = packed.rule(number).ok_or((at, CUT))?;
        let text = rule.text.get(..rule.length).ok_or((at, CUT))?;
        let mut pieces = text.split(|&byte| byte == b'*').skip(1);
        let fits = match waiting {
            None => !rule.wild,
            Some(trigger) => pieces.any(|piece| memchr::memmem::find(piece, trigger).is_some()),
        };
        if !fits || rule.wild != (wild >> number & 1 == 1) {
            return Err((at, "a rule does not wait for what its text holds"));
        }
    }
    if wild & !all(packed) != 0 {
        return Err((at, "a wildcard rule that does not exist"));
    }
    Ok(())
}
