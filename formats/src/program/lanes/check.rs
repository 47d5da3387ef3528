//! Whether a program of lanes is well-formed (I14): called by
//! [`program::check`](crate::program::check).
//!
//! A program that passes answers as its texts say: columns and triggers leave no rule out that may match.

use super::*;
use crate::notation::Notation;

/// Checks the program at the start of `bytes`. `Err` holds the offset of the offending byte and what is wrong with it.
pub fn check(bytes: &[u8]) -> Result<(), (usize, &'static str)> {
    let lanes = Lanes::read(bytes).ok_or((0, "the front of a program of lanes is damaged"))?;
    let notation = Notation::from_u8(bytes[0] & 7);
    if bytes[0] & 0x58 != 0 || !matches!(notation, Some(Notation::Rep | Notation::Google)) {
        return Err((0, "reserved bits or a wrong notation in the front of a program of lanes"));
    }
    rules(&lanes)?;
    triggers(&lanes)
}

type Wrong = (usize, &'static str);

const CUT: &str = "a program of lanes runs past the end of the programs";

/// Texts, kinds, columns, tags and reach.
fn rules(lanes: &Lanes<'_>) -> Result<(), Wrong> {
    let (mut offset, mut highest, mut longest, mut any_wild) = (0, Tag::MAX, 0, false);
    for number in 0..lanes.count {
        let at = lanes.offsets_at() + 2 * number;
        let kind = lanes.front[lanes.kinds_at() + number];
        let lane = lanes.lane(number).ok_or((at, CUT))?;
        let start = u16::from_le_bytes([lanes.front[at], lanes.front[at + 1]]);
        let text = lane.text.get(..lane.length).ok_or((at, CUT))?;
        if usize::from(start) != offset || text.len() > MAX_LENGTH {
            return Err((at, "the texts of a program of lanes do not lie end to end, or one is too long"));
        }
        offset += text.len();
        let star = memchr::memchr(b'*', text);
        let both = kind & (ANCHORED | STARRED) == ANCHORED | STARRED;
        if kind & !(PERMITS | ANCHORED | STARRED | WILD) != 0 || both || lane.wild != star.is_some() {
            return Err((lanes.kinds_at() + number, "the kind of a rule is not that of its text"));
        }
        if text.iter().any(|byte| !(1..0x80).contains(byte)) || text.ends_with(b"*") {
            return Err((at, "a text ends in a star, or holds a byte that no text holds"));
        }
        if lane.tag < 2 || lane.tag > highest || lane.tag <= lanes.otherwise {
            return Err((at, "the rules of a program of lanes do not stand best first"));
        }
        highest = lane.tag;
        longest = longest.max(text.len());
        any_wild |= lane.wild;
        for (column, &place) in lanes.places.iter().enumerate() {
            let at = HEAD + column * lanes.count + number;
            let head = &text[..star.unwrap_or(text.len())];
            if lanes.front[at] != head.get(usize::from(place)).copied().unwrap_or(0) {
                return Err((at, "a column does not hold the byte that its rule wants"));
            }
        }
    }
    let reach = if any_wild { REACH_ALL } else { longest as u8 + 1 };
    if lanes.reach != reach || lanes.otherwise == 1 {
        return Err((4, "the reach is not that of the rules, or a tag of rank 0"));
    }
    Ok(())
}

/// Every rule with stars inside waits for one trigger, which stands in one of its pieces behind the head.
fn triggers(lanes: &Lanes<'_>) -> Result<(), Wrong> {
    let at = lanes.triggers_at();
    let triggers = lanes.triggers().ok_or((at, CUT))?;
    let mut waiting = vec![None; lanes.count];
    for (number, trigger) in triggers.iter().enumerate() {
        let wanted = if number < lanes.pairs { &trigger[..] } else { &trigger[..1] };
        if wanted.contains(&0) || number >= lanes.pairs && trigger[1] != 0 {
            return Err((at + 2 * number, "a trigger is not two bytes, or one and a zero"));
        }
        let mask = lanes.waiting(number).ok_or((at, CUT))?;
        for (lane, waiting) in waiting.iter_mut().enumerate() {
            if mask >> lane & 1 == 1 && waiting.replace(wanted).is_some() {
                return Err((at, "a rule waits for two triggers"));
            }
        }
    }
    let wild = if triggers.is_empty() { 0 } else { lanes.wild().ok_or((at, CUT))? };
    for (number, waiting) in waiting.iter().enumerate() {
        let lane = lanes.lane(number).ok_or((at, CUT))?;
        let mut pieces = lane.text[..lane.length].split(|&byte| byte == b'*').skip(1);
        let fits = match waiting {
            None => !lane.wild,
            Some(trigger) => pieces.any(|piece| memchr::memmem::find(piece, trigger).is_some()),
        };
        if !fits || lane.wild != (wild >> number & 1 == 1) {
            return Err((at, "a rule does not wait for what its text holds"));
        }
    }
    Ok(())
}
