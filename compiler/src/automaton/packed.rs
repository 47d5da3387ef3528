//! Packed programs for small sets: rules best first, in the format of `formats::program::packed`.
//!
//! This file decides which sets are small and simple enough, which probes the columns use, and
//! which triggers wildcard rules wait for. None of these choices changes an answer. Linear in the
//! patterns.

use super::Prioritized;
use robomaton_formats::Notation;
use robomaton_formats::program::packed::{
    Draft, FRONT_PACKED, MAX_LENGTH, MAX_PACKED, MAX_TEXTS, MIN_REACH, Plan, REACH_ALL,
};
use robomaton_formats::program::{Header, Priority, Weighing};

/// Appends the program of these normalised rules and returns true, if they fit the packed form.
pub(super) fn build(
    rules: &[Prioritized<'_>],
    notation: Notation,
    weighing: Weighing,
    out: &mut Vec<u8>,
) -> bool {
    let Some(plan) = plan(rules, notation, weighing) else { return false };
    plan.encode(Header::front(notation, weighing, false) | FRONT_PACKED, out);
    true
}

fn plan<'r>(rules: &[Prioritized<'r>], notation: Notation, weighing: Weighing) -> Option<Plan<'r>> {
    // Other notations do not rank by pattern length, or write wildcards differently.
    let ranks_by_length = matches!(notation, Notation::Rep | Notation::Google);
    if !ranks_by_length || weighing == Weighing::Scoped || rules.len() > MAX_PACKED {
        return None;
    }
    let mut drafts = Vec::with_capacity(rules.len());
    for rule in rules {
        drafts.push(draft(rule, notation)?);
    }
    // Every target begins with a slash.
    let matches_all = |draft: &Draft<'_>| !draft.anchored && matches!(draft.text, b"" | b"/");
    let fallback =
        drafts.iter().filter(|draft| matches_all(draft)).map(|draft| draft.priority).max().unwrap_or(0);
    drafts.retain(|draft| draft.priority > fallback);
    if drafts.iter().map(|draft| draft.text.len()).sum::<usize>() > MAX_TEXTS {
        return None;
    }
    drafts.sort_by_key(|draft| std::cmp::Reverse(draft.priority));
    let longest = drafts.iter().map(|draft| draft.text.len()).max().unwrap_or(0);
    let any_wild = drafts.iter().any(|draft| draft.trigger.is_some());
    let mut plan = Plan {
        reach: if any_wild { REACH_ALL } else { (longest as u8 + 1).max(MIN_REACH) },
        fallback: u8::try_from(fallback).ok()?,
        rules: drafts,
        ..Plan::default()
    };
    choose_triggers(&mut plan);
    choose_probes(&mut plan);
    Some(plan)
}

/// A rule in packed form, if possible: its rank must be the length of its pattern, and it must
/// contain no escaped byte.
fn draft<'r>(rule: &Prioritized<'r>, notation: Notation) -> Option<Draft<'r>> {
    let text = rule.pattern.text;
    let (text, anchored) = text.strip_suffix(b"$").map_or((text, false), |text| (text, true));
    let (text, starred) = text.strip_suffix(b"*").map_or((text, false), |text| (text, true));
    let is_escaped = || {
        let stands = |escape: &[u8]| memchr::memmem::find(text, escape).is_some();
        notation == Notation::Rep
            && memchr::memchr(b'%', text).is_some()
            && (stands(b"%2A") || stands(b"%24"))
    };
    let rank = text.len() as Priority + Priority::from(anchored) + Priority::from(starred);
    let fits = rule.priority / 2 == rank
        && !(anchored && starred)
        && text.len() <= MAX_LENGTH
        && text.is_ascii()
        && memchr::memchr(0, text).is_none()
        && !text.ends_with(b"*")
        && !is_escaped();
    let prefix = memchr::memchr(b'*', text).unwrap_or(text.len());
    let trigger = (prefix < text.len()).then_some(0);
    fits.then_some(Draft { text, prefix, anchored, starred, priority: rule.priority, trigger })
}

