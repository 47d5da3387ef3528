//! The threads for longer work, beside those that answer: a fixed number, started with the service.
//!
//! So a lack of threads is an error at the start, never one of a request, and a panic ends no
//! thread. Invariant: no more work is handed over than there are threads; the rest waits, and goes
//! when nobody waits for it any more. It knows no request.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::sync::{Semaphore, oneshot};

/// A piece of work.
type Work = Box<dyn FnOnce() + Send>;

/// The threads. They end when it is dropped, each after its work.
pub(crate) struct Heavy {
    works: Sender<Work>,
    /// One for each thread.
    places: Arc<Semaphore>,
}

impl Heavy {
    /// Starts some threads.
    ///
    /// # Errors
    /// If the operating system refuses one.
    pub(crate) fn start(threads: usize) -> io::Result<Heavy> {
        let (works, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name("robomaton-heavy".to_owned()).spawn(move || work(&queue))?;
        }
        Ok(Heavy { works, places: Arc::new(Semaphore::new(threads)) })
    }

    /// The result of work on one of the threads; `None` if the work panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let (result, done) = oneshot::channel();
        let work = move || {
            // Held until the work ends, which may be later than the future that waits for it.
            let _place = place;
            // Nobody receives it if the client has gone.
            let _ = result.send(work());
        };
        self.works.send(Box::new(work)).ok()?;
        done.await.ok()
    }
}

/// Does the work of a queue until the service ends.
fn work(queue: &Mutex<Receiver<Work>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        // The panic was printed, and the sender of the result is dropped.
        let _ = catch_unwind(AssertUnwindSafe(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_panic_ends_no_thread() {
        let heavy = Heavy::start(1).expect("a thread");
        let test = async {
            assert_eq!(heavy.run(|| panic!("as it should")).await, None::<()>);
            assert_eq!(heavy.run(|| 7).await, Some(7));
        };
        crate::workers::runtime().expect("a runtime").block_on(test);
    }

    #[test]
    fn work_waits_for_a_thread() {
        let heavy = Heavy::start(1).expect("a thread");
        let (end, ended) = channel::<()>();
        let test = async {
            let mut first = Box::pin(heavy.run(move || ended.recv().is_err()));
            let second = tokio::time::timeout(Duration::from_millis(50), heavy.run(|| ()));
            assert!(tokio::time::timeout(Duration::from_millis(50), &mut first).await.is_err());
            assert!(second.await.is_err(), "the only thread works");
            drop(end);
            assert_eq!(first.await, Some(true));
            assert_eq!(heavy.run(|| ()).await, Some(()));
        };
        crate::workers::runtime().expect("a runtime").block_on(test);
    }
}
