//! Section 6 of SPEC.md, "The walk", word for word and without haste, for the tests that hold the document.

use robomaton_formats::program::{self, Head, Step, Tag, Weighing};
use std::collections::BTreeSet;

/// Whether the filter at `at` has the bit of this octet.
fn has_bit(program: &[u8], at: usize, octet: u8) -> bool {
    let filter = u128::from_le_bytes(*program[at..].first_chunk().expect("a whole filter"));
    filter >> (octet % 128) & 1 == 1
}

/// The tags that the walk meets; the highest is what a ranked program gives.
pub(crate) fn walk(program: &[u8], target: &[u8]) -> BTreeSet<Tag> {
    let head = Head::read(program).expect("a whole front");
    let mut slots = vec![0; head.tails.map_or(0, |tails| tails.slots)];
    let mut met = BTreeSet::new();
    // In a scoped program the walk does not end early.
    let settled =
        |met: &BTreeSet<Tag>, highest| head.weighing != Weighing::Scoped && met.last() >= Some(&highest);
    let (mut at, mut depth) = (head.literals, 0);
    loop {
        let flags = program[at];
        at += 1;
        let tag = |form: u8, rank: usize, at: &mut usize| match form {
            program::TAG_NONE => 0,
            program::TAG_EXPLICIT => program::varint(program, at).expect("a tag"),
            form => 2 * rank as Tag + Tag::from(form == program::TAG_PERMIT),
        };
        let open = tag(flags & 3, depth, &mut at);
        let anchored = tag(flags >> 2 & 3, depth + 1, &mut at);
        met.extend([open, if depth == target.len() { anchored } else { 0 }]);
        if flags & program::NODE_EXTRA != 0 {
            slots[program::varint(program, &mut at).expect("a slot") as usize] = depth + 1;
        }
        if !descend(program, flags, target, &mut at, &mut depth) {
            break;
        }
    }
    let Some(tails) = head.tails.filter(|tails| !settled(&met, tails.highest)) else { return met };
    let Some(first) = slots.iter().copied().filter(|&slot| slot != 0).min() else { return met };
    for place in first - 1..target.len() {
        let second = target.get(place + 1).copied().unwrap_or(0);
        let has = |filter: usize, octet| has_bit(program, 1 + 16 * filter, octet);
        if !(has(0, target[place]) && (has(1, second) || has(2, target[place]))) {
            continue;
        }
        let (mut at, mut end) = (tails.segments, place);
        loop {
            let flags = program[at];
            at += 1;
            if flags & program::NODE_EXTRA != 0 {
                loop {
                    let step = Step::read(program, &mut at).expect("a step");
                    if slots[step.awaits] != 0 && slots[step.awaits] <= place + 1 {
                        met.extend([step.open, if end == target.len() { step.anchored } else { 0 }]);
                        if let Some(slot) = step.arms.filter(|&slot| slots[slot] == 0) {
                            slots[slot] = end + 1;
                        }
                    }
                    if !step.more {
                        break;
                    }
                }
                if settled(&met, tails.highest) {
                    return met;
                }
            }
            if !descend(program, flags, target, &mut at, &mut end) {
                break;
            }
        }
    }
    met
}

fn descend(program: &[u8], flags: u8, target: &[u8], at: &mut usize, n: &mut usize) -> bool {
    let Some(&next) = target.get(*n) else { return false };
    let (count, width) = match flags >> 5 {
        program::CHILDREN_NONE => return false,
        program::CHILDREN_ONE => (1, 0),
        form => {
            *at += 1;
            (usize::from(program[*at - 1]) + 1, 1 << (form - program::CHILDREN_1))
        }
    };
    let Some(child) = program[*at..*at + count].iter().position(|&octet| octet == next) else { return false };
    let offset = &program[*at + count + child * width..][..width];
    let offset = offset.iter().rev().fold(0, |offset, &octet| offset << 8 | usize::from(octet));
    *at += count + count * width + offset;
    let length = program::varint(program, at).expect("a length") as usize;
    if !target[*n + 1..].starts_with(&program[*at..*at + length]) {
        return false;
    }
    *at += length;
    *n += 1 + length;
    true
}
