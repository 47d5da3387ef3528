//! Opening image files: one file, or a directory of shards or layers; mapped, or copied into
//! memory.
//!
//! It stands above `image` and `layers`, which hold what is opened here, and `memory`, which holds
//! the bytes. Invariant: only the header and the section table are checked, so opening a map takes
//! constant time. Mapping is `unsafe`; this module passes the caller's promise on and makes none of
//! its own.
#![allow(unsafe_code)]

use crate::image::{Image, SHARD_EXTENSION, Shard, ShardsError};
use crate::layers::{Layers, LayersError};
use crate::manifest::Manifest;
use crate::memory::Memory;
use crate::watch::Watch;
use robomaton_formats::ImageError;
use std::io;
use std::path::{Path, PathBuf};

/// Attempts to open a stack whose layers are replaced meanwhile.
const ATTEMPTS: usize = 16;

/// An image file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot open {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The file is not an image that this version can read.
    #[error("{path}: {error}")]
    Image {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: ImageError,
    },
    /// The files in the directory are not the shards of one image.
    #[error("{path}: {error}")]
    Shards {
        /// The directory.
        path: PathBuf,
        /// The reason.
        #[source]
        error: ShardsError,
    },
    /// The images in the directory are not the layers of one stack.
    #[error("{path}: {error}")]
    Layers {
        /// The layer, or the directory.
        path: PathBuf,
        /// The reason.
        #[source]
        error: LayersError,
    },
    /// Somebody wrote to the files while they were copied.
    #[error("{path}: {MODIFIED}")]
    Modified {
        /// The file or directory.
        path: PathBuf,
    },
}

/// What to do about an image whose files were written to.
pub const MODIFIED: &str =
    "was written to since it was opened: open it again, and replace images by renaming a new one over them";

impl Image {
    /// Copies an image of one file that is in memory already.
    ///
    /// # Errors
    /// If the bytes do not begin as an image, or there is no memory for the copy.
    pub fn copy(bytes: &[u8]) -> Result<Image, OpenError> {
        let path = PathBuf::from("the bytes in memory");
        match Memory::copy(bytes) {
            Err(error) => Err(OpenError::Io { path, error }),
            Ok(data) => Image::from_bytes(data).map_err(|error| OpenError::Image { path, error }),
        }
    }

    /// Maps an image file, or all shards in a directory as one image. Takes constant time for each
    /// file: header and section table are checked here, contents only by [`Image::verify`].
    ///
    /// ```no_run
    /// # #![allow(unsafe_code)]
    /// use robomaton_runtime::Image;
    ///
    /// // SAFETY: this file is replaced by rename only, and nobody writes into it.
    /// let image = unsafe { Image::map("crawl.rimg")? };
    /// println!("{} sites", image.len());
    /// # Ok::<(), robomaton_runtime::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// If a file cannot be read or does not begin as an image, or if the files in a directory are
    /// not the shards of one image.
    ///
    /// # Safety
    /// While the image or a clone of it lives, nobody may change or truncate its files, neither
    /// this process nor another. To replace a file, rename another one over it, or remove it and
    /// write a new one: the mapped contents stay the same.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        // SAFETY: the caller promises that nobody changes or truncates the files.
        open(path.as_ref(), |path| unsafe { Memory::map(path) })
    }

    /// Reads an image file, or all shards in a directory as one image, into memory. Takes time and
    /// memory for the whole size; later changes to the files have no effect. Checks the same as
    /// [`Image::map`].
    ///
    /// # Errors
    /// If a file cannot be read or does not begin as an image, or if the files in a directory are
    /// not the shards of one image.
    pub fn read(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        open(path.as_ref(), Memory::read)
    }

    /// Reads an image of up to `most` bytes, as [`Image::read`] does, unless somebody writes to it
    /// meanwhile, and maps a larger one, whose files are watched from then on. Before it asks the
    /// image, the caller asks the watch whether they were modified ([`Watch::is_unchanged`]).
    ///
    /// # Errors
    /// As for both, and if the files are modified while they are copied.
    ///
    /// # Safety
    /// As for [`Image::map`], if the image is larger. The watch notices most breaches of that
    /// promise before they do harm, but cannot prevent one between its look and the question.
    pub unsafe fn read_or_watch(
        most: u64,
        path: impl AsRef<Path>,
    ) -> Result<(Image, Option<Watch>), OpenError> {
        let path = path.as_ref();
        let watch = Watch::new(&files(path)?).map_err(|(path, error)| OpenError::Io { path, error })?;
        if watch.bytes() > most {
            // SAFETY: the caller promises that nobody changes or truncates the files.
            let image = open(path, |path| unsafe { Memory::map_file(watch.file(path)?) })?;
            return Ok((image, Some(watch)));
        }
        let image = open(path, |path| Memory::copy_file(watch.file(path)?))?;
        // The copy may have begun before a writer came, and ended after.
        match watch.is_still_unchanged() {
            true => Ok((image, None)),
            false => Err(OpenError::Modified { path: path.to_owned() }),
        }
    }

    /// Reads an image of up to `most` bytes, as [`Image::read`] does, and maps a larger one.
    ///
    /// # Errors
    /// As for both.
    ///
    /// # Safety
    /// As for [`Image::map`], if the image is larger.
    pub unsafe fn read_up_to(most: u64, path: impl AsRef<Path>) -> Result<Image, OpenError> {
        let path = path.as_ref();
        let mut bytes = 0;
        for file in files(path)? {
            bytes += std::fs::metadata(&file).map_err(|error| OpenError::Io { path: file, error })?.len();
        }
        if bytes <= most {
            Image::read(path)
        } else {
            // SAFETY: the caller promises that nobody changes or truncates the files.
            unsafe { Image::map(path) }
        }
    }
}

