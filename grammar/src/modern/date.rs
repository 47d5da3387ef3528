//! Dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601, as seconds since 1970.
//!
//! Used by [`robots_tag`](super::robots_tag). Invariants: a date that does not exist gives `None`;
//! the day of the week may be missing or wrong, since it adds nothing. This file does not know the
//! current time.

/// Parses a date with an optional time, as seconds since 1970-01-01 00:00 UTC.
///
/// Years of two digits lie between 1950 and 2049, as in RFC 2822, section 4.3. By the same section
/// an unknown name of a zone means UTC, and so does a missing zone. A date without a time is its
/// first second.
pub(super) fn date(text: &str) -> Option<i64> {
    let text = text.trim();
    iso_8601(text).or_else(|| rfc_822(text))
}

/// Whether the text is the name of a day of the week, which a comma follows in both RFCs.
pub(super) fn is_weekday(text: &str) -> bool {
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    days.iter().any(|day| text.eq_ignore_ascii_case(day) || text.eq_ignore_ascii_case(&day[..3]))
}

/// `[Friday[,]] 25 Jun 2010 [15:00[:00] [PST]]`, and `25-Jun-10` in place of the three.
fn rfc_822(text: &str) -> Option<i64> {
    let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).peekable();
    words.next_if(|word| is_weekday(word));
    let first = words.next()?;
    let (day, month, year) = match first.split_once('-') {
        Some((day, rest)) => {
            let (month, year) = rest.split_once('-')?;
            (day, month, year)
        }
        None => (first, words.next()?, words.next()?),
    };
    let days = days_since_1970(full_year(year)?, month_number(month)?, number(day, 1..=2)?)?;
    let seconds = match words.next() {
        Some(time) => time_of_day(time)?,
        None => 0,
    };
    let offset = match words.next() {
        Some(zone) => zone_offset(zone)?,
        None => 0,
    };
    words.next().is_none().then_some(days * 86_400 + seconds - offset)
}

/// `2010-06-25[T15:00[:00[.0]][Z|+01:00]]`, or without hyphens and colons, or a space for the `T`.
fn iso_8601(text: &str) -> Option<i64> {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, rest) = text.split_at_checked(end)?;
    let (year, month, day) = match date.len() {
        10 if date.is_ascii() && &date[4..5] == "-" && &date[7..8] == "-" => {
            (&date[..4], &date[5..7], &date[8..])
        }
        8 if date.is_ascii() => (&date[..4], &date[4..6], &date[6..]),
        _ => return None,
    };
    let days = days_since_1970(number(year, 4..=4)?, number(month, 2..=2)?, number(day, 2..=2)?)?;
    let Some(rest) = rest.get(1..) else { return Some(days * 86_400) };
    let rest = rest.trim();
    let is_time = |character: char| character.is_ascii_digit() || matches!(character, ':' | '.');
    let end = rest.find(|character| !is_time(character)).unwrap_or(rest.len());
    let (time, zone) = (&rest[..end], rest[end..].trim());
    let offset = if zone.is_empty() { 0 } else { zone_offset(zone)? };
    Some(days * 86_400 + time_of_day(time)? - offset)
}

/// `15:00`, `15:00:00`, `150000` and a fraction of a second, which is dropped, in seconds.
fn time_of_day(time: &str) -> Option<i64> {
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = [""; 3];
    if time.contains(':') {
        for (index, part) in time.split(':').enumerate() {
            *parts.get_mut(index)? = part;
        }
    } else if matches!(time.len(), 4 | 6) && time.is_ascii() {
        parts = [&time[..2], &time[2..4], &time[4..]];
    }
    let (hour, minute) = (number(parts[0], 1..=2)?, number(parts[1], 2..=2)?);
    let second = if parts[2].is_empty() { 0 } else { number(parts[2], 2..=2)? };
    let seconds = hour * 3600 + minute * 60 + second;
    // The end of a day may be written as 24:00, and 60 is a leap second.
    let is_time = minute < 60 && second <= 60 && (hour < 24 || seconds == 86_400);
    (is_fraction && is_time).then_some(seconds)
}

