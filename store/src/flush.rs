//! From the table to a layer.
//!
//! A full table is frozen: a new table and a new log begin. Writing the frozen one as a layer takes
//! longer. Both are done by one thread at a time; the puts of all others go on meanwhile, into the
//! new table, or into a full one that grows. Invariants: the captures of every log but the current
//! one are in the frozen table or in layers; after a flush, no log holds a capture that was put
//! before it began. It does not know which layers are merged.

use crate::files::{failed, layer_name, log_path, remove_other_logs, visits_path, write_layer};
use crate::log::{Log, Logs};
use crate::snapshot::Snapshot;
use crate::table::{Single, Table};
use crate::visit::write_visits;
use crate::{Store, StoreError, limits};
use robomaton_compiler::Merge;
use robomaton_formats::WriteError;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;

impl Store {
    /// Writes all captures in memory as layers. Puts and compaction do so when there are enough.
    ///
    /// # Errors
    /// If a layer cannot be written. Nothing is lost then.
    pub fn flush(&self) -> Result<(), StoreError> {
        let freezing = self.freezing();
        self.write_table(&freezing)?;
        self.freeze(&freezing)?;
        self.write_table(&freezing)
    }

    /// Makes room for a put. If there are too many layers, or the table is full, and no other
    /// thread does something about it, this one does. Otherwise the table grows up to twice its
    /// size, and each put takes a little longer.
    pub(crate) fn make_room(&self) -> Result<(), StoreError> {
        let layers = self.current.load().stack.names.len();
        if layers >= limits::LAYERS_BEFORE_WAIT {
            self.compact()?;
        } else if layers >= limits::LAYERS_BEFORE_COMPACTION
            && let Some(compacting) = try_lock(&self.compacting)
        {
            self.compact_locked(&compacting)?;
        }
        if !self.is_full(1) {
            return Ok(());
        }
        let freezing = match try_lock(&self.freezing) {
            Some(freezing) => freezing,
            None if self.is_full(2) => self.freezing(),
            None => {
                thread::sleep(limits::BACK_PRESSURE);
                return Ok(());
            }
        };
        // Another thread may have done it.
        if !self.is_full(1) {
            return Ok(());
        }
        self.write_table(&freezing)?;
        self.freeze(&freezing)
    }

    /// True if the table has so many times as much as makes a layer.
    fn is_full(&self, times: usize) -> bool {
        let table = &self.current.load().table;
        let most = self.options.memory_captures.unwrap_or(limits::MEMORY_CAPTURES).saturating_mul(times);
        let logged = usize::try_from(self.logs.load().current.len()).unwrap_or(usize::MAX);
        table.len() >= most || table.bytes().max(logged) >= limits::MEMORY_BYTES * times
    }

    /// Freezes the table, unless another is frozen, or it is empty and its log is sound.
    fn freeze(&self, _freezing: &MutexGuard<'_, ()>) -> Result<(), StoreError> {
        let logs = self.logs.load();
        {
            let current = self.current.load();
            if current.frozen.len() > 0 || (current.table.len() == 0 && !logs.current.is_broken()) {
                return Ok(());
            }
        }
        let log = Log::create(log_path(&self.directory, self.take()))?;
        let frozen = Some(Arc::clone(&logs.current));
        // Puts wait for the rest, which writes no file.
        let _writer = self.writer();
        let current = self.current.load();
        self.logs.store(Arc::new(Logs { frozen, current: Arc::new(log) }));
        let stack = Arc::clone(&current.stack);
        let frozen = current.table.clone();
        self.current.store(Arc::new(Snapshot { stack, frozen, table: Table::new() }));
        Ok(())
    }

    /// Makes the frozen table a layer, if there is one, and removes its log.
    pub(crate) fn write_frozen(&self) -> Result<(), StoreError> {
        self.write_table(&self.freezing())
    }

    fn write_table(&self, freezing: &MutexGuard<'_, ()>) -> Result<(), StoreError> {
        if self.current.load().frozen.len() > 0 {
            let mut generations = self.generations();
            if generations.is_frozen_named {
                self.reopen(&mut generations)?;
            }
        }
        // No other table is frozen meanwhile.
        let frozen = self.current.load().frozen.clone();
        if frozen.len() == 0 {
            return self.remove_frozen_log(freezing);
        }
        let name = layer_name(self.take());
        let visits = frozen.captures().map(|single| (single.hash, single.visit.clone()));
        let written = write_visits(&visits_path(&self.directory, &name), visits)
            .and_then(|()| write_layer(&self.directory.join(&name), &merged(frozen.captures())?));
        self.or_remove(written, &name)?;
        let mut generations = self.generations();
        let mut layers = generations.manifest.layers.clone();
        layers.push(name.clone());
        generations.replace(&self.directory, layers, &name)?;
        generations.is_frozen_named = true;
        self.reopen(&mut generations)?;
        drop(generations);
        self.remove_frozen_log(freezing)
    }

    /// Removes the log of a frozen table that is a layer, or was one when its log could not be
    /// removed.
    fn remove_frozen_log(&self, _freezing: &MutexGuard<'_, ()>) -> Result<(), StoreError> {
        let logs = self.logs.load();
        if logs.frozen.is_some() {
            let current = Arc::clone(&logs.current);
            remove_other_logs(&self.directory, current.path())?;
            self.logs.store(Arc::new(Logs { frozen: None, current }));
        }
        Ok(())
    }
}

