//! What a store holds: sites, texts, explanations and the list of sites.
//!
//! A handler asks an image of one moment, which has the captures in memory that matter, and `about`
//! and `sites` answer from it as from any image; a test compares the two. It knows no layer.

use crate::about::{Explained, read_site, read_text, site_of, text_of};
use crate::app::Client;
use crate::error::Refusal;
use crate::sites::PageRequest;
use crate::store::{Shared, StoreApp};
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use robomaton_explain::time::now;
use robomaton_runtime::Image;
use robomaton_store::StoreError;
use std::sync::Arc;

/// `GET /v1/site`.
pub(crate) async fn site(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let url = read_site(query.as_deref())?;
    let shared = Arc::clone(&app);
    app.apart(move |_| of_site(&shared, &url, |image| site_of(image, &url))).await
}

/// `GET /v1/text`.
pub(crate) async fn text(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let (url, document) = read_text(query.as_deref())?;
    let shared = Arc::clone(&app);
    app.apart(move |_| of_site(&shared, &url, |image| text_of(image, &url, document.as_deref()))).await
}

/// `GET /v1/explain`.
pub(crate) async fn explanation(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let explained = Explained::read(query.as_deref(), app.queries.profile())?;
    let shared = Arc::clone(&app);
    app.apart(move |_| of_site(&shared, &explained.url, |image| explained.of(image))).await
}

/// `GET /v1/sites`.
pub(crate) async fn sites(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let request = PageRequest::read(query.as_deref())?;
    let shared = Arc::clone(&app);
    let list = move |client: &Client| {
        let (from, most) = (request.from(), request.most());
        let page = |image: &Image<&[u8]>| request.page(image, client);
        shared.store.snapshot().with_sites_from(from, most, now(), page).map_err(refusal)?
    };
    app.apart(list).await
}

/// Answers from the image of a site at this moment.
fn of_site(
    app: &StoreApp,
    url: &str,
    answer: impl FnOnce(&Image<&[u8]>) -> Result<Response, Refusal>,
) -> Result<Response, Refusal> {
    app.store.snapshot().with_site(url, now(), answer).map_err(refusal)?
}

fn refusal(error: StoreError) -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
