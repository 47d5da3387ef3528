//! The dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601.
//!
//! Invariant: a text of another form is no date. This file does not know what a date is for.

use jiff::civil::Date;
use jiff::tz::TimeZone;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Names of zones with their hours from UTC.
const ZONES: [(&str, i64); 12] = [
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

/// True for a day's name, short or long.
pub(super) fn is_weekday(word: &str) -> bool {
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let word = word.trim().to_ascii_lowercase();
    days.iter().any(|day| word == *day || word == day[..3])
}

/// The Unix seconds of a date.
pub(super) fn parse(text: &str) -> Option<i64> {
    iso(text.trim()).or_else(|| rfc(text.trim()))
}

fn iso(text: &str) -> Option<i64> {
    let starts = text.len() >= 10 && text.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    if !starts || text.as_bytes()[4] != b'-' {
        return None;
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(time.as_second());
    }
    seconds(text.parse::<jiff::civil::DateTime>().ok()?)
}

fn rfc(text: &str) -> Option<i64> {
    let text = match text.split_once(',') {
        Some((day, rest)) if is_weekday(day) => rest,
        _ => text,
    };
    let words: Vec<&str> = text.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    let (date, rest) = words.split_at_checked(3)?;
    let [day, month, year] = date else { return None };
    let month = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name))?;
    let number: i16 = year.parse().ok()?;
    let year = match (year.len(), number) {
        (2, 70..) => 1900 + number,
        (2, _) => 2000 + number,
        (4, _) => number,
        _ => return None,
    };
    let date = Date::new(year, i8::try_from(month + 1).ok()?, day.parse().ok()?).ok()?;
    let (time, zone) = match rest {
        [] => ([0; 3], 0),
        [time] => (clock(time)?, 0),
        // The sign of a numeric zone is lost for `-`, so the text is asked for it.
        [time, zone] => (clock(time)?, offset(zone, text.trim_end().ends_with(&format!("-{zone}")))?),
        _ => return None,
    };
    let [hour, minute, second] = time;
    let time = jiff::civil::Time::new(hour, minute, second, 0).ok()?;
    Some(seconds(date.to_datetime(time))? - zone)
}

fn clock(text: &str) -> Option<[i8; 3]> {
    let parts: Vec<i8> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [hour, minute] => Some([hour, minute, 0]),
        [hour, minute, second] => Some([hour, minute, second]),
        _ => None,
    }
}

/// Seconds from UTC.
fn offset(zone: &str, is_negative: bool) -> Option<i64> {
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| zone.eq_ignore_ascii_case(name)) {
        return Some(hours * 3600);
    }
    let digits = zone.strip_prefix('+').unwrap_or(zone);
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    let seconds = number / 100 * 3600 + number % 100 * 60;
    Some(if is_negative { -seconds } else { seconds })
}

fn seconds(time: jiff::civil::DateTime) -> Option<i64> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_moment() {
        let forms = [
            "25 Jun 2010 15:00:00 PST",
            "Friday, 25-Jun-10 15:00:00 PST",
            "Fri, 25 Jun 2010 23:00 GMT",
            "Fri, 25 Jun 2010 23:00:00 +0000",
            "25 Jun 2010 15:00:00 -0800",
            "2010-06-25T23:00:00Z",
            "2010-06-25T15:00:00-08:00",
            "2010-06-25 23:00:00",
        ];
        for form in forms {
            assert_eq!(parse(form), Some(1_277_506_800), "{form}");
        }
        for form in ["", "soon", "32 Jun 2010", "25 Juni 2010", "2010-13-01", "25 Jun 2010 15:00:00 XYZ"] {
            assert_eq!(parse(form), None, "{form}");
        }
        assert_eq!(parse("1970-01-02"), Some(86_400));
    }
}
