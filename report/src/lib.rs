//! The report: one HTML page with pictures of what an image holds, tables behind them, and a search for a site.
//!
//! ```text
//!   image ──▶ gather ──┬─▶ figures ──▶ page (chart) ──▶ HTML
//!                      └─▶ policy ──▶ embed ─────────▶ data in it, which page.js inflates
//! ```
//!
//! Equal images give equal pages: no clock is asked. The page asks nobody for anything, and runs no script but its own: a
//! Content-Security-Policy says so, and all that sites have written is text in it. Memory: [`BYTES_A_SITE`] for each
//! site, [`BYTES_A_TEXT`] for each text, what [`WINDOW`] texts take while they are read, and the page. Whatever is
//! damaged in an image counts as damaged or not at all. This crate weighs no rules: how much of a site a crawler may use
//! says `tables`, and what is wrong with a text say `grammar` and `compiler`.

mod chart;
mod embed;
mod figures;
mod gather;
mod page;
mod policy;
mod text;

pub use figures::{CLASSES, Coded, Extents, Figures, class_name};
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
    /// How the image's texts were compiled: their remarks are those of this dialect within these limits.
    pub compiled: Compiled,
    /// Sites whose policies the page holds; of more those whose texts say the most, by the length of their records.
    pub sites: usize,
}

/// A report that is made.
pub struct Report {
    /// What is counted.
    pub figures: Figures,
    /// The page.
    pub html: String,
}

/// Makes the report. `done` grows to the number of sites, for who waits.
///
/// # Errors
/// When what goes into the page cannot be compressed.
pub fn report<D>(image: &Image<D>, options: &Options, done: &AtomicU64) -> io::Result<Report>
where
    D: AsRef<[u8]> + Sync,
{
    let (figures, data) = gather::gather(image, options, done)?;
    let html = page::page(image, &figures, &data);
    Ok(Report { figures, html })
}
