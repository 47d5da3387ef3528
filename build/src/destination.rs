//! The destination of an image: a file, or a directory of shards, written completely or not at all.
//!
//! `compile` and `merge` share it. A directory is created next to its path and renamed; an existing
//! directory of shards is moved away first. It does not know what is written.

use crate::Error;
use crate::open::open;
use crate::target::{Target, directory};
use robomaton_corpus::ShardWriter;
use robomaton_formats::WriteError;
use robomaton_runtime::{Image, SHARD_EXTENSION};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The destination of an image.
#[derive(Debug)]
pub struct Destination {
    place: Place,
    /// The number of files.
    shards: NonZero<u8>,
}

#[derive(Debug)]
enum Place {
    File(Target),
    /// The directory, and the new one.
    Directory(PathBuf, TempDir),
}

impl Destination {
    /// Checks that an image can be written: a file, or a directory with a number of shards.
    ///
    /// # Errors
    /// If it cannot, or if the existing file or directory is not an image.
    pub fn open(path: &Path, shards: Option<NonZero<u8>>) -> Result<Destination, Error> {
        let Some(shards) = shards else {
            let place = Target::open(path, "the output names the image").map(Place::File)?;
            return Ok(Destination { place, shards: NonZero::<u8>::MIN });
        };
        // A link's target is replaced, not the link.
        let link = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
        let path = link.as_deref().unwrap_or(path);
        let failed = |error| Error::write(path, error);
        match fs::read_dir(path) {
            Ok(mut entries) => {
                let foreign = |entry: io::Result<fs::DirEntry>| {
                    entry.is_ok_and(|entry| {
                        Path::new(&entry.file_name()).extension() != Some(SHARD_EXTENSION.as_ref())
                    })
                };
                if entries.any(foreign) {
                    let what = format!("is a directory that holds other files than *.{SHARD_EXTENSION}");
                    return Err(Error::Taken { path: path.to_owned(), what });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let made =
            builder.prefix(".robomaton-").suffix(".part").tempdir_in(directory(path)).map_err(failed)?;
        Ok(Destination { place: Place::Directory(path.to_owned(), made), shards })
    }

    /// The number of files.
    pub(crate) fn shards(&self) -> NonZero<u8> {
        self.shards
    }

    /// A directory with room for temporary files, if known.
    pub(crate) fn room(&self) -> Option<&Path> {
        match &self.place {
            Place::File(target) => target.directory(),
            Place::Directory(path, _) => Some(directory(path)),
        }
    }

    /// Writes one file, still under its temporary name.
    pub(crate) fn write(&self, number: u8, write: ShardWriter<'_>) -> Result<(), WriteError> {
        let file = match &self.place {
            Place::File(target) => target.file().try_clone()?,
            Place::Directory(_, made) => {
                let name = format!("{number:03}-of-{:03}.{SHARD_EXTENSION}", self.shards);
                File::create(made.path().join(name))?
            }
        };
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if matches!(self.place, Place::Directory(..)) {
            file.sync_all()?;
        }
        Ok(())
    }

    /// The error for a failed write.
    pub(crate) fn failed(&self, error: WriteError) -> Error {
        let path = match &self.place {
            Place::File(target) => target.path(),
            Place::Directory(path, _) => path,
        };
        match error {
            WriteError::Image(error) => Error::Image { path: path.to_owned(), error },
            WriteError::Io(error) => Error::write(path, error),
        }
    }

    /// Moves the image to its path, and opens it.
    pub(crate) fn finish(self) -> Result<Image, Error> {
        let (path, made) = match self.place {
            Place::File(target) => {
                let image = open(target.new_path())?;
                target.finish()?;
                return Ok(image);
            }
            Place::Directory(path, made) => (path, made),
        };
        let image = open(made.path())?;
        let failed = |error| Error::write(&path, error);
        // A directory with files cannot be renamed over; readers that have the old one open keep
        // it.
        let old = tempfile::Builder::new()
            .prefix(".robomaton-")
            .suffix(".old")
            .tempdir_in(directory(&path))
            .map_err(failed)?;
        match fs::rename(&path, old.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        fs::rename(made.path(), &path).map_err(failed)?;
        // The temporary name no longer exists, so there is nothing to remove.
        let _ = made.keep();
        #[cfg(unix)]
        File::open(directory(&path)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(image)
    }
}
