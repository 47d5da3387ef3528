//! What one WARC record says: its header, and the content of its block.
//!
//! It stands between `warc`, which finds where a record ends, and `http`, which parses its block.
//! Invariant: a record that names a fetch and cannot be read is a fetch whose content nobody knows,
//! so that no older capture answers for it. It does not know what stands before and behind the
//! record.

use crate::capture::url_text;
use crate::record::{Content, NEVER, NEWEST};
use crate::status::is_success;
use crate::{Capture, NOT_MODIFIED, ReadLimits, SkipReason, Validators, dates, http};
use robomaton_formats::site::SiteKey;
use robomaton_formats::url::parse;
use std::ops::{Range, RangeInclusive};
use url::Url;

/// The implied response of a revisit record without a block.
const UNMODIFIED_HEAD: &[u8] = b"HTTP/1.1 304 Not Modified\r\n\r\n";

/// The relevant part of a record's header. The window moves after it was parsed, so it holds
/// places in the record.
#[derive(Default)]
pub(super) struct Header {
    kind: Range<usize>,
    target: Range<usize>,
    date: Range<usize>,
    profile: Range<usize>,
    refers_to_date: Range<usize>,
    refers_to_target: Range<usize>,
    /// The names of this record, and of the one that it refers to.
    id: Range<usize>,
    refers_to: Range<usize>,
    payload_digest: Range<usize>,
    segment: Range<usize>,
    pub(super) length: Option<u64>,
    truncated: bool,
    /// True if the header may have more lines.
    cut: bool,
    /// The length of the header.
    pub(super) end: usize,
}

impl Header {
    /// Splits a header into its fields. The first of repeated fields counts; invalid lines are
    /// ignored. A line that begins with white space continues the one before it (ISO 28500 4).
    pub(super) fn parse(bytes: &[u8]) -> Header {
        let mut header = Header { end: bytes.len(), ..Header::default() };
        let mut start = 0;
        while start < bytes.len() {
            let line_end = |from| memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |end| from + end);
            let mut end = line_end(start);
            while matches!(bytes.get(end + 1), Some(b' ' | b'\t')) {
                end = line_end(end + 1);
            }
            header.line(bytes, start..end);
            start = end + 1;
        }
        header
    }

    /// The same of a header that may have more lines.
    pub(super) fn parse_cut(bytes: &[u8]) -> Header {
        Header { cut: true, ..Header::parse(bytes) }
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
            14 if name.eq_ignore_ascii_case(b"warc-record-id") => first(&mut self.id),
            14 if name.eq_ignore_ascii_case(b"warc-refers-to") => first(&mut self.refers_to),
            19 if name.eq_ignore_ascii_case(b"warc-payload-digest") => first(&mut self.payload_digest),
            19 if name.eq_ignore_ascii_case(b"warc-refers-to-date") => first(&mut self.refers_to_date),
            19 if name.eq_ignore_ascii_case(b"warc-segment-number") => first(&mut self.segment),
            25 if name.eq_ignore_ascii_case(b"warc-refers-to-target-uri") => {
                first(&mut self.refers_to_target);
            }
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
pub(super) struct HeldRecord<'r> {
    pub(super) header: &'r Header,
    pub(super) bytes: &'r [u8],
    /// True if the record has more bytes.
    pub(super) cut: bool,
    pub(super) limits: &'r ReadLimits,
}

