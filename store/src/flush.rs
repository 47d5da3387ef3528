//! From the table to a layer.
//!
//! A full table is frozen, which takes a moment: a new table and a new log begin. Writing the
//! frozen one as a layer takes longer, and holds up neither puts nor questions. Invariants: the
//! captures of every log but the current one are in the frozen table or in layers; after a flush,
//! no log holds a capture that was put before it began. It does not know which layers are merged.

use crate::files::{failed, log_path, remove_other_logs, visits_path, write_layer};
use crate::log::{Log, Logs};
use crate::snapshot::Snapshot;
use crate::store::Writer;
use crate::table::{Single, Table};
use crate::visit::write_visits;
use crate::{Store, StoreError, limits};
use robomaton_compiler::Merge;
use robomaton_formats::WriteError;
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};

impl Store {
    /// Writes all captures in memory as layers. Puts and compaction do so when there are enough.
    ///
    /// # Errors
    /// If a layer cannot be written. Nothing is lost then.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.write_frozen()?;
        self.freeze(&mut self.writer())?;
        self.write_frozen()
    }

    /// Freezes a full table. If the last one is still no layer, this thread makes it one.
    pub(crate) fn make_room(&self) -> Result<(), StoreError> {
        if !self.is_full() {
            return Ok(());
        }
        self.write_frozen()?;
        let mut writer = self.writer();
        // Another thread may have done it.
        if self.is_full() { self.freeze(&mut writer) } else { Ok(()) }
    }

    fn is_full(&self) -> bool {
        let table = &self.current.load().table;
        let most = self.options.memory_captures.unwrap_or(limits::MEMORY_CAPTURES);
        let logged = usize::try_from(self.logs.load().current.len()).unwrap_or(usize::MAX);
        table.len() >= most || table.bytes().max(logged) >= limits::MEMORY_BYTES
    }

    /// Freezes the table, unless another is frozen, or it is empty and its log is sound.
    fn freeze(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let (current, frozen) = (self.current.load(), Arc::clone(&self.logs.load().current));
        if current.frozen.len() > 0 || (current.table.len() == 0 && !frozen.is_broken()) {
            return Ok(());
        }
        let log = Log::create(log_path(&self.directory, writer.take()))?;
        let frozen = Some(frozen);
        self.logs.store(Arc::new(Logs { frozen, current: Arc::new(log) }));
        let stack = Arc::clone(&current.stack);
        let frozen = current.table.clone();
        self.current.store(Arc::new(Snapshot { stack, frozen, table: Table::new() }));
        Ok(())
    }

    /// Makes the frozen table a layer, if there is one, and removes its log.
    pub(crate) fn write_frozen(&self) -> Result<(), StoreError> {
        let _freezing = self.freezing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writer = self.writer();
        // As long as it is not empty, no other table is frozen.
        let frozen = self.current.load().frozen.clone();
        if frozen.len() == 0 {
            return self.remove_frozen_log(&writer);
        }
        let name = writer.take_layer();
        drop(writer);
        let visits = frozen.captures().map(|single| (single.hash, single.visit.clone()));
        write_visits(&visits_path(&self.directory, &name), visits)?;
        write_layer(&self.directory.join(&name), &merged(frozen.captures())?)?;
        let mut writer = self.writer();
        let mut layers = writer.manifest.layers.clone();
        layers.push(name);
        self.replace(&mut writer, layers, true)?;
        self.remove_frozen_log(&writer)
    }

    /// Removes the log of a frozen table that is a layer, or was one when its log could not be
    /// removed. The holder of the writer keeps another table from being frozen.
    fn remove_frozen_log(&self, _writer: &Writer) -> Result<(), StoreError> {
        let logs = self.logs.load();
        if logs.frozen.is_some() {
            let current = Arc::clone(&logs.current);
            remove_other_logs(&self.directory, current.path())?;
            self.logs.store(Arc::new(Logs { frozen: None, current }));
        }
        Ok(())
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
