//! One permission or prohibition of ACAP → its rules (P43, P44, decisions 6, 21, 40).
//!
//! `groups` opens the group and passes its fields here. Local usages and resource sets are expanded
//! into rules with one standard usage and one pattern, within the budgets of `spent`. This file
//! does not know which crawlers a rule is for.

use super::definitions::{Definitions, Meaning, SitePattern};
use super::{Acap, Spent, Text};
use crate::language::Language;
use crate::limits::OverLimit;
use crate::lowering::{Draft, Lowering};
use crate::policy::Sense;
use robomaton_formats::usage::{PRESENT, with_parts};
use robomaton_formats::{Condition, Notation};
use robomaton_grammar::acap::{Qualifier, Resource, UsageName};
use std::borrow::Cow;

/// A permission or a prohibition.
#[derive(Clone, Copy)]
pub(super) struct PolicyField<'f> {
    pub(super) sense: Sense,
    pub(super) usage: &'f UsageName,
    pub(super) resource: &'f Resource,
    pub(super) qualifiers: &'f [Qualifier],
    pub(super) line: u32,
}

/// The usages that a field speaks of: the one that it names and, for a prohibition, the parts of
/// that usage, except those of `present` (decision 18).
pub(in crate::language) fn spoken_usages(sense: Sense, usage: u16) -> impl Iterator<Item = u16> {
    let count = if sense == Sense::Permit || usage == PRESENT { 1 } else { usize::MAX };
    with_parts(usage).take(count)
}

/// Lowers the records of one text.
pub(super) struct RecordLowering<'a, 's, 'o> {
    pub(super) text: &'a Text<'a, 's>,
    pub(super) definitions: &'a Definitions<'s>,
    pub(super) spent: &'a mut Spent,
    pub(super) lowering: &'a mut Lowering<'s, 'o>,
}

impl<'a, 's> RecordLowering<'a, 's, '_> {
    /// Adds the rules of a field to the open group: one for each usage and pattern that it expands
    /// to.
    pub(super) fn rules(&mut self, field: &PolicyField<'_>) -> Result<(), OverLimit> {
        let is_local = matches!(field.usage, UsageName::Local(_));
        let patterns = self.patterns(field.resource);
        // Avoids expanding a local usage for nothing.
        if is_local && patterns.is_empty() {
            return Ok(());
        }
        let multiplies = is_local || matches!(field.resource, Resource::Set(_));
        for Meaning { usage, conditions } in self.meanings(field)? {
            // Prohibiting a qualified usage prohibits its base usage (decision 21).
            let conditions = if field.sense == Sense::Permit { conditions } else { 0 };
            let counts = |pattern: &&SitePattern<'_>| pattern.permits || field.sense == Sense::Prohibit;
            for SitePattern { text: pattern, .. } in patterns.iter().filter(counts) {
                if multiplies {
                    self.spent.rule(pattern.len(), field.line, self.lowering)?;
                }
                self.spent.details(usage, conditions, field.line, self.lowering)?;
                self.lowering.push(Draft {
                    usage,
                    sense: field.sense,
                    pattern: pattern.clone(),
                    notation: Notation::Acap,
                    combiner: Acap.combiner(),
                    silence: Acap.silence(usage),
                    conditions,
                    line: field.line,
                })?;
            }
        }
        Ok(())
    }

    /// The patterns that a resource stands for.
    fn patterns(&mut self, resource: &Resource) -> Cow<'a, [SitePattern<'s>]> {
        match resource {
            Resource::Pattern(span) => {
                let pattern = self.text.pattern(*span, self.lowering);
                Cow::Owned(pattern.into_iter().collect())
            }
            Resource::Set(span) => {
                let set = self.definitions.sets.get(&self.text.lower_case(*span));
                Cow::Borrowed(set.map(Vec::as_slice).unwrap_or_default())
            }
        }
    }

    /// The usages that a field speaks of, each with its own conditions and those of the field. A
    /// prohibition also speaks of the parts of its usage. Those of `present` are left out: its
    /// fields apply to them when a question is asked (decision 9).
    fn meanings(&mut self, field: &PolicyField<'_>) -> Result<Vec<Meaning>, OverLimit> {
        let stated = self.stated(field)?.into_iter();
        let usages = |meaning: &Meaning| spoken_usages(field.sense, meaning.usage);
        Ok(stated
            .flat_map(|meaning| usages(&meaning).map(move |usage| Meaning { usage, ..meaning }))
            .collect())
    }

    /// The usages that a field names.
    fn stated(&mut self, field: &PolicyField<'_>) -> Result<Vec<Meaning>, OverLimit> {
        let PolicyField { sense, qualifiers, line, .. } = *field;
        let text = self.text;
        let conditions = |usage: &str| -> Vec<Condition> {
            qualifiers.iter().map(|qualifier| text.condition(usage, qualifier)).collect()
        };
        let name = text.lower_case(field.usage.span());
        if let UsageName::Standard(_) = field.usage {
            let conditions = self.spent.conditions(conditions(&name), line, self.lowering)?;
            return Ok(vec![Meaning { usage: self.lowering.usage(&name, line)?, conditions }]);
        }
        // A permission for an undefined usage has no effect; a prohibition is an error that lint
        // reports.
        let Some(meanings) = self.definitions.local(&name, sense) else { return Ok(Vec::new()) };
        if qualifiers.is_empty() {
            return Ok(meanings.into_owned());
        }
        let joined = meanings.iter().map(|meaning| {
            let policy = &self.lowering.policy;
            let set = (meaning.conditions as usize).checked_sub(1);
            let mut all = set.map(|set| policy.conditions[set].clone()).unwrap_or_default();
            all.extend(conditions(policy.usage_name(meaning.usage)));
            Ok(Meaning { conditions: self.spent.conditions(all, line, self.lowering)?, ..*meaning })
        });
        joined.collect()
    }
}