impl<'r> HeldRecord<'r> {
    /// The value of a field of the header.
    fn field(&self, place: &Range<usize>) -> &'r [u8] {
        &self.bytes[place.clone()]
    }

    /// The bytes after the header.
    pub(super) fn block(&self) -> &'r [u8] {
        &self.bytes[self.header.end..]
    }

    fn is_revisit(&self) -> bool {
        self.field(&self.header.kind).eq_ignore_ascii_case(b"revisit")
    }

    fn has_unmodified_profile(&self) -> bool {
        self.field(&self.header.profile).ends_with(b"server-not-modified")
    }

    fn has_digest_profile(&self) -> bool {
        self.field(&self.header.profile).ends_with(b"identical-payload-digest")
    }

    /// What tells which text a record has. The payload of an answer 304 is empty, so its digest
    /// tells nothing.
    fn validators(&self, status: u16, of_answer: Validators) -> Validators {
        let (header, none) = (self.header, 0..0);
        let (digest, record) = match self.is_revisit() {
            true if self.has_digest_profile() => (&header.payload_digest, &header.refers_to),
            true => (&none, &header.refers_to),
            false if is_success(status) => (&header.payload_digest, &header.id),
            false => (&none, &none),
        };
        of_answer.of_record(self.field(digest), without_brackets(self.field(record)))
    }

    /// True for a revisit of a resource of which the server said that it is unchanged.
    pub(super) fn is_unmodified(&self) -> bool {
        self.has_unmodified_profile() || http::status(self.block()) == Some(NOT_MODIFIED)
    }

    /// For a revisit: when the capture with the content was fetched, which is the time in the
    /// record. An answer "not modified since" may refer to a later one, and without a time any
    /// older one is suitable. What another URL answered is not looked for.
    fn revisited(&self, fetched_at: i64) -> Option<RangeInclusive<i64>> {
        if !self.is_revisit() {
            return None;
        }
        let other = self.field(&self.header.refers_to_target);
        if !other.is_empty() && !is_same_url(other, self.field(&self.header.target)) {
            return Some(NEVER);
        }
        // Nobody knows what it has in common with another record.
        if !self.has_digest_profile() && !self.is_unmodified() {
            return Some(NEVER);
        }
        let then = self.field(&self.header.refers_to_date);
        Some(match time(then) {
            Some(then) if self.has_unmodified_profile() => then..=fetched_at,
            Some(then) => then..=then,
            None if self.header.refers_to_date == (0..0) => i64::MIN..=fetched_at,
            None => NEVER,
        })
    }

    /// True if the record may hold what a client was answered.
    fn is_answer(&self, target: &[u8]) -> bool {
        let kind = self.field(&self.header.kind);
        let is = |name: &&str| kind.eq_ignore_ascii_case(name.as_bytes());
        // Of an answer over HTTP, a resource is the body alone (ISO 28500, 6.4).
        let is_body = is(&"resource") && is_of_http(target);
        let is_whole = kind.is_empty() || ["response", "revisit", "continuation"].iter().any(is);
        // Heritrix also stores the answers of name servers as responses.
        is_body || (is_whole && !target.starts_with(b"dns:"))
    }

    /// The fetch that the header names; `None` if the record is no answer to one.
    pub(super) fn fetch(&self) -> Result<Option<Capture>, SkipReason> {
        let target = without_brackets(self.field(&self.header.target));
        if !self.is_answer(target) {
            return Ok(None);
        }
        if target.is_empty() {
            return Err(SkipReason::WarcHeader("no WARC-Target-URI"));
        }
        let url = url_text(target);
        match SiteKey::from_url(&url) {
            Ok(site) => Ok(Some(Capture::without_answer(url, site, self.time().unwrap_or(NEWEST)))),
            Err(error) => Err(SkipReason::Url { url, error }),
        }
    }

    /// The time of the fetch, 0 if the header has none; `None` if it cannot be read.
    fn time(&self) -> Option<i64> {
        let date = self.field(&self.header.date);
        if self.header.date == (0..0) { Some(0).filter(|_| !self.header.cut) } else { time(date) }
    }

    /// The content of the record.
    pub(super) fn content(&self) -> Result<Content, SkipReason> {
        let fetch = self.fetch();
        let (kind, block) = (self.field(&self.header.kind), self.block());
        if kind.is_empty() {
            return unread(fetch, SkipReason::WarcHeader("no WARC-Type"));
        }
        let Some(capture) = fetch? else { return Ok(Content::Ignored) };
        let is = |name: &[u8]| kind.eq_ignore_ascii_case(name);
        // A revisit may omit even the header of the answer.
        let block = if is(b"revisit") && block.is_empty() { UNMODIFIED_HEAD } else { block };
        if is(b"resource") {
            return Ok(Content::Unread(capture, SkipReason::NoHead));
        }
        let segment = self.field(&self.header.segment);
        if is(b"continuation") || !matches!(segment, b"" | b"1") {
            return Ok(Content::Unread(capture, SkipReason::Segment));
        }
        let cut = self.cut || self.header.truncated || !segment.is_empty();
        let response = match http::response(block, cut, self.limits) {
            Ok(response) => response,
            Err(reason) => return Ok(Content::Unread(capture, reason)),
        };
        let mut capture = Capture {
            status: response.status,
            fresh_for: response.fields.fresh_for(capture.fetched_at),
            location: http::text(response.fields.location),
            content_type: response.fields.content_type(),
            validators: self.validators(response.status, response.fields.validators()),
            headers: response.fields.stated,
            ..capture
        };
        match response.body {
            Ok((body, truncated)) => (capture.body, capture.truncated) = (body, truncated),
            Err(reason) => return Ok(Content::Unread(capture, reason)),
        }
        if self.time().is_none() {
            return Ok(Content::Unread(capture, SkipReason::WarcHeader("the WARC-Date is no time")));
        }
        Ok(match self.revisited(capture.fetched_at) {
            // Any other answer needs no content: it is a fetch like all others.
            Some(of) if is_success(capture.status) || capture.status == NOT_MODIFIED => {
                Content::Revisit(capture, of)
            }
            _ => Content::Capture(capture),
        })
    }
}

/// The content of a record that cannot be read: the fetch that its header names, if it does.
pub(super) fn unread(
    fetch: Result<Option<Capture>, SkipReason>,
    reason: SkipReason,
) -> Result<Content, SkipReason> {
    match fetch {
        Ok(Some(fetch)) => Ok(Content::Unread(fetch, reason)),
        Ok(None) | Err(_) => Err(reason),
    }
}

/// True if two headers name one URL. What is no URL names none.
fn is_same_url(one: &[u8], other: &[u8]) -> bool {
    normal_url(one).is_some_and(|one| Some(one) == normal_url(other))
}

/// A URL in a header without its fragment, also in angle brackets.
fn normal_url(field: &[u8]) -> Option<Url> {
    let mut url = parse(str::from_utf8(without_brackets(field)).ok()?).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// True for a URL whose resource is fetched over HTTP.
fn is_of_http(url: &[u8]) -> bool {
    let scheme = url.split(|byte| *byte == b':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
}

/// A URL without the angle brackets that some writers put around it.
fn without_brackets(field: &[u8]) -> &[u8] {
    field.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">")).unwrap_or(field)
}

/// The time in a header.
fn time(date: &[u8]) -> Option<i64> {
    str::from_utf8(date).ok().and_then(dates::iso)
}
