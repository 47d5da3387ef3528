//! Undoes transfer and content encodings of a body, where they are really there.
//!
//! Called by `http`. Crawlers differ: some store the bytes of the wire, some (Common Crawl) store
//! decoded bodies below the header of the wire. So every step first asks the bytes, and what does
//! not decode but reads as text is taken as decoded already. Invariant: no step's result exceeds
//! the limit by more than one buffer. It does not know headers, only the names of the codings.

use crate::{Looks, SkipReason, sniff};
use flate2::read::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::borrow::Cow;
use std::io::Read;

/// More content codings in a row than anyone uses: a limit on work per body.
const MAX_CODINGS: usize = 4;

/// A body, and whether it is all there.
pub(crate) struct Body<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) truncated: bool,
}

impl<'a> Body<'a> {
    /// A body as it was stored.
    pub(crate) fn stored(bytes: &'a [u8], truncated: bool) -> Body<'a> {
        Body { bytes: Cow::Borrowed(bytes), truncated }
    }

    /// Undoes `Transfer-Encoding: chunked`.
    pub(crate) fn unchunk(self) -> Body<'a> {
        match unchunk(&self.bytes) {
            Some((bytes, whole)) => Body { bytes: Cow::Owned(bytes), truncated: self.truncated || !whole },
            None => self,
        }
    }

    /// Undoes the codings of a `Content-Encoding` header, the last one first.
    pub(crate) fn decode(mut self, codings: &str, max: usize) -> Result<Body<'a>, SkipReason> {
        for coding in
            codings.rsplit(',').map(str::trim_ascii).filter(|name| !name.is_empty()).take(MAX_CODINGS)
        {
            let inflated = match coding.to_ascii_lowercase().as_str() {
                "identity" | "none" | "utf-8" => continue,
                "gzip" | "x-gzip" => gunzip(&self.bytes, max),
                // RFC 9110 means zlib; some servers send bare deflate data.
                "deflate" => inflate(&self.bytes, is_zlib(&self.bytes), max),
                _ if is_text(&self.bytes) => continue,
                _ => return Err(SkipReason::Encoding(coding.to_owned())),
            };
            let (bytes, whole) = inflated;
            // Half a gzip file is worth its beginning; text that happens to inflate for a few bytes
            // is text.
            if whole || (!bytes.is_empty() && !is_text(&self.bytes)) {
                self = Body { bytes: Cow::Owned(bytes), truncated: self.truncated || !whole };
            }
        }
        Ok(self)
    }

    /// The body in memory of its own, at most `max` bytes of it.
    pub(crate) fn limited(self, max: usize) -> (Vec<u8>, bool) {
        let truncated = self.truncated || self.bytes.len() > max;
        let bytes = match self.bytes {
            Cow::Owned(mut bytes) => {
                bytes.truncate(max);
                bytes
            }
            Cow::Borrowed(bytes) => bytes[..bytes.len().min(max)].to_vec(),
        };
        (bytes, truncated)
    }
}

/// The data of the first gzip member, and whether there was nothing wrong with it. What exceeds
/// `max` is cut at the next byte, so that the caller sees the excess.
fn gunzip(bytes: &[u8], max: usize) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let limit = (max as u64).saturating_add(1);
    let whole = GzDecoder::new(bytes).take(limit).read_to_end(&mut out).is_ok();
    (out, whole)
}

/// The same for deflate data, with a zlib header or bare. (The readers of `flate2` take the end of
/// the input for the end of the data here.)
fn inflate(bytes: &[u8], zlib: bool, max: usize) -> (Vec<u8>, bool) {
    const BUFFER: usize = 32 << 10;
    let (mut state, mut out, mut rest) = (Decompress::new(zlib), Vec::new(), bytes);
    loop {
        out.reserve(BUFFER);
        let (was_in, was_out) = (state.total_in(), out.len());
        let status = state.decompress_vec(rest, &mut out, FlushDecompress::None);
        let used = (state.total_in() - was_in) as usize;
        rest = &rest[used..];
        match status {
            Ok(Status::StreamEnd) => return (out, true),
            Ok(_) if out.len() > max => return (out, true),
            Ok(_) if used > 0 || out.len() > was_out => {}
            _ => return (out, false),
        }
    }
}

/// Whether these bytes read as text as they stand; compressed ones are not even UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    sniff(bytes, None) != Looks::Binary && str::from_utf8(bytes).is_ok()
}

/// Whether the two bytes of a zlib header (RFC 1950 2.2) stand here.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [method, flags, ..] if method & 15 == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0)
}

/// The data of the chunks, and whether the last chunk was among them; `None` if not even one chunk
/// begins here.
fn unchunk(mut rest: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut bytes = Vec::with_capacity(rest.len());
    let mut chunks = 0_u64;
    while let Some((size, data)) = chunk_size(rest) {
        chunks += 1;
        if size == 0 {
            return Some((bytes, true));
        }
        let here = data.len().min(size);
        bytes.extend_from_slice(&data[..here]);
        rest = &data[here..];
        rest = rest.strip_prefix(b"\r\n").or(rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
    (chunks > 0).then_some((bytes, false))
}

/// The size of the chunk that begins here, and what stands behind its first line.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = bytes[..end].trim_ascii_end();
    let digits = line.split(|byte| matches!(byte, b';' | b' ' | b'\t')).next()?;
    let size = usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, &bytes[end + 1..]))
}
