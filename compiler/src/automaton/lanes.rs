//! The form of programs for small sets: rules best first, as `formats::program::lanes` describes them.
//!
//! Decided here: which sets are small and simple enough, where columns look, and which triggers rules with stars wait
//! for. None of that changes an answer. Linear in the patterns.

use super::Tagged;
use robomaton_formats::Notation;
use robomaton_formats::program::lanes::{Draft, FRONT_LANES, MAX_LANES, MAX_LENGTH, Plan, REACH_ALL};
use robomaton_formats::program::{Head, Tag, Weighing};

/// Appends the program of these normalised rules, if it can be one of lanes; says whether it can.
pub(super) fn build(rules: &[Tagged<'_>], notation: Notation, weighing: Weighing, out: &mut Vec<u8>) -> bool {
    // Other notations rank by something else than the length of a pattern, or write wildcards otherwise.
    let ranks_by_length = matches!(notation, Notation::Rep | Notation::Google);
    if !ranks_by_length || weighing == Weighing::Scoped || rules.len() > MAX_LANES {
        return false;
    }
    let Some(plan) = plan(rules, notation) else { return false };
    plan.encode(Head::front(notation, weighing, false) | FRONT_LANES, out);
    true
}

fn plan<'r>(rules: &[Tagged<'r>], notation: Notation) -> Option<Plan<'r>> {
    let mut drafts = Vec::with_capacity(rules.len());
    for rule in rules {
        drafts.push(draft(rule, notation)?);
    }
    // Every target begins with a slash.
    let matches_all = |draft: &Draft<'_>| !draft.anchored && matches!(draft.text, b"" | b"/");
    let otherwise =
        drafts.iter().filter(|draft| matches_all(draft)).map(|draft| draft.tag).max().unwrap_or(0);
    drafts.retain(|draft| draft.tag > otherwise);
    drafts.sort_by_key(|draft| std::cmp::Reverse(draft.tag));
    let longest = drafts.iter().map(|draft| draft.text.len()).max().unwrap_or(0);
    let any_wild = drafts.iter().any(|draft| draft.trigger.is_some());
    let mut plan = Plan {
        reach: if any_wild { REACH_ALL } else { longest as u8 + 1 },
        otherwise: u8::try_from(otherwise).ok()?,
        rules: drafts,
        ..Plan::default()
    };
    choose_triggers(&mut plan);
    choose_places(&mut plan);
    Some(plan)
}

/// A rule as lanes hold it, if they can: its rank must be the length of its pattern, and no byte of it escaped.
fn draft<'r>(rule: &Tagged<'r>, notation: Notation) -> Option<Draft<'r>> {
    let text = rule.pattern.text;
    let (text, anchored) = text.strip_suffix(b"$").map_or((text, false), |text| (text, true));
    let (text, starred) = text.strip_suffix(b"*").map_or((text, false), |text| (text, true));
    let is_escaped = || {
        let stands = |escape: &[u8]| memchr::memmem::find(text, escape).is_some();
        notation == Notation::Rep && text.contains(&b'%') && (stands(b"%2A") || stands(b"%24"))
    };
    let rank = text.len() as Tag + Tag::from(anchored) + Tag::from(starred);
    let fits = rule.tag / 2 == rank
        && !(anchored && starred)
        && text.len() <= MAX_LENGTH
        && text.iter().all(|byte| (1..0x80).contains(byte))
        && !text.ends_with(b"*")
        && !is_escaped();
    let head = memchr::memchr(b'*', text).unwrap_or(text.len());
    let trigger = (head < text.len()).then_some(0);
    fits.then_some(Draft { text, head, anchored, starred, tag: rule.tag, trigger })
}

/// Gives each rule with stars inside the two bytes behind its head that are rarest in targets, or the only one.
fn choose_triggers(plan: &mut Plan<'_>) {
    let mut wanted = Vec::new();
    for (number, rule) in plan.rules.iter().enumerate().filter(|(_, rule)| rule.trigger.is_some()) {
        let pieces = || rule.text[rule.head..].split(|&byte| byte == b'*');
        let pairs = pieces().flat_map(|piece| piece.iter().zip(piece.iter().skip(1)).map(|(&a, &b)| [a, b]));
        let pair = pairs.min_by_key(|&[a, b]| frequency(a) * frequency(b));
        let single = || pieces().flatten().copied().min_by_key(|&byte| frequency(byte)).map(|byte| [byte, 0]);
        // Pairs first.
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

/// Roughly how often a byte stands in a target.
fn frequency(byte: u8) -> u32 {
    match byte {
        b'/' => 64,
        b'e' | b'a' | b'i' | b'o' | b't' | b's' | b'n' | b'r' | b'c' | b'l' => 32,
        b'j' | b'k' | b'q' | b'v' | b'w' | b'x' | b'y' | b'z' => 8,
        b'a'..=b'z' | b'-' => 20,
        b'0'..=b'9' | b'.' => 16,
        b'?' | b'=' => 6,
        b'_' | b'%' | b'&' | b'A'..=b'Z' => 4,
        _ => 1,
    }
}

/// Places from here on tell nothing that those before do not tell nearly as well.
const FAR: usize = 64;

/// Chooses the places that tell the heads of the rules best apart, one after the other.
fn choose_places(plan: &mut Plan<'_>) {
    // Rules that have the same bytes at the places so far are of one class; others may be, by chance.
    let mut classes = [0u8; MAX_LANES];
    let count = plan.rules.len();
    let longest = plan.rules.iter().map(|rule| rule.head).max().unwrap_or(0).min(FAR);
    // The bytes of all rules, place by place.
    let mut bytes = [[0; MAX_LANES]; FAR];
    for (number, rule) in plan.rules.iter().enumerate() {
        let head = &rule.text[..rule.head.min(FAR)];
        bytes.iter_mut().zip(head).for_each(|(bytes, &byte)| bytes[number] = byte);
    }
    for chosen in 0..plan.places.len() {
        let mut best = (u32::MAX, 0);
        for (place, bytes) in bytes.iter().enumerate().take(longest).skip(1) {
            let mut counts = [0u8; 256];
            let mut cost = 0;
            for (&byte, &class) in bytes[..count].iter().zip(&classes) {
                let count = &mut counts[usize::from(byte.wrapping_mul(31) ^ class)];
                // What takes any byte is left over with every target.
                cost += if byte == 0 { BLIND } else { u32::from(*count) };
                *count += 1;
            }
            best = best.min((cost, place));
            if cost == 0 {
                break;
            }
        }
        plan.places[chosen] = best.1 as u8;
        for (class, byte) in classes.iter_mut().zip(bytes[best.1]) {
            *class = class.wrapping_mul(7) ^ byte;
        }
    }
}

/// What it costs that a rule takes any byte at a place, against 1 for each earlier rule of the same byte.
const BLIND: u32 = 16;
