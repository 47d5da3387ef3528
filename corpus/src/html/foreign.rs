//! Places of SVG and MathML in HTML that the tokenizer may take for others.
//!
//! lol_html does not know which end tag closes an `svg` that is left open, so HTML may go on where
//! it reads SVG. `read` calls it for every start tag of such pages. Invariants: a page is cut where
//! the two readings see other tags; every byte is examined once. It knows no permissions.

use lol_html::html_content::Element as Tag;
use memchr::memmem;

use super::read::{Reader, is_html};

/// Elements that contain text in HTML, and elements in SVG.
const TEXT: [&str; 10] =
    ["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"];

impl Reader<'_> {
    /// A start tag at an offset, and what stands between it and the one before.
    pub(super) fn foreign(&mut self, tag: &Tag<'_, '_>, name: &str, at: usize) {
        self.sections(at);
        let end = self.offset(tag.source_location().bytes().end);
        let is_foreign = !is_html(tag);
        self.foreign_end = is_foreign.then_some(end);
        if is_foreign && TEXT.contains(&name) {
            let text = self.text.get(end..).unwrap_or_default();
            self.page.cut |= tag.is_self_closing() || name == "plaintext" || !is_plain(text, name);
        }
    }

    /// In HTML, a CDATA section is a comment that ends at the first `>`, so there may be tags in
    /// one of SVG.
    pub(super) fn sections(&mut self, end: usize) {
        let Some(start) = self.foreign_end.take() else { return };
        let text = self.text.get(start..end).unwrap_or_default();
        let mut rest = text;
        while let Some(section) = memmem::find(rest, b"<![CDATA[") {
            let section = &rest[section + 1..];
            let (content, behind) = section.split_at(memmem::find(section, b"]]>").unwrap_or(section.len()));
            let comment_end = memchr::memchr(b'>', content).unwrap_or(content.len());
            self.page.cut |= content[comment_end..].contains(&b'<');
            rest = behind;
        }
    }
}

/// True if a text has no tags up to the end tag of its element, so that it is the same as text of
/// HTML. Comments and CDATA sections may stand in it if they have no `<`.
fn is_plain(mut text: &[u8], name: &str) -> bool {
    while let Some(at) = memchr::memchr(b'<', text) {
        let tag = &text[at + 1..];
        if tag.strip_prefix(b"/").and_then(|tag| tag.get(..name.len())).is_some_and(|end| {
            end.eq_ignore_ascii_case(name.as_bytes())
                && matches!(tag.get(1 + name.len()), None | Some(b' ' | b'\t'..=b'\r' | b'/' | b'>'))
        }) {
            return true;
        }
        let content = &tag[..memchr::memchr(b'<', tag).unwrap_or(tag.len())];
        let is_whole = [(&b"!--"[..], &b"-->"[..]), (b"![CDATA[", b"]]>")]
            .iter()
            .any(|(start, end)| content.starts_with(start) && memmem::find(content, end).is_some());
        if !is_whole {
            return false;
        }
        text = &tag[content.len()..];
    }
    true
}
