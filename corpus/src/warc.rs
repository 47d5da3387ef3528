//! WARC files (ISO 28500): `response` records become captures, `revisit` records refer to earlier
//! ones.
//!
//! It stands between `window`, which holds one record at a time, and `held`, which says what that
//! record is. Invariants: the content of a record counts only if the file continues after it as a
//! WARC file does; of one that does not, the fetch that its header names counts as one that cannot
//! be read, so that no older capture answers. No record is searched for inside another: a block is
//! a stranger's text, and may contain a whole record that claims to be a capture of another site.
//! So reading continues only at the beginning of a compressed member, and only if each record so
//! far was a member of its own, as the first few behind the gap are, too; otherwise the rest is not
//! read. Every turn of the loop takes bytes out of the window, so it ends. It does not know gzip:
//! offsets are those of the decompressed stream.

mod held;

use crate::check::FEW;
use crate::record::{Content, Record, unknown};
use crate::window::{DOUBT, Window};
use crate::{Capture, NOT_MODIFIED, ReadLimits, SkipReason, http};
use held::{Header, HeldRecord, unread};
use std::ops::RangeInclusive;

/// Bytes that are examined first; nearly every header fits.
const GLANCE: usize = 4096;
/// Bytes after a record that show whether it ended: two line ends and the name of the format.
const TRAILER: usize = 4 + MAGIC.len();
/// The mistake of a header in which another record begins.
const OTHER: &str = "another record begins inside it";
/// Line ends behind a record, at most. Writers put two there.
const LINE_ENDS: usize = 4096;
/// The beginning of every record.
const MAGIC: &[u8] = b"WARC/";
/// Extra bytes of a stored response besides its decoded body and header: chunk sizes.
const CHUNK_OVERHEAD: usize = 64 << 10;

/// The records of a file.
pub(crate) struct Records<'w, 'a> {
    window: &'w mut Window<'a>,
    limits: &'w ReadLimits,
    position: Position,
    /// True if each record so far was a compressed member of its own, but for those in doubt.
    one_per_member: bool,
    /// The number of records that were.
    own_members: u64,
    /// True if the last record is in doubt.
    is_doubtful: bool,
}

/// The position of a reader in its file.
#[derive(Clone, Copy)]
enum Position {
    /// Before a record, or at the end.
    Record,
    /// In a record that ends nobody knows where. The next member begins at this offset or later.
    Lost(u64),
    /// Before a rest that is not read.
    Ended,
}

impl<'w, 'a> Records<'w, 'a> {
    pub(crate) fn of(window: &'w mut Window<'a>, limits: &'w ReadLimits) -> Records<'w, 'a> {
        let (position, one_per_member) = (Position::Record, window.has_members());
        Records { window, limits, position, one_per_member, own_members: 0, is_doubtful: false }
    }

    /// The place of the next record, and its content as `told`, which is also given the record if
    /// it is whole.
    fn read<T>(&mut self, told: impl Told<T>) -> Option<(u64, Result<T, SkipReason>)> {
        match self.position {
            Position::Record => self.pass_line_ends(),
            Position::Lost(from) if self.one_per_member => {
                self.window.skip_to_member(from);
            }
            Position::Lost(_) => {}
            Position::Ended => return None,
        }
        let at = self.window.offset();
        if self.window.want(1).is_empty() {
            let damage = self.window.pass()?;
            self.position = Position::Lost(at);
            return Some((at, Err(damage)));
        }
        let is_lost = matches!(self.position, Position::Lost(_));
        let is_garbage = !self.window.want(MAGIC.len()).starts_with(MAGIC);
        // Members may be blocks of a file, which begin anywhere in a stranger's text.
        let may_be_block = is_lost && self.own_members < FEW;
        if (is_lost || is_garbage) && !self.one_per_member || is_garbage && may_be_block {
            self.position = Position::Ended;
            return Some((at, Err(SkipReason::Unread)));
        }
        if is_garbage {
            self.position = Position::Lost(at);
            return Some((at, Err(SkipReason::Garbage(self.window.skip_to_member(at + 1)))));
        }
        self.position = Position::Record;
        // A damaged length may be why a record in doubt ends inside its member.
        let is_behind_doubt = std::mem::take(&mut self.is_doubtful) && self.own_members > 0;
        self.one_per_member &= is_behind_doubt || self.window.begins_member();
        let members = self.window.past_members();
        let content = self.record(told);
        if matches!(self.position, Position::Record) && !self.is_doubtful {
            self.one_per_member &= self.window.past_members() == members + 1;
            self.own_members += u64::from(self.one_per_member);
        }
        if may_be_block && matches!(self.position, Position::Record) && !self.ends_member() {
            self.position = Position::Ended;
            return Some((at, Err(SkipReason::Unread)));
        }
        Some((at, content))
    }

