//! The report: one HTML page with pictures of an image, the tables behind them, and a search for a
//! site. For several images it also shows how many sites kept crawlers out over time.
//!
//! ```text
//!   image ──▶ gather ──┬─▶ figures ──▶ charts ──▶ chart, line ──▶ page ──▶ HTML
//!                      └─▶ policy ───▶ embed ───────────────────────▶ data, inflated by page.js
//! ```
//!
//! Equal images give equal pages: no clock is read. The page loads nothing and runs no script but
//! its own, by its Content-Security-Policy, and untrusted content is inserted as text only. Memory:
//! [`BYTES_A_SITE`] for each site, [`BYTES_A_TEXT`] for each text, [`WINDOW`] texts while they are
//! read, and the page; for earlier images, some 100 bytes for each text while it is counted.
//! Damaged parts of an image count as damaged or not at all. No rules are weighed here: `tables`
//! measures coverage, and `grammar` and `compiler` find mistakes.

mod chart;
mod charts;
mod embed;
mod figures;
mod gather;
mod line;
mod numbers;
mod page;
mod policy;
mod text;

pub use figures::{CLASSES, Coded, CoverageCounts, Figures, class_name};
pub use gather::{BYTES_A_SITE, BYTES_A_TEXT, WINDOW};
pub use policy::RULES_SHOWN;
pub use text::shown;

use robomaton_compiler::Options as Compiled;
use robomaton_runtime::Image;
use std::io;
use std::sync::atomic::AtomicU64;

/// Sites that a page holds the policies of, unless more or fewer are asked for.
pub const SITES: usize = 50_000;

/// The options of a report.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the image's texts were compiled: their remarks are those of this dialect within these
    /// limits.
    pub compiled: Compiled,
    /// Sites whose policies the page holds; of more those whose texts say the most, by the length
    /// of their records.
    pub sites: usize,
    /// What stands above the page; else it says how many sites there are.
    pub title: Option<String>,
    /// The document that explains the codes of lint, LINTS.md; of a code that it does not have the
    /// page says no more than the code.
    pub lints: &'static str,
}

/// A report that is made.
pub struct Report {
    /// The counts of the newest image.
    pub figures: Figures,
    /// The counts of the earlier images: sites, dates and coverages only.
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

/// Makes the report of an image. `done` grows to the number of sites, for a progress bar.
///
/// # Errors
/// When the data of the page cannot be compressed.
pub fn report<D>(image: &Image<D>, options: &Options, done: &AtomicU64) -> io::Result<Report>
where
    D: AsRef<[u8]> + Sync,
{
    report_over_time(&[("", image)], options, done)
}

/// Makes the report of several images with their names. All pictures but one are about the newest
/// image, which comes last.
///
/// # Errors
/// When there is no image, or the data of the page cannot be compressed.
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
    let earlier: Vec<Point> = earlier
        .iter()
        .map(|(name, image)| Point {
            name: shown(name).into_owned(),
            figures: gather::count_coverages(image, done),
        })
        .collect();
    let (figures, data) = gather::gather(newest, options, done)?;
    let html = page::page(newest, &shown(name), &figures, &earlier, &data, options);
    Ok(Report { figures, earlier, html })
}
