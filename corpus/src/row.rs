//! Converts named fields to a capture, or to the byte range of one in a WARC file.
//!
//! `jsonl`, `csv` and `parquet` share it, so an object and a row mean the same. `url` may be a bare
//! host, as `host` is; a body without a status counts as 200, and neither means that the site did
//! not answer, unless there are headers: then the answer is unread. Bodies are taken unmodified: as
//! a rule, the author of a table has decoded them and kept `Content-Encoding`. One that is still
//! compressed is not read. Without a body, `filename`, `offset` and `length` are a byte range, as
//! in the indexes of Common Crawl, whose own names for these columns are also accepted. Invariant:
//! a row that names a URL is a fetch of it, whatever its other fields hold; a mistake in them
//! leaves the fetch unread, so that no older capture answers for it. It does not know the place of
//! a row.

mod cells;

use crate::capture::url_text;
use crate::http::{self, Fields};
use crate::record::{Content, Event, Fetch, NEWEST, Range, Record, unknown};
use crate::status::is_success;
use crate::{Capture, SkipReason, dates};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use cells::{Bytes, Headers};
pub(crate) use cells::{Column, Scalar};
use robomaton_formats::schedule::LATEST;
use robomaton_formats::site::SiteKey;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;
use std::fmt;

/// Base64, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A row. In JSON, unknown keys are ignored: dumps have more than is needed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Row {
    url: Option<String>,
    host: Option<Scalar>,
    status: Option<Scalar>,
    fetched_at: Option<Scalar>,
    body: Option<Bytes>,
    body_base64: Option<String>,
    headers: Option<Headers>,
    truncated: Option<Scalar>,
    #[serde(alias = "warc_filename")]
    filename: Option<Scalar>,
    #[serde(alias = "warc_record_offset")]
    offset: Option<Scalar>,
    #[serde(alias = "warc_record_length")]
    length: Option<Scalar>,
    /// True if it has a cell for a body, which may be empty.
    #[serde(skip)]
    pub(crate) has_body_cell: bool,
    /// A mistake in a field that is not set.
    #[serde(skip)]
    mistake: Option<String>,
}

/// The fields of a JSON object that name a fetch, as far as they can be read. Others may be of any
/// kind, or occur twice.
#[derive(Default)]
struct Named {
    url: Option<String>,
    host: Option<Scalar>,
    fetched_at: Option<Scalar>,
}

impl Named {
    /// The fields before the first mistake of syntax, or what looks like one that names a fetch
    /// behind it. A time that occurs twice, or may stand behind the mistake, is none.
    fn of(object: &[u8]) -> Named {
        let mut named = Named::default();
        let read = serde_json::Deserializer::from_slice(object).deserialize_map(&mut named);
        if read.is_err() {
            named.fetched_at.get_or_insert(Scalar::Other);
            if named.url.is_none() && named.host.is_none() {
                named.url = sought(object, b"\"url\"").or_else(|| sought(object, b"\"host\""));
            }
        }
        named
    }
}

/// The text behind the first such key that has one. In a text, a quote has a backslash before it,
/// so this is no part of one.
fn sought(object: &[u8], key: &[u8]) -> Option<String> {
    memchr::memmem::find_iter(object, key).find_map(|at| {
        let value = object[at + key.len()..].trim_ascii_start().strip_prefix(b":")?;
        serde_json::Deserializer::from_slice(value).into_iter().next()?.ok()
    })
}

impl<'de> de::Visitor<'de> for &mut Named {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut time = None;
        loop {
            let name = object.next_key::<String>()?;
            // Something follows the value before, so no digit of it is missing.
            if let Some(time) = time.take() {
                self.fetched_at = Some(time);
            }
            let Some(name) = name else { return Ok(()) };
            match name.as_str() {
                "url" => {
                    let value = object.next_value::<&RawValue>()?.get();
                    self.url = serde_json::from_str(value).ok().or(self.url.take());
                }
                "host" => {
                    let value = object.next_value::<&RawValue>()?.get();
                    self.host = serde_json::from_str(value).ok().or(self.host.take());
                }
                "fetched_at" => {
                    let is_again = self.fetched_at.replace(Scalar::Other).is_some();
                    let value = object.next_value::<&RawValue>()?.get();
                    time = serde_json::from_str(value).ok().filter(|_| !is_again);
                }
                _ => {
                    object.next_value::<de::IgnoredAny>()?;
                }
            }
        }
    }
}

impl Row {
    /// A row of which only these fields are read, because of a mistake in it.
    fn of_named(named: Named, mistake: String) -> Row {
        let Named { url, host, fetched_at } = named;
        Row { url, host, fetched_at, mistake: Some(mistake), ..Row::default() }
    }

