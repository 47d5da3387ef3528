//! JSON lines: one object per line, one capture per object.
//!
//! ```json
//! {"url": "https://a.example/robots.txt", "status": 200, "fetched_at": "2026-01-02T03:04:05Z", "body": "…"}
//! ```
//!
//! What the keys mean is told in `row`. A line of a CDXJ index is the same behind a key and a timestamp.
//! Invariants: every line is one item; a bad line costs itself alone; a body is octets, so that one which was
//! pasted in without regard to UTF-8 arrives as it was.

use crate::SkipReason;
use crate::row::Row;
use crate::sink::Sink;
use crate::window::{CHUNK, Window};
use std::ops::ControlFlow;

/// Reads all lines of a file.
pub(crate) fn read(window: &mut Window<'_>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    if window.want(3).starts_with(b"\xef\xbb\xbf") {
        window.take(3);
    }
    let max = sink.limits.max_line;
    for number in 1.. {
        match line_end(window, max) {
            Some(end) => {
                line(&window.data()[..end], number, sink)?;
                window.take(end + 1);
            }
            None if window.data().len() > max => {
                drop_line(window);
                sink.skip(number, SkipReason::LineTooLong)?;
            }
            None => {
                let rest = window.data().len();
                match window.pass() {
                    // The beginning of a line is no line.
                    Some(damage) => {
                        window.take(rest);
                        sink.skip(number, damage)?;
                    }
                    None => return line(window.data(), number, sink),
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Where the line in front of the window ends; `None` if it does not within `max` octets, or not at all.
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

/// Takes the line in front of the window, however long.
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

/// Makes an item of a line; blank ones are nothing.
fn line(bytes: &[u8], number: u64, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return ControlFlow::Continue(());
    }
    let bad = |what: String| SkipReason::Json(what);
    let object = object(bytes);
    if !object.starts_with(b"{") {
        // A list of values would do for a row, in the order of our fields, which nobody knows.
        return sink.skip(number, bad("no object".to_owned()));
    }
    let row = serde_json::from_slice::<Row>(object).map_err(|error| bad(error.to_string()));
    sink.said(number, row.and_then(|row| row.said(sink.limits.max_body, bad)))
}

/// A line without what a CDXJ index puts in front of the object: `com,example)/robots.txt 20260102030405`.
fn object(line: &[u8]) -> &[u8] {
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
