//! The times of many calls, in buckets: a sixteenth of a power of two wide, so that a share is off
//! by six percent at most and the memory does not grow with the calls.

use std::time::Duration;

/// Buckets of each power of two.
const PARTS: u32 = 16;

/// The times of calls.
pub(crate) struct Latencies {
    counts: Vec<u64>,
    longest: Duration,
}

impl Latencies {
    pub(crate) fn new() -> Latencies {
        Latencies { counts: vec![0; 64 * PARTS as usize], longest: Duration::ZERO }
    }

    pub(crate) fn add(&mut self, time: Duration) {
        self.longest = self.longest.max(time);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(u64::from(PARTS));
        let power = nanoseconds.ilog2();
        let part = (nanoseconds >> (power - PARTS.ilog2())) as usize % PARTS as usize;
        self.counts[power as usize * PARTS as usize + part] += 1;
    }

    pub(crate) fn join(&mut self, other: &Latencies) {
        self.longest = self.longest.max(other.longest);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, other)| *count += other);
    }

    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The time that this share of the calls did not exceed, in microseconds.
    pub(crate) fn microseconds(&self, share: f64) -> f64 {
        let wanted = (self.count() as f64 * share) as u64;
        let mut seen = 0;
        let bucket = self.counts.iter().position(|count| {
            seen += count;
            seen > wanted
        });
        let (power, part) =
            bucket.map_or((0, 0), |bucket| (bucket / PARTS as usize, bucket % PARTS as usize));
        (1.0 + (part + 1) as f64 / f64::from(PARTS)) * (power as f64).exp2() / 1e3
    }

    /// Count, median, shares and longest time, as cells of a table.
    pub(crate) fn cells(&self) -> Vec<String> {
        let at = |share| format!("{:.1}", self.microseconds(share));
        let longest = format!("{:.1}", self.longest.as_secs_f64() * 1e3);
        vec![self.count().to_string(), at(0.5), at(0.99), at(0.999), longest]
    }

    /// The columns of these cells.
    pub(crate) const COLUMNS: [&str; 5] = ["calls", "median µs", "p99 µs", "p99.9 µs", "longest ms"];
}
