//! Statements and the answers that they add up to.
//!
//! Every language makes [`Statement`]s, and [`super::answer`] combines them to an [`Answer`]. This
//! file does not know how.

/// A verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Permitted without conditions.
    Allowed,
    /// Permitted under all conditions of the answer.
    Conditional,
    /// Forbidden.
    Disallowed,
    /// Nobody states anything.
    #[default]
    Unknown,
}

impl Verdict {
    /// `allowed`, `conditional`, `disallowed` or `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Allowed => "allowed",
            Verdict::Conditional => "conditional",
            Verdict::Disallowed => "disallowed",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What a statement says about a usage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It permits.
    Allow,
    /// It forbids.
    Refuse,
    /// It permits under conditions, all to be met.
    Condition(Vec<String>),
    /// It decides within its language, and neither permits nor forbids.
    Unset,
    /// It could not be read.
    Unread,
}

impl Effect {
    pub(super) fn of(permits: bool) -> Effect {
        if permits { Effect::Allow } else { Effect::Refuse }
    }

    /// `allow`, `refuse`, `condition`, `unset` or `unread`.
    pub fn name(&self) -> &'static str {
        match self {
            Effect::Allow => "allow",
            Effect::Refuse => "refuse",
            Effect::Condition(_) => "condition",
            Effect::Unset => "unset",
            Effect::Unread => "unread",
        }
    }
}

/// A statement that was weighed: one that matches, and that its own language does not override.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// `aipref`, `content-signals`, `ai-training`, `noindex`, `control-token`, `rsl`, `tdmrep`,
    /// `ai-txt`, `robots-meta`; `rep` for crawling.
    pub language: &'static str,
    /// `robots`, `header`, `page`, `tdmrep`, `rsl` or `ai-txt`. A license has `rsl`, whoever names
    /// it.
    pub carrier: &'static str,
    /// The line of robots.txt or ai.txt, from 1; for a license that of its `License` record.
    pub line: Option<u32>,
    /// The rule of tdmrep.json or the `content` of a license document, from 1.
    pub rule: Option<u32>,
    /// What it says.
    pub effect: Effect,
    /// Why a license document refuses: `prohibits`, `closure`, or `None` for its users and places.
    pub reason: Option<&'static str>,
    /// Shorter rules of the same language match, too.
    pub shadows: bool,
    /// It has a share in the verdict.
    pub decides: bool,
}

impl Statement {
    pub(super) fn new(language: &'static str, carrier: &'static str, effect: Effect) -> Statement {
        let (shadows, decides) = (false, false);
        Statement { language, carrier, line: None, rule: None, effect, reason: None, shadows, decides }
    }

    pub(super) fn at(self, line: u32) -> Statement {
        Statement { line: Some(line), ..self }
    }

    pub(super) fn of_rule(self, rule: u32) -> Statement {
        Statement { rule: Some(rule), ..self }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Something that could not be read keeps the verdict from being known.
    pub incomplete: bool,
    /// The conditions as `name=value`, sorted, without duplicates.
    pub conditions: Vec<String>,
    /// The verdict for crawling the same URL.
    pub crawl: Verdict,
    /// Every statement that was weighed; those that decide come first.
    pub statements: Vec<Statement>,
    /// The line of the first deciding statement.
    pub line: Option<u32>,
    /// Its language.
    pub language: Option<&'static str>,
    /// Its carrier.
    pub carrier: Option<&'static str>,
}
