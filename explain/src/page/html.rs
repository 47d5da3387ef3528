//! A page from its HTML, as the reader of captures reads it.

use super::content::{Element, MetaTag, Page};
use robomaton_corpus as corpus;

impl Page {
    /// Reads the permissions of a page with this media type and URL. Links are resolved against the
    /// base that the page states.
    pub fn read(html: &[u8], content_type: Option<&str>, url: &str) -> Page {
        let mut read = corpus::read_page(html, content_type);
        read.resolve_links(url);
        let corpus::Page { metas, elements, licenses, part_licenses, cut, .. } = read;
        let tag = |tag: corpus::MetaTag| {
            let corpus::MetaTag { name, content, line, column, in_noscript } = tag;
            MetaTag { name, content, line, column, in_noscript }
        };
        let element = |element: corpus::Element| {
            let corpus::Element { tag, id, token, line, column, path } = element;
            Element { tag, id, token, line, column, path }
        };
        Page {
            metas: metas.into_iter().map(tag).collect(),
            elements: elements.into_iter().map(element).collect(),
            licenses,
            part_licenses,
            is_cut: cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_compiler::PageLicense;

    #[test]
    fn links_are_resolved_against_the_base() {
        let html = b"<base href=/b/><meta name=robots content=noindex>\
            <link rel=license type=application/rsl+xml href=l.xml><span data-nosnippet>x</span>";
        let page = Page::read(html, None, "https://a.example/p");
        assert_eq!(page.licenses, [PageLicense::Link("https://a.example/b/l.xml".to_owned())]);
        assert_eq!((page.metas.len(), page.elements.len(), page.is_cut), (1, 1, false));
    }
}
