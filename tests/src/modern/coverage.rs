//! Counts of what occurs in random answers, for tests that must cover all of it.
//!
//! [`CLAIMS`] lists everything that the generator claims to reach; [`Coverage::add`] counts one
//! answer. Invariant: what is counted is read off the answer and the sources, not off the
//! generator. This file does not know which answers are right.

use super::{Answer, Effect, Profile, Question, Site, Statement, Verdict, answer};
use std::collections::BTreeMap;

/// Names of the counts that must not stay at 0 in some ten thousand answers.
pub const CLAIMS: [&str; 82] = [
    "aipref allow",
    "aipref refuse",
    "aipref unset",
    "content-signals allow",
    "content-signals refuse",
    "content-signals unset",
    "ai-training allow",
    "ai-training refuse",
    "noindex refuse",
    "control-token allow",
    "control-token refuse",
    "rsl allow",
    "rsl refuse",
    "rsl condition",
    "rsl unread",
    "tdmrep allow",
    "tdmrep refuse",
    "tdmrep condition",
    "tdmrep unset",
    "ai-txt allow",
    "ai-txt refuse",
    "robots-meta refuse",
    "robots-meta condition",
    "aipref in robots",
    "aipref in header",
    "content-signals in robots",
    "content-signals in header",
    "tdmrep in tdmrep",
    "tdmrep in header",
    "tdmrep in page",
    "robots-meta in header",
    "robots-meta in page",
    "tie of aipref",
    "tie of content-signals",
    "tie of ai-training",
    "shadow of aipref",
    "shadow of content-signals",
    "fallback of content-signals",
    "fallback of rsl",
    "floating aipref",
    "floating content-signals",
    "floating rsl",
    "license of a page",
    "refusal by prohibits",
    "refusal by closure",
    "refusal by user or place",
    "alternatives",
    "conditions of several languages",
    "allowed",
    "disallowed",
    "conditional",
    "unknown",
    "incomplete",
    "incomplete with conditions",
    "refusal beside an unread statement",
    "refusal beside a permission",
    "refusal beside a condition",
    "condition beside a permission",
    "unread beside a permission",
    "several languages",
    "allowed by silence",
    "refused through a child",
    "incomplete through a child",
    "crawl disallowed",
    "refusal on a disallowed path",
    "permission on a disallowed path",
    "signal withdrawn on a disallowed path",
    "header of aipref on a disallowed path",
    "own group",
    "own group without statements",
    "list of agents closed by content-usage",
    "unreachable robots.txt",
    "missing robots.txt",
    "profile rfc9309",
    "stale license",
    "crawl",
    "crawl decided by a line",
    "token of a vendor",
    "token of a policy",
    "usage all",
    "usage tdm",
    "usage present",
];

/// The counts.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<String, usize>);

