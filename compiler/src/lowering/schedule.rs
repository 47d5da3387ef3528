//! Records about time → the schedule of a group (N15 to N18, R18).
//!
//! Called for each extension record of a group. Malformed values are ignored here; `lint` reports
//! them.

use robomaton_formats::schedule::{Rate, Schedule, Window};
use robomaton_grammar::{Key, extended};

/// Adds a record to a group's schedule. Returns false if there is no room: at most `allowed`
/// distinct records of each kind are kept.
pub(super) fn add(schedule: &mut Option<Box<Schedule>>, key: Key, value: &[u8], allowed: usize) -> bool {
    let window = |window: extended::Window| Window::new(window.from, window.to);
    match key {
        Key::CrawlDelay => keep(extended::crawl_delay(value), schedule, |s| &mut s.delays, allowed),
        Key::VisitTime => {
            keep(extended::visit_time(value).and_then(window), schedule, |s| &mut s.visits, allowed)
        }
        Key::RequestRate => {
            let rate = extended::request_rate(value)
                .and_then(|rate| Rate::new(rate.documents, rate.seconds, rate.window.and_then(window)));
            keep(rate, schedule, |s| &mut s.rates, allowed)
        }
        Key::Comment if !value.is_empty() => {
            keep(Some(String::from_utf8_lossy(value).into_owned()), schedule, |s| &mut s.comments, allowed)
        }
        _ => true,
    }
}

fn keep<T: PartialEq>(
    record: Option<T>,
    schedule: &mut Option<Box<Schedule>>,
    list: impl Fn(&mut Schedule) -> &mut Vec<T>,
    allowed: usize,
) -> bool {
    let Some(record) = record else { return true };
    let list = list(schedule.get_or_insert_default());
    if list.contains(&record) {
        return true;
    }
    let fits = list.len() < allowed;
    list.extend(Some(record).filter(|_| fits));
    fits
}
