//! The site of a URL, its text, the explanation of an answer, and the health of the service.

use crate::app::Shared;
use crate::error::Refusal;
use crate::limits::{EXPLAINED_URL, TEXT, URL};
use crate::metrics::CONTENT_TYPE;
use crate::parameters::Parameters;
use crate::reply::{check_explainable, json, refusal_of};
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::{now, rfc3339};
use robomaton_explain::{SiteInfo, explain};
use serde::Serialize;

/// `GET /v1/site`: the fetch of a site, its groups and its records, as printed by `inspect --site
/// --json`.
pub(crate) async fn site(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let url = Parameters::read(query.as_deref(), &["url"], URL)?.url.into_owned();
    let served = app.current.get();
    app.apart(move |_| {
        let found = SiteInfo::find(&served.image, &url, now());
        found.map(|site| json(&site)).ok_or_else(|| no_site(&url))
    })
    .await
}

fn no_site(url: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("the image does not contain the site of {url:?}"))
}

/// `GET /v1/text`: the text of a site as stored in the image.
pub(crate) async fn text(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let parameters = Parameters::read(query.as_deref(), &["url", "document"], URL)?;
    let (url, document) = (parameters.url.to_string(), parameters.other_document().map(str::to_owned));
    let served = app.current.get();
    app.apart(move |_| {
        let site = match &document {
            Some(name) => served.image.document(&url, name),
            None => served.image.site(&url),
        };
        let site = site.ok_or_else(|| no_site(&url))?;
        let text = site.source(TEXT + 1).ok_or_else(|| {
            let what = format!("the image holds no text of the site of {url:?}");
            Refusal::new(StatusCode::NOT_FOUND, what)
        })?;
        if text.len() > TEXT {
            return Err(Refusal::too_long("the text", TEXT, "bytes"));
        }
        Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
    })
    .await
}

/// `GET /v1/explain`: the explanation, as printed by `explain --json`.
pub(crate) async fn explanation(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let known = &["url", "agent", "usage", "purpose", "document", "named_only"];
    let parameters = Parameters::read(query.as_deref(), known, EXPLAINED_URL)?;
    let served = app.current.get();
    let query = parameters.query(served.image.profile())?;
    let (url, document) = (parameters.url.to_string(), parameters.other_document().map(str::to_owned));
    app.apart(move |_| {
        let site = served.image.site(&url);
        site.map_or(Ok(()), |site| check_explainable(&site))?;
        let explanation = explain(&served.image, &query, document.as_deref(), &url);
        explanation.map(|explanation| json(&explanation)).map_err(|error| refusal_of(&error))
    })
    .await
}

/// The health of the service.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    sites: usize,
    opened_at: Option<String>,
    /// The reason why the current file is not the image in use.
    reload_error: Option<String>,
}

/// `GET /healthz`: 200 as long as an image is in use, even an old one, that is what was verified.
pub(crate) async fn health(State(app): Shared) -> Response {
    let served = app.current.get();
    let is_altered = app.current.is_altered();
    let health = Health {
        status: if is_altered { "altered" } else { "ok" },
        sites: served.image.len(),
        opened_at: rfc3339(served.opened_at),
        reload_error: app.current.failure(),
    };
    let status = if is_altered { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, json(&health)).into_response()
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(app): Shared) -> Response {
    let served = app.current.get();
    let text = app.metrics.text(served.image.len(), served.opened_at);
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
