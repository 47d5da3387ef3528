//! `robomaton inspect`: what an image holds, in counts, or what it holds of one site.
//!
//! Reads through the checked view and decides nothing.

mod one_site;

use crate::failure::Failure;
use crate::input::open_image;
use crate::output::Out;
use clap::Args;
use robomaton_formats::layout::{NONE, Section};
use robomaton_formats::policy::{PolicyView, SET_LIST, read_list};
use robomaton_runtime::{Image, Scheme, Site};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image.
    image: PathBuf,
    /// Show this site instead: a URL, or a host.
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  robomaton inspect crawl.rimg
  robomaton inspect crawl.rimg --json
  robomaton inspect crawl.rimg --site https://example.com";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.image)?;
    let mut out = Out::new();
    if let Some(url) = &arguments.site {
        one_site::run(&image, url, arguments.json, &mut out)?;
    } else {
        let contents = Contents::of(&image);
        if arguments.json {
            out.json(&contents)?;
        } else {
            contents.write(&mut out)?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The length of an image in bytes.
pub(crate) fn image_bytes<D: AsRef<[u8]>>(image: &Image<D>) -> usize {
    Section::ALL.into_iter().map(|section| image.layout().range(section).end).max().unwrap_or(0)
}

/// The site as a URL, or as a host alone when it was captured under no scheme.
pub(crate) fn site_name(site: &Site<'_>) -> String {
    let authority = site.authority();
    match site.scheme() {
        Scheme::Any => authority.into_owned(),
        Scheme::Http => format!("http://{authority}"),
        Scheme::Https => format!("https://{authority}"),
    }
}

/// An image in counts; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct Contents {
    profile: &'static str,
    generator: String,
    sites: usize,
    outcomes: BTreeMap<&'static str, u64>,
    captures: u64,
    documents: usize,
    crawlers: usize,
    policies: usize,
    programs: usize,
    program_bytes: Sizes,
    /// Octets of distinct texts.
    text_bytes: u64,
    /// The crawlers that the image was narrowed to; empty when it holds all.
    narrowed_to: Vec<String>,
    limits: BTreeMap<String, u64>,
    image_bytes: usize,
    hot_bytes: usize,
    sections: BTreeMap<&'static str, usize>,
}

/// Sizes of many things.
#[derive(Serialize)]
struct Sizes {
    p50: usize,
    p99: usize,
    max: usize,
}

impl Contents {
    fn of<D: AsRef<[u8]>>(image: &Image<D>) -> Contents {
        let view = image.view();
        let meta = view.meta().unwrap_or_default();
        let mut outcomes = BTreeMap::new();
        for site in image.sites() {
            *outcomes.entry(site.outcome().map_or("damaged", |outcome| outcome.name())).or_default() += 1;
        }
        let policies: BTreeSet<u32> =
            view.sites().iter().map(|site| site.policy.get()).filter(|&at| at != NONE).collect();
        let programs = programs(image, &policies);
        let bytes = |section: Section| view.section(section).len();
        Contents {
            profile: image.profile().name(),
            generator: meta.generator,
            sites: image.len(),
            outcomes,
            captures: meta.captures,
            documents: view.documents().len(),
            crawlers: view.crawlers(),
            policies: policies.len(),
            programs: programs.len(),
            program_bytes: Sizes::of(&programs, bytes(Section::Programs)),
            text_bytes: meta.text_bytes,
            narrowed_to: meta.crawlers,
            limits: meta.limits.into_iter().collect(),
            image_bytes: image_bytes(image),
            hot_bytes: Section::ALL.into_iter().filter(|section| section.is_hot()).map(bytes).sum(),
            sections: Section::ALL.into_iter().map(|section| (section.name(), bytes(section))).collect(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let outcomes: Vec<_> = self.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let Sizes { p50, p99, max } = self.program_bytes;
        writeln!(out, "profile          {}", self.profile)?;
        writeln!(out, "generator        {}", self.generator)?;
        writeln!(out, "sites            {:>12}  {}", self.sites, outcomes.join(", "))?;
        writeln!(out, "captures         {:>12}", self.captures)?;
        writeln!(out, "documents        {:>12}  {} bytes of text", self.documents, self.text_bytes)?;
        writeln!(out, "crawlers         {:>12}", self.crawlers)?;
        writeln!(out, "policies         {:>12}", self.policies)?;
        writeln!(out, "programs         {:>12}  bytes: p50 {p50}, p99 {p99}, max {max}", self.programs)?;
        if !self.narrowed_to.is_empty() {
            writeln!(out, "narrowed to      {}", self.narrowed_to.join(", "))?;
        }
        let limits: Vec<_> = self.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(out, "limits           {}", limits.join(", "))?;
        writeln!(out, "image bytes      {:>12}", self.image_bytes)?;
        writeln!(out, "  hot            {:>12}", self.hot_bytes)?;
        // In file order, which the map does not keep.
        for section in Section::ALL {
            let (name, heat) = (section.name(), if section.is_hot() { "hot" } else { "cold" });
            writeln!(out, "  {name:<14} {:>12}  {heat}", self.sections[name])?;
        }
        Ok(())
    }
}

/// The offsets of all programs.
fn programs<D: AsRef<[u8]>>(image: &Image<D>, policies: &BTreeSet<u32>) -> BTreeSet<u32> {
    let view = image.view();
    let mut programs = BTreeSet::new();
    for policy in policies.iter().filter_map(|&at| view.policy(at).and_then(PolicyView::read)) {
        for word in (0..policy.len()).map(|index| policy.set(index)).chain([policy.default_set()]).flatten() {
            if word & SET_LIST == 0 {
                programs.insert(word);
            } else if let Some(entries) = view.list(word & !SET_LIST).and_then(read_list) {
                programs.extend(entries.map(|entry| entry.program));
            }
        }
    }
    programs
}

impl Sizes {
    /// The sizes of what begins at `starts` and lies end to end.
    fn of(starts: &BTreeSet<u32>, end: usize) -> Sizes {
        let ends = starts.iter().skip(1).map(|&start| start as usize).chain([end]);
        let mut sizes: Vec<usize> =
            starts.iter().zip(ends).map(|(&start, end)| end.saturating_sub(start as usize)).collect();
        sizes.sort_unstable();
        let at = |part: usize| sizes.get((sizes.len() * part / 100).min(sizes.len().saturating_sub(1)));
        let at = |part| at(part).copied().unwrap_or(0);
        Sizes { p50: at(50), p99: at(99), max: at(100) }
    }
}
