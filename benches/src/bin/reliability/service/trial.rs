//! One trial: readers and hostile clients at the same time, each on a thread, while something is
//! done to the service.
//!
//! Invariant: the first complaint of any of them ends all, and is the result.

use crate::service::hostile::{Attack, Tally, Target};
use crate::service::process::{Peak, Process};
use crate::service::readers::{Answered, read};
use crate::service::swaps::Swaps;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The longest that a single question may take, whatever others do.
const SINGLE: Duration = Duration::from_secs(5);

/// The longest that a small batch or an explanation may have to wait for the work of others.
const HEAVY: Duration = Duration::from_secs(60);

/// The pause of a reader between two questions, which leaves the machine to the others.
const PAUSE: Duration = Duration::from_millis(1);

/// The columns of the table of trials.
pub(crate) const COLUMNS: [&str; 11] = [
    "while:",
    "s",
    "tried",
    "answers of each status:",
    "right answers of good clients",
    "p50 (ms)",
    "p99 (ms)",
    "slowest (ms)",
    "slowest batch or explanation (ms)",
    "peak RSS (MiB)",
    "peak descriptors",
];

/// The result of a trial.
pub(crate) struct Trial {
    took: Duration,
    pub(crate) answered: Answered,
    tally: Tally,
    peak: Peak,
    pub(crate) swaps: Swaps,
}

impl Trial {
    /// Lets readers and hostile clients work until `work` is done.
    pub(crate) fn run(
        process: &Process,
        kinds: &[(&str, Attack)],
        readers: usize,
        work: impl FnOnce(&AtomicBool) -> Result<Swaps, String>,
    ) -> Result<Trial, String> {
        let over = AtomicBool::new(false);
        let target = Target { address: process.address, over: &over };
        let began = Instant::now();
        thread::scope(|scope| {
            let over = &over;
            let sampler = scope.spawn(move || ended(process.watch(over), over));
            let start_reader = |_| scope.spawn(move || ended(read(process.address, PAUSE, over), over));
            let readers: Vec<_> = (0..readers).map(start_reader).collect();
            let start_kind = |&(_, attack): &(&str, Attack)| scope.spawn(move || ended(attack(target), over));
            let hostile: Vec<_> = kinds.iter().map(start_kind).collect();
            let swaps = work(over);
            over.store(true, Ordering::Relaxed);
            let mut trial = Trial {
                took: began.elapsed(),
                answered: Answered::default(),
                tally: Tally::default(),
                peak: Peak::default(),
                swaps: Swaps::default(),
            };
            for reader in readers {
                trial.answered.add(joined(reader)?);
            }
            for client in hostile {
                trial.tally.add(&joined(client)?);
            }
            trial.peak = joined(sampler)?;
            trial.swaps = swaps?;
            trial.answered.singles.sort_unstable();
            trial.answered.heavy.sort_unstable();
            trial.check()
        })
    }

    /// The same trial, if no answer came too late.
    fn check(self) -> Result<Trial, String> {
        let Answered { singles, heavy } = &self.answered;
        match (singles.last(), heavy.last()) {
            (Some(&single), _) if single > SINGLE => Err(format!("a question took {single:?}")),
            (_, Some(&heavy)) if heavy > HEAVY => Err(format!("a batch or an explanation took {heavy:?}")),
            (Some(_), _) => Ok(self),
            (None, _) => Err("nothing was asked".to_owned()),
        }
    }

    /// The row of the table of trials.
    pub(crate) fn row(&self, what: &str) -> Vec<String> {
        let Trial { took, answered, tally, peak, .. } = self;
        let at = |times: &[Duration], part: usize| {
            let time = times.get((times.len() * part / 1000).min(times.len().saturating_sub(1)));
            time.map_or("-".to_owned(), |time| format!("{:.2}", time.as_secs_f64() * 1e3))
        };
        let statuses: Vec<String> =
            tally.answers.iter().map(|(status, count)| format!("{status}: {count}")).collect();
        vec![
            what.to_owned(),
            took.as_secs().to_string(),
            tally.tried.to_string(),
            if statuses.is_empty() { "-".to_owned() } else { statuses.join(", ") },
            answered.count().to_string(),
            at(&answered.singles, 500),
            at(&answered.singles, 990),
            at(&answered.singles, 1000),
            at(&answered.heavy, 1000),
            (peak.memory >> 20).to_string(),
            peak.descriptors.to_string(),
        ]
    }
}

/// Ends everything after a failure.
fn ended<T>(result: Result<T, String>, over: &AtomicBool) -> Result<T, String> {
    if result.is_err() {
        over.store(true, Ordering::Relaxed);
    }
    result
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, String>>) -> Result<T, String> {
    thread.join().map_err(|_| "a client panicked".to_owned())?
}
