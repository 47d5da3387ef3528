//! The groups that address the crawler, and the rules that match, as the trace found them.
//!
//! Ranked rules have groups, matches and ranks. Fields weighed by specificity also have levels, and
//! pairs of patterns that cannot be ordered ([`Pair`]). Nothing is weighed here.

use super::pair::Pair;
use crate::evidence::Evidence;
use crate::reason;
use crate::room::Room;
use crate::rule::{addresses, fate_name, file_name, rival, rule_of};
use crate::sets::{self, Skipped, Version};
use crate::texts::{Dropped, Texts};
use crate::verdict::page_of;
use robomaton_compiler::Policy;
use robomaton_compiler::trace::{self, Fate, Holder, Trace};
use robomaton_formats::agent::written_names;
use robomaton_formats::purpose;
use robomaton_runtime::Verdict;
use serde::Serialize;

/// Bytes of the matching rules that are listed. They are spelled in full: thousands may share a
/// condition of hundreds of kilobytes.
const ROOM: usize = 4 << 20;

/// The number of lines that a sentence cites, at most.
const CITED: usize = 4;

/// Groups and matches. The default means that no rules were consulted.
#[derive(Default, Serialize)]
pub(super) struct Analysis {
    /// True if the text was read, so that there are groups to list.
    #[serde(skip)]
    pub(super) is_traced: bool,
    /// True if fields are weighed by specificity.
    pub(super) scoped: bool,
    /// The groups and records that address the crawler.
    pub(super) groups: Vec<Group>,
    /// Rule sets that name the crawler, but do not apply.
    pub(super) skipped: Vec<Skipped>,
    pub(super) matches: Vec<Match>,
    /// The number of further rules that match, for which there is no room.
    pub(super) matches_left_out: usize,
    /// Fields that might speak of the query, and have no effect.
    pub(super) dropped: Vec<Dropped>,
    /// The level whose fields apply, in words.
    pub(super) level: Option<String>,
    pub(super) undetermined: Vec<Pair>,
    /// Referenced files that are missing. For an image, this may include files that have no
    /// records.
    pub(super) missing: Vec<String>,
    /// True if robots.txt may exist but could not be read.
    #[serde(skip)]
    pub(super) robots_may_refuse: bool,
}

/// A group or record that addresses the crawler.
#[derive(Serialize)]
pub(super) struct Group {
    pub(super) line: u32,
    pub(super) agents: Vec<String>,
    pub(super) role: &'static str,
    pub(super) purposes: Vec<String>,
    /// True if it is for the purpose in question.
    pub(super) asked: bool,
    pub(super) file: Option<String>,
    /// The path of the page that contains it.
    pub(super) page: Option<String>,
    /// The version of a rule set, if the text states any.
    pub(super) version: Option<Version>,
    pub(super) incomplete: bool,
}

/// A rule that matches.
#[derive(Serialize)]
pub(super) struct Match {
    pub(super) line: u32,
    pub(super) file: Option<String>,
    page: Option<String>,
    pub(super) rule: String,
    /// The line as it stands in its text, without its comment.
    pub(super) written: Option<String>,
    permits: bool,
    /// The length of a conventional rule's pattern in bytes. Under the profile `koster`, an earlier
    /// rule has a higher rank.
    pub(super) rank: Option<u32>,
    pub(super) level: Option<Level>,
    pub(super) fate: &'static str,
    pub(super) wins: bool,
    /// The line of the deciding rule beside which neither is narrower.
    #[serde(skip)]
    pub(super) rival: Option<u32>,
}

/// The level of a field. The fields of the first matching level apply.
#[derive(Serialize)]
pub(super) struct Level {
    pub(super) other: bool,
    pub(super) any: bool,
    pub(super) holder: &'static str,
}

impl Analysis {
    pub(super) fn new(
        evidence: &Evidence<'_>,
        texts: &Texts<'_, '_>,
        verdict: &Verdict<'_>,
        missing: Vec<String>,
    ) -> Analysis {
        let Evidence { policy, trace, query } = *evidence;
        let is_overridden = evidence.overriding_outcome(verdict).is_some();
        let mut room = Room { bytes: ROOM, left_out: 0 };
        let all = trace.matches.iter().map(|found| Match::new(policy, trace, texts, found, is_overridden));
        let matches: Vec<Match> = all.take_while(|found| room.takes(found.length())).collect();
        Analysis {
            is_traced: true,
            scoped: policy.is_scoped(),
            groups: groups(evidence),
            skipped: sets::skipped(policy, &trace.choice, &verdict.looked_for()),
            matches_left_out: trace.matches.len() - matches.len(),
            matches,
            dropped: texts.dropped(evidence),
            level: if is_overridden { None } else { level(evidence) },
            undetermined: trace.undetermined.iter().map(|pair| Pair::new(policy, *pair)).collect(),
            missing: if trace.incomplete { missing } else { Vec::new() },
            robots_may_refuse: query.robots_may_refuse,
        }
    }
}

