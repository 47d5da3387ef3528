//! The store itself: its directory, its writer, and the way of a capture into the layers.
//!
//! Captures go to the log and the table; `flush` makes layers of full tables. The manifest is
//! replaced as a whole, and files are removed only once it no longer names them. Locks are taken in
//! the order of the fields of [`Store`]. Every put needs the writer, so who holds it writes no file
//! but the log, and syncs none; only `seed` does, while there is nothing yet. Replaying a log twice
//! changes nothing, since a capture counts only if it is better than the one that is held; so no
//! step needs to be undone after a kill. It knows no question (`snapshot`).

use crate::choice::{renewed_visit, replay, with};
use crate::due::Agendas;
use crate::files::{
    Files, Lock, failed, layer_name, lock, log_path, remove_layer, remove_other_logs, set_aside,
    set_log_aside, visits_path, write_layer, write_manifest,
};
use crate::generations::Generations;
use crate::log::{Log, Logs, sync_directory, sync_every};
use crate::snapshot::{Query, Snapshot, Stack};
use crate::state::{InFlight, key};
use crate::table::Table;
use crate::visit::Visits;
use crate::{Capture, StoreError, open};
use arc_swap::ArcSwap;
use robomaton_compiler::{Options, ProgramCache, Provenance, emit};
use robomaton_corpus::{Capture as Read, NOT_MODIFIED};
use robomaton_formats::Decision;
use robomaton_formats::detail::Meta;
use robomaton_runtime::{Image, LayersError, LeftOut, Manifest, OpenError, Terms};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// When a put is durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When it returns. Puts of several threads share a sync.
    #[default]
    Each,
    /// At most so long after it returns.
    Every(Duration),
    /// When its layer is written, or the system writes it. A kill of the process loses nothing.
    Never,
}

/// The options of a store.
#[derive(Clone, Debug, Default)]
pub struct StoreOptions {
    /// The options for compiling. All layers of a store must have the same.
    pub compile: Options,
    /// When a put is durable.
    pub durability: Durability,
    /// The terms of all questions. Their time does not count for questions with a time of their own
    /// ([`Store::decide_at`]). Without any time, no permission has ended.
    pub terms: Terms,
    /// Captures in memory before they become a layer; `None` for
    /// [`MEMORY_CAPTURES`](crate::limits::MEMORY_CAPTURES).
    pub memory_captures: Option<usize>,
    /// True if the store is opened without the layers that are missing or damaged, which
    /// [`Store::left_out`] names: their captures are lost, and older ones count. Their files are
    /// kept with the extension `rimg.damaged`. All layers are verified then, in linear time. A log
    /// that is damaged in front of acknowledged captures is replaced by one of its whole captures,
    /// and kept with the extension `log.damaged`.
    pub without_damaged_layers: bool,
}

/// Counts of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Layers, including an empty first one.
    pub layers: usize,
    /// Bytes of the layers.
    pub layer_bytes: usize,
    /// Sites in all layers; a site counts once for each layer that holds it.
    pub layer_sites: usize,
    /// Sites in memory, in the table and in the frozen one.
    pub memory_sites: usize,
    /// Bytes of their images.
    pub memory_bytes: usize,
    /// Bytes of the log that captures are appended to.
    pub log_bytes: u64,
}

impl Stats {
    pub(crate) fn new(current: &Snapshot, log_bytes: u64) -> Stats {
        let layers = &current.stack.layers;
        Stats {
            layers: layers.layer_count(),
            layer_bytes: layers.bytes(),
            layer_sites: layers.layers().map(|layer| layer.len()).sum(),
            memory_sites: current.table.len() + current.frozen.len(),
            memory_bytes: current.table.bytes() + current.frozen.bytes(),
            log_bytes,
        }
    }
}

