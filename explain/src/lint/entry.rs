//! The entries of LINTS.md, the document that explains the codes of lint.
//!
//! An entry is a heading with the code, followed by paragraphs. The first begins with severity and
//! rule:
//!
//! ```text
//!   ### misspelled-key
//!
//!   *warning*, R3. A key in a wrong spelling that is common enough to be tolerated. ...
//! ```
//!
//! The caller provides the document. The codes themselves are not known here.

/// The entry of a code in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'d> {
    /// The whole entry, heading and example included.
    pub text: &'d str,
    /// The meaning in words: the text before the example, without severity and rule, on one line.
    pub meaning: String,
}

/// Finds the entry of a code in the document.
pub fn entry<'d>(document: &'d str, code: &str) -> Option<Entry<'d>> {
    let heading = format!("### {code}\n");
    let start = document.find(&format!("\n{heading}"))? + 1;
    let text = &document[start..];
    let body = &text[heading.len()..];
    let text = &text[..body.find("\n##").map_or(text.len(), |end| heading.len() + end)];
    let words = text[heading.len()..].split("```").next().unwrap_or_default();
    let meaning = words.split_once(". ").map_or("", |(_, meaning)| meaning);
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Entry { text: text.trim_end(), meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let document = "# Lints\n\n### a\n\n*note*, R1. One\n`x` two. Three.\n\n```robots\n```\n\n### a-b\n\n*error*, R2. B.\n";
        let meaning = |document, code| entry(document, code).map(|entry| entry.meaning);
        assert_eq!(meaning(document, "a").as_deref(), Some("One `x` two. Three."));
        assert_eq!(meaning(document, "a-b").as_deref(), Some("B."));
        assert_eq!((meaning(document, "b"), meaning("", "a")), (None, None));
        assert_eq!(entry(document, "a-b").map(|entry| entry.text), Some("### a-b\n\n*error*, R2. B."));
    }
}
