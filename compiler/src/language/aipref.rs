//! AIPREF: `Content-Usage` in groups of robots.txt and in response headers
//! (draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab-08).
//!
//! One longest rule of a group decides every label: a label that it omits, or a statement that
//! cannot be read, is unstated there and hides shorter rules. So each rule states every usage of
//! the vocabulary. This file does not know which labels exist.

use super::{Language, Lints, preference_text};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, covered, on_parts, set_of};
use crate::policy::Combiner;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::vocabulary::labels;
use robomaton_grammar::modern::dictionary::content_usage;
use robomaton_grammar::modern::{MistakeCode, Preference, path::split_path};

pub(super) struct Aipref;

const LANGUAGE: preference::Language = preference::Language::Aipref;

impl Language for Aipref {
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
        &["content-usage"]
    }

    /// The key is one of `rule` in the grammar, so a user-agent after it begins a new group.
    fn closes_agents(&self) -> bool {
        true
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
        let (path, statement) = split_path(value);
        let (pattern, rank) = covered(path);
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line,
            file: 0,
            pattern: Bytes(pattern),
            text: preference_text("Content-Usage", value),
        };
        lowering.state(Scope::Groups, record, set_of(LANGUAGE, Carrier::Robots), stated(statement, rank));
        Ok(())
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Preferences]
    }
}

/// The statements of a dictionary about all usages of the vocabulary.
pub(super) fn stated(statement: &[u8], rank: u32) -> Vec<Said> {
    let members = content_usage(statement);
    // Beyond a limit, a statement may say anything; one that is malformed says nothing.
    let otherwise = match &members {
        Err(mistake) if mistake.code == MistakeCode::OverLimit => Effect::Unread,
        _ => Effect::Unstated,
    };
    let members = members.unwrap_or_default();
    let labels = labels().iter().filter(|label| label.language == LANGUAGE && label.is_standard);
    let of_label = |name: &str| members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value);
    labels
        .flat_map(|label| {
            let effect = match of_label(label.name) {
                Some(Preference::Yes) => Effect::Permitted,
                Some(Preference::No) => Effect::Refused,
                _ => otherwise,
            };
            on_parts(label.usage, effect, rank, 0)
        })
        .collect()
}
