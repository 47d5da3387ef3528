//! The meaning of conventional META tags, TDMRep tags and RSL links of a page, from the statements
//! that the compiler made of them and those that were weighed.
//!
//! `meaning` asks for each tag. It does not know how a directive is written, and weighs nothing.

use crate::evidence::Evidence;
use crate::statements::fate;
use robomaton_formats::condition::Condition;
use robomaton_formats::preference::{Carrier, Effect, Group, Language, Record, Statement};
use robomaton_formats::usage::USAGES;
use robomaton_runtime::StatementAccount;
use serde::Serialize;

/// An RSL document that the page names.
#[derive(Serialize)]
pub(super) struct License {
    pub(super) url: String,
    /// Its meaning for the page in words.
    pub(super) says: String,
    /// True if it is about the usage in question.
    pub(super) applies: bool,
    /// Its fate.
    pub(super) fate: &'static str,
}

/// The number of crawlers that are named in the description of a tag.
const NAMED: usize = 3;

/// The meaning of a tag, true if it is about the query, and its fate or the reason why it is not.
type TagMeaning = (String, bool, &'static str);

/// The meaning of the META tag with this number; `None` if it makes no statement.
pub(super) fn tag(
    evidence: &Evidence<'_>,
    stated: &[StatementAccount],
    name: &str,
    number: u32,
) -> Option<TagMeaning> {
    // The tags of TDMRep are one record, which has no line.
    let is_tdm = ["tdm-reservation", "tdm-policy"].iter().any(|own| name.eq_ignore_ascii_case(own));
    let (language, line) = if is_tdm { (Language::TdmRep, 0) } else { (Language::RobotsTag, number) };
    let is_own = |record: &Record<'_>| {
        (record.language, record.carrier, record.line) == (language, Carrier::Page, line)
    };
    let is_stated = |statement: &&StatementAccount| {
        (statement.language, statement.carrier) == (language, Carrier::Page)
            && statement.line.unwrap_or(0) == line
    };
    let found = statements(evidence, is_own);
    let says = description(evidence, &found)?;
    let fate = match stated.iter().find(is_stated) {
        Some(statement) => return Some((says, true, fate(statement))),
        None if found.iter().any(|(group, _)| is_for(evidence, group)) => "of another usage",
        None => "for another crawler",
    };
    Some((says, false, fate))
}

/// The RSL documents that the page names.
pub(super) fn licenses(evidence: &Evidence<'_>, stated: &[StatementAccount]) -> Vec<License> {
    let files = (1..).zip(&evidence.policy.files);
    let license = |(number, url): (u16, &String)| {
        let is_own = |record: &Record<'_>| {
            (record.language, record.carrier, record.file) == (Language::Rsl, Carrier::Page, number)
        };
        let says = description(evidence, &statements(evidence, is_own))?;
        let is_stated = |statement: &&StatementAccount| {
            (statement.language, statement.carrier) == (Language::Rsl, Carrier::Page)
                && statement.document.as_ref() == Some(url)
        };
        let found = stated.iter().find(is_stated);
        let fate = found.map_or("of another usage", fate);
        Some(License { url: url.clone(), says, applies: found.is_some(), fate })
    };
    files.filter_map(license).collect()
}

/// The statements of some records, with their groups.
fn statements<'e>(
    evidence: &'e Evidence<'_>,
    is_wanted: impl Fn(&Record<'_>) -> bool,
) -> Vec<(&'e Group<'e>, &'e Statement)> {
    let mut found = Vec::new();
    for group in evidence.policy.preferences.iter().flat_map(|source| &source.groups) {
        let wanted = |statement: &&Statement| group.record(statement).is_some_and(&is_wanted);
        let is_effect =
            |statement: &&Statement| !matches!(statement.effect, Effect::Supersedes | Effect::Dated);
        found.extend(group.statements.iter().filter(is_effect).filter(wanted).map(|one| (group, one)));
    }
    found
}

/// Statements in words; `None` if there are none.
fn description(evidence: &Evidence<'_>, statements: &[(&Group<'_>, &Statement)]) -> Option<String> {
    let words = statements.iter().map(|(group, statement)| {
        let usage = USAGES.get(usize::from(statement.usage)).copied().unwrap_or("?");
        let mut words = match statement.effect {
            Effect::Refused | Effect::Closed => format!("prohibits {usage}"),
            Effect::Permitted | Effect::Conditional => format!("permits {usage}"),
            Effect::Unread => format!("may prohibit {usage}, as it could not be read"),
            _ => format!("says nothing about {usage}"),
        };
        let set = (statement.conditions as usize).checked_sub(1);
        let conditions = set.and_then(|set| evidence.policy.conditions.get(set)).into_iter().flatten();
        let conditions: Vec<String> = conditions.map(Condition::to_string).collect();
        if !conditions.is_empty() {
            words.push_str(&format!(" only if {}", conditions.join(" ")));
        }
        // Some directives speak of more to the crawlers of one operator.
        if group.crawlers.len() > 1 {
            let more = if group.crawlers.len() > NAMED { " and others" } else { "" };
            let named: Vec<&str> = group.crawlers.iter().take(NAMED).map(String::as_str).collect();
            words.push_str(&format!(" for {}{more}", named.join(", ")));
        }
        words
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// True if a group of a page applies to the crawler.
fn is_for(evidence: &Evidence<'_>, group: &Group<'_>) -> bool {
    let rule = evidence.policy.profile.agent_rule();
    let is_named = || {
        let mut names = evidence.query.agents.iter().flat_map(|agent| rule.lookup_names(agent));
        names.any(|name| group.names(&name))
    };
    group.default && !evidence.query.named_only || is_named()
}
