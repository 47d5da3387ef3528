//! The inputs of a run: opens them, detects their formats, and passes on the items of their
//! records.
//!
//! This is the entry point of the crate. `kind` detects the format of a file, `source`
//! decompresses, a reader yields records, an archive yields files; [`Reading`] passes all of them
//! on and queues the byte ranges in rows. Invariants: inputs are read in the order given,
//! directories in the order of their entries' names, so one command line gives one order of items
//! on every machine; only an input that was named and cannot be opened is an error, everything else
//! is an item. It does not know the formats.

use crate::archive::{Archive, Entry};
use crate::damage::Damage;
use crate::kind::{HEAD, Kind, Name};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::ranges::Ranges;
use crate::record::{Content, Event, Record};
use crate::source::{Source, is_packed};
use crate::tar::Tar;
use crate::walk::{NotListed, Walk};
use crate::window::{DAMAGED, Window};
#[cfg(feature = "zip")]
use crate::zip;
use crate::{Item, ReadLimits, SkipReason, Skipped, check, csv, host, jsonl, warc};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use robomaton_formats::layout::MAGIC;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a stream without a name that are examined to detect its format.
const GLANCE: usize = 4096;

/// One input of a run, as given on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A directory, a file of captures, or a file named after its host.
    Path(PathBuf),
    /// Standard input, `-`: any stream of captures, compressed or not.
    Stdin,
}

impl Input {
    /// The input for an argument.
    pub fn from_arg(arg: &OsStr) -> Input {
        if arg == "-" { Input::Stdin } else { Input::Path(arg.into()) }
    }
}

impl From<&OsStr> for Input {
    fn from(arg: &OsStr) -> Input {
        Input::from_arg(arg)
    }
}

/// The error for an input that was named and cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be opened. Check the path, and the permission to read it.
    #[error("cannot open {}: {error}{}", path.display(), listed.as_deref().unwrap_or_default())]
    Open {
        /// The input.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
        /// The place in a list, if it was named there: ` (LIST, line N)`.
        listed: Option<String>,
    },
    /// It is an image, possibly compressed. The contents of an image are already compiled.
    #[error("{}: {}", .0.display(), SkipReason::Image)]
    Image(PathBuf),
}

/// The bytes of all inputs as stored on disk, without standard input and unreadable files.
/// [`read()`] adds the same number to its `progress`, so the two make a progress bar.
pub fn total_bytes(inputs: &[Input]) -> u64 {
    let size =
        |path: &Path| fs::metadata(path).ok().filter(|data| data.is_file()).map_or(0, |data| data.len());
    let total = |input: &Input| match input {
        Input::Stdin => 0,
        Input::Path(path) if path.is_dir() => Walk::below(path).flatten().map(|path| size(&path)).sum(),
        Input::Path(path) => size(path),
    };
    inputs.iter().map(total).sum()
}

/// Reads all inputs, passes their items to `each` until it breaks, and counts bytes read in
/// `progress`. The files of byte ranges are searched below the current directory.
///
/// # Errors
/// If an input that was named cannot be opened, or is an image. Damage inside it is an item.
pub fn read(
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    read_below(Path::new("."), inputs, limits, progress, each)
}

/// Like [`read()`], with the files of byte ranges below `root`.
///
/// # Errors
/// As [`read()`].
pub fn read_below(
    root: &Path,
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &AtomicU64,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut reading = Reading { limits, progress, each, ranges: Ranges::new(root) };
    for input in inputs {
        if reading.input(input)?.is_break() {
            return Ok(());
        }
    }
    let _ = reading.ranges();
    Ok(())
}

/// Reads records from `reader` as if it were a file called `name`. Formats that are read from the
/// end are not supported.
pub fn read_from(
    name: &str,
    reader: impl Read,
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let ranges = Ranges::new(Path::new("."));
    let mut reading = Reading { limits, progress: &AtomicU64::new(0), each, ranges };
    let path = Path::new(name);
    match Name::of(path) {
        Name::Host(..) | Name::Nothing => reading.unnamed(name, Box::new(reader))?,
        kind => reading.named(name, path, kind, Box::new(reader), None, None)?,
    }
    reading.ranges()
}