/// A store, open for writing. Threads share it by reference.
///
/// ```
/// use robomaton_store::{Capture, Store, StoreOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let now = 1_800_000_060; // in Unix seconds, of the clock
/// let store = Store::open(directory, StoreOptions::default())?;
/// let query = store.query(["mybot"], "crawl");
/// store.put(&Capture {
///     url: "https://example.com/robots.txt".into(),
///     fetched_at: 1_800_000_000,
///     status: 200,
///     body: b"User-agent: *\nDisallow: /private/\n".to_vec(),
///     ..Capture::default()
/// })?;
/// assert!(!store.decide_at(&query, "https://example.com/private/x", now).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    pub(crate) directory: PathBuf,
    pub(crate) options: StoreOptions,
    /// Replaced by the holder of the writer.
    pub(crate) current: ArcSwap<Snapshot>,
    /// Shared with the thread that syncs them. Replaced by the holder of `freezing` and, if puts
    /// are to go to another one, of the writer.
    pub(crate) logs: Arc<ArcSwap<Logs>>,
    /// The number of the next file.
    next: AtomicU64,
    /// Held during a compaction.
    pub(crate) compacting: Mutex<()>,
    /// Held while a table is frozen, and while the frozen one becomes a layer.
    pub(crate) freezing: Mutex<()>,
    generations: Mutex<Generations>,
    writer: Mutex<Writer>,
    /// The sites whose fetch has begun.
    pub(crate) in_flight: Mutex<InFlight>,
    /// Held while a question for due fetches reads the layers.
    pub(crate) agendas: Mutex<Agendas>,
    syncer: Option<(Sender<()>, JoinHandle<()>)>,
    left_out: Vec<LeftOut>,
    /// Freed last.
    _lock: Lock,
}

/// What only one put at a time may use.
pub(crate) struct Writer {
    cache: ProgramCache,
    /// The time before which captures are being evicted; 0 if none are.
    pub(crate) evicting: u64,
}

impl Store {
    /// Opens the store in a directory, which is created if it is missing.
    ///
    /// # Errors
    /// If another process has it open for writing, if its files cannot be read, are damaged or were
    /// compiled with other options, or if the manifest is missing and other files of a store are
    /// not.
    pub fn open(directory: impl AsRef<Path>, options: StoreOptions) -> Result<Store, StoreError> {
        let directory = directory.as_ref().to_owned();
        create(&directory).map_err(|error| failed(&directory, error))?;
        // Before a lock is left there.
        if !Manifest::is_in(&directory) {
            check_shards(&directory)?;
        }
        let lock = lock(&directory)?;
        let mut files = Files::read(&directory)?;
        let empty = emit(Vec::new(), &options.compile)?;
        let mut left_out = Vec::new();
        let manifest = if Manifest::is_in(&directory) {
            if options.without_damaged_layers {
                left_out = leave_out(&directory, &mut files, &empty)?;
            }
            Manifest::read(&directory).map_err(|error| failed(&Manifest::path(&directory), error))?
        } else {
            check_new(&directory, &files, empty.len())?;
            // A stack has a layer, so that any reader can open it.
            let name = layer_name(files.take());
            write_layer(&directory.join(&name), &empty)?;
            let manifest = Manifest { generation: 1, layers: vec![name] };
            write_manifest(&directory, &manifest)?;
            manifest
        };
        let stray = files.layers.iter().filter(|name| !manifest.layers.contains(name));
        stray.into_iter().try_for_each(|name| remove_layer(&directory, name))?;
        // To leave out damaged layers, the others were verified.
        let layers = open::layers(&directory, false, &|_| options.without_damaged_layers)?;
        let stack = stack(&directory, layers, &options.terms)?;
        check_options(&directory, &stack.layers, &options.compile)?;
        let mut snapshot = Snapshot { stack: Arc::new(stack), frozen: Table::new(), table: Table::new() };
        let (mut cache, mut last) = (ProgramCache::default(), None);
        for &number in &files.logs {
            let path = log_path(&directory, number);
            let mut opened = Log::open(path.clone());
            let is_damaged = matches!(opened, Err(StoreError::Damaged { .. }));
            let is_set_aside = is_damaged && options.without_damaged_layers;
            if is_set_aside && let Err(error) = &opened {
                let error = format!("{error}; its whole captures count: {}", set_log_aside(&path)?);
                left_out.push(LeftOut { name: format!("{number}.log"), error });
                opened = Log::open(path.clone());
            }
            let Some((log, captures)) = opened? else {
                fs::remove_file(&path).map_err(|error| failed(&path, error))?;
                continue;
            };
            for capture in captures {
                replay(&mut snapshot, &capture, &options.compile, &options.terms, &mut cache)?;
            }
            // A reader may have the damaged file open, and would not see what is appended to the
            // new one.
            last = Some(log).filter(|_| !is_set_aside);
        }
        // If no capture counts, all of them are in layers, and an eviction must not leave them.
        let is_in_layers = snapshot.table.len() == 0;
        let log = match last.filter(|log| !is_in_layers || log.is_empty()) {
            Some(log) => log,
            None => Log::create(log_path(&directory, files.take()))?,
        };
        if is_in_layers {
            remove_other_logs(&directory, log.path())?;
        }
        let logs = Arc::new(ArcSwap::from_pointee(Logs { frozen: None, current: Arc::new(log) }));
        let syncer = match options.durability {
            Durability::Every(time) => Some(sync_every(time, Arc::clone(&logs))),
            Durability::Each | Durability::Never => None,
        };
        Ok(Store {
            directory,
            options,
            current: ArcSwap::from_pointee(snapshot),
            logs,
            next: AtomicU64::new(files.next),
            compacting: Mutex::new(()),
            freezing: Mutex::new(()),
            generations: Mutex::new(Generations::new(manifest)),
            writer: Mutex::new(Writer { cache, evicting: 0 }),
            in_flight: Mutex::default(),
            agendas: Mutex::default(),
            syncer,
            left_out,
            _lock: lock,
        })
    }

