//! Visit times and request rates of a group, and the arithmetic on them.
//!
//! The compiler stores schedules and the runtime queries them. The records are Crawl-delay (R18)
//! and those of Captain Napalm's proposal of 1996: Visit-time (N15), Request-rate (N16, N17) and
//! Comment (N18). Times are UTC. Invariants: exact integers, no clock, and a result for every
//! `u64`; an interval is rounded up, never down, so that no crawler is faster than the file
//! permits. This file does not know how the records are written.

use crate::text;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// The last second of the year 9999, in Unix time. RFC 3339 has no later time; a larger number is
/// in a unit other than seconds.
pub const LATEST: u64 = 253_402_300_799;

const MINUTES: u16 = 24 * 60;
const MINUTE: u128 = 60 * 1000;
const DAY: u128 = MINUTES as u128 * MINUTE;

/// The least interval under the rule of thumb, in milliseconds (N17).
const THUMB: u64 = 10_000;

/// A part of the day, in minutes since midnight UTC. It extends past midnight if the end comes
/// before the beginning.
///
/// Both end minutes belong to the window, as named in the file: real files combine `0530-2059` with
/// `2100-0529` to cover the whole day. Equal ends also mean the whole day. So no window is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "(u16, u16)", into = "(u16, u16)")]
pub struct Window {
    from: u16,
    to: u16,
}

/// A number of documents per period (N16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rate {
    /// The number of documents.
    pub documents: NonZeroU32,
    /// The period in seconds.
    pub seconds: NonZeroU32,
    /// The time of day when the rate is in force; `None` for always.
    pub window: Option<Window>,
}

/// The time records of one group, each list in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Crawl-delays in milliseconds (R18). The longest applies.
    pub delays: Vec<u64>,
    /// Request-rates (N16).
    pub rates: Vec<Rate>,
    /// Visit-times (N15). The proposal has one for each rule set; if there are several, any of them
    /// permits a visit.
    pub visits: Vec<Window>,
    /// Comments, to be reported to the crawler's author (N18).
    #[serde(deserialize_with = "text::read_all")]
    pub comments: Vec<String>,
}

/// The time from one document to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The time in milliseconds.
    pub millis: u64,
    /// The origin of the interval.
    pub source: Source,
}

/// The origin of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A Request-rate that is in force (N16).
    Rate,
    /// A Crawl-delay that is longer (R18).
    Delay,
    /// Neither: the slower of twice the time of retrieval and ten seconds (N17).
    RuleOfThumb,
}

impl Window {
    /// The window from one minute of the day through another: `from` is below 1440, `to` is at most
    /// 1440 (`24:00`).
    pub fn new(from: u16, to: u16) -> Option<Window> {
        (from < MINUTES && to <= MINUTES).then_some(Window { from, to })
    }

    /// The first minute.
    pub fn from(self) -> u16 {
        self.from
    }

    /// The last minute.
    pub fn to(self) -> u16 {
        self.to
    }

    /// True if the window contains this minute of the day. Minutes from 1440 on are in no window.
    pub fn contains(self, minute: u16) -> bool {
        let Window { from, to } = self;
        minute < MINUTES
            && if from < to {
                (from..=to).contains(&minute)
            } else {
                minute >= from || minute <= to || from == to
            }
    }
}

impl fmt::Display for Window {
    /// `05:30-20:59`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Window { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

impl TryFrom<(u16, u16)> for Window {
    type Error = &'static str;

    fn try_from((from, to): (u16, u16)) -> Result<Window, Self::Error> {
        Window::new(from, to).ok_or("a window outside the day")
    }
}

impl From<Window> for (u16, u16) {
    fn from(window: Window) -> (u16, u16) {
        (window.from, window.to)
    }
}

impl Rate {
    /// A rate; `None` if a number is zero.
    pub fn new(documents: u32, seconds: u32, window: Option<Window>) -> Option<Rate> {
        Some(Rate { documents: NonZeroU32::new(documents)?, seconds: NonZeroU32::new(seconds)?, window })
    }

    /// The time per document in milliseconds.
    pub fn millis(self) -> u64 {
        (u64::from(self.seconds.get()) * 1000).div_ceil(self.documents.get().into())
    }

    /// True if this rate allows fewer documents per unit of time than `other`. The product of two
    /// `u32` does not overflow.
    pub fn is_slower_than(self, other: Rate) -> bool {
        let times = |documents: NonZeroU32, seconds: NonZeroU32| {
            u64::from(documents.get()) * u64::from(seconds.get())
        };
        times(self.documents, other.seconds) < times(other.documents, self.seconds)
    }
}

impl Schedule {
    /// The longest Crawl-delay in seconds (R18).
    pub fn crawl_delay(&self) -> Option<f64> {
        self.delays.iter().max().map(|&millis| millis as f64 / 1000.0)
    }

