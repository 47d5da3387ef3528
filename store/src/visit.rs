//! The last visit to a site, as far as the next one needs it and no image holds it: validators for
//! conditional requests, failures in a row, and the time that an overloaded site asked to wait.
//!
//! The visits of a layer are a file beside it, sorted by a hash of the site, and read one by one.
//! A visit counts only if it has the time of the capture that is held, so an old one never belongs
//! to a newer capture, and if its checksum holds. A visit that is lost costs an unconditional
//! request; of a site that is unreachable, the row of failures begins anew; and a text that comes
//! late, behind the 304 that is about it, is not known to be newer.

use crate::files::{OUTPUT, failed};
use crate::{Capture, StoreError, limits};
use robomaton_build::Target;
use robomaton_corpus::{NOT_MODIFIED, Validators, http_date, is_success};
use robomaton_formats::{Outcome, Scheme, SiteKey};
use robomaton_runtime::Site;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const MAGIC: &[u8; 8] = b"visits 5";
/// The magic number and the count.
const HEADER: u64 = 16;

/// The last visit to a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visit {
    /// The time of its capture.
    pub(crate) fetched_at: u64,
    /// The time of the text that is held, if an answer 304 made it newer.
    pub(crate) text_at: Option<u64>,
    /// The time of the last answer 304 whose own validators are those of the text.
    pub(crate) confirmed_at: Option<u64>,
    /// Unreachable visits in a row, and the time of the first of them, which means nothing without
    /// failures.
    pub(crate) failures: u32,
    pub(crate) failing_since: u64,
    /// Redirects that led to the text that is held.
    pub(crate) redirects: u16,
    /// Validators of the text that is held.
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// The time before which an overloaded site asked not to be asked.
    pub(crate) not_before: Option<u64>,
}

impl Visit {
    /// The visit of a capture that follows another.
    pub(crate) fn after(last: Option<Visit>, capture: &Capture, is_unreachable: bool) -> Visit {
        let last = last.unwrap_or_default();
        let fetched_at = capture.fetched_at;
        let not_before = retry_after(capture);
        if is_unreachable {
            let failing_since = if last.failures > 0 { last.failing_since } else { fetched_at };
            let failures = last.failures.saturating_add(1);
            return Visit { fetched_at, failures, failing_since, not_before, ..Visit::default() };
        }
        let field = |name: &str| {
            let value = str::from_utf8(field(capture, name)?).ok()?;
            Some(value.to_owned()).filter(|value| value.len() <= limits::VALIDATOR_BYTES)
        };
        let (mut etag, mut last_modified) = (field("etag"), field("last-modified"));
        let (mut redirects, mut text_at, mut confirmed_at) = (0, None, None);
        match capture.status {
            status if is_success(status) => redirects = capture.redirects,
            NOT_MODIFIED => {
                text_at = Some(last.text_at());
                let is_confirmed = last.is_of(capture) == Some(true);
                confirmed_at = if is_confirmed { Some(fetched_at) } else { last.confirmed_at };
                redirects = last.redirects;
                etag = etag.or(last.etag);
                last_modified = last_modified.or(last.last_modified);
            }
            // Without a text there is nothing to validate.
            _ => (etag, last_modified) = (None, None),
        }
        // A layer may hold a visit of the same second. This one hides it even if it says nothing
        // else.
        let failing_since = if last.fetched_at == fetched_at { fetched_at } else { 0 };
        let failures = 0;
        Visit {
            fetched_at,
            text_at,
            confirmed_at,
            failures,
            failing_since,
            redirects,
            etag,
            last_modified,
            not_before,
        }
    }

    /// The time of the text that is held.
    pub(crate) fn text_at(&self) -> u64 {
        self.text_at.unwrap_or(self.fetched_at)
    }

    /// True if an answer 304 renewed an older text than this one, and no validators say that the
    /// older one alone was in force then: the 304 is about this one.
    pub(crate) fn is_about_later(&self, text: &Capture) -> bool {
        let time = text.fetched_at;
        let may_be_this = self.confirmed_at < Some(time) || self.is_of(text) == Some(true);
        may_be_this && self.text_at() < time && time <= self.fetched_at
    }

    /// The visit after an answer of an earlier time came late, if that ends the row of failures. Of
    /// those behind the answer, only the time of the last one is known.
    pub(crate) fn after_late(self, answered_at: u64) -> Option<Visit> {
        let is_in_row = (self.failing_since..self.fetched_at).contains(&answered_at);
        let failing_since = self.fetched_at;
        (self.failures > 0 && is_in_row).then_some(Visit { failures: 1, failing_since, ..self })
    }

