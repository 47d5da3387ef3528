//! HTTP responses as stored by crawlers: status, the relevant header fields, and the decoded body.
//!
//! `warc` calls it with the block of a record, and `jsonl` for its header fields only. Invariant: a
//! header that the strict parser rejects is split leniently, so real files are not lost because of
//! a mistake in another field. It does not know where a response came from, and does not read the
//! body.

use crate::capture::{PARTIAL, STATED, is_rsl};
use crate::dates;
use crate::encoding::{Body, is_coding, looks_coded};
use crate::status::{is_interim, is_success};
use crate::{ReadLimits, SkipReason, Validators};

/// Header fields that the strict parser has room for; responses with more are split leniently.
const MAX_FIELDS: usize = 96;

/// The message for an answer [`Fields::is_later_part`].
const LATER_PART: &str = "a part (206) that does not begin at the first byte";

/// The message for a body [`Fields::is_coded`] that is not decoded.
const CODED: &str = "the body is compressed, as content-encoding says; expected what it decodes to";

/// The relevant header fields of a response. The first of repeated fields counts, unless they are
/// lists to be joined.
#[derive(Default)]
pub(crate) struct Fields<'a> {
    /// The values of Content-Type: if they differ, nobody knows which of them a client took.
    content_types: Vec<&'a [u8]>,
    pub(crate) location: Option<&'a [u8]>,
    etag: Option<&'a [u8]>,
    last_modified: Option<&'a [u8]>,
    /// The values of Content-Encoding, and of Transfer-Encoding, each a list, in their order.
    content_codings: Vec<&'a [u8]>,
    transfer_codings: Vec<&'a [u8]>,
    /// The longest of several, as of a list (RFC 9110 8.6).
    content_length: Option<u64>,
    content_range: Option<&'a [u8]>,
    max_age: Option<u32>,
    no_cache: bool,
    expires: Option<&'a [u8]>,
    date: Option<&'a [u8]>,
    /// Fields that speak of the use of the resource.
    pub(crate) stated: Vec<(&'static str, Vec<u8>)>,
    /// True if there is any field: of an answer without one, the header is not known.
    are_known: bool,
}

impl<'a> Fields<'a> {
    /// Adds one header field. A value has no line end (RFC 9110 5.5), unless it is folded: some
    /// writers join the lines of one field so, also with carriage returns alone.
    pub(crate) fn add(&mut self, name: &[u8], value: &'a [u8]) {
        let mut start = 0;
        for end in memchr::memchr2_iter(b'\n', b'\r', value) {
            if !matches!(&value[end..], [_, b' ' | b'\t', ..] | [b'\r', b'\n', ..]) {
                self.add_line(name, &value[start..end]);
                start = end + 1;
            }
        }
        self.add_line(name, &value[start..]);
    }

