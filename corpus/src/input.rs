//! Inputs of a run: opens them, finds out what they are, and hands each to its reader.
//!
//! The way into this crate. What a file is, `kind` says; what is packed, `source` unpacks. Invariants: inputs are read in
//! the order given, directories in the order of their entries' names, so one command line gives one order of items on
//! every machine; only an input that was named and cannot be opened is an error, everything else is an item.
//! It does not know the formats.

use crate::doubt::is_robots;
use crate::kind::{HEAD, HostName, Kind, Name};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::ranges::Ranges;
use crate::sink::Sink;
use crate::source::Source;
use crate::window::Window;
#[cfg(feature = "zip")]
use crate::zip;
use crate::{Capture, Item, ReadLimits, SkipReason, csv, jsonl, tar, warc};
use robomaton_formats::layout::MAGIC;
use robomaton_formats::site::SiteKey;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Octets of a stream without a name that show what it is.
const GLANCE: usize = 4096;

/// One input of a run, as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A directory, a file that holds captures, or one named after its host.
    Path(PathBuf),
    /// Standard input, `-`: any stream of captures, packed or not.
    Stdin,
}

impl Input {
    /// The input that an argument names.
    pub fn from_arg(arg: &OsStr) -> Input {
        if arg == "-" { Input::Stdin } else { Input::Path(arg.into()) }
    }
}

impl From<&OsStr> for Input {
    fn from(arg: &OsStr) -> Input {
        Input::from_arg(arg)
    }
}

/// An input that was named and cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be opened. Check the path, and the permission to read it.
    #[error("cannot open {}: {error}{}", path.display(), listed.as_deref().unwrap_or_default())]
    Open {
        /// The input.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
        /// Where it is named, if in a list: ` (LIST, line N)`.
        listed: Option<String>,
    },
    /// It is an image, packed perhaps. What an image holds is compiled already.
    #[error("{}: {}", .0.display(), SkipReason::Image)]
    Image(PathBuf),
}

/// The octets of all inputs as they lie on disk, standard input and what cannot be read left out. What
/// [`read()`] adds to its `progress` comes to the same, so the two make a progress bar.
pub fn total_bytes(inputs: &[Input]) -> u64 {
    let size = |path: &Path| fs::metadata(path).map_or(0, |data| if data.is_file() { data.len() } else { 0 });
    let mut total = 0;
    for input in inputs {
        let Input::Path(path) = input else { continue };
        if path.is_dir() {
            let _ = walk(path, &mut |entry| {
                total += entry.map_or(0, size);
                ControlFlow::Continue(())
            });
        } else {
            total += size(path);
        }
    }
    total
}

/// Reads all inputs, delivers their items to `each` until it breaks, and counts octets read into `progress`. Files that
/// byte ranges name are looked for below the current folder.
pub fn read(
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    read_below(Path::new("."), inputs, limits, progress, each)
}

