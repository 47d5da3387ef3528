//! Opening image files: one file, or a directory of shards or layers; mapped, or copied into
//! memory.
//!
//! It stands above `image` and `layers`, which hold what is opened here, and `memory`, which holds
//! the bytes. Invariant: only the header and the section table are checked, so opening a map takes
//! constant time; layers are verified only if damaged ones are to be left out. Mapping is `unsafe`;
//! this module passes the caller's promise on and makes none of its own.
#![allow(unsafe_code)]

use crate::image::{Image, SHARD_EXTENSION, ShardsError};
use crate::layers::LayersError;
use crate::manifest::{Manifest, is_missing};
use crate::memory::Memory;
use crate::stack::{LeftOut, Shard};
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

impl OpenError {
    /// True if the image is missing or damaged; false if it may be sound, and this process cannot
    /// read it at present.
    pub fn is_damage(&self) -> bool {
        use io::ErrorKind::{
            InvalidData, InvalidInput, IsADirectory, NotADirectory, NotFound, UnexpectedEof,
        };
        /// `EIO`, an error of the disk, of which `io::ErrorKind` has no kind.
        const DISK: i32 = 5;
        match self {
            OpenError::Io { error, .. } => {
                matches!(
                    error.kind(),
                    NotFound | NotADirectory | IsADirectory | UnexpectedEof | InvalidData | InvalidInput
                ) || error.raw_os_error() == Some(DISK)
            }
            _ => true,
        }
    }
}

/// The message about an image whose files were written to.
pub const MODIFIED: &str =
    "was written to since it was opened: open it again, and replace images by renaming a new one over them";

/// The options for opening an image. By default an image is mapped, and every layer of a stack must
/// open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The most bytes of an image that is copied into memory; a larger one is mapped.
    pub copy_up_to: u64,
    /// True if a stack is opened without the layers that are missing or damaged, which
    /// [`Image::left_out`] names: the sites of such a layer get the answers of older ones. All
    /// layers are verified then, in time linear in their size.
    pub without_damaged_layers: bool,
}

impl OpenOptions {
    /// Opens an image file, the shards in a directory, or the layers of a stack.
    ///
    /// # Errors
    /// If a file cannot be read or does not begin as an image; if the files in a directory are not
    /// the shards of one image; if the layers were not compiled alike, or none is left.
    ///
    /// # Safety
    /// As for [`Image::map`], if the image is larger than [`OpenOptions::copy_up_to`].
    pub unsafe fn open(self, path: impl AsRef<Path>) -> Result<Image, OpenError> {
        // SAFETY: the caller promises as much.
        unsafe { self.open_unless(path, &|_| false) }
    }

    /// Opens an image as [`OpenOptions::open`] does, but verifies no layer of whose name the
    /// function says that its file, as it is now, was verified before. Each is asked about once it
    /// is read or mapped.
    ///
    /// # Errors
    /// As of [`OpenOptions::open`].
    ///
    /// # Safety
    /// The same.
    pub unsafe fn open_unless(
        self,
        path: impl AsRef<Path>,
        is_verified: &dyn Fn(&str) -> bool,
    ) -> Result<Image, OpenError> {
        let path = path.as_ref();
        let without = self.without_damaged_layers;
        let verify = Verify { without_damaged: without, is_verified };
        attempt(path, |is_current| {
            let image = if bytes(path, without)? <= self.copy_up_to {
                open(path, verify, &Memory::read)?
            } else {
                // SAFETY: the caller promises that nobody changes or truncates the files.
                open(path, verify, &|path| unsafe { Memory::map(path) })?
            };
            // A layer may be missing only since the manifest was replaced.
            if image.left_out().is_empty() || is_current()? { Ok(image) } else { Err(replaced(path)) }
        })
    }

