//! Unix seconds as text.

use std::fmt;

/// Unix seconds as a time in UTC: `2010-06-25T23:00:00Z`.
pub(super) struct Utc(pub(super) i64);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Count years from March, so that a leap day is the last of its year.
        let (days, of_day) = (self.0.div_euclid(86_400) + 719_468, self.0.rem_euclid(86_400));
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let year = era * 400 + year + next;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use crate::Condition;

    #[test]
    fn times_in_utc() {
        let text = |time| Condition::Before(time).to_string();
        assert_eq!(text(0), "until=1970-01-01T00:00:00Z");
        assert_eq!(text(951_782_400), "until=2000-02-29T00:00:00Z");
        assert_eq!(text(1_277_506_799), "until=2010-06-25T22:59:59Z");
        assert_eq!(text(-1), "until=1969-12-31T23:59:59Z");
        assert_eq!(text(253_402_300_800), "until=10000-01-01T00:00:00Z");
    }
}
