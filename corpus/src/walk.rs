//! The files below a directory, ordered by name.
//!
//! Used by `input`. Invariant: every directory that cannot be listed is reported, and the walk
//! continues. Links to files are followed, links to directories are not: they may form cycles. An
//! unfinished output is no input. It opens no file.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// The beginning of the name of an unfinished output, a file or a directory.
pub const UNFINISHED: &str = ".robomaton-";

/// An iterator over the files.
pub(crate) struct Walk {
    /// The paths to visit, the next one last; true for a directory.
    stack: Vec<(PathBuf, bool)>,
}

/// A directory that could not be listed.
pub(crate) struct NotListed {
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

impl Walk {
    pub(crate) fn below(directory: &Path) -> Walk {
        Walk { stack: vec![(directory.to_owned(), true)] }
    }
}

impl Iterator for Walk {
    type Item = Result<PathBuf, NotListed>;

    fn next(&mut self) -> Option<Result<PathBuf, NotListed>> {
        loop {
            let (path, is_directory) = self.stack.pop()?;
            if !is_directory {
                return Some(Ok(path));
            }
            match list(&path) {
                Ok(mut entries) => {
                    entries.sort_unstable_by(|one, two| two.cmp(one));
                    self.stack.append(&mut entries);
                }
                Err(error) => return Some(Err(NotListed { path, error })),
            }
        }
    }
}

/// The entries of a directory; true for each that is a directory itself.
fn list(directory: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let entry = |entry: io::Result<DirEntry>| {
        let entry = entry?;
        Ok((entry.path(), entry.file_type()?.is_dir()))
    };
    let is_input = |entry: &io::Result<DirEntry>| {
        let name = entry.as_ref().map(DirEntry::file_name).unwrap_or_default();
        !name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
    };
    fs::read_dir(directory)?.filter(is_input).map(entry).collect()
}
