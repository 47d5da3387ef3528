//! The validators of an answer: what tells which text a 304 is about (RFC 9110 8.8, RFC 9111
//! 4.3.4).
//!
//! `http` reads them, `resolve` compares their hashes, and the store compares them as written. Only
//! equality counts. It does not know times.

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
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Validators<T = NonZeroU32> {
    etag: Option<T>,
    last_modified: Option<T>,
}

impl<T> Default for Validators<T> {
    fn default() -> Validators<T> {
        Validators { etag: None, last_modified: None }
    }
}

impl<'h> Validators<&'h [u8]> {
    /// The validators of these header fields. Strong and weak ETags of a text differ in their
    /// prefix only (RFC 9110 8.8.3.2).
    pub fn of(etag: Option<&'h [u8]>, last_modified: Option<&'h [u8]>) -> Validators<&'h [u8]> {
        let etag = etag.map(<[u8]>::trim_ascii).map(|tag| tag.strip_prefix(b"W/").unwrap_or(tag));
        Validators { etag, last_modified: last_modified.map(<[u8]>::trim_ascii) }
    }

    /// Their hashes.
    pub(crate) fn hashed(self) -> Validators {
        let hash = |value: &[u8]| NonZeroU32::MIN | xxh3_64(value) as u32;
        Validators { etag: self.etag.map(hash), last_modified: self.last_modified.map(hash) }
    }
}

impl<T: PartialEq> Validators<T> {
    /// Whether both belong to one text. Two ETags decide; otherwise, two times of the last change
    /// do. `None` if neither can.
    pub fn is_same(&self, other: &Validators<T>) -> Option<bool> {
        let equal = |one: &Option<T>, other: &Option<T>| Some(one.as_ref()? == other.as_ref()?);
        equal(&self.etag, &other.etag).or_else(|| equal(&self.last_modified, &other.last_modified))
    }
}

impl Validators {
    /// True if what these tell of any text, one of the others tells, too.
    pub(crate) fn tells_no_more(&self, others: &[Validators]) -> bool {
        let is_told = |of: fn(&Validators) -> bool| !of(self) || others.iter().any(of);
        is_told(|of| of.etag.is_some()) && is_told(|of| of.last_modified.is_some())
    }
}
