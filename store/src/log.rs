//! The log: the captures that are in no layer yet, in the order of their puts.
//!
//! A record is a marker, the length that was durable when it was written, its own length, a
//! checksum, the capture (postcard) and its body. The marker is random for each file, so no body
//! can contain it on purpose; two of its bytes are a checksum of the others. Invariant: after a
//! kill at any moment, all records that were acknowledged as durable are read again. A record that
//! cannot be read ends the log, unless a later record says that this one was durable: then the file
//! is damaged, and the error names the place. When a log is closed, a record without a capture, a
//! *mark*, says so of the last one. It does not know what a capture means.

use crate::{Capture, StoreError};
use arc_swap::ArcSwap;
use memchr::memmem;
use robomaton_compiler::Options;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const MAGIC: &[u8; 16] = b"robomaton log 4\n";
/// The beginning that the logs of all versions have.
const ANY_VERSION: &[u8] = b"robomaton log ";
/// The magic number and the marker.
pub(crate) const HEADER: usize = 24;
/// Marker, durable length, length and checksum of a record.
const FRAME: usize = 28;

/// A log that is open for writing.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    marker: [u8; 8],
    /// Bytes that were there when it was opened.
    opened_at: u64,
    /// Bytes written. Changed only by the holder of the store's writer.
    written: AtomicU64,
    /// Bytes known to be durable.
    synced: AtomicU64,
    /// Held while the file is synced, so that those who wait share one sync.
    syncing: Mutex<()>,
    is_broken: AtomicBool,
}

impl Log {
    /// Creates a log.
    pub(crate) fn create(path: PathBuf) -> Result<Log, StoreError> {
        let marker = new_marker();
        let create = || -> io::Result<File> {
            let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
            file.write_all(&[&MAGIC[..], &marker].concat())?;
            file.sync_all()?;
            sync_directory(&path)?;
            Ok(file)
        };
        match create() {
            Ok(file) => Ok(Log::new(path, file, marker, HEADER as u64)),
            Err(error) => {
                // It holds nothing. If it cannot be removed, the next opening does.
                if error.kind() != io::ErrorKind::AlreadyExists {
                    let _ = std::fs::remove_file(&path);
                }
                Err(StoreError::Io { path, error })
            }
        }
    }

    fn new(path: PathBuf, file: File, marker: [u8; 8], end: u64) -> Log {
        let (written, synced) = (AtomicU64::new(end), AtomicU64::new(end));
        Log {
            path,
            file,
            marker,
            opened_at: end,
            written,
            synced,
            syncing: Mutex::new(()),
            is_broken: AtomicBool::new(false),
        }
    }