    /// True if nothing but line ends is left of the member.
    fn ends_member(&mut self) -> bool {
        let data = self.window.want(LINE_ENDS);
        let passed = line_ends(data);
        (passed == data.len() && passed < LINE_ENDS) || self.window.member_begins(0..=passed)
    }

    /// Passes over the line ends between two records.
    fn pass_line_ends(&mut self) {
        loop {
            let passed = line_ends(self.window.want(TRAILER));
            if passed == 0 {
                return;
            }
            self.window.take(passed);
        }
    }

    /// Reads the record at the front of the window.
    fn record<T>(&mut self, told: impl Told<T>) -> Result<T, SkipReason> {
        let (window, limits) = (&mut *self.window, self.limits);
        let head = match header_end(window, limits.max_header, self.one_per_member) {
            Ok(head) => head,
            Err((known, reason)) => {
                let lines = memchr::memrchr(b'\n', &window.data()[..known]).map_or(0, |last| last + 1);
                let header = Header::parse_cut(&window.data()[..lines]);
                return self.refuse(known, &header, reason, told);
            }
        };
        let header = Header::parse(&window.data()[..head]);
        let Some(length) = header.length else {
            return self.refuse(head, &header, SkipReason::WarcHeader("no Content-Length"), told);
        };
        let most = limits.max_body.saturating_add(limits.max_header).saturating_add(CHUNK_OVERHEAD);
        let is_too_long = length > limits.max_record;
        if is_too_long && self.one_per_member {
            return self.refuse(head, &header, SkipReason::RecordTooLong(length), told);
        }
        let room = if is_too_long { 0 } else { most };
        let held = usize::try_from(length).map_or(room, |length| length.min(room));
        let cut = held as u64 != length;

        let here = window.want(head + held + TRAILER).len();
        if here < head + held {
            return self.refuse(here, &header, SkipReason::RecordCut, told);
        }
        // One in a member of its own that ends before its member does has a damaged length, and a
        // stranger's text is behind it.
        let in_member = self.one_per_member && self.own_members > 0;
        let near = if in_member { usize::MAX } else { DOUBT };
        let end = match cut {
            // It must not pass over the members behind its own, which may be captures.
            true if in_member && window.member_begins(1..=head + held) => {
                Err(SkipReason::RecordLength(length))
            }
            true => Ok(window.known_doubt(head + held)),
            false => ending(window, head + held, near, length),
        };
        let doubt = match end {
            Ok(doubt) => doubt,
            Err(reason) => return self.refuse(head + held, &header, reason, told),
        };
        self.is_doubtful = doubt.is_some();
        let record = HeldRecord { header: &header, bytes: &window.data()[..head + held], cut, limits };
        let fetch = if cut || doubt.is_some() { record.fetch() } else { Ok(None) };
        let content = match &doubt {
            _ if is_too_long => None,
            Some(reason) => Some(unread(fetch.clone(), reason.clone()).map(|content| told(None, content))),
            None => Some(record.content().map(|content| told(Some(&record), content))),
        };
        let at = window.offset();
        window.take(head + held);
        // The rest of the record is skipped; only its end shows whether the record is valid.
        if cut {
            let end = match window.skip(length - held as u64, in_member) {
                true => ending(window, 0, near, length),
                false if window.begins_member() => Err(SkipReason::RecordLength(length)),
                false => Err(SkipReason::RecordCut),
            };
            self.is_doubtful |= matches!(end, Ok(Some(_)));
            if end.is_err() {
                self.position = Position::Lost(at + 1);
            }
            if let Ok(Some(reason)) | Err(reason) = end {
                let reason = if is_too_long { SkipReason::RecordTooLong(length) } else { reason };
                return unread(fetch, reason).map(|content| told(None, content));
            }
        }
        let too_long = || unread(fetch, SkipReason::RecordTooLong(length)).map(|content| told(None, content));
        content.unwrap_or_else(too_long)
    }

