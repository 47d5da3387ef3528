//! Rules of the 1996 draft that never decide: a blank line has ended their record (K5), or an
//! earlier rule makes them unreachable, for patterns are prefixes and the first match wins (K11).
//!
//! In sorted order, the prefixes of a pattern form a stack, so one pass finds the first rule that
//! covers another. Records without a name are checked like any other.

use super::{Code, Pass, quote};
use crate::policy::{Policy, Rule};
use robomaton_grammar::{Key, LineKind};
use std::ops::Range;

/// Reports rules behind the end of their record. The grammar reports those before the first one.
pub(super) fn outside_records(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let (mut is_open, mut end) = (false, None);
    for line in &tree.lines {
        match line.kind {
            LineKind::Blank if line.comment.is_empty() && is_open => {
                (is_open, end) = (false, Some(line.span))
            }
            LineKind::Field(Key::UserAgent) => is_open = true,
            LineKind::Field(Key::Allow | Key::Disallow) if !is_open && !line.value.is_empty() => {
                let Some(end) = end else { continue };
                let message = "this rule has no effect: a blank line ends the record above it";
                pass.say_with(Code::RuleBehindBlankLine, line.value, message, end, "the record ends here");
            }
            _ => {}
        }
    }
}

pub(super) fn lint(policy: &Policy<'_>, pass: &mut Pass<'_, '_>) {
    for group in policy.ranked_groups() {
        unreachable(&policy.rules, group.rules.clone(), pass);
    }
}

/// The rules of one record.
fn unreachable(rules: &[Rule<'_>], range: Range<usize>, pass: &mut Pass<'_, '_>) {
    let mut sorted: Vec<usize> = range.collect();
    sorted.sort_by_key(|&at| (&rules[at].pattern, at));
    // Rules whose patterns are prefixes of the current one, each with the first rule in file order
    // among it and those below.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut hidden = Vec::new();
    for at in sorted {
        while open.last().is_some_and(|&(last, _)| !rules[at].pattern.starts_with(&rules[last].pattern)) {
            open.pop();
        }
        let first = open.last().map_or(at, |&(_, first)| first.min(at));
        if first < at {
            hidden.push((at, first));
        }
        open.push((at, first));
    }
    for (at, first) in hidden {
        let [rule, winner] = [at, first].map(|at| &rules[at]);
        let sense = winner.sense.key();
        let (span, second) = (pass.value(rule.line), pass.value(winner.line));
        let message = format!(
            "this rule has no effect: {sense} {} on line {} comes first and matches all that it matches",
            quote(pass.tree.text(second)),
            winner.line
        );
        pass.say_with(Code::UnreachableRule, span, message, second, "this one is reached first");
    }
}
