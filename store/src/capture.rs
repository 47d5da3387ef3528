//! A capture as a fetcher has it: the form in which it is put and logged.
//!
//! `corpus` gives it its meaning. This file knows no log and no layer.

use crate::StoreError;
use crate::limits::{BODY_BYTES, HEADER_BYTES};
use robomaton_compiler::{Entry, Options, ProgramCache, emit, is_cut};
use robomaton_corpus::{Capture as Read, NOT_MODIFIED, compile_alone, is_redirection, is_success};
use robomaton_runtime::Site;
use std::ops::RangeInclusive;

/// The result of fetching a site's `/robots.txt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The URL that was asked first, `https://example.com/robots.txt`. Rules behind a redirect
    /// apply to the site of this URL.
    pub url: String,
    /// The time of the fetch, in Unix seconds; 0 if unknown.
    pub fetched_at: u64,
    /// The HTTP status of the last answer; 0 if no connection could be made. 304 renews the text
    /// that is held, unless it may be about another one ([`StoreError::NotModified`]).
    pub status: u16,
    /// The number of redirects that were followed to the last answer. After five, an answer 300 to
    /// 399 is one too many if it names a target, or if no header fields are given.
    pub redirects: u16,
    /// Header fields of the last answer: name and value, in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body of the last answer, after removal of transfer and content encodings.
    pub body: Vec<u8>,
    /// True if the body was cut: it permits no use for certain, since what is missing may refuse.
    pub truncated: bool,
    /// Of a 304: the times of the text that it is about, in Unix seconds, as a WARC record tells
    /// them. `None` if nothing does.
    pub refers_to: Option<RangeInclusive<u64>>,
}

impl Capture {
    /// The capture as `corpus` has it.
    pub(crate) fn read(&self, options: &Options) -> Result<Read, StoreError> {
        if self.header_bytes() > HEADER_BYTES {
            return Err(StoreError::TooLong);
        }
        let most = most_bytes(options);
        let headers = self.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()));
        let body = self.body[..self.body.len().min(most)].to_vec();
        let fetched_at = i64::try_from(self.fetched_at).unwrap_or(i64::MAX);
        let mut read = Read::fetched(&self.url, fetched_at, self.status, headers, body)?;
        read.truncated |= self.truncated || self.body.len() > most;
        if !read.is_robots() {
            return Err(StoreError::NotRobots(self.url.clone()));
        }
        read.known_lines()?;
        Ok(read)
    }

    /// Bytes of its URL and header fields, with two for each field.
    fn header_bytes(&self) -> usize {
        let fields = self.headers.iter().map(|(name, value)| name.len() + value.len() + 2);
        self.url.len() + fields.sum::<usize>()
    }

    /// Bytes of all that a log needs of it.
    pub(crate) fn bytes(&self, options: &Options) -> usize {
        self.header_bytes() + self.logged_body(options).len()
    }

    /// The part of the body that a log needs: with one byte more than counts, the rest is known to
    /// be dropped.
    pub(crate) fn logged_body(&self, options: &Options) -> &[u8] {
        &self.body[..self.body.len().min(most_bytes(options).saturating_add(1))]
    }

    /// The image of this capture alone. If it is an answer 304, it has the text of the one held.
    pub(crate) fn compile(
        &self,
        mut read: Read,
        held: Option<&Site<'_>>,
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<Vec<u8>, StoreError> {
        // Without header fields, only the status says that the answer is a redirect, too.
        let is_bare_redirect = self.headers.is_empty() && is_redirection(self.status);
        let mut redirects = usize::from(self.redirects) + usize::from(is_bare_redirect);
        if self.status == NOT_MODIFIED {
            let held = held.filter(|held| is_success(held.status()));
            let text = held.and_then(|held| Some((held, held.source(most_bytes(options))?)));
            let (held, body) = text.ok_or_else(|| StoreError::NotModified(self.url.clone()))?;
            let fresh_for = read.fresh_for.or(Some(held.fresh_for()));
            let truncated = held.detail().is_some_and(|detail| is_cut(&detail));
            read = Read { status: held.status(), fresh_for, body, truncated, ..read };
            redirects = 0;
        }
        let entry = compile_alone(read, redirects, options, cache);
        let Entry { site, outcome, status, fetched_at, fresh_for, document } = entry;
        let entry = Entry { site, outcome, status, fetched_at, fresh_for, document: document.as_ref() };
        emit(vec![entry], options).map_err(|error| StoreError::Unfit { url: self.url.clone(), error })
    }
}

/// Bytes of a body that count.
pub(crate) fn most_bytes(options: &Options) -> usize {
    BODY_BYTES.max(options.limits.bytes(options.profile).saturating_add(2))
}
