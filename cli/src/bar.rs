//! A progress bar on a terminal.
//!
//! It does not know what is counted: the job counts, and the bar polls it ten times a second.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Runs a job with a bar of this shape, if standard error is a terminal. `look` updates the bar.
pub(crate) fn with_bar<T>(
    total: Option<u64>,
    shape: &str,
    look: impl Fn(&ProgressBar) + Sync,
    job: impl FnOnce() -> T,
) -> T {
    if !io::stderr().is_terminal() {
        return job();
    }
    let bar = ProgressBar::new(total.unwrap_or(0));
    if let Ok(style) = ProgressStyle::with_template(shape) {
        bar.set_style(style.progress_chars("=> "));
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let poll = || {
            while !done.load(Ordering::Relaxed) {
                look(&bar);
                thread::park_timeout(Duration::from_millis(100));
            }
        };
        // Without a thread, the bar stands still.
        let _ = thread::Builder::new().spawn_scoped(scope, poll);
        let result = job();
        done.store(true, Ordering::Relaxed);
        bar.finish_and_clear();
        result
    })
}
