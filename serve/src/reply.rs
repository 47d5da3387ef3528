//! Parts of requests and replies that handlers share: bodies, JSON, refusals.

use crate::error::Refusal;
use crate::limits::{BODY_TIME, FIELDS, GROUPS, TEXT};
use crate::waiting::{Arriving, Waiting};
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use robomaton_explain::{Error, without_mark};
use robomaton_runtime::Site;
use serde::{Deserialize, Serialize};

/// Reads the body of a request, up to a number of bytes, within a time limit.
pub(crate) async fn read_body(budget: &Waiting, body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let slow = |_| {
        let what = format!("the body took over {} seconds", BODY_TIME.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, what)
    };
    tokio::time::timeout(BODY_TIME, collect(budget.body(), body, limit)).await.map_err(slow)?
}

/// Copies the parts of a body into one: each part keeps the buffer alive that it was read into,
/// which may be much larger.
async fn collect(mut arriving: Arriving<'_>, mut body: Body, limit: usize) -> Result<Bytes, Refusal> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::bad("the body broke off"))?;
        // Trailers say nothing here.
        let Ok(part) = frame.into_data() else { continue };
        if part.len() > limit - arriving.len() {
            return Err(Refusal::too_long("the body", limit, "bytes"));
        }
        arriving.push(&part)?;
    }
    Ok(arriving.whole())
}

/// The text of a body, behind a byte order mark or not.
pub(crate) fn text(body: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(without_mark(body)).map_err(|_| Refusal::bad("the body is not UTF-8"))
}

/// Parses a JSON object. `serde` alone would take an array of its values, too.
pub(crate) fn object<'j, T: Deserialize<'j>>(json: &'j [u8]) -> Result<T, Refusal> {
    if json.trim_ascii_start().first() != Some(&b'{') {
        return Err(Refusal::bad("not a JSON object"));
    }
    serde_json::from_slice(json).map_err(|error| Refusal::bad(error.to_string()))
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Refuses a site whose text takes too long to explain.
pub(crate) fn check_explainable(site: &Site<'_>) -> Result<(), Refusal> {
    if let Some(length) = site.text_length().filter(|&length| length > TEXT as u64) {
        return Err(too_much(format!("a text of {length} bytes")));
    }
    let Some(detail) = site.detail() else { return Ok(()) };
    let fields = detail.groups.iter().filter(|group| !group.role.is_ranked());
    let fields: usize = fields.map(|group| group.rules.len()).sum();
    if detail.groups.len() > GROUPS || fields > FIELDS {
        return Err(too_much(format!("{} groups, {fields} fields", detail.groups.len())));
    }
    Ok(())
}

/// The refusal of a text that takes too long to explain.
pub(crate) fn too_much(what: String) -> Refusal {
    let what = format!("{what}: too much to be explained here; `robomaton explain` takes its time");
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, what)
}

/// The refusal for an answer that cannot be explained: the request is invalid, the image lacks
/// something, or there is a bug.
pub(crate) fn refusal_of(error: &Error) -> Refusal {
    let status = match error {
        Error::NoUrl(_) | Error::Usage(_) => StatusCode::BAD_REQUEST,
        Error::NoTexts => StatusCode::NOT_FOUND,
        Error::OverLimit(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Image(_) | Error::NoSite | Error::Disagreement { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let whose = if matches!(error, Error::NoTexts) { "the image " } else { "" };
    Refusal::new(status, format!("{whose}{error}"))
}