/// Assigns each wildcard rule the byte pair after its prefix that is rarest in targets, or a single
/// byte if there is no pair.
fn choose_triggers(plan: &mut Plan<'_>) {
    let mut wanted = Vec::new();
    for (number, rule) in plan.rules.iter().enumerate().filter(|(_, rule)| rule.trigger.is_some()) {
        let pieces = || rule.text[rule.prefix..].split(|&byte| byte == b'*');
        let pairs = pieces().flat_map(|piece| piece.iter().zip(piece.iter().skip(1)).map(|(&a, &b)| [a, b]));
        let pair = pairs.min_by_key(|&[a, b]| byte_rank(a) * byte_rank(b));
        let single = || pieces().flatten().copied().min_by_key(|&byte| byte_rank(byte)).map(|byte| [byte, 0]);
        // Pairs come first.
        wanted.extend(pair.or_else(single).map(|trigger| (trigger[1] == 0, trigger, number)));
    }
    wanted.sort_unstable();
    for (is_single, trigger, number) in wanted {
        if plan.triggers.last() != Some(&trigger) {
            plan.triggers.push(trigger);
            plan.pairs += usize::from(!is_single);
        }
        plan.rules[number].trigger = Some(plan.triggers.len() - 1);
    }
}

/// The approximate frequency of a byte in targets.
fn byte_rank(byte: u8) -> u32 {
    RANKS[usize::from(byte)].into()
}

/// The frequencies of all bytes.
const RANKS: [u8; 256] = {
    let mut ranks = [0; 256];
    let mut byte = 0;
    while byte < ranks.len() {
        ranks[byte] = match byte as u8 {
            b'/' => 64,
            b'e' | b'a' | b'i' | b'o' | b't' | b's' | b'n' | b'r' | b'c' | b'l' => 32,
            b'j' | b'k' | b'q' | b'v' | b'w' | b'x' | b'y' | b'z' => 8,
            b'a'..=b'z' | b'-' => 20,
            b'0'..=b'9' | b'.' => 16,
            b'?' | b'=' => 6,
            b'_' | b'%' | b'&' | b'A'..=b'Z' => 4,
            _ => 1,
        };
        byte += 1;
    }
    ranks
};

/// Positions from here on distinguish rules hardly better than earlier ones.
const FAR: usize = 64;

/// Chooses, one after the other, the probes that best tell the rules' prefixes apart.
fn choose_probes(plan: &mut Plan<'_>) {
    let longest = plan.rules.iter().map(|rule| rule.prefix).max().unwrap_or(0).min(FAR);
    // Most rules are short, and clearing a table for long ones takes as long as choosing.
    match longest {
        0..=NEAR => choose_among::<NEAR>(plan, longest),
        _ => choose_among::<FAR>(plan, longest),
    }
}

/// Positions of most rules.
const NEAR: usize = 24;

/// Chooses probes among the first `longest` positions, at most `PLACES`.
fn choose_among<const PLACES: usize>(plan: &mut Plan<'_>, longest: usize) {
    // Rules with the same bytes at all probes so far are in one class. Classes may collide by
    // chance.
    let mut classes = [0u8; MAX_PACKED];
    let count = plan.rules.len();
    // The bytes of all rules, by position, each multiplied by [`SPREAD`]; and the cost of the rules
    // that end before a position.
    let mut bytes = [[0; MAX_PACKED]; PLACES];
    let mut blind = [0; PLACES];
    for (number, rule) in plan.rules.iter().enumerate() {
        let prefix = &rule.text[..rule.prefix.min(longest)];
        for (bytes, &byte) in bytes.iter_mut().zip(prefix) {
            bytes[number] = byte.wrapping_mul(SPREAD);
        }
        blind[prefix.len()..longest].iter_mut().for_each(|cost| *cost += BLIND);
    }
    for chosen in 0..plan.probes.len() {
        let mut best = (u32::MAX, 0);
        for (place, (bytes, &blind)) in bytes.iter().zip(&blind).enumerate().take(longest).skip(1) {
            let mut cost = blind;
            // Of equal positions, the first is taken.
            if cost >= best.0 {
                continue;
            }
            let mut counts = [0u8; 256];
            for (&byte, &class) in bytes[..count].iter().zip(&classes) {
                let count = &mut counts[usize::from(byte ^ class)];
                cost += if byte == 0 { 0 } else { u32::from(*count) };
                *count += 1;
                if cost >= best.0 {
                    break;
                }
            }
            best = best.min((cost, place));
            if cost == 0 {
                break;
            }
        }
        plan.probes[chosen] = best.1 as u8;
        for (class, byte) in classes.iter_mut().zip(bytes[best.1]) {
            *class = class.wrapping_mul(7) ^ byte.wrapping_mul(SPREAD_INVERSE);
        }
    }
}

/// Spreads bytes over the counters of a position. It is odd, so different bytes stay different.
const SPREAD: u8 = 31;
const SPREAD_INVERSE: u8 = 223;
const _: () = assert!(SPREAD.wrapping_mul(SPREAD_INVERSE) == 1);

/// The cost of a rule that accepts any byte at a position, relative to 1 for each earlier rule with
/// the same byte.
const BLIND: u32 = 16;
