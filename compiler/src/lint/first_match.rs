//! Rules of the 1996 draft that an earlier rule makes unreachable: patterns are prefixes and the
//! first match wins (K11).
//!
//! In sorted order, the prefixes of a pattern form a stack, so one pass finds the first rule that
//! covers another. Records without a name are checked like any other.

use super::{Code, Pass, quote};
use crate::policy::{Policy, Rule};
use std::ops::Range;

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
