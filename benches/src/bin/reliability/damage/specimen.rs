//! An image to be damaged, and the changes of it.
//!
//! It is a file, or one of the shards in a directory, whose other files stay as they are. Changes
//! are numbered: first every bit, then every truncation. This file does not know what a change may
//! do.

use robomaton_formats::layout::HEAD;
use robomaton_fuzz::{ImageState, every_door, every_door_of_shards};
use robomaton_tests::damage::{Patient, images, shards};
use std::fmt;
use std::path::PathBuf;

/// An image, and which of its files is damaged.
pub(crate) struct Specimen {
    pub(crate) name: String,
    files: Vec<Vec<u8>>,
    damaged: usize,
}

/// The directory of a worker with the shards, if the image has several.
pub(crate) type Home = Option<(tempfile::TempDir, PathBuf)>;

impl Specimen {
    /// The conformance images, and two shards of the first of them.
    pub(crate) fn all() -> Vec<Specimen> {
        let images = images();
        let files = images.first().map(|(_, image)| shards(image, 2)).unwrap_or_default();
        let shards = (0..files.len()).map(|damaged| Specimen {
            name: format!("shard {damaged} of {}", files.len()),
            files: files.clone(),
            damaged,
        });
        let shards: Vec<Specimen> = shards.collect();
        let whole = |(name, image): (&str, Vec<u8>)| Specimen {
            name: name.to_owned(),
            files: vec![image],
            damaged: 0,
        };
        images.into_iter().map(whole).chain(shards).collect()
    }

    /// The file to be damaged.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.files[self.damaged]
    }

    /// A directory with the shards.
    pub(crate) fn home(&self) -> Result<Home, String> {
        if self.files.len() == 1 {
            return Ok(None);
        }
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = |number| directory.path().join(format!("{number}.rimg"));
        for (number, file) in self.files.iter().enumerate() {
            std::fs::write(path(number), file).map_err(|error| error.to_string())?;
        }
        let damaged = path(self.damaged);
        Ok(Some((directory, damaged)))
    }

    /// The number of changes.
    pub(crate) fn changes(&self) -> usize {
        9 * self.bytes().len()
    }

    /// A change by its number.
    pub(crate) fn change(&self, number: usize) -> Change {
        match number.checked_sub(8 * self.bytes().len()) {
            None => Change::Bit { at: number / 8, bit: number % 8 },
            Some(length) => Change::Cut { length },
        }
    }

    /// Tries every door with these bytes in place of the file.
    ///
    /// # Panics
    /// If a promise does not hold.
    pub(crate) fn every_door(&self, home: &Home, bytes: &[u8]) -> ImageState {
        match home {
            None => every_door(bytes),
            Some((directory, damaged)) => {
                std::fs::write(damaged, bytes).expect("a temporary file");
                every_door_of_shards(directory.path())
            }
        }
    }
}

/// A change of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// A bit is the other one.
    Bit { at: usize, bit: usize },
    /// The file ends early.
    Cut { length: usize },
}

impl Change {
    /// The changed file.
    pub(crate) fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Change::Bit { at, bit } => {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= 1 << bit;
                bytes
            }
            Change::Cut { length } => bytes[..length].to_vec(),
        }
    }

    /// The changed file with its length and with checksums that hold; `None` if it has no room for
    /// them.
    pub(crate) fn repaired(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut patient = Patient { bytes: self.of(bytes) };
        if patient.bytes.len() < HEAD {
            return None;
        }
        if matches!(self, Change::Cut { .. }) {
            patient.set_length();
        }
        patient.sum();
        Some(patient.bytes)
    }

    /// True if the header tells of the change.
    pub(crate) fn is_in_head(self) -> bool {
        matches!(self, Change::Cut { .. }) || matches!(self, Change::Bit { at, .. } if at < HEAD)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Bit { at, bit } => write!(f, "bit {bit} of byte {at:#x}"),
            Change::Cut { length } => write!(f, "cut to {length} bytes"),
        }
    }
}
