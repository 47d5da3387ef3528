//! The destination of an image: a file, or a directory of shards, written completely or not at all.
//!
//! `compile` and `merge` share it. A directory is created next to its path and exchanged with the
//! old one, which is removed only once the new one is in its place. It does not know what is
//! written.

use crate::Error;
use crate::exchange::exchange;
use crate::open::open;
use crate::replace::check_kind;
use crate::target::{Target, directory};
use crate::temporary::{Temporary, mode, publish, set_mode};
use robomaton_corpus::ShardWriter;
use robomaton_formats::WriteError;
use robomaton_formats::layout::MAGIC;
use robomaton_runtime::{Image, SHARD_EXTENSION};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZero;
use std::path::{Path, PathBuf};

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
    Directory(Shards),
}

/// A directory of shards.
#[derive(Debug)]
struct Shards {
    path: PathBuf,
    /// The new one.
    new: Temporary,
    /// The modes of the old one and of its files.
    modes: [Option<u32>; 2],
}

impl Destination {
    /// Checks that an image can be written: a file, or a directory with a number of shards.
    ///
    /// # Errors
    /// If it cannot, or if the existing file or directory is not an image.
    pub fn open(path: &Path, shards: Option<NonZero<u8>>) -> Result<Destination, Error> {
        if shards.is_none() {
            check_kind(path, "an image", |head, _| head.starts_with(&MAGIC))?;
        }
        Destination::open_forced(path, shards)
    }

    /// Like [`Destination::open`], but an existing file is replaced whatever it is, for example an
    /// input of the job. A directory of other files than shards never is.
    ///
    /// # Errors
    /// If the image cannot be written.
    pub fn open_forced(path: &Path, shards: Option<NonZero<u8>>) -> Result<Destination, Error> {
        let (place, shards) = match shards {
            None => (Place::File(Target::open(path, "the output names the image")?), NonZero::<u8>::MIN),
            Some(shards) => (Place::Directory(Shards::open(path)?), shards),
        };
        Ok(Destination { place, shards })
    }

    /// The number of files.
    pub(crate) fn shards(&self) -> NonZero<u8> {
        self.shards
    }

    /// A directory with room for temporary files, if known.
    pub(crate) fn room(&self) -> Option<&Path> {
        match &self.place {
            Place::File(target) => target.directory(),
            Place::Directory(shards) => Some(directory(&shards.path)),
        }
    }

    /// Writes one file, still under its temporary name.
    pub(crate) fn write(&self, number: u8, write: ShardWriter<'_>) -> Result<(), WriteError> {
        let file = match &self.place {
            Place::File(target) => target.file().try_clone()?,
            Place::Directory(shards) => shards.file(number, self.shards)?,
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
        match error {
            WriteError::Image(error) => Error::Image { path: self.path().to_owned(), error },
            WriteError::Io(error) => Error::write(self.path(), error),
        }
    }

    /// The path as given.
    fn path(&self) -> &Path {
        match &self.place {
            Place::File(target) => target.path(),
            Place::Directory(shards) => &shards.path,
        }
    }

    /// Opens the image under its temporary name and verifies it, so that a damaged one never
    /// replaces a good one.
    fn verified(&self) -> Result<Image, Error> {
        let image = open(match &self.place {
            Place::File(target) => target.new_path(),
            Place::Directory(shards) => shards.new.path(),
        })?;
        image.verify().map_err(|error| Error::Unsound { path: self.path().to_owned(), error })?;
        Ok(image)
    }

    /// Verifies the image and moves it to its path.
    pub(crate) fn finish(self) -> Result<Image, Error> {
        let image = self.verified()?;
        match self.place {
            Place::File(target) => target.finish()?,
            Place::Directory(shards) => shards.finish()?,
        }
        Ok(image)
    }
}

impl Shards {
    fn open(path: &Path) -> Result<Shards, Error> {
        // A link's target is replaced, not the link.
        let target = path.symlink_metadata().and_then(|data| match data.is_symlink() {
            true => fs::canonicalize(path),
            false => Ok(path.to_owned()),
        });
        let path = match target {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(Error::write(path, error)),
        };
        let mode = |path: &Path| fs::metadata(path).ok().as_ref().and_then(mode);
        let modes = match old_shards(&path)? {
            OldShards::None => [None, None],
            OldShards::Empty => [mode(&path), None],
            OldShards::Some(shard) => [mode(&path), mode(&shard)],
        };
        let new = Temporary::directory_in(directory(&path), modes[0]);
        let new = new.map_err(|error| Error::write(&path, error))?;
        Ok(Shards { path, new, modes })
    }

    /// Creates a file of the new directory.
    fn file(&self, number: u8, shards: NonZero<u8>) -> io::Result<File> {
        let path = self.new.path().join(shard_name(number, shards));
        let file = File::create(&path)?;
        set_mode(&path, self.modes[1])?;
        Ok(file)
    }

