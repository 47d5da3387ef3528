//! The requests to a store: captures, the state of a site, verdicts, and the health of the service.
//!
//! Invariants: a capture that is counted as taken is durable when the answer is sent; each line of
//! a body is counted or refused with its number, and a refusal of any line is no status of success.
//! A batch of verdicts is answered from one snapshot.

use crate::error::Refusal;
use crate::limits::{BATCH, QUESTIONS, URL};
use crate::metrics::CONTENT_TYPE;
use crate::parameters::{Parameters, USAGE, check_query};
use crate::reply::{json, read_body};
use crate::store::StoreApp;
use crate::token;
use crate::verdicts::{LINE, lines};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::{now, rfc3339};
use robomaton_explain::{check_usage, names};
use robomaton_store::{Capture, SiteStateJson, StoreError};
use serde::Serialize;
use std::sync::Arc;

type Shared = State<Arc<StoreApp>>;

/// The result of a body of captures; the fields are the keys of its JSON.
#[derive(Default, Serialize)]
struct Summary {
    taken: usize,
    older: usize,
    refused: Vec<RefusedLine>,
    /// The reason of a status that is not 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct RefusedLine {
    /// Counted from 1.
    line: usize,
    error: String,
}

/// `PUT /v1/captures`.
pub(crate) async fn put(State(app): Shared, headers: HeaderMap, body: Body) -> Result<Response, Response> {
    token::check(app.token.as_ref(), &headers).map_err(|refusal| {
        let mut response = refusal.into_response();
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    })?;
    let body = read_body(&app.bodies, body, BATCH).await.map_err(IntoResponse::into_response)?;
    let shared = Arc::clone(&app);
    // Once begun, it goes on when the client has gone: a put can be repeated, not taken back.
    app.apart(move |_| put_lines(&shared, &body)).await.map_err(IntoResponse::into_response)
}

/// Puts the lines of a body, and makes them durable.
fn put_lines(app: &StoreApp, body: &[u8]) -> Result<Response, Refusal> {
    let lines = body.split(|&byte| byte == b'\n').enumerate().map(|(at, line)| (at + 1, line.trim_ascii()));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    // Nothing is put of a body that is too long.
    match lines.clone().take(QUESTIONS + 1).count() {
        0 => return Err(Refusal::bad("no captures: one JSON object a line")),
        1..=QUESTIONS => {}
        _ => return Err(Refusal::too_long("the batch", QUESTIONS, "captures")),
    }
    let (mut summary, at) = (Summary::default(), now());
    let mut failed = None;
    for (number, line) in lines {
        let error = match Capture::from_json(line, at) {
            Ok(capture) => match app.store.put(&capture) {
                Ok(true) => {
                    summary.taken += 1;
                    continue;
                }
                Ok(false) => {
                    summary.older += 1;
                    continue;
                }
                Err(error) if error.is_of_capture() => error.to_string(),
                Err(error) => {
                    failed = Some(format!("line {number}: {error}; this line and all after it are not put"));
                    break;
                }
            },
            Err(error) => error,
        };
        summary.refused.push(RefusedLine { line: number, error });
    }
    let mut status = StatusCode::OK;
    if !summary.refused.is_empty() {
        status = StatusCode::UNPROCESSABLE_ENTITY;
        summary.error = Some("some lines are refused; all others are put".to_owned());
    }
    if let Some(error) = failed {
        status = StatusCode::INTERNAL_SERVER_ERROR;
        summary.error = Some(error);
    }
    if let Err(error) = app.store.sync() {
        status = StatusCode::INTERNAL_SERVER_ERROR;
        let error = undurable(&error);
        summary.error =
            Some(summary.error.map_or_else(|| error.clone(), |first| format!("{first}; {error}")));
    }
    Ok((status, json(&summary)).into_response())
}

fn undurable(error: &StoreError) -> String {
    format!("{error}; nothing of this batch need be durable, so send it again")
}

/// `GET /v1/state`: the state of a site, as printed by `store state --json`.
pub(crate) async fn state(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let url = Parameters::read(query.as_deref(), &["url"], URL)?.url;
    let state = app.store.state(&url, now()).map_err(|error| Refusal::bad(error.to_string()))?;
    Ok(json(&SiteStateJson::new(&url, &state)))
}

/// `POST /v1/verdicts`: a word for each line.
pub(crate) async fn verdicts(
    State(app): Shared,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared = Arc::clone(&app);
    let words = app
        .apart(move |_| {
            let urls = std::str::from_utf8(&body).map_err(|_| Refusal::bad("the body is not UTF-8"))?;
            words(&shared, query.as_deref(), urls)
        })
        .await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response())
}

fn words(app: &StoreApp, query: Option<&str>, urls: &str) -> Result<Vec<u8>, Refusal> {
    let parameters = Parameters::of_crawler(query, &["agent", "usage"])?;
    let usage = parameters.usage.as_deref().unwrap_or(USAGE);
    let agents: Vec<&str> = match parameters.agents.as_slice() {
        [] => vec!["*"],
        all => all.iter().flat_map(|given| names(given)).collect(),
    };
    check_query(agents.iter().copied(), usage, None, app.compile.profile)?;
    check_usage(&app.empty, usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
    let urls = lines(urls)?;
    let query = app.store.query(agents, usage);
    let snapshot = app.store.snapshot();
    let mut answers = Vec::with_capacity(LINE * urls.len());
    let mut tally = app.metrics.tally();
    for url in urls {
        let decision = snapshot.ask(&query, url, |verdict| verdict.safe_decision());
        tally.add(decision);
        answers.extend_from_slice(decision.name().as_bytes());
        answers.push(b'\n');
    }
    Ok(answers)
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    /// Sites in layers and in memory; a site counts once for each layer that holds it.
    sites: usize,
    layers: usize,
    opened_at: Option<String>,
    /// The reason why the last compaction failed.
    compact_error: Option<String>,
}

fn sites(app: &StoreApp) -> usize {
    let stats = app.store.stats();
    stats.layer_sites + stats.memory_sites
}

/// `GET /healthz`.
pub(crate) async fn health(State(app): Shared) -> Response {
    json(&Health {
        status: "ok",
        sites: sites(&app),
        layers: app.store.stats().layers,
        opened_at: rfc3339(app.opened_at),
        compact_error: app.compact_error(),
    })
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(app): Shared) -> Response {
    let text = app.metrics.text(sites(&app), app.opened_at);
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
