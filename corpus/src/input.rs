//! Inputs of a run: opens them, finds out what they are, and hands each to its reader.
//!
//! The way into this crate. Content decides before names do: what begins as gzip is inflated, what begins with
//! `WARC/` is a WARC file. Invariants: inputs are read in the order given, directories in the order of their
//! entries' names, so one command line gives one order of items on every machine; only an input that was named
//! and cannot be opened is an error, everything else is an item.
//! It does not know the formats beyond their first octets.

use crate::window::{CHUNK, Source, Window};
use crate::{Capture, Item, ReadLimits, SkipReason, Skipped, gzip, jsonl, warc};
use robomaton_formats::site::{DATA_TXT, SiteKey};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// One input of a run, as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A directory, a WARC or JSONL file, or a file named after its host.
    Path(PathBuf),
    /// Standard input, `-`: JSONL or WARC, compressed or not.
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

/// An input that was named and cannot be opened. Check the path, and the permission to read it.
#[derive(Debug, thiserror::Error)]
#[error("cannot open {}: {error}", path.display())]
pub struct ReadError {
    /// The input.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

/// How to read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Warc,
    Jsonl,
    /// One robots.txt, named after its host.
    Host,
}

impl Kind {
    fn of(path: &Path) -> Kind {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match name.strip_suffix(".gz").unwrap_or(&name) {
            name if name.ends_with(".warc") => Kind::Warc,
            name if name.ends_with(".jsonl") => Kind::Jsonl,
            _ => Kind::Host,
        }
    }
}

/// Where items go, and what a reader must know of its file.
pub(crate) struct Sink<'a> {
    source: &'a str,
    pub(crate) limits: &'a ReadLimits,
    each: &'a mut dyn FnMut(Item) -> ControlFlow<()>,
}

impl Sink<'_> {
    /// Delivers what became of a record: a capture, nothing of interest, or a reason.
    pub(crate) fn made(&mut self, at: u64, made: Result<Option<Capture>, SkipReason>) -> ControlFlow<()> {
        match made {
            Ok(Some(capture)) if capture.status == 304 => self.skip(at, SkipReason::NotModified),
            Ok(Some(capture)) if capture.is_robots() => (self.each)(Item::Capture(capture)),
            Ok(Some(capture)) if capture.is_data_txt() && capture.site.with_document(DATA_TXT).is_none() => {
                self.skip(at, SkipReason::LongName(capture.url))
            }
            Ok(Some(capture)) => (self.each)(Item::Target(capture)),
            Ok(None) => (self.each)(Item::Ignored),
            Err(reason) => self.skip(at, reason),
        }
    }

    /// Delivers a reason alone.
    pub(crate) fn skip(&mut self, at: u64, reason: SkipReason) -> ControlFlow<()> {
        (self.each)(Item::Skipped(Skipped { source: self.source.to_owned(), at, reason }))
    }
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

