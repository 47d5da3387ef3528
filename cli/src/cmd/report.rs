//! `robomaton report`: one page with charts and tables of an image, or of several over time, and a
//! search for sites.
//!
//! `robomaton_report` produces the page; this file writes it and shows the progress.

use crate::bar;
use crate::cmd::lint;
use crate::failure::Failure;
use crate::options::{ForceArgs, LayersArgs};
use crate::output::Out;
use crate::signals::watch;
use crate::tables::{Snapshot, open_images};
use clap::Args;
use indicatif::ProgressBar;
use robomaton_build::Target;
use robomaton_explain::{options_of, time::rfc3339};
use robomaton_formats::crawlers::known;
use robomaton_report::{Figures, Options, SITES, StanceCounts, UsageCounts, is_report, report_over_time};
use robomaton_runtime::{Image, Outcome};
use robomaton_tables::coverage::Share;
use robomaton_tables::stances::Stance;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Images; with several, the page is about the newest one and charts blocked crawlers over time
    #[arg(required = true, value_name = "IMAGE")]
    images: Vec<PathBuf>,
    /// HTML file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Title of the page [default: What N sites tell crawlers]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Number of sites whose policies are embedded for the search. If there are more, the sites
    /// with the longest records are taken
    #[arg(long, value_name = "N", default_value_t = SITES)]
    sites: usize,
    #[command(flatten)]
    force: ForceArgs,
    /// Print the counts as JSON: one object per line for each image, the newest last
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
The page is one HTML file that loads nothing else. Its charts count all sites: blocked crawlers, how much of a site \
well-known crawlers may crawl, who reserves AI training and other uses, in which language, outcomes, rules, sizes, wildcards, the most named crawlers and the warnings of lint, each \
with its table. Sizes and warnings need the texts, which an image compiled with --no-sources does not contain. The newest \
of several images is the one with the newest capture.

Examples:
  robomaton report crawl.rimg -o report.html
  robomaton report crawl.rimg -o report.html --title 'Newspapers, May 2026' \\
    --sites 1000
  robomaton report may.rimg june.rimg july.rimg -o series.html

A link to one site: report.html#site=https%3A%2F%2Fexample.com, or #site=example.com";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let snapshots = open_images(&arguments.images, &arguments.layers)?;
    let images: Vec<(&str, &Image)> =
        snapshots.iter().map(|Snapshot { name, image, .. }| (name.as_str(), image)).collect();
    arguments.force.check(&arguments.output, &arguments.images, "a report", |head, _| is_report(head))?;
    watch()?;
    let target = Target::open(&arguments.output, "--output names the page")?;
    let options = Options {
        compiled: images.last().map(|(_, image)| options_of(image)).unwrap_or_default(),
        sites: arguments.sites,
        title: arguments.title.clone(),
        lints: lint::DOCUMENT,
    };
    let done = AtomicU64::new(0);
    let look = |bar: &ProgressBar| bar.set_position(done.load(Ordering::Relaxed));
    let shape = "{elapsed_precise} [{wide_bar}] {human_pos} of {human_len} sites";
    let sites = images.iter().map(|(_, image)| image.len() as u64).sum();
    let made = bar::with_bar(Some(sites), shape, look, || report_over_time(&images, &options, &done));
    let report = made.map_err(Failure::from_error)?;
    target.file().write_all(report.html.as_bytes()).map_err(|error| target.failed(error))?;
    let file = target.path().display().to_string();
    target.finish()?;
    if arguments.json {
        let mut out = Out::new();
        let figures = report.earlier.iter().map(|point| &point.figures).chain([&report.figures]);
        for (snapshot, figures) in snapshots.iter().zip(figures) {
            out.json(&Counted::of(&snapshot.name, figures, &file))?;
        }
        out.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The counts of an image; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct Counted<'a> {
    /// The page.
    file: &'a str,
    image: &'a str,
    sites: u64,
    sites_with_rules: u64,
    oldest: Option<String>,
    newest: Option<String>,
    crawlers: Vec<CountedCrawler>,
    /// Sites where a language refuses AI training to everyone.
    reserving_ai_train: u64,
    uses: Vec<CountedUse>,
}

