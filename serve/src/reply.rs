//! Parts of requests and replies that handlers share: bodies, JSON, refusals.

use crate::error::Refusal;
use crate::limits::{BODY_TIME, FIELDS, GROUPS};
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use robomaton_explain::Error;
use robomaton_runtime::Site;
use serde::Serialize;

/// Reads the body of a request, up to a number of bytes, within a time limit.
pub(crate) async fn read_body(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let collected = tokio::time::timeout(BODY_TIME, Limited::new(body, limit).collect()).await;
    let slow = || {
        Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body took over {} seconds", BODY_TIME.as_secs()),
        )
    };
    match collected.map_err(|_| slow())? {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::too_long("the body", limit, "bytes")),
        Err(_) => Err(Refusal::bad("the body broke off")),
    }
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
