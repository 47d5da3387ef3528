//! Compaction: layers of one size become one layer of the next.
//!
//! A capture is rewritten once for each size class, and layers differ in size by a factor, so both
//! the number of layers and the bytes written for a capture grow with the logarithm of the store.
//! Invariant: a run of neighbours is replaced by its merge, so captures keep their order. It does
//! not know the log or the table.

use crate::files::{layer_name, remove_layer, visits_path};
use crate::generations::Generations;
use crate::snapshot::Stack;
use crate::visit::merge_visits;
use crate::{Store, StoreError, limits};
use robomaton_build::{Destination, MergeOptions};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::Duration;

/// The time between two looks for a frozen table.
const LOOK: Duration = Duration::from_millis(2);

impl Store {
    /// Writes the frozen table as a layer, and merges layers of one size class if there are enough
    /// of them, until there are not. Puts and questions go on meanwhile, so an owner calls it from
    /// a thread of its own, every second or so: it is done in a moment if there is nothing to do.
    /// The store has no thread for it, so that the owner gets the errors, and chooses the time;
    /// while it merges, a thread of its own writes and merges the layers of new captures. Nothing
    /// breaks without it: a put does what must be done. Memory holds about 125 bytes for each site
    /// of the merged layers, and the disk needs room for the result and for temporary files of its
    /// size. A log that could not be written or synced ([`StoreError::Broken`]) is replaced: all
    /// captures in memory become a layer, and puts go on.
    ///
    /// # Errors
    /// If a layer is damaged or the result cannot be written. The layers stay as they are then.
    pub fn compact(&self) -> Result<(), StoreError> {
        self.compact_locked(&self.compacting())
    }

    pub(crate) fn compact_locked(&self, _compacting: &MutexGuard<'_, ()>) -> Result<(), StoreError> {
        if self.is_broken() {
            self.flush()?
        } else {
            self.write_frozen()?
        }
        while let Some(run) = self.run(None)? {
            self.beside(run.names.last(), || self.merge(&run, 0))?;
            self.write_frozen()?;
        }
        Ok(())
    }

    /// Removes all captures that were fetched before a time, in Unix seconds; those of unknown
    /// time, too. Writes all others again, as one layer. Puts and questions go on meanwhile, but a
    /// text that is removed is not renewed any more.
    ///
    /// # Errors
    /// As of [`Store::compact`].
    pub fn evict(&self, oldest: u64) -> Result<(), StoreError> {
        let _compacting = self.compacting();
        self.writer().evicting = oldest;
        let evicted = self.flush().and_then(|()| {
            let stack = self.stack()?;
            let run = Run { names: stack.names.clone(), stack };
            self.beside(run.names.last(), || self.merge(&run, oldest))
        });
        self.writer().evicting = 0;
        evicted
    }

    /// The layers that are to be merged, of those behind a name.
    fn run(&self, behind: Option<&String>) -> Result<Option<Run>, StoreError> {
        let stack = self.stack()?;
        let place = |name| stack.names.iter().position(|layer| layer == name);
        let first = match behind.map(place) {
            None => 0,
            Some(Some(place)) => place + 1,
            // It was merged meanwhile.
            Some(None) => return Ok(None),
        };
        let sizes: Vec<usize> = stack.layers.layers().skip(first).map(|layer| layer.bytes()).collect();
        let names = run_to_merge(&sizes).map(|run| stack.names[first + run.start..first + run.end].to_vec());
        Ok(names.map(|names| Run { stack, names }))
    }

