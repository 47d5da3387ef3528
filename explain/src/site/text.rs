//! One site as lines of text: the kind of each line, then its content, in file order.
//!
//! All that comes from the image is untrusted and written by [`shown`]. It knows the layout, not
//! where the data comes from.

use super::{Document, Extension, Field, Group, SiteInfo};
use crate::words::shown;
use std::io::{self, Write};

impl SiteInfo {
    /// Writes it as text, with at most `rules` rules of each group.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write(&self, rules: usize, out: &mut impl Write) -> io::Result<()> {
        let documents = [&self.robots, &self.data_txt];
        for (number, document) in documents.into_iter().flatten().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            document.write(rules, out)?;
        }
        Ok(())
    }
}

impl Document {
    fn write(&self, rules: usize, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "site        {}", shown(&self.site))?;
        let outcome = self.outcome.unwrap_or("damaged");
        match self.meaning {
            Some(meaning) => writeln!(out, "outcome     {outcome} ({meaning})")?,
            None => writeln!(out, "outcome     {outcome}")?,
        }
        if let Some(status) = self.status {
            writeln!(out, "status      {status}")?;
        }
        let fetched = self.fetched_at.as_deref().unwrap_or("at a time not known");
        writeln!(out, "fetched_at  {fetched}{}", if self.stale == Some(true) { " (stale)" } else { "" })?;
        writeln!(out, "fresh_for   {} seconds", self.fresh_for)?;
        if self.cut == Some(true) {
            let limit = self.max_bytes;
            writeln!(
                out,
                "cut         the text is longer than {limit} bytes: read up to the last whole line within"
            )?;
        }
        if self.incomplete {
            writeln!(out, "incomplete  files that it refers to are missing")?;
        }
        for sitemap in &self.sitemaps {
            writeln!(out, "sitemap     {}", shown(sitemap))?;
        }
        self.groups.iter().try_for_each(|group| group.write(rules, out))?;
        let records = self.extensions.iter().filter(|record| record.key != "sitemap");
        records.into_iter().try_for_each(|record| record.write("record", out))
    }
}

impl Group {
    fn write(&self, most: usize, out: &mut impl Write) -> io::Result<()> {
        let Group { role, agents, purposes, rules, fields, file, .. } = self;
        let kind = if *role == "conventional" { "group" } else { role };
        let agents = agents.join(", ");
        write!(out, "{kind:<11} {}: {rules} rule{}", shown(&agents), if *rules == 1 { "" } else { "s" })?;
        if !purposes.is_empty() {
            write!(out, ", for {}", shown(&purposes.join(", ")))?;
        }
        if let Some(file) = file {
            write!(out, ", from {}", shown(file))?;
        }
        writeln!(out, "{}", if self.incomplete { ", incomplete" } else { "" })?;
        for line in &self.schedule {
            writeln!(out, "  schedule  {}", shown(line))?;
        }
        // In file order; fields of different pages have no common order.
        let mut records = self.extensions.iter().peekable();
        for field in fields.iter().take(most) {
            while let Some(record) = records.next_if(|record| record.line < field.line) {
                record.write("", out)?;
            }
            field.write(out)?;
        }
        if let Some(more) = fields.len().checked_sub(most).filter(|&more| more > 0) {
            writeln!(out, "            and {more} more; --rules lists them all")?;
        }
        records.try_for_each(|record| record.write("", out))
    }
}

impl Field {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Field { line, allow, usage, pattern, conditions } = self;
        let word = if *allow { "allow" } else { "disallow" };
        let separator = if conditions.is_empty() { "" } else { " if " };
        let rule = format!("{usage} {pattern}{separator}{}", conditions.join(" "));
        writeln!(out, "            line {line}: {word} {}", shown(&rule))
    }
}

impl Extension {
    fn write(&self, what: &str, out: &mut impl Write) -> io::Result<()> {
        let Extension { line, key, value } = self;
        let (key, value) = (shown(key), shown(value));
        match (what, &*key) {
            (_, "request-take-down") => writeln!(out, "  request   line {line}: take-down {value}"),
            (_, "request-re-crawl") => writeln!(out, "  request   line {line}: re-crawl {value}"),
            ("", "comment") => writeln!(out, "  comment   line {line}: {value}"),
            _ => writeln!(out, "{what:<11} line {line}: {key}: {value}"),
        }
    }
}
