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
use robomaton_explain::{Query, SiteInfo, explain, find_document};
use robomaton_runtime::{Image, Profile};
use serde::Serialize;

/// `GET /v1/site`: the fetch of a site, its groups and its records, as printed by `inspect --site
/// --json`.
pub(crate) async fn site(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let url = read_site(query.as_deref())?;
    let served = app.current.get();
    app.apart(move |_| site_of(&served.image, &url)).await
}

/// The URL of a question about a site.
pub(crate) fn read_site(query: Option<&str>) -> Result<String, Refusal> {
    Ok(Parameters::read(query, &["url"], URL)?.url.into_owned())
}

/// The answer about a site of an image.
pub(crate) fn site_of<D: AsRef<[u8]>>(image: &Image<D>, url: &str) -> Result<Response, Refusal> {
    SiteInfo::find(image, url, now()).map(|site| json(&site)).ok_or_else(|| no_site(url))
}

fn no_site(url: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("the image does not contain the site of {url:?}"))
}

/// `GET /v1/text`: the text of a site as stored in the image.
pub(crate) async fn text(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let (url, document) = read_text(query.as_deref())?;
    let served = app.current.get();
    app.apart(move |_| text_of(&served.image, &url, document.as_deref())).await
}

/// The URL of a question about a text, and the document, if it is not robots.txt.
pub(crate) fn read_text(query: Option<&str>) -> Result<(String, Option<String>), Refusal> {
    let parameters = Parameters::read(query, &["url", "document"], URL)?;
    Ok((parameters.url.to_string(), parameters.other_document().map(str::to_owned)))
}

/// The text of a site of an image.
pub(crate) fn text_of<D: AsRef<[u8]>>(
    image: &Image<D>,
    url: &str,
    document: Option<&str>,
) -> Result<Response, Refusal> {
    let site = find_document(image, url, document).ok_or_else(|| match document {
        Some(name) => {
            let what = format!("the image does not contain a {name} of the site of {url:?}");
            Refusal::new(StatusCode::NOT_FOUND, what)
        }
        None => no_site(url),
    })?;
    let text = site.source(TEXT + 1).ok_or_else(|| {
        let what = format!("the image holds no text of the site of {url:?}");
        Refusal::new(StatusCode::NOT_FOUND, what)
    })?;
    if text.len() > TEXT {
        return Err(Refusal::too_long("the text", TEXT, "bytes"));
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// `GET /v1/explain`: the explanation, as printed by `explain --json`.
pub(crate) async fn explanation(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let served = app.current.get();
    let explained = Explained::read(query.as_deref(), served.image.profile())?;
    app.apart(move |_| explained.of(&served.image)).await
}

/// A question whose answer is explained.
pub(crate) struct Explained {
    pub(crate) url: String,
    query: Query,
    document: Option<String>,
}

impl Explained {
    pub(crate) fn read(query: Option<&str>, profile: Profile) -> Result<Explained, Refusal> {
        let known = &["url", "agent", "usage", "purpose", "document", "named_only"];
        let parameters = Parameters::read(query, known, EXPLAINED_URL)?;
        let query = parameters.query(profile)?;
        let (url, document) = (parameters.url.to_string(), parameters.other_document().map(str::to_owned));
        Ok(Explained { url, query, document })
    }

    /// The explanation of the answer of an image.
    pub(crate) fn of<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Result<Response, Refusal> {
        let Explained { url, query, document } = self;
        let asked = find_document(image, url, document.as_deref());
        asked.map_or(Ok(()), |site| check_explainable(&site))?;
        let explanation = explain(image, query, document.as_deref(), url);
        explanation.map(|explanation| json(&explanation)).map_err(|error| refusal_of(&error))
    }
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