    /// Merges layers. Meanwhile, another thread makes layers of frozen tables, and merges those
    /// behind the last of these, so that puts wait for neither.
    pub(crate) fn beside(
        &self,
        last: Option<&String>,
        merge: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (done, is_done) = channel::<()>();
        thread::scope(|scope| {
            let work = move || {
                while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    self.write_frozen()?;
                    if let Some(run) = self.run(last)? {
                        self.merge(&run, 0)?;
                    }
                }
                Ok(())
            };
            // Without it, puts do what must be done.
            let helper = thread::Builder::new().spawn_scoped(scope, work).ok();
            let merged = merge();
            drop(done);
            let helped = helper.map_or(Ok(Ok(())), |helper| helper.join());
            merged.and(helped.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// The layers of the manifest.
    fn stack(&self) -> Result<Arc<Stack>, StoreError> {
        let mut generations = self.generations();
        // Not so after a layer was added that could not be opened at once.
        if self.current.load().stack.names != generations.manifest.layers {
            self.reopen(&mut generations)?;
        }
        let stack = Arc::clone(&self.current.load().stack);
        // If they cannot be removed, that is no reason not to merge others.
        let _ = self.remove_old(generations);
        Ok(stack)
    }

    /// Replaces a run of layers by their merge, without the captures before a time.
    fn merge(&self, run: &Run, oldest: u64) -> Result<(), StoreError> {
        let Run { stack, names: old } = run;
        let name = layer_name(self.take());
        let paths: Vec<PathBuf> = old.iter().map(|name| self.directory.join(name)).collect();
        let visits = stack.names.iter().zip(&stack.visits).filter(|(name, _)| old.contains(name));
        let visits = visits.map(|(_, visits)| visits.as_ref());
        let write = || {
            merge_visits(&visits_path(&self.directory, &name), visits, oldest)?;
            let destination = Destination::open(&self.directory.join(&name), None)?;
            let options = MergeOptions { oldest, threads: 1, ..MergeOptions::default() };
            Ok(robomaton_build::merge_with(options, &paths, destination)?)
        };
        self.or_remove(write().map(drop), &name)?;
        let mut generations = self.generations();
        // Other threads may have added layers behind them.
        let layers = generations.manifest.layers.iter().filter_map(|layer| match old.first() {
            Some(first) if layer == first => Some(name.clone()),
            _ => Some(layer.clone()).filter(|layer| !old.contains(layer)),
        });
        let layers = layers.collect();
        generations.replace(&self.directory, layers, &name)?;
        self.reopen(&mut generations)?;
        self.remove_old(generations)
    }

    /// Removes the layers that the manifest names no more. Those that cannot be removed, or whose
    /// successors do not answer yet, stay for the next time, or for the next opening.
    ///
    /// # Errors
    /// The first one.
    pub(crate) fn remove_old(&self, mut generations: MutexGuard<'_, Generations>) -> Result<(), StoreError> {
        let old = generations.take_old(&self.current.load().stack.names);
        // A large file takes a while, and others need not wait for it.
        drop(generations);
        let remove = |name: String| remove_layer(&self.directory, &name).map_err(|error| (name, error));
        let (kept, errors): (Vec<_>, Vec<_>) = old.into_iter().map(remove).filter_map(Result::err).unzip();
        if !kept.is_empty() {
            self.generations().keep_old(kept);
        }
        errors.into_iter().next().map_or(Ok(()), Err)
    }
}

/// Neighbours of a stack that are to be merged.
struct Run {
    stack: Arc<Stack>,
    /// Their names, oldest first.
    names: Vec<String>,
}

/// The newest layers that are to be merged; `None` if that does not pay yet.
fn run_to_merge(sizes: &[usize]) -> Option<Range<usize>> {
    let class = |bytes: usize| bytes.max(1).ilog(limits::CLASS_LAYERS);
    let (mut largest, mut count, mut first) = (0, 0, None);
    // A run of layers up to some class pays if enough of them are of that class.
    for (place, &bytes) in sizes.iter().enumerate().rev() {
        match class(bytes) {
            class if class > largest => (largest, count) = (class, 1),
            class => count += usize::from(class == largest),
        }
        if count >= limits::CLASS_LAYERS {
            first = Some(place);
        }
    }
    // Sizes of very many classes could exceed the number of layers.
    let most = sizes
        .len()
        .checked_sub(limits::LAYERS_BEFORE_COMPACTION / 2)
        .filter(|_| sizes.len() >= limits::LAYERS_BEFORE_COMPACTION);
    first.or(most).map(|first| first..sizes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::{Capture, StoreOptions};
    use robomaton_runtime::{MOST_LAYERS, Manifest};
    use std::fs;
    use std::path::Path;

    /// A store of an empty layer and some of one capture.
    fn store(place: &Path, layers: usize) -> Store {
        let store = Store::open(place, StoreOptions::default()).expect("a store");
        (0..layers).for_each(|site| put(&store, site).expect("room"));
        store
    }

    fn put(store: &Store, site: usize) -> Result<(), StoreError> {
        let url = format!("https://site{site}.example/robots.txt");
        store.put(&Capture { url, fetched_at: 1, status: 404, ..Capture::default() })?;
        store.flush()
    }

    /// No layer is there but those of the manifest.
    fn assert_nothing_is_left(place: &Path) {
        let mut named = Manifest::read(place).expect("a manifest").layers;
        named.sort();
        let found: Vec<String> = Files::read(place).expect("a directory").layers.into_iter().collect();
        assert_eq!(found, named);
    }

    /// As when too few descriptors are left for a moment.
    #[test]
    fn merged_layers_are_removed_once_their_successor_is_open() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path(), 3);
        let stack = store.stack().expect("layers");
        let (layer, aside) = (place.path().join(&stack.names[3]), place.path().join("aside"));
        let run = Run { names: stack.names[1..3].to_vec(), stack };
        fs::rename(&layer, &aside).expect("room");
        assert!(store.merge(&run, 0).is_err());
        assert!(run.names.iter().all(|name| place.path().join(name).exists()), "they answer still");
        fs::rename(&aside, &layer).expect("room");
        store.compact().expect("room");
        assert_nothing_is_left(place.path());
        assert_eq!((store.stats().layers, store.stats().layer_sites), (3, 3));
    }

    /// Each attempt would leave one more. A manifest that cannot be read may name them.
    #[test]
    fn new_layers_that_the_manifest_does_not_name_are_removed() {
        let place = tempfile::tempdir().expect("a directory");
        let store = store(place.path(), 2);
        let stack = store.stack().expect("layers");
        let run = Run { names: stack.names[1..3].to_vec(), stack };
        let path = Manifest::path(place.path());
        let aside = place.path().join("aside");
        fs::rename(&path, &aside).and_then(|()| fs::create_dir(&path)).expect("room");
        for _ in 0..3 {
            assert!(store.merge(&run, 0).is_err() && put(&store, 2).is_err());
        }
        assert_eq!(Files::read(place.path()).expect("a directory").layers.len(), 9);
        fs::remove_dir(&path).and_then(|()| fs::rename(&aside, &path)).expect("room");
        store.merge(&run, 0).and_then(|()| put(&store, 2)).expect("room");
        assert_nothing_is_left(place.path());
        assert_eq!((store.stats().layers, store.stats().layer_sites), (3, 3));
        let new = layer_name(store.take());
        fs::write(place.path().join(&new), b"a layer").expect("room");
        let many = vec![new.clone(); MOST_LAYERS + 1];
        assert!(store.generations().replace(place.path(), many, &new).is_err());
        assert_nothing_is_left(place.path());
    }

    /// Bytes are rewritten once for each class at most, and layers stay few.
    #[test]
    fn rewriting_and_layers_are_bounded() {
        for flushed in [1, 100, 4 << 20] {
            let (mut sizes, mut written, mut put) = (vec![0], 0, 0);
            for _ in 0..20_000 {
                sizes.push(flushed);
                put += flushed;
                while let Some(run) = run_to_merge(&sizes) {
                    let bytes = sizes[run.clone()].iter().sum();
                    written += bytes;
                    sizes.splice(run, [bytes]);
                }
                assert!(sizes.len() < limits::LAYERS_BEFORE_COMPACTION);
            }
            let classes = 20_000_usize.ilog(limits::CLASS_LAYERS) as usize + 1;
            assert!(written <= put * classes, "{written} bytes for {put}");
        }
    }

    #[test]
    fn layers_of_many_classes_are_merged_in_the_end() {
        let sizes: Vec<usize> = (0..limits::LAYERS_BEFORE_COMPACTION).rev().map(|class| 1 << class).collect();
        assert_eq!(run_to_merge(&sizes[1..]), None);
        assert_eq!(
            run_to_merge(&sizes),
            Some(limits::LAYERS_BEFORE_COMPACTION / 2..limits::LAYERS_BEFORE_COMPACTION)
        );
    }
}
