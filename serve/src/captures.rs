//! Captures that are put into a store: JSON lines, or a WARC stream.
//!
//! `robomaton-store` reads both and takes the captures one by one. Invariants: a capture that is
//! counted as taken is durable when the answer is sent; each line or record is counted or refused
//! with its place, and a refusal of any is no status of success; of a body over a limit, nothing is
//! put. Putting a body again changes nothing.

use crate::error::Refusal;
use crate::limits::{BATCH, QUESTIONS, REASON, WARC};
use crate::parameters::no_parameters;
use crate::reply::{json, read_body};
use crate::store::{Shared, StoreApp};
use crate::token;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::now;
use robomaton_explain::without_mark;
use robomaton_store::{Capture, StoreError, WarcTooMuch};
use serde::Serialize;
use std::sync::Arc;

/// The media type of a WARC body.
const WARC_TYPE: &str = "application/warc";

/// The result of a body of captures; the fields are the keys of its JSON.
#[derive(Default, Serialize)]
struct Summary {
    taken: usize,
    older: usize,
    refused: Vec<RefusedCapture>,
    /// Records of a WARC body that are no captures of a robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<usize>,
    /// The reason of a status that is not 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct RefusedCapture {
    #[serde(flatten)]
    place: Place,
    error: String,
}

/// The place of a capture in its body.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    /// The number of a line, from 1.
    Line(usize),
    /// The byte of a record after decompression.
    Offset(u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Offset(at) => write!(f, "the record at byte {at}"),
        }
    }
}

/// `PUT /v1/captures`.
pub(crate) async fn put(
    State(app): Shared,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    token::check(app.token.as_ref(), &headers)?;
    no_parameters(query.as_deref())?;
    let is_warc = is_warc(&headers);
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared = Arc::clone(&app);
    // Once begun, it goes on when the client has gone: a put can be repeated, not taken back.
    let put = move |_: &_| if is_warc { put_warc(&shared, &body) } else { put_lines(&shared, &body) };
    app.put_apart(put).await
}

/// True if the headers of a request say that its body is a WARC stream.
fn is_warc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(WARC_TYPE)
}

/// Puts the lines of a body, and makes them durable.
fn put_lines(app: &StoreApp, body: &[u8]) -> Result<Response, Refusal> {
    let body = without_mark(body);
    // Of a stream that is sent as lines, thousands would be refused.
    if body.starts_with(b"WARC/") || body.starts_with(b"\x1f\x8b") {
        let what =
            format!("a WARC body needs `Content-Type: {WARC_TYPE}`, and JSON lines are not compressed");
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what));
    }
    let lines = body.split(|&byte| byte == b'\n').enumerate().map(|(at, line)| (at + 1, line.trim_ascii()));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    match lines.clone().take(QUESTIONS + 1).count() {
        0 => return Err(Refusal::bad("no captures: one JSON object a line")),
        1..=QUESTIONS => {}
        _ => return Err(Refusal::too_long("the batch", QUESTIONS, "captures")),
    }
    let at = now();
    let captures = lines.map(|(number, line)| (Place::Line(number), Capture::from_json(line, at)));
    Ok(put_all(app, Summary::default(), captures))
}

/// Puts the captures of a WARC stream, and makes them durable.
fn put_warc(app: &StoreApp, body: &[u8]) -> Result<Response, Refusal> {
    let read = Capture::from_warc(body, now(), WARC, QUESTIONS).map_err(|over| match over {
        WarcTooMuch::Bytes => Refusal::too_long("the decompressed body", WARC, "bytes"),
        WarcTooMuch::Records => Refusal::too_long("the batch", QUESTIONS, "captures"),
    })?;
    if read.records.is_empty() {
        return Err(Refusal::bad("no captures: no record is a response with the URL of a robots.txt"));
    }
    let summary = Summary { others: Some(read.others), ..Summary::default() };
    let captures = read.records.into_iter().map(|(at, capture)| (Place::Offset(at), capture));
    Ok(put_all(app, summary, captures))
}

/// Puts captures until the store fails, and makes them durable.
fn put_all(
    app: &StoreApp,
    mut summary: Summary,
    captures: impl Iterator<Item = (Place, Result<Capture, String>)>,
) -> Response {
    let mut failed = None;
    for (place, capture) in captures {
        let error = match capture.map(|capture| app.store.put(&capture)) {
            Ok(Ok(true)) => {
                summary.taken += 1;
                continue;
            }
            Ok(Ok(false)) => {
                summary.older += 1;
                continue;
            }
            Ok(Err(error)) if error.is_of_capture() => error.to_string(),
            Ok(Err(error)) => {
                failed = Some(format!("{place}: {error}; this capture and all after it are not put"));
                break;
            }
            Err(error) => error,
        };
        summary.refused.push(RefusedCapture { place, error: shortened(error) });
    }
    let mut status = StatusCode::OK;
    if !summary.refused.is_empty() {
        status = StatusCode::UNPROCESSABLE_ENTITY;
        summary.error = Some("some captures are refused; all others are put".to_owned());
    }
    let unsynced = app.store.sync().err().map(|error| undurable(&error));
    let errors: Vec<String> = failed.into_iter().chain(unsynced).collect();
    let error = Some(errors.join("; ")).filter(|error| !error.is_empty());
    if error.is_some() {
        status = StatusCode::INTERNAL_SERVER_ERROR;
        summary.error.clone_from(&error);
    }
    app.put_error.report(app, error);
    (status, json(&summary)).into_response()
}

fn undurable(error: &StoreError) -> String {
    format!("{error}; nothing of this batch need be durable, so send it again")
}

/// The beginning of a reason, which may quote what was sent.
fn shortened(mut reason: String) -> String {
    if reason.len() > REASON {
        let end = (0..=REASON).rev().find(|&end| reason.is_char_boundary(end)).unwrap_or(0);
        reason.truncate(end);
        reason.push('\u{2026}');
    }
    reason
}
