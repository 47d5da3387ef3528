//! The explanation as text.

use super::Explanation;
use super::analysis::{Group, Level, Match};
use crate::statements::StatementJson;
use crate::texts::{Dropped, is_same};
use crate::verdict::{RequestJson, condition_text};
use crate::words::shown;
use robomaton_runtime::Decision;
use std::io::{self, Write};

/// The number of pairs that are drawn.
const PAIRS: usize = 4;

/// The number of fields without effect that are printed.
const DROPPED: usize = 8;

impl Explanation {
    /// Writes the explanation as text.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_with(|word, _| word.to_owned(), out)
    }

    /// Writes the explanation as text; `paint` colours the word for the decision.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write_with(
        &self,
        paint: impl Fn(&str, Decision) -> String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.write_site(out)?;
        let analysis = &self.analysis;
        if analysis.is_traced {
            writeln!(out, "groups   {}", self.choice())?;
        }
        for group in &analysis.groups {
            group.write(analysis.scoped, out)?;
        }
        analysis.skipped.iter().try_for_each(|set| set.write(out))?;
        if analysis.is_traced {
            let none = if analysis.matches.is_empty() { "none" } else { "" };
            writeln!(out, "{}", format!("matches  {none}").trim_end())?;
        }
        let widths = analysis.matches.iter().map(|found| shown(&found.rule).chars().count());
        let widest = widths.max().unwrap_or(0).min(60);
        for found in &analysis.matches {
            if analysis.scoped {
                found.write_scoped(widest, out)?
            } else {
                found.write_ranked(widest, out)?
            }
        }
        if analysis.matches_left_out > 0 {
            writeln!(out, "         and {} more", analysis.matches_left_out)?;
        }
        self.write_dropped(out)?;
        if analysis.scoped {
            self.write_weighing(out)?;
        }
        if !self.verdict.statements.is_empty() {
            writeln!(out, "statements")?;
            StatementJson::write_all(&self.verdict.statements, out)?;
        }
        for (number, condition) in self.verdict.typed_conditions.iter().enumerate() {
            let condition = condition_text(condition);
            writeln!(out, "{:<8} {condition}", if number == 0 { "only if" } else { "" })?;
        }
        if let Some(note) = &self.note {
            writeln!(out, "note     {note}")?;
        }
        if let Some(crawl) = self.verdict.crawl {
            writeln!(out, "crawl    {crawl}")?;
        }
        RequestJson::write_all(&self.verdict.requests, out)?;
        let verdict = paint(self.verdict.verdict, self.decision);
        writeln!(out, "verdict  {verdict}: {}", shown(&self.reason))?;
        if self.verdict.incomplete {
            writeln!(out, "         {}", shown(&self.doubt()))?;
        }
        Ok(())
    }

    /// How the groups were chosen, in words.
    fn choice(&self) -> String {
        match (self.verdict.choice, &self.verdict.name) {
            (Some("named"), Some(name)) if self.analysis.scoped => {
                format!("a group that names {name:?} applies")
            }
            (Some("named"), Some(name)) => format!("those that name {name:?}"),
            (Some("default"), _) => format!("{}the default", self.nobody(": ")),
            _ if self.named_only => {
                format!("{}only groups that name the crawler count", self.nobody(", and "))
            }
            _ => format!("{}there is no default", self.nobody(", and ")),
        }
    }

    fn write_site(&self, out: &mut impl Write) -> io::Result<()> {
        let site = &self.site;
        writeln!(out, "url      {}", shown(&site.url))?;
        let own = site.is_own.then_some("(the file's own)");
        if let Some(address) = site.site.as_deref().or(own) {
            write!(out, "site     {address}: {}", site.outcome.unwrap_or("damaged"))?;
            if let Some(status) = site.status {
                write!(out, ", status {status}")?;
            }
            if let Some(time) = &site.fetched_at {
                let stale = if site.stale == Some(true) { " (stale)" } else { "" };
                write!(out, ", fetched {time}{stale}")?;
            }
            writeln!(out)?;
        }
        if let Some(note) = &self.unread_note {
            writeln!(out, "unread   the text {note}")?;
        }
        writeln!(out, "asks     {}", shown(&self.query.to_string()))?;
        match &site.target {
            Some(target) => writeln!(out, "target   {}", shown(target)),
            None => Ok(()),
        }
    }

    /// Writes the fields without effect.
    fn write_dropped(&self, out: &mut impl Write) -> io::Result<()> {
        let dropped = &self.analysis.dropped;
        for (number, Dropped { line, written, why }) in dropped.iter().take(DROPPED).enumerate() {
            let label = if number == 0 { "dropped" } else { "" };
            writeln!(out, "{label:<8}   line {line:<5} {}", shown(written))?;
            writeln!(out, "                      has no effect: {}", shown(why))?;
        }
        if dropped.len() > DROPPED {
            writeln!(out, "           and {} more lines", dropped.len() - DROPPED)?;
        }
        Ok(())
    }

    /// Writes level, pairs and sides.
    fn write_weighing(&self, out: &mut impl Write) -> io::Result<()> {
        let (analysis, verdict) = (&self.analysis, &self.verdict);
        if let Some(level) = &analysis.level {
            writeln!(out, "applies  {level}")?;
        }
        let pairs = &analysis.undetermined;
        if !pairs.is_empty() {
            writeln!(out, "unclear  of these, neither is narrower; the literals at ^ separate them")?;
        }
        pairs.iter().take(PAIRS).try_for_each(|pair| pair.write(out))?;
        if pairs.len() > PAIRS {
            writeln!(out, "           and {} more pairs", pairs.len() - PAIRS)?;
        }
        if verdict.fields.is_some() && verdict.conventional.is_some() {
            let side = |side: Option<&'static str>| side.unwrap_or("silent");
            let (fields, conventional) = (side(verdict.fields), side(verdict.conventional));
            writeln!(out, "sides    ACAP alone {fields}, the conventional rules alone {conventional}")?;
        }
        Ok(())
    }

    /// A clause that no group names the crawler, if the crawler has a name.
    fn nobody(&self, then: &str) -> String {
        let names: Vec<String> = self.verdict.looked_for.iter().map(|name| format!("{name:?}")).collect();
        let which = if self.analysis.skipped.is_empty() { "" } else { " that answers" };
        if names.is_empty() {
            String::new()
        } else {
            format!("no group{which} names {}{then}", names.join(", "))
        }
    }

    /// The missing part of an incomplete answer, in words.
    fn doubt(&self) -> String {
        if self.verdict.has_unread_statement() {
            return "incomplete: what could not be read, or is missing, may permit or refuse it".to_owned();
        }
        let files = self.analysis.missing.join(", ");
        let what = match (files.as_str(), self.analysis.robots_may_refuse) {
            ("", true) => "the robots.txt of the site, which nobody has read",
            ("", false) => "a file that is referred to",
            (files, _) => files,
        };
        let but = match self.verdict.decision == self.verdict.verdict {
            true => "which might say otherwise".to_owned(),
            false => format!("so that {} counts as {}", self.verdict.decision, self.verdict.verdict),
        };
        format!("incomplete: without {what}, {but}")
    }
}

