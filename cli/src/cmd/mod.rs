//! The subcommands, one file each: arguments, help, and `run`.
//!
//! This file lists them and knows nothing else.

mod bench;
mod canonical;
mod check;
mod compile;
mod completions;
mod diff;
mod dump;
mod explain;
mod export;
mod filter;
mod inspect;
mod lint;
mod man;
mod merge;
#[cfg(feature = "pages")]
mod page;
mod query;
#[cfg(feature = "report")]
mod report;
#[cfg(feature = "serve")]
mod serve;
mod store;
mod verify;
mod visit;

use crate::failure::Failure;
#[cfg(not(all(feature = "pages", feature = "report", feature = "serve")))]
use crate::features::{LeftOut, left_out};
use crate::output::ColorArg;
use clap::Subcommand;
use std::process::ExitCode;

/// A subcommand.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compile captures of robots.txt files into an image
    Compile(compile::Arguments),
    /// Merge images into one
    Merge(merge::Arguments),
    /// Look up URLs in an image
    Query(query::Arguments),
    /// Print the URLs that a crawler may fetch
    Filter(filter::Arguments),
    /// Tell when a crawler may visit URLs (exit code 0: all of them now, 1: not all, 2: error)
    Visit(visit::Arguments),
    /// Print URLs without the parameters that Clean-param records name
    Canonical(canonical::Arguments),
    /// Look up one URL in one robots.txt (exit code 0: allowed, 1: anything else, 2: error)
    Check(check::Arguments),
    /// Show which groups and rules apply to a URL, and why
    Explain(explain::Arguments),
    /// Look up the permissions in one page (exit code 0: allowed, 1: anything else, 2: error)
    #[cfg(feature = "pages")]
    Page(page::Arguments),
    /// Not in this build: needs the feature `pages`
    #[cfg(not(feature = "pages"))]
    Page(LeftOut),
    /// Find mistakes in robots.txt files (exit code 1: errors or warnings)
    Lint(lint::Arguments),
    /// Show a stage of the compiler as text
    Dump(dump::Arguments),
    /// Check every byte of an image
    Verify(verify::Arguments),
    /// Show the contents of an image
    Inspect(inspect::Arguments),
    /// Export an image as tables: Parquet, CSV or JSON lines
    Export(export::Arguments),
    /// Show the differences between two images, and which crawlers gained or lost access
    Diff(diff::Arguments),
    /// Write an HTML report about an image: charts, tables and a search for sites
    #[cfg(feature = "report")]
    Report(report::Arguments),
    /// Not in this build: needs the feature `report`
    #[cfg(not(feature = "report"))]
    Report(LeftOut),
    /// Serve verdicts over HTTP, with a page for testing robots.txt files
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    /// Not in this build: needs the feature `serve`
    #[cfg(not(feature = "serve"))]
    Serve(LeftOut),
    /// Keep captures while a crawl runs, and tell which robots.txt files to fetch again
    Store(store::Arguments),
    /// Measure look-ups in an image
    Bench(bench::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
    /// Write man pages
    Man(man::Arguments),
}

impl Command {
    pub(crate) fn run(&self, color: ColorArg) -> Result<ExitCode, Failure> {
        match self {
            Command::Compile(arguments) => compile::run(arguments),
            Command::Merge(arguments) => merge::run(arguments),
            Command::Query(arguments) => query::run(arguments, color),
            Command::Filter(arguments) => filter::run(arguments),
            Command::Visit(arguments) => visit::run(arguments, color),
            Command::Canonical(arguments) => canonical::run(arguments),
            Command::Check(arguments) => check::run(arguments, color),
            Command::Explain(arguments) => explain::run(arguments, color),
            #[cfg(feature = "pages")]
            Command::Page(arguments) => page::run(arguments),
            #[cfg(not(feature = "pages"))]
            Command::Page(_) => Err(left_out("pages")),
            Command::Lint(arguments) => lint::run(arguments, color),
            Command::Dump(arguments) => dump::run(arguments),
            Command::Verify(arguments) => verify::run(arguments),
            Command::Inspect(arguments) => inspect::run(arguments),
            Command::Export(arguments) => export::run(arguments),
            Command::Diff(arguments) => diff::run(arguments),
            #[cfg(feature = "report")]
            Command::Report(arguments) => report::run(arguments),
            #[cfg(not(feature = "report"))]
            Command::Report(_) => Err(left_out("report")),
            #[cfg(feature = "serve")]
            Command::Serve(arguments) => serve::run(arguments),
            #[cfg(not(feature = "serve"))]
            Command::Serve(_) => Err(left_out("serve")),
            Command::Store(arguments) => store::run(arguments),
            Command::Bench(arguments) => bench::run(arguments),
            Command::Completions(arguments) => completions::run(arguments),
            Command::Man(arguments) => man::run(arguments),
        }
    }
}
