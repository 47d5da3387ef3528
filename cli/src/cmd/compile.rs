//! `robomaton compile`: compiles captures into one image, which is written completely or not at
//! all.
//!
//! It turns arguments into a job of `robomaton-build` and shows the progress and the summary.

use crate::bar;
use crate::failure::Failure;
use crate::input::is_url;
use crate::options::{DestinationArgs, Dialect, ThreadsArgs};
use crate::output::{Out, is_verbose, remark};
use clap::Args;
use indicatif::{HumanCount, ProgressBar};
use robomaton_build::{Compile, Error};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Input, Progress, SkipReason, total_bytes};
use robomaton_explain::count;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Skipped records that are reported one by one; `--verbose` reports all.
const SKIPPED: usize = 10;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Captures: directories and archives of files named after their hosts, single files of this
    /// kind, WARC files, tables (JSONL, CSV, Parquet), indexes of byte ranges; `-` means standard
    /// input, `@LIST` a file that lists inputs. See below for the formats
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    #[command(flatten)]
    destination: DestinationArgs,
    #[command(flatten)]
    dialect: Dialect,
    /// Directory of the WARC files that an index of byte ranges names
    #[arg(long, value_name = "DIR", default_value = ".")]
    warc_root: PathBuf,
    /// Keep only the default groups and the groups of this crawler; may be given several times. For
    /// all other crawlers, the image then answers `unknown`
    #[arg(long = "crawler", value_name = "NAME")]
    crawlers: Vec<String>,
    /// Also read what captured pages and their headers say about uses, and the documents
    /// /.well-known/tdmrep.json and /ai.txt
    #[arg(long)]
    pages: bool,
    /// Do not store the texts: the image is smaller and still names the deciding line, but
    /// `explain` does not work
    #[arg(long)]
    no_sources: bool,
    /// Read every file whose name could be a host as the robots.txt of that host, including
    /// README.md and other names that look like something else
    #[arg(long)]
    any_name: bool,
    /// Write the image even if it is empty. Otherwise an empty result is an error, and an existing
    /// image is kept
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    threads: ThreadsArgs,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
The newest capture of a site counts. Records that cannot be used are skipped and counted; the first few are reported \
on standard error. The summary has four lines, or all of them with --verbose. Captures of /data.txt become documents of \
their own, and files that a robots.txt refers to are read with it.

Input formats are detected from the first bytes, then from the name. Data compressed with gzip or zstd is decompressed, \
whatever its name:
  WARC (.warc, .warc.gz, .warc.zst): response records, and revisits, which renew the capture that they refer to. Of \
URLs other than /robots.txt, redirects, referenced files, /data.txt and, with --pages, HTML pages are used.
  JSONL (.jsonl, .jsonlines, .jl, .ndjson), one object per line; CSV (.csv) with a header line; Parquet (.parquet). Keys or \
columns, in any order: `url` (a URL or only a host) or `host`; optionally `status` (200 if there is a body; a row without both means \
that the site did not answer), `fetched_at` (RFC 3339, or seconds since 1970; in Parquet also a timestamp), `body` or \
`body_base64` (decoded, whatever Content-Encoding says), `headers` (an object of names and values; in CSV and Parquet as \
JSON), `truncated` (true if the body is cut). Others are ignored. An empty CSV cell is no value.
  The same with `filename`, `offset` and `length` instead of a body, as in the indexes of Common Crawl (also as CDXJ \
lines): each row is a byte range of a WARC file below --warc-root.
  Files in directories, or given by name: one robots.txt each, named HOST or HOST.txt, as in example.com.txt; a host of \
one label, such as intranet, needs the extension. If the name is more common for another kind of file (README.md, \
notes.txt), the file is read if most of its lines are robots.txt records. The capture counts as fetched with status 200 \
at an unknown time. Files of other formats are read as their names say.
  tar and zip archives (.tar, .tar.gz, .tgz, .tar.zst, .zip): read like directories. Parquet and zip are read from files \
only, not from standard input or inside an archive.
  @LIST: one path per line, relative to the current directory; blank lines and lines that begin with # are ignored.