    /// Opens a log and reads its captures. A torn end is cut off. `None` if not even the header was
    /// written.
    pub(crate) fn open(path: PathBuf) -> Result<Option<(Log, Vec<Capture>)>, StoreError> {
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let mut file = File::options().read(true).write(true).open(&path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let Some(marker) = marker(&bytes).ok_or_else(|| no_marker(&path, &bytes))? else { return Ok(None) };
        let damaged = |at: u64| StoreError::Damaged { path: path.clone(), at };
        let (captures, at) = records(&bytes, 0, HEADER, marker).map_err(damaged)?;
        if at < bytes.len() {
            file.set_len(at as u64).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        file.seek(SeekFrom::Start(at as u64)).map_err(failed)?;
        Ok(Some((Log::new(path, file, marker, at as u64), captures)))
    }

    /// Appends a capture. Returns the length to sync to. Only one thread may append at a time.
    pub(crate) fn append(&self, capture: &Capture, options: &Options) -> Result<u64, StoreError> {
        self.check()?;
        let synced = self.synced.load(Ordering::Acquire);
        let record = record(&self.path, capture, options, self.marker, synced)?;
        self.write(&record).map_err(|error| StoreError::Io { path: self.path.clone(), error })
    }

    /// Appends a record. Returns the length of the log.
    fn write(&self, record: &[u8]) -> io::Result<u64> {
        let start = self.written.load(Ordering::Acquire);
        if let Err(error) = (&self.file).write_all(record) {
            // A part of the record may be there, and a later one must not follow it.
            let mut file = &self.file;
            let cut = self.file.set_len(start).and_then(|()| file.seek(SeekFrom::Start(start)));
            // A sync that failed meanwhile must not be forgotten.
            self.is_broken.fetch_or(cut.is_err(), Ordering::AcqRel);
            return Err(error);
        }
        let end = start + record.len() as u64;
        self.written.store(end, Ordering::Release);
        Ok(end)
    }

    /// Appends a mark, if captures were appended since the log was opened, and all are durable. It
    /// is not synced: without it, damage to the last record is taken for its torn end.
    pub(crate) fn mark(&self) {
        let written = self.written.load(Ordering::Acquire);
        if written > self.opened_at && self.synced.load(Ordering::Acquire) == written && !self.is_broken() {
            let mut mark = vec![0; FRAME];
            if frame(&mut mark, self.marker, written).is_ok() {
                let _ = self.write(&mark);
            }
        }
    }

    /// Returns when the first `length` bytes are durable.
    pub(crate) fn sync_to(&self, length: u64) -> Result<(), StoreError> {
        let _syncing = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        if self.synced.load(Ordering::Acquire) >= length {
            return Ok(());
        }
        let written = self.written.load(Ordering::Acquire);
        self.file.sync_data().map_err(|error| {
            // The system may have dropped the pages, so a second attempt proves nothing.
            self.is_broken.store(true, Ordering::Release);
            StoreError::Io { path: self.path.clone(), error }
        })?;
        self.synced.store(written, Ordering::Release);
        Ok(())
    }

    /// Returns when all that is written is durable.
    fn sync(&self) -> Result<(), StoreError> {
        self.sync_to(self.written.load(Ordering::Acquire))
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written.
    pub(crate) fn len(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// True if no capture is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == HEADER as u64
    }

    /// True if a write or a sync failed, so that its content on disk is unknown.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    fn check(&self) -> Result<(), StoreError> {
        match self.is_broken() {
            true => Err(StoreError::Broken { path: self.path.clone() }),
            false => Ok(()),
        }
    }
}

fn new_marker() -> [u8; 8] {
    with_check(RandomState::new().build_hasher().finish().to_le_bytes())
}

/// A marker with its last two bytes as the others demand.
fn with_check(marker: [u8; 8]) -> [u8; 8] {
    let [a, b, c, d, e, f, ..] = marker;
    let [check, also, ..] = xxh3_64_with_seed(&[a, b, c, d, e, f], 0).to_le_bytes();
    [a, b, c, d, e, f, check, also]
}

/// The record of a capture; `synced` is the length of the log that is durable.
fn record(
    path: &Path,
    capture: &Capture,
    options: &Options,
    marker: [u8; 8],
    synced: u64,
) -> Result<Vec<u8>, StoreError> {
    let failed = |error| StoreError::Io { path: path.to_owned(), error: io::Error::other(error) };
    let mut record = postcard::to_extend(&Front::of(capture), vec![0; FRAME]).map_err(failed)?;
    record.extend(capture.logged_body(options));
    frame(&mut record, marker, synced)?;
    Ok(record)
}

/// Fills in the frame that a record begins with.
fn frame(record: &mut [u8], marker: [u8; 8], synced: u64) -> Result<(), StoreError> {
    let length = u32::try_from(record.len() - FRAME).map_err(|_| StoreError::TooLong)?;
    record[..8].copy_from_slice(&marker);
    record[8..16].copy_from_slice(&synced.to_le_bytes());
    record[16..20].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&record[8..20], &record[FRAME..]);
    record[20..FRAME].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// A log of one capture.
pub(crate) fn single(path: &Path, capture: &Capture, options: &Options) -> Result<Vec<u8>, StoreError> {
    let marker = new_marker();
    let record = record(path, capture, options, marker, HEADER as u64)?;
    Ok([&MAGIC[..], &marker, &record].concat())
}

/// The capture of a log of one; `None` if it is damaged.
pub(crate) fn of_single(bytes: &[u8]) -> Option<Capture> {
    let marker = marker(bytes)??;
    let (mut captures, end) = records(bytes, 0, HEADER, marker).ok()?;
    captures.pop().filter(|_| end == bytes.len() && captures.is_empty())
}

/// The marker of the log that begins with these bytes: `None` if it is damaged, `Some(None)` if not
/// even the header was written.
fn marker(bytes: &[u8]) -> Option<Option<[u8; 8]>> {
    let Some((header, records)) = bytes.split_first_chunk::<HEADER>() else {
        return begins_as_log(bytes).then_some(None);
    };
    // A power failure may leave the length of a header without its bytes. No record was written
    // before the header was durable. A log of another version may be without records, too.
    let is_other = header.starts_with(ANY_VERSION) && !header.starts_with(MAGIC);
    if records.is_empty() && (*header == [0; HEADER] || is_other) {
        return Some(None);
    }
    let marker: [u8; 8] = header.strip_prefix(MAGIC)?.try_into().ok()?;
    (with_check(marker) == marker).then_some(Some(marker))
}

/// The error of a file that has no marker.
fn no_marker(path: &Path, bytes: &[u8]) -> StoreError {
    let path = path.to_owned();
    match bytes {
        _ if begins_as_log(bytes) => StoreError::Damaged { path, at: 0 },
        _ if bytes.starts_with(ANY_VERSION) => StoreError::LogVersion { path },
        _ => StoreError::NotLog { path },
    }
}

/// True if these are the first bytes of a log, some of which may not have reached the disk.
fn begins_as_log(bytes: &[u8]) -> bool {
    MAGIC.iter().zip(bytes).all(|(of_log, byte)| byte == of_log || *byte == 0)
}

/// True if a file begins as a log does. An empty one does, since a log is created empty.
pub(crate) fn is_log(path: &Path) -> io::Result<bool> {
    // To open a pipe would wait. A directory in the place of a log is an error when it is read.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Ok(false);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    Ok(begins_as_log(&bytes))
}

/// The captures of the whole records from a place on, and the place after the last of them. The
/// bytes begin at `start` of the log.
///
/// # Errors
/// If a later record says that one was durable which cannot be read; its place in the log.
fn records(bytes: &[u8], start: u64, at: usize, marker: [u8; 8]) -> Result<(Vec<Capture>, usize), u64> {
    let (mut captures, mut at) = (Vec::new(), at);
    while let Some(frame) = Frame::read(bytes, at, marker) {
        if !frame.record.is_empty() {
            captures.push(Front::capture(frame.record).ok_or(start + at as u64)?);
        }
        at = frame.end;
    }
    let later = memmem::find_iter(&bytes[at..], &marker).map(|found| at + found);
    let mut later = later.filter_map(|place| Frame::read(bytes, place, marker));
    let end = start + at as u64;
    if later.any(|frame| frame.synced > end) { Err(end) } else { Ok((captures, at)) }
}

/// A log of the whole captures of a damaged one, before and behind the damage, and their number.
/// The marker is that of the header, or of the first record. At no other place is it sought, since
/// a body may hold whatever it likes.
pub(crate) fn whole(damaged: &[u8]) -> Result<(Vec<u8>, usize), StoreError> {
    let marker = new_marker();
    let (mut log, mut captures, mut at) = ([&MAGIC[..], &marker].concat(), 0, 0);
    let places = [MAGIC.len(), HEADER].map(|at| damaged.get(at..)?.first_chunk::<8>().copied());
    let Some(old) = places.into_iter().flatten().find(|marker| with_check(*marker) == *marker) else {
        return Ok((log, captures));
    };
    while let Some(found) = memmem::find(&damaged[at..], &old) {
        let frame = Frame::read(damaged, at + found, old);
        at = frame.as_ref().map_or(at + found + 1, |frame| frame.end);
        if let Some(Frame { record, .. }) = frame.filter(|frame| Front::capture(frame.record).is_some()) {
            let mut record = [&[0; FRAME], record].concat();
            self::frame(&mut record, marker, log.len() as u64)?;
            log.append(&mut record);
            captures += 1;
        }
    }
    Ok((log, captures))
}

/// A log that another process appends to.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    file: File,
    marker: [u8; 8],
    /// The place after the last record that was read.
    end: u64,
}

impl Tail {
    /// Opens a log and reads its captures, without its torn end. `None` if it is gone, or not even
    /// its header was written.
    pub(crate) fn open(path: PathBuf) -> Result<Option<(Tail, Vec<Capture>)>, StoreError> {
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut header = Vec::new();
        // One more byte, which shows whether it holds a record.
        (&mut file).take(HEADER as u64 + 1).read_to_end(&mut header).map_err(failed)?;
        let Some(marker) = marker(&header).ok_or_else(|| no_marker(&path, &header))? else {
            return Ok(None);
        };
        let mut tail = Tail { path, file, marker, end: HEADER as u64 };
        let captures = tail.read()?;
        Ok(Some((tail, captures)))
    }

