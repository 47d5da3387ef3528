//! Which capture of a site counts: the one that comes, or the one that is held.
//!
//! `store` puts captures and `reader` follows its log; both ask here for the table with one more.
//! Invariants: the choice is that of a merge, and of a batch of all captures: a text that comes
//! behind an answer 304, but was fetched before it, is the one that the 304 is about. A capture
//! that is taken twice changes nothing. It knows no file.

use crate::snapshot::Snapshot;
use crate::table::{SingleImage, Table};
use crate::visit::Visit;
use crate::{Capture, StoreError};
use robomaton_compiler::{Options, ProgramCache, is_better};
use robomaton_corpus::{Capture as Read, NOT_MODIFIED, is_redirection, is_success};
use robomaton_formats::{Outcome, SiteKey};
use robomaton_runtime::{Site, Terms};

/// 301 Moved Permanently (RFC 9110 15.4.2).
const MOVED: u16 = 301;

/// Takes a capture of a log into a snapshot. True if it counts.
pub(crate) fn replay(
    snapshot: &mut Snapshot,
    capture: &Capture,
    compile: &Options,
    terms: &Terms,
    cache: &mut ProgramCache,
) -> Result<bool, StoreError> {
    let read = capture.read(compile);
    // One that an earlier version put, and that this one does not read, may refuse.
    let unread = matches!(read, Err(StoreError::Capture(_))).then(|| moved_nowhere(capture));
    let (capture, read) = match &unread {
        Some(unread) => (unread, unread.read(compile)),
        None => (capture, read),
    };
    let table = read.and_then(|read| {
        // Of layers that were left out, and of a damaged log, the text that a 304 is about may be
        // gone.
        let is_other = |last: Visit| {
            let is_named = capture.refers_to.as_ref().is_none_or(|times| times.contains(&last.text_at()));
            !is_named || last.is_of(capture) == Some(false)
        };
        if renewed_visit(snapshot, &read.site, capture).is_some_and(is_other) {
            return Ok(None);
        }
        with(snapshot, capture, read, compile, terms, cache)
    });
    match table {
        Ok(Some(table)) => {
            snapshot.table = table;
            Ok(true)
        }
        // Its text may be gone since, by age.
        Ok(None) | Err(StoreError::NotModified(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The table with a capture; `None` if the snapshot holds one that is as good.
pub(crate) fn with(
    snapshot: &Snapshot,
    capture: &Capture,
    read: Read,
    compile: &Options,
    terms: &Terms,
    cache: &mut ProgramCache,
) -> Result<Option<Table>, StoreError> {
    let key = read.site.clone();
    let held = snapshot.stored(&key);
    let last = last_visit(snapshot, &key);
    let has_moved = is_redirection(capture.status) && capture.status != NOT_MODIFIED;
    let is_found = is_success(capture.status) || has_moved;
    let late = last.as_ref().filter(|last| is_found && last.is_about_later(capture));
    // What a redirect led to is another text than that of the site itself, so what the 304 is about
    // is not known: as if it had led nowhere.
    let is_elsewhere = |last: &&Visit| has_moved || last.redirects != capture.redirects;
    let moved = late.filter(is_elsewhere).map(|_| moved_nowhere(capture));
    let (capture, read) = match &moved {
        Some(moved) => (moved, moved.read(compile)?),
        None => (capture, read),
    };
    // A merge must choose it, so it is newer than the text that was renewed.
    let newer = late.map(|last| last.fetched_at.saturating_add(1));
    let read = match newer {
        Some(newer) => renewed(read, newer, compile),
        None => read,
    };
    let bytes = capture.compile(read, held.as_ref(), compile, cache)?;
    let image = SingleImage::from_bytes(bytes.into())?.with_terms(terms.clone());
    let site = image.first_site();
    let is_unreachable = site.and_then(|site| site.outcome()) == Some(Outcome::Unreachable);
    if let Some(held) = held {
        // Of a damaged one, nothing can be said: the new one counts.
        let is_better = site.and_then(|site| is_better(&site.stored(), &held.stored())).unwrap_or(true);
        if !is_better {
            let late = last.filter(|_| !is_unreachable).and_then(|last| last.after_late(capture.fetched_at));
            let Some(visit) = late else { return Ok(None) };
            let image = failure(snapshot, &key, &held, &capture.url, compile, terms, cache)?;
            return Ok(Some(snapshot.table.with(&key, image, visit)));
        }
    }
    // The next late text is compared with the same 304.
    let confirmed_at = last.as_ref().and_then(|last| last.confirmed_at);
    let visit = Visit::after(last, capture, is_unreachable);
    let visit = match newer {
        Some(fetched_at) => Visit { fetched_at, text_at: Some(capture.fetched_at), confirmed_at, ..visit },
        None => visit,
    };
    Ok(Some(snapshot.table.with(&key, image, visit)))
}

/// A redirect to nowhere, in place of a capture.
fn moved_nowhere(Capture { url, fetched_at, .. }: &Capture) -> Capture {
    Capture { url: url.clone(), fetched_at: *fetched_at, status: MOVED, ..Capture::default() }
}

/// The last visit to a site whose text an answer 304 renews; `None` for any other answer.
pub(crate) fn renewed_visit(snapshot: &Snapshot, key: &SiteKey, capture: &Capture) -> Option<Visit> {
    if capture.status == NOT_MODIFIED { last_visit(snapshot, key) } else { None }
}

/// The last visit to a site that is held.
fn last_visit(snapshot: &Snapshot, key: &SiteKey) -> Option<Visit> {
    let held = snapshot.stored(key)?;
    snapshot.visit(key, &held)
}

/// A text as one of a later time. It is fresh for no longer than by its own.
fn renewed(read: Read, at: u64, compile: &Options) -> Read {
    let fresh_for = read.fresh_for.unwrap_or(compile.profile.default_fresh_for());
    let fetched_at = i64::try_from(at).unwrap_or(i64::MAX);
    let passed = fetched_at.saturating_sub(read.fetched_at);
    let fresh_for = u32::try_from(i64::from(fresh_for).saturating_sub(passed)).unwrap_or(0);
    Read { fetched_at, fresh_for: Some(fresh_for), ..read }
}

/// The image of a failure that is held, which has no text.
fn failure(
    snapshot: &Snapshot,
    key: &SiteKey,
    held: &Site<'_>,
    url: &str,
    compile: &Options,
    terms: &Terms,
    cache: &mut ProgramCache,
) -> Result<SingleImage, StoreError> {
    if let Some(single) = snapshot.in_memory(key.name().as_bytes(), key.scheme()) {
        return Ok(single.image.clone());
    }
    let (url, fetched_at) = (url.to_owned(), held.fetched_at().unwrap_or(0));
    let capture = Capture { url, fetched_at, status: held.status(), ..Capture::default() };
    let read = Read { fresh_for: Some(held.fresh_for()), ..capture.read(compile)? };
    let bytes = capture.compile(read, None, compile, cache)?;
    Ok(SingleImage::from_bytes(bytes.into())?.with_terms(terms.clone()))
}
