//! Signals: a command that writes files removes the unfinished ones before a signal ends it.
//!
//! One thread waits for signals, as nearly nothing may be done inside a handler. It does not know
//! what is written.

use crate::failure::Failure;
#[cfg(unix)]
use crate::output::error;
#[cfg(unix)]
use robomaton_build::remove_unfinished;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
#[cfg(unix)]
use signal_hook::{flag, iterator::Signals, low_level::signal_name};
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};
#[cfg(unix)]
use std::thread;

/// Makes a write beyond the user's limit on the size of files an error, instead of the end of the
/// process.
#[cfg(unix)]
pub(crate) fn survive_size_limit() {
    // If that fails, the system's default stays.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// From now on, removes unfinished outputs when the user or the system ends the command. The exit
/// code is that of a command that the signal ended, as shells show it.
///
/// # Errors
/// If no thread can be started.
#[cfg(unix)]
pub(crate) fn watch() -> Result<(), Failure> {
    let ignored = ignored();
    let watched = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored & bit(*signal) == 0);
    let Ok(mut signals) = Signals::new(watched) else { return Ok(()) };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            let _removed = remove_unfinished();
            error(&format!("stopped by {}", signal_name(signal).unwrap_or("a signal")));
            std::process::exit(128 + signal);
        }
    };
    // Without it, the signals would be caught and nothing would happen.
    let started = thread::Builder::new().spawn(wait).map(drop);
    started.map_err(|error| Failure::Message(format!("cannot start threads: {error}")))
}

/// The signals that are ignored, as SIGHUP under `nohup`: they stay so.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Where the system does not say, whoever wants the command to go on is right.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(bit(SIGHUP))
}

#[cfg(unix)]
fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

#[cfg(not(unix))]
pub(crate) fn survive_size_limit() {}

#[cfg(not(unix))]
pub(crate) fn watch() -> Result<(), Failure> {
    Ok(())
}
