//! The context of a text: its origin, the files that it refers to, the pages of its site.
//!
//! The caller supplies the context, since a text does not contain it. This file is data for
//! [`crate::lower`] and reads or judges nothing.

/// The data compiled together with a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileContext<'a, 's> {
    /// The authority (`host[:port]`) from which the text was fetched.
    pub origin: Option<&'a str>,
    /// Other files of the same site, by path and query. The ones that the text refers to are read
    /// with it (V16).
    pub files: &'a [(&'a str, &'s [u8])],
    /// Pages of the site with embedded permissions (M21).
    pub pages: &'a [Page],
}

/// One page with its embedded permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// The absolute URL of the page. If it is empty, the caller must check conditions of location.
    pub url: String,
    /// Path and query of the URL, as written there.
    pub target: String,
    /// Its META tags.
    pub metas: Vec<MetaTag>,
    /// Its elements with an ACAP class.
    pub elements: Vec<Element>,
}

/// A META tag of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetaTag {
    /// `robots`, or the name of a crawler.
    pub name: String,
    /// The content of the tag.
    pub content: String,
    /// The line on which it begins, from 1.
    pub line: u32,
}

/// An element's class that begins with `the-acap:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element {
    /// The class.
    pub token: String,
    /// The line on which the element begins, from 1.
    pub line: u32,
}
