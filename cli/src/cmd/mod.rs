//! The subcommands, one file each: arguments, help, and `run`.
//!
//! This file is their table of contents and knows nothing more.

mod bench;
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
mod verify;
mod visit;

use crate::failure::Failure;
#[cfg(not(all(feature = "pages", feature = "report", feature = "serve")))]
use crate::features::{LeftOut, left_out};
use crate::output::ColorArg;
use clap::Subcommand;
use std::process::ExitCode;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compile captures of robots.txt files into an image.
    Compile(compile::Arguments),
    /// Put images together into one.
    Merge(merge::Arguments),
    /// Ask an image about URLs.
    Query(query::Arguments),
    /// Let those URLs through that a crawler may fetch.
    Filter(filter::Arguments),
    /// Say when a crawler may visit URLs: exit code 0 all of them now, 1 not all, 2 error.
    Visit(visit::Arguments),
    /// Ask one robots.txt about one URL: exit code 0 allowed, 1 not plainly allowed, 2 error.
    Check(check::Arguments),
    /// Say which group and rules answer, and why.
    Explain(explain::Arguments),
    /// Ask one page with permissions in it about itself: exit code 0 allowed, 1 not allowed, 2
    /// error.
    #[cfg(feature = "pages")]
    Page(page::Arguments),
    /// Left out of this build: needs the feature `pages`.
    #[cfg(not(feature = "pages"))]
    Page(LeftOut),
    /// Find mistakes in robots.txt files: exit code 1 if there are errors or warnings.
    Lint(lint::Arguments),
    /// Show a stage of the compiler as text.
    Dump(dump::Arguments),
    /// Check every byte of an image.
    Verify(verify::Arguments),
    /// Show what an image holds.
    Inspect(inspect::Arguments),
    /// Write what an image holds as tables: Parquet, CSV or JSON lines.
    Export(export::Arguments),
    /// Say what two images differ in, and which crawlers gained or lost by it.
    Diff(diff::Arguments),
    /// Make a page of pictures, tables and a search out of an image.
    #[cfg(feature = "report")]
    Report(report::Arguments),
    /// Left out of this build: needs the feature `report`.
    #[cfg(not(feature = "report"))]
    Report(LeftOut),
    /// Answer over HTTP, and show a page to try robots.txt files on.
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    /// Left out of this build: needs the feature `serve`.
    #[cfg(not(feature = "serve"))]
    Serve(LeftOut),
    /// Measure look-ups in an image.
    Bench(bench::Arguments),
    /// Print what a shell needs to complete the command's words.
    Completions(completions::Arguments),
    /// Write man pages.
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
            Command::Bench(arguments) => bench::run(arguments),
            Command::Completions(arguments) => completions::run(arguments),
            Command::Man(arguments) => man::run(arguments),
        }
    }
}
