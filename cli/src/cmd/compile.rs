//! `robomaton compile`: captures in, one image out, whole or not at all.
//!
//! Drives `corpus::prepare` and tells what came of it. The image is written beside its target, synced and renamed over
//! it, so that whoever maps the old one keeps it and nobody ever sees half of the new one.

mod summary;

use crate::failure::Failure;
use crate::options::Dialect;
use crate::output::{Out, remark};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Input, Prepared, Progress, ReadLimits, Report, prepare, total_bytes};
use robomaton_formats::WriteError;
use robomaton_runtime::{Image, Profile};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use summary::Summary;
use tempfile::NamedTempFile;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Directories and archives of files named after their hosts, single such files, WARC files, tables (JSONL, CSV,
    /// Parquet), indexes of byte ranges; `-` is standard input, `@LIST` a file that names inputs. What they look like is
    /// told below.
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    /// The image to write.
    #[arg(short, long, value_name = "IMAGE")]
    output: PathBuf,
    #[command(flatten)]
    dialect: Dialect,
    /// The folder below which the WARC files lie that an index of byte ranges names.
    #[arg(long, value_name = "DIR", default_value = ".")]
    warc_root: PathBuf,
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

Input formats. What is packed with gzip or zstd is unpacked, whatever it is called; what a file begins with decides \
before its name does:
  WARC (.warc, .warc.gz, .warc.zst): the response records, and revisits, which make the capture that they refer to as \
new as themselves; of other URLs than /robots.txt, redirects, files that are referred to, /data.txt and, with --pages, \
HTML pages are used.
  JSONL (.jsonl, .ndjson), one object a line; CSV (.csv) with a header line; Parquet (.parquet). Their keys or columns, \
in any order, are `url`, a URL or a host alone, or `host`; then, each of them optional, `status` (200 if there is a \
body; a row without both says that the site did not answer), `fetched_at` (RFC 3339, or seconds since 1970; in Parquet \
a timestamp, too), `body` or `body_base64` (decoded, whatever Content-Encoding says), `headers` (an object of names and \
values; in CSV and Parquet its JSON), `truncated` (true if the body is cut). Others are passed over. An empty cell of a \
CSV is no value.
  The same with `filename`, `offset` and `length` instead of a body, as the indexes of Common Crawl have them (CDXJ \
lines, too): each row is a byte range of a WARC file, which lies below --warc-root.
  Files in directories, or named alone: one robots.txt each, named HOST or HOST.txt, as in example.com.txt; a host of \
one label, such as intranet, needs the ending. They count as fetched with status 200, at a time not known. Files of \
other formats among them are read as what their names say.
  tar and zip archives (.tar, .tar.gz, .tgz, .tar.zst, .zip): as such directories. Parquet and zip are read from files \
only, not from standard input nor inside an archive.
  @LIST: one path a line, relative to the current folder; blank lines and lines that begin with # are passed over.

Examples:
  robomaton compile crawl.warc.gz -o crawl.rimg
  robomaton compile robots/ more.jsonl -o crawl.rimg --profile google --json
  robomaton compile crawl.warc.gz -o crawl.rimg --pages
  robomaton compile @robotstxt.paths -o crawl.rimg
  robomaton compile index.parquet -o crawl.rimg --warc-root /data/commoncrawl
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
    let inputs =
        Input::from_args(arguments.inputs.iter().map(OsString::as_os_str)).map_err(Failure::from_error)?;
    // Before the work is done, not after, is the time to find out that the target cannot be written.
    let mut target = Target::open(&arguments.output)?;
    let scratch = target.directory().map(Path::to_owned);
    let options = BatchOptions {
        compile,
        pages: arguments.pages,
        threads: arguments.threads,
        read,
        warc_root: Some(arguments.warc_root.clone()),
        scratch,
    };
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
    let (report, image) = target.write(prepared)?;
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

/// Where the image goes.
struct Target {
    path: PathBuf,
    /// A new file, which is renamed to the path.
    file: NamedTempFile,
    /// A pipe or a device, which nothing can be renamed over: it gets a copy of the file.
    stream: Option<File>,
}

impl Target {
    fn open(path: &Path) -> Result<Target, Failure> {
        let failed = |error| cannot_write(path, error);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".robomaton-").suffix(".part");
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => Err(Failure::of(path, "is a directory; --output names the image")),
            Ok(data) if !data.is_file() => {
                let stream = Some(File::options().write(true).open(path).map_err(failed)?);
                Ok(Target { path: path.to_owned(), file: builder.tempfile().map_err(failed)?, stream })
            }
            known => {
                // What a link points to is replaced, not the link.
                let path =
                    if known.is_ok() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
                let file = builder.tempfile_in(directory(&path)).map_err(failed)?;
                Ok(Target { path, file, stream: None })
            }
        }
    }

    /// Where there is room for the image, if that is known.
    fn directory(&self) -> Option<&Path> {
        self.stream.is_none().then(|| directory(&self.path))
    }

    /// Writes the image beside its path; gives it, mapped.
    fn write(&mut self, prepared: Prepared<'_>) -> Result<(Report, Image), Failure> {
        let mut out = BufWriter::with_capacity(1 << 20, self.file.as_file_mut());
        let report = prepared.write(&mut out).map_err(|error| match error {
            WriteError::Io(error) => cannot_write(&self.path, error),
            WriteError::Image(error) => Failure::from_error(error),
        })?;
        out.flush().map_err(|error| cannot_write(&self.path, error))?;
        drop(out);
        Ok((report, Image::open(self.file.path()).map_err(Failure::from_error)?))
    }

    /// Puts the image in its place.
    fn finish(self) -> Result<(), Failure> {
        let Target { path, mut file, stream } = self;
        let failed = |error| cannot_write(&path, error);
        if let Some(mut stream) = stream {
            file.rewind().map_err(failed)?;
            return io::copy(&mut file, &mut stream).map(|_| ()).map_err(failed);
        }
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        // The rename itself is durable once the directory is.
        #[cfg(unix)]
        File::open(directory(&path)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(())
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => {
            // `tempfile` adds the path of the file beside the target, which is no concern of the user's.
            let said = error.to_string();
            let cause = said.split(" at path ").next().unwrap_or(&said);
            Failure::Said(format!("cannot write {}: {cause}", path.display()))
        }
    }
}

/// The directory that a file is in.
fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
