//! Archives: the common interface of `tar` and `zip` for `input`.
//!
//! An archive yields its entries one by one; its files are read like those of a directory.
//! Invariant: an archive that cannot be split further yields the reason, and then nothing.

use crate::SkipReason;
use crate::damage::Damage;
use std::io::Read;

/// An archive that is read from its first entry to its last.
pub(crate) trait Archive {
    /// The next entry.
    fn next(&mut self) -> Option<Entry<'_>>;
}

/// An entry of an archive.
pub(crate) struct Entry<'a> {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its name; empty if it is not known.
    pub(crate) name: String,
    /// The damage to it, if it is known: of the decompressed file.
    pub(crate) damage: Option<Damage>,
    /// The content of the file; `None` for a directory.
    pub(crate) data: Result<Option<Box<dyn Read + 'a>>, SkipReason>,
}

impl Entry<'_> {
    /// In place of the rest of an archive: the reason why that is not read.
    pub(crate) fn last(number: u64, reason: SkipReason) -> Self {
        Entry { number, name: String::new(), damage: None, data: Err(reason) }
    }
}
