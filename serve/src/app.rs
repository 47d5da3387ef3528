//! The state of the service: options, the current image, metrics, and limits for heavy work and for
//! what waits in memory.
//!
//! Handlers use it; it does not know the handlers.

use crate::Options;
use crate::current::Current;
use crate::error::Refusal;
use crate::limits::{BODIES, WAITING, heavy};
use crate::metrics::Metrics;
use crate::waiting::Waiting;
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::{Arc, Weak};
use tokio::sync::Semaphore;

/// The state shared by all requests.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) current: Current,
    pub(crate) metrics: Metrics,
    /// Bodies of requests.
    pub(crate) bodies: Waiting,
    /// Answers.
    pub(crate) waiting: Waiting,
    heavy: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(options: Options, current: Current) -> App {
        App {
            options,
            current,
            metrics: Metrics::new(),
            bodies: Waiting::new(BODIES),
            waiting: Waiting::new(WAITING),
            heavy: Arc::new(Semaphore::new(heavy())),
        }
    }

    /// Runs longer work on threads of its own, a few at a time, so that other requests do not wait.
    pub(crate) async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Client) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = self.heavy.clone().acquire_owned().await.map_err(|_| lost())?;
        let waits = Arc::new(());
        let client = Client(Arc::downgrade(&waits));
        let work = tokio::task::spawn_blocking(move || {
            // The work ends later than the request if the client goes away.
            let _permit = permit;
            client.check()?;
            work(&client)
        });
        let done = work.await;
        drop(waits);
        done.map_err(|_| lost())?
    }
}

/// The refusal that nobody receives, or that follows a panic.
fn lost() -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error: the work was given up")
}

/// The client of longer work: dangling when its connection has ended.
pub(crate) struct Client(Weak<()>);

impl Client {
    /// Ends the work if nobody waits for it any more.
    ///
    /// # Errors
    /// If so.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.0.strong_count() == 0 { Err(lost()) } else { Ok(()) }
    }
}

/// The state as a handler receives it.
pub(crate) type Shared = State<Arc<App>>;
