//! A capture as a fetcher has it: the form in which it is put and logged.
//!
//! `corpus` gives it its meaning. This file knows no log and no layer.

use crate::StoreError;
use crate::limits::{BODY_BYTES, HEADER_BYTES};
use robomaton_compiler::{Entry, Options, ProgramCache, emit};
use robomaton_corpus::compile_alone;
use serde::{Deserialize, Serialize};

/// The result of fetching a site's `/robots.txt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The URL that was asked first, `https://example.com/robots.txt`. Rules behind a redirect
    /// apply to the site of this URL.
    pub url: String,
    /// The time of the fetch, in Unix seconds; 0 if unknown.
    pub fetched_at: u64,
    /// The HTTP status of the last answer; 0 if no connection could be made.
    pub status: u16,
    /// The number of redirects that were followed to the last answer.
    pub redirects: u16,
    /// Header fields of the last answer: name and value, in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body of the last answer, after removal of transfer and content encodings.
    pub body: Vec<u8>,
}

impl Capture {
    /// The image of this capture alone.
    pub(crate) fn compile(
        &self,
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<(robomaton_formats::SiteKey, Vec<u8>), StoreError> {
        let fields: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if self.url.len() + fields > HEADER_BYTES {
            return Err(StoreError::TooLong);
        }
        let most = BODY_BYTES.max(options.limits.bytes(options.profile).saturating_add(2));
        let headers = self.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()));
        let body = self.body[..self.body.len().min(most)].to_vec();
        let fetched_at = i64::try_from(self.fetched_at).unwrap_or(i64::MAX);
        let mut capture =
            robomaton_corpus::Capture::fetched(&self.url, fetched_at, self.status, headers, body)?;
        capture.truncated = self.body.len() > most;
        if !capture.is_robots() {
            return Err(StoreError::NotRobots(self.url.clone()));
        }
        let entry = compile_alone(capture, self.redirects.into(), options, cache);
        let Entry { site, outcome, status, fetched_at, fresh_for, document } = entry;
        let key = site.clone();
        let entry = Entry { site, outcome, status, fetched_at, fresh_for, document: document.as_ref() };
        Ok((key, emit(vec![entry], options)?))
    }
}
