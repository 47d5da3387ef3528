//! Whether an answer 304 renews the text that is held.
//!
//! A 304 says that the text is unchanged whose validators were sent. By the time it is put, the
//! site may have another one: a second fetch, or a body of captures, was faster. Invariants: a text
//! is not renewed by a 304 about another one; a refused 304 costs one fetch without conditions, and
//! nothing else: the next state of the site has no validators. Only puts ask: a 304 of a log was
//! taken before (`choice`).

use crate::snapshot::Snapshot;
use crate::store::Writer;
use crate::visit::hash;
use crate::{Capture, Store, limits};
use robomaton_corpus::resolve::names_text;
use robomaton_formats::SiteKey;

impl Store {
    /// False if an answer 304 may be about another text than the one that is held, or about one
    /// that is being evicted, since the log has nothing but the 304.
    pub(crate) fn may_renew(
        &self,
        writer: &Writer,
        current: &Snapshot,
        key: &SiteKey,
        capture: &Capture,
    ) -> bool {
        let Some(held) = current.stored(key) else { return false };
        let held_at = held.fetched_at().unwrap_or(0);
        // An older answer changes nothing.
        let Some(age) = capture.fetched_at.checked_sub(held_at) else { return true };
        if held_at < writer.evicting {
            return false;
        }
        let visit = current.visit(key, &held).unwrap_or_default();
        let is_of = visit.is_of(capture);
        if capture.refers_to.as_ref().is_some_and(|times| !names_text(times, visit.text_at(), is_of)) {
            return false;
        }
        // The text behind a redirect is another one than that of the site itself.
        if visit.redirects != capture.redirects {
            return false;
        }
        is_of.unwrap_or_else(|| {
            // Nothing was put since the fetch began, or it began after the last put.
            self.is_in_flight(hash(key), capture.fetched_at) || age >= limits::IN_FLIGHT_SECONDS
        })
    }
}
