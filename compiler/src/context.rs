//! The context of a text: its origin, the files that it refers to, the pages of its site.
//!
//! The caller supplies the context, since a text does not contain it. This file is data for
//! [`crate::lower`] and reads or judges nothing.

use robomaton_formats::Scheme;
use robomaton_grammar::meta::{Meta, content};

/// An attribute of elements that are not to be quoted; a token of [`Element`] as classes are.
pub(crate) const NO_SNIPPET: &str = "data-nosnippet";

/// The data compiled together with a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileContext<'a, 's> {
    /// The authority (`host[:port]`) from which the text was fetched.
    pub origin: Option<&'a str>,
    /// Other files. The ones that the text refers to are read with it (V16, decision 39). The key
    /// is path and query of a file of the same site, and for one of another server, or an RSL
    /// document, its URL (`site::absolute_url`).
    pub files: &'a [(&'a str, &'s [u8])],
    /// Pages of the site with embedded permissions (M21), or whose headers are known.
    pub pages: &'a [Page],
    /// The scheme of the site, if it is known.
    pub scheme: Option<Scheme>,
    /// True if the text is only the beginning of what the site serves: its capture was cut. A text
    /// over the limit of bytes need not be marked.
    pub is_partial: bool,
    /// The site's `/.well-known/tdmrep.json`.
    pub tdmrep: Option<&'s [u8]>,
    /// True if the site's `/.well-known/tdmrep.json` could not be fetched, or not all of it.
    pub is_tdmrep_unread: bool,
    /// The site's `/ai.txt`.
    pub ai_txt: Option<&'s [u8]>,
    /// True if the site's `/ai.txt` could not be fetched, or not all of it.
    pub is_ai_txt_unread: bool,
    /// RSL documents.
    pub licenses: &'a [License<'a>],
}

/// An RSL document.
#[derive(Clone, Copy, Debug)]
pub struct License<'a> {
    /// Its absolute URL, as the text or the page names it.
    pub url: &'a str,
    /// Its bytes.
    pub xml: &'a [u8],
    /// The time of the fetch, in Unix seconds; 0 if it is unknown.
    pub fetched_at: u64,
}

/// One page with its embedded permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// The absolute URL of the page. If it is empty, the caller must check conditions of location.
    pub url: String,
    /// Path and query of the URL, as written there.
    pub target: String,
    /// The header fields of the response, one for each line, in their order.
    pub headers: Vec<Header>,
    /// Its META tags.
    pub metas: Vec<MetaTag>,
    /// Its elements with an ACAP class.
    pub elements: Vec<Element>,
    /// Its RSL documents.
    pub licenses: Vec<PageLicense>,
    /// The RSL documents of parts of it, which may refuse and permit nothing.
    pub part_licenses: Vec<PageLicense>,
    /// The page was not read whole, so it may refuse more than is said here.
    pub is_cut: bool,
}

/// An RSL document of a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageLicense {
    /// The URL in a `<link rel=license>`, as written, or resolved if the page states a base; empty
    /// if the link has none.
    Link(String),
    /// The XML in a `<script type="application/rsl+xml">`; empty if it was too long to keep.
    Inline(String),
}

/// A line of a response header.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Header {
    /// The name, lower case.
    pub name: String,
    /// The value.
    pub value: Vec<u8>,
}

impl Page {
    /// True if neither the page nor its headers say anything about uses.
    pub fn is_silent(&self) -> bool {
        let Page { metas, elements, headers, licenses, part_licenses, .. } = self;
        let has_licenses = !licenses.is_empty() || !part_licenses.is_empty();
        metas.is_empty() && elements.is_empty() && headers.is_empty() && !has_licenses
    }

    /// The page without what it says in ACAP, which its robots directives, reservations and
    /// licences do not depend on.
    #[must_use]
    pub fn without_acap(&self) -> Page {
        let is_other = |tag: &&MetaTag| matches!(content(&tag.content), Meta::Conventional(_));
        let metas = self.metas.iter().filter(is_other).cloned().collect();
        let elements = self.elements.iter().filter(|element| element.token == NO_SNIPPET).cloned().collect();
        Page { metas, elements, is_cut: true, ..self.clone() }
    }

    /// The page without anything that it says.
    #[must_use]
    pub fn unread(&self) -> Page {
        Page { url: self.url.clone(), target: self.target.clone(), is_cut: true, ..Page::default() }
    }

    /// The values of the header fields with this name (lower case), a line each.
    pub fn header<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p [u8]> {
        self.headers.iter().filter(move |header| header.name == name).map(|header| header.value.as_slice())
    }

    /// The META tags with this name, in any case.
    pub fn meta<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p MetaTag> {
        self.metas.iter().filter(move |tag| tag.name.eq_ignore_ascii_case(name))
    }
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
    /// True inside a `noscript`, where not every crawler sees it. It counts all the same
    /// (decision 40).
    pub in_noscript: bool,
}

/// An element's class that begins with `the-acap:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element {
    /// The class.
    pub token: String,
    /// The line on which the element begins, from 1.
    pub line: u32,
}
