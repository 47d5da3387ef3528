//! The reasons of one answer: deciding rules, statements and conditions, as texts that a handle
//! owns.
//!
//! It is made from the cold sections of the image once, and does not need the image afterwards.

use crate::abi::{RobomatonRule, RobomatonStatement, RobomatonString, RobomatonVerdict};
use robomaton_runtime::{DecidingRule, Decision, DetailCache, StatementAccount, Verdict};

/// The reasons of one answer.
pub(crate) struct Reasons {
    pub(crate) verdict: RobomatonVerdict,
    rules: Vec<Rule>,
    statements: Vec<Statement>,
    conditions: Vec<String>,
}

struct Rule {
    line: u32,
    permits: bool,
    rule: String,
    file: String,
    carrier: &'static str,
}

struct Statement {
    line: u32,
    decides: bool,
    language: &'static str,
    carrier: &'static str,
    usage: &'static str,
    document: String,
    text: String,
}

impl From<DecidingRule> for Rule {
    fn from(rule: DecidingRule) -> Rule {
        Rule {
            line: rule.line,
            permits: rule.permits,
            rule: rule.to_string(),
            carrier: if rule.role.is_of_page() { "page" } else { "robots" },
            file: rule.file.map(|(_, name)| name).unwrap_or_default(),
        }
    }
}

impl From<StatementAccount> for Statement {
    fn from(statement: StatementAccount) -> Statement {
        Statement {
            line: statement.line.unwrap_or_default(),
            decides: statement.decides,
            language: statement.language.name(),
            carrier: statement.carrier.name(),
            usage: statement.usage,
            document: statement.document.unwrap_or_default(),
            text: statement.text,
        }
    }
}

impl Reasons {
    pub(crate) fn new(verdict: Verdict<'_>) -> Reasons {
        let account = verdict.reasons(&mut DetailCache::default()).account;
        let is_conditional = verdict.decision() == Decision::Conditional;
        let conditions = if is_conditional { account.conditions() } else { Vec::new() };
        Reasons {
            verdict: verdict.into(),
            conditions: conditions.iter().map(ToString::to_string).collect(),
            rules: account.rules.into_iter().map(Rule::from).collect(),
            statements: account.statements.into_iter().map(Statement::from).collect(),
        }
    }

    /// A deciding rule, in file order.
    pub(crate) fn rule(&self, index: usize) -> Option<RobomatonRule> {
        self.rules.get(index).map(|rule| RobomatonRule {
            line: rule.line,
            permits: rule.permits.into(),
            rule: RobomatonString::of(&rule.rule),
            file: RobomatonString::of(&rule.file),
            carrier: RobomatonString::of(rule.carrier),
        })
    }

    /// A statement, those that decide first.
    pub(crate) fn statement(&self, index: usize) -> Option<RobomatonStatement> {
        self.statements.get(index).map(|statement| RobomatonStatement {
            line: statement.line,
            decides: statement.decides.into(),
            language: RobomatonString::of(statement.language),
            carrier: RobomatonString::of(statement.carrier),
            usage: RobomatonString::of(statement.usage),
            document: RobomatonString::of(&statement.document),
            text: RobomatonString::of(&statement.text),
        })
    }

    /// A condition, in canonical spelling.
    pub(crate) fn condition(&self, index: usize) -> Option<RobomatonString> {
        self.conditions.get(index).map(|condition| RobomatonString::of(condition))
    }
}