    /// Reads the captures that were appended since.
    pub(crate) fn read(&mut self) -> Result<Vec<Capture>, StoreError> {
        // A record that was written while the bytes were read may be torn in front of a later one
        // that is whole. The second time, it was there before.
        let read = match self.records()? {
            Err(_) => self.records()?,
            whole => whole,
        };
        let (captures, length) = read.map_err(|at| StoreError::Damaged { path: self.path.clone(), at })?;
        self.end += length as u64;
        Ok(captures)
    }

    fn records(&mut self) -> Result<Result<(Vec<Capture>, usize), u64>, StoreError> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.read_to_end(&mut bytes));
        read.map_err(|error| StoreError::Io { path: self.path.clone(), error })?;
        Ok(records(&bytes, self.end, 0, self.marker))
    }

    /// Bytes that were read.
    pub(crate) fn len(&self) -> u64 {
        self.end
    }
}

/// A capture in front of its body. serde would copy a body byte by byte.
#[derive(Serialize, Deserialize)]
struct Front<'c> {
    url: Cow<'c, str>,
    fetched_at: u64,
    status: u16,
    redirects: u16,
    headers: Cow<'c, [(String, Vec<u8>)]>,
    truncated: bool,
    refers_to: Option<RangeInclusive<u64>>,
}

