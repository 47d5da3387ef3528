//! Preferences of robots.txt by their place: lines that belong to another group than it seems, that
//! hide others, or that a crawler with its own group does not get.
//!
//! Groups are those of profile `full`, where a Content-Usage ends a list of user-agents like a
//! rule. Invariants: time is linear, except for pairs of paths, which are limited by the steps of
//! the pass; findings do not depend on hash order. `statements` checks the values.

use super::cover::{Shape, covers};
use super::statements::{Kind, kind};
use super::{Code, Pass, quote};
use crate::lowering::preferences::covered;
use robomaton_formats::vocabulary::control_tokens;
use robomaton_formats::{Notation, Pattern};
use robomaton_grammar::modern::Preference;
use robomaton_grammar::modern::dictionary::content_usage;
use robomaton_grammar::modern::path::split_path;
use robomaton_grammar::modern::signal::content_signal;
use robomaton_grammar::{Key, LineKind, Span, product_token};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// A group as profile `full` reads it.
struct Set {
    /// Its lines, as indexes.
    lines: Range<usize>,
    /// Its product tokens in lower case, each with its place.
    names: Vec<(Vec<u8>, Span)>,
    /// True if it is for every crawler.
    is_default: bool,
}

pub(super) fn lint(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let states = |at: usize| kind(tree, &tree.lines[at]);
    if !(0..tree.lines.len()).any(|at| states(at).is_some()) {
        return;
    }
    let sets = sets(pass);
    let first = sets.first().map_or(tree.lines.len(), |set| set.lines.start);
    for at in (0..first).filter(|&at| matches!(states(at), Some(Kind::Usage | Kind::Training))) {
        let message = "a preference before any user-agent line; it is ignored, so move it into a group";
        pass.say(Code::PreferenceOutsideGroup, tree.lines[at].key, message);
    }
    for set in &sets {
        // Nobody is left out of the only group, if it is for everyone.
        if !(set.is_default && sets.len() == 1) {
            floating(set, pass);
        }
    }
    dropped(first, &sets, pass);
    shadowed(&sets, pass);
}

/// The groups, and findings about those that other profiles read as one.
fn sets(pass: &mut Pass<'_, '_>) -> Vec<Set> {
    let tree = pass.tree;
    let mut sets = Vec::new();
    for group in &tree.groups {
        let [start, body, end] = [group.start, group.body, group.end].map(|at| at as usize);
        let mut begin = start;
        let mut closed = None;
        for at in start..body {
            if pass.closes(at) {
                closed = Some(at);
            } else if tree.lines[at].kind == LineKind::Field(Key::UserAgent)
                && let Some(by) = closed.take()
            {
                sets.push(Set::read(begin..at, pass));
                begin = at;
                if body < end {
                    let message = "for readers of Content-Usage a new group begins here, for others the group of the \
                                   user-agents before goes on, with the rules below; write rules before this line";
                    let (span, second) = (tree.lines[at].value, tree.lines[by].key);
                    pass.say_with(
                        Code::ContentUsageDividesGroup,
                        span,
                        message,
                        second,
                        "this ends the list",
                    );
                }
            }
        }
        sets.push(Set::read(begin..end, pass));
    }
    sets
}

impl Set {
    fn read(lines: Range<usize>, pass: &Pass<'_, '_>) -> Set {
        let tree = pass.tree;
        let mut names = Vec::new();
        for line in &tree.lines[lines.clone()] {
            if line.kind == LineKind::Field(Key::UserAgent)
                && let Some(token) = product_token(tree.text(line.value))
            {
                let start = line.value.start;
                names.push((token.to_ascii_lowercase(), Span { start, end: start + token.len() as u32 }));
            }
        }
        let is_default = names.iter().any(|(name, _)| name == b"*");
        Set { lines, names, is_default }
    }

