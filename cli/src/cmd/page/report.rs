//! What `page` prints, as text and as JSON.
//!
//! Filled from a verdict and a reading of the page; decides nothing.

use super::meaning::{Part, Problem, Read, Reading, Tag};
use robomaton_compiler::trace::Fate;
use robomaton_corpus::Page;
use robomaton_explain::{Asker, Told, asks, fate_of, reason, shown, shut};
use robomaton_grammar::meta::{Meta, content};
use robomaton_runtime::{Basis, Verdict};
use serde::Serialize;
use std::io::{self, Write};

/// A page and what it means; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub(super) struct Report {
    url: String,
    site: Option<String>,
    /// What became of the robots.txt; `unresolved` where none is at hand.
    outcome: Option<&'static str>,
    /// Whether there may be one that nobody has read, or one that has to be taken to forbid everything.
    #[serde(skip)]
    unheard: bool,
    /// The names that were asked with, separated by commas.
    agent: String,
    #[serde(skip)]
    agents: Vec<String>,
    usage: String,
    purpose: Option<String>,
    /// Whether the crawler works on elements of pages.
    elements: bool,
    #[serde(flatten)]
    told: Told,
    basis: &'static str,
    reason: String,
    /// The version of ACAP that the page states; without one it is 1.0.
    version: Option<Version>,
    tags: Vec<Tag>,
    parts: Vec<Part>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Version {
    major: u32,
    minor: u32,
    line: u32,
}

impl Report {
    pub(super) fn new(asker: &Asker, url: &str, page: &Page, verdict: &Verdict<'_>) -> Report {
        let site = verdict.site();
        let version = page.metas.iter().find_map(|tag| match content(&tag.content) {
            Meta::Version(major, minor) => Some(Version { major, minor, line: tag.line }),
            _ => None,
        });
        Report {
            url: url.to_owned(),
            site: site.as_ref().map(|site| site.address()).filter(|_| url.contains("://")),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            unheard: false,
            agent: asker.agents.join(","),
            agents: asker.agents.clone(),
            usage: asker.usage.clone(),
            purpose: asker.purpose.clone(),
            elements: asker.elements,
            told: told(verdict, page),
            basis: verdict.basis().name(),
            reason: reason(verdict, &asker.usage),
            version,
            tags: Vec::new(),
            parts: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Puts a better reason in place of the general one.
    pub(super) fn because(&mut self, reason: String) {
        self.reason = reason;
    }

    pub(super) fn add(&mut self, reading: &Reading<'_>, why: Option<String>, verdict: &Verdict<'_>) {
        let Read { tags, parts, problems } = reading.read();
        (self.tags, self.parts, self.problems) = (tags, parts, problems);
        self.unheard = reading.asked.unheard;
        if let (Basis::Outcome(outcome), Some(_)) = (verdict.basis(), &why) {
            let decides = self.tags.iter_mut().filter(|tag| tag.fate == fate_of(Fate::Decides));
            decides.for_each(|tag| tag.fate = fate_of(Fate::Overridden));
            self.reason = shut(outcome);
        } else if let Some(why) = why {
            self.reason = why;
        }
    }

    /// As text.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "page     {}", self.url)?;
        let site = self.site.as_deref().unwrap_or("the site");
        writeln!(out, "robots   of {site}: {}", self.outcome.unwrap_or("damaged"))?;
        writeln!(
            out,
            "asks     {}",
            asks(&self.agents, &self.usage, self.purpose.as_deref(), self.elements)
        )?;
        match &self.version {
            Some(Version { major, minor, line }) => writeln!(out, "version  {major}.{minor}, line {line}")?,
            None => writeln!(out, "version  not stated: 1.0")?,
        }
        writeln!(out, "META{}", if self.tags.is_empty() { "     none" } else { "" })?;
        for Tag { line, column, name, content, says, fate, .. } in &self.tags {
            let mark = if *fate == "decides" { "<- " } else { "" };
            let content = content.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let [name, content, says] = [name, &content, says].map(|text| shown(text));
            writeln!(out, "           {:<7} {name}: {content}", format!("{line}:{column}"))?;
            writeln!(out, "                   {says}  {mark}{fate}")?;
        }
        writeln!(out, "{}", if self.parts.is_empty() { "elements none" } else { "elements" })?;
        for Part { line, column, path, tag, id, token, means, applies } in &self.parts {
            let [path, tag, token, means] = [path, tag, token, means].map(|text| shown(text));
            let id = id.as_ref().map_or(String::new(), |id| format!(" id {id:?}"));
            writeln!(out, "           {:<7} {tag}{id} at {path}: {token}", format!("{line}:{column}"))?;
            writeln!(out, "                   {means}{}", if *applies { "" } else { "  of another usage" })?;
        }
        if !self.problems.is_empty() {
            writeln!(out, "problems")?;
        }
        for Problem { line, column, message } in &self.problems {
            writeln!(out, "           {:<7} {}", format!("{line}:{column}"), shown(message))?;
        }
        if let (Some(fields), Some(conventional)) = (self.told.fields, self.told.conventional) {
            writeln!(out, "sides    fields alone {fields}, the conventional rules alone {conventional}")?;
        }
        for (number, condition) in self.told.conditions.iter().enumerate() {
            let condition = shown(condition);
            writeln!(out, "{:<8} {condition}", if number == 0 { "only if" } else { "" })?;
        }
        writeln!(out, "verdict  {}: {}", self.told.verdict, shown(&self.reason))?;
        if self.told.incomplete {
            let lacks = match self.unheard {
                true => {
                    "without the robots.txt of the site, which may name the crawler (--image or --robots)"
                }
                false => "without a file that the robots.txt refers to (--with)",
            };
            let counts = match self.told.decision == self.told.verdict {
                true => String::new(),
                false => format!(", so that {} counts as {}", self.told.decision, self.told.verdict),
            };
            writeln!(out, "         incomplete: {lacks}{counts}")?;
        }
        Ok(())
    }
}

/// The verdict, its lines those of the page again.
fn told(verdict: &Verdict<'_>, page: &Page) -> Told {
    let mut told = Told::new(verdict);
    for (rule, line) in verdict.rules().iter().zip(&mut told.rules) {
        if rule.role.is_of_page() {
            line.line = line_in(page, line.line);
        }
    }
    told.line = told.rules.first().map(|rule| rule.line);
    told
}

/// The line of the tag or class with this number.
pub(super) fn line_in(page: &Page, number: u32) -> u32 {
    let lines = page.metas.iter().map(|tag| tag.line).chain(page.elements.iter().map(|element| element.line));
    lines.clone().nth(number as usize - 1).unwrap_or(number)
}