    /// Opens an image as [`OpenOptions::open`] does, and watches the files of a mapped one, as
    /// [`Image::read_or_watch`] says.
    ///
    /// # Errors
    /// As of [`OpenOptions::open`], and if the files are modified while they are copied.
    ///
    /// # Safety
    /// As for [`Image::read_or_watch`].
    pub unsafe fn open_or_watch(self, path: impl AsRef<Path>) -> Result<(Image, Option<Watch>), OpenError> {
        let path = path.as_ref();
        let without = self.without_damaged_layers;
        let verify = Verify { without_damaged: without, is_verified: &|_| false };
        attempt(path, |is_current| {
            let mut files = files(path)?;
            if without {
                // Missing files are left out.
                files.retain(|file| {
                    file.metadata().map_or_else(|error| !is_missing(&error), |data| data.is_file())
                });
            }
            let watch = Watch::new(&files).map_err(|(path, error)| OpenError::Io { path, error })?;
            let is_mapped = watch.bytes() > self.copy_up_to;
            let image = if is_mapped {
                // SAFETY: the caller promises that nobody changes or truncates the files.
                open(path, verify, &|path| unsafe { Memory::map_file(watch.file(path)?) })?
            } else {
                open(path, verify, &|path| Memory::copy_file(watch.file(path)?))?
            };
            // Else the watch is of other layers, or one is missing only since the manifest was
            // replaced.
            if (is_mapped || !image.left_out().is_empty()) && !is_current()? {
                return Err(replaced(path));
            }
            if is_mapped {
                return Ok((image, Some(watch)));
            }
            // The copy may have begun before a writer came, and ended after.
            match watch.is_still_unchanged() {
                true => Ok((image, None)),
                false => Err(OpenError::Modified { path: path.to_owned() }),
            }
        })
    }
}

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

    /// Maps an image file, all shards in a directory as one image, or the layers of a stack. Takes
    /// constant time for each file: header and section table are checked here, contents only by
    /// [`Image::verify`].
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
    /// If a file cannot be read or does not begin as an image, if the files in a directory are not
    /// the shards of one image, or if the layers of a stack were not compiled alike.
    ///
    /// # Safety
    /// While the image or a clone of it lives, nobody may change or truncate its files, neither
    /// this process nor another. To replace a file, rename another one over it, or remove it and
    /// write a new one: the mapped contents stay the same.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        let path = path.as_ref();
        // SAFETY: the caller promises that nobody changes or truncates the files.
        attempt(path, |_| open(path, Verify::NONE, &|path| unsafe { Memory::map(path) }))
    }

    /// Reads an image file, all shards in a directory as one image, or the layers of a stack into
    /// memory. Takes time and memory for the whole size; later changes to the files have no effect.
    /// Checks the same as [`Image::map`].
    ///
    /// # Errors
    /// As for [`Image::map`].
    pub fn read(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        let path = path.as_ref();
        attempt(path, |_| open(path, Verify::NONE, &Memory::read))
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
        // SAFETY: the caller promises as much.
        unsafe { OpenOptions { copy_up_to: most, ..OpenOptions::default() }.open_or_watch(path) }
    }

    /// Reads an image of up to `most` bytes, as [`Image::read`] does, and maps a larger one.
    ///
    /// # Errors
    /// As for both.
    ///
    /// # Safety
    /// As for [`Image::map`], if the image is larger.
    pub unsafe fn read_up_to(most: u64, path: impl AsRef<Path>) -> Result<Image, OpenError> {
        // SAFETY: the caller promises that nobody changes or truncates the files.
        unsafe { OpenOptions { copy_up_to: most, ..OpenOptions::default() }.open(path) }
    }
}

/// The files of an image: one file; the shards in a directory, in any order; or of a stack, its
/// manifest and the files of all layers.
///
/// # Errors
/// If a directory or the manifest cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, OpenError> {
    if !Manifest::is_in(path) {
        return shards(path);
    }
    let mut all = vec![Manifest::path(path)];
    for name in manifest(path)?.layers {
        all.extend(shards(&path.join(name))?);
    }
    Ok(all)
}

/// The bytes of the files of an image. The files of a layer that cannot be listed do not count if
/// damaged layers are left out.
fn bytes(path: &Path, without_damaged: bool) -> Result<u64, OpenError> {
    let of_file = |file: PathBuf| match std::fs::metadata(&file) {
        Ok(data) => Ok(data.len()),
        Err(_) if without_damaged => Ok(0),
        Err(error) => Err(OpenError::Io { path: file, error }),
    };
    files(path)?.into_iter().map(of_file).sum()
}

