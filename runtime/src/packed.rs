//! Runs a packed program: finds the first matching rule of a small set, best first.
//!
//! This is the machine for small sets; `walk` is the other one. Three bytes of the target eliminate
//! most rules, sixteen at a time; triggers that do not occur eliminate wildcard rules; the
//! remaining rules are compared in full. Invariants: nothing is allocated, every loop ends, any
//! damage is `None`. It does not know what a priority means.

use robomaton_formats::notation::first_bytes;
use robomaton_formats::program::Priority;
use robomaton_formats::program::packed::{BLOCK, MAX_PACKED, Packed, PackedRule, Trigger, Triggers};
use wide::u8x16;

/// The highest priority of the rules that match `target` (canonical bytes), 0 if none does. `None`
/// if the program is damaged.
#[inline(always)]
pub(crate) fn best(packed: &Packed<'_>, target: &[u8]) -> Option<Priority> {
    if packed.count == 0 {
        return Some(packed.fallback);
    }
    // Beyond the end of the target, zero is read, which no rule requires.
    let bytes = packed.probes.map(|place| u8x16::splat(target.get(usize::from(place)).copied().unwrap_or(0)));
    let mut left = u64::from(candidates(packed, 0, bytes)?);
    if packed.count > BLOCK {
        // All other blocks: a fixed number of them saves more than it costs.
        for number in 1..MAX_PACKED / BLOCK {
            left |= u64::from(candidates(packed, number, bytes)?) << (number * BLOCK);
        }
    }
    left &= packed.all();
    if left != 0 && packed.trigger_count() != 0 {
        let wild = packed.wild()?;
        if left & wild != 0 {
            left &= !wild | passed(packed, target)?;
        }
    }
    while left != 0 {
        let rule = packed.rule(left.trailing_zeros() as usize)?;
        left &= left - 1;
        if matches(&rule, target)? {
            return Some(rule.priority);
        }
    }
    Some(packed.fallback)
}

/// The rules of a block that match the bytes at the three probes. Bits beyond the last rule are
/// undefined.
#[inline(always)]
fn candidates(packed: &Packed<'_>, number: usize, bytes: [u8x16; 3]) -> Option<u32> {
    let any = u8x16::splat(0);
    let column = |column: usize| Some(u8x16::new(*packed.column(column, number)?));
    let (a, b, c) = (column(0)?, column(1)?, column(2)?);
    let fits = (a.simd_eq(bytes[0]) | a.simd_eq(any))
        & (b.simd_eq(bytes[1]) | b.simd_eq(any))
        & (c.simd_eq(bytes[2]) | c.simd_eq(any));
    Some(fits.to_bitmask())
}

/// The rules whose trigger occurs in the target.
#[inline(never)]
fn passed(packed: &Packed<'_>, target: &[u8]) -> Option<u64> {
    Some(match packed.triggers()? {
        Triggers::Narrow(triggers) => occurring(triggers, target),
        Triggers::Wide(triggers) => occurring(triggers, target),
    })
}

/// The same for masks of one width.
#[inline(always)]
fn occurring(triggers: &[impl Trigger], target: &[u8]) -> u64 {
    let rules = triggers.iter().map(Trigger::waiting).filter(|&(trigger, _)| occurs(trigger, target));
    rules.fold(0, |all, (_, mask)| all | mask)
}

/// True if two bytes stand side by side in a target, or the first one stands in it if the second is
/// zero.
#[inline(always)]
fn occurs([first, second]: [u8; 2], target: &[u8]) -> bool {
    if second == 0 {
        memchr::memchr(first, target).is_some()
    } else {
        find(target, 0, &[first, second]).is_some()
    }
}

/// True if a rule matches. `None` if its text exceeds the program.
#[inline(always)]
fn matches(rule: &PackedRule<'_>, target: &[u8]) -> Option<bool> {
    if rule.wild {
        return Some(wild(rule.text.get(..rule.length)?, rule.anchored, target));
    }
    if rule.anchored && target.len() != rule.length {
        return Some(false);
    }
    begins(target, rule.text, rule.length)
}

