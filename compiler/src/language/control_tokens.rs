//! Control tokens: user-agent groups such as `Google-Extended`, whose rules speak of a use instead
//! of crawling, for the crawlers that the token binds.
//!
//! The groups are read as conventional ones (R5 to R12); here their crawl rules become statements
//! for everyone, or for the bound crawlers. Without a group for the token there is no statement:
//! `*` speaks of crawling. This file does not know which tokens exist.

use super::{Language, Source};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope};
use crate::policy::{Combiner, Sense};
use robomaton_formats::detail::Bytes;
use robomaton_formats::policy::Role;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::vocabulary::{ControlToken, control_tokens};
use std::borrow::Cow;

pub(super) struct ControlTokens;

const LANGUAGE: preference::Language = preference::Language::ControlToken;

impl Language for ControlTokens {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn lower<'s>(&self, _: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        lowering.close();
        let options = lowering.options;
        let counts =
            |token: &&ControlToken| token.table.as_ref().is_none_or(|table| options.tables.contains(table));
        for token in control_tokens().iter().chain(&options.tokens).filter(counts) {
            state(token, lowering);
        }
        Ok(())
    }
}

fn state(token: &ControlToken, lowering: &mut Lowering<'_, '_>) {
    let groups = lowering.policy.groups.iter().filter(|group| {
        let names = || group.names().any(|name| name.eq_ignore_ascii_case(&token.name));
        group.role == Role::Conventional && group.file == 0 && names()
    });
    let rules: Vec<usize> = groups.flat_map(|group| group.rules.clone()).collect();
    if rules.is_empty() {
        return;
    }
    let scope = Scope::Everyone(lowering.everyone(&token.crawlers));
    let set = lowering.own_set();
    for at in rules {
        let rule = &lowering.policy.rules[at];
        if !rule.is_crawl() {
            continue;
        }
        let effect = if rule.sense == Sense::Permit { Effect::Permitted } else { Effect::Refused };
        let rank = rule.pattern.len() as u32;
        let word = if rule.sense == Sense::Permit { "Allow" } else { "Disallow" };
        let text = format!("{word}: {} ({})", String::from_utf8_lossy(&rule.pattern), token.name);
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line: rule.line,
            file: 0,
            pattern: Bytes(rule.pattern.clone()),
            text: Cow::Owned(text),
        };
        let said = token.usages.iter().map(|&usage| Said { usage, effect, rank, conditions: 0 });
        lowering.state(scope, record, set, said);
    }
}
