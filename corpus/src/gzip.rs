//! A stream of gzip members, read past damage.
//!
//! It stands below `window`. `flate2`'s own reader stops at the first bad byte; a WARC file has a
//! member per record, and one bad member must not lose the million after it. So this module splits
//! the members itself (RFC 1952), inflates with one reused state, and after damage searches for the
//! next member. A sound member that is in the input buffer, together with the beginning of the
//! next, is inflated at once with `libdeflate`, which is twice as fast; any other one piece by
//! piece with `flate2`. Invariants: both ways give the same bytes and end a member at the same
//! place; a member that was searched for is proved by those behind it (`ahead`); a [`Step::Cut`]
//! separates bytes that may not be adjacent in the original. It does not know what the members
//! contain.

use crate::ahead::{Ahead, DOUBTFUL, Doubt, Members, Proof, Step, ends_inside, prove};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;
use memchr::memmem;
use std::io::{self, BufRead};

#[derive(Clone, Copy)]
enum State {
    /// Before a member, or at the end.
    Between,
    /// Behind the flags in the header of a member.
    Header(u8),
    /// In the deflate stream of a member.
    Inside,
    /// Damage was found, but not reported yet.
    Failed(&'static str),
    /// After damage that was reported. Of what was read, so many bytes at the end are no data.
    Lost(usize),
    Ended,
}

/// Inflates the members of `inner`, one after the other.
pub(crate) struct Gunzip<R> {
    inner: Ahead<R>,
    /// Inflates whole members.
    at_once: Decompressor,
    /// Finds the beginning of a member.
    magic: memmem::Finder<'static>,
    inflate: Decompress,
    crc: Crc,
    /// The last bytes that were taken as data, or as a checksum.
    last: [u8; 4],
    state: State,
    /// The member that is read ends inside a damaged one.
    is_doubtful: bool,
}

const ENDS: &str = "the file ends inside a member";
const MISSED: &str = "the end of the last member is damaged";
/// Bytes by which what came out may differ from the length in a trailer that was missed.
const FAR: u32 = 64 << 10;
const CHECKSUM: &str = "the checksum of a member is wrong";
const CUT_CHECKSUM: &str = "the file ends behind a checksum that is wrong";
/// The beginning of a member: the magic number and the only method.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Flags in the header (RFC 1952 2.3.1); the upper three bits are reserved and zero.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
/// The bytes of extra fields behind damage. Heritrix writes 12. Flags are 20 bytes before the data
/// then, and 22 at least in a hidden member that reaches the data of the next true one: two line
/// ends, a trailer, a header.
const MOST_EXTRA: usize = 12;
/// The bytes of the shortest header.
const HEADER: usize = 10;
/// The bytes of a checksum and a length.
const TRAILER: usize = 8;

/// True if gzip data can begin with `bytes`.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The checksum and the length in a trailer.
fn sum_and_length(trailer: [u8; TRAILER]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = trailer;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// The member at the front of `data`, if the next one seems to begin in it. Linear in the member,
/// for the search ends at the next one.
fn member<'d>(data: &'d [u8], magic: &memmem::Finder<'_>) -> Option<&'d [u8]> {
    let rest = data.get(HEADER + TRAILER..).filter(|_| begins(data))?;
    magic.find(rest).map(|next| &data[..HEADER + TRAILER + next])
}

impl<R: BufRead> Members for Gunzip<R> {
    type Inner = R;

    fn ahead(&mut self) -> &mut Ahead<R> {
        &mut self.inner
    }

    fn step(&mut self, out: &mut [u8]) -> io::Result<Option<Step>> {
        match self.state {
            State::Between => {
                if !self.inner.is_marked() {
                    self.is_doubtful = self.inner.is_inside_damage(0) && ends_inside(self)?;
                    self.state = State::Between;
                }
                match self.whole(out)? {
                    Some(0) => {}
                    Some(count) => return Ok(Some(self.data(count, true))),
                    None => self.state = self.begin()?,
                }
            }
            State::Header(flags) => self.state = self.header(flags)?,
            State::Inside => match self.inflate(out)? {
                0 => {}
                count => {
                    return Ok(Some(self.data(count, self.inflate.total_out() == count as u64)));
                }
            },
            State::Failed(why) => {
                let doubt = match why {
                    _ if self.inflate.total_out() == 0 => Doubt::None,
                    ENDS => Doubt::End,
                    CHECKSUM | CUT_CHECKSUM => Doubt::All,
                    _ => Doubt::Near,
                };
                self.state = State::Lost(if why == CHECKSUM { TRAILER } else { 0 });
                return Ok(Some(Step::Cut { why, doubt }));
            }
            State::Lost(trailer) => self.state = self.search(trailer)?,
            State::Ended => return Ok(Some(Step::End)),
        }
        Ok(None)
    }
}

impl<R: BufRead> Gunzip<R> {
    pub(crate) fn new(inner: R) -> Gunzip<R> {
        Gunzip {
            inner: Ahead::new(inner),
            at_once: Decompressor::new(),
            magic: memmem::Finder::new(&MAGIC),
            inflate: Decompress::new(false),
            crc: Crc::new(),
            last: [0; 4],
            state: State::Between,
            is_doubtful: false,
        }
    }

    /// Continues with the members of another stream.
    pub(crate) fn restart(&mut self, inner: R) {
        (self.inner, self.state) = (Ahead::new(inner), State::Between);
    }

    /// Bytes of the member that is read.
    fn data(&self, count: usize, begins: bool) -> Step {
        Step::Data { count, begins, is_doubtful: self.is_doubtful }
    }

    /// Fills the front of `out`, which must not be empty.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<Step> {
        loop {
            if let Some(step) = self.step(out)? {
                return Ok(step);
            }
        }
    }

    /// Inflates the next member, if the buffer holds it and `out` has room for it. Returns `None`
    /// for any doubt; then nothing was taken.
    fn whole(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        // It takes headers that do not count behind damage.
        if self.inner.is_marked() {
            return Ok(None);
        }
        let data = self.inner.fill_buf()?;
        let Some(member) = member(data, &self.magic) else { return Ok(None) };
        let Some((_, trailer)) = member.split_last_chunk::<TRAILER>() else { return Ok(None) };
        let (sum, length) = sum_and_length(*trailer);
        let Some(out) = out.get_mut(..length as usize) else { return Ok(None) };
        // `libdeflate` checks the trailer, but does not say where it is: bytes that are no member
        // may follow. If the last bytes are the trailer, and nothing else is, they are its place.
        let is_sound = self.at_once.gzip_decompress(member, out) == Ok(out.len())
            && libdeflater::crc32(out) == sum
            && memmem::find(member, trailer) == Some(member.len() - TRAILER);
        if !is_sound {
            return Ok(None);
        }
        let taken = member.len();
        self.inner.consume(taken);
        Ok(Some(length as usize))
    }

    /// Inflates a part of a member; the state stays `Inside` if there is more.
    fn inflate(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let input = self.inner.fill_buf()?;
        let (was_in, was_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(input, out, FlushDecompress::None);
        let used = (self.inflate.total_in() - was_in) as usize;
        let count = (self.inflate.total_out() - was_out) as usize;
        for byte in &input[used.saturating_sub(self.last.len())..used] {
            self.last.rotate_left(1);
            self.last[3] = *byte;
        }
        self.inner.consume(used);
        self.crc.update(&out[..count]);
        match status {
            Ok(Status::StreamEnd) => self.state = self.trailer()?,
            Ok(_) if used == 0 && count == 0 => self.state = State::Failed(self.at_end()),
            Ok(_) => {}
            Err(_) => self.state = State::Failed("a member does not inflate"),
        }
        Ok(count)
    }

    /// The reason for a file that ends in the data of a member, or in its checksum. If they end in
    /// its length, its end was missed, so something before it is wrong.
    fn at_end(&self) -> &'static str {
        let length = u32::from_le_bytes(self.last);
        let apart = length.wrapping_sub(self.inflate.total_out() as u32);
        if apart.min(apart.wrapping_neg()) <= FAR { MISSED } else { ENDS }
    }

    /// The checksum and length after a member's data.
    fn trailer(&mut self) -> io::Result<State> {
        let Some(sum) = self.number()? else { return Ok(State::Failed(self.at_end())) };
        let is_right = sum == self.crc.sum();
        match self.number()? {
            Some(length) if is_right && length == self.crc.amount() => {
                self.inner.drop_member();
                Ok(State::Between)
            }
            Some(_) => Ok(State::Failed(CHECKSUM)),
            None if is_right => Ok(State::Failed(ENDS)),
            None => Ok(State::Failed(CUT_CHECKSUM)),
        }
    }

    /// Forgets the previous member: later damage does not concern it.
    fn reset(&mut self) {
        self.inflate.reset(false);
        self.crc.reset();
    }

    /// The header of the member that should begin here.
    fn begin(&mut self) -> io::Result<State> {
        self.reset();
        if self.padding()? {
            return Ok(State::Between);
        }
        self.inner.keep_member(self.inner.is_inside_damage(0));
        let Some(first) = self.byte()? else { return Ok(State::Ended) };
        if first != MAGIC[0] || self.byte()? != Some(MAGIC[1]) || self.byte()? != Some(MAGIC[2]) {
            return Ok(State::Failed("no member begins here"));
        }
        let Some(flags) = self.byte()? else { return Ok(State::Failed("the file ends inside a header")) };
        self.header(flags)
    }

    /// Searches for the next bytes that can begin a member, first in the damaged one. A member that
    /// ends in the bytes that were read as its trailer is no content of it: it was cut, and its
    /// decoder got in step with the next one.
    fn search(&mut self, trailer: usize) -> io::Result<State> {
        self.reset();
        let data = self.inner.place().saturating_sub(trailer);
        self.inner.search_member(data);
        let mut seen = 0;
        while let Some(byte) = self.byte()? {
            seen = match byte {
                // The reserved flags exclude seven of eight false headers.
                flags if seen == MAGIC.len() && flags < 32 => {
                    self.state = State::Header(flags);
                    let is_inside = self.inner.is_inside_damage(MAGIC.len() + 1);
                    let proof = prove(self)?;
                    self.reset();
                    match proof {
                        Proof::Given => {
                            self.state = State::Header(flags);
                            self.is_doubtful = is_inside && ends_inside(self)?;
                            self.reset();
                            self.inner.keep_member(is_inside);
                            return Ok(State::Header(flags));
                        }
                        Proof::Doubtful => return Ok(State::Failed(DOUBTFUL)),
                        Proof::None => 0,
                    }
                }
                byte if MAGIC.get(seen) == Some(&byte) => seen + 1,
                byte => usize::from(byte == MAGIC[0]),
            };
        }
        Ok(State::Ended)
    }

    /// Skips the rest of a header after its flags.
    fn header(&mut self, flags: u8) -> io::Result<State> {
        let mut left = 6; // time, extra flags, system
        let mut is_covered = flags & (NAME | COMMENT | HEADER_CRC) == 0;
        if flags & EXTRA != 0 {
            self.drop(left)?;
            let (low, high) = (self.byte()?, self.byte()?);
            left = usize::from(u16::from_le_bytes([low.unwrap_or(0), high.unwrap_or(0)]));
            is_covered &= left <= MOST_EXTRA;
        }
        if self.inner.is_marked() && !is_covered {
            return Ok(State::Failed("a header with bytes that no checksum covers"));
        }
        self.drop(left)?;
        for text in [NAME, COMMENT] {
            while flags & text != 0 && !matches!(self.byte()?, None | Some(0)) {}
        }
        if flags & HEADER_CRC != 0 {
            self.drop(2)?;
        }
        // A truncated header is reported by the first turn of `inflate`.
        Ok(State::Inside)
    }

    /// Passes over zeros, with which tapes and some tools pad, as far as the buffer has them. True
    /// if there were any.
    fn padding(&mut self) -> io::Result<bool> {
        let zeros = self.inner.fill_buf()?.iter().take_while(|byte| **byte == 0).count();
        self.inner.consume(zeros);
        Ok(zeros > 0)
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
            self.last.rotate_left(1);
            self.last[3] = next;
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

#[cfg(test)]
mod tests {
    use super::{Crc, Doubt, Gunzip, HEADER, Step};
    use robomaton_tests::generate::Random;
    use robomaton_tests::write::gzip;
    use std::io::{BufRead, BufReader, Read};

    /// The contents of all members of a stream, with a space for each cut.
    fn text<R: BufRead>(members: &mut Gunzip<R>) -> Vec<u8> {
        let (mut out, mut text) = ([0; 100], Vec::new());
        loop {
            match members.read(&mut out).expect("memory") {
                Step::Data { count, .. } => text.extend_from_slice(&out[..count]),
                Step::Cut { .. } => text.push(b' '),
                Step::End => return text,
            }
        }
    }

    /// Whoever is killed inside a member and goes on writes the next one behind it.
    #[test]
    fn no_member_is_lost_behind_one_that_was_cut() {
        let mut random = Random::new(18);
        let body: Vec<u8> = (0..3_000).map(|_| b'a' + random.below(26) as u8).collect();
        let cut = gzip(&body);
        for (name, last) in [("one", vec![gzip(b"third")]), ("two", vec![gzip(b"third"), gzip(b"third")])] {
            for end in 1..cut.len() {
                let stream = [&gzip(b"first"), &cut[..end], &last.concat()].concat();
                let text = text(&mut Gunzip::new(&stream[..]));
                assert!(text.starts_with(b"first") && text.ends_with(b"third"), "{name} behind {end} bytes");
            }
        }
    }

    /// A changed bit may make a decoder miss the end of the data by a few bytes, so that the file
    /// ends in the checksum.
    #[test]
    fn a_file_that_seems_to_end_in_a_checksum() {
        let doubt = |data: &[u8], rest: &[u8]| {
            let mut file = gzip(b"");
            file.truncate(HEADER);
            // One block, the last one, which is stored.
            let length = data.len() as u16;
            file.push(1);
            file.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
            file.extend([data, rest].concat());
            let mut members = Gunzip::new(&file[..]);
            loop {
                if let Step::Cut { doubt, .. } = members.read(&mut [0; 400]).expect("memory") {
                    return doubt;
                }
            }
        };
        let mut data = [b'x'; 300];
        let mut crc = Crc::new();
        crc.update(&data);
        let sum = crc.sum().to_le_bytes();
        for length in 0..4 {
            assert_eq!(doubt(&data, &sum[..length]), Doubt::End, "{length} bytes");
        }
        assert_eq!(doubt(&data, &[&sum[..], &[44, 1, 0]].concat()), Doubt::End);
        assert_eq!(doubt(&data, &[&sum[..3], &[0, 44, 1, 0, 0]].concat()), Doubt::All);
        assert_eq!(doubt(&data, &[0, 44, 1, 0, 0]), Doubt::All);
        // The last bytes are the length.
        data[299] = 44;
        assert_eq!(doubt(&data, &[1, 0, 0]), Doubt::Near);
    }

    /// A disk may give any number of zeros for nothing.
    #[test]
    fn zeros_behind_damage_are_not_kept() {
        let mut damaged = gzip(b"second");
        // In the data, so that it does not inflate.
        damaged[10] ^= 0x06;
        let front = [gzip(b"first"), damaged, gzip(b"third")].concat();
        let zeros = std::io::repeat(0).take(100 << 20);
        let mut members = Gunzip::new(BufReader::new(front.chain(zeros)));
        let text = text(&mut members);
        assert!(text.starts_with(b"first") && text.ends_with(b" third"), "{text:?}");
        assert!(members.inner.most() < 9 << 20, "{} bytes were kept", members.inner.most());
    }
}