impl<'c> Front<'c> {
    fn of(capture: &'c Capture) -> Front<'c> {
        let Capture { url, headers, refers_to, .. } = capture;
        let &Capture { fetched_at, status, redirects, truncated, .. } = capture;
        let (url, headers, refers_to) = (Cow::from(url), Cow::from(headers), refers_to.clone());
        Front { url, fetched_at, status, redirects, headers, truncated, refers_to }
    }

    /// The capture of a record.
    fn capture(record: &[u8]) -> Option<Capture> {
        let (front, body): (Front<'_>, _) = postcard::take_from_bytes(record).ok()?;
        let Front { url, fetched_at, status, redirects, headers, truncated, refers_to } = front;
        let (url, headers) = (url.into_owned(), headers.into_owned());
        let body = body.to_vec();
        Some(Capture { url, fetched_at, status, redirects, headers, body, truncated, refers_to })
    }
}

/// A record in the bytes of a log.
struct Frame<'b> {
    synced: u64,
    record: &'b [u8],
    end: usize,
}

impl<'b> Frame<'b> {
    fn read(bytes: &'b [u8], at: usize, marker: [u8; 8]) -> Option<Frame<'b>> {
        let (frame, rest) = bytes.get(at..)?.split_first_chunk::<FRAME>()?;
        let length = u32::from_le_bytes(*frame[16..].first_chunk()?) as usize;
        let record = rest.get(..length)?;
        let sum = u64::from_le_bytes(*frame[20..].first_chunk()?);
        let is_whole = frame[..8] == marker && sum == checksum(&frame[8..20], record);
        let synced = u64::from_le_bytes(*frame[8..].first_chunk()?);
        is_whole.then_some(Frame { synced, record, end: at + FRAME + length })
    }
}

fn checksum(front: &[u8], record: &[u8]) -> u64 {
    xxh3_64_with_seed(record, xxh3_64_with_seed(front, 0))
}

/// Makes the name of a new file durable.
pub(crate) fn sync_directory(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(directory) = file.parent() {
        let is_current = directory.as_os_str().is_empty();
        File::open(if is_current { Path::new(".") } else { directory })?.sync_all()?;
    }
    Ok(())
}

/// The logs of the captures in memory.
#[derive(Clone, Debug)]
pub(crate) struct Logs {
    /// The log of the frozen table, until its file is removed.
    pub(crate) frozen: Option<Arc<Log>>,
    /// The log that captures are appended to.
    pub(crate) current: Arc<Log>,
}

impl Logs {
    /// Returns when all that is written is durable.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        // A log that cannot be synced does not keep the other one from it.
        let frozen = self.frozen.as_ref().map_or(Ok(()), |frozen| frozen.sync());
        self.current.sync().and(frozen)
    }
}

/// Syncs the logs from time to time, until the sender is dropped, and then once more.
pub(crate) fn sync_every(time: Duration, logs: Arc<ArcSwap<Logs>>) -> (Sender<()>, JoinHandle<()>) {
    let (stop, stopped): (Sender<()>, Receiver<()>) = channel();
    let thread = thread::spawn(move || {
        loop {
            let wait = stopped.recv_timeout(time);
            // A log that cannot be synced refuses the next put, which tells of it. One that was
            // frozen since does not, but becomes a layer.
            let _ = logs.load_full().sync();
            if wait != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    });
    (stop, thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_log_that_cannot_be_synced_does_not_hold_up_the_current_one() {
        let place = tempfile::tempdir().expect("a directory");
        let log = |name: &str| Arc::new(Log::create(place.path().join(name)).expect("room"));
        let (frozen, current) = (log("1.log"), log("2.log"));
        let end = current.append(&Capture::default(), &Options::default()).expect("room");
        frozen.is_broken.store(true, Ordering::Release);
        let logs = Logs { frozen: Some(frozen), current: Arc::clone(&current) };
        assert!(matches!(logs.sync(), Err(StoreError::Broken { .. })));
        assert_eq!(current.synced.load(Ordering::Acquire), end);
    }

    #[test]
    fn a_capture_that_is_held_is_acknowledged_only_if_it_is_durable() {
        let place = tempfile::tempdir().expect("a directory");
        let store = crate::Store::open(place.path(), crate::StoreOptions::default()).expect("a store");
        let url = "https://a.example/robots.txt".to_owned();
        let capture = Capture { url, fetched_at: 1, status: 200, ..Capture::default() };
        assert!(store.put(&capture).expect("room"));
        assert!(!store.put(&capture).expect("it is durable"));
        store.logs.load().current.is_broken.store(true, Ordering::Release);
        assert!(matches!(store.put(&capture), Err(StoreError::Broken { .. })));
    }

    /// As an earlier version put it.
    #[test]
    fn a_capture_of_a_log_that_is_read_no_more_leaves_its_site_unresolved() {
        let place = tempfile::tempdir().expect("a directory");
        let open = || crate::Store::open(place.path(), crate::StoreOptions::default()).expect("a store");
        let url = "https://a.example/robots.txt".to_owned();
        let text = Capture { url, fetched_at: 1, status: 200, ..Capture::default() };
        let headers = vec![("Content-Type".to_owned(), b"multipart/byteranges".to_vec())];
        let part =
            Capture { fetched_at: 2, status: 206, headers, body: b"Allow: /\n".to_vec(), ..text.clone() };
        let store = open();
        assert!(store.put(&text).expect("room"));
        store.logs.load().current.append(&part, &Options::default()).expect("room");
        drop(store);
        let store = open();
        let outcome = store.snapshot().site(&text.url).and_then(|site| site.outcome());
        assert_eq!(outcome, Some(robomaton_formats::Outcome::Unresolved));
    }

    /// What is in memory becomes a layer, whether the log is sound or not.
    #[test]
    fn a_log_that_cannot_be_written_is_replaced() {
        let place = tempfile::tempdir().expect("a directory");
        let open = || crate::Store::open(place.path(), crate::StoreOptions::default()).expect("a store");
        let capture = |host: char| {
            let url = format!("https://{host}.example/robots.txt");
            Capture { url, fetched_at: 1, status: 200, ..Capture::default() }
        };
        let store = open();
        for host in 'a'..='d' {
            let log = Arc::clone(&store.logs.load().current);
            log.is_broken.store(true, Ordering::Release);
            assert!(store.is_broken());
            assert!(matches!(store.put(&capture(host)), Err(StoreError::Broken { .. })));
            store.compact().expect("room");
            assert!(!store.is_broken() && !log.path.exists());
            // The first time, the table is empty.
            assert!(store.put(&capture(host)).expect("room"));
        }
        let held = store.stats().layer_sites + store.stats().memory_sites;
        drop(store);
        let stats = open().stats();
        assert_eq!((stats.layer_sites + stats.memory_sites, held), (4, 4));
    }
}
