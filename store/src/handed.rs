//! Captures on their way from readers to the writer: a file each, in a directory of the store.
//!
//! A reader writes a file whole, under a name of its own; the writer puts the capture and removes
//! the file once that is durable. Invariants: no capture is lost by a kill of either; one that is
//! put twice changes nothing. It does not know who the readers are.

use crate::capture::most_bytes;
use crate::files::{failed, write};
use crate::limits::HEADER_BYTES;
use crate::log::{of_single, single, sync_directory};
use crate::{Capture, Durability, Store, StoreError};
use robomaton_compiler::Options;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The directory of the files.
const FOLDER: &str = "handed";
const EXTENSION: &str = "capture";

/// Writes a file for the writer.
pub(crate) fn hand(directory: &Path, capture: &Capture, options: &Options) -> Result<PathBuf, StoreError> {
    let folder = directory.join(FOLDER);
    if !folder.is_dir() {
        fs::create_dir_all(&folder)
            .and_then(|()| sync_directory(&folder))
            .map_err(|error| failed(&folder, error))?;
    }
    let random = || RandomState::new().hash_one(&folder);
    let path = folder.join(format!("{:016x}{:016x}.{EXTENSION}", random(), random()));
    write(&path, &single(&path, capture, options)?)?;
    Ok(path)
}

impl Store {
    /// Puts the captures that readers have handed over, and removes their files once that is
    /// durable. Returns how many of them counted. An owner with readers that fetch calls it every
    /// second or so. A capture that cannot be put is passed over.
    ///
    /// # Errors
    /// As of [`Store::put`]; or if a file is damaged or cannot be read. That file stays, and the
    /// others are taken.
    pub fn take_handed(&self) -> Result<usize, StoreError> {
        let folder = self.directory.join(FOLDER);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(failed(&folder, error)),
        };
        let (mut taken, mut done, mut first) = (0, Vec::new(), None);
        for entry in entries {
            let path = entry.map_err(|error| failed(&folder, error))?.path();
            if path.extension().is_none_or(|extension| extension != EXTENSION) {
                continue;
            }
            let capture = match read(&path, &self.options.compile) {
                Ok(capture) => capture,
                Err(error) => {
                    first.get_or_insert(error);
                    continue;
                }
            };
            match self.put(&capture) {
                Ok(is_new) => taken += usize::from(is_new),
                Err(error) if error.is_of_capture() => {}
                Err(error) => {
                    first = Some(error);
                    break;
                }
            }
            done.push(path);
        }
        if !done.is_empty() && self.options.durability != Durability::Each {
            self.sync()?;
        }
        for path in done {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path, error)),
                _ => {}
            }
        }
        first.map_or(Ok(taken), Err)
    }
}

/// Reads the capture of a file.
fn read(path: &Path, options: &Options) -> Result<Capture, StoreError> {
    // More than any capture needs, so a file of another kind does not fill the memory.
    let most = most_bytes(options).saturating_add(2 * HEADER_BYTES) as u64;
    let mut bytes = Vec::new();
    let is_file = fs::metadata(path).map_err(|error| failed(path, error))?.is_file();
    if is_file {
        let file = File::open(path).map_err(|error| failed(path, error))?;
        file.take(most).read_to_end(&mut bytes).map_err(|error| failed(path, error))?;
    }
    of_single(&bytes).ok_or_else(|| StoreError::Damaged { path: path.to_owned(), at: 0 })
}
