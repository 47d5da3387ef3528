//! The format of numbers and days in the page.
//!
//! It does not know what they count.

use jiff::Timestamp;

/// A share in percent, to a hundredth.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}%", share(part, whole))
}

/// A share in percent, to a tenth, for display.
pub(crate) fn tenths(part: u64, whole: u64) -> String {
    format!("{:.1}%", share(part, whole))
}

/// A share in percent.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// A number with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of sites, in words.
pub(crate) fn sites(number: u64) -> String {
    format!("{} {}", grouped(number), if number == 1 { "site" } else { "sites" })
}

/// The day of a time in Unix seconds, in UTC, as in `2019-08-20`; empty after the year 9999.
pub(crate) fn day(seconds: u64) -> String {
    let moment = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    moment.map(|moment| moment.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written() {
        assert_eq!([0, 1, 1_000].map(sites), ["0 sites", "1 site", "1,000 sites"]);
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!((tenths(2, 3), tenths(0, 0)), ("66.7%".to_owned(), "0.0%".to_owned()));
        assert_eq!((percent(1, 3), percent(0, 0)), ("33.33%".to_owned(), "0.00%".to_owned()));
        assert_eq!([0, 1_566_259_200, u64::MAX].map(day), ["1970-01-01", "2019-08-20", ""]);
    }
}
