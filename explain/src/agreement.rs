//! Compares the trace with the image: decision, conditions, completeness and deciding rules.
//!
//! The two compute their answers in different ways, so a difference means that one of them is wrong
//! and neither can be trusted. Nothing is weighed here.

use crate::error::Error;
use crate::rule::rule_of;
use crate::verdict::conditions;
use robomaton_compiler::Policy;
use robomaton_compiler::trace::Trace;
use robomaton_formats::agent::shown_name;
use robomaton_runtime::{Account, Basis, Choice, Condition, Decision, Verdict};
use std::collections::HashSet;
use std::fmt;

/// The answer of one of the two.
#[derive(PartialEq, Eq)]
struct Claim {
    decision: Decision,
    incomplete: bool,
    conditions: Vec<String>,
    /// How the groups were chosen.
    choice: Option<Choice>,
    /// The deciding rules in canonical spelling, without duplicates: it does not matter which of
    /// several equal lines is named.
    rules: Vec<String>,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Claim { decision, incomplete, conditions, choice, rules } = self;
        let rules = if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") };
        write!(f, "{decision} by {rules}")?;
        match choice {
            Some(Choice::Named(name)) => write!(f, " of groups that name {:?}", shown_name(name))?,
            Some(Choice::Default) => f.write_str(" of the default groups")?,
            Some(Choice::Nobody) | None => f.write_str(" of no group")?,
        }
        if *incomplete {
            f.write_str(", incomplete")?;
        }
        if !conditions.is_empty() {
            write!(f, ", if {}", conditions.join(" "))?;
        }
        Ok(())
    }
}

/// Compares the trace with the verdict of this account.
///
/// # Errors
/// If they differ.
pub(crate) fn check_agreement(
    policy: &Policy<'_>,
    trace: &Trace,
    verdict: &Verdict<'_>,
    account: &Account,
) -> Result<(), Error> {
    // The trace leaves time out of account.
    if account.statements.iter().any(|statement| statement.effect != statement.stated) {
        return Ok(());
    }
    match verdict.basis() {
        // Nothing was weighed, so there is nothing to compare.
        Basis::Narrowed | Basis::NoSite | Basis::NoUrl => return Ok(()),
        Basis::RobotsTxt if trace.robots_txt => return Ok(()),
        // The outcome of the fetch decides if nothing else does, or overrides pages.
        Basis::Outcome(_) => return Ok(()),
        Basis::Preferences => return check_preferences(trace, verdict, account),
        _ => {}
    }
    // Of rules for which there was no room, only the number is known.
    let is_whole = account.rules_left_out == 0;
    let rules = account.rules.len() + account.rules_left_out;
    let image = Claim {
        decision: verdict.decision(),
        incomplete: verdict.is_incomplete(),
        conditions: sorted(conditions(verdict, account).iter().map(ToString::to_string)),
        choice: verdict.choice(),
        rules: sorted(account.rules.iter().filter(|_| is_whole).map(ToString::to_string)),
    };
    let claim = Claim {
        decision: trace.decision,
        incomplete: trace.incomplete,
        conditions: sorted(trace.conditions.iter().map(ToString::to_string)),
        choice: Some(trace.choice.clone()),
        rules: sorted(trace.deciding().filter(|_| is_whole).map(|found| rule_of(policy, found).to_string())),
    };
    let lines: HashSet<u32> = account.rules.iter().map(|rule| rule.line).collect();
    let has_lines = match is_whole {
        true => trace.deciding().all(|found| lines.contains(&policy.rules[found.rule].line)),
        false => trace.deciding().count() == rules,
    };
    // The image names one ranked rule, the first with its priority, so the line must be the same.
    if image == claim && has_lines {
        return Ok(());
    }
    Err(Error::Disagreement { image: image.to_string(), trace: claim.to_string() })
}

/// The same where statements take part: the decision and its conditions.
fn check_preferences(trace: &Trace, verdict: &Verdict<'_>, account: &Account) -> Result<(), Error> {
    let texts = |all: &[Condition]| sorted(all.iter().map(ToString::to_string));
    let image = (verdict.decision(), verdict.is_incomplete(), texts(&conditions(verdict, account)));
    let claim = (trace.decision, trace.incomplete, texts(&trace.conditions));
    if image == claim {
        return Ok(());
    }
    Err(Error::Disagreement { image: format!("{image:?}"), trace: format!("{claim:?}") })
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
