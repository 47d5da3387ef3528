//! Helpers for messages: untrusted text, quotations, counts.

use std::borrow::Cow;

/// Untrusted text for a terminal: on one line, with control characters escaped.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() });
    escaped.collect::<String>().into()
}

/// The maximum length of a quotation in characters.
const QUOTED: usize = 80;

/// Untrusted text in quotation marks, truncated if it is long.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}...\"", text[..end].escape_debug()),
        None => format!("{text:?}"),
    }
}

/// The maximum length of a name in a sentence, in characters.
const NAME: usize = 200;

/// The name of a file in a sentence, truncated if it is long: thousands of sentences may have it.
pub(crate) fn short(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}...", &name[..end]).into(),
        None => name.into(),
    }
}

/// A number with a noun.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
