//! The revisits of one URL: which of them matter, and the capture that the newest one renews.
//!
//! `resolve` offers them in any order and asks when all have come. Invariant: what is kept depends
//! only on the set of revisits. It does not know which document or URL it is about.

use super::Held;
use crate::{Capture, Skipped};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

/// A revisit without its URL.
pub(super) struct Renewal<P> {
    pub(super) fetched_at: i64,
    pub(super) fresh_for: Option<u32>,
    pub(super) etag: Option<NonZeroU32>,
    pub(super) of: RangeInclusive<i64>,
    pub(super) otherwise: Skipped,
    /// What its header says, for another URL.
    pub(super) payload: Option<P>,
    /// True if it also counts as one of a document, and is reported as such.
    pub(super) is_again: bool,
}

impl<P> Renewal<P> {
    pub(super) fn of(answer: &Capture, of: RangeInclusive<i64>, otherwise: Skipped) -> Renewal<P> {
        let Capture { fetched_at, fresh_for, etag, .. } = *answer;
        Renewal { fetched_at, fresh_for, etag, of, otherwise, payload: None, is_again: false }
    }

    /// The order of revisits, newest last; then arbitrary, but always the same.
    fn rank(&self) -> impl Ord {
        let Skipped { source, at, .. } = &self.otherwise;
        (self.fetched_at, *self.of.start(), *self.of.end(), self.fresh_for, self.etag, source, *at)
    }

    fn names(&self) -> Names {
        match (*self.of.start(), self.etag) {
            (i64::MIN, None) => Names::Nothing,
            (i64::MIN, Some(_)) => Names::Etag,
            _ => Names::Capture,
        }
    }

    fn is_of(&self, content: &Held<P>) -> bool {
        let is_other = self.etag.zip(content.etag).is_some_and(|(one, other)| one != other);
        self.of.contains(&content.rank.0) && !is_other
    }
}

/// How a revisit identifies the capture with the content. With more, it depends less on what stands
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Names {
    /// Not at all: it is what the fetch before it found.
    Nothing,
    /// By its ETag, if the capture has one.
    Etag,
    /// By its time; or the content is known to be none that was kept.
    Capture,
}

/// The revisits of one URL that may matter, newest first: each names more than all newer ones.
pub(super) struct Renewals<P>(Vec<Renewal<P>>);

impl<P> Default for Renewals<P> {
    fn default() -> Renewals<P> {
        Renewals(Vec::new())
    }
}

impl<P> Renewals<P> {
    /// Adds a revisit and returns it, if it may matter.
    pub(super) fn offer(&mut self, renewal: Renewal<P>) -> Option<&mut Renewal<P>> {
        let names = renewal.names();
        let place = self.0.partition_point(|newer| newer.rank() >= renewal.rank());
        if self.0[..place].last().is_some_and(|newer| newer.names() >= names) {
            return None;
        }
        self.0.insert(place, renewal);
        let mut most = None;
        self.0.retain(|renewal| {
            let counts = most < Some(renewal.names());
            most = most.max(Some(renewal.names()));
            counts
        });
        self.0.get_mut(place)
    }

    /// The newest revisit.
    pub(super) fn newest(&self) -> &Renewal<P> {
        &self.0[0]
    }

    /// The capture that the newest revisit renews, if it counts, among those of its document. If
    /// nobody knows what it found, `Err` with the revisit because of which that is so.
    pub(super) fn renews<'h>(&self, held: Option<&'h Held<P>>) -> Result<Option<&'h Held<P>>, &Renewal<P>> {
        let newest = self.newest();
        if held.is_some_and(|held| held.rank.0 >= newest.fetched_at) {
            return Ok(None);
        }
        let content = held.and_then(Held::content);
        let has_etag = content.is_some_and(|content| content.etag.is_some());
        let enough = if has_etag { Names::Etag } else { Names::Capture };
        let deciding = self.0.iter().find(|renewal| renewal.names() >= enough);
        let Some(content) = content else { return Err(deciding.unwrap_or(newest)) };
        match deciding.filter(|renewal| renewal.fetched_at > content.rank.0) {
            Some(other) if !other.is_of(content) => Err(other),
            _ => Ok(Some(content)),
        }
    }
}
