//! Connections: a limited number, each with time limits, and a shutdown that loses no request.
//!
//! It knows HTTP/1.1 and no routes.

use crate::app::App;
use crate::limits::{CONNECTIONS, CROWDED, CROWDED_TIME, DRAIN, HEAD, HEAD_TIME, WRITE_TIME};
use crate::routes::Requests;
use crate::workers::Workers;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The wait when the operating system has no descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop`; then accepts no more connections and completes the requests in progress.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    workers: &Workers,
    stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_header_size(HEAD);
    let mut crowded = http.clone();
    crowded.header_read_timeout(CROWDED_TIME);
    let service = Requests::new(app.clone());
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let accept = async {
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                // The client has gone, or there are no descriptors left: neither lasts for ever.
                Err(_) => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // Without it an answer may wait for an acknowledgement; a socket that does not support
            // it still works.
            let _ = stream.set_nodelay(true);
            let http = if places.available_permits() < CROWDED { &crowded } else { &http };
            let (http, service, watcher) = (http.clone(), service.clone(), graceful.watcher());
            let connections = app.metrics.connections.clone();
            workers.spawn(stream, async move |stream| {
                connections.inc();
                let mut stream = TimeoutStream::new(stream);
                stream.set_write_timeout(Some(WRITE_TIME));
                let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
                // The client notices a failed connection itself.
                let _ = watcher.watch(connection).await;
                connections.dec();
                drop(place);
            });
        }
    };
    crate::first_of(stop, pin!(accept)).await;
    drop(listener);
    let under_way = graceful.count();
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        let remark = app.options.remark;
        remark(&format!("of {under_way} connections not all ended within {} seconds", DRAIN.as_secs()));
    }
}
