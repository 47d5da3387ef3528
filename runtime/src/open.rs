//! Opening image files: one file, or a directory of shards; mapped, or copied into memory.
//!
//! Stands above `image`, which holds what is opened here, and `memory`, which holds the bytes.
//! Invariant: of a file only header and section table are checked, so opening a map takes constant
//! time. Mapping is `unsafe`, so this file passes the caller's promise on and makes none of its
//! own.
#![allow(unsafe_code)]

use crate::image::{Image, SHARD_EXTENSION, Shard, ShardsError};
use crate::memory::Memory;
use robomaton_formats::ImageError;
use std::io;
use std::path::{Path, PathBuf};

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
    /// The file is no image that this version reads.
    #[error("{path}: {error}")]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        error: ImageError,
    },
    /// The files in the directory are not the shards of one image.
    #[error("{path}: {error}")]
    Shards {
        /// The directory.
        path: PathBuf,
        /// What is wrong with them.
        #[source]
        error: ShardsError,
    },
}

impl Image {
    /// Maps an image file, or all shards in a directory as one image. Takes constant time for each
    /// file: header and section table are checked, contents only by [`Image::verify`].
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
    /// When a file cannot be read or does not begin as an image, or those in the directory are not
    /// the shards of one.
    ///
    /// # Safety
    /// While the image or a clone of it lives, nobody may change or truncate its files, neither
    /// this process nor another. To replace a file, rename another over it, or remove it and write
    /// a new one: what is mapped stays as it was.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        // SAFETY: the caller promises that nobody changes or truncates the files.
        open(path.as_ref(), |path| unsafe { Memory::map(path) })
    }

    /// Reads an image file, or all shards in a directory as one image, into memory. Takes time and
    /// memory for all of it; what becomes of the files afterwards does not matter. Checks as
    /// [`Image::map`] does.
    ///
    /// # Errors
    /// When a file cannot be read or does not begin as an image, or those in the directory are not
    /// the shards of one.
    pub fn read(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        open(path.as_ref(), Memory::read)
    }
}

fn open(path: &Path, load: impl Fn(&Path) -> io::Result<Memory>) -> Result<Image, OpenError> {
    let shard = |path: &Path| {
        let data = load(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
        Shard::new(data).map_err(|error| OpenError::Image { path: path.to_owned(), error })
    };
    if !path.is_dir() {
        return Ok(Image::of_one(shard(path)?));
    }
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    let mut shards = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
            shards.push(shard(&file)?);
        }
    }
    Image::of_shards(shards).map_err(|error| OpenError::Shards { path: path.to_owned(), error })
}
