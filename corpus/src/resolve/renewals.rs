//! The revisits of one URL: which of them matter, and the capture that the newest one renews.
//!
//! `resolve` offers them in any order and asks when all have come. Invariant: what is kept depends
//! only on the set of revisits. It does not know which document or URL it is about.

use super::{Held, Rank};
use crate::{Capture, Skipped, Validators};
use std::ops::RangeInclusive;

/// A revisit without its URL.
pub(super) struct Renewal<P> {
    pub(super) fetched_at: i64,
    pub(super) fresh_for: Option<u32>,
    pub(super) validators: Validators,
    pub(super) of: RangeInclusive<i64>,
    pub(super) otherwise: Skipped,
    /// What its header says, for another URL.
    pub(super) payload: Option<P>,
    /// True if it also counts as one of a document, and is reported as such.
    pub(super) is_again: bool,
    /// True if its header says something about uses that is not read. A later answer that says
    /// nothing takes nothing of that back (RFC 9111 3.2).
    pub(super) speaks_of_uses: bool,
}

impl<P> Renewal<P> {
    pub(super) fn of(answer: &Capture, of: RangeInclusive<i64>, otherwise: Skipped) -> Renewal<P> {
        let Capture { fetched_at, fresh_for, validators, .. } = *answer;
        let (payload, is_again, speaks_of_uses) = (None, false, false);
        Renewal { fetched_at, fresh_for, validators, of, otherwise, payload, is_again, speaks_of_uses }
    }

    /// The order of revisits, newest last; then arbitrary, but always the same.
    fn rank(&self) -> impl Ord {
        let Skipped { source, at, .. } = &self.otherwise;
        (self.fetched_at, *self.of.start(), *self.of.end(), self.fresh_for, self.validators, source, *at)
    }

    /// True if it names a capture by its time; or the content is known to be none that was kept.
    fn names_time(&self) -> bool {
        *self.of.start() != i64::MIN
    }

    /// Whether it is about this content. One that does not tell is about what the fetch before it
    /// found.
    fn is_about(&self, content: &Held<P>) -> Option<bool> {
        let Held { rank: Rank { fetched_at, validators, .. }, .. } = content;
        is_about(self.names_time().then_some(&self.of), &self.validators, *fetched_at, validators)
    }

    /// True if what it tells of any content, a newer revisit tells, too.
    fn tells_no_more(&self, newer: &[Renewal<P>]) -> bool {
        if self.speaks_of_uses {
            return newer.iter().any(|newer| newer.speaks_of_uses);
        }
        let validators: Vec<Validators> = newer.iter().map(|newer| newer.validators).collect();
        let is_told = !newer.is_empty() && !self.names_time() && self.validators.tells_no_more(&validators);
        is_told || newer.iter().any(Renewal::names_time)
    }
}

/// True if a revisit with these validators, and perhaps times of the text that it names, is about
/// a text with the other time and validators; `None` if it does not tell.
pub(crate) fn is_about(
    named: Option<&RangeInclusive<i64>>,
    validators: &Validators,
    fetched_at: i64,
    of_text: &Validators,
) -> Option<bool> {
    let are_of = validators.are_of(of_text);
    named.map_or(are_of, |times| Some(names_text(times, fetched_at, are_of)))
}

/// True if a revisit that names these times of its text is about the text that was fetched at the
/// other time. `are_of` is true if the validators of both are the same, and `None` if they do not
/// tell. The first of the times is that of the earlier fetch that the revisit names. A text that
/// was fetched later counts only if the validators are the same: the site may have had another text
/// in between.
pub fn names_text<T: PartialOrd>(times: &RangeInclusive<T>, fetched_at: T, are_of: Option<bool>) -> bool {
    times.contains(&fetched_at) && are_of.unwrap_or(fetched_at == *times.start())
}

/// The revisits of one URL that may matter, newest first: each tells of some content that no newer
/// one tells of, or its header speaks of uses.
pub(super) struct Renewals<P>(Vec<Renewal<P>>);

impl<P> Default for Renewals<P> {
    fn default() -> Renewals<P> {
        Renewals(Vec::new())
    }
}

impl<P> Renewals<P> {
    /// Adds a revisit and returns it, if it may matter.
    pub(super) fn offer(&mut self, renewal: Renewal<P>) -> Option<&mut Renewal<P>> {
        let place = self.0.partition_point(|newer| newer.rank() >= renewal.rank());
        if renewal.tells_no_more(&self.0[..place]) {
            return None;
        }
        self.0.insert(place, renewal);
        let mut older = place + 1;
        while let Some(renewal) = self.0.get(older) {
            if renewal.tells_no_more(&self.0[..older]) {
                self.0.remove(older);
            } else {
                older += 1;
            }
        }
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
        if held.is_some_and(|held| held.rank.fetched_at >= newest.fetched_at) {
            return Ok(None);
        }
        let content = held.and_then(Held::content);
        let deciding = self.0.iter().find(|renewal| match content {
            Some(content) => renewal.is_about(content).is_some(),
            None => renewal.names_time(),
        });
        let Some(content) = content else { return Err(deciding.unwrap_or(newest)) };
        let mut later = self.0.iter().take_while(|renewal| renewal.fetched_at > content.rank.fetched_at);
        if let Some(said) = later.find(|renewal| renewal.speaks_of_uses) {
            return Err(said);
        }
        let deciding = deciding.filter(|renewal| renewal.fetched_at > content.rank.fetched_at);
        if let Some(other) = deciding.filter(|renewal| renewal.is_about(content) == Some(false)) {
            return Err(other);
        }
        // An error behind the content is no other answer, but a redirect is.
        let known_at = deciding.map_or(content.rank.fetched_at, |renewal| renewal.fetched_at);
        let has_moved = held.is_some_and(|held| held.moved_at > Some(known_at));
        if has_moved { Err(newest) } else { Ok(Some(content)) }
    }
}