    /// Puts a capture. It counts for the next question, and is durable as configured. False if the
    /// store holds one of the site that a merge would choose: nothing changes then, and that one is
    /// durable as configured. But if it is an answer in the middle of failures, which came late, it
    /// counts as the end of their row.
    ///
    /// # Errors
    /// If the URL is not that of a robots.txt, not one line of its text is whole (status 206), or a
    /// file cannot be written. A capture whose put failed may count, but need not be there after
    /// the store is opened again.
    pub fn put(&self, capture: &Capture) -> Result<bool, StoreError> {
        self.make_room()?;
        let key = key(&capture.url)?;
        let put = capture.read(&self.options.compile).and_then(|read| self.put_read(capture, read));
        // If the store is at fault, the capture may be put again, and the site is not asked in
        // vain.
        let is_of_robots = !matches!(put, Err(StoreError::NotRobots(_)));
        if is_of_robots && put.as_ref().map_or_else(StoreError::is_of_capture, |_| true) {
            self.end(&key, matches!(put, Err(StoreError::NotModified(_))));
        }
        put
    }

    fn put_read(&self, capture: &Capture, read: Read) -> Result<bool, StoreError> {
        let mut writer = self.writer();
        let current = self.current.load();
        let StoreOptions { compile, terms, .. } = &self.options;
        if capture.status == NOT_MODIFIED && !self.may_renew(&writer, &current, &read.site, capture) {
            return Err(StoreError::NotModified(capture.url.clone()));
        }
        // What was renewed may be lost when the log is read.
        let renewing = renewed_visit(&current, &read.site, capture).map(|last| {
            let refers_to = Some(last.text_at()..=last.text_at());
            Capture { refers_to, ..capture.clone() }
        });
        let Some(table) = with(&current, capture, read, compile, terms, &mut writer.cache)? else {
            drop(writer);
            // The one that is held may be in the log of another thread's put.
            return match self.options.durability {
                Durability::Each => self.sync().map(|()| false),
                Durability::Every(_) | Durability::Never => Ok(false),
            };
        };
        let log = Arc::clone(&self.logs.load().current);
        let end = log.append(renewing.as_ref().unwrap_or(capture), &self.options.compile)?;
        self.current.store(Arc::new(Snapshot { table, ..Snapshot::clone(&current) }));
        drop(writer);
        if self.options.durability == Durability::Each {
            log.sync_to(end)?;
        }
        Ok(true)
    }

