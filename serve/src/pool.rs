//! Threads for longer work, all started at the beginning: a system that refuses one later on must
//! not take a batch, or the watch of the file, from a service that runs.
//!
//! [`crate::app`] hands work over. Invariant: a panic ends the work, not its thread. It does not
//! know how much work there is at a time, nor who waits for it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// The threads; `None` if the one that hands work over does it. They end when it is dropped, and
/// nobody waits for what they do then.
pub(crate) struct Pool(Option<Sender<Work>>);

impl Pool {
    /// Starts some threads.
    ///
    /// # Errors
    /// If the operating system refuses one.
    pub(crate) fn start(threads: usize) -> io::Result<Pool> {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            thread::Builder::new().name("robomaton-work".to_owned()).spawn(move || run(&receiver))?;
        }
        Ok(Pool(Some(sender)))
    }

    /// No threads: for a service whose clock stands still while anything works, which a thread
    /// beside it would not be seen to do.
    pub(crate) fn none() -> Pool {
        Pool(None)
    }

    /// Does work on the next thread that is free. `None` after a panic, which was printed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = oneshot::channel();
        let work: Work = Box::new(move || {
            // Nobody may wait for it any more.
            let _ = done.send(work());
        });
        match &self.0 {
            Some(threads) => threads.send(work).ok()?,
            None => do_one(work),
        }
        result.await.ok()
    }
}

/// Does one work after another, until nobody can hand any over.
fn run(receiver: &Mutex<Receiver<Work>>) {
    loop {
        // The lock is held by the thread that waits for work, and by none that works.
        let work = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = work else { return };
        do_one(work);
    }
}

/// Does work, which may panic.
fn do_one(work: Work) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_no_thread() {
        let runtime = crate::workers::runtime().expect("a runtime");
        for pool in [Pool::start(1).expect("a thread"), Pool::none()] {
            let done = async {
                let panicked = pool.run(|| std::panic::resume_unwind(Box::new(()))).await;
                (panicked, pool.run(|| 7).await)
            };
            assert_eq!(runtime.block_on(done), (None::<()>, Some(7)));
        }
    }
}