/// The same, where the files that byte ranges name lie below `root`.
pub fn read_below(
    root: &Path,
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut ranges = Ranges::new(root);
    for input in inputs {
        let flow = match input {
            Input::Stdin => {
                let stdin = Box::new(Counted { inner: io::stdin().lock(), progress });
                unnamed(stdin, &mut Sink { source: "-", limits, each, ranges: &mut ranges })
            }
            Input::Path(path) => {
                let named = |error| ReadError::Open { path: path.clone(), error, listed: None };
                let mut met = |path: &Path, opened: io::Result<File>| {
                    let sink =
                        &mut Sink { source: &path.to_string_lossy(), limits, each, ranges: &mut ranges };
                    match opened.and_then(|opened| file(path, opened, progress, sink)) {
                        Ok(flow) => flow,
                        Err(error) => sink.skip(0, SkipReason::Io(error.to_string())),
                    }
                };
                if fs::metadata(path).map_err(named)?.is_dir() {
                    fs::read_dir(path).map_err(named)?;
                    walk(path, &mut |entry| match entry {
                        Ok(path) => met(path, regular(path)),
                        Err((path, error)) => met(path, Err(error)),
                    })
                } else {
                    let mut opened = File::open(path).map_err(named)?;
                    if is_image(&mut opened, limits).map_err(named)? {
                        return Err(ReadError::Image(path.clone()));
                    }
                    met(path, Ok(opened))
                }
            }
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    let _ = ranges.read(limits, each);
    Ok(())
}

/// Reads records out of `reader` as if it were a file called `name`, which no file at all is: a format that is read from
/// its end is not read.
pub fn read_from(
    name: &str,
    reader: impl Read,
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut ranges = Ranges::new(Path::new("."));
    let sink = &mut Sink { source: name, limits, each, ranges: &mut ranges };
    match Name::of(Path::new(name)) {
        Name::Host(..) | Name::Nothing => unnamed(Box::new(reader), sink)?,
        kind => named(Path::new(name), kind, Box::new(reader), false, sink)?,
    }
    ranges.read(limits, each)
}

/// A file met on the walk, or a directory that could not be listed.
type Entry<'a> = Result<&'a Path, (&'a Path, io::Error)>;

/// Visits all files below a directory in the order of their names. Links to files are followed, links to
/// directories are not: they may lead back up.
fn walk(directory: &Path, visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut stack = vec![(directory.to_owned(), true)];
    while let Some((path, is_directory)) = stack.pop() {
        if !is_directory {
            visit(Ok(&path))?;
            continue;
        }
        let listing = fs::read_dir(&path).and_then(|entries| {
            let entry = |entry: io::Result<fs::DirEntry>| {
                let entry = entry?;
                Ok((entry.path(), entry.file_type()?.is_dir()))
            };
            entries.map(entry).collect::<io::Result<Vec<_>>>()
        });
        match listing {
            Ok(mut entries) => {
                entries.sort_unstable_by(|one, two| two.cmp(one));
                stack.append(&mut entries);
            }
            Err(error) => visit(Err((&path, error)))?,
        }
    }
    ControlFlow::Continue(())
}

/// Opens a file met on the walk. To open anything else (a pipe, a device) might wait for ever.
fn regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}

/// Whether a file, unpacked, begins as an image. Leaves it at its beginning.
fn is_image(file: &mut File, limits: &ReadLimits) -> io::Result<bool> {
    // What a pipe gives is given once.
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let opened = Source::open(Box::new(&mut *file), limits);
    let is_image = opened.is_ok_and(|source| Window::new(source).want(MAGIC.len()).starts_with(&MAGIC));
    file.rewind()?;
    Ok(is_image)
}

/// Reads one file.
fn file(
    path: &Path,
    mut file: File,
    progress: &AtomicU64,
    sink: &mut Sink<'_>,
) -> io::Result<ControlFlow<()>> {
    let data = file.metadata()?;
    // A pipe handed over as a path (`<(zcat x)`) has no name that means anything.
    if !data.is_file() {
        return Ok(unnamed(Box::new(Counted { inner: file, progress }), sink));
    }
    let name = Name::of(path);
    if !matches!(name, Name::Host(..)) {
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head)?;
        file.rewind()?;
        if let Some(kind) = Kind::of_octets(&head).filter(|kind| kind.needs_file()) {
            let flow = whole(kind, file, sink);
            // They are not read from front to back: nobody can say how far before they are done.
            progress.fetch_add(data.len(), Ordering::Relaxed);
            return Ok(flow);
        }
    }
    Ok(named(path, name, Box::new(Counted { inner: file, progress }), false, sink))
}

/// Reads a file of a kind that is read from its end, so far as this build has its reader.
fn whole(kind: Kind, file: File, sink: &mut Sink<'_>) -> ControlFlow<()> {
    match kind {
        #[cfg(feature = "parquet")]
        Kind::Parquet => parquet::read(file, sink),
        #[cfg(feature = "zip")]
        Kind::Zip => zip::read(file, sink),
        _ => {
            drop(file);
            sink.skip(0, SkipReason::LeftOut(if kind == Kind::Zip { "zip" } else { "parquet" }))
        }
    }
}

/// Reads a file out of an archive.
pub(crate) fn member(name: &str, data: Box<dyn Read + '_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let source = format!("{}/{name}", sink.source);
    let sink = &mut Sink { source: &source, limits: sink.limits, each: sink.each, ranges: sink.ranges };
    let path = Path::new(name);
    named(path, Name::of(path), data, true, sink)
}

/// Reads what lies in a file of this name, which may be one of an archive.
fn named(
    path: &Path,
    name: Name,
    data: Box<dyn Read + '_>,
    in_archive: bool,
    sink: &mut Sink<'_>,
) -> ControlFlow<()> {
    let kind = match name {
        Name::Host(name) => {
            let made = host_file(name, data, sink.limits).map(Some);
            return sink.made(0, made);
        }
        Name::Kind(kind) => Some(kind),
        Name::Nothing => None,
    };
    let mut window = match Source::open(data, sink.limits) {
        Ok(source) => Window::new(source),
        Err(error) => return sink.skip(0, SkipReason::Io(error.to_string())),
    };
    if window.want(MAGIC.len()).starts_with(&MAGIC) {
        return sink.skip(0, SkipReason::Image);
    }
    match Kind::of_octets(window.want(HEAD)) {
        Some(kind) => records(&mut window, kind, in_archive, sink),
        None => match kind {
            // `example.zip` is a host as well.
            Some(kind) if kind.needs_file() => {
                let made = misnamed(path, kind, &mut window, sink.limits).map(Some);
                sink.made(0, made)
            }
            Some(kind) => records(&mut window, kind, in_archive, sink),
            None => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                sink.skip(0, SkipReason::FileName(name))
            }
        },
    }
}

