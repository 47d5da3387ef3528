//! A stream that can be read ahead of itself: what was read since a mark is read again.
//!
//! It stands below `gzip` and `zstd`. After damage they search for the next member, and the bytes
//! of a damaged member may contain others: a server chose the body of its record, and may have
//! hidden a member with a record of another site in it. Hidden members end inside the damaged one,
//! whose remaining bytes are no member. So a member that was searched for counts only if members
//! follow it without a gap, to the end of the file or for [`PROBATION`] bytes. None of them may
//! contain bytes that no checksum covers: with such bytes a hidden member would reach the next true
//! one. The checksum at the end of the damaged member is of bytes that the server does not know,
//! such as the time of the record. A member whose end is missing runs into the next one, so that is
//! searched for from the beginning of the damaged one. If that was cut exactly behind a hidden one,
//! the search finds the hidden one first, so what ends inside the bytes that were read as those of
//! a damaged member is in doubt. Invariants: a mark and a member hold at most `PROBATION` bytes and
//! one buffer each; no byte is searched twice.

use std::io::{self, BufRead, Read};

/// The compressed bytes behind damage that must be members without a gap, if the file is not over
/// before. More than servers can hide: crawlers cut bodies of this length.
const PROBATION: usize = 8 << 20;

/// The damage that [`Proof::Doubtful`] reports.
pub(crate) const DOUBTFUL: &str =
    "more damage follows, so what is in between may be content of what is damaged, and is not read";

/// Bytes that are decompressed at a time while reading ahead.
const SCRATCH: usize = 32 << 10;

/// A stream that can go back to a mark.
pub(crate) struct Ahead<R> {
    inner: R,
    /// Bytes that were taken out of `inner`; those from `at` on are read next.
    held: Vec<u8>,
    at: usize,
    /// The place in `held` to go back to.
    mark: Option<usize>,
    /// The place in `held` of the member that is read, if it is not longer than [`PROBATION`].
    member: Option<usize>,
    /// The place in `held` before which all bytes were read as those of a damaged member.
    damaged: usize,
    /// The place in `held` where the first member behind the mark ended.
    ended: Option<usize>,
    /// The room for what is decompressed while reading ahead.
    scratch: Vec<u8>,
}

impl<R: BufRead> Ahead<R> {
    pub(crate) fn new(inner: R) -> Ahead<R> {
        Ahead {
            inner,
            held: Vec::new(),
            at: 0,
            mark: None,
            member: None,
            damaged: 0,
            ended: None,
            scratch: Vec::new(),
        }
    }

    /// Keeps the member that begins here: if its end was lost, the next one is found inside it. One
    /// that begins inside damage is not kept, so that its bytes are not searched again and again.
    pub(crate) fn keep_member(&mut self, is_inside: bool) {
        self.member = Some(self.at).filter(|_| !self.is_marked() && !is_inside);
    }

    /// Drops the member that was kept: it is sound, and ends here.
    pub(crate) fn drop_member(&mut self) {
        if self.is_marked() {
            self.ended.get_or_insert(self.at);
        } else {
            self.member = None;
        }
    }

    /// The place of what is read next, until more is.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// Goes back to the second byte of the member that was kept, if one was: it is damaged. What is
    /// before this place was read as its data.
    pub(crate) fn search_member(&mut self, damaged: usize) {
        if let Some(member) = self.member.take() {
            self.damaged = self.damaged.max(damaged);
            self.at = member + 1;
        }
    }

    /// True if what began some bytes before this place began inside a damaged member.
    pub(crate) fn is_inside_damage(&self, back: usize) -> bool {
        self.at.saturating_sub(back) < self.damaged
    }

    /// Sets the mark here.
    fn mark(&mut self) {
        (self.mark, self.ended) = (Some(self.at), None);
    }

    /// Removes the mark, and goes back to it if `again`.
    fn unmark(&mut self, again: bool) {
        self.at = self.mark.take().filter(|_| again).unwrap_or(self.at);
    }

    /// True if what is read is read ahead.
    pub(crate) fn is_marked(&self) -> bool {
        self.mark.is_some()
    }

    /// The bytes that it has held at most.
    #[cfg(test)]
    pub(crate) fn most(&self) -> usize {
        self.held.capacity()
    }

    /// The number of bytes since the mark.
    fn since_mark(&self) -> usize {
        self.at - self.mark.unwrap_or(self.at)
    }
}

