//! Converts named fields to a capture, or to the byte range of one in a WARC file.
//!
//! `jsonl`, `csv` and `parquet` share it, so an object and a row mean the same. `url` may be a bare
//! host, as `host` is; a body without a status counts as 200, and neither means that the site did
//! not answer. Bodies are taken unmodified, whatever `Content-Encoding` says: the author of a table
//! has decoded them. Without a body, `filename`, `offset` and `length` are a byte range, as in the
//! indexes of Common Crawl, whose own names for these columns are also accepted. Invariant: a row
//! that names a URL is a fetch of it, whatever its other fields hold; a mistake in them leaves the
//! fetch unread, so that no older capture answers for it. It does not know the place of a row.

use crate::capture::{STATED, url_text};
use crate::http::{self, Fields};
use crate::record::{Content, Event, Fetch, NEWEST, Range, Record};
use crate::status::is_success;
use crate::{Capture, SkipReason, dates};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use robomaton_formats::schedule::LATEST;
use robomaton_formats::site::SiteKey;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;
use std::borrow::Cow;
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
    /// The fields before the first mistake of syntax. A time that occurs twice, or may stand behind
    /// the mistake, is none.
    fn of(object: &[u8]) -> Named {
        let mut named = Named::default();
        let read = serde_json::Deserializer::from_slice(object).deserialize_map(&mut named);
        if read.is_err() {
            named.fetched_at.get_or_insert(Scalar::Other(de::IgnoredAny));
        }
        named
    }
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
                    let is_again = self.fetched_at.replace(Scalar::Other(de::IgnoredAny)).is_some();
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

/// A field of a table, by the name of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Url,
    Host,
    Status,
    FetchedAt,
    Body,
    BodyBase64,
    Headers,
    Truncated,
    Filename,
    Offset,
    Length,
}

/// A number, a text, a flag, or a value that no field takes.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Number(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    Flag(bool),
    Text(String),
    Other(de::IgnoredAny),
}

/// Header fields: an object, or a list of pairs. A name may occur several times in both.
struct Headers(Vec<(String, serde_json::Value)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of header fields, or a list of pairs")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<Headers, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                // The names of an object have no order.
                fields.sort_by(|(one, _): &(String, _), (other, _)| one.cmp(other));
                Ok(Headers(fields))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut pairs: A) -> Result<Headers, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = pairs.next_element()? {
                    fields.push(field);
                }
                Ok(Headers(fields))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Headers {
    /// The fields as lines: writers also use a list of values for a name, and numbers for digits.
    /// Any other value can be no line; a field that speaks of uses is then an error.
    fn lines(&self) -> Result<Vec<(&str, Cow<'_, str>)>, String> {
        let mut lines = Vec::new();
        for (name, value) in &self.0 {
            let name = name.trim();
            for value in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                match value {
                    serde_json::Value::String(text) => lines.push((name, Cow::Borrowed(text.as_str()))),
                    serde_json::Value::Number(number) => lines.push((name, Cow::Owned(number.to_string()))),
                    serde_json::Value::Null => {}
                    _ if STATED.iter().any(|stated| name.eq_ignore_ascii_case(stated)) => {
                        return Err(format!(
                            "headers: the value of {name} is neither text nor a list of texts"
                        ));
                    }
                    _ => {}
                }
            }
        }
        Ok(lines)
    }
}

/// A JSON string as bytes, valid UTF-8 or not.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

impl Column {
    /// The column of this name, in any case.
    pub(crate) fn of(name: &[u8]) -> Option<Column> {
        Some(match name.trim_ascii().to_ascii_lowercase().as_slice() {
            b"url" => Column::Url,
            b"host" => Column::Host,
            b"status" => Column::Status,
            b"fetched_at" => Column::FetchedAt,
            b"body" => Column::Body,
            b"body_base64" => Column::BodyBase64,
            b"headers" => Column::Headers,
            b"truncated" => Column::Truncated,
            b"filename" | b"warc_filename" => Column::Filename,
            b"offset" | b"warc_record_offset" => Column::Offset,
            b"length" | b"warc_record_length" => Column::Length,
            _ => return None,
        })
    }

    /// The reason why a table of these columns has no captures; `None` if it can have them. `names`
    /// are the names of all its columns.
    pub(crate) fn missing<'n>(
        columns: &[Option<Column>],
        names: impl Iterator<Item = &'n [u8]>,
    ) -> Option<SkipReason> {
        for (place, column) in columns.iter().enumerate() {
            // It is unknown which of the two columns counts.
            if let Some(column) = column.filter(|_| columns[..place].contains(column)) {
                return Some(SkipReason::Table(format!("two columns are its {}", column.name())));
            }
        }
        let has = |column| columns.contains(&Some(column));
        let range = has(Column::Filename) && has(Column::Offset) && has(Column::Length);
        if has(Column::Url) || has(Column::Host) || range {
            return None;
        }
        let names: Vec<_> = names.take(20).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Some(SkipReason::Columns(names.join(", ")))
    }
}

