//! Rules that mean something else than their author intended: `$` inside a pattern, stars without
//! effect, an empty `Disallow` that revokes nothing, and `Noindex`.
//!
//! The lines are read from the tree. The effect of stars depends on pattern lengths, which decide
//! the rank (R12): a star is reported as redundant only if the rule would have the same effect
//! without it. Linear time.

use super::{Code, Pass};
use crate::policy::{Group, Policy, Sense};
use robomaton_formats::Notation;
use robomaton_grammar::{Key, Line, LineKind, Span, product_token};
use std::collections::{HashMap, HashSet};

/// Finds Noindex records.
pub(super) fn noindex(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let is_noindex = |line: &&Line| line.kind == LineKind::Field(Key::Noindex) && !line.value.is_empty();
    for line in tree.lines.iter().filter(is_noindex) {
        let message = "Google has not read `Noindex` in robots.txt since 2019; say it in a robots META tag or \
                       an `X-Robots-Tag` header";
        pass.say(Code::UnreadNoindex, line.key, message);
    }
}

/// Checks the lines of rules, one by one.
pub(super) fn lines(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    for line in &tree.lines {
        if matches!(line.kind, LineKind::Field(Key::Allow | Key::Disallow | Key::Noindex)) {
            anchor(line, pass);
        }
    }
    taken_back(pass);
}

/// A `$` after a letter and before a character that cannot begin a name: it was meant to end the
/// pattern (R11). Before a name, it is probably part of URLs (`/$metadata`).
fn anchor(line: &Line, pass: &mut Pass<'_, '_>) {
    let value = pass.tree.text(line.value);
    let is_meant = |around: &[u8]| {
        let begins_a_name = around[2].is_ascii_alphanumeric() || b"_-{(%".contains(&around[2]);
        around[0].is_ascii_alphanumeric() && around[1] == b'$' && !begins_a_name
    };
    if let Some(at) = value.windows(3).position(is_meant) {
        let start = line.value.start + at as u32 + 1;
        let message = "`$` means the end of a URL only as the last character; here it stands for itself";
        pass.say(Code::MisplacedAnchor, Span { start, end: start + 1 }, message);
    }
}

/// The relevant lines of one crawler's groups.
#[derive(Clone, Copy, Default)]
struct Whole {
    /// The first empty `Disallow`.
    empty: Option<Span>,
    /// The first `Disallow` that forbids everything.
    full: Option<Span>,
}

/// An empty `Disallow` together with one for everything, for the same crawler (R14).
fn taken_back(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let mut of_crawlers: HashMap<Vec<u8>, Whole> = HashMap::new();
    let mut said: HashSet<u32> = HashSet::new();
    for group in &tree.groups {
        let mut own = Whole::default();
        for line in &tree.lines[group.body as usize..group.end as usize] {
            match (line.kind, tree.text(line.value)) {
                (LineKind::Field(Key::Disallow), b"") => _ = own.empty.get_or_insert(line.key),
                (LineKind::Field(Key::Disallow), b"/" | b"/*" | b"*") => {
                    _ = own.full.get_or_insert(line.value)
                }
                _ => {}
            }
        }
        if own.empty.or(own.full).is_none() {
            continue;
        }
        for line in &tree.lines[group.start as usize..group.body as usize] {
            if line.kind != LineKind::Field(Key::UserAgent) {
                continue;
            }
            let Some(name) = product_token(tree.text(line.value)) else { continue };
            let all = of_crawlers.entry(name.to_ascii_lowercase()).or_default();
            *all = Whole { empty: all.empty.or(own.empty), full: all.full.or(own.full) };
            if let Whole { empty: Some(empty), full: Some(full) } = *all
                && said.insert(empty.start)
            {
                let message = format!(
                    "an empty `Disallow` is no rule, so it does not take back `Disallow: {}`",
                    tree.text(full).escape_ascii()
                );
                pass.say_with(Code::ContradictoryDisallow, empty, message, full, "this one holds");
            }
        }
    }
}

/// A redundant star, as written.
struct Star {
    span: Span,
    /// The number of bytes that removing it saves.
    bytes: usize,
    message: &'static str,
}

/// Stars without effect: at the end, where any text may follow anyway, and next to another star
/// (R11). `families` numbers the groups that share crawlers. Rule sets with a version are skipped:
/// in 2.0.0 a star at the end makes the pattern a prefix.
pub(super) fn stars(policy: &Policy<'_>, groups: &[&Group<'_>], families: &[usize], pass: &mut Pass<'_, '_>) {
    if !policy.rule_sets.is_empty() {
        return;
    }
    // Rules without effect already have findings.
    let lost: HashSet<u32> = pass.found.iter().map(|finding| finding.span.start).collect();
    // The pattern lengths of each family, by sense.
    let mut lengths: HashSet<(usize, bool, usize)> = HashSet::new();
    for (group, &family) in groups.iter().zip(families) {
        for rule in &policy.rules[group.rules.clone()] {
            lengths.insert((family, rule.sense == Sense::Permit, rule.pattern.len()));
        }
    }
    for (group, &family) in groups.iter().zip(families) {
        for rule in &policy.rules[group.rules.clone()] {
            let has_stars = matches!(rule.notation, Notation::Rep | Notation::Google);
            if !has_stars || !pass.is_written(rule) {
                continue;
            }
            let place = pass.value(rule.line);
            let Some(star) = star(pass.tree.text(place), place).filter(|_| !lost.contains(&place.start))
            else {
                continue;
            };
            // A rule of the other sense with a length between this pattern's with and without the
            // star: against such a rule the star may matter.
            let length = rule.pattern.len();
            let opposite = rule.sense != Sense::Permit;
            let counts = (length.saturating_sub(star.bytes)..=length)
                .any(|length| lengths.contains(&(family, opposite, length)));
            if !counts {
                pass.say(Code::RedundantStar, star.span, star.message);
            }
        }
    }
}

/// The first redundant star of a value.
fn star(value: &[u8], place: Span) -> Option<Star> {
    let found = |start: usize, end: usize, bytes: usize, message: &'static str| {
        let span = Span { start: place.start + start as u32, end: place.start + end as u32 };
        Some(Star { span, bytes, message })
    };
    if let Some(start) = value.windows(2).position(|pair| pair == b"**") {
        let count = value[start..].iter().take_while(|&&byte| byte == b'*').count();
        return found(start, start + count, count - 1, "several stars in a row are the same as one");
    }
    match value {
        // Without the star, this `$` would end the pattern.
        [.., b'$', b'*'] | [.., b'$', b'*', b'$'] => None,
        [_, .., b'*', b'$'] => {
            let message = "`*$` changes nothing at the end of a pattern: anything may follow it anyway";
            found(value.len() - 2, value.len(), 2, message)
        }
        [_, .., b'*'] => {
            let message = "this `*` changes nothing at the end of a pattern: anything may follow it anyway";
            found(value.len() - 1, value.len(), 1, message)
        }
        _ => None,
    }
}