/// Reads a stream that has no name: what it begins with tells what it is, and JSON lines have no beginning of their own.
fn unnamed(data: Box<dyn Read + '_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let mut window = match Source::open(data, sink.limits) {
        Ok(source) => Window::new(source),
        Err(error) => return sink.skip(0, SkipReason::Io(error.to_string())),
    };
    if window.want(MAGIC.len()).starts_with(&MAGIC) {
        return sink.skip(0, SkipReason::Image);
    }
    let octets = Kind::of_octets(window.want(HEAD));
    let kind = octets.or_else(|| Kind::of_text(window.want(GLANCE))).unwrap_or(Kind::Jsonl);
    records(&mut window, kind, false, sink)
}

/// Reads a stream of records.
fn records(window: &mut Window<'_>, kind: Kind, in_archive: bool, sink: &mut Sink<'_>) -> ControlFlow<()> {
    match kind {
        Kind::Warc => warc::read(window, sink),
        Kind::Jsonl => jsonl::read(window, sink),
        Kind::Csv => csv::read(window, sink),
        Kind::Tar if !in_archive => tar::read(window, sink),
        Kind::Tar | Kind::Zip if in_archive => sink.skip(0, SkipReason::Nested(kind.name())),
        Kind::Tar | Kind::Zip | Kind::Parquet => sink.skip(0, SkipReason::NeedsFile(kind.name())),
    }
}

/// Reads the robots.txt of a host. When it was fetched nobody knows: the time of the file is that of its copy.
fn host_file(name: HostName, data: Box<dyn Read + '_>, limits: &ReadLimits) -> Result<Capture, SkipReason> {
    let body = match Source::open(data, limits) {
        Ok(Source::Plain(file)) => body(file, limits),
        Ok(packed) => body(Window::new(packed), limits),
        Err(error) => Err(error),
    };
    let body = body.map_err(|error| SkipReason::Io(error.to_string()))?;
    if body.starts_with(&MAGIC) {
        return Err(SkipReason::Image);
    }
    match name.doubt.filter(|_| !limits.any_name && !is_robots(&body)) {
        Some(doubt) => Err(SkipReason::NoRobots(doubt)),
        None => Ok(of_host(name.host, name.site, body, limits)),
    }
}

/// Reads a file that is named as one of this kind and does not begin as one: the robots.txt of a host that is called so,
/// or nothing.
fn misnamed(
    path: &Path,
    kind: Kind,
    window: &mut Window<'_>,
    limits: &ReadLimits,
) -> Result<Capture, SkipReason> {
    let wrong = SkipReason::Misnamed(kind.name());
    let name = path.file_name().and_then(|name| HostName::of(&name.to_string_lossy()));
    let Some(HostName { host, site, .. }) = name else { return Err(wrong) };
    let body = body(window, limits).map_err(|error| SkipReason::Io(error.to_string()))?;
    if is_robots(&body) { Ok(of_host(host, site, body, limits)) } else { Err(wrong) }
}

/// What is there of a body, and of one that is too long one octet more than the limit.
fn body(data: impl Read, limits: &ReadLimits) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    data.take((limits.max_body as u64).saturating_add(1)).read_to_end(&mut body)?;
    Ok(body)
}

/// The capture that a file is which holds a robots.txt alone.
fn of_host(host: String, site: SiteKey, mut body: Vec<u8>, limits: &ReadLimits) -> Capture {
    let truncated = body.len() > limits.max_body;
    body.truncate(limits.max_body);
    Capture {
        url: host,
        site,
        fetched_at: 0,
        status: 200,
        fresh_for: None,
        location: None,
        content_type: None,
        body,
        truncated,
    }
}

/// A file that counts what is read of it, and is not disturbed by signals.
struct Counted<'a, R> {
    inner: R,
    progress: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(out) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.progress.fetch_add(count as u64, Ordering::Relaxed);
                    return Ok(count);
                }
                error => return error,
            }
        }
    }
}
