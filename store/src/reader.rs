//! A store that another process writes, followed through its files: without its lock, and without
//! writing anything.
//!
//! ```text
//!   manifest ──▶ layers ┐
//!   logs ──▶ tails ─────┴▶ snapshot ──▶ questions
//! ```
//!
//! Invariant: a snapshot is that of one generation. A log is removed only after a manifest names
//! the layer of its captures; so if the manifest is the same before and after the logs were read,
//! nothing that was put is missing. If it is another, what was read is forgotten: a 304 of a log
//! may have renewed an older text, since neither the log nor the layer of its own was there. A log
//! that is gone is in the layers, and the table of the remaining ones is built again. Replaying a
//! log whose captures are in a layer changes nothing.
//! The reader does not know which fetches are in flight: that is in the writer's memory. Its own
//! captures go to the writer by `handed`, and are in its table meanwhile.

use crate::choice::{replay, with};
use crate::files::{Files, failed, log_path};
use crate::handed::hand;
use crate::log::Tail;
use crate::snapshot::{Query, Snapshot, Stack};
use crate::store::{check_options, stack};
use crate::table::Table;
use crate::{Capture, Due, SiteState, Stats, StoreError, limits, open};
use arc_swap::ArcSwap;
use robomaton_compiler::{Options, ProgramCache};
use robomaton_corpus::NOT_MODIFIED;
use robomaton_formats::Decision;
use robomaton_runtime::{LeftOut, Manifest, Terms};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Attempts to read a store whose layers are replaced meanwhile, as they are once in thousands of
/// puts.
const ATTEMPTS: usize = 100;

/// The options of a reader.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// The options for compiling, as of the store.
    pub compile: Options,
    /// The terms of all questions. They may differ from those of the writer.
    pub terms: Terms,
    /// True if the layers that are missing or damaged are left out, which [`Reader::left_out`]
    /// names: older captures of their sites count. Every layer is verified once, in linear time.
    /// The files stay as they are.
    pub without_damaged_layers: bool,
}

/// A store, open for reading only. Any number of processes may have it open, whether it is open for
/// writing or not; threads share it by reference.
///
/// **How fresh.** Answers stay as they are until [`Reader::refresh`] is called. When that returns,
/// every capture counts whose [`put`](crate::Store::put) had returned before the call began, on
/// this machine. So `refresh` before each question is as fresh as the writer; a crawler calls it
/// every second, and before it fetches a robots.txt. Without changes it costs a few system calls.
/// Captures count as soon as they are written: one that was not durable may be gone after a power
/// failure, although a reader has answered from it.
///
/// ```
/// use robomaton_store::{Capture, Reader, ReaderOptions, Store, StoreOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let store = Store::open(directory, StoreOptions::default())?; // often in another process
/// let reader = Reader::open(directory, ReaderOptions::default())?;
/// let query = reader.query(["mybot"], "crawl");
/// store.put(&Capture {
///     url: "https://example.com/robots.txt".into(),
///     fetched_at: 1_800_000_000,
///     status: 200,
///     body: b"User-agent: *\nDisallow: /private/\n".to_vec(),
///     ..Capture::default()
/// })?;
/// assert!(reader.refresh()?);
/// assert!(!reader.decide_at(&query, "https://example.com/private/x", 1_800_000_060).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    directory: PathBuf,
    options: ReaderOptions,
    current: ArcSwap<Snapshot>,
    followed: Mutex<Followed>,
}

/// The state of the files as they were read last.
struct Followed {
    cache: ProgramCache,
    manifest: Manifest,
    stack: Arc<Stack>,
    /// The captures of the logs.
    table: Table,
    logs: BTreeMap<u64, Tail>,
    /// The captures that this reader handed over and the writer did not take yet: at most
    /// [`limits::HANDED_BYTES`].
    handed: Vec<Handed>,
    /// True if the table lacks them.
    is_without_handed: bool,
    /// True if this is not what questions are answered from.
    is_changed: bool,
}

/// A capture that was handed over.
struct Handed {
    path: PathBuf,
    capture: Capture,
    /// What counts towards the limit.
    bytes: usize,
}