    /// Rejects the record at the front of the window, which has at least `known` bytes.
    fn refuse<T>(
        &mut self,
        known: usize,
        header: &Header,
        reason: SkipReason,
        told: impl Told<T>,
    ) -> Result<T, SkipReason> {
        let bytes = &self.window.data()[..header.end];
        let fetch = HeldRecord { header, bytes, cut: true, limits: self.limits }.fetch();
        self.position = Position::Lost(self.window.offset() + 1);
        // The bytes that it claims may be other members.
        if !self.one_per_member {
            self.window.take(known);
        }
        unread(fetch, reason).map(|content| told(None, content))
    }

    /// The place of the next record, and its answer if it is of a kind that has one. An answer that
    /// the record says was seen before has no content: it is unread unless the server said so.
    pub(crate) fn next_answer(&mut self) -> Option<(u64, Result<Option<Answer>, SkipReason>)> {
        let limits = self.limits;
        self.read(|record: Option<&HeldRecord<'_>>, content| {
            let is_unmodified = |record: &HeldRecord<'_>| record.is_unmodified();
            let (capture, revisited, unread) = match content {
                Content::Ignored => return None,
                Content::Unread(capture, reason) => (unknown(capture), None, Some(reason)),
                Content::Capture(capture) => (capture, None, None),
                Content::Revisit(capture, of) if record.is_some_and(is_unmodified) => {
                    (capture, Some(of), None)
                }
                Content::Revisit(capture, of) => (capture, Some(of), Some(SkipReason::Revisit)),
            };
            let is_unmodified = revisited.is_some() || capture.status == NOT_MODIFIED;
            let headers = record.map(|record| http::all_fields(record.block(), limits.max_header));
            let (is_whole, headers) = (record.is_some(), headers.unwrap_or_default());
            Some(Answer { capture, headers, is_unmodified, revisited, unread, is_whole })
        })
    }

    /// The offset of the next record.
    pub(crate) fn offset(&self) -> u64 {
        self.window.offset()
    }

    /// True if the stream was ended although there may be more of it.
    pub(crate) fn is_over(&self) -> bool {
        self.window.is_over()
    }
}

impl Iterator for Records<'_, '_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let (at, content) = self.read(|_: Option<&HeldRecord<'_>>, content| content)?;
        Some(Record { at, content })
    }
}

/// An answer with all of its header fields.
pub(crate) struct Answer {
    /// Its content. Of a revisit, nothing but the header counts.
    pub(crate) capture: Capture,
    /// All header fields: name and value, in their order.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// True if the server said that the resource is unchanged.
    pub(crate) is_unmodified: bool,
    /// Of a revisit record: when the capture with the content was fetched.
    pub(crate) revisited: Option<RangeInclusive<i64>>,
    /// The reason why it is not known what the fetch found.
    pub(crate) unread: Option<SkipReason>,
    /// False if the record is cut or damaged.
    pub(crate) is_whole: bool,
}

