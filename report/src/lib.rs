//! The report: one HTML page with pictures of what an image holds, tables behind them, and a search
//! for a site. Of several images it also shows who was kept out over time.
//!
//! ```text
//!   image ──▶ gather ──┬─▶ figures ──▶ charts ──▶ chart, line ──▶ page ──▶ HTML
//!                      └─▶ policy ───▶ embed ───────────────────────▶ data in it, which page.js inflates
//! ```
//!
//! Equal images give equal pages: no clock is asked. The page asks nobody for anything, and runs no
//! script but its own: a Content-Security-Policy says so, and all that sites have written is text
//! in it. Memory: [`BYTES_A_SITE`] for each site, [`BYTES_A_TEXT`] for each text, what [`WINDOW`]
//! texts take while they are read, and the page; of earlier images some 100 bytes for each text
//! while it is counted. Whatever is damaged in an image counts as damaged or not at all. This crate
//! weighs no rules: how much of a site a crawler may use says `tables`, and what is wrong with a
//! text say `grammar` and `compiler`.

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

/// What a report is made with.
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
    /// What is counted in the newest image.
    pub figures: Figures,
    /// What is counted in the earlier images: sites, dates and coverages alone.
    pub earlier: Vec<Point>,
    /// The page.
    pub html: String,
}

/// An earlier image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What it is called.
    pub name: String,
    /// What is counted.
    pub figures: Figures,
}

/// Makes the report of an image. `done` grows to the number of sites, for who waits.
///
/// # Errors
/// When what goes into the page cannot be compressed.
pub fn report<D>(image: &Image<D>, options: &Options, done: &AtomicU64) -> io::Result<Report>
where
    D: AsRef<[u8]> + Sync,
{
    report_over_time(&[("", image)], options, done)
}

/// Makes the report of images with their names, the newest last, which all pictures but one are
/// about.
///
/// # Errors
/// When there is none, or what goes into the page cannot be compressed.
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
