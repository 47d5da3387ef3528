//! What an output may replace without being forced to: a former output of the same kind.
//!
//! A file that is an input of the same job, or that holds something else, is most likely a mistake
//! on the command line, and its loss could not be undone. It knows neither jobs nor commands.

use crate::Error;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes at each end of a file that show its kind.
const END: u64 = 4096;

/// Refuses a path that names the same file as one of the inputs.
///
/// # Errors
/// If it does, or if the system cannot say whether there is a file.
pub fn check_inputs<'p>(path: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
    if is_file(path)? && inputs.into_iter().any(|input| is_same(path, input)) {
        return Err(Error::Lost { path: path.to_owned(), what: "is one of the inputs".to_owned() });
    }
    Ok(())
}

/// Refuses a file that is neither empty nor of this kind, as its first and last bytes show.
///
/// # Errors
/// If it is something else, or cannot be read.
pub fn check_kind(path: &Path, kind: &str, is_kind: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), Error> {
    if !is_file(path)? {
        return Ok(());
    }
    let lost = |what| Err(Error::Lost { path: path.to_owned(), what });
    match ends(path) {
        Ok((head, tail)) if head.is_empty() || is_kind(&head, &tail) => Ok(()),
        Ok(_) => lost(format!("exists and is not {kind}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => lost(format!("exists and cannot be read: {error}")),
    }
}

/// The first and the last bytes of a file.
fn ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let mut read = |from| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(END).read_to_end(&mut bytes).map(|_| bytes)
    };
    let length = fs::metadata(path)?.len();
    Ok((read(0)?, read(length.saturating_sub(END))?))
}

/// True for a file that can be lost, unlike a device.
fn is_file(path: &Path) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(data) => Ok(data.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        // There may be one that cannot be seen now.
        Err(error) => Err(Error::write(path, error)),
    }
}

/// True if two paths lead to one file.
#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    number(one).is_some_and(|one| number(other) == Some(one))
}

#[cfg(not(unix))]
fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_file_that_cannot_be_examined_may_be_lost() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| directory.path().join(name);
        std::os::unix::fs::symlink(place("loop"), place("loop")).expect("a link");
        std::os::unix::fs::symlink(place("nothing"), place("dangling")).expect("a link");
        fs::write(place("file"), "text").expect("a file");
        let checks = |path: &Path| {
            let kind = check_kind(path, "an image", |head, _| head == b"image");
            [check_inputs(path, [directory.path()]), kind]
        };
        for name in ["nothing", "dangling"] {
            assert!(checks(&place(name)).iter().all(Result::is_ok), "{name}");
        }
        for name in ["loop", "file/below", &"n".repeat(300)] {
            for check in checks(&place(name)) {
                assert!(matches!(check, Err(Error::Write { path, .. }) if path == place(name)), "{name}");
            }
        }
    }
}
