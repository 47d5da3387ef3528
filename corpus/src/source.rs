//! Where the bytes of a window come from: a stream as it lies there, or what is packed in it.
//!
//! The layer below all formats: what begins as gzip or zstd is unpacked, whatever it is called and
//! whatever it holds. It is unpacked once: a gzip file in a gzip file is no format that anyone
//! writes. It does not know records.

use crate::gzip::{self, Gunzip, Step};
use crate::zstd::{self, Unzstd};
use crate::{ReadLimits, SkipReason};
use std::io::{self, BufReader, Cursor, Read};

/// What is read from a file at once; a window grows by as much at least.
pub(crate) const CHUNK: usize = 256 << 10;

/// A stream in a buffer.
type Buffered<'a> = BufReader<Box<dyn Read + 'a>>;

/// Where bytes come from.
pub(crate) enum Source<'a> {
    /// As they lie there.
    Plain(Box<dyn Read + 'a>),
    /// Out of gzip members.
    Gzip(Box<Gunzip<Buffered<'a>>>),
    /// Out of zstd frames.
    Zstd(Box<Unzstd<Buffered<'a>>>),
}

/// Whether a file that begins with these bytes is unpacked.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    gzip::begins(head) || zstd::begins(head)
}

impl<'a> Source<'a> {
    /// A source that unpacks `file` if its first bytes say that it is packed.
    pub(crate) fn open(file: Box<dyn Read + 'a>, limits: &ReadLimits) -> io::Result<Source<'a>> {
        let mut source = Source::Plain(Box::new(io::empty()));
        source.reopen(file, CHUNK, limits)?;
        Ok(source)
    }

    /// Goes on with another stream, of which `room` bytes are read at once. What inflates is used
    /// again: to make it anew for each of many short streams left holes of its size between their
    /// bodies, three times the memory in all.
    pub(crate) fn reopen(
        &mut self,
        mut file: Box<dyn Read + 'a>,
        room: usize,
        limits: &ReadLimits,
    ) -> io::Result<()> {
        let mut head = Vec::with_capacity(8);
        file.by_ref().take(4).read_to_end(&mut head)?;
        let (is_gzip, is_zstd) = (gzip::begins(&head), zstd::begins(&head));
        let whole: Box<dyn Read + 'a> = Box::new(Cursor::new(head).chain(file));
        match self {
            Source::Gzip(gunzip) if is_gzip => gunzip.restart(BufReader::with_capacity(room, whole)),
            _ if is_gzip => {
                *self = Source::Gzip(Box::new(Gunzip::new(BufReader::with_capacity(room, whole))))
            }
            _ if is_zstd => {
                *self = Source::Zstd(Box::new(Unzstd::new(BufReader::with_capacity(room, whole), limits)?));
            }
            _ => *self = Source::Plain(whole),
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<Step> {
        match self {
            Source::Plain(file) => {
                file.read(out).map(|count| if count == 0 { Step::End } else { Step::Data(count) })
            }
            Source::Gzip(gunzip) => gunzip.read(out),
            Source::Zstd(unzstd) => unzstd.read(out),
        }
    }

    /// What damage of this source is called.
    pub(crate) fn damage(&self, why: &'static str) -> SkipReason {
        if let Source::Zstd(_) = self { SkipReason::Zstd(why) } else { SkipReason::Gzip(why) }
    }
}