    /// Adds a line of a header field, which may be folded.
    fn add_line(&mut self, name: &[u8], value: &'a [u8]) {
        self.are_known = true;
        let first = |slot: &mut Option<&'a [u8]>| {
            slot.get_or_insert(value);
        };
        // By length first: most fields of a response are none of these.
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"date") => first(&mut self.date),
            4 if name.eq_ignore_ascii_case(b"etag") => first(&mut self.etag),
            7 if name.eq_ignore_ascii_case(b"expires") => first(&mut self.expires),
            8 if name.eq_ignore_ascii_case(b"location") => first(&mut self.location),
            12 if name.eq_ignore_ascii_case(b"content-type") => self.content_types.push(value),
            13 if name.eq_ignore_ascii_case(b"cache-control") => self.cache_control(value),
            13 if name.eq_ignore_ascii_case(b"last-modified") => first(&mut self.last_modified),
            13 if name.eq_ignore_ascii_case(b"content-range") => first(&mut self.content_range),
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let lengths = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                let longest = lengths.filter(|digits| !digits.is_empty()).map(length).max();
                self.content_length = self.content_length.max(longest);
            }
            16 if name.eq_ignore_ascii_case(b"content-encoding") => self.content_codings.push(value),
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => self.transfer_codings.push(value),
            _ => {}
        }
        let is = |stated: &&&str| stated.len() == name.len() && name.eq_ignore_ascii_case(stated.as_bytes());
        // A link that says nothing of uses still tells that the header is known.
        let is_kept = |stated: &&&str| **stated != "link" || is_rsl(value) || self.stated.is_empty();
        if let Some(stated) = STATED.iter().find(is).filter(is_kept) {
            // Line ends stand in folded values (RFC 9112, 5.2). Other control characters also count
            // as white space, so that no refusal is lost for one. In a structured field they are a
            // mistake, by which the whole value is unread (RFC 9651).
            let is_structured = *stated == "content-usage";
            let is_space =
                |byte: u8| matches!(byte, b'\r' | b'\n') || !is_structured && byte.is_ascii_control();
            let value = value.iter().map(|byte| if is_space(*byte) { b' ' } else { *byte });
            self.stated.push((stated, trimmed(&value.collect::<Vec<u8>>()).to_vec()));
        }
    }

    /// True if the field Content-Encoding names a coding.
    fn is_coded(&self) -> bool {
        let mut codings = self.content_codings.iter().flat_map(|list| list.split(|byte| *byte == b','));
        codings.any(|coding| is_coding(coding.trim_ascii()))
    }

    /// The reason why this answer, whose body was decoded by others, is unread.
    pub(crate) fn why_unread(&self, status: u16, body: &[u8]) -> Option<&'static str> {
        match () {
            () if is_success(status) && self.is_coded() && looks_coded(body) => Some(CODED),
            () if self.is_later_part(status) => Some(LATER_PART),
            () => None,
        }
    }

    /// True if Content-Length says that the body of a success has more bytes than this decoded
    /// text, even if a byte order mark and a carriage return in each line are lost. (Of an answer
    /// 304, it is that of the text which is not sent.)
    pub(crate) fn is_longer_than(&self, text: &[u8], status: u16) -> bool {
        let lost = memchr::memchr_iter(b'\n', text).count() + 3;
        is_success(status) && self.is_length_over(text.len() + lost, self.is_coded())
    }

    /// True if Content-Length is more than that of a body of so many bytes, whose codings others
    /// removed. They add a few bytes to one that they do not make shorter, and gzip adds the name
    /// of a file.
    fn is_length_over(&self, bytes: usize, is_coded: bool) -> bool {
        let most = if is_coded { bytes + bytes / 256 + 64 } else { bytes };
        self.content_length.is_some_and(|length| length > most as u64)
    }

    fn cache_control(&mut self, value: &[u8]) {
        for directive in value.split(|byte| *byte == b',') {
            let mut parts = directive.splitn(2, |byte| *byte == b'=').map(<[u8]>::trim_ascii);
            let (name, argument) = (parts.next().unwrap_or_default(), parts.next());
            // `no-cache="field"` is about that field only.
            self.no_cache |= name.eq_ignore_ascii_case(b"no-store")
                || (name.eq_ignore_ascii_case(b"no-cache") && argument.is_none());
            if name.eq_ignore_ascii_case(b"max-age") && self.max_age.is_none() {
                self.max_age = argument.and_then(seconds);
            }
        }
    }

    /// The media type; several are joined as one list. Of lines that differ in parameters, the
    /// first counts.
    pub(crate) fn content_type(&self) -> Option<String> {
        let name = |value: &[u8]| value.split(|byte| *byte == b';').next().map(<[u8]>::to_ascii_lowercase);
        let mut types = self.content_types.clone();
        types.dedup_by_key(|value| name(value));
        (!types.is_empty()).then(|| String::from_utf8_lossy(&types.join(&b", "[..])).trim().to_owned())
    }

    pub(crate) fn validators(&self) -> Validators {
        Validators::of(self.etag, self.last_modified).hashed()
    }

    /// True if an answer of this status is a part that is not known to begin at the first byte: the
    /// lines before it are missing. A part tells its place (RFC 9110 15.3.7.1).
    fn is_later_part(&self, status: u16) -> bool {
        let begins_first = |range: &[u8]| {
            let (unit, places) = range.trim_ascii().split_at_checked(5).unwrap_or_default();
            unit.eq_ignore_ascii_case(b"bytes") && places.trim_ascii_start().starts_with(b"0-")
        };
        // An answer with several parts tells their places in its body (RFC 9110 15.3.7.2).
        let has_parts = |media_type: &&[u8]| media_type.to_ascii_lowercase().starts_with(b"multipart/");
        status == PARTIAL
            && (self.content_range.map_or(self.are_known, |range| !begins_first(range))
                || self.content_types.iter().any(has_parts))
    }

    /// Seconds for which the response is fresh, if the header says anything about it (R17).
    pub(crate) fn fresh_for(&self, fetched_at: i64) -> Option<u32> {
        if self.no_cache {
            return Some(0);
        }
        if self.max_age.is_some() {
            return self.max_age;
        }
        // RFC 9111 5.3: an invalid date, above all `0`, is in the past.
        let Some(expires) = dates::http(self.expires?) else { return Some(0) };
        let from = match self.date.and_then(dates::http) {
            Some(date) => date,
            None if fetched_at != 0 => fetched_at,
            None => return None,
        };
        Some(u32::try_from(expires.saturating_sub(from).max(0)).unwrap_or(u32::MAX))
    }
}