Examples:
  robomaton compile crawl.warc.gz -o crawl.rimg
  robomaton compile robots/ more.jsonl -o crawl.rimg --profile google --json
  robomaton compile crawl.warc.gz -o crawl.rimg --pages
  robomaton compile crawl.warc.gz -o crawl.shards --shards 8
  robomaton compile @robotstxt.paths -o crawl.rimg
  robomaton compile index.parquet -o crawl.rimg --warc-root /data/commoncrawl
  zcat crawl.jsonl.gz | robomaton compile - -o crawl.rimg --crawler GPTBot
  printf '%s' '{\"url\": \"a.example\", \"body\": \"User-agent: *\\nDisallow: /\"}' | \\
    robomaton compile - -o one.rimg";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let compile = Options {
        crawlers: arguments.crawlers.clone(),
        no_sources: arguments.no_sources,
        ..arguments.dialect.options()
    };
    if let Some(url) = arguments.inputs.iter().filter_map(|input| input.to_str()).find(|input| is_url(input))
    {
        let cure = "is a URL, not a file; fetch it first, into a file named after its host";
        return Err(Failure::Message(format!("{url}: {cure}")));
    }
    let inputs =
        Input::from_args(arguments.inputs.iter().map(OsString::as_os_str)).map_err(Failure::from_error)?;
    let mut options = BatchOptions {
        compile,
        pages: arguments.pages,
        threads: arguments.threads.threads,
        warc_root: Some(arguments.warc_root.clone()),
        ..BatchOptions::default()
    };
    options.read.any_name = arguments.any_name;
    let job = Compile::new(inputs, options, arguments.allow_empty).map_err(|error| match error {
        Error::Nobody(error) => Failure::Message(format!("--crawler: {error}")),
        Error::Pages(profile) => {
            Failure::Message(format!("--pages: the profile {profile} knows no permissions of pages"))
        }
        error => error.into(),
    })?;
    // Report a target that cannot be written before the work begins, not after it.
    let destination = arguments.destination.open()?;
    let inputs = job.inputs().to_vec();
    let compiled = with_bar(&inputs, |progress| job.run(destination, progress)).map_err(|error| {
        let Error::Empty { skipped, examples } = &error else { return error.into() };
        remark_skipped(skipped, examples);
        Failure::Message(format!("{error}; --allow-empty writes an empty one"))
    })?;
    let report = &compiled.report;
    remark_skipped(&report.skipped, &report.skipped_examples);
    if report.captures == 0 {
        let empty = if compiled.image.is_empty() { "; the image is empty" } else { "" };
        remark(&format!("the inputs contain no capture of a robots.txt{empty}"));
    }
    if report.others_dropped {
        remark("too many captures of other URLs: some redirects and references may lead nowhere");
    }
    if !arguments.json && !is_verbose() {
        let over = report.over_limit.len();
        if over > 0 {
            remark(&format!("{} over a limit; --verbose names them", count(over, "site")));
        }
        if !report.cut_sites.is_empty() {
            let sites = count(report.cut_sites.len(), "site");
            remark(&format!("{sites} with a text longer than --max-bytes; --verbose names them"));
        }
    }
    let mut out = Out::new();
    match (arguments.json, is_verbose()) {
        (true, _) => out.json(&compiled.summary())?,
        (false, true) => compiled.summary().write(&mut out)?,
        (false, false) => compiled.write_brief(&mut out)?,
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Reports skipped records: the first ones, and the number of the others.
fn remark_skipped(skipped: &BTreeMap<&'static str, u64>, examples: &[String]) {
    let shown = if is_verbose() { examples.len() } else { examples.len().min(SKIPPED) };
    examples[..shown].iter().for_each(|example| remark(&format!("skipped {example}")));
    let total: u64 = skipped.values().sum();
    if total > shown as u64 {
        let more = total - shown as u64;
        remark(&format!("and {more} more skipped"));
    }
    if skipped.contains_key(SkipReason::NoRobots(String::new()).name()) {
        remark("--any-name compiles files that do not look like a robots.txt, too");
    }
}

/// Runs a job with a progress bar, if standard error is a terminal.
fn with_bar<T>(inputs: &[Input], job: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    let total = if inputs.contains(&Input::Stdin) { None } else { Some(total_bytes(inputs)) };
    let shape = match total {
        Some(_) => "{elapsed_precise} [{wide_bar}] {bytes} of {total_bytes}, {bytes_per_sec}, {msg}",
        None => "{elapsed_precise} {spinner} {bytes}, {bytes_per_sec}, {msg}",
    };
    let look = |bar: &ProgressBar| {
        bar.set_position(progress.bytes.load(Ordering::Relaxed));
        bar.set_message(format!("{} captures", HumanCount(progress.captures.load(Ordering::Relaxed))));
    };
    bar::with_bar(total, shape, look, || job(&progress))
}
