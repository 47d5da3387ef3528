//! Control tokens: user-agent groups such as `Google-Extended`, whose rules speak of a use instead
//! of crawling, for the crawlers that the token binds.
//!
//! The groups are read as conventional ones (R5 to R12); here their crawl rules become statements
//! for everyone, or for the bound crawlers, and what other languages state in them of the token's
//! usages counts for the same crawlers. Without a group for the token there is no statement: `*`
//! speaks of crawling. This file does not know which tokens exist.

use super::{Language, Source};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{GroupPlace, Said, Scope};
use crate::policy::{Combiner, Group, Policy};
use robomaton_formats::agent::{general_name, whole_name};
use robomaton_formats::detail::Bytes;
use robomaton_formats::policy::Role;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::usage::with_parts;
use robomaton_formats::vocabulary::{ControlToken, control_tokens};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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

/// The groups for a token: those that name it, or else the rule sets that name it with a
/// version (decision 41).
fn groups<'p, 's>(token: &str, policy: &'p Policy<'s>) -> Vec<&'p Group<'s>> {
    let of = |name: &str| -> Vec<&Group<'_>> {
        let conventional = policy.groups.iter().filter(|group| group.role == Role::Conventional);
        conventional.filter(|group| is_named(group, name)).collect()
    };
    let own = of(token);
    match general_name(&token.to_ascii_lowercase()) {
        Some(general) if own.is_empty() => of(&general),
        _ => own,
    }
}

fn state(token: &ControlToken, lowering: &mut Lowering<'_, '_>) {
    let groups = groups(&token.name, &lowering.policy);
    let missing = missing_for(&token.name, &lowering.policy);
    if groups.is_empty() && missing.is_none() {
        return;
    }
    let places: Vec<GroupPlace> = groups.iter().map(|group| (group.file, group.line)).collect();
    let rules: Vec<(u16, usize)> =
        groups.iter().flat_map(|group| group.rules.clone().map(|at| (group.file, at))).collect();
    let usages = BTreeSet::from_iter(token.usages.iter().copied().flat_map(with_parts));
    let usages = Vec::from_iter(usages);
    let scope = Scope::Everyone(lowering.everyone(&token.bound()));
    let set = lowering.own_set();
    for (file, at) in rules {
        let rule = &lowering.policy.rules[at];
        if !rule.is_crawl() {
            continue;
        }
        let effect = rule.sense.effect();
        let rank = match rule.combiner {
            Combiner::FormOfMatch(form) => form as u32,
            _ => rule.pattern.len() as u32,
        };
        let (key, pattern) = (rule.sense.key(), String::from_utf8_lossy(&rule.pattern));
        let text = format!("{key}: {pattern} ({})", token.name);
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line: rule.line,
            file,
            pattern: Bytes(rule.pattern.clone()),
            text: Cow::Owned(text),
        };
        let said = usages.iter().map(|&usage| Said { usage, effect, rank, conditions: 0 });
        lowering.state(scope, record, set, said);
    }
    // Statements of the other languages compete among themselves, in a set of each, and not with
    // those in the crawler's own groups.
    let stated = lowering.stated_in(&places, &usages);
    let mut sets: BTreeMap<u16, u16> = BTreeMap::new();
    for (record, set, said) in &stated {
        let set = *sets.entry(*set).or_insert_with(|| lowering.own_set());
        lowering.state(scope, record.clone(), set, [*said]);
    }
    repeat_refusals(&stated, scope, lowering);
    if let Some(line) = missing {
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Robots,
            line,
            file: 0,
            pattern: Bytes(Cow::Borrowed(b"/")),
            text: Cow::Owned(format!("a file that the record for {} refers to is missing", token.name)),
        };
        let said = usages.iter().map(|&usage| Said { usage, effect: Effect::Unread, rank: 0, conditions: 0 });
        let set = lowering.own_set();
        lowering.state(scope, record, set, said);
    }
}

/// Repeats the refusals of AIPREF in a token's group as statements of the token. AIPREF has no
/// preference where the crawler may not fetch, but the group is not about crawling, so its refusals
/// count there, too. Other statements of AIPREF are repeated only to outrank refusals of shorter
/// paths.
fn repeat_refusals<'s>(stated: &[(Record<'s>, u16, Said)], scope: Scope, lowering: &mut Lowering<'s, '_>) {
    let of_aipref = stated.iter().filter(|(record, ..)| record.language == preference::Language::Aipref);
    let refuses = |effect| matches!(effect, Effect::Refused | Effect::Unread);
    let refusing: BTreeSet<(u16, u16)> = of_aipref
        .clone()
        .filter_map(|(_, set, said)| refuses(said.effect).then_some((*set, said.usage)))
        .collect();
    let mut sets: BTreeMap<u16, u16> = BTreeMap::new();
    for (record, set, said) in of_aipref.filter(|(_, set, said)| refusing.contains(&(*set, said.usage))) {
        let set = *sets.entry(*set).or_insert_with(|| lowering.own_set());
        let effect = if refuses(said.effect) { said.effect } else { Effect::Unstated };
        let record = Record { language: LANGUAGE, ..record.clone() };
        lowering.state(scope, record, set, [Said { effect, ..*said }]);
    }
}

/// The line of an ACAP record for a token that refers to a missing file, in which may be groups for
/// the token (decision 23).
fn missing_for(token: &str, policy: &Policy<'_>) -> Option<u32> {
    let missing = policy.groups.iter().find(|group| group.incomplete && is_named(group, token));
    missing.map(|group| group.line)
}

/// True if a group has a name, or an ACAP record has it with a version (decision 34).
fn is_named(group: &Group<'_>, name: &str) -> bool {
    let whole = whole_name(name);
    group.names().any(|own| own.eq_ignore_ascii_case(name) || own == whole)
}
