//! Puts the cases to an engine and says, readably, what it got wrong.
//!
//! Stands between [`mod@crate::case`] and the engines of [`crate::engines`]: the same questions for all of them, so a
//! case that one engine passes and another fails is a disagreement between engines. Invariant: every ask that
//! the filter lets through is asked, also after a failure.
//! It does not know how an engine reads a file, and holds no expectation of its own.

use crate::case::{Ask, Case};
use std::fmt;

/// What answers: one way from a text to a verdict.
pub trait Engine {
    /// How the engine is called in failures.
    fn name(&self) -> &str;
    /// Takes a file; what was loaded before is forgotten. `origin` is the site of the file, if it is known.
    fn load(&mut self, robots: &[u8], origin: Option<&str>, profile: &str);
    /// Answers for the loaded file: the crawler's tokens best first, a usage, an absolute URL.
    fn ask(&self, agents: &[&str], usage: &str, url: &str) -> Answer;
}

/// What an engine says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `allowed`, `disallowed` or `unknown`.
    pub verdict: String,
    /// The line of the deciding rule, from 1; 0 when no rule decided; `None` when the engine cannot tell.
    pub line: Option<u32>,
}

/// One ask that an engine answered otherwise than the case. Its text is meant to be read as it is.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The engine's name.
    pub engine: String,
    /// The case.
    pub case: Case,
    /// The ask.
    pub ask: Ask,
    /// What the engine said.
    pub answer: Answer,
}

/// Puts every case's asks that pass the filter to the engine.
pub fn run_suite(
    engine: &mut dyn Engine,
    cases: &[Case],
    filter: &dyn Fn(&Case, &Ask) -> bool,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for case in cases {
        let asks: Vec<&Ask> = case.asks.iter().filter(|ask| filter(case, ask)).collect();
        if asks.is_empty() {
            continue;
        }
        engine.load(&case.robots, Some(&case.origin), &case.profile);
        for ask in asks {
            let agents: Vec<&str> = ask.agents.iter().map(String::as_str).collect();
            let answer = engine.ask(&agents, &ask.usage, &ask.url);
            let line_differs =
                matches!((ask.line, answer.line), (Some(ours), Some(theirs)) if ours != theirs);
            if answer.verdict != ask.verdict || line_differs {
                let (engine, case, ask) = (engine.name().to_owned(), case.clone(), ask.clone());
                failures.push(Failure { engine, case, ask, answer });
            }
        }
    }
    failures
}

/// Panics with all failures written out, if there are any. `ran` names what ran.
///
/// # Panics
/// When there is a failure: that is its purpose.
#[track_caller]
pub fn assert_none(ran: &str, failures: &[Failure]) {
    if !failures.is_empty() {
        let texts: String = failures.iter().map(|failure| format!("\n{failure}")).collect();
        panic!("{ran}: {} answers differ from the cases\n{texts}", failures.len());
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { engine, case, ask, answer } = self;
        writeln!(f, "case {} ({}), which shows {}", case.name, case.file, case.rules.join(", "))?;
        if let Some(note) = &case.note {
            writeln!(f, "  note:     {note}")?;
        }
        writeln!(f, "  profile:  {}, the file is of {}", case.profile, case.origin)?;
        writeln!(f, "  question: may {} {} {}?", ask.agents.join(", else "), ask.usage, short(&ask.url))?;
        writeln!(f, "  expected: {}{}", ask.verdict, deciding(ask.line))?;
        writeln!(f, "  {engine} said: {}{}", answer.verdict, deciding(answer.line))?;
        let marks = [(ask.line, '+'), (answer.line, '-')];
        for (number, line) in numbered(&case.robots).into_iter().take(40) {
            let mark = |sign| if marks.contains(&(Some(number), sign)) { sign } else { ' ' };
            writeln!(f, "  {}{}{number:>4} | {}", mark('+'), mark('-'), short(&line))?;
        }
        Ok(())
    }
}

/// The lines of a file with their numbers, for a reader: odd octets escaped.
fn numbered(robots: &[u8]) -> Vec<(u32, String)> {
    let text = robots.escape_ascii().to_string();
    let text = text.replace("\\r\\n", "\n").replace("\\r", "\n").replace("\\n", "\n").replace("\\\"", "\"");
    (1..).zip(text.lines().map(str::to_owned)).collect()
}

fn deciding(line: Option<u32>) -> String {
    match line {
        None => String::new(),
        Some(0) => ", by no rule".to_owned(),
        Some(line) => format!(", by line {line}"),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((at, _)) => format!("{}... ({} octets)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}
