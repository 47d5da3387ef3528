//! Findings about the meaning of a text: rules that never decide, undefined names, values without
//! effect.
//!
//! The grammar checks the syntax (`robomaton_grammar::diagnose`). This pass examines tree and
//! policy after `lower`, and `robomaton lint` prints both. LINTS.md has an entry for each code.
//! Invariants: every finding can be proved, except the two guesses of `agents`; time is
//! near-linear, except for pairs of patterns, which are limited by [`STEPS`]; findings do not
//! depend on hash order. This module decides nothing: `precedence` and `scope` decide who wins.
//!
//! ```
//! use robomaton_compiler::lint::{Code, lint};
//! use robomaton_compiler::{Options, CompileContext};
//! use robomaton_grammar::{DEFAULT_LIMIT, scan};
//!
//! let tree = scan(b"User-agent: *\nDisallow: /a\nAllow: /a\n", DEFAULT_LIMIT);
//! let report = lint(&tree, &CompileContext::default(), &Options::default());
//! assert_eq!(report.findings[0].code, Code::SupersededRule);
//! ```

mod acap;
mod agents;
mod code;
mod contradicted;
mod cover;
mod directives;
mod extended;
mod fields;
mod finding;
mod first_match;
mod pages;
mod patterns;
mod placement;
mod records;
mod rules;
mod statements;
mod used;

pub use code::Code;
pub use finding::PageFinding;
pub use pages::lint_pages;

use crate::Options;
use crate::context::CompileContext;
use crate::language::{self, Lints};
use crate::limits::OverLimit;
use crate::lower::lower_with;
use crate::policy::{Policy, Rule};
use robomaton_formats::Profile;
use robomaton_grammar::{Diagnostic, Key, LineKind, Span, Tree, diagnose};
use std::collections::HashSet;

/// The maximum number of symbols compared in pairs of patterns of one text: a tenth of a second. If
/// it does not suffice, this is reported ([`Code::UncheckedPairs`]).
pub const STEPS: usize = 1 << 24;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The subject.
    pub code: Code,
    /// The place.
    pub span: Span,
    /// The problem in one sentence without a full stop.
    pub message: String,
    /// Another place that explains this one, and the reason.
    pub second: Option<(Span, String)>,
}

/// All findings about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In text order.
    pub findings: Vec<Finding>,
    /// The grammar's findings about the form of lines.
    pub syntax: Vec<Diagnostic>,
    /// Findings about the pages compiled with the text, page by page.
    pub pages: Vec<PageFinding>,
    /// The limit that the text exceeds. Then it has no rules, and there are no findings about them.
    pub over: Option<OverLimit>,
    /// The line of the first statement about a use that is unread since it exceeds a limit.
    pub unread: Option<u32>,
    /// The text is not a robots.txt, so findings about its lines would be pointless.
    pub is_something_else: bool,
}

/// All findings about the meaning of a tree and its context.
pub fn lint<'s>(tree: &Tree<'s>, context: &CompileContext<'_, 's>, options: &Options) -> Report {
    lint_within(tree, context, options, STEPS)
}

/// Like [`lint`], with another limit instead of [`STEPS`].
pub fn lint_within<'s>(
    tree: &Tree<'s>,
    context: &CompileContext<'_, 's>,
    options: &Options,
    steps: usize,
) -> Report {
    let wants = |lints| language::wants(options.profile, lints);
    let kinds = [Lints::Pages, Lints::Directives].map(wants);
    let pages = pages::lint(context.pages, kinds);
    let mut pass = Pass { tree, profile: options.profile, found: Vec::new(), steps, unchecked: None };
    records::text(&mut pass);
    if !pass.found.is_empty() {
        return Report { findings: pass.found, pages, is_something_else: true, ..Report::default() };
    }
    records::lint(&mut pass);
    records::languages(options.profile, &mut pass);
    records::visit_times(&mut pass);
    patterns::noindex(&mut pass);
    if wants(Lints::Conventional) {
        patterns::lines(&mut pass);
        agents::lint(&mut pass);
    }
    if wants(Lints::FirstMatch) {
        first_match::outside_records(&mut pass);
    }
    if wants(Lints::Preferences) {
        statements::lint(&mut pass);
        placement::lint(&mut pass);
    }
    if wants(Lints::Fields) {
        acap::lint(context, options, &mut pass);
    }
    if wants(Lints::Versions) {
        extended::lint(&mut pass);
    }
    // Restricting the crawlers would hide some groups.
    let every_crawler = Options { crawlers: Vec::new(), ..options.clone() };
    let (over, unread) = match lower_with(tree, context, &every_crawler) {
        Ok(policy) => {
            lint_policy(&policy, context, &mut pass);
            (None, statements::unread(&policy, options))
        }
        Err(over) => (Some(over), None),
    };
    if let Some(place) = pass.unchecked {
        let message = "this file has too many rules to compare each with each; some remarks may be missing";
        pass.say(Code::UncheckedPairs, place, message);
    }
    pass.found.sort_by_key(|finding| (finding.span.start, finding.code));
    let syntax = syntax(tree, options.profile);
    Report { findings: pass.found, syntax, pages, over, unread, is_something_else: false }
}