impl Reader {
    /// Opens the store in a directory.
    ///
    /// # Errors
    /// If there is none, or its files cannot be read, are damaged or were compiled with other
    /// options.
    pub fn open(directory: impl AsRef<Path>, options: ReaderOptions) -> Result<Reader, StoreError> {
        let directory = directory.as_ref().to_owned();
        let manifest = manifest(&directory)?;
        let stack = Arc::new(open_stack(&directory, &options, &[])?);
        check_options(&directory, &stack.layers, &options.compile)?;
        let table = Table::new();
        let snapshot = Snapshot { stack: Arc::clone(&stack), frozen: Table::new(), table: table.clone() };
        let followed = Followed {
            cache: ProgramCache::default(),
            manifest,
            stack,
            table,
            logs: BTreeMap::new(),
            handed: Vec::new(),
            is_without_handed: false,
            is_changed: false,
        };
        let current = ArcSwap::from_pointee(snapshot);
        let reader = Reader { directory, options, current, followed: Mutex::new(followed) };
        reader.refresh()?;
        Ok(reader)
    }

    /// Reads what was put since, as [`Reader`] says. True if something changed. Questions go on
    /// meanwhile; a second call waits for the first.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or is missing. Answers stay as they were.
    pub fn refresh(&self) -> Result<bool, StoreError> {
        self.refresh_locked(&mut self.lock())
    }

    fn refresh_locked(&self, followed: &mut Followed) -> Result<bool, StoreError> {
        for _ in 0..ATTEMPTS {
            match followed.follow(&self.directory, &self.options) {
                Ok(false) => followed.forget(),
                Ok(true) => {
                    let is_changed = std::mem::take(&mut followed.is_changed);
                    if is_changed {
                        self.current.store(Arc::new(followed.snapshot()));
                    }
                    return Ok(is_changed);
                }
                Err(error) => {
                    // A log may have been read and not taken into the table.
                    followed.forget();
                    return Err(error);
                }
            }
        }
        let error = io::Error::other("its layers are replaced faster than they can be read");
        Err(failed(&self.directory, error))
    }

    /// Hands a capture over to the writer, as a file in the store that
    /// [`Store::take_handed`](crate::Store::take_handed) puts. For questions to this reader it
    /// counts at once; for others, when it was put. It is durable when this returns. False if the
    /// store holds one of the site that a merge would choose: nothing is handed over then.
    ///
    /// # Errors
    /// As of [`Store::put`](crate::Store::put) and [`Reader::refresh`]. An answer 304 is an error,
    /// too, since the writer may have another text by the time it takes it: ask without validators.
    /// So is a capture beyond [`limits::HANDED_BYTES`] of those that no writer took yet
    /// ([`StoreError::NotTaken`]): nothing is handed over then.
    pub fn hand(&self, capture: &Capture) -> Result<bool, StoreError> {
        if capture.status == NOT_MODIFIED {
            return Err(StoreError::NotModified(capture.url.clone()));
        }
        let mut followed = self.lock();
        self.refresh_locked(&mut followed)?;
        let (snapshot, ReaderOptions { compile, terms, .. }) = (followed.snapshot(), &self.options);
        let read = capture.read(compile)?;
        let Some(table) = with(&snapshot, capture, read, compile, terms, &mut followed.cache)? else {
            return Ok(false);
        };
        let bytes = capture.bytes(compile).max(limits::HANDED_LEAST);
        if bytes + followed.handed.iter().map(|handed| handed.bytes).sum::<usize>() > limits::HANDED_BYTES {
            return Err(StoreError::NotTaken {
                path: self.directory.clone(),
                captures: followed.handed.len(),
            });
        }
        let path = hand(&self.directory, capture, compile)?;
        let body = capture.logged_body(compile).to_vec();
        let (url, headers) = (capture.url.clone(), capture.headers.clone());
        let capture = Capture { url, headers, body, refers_to: None, ..*capture };
        followed.handed.push(Handed { path, capture, bytes });
        followed.table = table;
        self.current.store(Arc::new(followed.snapshot()));
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state at the last refresh.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// A query, as of [`Store::query`](crate::Store::query).
    pub fn query<N: Into<String>>(&self, names: impl IntoIterator<Item = N>, usage: &str) -> Query {
        Query::new(names, usage, &self.current.load().stack)
    }

    /// Decides as [`Snapshot::decide`] does, as of the last refresh.
    pub fn decide(&self, query: &Query, url: &str) -> Decision {
        self.current.load().decide(query, url)
    }

    /// Decides as [`Snapshot::decide_at`] does, as of the last refresh.
    pub fn decide_at(&self, query: &Query, url: &str, now: u64) -> Decision {
        self.current.load().decide_at(query, url, now)
    }

    /// The state of the site of a URL at a time. It is never in flight.
    ///
    /// # Errors
    /// If the URL names no site.
    pub fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        self.current.load().state(url, now)
    }

