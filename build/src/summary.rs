//! The summary of a compile job, as a table and as JSON.
//!
//! It consists of counts only: of the input from the driver's report, of the image as `inspect`
//! counts them.

use crate::Counts;
use robomaton_corpus::Report;
use robomaton_formats::layout::Section;
use robomaton_runtime::Image;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

/// The summary; its fields are the keys that scripts rely on.
#[derive(Debug, Serialize)]
pub struct Summary<'r> {
    captures: u64,
    sites: u64,
    outcomes: &'r BTreeMap<&'static str, u64>,
    data_captures: u64,
    /// data.txt documents by outcome.
    data_txt: &'r BTreeMap<&'static str, u64>,
    /// Revisits that refer to an older capture's content, and the documents that they renewed.
    revisits: u64,
    renewed: u64,
    references: References,
    pages: Pages,
    /// The input.
    captured_bytes: u64,
    distinct_bodies: u64,
    distinct_bytes: u64,
    /// The contents of the image.
    #[serde(flatten)]
    counts: Counts,
    image_bytes: usize,
    hot_bytes: usize,
    sections: BTreeMap<&'static str, usize>,
    /// Seconds from the first byte read to the finished image.
    seconds: f64,
    read_seconds: f64,
    compile_seconds: f64,
    emit_seconds: f64,
    skipped: &'r BTreeMap<&'static str, u64>,
    /// The first of them, each with its place and reason.
    skipped_examples: &'r [String],
    ignored_records: u64,
    other_captures: u64,
    /// True if too many other captures were dropped: redirects and references may then have no
    /// target although it was captured.
    others_dropped: bool,
    truncated: u64,
    cut_bodies: u64,
    /// Sites whose text is longer than the limit of bytes.
    cut_sites: &'r [String],
    over_limit: Vec<OverLimit<'r>>,
}

/// Files that robots.txt files refer to.
#[derive(Debug, Serialize)]
struct References {
    found: u64,
    missing: u64,
    /// Left out, since together they are too long.
    over_limit: u64,
}

/// Pages that were read.
#[derive(Debug, Serialize)]
struct Pages {
    captures: u64,
    with_permissions: u64,
    cut: u64,
    bytes: u64,
}

/// The number of sites of a kind that the table lists.
const QUOTED: usize = 20;

/// A site whose text exceeds a limit.
#[derive(Debug, Serialize)]
struct OverLimit<'r> {
    site: &'r str,
    why: &'r str,
}

