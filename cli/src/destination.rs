//! Where an image goes: to a file, or to a directory of shards. Whole or not at all.
//!
//! What `compile` and `merge` share. A directory is made beside its place and renamed to it; one of shards that stands there is
//! moved away first. It does not know what is written.

use crate::failure::Failure;
use crate::target::{Target, cannot_write, directory};
use clap::Args;
use robomaton_corpus::ShardWriter;
use robomaton_formats::WriteError;
use robomaton_runtime::{Image, SHARD_EXTENSION};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What to write.
#[derive(Args)]
pub(crate) struct DestinationArgs {
    /// The image to write.
    #[arg(short, long, value_name = "IMAGE")]
    output: PathBuf,
    /// Write so many files into the directory IMAGE, which every command opens as one image.
    #[arg(long, value_name = "N")]
    shards: Option<NonZero<u8>>,
}

/// Where an image goes.
pub(crate) enum Destination {
    /// A file.
    File(Target),
    /// A directory of so many shards.
    Shards(PathBuf, TempDir, NonZero<u8>),
}

impl Destination {
    /// Finds out whether it can be written.
    pub(crate) fn open(arguments: &DestinationArgs) -> Result<Destination, Failure> {
        let path = &arguments.output;
        let Some(shards) = arguments.shards else {
            return Target::open(path, "--output names the image").map(Destination::File);
        };
        let failed = |error| cannot_write(path, error);
        match fs::read_dir(path) {
            Ok(mut entries) => {
                let foreign = |entry: io::Result<fs::DirEntry>| {
                    entry.is_ok_and(|entry| {
                        Path::new(&entry.file_name()).extension() != Some(SHARD_EXTENSION.as_ref())
                    })
                };
                if entries.any(foreign) {
                    let what = format!("is a directory that holds other files than *.{SHARD_EXTENSION}");
                    return Err(Failure::of(path, what));
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
        Ok(Destination::Shards(path.clone(), made, shards))
    }

    /// How many files it has.
    pub(crate) fn shards(&self) -> NonZero<u8> {
        match self {
            Destination::File(_) => NonZero::<u8>::MIN,
            Destination::Shards(_, _, shards) => *shards,
        }
    }

    /// Where there is room for temporary files, if that is known.
    pub(crate) fn room(&self) -> Option<&Path> {
        match self {
            Destination::File(target) => target.directory(),
            Destination::Shards(path, ..) => Some(directory(path)),
        }
    }

    /// Writes one file, not in its place yet.
    pub(crate) fn write(&self, number: u8, write: ShardWriter<'_>) -> Result<(), WriteError> {
        let file = match self {
            Destination::File(target) => target.file().try_clone()?,
            Destination::Shards(_, made, shards) => {
                File::create(made.path().join(format!("{number:03}-of-{shards:03}.{SHARD_EXTENSION}")))?
            }
        };
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if matches!(self, Destination::Shards(..)) {
            file.sync_all()?;
        }
        Ok(())
    }

    /// An error of writing it.
    pub(crate) fn failed(&self, error: WriteError) -> Failure {
        match (error, self) {
            (WriteError::Image(error), _) => Failure::from_error(error),
            (WriteError::Io(error), Destination::File(target)) => target.failed(error),
            (WriteError::Io(error), Destination::Shards(path, ..)) => cannot_write(path, error),
        }
    }

    /// The image that was written.
    pub(crate) fn image(&self) -> Result<Image, Failure> {
        let path = match self {
            Destination::File(target) => target.new_path(),
            Destination::Shards(_, made, _) => made.path(),
        };
        Image::open(path).map_err(Failure::from_error)
    }

    /// Puts it in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (path, made) = match self {
            Destination::File(target) => return target.finish(),
            Destination::Shards(path, made, _) => (path, made),
        };
        let failed = |error| cannot_write(&path, error);
        // A directory with files in it is not renamed over; who has the old one open keeps it.
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
        // It is no longer there to be removed.
        let _ = made.keep();
        #[cfg(unix)]
        File::open(directory(&path)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(())
    }
}
