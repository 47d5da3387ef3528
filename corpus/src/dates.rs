//! Dates of captures and of HTTP headers, as Unix seconds.
//!
//! Used by `warc`, `jsonl` and `http`. Invariant: a date without a zone is read as UTC, so the
//! result does not depend on the machine. Nothing here reads a clock.

use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::{Timestamp, tz::TimeZone};

/// The date of a capture: RFC 3339, or without a zone or time of day (both occur in practice).
pub(crate) fn iso(text: &str) -> Option<i64> {
    let text = text.trim_ascii();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    utc(text.parse::<DateTime>().ok()?)
}

/// The Unix time of an HTTP date in any of the three forms of RFC 9110 5.6.7: IMF-fixdate, RFC 850,
/// asctime. `None` if it is none.
pub fn http(text: &[u8]) -> Option<i64> {
    // Servers get the day of the week wrong; the date counts.
    const FIXDATE: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let text = str::from_utf8(text).ok()?.trim_ascii();
    if let Ok(time) = FIXDATE.parse_timestamp(text) {
        return Some(time.as_second());
    }
    ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        .iter()
        .find_map(|form| utc(strtime::parse(form, text).ok()?.to_datetime().ok()?))
}

fn utc(time: DateTime) -> Option<i64> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_one_date() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(http(text.as_bytes()), Some(784_111_777), "{text}");
        }
        assert_eq!(http(b"Mon, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        for text in [
            "1994-11-06T08:49:37Z",
            "1994-11-06T09:49:37+01:00",
            "1994-11-06T08:49:37",
            "1994-11-06 08:49:37.5Z",
        ] {
            assert_eq!(iso(text), Some(784_111_777), "{text}");
        }
        assert_eq!(iso("1994-11-06"), Some(784_080_000));
    }

    #[test]
    fn what_is_no_date() {
        for text in ["", "0", "-1", "never", "\u{fffd}"] {
            assert_eq!((iso(text), http(text.as_bytes())), (None, None), "{text}");
        }
        assert_eq!(http(b"\xff"), None);
    }
}
