//! The values of the extended records of 1996 and of Crawl-delay, parsed by `extended.pest` into
//! numbers.
//!
//! Lowering passes [`crate::Line::value`] to these functions. The proposal, "An Extended Standard
//! for Robot Exclusion" of 17 October 1996, is read by the rules N2 (Robot-version), N15
//! (Visit-time) and N16 (Request-rate); Crawl-delay is read by R18. Invariants: the grammar
//! expresses everything that it can; every function accepts any bytes, in linear time, and returns
//! `None` for a malformed value or a number that is too large. This file does not know how a
//! crawler follows a rate or a window.

use pest::Parser;
use pest::iterators::{Pair, Pairs};

use grammar::{ExtendedParser, Rule};

/// Keeps the derived items, which are public and undocumented, away from the lints.
#[allow(missing_docs, unreachable_pub)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "extended.pest"]
    pub(super) struct ExtendedParser;
}

/// A part of the day, by its first and last minute as named in the file, in minutes since midnight
/// UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The first minute, below 1440. It may be later in the day than `to`.
    pub from: u16,
    /// The last minute, at most 1440: `24:00` is kept.
    pub to: u16,
}

/// The number of documents that may be fetched per period. Neither number is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// The number of documents.
    pub documents: u32,
    /// The period in seconds.
    pub seconds: u32,
    /// The time of day when the rate is in force; `None` for always.
    pub window: Option<Window>,
}

/// The value of Robot-version: exactly three numbers (N2).
///
/// ```
/// use robomaton_grammar::extended::version;
///
/// assert_eq!(version(b"2.0.0"), Some((2, 0, 0)));
/// assert_eq!(version(b"2.0"), None);
/// ```
pub fn version(value: &[u8]) -> Option<(u32, u32, u32)> {
    let text = projection(value);
    let mut parts = parts(Rule::robot_version, &text)?;
    let mut next = || number(&parts.next()?);
    Some((next()?, next()?, next()?))
}

/// The value of Visit-time: two times, with a hyphen or white space between them (N15).
///
/// ```
/// use robomaton_grammar::extended::{Window, visit_time};
///
/// assert_eq!(visit_time(b"0400-0845"), Some(Window { from: 240, to: 525 }));
/// assert_eq!(visit_time(b"04:00 08:45 UTC"), visit_time(b"0400-0845"));
/// ```
pub fn visit_time(value: &[u8]) -> Option<Window> {
    let text = projection(value);
    window(parts(Rule::visit_time, &text)?.next()?)
}

/// The value of Request-rate: documents, a slash and a time, optionally followed by a window (N16).
///
/// Files also contain a bare number, which is ambiguous. It is read as the number of seconds for
/// each document, like a Crawl-delay, since nobody would ask for that many documents each second.
///
/// ```
/// use robomaton_grammar::extended::{Rate, request_rate};
///
/// assert_eq!(request_rate(b"10/10m"), Some(Rate { documents: 10, seconds: 600, window: None }));
/// assert_eq!(request_rate(b"10"), request_rate(b"1/10"));
/// assert!(request_rate(b"6/1m 0530-2059").is_some_and(|rate| rate.window.is_some()));
/// ```
pub fn request_rate(value: &[u8]) -> Option<Rate> {
    let text = projection(value);
    let mut parts = parts(Rule::request_rate, &text)?;
    let rate = parts.next()?;
    let is_pause = rate.as_rule() == Rule::pause;
    let mut inner = rate.into_inner();
    let documents = if is_pause { 1 } else { number(&inner.next()?)? };
    let time = number(&inner.next()?)?;
    let unit = match inner.next().map(|unit| unit.as_rule()) {
        Some(Rule::hour) => 3600,
        Some(Rule::minute) => 60,
        _ => 1,
    };
    let seconds = time.checked_mul(unit)?;
    let window = match parts.next().filter(|part| part.as_rule() == Rule::window) {
        Some(part) => Some(window(part)?),
        None => None,
    };
    (documents > 0 && seconds > 0).then_some(Rate { documents, seconds, window })
}

/// The value of Crawl-delay in milliseconds, from seconds with or without decimals (R18).
///
/// Words after the number are ignored. Fractions of a millisecond are rounded up, so that no delay
/// is shorter than written.
///
/// ```
/// use robomaton_grammar::extended::crawl_delay;
///
/// assert_eq!(crawl_delay(b"2.5 seconds"), Some(2500));
/// assert_eq!(crawl_delay(b"-1"), None);
/// ```
pub fn crawl_delay(value: &[u8]) -> Option<u64> {
    few_digits(value).or_else(|| crawl_delay_by_grammar(value))
}

