//! Escapes invisible characters in untrusted text, and marks up code in sentences.
//!
//! Markup is escaped on output (by `maud`, and by `textContent` in the page). Here, characters are
//! escaped that are invisible, or that change the direction of the text around them.

use maud::{Markup, html};
use std::borrow::Cow;

/// The text with controls, and characters that redirect or hide others, as escapes: `\u{202e}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unseen(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Controls (Cc), and the invisible format characters (Cf): direction marks, joiners, byte order
/// marks, tags, and line separators.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// A sentence in which text between backquotes becomes `code`.
pub(crate) fn with_code(sentence: &str) -> Markup {
    html! {
        @for (place, piece) in sentence.split('`').enumerate() {
            @if place % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden() {
        assert_eq!(shown("a\u{202E}b\0\u{feff}\n"), "a\\u{202e}b\\u{0}\\u{feff}\\u{a}");
        assert_eq!(with_code("a `<b>` c").into_string(), "a <code>&lt;b&gt;</code> c");
        assert!(matches!(shown("/größe/\u{5d0}"), Cow::Borrowed("/größe/\u{5d0}")));
    }
}