    /// Adds the records of another group for the same crawler (R7).
    pub fn merge(&mut self, other: Schedule) {
        self.delays.extend(other.delays);
        self.rates.extend(other.rates);
        self.visits.extend(other.visits);
        self.comments.extend(other.comments);
    }

    /// The rate in force at a Unix time. Rates for that time of the day come before rates for any
    /// (N16). Among several, the one that allows the fewest documents per unit of time applies
    /// (N17); among equals, the first.
    pub fn rate_at(&self, now: u64) -> Option<Rate> {
        self.rate_in(minute_of_day(millis(now)))
    }

    /// True if a visit is welcome at a Unix time (N15).
    pub fn may_visit(&self, now: u64) -> bool {
        self.is_open(minute_of_day(millis(now)))
    }

    /// The interval between documents at a Unix time: the interval of the rate in force or the
    /// longest delay, whichever is longer. Without either, the rule of thumb applies: ten seconds,
    /// or twice the time that the last document took if that is longer (N17). A delay of zero
    /// counts as a delay.
    pub fn interval(&self, now: u64, retrieval: Option<Duration>) -> Interval {
        self.interval_in(minute_of_day(millis(now))).unwrap_or_else(|| rule_of_thumb(retrieval))
    }

    /// The time to wait from `now` until the next document, both times in Unix seconds: until a
    /// visit is welcome, and until the interval in force at that moment has passed since the last
    /// document. It is the least such time, so a caller that waits and asks again without a fetch
    /// does not wait any longer.
    ///
    /// Without a last visit there is no interval to wait for. The rule of thumb is followed only if
    /// `retrieval` is given. A last visit in the future counts as now.
    pub fn wait(&self, now: u64, last_visit: Option<u64>, retrieval: Option<Duration>) -> Duration {
        let thumb = retrieval.map(|time| rule_of_thumb(Some(time)));
        let last = last_visit.map(|last| millis(last.min(now)));
        let now = millis(now);
        let due = |minute| match (last, self.interval_in(minute).or(thumb)) {
            (Some(last), Some(interval)) => now.max(last + u128::from(interval.millis)),
            _ => now,
        };
        // The wait ends in some minute of the day, and nothing changes within a minute.
        let open = (0..MINUTES).filter(|&minute| self.is_open(minute));
        let next = open.map(|minute| next_in(minute, due(minute))).min().unwrap_or(now);
        let wait = next - now;
        Duration::from_millis(u64::try_from(wait).unwrap_or(u64::MAX))
    }

    fn is_open(&self, minute: u16) -> bool {
        self.visits.is_empty() || self.visits.iter().any(|window| window.contains(minute))
    }

    fn rate_in(&self, minute: u16) -> Option<Rate> {
        let slowest = |slow: Rate, next: Rate| if next.is_slower_than(slow) { next } else { slow };
        let timed = |rate: &Rate| rate.window.is_some_and(|window| window.contains(minute));
        let rates = || self.rates.iter().copied();
        let untimed = || rates().filter(|rate| rate.window.is_none()).reduce(slowest);
        rates().filter(timed).reduce(slowest).or_else(untimed)
    }

    fn interval_in(&self, minute: u16) -> Option<Interval> {
        let rate = self.rate_in(minute).map(|rate| Interval { millis: rate.millis(), source: Source::Rate });
        let delay = self.delays.iter().max().map(|&millis| Interval { millis, source: Source::Delay });
        // Among equals, the first.
        [rate, delay].into_iter().flatten().min_by_key(|interval| Reverse(interval.millis))
    }
}

/// N17: twice the time of retrieval, or ten seconds if that is longer.
fn rule_of_thumb(retrieval: Option<Duration>) -> Interval {
    let nanos = retrieval.unwrap_or_default().as_nanos() * 2;
    let millis = u64::try_from(nanos.div_ceil(1_000_000)).unwrap_or(u64::MAX).max(THUMB);
    Interval { millis, source: Source::RuleOfThumb }
}

/// Unix seconds in milliseconds. As `u128`, no sum of them overflows.
fn millis(seconds: u64) -> u128 {
    u128::from(seconds) * 1000
}

fn minute_of_day(time: u128) -> u16 {
    (time % DAY / MINUTE) as u16
}

/// The first time within this minute of a day that is not before `time`.
fn next_in(minute: u16, time: u128) -> u128 {
    let start = time - time % DAY + u128::from(minute) * MINUTE;
    if time < start + MINUTE { time.max(start) } else { start + DAY }
}

#[cfg(test)]
mod tests;