/// Handles nearly all delays without pest, which takes a microsecond. Eight digits fit every number
/// here.
fn few_digits(value: &[u8]) -> Option<u64> {
    let is_few = (1..=8).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    let number = || value.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
    is_few.then(|| number() * 1000)
}

fn crawl_delay_by_grammar(value: &[u8]) -> Option<u64> {
    let text = projection(value);
    let mut millis: u64 = 0;
    for part in parts(Rule::crawl_delay, &text)? {
        let digits = part.as_str();
        let more = match part.as_rule() {
            Rule::whole => digits.parse::<u64>().ok()?.checked_mul(1000)?,
            Rule::fraction => {
                let is_finer = digits.bytes().skip(3).any(|digit| digit != b'0');
                format!("{digits:0<3.3}").parse::<u64>().ok()? + u64::from(is_finer)
            }
            _ => 0,
        };
        millis = millis.checked_add(more)?;
    }
    Some(millis)
}

/// Bytes as text for pest, each as the character with the same number.
fn projection(value: &[u8]) -> String {
    value.iter().copied().map(char::from).collect()
}

/// The parts of a whole value; `None` if the value is malformed.
fn parts(rule: Rule, text: &str) -> Option<Pairs<'_, Rule>> {
    Some(ExtendedParser::parse(rule, text).ok()?.next()?.into_inner())
}

/// Digits as a number; `None` if it is too large.
fn number(digits: &Pair<'_, Rule>) -> Option<u32> {
    digits.as_str().parse().ok()
}

fn window(window: Pair<'_, Rule>) -> Option<Window> {
    let mut times = window.into_inner().map(minute_of_day);
    Some(Window { from: times.next()??, to: times.next()?? })
}