/// The sites of an image by what they say about a use to a crawler that no group names.
#[derive(Serialize)]
struct CountedUse {
    usage: &'static str,
    #[serde(flatten)]
    sites: CountedStances,
    silent: u64,
    languages: Vec<CountedLanguage>,
    contradictory: u64,
    contradictions: Vec<CountedContradiction>,
}

/// The sites that speak of a use in a language, by what it says by itself.
#[derive(Serialize)]
struct CountedLanguage {
    language: &'static str,
    #[serde(flatten)]
    sites: CountedStances,
}

#[derive(Serialize)]
struct CountedStances {
    refused: u64,
    refused_in_part: u64,
    conditional: u64,
    permitted: u64,
    unknown: u64,
}

/// The sites where a language refuses what another permits.
#[derive(Serialize)]
struct CountedContradiction {
    refused_in: &'static str,
    permitted_in: &'static str,
    sites: u64,
    examples: Vec<String>,
}

impl From<&StanceCounts> for CountedStances {
    fn from(counts: &StanceCounts) -> CountedStances {
        CountedStances {
            refused: counts.with(Stance::Refused),
            refused_in_part: counts.with(Stance::RefusedInPart),
            conditional: counts.with(Stance::Conditional),
            permitted: counts.with(Stance::Permitted),
            unknown: counts.with(Stance::Unknown),
        }
    }
}

impl CountedUse {
    fn of(counts: &UsageCounts, sites: u64) -> CountedUse {
        let languages = counts.languages.iter();
        let contradictions = counts.contradictions.iter();
        CountedUse {
            usage: counts.usage,
            sites: CountedStances::from(&counts.stances),
            silent: sites - counts.stances.speaking(),
            languages: languages
                .map(|(language, of)| CountedLanguage { language: language.name(), sites: of.into() })
                .collect(),
            contradictory: counts.contradictory,
            contradictions: contradictions
                .map(|(&(refuses, permits), of)| CountedContradiction {
                    refused_in: refuses.name(),
                    permitted_in: permits.name(),
                    sites: of.sites,
                    examples: of.examples.clone(),
                })
                .collect(),
        }
    }
}

/// The sites of an image by how much of them a crawler may crawl.
#[derive(Serialize)]
struct CountedCrawler {
    crawler: &'static str,
    kept_out: u64,
    kept_out_by_name: u64,
    some: u64,
    all: u64,
    /// Of the sites that keep it out by name, those where a language refuses AI training to
    /// everyone as well.
    reserving_ai_train: u64,
}

impl<'a> Counted<'a> {
    fn of(image: &'a str, figures: &Figures, file: &'a str) -> Counted<'a> {
        let everyone = [(("*", &figures.everyone), 0)];
        let named = known().iter().map(|known| known.token).zip(&figures.coverages);
        let named = named.zip(figures.uses.crawlers.iter().map(|of| of.reserving));
        let crawlers = everyone.into_iter().chain(named);
        let crawlers = crawlers.map(|((crawler, coverages), reserving_ai_train)| CountedCrawler {
            crawler,
            kept_out: coverages.kept_out(),
            kept_out_by_name: coverages.named(Share::Nothing),
            some: coverages.all(Share::Part),
            all: coverages.all(Share::All),
            reserving_ai_train,
        });
        Counted {
            file,
            image,
            sites: figures.sites,
            sites_with_rules: figures.with(Outcome::Rules),
            oldest: figures.fetched.and_then(|(oldest, _)| rfc3339(oldest)),
            newest: figures.fetched.and_then(|(_, newest)| rfc3339(newest)),
            crawlers: crawlers.collect(),
            reserving_ai_train: figures.uses.reserving,
            uses: figures.uses.usages.iter().map(|counts| CountedUse::of(counts, figures.sites)).collect(),
        }
    }
}
