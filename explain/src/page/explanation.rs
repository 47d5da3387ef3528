//! The explanation of a page, as printed by `page`, as text and as JSON.
//!
//! It is built once, from the answer, the page and the trace. Nothing is decided here.

use super::content::Page;
use super::meaning::{Element, Meaning, MetaTag, Problem, read};
use super::preferences::License;
use crate::evidence::{Evidence, ImageAnswer};
use crate::query::Query;
use crate::reason::{of_overriding_outcome, of_rules, of_safe_decision, of_verdict};
use crate::rule::fate_name;
use crate::single::too_much;
use crate::statements::StatementJson;
use crate::verdict::{RequestJson, VerdictJson, condition_text};
use crate::words::shown;
use robomaton_compiler::OverLimit;
use robomaton_compiler::trace::Fate;
use robomaton_grammar::meta::{Meta, content};
use robomaton_runtime::Basis;
use serde::Serialize;
use std::io::{self, Write};

/// A page and its meaning; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub struct PageExplanation {
    url: String,
    site: Option<String>,
    /// The outcome of the robots.txt; `unresolved` if none is available.
    outcome: Option<&'static str>,
    #[serde(flatten)]
    query: Query,
    #[serde(flatten)]
    verdict: VerdictJson,
    basis: &'static str,
    reason: String,
    /// The version of ACAP that the page states; without one it is 1.0.
    version: Option<Version>,
    #[serde(flatten)]
    meaning: Meaning,
    /// True if a robots.txt that was not read, or that counts as refusing everything, may refuse
    /// what the page permits.
    #[serde(skip)]
    robots_may_refuse: bool,
    #[serde(skip)]
    is_allowed: bool,
    #[serde(skip)]
    remarks: PageRemarks,
}

#[derive(Serialize)]
struct Version {
    major: u32,
    minor: u32,
    line: u32,
}

/// Remarks about the text that are not part of the answer.
pub(super) struct PageRemarks {
    pub(super) over_limit: Option<OverLimit>,
    pub(super) unread_note: Option<String>,
}

impl PageExplanation {
    /// There is no evidence if the robots.txt exceeds a limit.
    pub(super) fn new(
        answer: &ImageAnswer<'_>,
        page: &Page,
        evidence: Option<&Evidence<'_>>,
        remarks: PageRemarks,
    ) -> PageExplanation {
        let ImageAnswer { query, url, verdict, account } = answer;
        let site = verdict.site();
        let version = page.metas.iter().find_map(|tag| match content(&tag.content) {
            Meta::Version(major, minor) => Some(Version { major, minor, line: tag.line }),
            _ => None,
        });
        let mut account = account.clone();
        page.put_lines(&mut account);
        let stated = &answer.account.statements;
        let mut meaning = evidence.map(|evidence| read(page, evidence, stated)).unwrap_or_default();
        let overriding = evidence.and_then(|evidence| evidence.overriding_outcome(verdict));
        if overriding.is_some() {
            let decides = meaning.tags.iter_mut().filter(|tag| tag.fate == fate_name(Fate::Decides));
            decides.for_each(|tag| tag.fate = fate_name(Fate::Overridden));
        }
        let reason = match (overriding, evidence, remarks.over_limit) {
            (Some(outcome), ..) => Some(of_overriding_outcome(outcome)),
            (None, Some(_), _) if verdict.basis() == Basis::Preferences => None,
            (None, Some(evidence), _) => {
                of_rules(&Evidence { policy: &page.with_lines(evidence.policy), ..*evidence })
            }
            (None, None, over) => over.map(too_much),
        };
        PageExplanation {
            url: (*url).to_owned(),
            site: site.as_ref().map(|site| site.address()).filter(|_| url.contains("://")),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            query: (*query).clone(),
            verdict: VerdictJson::with(verdict, &account, verdict.choice().as_ref(), verdict.requests()),
            basis: verdict.basis().name(),
            reason: of_safe_decision(
                verdict,
                reason.unwrap_or_else(|| of_verdict(verdict, &account, &query.usage)),
            ),
            version,
            meaning,
            robots_may_refuse: evidence.is_some_and(|evidence| evidence.query.robots_may_refuse),
            is_allowed: verdict.is_allowed(),
            remarks,
        }
    }

