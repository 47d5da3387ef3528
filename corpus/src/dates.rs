//! Dates of captures and of HTTP headers, as Unix seconds.
//!
//! Used by `warc`, `jsonl` and `http`. Invariant: a date without a zone is read as UTC, so the
//! result does not depend on the machine. Nothing here reads a clock.

use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::{Timestamp, tz::TimeZone};

/// The date of a capture: RFC 3339, or without a zone or time of day (both occur in practice). One
/// before 1970 is no date of a capture, as a negative number of seconds is none.
pub(crate) fn iso(text: &str) -> Option<i64> {
    let text = text.trim_ascii();
    usual(text.as_bytes()).or_else(|| any(text)).filter(|&seconds| seconds >= 0)
}

/// A date in the form that nearly all WARC files have, `1994-11-06T08:49:37Z`; `None` for others.
/// [`any`] says the same.
fn usual(text: &[u8]) -> Option<i64> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h, b'T', i, j, b':', k, l, b':', m, n, b'Z'] = text else {
        return None;
    };
    let number = |digits: &[u8]| {
        let digit = |value: i64, byte: &u8| Some(10 * value + i64::from(char::from(*byte).to_digit(10)?));
        digits.iter().try_fold(0, digit)
    };
    let (year, month, day) = (number(&[a, b, c, d])?, number(&[e, f])?, number(&[g, h])?);
    let (hour, minute, second) = (number(&[i, j])?, number(&[k, l])?, number(&[m, n])?);
    // The ends of February and of long months are left to `any`.
    let is_day = (1..=28).contains(&day) || (29..=30).contains(&day) && month != 2;
    let is_usual = year >= 1970 && (1..=12).contains(&month) && is_day;
    if !is_usual || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // A year that begins in March has its leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The days from the first of March of the year 0 to the beginning of 1970.
const DAYS_TO_1970: i64 = 719_468;

/// A date in any form.
fn any(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    utc(text.parse::<DateTime>().ok()?)
}

/// The Unix time of an HTTP date in any of the three forms of RFC 9110 5.6.7: IMF-fixdate, RFC 850,
/// asctime. `None` if it is none. The last day of the year 9999, which servers use for "never", is
/// read as the latest time that `jiff` has, a day before.
pub fn http(text: &[u8]) -> Option<i64> {
    // Servers get the day of the week wrong; the date counts.
    const FIXDATE: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let text = str::from_utf8(text).ok()?.trim_ascii();
    if let Ok(time) = FIXDATE.parse_timestamp(text) {
        return Some(time.as_second());
    }
    let time = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S GMT"]
        .iter()
        .find_map(|form| strtime::parse(form, text).ok()?.to_datetime().ok())?;
    utc(time).or_else(|| (time.year() == 9999).then(|| Timestamp::MAX.as_second()))
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
    fn usual_dates_are_read_as_any_are() {
        let mut usual_ones = 0;
        for year in (1969..2110).chain([0, 400, 9999]) {
            for month in 0..=13 {
                for day in 0..=32 {
                    let (hour, minute, second) =
                        ((year + day) % 25, (month * 5 + day) % 61, (year + month) % 61);
                    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
                    let usual = usual(text.as_bytes());
                    assert!(usual.is_none() || usual == any(&text), "{text}");
                    usual_ones += usize::from(usual.is_some());
                }
            }
        }
        assert!(usual_ones > 40_000, "{usual_ones}");
        for text in ["1994-11-06T08:49:37", "1994-11-06t08:49:37z", "+994-11-06T08:49:37Z"] {
            assert_eq!(usual(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in ["", "0", "-1", "never", "\u{fffd}", "1969-12-31T23:59:59Z", "1969-12-31"] {
            assert_eq!((iso(text), http(text.as_bytes())), (None, None), "{text}");
        }
        assert_eq!(http(b"\xff"), None);
        assert_eq!(http(b"Fri, 32 Dec 9999 23:59:59 GMT"), None);
    }

    #[test]
    fn the_end_of_the_year_9999_is_a_date() {
        let last = Timestamp::MAX.as_second();
        assert_eq!(http(b"Thu, 30 Dec 9999 00:00:00 GMT"), Some(last - 79_200));
        for text in
            ["Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 30 Dec 9999 23:00:00 GMT", "Fri Dec 31 23:59:59 9999"]
        {
            assert_eq!(http(text.as_bytes()), Some(last), "{text}");
        }
    }
}
