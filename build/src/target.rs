//! Files that a job writes: whole or not at all.
//!
//! A file is written beside its target, synced and renamed over it, so that whoever has the old one
//! open keeps it and nobody ever sees half of the new one. It does not know what is written.

use crate::Error;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a file goes.
#[derive(Debug)]
pub struct Target {
    /// The path as it was given, which messages name.
    path: PathBuf,
    /// The path that is written: where a link leads to.
    written: PathBuf,
    /// A new file, which is renamed to the path.
    file: NamedTempFile,
    /// A pipe or a device, which nothing can be renamed over: it gets a copy of the file.
    stream: Option<File>,
}

impl Target {
    /// Finds out whether the path can be written; `named_by` says what to mend where it is a
    /// directory.
    ///
    /// # Errors
    /// When it cannot.
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
                // What a link points to is replaced, not the link.
                let written =
                    if known.is_ok() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
                let file = builder.tempfile_in(directory(&written)).map_err(failed)?;
                Ok(Target { path: path.to_owned(), written, file, stream: None })
            }
        }
    }

    /// Where there is room for the file, if that is known.
    pub fn directory(&self) -> Option<&Path> {
        self.stream.is_none().then(|| directory(&self.written))
    }

    /// Where it goes, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The new file.
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Where the new file is until it is whole.
    pub(crate) fn new_path(&self) -> &Path {
        self.file.path()
    }

    /// An error of writing it.
    pub fn failed(&self, error: io::Error) -> Error {
        Error::write(&self.path, error)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When the system refuses to.
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