/// A value without the white space of HTTP around it.
fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// A number of bytes. What cannot be read is longer than any body.
fn length(digits: &[u8]) -> u64 {
    str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX)
}

/// A number of seconds, quoted or not; an overflow is the maximum (RFC 9111 1.2.2).
fn seconds(digits: &[u8]) -> Option<u32> {
    let digits = digits.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(str::from_utf8(digits).ok()?.parse().unwrap_or(u32::MAX))
}

/// A header value as text.
pub(crate) fn text(value: Option<&[u8]>) -> Option<String> {
    value.map(|value| String::from_utf8_lossy(value.trim_ascii()).into_owned())
}

/// A response with a decoded body within the limit.
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) fields: Fields<'a>,
    /// The body, and true if it is not whole; or the reason why it cannot be read.
    pub(crate) body: Result<(Vec<u8>, bool), SkipReason>,
}

/// Parses a stored response; `cut` means that more of it was stored than is in `block`. An error
/// means that it has no status.
pub(crate) fn response<'a>(
    block: &'a [u8],
    cut: bool,
    limits: &ReadLimits,
) -> Result<Response<'a>, SkipReason> {
    let block = behind_interim(block);
    let mut fields = Fields::default();
    let (status, stored) = match strict(block, &mut fields) {
        Some(head) => head,
        None => {
            fields = Fields::default();
            lenient(block, limits.max_header, &mut fields)?
        }
    };
    let body = match fields.is_later_part(status) {
        true => Err(SkipReason::Http(LATER_PART)),
        false => stored.and_then(|stored| decoded(stored, cut, &fields, limits.max_body)),
    };
    // Only the body of a success matters.
    let body = if is_success(status) { body } else { body.or(Ok((Vec::new(), false))) };
    Ok(Response { status, fields, body })
}

/// The status of a stored response, of which only the first lines need be there.
pub(crate) fn status(block: &[u8]) -> Option<u16> {
    let first = behind_interim(block).split(|byte| *byte == b'\n').next().unwrap_or_default();
    status_of(first.trim_ascii_end())
}

/// What stands behind the heads of interim answers (1xx), if another one follows them: the client
/// read on to that one (RFC 9110 15.2).
fn behind_interim(mut block: &[u8]) -> &[u8] {
    while let Some((line, mut rest)) = next_line(block) {
        if !status_of(line).is_some_and(is_interim) {
            break;
        }
        let behind = loop {
            match next_line(rest) {
                Some(([], behind)) => break behind,
                Some((_, behind)) => rest = behind,
                None => return block,
            }
        };
        if next_line(behind).is_none_or(|(line, _)| status_of(line).is_none()) {
            return block;
        }
        block = behind;
    }
    block
}

/// The decoded body within the limit, and true if it is not whole.
fn decoded(stored: &[u8], cut: bool, fields: &Fields<'_>, max: usize) -> Result<(Vec<u8>, bool), SkipReason> {
    let mut body = Body::stored(stored, cut);
    for codings in [&fields.transfer_codings, &fields.content_codings] {
        body = body.decode(&codings.join(&b','), max)?;
    }
    // The length is of the bytes of the connection; crawlers may store others if there are codings.
    let of_others = body.was_coded && !body.was_stored_coded;
    body.truncated |= fields.is_length_over(stored.len(), of_others);
    Ok(body.limited(max))
}