impl Summary<'_> {
    pub(crate) fn new<'r>(report: &'r Report, image: &Image, seconds: f64) -> Summary<'r> {
        let bytes = |section: &Section| image.section_bytes(*section);
        Summary {
            captures: report.captures,
            sites: report.sites,
            outcomes: &report.outcomes,
            data_captures: report.data_captures,
            data_txt: &report.data_txt,
            revisits: report.revisits,
            renewed: report.renewed,
            references: References {
                found: report.references_found,
                missing: report.references_missing,
                over_limit: report.references_over,
            },
            pages: Pages {
                captures: report.pages,
                with_permissions: report.pages_with_permissions,
                cut: report.pages_cut,
                bytes: report.page_bytes,
            },
            captured_bytes: report.captured_bytes,
            distinct_bodies: report.distinct_bodies,
            distinct_bytes: report.distinct_bytes,
            counts: Counts::of(image),
            image_bytes: image.bytes(),
            hot_bytes: Section::ALL.iter().filter(|section| section.is_hot()).map(bytes).sum(),
            sections: Section::ALL.iter().map(|section| (section.name(), bytes(section))).collect(),
            seconds,
            read_seconds: report.read_time.as_secs_f64(),
            compile_seconds: report.compile_time.as_secs_f64(),
            emit_seconds: report.emit_time.as_secs_f64(),
            skipped: &report.skipped,
            skipped_examples: &report.skipped_examples,
            ignored_records: report.ignored_records,
            other_captures: report.other_captures,
            others_dropped: report.others_dropped,
            truncated: report.truncated,
            cut_bodies: report.cut_bodies,
            cut_sites: &report.cut_sites,
            over_limit: report.over_limit.iter().map(|(site, why)| OverLimit { site, why }).collect(),
        }
    }

    /// Writes everything as a table.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_sites(self.captures, self.sites, self.outcomes, out)?;
        let data: u64 = self.data_txt.values().sum();
        if self.data_captures > 0 {
            writeln!(out, "data.txt         {data:>12}  {}", counts(self.data_txt))?;
        }
        if self.revisits > 0 {
            let what = "made new of older captures, by fetches that found the same";
            writeln!(out, "revisits         {:>12}  {} {what}", self.revisits, self.renewed)?;
        }
        let References { found, missing, over_limit } = self.references;
        if found + missing + over_limit > 0 {
            let counts = format!("found {found}, missing {missing}, over the limit {over_limit}");
            writeln!(out, "references       {:>12}  {counts}", found + missing + over_limit)?;
        }
        let Pages { captures: pages, with_permissions, cut, bytes } = self.pages;
        if pages > 0 {
            let what = format!("in the image with permissions {with_permissions}, cut {cut}; {bytes} bytes");
            writeln!(out, "pages            {pages:>12}  {what}")?;
        }
        writeln!(out, "captured bytes   {:>12}", self.captured_bytes)?;
        let distinct = self.distinct_bytes;
        writeln!(out, "distinct bodies  {:>12}  {distinct} bytes of text", self.distinct_bodies)?;
        let Counts { documents, text_bytes, rules, policies, programs, .. } = &self.counts;
        writeln!(out, "documents        {documents:>12}  {text_bytes} bytes of text, in the image")?;
        writeln!(out, "rules            {rules:>12}")?;
        writeln!(out, "policies         {policies:>12}")?;
        writeln!(out, "programs         {programs:>12}")?;
        writeln!(out, "image bytes      {:>12}", self.image_bytes)?;
        // Rules of pages are in the image too, but most of the text of pages is not.
        let per_byte = self.hot_bytes as f64 / distinct.max(1) as f64;
        let ratio =
            if pages == 0 { format!("  {per_byte:.3} per byte of distinct text") } else { String::new() };
        writeln!(out, "  hot            {:>12}{ratio}", self.hot_bytes)?;
        // In file order, which the map does not preserve.
        for section in Section::ALL {
            let (name, heat) = (section.name(), if section.is_hot() { "hot" } else { "cold" });
            writeln!(out, "  {name:<14} {:>12}  {heat}", self.sections[name])?;
        }
        let rate = self.captured_bytes as f64 / 1e6 / self.seconds.max(1e-9);
        writeln!(
            out,
            "seconds          {:>12.2}  {rate:.0} MB/s of captures; reading {:.2}, compiling {:.2}, writing {:.2}",
            self.seconds, self.read_seconds, self.compile_seconds, self.emit_seconds
        )?;
        write_skipped(self.skipped, out)?;
        for (name, count, what) in [
            (
                "other URLs",
                self.other_captures,
                "captures that mean something only to a redirect, a reference, or as pages",
            ),
            ("truncated", self.truncated, "captures that were cut before: read up to the last whole line"),
            ("cut", self.cut_bodies, "texts longer than --max-bytes: read up to the last whole line within"),
        ] {
            if count > 0 {
                writeln!(out, "{name:<16} {count:>12}  {what}")?;
            }
        }
        // A truncated body that is no site's own was superseded, or is a referenced file.
        first(self.cut_sites.iter(), out)?;
        writeln!(out, "over a limit     {:>12}", self.over_limit.len())?;
        first(self.over_limit.iter().map(|OverLimit { site, why }| format!("{site}: {why}")), out)
    }
}

/// Writes the table in four lines. They count nothing in the image, which would take some 3 % of
/// the time of compiling.
pub(crate) fn write_brief(report: &Report, image_bytes: usize, out: &mut impl Write) -> io::Result<()> {
    write_sites(report.captures, report.sites, &report.outcomes, out)?;
    writeln!(out, "image bytes      {image_bytes:>12}")?;
    write_skipped(&report.skipped, out)
}

fn write_sites(
    captures: u64,
    sites: u64,
    outcomes: &BTreeMap<&'static str, u64>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "captures         {captures:>12}")?;
    writeln!(out, "sites            {sites:>12}  {}", counts(outcomes))
}

fn write_skipped(skipped: &BTreeMap<&'static str, u64>, out: &mut impl Write) -> io::Result<()> {
    let total: u64 = skipped.values().sum();
    writeln!(out, "{}", format!("skipped          {total:>12}  {}", counts(skipped)).trim_end())
}

/// Writes the first of many lines, and the number of the others.
fn first(lines: impl ExactSizeIterator<Item = impl Display>, out: &mut impl Write) -> io::Result<()> {
    let more = lines.len().saturating_sub(QUOTED);
    for line in lines.take(QUOTED) {
        writeln!(out, "  {line}")?;
    }
    if more > 0 {
        writeln!(out, "  and {more} more; --json lists them all")?;
    }
    Ok(())
}

/// `rules 2, unavailable 1`.
fn counts(of: &BTreeMap<&'static str, u64>) -> String {
    of.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
