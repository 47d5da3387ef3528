//! The threads that answer: each drives its own connections, from the first to the last request.
//!
//! A connection never moves to another thread, so no thread is woken for what another could do. A
//! request takes some microseconds, and longer work runs elsewhere ([`crate::app::App::apart`]), so
//! there is nothing to balance but the number of connections. It knows no HTTP.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

/// All threads. Dropping it ends them, and the connections that they still have.
pub(crate) struct Workers(Vec<Worker>);

struct Worker {
    handle: Handle,
    /// One reference for each of its connections, in addition to this one.
    connections: Arc<()>,
    /// Dropped to end the thread.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A runtime for one thread.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

impl Workers {
    /// Starts some threads.
    ///
    /// # Errors
    /// If the operating system refuses one.
    pub(crate) fn start(threads: usize) -> io::Result<Workers> {
        (0..threads).map(|_| Worker::start()).collect::<io::Result<_>>().map(Workers)
    }

    /// Runs a connection on the thread that has the fewest.
    pub(crate) fn spawn<F: Future<Output = ()> + Send>(
        &self,
        stream: TcpStream,
        connection: impl FnOnce(TcpStream) -> F + Send + 'static,
    ) {
        let Some(worker) = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.connections)) else {
            return;
        };
        // The stream is registered with the runtime that accepted it, and has to be with the one
        // that reads it.
        let Ok(stream) = stream.into_std() else { return };
        let counted = Arc::clone(&worker.connections);
        worker.handle.spawn(async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                connection(stream).await;
            }
            drop(counted);
        });
    }
}

impl Worker {
    fn start() -> io::Result<Worker> {
        let runtime = runtime()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let thread = thread::Builder::new().name("robomaton-worker".to_owned()).spawn(move || {
            // Nothing is sent: the sender is dropped.
            let _ = runtime.block_on(ended);
            // Requests had their time to end, and nobody waits for other work.
            runtime.shutdown_background();
        })?;
        Ok(Worker { handle, connections: Arc::default(), end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.end.take());
        // A panic of the runtime was printed by its thread.
        self.thread.take().map(JoinHandle::join);
    }
}
