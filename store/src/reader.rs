//! A reader of a store that another process may be writing, through the files alone.
//!
//! It takes no lock and changes nothing. Invariant: its view is that of one moment while it opened:
//! every capture whose put had returned is there, durable or not. The manifest is the same before
//! and after everything else was read, and a log is removed only after a manifest that names its
//! layer, so a capture that moves from a log to a layer meanwhile is in one of them. It does not
//! know which fetches are in flight.

use crate::files::{Files, failed, log_path};
use crate::log::Log;
use crate::snapshot::{Query, Snapshot};
use crate::store::{check_options, replay, stack};
use crate::table::Table;
use crate::{Stats, StoreError, StoreOptions};
use robomaton_compiler::{ProgramCache, emit};
use robomaton_runtime::Manifest;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Attempts to read all files of one generation. A writer changes the generation once in thousands
/// of puts.
const ATTEMPTS: usize = 100;

/// A store as its files had it when it was opened.
///
/// ```
/// use robomaton_store::{Capture, Reader, Store, StoreOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let store = Store::open(directory, StoreOptions::default())?;
/// let url = "https://example.com/robots.txt".to_owned();
/// store.put(&Capture { url, fetched_at: 1_800_000_000, status: 404, ..Capture::default() })?;
/// // In another process, beside the writer:
/// let reader = Reader::open(directory, &StoreOptions::default())?;
/// assert_eq!(reader.snapshot().state("https://example.com/", 1_800_000_000)?.knowledge.name(), "fresh");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    snapshot: Snapshot,
    /// Bytes of the logs.
    log_bytes: u64,
}

impl Reader {
    /// Reads the store in a directory. Maps its layers, and compiles the captures of its log, of
    /// which there are a few thousand at most. Durability and the size of the memory do not matter.
    ///
    /// # Errors
    /// If there is no store, if its files cannot be read, are damaged or were compiled with other
    /// options.
    pub fn open(directory: impl AsRef<Path>, options: &StoreOptions) -> Result<Reader, StoreError> {
        let directory = directory.as_ref();
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let before = manifest(directory)?;
            let reader = Reader::read(directory, &before, options);
            match reader {
                Ok(reader) if manifest(directory)? == before => return Ok(reader),
                // A log that is appended to while it is read may seem damaged once.
                Err(error)
                    if manifest(directory)? == before
                        && last.replace(error.to_string()).as_ref() == Some(&error.to_string()) =>
                {
                    return Err(error);
                }
                Ok(_) | Err(_) => {}
            }
        }
        let error = io::Error::other("changed whenever it was read");
        Err(failed(&Manifest::path(directory), error))
    }

    fn read(directory: &Path, manifest: &Manifest, options: &StoreOptions) -> Result<Reader, StoreError> {
        let (mut captures, mut log_bytes) = (Vec::new(), 0);
        for &number in &Files::read(directory)?.logs {
            let (read, bytes) = Log::read(&log_path(directory, number))?;
            captures.extend(read);
            log_bytes += bytes;
        }
        let stack = stack(directory, manifest, &options.terms)?;
        check_options(directory, &stack.layers, emit(Vec::new(), &options.compile)?)?;
        let mut snapshot = Snapshot { stack: Arc::new(stack), frozen: Table::new(), table: Table::new() };
        replay(&mut snapshot, &captures, options, &mut ProgramCache::default())?;
        Ok(Reader { snapshot, log_bytes })
    }

    /// The state of the store.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// A query for a crawler and a usage, as of [`Store::query`](crate::Store::query).
    pub fn query<N: Into<String>>(&self, names: impl IntoIterator<Item = N>, usage: &str) -> Query {
        Query::new(names.into_iter().map(Into::into).collect(), usage, &self.snapshot.stack)
    }

    /// Counts of the store. All captures of the logs are in memory.
    pub fn stats(&self) -> Stats {
        Stats::of(&self.snapshot, self.log_bytes)
    }
}

fn manifest(directory: &Path) -> Result<Manifest, StoreError> {
    Manifest::read(directory).map_err(|error| failed(&Manifest::path(directory), error))
}
