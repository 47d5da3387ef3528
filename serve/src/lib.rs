//! Serves answers from an image over HTTP: single questions, batches, sites, explanations, and a
//! page for testing robots.txt files. Or takes captures into a store, and answers from it.
//!
//! ```text
//!   file ──▶ current ──▶ app ──▶ decide, verdicts, about, sites, … ──▶ reply (JSON, words, page)
//!              ▲          ▲                        ▲
//!        watch, agents  metrics   connections ──▶ workers ──▶ routes
//!                                                               ▼
//!   store of captures ◀── store (compaction) ◀── captures, frontier, answers, held, token
//! ```
//!
//! It stands next to `cli`, above `explain` and `runtime`, which produce every answer, in the words
//! of the command; captures go to `robomaton-store`. Invariants: a request is answered from one
//! image from its beginning to its end; an image that cannot be opened never replaces one that
//! could; a request costs no more than [`limits`] allow, whatever it contains. It has no TLS and no
//! users: by default it listens only on this machine, and a proxy in front of it does the rest.
//!
//! docs/service.md shows every endpoint with a real answer.

mod about;
mod agents;
mod answers;
mod app;
mod cache;
mod captures;
mod connections;
mod crawlers;
mod current;
mod decide;
mod error;
mod frontier;
mod held;
pub mod limits;
mod loopback;
mod metrics;
mod page;
mod parameters;
mod pool;
mod queries;
mod reply;
mod request_lines;
mod routes;
mod row;
mod signals;
mod sites;
mod stamps;
mod store;
mod tester;
mod token;
mod verdicts;
mod waiting;
mod watch;
mod workers;

pub use error::Error;
#[doc(hidden)]
pub use loopback::Loopback;
pub use store::StoreServerOptions;
pub use token::Token;

use app::{App, Common};
use current::Current;
use robomaton_runtime::Terms;
use routes::Requests;
use store::{Compaction, StoreApp};

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
    /// True if a stack is opened without the layers that are missing or damaged. They are reported,
    /// and each layer is verified.
    pub without_damaged_layers: bool,
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
    /// Accepts connections, and watches the file of an image.
    runtime: Runtime,
    workers: Workers,
    listener: TcpListener,
    address: SocketAddr,
    requests: Requests,
    upkeep: Upkeep,
    hangup: signals::Hangup,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// The work beside the requests.
struct Upkeep {
    /// A service over an image, whose file is watched.
    watched: Option<Arc<App>>,
    /// The compaction of a store.
    compaction: Option<Compaction>,
}

impl Server {
    /// Opens the image and the port.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn bind(options: Options) -> Result<Server, Error> {
        let listen = options.listen;
        Server::over(listen, || {
            let current = Current::open(&options)?;
            let pool = Common::threads().map_err(Error::Runtime)?;
            let app = Arc::new(App::new(options, current, pool));
            Ok((Requests::of_image(app.clone()), Upkeep { watched: Some(app), compaction: None }))
        })
    }

    /// Opens the store and the port.
    ///
    /// # Errors
    /// If one of them cannot be opened, or there is no token and the address is not of this machine
    /// only.
    pub fn bind_store(options: StoreServerOptions) -> Result<Server, Error> {
        Server::over(options.listen, || {
            let app = Arc::new(StoreApp::open(options)?);
            let compaction = Some(Compaction::start(app.clone())?);
            Ok((Requests::of_store(app), Upkeep { watched: None, compaction }))
        })
    }

    fn over(
        listen: SocketAddr,
        open: impl FnOnce() -> Result<(Requests, Upkeep), Error>,
    ) -> Result<Server, Error> {
        signals::check().map_err(Error::Runtime)?;
        let runtime = workers::runtime().map_err(Error::Runtime)?;
        let workers = Workers::start(limits::heavy()).map_err(Error::Runtime)?;
        let (requests, upkeep) = open()?;
        let failed = |error| Error::Listen { listen, error };
        let listener = runtime.block_on(TcpListener::bind(listen)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // A caller that knows the address may send a signal at once.
        let entered = runtime.enter();
        let hangup = signals::hangup().map_err(Error::Runtime)?;
        let ended = Box::pin(signals::ended().map_err(Error::Runtime)?);
        drop(entered);
        Ok(Server { runtime, workers, listener, address, requests, upkeep, hangup, ended })
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGTERM, SIGINT, or the end of `stop`; then completes the requests in progress,
    /// within a time limit.
    pub fn run(self, stop: impl Future<Output = ()> + Send) {
        let Server { runtime, workers, listener, requests, upkeep, hangup, ended, .. } = self;
        let Upkeep { watched, compaction } = upkeep;
        runtime.block_on(async {
            if let Some(app) = watched {
                // They end with the runtime.
                tokio::spawn(watch::clock(Arc::clone(&app)));
                tokio::spawn(watch::watch(app, hangup));
            }
            connections::serve(listener, requests, &workers, first_of(stop, ended)).await;
        });
        // Of a store, nothing may be written once another process can open it.
        drop(compaction);
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