/// The file, or the shards in a directory.
fn shards(path: &Path) -> Result<Vec<PathBuf>, OpenError> {
    if !is_directory(path)? {
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

fn manifest(directory: &Path) -> Result<Manifest, OpenError> {
    let path = Manifest::path(directory);
    Manifest::read(directory).map_err(|error| OpenError::Io { path, error })
}

/// Attempts to open an image, once. A stack whose manifest is replaced meanwhile may have lost a
/// layer that was still to be opened: then the layers of the new one are opened instead. The
/// attempt can ask whether the manifest is still the one that it began with.
fn attempt<T>(path: &Path, open: impl Fn(IsCurrent<'_>) -> Result<T, OpenError>) -> Result<T, OpenError> {
    if !Manifest::is_in(path) {
        return open(&|| Ok(true));
    }
    for _ in 0..ATTEMPTS {
        let before = manifest(path)?;
        let is_current = || Ok(manifest(path)? == before);
        match open(&is_current) {
            Err(OpenError::Io { error, .. }) if is_missing(&error) && !is_current()? => {}
            opened => return opened,
        }
    }
    let error = io::Error::other("its layers are replaced faster than they can be opened");
    Err(OpenError::Io { path: path.to_owned(), error })
}

/// True if the manifest is still the one that an attempt began with. That it cannot be read at
/// present does not mean that it was replaced.
type IsCurrent<'a> = &'a dyn Fn() -> Result<bool, OpenError>;

/// True for a directory. One that cannot be examined at present is no file: opening that would look
/// like damage.
fn is_directory(path: &Path) -> Result<bool, OpenError> {
    match path.metadata() {
        Ok(data) => Ok(data.is_dir()),
        Err(error) if is_missing(&error) => Ok(false),
        Err(error) => Err(OpenError::Io { path: path.to_owned(), error }),
    }
}

/// The error of an attempt whose manifest was replaced, so that another follows.
fn replaced(path: &Path) -> OpenError {
    OpenError::Io { path: path.to_owned(), error: io::ErrorKind::NotFound.into() }
}

/// Reads or maps a file.
type Load<'a> = &'a dyn Fn(&Path) -> io::Result<Memory>;

/// The checks at opening.
#[derive(Clone, Copy)]
struct Verify<'a> {
    /// True if layers are verified, and left out if they are damaged.
    without_damaged: bool,
    /// True for the names of layers that were verified before.
    is_verified: &'a dyn Fn(&str) -> bool,
}

impl Verify<'_> {
    const NONE: Verify<'static> = Verify { without_damaged: false, is_verified: &|_| false };
}

fn open(path: &Path, verify: Verify<'_>, load: Load<'_>) -> Result<Image, OpenError> {
    if Manifest::is_in(path) { open_layers(path, verify, load) } else { open_shards(path, load) }
}

/// Opens a file, or the shards in a directory.
fn open_shards(path: &Path, load: Load<'_>) -> Result<Image, OpenError> {
    let shard = |path: &Path| {
        let data = load(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
        Shard::new(data).map_err(|error| OpenError::Image { path: path.to_owned(), error })
    };
    if !is_directory(path)? {
        return Ok(Image::of_one(shard(path)?));
    }
    if Manifest::is_in(path) {
        return Err(OpenError::Shards { path: path.to_owned(), error: ShardsError::Nested });
    }
    let shards = shards(path)?.iter().map(|file| shard(file)).collect::<Result<_, _>>()?;
    Image::of_shards(shards).map_err(|error| OpenError::Shards { path: path.to_owned(), error })
}

/// Opens the layers that the manifest names.
fn open_layers(directory: &Path, verify: Verify<'_>, load: Load<'_>) -> Result<Image, OpenError> {
    let Verify { without_damaged, is_verified } = verify;
    let layer = |name: &str| -> Result<Image, OpenError> {
        let path = directory.join(name);
        let image = open_shards(&path, load)?;
        if without_damaged && !is_verified(name) {
            image.verify().map_err(|error| OpenError::Image { path, error })?;
        }
        Ok(image)
    };
    let (mut images, mut names, mut left_out, mut first_error) = (Vec::new(), Vec::new(), Vec::new(), None);
    for name in manifest(directory)?.layers {
        match layer(&name) {
            Ok(image) => {
                images.push(image);
                names.push(name);
            }
            Err(error) if without_damaged && error.is_damage() => {
                left_out.push(LeftOut { name, error: error.to_string() });
                first_error.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    // Nothing is left.
    if let (true, Some(error)) = (images.is_empty(), first_error) {
        return Err(error);
    }
    match Image::of_layers(images) {
        Ok(image) => {
            names.reverse();
            Ok(image.named(names, left_out))
        }
        Err(error) => Err(OpenError::Layers {
            path: error
                .layer()
                .and_then(|at| names.get(at))
                .map_or(directory.to_owned(), |name| directory.join(name)),
            error,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_at_present_is_not_damaged() {
        let of = |error: io::Error| OpenError::Io { path: PathBuf::new(), error }.is_damage();
        assert!(of(io::ErrorKind::NotFound.into()));
        assert!(of(io::Error::from_raw_os_error(5)), "an error of the disk");
        assert!(!of(io::ErrorKind::PermissionDenied.into()));
        assert!(!of(io::ErrorKind::OutOfMemory.into()));
        assert!(!of(io::Error::from_raw_os_error(24)), "too many open files");
    }
}
