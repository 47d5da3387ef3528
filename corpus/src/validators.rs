//! The validators of an answer: what tells which text a 304 is about (RFC 9110 8.8, RFC 9111
//! 4.3.4).
//!
//! `http` reads them, `resolve` compares their hashes, and the store compares them as written. A
//! WARC record tells more: the digest of its payload, and the record that a revisit refers to (ISO
//! 28500 6.7). Only equality counts. It does not know times.

use std::num::NonZeroU32;
use xxhash_rust::xxh3::xxh3_64;

/// The validators in the header of an answer, or hashes of them.
///
/// ```
/// use robomaton_corpus::Validators;
///
/// let weak = Validators::of(Some(b"W/\"1\""), None);
/// assert_eq!(weak.is_same(&Validators::of(Some(b"\"1\""), Some(b"Mon, 01 Jan 2024 00:00:00 GMT"))), Some(true));
/// assert_eq!(weak.is_same(&Validators::default()), None);
/// assert_eq!(weak.are_of(&Validators::default()), Some(false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Validators<T = NonZeroU32> {
    etag: Option<T>,
    last_modified: Option<T>,
    digest: Option<T>,
    record: Option<T>,
}

impl<T> Default for Validators<T> {
    fn default() -> Validators<T> {
        Validators { etag: None, last_modified: None, digest: None, record: None }
    }
}

impl<'h> Validators<&'h [u8]> {
    /// The validators of these header fields. Strong and weak ETags of a text differ in their
    /// prefix only (RFC 9110 8.8.3.2).
    pub fn of(etag: Option<&'h [u8]>, last_modified: Option<&'h [u8]>) -> Validators<&'h [u8]> {
        let etag = etag.map(<[u8]>::trim_ascii).map(|tag| tag.strip_prefix(b"W/").unwrap_or(tag));
        Validators { etag, last_modified: last_modified.map(<[u8]>::trim_ascii), ..Validators::default() }
    }

    /// Their hashes.
    pub(crate) fn hashed(self) -> Validators {
        let Validators { etag, last_modified, digest, record } = self;
        let [etag, last_modified] = [etag, last_modified].map(|value| value.and_then(hash));
        let [digest, record] = [digest, record].map(|value| value.and_then(hash));
        Validators { etag, last_modified, digest, record }
    }
}

/// The hash of a value; `None` if it is empty.
fn hash(value: &[u8]) -> Option<NonZeroU32> {
    (!value.is_empty()).then(|| NonZeroU32::MIN | xxh3_64(value) as u32)
}

impl<T: PartialEq> Validators<T> {
    /// Whether both belong to one text. Two digests decide; then one record; then two ETags, or two
    /// times of the last change; then two records. `None` if none can.
    pub fn is_same(&self, other: &Validators<T>) -> Option<bool> {
        let equal = |one: &Option<T>, other: &Option<T>| Some(one.as_ref()? == other.as_ref()?);
        let record = equal(&self.record, &other.record);
        equal(&self.digest, &other.digest)
            .or(record.filter(|is_same| *is_same))
            .or_else(|| equal(&self.etag, &other.etag))
            .or_else(|| equal(&self.last_modified, &other.last_modified))
            .or(record)
    }

    /// True if a 304 or a revisit with these validators is about the text with the others; `None`
    /// if they do not tell. One that has an ETag or a time of the last change is about a text that
    /// has it, too (RFC 9110 15.4.5).
    pub fn are_of(&self, text: &Validators<T>) -> Option<bool> {
        let has_one = self.etag.is_some() || self.last_modified.is_some();
        self.is_same(text).or(has_one.then_some(false))
    }
}

impl Validators {
    /// True if what these tell of any text, one of the others tells, too.
    pub(crate) fn tells_no_more(&self, others: &[Validators]) -> bool {
        let is_told = |of: fn(&Validators) -> bool| !of(self) || others.iter().any(of);
        is_told(|of| of.etag.is_some())
            && is_told(|of| of.last_modified.is_some())
            && is_told(|of| of.digest.is_some())
            && is_told(|of| of.record.is_some())
    }

    /// These validators, with the digest of the payload of a WARC record, and the name of the
    /// record that has its content.
    pub(crate) fn of_record(self, digest: &[u8], record: &[u8]) -> Validators {
        Validators { digest: hash(digest), record: hash(record), ..self }
    }
}
