//! The service under load and hostility, in a process of its own: swaps of the image under readers,
//! every kind of hostile client beside a good one, and all of it together.
//!
//! ```text
//!   process (stage-serve) ◀── readers (every answer checked), swaps, hostile ──▶ trial ──▶ tables
//! ```
//!
//! Invariants: a wrong or lost answer, a status that is not promised, and memory or descriptors
//! over their bounds end the run. The good client shares the machine with the hostile ones, so its
//! times include their load. The soak of the long form lasts an hour, or `ROBOMATON_SOAK_SECONDS`.

mod client;
mod hostile;
mod malformed;
mod process;
mod readers;
mod sites;
mod swaps;
mod texts;
mod trial;

use crate::Form;
use client::{Client, head};
use hostile::KINDS;
use process::Process;
use robomaton_benches::results::{Results, Table};
use robomaton_serve::limits::{
    ANSWERS, BATCH, BODIES, CONNECTIONS, DRAIN, SMALL_ANSWER, SMALL_BODY, WAITING, heavy,
};
use robomaton_tests::setting;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use swaps::{Swapper, Swaps};
use trial::{COLUMNS, Trial};

/// The first argument of the process that serves.
pub(crate) const STAGE: &str = "stage-serve";

/// Clients that read while images are swapped.
const READERS: usize = 8;

/// The time in which descriptors return to their number after the clients have left.
const SETTLE: Duration = Duration::from_secs(30);

/// The pause between two swaps.
const PAUSE: Duration = Duration::from_millis(1);

/// The pause between two swaps while hostile clients work.
const LONG_PAUSE: Duration = Duration::from_millis(100);

/// Clients whose requests are half sent when the service is ended.
const HANGING: usize = 50;

/// How late a process may end on a busy machine.
const LATE: Duration = Duration::from_secs(5);

/// The bytes that HTTP reads ahead on a connection.
const READ_AHEAD: usize = 408 << 10;

/// The program with small images; the work of one heavy request beside its body and answer.
const OWN: usize = 64 << 20;

/// The most memory that the limits add up to. A body and an answer grow by doubling.
fn bound() -> u64 {
    let connections = CONNECTIONS * (SMALL_ANSWER + SMALL_BODY + READ_AHEAD);
    let work = heavy() * (2 * BATCH + 2 * ANSWERS + OWN);
    (OWN + WAITING + 2 * BODIES + connections + work) as u64
}

pub(crate) fn stage(args: &[String]) -> ExitCode {
    match args {
        [image] => process::stage(Path::new(image)),
        _ => ExitCode::FAILURE,
    }
}

/// How much is tried.
struct Amount {
    swaps: usize,
    /// The time for each kind of hostile client.
    each: Duration,
    /// The time for all together.
    soak: Duration,
}

impl Amount {
    fn of(form: Form) -> Amount {
        let (swaps, each, soak) = match form {
            Form::Short => (50, 3, 15),
            Form::Long => (1000, 20, setting("ROBOMATON_SOAK_SECONDS", 3600)),
        };
        Amount { swaps, each: Duration::from_secs(each), soak: Duration::from_secs(soak) }
    }
}

pub(crate) fn measure(form: Form, results: &mut Results) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut swapper = Swapper::new(folder.path())?;
    let process = Process::start(STAGE, swapper.image())?;
    let amount = Amount::of(form);
    let is_set = |over: &AtomicBool| over.load(Ordering::Relaxed);
    // What is opened once is open from here on.
    swapper.swap(&process, PAUSE, |used| used >= 2)?;
    let descriptors = settle(&process, usize::MAX)?;

    let mut table = Table::new("service", &COLUMNS);
    let mut swaps = Swaps::default();
    let mut conclude = |what: &str, trial: Result<Trial, String>| {
        let trial = trial.map_err(|error| format!("{what}: {error}"))?;
        eprintln!("  {what}: {}", trial.answered.count());
        settle(&process, descriptors)?;
        swaps = Swaps { used: swaps.used + trial.swaps.used, refused: swaps.refused + trial.swaps.refused };
        table.row(trial.row(what));
        Ok::<(), String>(())
    };
    let trial = Trial::run(&process, &[], READERS, |over| {
        swapper.swap(&process, PAUSE, |used| used >= amount.swaps || is_set(over))
    });
    conclude("images are replaced under 8 readers", trial)?;
    for kind in &KINDS {
        let trial = Trial::run(&process, std::slice::from_ref(kind), 1, |over| {
            let began = Instant::now();
            while began.elapsed() < amount.each && !is_set(over) {
                thread::sleep(LONG_PAUSE);
            }
            Ok(Swaps::default())
        });
        conclude(kind.0, trial)?;
    }
    let trial = Trial::run(&process, &KINDS, READERS, |over| {
        let began = Instant::now();
        swapper.swap(&process, LONG_PAUSE, |_| began.elapsed() >= amount.soak || is_set(over))
    });
    conclude("all of it together", trial)?;
    results.tables.push(table);
    results.tables.push(promises(process, descriptors, swaps)?);
    Ok(())
}

/// Waits until no more descriptors are open than before the clients came; returns their number.
fn settle(process: &Process, before: usize) -> Result<usize, String> {
    let began = Instant::now();
    loop {
        thread::sleep(LONG_PAUSE);
        let now = process.descriptors()?;
        if now <= before {
            return Ok(now);
        }
        if began.elapsed() > SETTLE {
            return Err(format!("{now} descriptors stay open, {before} were before"));
        }
    }
}

/// What holds after all of it; ends the service.
fn promises(process: Process, before: usize, swaps: Swaps) -> Result<Table, String> {
    let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
    let mut table = Table::new("service-limits", &["what:", "promised:", "seen:"]);
    let mut row = |what: &str, promised: String, seen: String| table.row(vec![what.into(), promised, seen]);
    row("images replaced; answers of another one", "0".into(), format!("{}; 0", swaps.used));
    row("damaged images; those used", "0".into(), format!("{}; 0", swaps.refused));
    let memory = process.peak_memory()?;
    row("most resident memory", format!("at most {}", mebibytes(bound())), mebibytes(memory));
    if memory > bound() {
        return Err(format!("{} of memory, over {}", mebibytes(memory), mebibytes(bound())));
    }
    let after = settle(&process, before)?;
    row("open descriptors after all clients left", format!("at most {before}"), after.to_string());
    let mut hanging = Vec::new();
    for _ in 0..HANGING {
        let client = Client::connect(process.address)?;
        client.send(head("/v1/decide", BATCH));
        hanging.push(client);
    }
    let took = process.end(DRAIN + LATE)?;
    let promised = format!("exit code 0 after {} s", DRAIN.as_secs());
    let what = format!("SIGTERM while {HANGING} clients send nothing more");
    row(&what, promised, format!("exit code 0 after {:.1} s", took.as_secs_f64()));
    Ok(table)
}
