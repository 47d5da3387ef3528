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
    /// The part of the line behind the object that was read last.
    rest: Option<Rest>,
}

/// The part of a line behind an object.
struct Rest {
    /// Its bytes without the line end, and with it.
    length: usize,
    taken: usize,
    /// The number of objects without an end before it.
    torn: u32,
}

/// The reason for an object behind one that has no end, as a writer leaves it that is killed and
/// goes on behind it. Where the torn one ends is a guess.
const TORN: &str = "the object before it in the line has no end";

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
            let (is_rest, torn) = (rest.is_some(), rest.as_ref().map_or(0, |rest| rest.torn));
            let line = rest.map_or_else(|| self.line(), |rest| Some(Ok((rest.length, rest.taken))));
            let (length, taken) = match line? {
                Ok(line) => line,
                Err(unread) => return Some(*unread),
            };
            let doubt = self.window.is_in_doubt(taken, DOUBT).then_some(DAMAGED);
            let line = &self.window.data()[..length];
            // A rest has no white space at its end, which would be passed over for each object.
            let (line, text) = match is_rest {
                true => (line, line.trim_ascii_start()),
                false => (line.trim_ascii_end(), object(line)),
            };
            let Object { event, behind, is_torn } = match torn {
                0 => object_of(text, self.number, self.limits, doubt),
                _ => behind_torn(text, torn, self.number, doubt),
            };
            let read = line.len() - behind;
            let torn = torn + u32::from(is_torn);
            self.rest = (behind > 0).then(|| Rest { length: behind, taken: taken - read, torn });
            self.window.take(if behind > 0 { read } else { taken });
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

/// What was read of a text.
#[derive(Default)]
struct Object {
    /// `None` if it has nothing that counts.
    event: Option<Event>,
    /// The bytes at its end in which other objects may begin.
    behind: usize,
    /// True if the object has no end.
    is_torn: bool,
}

/// Reads a text. If a writer left out line ends, that is the first of several objects. With a
/// reason for doubt, the object is a fetch that cannot be read.
fn object_of(text: &[u8], number: u64, limits: &ReadLimits, doubt: Option<&str>) -> Object {
    if text.is_empty() {
        return Object::default();
    }
    if doubt.is_none()
        && text.starts_with(b"{")
        && let Ok(row) = serde_json::from_slice(text)
    {
        let event = Row::event(Ok(row), number, limits.max_body, SkipReason::Json);
        return Object { event: Some(event), ..Object::default() };
    }
    let (before, objects) = text.split_at(memchr::memchr(b'{', text).unwrap_or(text.len()));
    // The rest is looked at once, however many objects there are.
    let First { end, others, is_torn } = first_of(objects);
    let first = &objects[..others.map_or(objects.len(), |_| end)];
    // An array could be a row by position, but the order of the fields is not defined.
    let doubt = doubt.or((!before.is_empty()).then_some("no object"));
    let event = match doubt {
        None => Row::event(Row::from_json(first), number, limits.max_body, SkipReason::Json),
        Some(doubt) => {
            // A row whose beginning is missing may have had it as a value.
            let is_fetch = before.is_empty() || !is_value(&objects[end..]);
            let fetch = if is_fetch { Row::fetch_in_cut_json(first) } else { None };
            Event::unread(number, fetch, SkipReason::Json(doubt.to_owned()))
        }
    };
    Object { event: Some(event), behind: others.map_or(0, |others| objects.len() - others), is_torn }
}

/// The first of several objects.
struct First {
    end: usize,
    /// Where another may begin, which may be inside the first one if that is torn.
    others: Option<usize>,
    is_torn: bool,
}

/// The first of the objects in a text.
fn first_of(objects: &[u8]) -> First {
    let mut values = serde_json::Deserializer::from_slice(objects).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Err(mistake)) => {
            // The quote behind the brace of the next one ends a text, or the brace is the mistake;
            // or the next one was the value of a key, so any that seems to begin may be it.
            let seen = &objects[..objects.len().min(mistake.column() + 1)];
            let near = memchr::memmem::rfind(seen, b"{\"").filter(|end| *end > 0 && seen.len() - end <= 4);
            let others = next_object(objects);
            First { end: near.unwrap_or(objects.len()), others, is_torn: others.is_some() }
        }
        Some(Ok(_)) | None => {
            let end = values.byte_offset();
            let others = memchr::memchr(b'{', &objects[end..]).map(|_| end);
            First { end, others, is_torn: false }
        }
    }
}

/// Where an object may begin behind the first byte: at a brace before a quote. Within a text, no
/// quote is without a backslash.
fn next_object(text: &[u8]) -> Option<usize> {
    let begins = |at: &usize| text[at + 1..].trim_ascii_start().starts_with(b"\"");
    memchr::memchr_iter(b'{', text).filter(|at| *at > 0).find(begins)
}

/// True if an object before this text is a value of another one, perhaps in a list: a key follows,
/// or the end of the other one. In a list of rows, a brace follows.
fn is_value(behind: &[u8]) -> bool {
    let ends_list = |byte: &u8| *byte == b']' || byte.is_ascii_whitespace();
    let lists = behind.iter().take_while(|byte| ends_list(byte)).count();
    match &behind[lists..] {
        [b'}', ..] => true,
        [b',', rest @ ..] => rest.trim_ascii_start().starts_with(b"\""),
        _ => false,
    }
}

/// The objects without an end in a line that are read as far as they go. Each may be as long as the
/// line.
const MOST_TORN: u32 = 16;
/// Of texts longer than this, fewer: twice as many bytes in all.
const LONG: usize = 16 << 20;

/// Like [`object_of`], behind so many objects without an end: what is no value of one of them, and
/// names a fetch, is one that cannot be read.
fn behind_torn(text: &[u8], torn: u32, number: u64, doubt: Option<&str>) -> Object {
    let is_read = torn < MOST_TORN && torn as usize * text.len() <= 2 * LONG;
    let (first, next, is_torn) = if !is_read {
        let next = next_object(text);
        (&text[..next.unwrap_or(text.len())], next, false)
    } else {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                let end = values.byte_offset();
                let next = next_object(&text[end - 1..]).map(|next| end - 1 + next);
                (if is_value(&text[end..]) { &[] } else { &text[..end] }, next, false)
            }
            _ => (text, next_object(text), true),
        }
    };
    let reason = SkipReason::Json(doubt.unwrap_or(TORN).to_owned());
    let event = Row::fetch_in_cut_json(first).map(|fetch| Event::unread(number, Some(fetch), reason));
    Object { event, behind: next.map_or(0, |next| text.len() - next), is_torn }
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