/// A run: the destination of its items, and the byte ranges that wait.
struct Reading<'r> {
    limits: &'r ReadLimits,
    progress: &'r AtomicU64,
    each: &'r mut dyn FnMut(Item) -> ControlFlow<()>,
    ranges: Ranges,
}

/// The way to read a file.
enum Access {
    /// From its beginning; only the content determines the format.
    Pipe,
    /// From its beginning.
    Stream(Name, Option<Damage>),
    /// From its end, as a file of this kind.
    End(Kind),
}

impl Reading<'_> {
    /// Reads one input. In the methods below, `source` is the name of a file in items.
    fn input(&mut self, input: &Input) -> Result<ControlFlow<()>, ReadError> {
        let Input::Path(path) = input else {
            let stdin = Counted::new(io::stdin().lock(), self.progress);
            return Ok(self.unnamed("-", Box::new(stdin)));
        };
        let failed = |error| ReadError::Open { path: path.clone(), error, listed: None };
        if fs::metadata(path).map_err(failed)?.is_dir() {
            fs::read_dir(path).map_err(failed)?;
            return Ok(Walk::below(path).try_for_each(|found| match found {
                Ok(path) => self.file(&path, regular(&path)),
                Err(NotListed { path, error }) => {
                    self.skip(&path.to_string_lossy(), SkipReason::Io(error.to_string()))
                }
            }));
        }
        let mut file = File::open(path).map_err(failed)?;
        if is_image(&mut file, self.limits).map_err(failed)? {
            return Err(ReadError::Image(path.clone()));
        }
        Ok(self.file(path, Ok(file)))
    }

    /// Reads one file.
    fn file(&mut self, path: &Path, opened: io::Result<File>) -> ControlFlow<()> {
        let source = &path.to_string_lossy();
        let progress = self.progress;
        let opened = opened.and_then(|mut file| Ok((access(path, &mut file, self.limits, progress)?, file)));
        match opened {
            Ok((Access::Pipe, file)) => self.unnamed(source, Box::new(Counted::new(file, progress))),
            Ok((Access::Stream(name, damage), file)) => {
                let is_half = damage.is_some();
                let file = Counted { is_half, rest: u64::from(is_half), ..Counted::new(file, progress) };
                self.named(source, path, name, Box::new(file), None, damage)
            }
            Ok((Access::End(kind), file)) => {
                let length = file.metadata().map_or(0, |data| data.len());
                let flow = self.read_backwards(source, kind, file);
                // It is not read sequentially, so its progress is only known at the end.
                progress.fetch_add(length, Ordering::Relaxed);
                flow
            }
            Err(error) => {
                let name = if path.is_dir() { Name::Nothing } else { Name::of(path) };
                self.unread(source, 0, name, SkipReason::Io(error.to_string()))
            }
        }
    }

    /// Reads a file whose directory is at its end, if this build has a reader for it.
    fn read_backwards(&mut self, source: &str, kind: Kind, file: File) -> ControlFlow<()> {
        match kind {
            #[cfg(feature = "parquet")]
            Kind::Parquet => {
                let rows = parquet::Rows::of(file, self.limits);
                self.table(source, rows)
            }
            #[cfg(feature = "zip")]
            Kind::Zip => match zip::Entries::of(file, self.limits) {
                Ok(mut entries) => self.archive(source, &mut entries),
                Err(reason) => self.skip(source, reason),
            },
            _ => {
                drop(file);
                let feature = if kind == Kind::Zip { "zip" } else { "parquet" };
                self.skip(source, SkipReason::LeftOut(feature))
            }
        }
    }

    /// Reads a file by its name and content. In an archive, it has the number of an edition. The
    /// damage that is known is that of the decompressed file.
    fn named(
        &mut self,
        source: &str,
        path: &Path,
        name: Name,
        data: Box<dyn Read + '_>,
        edition: Option<u32>,
        damage: Option<Damage>,
    ) -> ControlFlow<()> {
        let kind = match name {
            Name::Host(name) => {
                let content = host::read(name, data, edition.unwrap_or(0), self.limits);
                return self.record(source, 0, content);
            }
            Name::Kind(kind) => Some(kind),
            Name::Nothing => None,
        };
        let mut window = match Source::open(data, self.limits) {
            Ok(source) => Window::new(source).with(damage),
            Err(error) => return self.skip(source, SkipReason::Io(error.to_string())),
        };
        if window.want(MAGIC.len()).starts_with(&MAGIC) {
            return self.skip(source, SkipReason::Image);
        }
        match (Kind::of_bytes(window.want(HEAD)), kind) {
            (None, Some(kind)) if kind.needs_file() => {
                let edition = edition.unwrap_or(0);
                let content = host::read_misnamed(path, kind, &mut window, edition, self.limits);
                self.record(source, 0, content)
            }
            (Some(kind), _) | (None, Some(kind)) => self.stream(source, &mut window, kind, edition.is_some()),
            (None, None) => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                self.skip(source, SkipReason::FileName(name))
            }
        }
    }

    /// Reads a stream without a name: its first bytes determine the format; JSON lines have no
    /// signature.
    fn unnamed(&mut self, source: &str, data: Box<dyn Read + '_>) -> ControlFlow<()> {
        let mut window = match Source::open(data, self.limits) {
            Ok(source) => Window::new(source),
            Err(error) => return self.skip(source, SkipReason::Io(error.to_string())),
        };
        if window.want(MAGIC.len()).starts_with(&MAGIC) {
            return self.skip(source, SkipReason::Image);
        }
        let kind = Kind::of_bytes(window.want(HEAD));
        let kind = kind.or_else(|| Kind::of_text(window.want(GLANCE))).unwrap_or(Kind::Jsonl);
        self.stream(source, &mut window, kind, false)
    }

    /// Reads a stream of this kind.
    fn stream(
        &mut self,
        source: &str,
        window: &mut Window<'_>,
        kind: Kind,
        in_archive: bool,
    ) -> ControlFlow<()> {
        let limits = self.limits;
        match kind {
            Kind::Warc => self.deliver(source, warc::Records::of(window, limits).map(Event::Record)),
            Kind::Jsonl => self.deliver(source, jsonl::Lines::of(window, limits)),
            Kind::Csv => self.table(source, csv::Rows::of(window, limits)),
            Kind::Tar if !in_archive => {
                let damage = window.known_damage();
                let mut archive = Tar::of(window, damage);
                match archive.entries(limits) {
                    Ok(mut entries) => self.archive(source, &mut entries),
                    Err(reason) => self.skip(source, reason),
                }
            }
            Kind::Tar | Kind::Zip if in_archive => self.skip(source, SkipReason::Nested(kind.name())),
            Kind::Tar | Kind::Zip | Kind::Parquet => self.skip(source, SkipReason::NeedsFile(kind.name())),
        }
    }

    /// Reads the files of an archive. One that is there twice, as `tar --append` leaves it, counts
    /// as it was added last; it is reported.
    fn archive(&mut self, source: &str, archive: &mut dyn Archive) -> ControlFlow<()> {
        // By the hashes of names, of which there may be millions. If two names had one, the second
        // would be reported, and nothing else: editions are compared within a site.
        let mut editions: HashMap<u64, u32> = HashMap::default();
        let hasher = RandomState::default();
        while let Some(Entry { number, name, damage, data }) = archive.next() {
            let path = Path::new(&name);
            let kind = Name::of(path);
            let data = match data {
                Ok(None) => continue,
                Ok(Some(_)) if damage.is_some() && matches!(kind, Name::Host(_)) => {
                    self.unread(source, number, kind, SkipReason::Archive(DAMAGED.to_owned()))?;
                    continue;
                }
                Ok(Some(data)) => data,
                Err(reason) => {
                    self.unread(source, number, kind, reason)?;
                    continue;
                }
            };
            let edition = match kind {
                Name::Kind(kind) if !kind.needs_file() => 0,
                Name::Host(_) | Name::Kind(_) => {
                    let next = editions.entry(hasher.hash_one(&name)).or_default();
                    std::mem::replace(next, next.saturating_add(1))
                }
                Name::Nothing => 0,
            };
            if edition > 0 {
                let reason = format!("the entry {name:?} is there again; the last one counts");
                let reason = SkipReason::Archive(reason);
                self.deliver(source, [Event::skipped(number, reason)])?;
            }
            self.named(&format!("{source}/{name}"), path, kind, data, Some(edition), damage)?;
        }
        ControlFlow::Continue(())
    }

    /// Passes on the rows of a table, or the reason why it has none.
    fn table(
        &mut self,
        source: &str,
        rows: Result<impl Iterator<Item = Event>, SkipReason>,
    ) -> ControlFlow<()> {
        match rows {
            Ok(rows) => self.deliver(source, rows),
            Err(reason) => self.skip(source, reason),
        }
    }

    /// Passes on the one record of a file, at a place in its source.
    fn record(&mut self, source: &str, at: u64, content: Result<Content, SkipReason>) -> ControlFlow<()> {
        self.deliver(source, [Event::Record(Record { at, content })])
    }

    /// Passes on the reason why a file of this name is not read. If it is named after a host, it
    /// counts as a capture.
    fn unread(&mut self, source: &str, at: u64, name: Name, reason: SkipReason) -> ControlFlow<()> {
        let content = match name {
            Name::Host(name) => name.unread(reason, self.limits),
            Name::Kind(_) | Name::Nothing => Err(reason),
        };
        self.record(source, at, content)
    }

    /// Passes on the reason why a file has no captures.
    fn skip(&mut self, source: &str, reason: SkipReason) -> ControlFlow<()> {
        (self.each)(Item::Skipped(Skipped { source: source.to_owned(), at: 0, reason }))
    }

    /// Passes on the records of a file, and reads the byte ranges when their limit is reached.
    fn deliver(&mut self, source: &str, events: impl IntoIterator<Item = Event>) -> ControlFlow<()> {
        for event in events {
            match event {
                Event::Record(record) => (self.each)(record.item(source))?,
                Event::Range(range) => {
                    if self.ranges.push(range, self.limits.max_ranges) {
                        self.ranges()?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Reads the byte ranges that wait.
    fn ranges(&mut self) -> ControlFlow<()> {
        self.ranges.read(self.limits, self.each)
    }
}

/// Determines how to read a file. Leaves it at its beginning.
fn access(path: &Path, file: &mut File, limits: &ReadLimits, progress: &AtomicU64) -> io::Result<Access> {
    // A pipe passed as a path (`<(zcat x)`) has a meaningless name.
    if !file.metadata()?.is_file() {
        return Ok(Access::Pipe);
    }
    let named = match Name::of(path) {
        Name::Kind(kind) => Some(kind),
        Name::Nothing => None,
        name @ Name::Host(..) => return Ok(Access::Stream(name, None)),
    };
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head)?;
    file.rewind()?;
    if let Some(kind) = Kind::of_bytes(&head).filter(|kind| kind.needs_file()) {
        return Ok(Access::End(kind));
    }
    let mut damage = None;
    if is_packed(&head) {
        let before = progress.load(Ordering::Relaxed);
        let whole = Counted { is_half: true, ..Counted::new(&mut *file, progress) };
        damage = check::damage(whole, named, limits)?;
        if damage.is_none() {
            progress.store(before, Ordering::Relaxed);
        }
        file.rewind()?;
    }
    Ok(Access::Stream(named.map_or(Name::Nothing, Name::Kind), damage))
}

/// Opens a file found on the walk. Opening anything else (a pipe, a device) might block for ever.
fn regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}

/// True if a file, decompressed, begins as an image. Leaves it at its beginning.
fn is_image(file: &mut File, limits: &ReadLimits) -> io::Result<bool> {
    // A pipe can be read only once.
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let opened = Source::open(Box::new(&mut *file), limits);
    let is_image = opened.is_ok_and(|source| Window::new(source).want(MAGIC.len()).starts_with(&MAGIC));
    file.rewind()?;
    Ok(is_image)
}

/// A file that counts the bytes read, and continues after signals.
struct Counted<'a, R> {
    inner: R,
    progress: &'a AtomicU64,
    /// It is read twice, and each byte counts half each time.
    is_half: bool,
    /// A half that has not counted yet: the second time begins with that of an odd length.
    rest: u64,
}

impl<'a, R> Counted<'a, R> {
    fn new(inner: R, progress: &'a AtomicU64) -> Counted<'a, R> {
        Counted { inner, progress, is_half: false, rest: 0 }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(out) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count) => {
                    let mut counted = count as u64;
                    if self.is_half {
                        counted += self.rest;
                        (counted, self.rest) = (counted / 2, counted % 2);
                    }
                    self.progress.fetch_add(counted, Ordering::Relaxed);
                    return Ok(count);
                }
                error => return error,
            }
        }
    }
}
