//! Answers from an image over HTTP: single questions, batches, sites, explanations, and a page to
//! try files on.
//!
//! ```text
//!   file ──▶ current ──▶ app ──▶ decide, about, sites, crawlers, tester ──▶ reply (JSON, page)
//!              ▲          ▲                        ▲
//!            watch     metrics      connections ──▶ routes
//! ```
//!
//! Stands beside `cli`, above `explain` and `runtime`: they give every answer, in the words that
//! the command prints. Invariants: a request is answered from one image from its beginning to its
//! end; an image that cannot be opened never replaces one that could; a request costs no more than
//! [`limits`] allow, whatever it holds. It knows no TLS and no users: it binds to this machine
//! unless told otherwise, and a proxy in front of it does the rest.
//!
//! docs/service.md shows every endpoint with a real answer.

mod about;
mod app;
mod connections;
mod crawlers;
mod current;
mod decide;
mod error;
pub mod limits;
mod metrics;
mod page;
mod parameters;
mod reply;
mod routes;
mod row;
mod signals;
mod sites;
mod tester;
mod watch;

pub use error::Error;

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

/// The options of a service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The image.
    pub image: PathBuf,
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
    /// Whether an image is checked against the rules of its format before it is used, in linear
    /// time.
    pub verify: bool,
    /// What an outcome other than rules means. The time is set anew each second.
    pub terms: Terms,
    /// Names, beside `localhost` and IP addresses, under which browsers may ask.
    pub hosts: Vec<String>,
    /// How often the file is looked at.
    pub poll: Duration,
    /// Receives messages for whoever runs the service, a line at a time.
    pub remark: fn(&str),
}

/// A service that is bound and has its image open.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    hangup: signals::Hangup,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Server {
    /// Opens the image and takes the port.
    ///
    /// # Errors
    /// When either cannot be had.
    pub fn bind(options: Options) -> Result<Server, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(limits::heavy() + 1)
            .build()
            .map_err(Error::Runtime)?;
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
        Ok(Server { runtime, listener, address, app, hangup, ended })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGTERM, SIGINT, or the end of `stop`; then ends what is under way, within a
    /// limit.
    pub fn run(self, stop: impl Future<Output = ()> + Send) {
        let Server { runtime, listener, app, hangup, ended, .. } = self;
        runtime.block_on(async {
            let watch = tokio::spawn(watch::watch(app.clone(), hangup));
            connections::serve(listener, app, first_of(stop, ended)).await;
            watch.abort();
        });
    }
}

/// Waits for the first of two.
async fn first_of(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (std::pin::pin!(one), std::pin::pin!(other));
    std::future::poll_fn(|context| {
        let is_over = one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if is_over { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
