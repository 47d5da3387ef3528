//! A window that slides over a stream: parsers see whole records in place, and take them when
//! parsed.
//!
//! It stands between a `source` and the parsers. Invariants: memory is bounded by the largest
//! [`Window::want`]; looking consumes nothing; bytes on both sides of damage are never in the
//! window together. It knows where compressed members begin, since a parser that is lost may
//! continue there. It does not know records.

use crate::ahead::{Doubt, Step};
use crate::damage::Damage;
use crate::source::{CHUNK, Source};
use crate::{ReadLimits, SkipReason};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::RangeInclusive;

/// The maximum number of members in the window whose beginnings are known.
const MAX_MEMBERS: usize = 1 << 16;

/// Bytes before damage that are in doubt if their member does not decompress: whoever was killed
/// while writing left a member that runs into the next one.
pub(crate) const DOUBT: usize = 64 << 10;

/// Bytes behind a capture in which damage to its member is looked for where that was not done
/// beforehand: no crawler keeps a longer body.
const FARTHEST: usize = 16 << 20;

/// The reason for a row in doubt.
pub(crate) const DAMAGED: &str = "the compressed data around it are damaged";

/// The reason why the window cannot be filled further.
enum Stop {
    End,
    Damage { reason: SkipReason, doubt: Doubt },
}

/// See the head of this file.
pub(crate) struct Window<'a> {
    source: Source<'a>,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    stop: Option<Stop>,
    /// The offsets where members begin in the window.
    members: VecDeque<u64>,
    /// The number of members that began before the window.
    past_members: u64,
    /// Bytes that it may still be filled with.
    left: u64,
    /// What was found out beforehand.
    damage: Option<Damage>,
    /// Members that may be content of a damaged one.
    doubtful: Damage,
    /// The bytes in doubt before damage that was passed.
    passed: Damage,
    /// The offset of the last member that began before the window.
    member: u64,
}

impl<'a> Window<'a> {
    pub(crate) fn new(source: Source<'a>) -> Window<'a> {
        Window {
            source,
            buf: vec![0; CHUNK],
            start: 0,
            end: 0,
            offset: 0,
            stop: None,
            members: VecDeque::new(),
            past_members: 0,
            left: u64::MAX,
            damage: None,
            doubtful: Damage::default(),
            passed: Damage::default(),
            member: 0,
        }
    }

    /// Tells it which bytes of the stream are in doubt.
    pub(crate) fn with(self, damage: Option<Damage>) -> Window<'a> {
        Window { damage, ..self }
    }

