//! Second pass: policy → priorities. The only file that decides which rule beats which.
//!
//! A priority is `2 × rank + 1` for a permission and `2 × rank` for a prohibition, and the matching
//! rule with the highest priority wins. RFC 9309 ranks by the bytes of the pattern, so at equal
//! length the permission wins (R12). The 1996 draft ranks by file order (K11), Robot-version 2.0.0
//! by the form of the match (N9): each rule has the [`Combiner`] of its language. Later passes do
//! not know why one priority is higher than another.

use crate::policy::{Combiner, Policy, Rule, Sense};
use robomaton_formats::policy;
use robomaton_formats::program::{Priority, Silence};

/// The priority of each rule of the policy, in rule order.
pub fn priorities(policy: &Policy<'_>) -> Vec<Priority> {
    let count = policy.rules.len();
    policy.rules.iter().enumerate().map(|(index, rule)| priority(rule, count - index)).collect()
}

/// The priority of a rule; `left` counts the rules from this one to the last.
fn priority(rule: &Rule<'_>, left: usize) -> Priority {
    let permits = rule.sense == Sense::Permit;
    let rank = match rule.combiner {
        // Fields have their own numbers in programs (`programs::scoped`), which replace these
        // priorities.
        Combiner::LongestMatch | Combiner::Specificity => rule.pattern.len(),
        Combiner::FirstMatch => left,
        Combiner::FormOfMatch(form) => form as usize,
        // All prohibitions share a rank above that of all permissions; programs have no rank 0.
        Combiner::MostRestrictive => 1 + usize::from(!permits),
    };
    // Patterns and rules are limited far below 2³¹.
    2 * rank as Priority + Priority::from(permits)
}

/// The priorities of conventional rules among fields that are weighed by specificity. Each distinct
/// pattern and sense has its own number: by priority, then by the narrower pattern in symbol order.
/// `pattern` numbers the patterns.
pub(crate) fn numbers(
    policy: &Policy<'_>,
    priorities: &[Priority],
    pattern: impl Fn(usize) -> u32,
) -> Vec<(Priority, u32)> {
    let conventional = policy.groups.iter().filter(|group| group.role.is_ranked());
    let mut numbers: Vec<_> = conventional
        .flat_map(|group| group.rules.clone())
        .map(|rule| (priorities[rule], pattern(rule)))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The meaning of silence, if none of these rules matches: all rules that the chosen groups hold
/// for a usage (RFC 9309 2.2.2). Without any rule, groups still cover crawling (R7), but no other
/// usage.
pub fn silence<'r, 's: 'r>(rules: impl IntoIterator<Item = &'r Rule<'s>>, usage: Option<u16>) -> Silence {
    let speaks = rules.into_iter().any(|rule| rule.silence == Silence::Allowed);
    if speaks || usage == Some(policy::CRAWL) { Silence::Allowed } else { Silence::Unknown }
}
