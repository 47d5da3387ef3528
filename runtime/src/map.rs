//! The one `unsafe` of the project: mapping a file.
//!
//! A mapped file may be changed by another process while it is read, and Rust's references promise that what they
//! point to does not change. What stands against that promise here: every reader of an image copies a few bytes out
//! at a time, checks every offset before each use rather than once, and holds no `&str` into the map without
//! checking it anew, so that torn contents can give a wrong verdict and nothing worse. A file that is *cut short*
//! while mapped raises SIGBUS on access; `robomaton compile` therefore never writes into an existing image but
//! renames a new one over it, and whoever else replaces images must do the same.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A file mapped for reading. A clone is the same map, which is given back with the last of them.
#[derive(Clone, Debug)]
pub struct Mapped(Arc<memmap2::Mmap>);

impl Mapped {
    /// Maps the file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        // SAFETY: the map is read-only and private to this process; see the head of this file for what happens when
        // somebody else writes to the file, and why that is bearable.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Mapped(Arc::new(map)))
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
