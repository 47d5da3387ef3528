//! Output files of a job, written completely or not at all.
//!
//! A file is written next to its target, synced and renamed over it. Readers that have the old one
//! open keep it, and nobody ever sees half of the new one. Several files are moved to their paths
//! together. It does not know what is written.

use crate::Error;
use crate::exchange::exchange;
use crate::temporary::{Temporary, hold, mode, publish};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// An output file.
#[derive(Debug)]
pub struct Target {
    /// The path as given, for messages.
    path: PathBuf,
    /// The path that is written: the target of a link.
    written: PathBuf,
    /// The name of the new file until it is complete.
    temporary: Temporary,
    /// The new file.
    file: File,
    /// A pipe or a device, which cannot be replaced by rename: it gets a copy of the file.
    stream: Option<File>,
}

impl Target {
    /// Checks that the path can be written. If it is a directory, the error ends with `named_by`,
    /// which says how to fix that.
    ///
    /// # Errors
    /// If it cannot.
    pub fn open(path: &Path, named_by: &str) -> Result<Target, Error> {
        let failed = |error| Error::write(path, error);
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => {
                Err(Error::Taken { path: path.to_owned(), what: format!("is a directory; {named_by}") })
            }
            Ok(data) if !data.is_file() => {
                let stream = Some(File::options().write(true).open(path).map_err(failed)?);
                let room = env::temp_dir();
                let (temporary, file) =
                    Temporary::file_in(&room, Some(0o600)).map_err(|error| Error::write(&room, error))?;
                Ok(Target { path: path.to_owned(), written: path.to_owned(), temporary, file, stream })
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            known => {
                // A link's target is replaced, not the link.
                let written =
                    if known.is_ok() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
                let mode = known.ok().as_ref().and_then(mode);
                let (temporary, file) = Temporary::file_in(directory(&written), mode).map_err(failed)?;
                Ok(Target { path: path.to_owned(), written, temporary, file, stream: None })
            }
        }
    }

    /// The directory with room for the file, if known.
    pub fn directory(&self) -> Option<&Path> {
        self.stream.is_none().then(|| directory(&self.written))
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The new file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path of the new file until it is complete.
    pub(crate) fn new_path(&self) -> &Path {
        self.temporary.path()
    }

    /// The error for a failed write.
    pub fn failed(&self, error: io::Error) -> Error {
        Error::write(&self.path, error)
    }

    /// Moves the file to its path.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn finish(self) -> Result<(), Error> {
        Target::finish_all(vec![self])
    }

    /// Moves files to their paths, one right after the other when all are complete. After an error,
    /// every path has its old file. Only if the process is killed meanwhile, or if the file system
    /// cannot exchange names, are some files new and others old.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn finish_all(mut targets: Vec<Target>) -> Result<(), Error> {
        for target in &mut targets {
            target.complete().map_err(|error| target.failed(error))?;
        }
        let files: Vec<&Target> = targets.iter().filter(|target| target.stream.is_none()).collect();
        publish(|| move_all(&files))?;
        // The renames themselves are durable once the directories are.
        #[cfg(unix)]
        for directory in files.iter().map(|file| directory(&file.written)).collect::<BTreeSet<_>>() {
            let synced = File::open(directory).and_then(|directory| directory.sync_all());
            synced.map_err(|error| Error::write(directory, error))?;
        }
        Ok(())
    }

    /// Makes the new file durable, or copies it to its stream.
    fn complete(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return self.file.sync_all() };
        self.file.rewind()?;
        io::copy(&mut self.file, stream).map(|_| ())
    }

    /// Moves the new file to its path, and the old one to the temporary name. False if the file
    /// system cannot, and the old one is gone.
    fn exchange(&self) -> io::Result<bool> {
        match exchange(self.new_path(), &self.written) {
            Ok(true) => Ok(true),
            Ok(false) => fs::rename(self.new_path(), &self.written).map(|()| false),
            // There is no old one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::rename(self.new_path(), &self.written).map(|()| true)
            }
            Err(error) => Err(error),
        }
    }

    /// Undoes [`Target::exchange`].
    fn exchange_back(&self) -> io::Result<()> {
        match exchange(self.new_path(), &self.written) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::rename(&self.written, self.new_path())
            }
            exchanged => exchanged.map(|_| ()),
        }
    }
}

/// Moves files to their paths, or none.
fn move_all(files: &[&Target]) -> Result<(), Error> {
    // A single file needs no way back.
    if let [file] = files {
        return fs::rename(file.new_path(), &file.written).map_err(|error| file.failed(error));
    }
    let mut moved = Vec::with_capacity(files.len());
    for file in files {
        let old = hold(&file.written);
        match file.exchange() {
            Ok(true) => moved.push((file, old)),
            Ok(false) => {}
            Err(error) => {
                // If this fails, too, the first error still tells more.
                moved.iter().rev().for_each(|(file, _)| drop(file.exchange_back()));
                return Err(file.failed(error));
            }
        }
    }
    Ok(())
}

/// The directory that a file is in.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn several_files_are_moved_together() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::write(at("a"), "old").unwrap();
        fs::create_dir(at("d")).unwrap();
        let open = |name: &str| {
            let target = Target::open(&at(name), "").unwrap();
            target.file().write_all(b"new").unwrap();
            target
        };
        let targets: Vec<Target> = ["a", "b", "d/c"].map(open).into();
        // The last rename fails.
        fs::remove_dir_all(at("d")).unwrap();
        assert!(Target::finish_all(targets).is_err());
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "old");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "neither b nor a temporary name");
        Target::finish_all(["a", "b"].map(open).into()).unwrap();
        assert_eq!(["a", "b"].map(|name| fs::read_to_string(at(name)).unwrap()), ["new", "new"]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }
}
