//! A text line by line, for the tester: the group of each line, and the fate of each rule.
//!
//! Every line of the text is listed. A rule that does not decide has a reason. The tree gives the
//! kind of a line, the trace its fate, and lint its findings; nothing is weighed here.

use crate::evidence::Evidence;
use crate::lint::{Finding, lint_tree};
use crate::query::Query;
use crate::rule::{addresses, fate_name, rival, speaks_of};
use crate::statements::StatementJson;
use robomaton_compiler::lint::STEPS;
use robomaton_compiler::trace::{Fate, Match};
use robomaton_compiler::{CompileContext, Options, Sense};
use robomaton_grammar::{Code, Key, LineKind, Tree};
use robomaton_runtime::{Carrier, Profile};
use serde::Serialize;
use std::collections::HashMap;

/// The number of lines that are listed. The largest real file known has 32,000 rules.
pub const LINES: usize = 50_000;

/// The reasons for a record about uses of content that says nothing about the query.
const OF_USES: &str = "speaks of uses of the content, not of fetching it";
const OF_OTHERS: &str = "says nothing about this usage here: it is about other usages, paths or crawlers";

/// A text, line by line.
#[derive(Serialize)]
pub struct Lines {
    lines: Vec<Line>,
    /// The number of lines beyond [`LINES`], which are not listed.
    lines_left_out: usize,
}

/// One line.
#[derive(Serialize)]
pub struct Line {
    /// From 1.
    line: u32,
    text: String,
    /// `blank`, the canonical key, `acap`, `unknown` or `malformed`.
    kind: &'static str,
    /// The number of its group in the text, from 0.
    group: Option<usize>,
    /// True if that group applies.
    answers: bool,
    /// The fate of a rule: `decides`, `beaten`, `overridden`, `contradicted`, `no-match`,
    /// `other-usage`, `other-group`, `none`; of a statement `decides`, `stands`, `beaten`.
    fate: Option<&'static str>,
    /// The fate in words.
    why: Option<String>,
    remarks: Vec<Remark>,
}

/// A finding of lint about a line.
#[derive(Clone, Serialize)]
pub struct Remark {
    severity: &'static str,
    code: &'static str,
    message: String,
}

/// The fate of a rule, from best to worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RuleFate {
    Matched(Fate),
    NoMatch,
    OtherUsage,
    OtherGroup,
}

impl RuleFate {
    fn name(self) -> &'static str {
        match self {
            RuleFate::Matched(fate) => fate_name(fate),
            RuleFate::NoMatch => "no-match",
            RuleFate::OtherUsage => "other-usage",
            RuleFate::OtherGroup => "other-group",
        }
    }
}

impl Lines {
    /// The lines of a tree. There is no evidence if the text has no rules. `statements` are those
    /// that were weighed.
    pub(crate) fn new<'s>(
        tree: &Tree<'s>,
        context: &CompileContext<'_, 's>,
        options: &Options,
        query: &Query,
        evidence: Option<&Evidence<'_>>,
        statements: &[StatementJson],
    ) -> Lines {
        let of_robots = |statement: &&StatementJson| {
            statement.carrier == Carrier::Robots.name() && statement.document.is_none()
        };
        let mut stated: HashMap<u32, &StatementJson> = HashMap::new();
        for statement in statements.iter().filter(of_robots) {
            // Those that decide are first.
            statement.line.map(|line| stated.entry(line).or_insert(statement));
        }
        let mut remarks = remarks(tree, context, options);
        let fates = evidence.map(|evidence| RuleFates { evidence, query }.all()).unwrap_or_default();
        let answering: Vec<u32> = evidence.map_or_else(Vec::new, |Evidence { policy, trace, .. }| {
            let groups = trace.groups.iter().map(|&group| &policy.groups[group]);
            groups.filter(|group| group.file == 0).map(|group| group.line).collect()
        });
        let mut groups = tree.groups.iter().enumerate().peekable();
        let line = |(index, line): (usize, &robomaton_grammar::Line)| {
            let number = tree.line_number(index);
            while groups.next_if(|(_, group)| group.end as usize <= index).is_some() {}
            // A record for the whole file is in no group, wherever it is.
            let of_file = matches!(line.kind, LineKind::Field(Key::Sitemap | Key::Host | Key::CleanParam));
            let group = groups.peek().filter(|(_, group)| group.start as usize <= index && !of_file);
            let of_group = |(_, group): &&(usize, &robomaton_grammar::Group)| {
                // Both groups and their lines are in ascending order.
                let next = answering.partition_point(|&line| line <= group.start);
                answering.get(next).is_some_and(|&line| line <= group.end)
            };
            let is_rule = matches!(line.kind, LineKind::Field(Key::Allow | Key::Disallow | Key::Noindex));
            let of_rule = fates.get(&number).map(|(fate, why)| (Some(fate.name()), Some(why.clone())));
            let of_statement =
                stated.get(&number).map(|stated| (Some(stated.fate), Some(stated.why.clone())));
            let (fate, why) = match of_statement.or(of_rule) {
                Some(told) => told,
                None if is_rule && evidence.is_some() => {
                    let why = "no rule: it is empty, or stands in no group that is read";
                    (Some("none"), Some(why.to_owned()))
                }
                None if is_preference(line.kind) && evidence.is_some() => {
                    let is_crawl = query.usage.eq_ignore_ascii_case("crawl");
                    (None, Some(if is_crawl { OF_USES } else { OF_OTHERS }.to_owned()))
                }
                None => (None, None),
            };
            let text = String::from_utf8_lossy(tree.text(line.span));
            Line {
                line: number,
                text: text.trim_end_matches(['\r', '\n']).to_owned(),
                kind: kind(line.kind),
                group: group.map(|(number, _)| *number),
                answers: group.as_ref().is_some_and(of_group),
                fate,
                why,
                remarks: remarks.remove(&index).unwrap_or_default(),
            }
        };
        Lines {
            lines: tree.lines.iter().enumerate().take(LINES).map(line).collect(),
            lines_left_out: tree.lines.len().saturating_sub(LINES),
        }
    }
}

