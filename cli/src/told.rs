//! A verdict as JSON tells it: the keys that `query`, `explain` and `page` share.
//!
//! `verdict` is the answer to act on, in which what a missing file might forbid is disallowed; `decision` is what the
//! files at hand say. It weighs nothing.

use robomaton_runtime::{Basis, Condition, Role, Rule, Verdict};
use serde::Serialize;

/// A verdict; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub(crate) struct Told {
    pub(crate) verdict: &'static str,
    pub(crate) decision: &'static str,
    pub(crate) incomplete: bool,
    /// In canonical spelling.
    pub(crate) conditions: Vec<String>,
    typed_conditions: Vec<Condition>,
    /// The first of the rules.
    rule: Option<String>,
    pub(crate) line: Option<u32>,
    /// Every rule that decides.
    pub(crate) rules: Vec<Line>,
    /// What the fields of ACAP alone say, and the conventional rules alone; null where they are silent.
    pub(crate) fields: Option<&'static str>,
    pub(crate) conventional: Option<&'static str>,
}

/// A rule and where it stands.
#[derive(Clone, Serialize)]
pub(crate) struct Line {
    pub(crate) line: u32,
    /// The file that it stands in, where the robots.txt refers to one.
    pub(crate) file: Option<String>,
    /// The path of the page that it stands in, as rules match it.
    pub(crate) page: Option<String>,
    pub(crate) rule: String,
}

/// The page that a rule stands in: of it, and of no other, it speaks.
pub(crate) fn page_of(role: Role, pattern: &[u8]) -> Option<String> {
    let of_page = matches!(role, Role::Element | Role::Page | Role::PageConventional);
    let path = pattern.strip_suffix(b"$").unwrap_or(pattern);
    of_page.then(|| String::from_utf8_lossy(path).into_owned())
}

impl From<&Rule> for Line {
    fn from(rule: &Rule) -> Line {
        let file = rule.file.as_ref().map(|(_, name)| name.clone());
        Line { line: rule.line, file, page: page_of(rule.role, &rule.pattern), rule: rule.to_string() }
    }
}

impl Told {
    pub(crate) fn new(verdict: &Verdict<'_>) -> Told {
        let account = verdict.account();
        let conditions = verdict.conditional().map(|all| all.conditions).unwrap_or_default();
        // Where rules are ranked there are no others.
        let ranked = Some(verdict.decision()).filter(|_| matches!(verdict.basis(), Basis::Rule));
        let rules: Vec<Line> = account.rules.iter().map(Line::from).collect();
        Told {
            verdict: verdict.safe_decision().name(),
            decision: verdict.decision().name(),
            incomplete: verdict.is_incomplete(),
            conditions: conditions.iter().map(Condition::to_string).collect(),
            typed_conditions: conditions,
            rule: rules.first().map(|rule| rule.rule.clone()),
            line: rules.first().map(|rule| rule.line),
            rules,
            fields: account.fields.map(|decision| decision.name()),
            conventional: account.conventional.or(ranked).map(|decision| decision.name()),
        }
    }
}