    /// The visit of a capture that has none, as in an image that was compiled: one failure, if it
    /// is one. `None` if its time is not known.
    pub(crate) fn of_image(site: &Site<'_>) -> Option<Visit> {
        let fetched_at = site.fetched_at()?;
        let visit = Visit { fetched_at, ..Visit::default() };
        Some(match site.outcome() {
            Some(Outcome::Unreachable) => Visit { failures: 1, failing_since: fetched_at, ..visit },
            _ => visit,
        })
    }

    /// True if an answer 304 is about the text of this visit, by the validators of both; `None` if
    /// it has none (RFC 9111 4.3.4). Those of a text from an image are not known, and so count as
    /// none.
    pub(crate) fn is_of(&self, capture: &Capture) -> Option<bool> {
        let [etag, last_modified] =
            [&self.etag, &self.last_modified].map(|held| held.as_deref().map(str::as_bytes));
        let of_capture = Validators::of(field(capture, "etag"), field(capture, "last-modified"));
        of_capture.are_of(&Validators::of(etag, last_modified))
    }

    /// The time of the next attempt after failures: each waits twice as long as the one before, up
    /// to a day. A half of that depends on the site, so that failures of one moment are not
    /// repeated in one moment.
    pub(crate) fn retry_at(&self, hash: u64) -> u64 {
        let doubled = limits::RETRY_SECONDS.saturating_mul(1 << self.failures.clamp(1, 32).saturating_sub(1));
        let half = doubled.min(limits::LONGEST_RETRY_SECONDS) / 2;
        let jitter = hash.rotate_left(self.failures) % (half + 1);
        self.fetched_at.saturating_add(half + jitter)
    }

    /// The time of the first of the unreachable visits in a row, if there are any.
    pub(crate) fn unreachable_since(&self) -> Option<u64> {
        (self.failures > 0).then_some(self.failing_since)
    }

    /// True if the layer needs no record of it.
    fn is_plain(&self) -> bool {
        let Visit { fetched_at, .. } = *self;
        *self == Visit { fetched_at, ..Visit::default() }
    }
}

/// The value of the first header field of a name.
fn field<'c>(capture: &'c Capture, name: &str) -> Option<&'c [u8]> {
    let (_, value) = capture.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?;
    Some(value.trim_ascii())
}

/// The time before which a site that is overloaded asked not to be asked: seconds or a date, which
/// counts from the date of the answer, since the server's clock wrote both.
fn retry_after(capture: &Capture) -> Option<u64> {
    let value = field(capture, "retry-after").filter(|_| matches!(capture.status, 429 | 503))?;
    let seconds = if !value.is_empty() && value.iter().all(u8::is_ascii_digit) {
        str::from_utf8(value).ok()?.parse().unwrap_or(u64::MAX)
    } else {
        let asked_at = field(capture, "date").and_then(http_date);
        let asked_at = asked_at.map_or_else(|| i64::try_from(capture.fetched_at), Ok).ok()?;
        u64::try_from(http_date(value)?.saturating_sub(asked_at)).ok()?
    };
    Some(capture.fetched_at.saturating_add(seconds.min(limits::RETRY_AFTER_SECONDS)))
}

/// The number of a site in files of visits.
pub(crate) fn hash(key: &SiteKey) -> u64 {
    let seed = match key.scheme() {
        Scheme::Any => 0,
        Scheme::Http => 1,
        Scheme::Https => 2,
    };
    xxh3_64_with_seed(key.name().as_bytes(), seed)
}

/// The visits of a layer.
pub(crate) struct Visits {
    file: Mutex<File>,
    count: u64,
}

impl Visits {
    /// Opens the visits of a layer; `None` if it has none, as an image that was compiled.
    pub(crate) fn open(path: &Path) -> Result<Option<Visits>, StoreError> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(path, error)),
        };
        let mut header = [0; HEADER as usize];
        let read = file.read_exact(&mut header).map(|()| header.split_at(MAGIC.len()));
        let Ok((magic, count)) = read else { return Ok(None) };
        let count = u64::from_le_bytes(count.try_into().unwrap_or_default());
        let length = file.metadata().map_err(|error| failed(path, error))?.len();
        let end = count.checked_mul(16).and_then(|index| index.checked_add(HEADER));
        let is_whole = magic == MAGIC && end.is_some_and(|end| end <= length);
        Ok(is_whole.then(|| Visits { file: Mutex::new(file), count }))
    }

    /// The visit to a site whose capture has this time.
    pub(crate) fn find(&self, hash: u64, fetched_at: u64) -> Option<Visit> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.word(middle)? < hash { low = middle + 1 } else { high = middle }
        }
        if low >= self.count || self.word(low)? != hash {
            return None;
        }
        let start = if low == 0 { 0 } else { self.word(self.count + low - 1)? };
        let mut bytes = vec![0; record_length(start, self.word(self.count + low)?)?];
        let at = self.count.checked_mul(16)?.checked_add(start)?;
        Part { visits: self, at }.read_exact(&mut bytes).ok()?;
        of_record(hash, &bytes).filter(|visit| visit.fetched_at == fetched_at)
    }

    /// All visits, up to the first that cannot be read.
    fn all(&self) -> impl Iterator<Item = (u64, Visit)> {
        let part = |at| BufReader::new(Part { visits: self, at });
        let words = self.count.saturating_mul(8);
        let [mut hashes, mut ends, mut records] = [0, words, words.saturating_mul(2)].map(part);
        let (mut left, mut start) = (self.count, 0);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let [hash, end] = [word(&mut hashes)?, word(&mut ends)?];
            let mut bytes = vec![0; record_length(start, end)?];
            records.read_exact(&mut bytes).ok()?;
            start = end;
            Some((hash, of_record(hash, &bytes)?))
        })
        .fuse()
    }

    fn word(&self, number: u64) -> Option<u64> {
        word(&mut Part { visits: self, at: number.checked_mul(8)? })
    }
}