    /// True if it disallows everything, without an exception.
    fn is_closed(&self, pass: &Pass<'_, '_>) -> bool {
        let lines = &pass.tree.lines[self.lines.clone()];
        let has = |key, is: fn(&[u8]) -> bool| {
            lines.iter().any(|line| line.kind == LineKind::Field(key) && is(pass.tree.text(line.value)))
        };
        has(Key::Disallow, |value| matches!(value, b"/" | b"*" | b"/*"))
            && !has(Key::Allow, |value| !value.is_empty())
    }
}

/// Reports statements at the end of a group that are set apart from it, as if they were for the
/// whole file.
fn floating(set: &Set, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let (mut is_apart, mut has_record) = (false, false);
    let mut found = Vec::new();
    for at in set.lines.clone() {
        let line = &tree.lines[at];
        match (line.kind, kind(tree, line)) {
            (LineKind::Blank, _) => is_apart |= line.comment.is_empty(),
            (LineKind::Field(Key::Sitemap | Key::Host | Key::CleanParam), _) => is_apart = true,
            (_, Some(Kind::Usage | Kind::Signal | Kind::License)) if is_apart && has_record => found.push(at),
            (LineKind::Field(_) | LineKind::Unknown, kind) => {
                has_record |= line.kind != LineKind::Field(Key::UserAgent);
                // A rule after them shows that the group goes on.
                if kind.is_none() {
                    is_apart = false;
                    found.clear();
                }
            }
            (LineKind::Acap | LineKind::Malformed, _) => {}
        }
    }
    let Some((_, name)) = set.names.first() else { return };
    for at in found {
        let message = format!(
            "this line belongs to the group of {}, although it is set apart, and is nothing to other crawlers; \
             write it in every group that it is meant for",
            quote(tree.text(*name))
        );
        pass.say_with(Code::Floating, tree.lines[at].key, message, *name, "the group begins here");
    }
}

/// Reports groups that name crawlers and state nothing, while the groups for `*` do.
fn dropped(first: usize, sets: &[Set], pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let mut fallback = [false; Kind::ALL.len()];
    for kind in tree.lines[..first].iter().filter_map(|line| kind(tree, line)) {
        fallback[kind as usize] |= kind.has_fallback();
    }
    // The first statement of each kind for `*`, and the crawlers that have statements of their own.
    let mut common: [Option<Span>; Kind::ALL.len()] = [None; Kind::ALL.len()];
    let mut stating: HashSet<&[u8]> = HashSet::new();
    for set in sets {
        let lines = tree.lines[set.lines.clone()].iter();
        let mut stated = lines.filter_map(|line| Some((kind(tree, line)?, line.key))).peekable();
        if stated.peek().is_some() {
            stating.extend(set.names.iter().map(|(name, _)| &**name));
        }
        for (kind, key) in stated.filter(|_| set.is_default) {
            common[kind as usize].get_or_insert(key);
        }
    }
    let lost: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| !fallback[kind as usize]).collect();
    let lost: Vec<(Kind, Span)> =
        lost.into_iter().filter_map(|kind| Some((kind, common[kind as usize]?))).collect();
    let Some(&(_, second)) = lost.first() else { return };
    let names: Vec<&str> = lost.iter().map(|(kind, _)| kind.name()).collect();
    // The rules of a control token are statements themselves.
    let is_token =
        |name: &[u8]| control_tokens().iter().any(|token| token.name.as_bytes().eq_ignore_ascii_case(name));
    let mut seen: HashSet<&[u8]> = HashSet::new();
    for set in sets.iter().filter(|set| !set.is_default) {
        let losing = set.names.iter().filter(|(name, _)| !stating.contains(&**name) && !is_token(name));
        let losing: Vec<_> = losing.filter(|(name, _)| seen.insert(name)).collect();
        let Some((_, span)) = losing.first().filter(|_| !set.is_closed(pass)) else { continue };
        let message = format!(
            "{} has a group of its own, and so takes nothing from `*`: not its {}; repeat it in this group",
            quote(tree.text(*span)),
            names.join(", ")
        );
        pass.say_with(Code::DroppedPreferences, *span, message, second, "the statement for all others");
    }
}

