//! The permissions in a page: its robots META elements and its ACAP class tokens.
//!
//! The readers of captures deliver pages; `read_page` finds in a page what the compiler's ACAP
//! front end reads. The reader is the feature `pages`; these types exist with or without it. It
//! does not know the syntax of a permission, nor which META element wins.

#[cfg(feature = "pages")]
mod foreign;
#[cfg(feature = "pages")]
mod licenses;
#[cfg(feature = "pages")]
mod noscript;
#[cfg(feature = "pages")]
mod place;
#[cfg(feature = "pages")]
mod read;
#[cfg(feature = "pages")]
mod robots;
#[cfg(feature = "pages")]
mod tree;
#[cfg(feature = "pages")]
mod xml;

#[cfg(feature = "pages")]
pub(crate) use read::is_page;
#[cfg(feature = "pages")]
pub use read::read_page;
use robomaton_compiler as compiler;
use robomaton_compiler::PageLicense;
use robomaton_formats::url::{join, parse};

/// The permissions of a page, in the order of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its META elements for crawlers, wherever they are.
    pub metas: Vec<MetaTag>,
    /// Its ACAP class tokens, each with its element.
    pub elements: Vec<Element>,
    /// Its RSL documents, and links to them.
    pub licenses: Vec<PageLicense>,
    /// Its licences inside an element of its body, each of which speaks of that element alone, and
    /// those inside `noscript`, which not every crawler sees.
    pub part_licenses: Vec<PageLicense>,
    /// The address against which its links are resolved, as written, if it states one.
    pub base: Option<String>,
    /// True if a limit was reached, so that some may be missing, or a path may be incomplete.
    pub cut: bool,
}

impl Page {
    /// Resolves the links of a page with this URL against its base, if it states one; the base may
    /// be relative to the URL.
    pub fn resolve_links(&mut self, url: &str) {
        let page = parse(url).ok();
        let base = self.base.take();
        let of_page = |base: String| page.map_or_else(|| parse(&base), |page| join(&page, &base)).ok();
        let Some(base) = base.and_then(of_page) else { return };
        for license in self.licenses.iter_mut().chain(&mut self.part_licenses) {
            if let PageLicense::Link(link) = license
                && !link.is_empty()
                && let Ok(resolved) = join(&base, link)
            {
                *link = resolved.into();
            }
        }
    }

    /// The page for the compiler, with its URL and request target, without header fields. The
    /// elements keep their lines.
    pub fn for_compiler(mut self, url: String, target: String) -> compiler::Page {
        self.resolve_links(&url);
        let meta = |tag: MetaTag| {
            let MetaTag { name, content, line, in_noscript, .. } = tag;
            compiler::MetaTag { name, content, line, in_noscript }
        };
        let element = |element: Element| compiler::Element { token: element.token, line: element.line };
        compiler::Page {
            url,
            target,
            headers: Vec::new(),
            licenses: self.licenses,
            part_licenses: self.part_licenses,
            metas: self.metas.into_iter().map(meta).collect(),
            elements: self.elements.into_iter().map(element).collect(),
            is_cut: self.cut,
        }
    }
}

/// A META element for `robots` or for a named crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaTag {
    /// The crawler's name, or `robots`, as written, without surrounding white space.
    pub name: String,
    /// The content as written, with character references decoded.
    pub content: String,
    /// The line of its `<`, from 1.
    pub line: u32,
    /// The column of its `<` in bytes, from 1.
    pub column: u32,
    /// True inside a `noscript`, where a crawler that runs scripts sees no element.
    pub in_noscript: bool,
}

/// An ACAP class token and its element; an element with two tokens yields two of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The element's name in lower case.
    pub tag: String,
    /// Its `id`, with character references decoded.
    pub id: Option<String>,
    /// The token, as written: `the-acap:` or `acap:` in any case, and what follows up to white
    /// space.
    pub token: String,
    /// The line of its `<`, from 1.
    pub line: u32,
    /// The column of its `<` in bytes, from 1.
    pub column: u32,
    /// The path to the element, `body>div:2>p:1`: at each step the element, and its index among the
    /// children of the previous step.
    ///
    /// Elements count as written, whatever their name. Omitted end tags are understood; where
    /// elements overlap, the path is a good guess. Steps below a depth that no real page reaches
    /// are a `…`. Inside a `noscript`, the path begins with it.
    pub path: String,
}
