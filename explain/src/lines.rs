//! A text line by line: which group each belongs to, and what became of each rule.
//!
//! What the tester draws. Every line of the text is told, the rules that do not match as well, each with the reason why it
//! does not decide. Reads the tree for what a line is, the trace for what became of it, and lint for what is odd about
//! it; weighs nothing.

use crate::explain::OfText;
use crate::story::{addresses, fate_of};
use robomaton_compiler::lint::lint;
use robomaton_compiler::trace::{Fate, Match, Trace};
use robomaton_compiler::{Options, Policy, Sense, Surroundings};
use robomaton_formats::policy::is_special;
use robomaton_grammar::{Key, LineKind, Severity, Span, Tree, scan};
use robomaton_runtime::Profile;
use serde::Serialize;
use std::collections::HashMap;

/// Lines that are told. The largest real file known has 32,000 rules.
pub const LINES: usize = 50_000;

/// What is told of a record that no verdict depends on.
const UNWEIGHED: &str = "kept, not weighed: no verdict depends on this record";

/// A text, line by line.
#[derive(Serialize)]
pub struct Lines {
    lines: Vec<Line>,
    /// Lines beyond [`LINES`], which are not told.
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
    /// Whether that group answers.
    answers: bool,
    /// Of a rule, what became of it: `decides`, `beaten`, `overridden`, `contradicted`, `no-match`, `other-usage`,
    /// `other-group`, `none`.
    fate: Option<&'static str>,
    /// In words.
    why: Option<String>,
    remarks: Vec<Remark>,
}

/// What lint says of a line.
#[derive(Clone, Serialize)]
pub struct Remark {
    severity: &'static str,
    code: &'static str,
    message: String,
}

/// What became of a rule, the better first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Became {
    Matched(Fate),
    NoMatch,
    OtherUsage,
    OtherGroup,
}

impl Became {
    fn name(self) -> &'static str {
        match self {
            Became::Matched(fate) => fate_of(fate),
            Became::NoMatch => "no-match",
            Became::OtherUsage => "other-usage",
            Became::OtherGroup => "other-group",
        }
    }
}

