//! Serves answers from an image over HTTP: single questions, batches, sites, explanations, and a
//! page for testing robots.txt files.
//!
//! ```text
//!   file ──▶ current ──▶ app ──▶ decide, verdicts, about, sites, … ──▶ reply (JSON, words, page)
//!              ▲          ▲                        ▲
//!        watch, agents  metrics   connections ──▶ workers ──▶ routes
//! ```
//!
//! It stands next to `cli`, above `explain` and `runtime`, which produce every answer, in the words
//! of the command. Invariants: a request is answered from one image from its beginning to its end;
//! an image that cannot be opened never replaces one that could; a request costs no more than
//! [`limits`] allow, whatever it contains. It has no TLS and no users: by default it listens only
//! on this machine, and a proxy in front of it does the rest.
//!
//! docs/service.md shows every endpoint with a real answer.

mod about;
mod agents;
mod app;
mod connections;
mod crawlers;
mod current;
mod decide;
mod error;
pub mod limits;
mod loopback;
mod metrics;
mod page;
mod parameters;
mod reply;
mod routes;
mod row;
mod signals;
mod sites;
mod tester;
mod verdicts;
mod waiting;
mod watch;
mod workers;

pub use error::Error;
#[doc(hidden)]
pub use loopback::Loopback;

use app::App;
use current::Current;
use robomaton_runtime::Terms;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use workers::Workers;

/// The options of a service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The image.
    pub image: PathBuf,
    /// The address to listen on; port 0 means any free port.
    pub listen: SocketAddr,
    /// The size in bytes above which an image is mapped. Up to it, an image is read into memory.
    pub map_above: u64,
    /// True if an image is verified against the rules of its format before use, in linear time.
    pub verify: bool,
    /// The meaning of outcomes other than rules. The time is set again every second.
    pub terms: Terms,
    /// Host names that browsers may use, in addition to `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// How often the file is checked.
    pub poll: Duration,
    /// Receives messages for the operator of the service, one line at a time.
    pub remark: fn(&str),
}

/// A service with an open port and image.
pub struct Server {
    /// Accepts connections, and watches the file.
    runtime: Runtime,
    workers: Workers,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    hangup: signals::Hangup,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Server {
    /// Opens the image and the port.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn bind(options: Options) -> Result<Server, Error> {
        signals::check().map_err(Error::Runtime)?;
        let runtime = workers::runtime().map_err(Error::Runtime)?;
        let workers = Workers::start(limits::heavy()).map_err(Error::Runtime)?;
        let listen = options.listen;
        let current = Current::open(&options)?;
        let failed = |error| Error::Listen { listen, error };
        let listener = runtime.block_on(TcpListener::bind(listen)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let app = Arc::new(App::new(options, current));
        // A caller that knows the address may send a signal at once.
        let entered = runtime.enter();
        let hangup = signals::hangup().map_err(Error::Runtime)?;
        let ended = Box::pin(signals::ended().map_err(Error::Runtime)?);
        drop(entered);
        Ok(Server { runtime, workers, listener, address, app, hangup, ended })
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGTERM, SIGINT, or the end of `stop`; then completes the requests in progress,
    /// within a time limit.
    pub fn run(self, stop: impl Future<Output = ()> + Send) {
        let Server { runtime, workers, listener, app, hangup, ended, .. } = self;
        runtime.block_on(async {
            let watch = tokio::spawn(watch::watch(app.clone(), hangup));
            connections::serve(listener, app, &workers, first_of(stop, ended)).await;
            watch.abort();
        });
        // A check of the file may wait for ever, as on a file system of a network.
        runtime.shutdown_background();
    }
}

/// Waits for the first of two futures.
async fn first_of(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (std::pin::pin!(one), std::pin::pin!(other));
    std::future::poll_fn(|context| {
        let is_over = one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if is_over { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
