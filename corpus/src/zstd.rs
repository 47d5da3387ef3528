//! A stream of zstd frames, read past damage.
//!
//! It stands below `window`, like `gzip`, and for the same reason: a `.warc.zst` has a frame per
//! record, and one bad frame must not lose those after it. Such a file may begin with a dictionary
//! in a skippable frame (IIPC proposal "WARC zstd"), plain or in a frame of its own; all later
//! frames need it. Invariants: a frame that was searched for is proved by those behind it
//! (`ahead`), so frames without checksums are not read behind damage; a window or a dictionary over
//! its limit is damage, which is reported and skipped; a [`Step::Cut`] separates bytes that may not
//! be adjacent in the original. It does not know what the frames contain.

use crate::ReadLimits;
use crate::ahead::{Ahead, DOUBTFUL, Doubt, Members, Proof, Step, ends_inside, prove};
use std::io::{self, BufRead, Read};
use zstd::stream::raw::{DParameter, Decoder, Operation};

/// The beginning of a frame (RFC 8878 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const ENDS: &str = "the file ends inside a frame";
const WRONG_CHECKSUM: &str = "the checksum of a frame is wrong";
/// The beginning of a skippable frame, except for the low four bits of its first byte (RFC 8878
/// 3.1.2).
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// The skippable frame that contains a dictionary.
const DICTIONARY: u8 = 0x5d;

/// The flag of frames with a checksum (RFC 8878 3.1.1.1.1), in the byte behind the magic number.
const CHECKSUM: u8 = 4;

#[derive(Clone, Copy)]
enum State {
    /// Before the very first frame, which may hold a dictionary.
    Start,
    /// Before a frame, or at the end.
    Between,
    /// Behind the magic number of a frame.
    Magic,
    /// In a frame.
    Inside,
    /// Damage was found, but not reported yet.
    Failed(&'static str),
    /// After damage that was reported.
    Lost,
    Ended,
}

/// Decompresses the frames of `inner`, one after the other.
pub(crate) struct Unzstd<R> {
    inner: Ahead<R>,
    decoder: Decoder<'static>,
    state: State,
    max_window_log: u32,
    max_dictionary: usize,
    /// True if the frame has yielded data.
    gave: bool,
    /// The bytes in which the decoder found a mistake; they are not consumed.
    failed: usize,
    /// The frame that is read ends inside a damaged one.
    is_doubtful: bool,
    /// The bytes that the decoder needs for its next step: the rest of a header, a block or the
    /// checksum. It gets no more, so all blocks before damage come out.
    wanted: usize,
}

/// True if zstd data can begin with `bytes`.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.len() >= 4 && is_skippable([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn is_skippable(magic: [u8; 4]) -> bool {
    [magic[0] & 0xf0, magic[1], magic[2], magic[3]] == SKIPPABLE
}

/// A decoder that rejects windows over the limit.
fn decoder(dictionary: &[u8], max_window_log: u32) -> io::Result<Decoder<'static>> {
    let mut decoder = Decoder::with_dictionary(dictionary)?;
    decoder.set_parameter(DParameter::WindowLogMax(max_window_log))?;
    Ok(decoder)
}

impl<R: BufRead> Members for Unzstd<R> {
    type Inner = R;

    fn ahead(&mut self) -> &mut Ahead<R> {
        &mut self.inner
    }

    fn step(&mut self, out: &mut [u8]) -> io::Result<Option<Step>> {
        match self.state {
            State::Start => self.state = self.begin(true)?,
            State::Between => {
                if !self.inner.is_marked() {
                    self.is_doubtful = self.inner.is_inside_damage(0) && ends_inside(self)?;
                }
                self.state = self.begin(false)?;
            }
            State::Magic => self.state = self.frame(MAGIC)?,
            State::Inside => match self.decompress(out)? {
                0 => {}
                count => {
                    let begins = !std::mem::replace(&mut self.gave, true);
                    return Ok(Some(Step::Data { count, begins, is_doubtful: self.is_doubtful }));
                }
            },
            State::Failed(why) => {
                let doubt = match why {
                    _ if !self.gave => Doubt::None,
                    ENDS => Doubt::End,
                    WRONG_CHECKSUM => Doubt::All,
                    _ => Doubt::Near,
                };
                self.state = State::Lost;
                return Ok(Some(Step::Cut { why, doubt }));
            }
            State::Lost => self.state = self.search()?,
            State::Ended => return Ok(Some(Step::End)),
        }
        Ok(None)
    }
}

impl<R: BufRead> Unzstd<R> {
    pub(crate) fn new(inner: R, limits: &ReadLimits) -> io::Result<Unzstd<R>> {
        let (max_window_log, max_dictionary) = (limits.max_window_log, limits.max_dictionary);
        let decoder = decoder(&[], max_window_log)?;
        let (inner, state) = (Ahead::new(inner), State::Start);
        Ok(Unzstd {
            inner,
            decoder,
            state,
            max_window_log,
            max_dictionary,
            gave: false,
            failed: 0,
            is_doubtful: false,
            wanted: 0,
        })
    }