    /// The row of a JSON object.
    ///
    /// # Errors
    /// If it is no such object, and does not even name a fetch.
    pub(crate) fn from_json(object: &[u8]) -> Result<Row, String> {
        serde_json::from_slice(object).or_else(|error| {
            let row = Row::of_named(Named::of(object), error.to_string());
            if row.url().is_some() { Ok(row) } else { Err(error.to_string()) }
        })
    }

    /// The fetch that the beginning of a JSON object names.
    pub(crate) fn fetch_in_cut_json(object: &[u8]) -> Option<Fetch> {
        Row::of_named(Named::of(object), String::new()).named()
    }

    /// The URL, or the host. Libraries fill missing texts with empty ones.
    fn url(&self) -> Option<&str> {
        let url = self.url.as_deref().map(str::trim_ascii).filter(|url| !url.is_empty());
        url.or(self.host.as_ref().and_then(Scalar::text).map(str::trim_ascii))
    }

    /// The fetch that the row names. Without a time in the row, it is not known.
    pub(crate) fn named(&self) -> Option<Fetch> {
        let time = self.fetched_at.as_ref().and_then(|time| seconds(time).ok());
        Some(Fetch { fetched_at: time.unwrap_or(NEWEST), url: self.url()?.into() })
    }

    /// Sets the field of a column to the bytes of its cell. An empty cell is no value: tables have
    /// no other way to omit one.
    pub(crate) fn set_bytes(&mut self, column: Column, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let text = || String::from_utf8_lossy(bytes).into_owned();
        match column {
            Column::Url => self.url = Some(url_text(bytes)),
            Column::Body => self.body = Some(Bytes(bytes.to_vec())),
            Column::BodyBase64 => self.body_base64 = Some(text()),
            Column::Headers => match serde_json::from_slice(bytes) {
                Ok(headers) => self.headers = Some(headers),
                Err(error) => self.mistake = Some(format!("headers: {error}")),
            },
            column => self.set(column, Scalar::Text(text())),
        }
    }

    /// Sets the field of a column to a value that is not text.
    pub(crate) fn set(&mut self, column: Column, value: Scalar) {
        let field = match column {
            Column::Host => &mut self.host,
            Column::Status => &mut self.status,
            Column::FetchedAt => &mut self.fetched_at,
            Column::Truncated => &mut self.truncated,
            Column::Filename => &mut self.filename,
            Column::Offset => &mut self.offset,
            Column::Length => &mut self.length,
            Column::Url | Column::Body | Column::BodyBase64 | Column::Headers => return,
        };
        *field = Some(value);
    }

    /// Marks a row as unread, because one of its columns is damaged.
    #[cfg(feature = "parquet")]
    pub(crate) fn set_unread(&mut self) {
        self.mistake = Some("not all of its columns can be read".to_owned());
    }

    /// The event for a row, if it could be read; `bad` converts a mistake in it to a reason.
    pub(crate) fn event(
        row: Result<Row, String>,
        at: u64,
        max_body: usize,
        bad: impl Fn(String) -> SkipReason,
    ) -> Event {
        let row = match row {
            Ok(row) => row,
            Err(mistake) => return Event::skipped(at, bad(mistake)),
        };
        let has_cell = row.body.is_some() || row.body_base64.is_some();
        let has_body = row.body.as_ref().is_some_and(|body| !body.0.is_empty())
            || row.body_base64.as_ref().is_some_and(|text| !text.is_empty());
        match row.range().filter(|_| row.mistake.is_none()) {
            // An empty body may be one that is missing.
            Some(Ok(range)) if !has_body => Event::Range(range),
            Some(Err(mistake)) if !has_cell => Event::unread(at, row.named(), bad(mistake)),
            _ => Event::Record(Record { at, content: row.fetch(max_body, bad) }),
        }
    }

    /// The byte range of the row. One that names a file or an offset should have all three fields.
    fn range(&self) -> Option<Result<Range, String>> {
        let (filename, offset, length) = match (&self.filename, &self.offset, &self.length) {
            (Some(filename), Some(offset), Some(length)) => (filename, offset, length),
            (None, None, _) => return None,
            _ => return Some(Err("filename, offset and length: one of them is missing".to_owned())),
        };
        let count = |name: &str, value: &Scalar| {
            let count = value.number().and_then(|number| u64::try_from(number).ok());
            count.ok_or_else(|| format!("{name}: {value} is no number of bytes"))
        };
        let filename = filename.text().ok_or_else(|| format!("filename: {filename} is none"));
        Some(filename.and_then(|filename| {
            Ok(Range {
                filename: filename.into(),
                offset: count("offset", offset)?,
                length: count("length", length)?,
                fetch: self.named(),
            })
        }))
    }

