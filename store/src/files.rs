//! The files of a store: names, numbers, the lock, and writing whole.
//!
//! A number is never used twice in the life of a store, so a name stands for one content. It does
//! not know what a layer or a log holds.

use crate::StoreError;
use crate::log::{HEADER, is_log, sync_directory, whole};
use robomaton_build::{Target, is_shard};
use robomaton_formats::ImageError;
use robomaton_runtime::{Image, Manifest};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The extensions of damaged layers and logs that were set aside. Nothing reads or removes them.
const DAMAGED: &str = "rimg.damaged";
const DAMAGED_LOG: &str = "log.damaged";

/// The reason why a path is no stream.
pub(crate) const OUTPUT: &str = "a store has a file there";

/// The numbered files of a store.
pub(crate) struct Files {
    pub(crate) layers: BTreeSet<String>,
    /// Ascending.
    pub(crate) logs: BTreeSet<u64>,
    /// Greater than every number.
    pub(crate) next: u64,
}

impl Files {
    pub(crate) fn read(directory: &Path) -> Result<Files, StoreError> {
        let mut files = Files { layers: BTreeSet::new(), logs: BTreeSet::new(), next: 1 };
        for entry in fs::read_dir(directory).map_err(|error| failed(directory, error))? {
            let name = entry.map_err(|error| failed(directory, error))?.file_name();
            let Some((stem, kind)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            // The path of a number is one only: `007.log` is no file of the store.
            let number = stem.parse::<u64>().ok().filter(|number| number.to_string() == stem);
            let Some(number) = number else { continue };
            match kind {
                "rimg" | "visits" => drop(files.layers.insert(layer_name(number))),
                "log" => drop(files.logs.insert(number)),
                DAMAGED | DAMAGED_LOG => {}
                _ => continue,
            }
            files.next = files.next.max(number.saturating_add(1));
        }
        Ok(files)
    }

    /// True if there is a shard of an image, such as `000-of-004.rimg`.
    pub(crate) fn has_shards(directory: &Path) -> Result<bool, StoreError> {
        let mut has_one = false;
        for entry in fs::read_dir(directory).map_err(|error| failed(directory, error))? {
            let name = entry.map_err(|error| failed(directory, error))?.file_name();
            has_one |= name.to_str().is_some_and(is_shard);
        }
        Ok(has_one)
    }

    pub(crate) fn take(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

pub(crate) fn layer_name(number: u64) -> String {
    format!("{number}.rimg")
}

/// The visits of a layer.
pub(crate) fn visits_path(directory: &Path, layer: &str) -> PathBuf {
    directory.join(layer).with_extension("visits")
}

/// Sets a damaged layer aside, if it is there.
pub(crate) fn set_aside(directory: &Path, layer: &str) -> Result<(), StoreError> {
    let path = directory.join(layer);
    match fs::rename(&path, path.with_extension(DAMAGED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path, error)),
        _ => Ok(()),
    }
}

/// Removes a layer, which may be a directory of shards, and its visits.
pub(crate) fn remove_layer(directory: &Path, layer: &str) -> Result<(), StoreError> {
    for path in [visits_path(directory, layer), directory.join(layer)] {
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path, error)),
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn log_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number}.log"))
}

/// Sets a damaged log aside, and writes its whole captures in its place. Returns their number.
pub(crate) fn set_log_aside(path: &Path) -> Result<usize, StoreError> {
    let bytes = fs::read(path).map_err(|error| failed(path, error))?;
    let (log, captures) = whole(&bytes)?;
    // After a kill in between, the next opening does both again.
    write(&path.with_extension(DAMAGED_LOG), &bytes)?;
    write(path, &log)?;
    Ok(captures)
}

/// True if captures in this directory are in a log only: an image of its layers does not have them.
/// False for what is no directory.
pub fn has_logged(directory: &Path) -> bool {
    // One that cannot be examined at present may have some.
    let longer = |number| match fs::metadata(log_path(directory, number)) {
        Ok(log) => log.len() > HEADER as u64,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    Files::read(directory).is_ok_and(|files| files.logs.into_iter().any(longer))
}

/// Removes all logs but one. What does not begin as a log does was put there by others, and stays.
pub(crate) fn remove_other_logs(directory: &Path, kept: &Path) -> Result<(), StoreError> {
    let logs = Files::read(directory)?.logs.into_iter().map(|number| log_path(directory, number));
    let remove = |path: &Path| if is_log(path)? { fs::remove_file(path) } else { Ok(()) };
    logs.filter(|path| path != kept).try_for_each(|path| match remove(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path, error)),
        _ => Ok(()),
    })
}

/// The lock of a store.
pub(crate) struct Lock(pub(crate) File);

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that was forked meanwhile has the file open, too, until it runs its program.
        let _ = self.0.unlock();
    }
}

/// Takes the lock of a store.
pub(crate) fn lock(directory: &Path) -> Result<Lock, StoreError> {
    let path = directory.join("store.lock");
    let failed = |error| failed(&path, error);
    let file =
        File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {
            let mut lock = Lock(file);
            lock.0.set_len(0).map_err(failed)?;
            lock.0.rewind().map_err(failed)?;
            write!(lock.0, "{}", std::process::id()).map_err(failed)?;
            sync_directory(&path).map_err(failed)?;
            Ok(lock)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Who holds it is told as far as it can be read.
            let _ = file.take(20).read_to_string(&mut holder);
            Err(StoreError::Locked { path: directory.to_owned(), holder })
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Writes a layer, unless it is damaged.
pub(crate) fn write_layer(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let verified = Image::from_bytes(bytes).and_then(|image| image.verify());
    verified.map_err(|error: ImageError| robomaton_build::Error::Unsound { path: path.to_owned(), error })?;
    write(path, bytes)
}

pub(crate) fn write_manifest(directory: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    write(&Manifest::path(directory), manifest.to_string().as_bytes())
}

/// Writes a file and makes it and its name durable.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let target = Target::open(path, OUTPUT)?;
    target.file().write_all(bytes).map_err(|error| target.failed(error))?;
    Ok(target.finish()?)
}

pub(crate) fn failed(path: &Path, error: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), error }
}
