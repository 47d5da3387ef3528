//! The RSL documents of a page, linked or in scripts.
//!
//! `read` calls it for every `link` and `script`. Invariants: their number and their size are
//! limited, and time is linear in the page, however many scripts have no end. It does not know the
//! syntax of a document, but one that cannot be read is kept as such, since it may refuse.

use encoding_rs::Encoding;
use lol_html::html_content::Element as Tag;
use memchr::memmem;
use robomaton_compiler::PageLicense;

use super::read::{MAX_VALUE, Reader, attribute};
use super::tree::End;

/// The maximum number of RSL documents of one page, linked or inline.
const MAX_LICENSES: usize = 64;

/// The maximum size in bytes of an RSL document in a page. A longer one is kept as an empty text,
/// which cannot be read.
const MAX_INLINE: usize = 64 << 10;

/// The media type of RSL documents.
const RSL: &str = "application/rsl+xml";

/// True for the media type of RSL documents, with parameters or without.
fn is_rsl(media_type: &str) -> bool {
    media_type.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(RSL))
}

impl Reader<'_> {
    /// A link to an RSL document.
    pub(super) fn link(&mut self, tag: &Tag<'_, '_>) {
        let is_license = attribute(tag, "rel")
            .is_some_and(|rel| rel.split_whitespace().any(|word| word.eq_ignore_ascii_case("license")));
        if !is_license || !attribute(tag, "type").is_some_and(|kind| is_rsl(&kind)) {
            return;
        }
        // A link without a target is one that cannot be read.
        let target = attribute(tag, "href").unwrap_or_default();
        if target.len() > MAX_VALUE {
            self.page.cut = true;
            return;
        }
        self.license(|_| PageLicense::Link(target.trim().to_owned()));
    }

    /// An RSL document in a script, which ends at the first end tag.
    pub(super) fn script(&mut self, tag: &Tag<'_, '_>) {
        if !attribute(tag, "type").is_some_and(|kind| is_rsl(&kind)) {
            return;
        }
        let start = self.offset(tag.source_location().bytes().end).min(self.text.len());
        self.license(|reader| {
            let content = &reader.text[start..reader.end_of_script(start)];
            // Another reader would see other text where bytes are not of the encoding.
            let encoding: &'static Encoding = reader.encoding.into();
            let text = Some(content)
                .filter(|content| content.len() <= MAX_INLINE)
                .and_then(|content| encoding.decode_without_bom_handling_and_without_replacement(content));
            PageLicense::Inline(text.unwrap_or_default().into_owned())
        });
    }

    /// The end of the script that starts here; scripts ascend. In SVG and in XML, one may stand in
    /// another and have the same end, which is searched only once.
    fn end_of_script(&mut self, start: usize) -> usize {
        if start > self.script_end {
            let content = &self.text[start..];
            let is_end = |&at: &usize| {
                content[at..].get(2..8).is_some_and(|name| name.eq_ignore_ascii_case(b"script"))
            };
            let end = memmem::find_iter(content, b"</").find(is_end);
            self.script_end = end.map_or(self.text.len(), |end| start + end);
        }
        self.script_end
    }

    fn license(&mut self, license: impl FnOnce(&mut Self) -> PageLicense) {
        if self.page.licenses.len() + self.page.part_licenses.len() == MAX_LICENSES {
            self.page.cut = true;
            return;
        }
        let license = license(self);
        // A crawler that runs scripts does not see what `noscript` contains.
        let is_part = self.in_noscript || self.tree.borrow().is_in_part();
        match is_part || self.end_of_noscripts() > End::Closed {
            true => self.page.part_licenses.push(license),
            false => self.page.licenses.push(license),
        }
    }
}
