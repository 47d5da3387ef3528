//! The documents about uses that a site has beside its robots.txt (`tdmrep.json`, `ai.txt`), from
//! what an image says of them.
//!
//! The image stores their statements and not their texts. A page may add to a rule of
//! `tdmrep.json`, or supersede it, so that file is written again, for the compiler to read together
//! with the page; the statements of `ai.txt` are taken as they are. Nothing is weighed here.

use crate::stored::owned;
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::Detail;
use robomaton_formats::preference::{Carrier, Effect, Group, Record, Source, Statement};
use robomaton_grammar::modern::tdmrep::RULE_LIMIT;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The state of these documents in an image.
#[derive(Default)]
pub(super) struct SiteDocuments {
    /// A `tdmrep.json` with the rules of the site's.
    pub(super) tdmrep: Option<Vec<u8>>,
    /// True if the site's `tdmrep.json` was not read, or not all of it.
    pub(super) is_tdmrep_unread: bool,
    /// The statements of the `ai.txt`.
    pub(super) ai_txt: Option<Source<'static>>,
    /// True if the site's `ai.txt` was not read, or not all of it.
    pub(super) is_ai_txt_unread: bool,
}

impl SiteDocuments {
    pub(super) fn of(detail: &Detail<'_>) -> SiteDocuments {
        let mut rules = BTreeMap::new();
        let mut documents = SiteDocuments::default();
        for (record, statement) in detail.preferences.iter().flat_map(statements) {
            match (record.carrier, statement.effect) {
                (Carrier::AiTxt, Effect::Unread) => documents.is_ai_txt_unread = true,
                // This rule has no location that can be read. Rank 1 is ambiguous: the last rule
                // has it, and so has a file over a limit, so both count as unread.
                (Carrier::TdmRep, Effect::Unread) if record.line > 0 && statement.rank > 1 => {
                    rules.insert(record.line as usize, json!({}));
                }
                (Carrier::TdmRep, Effect::Unread) => documents.is_tdmrep_unread = true,
                (Carrier::TdmRep, _) => {
                    rules.entry(record.line as usize).or_insert_with(|| rule(detail, record, statement));
                }
                _ => {}
            }
        }
        // More rules than a file can have are not read, as in the file itself.
        documents.is_tdmrep_unread |= !rules.split_off(&(RULE_LIMIT + 1)).is_empty();
        if let Some((&last, _)) = rules.last_key_value() {
            // A rule that states nothing is written as one that permits, so that the rules after it
            // keep their numbers.
            let nothing = || json!({ "tdm-reservation": 0 });
            let all: Vec<Value> =
                (1..=last).map(|number| rules.remove(&number).unwrap_or_else(nothing)).collect();
            documents.tdmrep = Some(Value::from(all).to_string().into_bytes());
        }
        let states = |source: &&Source<'_>| {
            let is_own = |(record, statement): (&Record<'_>, &Statement)| {
                record.carrier == Carrier::AiTxt && statement.effect != Effect::Unread
            };
            statements(source).any(is_own)
        };
        documents.ai_txt = detail.preferences.iter().find(states).map(owned);
        documents
    }
}

/// The statements of a source, each with its record.
fn statements<'s>(source: &'s Source<'_>) -> impl Iterator<Item = (&'s Record<'s>, &'s Statement)> {
    let of_group = |group: &'s Group<'_>| {
        group.statements.iter().filter_map(move |statement| Some((group.record(statement)?, statement)))
    };
    source.groups.iter().flat_map(of_group)
}

/// A rule of a `tdmrep.json`.
fn rule(detail: &Detail<'_>, record: &Record<'_>, statement: &Statement) -> Value {
    let mut rule = json!({ "location": String::from_utf8_lossy(&record.pattern.0) });
    let reservation = match statement.effect {
        Effect::Permitted => Some(0),
        Effect::Refused | Effect::Conditional => Some(1),
        _ => None,
    };
    if let Some(reservation) = reservation {
        rule["tdm-reservation"] = reservation.into();
    }
    for condition in detail.set_of_conditions(statement.conditions) {
        if let Condition::Policy(policy) = condition {
            rule["tdm-policy"] = policy.as_str().into();
        }
    }
    rule
}