impl Lines {
    pub(crate) fn new<'s>(
        tree: &Tree<'s>,
        around: &Surroundings<'_, 's>,
        asked: &OfText<'_>,
        traced: Option<(&Policy<'_>, &Trace)>,
    ) -> Lines {
        let mut remarks = remarks(tree, around, asked.options);
        let fates =
            traced.map(|(policy, traced)| Rules { policy, traced, asked }.fates()).unwrap_or_default();
        let answering: Vec<u32> = traced.map_or_else(Vec::new, |(policy, traced)| {
            traced.groups.iter().map(|&group| policy.groups[group].line).collect()
        });
        let mut groups = tree.groups.iter().enumerate().peekable();
        let line = |(index, line): (usize, &robomaton_grammar::Line)| {
            let number = tree.line_number(index);
            while groups.next_if(|(_, group)| group.end as usize <= index).is_some() {}
            // What speaks for the whole file is of no group, wherever it stands.
            let of_file = matches!(line.kind, LineKind::Field(Key::Sitemap | Key::Host | Key::CleanParam));
            let group = groups.peek().filter(|(_, group)| group.start as usize <= index && !of_file);
            let of_group = |(_, group): &&(usize, &robomaton_grammar::Group)| {
                // Lines of groups ascend, as groups do.
                let next = answering.partition_point(|&line| line <= group.start);
                answering.get(next).is_some_and(|&line| line <= group.end)
            };
            let is_rule = matches!(line.kind, LineKind::Field(Key::Allow | Key::Disallow | Key::Noindex));
            let (fate, why) = match fates.get(&number) {
                Some((became, why)) => (Some(became.name()), Some(why.clone())),
                None if is_rule && traced.is_some() => {
                    let why = "no rule: it is empty, or stands in no group that is read";
                    (Some("none"), Some(why.to_owned()))
                }
                None if is_preference(line.kind) => (None, Some(UNWEIGHED.to_owned())),
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

/// Records about uses of content by languages that came after ACAP.
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

/// What lint says, by the index of the line.
fn remarks<'s>(
    tree: &Tree<'s>,
    around: &Surroundings<'_, 's>,
    options: &Options,
) -> HashMap<usize, Vec<Remark>> {
    let mut remarks: HashMap<usize, Vec<Remark>> = HashMap::new();
    for (span, severity, code, message) in findings(tree, around, options) {
        let line = tree.lines.partition_point(|line| line.span.end <= span.start);
        let line = line.min(tree.lines.len().saturating_sub(1));
        remarks.entry(line).or_default().push(Remark { severity: severity.name(), code, message });
    }
    remarks
}

/// A remark and the place that it is about.
type Found = (Span, Severity, &'static str, String);

/// What `lint` prints of a text: of its meaning, and of its syntax.
fn findings<'s>(tree: &Tree<'s>, around: &Surroundings<'_, 's>, options: &Options) -> Vec<Found> {
    let report = lint(tree, around, options);
    let meaning = report.findings.into_iter().map(|found| {
        let code = found.code;
        (found.span, code.severity(), code.name(), found.message)
    });
    let syntax = report.syntax.into_iter().map(|found| {
        let code = found.code;
        (found.span, code.severity(), code.name(), found.message)
    });
    meaning.chain(syntax).collect()
}

/// How many remarks `lint` has about a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Issues {
    /// Lines, or parts of them, that have no effect.
    pub errors: usize,
    /// Lines that crawlers will read differently.
    pub warnings: usize,
    /// All else that is worth knowing.
    pub notes: usize,
}

impl Issues {
    /// Of the text of a site with this host and port.
    pub fn of(text: &[u8], authority: &str, options: &Options) -> Issues {
        let tree = scan(text, options.limits.bytes(options.profile));
        let around = Surroundings { origin: Some(authority), ..Surroundings::default() };
        let mut issues = Issues::default();
        for (_, severity, ..) in findings(&tree, &around, options) {
            match severity {
                Severity::Error => issues.errors += 1,
                Severity::Warning => issues.warnings += 1,
                Severity::Note => issues.notes += 1,
            }
        }
        issues
    }
}

/// The rules of a text and what was traced.
struct Rules<'a> {
    policy: &'a Policy<'a>,
    traced: &'a Trace,
    asked: &'a OfText<'a>,
}

impl Rules<'_> {
    /// What became of the rules of each line; of several on one, the best.
    fn fates(&self) -> HashMap<u32, (Became, String)> {
        let Rules { policy, traced, asked } = self;
        let found: HashMap<usize, &Match> = traced.matches.iter().map(|found| (found.rule, found)).collect();
        let agents = asked.asker.agents();
        let question = asked.asker.asked(&agents, b"", false);
        let mut fates: HashMap<u32, (Became, String)> = HashMap::new();
        for (number, group) in policy.groups.iter().enumerate().filter(|(_, group)| group.file == 0) {
            let answers = addresses(policy, traced, &question, number);
            for at in group.rules.clone() {
                let rule = &policy.rules[at];
                // The prohibition of what a rule set does not list stands on no line of its own.
                if rule.is_implied() {
                    continue;
                }
                let (became, why) = match found.get(&at) {
                    Some(found) => (Became::Matched(found.fate), self.why(found)),
                    None if !answers => (Became::OtherGroup, "its group does not answer".to_owned()),
                    None if !self.is_of_usage(policy.usage_name(rule.usage)) => {
                        let usage = policy.usage_name(rule.usage);
                        (Became::OtherUsage, format!("speaks of {usage}, not of {}", asked.asker.usage))
                    }
                    None => (Became::NoMatch, "does not match".to_owned()),
                };
                let best = fates.entry(rule.line).or_insert_with(|| (became, why.clone()));
                if became < best.0 {
                    *best = (became, why);
                }
            }
        }
        fates
    }

    fn is_of_usage(&self, usage: &str) -> bool {
        let asked = &self.asked.asker.usage;
        usage.eq_ignore_ascii_case(asked) || usage == "other" || usage == "present" && is_special(asked)
    }

    /// Why a rule that matches decides or does not.
    fn why(&self, found: &Match) -> String {
        match found.fate {
            Fate::Decides => "matches and decides".to_owned(),
            Fate::Overridden => "matches, and is overridden by a field that is nearer".to_owned(),
            Fate::Contradicted => {
                "matches, and is ignored: a field says the opposite on the very same pattern".to_owned()
            }
            Fate::Beaten if self.traced.robots_txt => {
                "matches, but /robots.txt itself needs no rule".to_owned()
            }
            Fate::Beaten => self.beaten(found),
        }
    }

    fn beaten(&self, loser: &Match) -> String {
        let Rules { policy, traced, .. } = self;
        let Some(winner) = traced.deciding().next().filter(|_| !policy.is_scoped()) else {
            return "matches, and is beaten by what is narrower, or forbids as much".to_owned();
        };
        let [first, second] = [winner, loser].map(|found| &policy.rules[found.rule]);
        let (line, octets) = (first.line, |found: &Match| found.tag >> 1);
        if policy.profile == Profile::Koster {
            format!("matches, but line {line} stands before it")
        } else if first.is_weighed_by_form() || second.is_weighed_by_form() {
            format!(
                "matches, but line {line} goes first: explicit Allow, then Disallow, then Allow with wildcards"
            )
        } else if octets(loser) < octets(winner) {
            let (own, other) = (octets(loser), octets(winner));
            format!("matches, but is shorter: {own} octets, line {line} has {other}")
        } else if first.sense != second.sense && first.sense == Sense::Permit {
            format!("matches, and is as long as line {line}, but of equal length the permission wins")
        } else {
            format!("matches, and says the same as line {line}")
        }
    }
}