    /// Ends the stream after about this many bytes, at most a buffer more.
    pub(crate) fn at_most(self, left: u64) -> Window<'a> {
        Window { left, ..self }
    }

    /// True if the stream was ended although there may be more of it.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Continues with another stream, of which `room` bytes are read at once; the contents of the
    /// window are dropped.
    pub(crate) fn restart(
        &mut self,
        file: Box<dyn Read + 'a>,
        room: usize,
        limits: &ReadLimits,
    ) -> io::Result<()> {
        (self.start, self.end, self.offset, self.stop) = (0, 0, 0, None);
        (self.damage, self.doubtful) = (None, Damage::default());
        (self.passed, self.member) = (Damage::default(), 0);
        self.members.clear();
        self.source.reopen(file, room, limits)
    }

    /// Which bytes of the stream are in doubt, if it was told.
    pub(crate) fn known_damage(&self) -> Option<Damage> {
        self.damage.clone()
    }

    /// The contents of the window.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    /// The offset of the window: the number of bytes taken so far.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// True if nothing follows [`Window::data`] for now: the end, or damage.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// True if it stopped at damage that casts doubt on the bytes before it.
    pub(crate) fn doubtful(&self) -> bool {
        matches!(self.stop, Some(Stop::Damage { doubt, .. }) if doubt != Doubt::None)
    }

    /// The damage to its member, or to one that it may be content of, if some of the first `end`
    /// bytes of the window are known to be in doubt.
    pub(crate) fn known_doubt(&self, end: usize) -> Option<SkipReason> {
        // Of what was taken, the last byte.
        let end = self.offset + end as u64;
        let range = self.offset.min(end.saturating_sub(1))..end;
        let is_known = self.damage.as_ref().is_some_and(|damage| damage.meets(&range));
        (is_known || self.doubtful.meets(&range)).then(|| self.damaged())
    }

    /// The reason for what is in doubt because damage was found elsewhere in its member.
    pub(crate) fn damaged(&self) -> SkipReason {
        self.source.damage(DAMAGED)
    }

    /// The reason to doubt what ends `end` bytes into the window, if its member is damaged, as is
    /// known beforehand, or as up to [`FARTHEST`] bytes behind it show: its checksum is wrong, or
    /// at most `near` bytes behind it, it does not decompress.
    pub(crate) fn doubt(&mut self, end: usize, near: usize) -> Option<SkipReason> {
        self.known_doubt(end).or_else(|| self.is_before_damage(end, near).then_some(SkipReason::RecordCut))
    }

    /// True if damage that casts doubt on what ends `end` bytes into the window stands behind it.
    fn is_before_damage(&mut self, end: usize, near: usize) -> bool {
        // No damage stands between it and a member that begins in the window.
        if self.damage.is_some() || !self.has_members() || self.has_member_from(end) {
            return false;
        }
        let behind = self.want(end.saturating_add(FARTHEST)).len().saturating_sub(end);
        let is_damaged = match self.stop {
            Some(Stop::Damage { doubt: Doubt::All, .. }) => true,
            Some(Stop::Damage { doubt: Doubt::Near, .. }) => behind <= near,
            _ => false,
        };
        is_damaged && !self.has_member_from(end)
    }

    /// Takes the rest of it. Returns the bytes that are in doubt, also of what was taken before;
    /// `None` if `is_split` is true of the contents and of the number of members that have begun.
    pub(crate) fn damage(&mut self, mut is_split: impl FnMut(&[u8], u64) -> bool) -> Option<Damage> {
        loop {
            let count = self.want(1).len();
            if count > 0 && is_split(self.data(), self.past_members + self.members.len() as u64) {
                return None;
            }
            self.take(count);
            if count == 0 && self.pass().is_none() {
                return Some(std::mem::take(&mut self.passed));
            }
        }
    }

    /// The contents of the window, at least `count` bytes unless it has [`Window::stopped`].
    pub(crate) fn want(&mut self, count: usize) -> &[u8] {
        while self.end - self.start < count && self.stop.is_none() {
            // Whole members are inflated at once if there is room for them. Each byte is moved a
            // few times at most.
            let is_full = self.end == self.buf.len();
            if is_full
                || self.start > self.buf.len() / 2
                || self.start > 0 && self.start + count > self.buf.len()
            {
                self.make_room(count);
            }
            match self.source.read(&mut self.buf[self.end..]) {
                Ok(Step::Data { count, begins, is_doubtful }) => {
                    let offset = self.offset + (self.end - self.start) as u64;
                    if begins && self.members.len() < MAX_MEMBERS {
                        self.members.push_back(offset);
                    }
                    if is_doubtful {
                        self.doubtful.add(offset..offset + count as u64);
                    }
                    self.end += count;
                    self.left = self.left.saturating_sub(count as u64);
                    if self.left == 0 {
                        self.stop = Some(Stop::End);
                    }
                }
                Ok(Step::End) => self.stop = Some(Stop::End),
                Ok(Step::Cut { why, doubt }) => {
                    self.stop = Some(Stop::Damage { reason: self.source.damage(why), doubt });
                }
                Err(error) => {
                    // It may say that the checksum of what came before it is wrong.
                    let reason = SkipReason::Io(error.to_string());
                    self.stop = Some(Stop::Damage { reason, doubt: Doubt::All });
                    self.source = Source::Plain(Box::new(io::empty()));
                }
            }
        }
        self.data()
    }

    /// Moves the data to the front, and grows the buffer if it would still not fit: to twice its
    /// length at a time, for there may be less data than wanted. A quarter of the room stays free:
    /// otherwise a parser that takes a few bytes at a time, and always wants as many, would have
    /// all of them moved each time.
    fn make_room(&mut self, count: usize) {
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = count.saturating_add(count / 4).min(2 * self.buf.len());
        if room > self.buf.len() {
            self.buf.resize(room.next_multiple_of(CHUNK), 0);
        }
    }

    /// Takes `count` bytes out of the window, at most all of them.
    pub(crate) fn take(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
        while let Some(&begin) = self.members.front().filter(|begin| **begin < self.offset) {
            self.members.pop_front();
            self.member = begin;
            self.past_members += 1;
        }
    }

    /// True if the stream consists of compressed members.
    pub(crate) fn has_members(&self) -> bool {
        self.source.has_members()
    }

    /// True if a member begins at the front of the window.
    pub(crate) fn begins_member(&self) -> bool {
        self.members.front() == Some(&self.offset)
    }

    /// The places behind the front of the window where members begin, as far as they are known.
    pub(crate) fn members(&self) -> impl Iterator<Item = usize> {
        let behind = self.members.iter().filter_map(|begin| begin.checked_sub(self.offset));
        behind.filter(|place| *place > 0).filter_map(|place| usize::try_from(place).ok())
    }

    /// True if a member begins at this place in the window or behind it.
    fn has_member_from(&self, place: usize) -> bool {
        self.members.back().is_some_and(|&last| last >= self.offset + place as u64)
    }

    /// True if a member begins between these places in the window.
    pub(crate) fn member_begins(&self, between: RangeInclusive<usize>) -> bool {
        let [from, to] = [between.start(), between.end()].map(|at| self.offset + *at as u64);
        let next = self.members.partition_point(|&begin| begin < from);
        self.members.get(next).is_some_and(|&begin| begin <= to)
    }

    /// The number of members that began before the window, as far as they are known.
    pub(crate) fn past_members(&self) -> u64 {
        self.past_members
    }

    /// Takes bytes until a member begins at `from` or later, or the window is empty and has
    /// stopped. Returns their number.
    pub(crate) fn skip_to_member(&mut self, from: u64) -> u64 {
        let begin = self.offset;
        while !self.want(1).is_empty() {
            let next = self.members.iter().copied().find(|&next| next >= from);
            let count = next.map_or(self.data().len() as u64, |next| next - self.offset);
            if count == 0 {
                break;
            }
            self.take(usize::try_from(count).unwrap_or(usize::MAX));
        }
        self.offset - begin
    }

    /// Takes the byte order mark of a UTF-8 text, if the window begins with one.
    pub(crate) fn take_byte_order_mark(&mut self) {
        if self.want(3).starts_with(b"\xef\xbb\xbf") {
            self.take(3);
        }
    }

    /// Takes `count` bytes, possibly more than the window contains, but, if they are to be
    /// `in_member`, none behind the beginning of a member; true if there were enough.
    pub(crate) fn skip(&mut self, mut count: u64, in_member: bool) -> bool {
        while count > 0 {
            let here = self.want(1).len() as u64;
            let next = self.members.front().filter(|_| in_member);
            let here = next.map_or(here, |next| next - self.offset).min(count);
            if here == 0 {
                return false;
            }
            self.take(usize::try_from(here).unwrap_or(usize::MAX));
            count -= here;
        }
        true
    }

    /// When the window is empty and has stopped: the damage, after which reading may continue;
    /// `None` at the end.
    pub(crate) fn pass(&mut self) -> Option<SkipReason> {
        match self.stop.take() {
            Some(Stop::Damage { reason, doubt }) => {
                let from = match doubt {
                    Doubt::All => self.member,
                    Doubt::Near => self.member.max(self.offset.saturating_sub(DOUBT as u64)),
                    Doubt::End | Doubt::None => self.offset,
                };
                if from < self.offset {
                    self.passed.add(from..self.offset);
                }
                Some(reason)
            }
            end => {
                self.stop = end;
                None
            }
        }
    }
}

