//! WARC files (ISO 28500): `response` records become captures, `revisit` records refer to earlier
//! ones.
//!
//! It stands between `window`, which holds one record at a time, and `http`, which parses its
//! block. Invariants: a record counts only if the file continues after it as a WARC file does; a
//! record that does not is reported once, and reading continues at the next line that begins with
//! `WARC/`, possibly inside the length that the broken record claimed. Every turn of the loop takes
//! bytes out of the window, so it ends. It does not know gzip: offsets are those of the
//! decompressed stream.

use crate::record::{Content, Record};
use crate::window::Window;
use crate::{Capture, ReadLimits, SkipReason, dates, http};
use robomaton_formats::site::SiteKey;
use std::ops::{Range, RangeInclusive};

/// Bytes that are examined first; nearly every header fits.
const GLANCE: usize = 4096;
/// Bytes after a record that show whether it ended: two line ends and the name of the format.
const TRAILER: usize = 4 + MAGIC.len();
/// The beginning of every record.
const MAGIC: &[u8] = b"WARC/";
/// Extra bytes of a stored response besides its decoded body and header: chunk sizes.
const CHUNK_OVERHEAD: usize = 64 << 10;

/// The implied response of a revisit record without a block.
const NOT_MODIFIED: &[u8] = b"HTTP/1.1 304 Not Modified\r\n\r\n";

/// The relevant part of a record's header. The window moves after it was parsed, so it holds
/// places in the record.
#[derive(Default)]
struct Header {
    kind: Range<usize>,
    target: Range<usize>,
    date: Range<usize>,
    profile: Range<usize>,
    refers_to_date: Range<usize>,
    length: Option<u64>,
    truncated: bool,
    /// The length of the header.
    end: usize,
}

/// The records of a file.
pub(crate) struct Records<'w, 'a> {
    window: &'w mut Window<'a>,
    limits: &'w ReadLimits,
}

impl<'w, 'a> Records<'w, 'a> {
    pub(crate) fn of(window: &'w mut Window<'a>, limits: &'w ReadLimits) -> Records<'w, 'a> {
        Records { window, limits }
    }
}

impl Iterator for Records<'_, '_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let (at, content) = next(self.window, self.limits, |record| record.content())?;
        Some(Record { at, content })
    }
}