    /// The fetch that the row names, with its content if every field can be read.
    fn fetch(self, max_body: usize, bad: impl Fn(String) -> SkipReason) -> Result<Content, SkipReason> {
        let url = self.url().ok_or_else(|| bad("neither url nor host".to_owned()))?.to_owned();
        let site = match SiteKey::from_host(&url) {
            Ok(site) => site,
            Err(error) => {
                let reason = self.mistake.clone().map_or(SkipReason::Url { url, error }, bad);
                let of_host = Row { url: None, ..self }.named();
                return of_host.map_or(Err(reason.clone()), |fetch| fetch.unread(reason));
            }
        };
        let time = self.fetched_at.as_ref().map(seconds);
        let fetched_at = match &time {
            Some(Ok(time)) => *time,
            Some(Err(_)) => NEWEST,
            None => 0,
        };
        let mut fetch = Capture::without_answer(url, site, fetched_at);
        let is_missing = self.fill(&mut fetch, max_body);
        let mistake = match is_missing.and_then(|is_missing| time.transpose().map(|_| is_missing)) {
            Ok(true) if fetch.key().is_some() => format!("status {}, and no body", fetch.status),
            // Its header counts.
            Ok(true) => return Ok(Content::Capture(unknown(fetch))),
            Ok(false) => return Ok(Content::Capture(fetch)),
            Err(mistake) => mistake,
        };
        Ok(Content::Unread(fetch, bad(mistake)))
    }

    /// Adds the answer to a fetch, as far as it can be read; true if it is a success, and its body
    /// is missing.
    fn fill(self, fetch: &mut Capture, max_body: usize) -> Result<bool, String> {
        let lines = self.headers.as_ref().map_or(Ok(Vec::new()), Headers::lines)?;
        let mut fields = Fields::default();
        for (name, value) in &lines {
            fields.add(name.as_bytes(), value.as_bytes());
        }
        fetch.fresh_for = fields.fresh_for(fetch.fetched_at);
        fetch.location = http::text(fields.location);
        fetch.content_type = fields.content_type();
        fetch.validators = fields.validators();
        fetch.headers = std::mem::take(&mut fields.stated);
        if let Some(mistake) = self.mistake {
            return Err(mistake);
        }
        if self.body.as_ref().is_some_and(|body| is_utf_8(&body.0)) {
            // The first character set counts.
            let of_text = |kind: String| kind.replacen(';', "; charset=utf-8;", 1);
            fetch.content_type = fetch.content_type.take().map(of_text);
        }
        let body = match (self.body, self.body_base64) {
            (Some(_), Some(_)) => return Err("both body and body_base64".to_owned()),
            (Some(Bytes(body)), None) => Some(body),
            (None, Some(text)) => {
                Some(BASE64.decode(text.trim_ascii()).map_err(|error| format!("body_base64: {error}"))?)
            }
            (None, None) => None,
        };
        fetch.status = match self.status {
            Some(status) => status
                .number()
                .and_then(|number| u16::try_from(number).ok())
                .ok_or_else(|| format!("status: {status} is no HTTP status"))?,
            None if body.is_some() => 200,
            // Who has a header has an answer, which may refuse.
            None if !lines.is_empty() => return Err("headers, but neither status nor body".to_owned()),
            None => 0,
        };
        if let Some(reason) = fields.why_unread(fetch.status, body.as_deref().unwrap_or_default()) {
            return Err(reason.to_owned());
        }
        let truncated = match self.truncated {
            Some(flag) => {
                flag.flag().ok_or_else(|| format!("truncated: {flag} is neither true nor false"))?
            }
            None => false,
        };
        let is_missing = body.is_none() && !self.has_body_cell && is_success(fetch.status);
        fetch.body = body.unwrap_or_default();
        let is_short = fields.is_longer_than(&fetch.body, fetch.status);
        fetch.truncated = truncated || fetch.body.len() > max_body || is_missing || is_short;
        fetch.body.truncate(max_body);
        Ok(is_missing)
    }
}

/// True if a body is text in UTF-8, whatever its header says: the author of the table has decoded
/// it. UTF-16 has bytes of zero, and ISO-2022-JP escapes.
fn is_utf_8(body: &[u8]) -> bool {
    memchr::memchr2(0, 0x1b, body).is_none() && str::from_utf8(body).is_ok()
}

/// A time as Unix seconds, from a number or from a text in the forms of RFC 3339.
fn seconds(time: &Scalar) -> Result<i64, String> {
    if let Some(number) = time.whole() {
        return match u64::try_from(number) {
            Ok(fits) if fits <= LATEST => Ok(number),
            Ok(_) => {
                Err(format!("fetched_at: {time} is no number of seconds since 1970; is it milliseconds?"))
            }
            Err(_) => Err(format!("fetched_at: {time} is before 1970")),
        };
    }
    let date = time.text().and_then(dates::iso);
    date.ok_or_else(|| format!("fetched_at: {time} is no RFC 3339 time since 1970"))
}
