//! The statements about the use of a resource, in words: their place, their fate and its reason.
//!
//! It reads the account of an answer, which has every statement that matches, with the reason why
//! one is not in force. `verdict` prints the statements as JSON, `explanation` and `check` as text,
//! `reason` cites those that decide. Nothing is weighed here.

use crate::words::{short, shown};
use robomaton_runtime::{
    Account, Carrier, Condition, DecidingRule, Decision, Effect, Language, Loss, StatementAccount,
};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// The number of places that a sentence cites.
const CITED: usize = 3;

/// A statement about the use of a resource; the fields are the keys that scripts rely on.
#[derive(Clone, Serialize)]
pub struct StatementJson {
    /// The language.
    pub language: &'static str,
    /// The place.
    pub carrier: &'static str,
    /// The line, or the number of the rule in its document, from 1.
    pub line: Option<u32>,
    /// The document that contains it, if it is not the robots.txt of the site.
    pub document: Option<String>,
    /// The usage that it speaks of.
    pub usage: &'static str,
    /// Its effect: `disallowed`, `conditional`, `allowed`, `unread`, or `unstated`.
    pub effect: &'static str,
    /// `decides`, `stands` (another statement decides), or `beaten` (by another of its language, or
    /// because the URL may not be fetched).
    pub fate: &'static str,
    /// The reason for its fate, in words.
    pub why: String,
    /// The record as written.
    pub text: String,
    /// The conditions of a permission.
    pub conditions: Vec<String>,
    #[serde(skip)]
    place: String,
}

impl StatementJson {
    /// The statements of an account in its order: those that decide first.
    pub(crate) fn all(account: &Account, decision: Decision) -> Vec<StatementJson> {
        let winners = winners(account);
        let told = account.statements.iter().map(|statement| StatementJson {
            language: statement.language.name(),
            carrier: statement.carrier.name(),
            line: statement.line,
            document: statement.document.clone(),
            usage: statement.usage,
            effect: statement.effect.name(),
            fate: fate(statement),
            why: why(statement, winners.get(&(statement.set, statement.usage)).copied(), decision),
            text: statement.text.clone(),
            conditions: statement.conditions.iter().map(Condition::to_string).collect(),
            place: place(statement),
        });
        told.collect()
    }

    /// Writes statements as text, two lines for each record: its place and words, then what it says
    /// and why it counts or not.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write_all(statements: &[StatementJson], out: &mut impl Write) -> io::Result<()> {
        // What a record says alike about several usages is written once.
        let key = |of: &'_ StatementJson| {
            (of.place.clone(), of.text.clone(), of.effect, of.why.clone(), of.conditions.clone())
        };
        let mut numbers = HashMap::new();
        let mut records: Vec<(&StatementJson, Vec<&str>)> = Vec::new();
        for statement in statements {
            let at = *numbers.entry(key(statement)).or_insert(records.len());
            match records.get_mut(at) {
                // A token may speak for a crawler that its group names, too.
                Some((_, usages)) if usages.contains(&statement.usage) => {}
                Some((_, usages)) => usages.push(statement.usage),
                None => records.push((statement, vec![statement.usage])),
            }
        }
        for (statement, usages) in records {
            let StatementJson { place, text, effect, why, conditions, fate, .. } = statement;
            writeln!(out, "           {}: {}", shown(place), shown(text))?;
            let only_if = match conditions.as_slice() {
                [] => String::new(),
                all => format!(" only if {}", all.join(", ")),
            };
            let mark = if *fate == "decides" { "<- " } else { "" };
            let usages = usages.join(", ");
            writeln!(out, "             {usages} {effect}{}  {mark}{}", shown(&only_if), shown(why))?;
        }
        Ok(())
    }
}

/// The fate of a statement in one word.
pub(crate) fn fate(statement: &StatementAccount) -> &'static str {
    match (statement.decides, statement.loss) {
        (true, _) => "decides",
        (false, None) => "stands",
        (false, Some(_)) => "beaten",
    }
}

/// The winner of each set, by the number of the set and the usage: the statement that no other of
/// its set beats.
fn winners(account: &Account) -> HashMap<(u16, &'static str), &StatementAccount> {
    let mut winners = HashMap::new();
    for statement in &account.statements {
        if !matches!(statement.loss, Some(Loss::Outranked | Loss::Tied)) {
            winners.entry((statement.set, statement.usage)).or_insert(statement);
        }
    }
    winners
}

