//! RSL 1.0: licence documents in XML.
//!
//! The compiler passes a supplied document to [`rsl`]; `reader` walks through it and builds the
//! types of this file. Invariants: a document that does not conform is an error as a whole, since
//! a licence that is read in part may permit too much; no entity other than the five of XML is
//! expanded, and no document type is read. These files do not know which URLs a content matches,
//! what a token means, or which licence wins.

mod attributes;
mod reader;
mod wellformed;

use super::{Mistake, MistakeCode};
use crate::without_mark;

/// The namespace of RSL, by which its elements are recognised.
pub const NAMESPACE: &str = "https://rslstandard.org/rsl";

/// The longest document that is read, in bytes.
pub const DOCUMENT_LIMIT: usize = 8 * 1024 * 1024;

/// The greatest depth of elements. RSL itself has five levels.
pub const DEPTH_LIMIT: usize = 64;

/// The greatest number of attributes of one element, and of namespaces in scope. Each is compared
/// with all before it.
pub const ATTRIBUTE_LIMIT: usize = 64;

/// The greatest number of `content` elements in a document.
pub const CONTENT_LIMIT: usize = 10_000;

/// The greatest number of `license` elements in a document.
pub const LICENCE_LIMIT: usize = 20_000;

/// The greatest number of tokens, lists of tokens, and terms of payment and reporting in a
/// document, all together.
pub const TERM_LIMIT: usize = 200_000;

/// How long a document is valid if it does not say so, in days.
pub const DEFAULT_MAX_AGE_DAYS: u32 = 30;

/// A conformant RSL document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RslDocument {
    /// The contents in order; at least one.
    pub contents: Vec<Content>,
    /// The attribute `max-age`: how long the document is valid after it was fetched, in days. If it
    /// is no positive number, 0: how long the document holds is not known.
    pub max_age_days: u32,
    /// The mistakes that do not make the document non-conformant.
    pub mistakes: Vec<Mistake>,
}

/// A `content` element: the URLs that licences are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// A path pattern or an absolute URL, as written, without white space around it; it may be
    /// empty.
    pub url: String,
    /// The licence server, from which a crawler needs a token.
    pub server: Option<String>,
    /// Whether the content is encrypted.
    pub is_encrypted: bool,
    /// The licences in order; at least one.
    pub licences: Vec<Licence>,
    /// The line of the start tag in the document, from 1.
    pub line: u32,
}

/// A `license` element. One without any terms grants everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Licence {
    /// The permitted tokens.
    pub permits: Terms,
    /// The prohibited tokens; several elements of one type are joined.
    pub prohibits: Terms,
    /// Whether a list could not be read: one of `permits` that is separated by commas, and so read
    /// as empty, or one of permitted users or places that is empty, or one of prohibited usages
    /// with a word that is none. It may have been meant to permit, or to prohibit.
    pub has_unreadable_terms: bool,
    /// The payment; `None` if there is no such element.
    pub payment: Option<Payment>,
    /// The reporting duties.
    pub reporting: Vec<Reporting>,
}

/// Lists of tokens by their type. An absent list differs from an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// `type="usage"`
    pub usage: Option<Vec<String>>,
    /// `type="user"`
    pub user: Option<Vec<String>>,
    /// `type="geo"`
    pub geo: Option<Vec<String>>,
}

/// A `payment` element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payment {
    /// The attribute `type`; `None` if it is absent. An unknown type is a mistake, but is kept.
    pub kind: Option<String>,
    /// The price.
    pub amount: Option<Amount>,
    /// The URIs of standard licences.
    pub standard: Vec<String>,
    /// The URLs of custom terms.
    pub custom: Vec<String>,
}

/// The price of a payment, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The number.
    pub value: String,
    /// The currency.
    pub currency: String,
}

/// A `reporting` element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporting {
    /// The attribute `type`. An unknown type is a mistake, but is kept.
    pub kind: String,
    /// The URI of the profile.
    pub profile: Option<String>,
    /// The URL that reports are sent to.
    pub endpoint: Option<String>,
}

/// Parses an RSL document in UTF-8, with or without a byte order mark.
///
/// Elements and attributes of other namespaces are ignored with their contents, and so are the
/// elements of RSL that state no terms: `legal`, `schema`, `copyright`, `terms`, `alternate` and
/// `accepts`.
///
/// ```
/// use robomaton_grammar::modern::rsl::rsl;
///
/// let document = rsl(br#"<rsl xmlns="https://rslstandard.org/rsl">
///   <content url="/"><license><prohibits type="usage">ai-all</prohibits></license></content>
/// </rsl>"#)?;
/// let content = &document.contents[0];
/// assert_eq!((content.url.as_str(), content.line), ("/", 2));
/// assert_eq!(content.licences[0].prohibits.usage, Some(vec!["ai-all".to_owned()]));
/// # Ok::<(), robomaton_grammar::modern::Mistake>(())
/// ```
///
/// # Errors
///
/// The first mistake that makes the document non-conformant, or [`MistakeCode::OverLimit`] if it
/// exceeds a limit of this module.
pub fn rsl(xml: &[u8]) -> Result<RslDocument, Mistake> {
    if xml.len() > DOCUMENT_LIMIT {
        return Err(over_limit(DOCUMENT_LIMIT, "bytes"));
    }
    let xml = std::str::from_utf8(without_mark(xml))
        .map_err(|error| Mistake::new(MistakeCode::MalformedXml, error.to_string()))?;
    reader::read(xml)
}

fn over_limit(limit: usize, things: &str) -> Mistake {
    Mistake::new(MistakeCode::OverLimit, format!("more than {limit} {things}"))
}

#[cfg(test)]
mod tests;
