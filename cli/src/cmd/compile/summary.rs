//! What `compile` tells when it is done, as a table and as JSON.
//!
//! Only counts, from the driver's report and the image's section table.

use crate::failure::Failure;
use robomaton_corpus::Report;
use robomaton_formats::layout::Section;
use robomaton_formats::read::Layout;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The summary; its fields are the keys that scripts rely on.
#[derive(Serialize)]
pub(super) struct Summary<'r> {
    captures: u64,
    sites: u64,
    outcomes: &'r BTreeMap<&'static str, u64>,
    distinct_bodies: u64,
    programs: u64,
    rules: u64,
    text_bytes: u64,
    distinct_bytes: u64,
    image_bytes: usize,
    hot_bytes: usize,
    sections: BTreeMap<&'static str, usize>,
    /// From the first byte read to the image in its place.
    seconds: f64,
    read_seconds: f64,
    compile_seconds: f64,
    emit_seconds: f64,
    skipped: &'r BTreeMap<&'static str, u64>,
    ignored_records: u64,
    other_captures: u64,
    truncated: u64,
    cut_bodies: u64,
    over_limit: Vec<OverLimit<'r>>,
}

/// Sites over a limit that the table names.
const QUOTED: usize = 20;

/// A site whose text exceeds a limit.
#[derive(Serialize)]
struct OverLimit<'r> {
    site: &'r str,
    why: &'r str,
}

impl Summary<'_> {
    pub(super) fn new<'r>(report: &'r Report, image: &[u8], seconds: f64) -> Result<Summary<'r>, Failure> {
        let layout = Layout::parse(image).map_err(Failure::from_error)?;
        let bytes = |section: &Section| layout.range(*section).len();
        Ok(Summary {
            captures: report.captures,
            sites: report.sites,
            outcomes: &report.outcomes,
            distinct_bodies: report.distinct_bodies,
            programs: report.programs,
            rules: report.rules,
            text_bytes: report.text_bytes,
            distinct_bytes: report.distinct_bytes,
            image_bytes: image.len(),
            hot_bytes: Section::ALL.iter().filter(|section| section.is_hot()).map(bytes).sum(),
            sections: Section::ALL.iter().map(|section| (section.name(), bytes(section))).collect(),
            seconds,
            read_seconds: report.read_time.as_secs_f64(),
            compile_seconds: report.compile_time.as_secs_f64(),
            emit_seconds: report.emit_time.as_secs_f64(),
            skipped: &report.skipped,
            ignored_records: report.ignored_records,
            other_captures: report.other_captures,
            truncated: report.truncated,
            cut_bodies: report.cut_bodies,
            over_limit: report.over_limit.iter().map(|(site, why)| OverLimit { site, why }).collect(),
        })
    }

    /// As a table.
    pub(super) fn write(&self, report: &Report, out: &mut impl Write) -> io::Result<()> {
        let outcomes: Vec<_> = self.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "captures         {:>12}", self.captures)?;
        writeln!(out, "sites            {:>12}  {}", self.sites, outcomes.join(", "))?;
        writeln!(out, "distinct bodies  {:>12}", self.distinct_bodies)?;
        writeln!(out, "programs         {:>12}", self.programs)?;
        writeln!(out, "rules            {:>12}", self.rules)?;
        writeln!(out, "text bytes       {:>12}", self.text_bytes)?;
        writeln!(out, "  distinct       {:>12}", self.distinct_bytes)?;
        let per_byte = self.hot_bytes as f64 / self.distinct_bytes.max(1) as f64;
        writeln!(out, "image bytes      {:>12}", self.image_bytes)?;
        writeln!(out, "  hot            {:>12}  {per_byte:.3} per byte of distinct text", self.hot_bytes)?;
        // In file order, which the map does not keep.
        for section in Section::ALL {
            let (name, heat) = (section.name(), if section.is_hot() { "hot" } else { "cold" });
            writeln!(out, "  {name:<14} {:>12}  {heat}", self.sections[name])?;
        }
        let rate = self.text_bytes as f64 / 1e6 / self.seconds.max(1e-9);
        writeln!(
            out,
            "seconds          {:>12.2}  {rate:.0} MB/s of text; reading {:.2}, compiling {:.2}, writing {:.2}",
            self.seconds, self.read_seconds, self.compile_seconds, self.emit_seconds
        )?;
        let skipped: Vec<_> = self.skipped.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let total: u64 = self.skipped.values().sum();
        writeln!(out, "{}", format!("skipped          {total:>12}  {}", skipped.join(", ")).trim_end())?;
        for (name, count, what) in [
            ("other URLs", self.other_captures, "captures that only redirects can give a meaning"),
            ("truncated", self.truncated, "captures that were cut before: read up to the last whole line"),
            ("cut", self.cut_bodies, "texts longer than --max-bytes: read up to the last whole line within"),
        ] {
            if count > 0 {
                writeln!(out, "{name:<16} {count:>12}  {what}")?;
            }
        }
        writeln!(out, "over a limit     {:>12}", self.over_limit.len())?;
        for (site, why) in report.over_limit.iter().take(QUOTED) {
            writeln!(out, "  {site}: {why}")?;
        }
        if let Some(more) = report.over_limit.len().checked_sub(QUOTED).filter(|&more| more > 0) {
            writeln!(out, "  and {more} more; --json lists them all")?;
        }
        Ok(())
    }
}