    /// Fills the front of `out`, which must not be empty.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<Step> {
        loop {
            if let Some(step) = self.step(out)? {
                return Ok(step);
            }
        }
    }

    /// Decompresses a part of a frame; the state stays `Inside` if there is more.
    fn decompress(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let input = self.inner.fill_buf()?;
        let at_end = input.is_empty();
        let input = &input[..input.len().min(self.wanted)];
        let status = match self.decoder.run_on_buffers(input, out) {
            Ok(status) => status,
            // The library does not say how much of it was good.
            Err(error) => {
                self.failed = input.len();
                self.state = State::Failed(match error.to_string().contains("checksum") {
                    true => WRONG_CHECKSUM,
                    false => "a frame does not decompress, or its window is over the limit max_window_log",
                });
                return Ok(0);
            }
        };
        self.inner.consume(status.bytes_read);
        self.wanted = status.remaining;
        if status.remaining == 0 {
            self.inner.drop_member();
            self.state = State::Between;
        } else if at_end && status.bytes_written == 0 {
            self.state = State::Failed(ENDS);
        }
        Ok(status.bytes_written)
    }

    /// The frame that should begin here.
    fn begin(&mut self, first: bool) -> io::Result<State> {
        (self.gave, self.failed) = (false, 0);
        self.inner.keep_member(self.inner.is_inside_damage(0));
        let mut magic = [0; 4];
        match self.fill(&mut magic)? {
            0 => return Ok(State::Ended),
            4 => {}
            _ => return Ok(State::Failed(ENDS)),
        }
        if is_skippable(magic) && self.inner.is_marked() {
            return Ok(State::Failed("a skippable frame"));
        }
        if is_skippable(magic) { self.skippable(first && magic[0] == DICTIONARY) } else { self.frame(magic) }
    }

    /// Starts a frame whose magic number was read.
    fn frame(&mut self, magic: [u8; 4]) -> io::Result<State> {
        if magic != MAGIC {
            return Ok(State::Failed("no frame begins here"));
        }
        let has_checksum = self.inner.fill_buf()?.first().is_some_and(|flags| flags & CHECKSUM != 0);
        if self.inner.is_marked() && !has_checksum {
            return Ok(State::Failed("a frame without a checksum"));
        }
        self.decoder.reinit()?;
        match self.decoder.run_on_buffers(&magic, &mut []) {
            Ok(status) if status.bytes_read == 4 => {
                self.wanted = status.remaining;
                Ok(State::Inside)
            }
            _ => Ok(State::Failed("no frame begins here")),
        }
    }

    /// Skips a skippable frame, or takes the dictionary from it.
    fn skippable(&mut self, is_dictionary: bool) -> io::Result<State> {
        const CUT: State = State::Failed("the file ends inside a skippable frame");
        let mut length = [0; 4];
        if self.fill(&mut length)? < 4 {
            return Ok(CUT);
        }
        let length = u64::from(u32::from_le_bytes(length));
        if !is_dictionary {
            let passed = io::copy(&mut self.inner.by_ref().take(length), &mut io::sink())?;
            return Ok(if passed == length { State::Between } else { CUT });
        }
        if length > self.max_dictionary as u64 {
            return Ok(State::Failed("the dictionary is longer than the limit max_dictionary"));
        }
        let mut dictionary = Vec::new();
        if self.inner.by_ref().take(length).read_to_end(&mut dictionary)? as u64 != length {
            return Ok(CUT);
        }
        if dictionary.starts_with(&MAGIC) {
            match zstd::bulk::decompress(&dictionary, self.max_dictionary) {
                Ok(inside) => dictionary = inside,
                Err(_) => return Ok(State::Failed("the dictionary does not decompress")),
            }
        }
        match decoder(&dictionary, self.max_window_log) {
            Ok(decoder) => self.decoder = decoder,
            Err(_) => return Ok(State::Failed("the dictionary is damaged")),
        }
        Ok(State::Between)
    }

    /// Searches for the next bytes that can begin a frame, first in the damaged one.
    fn search(&mut self) -> io::Result<State> {
        self.gave = false;
        let data = self.inner.place() + std::mem::take(&mut self.failed);
        self.inner.search_member(data);
        let mut seen = 0;
        let mut byte = [0];
        while self.fill(&mut byte)? == 1 {
            seen = if byte[0] == MAGIC[seen] { seen + 1 } else { usize::from(byte[0] == MAGIC[0]) };
            if seen == MAGIC.len() {
                self.state = State::Magic;
                let is_inside = self.inner.is_inside_damage(MAGIC.len());
                let proof = prove(self)?;
                self.gave = false;
                match proof {
                    Proof::Given => {
                        self.state = State::Magic;
                        self.is_doubtful = is_inside && ends_inside(self)?;
                        self.gave = false;
                        self.inner.keep_member(is_inside);
                        return Ok(State::Magic);
                    }
                    Proof::Doubtful => return Ok(State::Failed(DOUBTFUL)),
                    Proof::None => seen = 0,
                }
            }
        }
        Ok(State::Ended)
    }

    /// Fills `out` as far as the stream goes, and returns the length.
    fn fill(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < out.len() {
            match self.inner.read(&mut out[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }
}
