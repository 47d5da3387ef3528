//! The story as text.

use super::{Group, Level, Match, Story};
use crate::asker::asks;
use crate::words::shown;
use robomaton_runtime::Decision;
use std::io::{self, Write};

/// Pairs that are drawn.
const PAIRS: usize = 4;

impl Story {
    /// As text.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_with(|word, _| word.to_owned(), out)
    }

    /// As text, in which `paint` colours the word for the decision.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_with(
        &self,
        paint: impl Fn(&str, Decision) -> String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.frame(out)?;
        match (self.told.choice.filter(|_| self.is_traced), &self.told.name) {
            (Some("named"), Some(name)) if self.scoped => writeln!(out, "groups   some name {name:?}")?,
            (Some("named"), Some(name)) => writeln!(out, "groups   those that name {name:?}")?,
            (Some("default"), _) => writeln!(out, "groups   {}the default", self.nobody(": "))?,
            (Some(_), _) if self.named_only => {
                writeln!(out, "groups   {}only groups that name the crawler count", self.nobody(", and "))?;
            }
            (Some(_), _) => writeln!(out, "groups   {}there is no default", self.nobody(", and "))?,
            (None, _) => {}
        }
        for group in &self.groups {
            group.write(self.scoped, out)?;
        }
        self.skipped.iter().try_for_each(|set| set.write(out))?;
        if self.is_traced {
            let none = if self.matches.is_empty() { "none" } else { "" };
            writeln!(out, "{}", format!("matches  {none}").trim_end())?;
        }
        let widest =
            self.matches.iter().map(|found| shown(&found.rule).chars().count()).max().unwrap_or(0).min(60);
        for found in &self.matches {
            if self.scoped { found.scoped(widest, out)? } else { found.ranked(widest, out)? }
        }
        if self.scoped {
            self.weighed(out)?;
        }
        if let Some(note) = &self.note {
            writeln!(out, "note     {note}")?;
        }
        let verdict = paint(self.told.verdict, self.decision);
        writeln!(out, "verdict  {verdict}: {}", shown(&self.reason))?;
        if self.told.incomplete {
            writeln!(out, "         {}", shown(&self.doubt()))?;
        }
        Ok(())
    }

    fn frame(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "url      {}", self.url)?;
        let own = self.is_own.then_some("(the file's own)");
        if let Some(site) = self.site.as_deref().or(own) {
            write!(out, "site     {site}: {}", self.outcome.unwrap_or("damaged"))?;
            if let Some(status) = self.status {
                write!(out, ", status {status}")?;
            }
            if let Some(time) = &self.fetched_at {
                let stale = if self.stale == Some(true) { " (stale)" } else { "" };
                write!(out, ", fetched {time}{stale}")?;
            }
            writeln!(out)?;
        }
        if let Some(cut) = &self.cut {
            writeln!(out, "unread   the text {cut}")?;
        }
        writeln!(
            out,
            "asks     {}",
            asks(&self.agents, &self.usage, self.purpose.as_deref(), self.elements)
        )?;
        match &self.target {
            Some(target) => writeln!(out, "target   {target}"),
            None => Ok(()),
        }
    }

    /// Level, pairs, sides, conditions.
    fn weighed(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(level) = &self.level {
            writeln!(out, "heard    {level}")?;
        }
        if !self.undetermined.is_empty() {
            writeln!(out, "unclear  of these, neither is narrower; the literals at ^ part them")?;
        }
        self.undetermined.iter().take(PAIRS).try_for_each(|pair| pair.write(out))?;
        if self.undetermined.len() > PAIRS {
            writeln!(out, "           and {} more pairs", self.undetermined.len() - PAIRS)?;
        }
        if self.told.fields.is_some() && self.told.conventional.is_some() {
            let side = |side: Option<&'static str>| side.unwrap_or("silent");
            let (fields, conventional) = (side(self.told.fields), side(self.told.conventional));
            writeln!(out, "sides    ACAP alone {fields}, the conventional rules alone {conventional}")?;
        }
        for (number, condition) in self.told.conditions.iter().enumerate() {
            let condition = shown(condition);
            writeln!(out, "{:<8} {condition}", if number == 0 { "only if" } else { "" })?;
        }
        Ok(())
    }

    /// That no group names the crawler, if it has a name, and what follows then.
    fn nobody(&self, then: &str) -> String {
        let names: Vec<String> = self.told.looked_for.iter().map(|name| format!("{name:?}")).collect();
        let which = if self.skipped.is_empty() { "" } else { " that answers" };
        if names.is_empty() {
            String::new()
        } else {
            format!("no group{which} names {}{then}", names.join(", "))
        }
    }

    /// What an incomplete answer lacks.
    fn doubt(&self) -> String {
        let files = self.missing.join(", ");
        let what = match (files.as_str(), self.unheard) {
            ("", true) => "the robots.txt of the site, which nobody has read",
            ("", false) => "a file that is referred to",
            (files, _) => files,
        };
        let but = match self.told.decision == self.told.verdict {
            true => "which might say otherwise".to_owned(),
            false => format!("so that {} counts as {}", self.told.decision, self.told.verdict),
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
        write!(out, ": {}", self.agents.join(", "))?;
        if let Some(version) = &self.version {
            write!(out, "  ({version})")?;
        }
        if scoped {
            write!(out, "  ({}", self.role)?;
            if !self.purposes.is_empty() {
                write!(out, " for {}", shown(&self.purposes.join(", ")))?;
                write!(out, "{}", if self.asked { "" } else { ", which is not asked for" })?;
            }
            write!(out, "{})", if self.incomplete { ", refers to a file that is missing" } else { "" })?;
        }
        writeln!(out)
    }
}

impl Match {
    fn ranked(&self, widest: usize, out: &mut impl Write) -> io::Result<()> {
        let mark = if self.wins { "  <- decides" } else { "" };
        let rank = self.rank.unwrap_or_default();
        writeln!(out, "           line {:<5} {:<widest$}  rank {rank}{mark}", self.line, shown(&self.rule))
    }

    fn scoped(&self, widest: usize, out: &mut impl Write) -> io::Result<()> {
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
            "overridden" => "overridden by what is nearer",
            "contradicted" => "contradicted by a field on the same pattern",
            fate => fate,
        };
        write!(out, "           line {:<5} {:<widest$}  {place:<20}  {fate}", self.line, shown(&self.rule))?;
        match &self.file {
            Some(file) => writeln!(out, ", in {}", shown(file)),
            None => writeln!(out),
        }
    }
}
