//! What the codes of lint mean, out of LINTS.md, the document that explains each of them.
//!
//! An entry is a heading with the code, an empty line, and a paragraph that begins with severity and rule:
//!
//! ```text
//!   ### misspelled-key
//!
//!   *warning*, R3. A key in a wrong spelling that is common enough to be tolerated. Other crawlers may ...
//! ```
//!
//! It does not know the codes themselves.

use maud::{Markup, html};

/// The paragraph about a code, without severity and rule; empty where the document does not have it.
pub(crate) fn meaning(document: &str, code: &str) -> String {
    let head = format!("\n### {code}\n\n");
    let entry = document.split_once(&head).map_or("", |(_, entry)| entry);
    let paragraph = entry.split("\n\n").next().unwrap_or_default();
    let sentences = paragraph.split_once(". ").map_or("", |(_, sentences)| sentences);
    sentences.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A sentence whose `code` stands between backquotes.
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
    fn meanings_are_read() {
        let document = "# Lints\n\n### a\n\n*note*, R1. One\n`x` two. Three.\n\n```robots\n```\n\n### a-b\n\n*error*, R2. B.\n";
        assert_eq!(meaning(document, "a"), "One `x` two. Three.");
        assert_eq!(meaning(document, "a-b"), "B.");
        assert_eq!((meaning(document, "b"), meaning("", "a")), (String::new(), String::new()));
        assert_eq!(with_code("a `<b>` c").into_string(), "a <code>&lt;b&gt;</code> c");
    }
}
