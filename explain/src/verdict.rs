//! A verdict in JSON: the keys that `query`, `explain`, `page` and the service share.
//!
//! `verdict` is the answer to act on: what a missing file might forbid is disallowed. `decision` is
//! what the files at hand say. Nothing is weighed here.

use robomaton_runtime::{Account, Basis, Choice, Condition, DecidingRule, Decision, Role, Verdict};
use serde::Serialize;

/// A verdict; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub struct VerdictJson {
    /// The answer to act on.
    pub verdict: &'static str,
    /// What the files at hand say.
    pub decision: &'static str,
    /// Whether a file that speaks to the crawler is missing.
    pub incomplete: bool,
    /// `named` where groups that name the crawler answered, `default`, or `nobody` where there is
    /// neither; null when no rules were asked.
    pub choice: Option<&'static str>,
    /// The crawler's name by which the groups were found.
    pub name: Option<String>,
    /// The names that groups were looked for by, best first.
    pub looked_for: Vec<String>,
    /// In canonical spelling.
    pub conditions: Vec<String>,
    typed_conditions: Vec<Condition>,
    /// The first of the rules.
    rule: Option<String>,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// Every rule that decides.
    pub rules: Vec<RuleLine>,
    /// What the fields of ACAP alone say; null where they are silent.
    pub fields: Option<&'static str>,
    /// What the conventional rules alone say.
    pub conventional: Option<&'static str>,
}

/// A rule and where it stands.
#[derive(Clone, Serialize)]
pub struct RuleLine {
    /// The line, from 1.
    pub line: u32,
    /// The file that it stands in, where the robots.txt refers to one.
    pub file: Option<String>,
    /// The path of the page that it stands in, as rules match it.
    pub page: Option<String>,
    /// The rule, in canonical spelling.
    pub rule: String,
}

/// The page that a rule stands in. The rule speaks of that page only.
pub(crate) fn page_of(role: Role, pattern: &[u8]) -> Option<String> {
    let path = pattern.strip_suffix(b"$").unwrap_or(pattern);
    role.is_of_page().then(|| String::from_utf8_lossy(path).into_owned())
}

/// The conditions of a conditional permission, sorted; none of any other answer.
pub(crate) fn conditions(verdict: &Verdict<'_>, account: &Account) -> Vec<Condition> {
    if verdict.decision() == Decision::Conditional { account.conditions() } else { Vec::new() }
}

impl From<&DecidingRule> for RuleLine {
    fn from(rule: &DecidingRule) -> RuleLine {
        let file = rule.file.as_ref().map(|(_, name)| name.clone());
        RuleLine { line: rule.line, file, page: page_of(rule.role, &rule.pattern), rule: rule.to_string() }
    }
}

impl VerdictJson {
    /// The verdict with everything that the image knows about it.
    pub fn new(verdict: &Verdict<'_>) -> VerdictJson {
        VerdictJson::with(verdict, &verdict.account(), verdict.choice().as_ref())
    }

    /// The same, when account and choice are known.
    pub(crate) fn with(verdict: &Verdict<'_>, account: &Account, choice: Option<&Choice>) -> VerdictJson {
        let conditions = conditions(verdict, account);
        // Where rules are ranked, there are no other rules than the conventional ones.
        let ranked = Some(verdict.decision()).filter(|_| matches!(verdict.basis(), Basis::Rule));
        let rules: Vec<RuleLine> = account.rules.iter().map(RuleLine::from).collect();
        VerdictJson {
            verdict: verdict.safe_decision().name(),
            decision: verdict.decision().name(),
            incomplete: verdict.is_incomplete(),
            choice: choice.map(Choice::name),
            name: choice.and_then(|choice| match choice {
                Choice::Named(name) => Some(name.clone()),
                Choice::Default | Choice::Nobody => None,
            }),
            looked_for: verdict.looked_for(),
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
