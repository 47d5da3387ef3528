//! Compiles one capture alone, for a store that takes captures one by one.
//!
//! Invariant, which a test of the store holds: the entry is the one that `build` makes of this
//! capture and the captures of its redirects. A text that refers to other files is read without
//! them. It knows neither pages nor data.txt.

use crate::http::{self, Fields};
use crate::resolve::MAX_REDIRECTS;
use crate::status::{is_client_error, is_redirection, is_success};
use crate::{Capture, Looks, SkipReason, sniff};
use robomaton_compiler::{CompileContext, Document, Entry, Options, ProgramCache, compile_cached};
use robomaton_formats::{Outcome, SiteKey};

impl Capture {
    /// The capture of an answer to a fetch of `url`: its header fields in their order, and its body
    /// after removal of transfer and content encodings. Status 0 means that there was no answer.
    ///
    /// # Errors
    /// If the URL does not name a site, or the answer is a part behind the first byte or still
    /// compressed.
    pub fn fetched<'h>(
        url: &str,
        fetched_at: i64,
        status: u16,
        headers: impl IntoIterator<Item = (&'h [u8], &'h [u8])>,
        body: Vec<u8>,
    ) -> Result<Capture, SkipReason> {
        let site = SiteKey::from_url(url).map_err(|error| SkipReason::Url { url: url.to_owned(), error })?;
        let mut fields = Fields::default();
        headers.into_iter().for_each(|(name, value)| fields.add(name, value));
        if let Some(reason) = fields.why_unread(status, &body) {
            return Err(SkipReason::Http(reason));
        }
        Ok(Capture {
            url: url.to_owned(),
            site,
            fetched_at,
            status,
            fresh_for: fields.fresh_for(fetched_at),
            location: http::text(fields.location),
            content_type: fields.content_type(),
            validators: fields.validators(),
            truncated: fields.is_longer_than(&body, status),
            headers: fields.stated,
            body,
            edition: 0,
        })
    }
}

/// The entry of a site by one capture, whose answer came after a number of redirects. As in a
/// batch, the answer is one redirect more only if it names a target.
pub fn compile_alone(
    mut capture: Capture,
    redirects: usize,
    options: &Options,
    cache: &mut ProgramCache,
) -> Entry<Document> {
    capture.body.truncate(capture.whole_lines().len());
    let too_many = redirects + usize::from(capture.redirect().is_some()) > MAX_REDIRECTS;
    let (outcome, document) = match capture.status {
        _ if too_many => (Outcome::TooManyRedirects, None),
        status if is_success(status) => {
            let document = document(&capture, options, cache);
            let outcome = match document.outcome {
                Outcome::Empty if sniff(&capture.body, capture.content_type.as_deref()) != Looks::Text => {
                    Outcome::NotRobots
                }
                outcome => outcome,
            };
            (outcome, Some(document))
        }
        status if is_redirection(status) => (Outcome::Unresolved, None),
        status if is_client_error(status) => (Outcome::Unavailable, None),
        _ => (Outcome::Unreachable, None),
    };
    Entry {
        outcome,
        status: capture.status,
        fetched_at: u64::try_from(capture.fetched_at).unwrap_or(0),
        fresh_for: capture.fresh_for,
        document,
        site: capture.site,
    }
}

fn document(capture: &Capture, options: &Options, cache: &mut ProgramCache) -> Document {
    let context = CompileContext { is_partial: capture.is_partial(), ..CompileContext::default() };
    let document = compile_cached(&capture.body, &context, options, cache);
    if !document.depends_on_origin {
        return document;
    }
    let site = &capture.site;
    let context = CompileContext { origin: Some(site.authority()), scheme: Some(site.scheme()), ..context };
    compile_cached(&capture.body, &context, options, cache)
}
