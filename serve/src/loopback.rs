//! A service without a port, for fuzz targets: connections are streams of its caller.
//!
//! Requests pass through everything that those of [`crate::Server`] do, except the limit for the
//! number of connections. The image is not watched. Invariant: nothing here runs by itself; all
//! time is that of the caller's runtime.

use crate::Options;
use crate::app::App;
use crate::connections::{connection, http};
use crate::current::Current;
use crate::error::Error;
use crate::limits::HEAD_TIME;
use crate::pool::Pool;
use crate::routes::Requests;
use hyper::server::conn::http1::Builder;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A service without a port.
pub struct Loopback {
    http: Builder,
    requests: Requests,
}

impl Loopback {
    /// Opens the image.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(options: Options) -> Result<Loopback, Error> {
        let current = Current::open(&options)?;
        let app = App::new(options, current, Pool::none());
        let requests = Requests::of_image(Arc::new(app));
        Ok(Loopback { http: http(HEAD_TIME), requests })
    }

    /// Answers the requests of one connection until it ends. It needs a runtime of tokio.
    pub async fn converse(&self, stream: impl AsyncRead + AsyncWrite) {
        // What a client of TCP notices, the owner of the stream sees in it.
        let _ = connection(&self.http, stream, self.requests.clone()).await;
    }
}
