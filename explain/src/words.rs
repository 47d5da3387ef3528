//! Small pieces of messages: untrusted text, quotations, counts.

use std::borrow::Cow;

/// Untrusted text for a terminal: without control characters, and on one line.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() });
    escaped.collect::<String>().into()
}

/// Characters of a quotation.
const QUOTED: usize = 80;

/// Untrusted text in quotation marks, cut if it is long.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}...\"", text[..end].escape_debug()),
        None => format!("{text:?}"),
    }
}

/// A number of things.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
