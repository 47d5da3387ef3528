//! The languages that rules are written in: one file for each, and the only place that says what a
//! language is.
//!
//! ```text
//!   tree ──▶ lower ──▶ each Language of the profile ──▶ Lowering ──▶ Policy: rules, each with its combiner
//!              suspends, lower, record ┘
//! ```
//!
//! A [`Language`] says which records it reads, which rules they give, which usages these speak of,
//! how they are weighed and what its silence means. A profile is a list of languages ([`of`]).
//! Everything behind the policy (programs, image, runtime, explanations) asks a rule for its
//! combiner and its silence, and never for its language; a rule is quoted as `formats::language`
//! spells it. To add a language, add a file here and a line to [`of`].
//!
//! It knows nothing of precedence: [`Combiner`] names a way of weighing, `precedence` carries it
//! out.

pub(crate) mod acap;
pub(crate) mod condition;
mod conventional;
#[cfg(feature = "example-language")]
mod example;
pub(crate) mod extended;
mod google;
mod koster;
pub(crate) mod pages;

use crate::context::CompileContext;
use crate::limits::OverLimit;
use crate::lowering::{Draft, Lowering};
use crate::policy::{Combiner, Sense};
use robomaton_formats::Profile;
use robomaton_formats::program::Silence;
use robomaton_grammar::{Line, LineKind, Tree};
use std::borrow::Cow;

/// A language of robots.txt files, or of the pages beside them.
pub(crate) trait Language: Sync {
    /// The usages that its rules speak of, by name. Where a text may name others (decision 18),
    /// those with a number.
    fn usages(&self) -> &'static [&'static str];

    /// How rules of its own are weighed against each other.
    fn combiner(&self) -> Combiner;

    /// What it means that groups hold rules of a usage and none of them matches. Languages that
    /// speak of one usage agree.
    fn silence(&self) -> Silence;

    /// The lines whose rules other languages must pass over, if there are any.
    fn suspends(&self, _tree: &Tree<'_>) -> Option<Vec<bool>> {
        None
    }

    /// Reads what the whole text says. Groups that it leaves open are closed for it.
    ///
    /// # Errors
    /// The limit that the text exceeds.
    fn lower<'s>(&self, _source: &Source<'_, 's>, _lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        Ok(())
    }

    /// The keys of records in user-agent groups that it reads, in lower case.
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the value of such a record into the open group. The record itself is kept, so that it
    /// can be quoted.
    ///
    /// # Errors
    /// The limit that the text exceeds.
    fn record<'s>(
        &self,
        _value: &'s [u8],
        _line: u32,
        _lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        Ok(())
    }

    /// Adds a rule of this language to the open user-agent group.
    ///
    /// # Errors
    /// The limit that the text exceeds.
    fn rule<'s>(
        &self,
        (usage, sense): (u16, Sense),
        pattern: Cow<'s, [u8]>,
        line: u32,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        debug_assert!(self.usages().contains(&lowering.policy.usage_name(usage)), "an undeclared usage");
        let notation = lowering.options.profile.notation();
        let (combiner, silence) = (self.combiner(), self.silence());
        lowering.push(Draft { usage, sense, pattern, notation, combiner, silence, conditions: 0, line })
    }

    /// The mistake in the value of such a record, in one sentence without a full stop.
    fn mistake(&self, _value: &[u8]) -> Option<&'static str> {
        None
    }

    /// The lints for texts in this language, besides [`Language::mistake`].
    fn lints(&self) -> &'static [Lints] {
        &[]
    }
}

/// A set of lints, each a pass of `lint` or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lints {
    /// Groups, names and patterns of conventional records, weighed by the length of the pattern.
    Conventional,
    /// Rules that an earlier rule makes unreachable.
    FirstMatch,
    /// Rule sets of several versions.
    Versions,
    /// ACAP fields, by themselves and against each other.
    Fields,
    /// The META tags and classes of pages.
    Pages,
}

/// A text, and what is known about it before it is lowered.
pub(crate) struct Source<'a, 's> {
    /// Its lines.
    pub(crate) tree: &'a Tree<'s>,
    /// What it is read together with.
    pub(crate) context: &'a CompileContext<'a, 's>,
    /// The lines whose rules say nothing, if there are any ([`Language::suspends`]).
    pub(crate) suspended: Option<Vec<bool>>,
}

impl Source<'_, '_> {
    /// Whether the rule on a line, by its index, says nothing.
    pub(crate) fn is_suspended(&self, line: usize) -> bool {
        self.suspended.as_ref().is_some_and(|lines| lines[line])
    }
}

/// The languages that a profile reads, in the order in which they add to a policy.
pub(crate) fn of(profile: Profile) -> &'static [&'static dyn Language] {
    match profile {
        Profile::Full => &[
            &conventional::Conventional,
            &extended::Extended,
            &acap::Acap,
            &pages::Pages,
            #[cfg(feature = "example-language")]
            &example::Example,
        ],
        Profile::Rfc9309 => &[&conventional::Conventional],
        Profile::Google => &[&google::Google],
        Profile::Koster => &[&koster::Koster],
    }
}

/// Whether a language of the profile asks for these lints.
pub(crate) fn wants(profile: Profile, lints: Lints) -> bool {
    of(profile).iter().any(|language| language.lints().contains(&lints))
}

/// The lines that some of these languages suspend.
pub(crate) fn suspended(languages: &[&dyn Language], tree: &Tree<'_>) -> Option<Vec<bool>> {
    languages.iter().find_map(|language| language.suspends(tree))
}

/// The language that reads the record on a line of a user-agent group, if one does.
pub(crate) fn reader(profile: Profile, tree: &Tree<'_>, line: &Line) -> Option<&'static dyn Language> {
    let key = match line.kind {
        LineKind::Field(key) => key.lower_name().as_bytes(),
        LineKind::Unknown => tree.text(line.key),
        _ => return None,
    };
    let reads = |language: &&&dyn Language| {
        language.keys().iter().any(|own| own.as_bytes().eq_ignore_ascii_case(key))
    };
    of(profile).iter().find(reads).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_agree_on_the_silence_of_a_usage() {
        for profile in Profile::ALL {
            // Where fields are weighed by specificity, silence is that of the whole file (P49).
            let ranked = of(profile).iter().filter(|language| language.combiner() != Combiner::Specificity);
            let silences = ranked.flat_map(|language| {
                language.usages().iter().map(|usage| (*usage, language.silence() == Silence::Allowed))
            });
            let silences: std::collections::BTreeSet<_> = silences.collect();
            let names: std::collections::BTreeSet<_> = silences.iter().map(|(usage, _)| *usage).collect();
            assert_eq!(silences.len(), names.len(), "{profile}: {silences:?}");
        }
    }
}
