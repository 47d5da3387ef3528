//! The failure that stops a command: an error in one line, or a closed pipe.
//!
//! Every `run` returns it, and `main` turns it into an exit code. It imports nothing of the command
//! and does not know where messages are written.

use robomaton_build::Error;
use robomaton_corpus::is_captures;
use robomaton_runtime::{ImageError, OpenError};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The reason why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of standard output has closed it, which is no error.
    ClosedPipe,
    /// An error, in one line without the program's name.
    Message(String),
}

impl Failure {
    /// An error about a file.
    pub(crate) fn of(path: &Path, what: impl Display) -> Failure {
        Failure::Message(format!("{}: {what}", called(path)))
    }

    /// An error from another crate, whose message names its place.
    pub(crate) fn from_error(error: impl Display) -> Failure {
        Failure::Message(error.to_string())
    }
}

/// The name of a file in messages.
pub(crate) fn called(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

impl From<robomaton_explain::Error> for Failure {
    fn from(error: robomaton_explain::Error) -> Failure {
        Failure::Message(error.to_string())
    }
}

/// An image that cannot be opened. If the file is no image, the message says what it may be.
impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match &error {
            OpenError::Image { path, error: ImageError::Magic } => Failure::of(path, no_image(path)),
            error => Failure::from_error(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Open(error) => error.into(),
            Error::Write { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            Error::Lost { .. } => Failure::Message(format!("{error}; --force replaces it")),
            error => Failure::Message(error.to_string()),
        }
    }
}

/// Errors of writing results. Errors of reading always name their file, so they are converted
/// elsewhere.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Message(format!("cannot write results: {error}")),
        }
    }
}

/// Says what a file that is no image may be, and which command reads it.
fn no_image(path: &Path) -> &'static str {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut head));
    if read.is_ok() && is_captures(&head) {
        "holds captures, not an image; `robomaton compile` turns them into one"
    } else {
        "is not an image; `check`, `explain` and `lint` read a robots.txt, and `compile` makes images"
    }
}
