//! Second pass: policy → tags. The one file that decides which rule beats which.
//!
//! A tag is `2 × rank + 1` for a permission and `2 × rank` for a prohibition, and the highest tag of the matching
//! rules wins. RFC 9309 ranks by the octets of the pattern, so that on equal length the permission wins (R12); the
//! 1996 draft ranks by file order (K11), Robot-version 2.0.0 by the form of the match (N9). Nothing after this pass knows why one tag is higher than another.

use crate::policy::{Policy, Rule, Sense};
use robomaton_formats::Profile;
use robomaton_formats::policy::{self};
use robomaton_formats::program::{Silence, Tag};

/// The tag of each rule of the policy, in its order.
pub fn tags(policy: &Policy<'_>) -> Vec<Tag> {
    let count = policy.rules.len();
    let rank = |(index, rule): (usize, &Rule<'_>)| match policy.profile {
        Profile::Koster => count - index,
        _ => rule.rank.map_or(rule.pattern.len(), usize::from),
    };
    policy.rules.iter().enumerate().map(|numbered| tag(rank(numbered), numbered.1.sense)).collect()
}

fn tag(rank: usize, sense: Sense) -> Tag {
    // Patterns and rules are limited far below 2³¹.
    2 * rank as Tag + Tag::from(sense == Sense::Permit)
}

/// The tags of conventional rules among fields that are weighed by narrowness, where each distinct pattern and sense
/// has a number of its own: by tag, then the narrower in the order of symbols. `pattern` numbers the patterns.
pub(crate) fn numbers(policy: &Policy<'_>, tags: &[Tag], pattern: impl Fn(usize) -> u32) -> Vec<(Tag, u32)> {
    let conventional = policy.groups.iter().filter(|group| group.role.is_ranked());
    let mut numbers: Vec<_> =
        conventional.flat_map(|group| group.rules.clone()).map(|rule| (tags[rule], pattern(rule))).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// What it means that the chosen groups hold rules of a usage and none of them matches (RFC 9309 2.2.2).
pub fn silence(_usage: u16) -> Silence {
    Silence::Allowed
}

/// What it means that the chosen groups hold no rule of a usage: conventional records always speak of crawling and
/// otherwise only of what they name.
pub fn unspoken(usage: u16) -> Silence {
    if usage == policy::CRAWL { Silence::Allowed } else { Silence::Unknown }
}
