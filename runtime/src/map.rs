//! The one `unsafe` of the project: mapping a file.
//!
//! A mapped file may be changed by another process while it is read, and Rust's references promise that what they
//! point to does not change. What stands against that promise here: every reader of an image copies a few bytes out
//! at a time, checks every offset before each use rather than once, and holds no `&str` into the map without
//! checking it anew, so that torn contents can give a wrong verdict and nothing worse. A file that is *cut short*
//! while mapped raises SIGBUS on access; `robomaton compile` therefore never writes into an existing image but
//! renames a new one over it, and whoever else replaces images must do the same. [`Mapped::is_unchanged`] finds out, for
//! those who would rather ask before each access than rely on that.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// A file mapped for reading. A clone is the same map, which is given back with the last of them.
#[derive(Clone, Debug)]
pub struct Mapped(Arc<Map>);

#[derive(Debug)]
struct Map {
    octets: memmap2::Mmap,
    file: File,
    /// When it was last written to, where the system says.
    modified: Option<SystemTime>,
}

impl Mapped {
    /// Maps the file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        let modified = file.metadata()?.modified().ok();
        // SAFETY: the map is read-only and private to this process; see the head of this file for what happens when
        // somebody else writes to the file, and why that is bearable.
        let octets = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Mapped(Arc::new(Map { octets, file, modified })))
    }

    /// Whether nobody has written to the file since it was mapped, so far as length and time of change tell. One that another
    /// was renamed over is unchanged. A call to the system.
    pub fn is_unchanged(&self) -> bool {
        let Map { octets, file, modified } = &*self.0;
        file.metadata().is_ok_and(|now| now.len() == octets.len() as u64 && now.modified().ok() == *modified)
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0.octets
    }
}