/// The lock, unless another thread has it.
fn try_lock(lock: &Mutex<()>) -> Option<MutexGuard<'_, ()>> {
    match lock.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The layer of captures in memory.
pub(crate) fn merged<'t>(captures: impl IntoIterator<Item = &'t Arc<Single>>) -> Result<Vec<u8>, StoreError> {
    let views: Vec<_> = captures.into_iter().map(|single| single.image.view()).collect();
    let bug = |error: &dyn std::fmt::Display| failed(Path::new("layer"), io::Error::other(error.to_string()));
    let merge = Merge::new(&views).map_err(|error| bug(&error))?;
    let mut bytes = Vec::new();
    merge.write((0, 0), || Ok(Vec::new()), &mut bytes).map_err(|error| match error {
        WriteError::Image(error) => StoreError::Image(error),
        WriteError::Io(error) => bug(&error),
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, Durability, Stats, StoreOptions};
    use std::ops::Range;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const CAPTURES: usize = 8;

    fn store(place: &Path) -> Store {
        let (durability, memory_captures) = (Durability::Never, Some(CAPTURES));
        Store::open(place, StoreOptions { durability, memory_captures, ..StoreOptions::default() })
            .expect("a store")
    }

    /// Puts in another thread, which must not wait.
    fn put_all(store: &Store, sites: Range<usize>) {
        let (done, is_done) = channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                for site in sites {
                    let url = format!("https://site{site}.example/robots.txt");
                    let capture = Capture { url, fetched_at: 1, status: 404, ..Capture::default() };
                    assert!(store.put(&capture).expect("room"));
                }
                done.send(()).expect("a test that waits");
            });
            if is_done.recv_timeout(Duration::from_secs(60)).is_err() {
                // The thread cannot be ended, so neither can this one.
                eprintln!("a put waits");
                std::process::abort();
            }
        });
    }

    /// Other threads write a layer, replace the manifest, and merge layers.
    #[test]
    fn puts_do_not_wait_for_other_threads() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path());
        let freezing = store.freezing.lock().expect("the lock");
        put_all(&store, 0..2 * CAPTURES);
        assert_eq!((store.stats().memory_sites, store.stats().layers), (2 * CAPTURES, 1));
        drop(freezing);
        store.flush().expect("room");
        let generations = store.generations();
        put_all(&store, 2 * CAPTURES..3 * CAPTURES);
        drop(generations);
        let compacting = store.compacting.lock().expect("the lock");
        put_all(&store, 3 * CAPTURES..(limits::LAYERS_BEFORE_COMPACTION + 8) * CAPTURES);
        drop(compacting);
        assert!(store.stats().layers > limits::LAYERS_BEFORE_COMPACTION, "{} layers", store.stats().layers);
        put_all(
            &store,
            (limits::LAYERS_BEFORE_COMPACTION + 8) * CAPTURES
                ..(limits::LAYERS_BEFORE_COMPACTION + 10) * CAPTURES,
        );
        let Stats { layers, layer_sites, memory_sites, .. } = store.stats();
        assert!(layers < limits::LAYERS_BEFORE_COMPACTION, "{layers} layers");
        assert_eq!(layer_sites + memory_sites, (limits::LAYERS_BEFORE_COMPACTION + 10) * CAPTURES);
    }

    /// While files can be written but the layers cannot be opened, as with few descriptors left,
    /// each try must not add a layer.
    #[test]
    fn a_layer_that_cannot_be_opened_is_written_once() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path());
        put_all(&store, 0..CAPTURES);
        store.flush().expect("room");
        let layer = place.path().join(&store.current.load().stack.names[1]);
        let aside = place.path().join("aside");
        std::fs::rename(&layer, &aside).expect("room");
        put_all(&store, CAPTURES..CAPTURES + 1);
        for _ in 0..limits::LAYERS_BEFORE_WAIT {
            assert!(store.flush().is_err());
            assert_eq!(store.generations().manifest.layers.len(), 3);
        }
        std::fs::rename(&aside, &layer).expect("room");
        put_all(&store, CAPTURES + 1..CAPTURES + 2);
        store.flush().expect("room");
        let Stats { layers, layer_sites, memory_sites, .. } = store.stats();
        assert_eq!((layers, layer_sites, memory_sites), (4, CAPTURES + 2, 0));
    }

    #[test]
    fn nothing_is_left_of_a_layer_that_cannot_be_written() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path());
        put_all(&store, 0..1);
        // The next numbers are those of a log and of the layer.
        let layer = layer_name(store.take() + 2);
        std::fs::create_dir_all(place.path().join(&layer).join("x")).expect("room");
        assert!(store.flush().is_err());
        assert!(!visits_path(place.path(), &layer).exists());
        store.flush().expect("room");
        assert_eq!(store.stats().layer_sites, 1);
    }

    /// While old layers are merged, those of new captures are written and merged, too.
    #[test]
    fn layers_stay_few_during_a_long_merge() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path());
        let last = store.current.load().stack.names.last().cloned();
        let puts = limits::LAYERS_BEFORE_COMPACTION * 4 * CAPTURES;
        let merge = || {
            put_all(&store, 0..puts);
            Ok(())
        };
        let compacting = store.compacting.lock().expect("the lock");
        store.beside(last.as_ref(), merge).expect("room");
        drop(compacting);
        let Stats { layers, layer_sites, memory_sites, .. } = store.stats();
        assert!(layers < limits::LAYERS_BEFORE_WAIT, "{layers} layers");
        assert_eq!(layer_sites + memory_sites, puts);
    }
}
