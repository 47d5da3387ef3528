//! Signals of the operating system: to end the service, and to reload the image.
//!
//! Without SIGHUP, only the watch reloads the image.

use std::io;

/// Checks that there are enough descriptors for signals: without them, the runtime panics.
#[cfg(unix)]
pub(crate) fn check() -> io::Result<()> {
    // The runtime opens three descriptors, and then a pair for its signals.
    let pair = std::os::unix::net::UnixStream::pair;
    let _held = (pair()?, pair()?, pair()?);
    Ok(())
}

/// Checks nothing.
#[cfg(not(unix))]
pub(crate) fn check() -> io::Result<()> {
    Ok(())
}

/// Waits for SIGTERM or SIGINT.
#[cfg(unix)]
pub(crate) fn ended() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        let term = async {
            term.recv().await;
        };
        let int = async {
            int.recv().await;
        };
        crate::first_of(term, int).await;
    })
}

/// Waits for the end signal of a console.
#[cfg(not(unix))]
pub(crate) fn ended() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}

/// A stream of SIGHUP signals.
pub(crate) struct Hangup(#[cfg(unix)] tokio::signal::unix::Signal);

/// Subscribes to SIGHUP.
#[cfg(unix)]
pub(crate) fn hangup() -> io::Result<Hangup> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).map(Hangup)
}

/// Subscribes to nothing.
#[cfg(not(unix))]
pub(crate) fn hangup() -> io::Result<Hangup> {
    Ok(Hangup())
}

impl Hangup {
    /// Waits for the next signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }

    /// Never returns.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        std::future::pending().await
    }
}