impl Layers {
    /// Reads the layers of a directory into memory, as [`Image::read`] does.
    ///
    /// # Errors
    /// If the manifest or a layer cannot be read, which the error names, or if the layers were not
    /// compiled alike.
    pub fn read(directory: impl AsRef<Path>) -> Result<Layers, OpenError> {
        open_layers(directory.as_ref(), |path| Image::read(path))
    }

    /// Maps the layers of a directory, as [`Image::map`] does.
    ///
    /// # Errors
    /// As for [`Layers::read`].
    ///
    /// # Safety
    /// As for [`Image::map`], of every layer.
    pub unsafe fn map(directory: impl AsRef<Path>) -> Result<Layers, OpenError> {
        // SAFETY: the caller promises that nobody changes or truncates the files.
        open_layers(directory.as_ref(), |path| unsafe { Image::map(path) })
    }
}

/// The files of an image: one file, or the shards in a directory, in any order.
///
/// # Errors
/// If the directory cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, OpenError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
            files.push(file);
        }
    }
    Ok(files)
}

fn open(path: &Path, load: impl Fn(&Path) -> io::Result<Memory>) -> Result<Image, OpenError> {
    let shard = |path: &Path| {
        let data = load(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
        Shard::new(data).map_err(|error| OpenError::Image { path: path.to_owned(), error })
    };
    if !path.is_dir() {
        return Ok(Image::of_one(shard(path)?));
    }
    if Manifest::is_in(path) {
        return Err(OpenError::Shards { path: path.to_owned(), error: ShardsError::Layers });
    }
    let shards = files(path)?.iter().map(|file| shard(file)).collect::<Result<_, _>>()?;
    Image::of_shards(shards).map_err(|error| OpenError::Shards { path: path.to_owned(), error })
}

/// Opens the layers that the manifest names. A layer that is gone was replaced after the manifest
/// was read if there is another manifest now; that is opened instead.
fn open_layers(
    directory: &Path,
    open: impl Fn(&Path) -> Result<Image, OpenError>,
) -> Result<Layers, OpenError> {
    let read = || {
        let path = Manifest::path(directory);
        Manifest::read(directory).map_err(|error| OpenError::Io { path, error })
    };
    let is_gone = |error: &OpenError| matches!(error, OpenError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound);
    let mut manifest = read()?;
    for _ in 0..ATTEMPTS {
        let names = &manifest.layers;
        match names.iter().map(|name| open(&directory.join(name))).collect::<Result<Vec<_>, _>>() {
            Ok(images) => {
                return Layers::new(images).map_err(|error| OpenError::Layers {
                    path: error
                        .layer()
                        .and_then(|at| names.get(at))
                        .map_or(directory.to_owned(), |name| directory.join(name)),
                    error,
                });
            }
            Err(error) => {
                let newer = read()?;
                if !is_gone(&error) || newer == manifest {
                    return Err(error);
                }
                manifest = newer;
            }
        }
    }
    let error = io::Error::other("its layers are replaced faster than they can be opened");
    Err(OpenError::Io { path: directory.to_owned(), error })
}