    /// Makes all captures durable that were put.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.logs.load_full().sync()
    }

    /// The state at this moment.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// A query for a crawler, by its names as in
    /// [`Image::crawler`](robomaton_runtime::Image::crawler), and a usage.
    pub fn query<N: Into<String>>(&self, names: impl IntoIterator<Item = N>, usage: &str) -> Query {
        Query::new(names, usage, &self.current.load().stack)
    }

    /// Decides as [`Snapshot::decide`] does, at this moment.
    pub fn decide(&self, query: &Query, url: &str) -> Decision {
        self.current.load().decide(query, url)
    }

    /// Decides as [`Snapshot::decide_at`] does, at this moment of the store and this time.
    pub fn decide_at(&self, query: &Query, url: &str, now: u64) -> Decision {
        self.current.load().decide_at(query, url, now)
    }

    /// True if every put fails, since the log could not be written or synced, until
    /// [`Store::compact`] has replaced it.
    pub fn is_broken(&self) -> bool {
        self.logs.load().current.is_broken()
    }

    /// The layers that the store was opened without ([`StoreOptions::without_damaged_layers`]), and
    /// the logs of which only the whole captures count.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Counts of the store.
    pub fn stats(&self) -> Stats {
        Stats::new(&self.current.load(), self.logs.load().current.len())
    }

    /// Answers from the layers of the manifest, which stays as it is while the generations are
    /// held. If one of them is the frozen table, that is gone.
    pub(crate) fn reopen(&self, generations: &mut Generations) -> Result<(), StoreError> {
        // Those that are new were verified when they were written.
        let layers = open::layers(&self.directory, false, &|_| true)?;
        let stack = stack(&self.directory, layers, &self.options.terms)?;
        self.answer_from(&self.writer(), stack, generations.is_frozen_named);
        generations.is_frozen_named = false;
        Ok(())
    }

    /// Answers from these layers. The holder of the writer keeps others from replacing the
    /// snapshot.
    pub(crate) fn answer_from(&self, _writer: &Writer, stack: Stack, is_frozen: bool) {
        let mut snapshot = Snapshot { stack: Arc::new(stack), ..Snapshot::clone(&self.current.load()) };
        if is_frozen {
            snapshot.frozen = Table::new();
        }
        self.current.store(Arc::new(snapshot));
    }

    /// After an error, removes what was written of a layer that no manifest names. It would fill
    /// the disk, one for each attempt.
    pub(crate) fn or_remove(&self, written: Result<(), StoreError>, name: &str) -> Result<(), StoreError> {
        if written.is_err() {
            // If it cannot be removed, the next opening does.
            let _ = remove_layer(&self.directory, name);
        }
        written
    }

    /// The number of a new file.
    pub(crate) fn take(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn compacting(&self) -> MutexGuard<'_, ()> {
        self.compacting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn freezing(&self) -> MutexGuard<'_, ()> {
        self.freezing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn generations(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.syncer.take() {
            drop(stop);
            let _ = thread.join();
        }
        self.logs.load().current.mark();
    }
}

/// Creates a directory, and makes its name and those of its new parents durable.
fn create(directory: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|parent| !parent.exists()).collect();
    fs::create_dir_all(directory)?;
    missing.into_iter().try_for_each(sync_directory)
}

/// Removes the layers that are missing or damaged from the manifest. Their files are set aside
/// first, so that a kill in between leaves no stray to be removed; and with them those that it does
/// not name: if the manifest is what is damaged, they may be layers.
fn leave_out(directory: &Path, files: &mut Files, empty: &[u8]) -> Result<Vec<LeftOut>, StoreError> {
    let path = Manifest::path(directory);
    let mut manifest = Manifest::read(directory).map_err(|error| failed(&path, error))?;
    let left_out = match open::layers(directory, true, &|_| false) {
        Ok(layers) => layers.left_out().to_vec(),
        // One of them is unlike the others, and which is the right one is not known.
        Err(error @ OpenError::Layers { .. }) => return Err(error.into()),
        // Nothing is left but the log.
        Err(error) if error.is_damage() => {
            let left_out = |name: &String| LeftOut { name: name.clone(), error: error.to_string() };
            manifest.layers.iter().map(left_out).collect()
        }
        Err(error) => return Err(error.into()),
    };
    if left_out.is_empty() {
        return Ok(left_out);
    }
    manifest.layers.retain(|layer| left_out.iter().all(|left_out| left_out.name != *layer));
    let others = files.layers.iter().filter(|name| !manifest.layers.contains(name));
    others.into_iter().try_for_each(|name| set_aside(directory, name))?;
    if manifest.layers.is_empty() {
        // A stack has a layer, so that any reader can open it.
        let name = layer_name(files.take());
        write_layer(&directory.join(&name), empty)?;
        manifest.layers.push(name);
    }
    manifest.generation += 1;
    write_manifest(directory, &manifest)?;
    Ok(left_out)
}

/// Refuses a directory of shards: a store there would be read in their place.
fn check_shards(directory: &Path) -> Result<(), StoreError> {
    if Files::has_shards(directory)? {
        let error = io::Error::new(io::ErrorKind::AlreadyExists, "holds the shards of an image");
        return Err(failed(directory, error));
    }
    Ok(())
}