/// The bytes of a file of visits from a place behind its header on.
struct Part<'v> {
    visits: &'v Visits,
    at: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut file = self.visits.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at.saturating_add(HEADER)))?;
        let read = file.read(bytes)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

fn word(from: &mut impl Read) -> Option<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).ok()?;
    Some(u64::from_le_bytes(bytes))
}

/// The length of a record; `None` if no record is as long.
fn record_length(start: u64, end: u64) -> Option<usize> {
    let most = 2 * limits::VALIDATOR_BYTES + 64;
    usize::try_from(end.checked_sub(start)?).ok().filter(|&length| length <= most)
}

/// Appends the record of a visit, and its checksum.
fn push_record(hash: u64, visit: &Visit, bytes: Vec<u8>) -> Result<Vec<u8>, postcard::Error> {
    let mut bytes = postcard::to_extend(visit, bytes)?;
    let sum = xxh3_64_with_seed(&bytes, hash);
    bytes.extend_from_slice(&sum.to_le_bytes());
    Ok(bytes)
}

/// The visit of a record; `None` if it is damaged.
fn of_record(hash: u64, record: &[u8]) -> Option<Visit> {
    let (bytes, sum) = record.split_last_chunk()?;
    let is_whole = u64::from_le_bytes(*sum) == xxh3_64_with_seed(bytes, hash);
    postcard::from_bytes(bytes).ok().filter(|_| is_whole)
}

/// Writes the visits of a layer.
pub(crate) fn write_visits(
    path: &Path,
    visits: impl IntoIterator<Item = (u64, Visit)>,
) -> Result<(), StoreError> {
    let visits: BTreeMap<u64, Visit> = visits.into_iter().collect();
    write_sorted(path, || visits.iter().map(|(&hash, visit)| (hash, visit)))
}

/// Writes the visits of merged layers, oldest first, without those before a time. The files are
/// read side by side, so memory holds a buffer for each, whatever their number of sites.
pub(crate) fn merge_visits<'v>(
    path: &Path,
    layers: impl IntoIterator<Item = Option<&'v Visits>>,
    oldest: u64,
) -> Result<(), StoreError> {
    let layers: Vec<&Visits> = layers.into_iter().flatten().collect();
    write_sorted(path, || merged(&layers, oldest))
}

/// The visits of some layers by their hashes, each hash once.
fn merged(layers: &[&Visits], oldest: u64) -> impl Iterator<Item = (u64, Visit)> {
    let mut rest: Vec<_> = layers
        .iter()
        .map(|visits| visits.all().filter(move |(_, visit)| visit.fetched_at >= oldest).peekable())
        .collect();
    std::iter::from_fn(move || {
        let least = rest.iter_mut().filter_map(|visits| Some(visits.peek()?.0)).min()?;
        // Of two with one hash, the later one stays: it is newer.
        rest.iter_mut().filter_map(|visits| visits.next_if(|(hash, _)| *hash == least)).last()
    })
}

