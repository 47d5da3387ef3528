//! Errors of a job.

use robomaton_compiler::MergeError;
use robomaton_corpus::BuildError;
use robomaton_formats::{ImageError, NoCrawler, Profile};
use robomaton_runtime::OpenError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The error of a job. Each is one line, which names its file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or one in this directory, cannot be written.
    #[error("cannot write {}: {}", path.display(), cause(error))]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// A directory cannot be replaced, and the old one has another name now.
    #[error("cannot write {}: {}; the old one is {}", path.display(), cause(error), old.display())]
    Moved {
        /// The directory.
        path: PathBuf,
        /// The old one.
        old: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The existing file must not be replaced unless the caller insists
    /// ([`Destination::open_forced`](crate::Destination::open_forced)).
    #[error("{}: {what}", path.display())]
    Lost {
        /// The path.
        path: PathBuf,
        /// The problem.
        what: String,
    },
    /// The new image breaks a rule of the format, because of a bug or of a damaged image that was
    /// merged. It is not kept.
    #[error("cannot write {}: the new image would be damaged: {error}", path.display())]
    Unsound {
        /// The path that it was for.
        path: PathBuf,
        /// The rule and the place.
        #[source]
        error: ImageError,
    },
    /// The existing file or directory must not be replaced.
    #[error("{}: {what}", path.display())]
    Taken {
        /// The path.
        path: PathBuf,
        /// The problem, and how to fix it.
        what: String,
    },
    /// A crawler that the image should be restricted to has no name.
    #[error("crawler: {0}")]
    Nobody(#[from] NoCrawler),
    /// Pages were requested with a profile that does not read them.
    #[error("pages: the profile {0} knows no permissions of pages")]
    Pages(Profile),
    /// There is nothing to compile.
    #[error("the inputs contain no capture of a robots.txt: no image is written")]
    Empty {
        /// Records that were skipped, by the name of the reason.
        skipped: BTreeMap<&'static str, u64>,
        /// The first of them, each with its place and reason.
        examples: Vec<String>,
    },
    /// The inputs cannot be compiled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An image cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An image is damaged, or would be too large.
    #[error("{}: {error}", path.display())]
    Image {
        /// The image.
        path: PathBuf,
        /// The reason.
        #[source]
        error: ImageError,
    },
    /// Images cannot be merged.
    #[error("{}: {error}", path.display())]
    Merge {
        /// The image that does not fit.
        path: PathBuf,
        /// The reason.
        #[source]
        error: Unfit,
    },
    /// There is no image to merge.
    #[error("{}", MergeError::Nothing)]
    Nothing,
}

/// The reason why an image does not fit the others.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It was compiled with different options.
    #[error("was compiled with another {what} than {}", first.display())]
    Unlike {
        /// The option that differs.
        what: &'static str,
        /// The image that it differs from.
        first: PathBuf,
    },
    /// It is damaged.
    #[error("is damaged")]
    Damaged,
}

impl Error {
    /// The error for a failed write to a file, or into a directory.
    pub fn write(path: &Path, error: io::Error) -> Error {
        Error::Write { path: path.to_owned(), error }
    }
}

/// The cause of a write error. `tempfile` wraps the operating system's message and adds the path of
/// the temporary file, which is of no use to a user.
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    match error.get_ref().and_then(|_| text.split_once(" at path ")) {
        Some((cause, _)) => cause.to_owned(),
        None => text,
    }
}
