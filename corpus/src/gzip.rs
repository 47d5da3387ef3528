//! A stream of gzip members, read past damage.
//!
//! Stands under `window`. `flate2`'s own reader stops for good at the first bad byte; a WARC file
//! has a member per record, and one bad member must not cost the million behind it. So this file
//! frames the members itself (RFC 1952), inflates with one reused state, and behind damage looks
//! for the next member. Invariant: a [`Step::Cut`] stands between bytes that the stream does not
//! vouch for being neighbours. It does not know what the members hold.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead};

/// What reading gave.
pub(crate) enum Step {
    /// So many bytes, at least one.
    Data(usize),
    /// The stream is damaged here. Reading again goes on at the next member, if there is one.
    Cut {
        /// How.
        why: &'static str,
        /// Whether the bytes before it are in doubt: their member has no end, or not their
        /// checksum.
        doubtful: bool,
    },
    /// The end.
    End,
}

#[derive(Clone, Copy)]
enum State {
    /// Before a member, or at the end.
    Between,
    /// In the deflate stream of a member.
    Inside,
    /// Damage was met, and is still to be told.
    Failed(&'static str),
    /// Behind damage that was told.
    Lost,
    Ended,
}

/// Inflates the members of `inner`, one after the other.
pub(crate) struct Gunzip<R> {
    inner: R,
    inflate: Decompress,
    crc: Crc,
    state: State,
}

/// How a member begins: the magic number and the one method there is.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Flags of its header (RFC 1952 2.3.1); the upper three bits are reserved and zero.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// Whether gzip data can begin with `bytes`.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

impl<R: BufRead> Gunzip<R> {
    pub(crate) fn new(inner: R) -> Gunzip<R> {
        Gunzip { inner, inflate: Decompress::new(false), crc: Crc::new(), state: State::Between }
    }

    /// Goes on with the members of another stream.
    pub(crate) fn restart(&mut self, inner: R) {
        (self.inner, self.state) = (inner, State::Between);
    }

    /// Fills the front of `out`, which must not be empty.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<Step> {
        loop {
            match self.state {
                State::Between => self.state = self.begin()?,
                State::Inside => match self.inflate(out)? {
                    0 => {}
                    count => return Ok(Step::Data(count)),
                },
                State::Failed(why) => {
                    let doubtful = self.inflate.total_out() > 0;
                    self.state = State::Lost;
                    return Ok(Step::Cut { why, doubtful });
                }
                State::Lost => self.state = self.search()?,
                State::Ended => return Ok(Step::End),
            }
        }
    }

    /// Inflates a stretch of a member; leaves the state `Inside` when there is more of it.
    fn inflate(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let input = self.inner.fill_buf()?;
        let (was_in, was_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(input, out, FlushDecompress::None);
        let used = (self.inflate.total_in() - was_in) as usize;
        let count = (self.inflate.total_out() - was_out) as usize;
        self.inner.consume(used);
        self.crc.update(&out[..count]);
        match status {
            Ok(Status::StreamEnd) => self.state = self.trailer()?,
            Ok(_) if used == 0 && count == 0 => self.state = State::Failed("the file ends inside a member"),
            Ok(_) => {}
            Err(_) => self.state = State::Failed("a member does not inflate"),
        }
        Ok(count)
    }

    /// The checksum and length behind a member's data.
    fn trailer(&mut self) -> io::Result<State> {
        let (Some(sum), Some(length)) = (self.number()?, self.number()?) else {
            return Ok(State::Failed("the file ends inside a member"));
        };
        if sum != self.crc.sum() || length != self.crc.amount() {
            return Ok(State::Failed("the checksum of a member is wrong"));
        }
        Ok(State::Between)
    }

    /// Forgets the member before: what is damaged from here on does not concern it.
    fn reset(&mut self) {
        self.inflate.reset(false);
        self.crc.reset();
    }

    /// The header of the member that should begin here.
    fn begin(&mut self) -> io::Result<State> {
        self.reset();
        let Some(first) = self.padding()? else { return Ok(State::Ended) };
        if first != MAGIC[0] || self.byte()? != Some(MAGIC[1]) || self.byte()? != Some(MAGIC[2]) {
            return Ok(State::Failed("no member begins here"));
        }
        let Some(flags) = self.byte()? else { return Ok(State::Failed("the file ends inside a header")) };
        self.header(flags)
    }

    /// Looks for the next bytes that can begin a member.
    fn search(&mut self) -> io::Result<State> {
        self.reset();
        let mut seen = 0;
        while let Some(byte) = self.byte()? {
            seen = match byte {
                // The reserved flags tell a header from chance once in eight.
                flags if seen == MAGIC.len() && flags < 32 => return self.header(flags),
                byte if MAGIC.get(seen) == Some(&byte) => seen + 1,
                byte => usize::from(byte == MAGIC[0]),
            };
        }
        Ok(State::Ended)
    }

    /// What stands between a header's flags and the data; nothing of it matters here.
    fn header(&mut self, flags: u8) -> io::Result<State> {
        let mut left = 6; // time, extra flags, system
        if flags & EXTRA != 0 {
            self.drop(left)?;
            let (low, high) = (self.byte()?, self.byte()?);
            left = usize::from(u16::from_le_bytes([low.unwrap_or(0), high.unwrap_or(0)]));
        }
        self.drop(left)?;
        for text in [NAME, COMMENT] {
            while flags & text != 0 && !matches!(self.byte()?, None | Some(0)) {}
        }
        if flags & HEADER_CRC != 0 {
            self.drop(2)?;
        }
        // A header cut short is told by the first turn of `inflate`.
        Ok(State::Inside)
    }

    /// The first byte that is not zero: tapes and some tools pad with zeros.
    fn padding(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.byte()? {
                Some(0) => {}
                other => return Ok(other),
            }
        }
    }

    fn drop(&mut self, count: usize) -> io::Result<()> {
        for _ in 0..count {
            self.byte()?;
        }
        Ok(())
    }

    fn number(&mut self) -> io::Result<Option<u32>> {
        let mut bytes = [0; 4];
        for byte in &mut bytes {
            let Some(next) = self.byte()? else { return Ok(None) };
            *byte = next;
        }
        Ok(Some(u32::from_le_bytes(bytes)))
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.inner.fill_buf()?.first().copied();
        self.inner.consume(usize::from(byte.is_some()));
        Ok(byte)
    }
}