impl Analysis {
    /// A clause about fields without effect, for the end of a sentence; empty if there are none.
    pub(super) fn dropped_clause(&self) -> String {
        match self.dropped.as_slice() {
            [] => String::new(),
            [Dropped { line, why, .. }] => format!("; line {line} has no effect: {why}"),
            [rest @ .., last] if rest.len() < CITED => {
                let lines: Vec<String> = rest.iter().map(|dropped| dropped.line.to_string()).collect();
                format!("; lines {} and {} have no effect", lines.join(", "), last.line)
            }
            all => format!("; line {} and {} more have no effect", all[0].line, all.len() - 1),
        }
    }
}

/// The level of the fields that were weighed.
fn level(evidence: &Evidence<'_>) -> Option<String> {
    let matches = evidence.trace.matches.iter();
    let weighed = matches.filter(|found| matches!(found.fate, Fate::Decides | Fate::Beaten));
    weighed.filter_map(|found| found.level).min().map(reason::level_in_words)
}

impl Match {
    /// The outcome of the fetch may override what pages say to all crawlers.
    fn new(
        policy: &Policy<'_>,
        trace: &Trace,
        texts: &Texts<'_, '_>,
        found: &trace::Match,
        is_overridden: bool,
    ) -> Match {
        let rule = rule_of(policy, found);
        let fate = if is_overridden { Fate::Overridden } else { found.fate };
        Match {
            line: rule.line,
            rule: rule.to_string(),
            written: texts.written(&rule),
            page: page_of(rule.role, &rule.pattern),
            file: rule.file.map(|(_, name)| name),
            permits: rule.permits,
            rank: Some(found.priority >> 1).filter(|_| found.level.is_none()),
            level: found.level.map(Level::from),
            fate: fate_name(fate),
            wins: fate == Fate::Decides,
            rival: rival(trace, found).map(|rule| policy.rules[rule].line),
        }
    }

    /// The bytes of its texts.
    fn length(&self) -> usize {
        let others = [&self.file, &self.page, &self.written].into_iter().flatten();
        self.rule.len() + others.map(String::len).sum::<usize>()
    }
}

impl From<trace::Level> for Level {
    fn from(level: trace::Level) -> Level {
        Level {
            other: level.other,
            any: level.any,
            holder: match level.holder {
                Holder::Element => "element",
                Holder::PageForPurpose => "page, for the purpose",
                Holder::Page => "page",
                Holder::SubRecord => "sub-record",
                Holder::Record => "record",
            },
        }
    }
}

/// The groups that apply, and all records and pages that address the crawler.
fn groups(evidence: &Evidence<'_>) -> Vec<Group> {
    let Evidence { policy, trace, query } = *evidence;
    let numbers = (0..policy.groups.len()).filter(|&number| addresses(policy, trace, query, number));
    numbers.filter_map(|number| Group::new(evidence, number)).collect()
}

impl Group {
    /// The group with this number; `None` if it belongs to other pages only.
    fn new(evidence: &Evidence<'_>, number: usize) -> Option<Group> {
        let Evidence { policy, query, .. } = *evidence;
        let group = &policy.groups[number];
        // A group of pages combines the rules of many pages.
        let is_of_page = group.role.is_of_page();
        let mut rules = group.rules.clone().map(|at| &policy.rules[at]);
        let matches = |rule: &&_| {
            let rule: &robomaton_compiler::Rule<'_> = rule;
            rule.pattern().matches(&rule.notation.target(query.target))
        };
        let here = if is_of_page { rules.find(matches) } else { None };
        if is_of_page && here.is_none() {
            return None;
        }
        let agents: Vec<&str> = group.agents.iter().map(sets::name_of).collect();
        let purposes = &group.purposes;
        let is_asked = |pattern| purpose::matches(pattern, query.purpose);
        Some(Group {
            line: here.map_or(group.line, |rule| rule.line),
            agents: written_names(&agents).into_iter().map(str::to_owned).collect(),
            role: group.role.heading(!purposes.is_empty()),
            purposes: purposes.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            asked: purposes.is_empty() || purposes.iter().any(|pattern| is_asked(pattern)),
            file: file_name(policy, group.file),
            page: here.and_then(|rule| page_of(group.role, &rule.pattern)),
            version: sets::version(policy, number),
            incomplete: group.incomplete,
        })
    }
}
