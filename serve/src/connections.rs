//! Connections: a limited number, each with time limits, and a shutdown that loses no request.
//!
//! It knows HTTP/1.1 and no routes.

use crate::limits::{CONNECTIONS, CROWDED, CROWDED_TIME, DRAIN, FILES, HEAD, HEAD_TIME, WRITE_TIME};
use crate::request_lines::RequestLines;
use crate::routes::Requests;
use crate::workers::Workers;
use hyper::server::conn::http1::{Builder, Connection};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The wait when the operating system has no descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// The HTTP of all connections, with the time for the head of a request.
pub(crate) fn http(head_time: Duration) -> Builder {
    let mut http = Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_time).max_header_size(HEAD);
    http
}

/// A stream with the limit for clients that read nothing, without targets that have a `#`.
type Guarded<S> = TokioIo<RequestLines<Pin<Box<TimeoutStream<S>>>>>;

/// The requests of a stream, from the first to the last one.
pub(crate) fn connection<S: AsyncRead + AsyncWrite>(
    http: &Builder,
    stream: S,
    service: Requests,
) -> Connection<Guarded<S>, Requests> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIME));
    http.serve_connection(TokioIo::new(RequestLines::new(Box::pin(stream))), service)
}

/// The number of simultaneous connections. Raises the soft limit on open files as far as they need
/// it, and as far as it may be raised.
#[cfg(unix)]
fn places() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = CONNECTIONS as u64 + FILES;
    let raised = maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let may_open = match current {
        Some(current) if current < raised => {
            let is_raised = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok();
            if is_raised { raised } else { current }
        }
        Some(current) => current,
        None => wanted,
    };
    // A quarter at least, however few files there may be.
    let places = may_open.saturating_sub(FILES).max(may_open / 4).max(1);
    usize::try_from(places).map_or(CONNECTIONS, |places| places.min(CONNECTIONS))
}

#[cfg(not(unix))]
fn places() -> usize {
    CONNECTIONS
}

/// Serves until `stop`; then accepts no more connections and completes the requests in progress.
pub(crate) async fn serve(
    listener: TcpListener,
    service: Requests,
    workers: &Workers,
    stop: impl Future<Output = ()>,
) {
    let (roomy, crowded) = (http(HEAD_TIME), http(CROWDED_TIME));
    let common = service.common();
    let graceful = GracefulShutdown::new();
    let places = places();
    let few = places.div_ceil(CROWDED);
    let places = Arc::new(Semaphore::new(places));
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
            let http = if places.available_permits() < few { &crowded } else { &roomy };
            let (http, service, watcher) = (http.clone(), service.clone(), graceful.watcher());
            let connections = common.metrics.connections.clone();
            workers.spawn(stream, async move |stream| {
                connections.inc();
                // The client notices a failed connection itself.
                let _ = watcher.watch(connection(&http, stream, service)).await;
                connections.dec();
                drop(place);
            });
        }
    };
    crate::first_of(stop, pin!(accept)).await;
    drop(listener);
    let under_way = graceful.count();
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        let remark = common.remark;
        let seconds = DRAIN.as_secs();
        remark(&format!("connections did not end within {seconds} seconds; {under_way} were under way"));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::process::{Resource, getrlimit};

    #[test]
    fn connections_leave_descriptors_to_files() {
        let places = places() as u64;
        let may_open = getrlimit(Resource::Nofile).current;
        assert!(may_open.is_none_or(|may_open| places + FILES <= may_open || places <= may_open / 4));
    }
}
