//! The ends of statements: the times from which they no longer say what they say.
//!
//! A program of the kind [`Kind::Dated`](super::Kind::Dated) tells the first end of all that match
//! a target, as its priority. The compiler makes such programs (`programs::preferences`), the
//! runtime compares them with the time of a question (`preference`).

use crate::condition::Condition;
use crate::program::Priority;

/// The last time that a priority tells, in seconds since 1970, in the year 2106. An end from then
/// on is told as this one.
pub const LAST_END: u64 = u32::MAX as u64 - 2;

/// The priority of an end: the earlier, the higher, and at least 2, as that of any rule.
pub fn end_priority(end: u64) -> Priority {
    u32::try_from(end.min(LAST_END)).map_or(2, |end| u32::MAX - end)
}

/// The end that a priority tells; `None` if no statement with an end matches.
#[inline]
pub const fn end_of_priority(priority: Priority) -> Option<u64> {
    if priority == 0 { None } else { Some((u32::MAX - priority) as u64) }
}

/// The time from which a permission under these conditions is a refusal; 0 for all before 1970.
pub fn until(conditions: &[Condition]) -> Option<u64> {
    let time = |condition: &Condition| match condition {
        Condition::Before(time) => Some(u64::try_from(*time).unwrap_or(0)),
        _ => None,
    };
    conditions.iter().filter_map(time).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_ends_have_higher_priorities() {
        let ends = [0, 1, 1_700_000_000, LAST_END - 1, LAST_END];
        for (end, later) in ends.iter().zip(&ends[1..]) {
            assert!(end_priority(*end) > end_priority(*later));
        }
        for end in ends {
            assert_eq!(end_of_priority(end_priority(end)), Some(end));
        }
        assert_eq!(end_priority(u64::MAX), end_priority(LAST_END));
        assert_eq!((end_priority(LAST_END), end_of_priority(0)), (2, None));
    }

    #[test]
    fn the_first_of_several_times_counts() {
        let conditions = [Condition::MaxChars(3), Condition::Before(9), Condition::Before(-7)];
        assert_eq!(until(&conditions), Some(0));
        assert_eq!(until(&conditions[..2]), Some(9));
        assert_eq!(until(&conditions[..1]), None);
    }
}