/// The reason why a statement counts or not.
fn why(statement: &StatementAccount, winner: Option<&StatementAccount>, decision: Decision) -> String {
    match (statement.loss, winner) {
        (None, _) => of_force(statement, decision),
        (Some(Loss::Outranked), Some(winner)) => format!("beaten by {}", outranked(statement, winner)),
        (Some(Loss::Tied), Some(winner)) => {
            let rule = match (statement.language, statement.language.ties_permit()) {
                (Language::RobotsTag, _) => "of several directives the stricter holds",
                (_, true) => "of equal length the permission wins",
                (_, false) => "of equal rank the stricter wins",
            };
            format!("beaten by {}: {rule}", place(winner))
        }
        (Some(Loss::Outranked | Loss::Tied), None) => "beaten by another of its language".to_owned(),
        (Some(Loss::Alone), _) => {
            "does not count: its licences name other usages, and no other content names this one".to_owned()
        }
        (Some(Loss::NoCrawl), _) if statement.language == Language::Aipref => {
            "does not count: the URL may not be fetched, so that it has no preference".to_owned()
        }
        (Some(Loss::NoCrawl), _) => {
            "does not count: the URL may not be fetched, so that nothing here is permitted".to_owned()
        }
        (Some(Loss::Superseded), _) => {
            "does not count: the page names a licence itself, which goes before that of the site".to_owned()
        }
    }
}

/// The reason why a statement in force decides, or does not.
fn of_force(statement: &StatementAccount, decision: Decision) -> String {
    let cause = match (statement.effect == statement.stated, statement.effect) {
        (true, _) => "",
        (false, Effect::Unread) => "its document is out of date; ",
        (false, _) => "its time is over; ",
    };
    let then = match (statement.decides, statement.effect, decision) {
        (true, Effect::Refused | Effect::Closed, _) => "decides: one refusal suffices",
        (true, Effect::Unread, _) => "decides: what could not be read permits nothing",
        (true, Effect::Conditional, _) => "decides: all conditions must be met, and nothing refuses",
        (true, ..) => "decides: nothing refuses",
        (false, Effect::Unstated, _) => "wins in its language, but says nothing about the usage",
        (false, Effect::Permitted, Decision::Allowed | Decision::Unknown) if statement.is_of_part => {
            "stands, but a part never permits the whole"
        }
        (false, _, Decision::Disallowed) => "stands, but one refusal suffices",
        (false, _, Decision::Unknown) if statement.is_of_part => "stands, but a part never permits the whole",
        (false, _, Decision::Unknown) => "stands, but a statement that could not be read may refuse",
        (false, _, Decision::Conditional) => "stands, but the conditions of others hold, too",
        (false, ..) => "stands",
    };
    format!("{cause}{then}")
}

/// The winner of a set, and what puts it before a statement.
fn outranked(statement: &StatementAccount, winner: &StatementAccount) -> String {
    let by = place(winner);
    let (own, other) = (statement.pattern.len(), winner.pattern.len());
    match statement.language {
        Language::TdmRep if winner.carrier == Carrier::TdmRep => format!("{by}, the first that matches"),
        Language::TdmRep => format!("{by}, which goes before the file"),
        Language::Rsl if other > own => format!("{by}, which has a longer path"),
        Language::Rsl if other == own => format!("{by}, which is more special, or stricter"),
        Language::Rsl => format!("{by}, which names the usage"),
        Language::RobotsTag => by,
        _ => {
            let bytes = |statement: &StatementAccount| match statement.rank {
                0 => "none".to_owned(),
                1 => "1 byte".to_owned(),
                rank => format!("{rank} bytes"),
            };
            format!("{by}, which has a longer path ({}; this one {})", bytes(winner), bytes(statement))
        }
    }
}

/// The place of a statement in words: `line 3 (Content Signals)`.
fn place(statement: &StatementAccount) -> String {
    let document = statement.document.as_deref().map(short);
    let document = document.as_deref();
    let numbered = |noun: &str, of: &str| match statement.line {
        Some(line) => format!("{noun} {line} of {of}"),
        None => of.to_owned(),
    };
    let place = match (statement.carrier, statement.line) {
        (Carrier::Robots, Some(line)) if document.is_none() => format!("line {line}"),
        (Carrier::Robots, _) => numbered("line", document.unwrap_or("robots.txt")),
        (Carrier::Header, _) => "a response header".to_owned(),
        (Carrier::Page | Carrier::Element, _) => numbered("line", "the page"),
        (Carrier::TdmRep, _) => numbered("rule", document.unwrap_or("/.well-known/tdmrep.json")),
        (Carrier::Rsl, _) => numbered("content", document.unwrap_or("an RSL document")),
        (Carrier::AiTxt, _) => numbered("line", document.unwrap_or("/ai.txt")),
    };
    format!("{place} ({})", statement.language.title())
}

