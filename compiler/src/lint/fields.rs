//! Comparison of ACAP fields: permissions and prohibitions that never win, and pairs without an
//! order.
//!
//! Fields of groups for the same crawlers and the same purposes are always on one level, so
//! whenever two of them match, both are weighed (`trace::scoped`). Only such groups are compared:
//! fields that name a crawler may override fields for any crawler, as intended. [`scope::compare`]
//! decides which pattern is narrower.

use super::cover::{STAR, Shape, common, covers};
use super::{Code, Pass, quote};
use crate::policy::{Agent, Policy, Rule, Sense};
use crate::scope::{self, Symbol, scoped_pattern, symbols};
use robomaton_formats::policy::{PRESENT, Role, is_special};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The crawlers that fields address, and the purposes.
type Level<'p> = (Vec<String>, Vec<&'p [u8]>);

pub(super) fn lint(policy: &Policy<'_>, pass: &mut Pass<'_, '_>) {
    let mut levels: BTreeMap<Level<'_>, Vec<usize>> = BTreeMap::new();
    for group in policy.groups.iter().filter(|group| group.role == Role::Field && group.file == 0) {
        let agent = |agent: &Agent<'_>| match agent {
            Agent::Any => "*".to_owned(),
            Agent::Named(name) => name.to_ascii_lowercase(),
        };
        let mut agents: Vec<String> = group.agents.iter().map(agent).collect();
        let mut purposes: Vec<&[u8]> = group.purposes.iter().map(AsRef::as_ref).collect();
        agents.sort_unstable();
        agents.dedup();
        purposes.sort_unstable();
        levels.entry((agents, purposes)).or_default().extend(group.rules.clone());
    }
    for rules in levels.values() {
        duplicates(policy, rules, pass);
        let of = |sense| -> Vec<Field<'_, '_>> {
            let rules = rules.iter().map(|&at| &policy.rules[at]).filter(|rule| rule.sense == sense);
            rules.map(|rule| Field::new(policy, rule)).collect()
        };
        Pairs { permissions: of(Sense::Permit), prohibitions: of(Sense::Prohibit), said: HashSet::new() }
            .lint(pass);
    }
}

/// Fields that repeat another field.
fn duplicates(policy: &Policy<'_>, rules: &[usize], pass: &mut Pass<'_, '_>) {
    let mut first = HashMap::new();
    let mut said = HashSet::new();
    for rule in rules.iter().map(|&at| &policy.rules[at]) {
        let key = (rule.usage, rule.sense == Sense::Permit, rule.conditions, rule.pattern.as_ref());
        let known = *first.entry(key).or_insert(rule.line);
        // A local usage or a set stands for several fields on one line.
        if known != rule.line && said.insert(rule.line) {
            let (span, second) = (pass.value(rule.line), pass.value(known));
            let message = "the record says this already";
            pass.say_with(Code::DuplicateRule, span, message, second, "the first is here");
        }
    }
}

/// A field, ready to be compared.
struct Field<'p, 's> {
    rule: &'p Rule<'s>,
    symbols: Vec<Symbol>,
    shape: Shape,
    /// Its usage is a special form of `present`.
    special: bool,
}

impl<'p, 's> Field<'p, 's> {
    fn new(policy: &Policy<'_>, rule: &'p Rule<'s>) -> Field<'p, 's> {
        Field {
            rule,
            symbols: symbols(&scoped_pattern(&rule.pattern)),
            shape: Shape::new(rule.pattern()),
            special: is_special(policy.usage_name(rule.usage)),
        }
    }

    /// True if it is weighed wherever `other` is, as far as usages decide (decision 9).
    fn joins(&self, other: &Field<'_, '_>) -> bool {
        self.rule.usage == other.rule.usage || self.rule.usage == PRESENT && other.special
    }

    /// True if only its final `$` makes it broader than `other` (decision 4).
    fn loses_by_anchor(&self, other: &Field<'_, '_>, at: usize) -> bool {
        self.shape.anchored && at == self.shape.body().len() && other.shape.body().get(at) == Some(&STAR)
    }
}

