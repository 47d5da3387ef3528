//! JSON lines: one object per line, one capture per object.
//!
//! ```json
//! {"url": "https://a.example/robots.txt", "status": 200, "fetched_at": "2026-01-02T03:04:05Z", "body": "…"}
//! ```
//!
//! `row` defines what the keys mean. A line of a CDXJ index is the same after a key and a
//! timestamp. Invariants: every line is one item; a bad line affects no other, and is a fetch that
//! cannot be read if its beginning names one; a body is bytes, so a body that was inserted without
//! regard to UTF-8 is preserved.

use crate::record::Event;
use crate::row::Row;
use crate::source::CHUNK;
use crate::window::Window;
use crate::{ReadLimits, SkipReason};

/// The lines of a file; blank ones are skipped.
pub(crate) struct Lines<'w, 'a> {
    window: &'w mut Window<'a>,
    limits: &'w ReadLimits,
    number: u64,
}

impl<'w, 'a> Lines<'w, 'a> {
    pub(crate) fn of(window: &'w mut Window<'a>, limits: &'w ReadLimits) -> Lines<'w, 'a> {
        window.take_byte_order_mark();
        Lines { window, limits, number: 0 }
    }
}

impl Iterator for Lines<'_, '_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let (window, max) = (&mut *self.window, self.limits.max_line);
        loop {
            self.number += 1;
            let (length, taken) = match line_end(window, max) {
                Some(end) => (end, end + 1),
                None if window.data().len() > max => {
                    let fetch = Row::fetch_in_cut_json(object(&window.data()[..max]));
                    drop_line(window);
                    return Some(Event::unread(self.number, fetch, SkipReason::LineTooLong));
                }
                None => {
                    let rest = window.data().len();
                    if let Some(damage) = window.pass() {
                        // The beginning of a line is no line.
                        let fetch = Row::fetch_in_cut_json(object(&window.data()[..rest]));
                        window.take(rest);
                        return Some(Event::unread(self.number, fetch, damage));
                    }
                    if rest == 0 {
                        return None;
                    }
                    (rest, rest)
                }
            };
            let event = event(&window.data()[..length], self.number, self.limits);
            window.take(taken);
            if event.is_some() {
                return event;
            }
        }
    }
}

/// The end of the line at the front of the window; `None` if it does not end within `max` bytes, or
/// not at all.
fn line_end(window: &mut Window<'_>, max: usize) -> Option<usize> {
    let (mut look, mut seen) = (1, 0);
    loop {
        let data = window.want(look);
        if let Some(end) = memchr::memchr(b'\n', &data[seen..]) {
            return Some(seen + end).filter(|end| *end <= max);
        }
        if data.len() < look || data.len() > max {
            return None;
        }
        seen = data.len();
        look = seen + CHUNK;
    }
}

/// Takes the line at the front of the window, whatever its length.
fn drop_line(window: &mut Window<'_>) {
    loop {
        let data = window.want(1);
        let (count, last) = match memchr::memchr(b'\n', data) {
            Some(end) => (end + 1, true),
            None => (data.len(), data.is_empty()),
        };
        window.take(count);
        if last {
            return;
        }
    }
}

/// The event for a line; `None` if it is blank.
fn event(line: &[u8], number: u64, limits: &ReadLimits) -> Option<Event> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let object = object(line);
    if !object.starts_with(b"{") {
        // An array could be a row by position, but the order of the fields is not defined.
        return Some(Event::skipped(number, SkipReason::Json("no object".to_owned())));
    }
    Some(Row::event(Row::from_json(object), number, limits.max_body, SkipReason::Json))
}

/// A line without the prefix of a CDXJ index: `com,example)/robots.txt 20260102030405`.
fn object(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let mut parts = line.splitn(3, |byte| *byte == b' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(key), Some(time), Some(object))
            if !key.starts_with(b"{") && time.len() == 14 && time.iter().all(u8::is_ascii_digit) =>
        {
            object
        }
        _ => line,
    }
}