    /// True if the crawler may go ahead without conditions.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Remarks about robots.txt and page for the caller: a limit that they exceed, and bytes that
    /// were not read.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let PageRemarks { over_limit, unread_note } = &self.remarks;
        let over = over_limit.map(|over| format!("robots.txt and page: {}", too_much(over)));
        over.into_iter().chain(unread_note.as_ref().map(|note| format!("robots.txt {note}")))
    }

    /// Writes the explanation as text.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "page     {}", shown(&self.url))?;
        let site = self.site.as_deref().unwrap_or("the site");
        writeln!(out, "robots   of {site}: {}", self.outcome.unwrap_or("damaged"))?;
        writeln!(out, "asks     {}", shown(&self.query.to_string()))?;
        match &self.version {
            Some(Version { major, minor, line }) => writeln!(out, "version  {major}.{minor}, line {line}")?,
            None => writeln!(out, "version  not stated: 1.0")?,
        }
        let Meaning { tags, elements, licenses, problems } = &self.meaning;
        writeln!(out, "META{}", if tags.is_empty() { "     none" } else { "" })?;
        tags.iter().try_for_each(|tag| tag.write(out))?;
        writeln!(out, "{}", if elements.is_empty() { "elements none" } else { "elements" })?;
        elements.iter().try_for_each(|element| element.write(out))?;
        if !licenses.is_empty() {
            writeln!(out, "licences")?;
        }
        licenses.iter().try_for_each(|license| license.write(out))?;
        if !problems.is_empty() {
            writeln!(out, "problems")?;
        }
        problems.iter().try_for_each(|problem| problem.write(out))?;
        self.write_verdict(out)
    }

    fn write_verdict(&self, out: &mut impl Write) -> io::Result<()> {
        let verdict = &self.verdict;
        if let (Some(fields), Some(conventional)) = (verdict.fields, verdict.conventional) {
            writeln!(out, "sides    fields alone {fields}, the conventional rules alone {conventional}")?;
        }
        if !verdict.statements.is_empty() {
            writeln!(out, "statements")?;
            StatementJson::write_all(&verdict.statements, out)?;
        }
        for (number, condition) in verdict.typed_conditions.iter().enumerate() {
            let condition = condition_text(condition);
            writeln!(out, "{:<8} {condition}", if number == 0 { "only if" } else { "" })?;
        }
        if let Some(crawl) = verdict.crawl {
            writeln!(out, "crawl    {crawl}")?;
        }
        RequestJson::write_all(&verdict.requests, out)?;
        writeln!(out, "verdict  {}: {}", verdict.verdict, shown(&self.reason))?;
        if verdict.incomplete {
            let missing = match self.robots_may_refuse {
                _ if verdict.has_unread_statement() => "without what could not be read, or is missing",
                true => "without the robots.txt of the site, which may refuse (--image or --robots)",
                false => "without a file that the robots.txt refers to (--with)",
            };
            let counts = match verdict.decision == verdict.verdict {
                true => String::new(),
                false => format!(", so that {} counts as {}", verdict.decision, verdict.verdict),
            };
            writeln!(out, "         incomplete: {missing}{counts}")?;
        }
        Ok(())
    }
}

impl MetaTag {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let MetaTag { line, column, name, content, says, fate, .. } = self;
        let mark = if *fate == "decides" { "<- " } else { "" };
        let content = content.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let [name, content, says] = [name, &content, says].map(|text| shown(text));
        writeln!(out, "           {:<7} {name}: {content}", format!("{line}:{column}"))?;
        writeln!(out, "                   {says}  {mark}{fate}")
    }
}

impl Element {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Element { line, column, path, tag, id, token, means, applies } = self;
        let [path, tag, token, means] = [path, tag, token, means].map(|text| shown(text));
        let id = id.as_ref().map_or(String::new(), |id| format!(" id {id:?}"));
        writeln!(out, "           {:<7} {tag}{id} at {path}: {token}", format!("{line}:{column}"))?;
        writeln!(out, "                   {means}{}", if *applies { "" } else { "  of another usage" })
    }
}

impl License {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let License { url, says, fate, .. } = self;
        let mark = if *fate == "decides" { "<- " } else { "" };
        writeln!(out, "           {}", shown(url))?;
        writeln!(out, "                   {}  {mark}{fate}", shown(says))
    }
}

impl Problem {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Problem { line, column, message } = self;
        writeln!(out, "           {:<7} {}", format!("{line}:{column}"), shown(message))
    }
}
