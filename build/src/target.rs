//! Output files of a job, written completely or not at all.
//!
//! A file is written next to its target, synced and renamed over it. Readers that have the old one
//! open keep it, and nobody ever sees half of the new one. It does not know what is written.

use crate::Error;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output file.
#[derive(Debug)]
pub struct Target {
    /// The path as given, for messages.
    path: PathBuf,
    /// The path that is written: the target of a link.
    written: PathBuf,
    /// The new file, which is renamed to the path.
    file: NamedTempFile,
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
        let mut builder = tempfile::Builder::new();
        builder.prefix(".robomaton-").suffix(".part");
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => {
                Err(Error::Taken { path: path.to_owned(), what: format!("is a directory; {named_by}") })
            }
            Ok(data) if !data.is_file() => {
                let stream = Some(File::options().write(true).open(path).map_err(failed)?);
                let file = builder.tempfile().map_err(failed)?;
                Ok(Target { path: path.to_owned(), written: path.to_owned(), file, stream })
            }
            known => {
                // A link's target is replaced, not the link.
                let written =
                    if known.is_ok() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
                let file = builder.tempfile_in(directory(&written)).map_err(failed)?;
                Ok(Target { path: path.to_owned(), written, file, stream: None })
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
        self.file.as_file()
    }

    /// The path of the new file until it is complete.
    pub(crate) fn new_path(&self) -> &Path {
        self.file.path()
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
        let Target { path, written, mut file, stream } = self;
        let failed = |error| Error::write(&path, error);
        if let Some(mut stream) = stream {
            file.rewind().map_err(failed)?;
            return io::copy(&mut file, &mut stream).map(|_| ()).map_err(failed);
        }
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&written).map_err(|error| failed(error.error))?;
        // The rename itself is durable once the directory is.
        #[cfg(unix)]
        File::open(directory(&written)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(())
    }
}

/// The directory that a file is in.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
