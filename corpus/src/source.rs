//! The source of a window's bytes: a plain or compressed stream.
//!
//! This is the layer below all formats: data that begins as gzip or zstd is decompressed, whatever
//! its name and content. It is decompressed once: nobody writes a gzip file inside a gzip file. It
//! does not know records.

use crate::ahead::Step;
use crate::gzip::{self, Gunzip};
use crate::zstd::{self, Unzstd};
use crate::{ReadLimits, SkipReason};
use std::io::{self, BufReader, Cursor, Read};

/// Bytes that are read from a file at once; a window grows by at least this much. Most gzip members
/// lie within, and are inflated at once.
pub(crate) const CHUNK: usize = 256 << 10;

/// A buffered stream.
type Buffered<'a> = BufReader<Box<dyn Read + 'a>>;

/// The source of bytes.
pub(crate) enum Source<'a> {
    /// Uncompressed.
    Plain(Box<dyn Read + 'a>),
    /// From gzip members.
    Gzip(Box<Gunzip<Buffered<'a>>>),
    /// From zstd frames.
    Zstd(Box<Unzstd<Buffered<'a>>>),
}

/// True if a file that begins with these bytes is decompressed.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    gzip::begins(head) || zstd::begins(head)
}

impl<'a> Source<'a> {
    /// Opens `file`, which is decompressed if its first bytes say so.
    pub(crate) fn open(file: Box<dyn Read + 'a>, limits: &ReadLimits) -> io::Result<Source<'a>> {
        let mut source = Source::Plain(Box::new(io::empty()));
        source.reopen(file, CHUNK, limits)?;
        Ok(source)
    }

    /// Continues with another stream, of which `room` bytes are read at once. The decompressor is
    /// reused: creating a new one for each of many short streams left holes of its size between
    /// their bodies, three times the memory in all.
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
                let step = |count| {
                    if count == 0 {
                        Step::End
                    } else {
                        Step::Data { count, begins: false, is_doubtful: false }
                    }
                };
                file.read(out).map(step)
            }
            Source::Gzip(gunzip) => gunzip.read(out),
            Source::Zstd(unzstd) => unzstd.read(out),
        }
    }

    /// True if it consists of compressed members.
    pub(crate) fn has_members(&self) -> bool {
        !matches!(self, Source::Plain(_))
    }

    /// The reason for damage in this source.
    pub(crate) fn damage(&self, why: &'static str) -> SkipReason {
        if let Source::Zstd(_) = self { SkipReason::Zstd(why) } else { SkipReason::Gzip(why) }
    }
}