/// The offset of a zone from UTC in seconds: `Z`, `+0100`, `+01:00`, `+01`, or a name.
fn zone_offset(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.as_bytes().first()? {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return named_zone(zone),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "00"),
    };
    let (hours, minutes) = (number(hours, 2..=2)?, number(minutes, 2..=2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The zones of RFC 822, and those of Europe; the military letters were published with wrong signs
/// and mean UTC, like any other name.
fn named_zone(name: &str) -> Option<i64> {
    const ZONES: [(&str, i64); 13] = [
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
        ("BST", 1),
        ("CET", 1),
        ("CEST", 2),
        ("EET", 2),
        ("EEST", 3),
    ];
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let hours = ZONES.iter().find(|(zone, _)| name.eq_ignore_ascii_case(zone)).map_or(0, |zone| zone.1);
    is_name.then_some(hours * 3600)
}

/// The number of a month from its English name, or the first three letters of it.
fn month_number(name: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is = |month: &&str| name.eq_ignore_ascii_case(month) || name.eq_ignore_ascii_case(&month[..3]);
    (1..).zip(MONTHS).find(|(_, month)| is(month)).map(|(number, _)| number)
}

fn full_year(year: &str) -> Option<i64> {
    match year.len() {
        2 => number(year, 2..=2).map(|year| if year < 50 { 2000 + year } else { 1900 + year }),
        _ => number(year, 4..=4),
    }
}

/// A number without a sign, if the number of its digits lies in the range.
fn number(digits: &str, count: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = count.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The days from 1970-01-01 to a date of the Gregorian calendar, which must exist.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return None,
    };
    // Counted in years that begin in March, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1;
    (1..=length).contains(&day).then_some(days - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2010-06-25 15:00 in Los Angeles, which the examples of the standards name PST.
    const PST: i64 = 1_277_506_800;

    #[test]
    fn dates_of_the_three_standards() {
        let same = [
            "25 Jun 2010 15:00:00 PST",
            "25 Jun 10 15:00 PST",
            "Fri, 25 Jun 2010 15:00:00 PST",
            "fri 25 june 2010 15:00:00 pst",
            "Friday, 25-Jun-10 15:00:00 PST",
            "Friday, 25-Jun-2010 23:00:00 GMT",
            "Monday, 25-Jun-10 23:00:00 GMT",
            "25 Jun 2010 23:00:00",
            "25 Jun 2010 23:00:00 UT",
            "25 Jun 2010 23:00:00 A",
            "25 Jun 2010 15:00:00 -0800",
            "26 Jun 2010 01:00:00 +0200",
            "2010-06-25T15:00:00-08:00",
            "2010-06-25T23:00:00Z",
            "2010-06-25t23:00:00.999z",
            "2010-06-25 15:00 PST",
            "2010-06-25 15:00:00 -0800",
            "20100625T230000Z",
            "20100625T2300",
            "2010-06-26T04:30+05:30",
        ];
        for text in same {
            assert_eq!(date(text), Some(PST), "{text}");
        }
    }

    #[test]
    fn dates_without_a_time() {
        assert_eq!(date("2010-06-25"), Some(PST - 23 * 3600));
        assert_eq!(date("25 Jun 2010"), date("2010-06-25"));
        assert_eq!(date(" 20100625 "), date("2010-06-25"));
        assert_eq!(date("2010-06-24T24:00:00Z"), date("2010-06-25"));
    }

    #[test]
    fn years_of_two_digits() {
        assert_eq!(date("1 Jan 70"), Some(0));
        assert_eq!(date("1 Jan 50"), date("1950-01-01"));
        assert_eq!(date("1 Jan 49"), date("2049-01-01"));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("1969-12-31T23:59:59Z"), Some(-1));
        assert_eq!(date("2000-02-29"), Some(951_782_400));
        assert_eq!(date("2000-03-01"), Some(951_868_800));
        assert_eq!(date("2038-01-19T03:14:07Z"), Some(i64::from(i32::MAX)));
        assert_eq!(date("9999-12-31"), Some(253_402_214_400));
        let mut last = date("1896-02-28");
        for year in 1896..2110 {
            for (month, length) in (1..).zip([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                let has_leap_day = month == 2 && year % 4 == 0 && year != 1900 && year != 2100;
                for day in 1..=length + i32::from(has_leap_day) {
                    let today = date(&format!("{year}-{month:02}-{day:02}"));
                    assert!(today.is_some(), "{year}-{month}-{day}");
                    if (year, month, day) > (1896, 2, 28) {
                        assert_eq!(today, last.map(|last| last + 86_400), "{year}-{month}-{day}");
                        last = today;
                    }
                }
            }
        }
    }

    #[test]
    fn texts_that_are_no_dates() {
        let bad = "|soon|2010|2010-06|2010-02-29|1900-02-29|2010-13-01|2010-00-01|2010-06-00|2010-06-31|\
                   2010-6-25|10-06-25|2010/06/25|25.06.2010|06/25/2010|Jun 25 2010|25 Jun|25 Jux 2010|\
                   32 Jan 2010|25 Jun 2010 25:00:00 PST|25 Jun 2010 15:60:00|25 Jun 2010 24:00:01|\
                   25 Jun 2010 15|25 Jun 2010 15:00:00:00|25 Jun 2010 15:00 PST PST|25 Jun 2010 PST|\
                   25 Jun 2010 15:00:00 +2|25 Jun 2010 15:00:00 +25:00|25 Jun 2010 15:00:00 +01:60|\
                   25 Jun 2010 15:00:00 P1|2010-06-25T|2010-06-25T15|2010-06-25T15-08|2010-06-25T15:00:00+|2010-06-25T15:00.|\
                   -1 Jun 2010|+1 Jun 2010|25--2010|25-Jun|201O0625|1 Jän 2010|२०१०-०६-२५|25 Jun 20100|Friday,|\
                   2010-06-25T15:00:00é|2010-06-25Té";
        for text in bad.split('|') {
            assert_eq!(date(text), None, "{text}");
        }
        assert_eq!(date(&" a".repeat(1_000_000)), None);
    }

    #[test]
    fn days_of_the_week() {
        assert!(["Friday", "FRI", "wed", "Wednesday"].into_iter().all(is_weekday));
        assert!(!["", "Fr", "Frid", "Friday,", "noindex"].into_iter().any(is_weekday));
    }
}
