//! Compiled documents in a temporary file; memory holds only the facts that joining needs of all.
//!
//! The file is written while captures are gathered, then sealed and read, one document at a time,
//! in the order of the sites. It has no name and vanishes with the process. It does not know what
//! documents mean.

use robomaton_compiler::{Document, Names, OverLimit};
use robomaton_formats::Outcome;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Creates a temporary file without a name, for this process only, in this directory or the
/// system's.
///
/// # Errors
/// Errors of the operating system.
pub fn scratch(directory: Option<&Path>) -> io::Result<BufWriter<File>> {
    let file = match directory {
        Some(directory) => tempfile::tempfile_in(directory),
        None => tempfile::tempfile(),
    };
    Ok(BufWriter::with_capacity(BUFFER, file?))
}

/// The facts about a document in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    at: u64,
    pub(super) length: u64,
    /// Bytes at its start that contain its names.
    names: u32,
    pub(super) outcome: Outcome,
    pub(super) over_limit: Option<OverLimit>,
    pub(super) depends_on_origin: bool,
    /// True if it refers to other files.
    pub(super) refers: bool,
    pub(super) can_be_referred_to: bool,
    pub(super) cut: bool,
    pub(super) text_length: u64,
}

/// An encoded document, not in the file yet.
pub(super) struct Packed {
    known: Known,
    bytes: Vec<u8>,
}

impl Packed {
    /// Encodes a document; on any thread.
    pub(super) fn of(document: &Document) -> Packed {
        let (bytes, names) = document.encode();
        let known = Known {
            at: 0,
            length: bytes.len() as u64,
            names: names as u32,
            outcome: document.outcome,
            over_limit: document.over_limit,
            depends_on_origin: document.depends_on_origin,
            refers: !document.references.is_empty(),
            can_be_referred_to: document.can_be_referred_to(),
            cut: document.cut,
            text_length: document.text_length as u64,
        };
        Packed { known, bytes }
    }
}

/// Documents that are being written.
pub(super) struct Store {
    file: BufWriter<File>,
    end: u64,
    /// By number.
    known: Vec<Known>,
}

impl Store {
    pub(super) fn new(directory: Option<&Path>) -> io::Result<Store> {
        Ok(Store { file: scratch(directory)?, end: 0, known: Vec::new() })
    }

    /// The number of a document that is [`put`](Store::put) later.
    pub(super) fn reserve(&mut self) -> usize {
        self.known.push(Known::default());
        self.known.len() - 1
    }

    /// Writes the document with this number.
    pub(super) fn put(&mut self, number: usize, packed: &Packed) -> io::Result<()> {
        self.file.write_all(&packed.bytes)?;
        self.known[number] = Known { at: self.end, ..packed.known };
        self.end += packed.known.length;
        Ok(())
    }

    /// Ends writing.
    pub(super) fn seal(self) -> io::Result<Sealed> {
        Ok(Sealed { file: Mutex::new(self.file.into_inner()?), known: self.known })
    }
}

/// Documents that can be read.
pub(super) struct Sealed {
    file: Mutex<File>,
    known: Vec<Known>,
}

impl Sealed {
    /// The facts about each document, by number.
    pub(super) fn known(&self) -> &[Known] {
        &self.known
    }

    /// Loads a document as it was compiled.
    pub(super) fn load(&self, number: usize) -> io::Result<Document> {
        let known = &self.known[number];
        Document::decode(&self.read(known.at, known.length)?).ok_or_else(torn)
    }

    /// Adds the names in the documents that are `used`, by number. The file is read in its order.
    pub(super) fn add_names(&self, used: &[bool], names: &mut Names) -> io::Result<()> {
        let mut order: Vec<&Known> =
            self.known.iter().zip(used).filter_map(|(known, used)| used.then_some(known)).collect();
        order.sort_unstable_by_key(|known| known.at);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.rewind()?;
        let mut file = BufReader::with_capacity(BUFFER, &mut *file);
        let (mut bytes, mut end) = (Vec::new(), 0);
        for known in order {
            file.seek_relative(i64::try_from(known.at - end).map_err(io::Error::other)?)?;
            bytes.resize(known.names as usize, 0);
            file.read_exact(&mut bytes)?;
            names.add_encoded(&bytes).ok_or_else(torn)?;
            end = known.at + u64::from(known.names);
        }
        Ok(())
    }

    fn read(&self, at: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

fn torn() -> io::Error {
    io::Error::other("a temporary file does not hold what was written to it")
}
