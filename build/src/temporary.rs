//! Outputs under temporary names, beside the path that they will have.
//!
//! No temporary name stays behind, however the process ends. After an error, dropping the
//! [`Temporary`] removes it. On a signal, [`remove_unfinished`] removes all names of the process.
//! After SIGKILL or a power failure, the next job in the same directory does: a process locks what
//! it has under a temporary name, so what nobody has locked is abandoned. Where files cannot be
//! locked, such names are left. Invariant: while a signal removes names, no output is moved to its
//! path. It does not know what is written, nor where it will be moved.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::Builder;

/// No reader of directories takes such a name for an input.
const PREFIX: &str = robomaton_corpus::UNFINISHED;
const SUFFIX: &str = ".part";

/// Attempts to empty a directory that threads of this process may still write to.
const ATTEMPTS: usize = 100;

/// The temporary names of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary name. What has this name when it is dropped is removed.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    /// The file or directory, open to hold the lock.
    _lock: Option<File>,
}

impl Temporary {
    /// Creates a file in `directory`, with the mode of the file that it is to replace.
    pub(crate) fn file_in(directory: &Path, mode: Option<u32>) -> io::Result<(Temporary, File)> {
        let (temporary, file) = Temporary::create(directory, |builder| {
            let builder = with_mode(builder, mode.unwrap_or(0o666));
            let (file, path) = builder.tempfile_in(directory)?.keep().map_err(|error| error.error)?;
            Ok((path, file))
        })?;
        set_mode(&temporary.path, mode)?;
        Ok((temporary, file))
    }

    /// Creates a directory in `directory`, which nobody may enter who may not enter the one that it
    /// is to replace.
    pub(crate) fn directory_in(directory: &Path, mode: Option<u32>) -> io::Result<Temporary> {
        let (temporary, ()) = Temporary::create(directory, |builder| {
            let builder = with_mode(builder, mode.map_or(0o777, |mode| mode | 0o700));
            Ok((builder.tempdir_in(directory)?.keep(), ()))
        })?;
        Ok(temporary)
    }

    fn create<T>(
        directory: &Path,
        create: impl Fn(&mut Builder<'_, '_>) -> io::Result<(PathBuf, T)>,
    ) -> io::Result<(Temporary, T)> {
        sweep(directory);
        loop {
            // No signal comes between the creation of a name and its entry in the list.
            let mut unfinished = unfinished();
            let (path, created) = create(Builder::new().prefix(PREFIX).suffix(SUFFIX))?;
            let lock = File::open(&path).ok();
            // Another process that sweeps may see the new name before it is locked.
            if lock.as_ref().is_some_and(is_locked) || is_gone(&path) {
                continue;
            }
            unfinished.push(path.clone());
            return Ok((Temporary { path, _lock: lock }, created));
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What was moved to its path has this name no more. Whatever else fails here is left to
        // the next job.
        let _ = remove(&self.path);
        unfinished().retain(|path| *path != self.path);
    }
}

/// The list of temporary names, locked: until it is dropped, no output is moved to its path.
#[must_use]
#[derive(Debug)]
pub struct Removed {
    _unfinished: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes all unfinished outputs of this process: what a signal handler does before it ends the
/// process, while it holds the result. It must run on a thread of its own, since it waits until
/// outputs that are being moved to their paths are there.
pub fn remove_unfinished() -> Removed {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        (0..ATTEMPTS).find(|_| remove(path).is_ok() || is_gone(path));
    }
    Removed { _unfinished: unfinished }
}

/// Locks what is about to get a temporary name, so that no other job removes it while the result
/// lives.
pub(crate) fn hold(path: &Path) -> Option<File> {
    File::open(path).ok().filter(|file| !is_locked(file))
}

/// Runs `rename`, during which no signal removes names. It must not drop a [`Temporary`].
pub(crate) fn publish<T>(rename: impl FnOnce() -> T) -> T {
    let _unfinished = unfinished();
    rename()
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what ended processes have left in a directory.
fn sweep(directory: &Path) {
    // Nobody is told of what cannot be removed: it is not this job's.
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        // Opening a pipe would wait for its writer.
        let is_plain = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if is_ours
            && is_plain
            && let Ok(file) = File::open(entry.path())
            && is_abandoned(&file)
        {
            let _ = remove(&entry.path());
        }
    }
}

/// Locks a file or directory; true if another process has the lock.
#[cfg(unix)]
fn is_locked(file: &File) -> bool {
    matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
}

/// Locks a file or directory; true if that succeeds, so no living process has the lock.
#[cfg(unix)]
fn is_abandoned(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// Elsewhere, nobody could read a locked file.
#[cfg(not(unix))]
fn is_locked(_: &File) -> bool {
    false
}

#[cfg(not(unix))]
fn is_abandoned(_: &File) -> bool {
    false
}

fn is_gone(path: &Path) -> bool {
    matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// Removes a file, or a directory with its contents.
fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// The mode that new files get, from which the system takes the user's mask.
#[cfg(unix)]
fn with_mode<'a, 'p, 's>(builder: &'a mut Builder<'p, 's>, mode: u32) -> &'a mut Builder<'p, 's> {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn with_mode<'a, 'p, 's>(builder: &'a mut Builder<'p, 's>, _: u32) -> &'a mut Builder<'p, 's> {
    builder
}

/// Sets the mode of what is to be replaced, whatever the user's mask.
pub(crate) fn set_mode(path: &Path, mode: Option<u32>) -> io::Result<()> {
    match mode {
        #[cfg(unix)]
        Some(mode) => fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)),
        _ => Ok(()),
    }
}

/// The permissions of a file or directory that is to be replaced, without the bits of special use.
pub(crate) fn mode(data: &fs::Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o777);
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_abandoned_names_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(place.path()).unwrap().count();
        fs::write(place.path().join(".robomaton-killed.part"), "x").unwrap();
        fs::create_dir(place.path().join(".robomaton-dir.part")).unwrap();
        fs::write(place.path().join(".robomaton-dir.part/000-of-002.rimg"), "x").unwrap();
        fs::write(place.path().join("other.part"), "x").unwrap();
        let (first, _file) = Temporary::file_in(place.path(), None).unwrap();
        assert_eq!(names(), 2);
        let second = Temporary::directory_in(place.path(), None).unwrap();
        assert!(first.path().is_file() && second.path().is_dir());
        drop((first, second));
        assert_eq!(names(), 1);
    }
}
