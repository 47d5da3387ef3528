//! A verdict in JSON: the keys that `query`, `explain`, `page` and the service share.
//!
//! `verdict` is the answer to act on: a permission that something unread might take back is
//! disallowed. `decision` is the answer of what was read. Nothing is weighed here.

use crate::statements::StatementJson;
use crate::words::shown;
use robomaton_formats::agent::shown_name;
use robomaton_runtime::{
    Account, Basis, Choice, Condition, DecidingRule, Decision, DetailCache, Reasons, Request, Role,
    StatementAccount, Verdict,
};
use serde::Serialize;
use std::io::{self, Write};

/// A verdict; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub struct VerdictJson {
    /// The answer to act on.
    pub verdict: &'static str,
    /// The answer of what was read.
    pub decision: &'static str,
    /// True if a file, page or statement was not read, so that more may be refused.
    pub incomplete: bool,
    /// `named` if groups that name the crawler applied, `default`, or `nobody` if there is neither;
    /// null if no rules were consulted.
    pub choice: Option<&'static str>,
    /// The crawler's name by which the groups were found.
    pub name: Option<String>,
    /// The names under which groups were looked for, best first.
    pub looked_for: Vec<String>,
    /// In canonical spelling.
    pub conditions: Vec<String>,
    pub(crate) typed_conditions: Vec<Condition>,
    /// The first rule.
    pub(crate) rule: Option<String>,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// All deciding rules.
    pub rules: Vec<RuleLine>,
    /// The decision of the ACAP fields alone; null if they are silent.
    pub fields: Option<&'static str>,
    /// The decision of the conventional rules alone.
    pub conventional: Option<&'static str>,
    /// The language of the rule or statement that decides, or of the one that wins and states
    /// nothing.
    pub language: Option<&'static str>,
    /// Its place: `robots`, `header`, `page`, `tdmrep`, `rsl` or `ai-txt`.
    pub carrier: Option<&'static str>,
    /// For a usage other than `crawl`: whether the URL may be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawl: Option<&'static str>,
    /// For a usage other than `crawl`: every statement that matches, those that decide first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<StatementJson>,
    /// The requests of ACAP records to the crawler for this URL.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) requests: Vec<RequestJson>,
    /// The number of conditions, rules, statements and requests for which there is no room
    /// ([`VerdictJson::limited`]).
    #[serde(skip_serializing_if = "is_nothing")]
    pub left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_nothing(count: &usize) -> bool {
    *count == 0
}

/// A request of an ACAP record. No verdict depends on it.
#[derive(Clone, Serialize)]
pub(crate) struct RequestJson {
    /// `take-down` or `re-crawl`.
    pub(crate) action: String,
    /// The resource as written.
    pub(crate) path: String,
    line: u32,
    pub(crate) file: Option<String>,
}

impl From<Request> for RequestJson {
    fn from(request: Request) -> RequestJson {
        let Request { action, path, line, file } = request;
        RequestJson { action, path, line, file }
    }
}

impl RequestJson {
    /// Writes requests as text, one a line.
    pub(crate) fn write_all(requests: &[RequestJson], out: &mut impl Write) -> io::Result<()> {
        for (number, RequestJson { action, path, line, file }) in requests.iter().enumerate() {
            let label = if number == 0 { "requests" } else { "" };
            let of = file.as_ref().map_or(String::new(), |file| format!(" of {}", shown(file)));
            writeln!(out, "{label:<8} {action} of {} (line {line}{of})", shown(path))?;
        }
        Ok(())
    }
}

/// A rule and its place.
#[derive(Clone, Serialize)]
pub struct RuleLine {
    /// The line, from 1.
    pub line: u32,
    /// The file that contains it, if the robots.txt refers to one.
    pub file: Option<String>,
    /// The path of the page that contains it, as rules match it.
    pub page: Option<String>,
    /// The rule, in canonical spelling.
    pub rule: String,
}

/// The page that a rule comes from. The rule is about that page only.
pub(crate) fn page_of(role: Role, pattern: &[u8]) -> Option<String> {
    let path = pattern.strip_suffix(b"$").unwrap_or(pattern);
    role.is_of_page().then(|| String::from_utf8_lossy(path).into_owned())
}

/// A condition as people read it. One that no crawler can meet says so (decision 19).
pub fn condition_text(condition: &Condition) -> String {
    let text = condition.to_string();
    match condition {
        Condition::Unsupported { .. } => format!("{} (nobody can meet this condition)", shown(&text)),
        _ => shown(&text).into_owned(),
    }
}

