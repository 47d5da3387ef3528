//! Rule sets ready for matching, as our policy chooses them for each file and agent, every rule
//! with its priority.
//!
//! The naive scan tries them one by one. Our policy chooses the rules, so agreement confirms the
//! matching, not the policy.

use super::{Prepared, Rival};
use crate::Field;
use crate::queries::Queries;
use robomaton_compiler::trace::{TraceQuery, trace};
use robomaton_compiler::{lower, precedence};
use robomaton_formats::Profile;

/// A rule split into its parts.
pub(super) struct Plain {
    pub(super) prefix: Box<[u8]>,
    pub(super) segments: Vec<Box<[u8]>>,
    pub(super) anchored: bool,
    pub(super) priority: u32,
}

impl Plain {
    fn matches(&self, path: &[u8]) -> bool {
        let Some(mut rest) = path.strip_prefix(&*self.prefix) else { return false };
        let Some((last, inner)) = self.segments.split_last() else {
            return !self.anchored || rest.is_empty();
        };
        for segment in inner {
            match rest.windows(segment.len()).position(|window| window == &**segment) {
                Some(at) => rest = &rest[at + segment.len()..],
                None => return false,
            }
        }
        if self.anchored {
            rest.ends_with(last)
        } else {
            rest.windows(last.len()).any(|window| window == &**last)
        }
    }
}

/// The rules that apply to each file and agent, with their priorities, as chosen by the trace
/// evaluator.
pub(super) fn rules(field: &Field<'_>, queries: &Queries) -> Vec<Vec<Plain>> {
    let mut sets: Vec<Vec<Plain>> = Vec::with_capacity(queries.seats.len());
    let options = &field.options;
    for seat in &queries.seats {
        let file = &field.files[seat.file];
        let tree = robomaton_grammar::scan(file.text, options.limits.bytes(options.profile));
        let Ok(policy) = lower(&tree, Some(file.site.authority()), options) else {
            sets.push(Vec::new());
            continue;
        };
        let priorities = precedence::priorities(&policy);
        let groups = trace(&policy, &TraceQuery::crawl(&[&seat.agent], b"/")).groups;
        let chosen = groups.into_iter().flat_map(|group| policy.groups[group].rules.clone());
        let plain = chosen.filter(|&at| policy.rules[at].is_crawl()).map(|at| {
            let parts = policy.rules[at].pattern().parts();
            let segments = parts.segments.iter().map(|segment| segment.to_vec().into()).collect();
            Plain {
                prefix: parts.prefix.to_vec().into(),
                segments,
                anchored: parts.anchored,
                priority: priorities[at],
            }
        });
        sets.push(plain.collect());
    }
    sets
}

/// The naive scan: every rule is tried on every path, and the best one is kept.
pub fn scan(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let seats = rules(field, queries).into_iter().map(Some).collect();
    let allows = |rules: &Vec<Plain>, path: &str| {
        let best = rules.iter().filter(|rule| rule.matches(path.as_bytes())).map(|rule| rule.priority).max();
        Some(best.is_none_or(|priority| priority & 1 == 1))
    };
    Prepared { name: "naive scan", note: "rules split before", nearest: Profile::Rfc9309, seats, allows }
}