/// The reason for an answer in which statements take part.
pub(crate) fn reason(account: &Account, usage: &str, decision: Decision) -> String {
    let deciding = || account.statements.iter().filter(|statement| statement.decides);
    let is_whole = |rule: &&DecidingRule| rule.usage.eq_ignore_ascii_case(usage);
    let line = |rule: &DecidingRule| match &rule.file {
        Some((_, name)) => format!("line {} of {name}", rule.line),
        None if rule.role.is_of_page() => format!("line {} of the page", rule.line),
        None => format!("line {}", rule.line),
    };
    let own = deciding().filter(|statement| !statement.is_of_part).map(place);
    let own = cited(own.chain(account.rules.iter().filter(is_whole).map(line)));
    // One refusal suffices, so parts are cited only where nothing speaks of the usage itself.
    let of_parts = deciding().filter(|statement| statement.is_of_part);
    let rules_of_parts = account.rules.iter().filter(|rule| !is_whole(rule));
    let (subject, object) = match own {
        Some(own) => (Some(own), "it".to_owned()),
        None => {
            let usages = of_parts.clone().map(|statement| statement.usage);
            let usages = distinct(usages.chain(rules_of_parts.clone().map(|rule| rule.usage.as_str())));
            let verb = if usages.len() > 1 { "are parts" } else { "is part" };
            let object = format!("{}, which {verb} of {usage}", listed(&usages));
            (cited(of_parts.map(place).chain(rules_of_parts.map(line))), object)
        }
    };
    let Some((subject, is_plural)) = subject else { return format!("statements about {usage} answer") };
    let verb = |one: &'static str, several| if is_plural { several } else { one };
    match (decision, deciding().next().map(|statement| statement.effect)) {
        (Decision::Disallowed, _) => {
            format!("{subject} {} {object}, and one refusal suffices", verb("refuses", "refuse"))
        }
        (Decision::Conditional, _) => {
            let permits = verb("permits", "permit");
            format!("{subject} {permits} {object} under conditions, and nothing refuses it")
        }
        (Decision::Allowed, _) => {
            format!("{subject} {} {object}, and nothing refuses it", verb("permits", "permit"))
        }
        (Decision::Unknown, Some(Effect::Unread)) => {
            format!("{subject} could not be read or is missing, so nothing is permitted")
        }
        (Decision::Unknown, _) => format!("{subject} says nothing about {object}"),
    }
}

/// The reason for an unknown answer to which no statement contributes; `None` if no statement
/// speaks of the usage.
pub(crate) fn silence(account: &Account, usage: &str) -> Option<String> {
    let cited = |wanted: &dyn Fn(&StatementAccount) -> bool| {
        cited(account.statements.iter().filter(|statement| wanted(statement)).map(place))
    };
    let is_unstated = |statement: &StatementAccount| {
        !statement.is_of_part && statement.loss.is_none() && statement.effect == Effect::Unstated
    };
    if let Some((subject, is_plural)) = cited(&is_unstated) {
        let verb = if is_plural { "say" } else { "says" };
        return Some(format!("{subject} {verb} nothing about {usage}, and nothing else speaks of it"));
    }
    if let Some((subject, is_plural)) = cited(&|statement| statement.loss == Some(Loss::NoCrawl)) {
        let verb = if is_plural { "do" } else { "does" };
        return Some(format!("{subject} {verb} not count, because the URL may not be fetched"));
    }
    let permits_part = |statement: &StatementAccount| {
        statement.is_of_part && matches!(statement.effect, Effect::Permitted | Effect::Conditional)
    };
    cited(&permits_part).map(|(subject, is_plural)| {
        let verb = if is_plural { "permit" } else { "permits" };
        format!("{subject} {verb} only a part of {usage}, and a part never permits the whole")
    })
}

/// The first of these places as the subject of a sentence, and true if there are several; `None`
/// without a place.
fn cited(places: impl Iterator<Item = String>) -> Option<(String, bool)> {
    let mut places = distinct(places);
    let more = places.len().saturating_sub(CITED);
    places.truncate(CITED);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    (!places.is_empty()).then(|| (listed(&places), places.len() > 1))
}

/// The different ones of these, in their order.
fn distinct<T: Clone + Eq + std::hash::Hash>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

/// Names in a sentence.
fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