/// Refuses a directory whose manifest was lost: its layers would be removed as strays. Before the
/// first manifest, a store writes nothing but an empty layer.
fn check_new(directory: &Path, files: &Files, empty: usize) -> Result<(), StoreError> {
    let is_empty =
        |name: &String| fs::metadata(directory.join(name)).is_ok_and(|layer| layer.len() == empty as u64);
    if files.logs.is_empty() && files.layers.iter().all(is_empty) {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::NotFound, "cannot be read, but there are layers or logs");
    Err(failed(&Manifest::path(directory), error))
}

/// The stack of these layers of a store.
pub(crate) fn stack(directory: &Path, layers: Image, terms: &Terms) -> Result<Stack, StoreError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let layers = layers.with_terms(terms.clone());
    let names: Vec<String> = layers.layer_names().iter().rev().cloned().collect();
    let visits = names.iter().map(|name| Visits::open(&visits_path(directory, name)));
    let visits = visits.collect::<Result<_, _>>()?;
    Ok(Stack::new(NEXT.fetch_add(1, Ordering::Relaxed), layers, names, visits))
}

/// Refuses layers, or an image for [`Store::seed`], that were compiled with other options.
///
/// # Errors
/// If they were; the error names this path.
pub fn check_options(directory: &Path, layers: &Image, compile: &Options) -> Result<(), StoreError> {
    let (path, wanted, held) = (directory.to_owned(), compile.profile, layers.profile());
    if wanted != held {
        return Err(StoreError::OtherProfile { path, wanted, held });
    }
    // The layers are alike, so one of them tells.
    let damaged = StoreError::Unlike { path: path.clone(), error: LayersError::Damaged { layer: 0 } };
    let held = layers.view().meta().ok_or(damaged)?;
    match difference(&held, &Provenance::of(compile)) {
        Some(difference) => Err(StoreError::OtherOptions { path, difference }),
        None => Ok(()),
    }
}

/// The first option but the profile in which layers differ from a store.
fn difference(held: &Meta, wanted: &Provenance) -> Option<String> {
    let list = |names: &[String], none: &str| match names {
        [] => none.to_owned(),
        names => format!("{names:?}"),
    };
    if held.crawlers != wanted.crawlers {
        let [held, wanted] = [&held.crawlers, &wanted.crawlers].map(|names| list(names, "all crawlers"));
        return Some(format!("has the groups of {held}, not of {wanted}"));
    }
    if held.vocabulary != wanted.vocabulary {
        let none = "no optional table or control token";
        let [held, wanted] = [&held.vocabulary, &wanted.vocabulary].map(|names| list(names, none));
        return Some(format!("was read with {held}, not with {wanted}"));
    }
    if held.limits == wanted.limits {
        return None;
    }
    let other = wanted.limits.iter().find(|limit| !held.limits.contains(limit));
    let held = other.and_then(|(wanted, _)| held.limits.iter().find(|(name, _)| name == wanted));
    Some(match other.zip(held) {
        Some(((name, wanted), (_, held))) => format!("has a limit of {held} {name}, not {wanted}"),
        None => "has other limits".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After an error nobody knows which manifest a reader has, so two must not have one number.
    #[test]
    fn a_generation_is_never_used_twice() {
        let place = tempfile::tempdir().expect("a directory");
        let store = Store::open(place.path(), StoreOptions::default()).expect("a store");
        let url = "https://a.example/robots.txt".to_owned();
        store.put(&Capture { url, fetched_at: 1, status: 404, ..Capture::default() }).expect("room");
        let path = Manifest::path(place.path());
        let aside = place.path().join("aside");
        fs::rename(&path, &aside).and_then(|()| fs::create_dir(&path)).expect("room");
        assert!(store.flush().is_err());
        fs::remove_dir(&path).and_then(|()| fs::rename(&aside, &path)).expect("room");
        store.flush().expect("room");
        assert_eq!(Manifest::read(place.path()).expect("a manifest").generation, 3);
        assert_eq!(store.stats().layer_sites, 1);
    }

    /// A process that another thread starts has a copy of each open file for a moment.
    #[test]
    fn a_copy_of_the_lock_does_not_outlive_the_store() {
        let place = tempfile::tempdir().expect("a directory");
        let lock = lock(place.path()).expect("the lock");
        let copy = lock.0.try_clone().expect("a copy");
        drop(lock);
        drop(Store::open(place.path(), StoreOptions::default()).expect("the lock is free"));
        drop(copy);
    }
}
