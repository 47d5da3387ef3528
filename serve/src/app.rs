//! The state of the service: metrics, and limits for heavy work and for what waits in memory; over
//! an image also its options and the current image.
//!
//! Handlers use it; it does not know the handlers.

use crate::Options;
use crate::current::Current;
use crate::error::Refusal;
use crate::limits::{BODIES, PUTS, WAITING, WORK_TIME, heavy};
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::waiting::Waiting;
use axum::extract::State;
use axum::http::StatusCode;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::Instant;
use tokio::sync::Semaphore;

/// The state of any service.
pub(crate) struct Common {
    /// Host names in addition to `localhost` and IP addresses.
    pub(crate) hosts: Vec<String>,
    /// Receives messages for the operator.
    pub(crate) remark: fn(&str),
    pub(crate) metrics: Metrics,
    /// Bodies of requests.
    pub(crate) bodies: Waiting,
    /// Answers.
    pub(crate) waiting: Waiting,
    heavy: Arc<Semaphore>,
    /// Places for captures, which do not wait for the questions of others.
    puts: Arc<Semaphore>,
    pub(crate) pool: Pool,
}

/// The state of a service over an image, shared by all requests.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) current: Current,
    pub(crate) common: Arc<Common>,
}

impl App {
    pub(crate) fn new(options: Options, current: Current, pool: Pool) -> App {
        let common = Arc::new(Common::new(options.hosts.clone(), options.remark, pool));
        App { options, current, common }
    }
}

impl Deref for App {
    type Target = Common;

    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Common {
    pub(crate) fn new(hosts: Vec<String>, remark: fn(&str), pool: Pool) -> Common {
        Common {
            hosts,
            remark,
            metrics: Metrics::new(),
            bodies: Waiting::new(BODIES),
            waiting: Waiting::new(WAITING),
            heavy: Arc::new(Semaphore::new(heavy())),
            puts: Arc::new(Semaphore::new(PUTS)),
            pool,
        }
    }

    /// A thread for each place, and one for the watch.
    ///
    /// # Errors
    /// If the operating system refuses one.
    pub(crate) fn threads() -> io::Result<Pool> {
        Pool::start(heavy() + PUTS + 1)
    }

    /// Runs longer work on threads of its own, a few at a time, so that other requests do not wait.
    pub(crate) async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Client) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.within(&self.heavy, work).await
    }

    /// The same for captures.
    pub(crate) async fn put_apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Client) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.within(&self.puts, work).await
    }

    async fn within<T: Send + 'static>(
        &self,
        places: &Arc<Semaphore>,
        work: impl FnOnce(&Client) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = Arc::clone(places).acquire_owned().await.map_err(|_| lost())?;
        let request = Arc::new(());
        let waits = Arc::downgrade(&request);
        let work = self.pool.run(move || {
            // The work ends later than the request if the client goes away.
            let _permit = permit;
            let client = Client { waits, until: Instant::now() + WORK_TIME };
            client.check()?;
            work(&client)
        });
        let done = work.await;
        drop(request);
        done.unwrap_or_else(|| Err(lost()))
    }
}

/// The refusal that nobody receives, or that follows a panic.
fn lost() -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error: the work was given up")
}

/// The client of longer work, and the time that its work may take.
pub(crate) struct Client {
    /// Dangling when its connection has ended.
    waits: Weak<()>,
    until: Instant,
}

impl Client {
    /// Ends the work if nobody waits for it any more, or it takes too long.
    ///
    /// # Errors
    /// If so.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.waits.strong_count() == 0 {
            return Err(lost());
        }
        if Instant::now() > self.until {
            let seconds = usize::try_from(WORK_TIME.as_secs()).unwrap_or(usize::MAX);
            return Err(Refusal::too_long("the work for this request", seconds, "seconds"));
        }
        Ok(())
    }

    /// A client that has gone.
    #[cfg(test)]
    pub(crate) fn gone() -> Client {
        Client { waits: Weak::new(), until: Instant::now() + WORK_TIME }
    }
}

/// The state as a handler receives it.
pub(crate) type Shared = State<Arc<App>>;
