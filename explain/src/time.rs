//! The clock, and times as text.
//!
//! This is the only module that reads the clock for answers; the crates below get the time as an
//! argument.

use jiff::Timestamp;

/// Now, in seconds since 1970.
pub fn now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or(0)
}

/// Seconds since 1970 in RFC 3339. `None` beyond the year 9999.
pub fn rfc3339(seconds: u64) -> Option<String> {
    Some(Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?.to_string())
}