/// The fields of one level.
struct Pairs<'p, 's> {
    permissions: Vec<Field<'p, 's>>,
    prohibitions: Vec<Field<'p, 's>>,
    /// The findings so far: one per code and line suffices.
    said: HashSet<(Code, u32)>,
}

impl Pairs<'_, '_> {
    fn lint(mut self, pass: &mut Pass<'_, '_>) {
        let permissions = std::mem::take(&mut self.permissions);
        let prohibitions = std::mem::take(&mut self.prohibitions);
        for permission in &permissions {
            for prohibition in &prohibitions {
                if self.pair(permission, prohibition, pass).is_none() {
                    pass.unchecked.get_or_insert(pass.value(permission.rule.line));
                    return;
                }
            }
        }
    }

    /// Checks one pair; `None` if it would cost too much.
    fn pair(
        &mut self,
        permission: &Field<'_, '_>,
        prohibition: &Field<'_, '_>,
        pass: &mut Pass<'_, '_>,
    ) -> Option<()> {
        pass.steps = pass.steps.checked_sub(1)?;
        let (general, special) = (prohibition.joins(permission), permission.joins(prohibition));
        if !general && !special {
            return Some(());
        }
        let order = scope::compare(&permission.symbols, &prohibition.symbols).0;
        // The position at which the shapes first differ. Their symbols are bytes.
        let bodies = permission.shape.body().iter().zip(prohibition.shape.body());
        let at = bodies.take_while(|(a, b)| a == b).count();
        pass.steps = pass.steps.checked_sub(at)?;
        if order == Some(Ordering::Equal) {
            if general && special {
                let message = "a permission and a prohibition on the same pattern: the prohibition holds";
                self.say(Code::AcapEqualPatterns, permission, prohibition, message, "the prohibition", pass);
            }
            return Some(());
        }
        if order != Some(Ordering::Greater)
            && general
            && covers(&prohibition.shape, &permission.shape, &mut pass.steps)?
        {
            self.never(permission, prohibition, at, order, pass);
        } else if order == Some(Ordering::Greater)
            && special
            && covers(&permission.shape, &prohibition.shape, &mut pass.steps)?
        {
            self.never(prohibition, permission, at, order, pass);
        } else if order.is_none()
            && let Some(target) = common(&permission.shape, &prohibition.shape, at)
        {
            let message = format!(
                "neither this permission nor the prohibition of {} is narrower; where both match, as on {}, the \
                 prohibition holds",
                quote(&prohibition.rule.pattern),
                quote(&target)
            );
            self.say(Code::AcapUndeterminedPair, permission, prohibition, &message, "the prohibition", pass);
        }
        Some(())
    }

    /// Reports that a field loses to one that matches the same targets and more.
    fn never(
        &mut self,
        loser: &Field<'_, '_>,
        winner: &Field<'_, '_>,
        at: usize,
        order: Option<Ordering>,
        pass: &mut Pass<'_, '_>,
    ) {
        let [own, other] = [loser, winner].map(|field| match field.rule.sense {
            Sense::Permit => "permission",
            Sense::Prohibit => "prohibition",
        });
        let pattern = quote(&winner.rule.pattern);
        // If another permission beats the prohibition, this one may beat a third field.
        let alone = if own == "permission" { " by itself" } else { "" };
        let head = format!("this {own} never wins{alone}: the {other} of {pattern} matches wherever it does");
        let second = if other == "permission" { "the permission" } else { "the prohibition" };
        if loser.loses_by_anchor(winner, at) {
            let message = format!("{head}, and `*` is narrower than `$`");
            self.say(Code::AcapAnchorLoses, loser, winner, &message, second, pass);
        } else {
            let why =
                if order.is_none() { "neither is narrower" } else { "is the narrower one by its letters" };
            self.say(Code::AcapNeverWins, loser, winner, &format!("{head}, and {why}"), second, pass);
        }
    }

    fn say(
        &mut self,
        code: Code,
        field: &Field<'_, '_>,
        other: &Field<'_, '_>,
        message: &str,
        why: &str,
        pass: &mut Pass<'_, '_>,
    ) {
        if self.said.insert((code, field.rule.line)) {
            let (span, second) = (pass.value(field.rule.line), pass.value(other.rule.line));
            pass.say_with(code, span, message, second, why);
        }
    }
}