impl<R: BufRead> BufRead for Ahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.held.len() {
            return Ok(&self.held[self.at..]);
        }
        // Bytes before the mark and the member are not read again.
        self.member = self.member.filter(|member| self.at - member <= PROBATION);
        let passed = self.mark.into_iter().chain(self.member).min().unwrap_or(self.at);
        self.held.drain(..passed);
        self.at -= passed;
        self.damaged = self.damaged.saturating_sub(passed);
        self.ended = self.ended.map(|ended| ended.saturating_sub(passed));
        for place in [&mut self.mark, &mut self.member].into_iter().flatten() {
            *place -= passed;
        }
        if self.mark.is_none() && self.member.is_none() {
            return self.inner.fill_buf();
        }
        let more = self.inner.fill_buf()?;
        self.held.extend_from_slice(more);
        let count = more.len();
        self.inner.consume(count);
        Ok(&self.held[self.at..])
    }

    fn consume(&mut self, count: usize) {
        if self.at < self.held.len() {
            self.at += count;
        } else {
            self.inner.consume(count);
        }
    }
}

impl<R: BufRead> Read for Ahead<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let data = self.fill_buf()?;
        let count = data.len().min(out.len());
        out[..count].copy_from_slice(&data[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// The bytes before damage that are in doubt, of the member that they are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// None: no member has given bytes since the one before.
    None,
    /// Their member lacks its end, and nothing else is known to be wrong with it.
    End,
    /// The last ones: what came out shortly before the error may be wrong.
    Near,
    /// All of them: the checksum of their member is wrong.
    All,
}

/// The result of a read.
pub(crate) enum Step {
    /// Bytes of one member.
    Data {
        /// Their number, at least one.
        count: usize,
        /// True if they are the first of their member.
        begins: bool,
        /// True if their member may be content of a damaged one: it ends inside it.
        is_doubtful: bool,
    },
    /// The stream is damaged here. The next read continues at the next member, if there is one.
    Cut {
        /// The kind of damage.
        why: &'static str,
        /// The doubt that it casts on the bytes before it.
        doubt: Doubt,
    },
    /// The end of the stream.
    End,
}

/// A stream of compressed members.
pub(crate) trait Members {
    type Inner: BufRead;

    fn ahead(&mut self) -> &mut Ahead<Self::Inner>;

    /// Goes a step on, and fills the front of `out`, which must not be empty. `None` if the step
    /// gives nothing.
    fn step(&mut self, out: &mut [u8]) -> io::Result<Option<Step>>;
}

/// The result of reading ahead from a member that was searched for.
pub(crate) enum Proof {
    /// Members follow it without a gap. The stream is where it was.
    Given,
    /// Neither it nor what follows is a member. The stream is behind the damage.
    None,
    /// It is sound, but damage follows: it may be content of the member that was damaged before.
    /// The stream is behind the damage.
    Doubtful,
}

/// Reads ahead from the beginning of a member that was searched for.
pub(crate) fn prove<M: Members>(members: &mut M) -> io::Result<Proof> {
    let mut begun = 0_usize;
    let judge = |step: &Option<Step>, ahead: &Ahead<_>| match step {
        Some(Step::End) => Some(Proof::Given),
        // The last member that has begun is not sound if the damage is in it.
        Some(Step::Cut { doubt, .. }) if begun == usize::from(*doubt != Doubt::None) => Some(Proof::None),
        Some(Step::Cut { .. }) => Some(Proof::Doubtful),
        _ if ahead.since_mark() >= PROBATION => Some(Proof::Given),
        Some(Step::Data { begins, .. }) => {
            begun += usize::from(*begins);
            None
        }
        None => None,
    };
    let proof = read_ahead(members, judge)?;
    members.ahead().unmark(matches!(proof, Proof::Given));
    Ok(proof)
}

/// True if the member that is read next ends inside a damaged one. The stream is where it was
/// afterwards, and `members` is to be set to where it was, too.
pub(crate) fn ends_inside<M: Members>(members: &mut M) -> io::Result<bool> {
    let judge = |step: &Option<Step>, ahead: &Ahead<_>| match (ahead.ended, step) {
        (Some(ended), _) => Some(ended <= ahead.damaged),
        (None, Some(Step::End | Step::Cut { .. })) => Some(true),
        (None, _) => (ahead.at > ahead.damaged).then_some(false),
    };
    let is_inside = read_ahead(members, judge)?;
    members.ahead().unmark(true);
    Ok(is_inside)
}

/// Sets the mark, and goes on until `judge` has a result.
fn read_ahead<M: Members, T>(
    members: &mut M,
    mut judge: impl FnMut(&Option<Step>, &Ahead<M::Inner>) -> Option<T>,
) -> io::Result<T> {
    let mut scratch = std::mem::take(&mut members.ahead().scratch);
    scratch.resize(SCRATCH, 0);
    members.ahead().mark();
    let result = loop {
        let step = members.step(&mut scratch)?;
        if let Some(result) = judge(&step, members.ahead()) {
            break result;
        }
    };
    members.ahead().scratch = scratch;
    Ok(result)
}