impl Group {
    fn write(&self, scoped: bool, out: &mut impl Write) -> io::Result<()> {
        write!(out, "           line {}", self.line)?;
        if let Some(place) = self.file.as_ref().or(self.page.as_ref()) {
            write!(out, " of {}", shown(place))?;
        }
        write!(out, ": {}", shown(&self.agents.join(", ")))?;
        if let Some(version) = &self.version {
            write!(out, "  ({version})")?;
        }
        if scoped {
            write!(out, "  ({}", self.role)?;
            if !self.purposes.is_empty() {
                let name = |purpose: &String| match purpose.as_str() {
                    "" => "a purpose that cannot be read".to_owned(),
                    name => shown(name).into_owned(),
                };
                write!(out, " for {}", self.purposes.iter().map(name).collect::<Vec<_>>().join(", "))?;
                write!(out, "{}", if self.asked { "" } else { ", which is not asked for" })?;
            }
            write!(out, "{})", if self.incomplete { ", refers to a file that is missing" } else { "" })?;
        }
        writeln!(out)
    }
}

impl Match {
    fn write_ranked(&self, widest: usize, out: &mut impl Write) -> io::Result<()> {
        let mark = if self.wins { "  <- decides" } else { "" };
        let rank = self.rank.unwrap_or_default();
        writeln!(out, "           line {:<5} {:<widest$}  rank {rank}{mark}", self.line, shown(&self.rule))?;
        self.write_written(out)
    }

    /// Writes the line as it stands in its text, if the rule is spelled otherwise.
    fn write_written(&self, out: &mut impl Write) -> io::Result<()> {
        match self.written.as_ref().filter(|written| !is_same(written, &self.rule)) {
            Some(written) => writeln!(out, "                      written as {}", shown(written)),
            None => Ok(()),
        }
    }

    fn write_scoped(&self, widest: usize, out: &mut impl Write) -> io::Result<()> {
        let place = match (&self.level, self.rank) {
            (Some(Level { other, any, holder }), _) => {
                let whom = match (*holder, any) {
                    ("element", _) => "",
                    (_, true) => ", to any",
                    (_, false) => ", by name",
                };
                format!("{holder}{whom}{}", if *other { ", other" } else { "" })
            }
            (None, rank) => format!("conventional, rank {}", rank.unwrap_or_default()),
        };
        let fate = match self.fate {
            "decides" => "<- decides",
            "overridden" => "overridden by a narrower field",
            "contradicted" => "contradicted by a field on the same pattern",
            fate => fate,
        };
        let fate = match self.rival {
            Some(line) => format!("neither it nor line {line} is narrower, so the prohibition holds"),
            None => fate.to_owned(),
        };
        write!(out, "           line {:<5} {:<widest$}  {place:<20}  {fate}", self.line, shown(&self.rule))?;
        match &self.file {
            Some(file) => writeln!(out, ", in {}", shown(file)),
            None => writeln!(out),
        }?;
        self.write_written(out)
    }
}