/// Adds the findings about the rules of a policy, weighed against each other.
fn lint_policy(policy: &Policy<'_>, context: &CompileContext<'_, '_>, pass: &mut Pass<'_, '_>) {
    let wants = |lints| language::wants(policy.profile, lints);
    rules::robots_txt(policy, pass);
    if wants(Lints::Conventional) {
        rules::lint(policy, pass);
    }
    if wants(Lints::FirstMatch) {
        first_match::lint(policy, pass);
    }
    if wants(Lints::Fields) {
        fields::lint(policy, pass);
        used::lint(policy, context.origin, pass);
    }
    if wants(Lints::Versions) {
        extended::answers(policy, pass);
    }
}

/// All findings about the form of a tree's lines, except for keys that a language of the profile
/// reads.
fn syntax(tree: &Tree<'_>, profile: Profile) -> Vec<Diagnostic> {
    let mut diagnostics = diagnose(tree);
    let read: HashSet<Span> = tree
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Unknown && language::reader(profile, tree, line).is_some())
        .map(|line| line.key)
        .collect();
    diagnostics
        .retain(|found| found.code != robomaton_grammar::Code::UnknownKey || !read.contains(&found.span));
    diagnostics
}

/// State shared by the passes.
struct Pass<'t, 's> {
    tree: &'t Tree<'s>,
    profile: Profile,
    found: Vec<Finding>,
    /// The remaining steps.
    steps: usize,
    /// The first place for which they did not suffice.
    unchecked: Option<Span>,
}

impl Pass<'_, '_> {
    fn say(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.found.push(Finding { code, span, message: message.into(), second: None });
    }

    fn say_with(&mut self, code: Code, span: Span, message: impl Into<String>, second: Span, why: &str) {
        let second = Some((second, why.to_owned()));
        self.found.push(Finding { code, span, message: message.into(), second });
    }

    /// True if the line with this index is no rule, but ends a list of user-agents like one.
    fn closes(&self, line: usize) -> bool {
        let language = language::reader(self.profile, self.tree, &self.tree.lines[line]);
        language.is_some_and(|language| language.closes_agents())
    }

    /// Subtracts steps from the remaining ones; `None` if they do not suffice.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        Some(())
    }

    /// The value on the line with this number, or the key if it has no value.
    fn value(&self, number: u32) -> Span {
        let line = self.tree.lines.get(number as usize - 1);
        line.map_or(Span::default(), |line| if line.value.is_empty() { line.key } else { line.value })
    }

    /// True if a rule is written on its line, and was not added for the group.
    fn is_written(&self, rule: &Rule<'_>) -> bool {
        self.kind(rule.line) != Some(LineKind::Field(Key::UserAgent))
    }

    /// The kind of the line with this number.
    fn kind(&self, number: u32) -> Option<LineKind> {
        Some(self.tree.lines.get(number as usize - 1)?.kind)
    }
}

/// A piece of the source for a message: printable and of bounded length.
fn quote(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    match text.get(..LONGEST) {
        Some(start) if text.len() > LONGEST => format!("`{}...`", start.escape_ascii()),
        _ => format!("`{}`", text.escape_ascii()),
    }
}

#[cfg(test)]
mod tests;
