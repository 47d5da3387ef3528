//! Removes transfer and content encodings of a body, where they are actually present.
//!
//! `http` calls it. Crawlers differ: some store the bytes of the connection, some (Common Crawl)
//! store decoded bodies with the original headers. So every step first examines the bytes, and a
//! body that does not decode but reads as text counts as decoded. Invariants: the result of each
//! step exceeds the limit by at most one buffer; after [`MAX_CODINGS`] steps, what is not text is
//! unread. It does not know headers, only the names of the encodings.

use crate::{Looks, SkipReason, sniff};
use flate2::read::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use robomaton_grammar::{Line, LineKind, scan};
use std::borrow::Cow;
use std::io::Read;

/// More content encodings in a row than occur in practice: limits the work per body.
const MAX_CODINGS: usize = 4;

/// The size of a chunk with its carriage return, in bytes.
const MAX_DIGITS: usize = 17;

/// The bytes of a body that are examined, and those that are examined closely.
const HEAD: usize = 2048;
const BEGINNING: usize = 16;

/// A body, and whether it is complete.
pub(crate) struct Body<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) truncated: bool,
    /// True if it was sent in a coding, so that it had another length.
    pub(crate) was_coded: bool,
    /// True if it was stored as it was sent.
    pub(crate) was_stored_coded: bool,
}

/// True for the name of a coding that changes a body.
pub(crate) fn is_coding(name: &[u8]) -> bool {
    !["", "identity", "none", "utf-8"].iter().any(|none| name.eq_ignore_ascii_case(none.as_bytes()))
}

impl<'a> Body<'a> {
    /// A body as stored.
    pub(crate) fn stored(bytes: &'a [u8], truncated: bool) -> Body<'a> {
        Body { bytes: Cow::Borrowed(bytes), truncated, was_coded: false, was_stored_coded: false }
    }

    /// The body after removal of a coding, and whether it is whole.
    fn decoded(self, (bytes, whole): (Vec<u8>, bool)) -> Body<'a> {
        let truncated = self.truncated || !whole;
        Body { bytes: Cow::Owned(bytes), truncated, was_coded: true, was_stored_coded: true }
    }

    /// Removes the encodings of a `Transfer-Encoding` or `Content-Encoding` header, last one first.
    pub(crate) fn decode(mut self, codings: &[u8], max: usize) -> Result<Body<'a>, SkipReason> {
        let codings = String::from_utf8_lossy(codings).to_ascii_lowercase();
        let unread = |coding: &str| Err(SkipReason::Encoding(coding.to_owned()));
        let codings_in_turn =
            codings.rsplit(',').map(str::trim_ascii).filter(|name| is_coding(name.as_bytes()));
        for (step, coding) in codings_in_turn.enumerate() {
            if step == MAX_CODINGS {
                return if is_text(&self.bytes) { Ok(self) } else { unread(&codings) };
            }
            let inflated = match coding {
                "chunked" => {
                    self = match unchunk(&self.bytes) {
                        Some(data) => self.decoded(data),
                        None => Body { was_coded: true, ..self },
                    };
                    continue;
                }
                "gzip" | "x-gzip" => gunzip(&self.bytes, max),
                // RFC 9110 means zlib; some servers send raw deflate data.
                "deflate" => inflate(&self.bytes, is_zlib(&self.bytes), max),
                _ if is_text(&self.bytes) => continue,
                _ => return unread(coding),
            };
            self.was_coded = true;
            let (bytes, whole) = &inflated;
            // Text whose first bytes happen to inflate is text. A truncated gzip file is used as
            // far as it inflates; if nothing of it does, its content is unknown.
            if !whole && is_text(&self.bytes) {
                continue;
            }
            if !whole && bytes.is_empty() {
                return unread(coding);
            }
            self = self.decoded(inflated);
        }
        Ok(self)
    }

    /// The body as an owned buffer, truncated to `max` bytes; true if it is truncated.
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

/// The data of all gzip members, and true if there was no error. Excess over `max` is cut
/// after one byte, so that the caller can see it.
fn gunzip(bytes: &[u8], max: usize) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let limit = (max as u64).saturating_add(1);
    let whole = MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut out).is_ok();
    (out, whole)
}

/// The same for deflate data, with a zlib header or raw. (The readers of `flate2` treat the end of
/// the input as the end of the data here.)
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

/// True if this body, of an answer in a coding, is probably still compressed. Brotli and `deflate`
/// have no first bytes of their own, and others may have decoded the bytes as characters: so this
/// asks whether the body is no text.
pub(crate) fn looks_coded(body: &[u8]) -> bool {
    // The first bytes may end inside a character.
    let is_text = |start| str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    match sniff(body, None) {
        Looks::Binary => return true,
        _ if !is_text(&body[..body.len().min(BEGINNING)]) => return true,
        // A page in another encoding may have many replacements, and has no records.
        Looks::Html => return false,
        Looks::Text => {}
    }
    let head = String::from_utf8_lossy(&body[..body.len().min(HEAD)]);
    let is_strange = |c: &char| *c == char::REPLACEMENT_CHARACTER || c.is_control() && !"\t\r\n".contains(*c);
    let strange = head.chars().filter(is_strange).count();
    // A comment may be in whatever encoding.
    let begins = !head.starts_with('#') && head.chars().take(BEGINNING).any(|c| is_strange(&c));
    begins || strange > head.len() / 100 && !has_records(body, HEAD)
}

/// True if a text has a record of a robots.txt in the first `most` bytes.
pub(crate) fn has_records(text: &[u8], most: usize) -> bool {
    let is_record = |line: &Line| matches!(line.kind, LineKind::Field(_) | LineKind::Acap);
    scan(text, most).lines.iter().any(is_record)
}

/// True if these bytes are text; compressed bytes are not even UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    sniff(bytes, None) != Looks::Binary && str::from_utf8(bytes).is_ok()
}

/// True if the bytes begin with a zlib header (RFC 1950 2.2).
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [method, flags, ..] if method & 15 == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0)
}

/// The data of the chunks, and true if the last chunk was among them and nothing but a trailer
/// stands behind it; `None` if no chunk begins here, or what stands behind it is all there is.
fn unchunk(mut rest: &[u8]) -> Option<(Vec<u8>, bool)> {
    let is_of_size = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'\r';
    if (1..=MAX_DIGITS).contains(&rest.len()) && rest.iter().all(is_of_size) {
        return Some((Vec::new(), false));
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut chunks = 0_u64;
    while let Some((size, data)) = chunk_size(rest) {
        chunks += 1;
        if size == 0 {
            return (chunks > 1 || data.trim_ascii().is_empty()).then(|| (bytes, is_trailer(data)));
        }
        let here = data.len().min(size);
        bytes.extend_from_slice(&data[..here]);
        rest = &data[here..];
        rest = rest.strip_prefix(b"\r\n").or(rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
    (chunks > 0).then_some((bytes, false))
}

/// True if nothing but header fields and an empty line stands behind the last chunk (RFC 9112
/// 7.1.2).
fn is_trailer(mut rest: &[u8]) -> bool {
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, behind) = rest.split_at(end);
        rest = &behind[1..];
        if line.trim_ascii().is_empty() {
            break;
        }
        if memchr::memchr(b':', line).is_none() {
            return false;
        }
    }
    rest.trim_ascii().is_empty()
}

/// The size of the chunk that begins here, and the bytes after its first line.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = bytes[..end].trim_ascii_end();
    let digits = line.split(|byte| matches!(byte, b';' | b' ' | b'\t')).next()?;
    let size = usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, &bytes[end + 1..]))
}
