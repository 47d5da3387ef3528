//! The report: one HTML page with charts of an image, their tables, and a search for sites. For
//! several images it also shows how many sites blocked crawlers over time.
//!
//! ```text
//!   image ──▶ gather ──┬─▶ figures ──▶ charts ──▶ chart, line ──▶ page ──▶ HTML
//!                      └─▶ policy ───▶ embed ───────────────────────▶ data, inflated by page.js
//! ```
//!
//! Equal images give equal pages: no clock is read. The page loads nothing and runs no script
//! except its own, by its Content-Security-Policy, and untrusted content is inserted as text only.
//! Memory: [`BYTES_A_SITE`] for each site, [`BYTES_A_TEXT`] for each text, [`WINDOW`] texts while
//! they are read, and the page; for earlier images, some 100 bytes for each text during the count.
//! Damaged parts of an image count as damaged or not at all. No rules are weighed here: `tables`
//! measures coverage and finds what sites say about uses, and `grammar` and `compiler` find
//! mistakes.

mod chart;
mod charts;
mod crawler_words;
mod embed;
mod figures;
mod gather;
mod line;
mod numbers;
mod page;
mod policy;
mod text;
mod use_charts;
mod uses;

pub use figures::{CLASSES, Coded, CoverageCounts, Figures, class_name};
pub use gather::{BYTES_A_SITE, BYTES_A_TEXT, WINDOW};
pub use page::is_report;
pub use policy::RULES_SHOWN;
pub use text::shown;
pub use uses::{Contradiction, NamedCounts, StanceCounts, UsageCounts, UseFigures};

use robomaton_compiler::Options as Compiled;
use robomaton_runtime::Image;
use std::io;
use std::sync::atomic::AtomicU64;

/// The default number of sites whose policies are in the page.
pub const SITES: usize = 50_000;

/// The options of a report.
#[derive(Clone, Debug)]
pub struct Options {
    /// The profile and limits that the image's texts were compiled with, which are also used to
    /// lint them.
    pub compiled: Compiled,
    /// The number of sites whose policies are in the page. If there are more, those with the
    /// longest records are taken.
    pub sites: usize,
    /// The title of the page; the default states the number of sites.
    pub title: Option<String>,
    /// The document that explains the codes of lint, LINTS.md. For a code that it does not have,
    /// the page shows only the code.
    pub lints: &'static str,
}

/// A finished report.
pub struct Report {
    /// The counts of the newest image.
    pub figures: Figures,
    /// The counts of the earlier images: sites, dates, coverages and uses only.
    pub earlier: Vec<Point>,
    /// The page.
    pub html: String,
}

/// An earlier image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// Its counts.
    pub figures: Figures,
}

/// Builds the report of an image. `done` grows to the number of sites, for a progress bar.
///
/// # Errors
/// If no threads can be started, or the data of the page cannot be compressed.
pub fn report<D>(image: &Image<D>, options: &Options, done: &AtomicU64) -> io::Result<Report>
where
    D: AsRef<[u8]> + Sync,
{
    report_over_time(&[("", image)], options, done)
}

/// Builds the report of several images with their names. All charts but one are about the newest
/// image, which comes last.
///
/// # Errors
/// If there is no image, no threads can be started, or the data of the page cannot be compressed.
pub fn report_over_time<D>(
    images: &[(&str, &Image<D>)],
    options: &Options,
    done: &AtomicU64,
) -> io::Result<Report>
where
    D: AsRef<[u8]> + Sync,
{
    let ((name, newest), earlier) =
        images.split_last().ok_or_else(|| io::Error::other("there is no image to report on"))?;
    // The global pool of rayon panics if it cannot start.
    let pool = rayon::ThreadPoolBuilder::new().build();
    let pool = pool.map_err(|error| io::Error::other(format!("cannot start threads: {error}")))?;
    let count = |(name, image): &(&str, &Image<D>)| Point {
        name: shown(name).into_owned(),
        figures: gather::count_coverages(image, done),
    };
    let earlier: Vec<Point> = pool.install(|| earlier.iter().map(count).collect());
    let (figures, data) = pool.install(|| gather::gather(newest, options, done))?;
    let html = page::page(newest, &shown(name), &figures, &earlier, &data, options);
    Ok(Report { figures, earlier, html })
}