    /// The fetches that are due for the longest time, that first, as of
    /// [`Store::due`](crate::Store::due); those in flight are among them, and none is marked as
    /// begun.
    pub fn due(&self, now: u64, most: usize) -> Vec<Due> {
        self.snapshot().due(now, most)
    }

    /// The layers that are left out ([`ReaderOptions::without_damaged_layers`]), as of the last
    /// refresh.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.current.load().stack.layers.left_out().to_vec()
    }

    /// Counts of the store as of the last refresh. The bytes of the log are the read ones of all
    /// logs.
    pub fn stats(&self) -> Stats {
        let followed = self.lock();
        Stats::new(&self.current.load(), followed.logs.values().map(Tail::len).sum())
    }
}

impl Followed {
    /// Reads the files. False if the manifest was replaced meanwhile.
    fn follow(&mut self, directory: &Path, options: &ReaderOptions) -> Result<bool, StoreError> {
        let manifest = manifest(directory)?;
        if manifest != self.manifest {
            self.stack = Arc::new(open_stack(directory, options, &self.stack.names)?);
            self.manifest = manifest;
            self.is_changed = true;
        }
        // The writer removes a file after it put the capture, so the logs have it.
        self.handed.retain(|handed| handed.path.exists());
        let numbers = Files::read(directory)?.logs;
        if self.logs.keys().any(|number| !numbers.contains(number)) {
            self.forget();
        }
        for number in numbers {
            let captures = match self.logs.get_mut(&number) {
                Some(tail) => tail.read()?,
                None => match Tail::open(log_path(directory, number))? {
                    Some((tail, captures)) => {
                        self.logs.insert(number, tail);
                        captures
                    }
                    None => continue,
                },
            };
            self.take(&captures, options)?;
        }
        if std::mem::take(&mut self.is_without_handed) {
            let captures: Vec<Capture> = self.handed.iter().map(|handed| handed.capture.clone()).collect();
            self.take(&captures, options)?;
        }
        Ok(self::manifest(directory)? == self.manifest)
    }

    /// Takes captures into the table.
    fn take(&mut self, captures: &[Capture], options: &ReaderOptions) -> Result<(), StoreError> {
        let mut snapshot = self.snapshot();
        for capture in captures {
            self.is_changed |=
                replay(&mut snapshot, capture, &options.compile, &options.terms, &mut self.cache)?;
        }
        self.table = snapshot.table;
        Ok(())
    }

    /// Forgets the logs, so that all of them are read again.
    fn forget(&mut self) {
        self.logs.clear();
        self.table = Table::new();
        self.is_changed = true;
        self.is_without_handed = true;
    }

    fn snapshot(&self) -> Snapshot {
        let (stack, table) = (Arc::clone(&self.stack), self.table.clone());
        Snapshot { stack, frozen: Table::new(), table }
    }
}

/// Opens the layers of the manifest, some of which may be verified already.
fn open_stack(directory: &Path, options: &ReaderOptions, verified: &[String]) -> Result<Stack, StoreError> {
    let is_verified = |name: &str| verified.iter().any(|known| known == name);
    let layers = open::layers(directory, options.without_damaged_layers, &is_verified)?;
    stack(directory, layers, &options.terms)
}

fn manifest(directory: &Path) -> Result<Manifest, StoreError> {
    Manifest::read(directory).map_err(|error| failed(&Manifest::path(directory), error))
}