/// The conditions of a conditional permission, sorted; empty for any other answer.
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
    /// The rule or statement that the answer names first.
    pub(crate) fn decider_text(&self) -> Option<String> {
        let is_first = |statement: &&StatementJson| {
            statement.line == self.line && Some(statement.language) == self.language
        };
        let statement = self.statements.iter().find(is_first);
        statement.map(|statement| statement.text.clone()).or_else(|| self.rule.clone())
    }

    /// True if a statement that could not be read decides.
    pub fn has_unread_statement(&self) -> bool {
        self.statements.iter().any(|statement| statement.fate == "decides" && statement.effect == "unread")
    }

    /// The verdict with everything that the image knows about it.
    pub fn new(verdict: &Verdict<'_>) -> VerdictJson {
        VerdictJson::cached(verdict, &mut DetailCache::default())
    }

    /// The same, for one of several answers of an image.
    pub fn cached<'i>(verdict: &Verdict<'i>, cache: &mut DetailCache<'i>) -> VerdictJson {
        let Reasons { account, choice, requests } = verdict.reasons(cache);
        VerdictJson::with(verdict, &account, choice.as_ref(), requests)
    }

    /// The same, with the reasons already known.
    pub(crate) fn with(
        verdict: &Verdict<'_>,
        account: &Account,
        choice: Option<&Choice>,
        requests: Vec<Request>,
    ) -> VerdictJson {
        let conditions = conditions(verdict, account);
        // Where rules are ranked, all of them are conventional.
        let ranked = Some(verdict.decision()).filter(|_| matches!(verdict.basis(), Basis::Rule));
        let rules: Vec<RuleLine> = account.rules.iter().map(RuleLine::from).collect();
        let decider = Decider::of(verdict, account);
        VerdictJson {
            verdict: verdict.safe_decision().name(),
            decision: verdict.decision().name(),
            incomplete: verdict.is_incomplete(),
            choice: choice.map(Choice::name),
            name: choice.and_then(|choice| match choice {
                Choice::Named(name) => Some(shown_name(name).to_owned()),
                Choice::Default | Choice::Nobody => None,
            }),
            looked_for: verdict.looked_for(),
            conditions: conditions.iter().map(Condition::to_string).collect(),
            typed_conditions: conditions,
            rule: rules.first().map(|rule| rule.rule.clone()),
            line: decider.line,
            rules,
            fields: account.fields.map(|decision| decision.name()),
            conventional: account.conventional.or(ranked).map(|decision| decision.name()),
            language: decider.language,
            carrier: decider.carrier,
            crawl: (!verdict.usage().is_crawl())
                .then(|| verdict.crawl())
                .flatten()
                .map(|crawl| crawl.safe_decision().name()),
            statements: StatementJson::all(account, verdict.decision()),
            requests: requests.into_iter().map(RequestJson::from).collect(),
            left_out: account.statements_left_out + account.rules_left_out,
        }
    }
}

/// The rule or statement that an answer names first.
#[derive(Default)]
struct Decider {
    line: Option<u32>,
    language: Option<&'static str>,
    carrier: Option<&'static str>,
}

impl Decider {
    /// A statement that decides, else a rule, else the statement that wins and states nothing.
    /// Where rules decide alone, a rule; where the outcome of the fetch disallows, nothing.
    fn of(verdict: &Verdict<'_>, account: &Account) -> Decider {
        let basis = verdict.basis();
        if matches!(basis, Basis::Outcome(_)) && verdict.decision() == Decision::Disallowed {
            return Decider::default();
        }
        let statement = account.statements.first().filter(|first| first.decides || first.loss.is_none());
        let of_statement = |statement: &StatementAccount| Decider {
            line: statement.line,
            language: Some(statement.language.name()),
            carrier: Some(statement.carrier.name()),
        };
        let of_rule = |rule: &DecidingRule| Decider {
            line: Some(rule.line),
            language: Some(rule.role.language()),
            carrier: Some(if rule.role.is_of_page() { "page" } else { "robots" }),
        };
        let is_of_rules = matches!(basis, Basis::Rule | Basis::Fields);
        let deciding = statement.filter(|found| found.decides && !is_of_rules).map(of_statement);
        let rule = || account.rules.first().map(of_rule);
        deciding.or_else(rule).or_else(|| statement.map(of_statement)).unwrap_or_default()
    }
}
