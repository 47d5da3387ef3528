//! Constructs of XML that an HTML tokenizer reads differently.
//!
//! `read` asks for comments and start tags of XML pages. Behind such a place elements may be
//! hidden, so the page is not read whole. Honest pages hardly ever have one. It knows neither
//! permissions nor the rest of XML.

use lol_html::html_content::Element as Tag;

/// The namespace of elements of HTML.
pub(super) const XHTML: &str = "http://www.w3.org/1999/xhtml";

/// True if what HTML takes for a comment is a whole comment, CDATA section or processing
/// instruction of XML, too.
pub(super) fn is_whole(comment: &[u8]) -> bool {
    [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].iter().any(|(start, end)| {
        comment.len() >= start.len() + end.len()
            && comment.starts_with(start.as_bytes())
            && comment.ends_with(end.as_bytes())
    })
}

/// True for a tag after which HTML sees no more tags, or that gives HTML's elements names with a
/// prefix.
pub(super) fn is_odd(tag: &Tag<'_, '_>) -> bool {
    let is_prefix = |name: String| name.starts_with("xmlns:");
    let is_html = |value: String| htmlize::unescape_attribute(value).trim() == XHTML;
    let mut attributes = tag.attributes().iter();
    tag.tag_name() == "plaintext"
        || attributes.any(|attribute| is_prefix(attribute.name()) && is_html(attribute.value()))
}
