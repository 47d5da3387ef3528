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
    /// The objects without an end before it.
    torn: Torn,
}

/// Objects without an end in a line.
#[derive(Clone, Copy, Default)]
struct Torn {
    count: u32,
    /// The bytes up to where they could be read.
    bytes: usize,
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
            let (is_rest, before) = (rest.is_some(), rest.as_ref().map(|rest| rest.torn).unwrap_or_default());
            let line = rest.map_or_else(|| self.line(), |rest| Some(Ok((rest.length, rest.taken))));
            let (length, taken) = match line? {
                Ok(line) => line,
                Err(unread) => return Some(*unread),
            };
            let doubt = self.window.doubt(taken, DOUBT).map(|_| DAMAGED);
            let line = &self.window.data()[..length];
            // A rest has no white space at its end, which would be passed over for each object.
            let (line, text) = match is_rest {
                true => (line, line.trim_ascii_start()),
                false => (line.trim_ascii_end(), object(line)),
            };
            let Object { event, behind, torn } = match before.count {
                0 => object_of(text, self.number, self.limits, doubt),
                _ => behind_torn(text, before, self.number, doubt),
            };
            let read = line.len() - behind;
            let torn = Torn {
                count: before.count + u32::from(torn.is_some()),
                bytes: before.bytes + torn.unwrap_or(0),
            };
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

/// An object that was read from a text.
#[derive(Default)]
struct Object {
    /// `None` if it has nothing that counts.
    event: Option<Event>,
    /// The bytes at its end in which other objects may begin.
    behind: usize,
    /// If the object has no end, the bytes up to where it could be read.
    torn: Option<usize>,
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
    let First { end, others, torn } = first_of(objects);
    let first = &objects[..others.map_or(objects.len(), |_| end)];
    // An array could be a row by position, but the order of the fields is not defined.
    let doubt = doubt.or((!before.is_empty()).then_some("no object"));
    let event = match doubt {
        None => Row::event(Row::from_json(first), number, limits.max_body, SkipReason::Json),
        Some(doubt) => {
            let is_of_row = is_rest_of_row(before) && is_value(&objects[end..]);
            let fetch = if is_of_row { None } else { Row::fetch_in_cut_json(first) };
            Event::unread(number, fetch, SkipReason::Json(doubt.to_owned()))
        }
    };
    Object { event: Some(event), behind: others.map_or(0, |others| objects.len() - others), torn }
}

/// The first of several objects.
struct First {
    end: usize,
    /// Where another may begin, which may be inside the first one if that is torn.
    others: Option<usize>,
    /// As of [`Object::torn`].
    torn: Option<usize>,
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
            First { end: near.unwrap_or(objects.len()), others, torn: others.map(|_| seen.len()) }
        }
        Some(Ok(_)) | None => {
            let end = values.byte_offset();
            let others = memchr::memchr(b'{', &objects[end..]).map(|_| end);
            First { end, others, torn: None }
        }
    }
}

/// Where an object may begin behind the first byte: at a brace before a quote. Within a text, no
/// quote is without a backslash.
fn next_object(text: &[u8]) -> Option<usize> {
    let begins = |at: &usize| text[at + 1..].trim_ascii_start().starts_with(b"\"");
    memchr::memchr_iter(b'{', text).filter(|at| *at > 0).find(begins)
}

/// True if the object behind this text may be the value of a row whose beginning is missing: a key
/// stands before it, and something before the key. Rows may be values themselves, each of a key.
fn is_rest_of_row(before: &[u8]) -> bool {
    let is_of_list = |byte: &u8| matches!(byte, b',' | b'[') || byte.is_ascii_whitespace();
    let end = before.iter().rposition(|byte| !is_of_list(byte)).map_or(0, |last| last + 1);
    let start = before[..end].iter().position(|byte| !is_of_list(byte)).unwrap_or(end);
    let Some(key) = before[start..end].strip_suffix(b":") else { return false };
    let is_whole = matches!(key.trim_ascii_end(), [b'"', name @ .., b'"'] if !name.contains(&b'"'));
    !is_whole
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
const MOST_TORN: Torn = Torn { count: 16, bytes: 32 << 20 };

/// Like [`object_of`], behind objects without an end: what is no value of one of them, and names a
/// fetch, is one that cannot be read.
fn behind_torn(text: &[u8], before: Torn, number: u64, doubt: Option<&str>) -> Object {
    let (first, next, torn) = if before.count >= MOST_TORN.count || before.bytes > MOST_TORN.bytes {
        let next = next_object(text);
        (&text[..next.unwrap_or(text.len())], next, None)
    } else {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Err(mistake)) => (text, next_object(text), Some(mistake.column())),
            Some(Ok(_)) | None => {
                let end = values.byte_offset();
                // The next one may begin at its end.
                let last = end.saturating_sub(1);
                let next = next_object(&text[last..]).map(|next| last + next);
                (if is_value(&text[end..]) { &[] } else { &text[..end] }, next, None)
            }
        }
    };
    let reason = SkipReason::Json(doubt.unwrap_or(TORN).to_owned());
    let event = Row::fetch_in_cut_json(first).map(|fetch| Event::unread(number, Some(fetch), reason));
    Object { event, behind: next.map_or(0, |next| text.len() - next), torn }
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
