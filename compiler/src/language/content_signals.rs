//! Content Signals: `Content-Signal` in groups of robots.txt, before all groups, and in response
//! headers (policy of 24 September 2025).
//!
//! The longest line that matches decides all signals, as in AIPREF; among lines of one length, and
//! within a line, a `no` wins. Lines before the first group apply to crawlers whose groups have
//! none. This file does not know which signals exist.

use super::{Language, Lints, preference_text};
use crate::Options;
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, covered, on_parts, set_of};
use crate::policy::Combiner;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::vocabulary::{Label, labels};
use robomaton_grammar::modern::MistakeCode;
use robomaton_grammar::modern::path::split_path;
use robomaton_grammar::modern::signal::{Level, SignalValue, content_signal};

pub(super) struct ContentSignals;

const LANGUAGE: preference::Language = preference::Language::ContentSignals;

impl Language for ContentSignals {
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
        &["content-signal", "content-signals"]
    }

    fn record<'s>(
        &self,
        value: &'s [u8],
        line: u32,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let (path, statement) = split_path(value);
        let (pattern, rank) = covered(path);
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line,
            file: 0,
            pattern: Bytes(pattern),
            text: preference_text("Content-Signal", value),
        };
        let said = stated(statement, rank, lowering.options);
        lowering.state(Scope::Groups, record, set_of(LANGUAGE, Carrier::Robots), said);
        Ok(())
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Preferences]
    }
}

/// The statements of a list of signals about all usages of the vocabulary.
pub(super) fn stated(statement: &[u8], rank: u32, options: &Options) -> Vec<Said> {
    let signals = content_signal(statement);
    // Beyond the limit, a line may say anything.
    let is_whole = signals.mistakes.iter().all(|mistake| mistake.code != MistakeCode::OverLimit);
    let counts = |label: &&Label| {
        let asked = options.tables.iter().any(|table| table == label.table);
        label.language == LANGUAGE && (label.is_standard || asked)
    };
    let of_label = |label: &Label| {
        let mut values =
            signals.signals.iter().filter(|signal| signal.key == label.name).map(|signal| signal.value);
        match label.level {
            // A `no` wins over a `yes` in the same line.
            None => values.filter_map(permission).min(),
            Some((level, permits)) => {
                let is_stated =
                    values.any(|value| matches!(value, SignalValue::Level(own) if name(own) == level));
                is_stated.then_some(if permits { Effect::Permitted } else { Effect::Refused })
            }
        }
    };
    let stated = labels().iter().filter(counts).filter_map(|label| {
        let effect = match of_label(label) {
            Some(Effect::Refused) => Effect::Refused,
            // A `no` may follow.
            _ if !is_whole => Effect::Unread,
            Some(effect) => effect,
            // A level that is not stated says nothing, and hides nothing.
            None if label.level.is_some() => return None,
            None => Effect::Unstated,
        };
        Some(on_parts(label.usage, effect, rank, 0))
    });
    stated.flatten().collect()
}

const fn permission(value: SignalValue) -> Option<Effect> {
    match value {
        SignalValue::Yes => Some(Effect::Permitted),
        SignalValue::No => Some(Effect::Refused),
        SignalValue::Level(_) => None,
    }
}

const fn name(level: Level) -> &'static str {
    match level {
        Level::Immediate => "immediate",
        Level::Reference => "reference",
        Level::Full => "full",
    }
}
