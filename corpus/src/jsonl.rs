//! JSON lines: one object per line, one capture per object.
//!
//! ```json
//! {"url": "https://a.example/robots.txt", "status": 200, "fetched_at": "2026-01-02T03:04:05Z", "body": "…"}
//! ```
//!
//! `url` may be a bare host; `body` may be `body_base64`; `headers` may give names and values. A line with a body
//! and no status counts as 200, a line with neither says that the site did not answer. Bodies are taken as they
//! stand, whatever `Content-Encoding` says: who writes JSON has decoded them.
//! Invariants: every line is one item; a bad line costs itself alone; a body is octets, so that one which was
//! pasted in without regard to UTF-8 arrives as it was.

use crate::http::{self, Fields};
use crate::input::Sink;
use crate::window::{CHUNK, Window};
use crate::{Capture, SkipReason, dates};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use robomaton_formats::site::SiteKey;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::{fmt, ops::ControlFlow};

/// Base64 as it comes: padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The fields of a line. Unknown ones are passed over: dumps carry more than we read.
#[derive(Deserialize)]
struct Line {
    url: String,
    status: Option<u16>,
    fetched_at: Option<Time>,
    body: Option<Octets>,
    body_base64: Option<String>,
    headers: Option<BTreeMap<String, serde_json::Value>>,
    #[serde(default)]
    truncated: bool,
}

/// The end of the year 9999: a later time is one in other units, and would win over every other capture.
const LATEST: i64 = 253_402_300_799;

/// RFC 3339, or unix seconds.
#[derive(Deserialize)]
#[serde(untagged)]
enum Time {
    Seconds(i64),
    Text(String),
}

/// A JSON string taken as octets, valid UTF-8 or not.
struct Octets(Vec<u8>);

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Octets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Octets, E> {
                Ok(Octets(bytes.to_vec()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Octets, E> {
                Ok(Octets(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

/// Reads all lines of a file.
pub(crate) fn read(window: &mut Window<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    if window.want(3).starts_with(b"\xef\xbb\xbf") {
        window.take(3);
    }
    let max = sink.limits.max_line;
    for number in 1.. {
        match line_end(window, max) {
            Some(end) => {
                line(&window.data()[..end], number, sink)?;
                window.take(end + 1);
            }
            None if window.data().len() > max => {
                drop_line(window);
                sink.skip(number, SkipReason::LineTooLong)?;
            }
            None => {
                let rest = window.data().len();
                match window.pass() {
                    // The beginning of a line is no line.
                    Some(damage) => {
                        window.take(rest);
                        sink.skip(number, damage)?;
                    }
                    None => return line(window.data(), number, sink),
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Where the line in front of the window ends; `None` if it does not within `max` octets, or not at all.
fn line_end(window: &mut Window<'_>, max: usize) -> Option<usize> {
    let (mut look, mut seen) = (1, 0);
    loop {
        let data = window.want(look);
        if let Some(end) = memchr::memchr(b'\n', &data[seen..]) {
            return Some(seen + end).filter(|end| *end <= max);
        }
        if data.len() < look || data.len() > max {
            return None;
        }
        seen = data.len();
        look = seen + CHUNK;
    }
}

/// Takes the line in front of the window, however long.
fn drop_line(window: &mut Window<'_>) {
    loop {
        let data = window.want(1);
        let (count, last) = match memchr::memchr(b'\n', data) {
            Some(end) => (end + 1, true),
            None => (data.len(), data.is_empty()),
        };
        window.take(count);
        if last {
            return;
        }
    }
}

/// Makes an item of a line; blank ones are nothing.
fn line(bytes: &[u8], number: u64, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return ControlFlow::Continue(());
    }
    let made = capture(bytes, sink.limits.max_body).map(Some);
    sink.made(number, made)
}

fn capture(line: &[u8], max_body: usize) -> Result<Capture, SkipReason> {
    let bad = |what: String| SkipReason::Json(what);
    let line: Line = serde_json::from_slice(line).map_err(|error| bad(error.to_string()))?;
    let mut body = match (line.body, line.body_base64) {
        (Some(_), Some(_)) => return Err(bad("both body and body_base64".to_owned())),
        (Some(Octets(body)), None) => Some(body),
        (None, Some(text)) => {
            Some(BASE64.decode(text.trim_ascii()).map_err(|error| bad(format!("body_base64: {error}")))?)
        }
        (None, None) => None,
    };
    let fetched_at = match line.fetched_at {
        Some(Time::Seconds(seconds)) if (0..=LATEST).contains(&seconds) => seconds,
        Some(Time::Seconds(number)) => {
            return Err(bad(format!(
                "fetched_at: {number} is no number of seconds since 1970; is it milliseconds?"
            )));
        }
        Some(Time::Text(text)) => {
            dates::iso(&text).ok_or_else(|| bad(format!("fetched_at: {text:?} is no RFC 3339 time")))?
        }
        None => 0,
    };
    let url = line.url.trim_ascii();
    let site = SiteKey::from_host(url).map_err(|error| SkipReason::Url { url: url.to_owned(), error })?;
    let headers = line.headers.unwrap_or_default();
    let mut fields = Fields::default();
    for (name, value) in &headers {
        // Some write a list per name.
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter_map(|value| value.as_str()) {
            fields.add(name.as_bytes(), value.as_bytes());
        }
    }
    let long = body.as_ref().is_some_and(|body| body.len() > max_body);
    if let Some(body) = &mut body {
        body.truncate(max_body);
    }
    Ok(Capture {
        url: url.to_owned(),
        site,
        fetched_at,
        status: line.status.unwrap_or(if body.is_some() { 200 } else { 0 }),
        fresh_for: fields.fresh_for(fetched_at),
        location: http::text(fields.location),
        content_type: http::text(fields.content_type),
        body: body.unwrap_or_default(),
        truncated: line.truncated || long,
    })
}
