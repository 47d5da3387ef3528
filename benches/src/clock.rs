//! Rounds and medians: contestants take turns, so that disturbances of the machine affect all of
//! them.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The median of some times, zero if there are none.
pub fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A contestant: a name, and one pass over all its questions, which returns a number that depends
/// on every answer.
pub struct Contestant<'a> {
    /// The name in tables.
    pub name: &'static str,
    /// The number of answers in one pass.
    pub count: usize,
    /// One pass.
    pub pass: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Contestant<'a> {
    /// A contestant.
    pub fn new(name: &'static str, count: usize, pass: impl FnMut() -> usize + 'a) -> Contestant<'a> {
        Contestant { name, count, pass: Box::new(pass) }
    }
}

/// Lets contestants take turns for `rounds` rounds, after one that does not count; returns the
/// median nanoseconds per answer of each.
pub fn race(contestants: &mut [Contestant<'_>], rounds: usize) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..=rounds {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            black_box((contestant.pass)());
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    let per_answer = |(times, contestant): (&mut Vec<Duration>, &Contestant<'_>)| {
        median(times).as_secs_f64() * 1e9 / contestant.count.max(1) as f64
    };
    times.iter_mut().zip(contestants.iter()).map(per_answer).collect()
}

/// The median time of a call over some rounds, after one that does not count.
pub fn time<T>(rounds: usize, mut call: impl FnMut() -> T) -> Duration {
    black_box(call());
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed()
        })
        .collect();
    median(&mut times)
}

/// The shortest time that a call took of the processor over some rounds: the one that was disturbed
/// least. Waiting while other processes run does not count.
pub fn fastest<T>(rounds: usize, mut call: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = used();
        black_box(call());
        used().saturating_sub(start)
    };
    (0..rounds).map(time).min().unwrap_or_default()
}

/// The time that all threads of this process took of the processor.
fn used() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(tv_sec.unsigned_abs(), u32::try_from(tv_nsec).unwrap_or_default())
}

/// The time of reading the clock in nanoseconds: the median of many.
pub fn own_time() -> f64 {
    let mut times: Vec<Duration> = (0..10_001).map(|_| Instant::now().elapsed()).collect();
    median(&mut times).as_secs_f64() * 1e9
}
