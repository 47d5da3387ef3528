//! The trace held against the image: decision, conditions, what is missing, and which rules decide.
//!
//! The two come to their answers by different ways, so a difference is a mistake in one of them, and no answer is to be
//! trusted. It knows nothing of what either has weighed.

use crate::error::Error;
use crate::story::rule_of;
use robomaton_compiler::Policy;
use robomaton_compiler::trace::Trace;
use robomaton_runtime::{Basis, Choice, Decision, Verdict};

/// What one of the two says.
#[derive(PartialEq, Eq)]
struct Said {
    decision: Decision,
    incomplete: bool,
    conditions: Vec<String>,
    /// Which groups answer.
    choice: Option<Choice>,
    /// The texts of the rules that decide, each once: which of several equal lines is named does not matter.
    rules: Vec<String>,
}

impl Said {
    fn told(&self) -> String {
        let Said { decision, incomplete, conditions, choice, rules } = self;
        let mut told = format!(
            "{decision} by {}",
            if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") }
        );
        match choice {
            Some(Choice::Named(name)) => told.push_str(&format!(" of groups that name {name:?}")),
            Some(Choice::Default) => told.push_str(" of the default groups"),
            Some(Choice::Nobody) | None => told.push_str(" of no group"),
        }
        if *incomplete {
            told.push_str(", incomplete");
        }
        if !conditions.is_empty() {
            told.push_str(&format!(", if {}", conditions.join(" ")));
        }
        told
    }
}

/// Holds the trace against the verdict.
///
/// # Errors
/// When they differ.
pub fn agree(policy: &Policy<'_>, traced: &Trace, verdict: &Verdict<'_>) -> Result<(), Error> {
    match verdict.basis() {
        // Of `/robots.txt`, which needs no rule, and where nothing is weighed, there is nothing to compare.
        Basis::Narrowed | Basis::NoSite | Basis::NoUrl => return Ok(()),
        Basis::RobotsTxt if traced.robots_txt => return Ok(()),
        // What became of the fetch answers where nothing else does, or where pages may not.
        Basis::Outcome(_) => return Ok(()),
        _ => {}
    }
    let sorted = |mut texts: Vec<String>| {
        texts.sort_unstable();
        texts.dedup();
        texts
    };
    let conditions = verdict.conditional().map(|all| all.conditions).unwrap_or_default();
    let image = Said {
        decision: verdict.decision(),
        incomplete: verdict.is_incomplete(),
        conditions: sorted(conditions.iter().map(ToString::to_string).collect()),
        choice: verdict.choice(),
        rules: sorted(verdict.rules().iter().map(ToString::to_string).collect()),
    };
    let trace = Said {
        decision: traced.decision,
        incomplete: traced.incomplete,
        conditions: sorted(traced.conditions.iter().map(ToString::to_string).collect()),
        choice: Some(traced.choice.clone()),
        rules: sorted(traced.deciding().map(|found| rule_of(policy, found).to_string()).collect()),
    };
    let lines: Vec<u32> = verdict.rules().iter().map(|rule| rule.line).collect();
    let named = traced.deciding().all(|found| lines.contains(&policy.rules[found.rule].line));
    // Ranked rules are one in the image, the first of its tag, so the line must be the same.
    if image == trace && named {
        return Ok(());
    }
    Err(Error::Disagreement { image: image.told(), trace: trace.told() })
}