/// Records about uses of content, from languages newer than ACAP.
fn is_preference(kind: LineKind) -> bool {
    matches!(kind, LineKind::Field(Key::ContentSignal | Key::ContentUsage | Key::License))
}

fn kind(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Blank => "blank",
        LineKind::Field(key) => key.lower_name(),
        LineKind::Acap => "acap",
        LineKind::Unknown => "unknown",
        LineKind::Malformed => "malformed",
    }
}

/// The findings of lint, by line index. A limit that the text exceeds is reported by the
/// explanation instead.
fn remarks<'s>(
    tree: &Tree<'s>,
    context: &CompileContext<'_, 's>,
    options: &Options,
) -> HashMap<usize, Vec<Remark>> {
    let mut remarks: HashMap<usize, Vec<Remark>> = HashMap::new();
    let findings = lint_tree(tree, context, options, STEPS).into_iter();
    for Finding { place, severity, code, message, .. } in
        findings.filter(|found| found.code != Code::OverLimit.name())
    {
        let line = (place.line as usize).min(tree.lines.len()).saturating_sub(1);
        remarks.entry(line).or_default().push(Remark { severity: severity.name(), code, message });
    }
    remarks
}

/// The rules of a text, and the trace.
struct RuleFates<'a> {
    evidence: &'a Evidence<'a>,
    query: &'a Query,
}

impl RuleFates<'_> {
    /// The fates of the rules of each line; of several on one line, the best.
    fn all(&self) -> HashMap<u32, (RuleFate, String)> {
        let Evidence { policy, trace, query } = *self.evidence;
        let found: HashMap<usize, &Match> = trace.matches.iter().map(|found| (found.rule, found)).collect();
        let mut fates: HashMap<u32, (RuleFate, String)> = HashMap::new();
        for (number, group) in policy.groups.iter().enumerate().filter(|(_, group)| group.file == 0) {
            let answers = addresses(policy, trace, query, number);
            for at in group.rules.clone() {
                let rule = &policy.rules[at];
                // The implied prohibition of a rule set has no line of its own.
                if rule.is_implied() {
                    continue;
                }
                let (fate, why) = match found.get(&at) {
                    Some(found) => (RuleFate::Matched(found.fate), self.why(found)),
                    None if !answers => (RuleFate::OtherGroup, "its group does not answer".to_owned()),
                    None if !speaks_of(&self.query.usage, policy.usage_name(rule.usage)) => {
                        let usage = policy.usage_name(rule.usage);
                        (RuleFate::OtherUsage, format!("speaks of {usage}, not of {}", self.query.usage))
                    }
                    None => (RuleFate::NoMatch, "does not match".to_owned()),
                };
                let best = fates.entry(rule.line).or_insert_with(|| (fate, why.clone()));
                if fate < best.0 {
                    *best = (fate, why);
                }
            }
        }
        fates
    }

    /// The reason why a matching rule decides or does not.
    fn why(&self, found: &Match) -> String {
        match found.fate {
            Fate::Decides => "matches and decides".to_owned(),
            Fate::Overridden => "matches, but a narrower field overrides it".to_owned(),
            Fate::Contradicted => {
                "matches, and is ignored: a field says the opposite on the very same pattern".to_owned()
            }
            Fate::Beaten if self.evidence.trace.robots_txt => {
                "matches, but /robots.txt itself needs no rule".to_owned()
            }
            Fate::Beaten => self.beaten(found),
        }
    }

    fn beaten(&self, loser: &Match) -> String {
        let Evidence { policy, trace, .. } = *self.evidence;
        let Some(winner) = trace.deciding().next().filter(|_| !policy.is_scoped()) else {
            if let Some(rival) = rival(trace, loser) {
                let line = policy.rules[rival].line;
                return format!(
                    "matches, but whether it or line {line} is narrower cannot be determined, so the prohibition holds"
                );
            }
            return "matches, and is beaten by what is narrower, or forbids as much".to_owned();
        };
        let [first, second] = [winner, loser].map(|found| &policy.rules[found.rule]);
        let (line, length) = (first.line, |found: &Match| found.priority >> 1);
        if policy.profile == Profile::Koster {
            format!("matches, but line {line} stands before it")
        } else if first.is_weighed_by_form() || second.is_weighed_by_form() {
            format!(
                "matches, but line {line} goes first: explicit Allow, then Disallow, then Allow with wildcards"
            )
        } else if length(loser) < length(winner) {
            let (own, other) = (length(loser), length(winner));
            format!("matches, but is shorter: {own} bytes, line {line} has {other}")
        } else if first.sense != second.sense && first.sense == Sense::Permit {
            format!("matches, and is as long as line {line}, but of equal length the permission wins")
        } else {
            format!("matches, and says the same as line {line}")
        }
    }
}
