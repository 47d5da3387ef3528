//! `robomaton inspect`: the contents of an image in counts, or one site in full.
//!
//! It reads through the checked view and decides nothing.

use crate::failure::Failure;
use crate::options::LayersArgs;
use crate::output::Out;
use clap::Args;
use robomaton_build::Counts;
use robomaton_explain::time::now;
use robomaton_explain::{ALL_RULES, SHOWN, SiteInfo, quoted, shown, similar_site};
use robomaton_formats::layout::Section;
use robomaton_runtime::Image;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image: a file, or a directory of shards or layers
    image: PathBuf,
    /// Show this site and its data.txt instead: a URL, or a host
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// List all rules of the site instead of the first 20 of each group. JSON always lists all
    #[arg(long, requires = "site")]
    rules: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
Examples:
  robomaton inspect crawl.rimg
  robomaton inspect crawl.rimg --json
  robomaton inspect crawl.rimg --site https://example.com
  robomaton inspect crawl.rimg --site example.com --rules";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = arguments.layers.open(&arguments.image)?;
    let mut out = Out::new();
    if let Some(url) = &arguments.site {
        let site = SiteInfo::find(&image, url, now());
        let site = site.ok_or_else(|| Failure::Message(no_site(&image, url)))?;
        if arguments.json {
            out.json(&site)?;
        } else {
            site.write(if arguments.rules { ALL_RULES } else { SHOWN }, &mut out)?;
        }
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

/// The message for a site that the image does not have; it names a similar site that it has.
fn no_site(image: &Image, url: &str) -> String {
    let asked = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    similar_site(image, &asked)
        .unwrap_or_else(|| format!("the image does not contain the site of {}", quoted(url)))
}

/// An image in counts; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct Contents {
    profile: &'static str,
    generator: String,
    sites: usize,
    outcomes: BTreeMap<&'static str, u64>,
    /// data.txt documents by outcome.
    data_txt: BTreeMap<&'static str, u64>,
    crawlers: usize,
    /// The layers of a stack. What older ones hold counts below, also if newer ones hide it.
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<usize>,
    #[serde(flatten)]
    counts: Counts,
    program_bytes: Sizes,
    /// The crawlers that the image was restricted to; empty if it has all.
    narrowed_to: Vec<String>,
    limits: BTreeMap<String, u64>,
    /// Optional tables and control tokens that counted.
    vocabulary: Vec<String>,
    image_bytes: usize,
    hot_bytes: usize,
    sections: BTreeMap<&'static str, usize>,
}

/// Percentiles of sizes.
#[derive(Serialize)]
struct Sizes {
    p50: usize,
    p99: usize,
    max: usize,
}

impl Contents {
    fn of<D: AsRef<[u8]>>(image: &Image<D>) -> Contents {
        let meta = image.view().meta().unwrap_or_default();
        let layers: Vec<Image<&[u8]>> = image.layers().collect();
        let names = |layer: &Image<&'_ [u8]>| {
            let view = layer.view();
            view.crawler_ids().filter_map(|id| view.crawler(id).map(<[u8]>::to_vec)).collect::<Vec<_>>()
        };
        let crawlers: BTreeSet<Vec<u8>> = layers.iter().flat_map(names).collect();
        let (mut outcomes, mut data_txt) = (BTreeMap::new(), BTreeMap::new());
        for site in image.entries() {
            let of = if site.document_name().is_some() { &mut data_txt } else { &mut outcomes };
            *of.entry(site.outcome().map_or("damaged", |outcome| outcome.name())).or_default() += 1;
        }
        let counts = Counts::of(image);
        let bytes = |section| image.section_bytes(section);
        Contents {
            profile: image.profile().name(),
            generator: meta.generator,
            sites: outcomes.values().sum::<u64>() as usize,
            outcomes,
            data_txt,
            crawlers: crawlers.len(),
            layers: Some(layers.len()).filter(|&layers| layers > 1),
            program_bytes: Sizes::of(&counts.program_bytes),
            counts,
            narrowed_to: meta.crawlers,
            limits: meta.limits.into_iter().collect(),
            vocabulary: meta.vocabulary.iter().map(|entry| entry.replace('\t', " ")).collect(),
            image_bytes: image.bytes(),
            hot_bytes: Section::ALL.into_iter().filter(|section| section.is_hot()).map(bytes).sum(),
            sections: Section::ALL.into_iter().map(|section| (section.name(), bytes(section))).collect(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let counts = |of: &BTreeMap<&str, u64>| {
            of.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        let Sizes { p50, p99, max } = self.program_bytes;
        writeln!(out, "profile          {}", self.profile)?;
        writeln!(out, "generator        {}", shown(&self.generator))?;
        writeln!(out, "sites            {:>12}  {}", self.sites, counts(&self.outcomes))?;
        if !self.data_txt.is_empty() {
            let total: u64 = self.data_txt.values().sum();
            writeln!(out, "data.txt         {total:>12}  {}", counts(&self.data_txt))?;
        }
        if let Some(layers) = self.layers {
            writeln!(out, "layers           {layers:>12}  each counts below as a whole")?;
        }
        let Counts { documents, text_bytes, rules, policies, programs, .. } = &self.counts;
        writeln!(out, "documents        {documents:>12}  {text_bytes} bytes of text")?;
        writeln!(out, "rules            {rules:>12}")?;
        writeln!(out, "crawlers         {:>12}", self.crawlers)?;
        writeln!(out, "policies         {policies:>12}")?;
        writeln!(out, "programs         {programs:>12}  bytes: p50 {p50}, p99 {p99}, max {max}")?;
        if !self.narrowed_to.is_empty() {
            writeln!(out, "narrowed to      {}", shown(&self.narrowed_to.join(", ")))?;
        }
        if !self.vocabulary.is_empty() {
            writeln!(out, "vocabulary       {}", shown(&self.vocabulary.join(", ")))?;
        }
        let limits: Vec<_> = self.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(out, "limits           {}", shown(&limits.join(", ")))?;
        writeln!(out, "image bytes      {:>12}", self.image_bytes)?;
        writeln!(out, "  hot            {:>12}", self.hot_bytes)?;
        // In file order, which the map does not preserve.
        for section in Section::ALL {
            let (name, heat) = (section.name(), if section.is_hot() { "hot" } else { "cold" });
            writeln!(out, "  {name:<14} {:>12}  {heat}", self.sections[name])?;
        }
        Ok(())
    }
}

impl Sizes {
    /// The percentiles of ascending sizes.
    fn of(sizes: &[usize]) -> Sizes {
        let at = |part: usize| sizes.get((sizes.len() * part / 100).min(sizes.len().saturating_sub(1)));
        let at = |part| at(part).copied().unwrap_or(0);
        Sizes { p50: at(50), p99: at(99), max: at(100) }
    }
}
