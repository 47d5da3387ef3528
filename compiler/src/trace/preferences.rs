//! Preferences, evaluated naively: the statements of each language, then all of them with rules and
//! fields, for the usage and its parts.
//!
//! [`super::trace`] calls it with the trace of rules and fields. It does not know how a language is
//! written.

use super::{Fate, Trace, TraceQuery, lookup_names, of_rules};
use crate::policy::Policy;
use robomaton_formats::Decision;
use robomaton_formats::policy::{CRAWL, OTHER, PRESENT};
use robomaton_formats::preference::{Effects, Finding, Question, conditions, weigh};
use robomaton_formats::usage::{parts, stated_as};

/// Adds statements, and the answers about the parts of the usage, to a trace.
pub(super) fn unite(policy: &Policy<'_>, query: &TraceQuery<'_>, trace: &mut Trace) {
    let usage = policy.usage(query.usage).map_or(OTHER, |usage| stated_as(usage.into()));
    if usage == CRAWL {
        return;
    }
    let names = &lookup_names(policy, query)[..];
    let no_crawl =
        || of_rules(policy, &TraceQuery { usage: "crawl", ..*query }).decision == Decision::Disallowed;
    let no_crawl = !policy.preferences.is_empty() && no_crawl();
    let findings = |usage| {
        let TraceQuery { named_only, target, .. } = *query;
        let elements = query.elements;
        weigh(&policy.preferences, &Question { names, named_only, usage, target, no_crawl, elements })
    };
    let own = findings(usage);
    let rules = Effects::from(trace.decision);
    let mut of_parts = Effects::NONE;
    let mut of_all_parts = Vec::new();
    let mut conditions_of_parts = Vec::new();
    for &part in parts(usage) {
        let found = findings(part);
        of_parts = of_parts.and(Finding::effects(&found));
        of_all_parts.extend(found);
        // Fields about a special form of `present` do not speak of its general form (V28).
        if usage != PRESENT {
            let of_part = of_rules(policy, &TraceQuery { usage: policy.usage_name(part), ..*query });
            of_parts = of_parts.and(of_part.decision.into());
            trace.incomplete |= of_part.incomplete && of_part.decision != Decision::Unknown;
            conditions_of_parts.extend(of_part.conditions);
        }
    }
    let all = Finding::effects(&own).and(rules).with_parts(of_parts);
    if all != rules {
        let decision = all.decision();
        // Rules that say something else decide nothing.
        if trace.decision != decision {
            let deciding = trace.matches.iter_mut().filter(|found| found.fate == Fate::Decides);
            deciding.for_each(|found| found.fate = Fate::Beaten);
            trace.conditions.clear();
        }
        trace.decision = decision;
        trace.incomplete |= all.is_incomplete();
        // A robots.txt that was not read may refuse what statements permit (decision g).
        trace.incomplete |= query.robots_may_refuse
            && matches!(decision, Decision::Allowed | Decision::Conditional)
            && !rules.decides_alone(Finding::effects(&own).and(of_parts));
    }
    trace.findings = own.into_iter().chain(of_all_parts).collect();
    if trace.decision == Decision::Conditional {
        trace.conditions.extend(conditions_of_parts);
        trace
            .conditions
            .extend(conditions(&trace.findings, |statement| policy.set_of_conditions(statement.conditions)));
        trace.conditions.sort_unstable();
        trace.conditions.dedup();
    }
}