/// The status of a response and its stored body, or the reason why nobody knows where that begins.
type Head<'a> = (u16, Result<&'a [u8], SkipReason>);

/// Both by `httparse`, in its most tolerant configuration.
fn strict<'a>(block: &'a [u8], fields: &mut Fields<'a>) -> Option<Head<'a>> {
    let mut room = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut room);
    let parsed = httparse::ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .ignore_invalid_headers_in_responses(true)
        .parse_response(&mut response, block);
    let Ok(httparse::Status::Complete(end)) = parsed else { return None };
    // Beside the fields, a header has a status line and an empty line. If it has more, a line was
    // folded or left out, and may speak of uses.
    if memchr::memchr_iter(b'\n', &block[..end]).count() == response.headers.len() + 2 {
        for header in response.headers.iter() {
            fields.add(header.name.as_bytes(), header.value);
        }
    } else {
        split(&block[..end]).for_each(|(name, value)| fields.add(name, value));
    }
    Some((response.code?, Ok(&block[end..])))
}

/// The fields of a header, split at line ends and colons. A line that begins with white space
/// continues the field before it; a line without a colon is passed over.
fn split(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let line_end = |from: &[u8]| memchr::memchr(b'\n', from).map_or(from.len(), |end| end + 1);
    let mut rest = header;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let mut end = line_end(rest);
            let colon = memchr::memchr(b':', &rest[..end]);
            while colon.is_some() && matches!(rest.get(end), Some(b' ' | b'\t')) {
                end += line_end(&rest[end..]);
            }
            let (field, behind) = rest.split_at(end);
            rest = behind;
            if let Some(colon) = colon {
                return Some((field[..colon].trim_ascii(), field[colon + 1..].trim_ascii()));
            }
        }
        None
    })
}

/// The next line of a header without its line end, and the rest; `None` if no line ends. A line of
/// white space is a folded one, and no end of the header.
fn next_line(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut line, rest) = rest.split_at(memchr::memchr(b'\n', rest)?);
    while let [before @ .., b'\r'] = line {
        line = before;
    }
    Some((line, &rest[1..]))
}

/// The same, whatever the header's lines hold.
fn lenient<'a>(block: &'a [u8], max_header: usize, fields: &mut Fields<'a>) -> Result<Head<'a>, SkipReason> {
    let mut rest = block;
    let mut line = || -> Option<&'a [u8]> {
        let (line, behind) = next_line(rest)?;
        rest = behind;
        (block.len() - rest.len() <= max_header).then_some(line)
    };
    let status =
        status_of(line().unwrap_or(block).trim_ascii_end()).ok_or(SkipReason::Http("no status line"))?;
    let body = loop {
        match line() {
            Some([]) => break Ok(rest),
            Some(_) => {}
            // A response with only a header is enough, unless rules should follow.
            None if rest.len() < max_header && !is_success(status) => break Ok(&b""[..]),
            None => break Err(SkipReason::Http("the header does not end")),
        }
    };
    split(&block[..block.len() - rest.len()]).for_each(|(name, value)| fields.add(name, value));
    Ok((status, body))
}

/// All header fields of a stored response, in their order. A line without a colon is passed over.
pub(crate) fn all_fields(block: &[u8], max_header: usize) -> Vec<(String, Vec<u8>)> {
    let block = behind_interim(block);
    let block = &block[..block.len().min(max_header)];
    let after_status = next_line(block).map_or(&b""[..], |(_, rest)| rest);
    let mut rest = after_status;
    let end = loop {
        match next_line(rest) {
            Some(([], _)) => break after_status.len() - rest.len(),
            Some((_, behind)) => rest = behind,
            None => break after_status.len(),
        }
    };
    let text = |name| String::from_utf8_lossy(name).into_owned();
    split(&after_status[..end]).map(|(name, value)| (text(name), value.to_vec())).collect()
}