impl Column {
    /// The name in messages.
    fn name(self) -> &'static str {
        match self {
            Column::Url => "url",
            Column::Host => "host",
            Column::Status => "status",
            Column::FetchedAt => "fetched_at",
            Column::Body => "body",
            Column::BodyBase64 => "body_base64",
            Column::Headers => "headers",
            Column::Truncated => "truncated",
            Column::Filename => "filename",
            Column::Offset => "offset",
            Column::Length => "length",
        }
    }
}

impl Scalar {
    /// The whole number. Where values are missing, some libraries write all as floats: `200.0`.
    fn number(&self) -> Option<i64> {
        let integer = match self {
            Scalar::Number(number) => Some(*number),
            Scalar::Text(text) => text.trim_ascii().parse().ok(),
            Scalar::Float(_) | Scalar::Flag(_) | Scalar::Other(_) => None,
        };
        let is_whole = |float: &f64| float.fract() == 0.0 && float.abs() < 2_f64.powi(53);
        integer.or_else(|| self.float().filter(is_whole).map(|float| float as i64))
    }

    fn float(&self) -> Option<f64> {
        match self {
            Scalar::Float(float) => Some(*float),
            Scalar::Text(text) => text.trim_ascii().parse().ok(),
            Scalar::Number(_) | Scalar::Flag(_) | Scalar::Other(_) => None,
        }
    }

    /// The number without its fraction; one that no `i64` can be is the nearest.
    fn whole(&self) -> Option<i64> {
        let float = || self.float().filter(|float| !float.is_nan());
        self.number().or_else(|| Some(float()?.floor() as i64))
    }

    fn text(&self) -> Option<&str> {
        if let Scalar::Text(text) = self {
            Some(text.trim_ascii()).filter(|text| !text.is_empty())
        } else {
            None
        }
    }

    fn flag(&self) -> Option<bool> {
        match (self.number(), self) {
            (Some(0), _) => Some(false),
            (Some(1), _) => Some(true),
            (_, Scalar::Flag(flag)) => Some(*flag),
            (_, Scalar::Text(text)) => text.trim_ascii().to_ascii_lowercase().parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Number(number) => number.fmt(f),
            Scalar::Float(float) => float.fmt(f),
            Scalar::Flag(flag) => flag.fmt(f),
            Scalar::Text(text) => write!(f, "{text:?}"),
            Scalar::Other(_) => f.write_str("what stands there"),
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

    /// The URL, or the host.
    fn url(&self) -> Option<&str> {
        self.url.as_deref().or(self.host.as_ref().and_then(Scalar::text)).map(str::trim_ascii)
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
        let is_fetch = row.body.is_some() || row.body_base64.is_some() || row.mistake.is_some();
        match row.range().filter(|_| !is_fetch) {
            Some(Ok(range)) => Event::Range(range),
            Some(Err(mistake)) => Event::unread(at, row.named(), bad(mistake)),
            None => Event::Record(Record { at, content: row.fetch(max_body, bad) }),
        }
    }

    /// The byte range of the row, if it is complete.
    fn range(&self) -> Option<Result<Range, String>> {
        let (Some(filename), Some(offset), Some(length)) = (&self.filename, &self.offset, &self.length)
        else {
            return None;
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
        let url = self.url().ok_or_else(|| bad("neither url nor host".to_owned()))?;
        let site = SiteKey::from_host(url).map_err(|error| match &self.mistake {
            Some(mistake) => bad(mistake.clone()),
            None => SkipReason::Url { url: url.to_owned(), error },
        })?;
        let time = self.fetched_at.as_ref().map_or(Ok(0), seconds);
        let mut fetch = Capture::without_answer(url.to_owned(), site, *time.as_ref().unwrap_or(&NEWEST));
        Ok(match self.fill(&mut fetch, max_body).and_then(|is_missing| time.map(|_| is_missing)) {
            Ok(true) if fetch.key().is_some() => {
                let reason = bad(format!("status {}, and no body", fetch.status));
                Content::Unread(fetch, reason)
            }
            Ok(_) => Content::Capture(fetch),
            Err(mistake) => Content::Unread(fetch, bad(mistake)),
        })
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
        fetch.content_type = http::text(fields.content_type);
        fetch.etag = fields.etag();
        fetch.headers = std::mem::take(&mut fields.stated);
        if let Some(mistake) = self.mistake {
            return Err(mistake);
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
            None => 0,
        };
        if fields.is_later_part(fetch.status) {
            return Err(http::LATER_PART.to_owned());
        }
        let truncated = match self.truncated {
            Some(flag) => {
                flag.flag().ok_or_else(|| format!("truncated: {flag} is neither true nor false"))?
            }
            None => false,
        };
        let is_missing = body.is_none() && !self.has_body_cell && is_success(fetch.status);
        fetch.body = body.unwrap_or_default();
        fetch.truncated = truncated || fetch.body.len() > max_body || is_missing;
        fetch.body.truncate(max_body);
        Ok(is_missing)
    }
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