/// Makes of the content of a record what a caller needs. It is given the record, too, if that is
/// whole.
trait Told<T>: Fn(Option<&HeldRecord<'_>>, Content) -> T {}

impl<T, F: Fn(Option<&HeldRecord<'_>>, Content) -> T> Told<T> for F {}

/// The length of the header at the front of the window, including the empty line that ends it; or
/// the number of its bytes if there is no such line. A header in which another record begins is
/// none: the fields of two records would be mixed. If each record so far was a member of its own, a
/// member that begins as a record does is another record, too.
fn header_end(
    window: &mut Window<'_>,
    max: usize,
    one_per_member: bool,
) -> Result<usize, (usize, SkipReason)> {
    let (mut look, mut seen) = (GLANCE, 0);
    loop {
        window.want(look);
        let data = window.data();
        let begins = |&at: &usize| data.get(at..).is_some_and(is_record);
        // The window may hold far more, with thousands of members.
        let known = data.len().min(look);
        let other = window.members().take_while(|at| one_per_member && *at < known).find(begins);
        let data = &data[..other.unwrap_or(known)];
        for line_end in memchr::memchr_iter(b'\n', data.get(seen..).unwrap_or_default()) {
            let next = seen + line_end + 1;
            match &data[next..] {
                [b'\n', ..] => return Ok(next + 1),
                [b'\r', b'\n', ..] => return Ok(next + 2),
                line if is_record(line) => {
                    return Err((next, SkipReason::WarcHeader(OTHER)));
                }
                _ => {}
            }
        }
        if other.is_some() {
            return Err((data.len(), SkipReason::WarcHeader(OTHER)));
        }
        if data.len() < look {
            return Err((data.len(), SkipReason::RecordCut));
        }
        if look >= max {
            return Err((data.len(), SkipReason::WarcHeader("longer than the limit max_header")));
        }
        // A line end and the beginning of the line may straddle two looks.
        seen = data.len().saturating_sub(MAGIC.len() + 1);
        look = data.len().saturating_mul(2).min(max);
    }
}

/// True if a line begins as the first line of a record does.
fn is_record(line: &[u8]) -> bool {
    line.strip_prefix(MAGIC).and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

/// The number of bytes of line ends at the front.
fn line_ends(data: &[u8]) -> usize {
    data.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// True if a record ends `end` bytes into the window: line ends follow, and then the next record, a
/// member or the end of the file, and no damage that casts doubt on them. Blank lines alone are no
/// end: bodies contain such lines, and a damaged member may go on behind them.
fn ends_well(window: &mut Window<'_>, end: usize) -> bool {
    let mut look = TRAILER;
    let rest = &window.want(end + look)[end..];
    if line_ends(rest) == rest.len() {
        look = LINE_ENDS;
        window.want(end + look);
    }
    let rest = &window.data()[end..];
    if rest.len() < look && window.doubtful() {
        return false;
    }
    let behind = line_ends(rest);
    if behind >= LINE_ENDS {
        return false;
    }
    let next = &rest[behind..];
    let line_feeds = rest[..behind].iter().filter(|byte| **byte == b'\n').count();
    match line_feeds >= 2 {
        true => MAGIC.iter().zip(next).all(|(a, b)| a == b) || window.member_begins(end..=end + behind),
        false => next.starts_with(MAGIC) || (next.is_empty() && window.stopped()),
    }
}

/// The reason to doubt a record of this length that ends `end` bytes into the window, if there is
/// one; see [`Window::doubt`].
///
/// # Errors
/// If it does not end as it should, so that the next record may begin elsewhere.
fn ending(
    window: &mut Window<'_>,
    end: usize,
    near: usize,
    length: u64,
) -> Result<Option<SkipReason>, SkipReason> {
    if ends_well(window, end) {
        return Ok(window.doubt(end, near));
    }
    Err(if window.doubtful() { SkipReason::RecordCut } else { SkipReason::RecordLength(length) })
}