impl Coverage {
    /// The number of answers with this property.
    pub fn count(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The claims with their counts, one a line.
    pub fn table(&self) -> String {
        CLAIMS.iter().map(|name| format!("{:>8} {name}\n", self.count(name))).collect()
    }

    fn note(&mut self, name: impl Into<String>, occurs: bool) {
        if occurs {
            *self.0.entry(name.into()).or_default() += 1;
        }
    }

    /// Counts an answer of the oracle.
    pub fn add(&mut self, site: &Site, question: &Question, found: &Answer) {
        let text = site.robots.as_deref().unwrap_or_default();
        let lines = lines(text);
        self.note(found.verdict.name(), true);
        self.note("unreachable robots.txt", site.robots_status >= 500);
        self.note("missing robots.txt", (400..500).contains(&site.robots_status));
        self.note("profile rfc9309", site.profile == Profile::Rfc9309);
        self.note("crawl disallowed", found.crawl == Verdict::Disallowed);
        if question.usage == "crawl" {
            self.note("crawl", true);
            self.note("crawl decided by a line", found.line.is_some());
            let other = Site { profile: Profile::Rfc9309, ..site.clone() };
            self.note(
                "list of agents closed by content-usage",
                answer(&other, question).verdict != found.verdict,
            );
            return;
        }
        for usage in ["all", "tdm", "present"] {
            self.note(format!("usage {usage}"), question.usage == usage);
        }
        for statement in &found.statements {
            self.statement(statement, found, &lines);
        }
        self.conflicts(found);
        self.crossings(site, question, found, &lines);
    }

    fn statement(&mut self, statement: &Statement, found: &Answer, lines: &[String]) {
        let Statement { language, carrier, line, effect, .. } = statement;
        self.note(format!("{language} {}", effect.name()), true);
        self.note(format!("{language} in {carrier}"), true);
        let of_robots = |line: &u32| *carrier != "ai-txt" && *line > 0;
        if let Some(line) = line.filter(|line| of_robots(line)) {
            let before = &lines[..(line as usize - 1).min(lines.len())];
            let is_leading = !before.iter().any(|line| is_agent(line));
            self.note(format!("fallback of {language}"), is_leading);
            let gap = before.iter().rev().take_while(|line| !is_agent(line)).any(|line| line.is_empty());
            self.note(format!("floating {language}"), gap && !is_leading);
        }
        self.note(format!("shadow of {language}"), statement.shadows && *effect == Effect::Unset);
        self.note("license of a page", *language == "rsl" && line.is_none());
        let of_license = *language == "rsl" && *effect == Effect::Refuse;
        let reason = statement.reason.unwrap_or("user or place");
        self.note(format!("refusal by {reason}"), of_license);
        let offers = |text: &String| text.starts_with("one-of=");
        self.note("alternatives", matches!(effect, Effect::Condition(texts) if texts.iter().any(offers)));
        if found.crawl == Verdict::Disallowed {
            let (withdrawn, header) = ("content-signals", "aipref");
            self.note("refusal on a disallowed path", *effect == Effect::Refuse);
            self.note("permission on a disallowed path", *effect == Effect::Allow);
            self.note(
                "signal withdrawn on a disallowed path",
                *language == withdrawn && *carrier == "robots" && *effect == Effect::Unset,
            );
            self.note(
                "header of aipref on a disallowed path",
                *language == header && *carrier == "header" && *effect != Effect::Unset,
            );
        }
    }

    /// Statements of one answer that differ.
    fn conflicts(&mut self, found: &Answer) {
        let statements = &found.statements;
        let has = |name: &str| statements.iter().any(|statement| statement.effect.name() == name);
        self.note("incomplete", found.incomplete);
        self.note("incomplete with conditions", found.incomplete && !found.conditions.is_empty());
        self.note("refusal beside an unread statement", has("refuse") && has("unread"));
        self.note("refusal beside a permission", has("refuse") && has("allow"));
        self.note("refusal beside a condition", has("refuse") && has("condition"));
        let (no, open) = (has("refuse"), has("unread"));
        self.note("condition beside a permission", !no && !open && has("condition") && has("allow"));
        self.note("unread beside a permission", !no && open && has("allow"));
        let mut languages: Vec<&str> = statements.iter().map(|statement| statement.language).collect();
        languages.dedup();
        self.note("several languages", languages.len() > 2);
        let conditional = |statement: &&Statement| matches!(statement.effect, Effect::Condition(_));
        let mut languages: Vec<&str> =
            statements.iter().filter(conditional).map(|statement| statement.language).collect();
        languages.dedup();
        self.note("conditions of several languages", languages.len() > 1);
        for language in ["aipref", "content-signals", "ai-training"] {
            let of = statements.iter().filter(|s| s.language == language && s.carrier == "robots");
            let mut effects: Vec<(&str, Option<u32>)> = of.map(|s| (s.effect.name(), s.line)).collect();
            effects.dedup();
            let differ = effects
                .iter()
                .any(|(effect, line)| effects.iter().any(|(other, place)| effect != other && line != place));
            self.note(format!("tie of {language}"), differ);
        }
    }

    /// How the sources and the question meet.
    fn crossings(&mut self, site: &Site, question: &Question, found: &Answer, lines: &[String]) {
        let own = |usage: &str| answer(site, &Question { usage: usage.to_owned(), ..question.clone() });
        for usage in super::children(&question.usage) {
            let child = own(usage);
            let of_child = |statement: &Statement| !child.statements.iter().any(|s| same(s, statement));
            let deciding = found.statements.iter().filter(|statement| statement.decides);
            let all_of_child = deciding.clone().count() > 0 && !deciding.clone().any(of_child);
            self.note("refused through a child", found.verdict == Verdict::Disallowed && all_of_child);
            self.note("incomplete through a child", found.incomplete && all_of_child);
        }
        let is_silent = !found.statements.iter().any(|statement| statement.decides);
        self.note("allowed by silence", found.verdict == Verdict::Allowed && is_silent);
        let names = |line: &String| {
            let value = line.split_once(':').map(|(_, value)| value.trim().to_ascii_lowercase());
            is_agent(line)
                && value.as_deref().is_some_and(|value| question.agents[0].eq_ignore_ascii_case(value))
        };
        let has_group = site.robots_status == 200 && lines.iter().any(names);
        self.note("own group", has_group);
        self.note("own group without statements", has_group && found.statements.is_empty());
        let is_late = question.now.is_some_and(|now| now > site.fetched + 30 * 86_400);
        let unread = |statement: &Statement| statement.effect == Effect::Unread;
        if is_late && found.statements.iter().any(unread) {
            let fresh = answer(site, &Question { now: None, ..question.clone() });
            self.note("stale license", !fresh.statements.iter().any(unread));
        }
        let is_token = |statement: &Statement| statement.language == "control-token";
        if let Some(statement) = found.statements.iter().find(|statement| is_token(statement)) {
            let without = Site { tokens: Default::default(), ..site.clone() };
            let still = answer(&without, question).statements.iter().any(|s| same(s, statement));
            self.note("token of a vendor", still);
            self.note("token of a policy", !still);
        }
    }
}

fn same(one: &Statement, other: &Statement) -> bool {
    *one == Statement { decides: one.decides, ..other.clone() }
}

fn is_agent(line: &str) -> bool {
    line.to_ascii_lowercase().starts_with("user-agent")
}

/// The lines of a robots.txt.
fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n").replace('\r', "\n");
    text.lines().map(str::to_owned).collect()
}
