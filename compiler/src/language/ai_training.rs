//! `DisallowAITraining` and `AllowAITraining` (draft-canel-robots-ai-control-01, expired).
//!
//! Values as of `Disallow` and `Allow`; the longest match decides, and at equal length the refusal.
//! The keys do not close the list of user-agents.

use super::conventional::pattern;
use super::{Language, Lints, preference_text};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, set_of};
use crate::policy::Combiner;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::usage::AI_TRAIN;

/// One of the two keys.
pub(super) struct AiTraining {
    key: &'static str,
    keys: &'static [&'static str],
    effect: Effect,
}

/// `DisallowAITraining`.
pub(super) const DISALLOW: AiTraining =
    AiTraining { key: "DisallowAITraining", keys: &["disallowaitraining"], effect: Effect::Refused };
/// `AllowAITraining`.
pub(super) const ALLOW: AiTraining =
    AiTraining { key: "AllowAITraining", keys: &["allowaitraining"], effect: Effect::Permitted };

const LANGUAGE: preference::Language = preference::Language::AiTraining;

impl Language for AiTraining {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn keys(&self) -> &'static [&'static str] {
        self.keys
    }

    fn record<'s>(
        &self,
        value: &'s [u8],
        line: u32,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        // A rule outside a group has no effect (R8).
        if lowering.open.is_none() {
            return Ok(());
        }
        let origin = lowering.origin.clone();
        let refuses = self.effect == Effect::Refused;
        let Some(pattern) = pattern(value, origin.as_deref(), refuses, lowering) else { return Ok(()) };
        let rank = pattern.len() as u32;
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line,
            file: 0,
            pattern: Bytes(pattern),
            text: preference_text(self.key, value),
        };
        let said = Said { usage: AI_TRAIN, effect: self.effect, rank, conditions: 0 };
        lowering.state(Scope::Groups, record, set_of(LANGUAGE, Carrier::Robots), [said]);
        Ok(())
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Preferences]
    }
}
