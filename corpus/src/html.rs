//! What a page says to crawlers about itself: its robots META elements and its ACAP class tokens.
//!
//! Stands beside the readers of captures: those deliver pages, `read_page` finds in one page what
//! the ACAP front end compiles. The reader is the feature `pages`; what it finds is told in these
//! types, with the feature or without. What it does not know: the syntax of a permission, and which
//! META element wins.

#[cfg(feature = "pages")]
mod place;
#[cfg(feature = "pages")]
mod read;
#[cfg(feature = "pages")]
mod robots;
#[cfg(feature = "pages")]
mod tree;

#[cfg(feature = "pages")]
pub use read::read_page;
use robomaton_compiler as compiler;

/// What a page says to crawlers, in the order of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its META elements for crawlers, wherever they stand.
    pub metas: Vec<MetaTag>,
    /// Its ACAP class tokens, each with its element.
    pub elements: Vec<Element>,
    /// Whether a limit was reached, so that there may be more than is here, or a path is
    /// incomplete.
    pub cut: bool,
}

impl Page {
    /// The page as the compiler takes it, found at this URL with this request target. The elements
    /// keep their lines.
    pub fn for_compiler(self, url: String, target: String) -> compiler::Page {
        let meta = |tag: MetaTag| compiler::MetaTag { name: tag.name, content: tag.content, line: tag.line };
        let element = |element: Element| compiler::Element { token: element.token, line: element.line };
        compiler::Page {
            url,
            target,
            metas: self.metas.into_iter().map(meta).collect(),
            elements: self.elements.into_iter().map(element).collect(),
        }
    }
}

/// A META element that names a crawler, or `robots`, and says something to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaTag {
    /// The crawler addressed, or `robots`: without white space around, otherwise as written.
    pub name: String,
    /// What it is told, character references decoded, otherwise as written.
    pub content: String,
    /// The line of its `<`, from 1.
    pub line: u32,
    /// The column of its `<` in bytes, from 1.
    pub column: u32,
}

/// A class token of ACAP and the element that bears it; an element with two tokens gives two of
/// these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The element's name in lower case.
    pub tag: String,
    /// Its `id`, character references decoded.
    pub id: Option<String>,
    /// The token, as written: `the-acap:` or `acap:` in any case of letters, and what follows up to
    /// white space.
    pub token: String,
    /// The line of its `<`, from 1.
    pub line: u32,
    /// The column of its `<` in bytes, from 1.
    pub column: u32,
    /// The way down to it, `body>div:2>p:1`: at each step the element, and which child of the step
    /// before it is.
    ///
    /// Elements count as written, whatever their name. End tags that may be left out are
    /// understood; where elements overlap, the path is a good guess. Steps below a depth that no
    /// real page reaches are a `…`.
    pub path: String,
}