/// Writes visits that are sorted by hash. `visits` is called once for each part of the file, so no
/// visit is kept in memory.
fn write_sorted<V: Borrow<Visit>, I: Iterator<Item = (u64, V)>>(
    path: &Path,
    visits: impl Fn() -> I,
) -> Result<(), StoreError> {
    let visits = || visits().filter(|(_, visit)| !visit.borrow().is_plain());
    let record = |hash: u64, visit: &Visit, bytes: Vec<u8>| {
        push_record(hash, visit, bytes).map_err(|error| failed(path, io::Error::other(error)))
    };
    let target = Target::open(path, OUTPUT)?;
    let mut out = BufWriter::new(target.file());
    let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(|error| target.failed(error));
    write(MAGIC)?;
    write(&(visits().count() as u64).to_le_bytes())?;
    for (hash, _) in visits() {
        write(&hash.to_le_bytes())?;
    }
    let (mut end, mut bytes) = (0_u64, Vec::new());
    for (hash, visit) in visits() {
        bytes = record(hash, visit.borrow(), bytes)?;
        end = end.saturating_add(bytes.len() as u64);
        bytes.clear();
        write(&end.to_le_bytes())?;
    }
    for (hash, visit) in visits() {
        bytes = record(hash, visit.borrow(), bytes)?;
        write(&bytes)?;
        bytes.clear();
    }
    out.into_inner().map_err(|error| target.failed(error.into_error()))?;
    Ok(target.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_become_rarer_and_differ() {
        let visit = |failures| Visit { fetched_at: 1_000, failures, ..Visit::default() };
        let mut longest = 0;
        for failures in 1..100 {
            let waits: Vec<u64> = (0..50_u64)
                .map(|site| visit(failures).retry_at(site.wrapping_mul(0x9e37_79b9_7f4a_7c15)) - 1_000)
                .collect();
            let (least, most) = (*waits.iter().min().expect("some"), *waits.iter().max().expect("some"));
            let doubled = (60 << (failures - 1).min(30)).min(86_400);
            assert!(least >= doubled / 2 && most <= doubled && least < most, "{failures}: {least} {most}");
            assert!(most >= longest / 2);
            longest = most;
        }
    }

    #[test]
    fn waiting_is_as_asked_and_bounded() {
        let asked = |status, headers: &[(&str, &str)]| {
            let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
            retry_after(&Capture { status, headers, fetched_at: 784_111_777, ..Capture::default() })
        };
        let wait = |value| asked(503, &[("retry-AFTER", value)]).map(|at| at - 784_111_777);
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("Sun, 06 Nov 1994 09:49:37 GMT"), Some(3600));
        for long in ["99999999", "99999999999999999999999", "Sun, 06 Nov 2994 09:49:37 GMT"] {
            assert_eq!(wait(long), Some(limits::RETRY_AFTER_SECONDS), "{long}");
        }
        for none in ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994 07:49:37 GMT"] {
            assert_eq!(wait(none), None, "{none}");
        }
        // The server's clock is an hour behind.
        let date = ("Date", "Sun, 06 Nov 1994 07:49:37 GMT");
        let until = ("Retry-After", "Sun, 06 Nov 1994 07:50:37 GMT");
        assert_eq!(asked(429, &[date, until]), Some(784_111_777 + 60));
        assert_eq!(asked(404, &[("Retry-After", "9")]), None);
    }

    #[test]
    fn visits_are_found_again() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        let visit = |number: u64, time| {
            let etag = Some(format!("\"{number}\""));
            (number.wrapping_mul(0x9e37_79b9_7f4a_7c15), Visit { fetched_at: time, etag, ..Visit::default() })
        };
        write_visits(&path("old"), (0..300).map(|number| visit(number, 1))).expect("room");
        write_visits(&path("new"), (200..400).map(|number| visit(number, 2))).expect("room");
        let open = |name| Visits::open(&path(name)).expect("a file").expect("visits");
        let layers = [open("old"), open("new")];
        merge_visits(&path("both"), layers.iter().map(Some), 0).expect("room");
        merge_visits(&path("recent"), layers.iter().map(Some), 2).expect("room");
        for number in 0..410 {
            let (hash, wanted) = visit(number, if number < 200 { 1 } else { 2 });
            let wanted = Some(wanted).filter(|_| number < 400);
            assert_eq!(open("both").find(hash, if number < 200 { 1 } else { 2 }), wanted, "{number}");
            assert_eq!(open("both").find(hash, 3), None);
            assert_eq!(open("recent").find(hash, 2), wanted.filter(|visit| visit.fetched_at == 2));
        }
        // Damage is no error, and no other visit.
        let bytes = std::fs::read(path("both")).expect("a file");
        for length in 0..bytes.len() {
            if length % 97 == 0 {
                std::fs::write(path("cut"), &bytes[..length]).expect("room");
                if let Some(visits) = Visits::open(&path("cut")).expect("a file") {
                    (0..410).for_each(|number| drop(visits.find(visit(number, 1).0, 1)));
                    assert!(visits.all().count() <= 400);
                }
            }
        }
        std::fs::write(path("cut"), [&MAGIC[..], &(u64::MAX / 16).to_le_bytes()].concat()).expect("room");
        assert!(Visits::open(&path("cut")).expect("a file").is_none());
        assert!(Visits::open(&path("missing")).expect("no error").is_none());
    }
}