    /// Moves the new directory to its path. Readers that have the old one open keep it.
    fn finish(self) -> Result<(), Error> {
        let failed = |error| Error::write(&self.path, error);
        #[cfg(unix)]
        File::open(self.new.path()).and_then(|new| new.sync_all()).map_err(failed)?;
        set_mode(self.new.path(), self.modes[0]).map_err(failed)?;
        // Somebody may have put a file there meanwhile.
        old_shards(&self.path)?;
        publish(|| replace(self.new.path(), &self.path))?;
        #[cfg(unix)]
        File::open(directory(&self.path)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(())
    }
}

/// The shards that a path has already.
enum OldShards {
    /// There is no directory.
    None,
    /// The directory is empty.
    Empty,
    /// The directory holds shards and nothing else; this is one of them.
    Some(PathBuf),
}

/// Finds the shards at a path. A directory that holds anything else is an error.
fn old_shards(path: &Path) -> Result<OldShards, Error> {
    let failed = |error| Error::write(path, error);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OldShards::None),
        Err(error) => return Err(failed(error)),
    };
    let mut shards = OldShards::Empty;
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if !name.to_str().is_some_and(is_shard) {
            let (name, shard) = (name.display(), shard_name(0, NonZero::<u8>::MIN));
            let what =
                format!("holds {name}, which is no shard (a name as in {shard}); choose another directory");
            return Err(Error::Taken { path: path.to_owned(), what });
        }
        shards = OldShards::Some(entry.path());
    }
    Ok(shards)
}

/// The name of a shard.
fn shard_name(number: u8, shards: NonZero<u8>) -> String {
    format!("{number:03}-of-{shards:03}.{SHARD_EXTENSION}")
}

/// True if this is the name of a shard. An image of another name was not written as one.
pub fn is_shard(name: &str) -> bool {
    let numbers = name.split_once('.').filter(|(_, extension)| *extension == SHARD_EXTENSION);
    let numbers = numbers.and_then(|(numbers, _)| numbers.split_once("-of-"));
    let is_number = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(number, shards)| is_number(number) && is_number(shards))
}

/// Moves a new directory to a path. Afterwards, what has the name of the new one can be removed.
fn replace(new: &Path, path: &Path) -> Result<(), Error> {
    let failed = |error| Error::write(path, error);
    // A directory can be renamed over an empty one only, and moving the old one away first would
    // leave a moment without either.
    match exchange(new, path) {
        Ok(true) => Ok(()),
        Ok(false) => replace_in_turn(new, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::rename(new, path) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => replace(new, path),
            renamed => renamed.map_err(failed),
        },
        Err(error) => Err(failed(error)),
    }
}

/// Like [`replace`], where names cannot be exchanged: moves the old directory away and, after an
/// error, back.
fn replace_in_turn(new: &Path, path: &Path) -> Result<(), Error> {
    let failed = |error| Error::write(path, error);
    // No job removes a directory of this name.
    let old = tempfile::Builder::new()
        .prefix(robomaton_corpus::UNFINISHED)
        .suffix(".old")
        .tempdir_in(directory(path));
    let old = old.map_err(failed)?.keep();
    match fs::rename(path, &old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let _ = fs::remove_dir(&old);
            return Err(failed(error));
        }
        _ => {}
    }
    let Err(error) = fs::rename(new, path) else {
        // The new one stands. Nothing is lost if the old one stays, too.
        let _ = fs::remove_dir_all(&old);
        return Ok(());
    };
    let error = match error.kind() {
        io::ErrorKind::DirectoryNotEmpty => io::Error::other("another process replaced it meanwhile"),
        _ => error,
    };
    // An empty directory means that there was no old one.
    if fs::remove_dir(&old).is_ok() || fs::rename(&old, path).is_ok() {
        return Err(failed(error));
    }
    Err(Error::Moved { path: path.to_owned(), old, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_formats::policy::USAGES;
    use robomaton_formats::write::{Contents, Frame, write};

    #[test]
    fn shards_have_names() {
        assert!(is_shard("000-of-001.rimg") && is_shard(&shard_name(7, NonZero::<u8>::MAX)));
        for name in ["monday.rimg", "000-of-001.txt", "000-of-001", "0-of-1.rimg", "000-of-001.rimg.part"] {
            assert!(!is_shard(name), "{name}");
        }
    }

    #[test]
    fn a_damaged_image_replaces_nothing() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out.rimg");
        let usages = USAGES.map(str::to_owned).into();
        let frame = Frame { usages, ..Frame::default() };
        let good = write(&Contents { frame, ..Contents::default() }).unwrap();
        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let put = |bytes: &[u8]| {
            let destination = Destination::open(&path, None).unwrap();
            destination.write(0, Box::new(|out| Ok(out.write_all(bytes)?))).unwrap();
            destination.finish().map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(put(&good), Ok(()));
        let error = put(&damaged).unwrap_err();
        assert!(error.contains("out.rimg: the new image would be damaged: "), "{error}");
        assert!(fs::read(&path).unwrap() == good);
    }

    #[test]
    fn a_directory_is_never_lost() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let files = |name: &str| fs::read_dir(at(name)).map_or(0, Iterator::count);
        for replace in [replace, replace_in_turn] {
            let make = |name: &str, files: u8| {
                fs::create_dir(at(name)).unwrap();
                (0..files).for_each(|number| fs::write(at(name).join(number.to_string()), "").unwrap());
            };
            make("old", 1);
            // The second rename fails, so the first is undone.
            replace(&at("missing"), &at("old")).unwrap_err();
            assert_eq!((files("old"), files(".")), (1, 1));
            make("new", 2);
            replace(&at("new"), &at("old")).unwrap();
            assert_eq!(files("old"), 2);
            // The exchange leaves the old one under the name of the new one.
            assert!(!at("new").exists() || files("new") == 1);
            let _ = fs::remove_dir_all(at("new"));
            make("new", 3);
            replace(&at("new"), &at("first")).unwrap();
            assert_eq!((files("first"), files(".")), (3, 2));
            ["old", "first"].iter().for_each(|name| fs::remove_dir_all(at(name)).unwrap());
        }
    }
}
