//! The table of paths and handlers, and the rules for every request: host, headers, metrics.
//!
//! The host is checked because of DNS rebinding: a page of another site may point a name of its own
//! at this machine, and then send requests from its visitor's browser. IP addresses and `localhost`
//! cannot be pointed elsewhere, so they are allowed, and so are the names given at the start. There
//! is no CORS: pages of other sites cannot read answers.

use crate::app::{App, Common};
use crate::error::Refusal;
use crate::store::StoreApp;
use crate::{about, answers, captures, crawlers, decide, frontier, held, page, sites, tester, verdicts};
use axum::Router;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::future::ready;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

/// The path of questions.
const DECIDE: &str = "/v1/decide";

/// The path of verdicts.
const VERDICTS: &str = "/v1/verdicts";

/// The path of captures.
const CAPTURES: &str = "/v1/captures";

/// The path of the queue.
const DUE: &str = "/v1/due";

/// The path of fetches that begin.
const BEGIN: &str = "/v1/begin";

/// The paths that are counted, in addition to those of the page.
const PATHS: [&str; 16] = [
    DECIDE,
    VERDICTS,
    CAPTURES,
    "/v1/state",
    DUE,
    BEGIN,
    "/v1/site",
    "/v1/sites",
    "/v1/text",
    "/v1/explain",
    "/v1/crawlers",
    "/v1/test",
    "/v1/test/crawlers",
    "/v1/test/urls",
    "/healthz",
    "/metrics",
];

/// The headers of every answer: nothing is loaded from elsewhere, and no type is guessed.
const HEADERS: [(header::HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

type Request = axum::http::Request<Incoming>;

/// The service of all connections.
#[derive(Clone)]
pub(crate) struct Requests {
    common: Arc<Common>,
    /// The state of a service over an image.
    image: Option<Arc<App>>,
    router: TowerToHyperService<Router>,
}

impl Requests {
    /// The service over an image.
    pub(crate) fn of_image(app: Arc<App>) -> Requests {
        let common = app.common.clone();
        let router = TowerToHyperService::new(router(app.clone()));
        Requests { common, image: Some(app), router }
    }

    /// The service over a store.
    pub(crate) fn of_store(app: Arc<StoreApp>) -> Requests {
        let common = app.common.clone();
        Requests { common, image: None, router: TowerToHyperService::new(store_router(app)) }
    }

    pub(crate) fn common(&self) -> Arc<Common> {
        self.common.clone()
    }
}

impl Service<Request> for Requests {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    /// Checks, answers, times and counts a request.
    fn call(&self, request: Request) -> Self::Future {
        let began = Instant::now();
        let path = request.uri().path();
        let paths = PATHS.into_iter().chain(page::FILES.iter().map(|file| file.path));
        let endpoint = paths.into_iter().find(|&known| known == path).unwrap_or("other");
        let common = self.common.clone();
        if let Err(refusal) = check_host(&request, &common.hosts) {
            return Box::pin(ready(Ok(finished(&common, endpoint, began, refusal.into_response()))));
        }
        // Nearly all requests. The answer takes less time than the router.
        let app = self.image.as_ref().filter(|_| endpoint == DECIDE && request.method() == Method::GET);
        let quick = app.and_then(|app| decide::quick(app, request.uri().query()).transpose());
        if let Some(response) = quick {
            return Box::pin(ready(Ok(finished(&common, endpoint, began, response.into_response()))));
        }
        let response = self.router.call(request);
        Box::pin(async move {
            let response = common.waiting.hold(response.await?).await;
            Ok(finished(&common, endpoint, began, response))
        })
    }
}

/// Completes the headers of a response, and counts it.
fn finished(common: &Common, endpoint: &'static str, began: Instant, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.reserve(HEADERS.len());
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    common.metrics.answered(endpoint, response.status().as_u16(), began.elapsed());
    response
}

fn router(app: Arc<App>) -> Router {
    let mut router = Router::new()
        .route(DECIDE, get(decide::one).post(decide::batch))
        .route(VERDICTS, post(verdicts::verdicts))
        .route("/v1/site", get(about::site))
        .route("/v1/text", get(about::text))
        .route("/v1/explain", get(about::explanation))
        .route("/v1/sites", get(sites::sites))
        .route("/v1/crawlers", get(crawlers::of_image))
        .route("/v1/test", post(tester::test))
        .route("/v1/test/crawlers", post(crawlers::of_text))
        .route("/v1/test/urls", post(tester::urls))
        .route("/healthz", get(about::health))
        .route("/metrics", get(about::metrics));
    for file in &page::FILES {
        router = router.route(file.path, get(async || file.into_response()));
    }
    with_fallbacks(router).with_state(app)
}

fn store_router(app: Arc<StoreApp>) -> Router {
    let router = Router::new()
        .route(CAPTURES, put(captures::put))
        .route("/v1/state", get(frontier::state))
        .route(DUE, get(frontier::due).post(frontier::due))
        .route(BEGIN, post(frontier::begin))
        .route(DECIDE, get(answers::one).post(answers::batch))
        .route(VERDICTS, post(answers::words))
        .route("/v1/site", get(held::site))
        .route("/v1/text", get(held::text))
        .route("/v1/explain", get(held::explanation))
        .route("/v1/sites", get(held::sites))
        .route("/healthz", get(frontier::health))
        .route("/metrics", get(frontier::metrics));
    with_fallbacks(router).with_state(app)
}

fn with_fallbacks<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "no such path; docs/service.md lists them"))
        .method_not_allowed_fallback(other_method)
}

/// The refusal of a method that a path does not support: GET, POST or both, and PUT for captures.
async fn other_method(method: Method, uri: Uri) -> Refusal {
    let only_post = uri.path().starts_with("/v1/test") || matches!(uri.path(), VERDICTS | BEGIN);
    let methods = match uri.path() {
        DECIDE | DUE => "GET or POST",
        CAPTURES => "PUT",
        _ if only_post => "POST",
        _ => "GET",
    };
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("method {method} is not allowed here: use {methods}"),
    )
}

/// Checks the name under which the service is asked: the one in the target, if it has one, and the
/// one in the header.
fn check_host(request: &Request, names: &[String]) -> Result<(), Refusal> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Refusal::bad("a request has one Host header"));
    };
    let target = request.uri().authority().map(|authority| authority.as_str());
    for host in [Some(host.to_str().unwrap_or_default()), target].into_iter().flatten() {
        if !is_ours(host, names) {
            let what = format!(
                "not asked as {host:?}: only by IP address, as localhost, or by a name given with --host"
            );
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, what));
        }
    }
    Ok(())
}

/// True for an IP address, `localhost`, or one of these names, with or without a port.
fn is_ours(host: &str, names: &[String]) -> bool {
    let (is_name, port) = if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        (address.parse::<Ipv6Addr>().is_ok(), port)
    } else {
        let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
        let is_known = |known: &str| known.eq_ignore_ascii_case(name);
        let is_address = name.parse::<Ipv4Addr>().is_ok();
        (is_address || is_known("localhost") || names.iter().any(|known| is_known(known)), port)
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    is_name && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}