/// A line with labels.
struct Statement {
    line: usize,
    kind: Kind,
    rank: u32,
    shape: Shape,
    /// The labels that it mentions, each with whether it states something.
    labels: Vec<(String, bool)>,
    /// True if all of it was understood.
    is_clean: bool,
}

impl Statement {
    fn read(line: usize, pass: &Pass<'_, '_>) -> Option<Statement> {
        let kind = kind(pass.tree, &pass.tree.lines[line])?;
        let (path, statement) = split_path(pass.tree.text(pass.tree.lines[line].value));
        let (labels, is_clean) = match kind {
            Kind::Usage => {
                let members = content_usage(statement);
                let is_clean = members.is_ok();
                let label = |(key, preference)| (key, preference != Preference::Other);
                (members.unwrap_or_default().into_iter().map(label).collect(), is_clean)
            }
            Kind::Signal => {
                let signals = content_signal(statement);
                let stated = signals.signals.into_iter().map(|signal| (signal.key, true));
                (stated.filter(|(key, _)| key != "use").collect(), signals.mistakes.is_empty())
            }
            Kind::License | Kind::Training => return None,
        };
        let (pattern, rank) = covered(path);
        let shape = Shape::new(Pattern { text: &pattern, notation: Notation::Rep });
        Some(Statement { line, kind, rank, shape, labels, is_clean })
    }

    fn mentions(&self, label: &str) -> bool {
        self.labels.iter().any(|(own, _)| own == label)
    }
}

/// Reports statements that omit a label, and hide the one of a shorter path that has it.
fn shadowed(sets: &[Set], pass: &mut Pass<'_, '_>) {
    let read = |set: &Set| set.lines.clone().filter_map(|line| Statement::read(line, pass)).collect();
    let statements: Vec<Vec<Statement>> = sets.iter().map(read).collect();
    // Groups with a crawler in common are read together.
    let mut together: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (number, set) in sets.iter().enumerate().filter(|(number, _)| !statements[*number].is_empty()) {
        for (name, _) in &set.names {
            let numbers = together.entry(name).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    }
    let together: BTreeSet<Vec<usize>> = together.into_values().collect();
    let mut seen = HashSet::new();
    for numbers in together {
        for kind in [Kind::Usage, Kind::Signal] {
            let all = numbers.iter().flat_map(|&number| &statements[number]);
            let mut all: Vec<&Statement> = all.filter(|statement| statement.kind == kind).collect();
            all.sort_by_key(|statement| (statement.rank, statement.line));
            for (at, inner) in all.iter().enumerate() {
                if !inner.is_clean || seen.contains(&inner.line) {
                    continue;
                }
                match hidden(inner, &all[..at], pass) {
                    None => {
                        pass.unchecked.get_or_insert(pass.tree.lines[inner.line].value);
                        return;
                    }
                    Some(None) => {}
                    Some(Some((outer, label))) => {
                        seen.insert(inner.line);
                        say_shadowed(inner.line, outer, &label, pass);
                    }
                }
            }
        }
    }
}

/// The longest of the shorter statements that covers this one, if it states a label that this one
/// omits; its line and the label. `None` if the steps did not suffice.
fn hidden(
    inner: &Statement,
    shorter: &[&Statement],
    pass: &mut Pass<'_, '_>,
) -> Option<Option<(usize, String)>> {
    for outer in shorter.iter().rev().filter(|outer| outer.rank < inner.rank) {
        pass.spend(1)?;
        if covers(&outer.shape, &inner.shape, &mut pass.steps)? {
            let mut lost =
                outer.labels.iter().filter(|(label, is_stated)| *is_stated && !inner.mentions(label));
            return Some(lost.next().map(|(label, _)| (outer.line, label.clone())));
        }
    }
    Some(None)
}

fn say_shadowed(inner: usize, outer: usize, label: &str, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let message = format!(
        "this line decides alone where it matches, and omits {}, which is then unknown; repeat it from line {}",
        quote(label.as_bytes()),
        tree.line_number(outer)
    );
    let [span, second] = [inner, outer].map(|at| tree.lines[at].value);
    pass.say_with(Code::ShadowedPreference, span, message, second, "this one is hidden");
}
