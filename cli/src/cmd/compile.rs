//! `robomaton compile`: captures in, one image out, whole or not at all.
//!
//! Drives `corpus::prepare` and tells what came of it.

mod summary;

use crate::failure::Failure;
use crate::options::Dialect;
use crate::output::{Out, remark};
use crate::target::Target;
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Input, Prepared, Progress, ReadLimits, Report, prepare, total_bytes};
use robomaton_formats::WriteError;
use robomaton_runtime::{Image, Profile};
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use summary::Summary;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Directories of files named after their hosts, single such files, WARC files, JSONL files; `-` is standard
    /// input (WARC or JSONL, compressed or not). What they look like is told below.
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    /// The image to write.
    #[arg(short, long, value_name = "IMAGE")]
    output: PathBuf,
    #[command(flatten)]
    dialect: Dialect,
    /// Keep the groups of this crawler and the default groups only; may be given several times. The image then answers
    /// `unknown` for every other crawler.
    #[arg(long = "crawler", value_name = "NAME")]
    crawlers: Vec<String>,
    /// Read HTML pages among the captures as well, for what they say to crawlers about themselves: robots META tags and
    /// ACAP classes.
    #[arg(long)]
    pages: bool,
    /// Leave the texts out: the image is smaller, and still names the deciding line, but cannot `explain`.
    #[arg(long)]
    no_sources: bool,
    /// Write the image even if it holds nothing. Otherwise that is an error, and an image that stands there is kept.
    #[arg(long)]
    allow_empty: bool,
    /// Threads that compile; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print the summary as one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Of several captures of a site the newest counts. Records that cannot be used are skipped and counted; the first of \
them are told on standard error. Captures of /data.txt become documents of their own, and files that a robots.txt \
refers to are read with it.

Input formats, each plain or compressed with gzip where it is a stream of records:
  WARC (.warc, .warc.gz): the response records; of other URLs than /robots.txt, redirects, files that are referred to, \
/data.txt and, with --pages, HTML pages are used.
  JSONL (.jsonl, .jsonl.gz): one object a line. `url` is a URL, or a host alone; then, each of them optional, `status` \
(200 if there is a body; a line without both says that the site did not answer), `fetched_at` (RFC 3339, or seconds \
since 1970), `body` or `body_base64` (decoded, whatever Content-Encoding says), `headers` (an object of names and \
values), `truncated` (true if the body is cut). Other keys are passed over.
  Files in directories, or named alone: one robots.txt each, named HOST or HOST.txt, as in example.com.txt; a host of \
one label, such as intranet, needs the ending. They count as fetched with status 200, at a time not known. WARC and \
JSONL files in directories are read as what they are.

Examples:
  robomaton compile crawl.warc.gz -o crawl.rimg
  robomaton compile robots/ more.jsonl -o crawl.rimg --profile google --json
  robomaton compile crawl.warc.gz -o crawl.rimg --pages
  zcat crawl.jsonl.gz | robomaton compile - -o crawl.rimg --crawler GPTBot
  printf '%s' '{\"url\": \"a.example\", \"body\": \"User-agent: *\\nDisallow: /\"}' | \\
    robomaton compile - -o one.rimg";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let rule = arguments.dialect.profile.agent_rule();
    if let Some(nobody) = arguments.crawlers.iter().find(|name| rule.reduce(name).is_empty()) {
        return Err(Failure::Said(format!("--crawler {nobody:?} names nobody")));
    }
    if arguments.pages && arguments.dialect.profile != Profile::Full {
        return Err(Failure::Said(format!(
            "--pages: the profile {} knows no permissions of pages; full does",
            arguments.dialect.profile
        )));
    }
    let compile = Options {
        crawlers: arguments.crawlers.clone(),
        no_sources: arguments.no_sources,
        ..arguments.dialect.options()
    };
    let mut read = ReadLimits::default();
    // The reader must not cut a text before the compiler does.
    read.max_body = read.max_body.max(compile.limits.bytes(compile.profile).saturating_add(2));
    let inputs: Vec<Input> = arguments.inputs.iter().map(|argument| Input::from_arg(argument)).collect();
    // Before the work is done, not after, is the time to find out that the target cannot be written.
    let target = Target::open(&arguments.output, "--output names the image")?;
    let scratch = target.directory().map(Path::to_owned);
    let options = BatchOptions { compile, pages: arguments.pages, threads: arguments.threads, read, scratch };
    let start = Instant::now();
    let prepared =
        with_bar(&inputs, |progress| prepare(&inputs, &options, progress)).map_err(Failure::from_error)?;
    let report = prepared.report();
    report.skipped_examples.iter().for_each(|example| remark(&format!("skipped {example}")));
    let empty = report.sites == 0 && report.data_txt.is_empty();
    let none = "the inputs hold no capture of a robots.txt";
    if empty && !arguments.allow_empty {
        let kept = "no image is written; --allow-empty writes one that holds nothing";
        return Err(Failure::Said(format!("{none}: {kept}")));
    }
    let (report, image) = write(prepared, &target)?;
    target.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    if report.captures == 0 {
        remark(&format!("{none}{}", if empty { "; the image is empty" } else { "" }));
    }
    if report.others_dropped {
        remark("too many captures of other URLs: some redirects and references may lead nowhere");
    }
    let summary = Summary::new(&report, &image, seconds);
    let mut out = Out::new();
    if arguments.json {
        out.json(&summary)?;
    } else {
        summary.write(&report, &mut out)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a job with a progress bar, if standard error is a terminal.
fn with_bar<T>(inputs: &[Input], job: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !io::stderr().is_terminal() {
        return job(&progress);
    }
    let total = if inputs.contains(&Input::Stdin) { None } else { Some(total_bytes(inputs)) };
    let bar = ProgressBar::new(total.unwrap_or(0));
    let shape = match total {
        Some(_) => "{elapsed_precise} [{wide_bar}] {bytes} of {total_bytes}, {bytes_per_sec}, {msg}",
        None => "{elapsed_precise} {spinner} {bytes}, {bytes_per_sec}, {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(shape) {
        bar.set_style(style.progress_chars("=> "));
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                bar.set_position(progress.bytes.load(Ordering::Relaxed));
                bar.set_message(format!(
                    "{} captures",
                    HumanCount(progress.captures.load(Ordering::Relaxed))
                ));
                std::thread::park_timeout(Duration::from_millis(100));
            }
        });
        let result = job(&progress);
        done.store(true, Ordering::Relaxed);
        bar.finish_and_clear();
        result
    })
}

/// Writes the image to its target, not in its place yet; gives it, mapped.
fn write(prepared: Prepared<'_>, target: &Target) -> Result<(Report, Image), Failure> {
    let mut out = BufWriter::with_capacity(1 << 20, target.file());
    let report = prepared.write(&mut out).map_err(|error| match error {
        WriteError::Io(error) => target.failed(error),
        WriteError::Image(error) => Failure::from_error(error),
    })?;
    out.flush().map_err(|error| target.failed(error))?;
    drop(out);
    Ok((report, Image::open(target.new_path()).map_err(Failure::from_error)?))
}
