//! The contents of `noscript` elements, which are text for crawlers that run scripts.
//!
//! `read` calls it when one has ended. What such a content leaves open stands around the rest of
//! the page for crawlers that run no scripts. Invariants: each content is examined once, and only
//! if something behind it may permit. It knows no permissions.

use std::ops::Range;

use robomaton_compiler::PageLicense;

use super::read::{Reader, has_license, has_tag, may_be_silent, may_bear_tokens, read_part};
use super::tree::End;

/// The maximum number of `noscript` elements of one page that may say something, and of those whose
/// end is examined.
const MAX_NOSCRIPTS: usize = 1024;

/// A licence and a META element behind a content: whether they are found shows where it ends.
const PROBE: &[u8] = b"<link rel=license type=application/rsl+xml href=end-of-noscript>\
      <meta name=robots content=end-of-noscript>";

impl Reader<'_> {
    /// Stores the content of the last `noscript`, which ends at `end` unless its end tag was found.
    pub(super) fn take_noscript(&mut self, end: usize) {
        let Some(noscript) = self.tree.borrow_mut().noscript.take() else { return };
        let content = noscript.start..noscript.end.unwrap_or(end);
        let Some(text) = self.text.get(content.clone()) else { return };
        if text.contains(&b'<') {
            self.unexamined.push(content.clone());
        }
        let speaks = has_tag(text, &["meta", "base"])
            || has_license(text)
            || may_be_silent(text)
            || may_bear_tokens(text);
        if speaks && self.noscripts.len() == MAX_NOSCRIPTS {
            self.page.cut = true;
        } else if speaks {
            self.noscripts.push(content);
        }
    }

    /// Where the contents so far end.
    pub(super) fn end_of_noscripts(&mut self) -> End {
        if self.unexamined.len() > MAX_NOSCRIPTS {
            self.noscript_end = End::Text;
        }
        for content in std::mem::take(&mut self.unexamined) {
            if self.noscript_end < End::Text {
                self.noscript_end = self.noscript_end.max(self.end_of_noscript(content));
            }
        }
        self.noscript_end
    }

    fn end_of_noscript(&self, content: Range<usize>) -> End {
        let text = [&self.text[content], PROBE].concat();
        let mut reader = Reader::new(&text, self.encoding, self.xml);
        reader.has_foreign = !self.xml;
        read_part(&mut reader, "*", 0..text.len());
        let is_probe =
            |license: &PageLicense| matches!(license, PageLicense::Link(link) if link == "end-of-noscript");
        match () {
            () if reader.page.metas.last().is_none_or(|tag| tag.content != "end-of-noscript") => End::Text,
            () if reader.page.cut || !reader.page.licenses.last().is_some_and(is_probe) => End::Element,
            () => End::Closed,
        }
    }
}
