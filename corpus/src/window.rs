//! A window that slides over a stream: parsers look at whole records in place, and take them once
//! understood.
//!
//! Stands between a `source` and the parsers. Invariants: memory is bounded by the largest
//! [`Window::want`]; nothing is lost by looking, so a parser that finds a record broken can look
//! for the next one inside it; bytes on both sides of damage are never in the window together. It
//! does not know records.

use crate::gzip::Step;
use crate::source::{CHUNK, Source};
use crate::{ReadLimits, SkipReason};
use std::io::{self, Read};

/// Why nothing more comes into the window.
enum Stop {
    End,
    Damage { reason: SkipReason, doubtful: bool },
}

/// See the head of this file.
pub(crate) struct Window<'a> {
    source: Source<'a>,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    stop: Option<Stop>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(source: Source<'a>) -> Window<'a> {
        Window { source, buf: vec![0; CHUNK], start: 0, end: 0, offset: 0, stop: None }
    }

    /// Slides over another stream from here on, of which `room` bytes are read at once; what was in
    /// the window is gone.
    pub(crate) fn restart(
        &mut self,
        file: Box<dyn Read + 'a>,
        room: usize,
        limits: &ReadLimits,
    ) -> io::Result<()> {
        (self.start, self.end, self.offset, self.stop) = (0, 0, 0, None);
        self.source.reopen(file, room, limits)
    }

    /// What is in the window.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    /// Where the window begins: the bytes taken so far.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether nothing comes behind [`Window::data`], for now: the end, or damage.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether it stopped at damage that casts doubt on the bytes before it.
    pub(crate) fn doubtful(&self) -> bool {
        matches!(self.stop, Some(Stop::Damage { doubtful: true, .. }))
    }

    /// What is in the window, at least `count` bytes unless it has [`Window::stopped`].
    pub(crate) fn want(&mut self, count: usize) -> &[u8] {
        while self.end - self.start < count && self.stop.is_none() {
            if self.end == self.buf.len() || self.start + count > self.buf.len() {
                self.make_room(count);
            }
            match self.source.read(&mut self.buf[self.end..]) {
                Ok(Step::Data(count)) => self.end += count,
                Ok(Step::End) => self.stop = Some(Stop::End),
                Ok(Step::Cut { why, doubtful }) => {
                    self.stop = Some(Stop::Damage { reason: self.source.damage(why), doubtful });
                }
                Err(error) => {
                    self.stop =
                        Some(Stop::Damage { reason: SkipReason::Io(error.to_string()), doubtful: false });
                    self.source = Source::Plain(Box::new(io::empty()));
                }
            }
        }
        self.data()
    }

    /// Moves the data to the front, and grows when it would still not fit.
    fn make_room(&mut self, count: usize) {
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if count > self.buf.len() {
            self.buf.resize(count.max(CHUNK).next_multiple_of(CHUNK), 0);
        }
    }

    /// Takes `count` bytes out of the window, at most all of them.
    pub(crate) fn take(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Takes the byte order mark of a UTF-8 text, if the window begins with one.
    pub(crate) fn take_byte_order_mark(&mut self) {
        if self.want(3).starts_with(b"\xef\xbb\xbf") {
            self.take(3);
        }
    }

    /// Takes `count` bytes, also more than the window holds. Says whether there were so many.
    pub(crate) fn skip(&mut self, mut count: u64) -> bool {
        while count > 0 {
            let here = self.want(1).len().min(usize::try_from(count).unwrap_or(usize::MAX));
            if here == 0 {
                return false;
            }
            self.take(here);
            count -= here as u64;
        }
        true
    }

    /// Once the window is empty and has stopped: the damage, behind which reading may go on; `None`
    /// at the end.
    pub(crate) fn pass(&mut self) -> Option<SkipReason> {
        match self.stop.take() {
            Some(Stop::Damage { reason, .. }) => Some(reason),
            end => {
                self.stop = end;
                None
            }
        }
    }
}

/// For parsers that take a stream, not a window: damage is an error, behind which nothing more
/// comes.
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
