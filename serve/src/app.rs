//! The state of the service: options, the current image, metrics, and limits for heavy work and for
//! answers that wait.
//!
//! Handlers use it; it does not know the handlers.

use crate::Options;
use crate::current::Current;
use crate::error::Refusal;
use crate::limits::{WAITING, heavy};
use crate::metrics::Metrics;
use crate::waiting::Waiting;
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The state shared by all requests.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) current: Current,
    pub(crate) metrics: Metrics,
    pub(crate) waiting: Waiting,
    heavy: Semaphore,
}

impl App {
    pub(crate) fn new(options: Options, current: Current) -> App {
        App {
            options,
            current,
            metrics: Metrics::new(),
            waiting: Waiting::new(WAITING),
            heavy: Semaphore::new(heavy()),
        }
    }

    /// Runs longer work on threads of its own, a few at a time, so that other requests do not wait.
    pub(crate) async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let lost =
            || Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error: the work was given up");
        let _permit = self.heavy.acquire().await.map_err(|_| lost())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| lost())?
    }
}

/// The state as a handler receives it.
pub(crate) type Shared = State<Arc<App>>;
