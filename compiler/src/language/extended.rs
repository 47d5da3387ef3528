//! Rule sets of Robot-version 2.0.0 (N1 to N20): match forms, precedence, and the choice of rule
//! sets for a robot.
//!
//! Runs over the groups lowered by `conventional`, before anything else is added to the policy.
//! Afterwards only the rule sets that apply to a crawler name it, so later passes do not know
//! versions. Invariant: a text without `Robot-version` is unchanged.
//!
//! ```text
//!   Allow: /a/index.html    explicit  `/a/index.html$`  rank 4: beats every Disallow
//!   Disallow: *.shtml       regex     `*.shtml$`        rank 3
//!   Allow: /a/info*         regex     `/a/info*`        rank 2
//!   (anything else)                   `*`               rank 1: prohibited, if only Allows or any regex Allow stand there
//! ```

use super::{Language, Lints, Source};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::policy::{Agent, Combiner, Form, Policy, Rule, RuleSet, Sense};
use robomaton_formats::Notation;
use robomaton_formats::policy::CRAWL;
use robomaton_formats::program::Silence;
use robomaton_grammar::{Key, LineKind, Tree, extended};
use std::borrow::Cow;
use std::collections::HashMap;

/// A version of the language as stated by a rule set, without the revision.
type Version = (u32, u32);

/// The version of a rule set that states none (N2).
const OLD: Version = (1, 0);

pub(super) struct Extended;

impl Language for Extended {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::FormOfMatch(Form::Implied)
    }

    fn silence(&self) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Versions]
    }

    /// Interprets versioned rule sets and removes crawlers from the groups that do not apply to
    /// them (N4, N5).
    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let (tree, policy) = (source.tree, &mut lowering.policy);
        if !tree.lines.iter().any(|line| line.kind == LineKind::Field(Key::RobotVersion)) {
            return Ok(());
        }
        let stated: Vec<Option<Version>> =
            policy.groups.iter().map(|group| version(tree, group.line as usize - 1)).collect();
        let versions: Vec<Version> = stated.iter().map(|stated| stated.unwrap_or(OLD)).collect();
        let groups = policy.groups.iter().zip(&stated).zip(&versions);
        let sets = groups.map(|((group, stated), &version)| RuleSet {
            version,
            is_stated: stated.is_some(),
            is_acceptable: is_acceptable(version),
            agents: group.agents.clone(),
        });
        policy.rule_sets = sets.collect();
        weigh_by_form(policy, &versions);
        negotiate(policy, &versions);
        Ok(())
    }
}

/// The version that follows the user-agents of the group beginning at this line. Unknown keys do
/// not count as headers (N19).
fn version(tree: &Tree<'_>, start: usize) -> Option<Version> {
    let mut fields = tree.lines[start..].iter().filter_map(|line| match line.kind {
        LineKind::Field(key) => Some((key, line.value)),
        _ => None,
    });
    let (key, value) = fields.find(|(key, _)| *key != Key::UserAgent)?;
    let (major, minor, _) = (key == Key::RobotVersion).then(|| extended::version(tree.text(value)))??;
    Some((major, minor))
}

/// True if a robot that knows 2.0.0 reads a rule set of this version: majors are 1 and 2, odd
/// minors are experiments (N3, N4).
fn is_acceptable((major, minor): Version) -> bool {
    matches!(major, 1 | 2) && minor % 2 == 0
}

/// Rewrites the rules of major version 2 and adds a rule for everything that they do not list (N8
/// to N13).
fn weigh_by_form(policy: &mut Policy<'_>, versions: &[Version]) {
    if !versions.iter().any(|&(major, _)| major == 2) {
        return;
    }
    let old = std::mem::take(&mut policy.rules);
    let mut rules = old.into_iter().peekable();
    for (group, &(major, _)) in policy.groups.iter_mut().zip(versions) {
        let count = group.rules.len();
        let start = policy.rules.len();
        policy.rules.extend(rules.by_ref().take(count));
        if major == 2 && group.role.is_ranked() {
            let (mut regex_allows, mut allows, mut disallows) = (false, false, false);
            for rule in policy.rules[start..].iter_mut().filter(|rule| rule.usage == CRAWL) {
                let is_regex = rule.pattern.contains(&b'*');
                let permits = rule.sense == Sense::Permit;
                regex_allows |= permits && is_regex;
                allows |= permits;
                disallows |= !permits;
                rule.combiner = Combiner::FormOfMatch(match (permits, is_regex) {
                    (true, false) => Form::ExplicitAllow,
                    (false, _) => Form::Disallow,
                    (true, true) => Form::StarredAllow,
                });
                whole(&mut rule.pattern);
            }
            // N10, N12; where N13 leaves the remaining targets open, they are allowed (decision
            // 32).
            if regex_allows || allows && !disallows {
                let pattern = Cow::Borrowed(&b"*"[..]);
                let (line, notation) = (group.line, Notation::Rep);
                let sense = Sense::Prohibit;
                policy.rules.push(Rule {
                    usage: CRAWL,
                    sense,
                    pattern,
                    notation,
                    combiner: Combiner::FormOfMatch(Form::Implied),
                    silence: Silence::Allowed,
                    conditions: 0,
                    line,
                });
            }
        }
        group.rules = start..policy.rules.len();
    }
}

/// Explicit forms and expressions match whole paths; only a final star leaves the end open. A `$`
/// is a literal character.
fn whole(pattern: &mut Cow<'_, [u8]>) {
    let text = pattern.to_mut();
    if text.last() == Some(&b'$') {
        text.pop();
        text.extend_from_slice(b"%24");
    }
    if text.last() != Some(&b'*') {
        text.push(b'$');
    }
}

/// Leaves each crawler only in the groups that apply to it: those with the highest acceptable
/// version. For major version 2, only the first such group applies.
fn negotiate(policy: &mut Policy<'_>, versions: &[Version]) {
    let key = |agent: &Agent<'_>| match agent {
        Agent::Any => "*".to_owned(),
        Agent::Named(name) => name.to_ascii_lowercase(),
    };
    let mut best: HashMap<String, (Version, usize)> = HashMap::new();
    for (number, (group, &version)) in policy.groups.iter().zip(versions).enumerate() {
        if is_acceptable(version) {
            for agent in &group.agents {
                let held = best.entry(key(agent)).or_insert((version, number));
                if version > held.0 {
                    *held = (version, number);
                }
            }
        }
    }
    for (number, (group, &version)) in policy.groups.iter_mut().zip(versions).enumerate() {
        group.agents.retain(|agent| {
            best.get(&key(agent)).is_some_and(|&(highest, first)| match highest.0 {
                2 => number == first,
                _ => is_acceptable(version),
            })
        });
    }
}
