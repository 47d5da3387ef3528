//! The validators of an answer: what tells which text a 304 is about (RFC 9110 8.8, RFC 9111
//! 4.3.4).
//!
//! `http` reads them, `resolve` compares them. Only hashes are kept, since only equality counts. It
//! does not know times.

use std::num::NonZeroU32;
use xxhash_rust::xxh3::xxh3_64;

/// Hashes of the validators in the header of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Validators {
    etag: Option<NonZeroU32>,
    last_modified: Option<NonZeroU32>,
}

impl Validators {
    /// The validators of these header fields. Strong and weak ETags of a text differ in their
    /// prefix only (RFC 9110 8.8.3.2).
    pub(crate) fn of(etag: Option<&[u8]>, last_modified: Option<&[u8]>) -> Validators {
        let etag = etag.map(<[u8]>::trim_ascii).map(|tag| tag.strip_prefix(b"W/").unwrap_or(tag));
        let hash = |value: &[u8]| NonZeroU32::MIN | xxh3_64(value) as u32;
        Validators { etag: etag.map(hash), last_modified: last_modified.map(<[u8]>::trim_ascii).map(hash) }
    }

    /// Whether both are of one text: by their ETags, or without two of them by the times of the
    /// last change; `None` if they do not tell.
    pub(crate) fn is_same(&self, other: &Validators) -> Option<bool> {
        let equal = |pair: (NonZeroU32, NonZeroU32)| pair.0 == pair.1;
        let by_etag = self.etag.zip(other.etag).map(equal);
        by_etag.or_else(|| self.last_modified.zip(other.last_modified).map(equal))
    }

    /// True if what these tell of any text, one of the others tells, too.
    pub(crate) fn tells_no_more(&self, others: &[Validators]) -> bool {
        let is_told = |of: fn(&Validators) -> bool| !of(self) || others.iter().any(of);
        is_told(|of| of.etag.is_some()) && is_told(|of| of.last_modified.is_some())
    }
}