fn minute_of_day(time: Pair<'_, Rule>) -> Option<u16> {
    if time.as_rule() == Rule::midnight {
        return Some(24 * 60);
    }
    let mut numbers = time.into_inner().map(|part| part.as_str().parse::<u16>().ok());
    Some(numbers.next()?? * 60 + numbers.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn rate(documents: u32, seconds: u32) -> Option<Rate> {
        Some(Rate { documents, seconds, window: None })
    }

    const fn timed(documents: u32, seconds: u32, from: u16, to: u16) -> Option<Rate> {
        Some(Rate { documents, seconds, window: Some(Window { from, to }) })
    }

    /// The result of `read` for each value; the values are separated by bars.
    fn each<T>(values: &str, read: fn(&[u8]) -> Option<T>) -> impl Iterator<Item = (&str, Option<T>)> {
        values.split('|').map(move |value| (value, read(value.as_bytes())))
    }

    #[test]
    fn few_digits_are_what_the_grammar_says() {
        for text in ["0", "007", "1", "10", "86400", "99999999", "", "1.0", "12a", " 1", "123456789"] {
            let value = text.as_bytes();
            assert_eq!(crawl_delay(value), crawl_delay_by_grammar(value), "{text}");
        }
        assert_eq!(few_digits(b"99999999"), Some(99_999_999_000));
        assert_eq!(few_digits(b"123456789"), None);
    }

    #[test]
    fn versions_have_three_numbers() {
        assert_eq!(version(b"2.0.0"), Some((2, 0, 0)));
        assert_eq!(version(b" \t1.12.4294967295\t"), Some((1, 12, u32::MAX)));
        assert_eq!(version(b"2.0.\xB2"), None);
        let bad = "|2|2.0|2.0.|2.0.0.0|.0.0|2.0.0 beta|2. 0.0|v2.0.0|-2.0.0|2.0.4294967296|2,0,0";
        for (value, read) in each(bad, version) {
            assert_eq!(read, None, "{value}");
        }
    }

    #[test]
    fn windows_have_many_spellings() {
        let one = "0100-0800|0100 - 0800|0100\t-0800|0100- 0800|01:00-08:00|0100-08:00|0100 0800|01:00 \t08:00|\
                   0100-0800 UTC|0100 0800 gmt|01:00 - 08:00  Utc|\t0100-0800 ";
        for (value, read) in each(one, visit_time) {
            assert_eq!(read, Some(Window { from: 60, to: 480 }), "{value}");
        }
        let bad = "|0400|0400-|-0845|0400-0845-|0400--0845|04000845|400-845|4:00-8:45|0400-0860|0400-2401|\
                   2400-0845|24:00 08:45|2500-0845|0400-0845UTC|0400-0845 CET|0400-0845 UTC UTC|0400/0845|\
                   0400 0845 0900|04.00-08.45|0400\u{A0}0845|0400\u{2013}0845";
        for (value, read) in each(bad, visit_time) {
            assert_eq!(read, None, "{value}");
        }
    }

    #[test]
    fn every_minute_of_a_day_can_be_written() {
        for (from, to) in (0..1440).flat_map(|from| [(from, 0), (from, from), (from, 1439), (from, 1440)]) {
            let (a, b, c, d) = (from / 60, from % 60, to / 60, to % 60);
            for text in [format!("{a:02}{b:02}-{c:02}{d:02}"), format!("{a:02}:{b:02} {c:02}:{d:02}")] {
                assert_eq!(visit_time(text.as_bytes()), Some(Window { from, to }), "{text}");
            }
        }
    }

    #[test]
    fn rates_of_real_files() {
        let values = "10/60|10/10m|20/1h|6/1M|1/10s|1/15|5/1| 1 / 10 |10|1/1193046h";
        let rates = [
            (10, 60),
            (10, 600),
            (20, 3600),
            (6, 60),
            (1, 10),
            (1, 15),
            (5, 1),
            (1, 10),
            (1, 10),
            (1, 4294965600),
        ];
        for ((value, read), (documents, seconds)) in each(values, request_rate).zip(rates) {
            assert_eq!(read, rate(documents, seconds), "{value}");
        }
        assert_eq!(request_rate(b"6/1m 0530-2059"), timed(6, 60, 330, 1259));
        assert_eq!(request_rate(b"18/1m 2100-0529"), timed(18, 60, 1260, 329));
        assert_eq!(request_rate(b"20/1h 0530 0845"), timed(20, 3600, 330, 525));
        assert_eq!(request_rate(b"1/5 05:30 - 24:00 GMT"), timed(1, 5, 330, 1440));
        assert_eq!(request_rate(b"10 0000-0000"), timed(1, 10, 0, 0));
    }

    #[test]
    fn rates_that_are_none() {
        let bad = "|/|1/|/10|0/10|1/0|1/0h|0|1/s|1/10x|1/10sec|1/10 s|0.5/1|1/0.5|1.5|-1/10|1/-10|1/2/3|\
                   4294967296/1|1/4294967296|1/4294967295m|1/1193047h|1/10 0530|0530-2059|1/10 0530-2500|\
                   1/100530-2059|4294967296|1/10\u{17F}";
        for (value, read) in each(bad, request_rate) {
            assert_eq!(read, None, "{value}");
        }
    }

    #[test]
    fn delays_are_seconds_with_decimals() {
        let values = "10|0.5|1.25|2.|.5|0|0010|1.0005|1.0000000000000000000000001|1.9999|1.0000|10 20|\
                      18446744073709551.615";
        let delays = [10_000, 500, 1250, 2000, 500, 0, 10_000, 1001, 1001, 2000, 1000, 10_000, u64::MAX];
        for ((value, read), millis) in each(values, crawl_delay).zip(delays) {
            assert_eq!(read, Some(millis), "{value}");
        }
        assert_eq!(crawl_delay(b" 5\tseconds, pl\xE9ase\r"), Some(5000));
        let bad = "|.|-1|+1|NaN|inf|1e3|10s|1,5|0100-0800|18446744073709551.6151|18446744073709552|\
                   99999999999999999999";
        for (value, read) in each(bad, crawl_delay) {
            assert_eq!(read, None, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(
            any in proptest::collection::vec(any::<u8>(), 0..40),
            near in "[0-9./: smhUTC-]{0,16}",
        ) {
            for value in [&any[..], near.as_bytes()] {
                let windows = [visit_time(value), request_rate(value).and_then(|rate| rate.window)];
                prop_assert!(windows.into_iter().flatten().all(|it| it.from < 1440 && it.to <= 1440));
                prop_assert!(request_rate(value).is_none_or(|rate| rate.documents > 0 && rate.seconds > 0));
                let _ = (version(value), crawl_delay(value));
            }
        }
    }
}
