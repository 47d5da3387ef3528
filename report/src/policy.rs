//! One text for the page: its groups and records, and its coverage for each well-known crawler.
//!
//! It is serialised as JSON, one text per line; `page.js` draws it. The keys are short words.
//! Invariant: every string of a site passes through [`shown`] first.

use crate::text::shown;
use robomaton_formats::detail::{self, Bytes, Detail};
use robomaton_formats::policy::CRAWL;
use robomaton_formats::schedule::{Schedule, Window};
use robomaton_tables::coverage::Coverage;
use serde::Serialize;

/// Rules of one text in the page; of more, only the number is shown.
pub const RULES_SHOWN: usize = 200;
/// Limits for names of a group, records of a text or a group, and characters of a string.
const NAMES_SHOWN: usize = 200;
const RECORDS_SHOWN: usize = 50;
const LETTERS_SHOWN: usize = 500;

/// A text, or the outcome of a fetch, with its coverages. `page.js` reads the key `extents`.
#[derive(Serialize)]
pub(crate) struct Policy {
    groups: Vec<Group>,
    records: Vec<Record>,
    /// The number of rules that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// Share, basis, line (0 for none) and a note.
    kinds: Vec<(&'static str, &'static str, u32, &'static str)>,
    /// For each well-known crawler, the index into `kinds`.
    extents: Vec<usize>,
}

#[derive(Serialize)]
struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    /// Delays, rates and times, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    schedule: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<Record>,
    /// Purposes, and files that the group comes from or lacks, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    about: Vec<String>,
}

/// Line, 1 if it permits, pattern, and other facts: usage and conditions.
#[derive(Serialize)]
struct Rule(u32, u8, String, #[serde(skip_serializing_if = "String::is_empty")] String);

/// Line, key, value.
#[derive(Serialize)]
struct Record(u32, String, String);

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Policy {
    /// The policy of these records, with the coverages of all well-known crawlers.
    pub(crate) fn of(detail: &Detail<'_>, coverages: &[Coverage]) -> Policy {
        let mut room = RULES_SHOWN;
        let groups = detail.groups.iter().take(NAMES_SHOWN).map(|group| Group::of(detail, group, &mut room));
        let groups: Vec<Group> = groups.collect();
        let rules: usize = detail.groups.iter().map(|group| group.rules.len()).sum();
        let mut kinds = Vec::new();
        let places = coverages.iter().map(|coverage| {
            let Coverage { share, basis, line, .. } = *coverage;
            let mark = if coverage.incomplete {
                "something was not read"
            } else if coverage.conditional {
                "in part under conditions"
            } else {
                ""
            };
            let kind = (share.name(), basis.name(), line.unwrap_or(0), mark);
            kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            })
        });
        let extents = places.collect();
        let more = rules - (RULES_SHOWN - room);
        Policy { groups, records: records(&detail.extensions), more, kinds, extents }
    }

    /// Serialises it as JSON, on one line.
    pub(crate) fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}

impl Group {
    /// A group with as many rules as there is room for.
    fn of(detail: &Detail<'_>, group: &detail::Group<'_>, room: &mut usize) -> Group {
        let rules: Vec<Rule> = group.rules.iter().take(*room).map(|rule| Rule::of(detail, rule)).collect();
        *room -= rules.len();
        let file = detail.file(group.file);
        let purposes = group.purposes.iter().map(|purpose| format!("for {}", text(purpose)));
        let file = file.map(|file| format!("from {}", cut(file)));
        let incomplete = group.incomplete.then(|| "lacks a file that it refers to".to_owned());
        let default = group.default.then(|| "*".to_owned());
        Group {
            agents: group.crawlers.iter().take(NAMES_SHOWN).map(|name| cut(name)).chain(default).collect(),
            rules,
            schedule: group.schedule.as_deref().map(schedule).unwrap_or_default(),
            records: records(&group.extensions),
            about: purposes.take(NAMES_SHOWN).chain(file).chain(incomplete).collect(),
        }
    }
}

impl Rule {
    fn of(detail: &Detail<'_>, rule: &detail::Rule<'_>) -> Rule {
        let usage = (rule.usage != CRAWL).then(|| cut(detail.usage(rule.usage)));
        let conditions = detail.conditions(rule).iter().map(|condition| cut(&condition.to_string()));
        let said: Vec<String> = usage.into_iter().chain(conditions).collect();
        Rule(rule.line, u8::from(rule.permits), text(&rule.pattern), said.join(", "))
    }
}

fn records(records: &[detail::Extension<'_>]) -> Vec<Record> {
    let record = |record: &detail::Extension<'_>| Record(record.line, cut(&record.key), cut(&record.value));
    records.iter().take(RECORDS_SHOWN).map(record).collect()
}

fn text(bytes: &Bytes<'_>) -> String {
    // A character has at most four bytes, and one that is cut in two is shown as replaced.
    let start = bytes.0.get(..4 * LETTERS_SHOWN).unwrap_or(&bytes.0);
    cut(&String::from_utf8_lossy(start))
}

/// The text with invisible characters escaped, cut to the limit of the page.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LETTERS_SHOWN) {
        Some((end, _)) => format!("{}\u{2026}", shown(&text[..end])),
        None => shown(text).into_owned(),
    }
}

/// The schedule records of a group, in words.
fn schedule(schedule: &Schedule) -> Vec<String> {
    let window = |window: &Window| format!("{} UTC", window.to_string().replace('-', "\u{2013}"));
    let delays = schedule.delays.iter().map(|&millis| format!("delay {} s", millis as f64 / 1000.0));
    let rates = schedule.rates.iter().map(|rate| {
        let times = rate.window.as_ref().map(|times| format!(", {}", window(times))).unwrap_or_default();
        format!("{} in {} s{times}", rate.documents, rate.seconds)
    });
    let visits = schedule.visits.iter().map(|times| format!("visits {}", window(times)));
    delays.chain(rates).chain(visits).take(RECORDS_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut(&"\u{fc}".repeat(LETTERS_SHOWN)), "\u{fc}".repeat(LETTERS_SHOWN));
        assert_eq!(cut(&"\u{fc}".repeat(LETTERS_SHOWN + 1)).chars().count(), LETTERS_SHOWN + 1);
        assert_eq!(text(&Bytes::from(&b"/\xff<\0"[..])), "/\u{fffd}<\\u{0}");
    }
}