/// The status in a status line of any HTTP version.
fn status_of(line: &[u8]) -> Option<u16> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let version = words.next()?;
    if !version.get(..5)?.eq_ignore_ascii_case(b"HTTP/") {
        return None;
    }
    let status = str::from_utf8(words.next()?).ok()?.trim_ascii().parse().ok()?;
    (100..1000).contains(&status).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(fields: &[(&str, &str)]) -> Option<u32> {
        let mut all = Fields::default();
        for (name, value) in fields {
            all.add(name.as_bytes(), value.as_bytes());
        }
        all.fresh_for(784_111_777)
    }

    #[test]
    fn freshness() {
        assert_eq!(fresh(&[]), None);
        assert_eq!(fresh(&[("Cache-Control", "public, Max-Age=60, s-maxage=5")]), Some(60));
        assert_eq!(fresh(&[("cache-control", "max-age=\"60\"")]), Some(60));
        assert_eq!(fresh(&[("cache-control", "max-age=99999999999")]), Some(u32::MAX));
        assert_eq!(fresh(&[("cache-control", "max-age=60"), ("Cache-Control", "no-store")]), Some(0));
        assert_eq!(fresh(&[("cache-control", "no-cache=\"set-cookie\", max-age=7")]), Some(7));
        assert_eq!(fresh(&[("cache-control", "max-age=-1")]), None);
        assert_eq!(fresh(&[("cache-control", "private")]), None);
        let expires = ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT");
        assert_eq!(fresh(&[expires]), Some(3600), "against the fetch time");
        assert_eq!(fresh(&[expires, ("Date", "Sun, 06 Nov 1994 09:00:00 GMT")]), Some(49 * 60 + 37));
        assert_eq!(fresh(&[expires, ("Date", "Sun, 06 Nov 1995 09:00:00 GMT")]), Some(0));
        assert_eq!(fresh(&[expires, ("Cache-Control", "max-age=1")]), Some(1), "max-age goes first");
        assert_eq!(fresh(&[("Expires", "-1")]), Some(0));
        assert_eq!(fresh(&[("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")]), Some(u32::MAX), "never");
    }

    #[test]
    fn both_header_parsers_agree() {
        let block =
            b"HTTP/1.1 301 Moved\r\nLocation: /x\r\nlocation: /y\r\nContent-Type:  text/plain \r\n\r\nbody";
        let (mut one, mut two) = (Fields::default(), Fields::default());
        let strict = strict(block, &mut one).unwrap();
        assert_eq!(strict, lenient(block, 1000, &mut two).unwrap());
        assert_eq!(strict, (301, Ok(&b"body"[..])));
        for fields in [one, two] {
            assert_eq!(text(fields.location).as_deref(), Some("/x"));
            assert_eq!(fields.content_type().as_deref(), Some("text/plain"));
        }
    }

    #[test]
    fn no_line_that_speaks_of_uses_is_dropped() {
        let stated = |lines: &str| {
            let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nbody");
            let read = response(block.as_bytes(), false, &ReadLimits::default()).unwrap();
            assert_eq!((read.status, read.body), (200, Ok((b"body".to_vec(), false))), "{lines:?}");
            let mut again = Fields::default();
            lenient(block.as_bytes(), 1000, &mut again).unwrap().1.unwrap();
            assert_eq!(read.fields.stated, again.stated, "{lines:?}");
            let mut third = Fields::default();
            let all = all_fields(block.as_bytes(), 1000);
            all.iter().for_each(|(name, value)| third.add(name.as_bytes(), value));
            assert_eq!(read.fields.stated, third.stated, "{lines:?}");
            let text = |(_, value): (_, Vec<u8>)| String::from_utf8(value).unwrap();
            read.fields.stated.into_iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(stated("X-Robots-Tag: foo,\r\n noindex\r\nA: b"), ["foo,   noindex"]);
        assert_eq!(stated("A: b\r\nX-Robots-Tag:\r\n\tnoindex"), ["noindex"]);
        assert_eq!(stated("X-Robots-Tag: noindex\0"), ["noindex"]);
        assert_eq!(stated("A: b\r\n \r\nX-Robots-Tag: noindex"), ["noindex"], "no end of the header");
        assert_eq!(stated("X-Robots-Tag: noai, x\u{1}y\r\nX-Robots-Tag: none"), ["noai, x y", "none"]);
        assert_eq!(stated("no field\r\nX-Robots-Tag : noindex"), ["noindex"]);
        assert_eq!(stated("A: b\r\n X-Robots-Tag: noindex"), [""; 0], "it belongs to A");
    }
}
