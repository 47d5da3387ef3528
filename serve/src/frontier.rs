//! What a crawler asks a store about its sites: their state, which to fetch next, and the beginning
//! of a fetch. Also the health and the metrics of the service.
//!
//! The queue needs the token: who marks a fetch as begun keeps others from it, and a list of due
//! fetches reads all sites. Visits are read from files, so states are looked up on threads of their
//! own.

use crate::error::Refusal;
use crate::limits::{DUE, URL};
use crate::metrics::CONTENT_TYPE;
use crate::parameters::{Parameters, pairs, set};
use crate::reply::json;
use crate::store::Shared;
use crate::token;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::{now, rfc3339};
use robomaton_store::{SiteStateJson, Stats};
use serde::Serialize;
use std::sync::Arc;

/// `GET /v1/state`: the state of a site, as printed by `store state --json`; with `agent`, how the
/// site wants to be visited by that crawler, too.
pub(crate) async fn state(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let shared = Arc::clone(&app);
    app.apart(move |_| {
        let parameters = Parameters::read(query.as_deref(), &["url", "agent"], URL)?;
        let (store, url) = (&shared.store, &*parameters.url);
        let state = store.state(url, now()).map_err(|error| Refusal::bad(error.to_string()))?;
        let state = SiteStateJson::new(url, &state);
        if parameters.agents.is_empty() {
            return Ok(json(&state));
        }
        let manners = shared.queries.of_crawler(&shared.store, &parameters)?.manners(&store.snapshot(), url);
        Ok(json(&state.with_manners(manners)))
    })
    .await
}

/// `GET /v1/due`: the fetches that are due, in the keys of `store due --json`. `POST /v1/due` marks
/// them as begun.
pub(crate) async fn due(
    State(app): Shared,
    method: Method,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    token::check(app.token.as_ref(), &headers)?;
    let most = limit(query.as_deref())?;
    let (shared, begins) = (Arc::clone(&app), method == Method::POST);
    let due = move |_: &_| {
        let (store, now) = (&shared.store, now());
        let due = if begins { store.due(now, most) } else { store.list_due(now, most) };
        let due: Vec<_> = due.iter().map(|due| SiteStateJson::new(&due.url, &due.state)).collect();
        Ok(json(&DueList { due }))
    };
    app.apart(due).await
}

#[derive(Serialize)]
struct DueList<'a> {
    due: Vec<SiteStateJson<'a>>,
}

/// The maximum number of fetches in an answer.
fn limit(query: Option<&str>) -> Result<usize, Refusal> {
    let mut limit = None;
    for pair in pairs(query, &["limit"]) {
        let (name, value) = pair?;
        let number = value.parse().ok().filter(|limit| (1..=DUE.1).contains(limit));
        let number = number.ok_or_else(|| Refusal::bad(format!("limit is a number from 1 to {}", DUE.1)))?;
        set(&mut limit, name, number)?;
    }
    Ok(limit.unwrap_or(DUE.0))
}

#[derive(Serialize)]
struct Begun {
    /// False if the fetch of the site is in flight already.
    begun: bool,
}

/// `POST /v1/begin`: marks the fetch of a site as begun.
pub(crate) async fn begin(
    State(app): Shared,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    token::check(app.token.as_ref(), &headers)?;
    let url = Parameters::read(query.as_deref(), &["url"], URL)?.url;
    let begun = app.store.begin(&url, now()).map_err(|error| Refusal::bad(error.to_string()))?;
    Ok(json(&Begun { begun }))
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    /// Sites in layers and in memory; a site counts once for each layer that holds it.
    sites: usize,
    layers: usize,
    opened_at: Option<String>,
    /// The reason why the last captures could not be written.
    put_error: Option<String>,
    /// The reason why the last compaction failed.
    compact_error: Option<String>,
}

/// Sites in layers and in memory.
fn sites(stats: &Stats) -> usize {
    stats.layer_sites + stats.memory_sites
}

/// `GET /healthz`: 200 unless the log of the store is broken.
pub(crate) async fn health(State(app): Shared) -> Response {
    let (stats, is_broken) = (app.store.stats(), app.store.is_broken());
    let health = Health {
        status: if is_broken { "broken" } else { "ok" },
        sites: sites(&stats),
        layers: stats.layers,
        opened_at: rfc3339(app.opened_at),
        put_error: app.put_error.last(),
        compact_error: app.compact_error.last(),
    };
    let status = if is_broken { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, json(&health)).into_response()
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(app): Shared) -> Response {
    let text = app.metrics.text(sites(&app.store.stats()), app.opened_at);
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