/// Reads all inputs, delivers their items to `each` until it breaks, and counts octets read into `progress`.
pub fn read(
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    for input in inputs {
        let flow = match input {
            Input::Stdin => {
                let stdin = Box::new(Counted { inner: io::stdin().lock(), progress });
                stream(stdin, Kind::Jsonl, &mut Sink { source: "-", limits, each })
            }
            Input::Path(path) => {
                let named = |error| ReadError { path: path.clone(), error };
                if fs::metadata(path).map_err(named)?.is_dir() {
                    fs::read_dir(path).map_err(named)?;
                    walk(path, &mut |entry| match entry {
                        Ok(path) => file(path, regular(path), limits, progress, each),
                        Err((path, error)) => unreadable(path, &error, limits, each),
                    })
                } else {
                    file(path, Ok(File::open(path).map_err(named)?), limits, progress, each)
                }
            }
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads records out of `reader` as if it were a file called `name` (WARC if that says so or the first octets do,
/// else JSONL).
pub fn read_from(
    name: &str,
    reader: impl Read,
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    stream(Box::new(reader), Kind::of(Path::new(name)), &mut Sink { source: name, limits, each })
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

fn unreadable(
    path: &Path,
    error: &io::Error,
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    Sink { source: &path.to_string_lossy(), limits, each }.skip(0, SkipReason::Io(error.to_string()))
}

/// Opens a file met on the walk. To open anything else (a pipe, a device) might wait for ever.
fn regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}

/// Reads one file by its kind.
fn file(
    path: &Path,
    opened: io::Result<File>,
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let opened = opened.and_then(|file| Ok((file.metadata()?, file)));
    let (data, file) = match opened {
        Ok(opened) => opened,
        Err(error) => return unreadable(path, &error, limits, each),
    };
    let sink = &mut Sink { source: &path.to_string_lossy(), limits, each };
    let counted = Box::new(Counted { inner: file, progress });
    match Kind::of(path) {
        // A pipe handed over as a path (`<(zcat x)`) has no name that means anything.
        Kind::Host if !data.is_file() => stream(counted, Kind::Jsonl, sink),
        Kind::Host => {
            let made = host_file(path, data.len(), counted, limits.max_body).map(Some);
            sink.made(0, made)
        }
        kind => stream(counted, kind, sink),
    }
}

/// Reads a stream of records, of `kind` unless its first octets say otherwise.
fn stream<'a>(mut file: Box<dyn Read + 'a>, kind: Kind, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let mut head = Vec::with_capacity(8);
    if let Err(error) = file.by_ref().take(3).read_to_end(&mut head) {
        return sink.skip(0, SkipReason::Io(error.to_string()));
    }
    let packed = gzip::begins(&head);
    let whole: Box<dyn Read + 'a> = Box::new(Cursor::new(head).chain(file));
    let source = if packed {
        Source::Gzip(Box::new(gzip::Gunzip::new(BufReader::with_capacity(CHUNK, whole))))
    } else {
        Source::Plain(whole)
    };
    let mut window = Window::new(source);
    if kind == Kind::Warc || window.want(5).starts_with(b"WARC/") {
        warc::read(&mut window, sink)
    } else {
        jsonl::read(&mut window, sink)
    }
}

/// Reads a file that is one site's robots.txt. When it was fetched nobody knows: the time of the file is that of
/// its copy.
fn host_file(path: &Path, size: u64, file: impl Read, max_body: usize) -> Result<Capture, SkipReason> {
    let (url, site) = host_of(path).ok_or_else(|| {
        SkipReason::FileName(path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
    })?;
    let mut body =
        Vec::with_capacity(usize::try_from(size).unwrap_or(max_body).min(max_body).saturating_add(1));
    let limit = (max_body as u64).saturating_add(1);
    file.take(limit).read_to_end(&mut body).map_err(|error| SkipReason::Io(error.to_string()))?;
    let truncated = body.len() > max_body;
    body.truncate(max_body);
    Ok(Capture {
        url,
        site,
        fetched_at: 0,
        status: 200,
        fresh_for: None,
        location: None,
        content_type: None,
        body,
        truncated,
    })
}

/// The host that a file is named after. One label alone is a host only with the ending, or every `README` were one;
/// and a `robots.txt` is named after nothing.
fn host_of(path: &Path) -> Option<(String, SiteKey)> {
    let name = path.file_name()?.to_str()?;
    let stem = name.len().checked_sub(4).filter(|&dot| name.is_char_boundary(dot));
    let (host, ended) = match stem.map(|dot| name.split_at(dot)) {
        Some((host, ending)) if ending.eq_ignore_ascii_case(".txt") => (host, true),
        _ => (name, false),
    };
    let named =
        host.contains(['.', ':']) || host == "localhost" || ended && !host.eq_ignore_ascii_case("robots");
    if !named || host.starts_with('.') {
        return None;
    }
    Some((host.to_owned(), SiteKey::from_host(host).ok()?))
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
