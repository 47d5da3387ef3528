//! JSON lines: one object per line, one capture per object.
//!
//! ```json
//! {"url": "https://a.example/robots.txt", "status": 200, "fetched_at": "2026-01-02T03:04:05Z", "body": "…"}
//! ```
//!
//! `row` defines what the keys mean. A line of a CDXJ index is the same after a key and a
//! timestamp. Invariants: every object is one item, also behind another in its line; a bad line
//! affects no other, and is a fetch that cannot be read if its beginning names one; a body is
//! bytes, so a body that was inserted without regard to UTF-8 is preserved.

use crate::record::Event;
use crate::row::Row;
use crate::source::CHUNK;
use crate::window::{DAMAGED, DOUBT, Window};
use crate::{ReadLimits, SkipReason};
use robomaton_grammar::without_mark;
use serde::de::IgnoredAny;

/// The lines of a file; blank ones are skipped.
pub(crate) struct Lines<'w, 'a> {
    window: &'w mut Window<'a>,
    limits: &'w ReadLimits,
    number: u64,
    /// The bytes of a line behind an object that was read, without and with the line end.
    rest: Option<(usize, usize)>,
}

impl<'w, 'a> Lines<'w, 'a> {
    pub(crate) fn of(window: &'w mut Window<'a>, limits: &'w ReadLimits) -> Lines<'w, 'a> {
        window.take_byte_order_mark();
        Lines { window, limits, number: 0, rest: None }
    }
}

impl Iterator for Lines<'_, '_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let rest = self.rest.take();
            let (length, taken) = match rest.map_or_else(|| self.line(), |rest| Some(Ok(rest)))? {
                Ok(line) => line,
                Err(unread) => return Some(*unread),
            };
            let is_in_doubt = self.window.is_in_doubt(taken, DOUBT);
            let line = &self.window.data()[..length];
            // A rest has no white space at its end, which would be passed over for each object.
            let (line, text) = match rest {
                Some(_) => (line, line.trim_ascii_start()),
                None => (line.trim_ascii_end(), object(line)),
            };
            let (event, behind) = match is_in_doubt {
                true => (Some(in_doubt(text, self.number)).filter(|_| !text.is_empty()), 0),
                false => event(text, self.number, self.limits),
            };
            let length = line.len();
            let read = length - behind;
            self.rest = (read < length).then(|| (length - read, taken - read));
            self.window.take(if read < length { read } else { taken });
            if event.is_some() {
                return event;
            }
        }
    }
}

impl Lines<'_, '_> {
    /// The length of the next line, without and with its end; or the event for one that is not
    /// read. `None` at the end of the file.
    fn line(&mut self) -> Option<Result<(usize, usize), Box<Event>>> {
        let (window, max) = (&mut *self.window, self.limits.max_line);
        self.number += 1;
        let unread = |fetch, reason| Some(Err(Box::new(Event::unread(self.number, fetch, reason))));
        if let Some(end) = line_end(window, max) {
            return Some(Ok((end, end + 1)));
        }
        if window.data().len() > max {
            let fetch = Row::fetch_in_cut_json(object(&window.data()[..max]));
            drop_line(window);
            return unread(fetch, SkipReason::LineTooLong);
        }
        let rest = window.data().len();
        if let Some(damage) = window.pass() {
            // The beginning of a line is no line.
            let fetch = Row::fetch_in_cut_json(object(&window.data()[..rest]));
            window.take(rest);
            return unread(fetch, damage);
        }
        (rest > 0).then_some(Ok((rest, rest)))
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

/// The event for a line of a damaged member.
fn in_doubt(text: &[u8], number: u64) -> Event {
    Event::unread(number, Row::fetch_in_cut_json(text), SkipReason::Json(DAMAGED.to_owned()))
}

/// The event for a text, `None` if it is empty; and the number of bytes behind what was read of it.
/// If a writer left out line ends, that is the first of several objects.
fn event(text: &[u8], number: u64, limits: &ReadLimits) -> (Option<Event>, usize) {
    if text.is_empty() {
        return (None, 0);
    }
    if text.starts_with(b"{")
        && let Ok(row) = serde_json::from_slice(text)
    {
        return (Some(Row::event(Ok(row), number, limits.max_body, SkipReason::Json)), 0);
    }
    let (before, objects) = text.split_at(memchr::memchr(b'{', text).unwrap_or(text.len()));
    // The rest is looked at once, however many objects there are.
    let (first, rest) = objects.split_at(end_of_first(objects).unwrap_or(objects.len()));
    let event = if before.is_empty() {
        Row::event(Row::from_json(first), number, limits.max_body, SkipReason::Json)
    } else {
        // An array could be a row by position, but the order of the fields is not defined.
        let no_object = SkipReason::Json("no object".to_owned());
        Event::unread(number, Row::fetch_in_cut_json(first), no_object)
    };
    (Some(event), rest.len())
}

/// The end of the first of several objects; `None` if there is only one, or the first has no end.
fn end_of_first(objects: &[u8]) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(objects).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    memchr::memchr(b'{', &objects[end..]).map(|_| end)
}

/// A line without a byte order mark, as files that are joined have within, and without the prefix
/// of a CDXJ index: `com,example)/robots.txt 20260102030405`.
fn object(line: &[u8]) -> &[u8] {
    let line = without_mark(line.trim_ascii());
    if line.starts_with(b"{") {
        return line;
    }
    let mut parts = line.splitn(3, |byte| *byte == b' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(time), Some(object)) if time.len() == 14 && time.iter().all(u8::is_ascii_digit) => {
            object
        }
        _ => line,
    }
}
