//! Runs the cases on an engine and reports its failures readably.
//!
//! Connects [`mod@crate::case`] with the engines of [`crate::engines`]. All engines get the same
//! queries, so a case that one engine passes and another fails is a disagreement between engines.
//! Invariant: every query that the filter accepts is run, even after a failure. This file does not
//! know how an engine reads a file, and holds no expectations of its own.

use crate::case::{Ask, Case, Page};
use std::collections::BTreeMap;
use std::fmt;

/// An engine: one way from a text to a verdict.
pub trait Engine {
    /// The name of the engine in failures.
    fn name(&self) -> &str;
    /// Loads a file, replacing the previous one.
    fn load(&mut self, text: &Text<'_>);
    /// Answers a query about the loaded file.
    fn ask(&self, question: &Question<'_>) -> Answer;
}

/// A file with its context.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The bytes of the file.
    pub robots: &'a [u8],
    /// The site of the file, if it is known.
    pub origin: Option<&'a str>,
    /// The profile's name.
    pub profile: &'a str,
    /// `robots.txt` or `data.txt`.
    pub document: &'a str,
    /// The status of the response with the file.
    pub status: u16,
    /// Other files of the site, by path.
    pub files: &'a BTreeMap<String, String>,
    /// Pages of the site.
    pub pages: &'a [Page],
}

/// No other files.
static NO_FILES: BTreeMap<String, String> = BTreeMap::new();

impl<'a> Text<'a> {
    /// A single robots.txt.
    pub fn new(robots: &'a [u8], origin: Option<&'a str>, profile: &'a str) -> Text<'a> {
        Text { robots, origin, profile, document: "robots.txt", status: 200, files: &NO_FILES, pages: &[] }
    }

    /// The file of a case.
    pub fn of(case: &'a Case) -> Text<'a> {
        Text {
            document: &case.document,
            status: case.status,
            files: &case.files,
            pages: &case.pages,
            ..Text::new(&case.robots, Some(&case.origin), &case.profile)
        }
    }
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The crawler's tokens, best first.
    pub agents: &'a [&'a str],
    /// The usage.
    pub usage: &'a str,
    /// The purpose, if any.
    pub purpose: Option<&'a str>,
    /// An absolute URL, or a path if the site of the file is unknown.
    pub url: &'a str,
    /// The crawler handles elements of pages separately.
    pub elements: bool,
    /// Only groups that name the crawler count.
    pub named_only: bool,
}

impl<'a> Question<'a> {
    /// A query without a purpose.
    pub fn new(agents: &'a [&'a str], usage: &'a str, url: &'a str) -> Question<'a> {
        Question { agents, usage, purpose: None, url, elements: false, named_only: false }
    }
}

/// The answer of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// `allowed`, `disallowed`, `conditional` or `unknown`.
    pub verdict: String,
    /// The lines of the deciding rules, from 1, ascending; `None` if the engine does not report
    /// them. Lines of the k-th referenced file are counted from 1,000,000 k.
    pub lines: Option<Vec<u32>>,
    /// The conditions of a conditional permission, sorted.
    pub conditions: Vec<String>,
    /// A missing file could have changed the answer.
    pub incomplete: bool,
}

impl Answer {
    /// A verdict decided by the rule on this line, or by no rule for 0.
    pub fn new(verdict: impl ToString, line: Option<u32>) -> Answer {
        let lines = line.map(|line| Vec::from_iter((line != 0).then_some(line)));
        Answer { verdict: verdict.to_string(), lines, ..Answer::default() }
    }

    /// True if a rule decided.
    pub fn is_decided(&self) -> bool {
        self.lines != Some(Vec::new())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.verdict)?;
        match &self.lines {
            None => {}
            Some(lines) if lines.is_empty() => f.write_str(", by no rule")?,
            Some(lines) => write!(f, ", by lines {lines:?}")?,
        }
        if !self.conditions.is_empty() {
            write!(f, ", if {}", self.conditions.join(" and "))?;
        }
        f.write_str(if self.incomplete { ", incomplete" } else { "" })
    }
}

/// One query that an engine answered differently than the case. Its text is made for human readers.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The engine's name.
    pub engine: String,
    /// The case.
    pub case: Case,
    /// The ask.
    pub ask: Ask,
    /// The engine's answer.
    pub answer: Answer,
}

/// The answer that a case expects; lines of `None` are open.
fn expected(ask: &Ask) -> Answer {
    let lines = match (&ask.lines[..], ask.line) {
        ([], None) => None,
        ([], Some(0)) => Some(Vec::new()),
        ([], Some(line)) => Some(vec![line]),
        (lines, _) => Some(lines.to_vec()),
    };
    let (verdict, conditions) = (ask.verdict.clone(), ask.conditions.clone());
    Answer { verdict, lines, conditions, incomplete: ask.incomplete }
}

/// True if two answers agree, as far as both state.
pub fn agree(one: &Answer, other: &Answer) -> bool {
    let lines = one.lines.is_none() || other.lines.is_none() || one.lines == other.lines;
    lines
        && (&one.verdict, &one.conditions, one.incomplete)
            == (&other.verdict, &other.conditions, other.incomplete)
}

/// Runs every case's queries that pass the filter on the engine.
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
        engine.load(&Text::of(case));
        for ask in asks {
            let agents: Vec<&str> = ask.agents.iter().map(String::as_str).collect();
            let purpose = ask.purpose.as_deref();
            let question = Question {
                agents: &agents,
                usage: &ask.usage,
                purpose,
                url: &ask.url,
                elements: ask.elements,
                named_only: ask.named_only,
            };
            let answer = engine.ask(&question);
            if !agree(&expected(ask), &answer) {
                let (engine, case, ask) = (engine.name().to_owned(), case.clone(), ask.clone());
                failures.push(Failure { engine, case, ask, answer });
            }
        }
    }
    failures
}

/// Panics with a report of all failures, if there are any. `ran` names the run.
///
/// # Panics
/// If there is a failure: that is its purpose.
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
        write!(f, "  question: may {} {} {}", ask.agents.join(", else "), ask.usage, short(&ask.url))?;
        writeln!(
            f,
            "{}?",
            ask.purpose.as_ref().map(|purpose| format!(" for {purpose}")).unwrap_or_default()
        )?;
        let expected = expected(ask);
        writeln!(f, "  expected: {expected}")?;
        writeln!(f, "  {engine} said: {answer}")?;
        let marks =
            [(expected.lines.unwrap_or_default(), '+'), (answer.lines.clone().unwrap_or_default(), '-')];
        for (number, line) in numbered(&case.robots).into_iter().take(40) {
            let has = |sign| marks.iter().any(|(lines, of)| *of == sign && lines.contains(&number));
            let mark = |sign| if has(sign) { sign } else { ' ' };
            writeln!(f, "  {}{}{number:>4} | {}", mark('+'), mark('-'), short(&line))?;
        }
        Ok(())
    }
}

/// The lines of a file with their numbers, for a reader; unusual bytes are escaped.
fn numbered(robots: &[u8]) -> Vec<(u32, String)> {
    let text = robots.escape_ascii().to_string();
    let text = text.replace("\\r\\n", "\n").replace("\\r", "\n").replace("\\n", "\n").replace("\\\"", "\"");
    (1..).zip(text.lines().map(str::to_owned)).collect()
}

fn short(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((at, _)) => format!("{}... ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}