/// The place and the content of the next record.
fn next<T>(
    window: &mut Window<'_>,
    limits: &ReadLimits,
    content: impl FnOnce(&Whole<'_>) -> Result<T, SkipReason>,
) -> Option<(u64, Result<T, SkipReason>)> {
    loop {
        let line_ends = window.want(TRAILER).iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if line_ends == 0 {
            break;
        }
        window.take(line_ends);
    }
    let at = window.offset();
    let content = if window.data().is_empty() {
        Err(window.pass()?)
    } else if window.data().starts_with(MAGIC) {
        record(window, limits, content)
    } else {
        Err(SkipReason::Garbage(resync(window)))
    };
    Some((at, content))
}

/// An answer with all of its header fields.
pub(crate) struct Answer {
    /// Its content. Of a revisit, nothing but the header counts.
    pub(crate) capture: Capture,
    /// All header fields: name and value, in their order.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// True if the server said that the resource is unchanged.
    pub(crate) is_unmodified: bool,
}

/// The place of the next record, and its answer if it is of a kind that has one. An answer that the
/// record says was seen before has no content: it is an error unless the server said so.
pub(crate) fn next_answer(
    window: &mut Window<'_>,
    limits: &ReadLimits,
) -> Option<(u64, Result<Option<Answer>, SkipReason>)> {
    next(window, limits, |record| {
        let (capture, is_unmodified) = match record.content()? {
            Content::Ignored => return Ok(None),
            Content::Capture(capture) => {
                let is_unmodified = capture.status == 304;
                (capture, is_unmodified)
            }
            Content::Revisit(..) if !record.is_unmodified() => return Err(SkipReason::Revisit),
            Content::Revisit(capture, _) => (capture, true),
        };
        let headers = http::all_fields(record.block(), limits.max_header);
        Ok(Some(Answer { capture, headers, is_unmodified }))
    })
}

/// Reads the record at the front of the window.
fn record<T>(
    window: &mut Window<'_>,
    limits: &ReadLimits,
    content: impl FnOnce(&Whole<'_>) -> Result<T, SkipReason>,
) -> Result<T, SkipReason> {
    let head = match header_end(window, limits.max_header) {
        Ok(head) => head,
        Err((known, reason)) => return refuse(window, known, reason),
    };
    let header = Header::parse(&window.data()[..head]);
    let Some(length) = header.length else {
        return refuse(window, MAGIC.len(), SkipReason::WarcHeader("no Content-Length"));
    };
    if length > limits.max_record {
        return refuse(window, head, SkipReason::RecordTooLong(length));
    }
    let most = limits.max_body.saturating_add(limits.max_header).saturating_add(CHUNK_OVERHEAD);
    let held = usize::try_from(length).map_or(most, |length| length.min(most));
    let cut = held as u64 != length;

    let here = window.want(head + held + TRAILER).len();
    if here < head + held {
        return refuse(window, head, SkipReason::RecordCut);
    }
    if !cut && !ends_well(window, head + held) {
        return refuse(window, head, bad_end(window, length));
    }
    let bytes = &window.data()[..head + held];
    let content = content(&Whole { header: &header, bytes, cut, limits });
    window.take(head + held);
    // The rest of the record is skipped; only its end shows whether the record is valid.
    let passed = window.skip(length - held as u64);
    if cut {
        window.want(TRAILER);
        if !passed || !ends_well(window, 0) {
            let reason = if passed { bad_end(window, length) } else { SkipReason::RecordCut };
            resync(window);
            return Err(reason);
        }
    }
    content
}

/// Rejects the record at the front of the window, of which `known` bytes were parsed, and finds the
/// next.
fn refuse<T>(window: &mut Window<'_>, known: usize, reason: SkipReason) -> Result<T, SkipReason> {
    window.take(known);
    resync(window);
    Err(reason)
}

/// Takes bytes until the window begins with a record, or is empty and has stopped. Returns their
/// number.
fn resync(window: &mut Window<'_>) -> u64 {
    let from = window.offset();
    // Only the first search may find a record at the very front: later ones begin inside a line.
    let mut line_start = true;
    loop {
        let data = window.want(GLANCE);
        let found = memchr::memmem::find_iter(data, MAGIC).find(|&found| {
            let begins = if found == 0 { line_start } else { data[found - 1] == b'\n' };
            begins && is_record(&data[found..])
        });
        if let Some(found) = found {
            window.take(found);
            return window.offset() - from;
        }
        // A line end, the magic and its digit may straddle two searches.
        let keep = if window.stopped() { 0 } else { MAGIC.len() + 1 };
        window.take(window.data().len().saturating_sub(keep));
        if window.stopped() && window.data().is_empty() {
            return window.offset() - from;
        }
        line_start = false;
    }
}

/// The length of the header at the front of the window, including the empty line that ends it; or
/// the number of bytes before the place where the next record may begin. A header ends where
/// another record begins, so no byte is examined for two of them.
fn header_end(window: &mut Window<'_>, max: usize) -> Result<usize, (usize, SkipReason)> {
    let (mut look, mut seen) = (GLANCE, 0);
    loop {
        let data = window.want(look);
        for line_end in memchr::memchr_iter(b'\n', &data[seen..]) {
            let next = seen + line_end + 1;
            match &data[next..] {
                [b'\n', ..] => return Ok(next + 1),
                [b'\r', b'\n', ..] => return Ok(next + 2),
                line if is_record(line) => {
                    return Err((next, SkipReason::WarcHeader("another record begins inside it")));
                }
                _ => {}
            }
        }
        if data.len() < look {
            return Err((MAGIC.len(), SkipReason::RecordCut));
        }
        if look >= max {
            return Err((MAGIC.len(), SkipReason::WarcHeader("longer than the limit max_header")));
        }
        // A line end and the beginning of the line may straddle two looks.
        seen = data.len().saturating_sub(MAGIC.len() + 1);
        look = data.len().saturating_mul(2).min(max);
    }
}

/// True if a line begins as the first line of a record does.
fn is_record(line: &[u8]) -> bool {
    line.strip_prefix(MAGIC).and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

/// True if a record ends `end` bytes into the window: two line ends follow, or line ends and then
/// the next record or the end of the file, and no damage that casts doubt on them.
fn ends_well(window: &Window<'_>, end: usize) -> bool {
    let rest = &window.data()[end..];
    if rest.len() < TRAILER && window.doubtful() {
        return false;
    }
    let behind = rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
    let line_ends = rest[..behind].iter().filter(|byte| **byte == b'\n').count();
    line_ends >= 2 || rest[behind..].starts_with(MAGIC) || (rest.len() == behind && window.stopped())
}

/// The reason why a record did not end as it should.
fn bad_end(window: &Window<'_>, length: u64) -> SkipReason {
    if window.doubtful() { SkipReason::RecordCut } else { SkipReason::RecordLength(length) }
}

/// The time in a header.
fn time(date: &[u8]) -> Option<i64> {
    str::from_utf8(date).ok().and_then(dates::iso)
}

impl Header {
    /// Splits a header into its fields. The first of repeated fields counts; invalid lines are
    /// ignored.
    fn parse(bytes: &[u8]) -> Header {
        let mut header = Header { end: bytes.len(), ..Header::default() };
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
            header.line(bytes, start..end);
            start = end + 1;
        }
        header
    }

    /// Adds the field on a line.
    fn line(&mut self, bytes: &[u8], line: Range<usize>) {
        let Some(colon) = memchr::memchr(b':', &bytes[line.clone()]) else { return };
        let name = bytes[line.start..line.start + colon].trim_ascii_end();
        let value = bytes[line.start + colon + 1..line.end].trim_ascii_start();
        let start = line.end - value.len();
        let value = value.trim_ascii_end();
        let first = |slot: &mut Range<usize>| {
            if *slot == (0..0) {
                *slot = start..start + value.len();
            }
        };
        match name.len() {
            9 if name.eq_ignore_ascii_case(b"warc-type") => first(&mut self.kind),
            9 if name.eq_ignore_ascii_case(b"warc-date") => first(&mut self.date),
            12 if name.eq_ignore_ascii_case(b"warc-profile") => first(&mut self.profile),
            19 if name.eq_ignore_ascii_case(b"warc-refers-to-date") => first(&mut self.refers_to_date),
            15 if name.eq_ignore_ascii_case(b"warc-target-uri") => first(&mut self.target),
            14 if name.eq_ignore_ascii_case(b"warc-truncated") => self.truncated = true,
            14 if name.eq_ignore_ascii_case(b"content-length") && self.length.is_none() => {
                let digits = str::from_utf8(value).ok().filter(|text| !text.starts_with('+'));
                self.length = digits.and_then(|digits| digits.parse().ok());
            }
            _ => {}
        }
    }
}

/// A record as far as it is held: its header, and its bytes from the beginning of the header on.
struct Whole<'r> {
    header: &'r Header,
    bytes: &'r [u8],
    /// True if the record has more bytes.
    cut: bool,
    limits: &'r ReadLimits,
}

impl<'r> Whole<'r> {
    /// The value of a field of the header.
    fn field(&self, place: &Range<usize>) -> &'r [u8] {
        &self.bytes[place.clone()]
    }

    /// The bytes after the header.
    fn block(&self) -> &'r [u8] {
        &self.bytes[self.header.end..]
    }

    fn has_unmodified_profile(&self) -> bool {
        self.field(&self.header.profile).ends_with(b"server-not-modified")
    }

    /// True for a revisit of a resource of which the server said that it is unchanged.
    fn is_unmodified(&self) -> bool {
        let first = self.block().split(|&byte| byte == b'\n').next().unwrap_or_default();
        self.has_unmodified_profile() || http::status_of(first.trim_ascii_end()) == Some(304)
    }

    /// For a revisit: when the capture with the content was fetched, which is the time in the
    /// record. An answer "not modified since" refers to all captures in between, and without a time
    /// any older one is suitable.
    fn revisited(&self) -> Option<RangeInclusive<i64>> {
        if !self.field(&self.header.kind).eq_ignore_ascii_case(b"revisit") {
            return None;
        }
        let fetched_at = time(self.field(&self.header.date)).unwrap_or(0);
        Some(match time(self.field(&self.header.refers_to_date)) {
            Some(then) if self.has_unmodified_profile() => then..=fetched_at,
            Some(then) => then..=then,
            None => i64::MIN..=fetched_at,
        })
    }

    /// The content of the record.
    fn content(&self) -> Result<Content, SkipReason> {
        let (kind, target, block) =
            (self.field(&self.header.kind), self.field(&self.header.target), self.block());
        if kind.is_empty() {
            return Err(SkipReason::WarcHeader("no WARC-Type"));
        }
        // Heritrix also stores the answers of name servers as responses.
        let revisit = kind.eq_ignore_ascii_case(b"revisit");
        if !revisit && !kind.eq_ignore_ascii_case(b"response") || target.starts_with(b"dns:") {
            return Ok(Content::Ignored);
        }
        let target = target.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">")).unwrap_or(target);
        if target.is_empty() {
            return Err(SkipReason::WarcHeader("no WARC-Target-URI"));
        }
        let url = String::from_utf8_lossy(target).into_owned();
        let site = match SiteKey::from_url(&url) {
            Ok(site) => site,
            Err(error) => return Err(SkipReason::Url { url, error }),
        };
        let fetched_at = time(self.field(&self.header.date)).unwrap_or(0);
        // A revisit may omit even the header of the answer.
        let block = if revisit && block.is_empty() { NOT_MODIFIED } else { block };
        let response = http::response(block, self.cut || self.header.truncated, self.limits)?;
        let capture = Capture {
            url,
            site,
            fetched_at,
            status: response.status,
            fresh_for: response.fields.fresh_for(fetched_at),
            location: http::text(response.fields.location),
            content_type: http::text(response.fields.content_type),
            headers: response.fields.stated,
            body: response.body,
            truncated: response.truncated,
        };
        Ok(match self.revisited() {
            // Any other answer needs no content: it is a fetch like all others.
            Some(of) if matches!(capture.status, 200..300 | 304) => Content::Revisit(capture, of),
            _ => Content::Capture(capture),
        })
    }
}
