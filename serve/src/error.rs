//! Errors at the start of the service, and refusals of requests.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use robomaton_runtime::{ImageError, OpenError};
use robomaton_store::StoreError;
use serde::Serialize;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The error if the service does not start, or an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The image cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The image violates a rule of its format.
    #[error("{path}: {error}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// The rule and the place.
        error: ImageError,
    },
    /// The port is not available: another program may hold it, or the address is not of this
    /// machine.
    #[error("cannot listen on {listen}: {error}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// The operating system's error.
        error: io::Error,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The token is no token.
    #[error("a token has 16 to 1024 visible ASCII characters")]
    Token,
    /// Others can reach the address of a store.
    #[error("{listen} is no loopback address: a store is served there only with a token")]
    NoToken {
        /// The address.
        listen: SocketAddr,
    },
    /// Threads or signal handlers cannot be created.
    #[error("cannot start: {0}")]
    Runtime(io::Error),
}

/// The refusal of a request: a status and, in JSON, a message.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    body: RefusalJson,
}

#[derive(Debug, Serialize)]
struct RefusalJson {
    error: String,
    /// The number of the invalid question in a batch, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<usize>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        Refusal { status, body: RefusalJson { error: error.into(), question: None } }
    }

    /// The request is invalid.
    pub(crate) fn bad(error: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }

    /// Names the invalid question of a batch, from 1.
    pub(crate) fn at(self, question: usize) -> Refusal {
        let Refusal { status, body: RefusalJson { error, .. } } = self;
        let error = format!("question {question}: {error}");
        Refusal { status, body: RefusalJson { error, question: Some(question) } }
    }

    /// The request exceeds a limit.
    pub(crate) fn too_long(what: &str, limit: usize, unit: &str) -> Refusal {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Refusal::new(status, format!("{what} is over the limit of {limit} {unit}"))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.body).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
