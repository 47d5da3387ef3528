//! Errors of a store. Each names its file.

use robomaton_corpus::SkipReason;
use robomaton_formats::{ImageError, Profile};
use robomaton_runtime::{LayersError, OpenError};
use std::io;
use std::path::PathBuf;

/// The error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another writer has the store open.
    #[error("{}: is open for writing by {}", path.display(), process(holder))]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The process that holds it, as the lock file says; empty if it does not say so yet.
        holder: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The log is damaged in front of captures that were acknowledged later.
    #[error("{}: damaged at byte {at}, in front of acknowledged captures", path.display())]
    Damaged {
        /// The log.
        path: PathBuf,
        /// The place of the first record that cannot be read.
        at: u64,
    },
    /// A file with the name of a log that does not begin as a log of this version does. Others may
    /// have put it there, so it is neither read nor removed.
    #[error(
        "{}: does not begin as a log of a store; move it elsewhere to open the store without it",
        path.display()
    )]
    NotLog {
        /// The file.
        path: PathBuf,
    },
    /// A log that another version wrote.
    #[error(
        "{}: a log of another version of robomaton; write its captures into layers with that version first",
        path.display()
    )]
    LogVersion {
        /// The file.
        path: PathBuf,
    },
    /// The log could not be written or synced before, so its content on disk is unknown.
    /// [`Store::compact`](crate::Store::compact) begins another one, once files can be written.
    #[error("{}: a write failed earlier; compact the store, or open it again", path.display())]
    Broken {
        /// The log.
        path: PathBuf,
    },
    /// A base is for a store that holds nothing ([`Store::seed`](crate::Store::seed)). For another
    /// store, merge the images with it, and begin a new store with the result.
    #[error("{}: holds captures already, so it takes no base; merge it with the images, and seed a new store with the result", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// A reader handed over so much that the writer did not take yet, which may not be running. The
    /// reader may hand the capture over later.
    #[error("{}: nobody takes what was handed over: {captures} captures wait for the writer", path.display())]
    NotTaken {
        /// The directory.
        path: PathBuf,
        /// The captures of this reader that wait.
        captures: usize,
    },
    /// The capture names no site.
    #[error("{0}")]
    Capture(#[from] SkipReason),
    /// The URL is not that of a robots.txt.
    #[error("{0}: is not the URL of a robots.txt")]
    NotRobots(String),
    /// An answer 304, but no text of the site is held that it could renew, or it may be about
    /// another text than the one that is held. Fetch without conditions.
    #[error("{0}: 304 Not Modified, but not about a text that the store holds")]
    NotModified(String),
    /// URL and header fields are over their limit.
    #[error("the URL and header fields are longer than {} bytes", crate::limits::HEADER_BYTES)]
    TooLong,
    /// The capture cannot be compiled into an image.
    #[error("{url}: {error}")]
    Unfit {
        /// Its URL.
        url: String,
        /// The rule of the format.
        #[source]
        error: ImageError,
    },
    /// The captures of a layer do not fit the format together.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A layer cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The layers were compiled under another profile than the options name.
    #[error("{}: has the profile {held}, not {wanted}; the options must be the same whenever a store is opened", path.display())]
    OtherProfile {
        /// The directory or image.
        path: PathBuf,
        /// The profile of the options.
        wanted: Profile,
        /// The profile of the layers.
        held: Profile,
    },
    /// The layers were compiled with other options than these.
    #[error("{}: {difference}; the options must be the same whenever a store is opened", path.display())]
    OtherOptions {
        /// The directory or image.
        path: PathBuf,
        /// The option that differs, and both of its values.
        difference: String,
    },
    /// The layers do not fit together.
    #[error("{}: {error}", path.display())]
    Unlike {
        /// The directory.
        path: PathBuf,
        /// The reason.
        #[source]
        error: LayersError,
    },
    /// A layer cannot be written.
    #[error(transparent)]
    Build(#[from] robomaton_build::Error),
}

/// A process by its number.
fn process(holder: &str) -> String {
    match holder.trim_ascii() {
        "" => "another process".to_owned(),
        holder => format!("process {holder}"),
    }
}

impl StoreError {
    /// True if the capture that was put is at fault, so that others may be put.
    pub fn is_of_capture(&self) -> bool {
        use StoreError::{Capture, NotModified, NotRobots, TooLong, Unfit};
        matches!(self, Capture(_) | NotRobots(_) | NotModified(_) | TooLong | Unfit { .. })
    }
}
