//! What a text is compiled together with: its origin, files that it refers to, pages of its site.
//!
//! The caller knows these; a text does not. Nothing here is read or judged: it is data for
//! [`crate::lower`].

/// What a text is read together with.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileContext<'a, 's> {
    /// The authority (`host[:port]`) that the text was fetched from.
    pub origin: Option<&'a str>,
    /// Other files of the same site, by path and query: those that the text refers to are read with
    /// it (V16).
    pub files: &'a [(&'a str, &'s [u8])],
    /// Pages of the site with permissions embedded in them (M21).
    pub pages: &'a [Page],
}

/// One page with what is embedded in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// The absolute URL that it was found at. When it is empty, conditions of location are left to
    /// the caller.
    pub url: String,
    /// Path and query of its URL, as they stand there.
    pub target: String,
    /// Its META tags.
    pub metas: Vec<MetaTag>,
    /// Its elements with a class of ACAP.
    pub elements: Vec<Element>,
}

/// A META tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetaTag {
    /// `robots`, or the name of a crawler.
    pub name: String,
    /// Its content.
    pub content: String,
    /// The line it begins on, from 1.
    pub line: u32,
}

/// An element's class that begins with `the-acap:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element {
    /// The class.
    pub token: String,
    /// The line the element begins on, from 1.
    pub line: u32,
}
