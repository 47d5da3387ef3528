//! The languages that rules are written in: one file for each, and the only place that defines a
//! language.
//!
//! ```text
//!   tree ──▶ lower ──▶ each Language of the profile ──▶ Lowering ──▶ Policy: rules, each with its combiner
//!              suspends, lower, record ┘
//! ```
//!
//! A [`Language`] defines its records, the rules that they give, the usages that these cover, how
//! rules are weighed and what silence means. A profile is a list of languages ([`of`]). Later
//! passes (programs, image, runtime, explanations) use a rule's combiner and silence, never its
//! language; a rule is quoted in the spelling of `formats::language`. To add a language, add a file
//! here and a line to [`of`].
//!
//! This module knows nothing of precedence: [`Combiner`] names a way of weighing, `precedence`
//! implements it.

pub(crate) mod acap;
mod ai_training;
mod ai_txt;
mod aipref;
pub(crate) mod condition;
mod content_signals;
mod control_tokens;
mod conventional;
pub(crate) mod cut;
#[cfg(feature = "example-language")]
mod example;
pub(crate) mod extended;
mod google;
mod headers;
mod koster;
mod links;
mod own_path;
pub(crate) mod pages;
pub(crate) mod robots_tags;
pub(crate) mod rsl;
mod tdmrep;

use crate::context::CompileContext;
use crate::limits::OverLimit;
use crate::lowering::{Draft, Lowering};
use crate::policy::{Combiner, Sense};
use robomaton_formats::Profile;
use robomaton_formats::program::Silence;
use robomaton_grammar::{Line, LineKind, Tree};
use std::borrow::Cow;

/// A language of robots.txt files, or of pages.
pub(crate) trait Language: Sync {
    /// The names of the usages that its rules cover. If a text may name others (decision 18), only
    /// the standard ones.
    fn usages(&self) -> &'static [&'static str];

    /// How the rules of this language are weighed against each other.
    fn combiner(&self) -> Combiner;

    /// The meaning of silence: groups hold rules of the usage and none of them matches. Languages
    /// that share a usage agree.
    fn silence(&self, usage: u16) -> Silence;

    /// The lines whose rules other languages must skip, if there are any.
    fn suspends(&self, _tree: &Tree<'_>) -> Option<Suspended> {
        None
    }

    /// Reads everything that spans the whole text. Groups left open are closed by the caller.
    ///
    /// # Errors
    /// The limit that the text exceeds.
    fn lower<'s>(&self, _source: &Source<'_, 's>, _lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        Ok(())
    }

    /// The lower-case keys of records in user-agent groups that it reads.
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if a user-agent after such a record begins a new group, as after a rule (R6).
    fn closes_agents(&self) -> bool {
        false
    }

    /// Reads the value of such a record into the open group. The record itself is kept for quoting.
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
        let (combiner, silence) = (self.combiner(), self.silence(usage));
        lowering.push(Draft { usage, sense, pattern, notation, combiner, silence, conditions: 0, line })
    }

    /// The error in the value of such a record, in one sentence without a full stop.
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
    /// Statements about usages: their values, and their places among groups.
    Preferences,
    /// The META tags and classes of ACAP in pages.
    Pages,
    /// The robots directives of pages.
    Directives,
}

/// The conventional records that a language suspends.
pub(crate) struct Suspended {
    /// For each line, true if a conventional rule there has no effect.
    pub(crate) lines: Vec<bool>,
    /// The language that suspends these lines reads them itself, for crawlers of its own.
    pub(crate) reads_them: bool,
}

/// A text and its context before lowering.
pub(crate) struct Source<'a, 's> {
    /// The scanned lines.
    pub(crate) tree: &'a Tree<'s>,
    /// The context.
    pub(crate) context: &'a CompileContext<'a, 's>,
    /// The lines whose rules have no effect, if there are any ([`Language::suspends`]).
    pub(crate) suspended: Option<Suspended>,
}

impl Source<'_, '_> {
    /// True if the rule on the line with this index has no effect.
    pub(crate) fn is_suspended(&self, line: usize) -> bool {
        self.suspended.as_ref().is_some_and(|suspended| suspended.lines[line])
    }
}

/// The languages of a profile, in the order in which they add to a policy.
pub(crate) fn of(profile: Profile) -> &'static [&'static dyn Language] {
    match profile {
        Profile::Full => &[
            &conventional::Conventional,
            &extended::Extended,
            &acap::Acap,
            &pages::Pages,
            &aipref::Aipref,
            &content_signals::ContentSignals,
            &ai_training::DISALLOW,
            &ai_training::ALLOW,
            &control_tokens::ControlTokens,
            &robots_tags::RobotsTags,
            &headers::Headers,
            &tdmrep::TdmRep,
            &rsl::WHOLE,
            &ai_txt::AiTxt,
            #[cfg(feature = "example-language")]
            &example::Example,
        ],
        Profile::Rfc9309 => &[
            &conventional::Conventional,
            &robots_tags::RobotsTags,
            &headers::Headers,
            &tdmrep::TdmRep,
            &rsl::OF_PAGES,
            &ai_txt::AiTxt,
        ],
        Profile::Google => &[
            &google::Google,
            &robots_tags::RobotsTags,
            &headers::Headers,
            &tdmrep::TdmRep,
            &rsl::OF_PAGES,
            &ai_txt::AiTxt,
        ],
        Profile::Koster => &[&koster::Koster],
    }
}

/// A record of a preference as it is quoted: at most this many bytes of its value.
const QUOTED: usize = 512;

/// The text of the record of a document of which only the beginning was read.
const CUT: &str = "not read to its end";

/// The text of the record of a document that could not be fetched.
const UNFETCHED: &str = "could not be fetched, or not all of it";

/// A record of a preference, for quoting.
fn preference_text(key: &str, value: &[u8]) -> Cow<'static, str> {
    let value = String::from_utf8_lossy(&value[..value.len().min(QUOTED)]);
    Cow::Owned(format!("{key}: {value}"))
}

/// True if a language of the profile asks for these lints.
pub(crate) fn wants(profile: Profile, lints: Lints) -> bool {
    of(profile).iter().any(|language| language.lints().contains(&lints))
}

/// The lines suspended by one of these languages.
pub(crate) fn suspended(languages: &[&dyn Language], tree: &Tree<'_>) -> Option<Suspended> {
    languages.iter().find_map(|language| language.suspends(tree))
}

/// The language that reads the record on a line of a user-agent group, if there is one.
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
    use robomaton_formats::policy::USAGES;

    #[test]
    fn languages_agree_on_the_silence_of_a_usage() {
        for profile in Profile::ALL {
            // For fields weighed by specificity, silence is a property of the whole file (P49).
            let ranked = of(profile).iter().filter(|language| language.combiner() != Combiner::Specificity);
            let silences = ranked.flat_map(|language| {
                language.usages().iter().map(|usage| {
                    let number = USAGES.iter().position(|standard| standard == usage);
                    let number = number.map_or(u16::MAX, |number| number as u16);
                    (*usage, language.silence(number) == Silence::Allowed)
                })
            });
            let silences: std::collections::BTreeSet<_> = silences.collect();
            let names: std::collections::BTreeSet<_> = silences.iter().map(|(usage, _)| *usage).collect();
            assert_eq!(silences.len(), names.len(), "{profile}: {silences:?}");
        }
    }
}
