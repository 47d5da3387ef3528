//! The captures of one place that are kept: the best, and the best with content.
//!
//! `resolve` offers captures in any order. Invariant: what is kept depends only on the set of
//! captures. It does not know which place it is.

use crate::status::is_redirection;
use crate::{Capture, Validators};
use std::cmp::Reverse;

/// The order of captures, best last: newest; then the last edition; then an answer before a
/// redirect, a redirect before an error, an error before silence; then by hash and validators, so
/// that the order is always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    pub(crate) fetched_at: i64,
    edition: u32,
    /// No answer (0) wraps round to the worst status.
    status: Reverse<u16>,
    fingerprint: u128,
    pub(super) validators: Validators,
}

impl Rank {
    pub(crate) fn of(capture: &Capture) -> Rank {
        let Capture { fetched_at, edition, validators, .. } = *capture;
        let status = Reverse(capture.status.wrapping_sub(1));
        Rank { fetched_at, edition, status, fingerprint: capture.fingerprint(), validators }
    }

    pub(super) fn status(&self) -> u16 {
        self.status.0.wrapping_add(1)
    }

    /// The time of a redirect.
    pub(super) fn moved_at(&self) -> Option<i64> {
        is_redirection(self.status()).then_some(self.fetched_at)
    }
}

/// The best capture of its place so far; it has a payload if it has content.
pub(super) struct Held<P> {
    pub(super) rank: Rank,
    pub(super) fresh_for: Option<u32>,
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
        let moved_at = self.moved_at.max(rank.moved_at());
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
