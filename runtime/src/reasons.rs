//! The reasons of an answer, with the details of documents decoded once.
//!
//! Decoding takes longer than everything else in an explanation. Rules, choice of groups and
//! requests all come from the same details, and many answers of a batch from the same document.
//! [`Verdict::account`] and the others decode for themselves. Invariant: the reasons are the same,
//! but for statements beyond [`MOST_STATEMENTS`].

use crate::account::Account;
use crate::site::Site;
use crate::verdict::Verdict;
use crate::{request, request::Request};
use robomaton_formats::detail::Detail;
use robomaton_formats::{Choice, DocumentId};
use std::collections::HashMap;

/// Encoded bytes of the details that are cached. Decoded, they take some times as much: more would
/// be slower to find in memory than to decode again.
const CACHED: usize = 256 << 10;

/// The statements that the reasons of one answer tell. A site may state hundreds of thousands, and
/// a batch ask about it thousands of times.
pub const MOST_STATEMENTS: usize = 8_192;

/// Decoded details of the documents of one image.
#[derive(Debug, Default)]
pub struct DetailCache<'i> {
    details: HashMap<DocumentId, Option<Detail<'i>>>,
    bytes: usize,
}

impl<'i> DetailCache<'i> {
    /// The details of a site's document, if they can be decoded.
    fn detail(&mut self, site: &Site<'i>) -> Option<&Detail<'i>> {
        let document = site.document()?;
        if !self.details.contains_key(&document) {
            let bytes = site.detail_length() as usize;
            if self.bytes.saturating_add(bytes) > CACHED {
                self.details.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            self.details.insert(document, site.detail());
        }
        self.details.get(&document)?.as_ref()
    }
}

/// Everything known about how an answer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// As given by [`Verdict::account`], with the first [`MOST_STATEMENTS`] statements.
    pub account: Account,
    /// As given by [`Verdict::choice`].
    pub choice: Option<Choice>,
    /// As given by [`Verdict::requests`].
    pub requests: Vec<Request>,
}

impl<'a> Verdict<'a> {
    /// The reasons of this answer. All answers for which a cache is used must be of one image.
    pub fn reasons(&self, cache: &mut DetailCache<'a>) -> Reasons {
        let Some(site) = self.explained_site() else { return Reasons::default() };
        let is_told = self.has_account() || self.consults_rules(&site) || request::may_have_any(&site);
        let detail = if is_told { cache.detail(&site) } else { None };
        Reasons {
            account: detail
                .and_then(|detail| self.account_by(&site, detail, MOST_STATEMENTS))
                .unwrap_or_default(),
            choice: self.choice_by(&site, detail),
            requests: detail
                .map(|detail| request::of_url(&site, detail, self.crawler, self.url))
                .unwrap_or_default(),
        }
    }
}