/// True if a target begins with the first `length` bytes of `text`. The text must have sixteen more
/// bytes.
#[inline(always)]
fn begins(target: &[u8], text: &[u8], length: usize) -> Option<bool> {
    let same = |a: &[u8; 16], b: &[u8; 16]| u8x16::new(*a).simd_eq(u8x16::new(*b)).to_bitmask();
    if target.len() < length {
        return Some(false);
    }
    if length <= BLOCK {
        let first = first_bytes(target);
        let wanted = (1u32 << length) - 1;
        return Some(same(&first, text.first_chunk()?) & wanted == wanted);
    }
    let (text, target) = (text.get(..length)?, target.get(..length)?);
    let mut fits = same(text.last_chunk()?, target.last_chunk()?) == 0xFFFF;
    for (a, b) in text.as_chunks::<16>().0.iter().zip(target.as_chunks::<16>().0) {
        fits &= same(a, b) == 0xFFFF;
    }
    Some(fits)
}

/// True if a wildcard pattern matches: each piece at its first position after the previous one, the
/// last piece of an anchored pattern at the end.
#[inline(never)]
pub(crate) fn wild(text: &[u8], anchored: bool, target: &[u8]) -> bool {
    let Some(star) = text.iter().position(|&byte| byte == b'*') else { return false };
    let (prefix, mut pieces) = text.split_at(star);
    if !target.starts_with(prefix) {
        return false;
    }
    let mut at = star;
    while let Some((_, rest)) = pieces.split_first() {
        let end = rest.iter().position(|&byte| byte == b'*').unwrap_or(rest.len());
        let piece;
        (piece, pieces) = rest.split_at(end);
        if piece.is_empty() {
            continue;
        }
        if anchored && pieces.is_empty() {
            return target.len() - at >= piece.len() && target.ends_with(piece);
        }
        match find(target, at, piece) {
            Some(place) => at = place + piece.len(),
            None => return false,
        }
    }
    true
}

/// The first position of a non-empty piece in a target, from `at` on.
#[inline(always)]
fn find(target: &[u8], at: usize, piece: &[u8]) -> Option<usize> {
    let rest = target.get(at..)?;
    let first = u8x16::splat(*piece.first()?);
    let last = u8x16::splat(*piece.last()?);
    let behind = piece.len() - 1;
    let Some(end) = rest.len().checked_sub(16 + behind) else {
        return rest.windows(piece.len()).position(|window| window == piece).map(|place| at + place);
    };
    // Tests sixteen positions at a time, by the piece's first and last byte; in the end, the last
    // sixteen.
    let mut start = 0;
    loop {
        start = start.min(end);
        let (a, b) = (rest.get(start..)?.first_chunk()?, rest.get(start + behind..)?.first_chunk()?);
        let mut found = (u8x16::new(*a).simd_eq(first) & u8x16::new(*b).simd_eq(last)).to_bitmask();
        while found != 0 {
            let place = start + found.trailing_zeros() as usize;
            found &= found - 1;
            if rest.get(place..place + piece.len()) == Some(piece) {
                return Some(at + place);
            }
        }
        if start == end {
            return None;
        }
        start += 16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_formats::program::PADDING;
    use robomaton_formats::program::packed::{Draft, FRONT_PACKED, Plan, REACH_ALL};

    #[test]
    fn triggers_are_found_wherever_they_stand() {
        let rule = |text, priority, trigger| Draft {
            text,
            prefix: 1,
            anchored: false,
            starred: false,
            priority,
            trigger,
        };
        let plan = Plan {
            rules: vec![rule(b"/*qz", 8, Some(0)), rule(b"/*!", 6, Some(1))],
            triggers: vec![[b'q', b'z'], [b'!', 0]],
            pairs: 1,
            reach: REACH_ALL,
            ..Plan::default()
        };
        let mut program = Vec::new();
        plan.encode(FRONT_PACKED, &mut program);
        program.resize(program.len() + PADDING, 0);
        let packed = Packed::read(&program).unwrap();
        for length in 1..150 {
            let mut target = vec![b'a'; length];
            target[0] = b'/';
            assert_eq!(best(&packed, &target), Some(0));
            for place in 1..length {
                let mut target = target.clone();
                target[place] = b'!';
                assert_eq!(best(&packed, &target), Some(6), "{place} of {length}");
                target[place] = b'q';
                assert_eq!(best(&packed, &target), Some(0));
                if let Some(next) = target.get_mut(place + 1) {
                    *next = b'z';
                    assert_eq!(best(&packed, &target), Some(8), "{place} of {length}");
                }
            }
        }
    }
}
