//! The captures of one place that are kept: the best, and the best with content.
//!
//! `resolve` offers captures in any order. Invariant: what is kept depends only on the set of
//! captures. It does not know which place it is.

use crate::status::is_redirection;
use crate::{Capture, Validators};
use std::cmp::Reverse;

/// The order of captures, best last: newest; then the last edition; then an answer before a
/// redirect, a redirect before an error, an error before silence; then by hash, so that the order
/// is always the same.
pub(super) type Rank = (i64, u32, Reverse<u16>, u128);

pub(super) fn rank(capture: &Capture) -> Rank {
    // No answer (0) wraps round to the worst status.
    let status = Reverse(capture.status.wrapping_sub(1));
    (capture.fetched_at, capture.edition, status, capture.fingerprint())
}

pub(super) fn status(rank: &Rank) -> u16 {
    rank.2.0.wrapping_add(1)
}

/// The time of a redirect.
pub(super) fn moved_at(rank: &Rank) -> Option<i64> {
    is_redirection(status(rank)).then_some(rank.0)
}

/// The best capture of its place so far; it has a payload if it has content.
pub(super) struct Held<P> {
    pub(super) rank: Rank,
    pub(super) fresh_for: Option<u32>,
    pub(super) validators: Validators,
    pub(super) next: Option<Box<str>>,
    /// False if not even the first line is whole, so that nothing is known of a text.
    pub(super) has_line: bool,
    pub(super) payload: Option<P>,
    /// The best capture with content, if this one has none.
    pub(super) behind: Option<Box<Held<P>>>,
    /// The time of the newest redirect, of this one or an older one.
    pub(super) moved_at: Option<i64>,
}

impl<P> Held<P> {
    /// The best capture with content.
    pub(super) fn content(&self) -> Option<&Held<P>> {
        if self.payload.is_some() { Some(self) } else { self.behind.as_deref() }
    }

    /// Takes a capture of the same URL, if it is the best so far or the best with content.
    pub(super) fn take(&mut self, rank: Rank, has_content: bool, other: impl FnOnce() -> Held<P>) {
        let moved_at = self.moved_at.max(moved_at(&rank));
        if self.rank < rank {
            let old = std::mem::replace(self, other());
            if !has_content {
                self.behind = if old.payload.is_some() { Some(Box::new(old)) } else { old.behind };
            }
        } else if has_content && self.content().is_none_or(|held| held.rank < rank) {
            self.behind = Some(Box::new(other()));
        }
        self.moved_at = moved_at;
    }
}