/// For parsers that need a stream instead of a window: damage is an error, after which nothing
/// follows.
impl Read for Window<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let data = self.want(1);
        let count = data.len().min(out.len());
        out[..count].copy_from_slice(&data[..count]);
        self.take(count);
        match &self.stop {
            Some(Stop::Damage { reason, .. }) if count == 0 && !out.is_empty() => {
                Err(io::Error::other(reason.to_string()))
            }
            _ => Ok(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_moved_a_few_times_at_most() {
        let mut window = Window::new(Source::Plain(Box::new(io::repeat(b'x'))));
        // The worst sizes are those that leave no room.
        let (count, step) = (8 * CHUNK, 64);
        let (mut moves, mut start) = (0, 0);
        for _ in 0..8 * CHUNK / step {
            assert!(window.want(count).len() >= count);
            moves += usize::from(window.start < start);
            Window::take(&mut window, step);
            start = window.start;
        }
        assert!(moves < 8, "{moves}");
    }

    /// A header may claim any length.
    #[test]
    fn memory_grows_with_what_comes() {
        let mut window = Window::new(Source::Plain(Box::new(io::repeat(b'x').take(3 * CHUNK as u64))));
        assert_eq!(window.want(1 << 40).len(), 3 * CHUNK);
        assert!(window.buf.len() <= 6 * CHUNK, "{}", window.buf.len());
    }
}
