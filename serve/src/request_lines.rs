//! A stream of requests in which a target with a `#` is refused.
//!
//! A target has no fragment (RFC 9112 3.2). The crate `http` cuts one off in silence, and so the
//! parameters behind it: an answer would be for any crawler. Of what it cut, nothing is left for a
//! handler to see, so this stream stands between a socket and hyper, and puts a byte in place of
//! the `#` that hyper refuses. Invariants: it tells request lines from bodies as hyper does, for
//! what hyper accepts (RFC 9112 6); it changes nothing but request lines; it keeps at most a line.
//! It does not know what a request asks.

use crate::limits::HEAD;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A byte that no target may have.
const REFUSED: u8 = 0;

/// See the head of this file.
pub(crate) struct RequestLines<S> {
    stream: S,
    place: Place,
    /// The line that is read, as far as it came.
    line: Vec<u8>,
    /// The length of the body, as the head says.
    length: u64,
    is_chunked: bool,
}

/// The place in a request.
#[derive(Clone, Copy)]
enum Place {
    RequestLine,
    Fields,
    /// So many bytes before the next request.
    Body(u64),
    ChunkSize,
    /// So many bytes before the next size.
    Chunk(u64),
    Trailers,
}

impl<S> RequestLines<S> {
    pub(crate) fn new(stream: S) -> RequestLines<S> {
        let (place, line) = (Place::RequestLine, Vec::new());
        RequestLines { stream, place, line, length: 0, is_chunked: false }
    }

    /// Passes over bytes that came.
    fn pass(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let count = match self.place {
                Place::Body(left) | Place::Chunk(left) => {
                    bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX))
                }
                _ => memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1),
            };
            let (part, rest) = std::mem::take(&mut bytes).split_at_mut(count);
            bytes = rest;
            let after = |left: u64| left - part.len() as u64;
            match self.place {
                Place::Body(left) if after(left) == 0 => self.place = Place::RequestLine,
                Place::Body(left) => self.place = Place::Body(after(left)),
                Place::Chunk(left) if after(left) == 0 => self.place = Place::ChunkSize,
                Place::Chunk(left) => self.place = Place::Chunk(after(left)),
                Place::RequestLine | Place::Fields | Place::ChunkSize | Place::Trailers => {
                    self.part_of_line(part)
                }
            }
        }
    }

    /// Passes over a part of a line.
    fn part_of_line(&mut self, part: &mut [u8]) {
        if matches!(self.place, Place::RequestLine) {
            part.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = REFUSED);
        }
        let is_before_size = matches!(self.place, Place::ChunkSize) && self.line.is_empty();
        // Hyper refuses a longer head, but passes over zeros before a size.
        if self.line.len() <= HEAD {
            let zeros = part.iter().take_while(|byte| is_before_size && **byte == b'0').count();
            self.line.extend_from_slice(&part[zeros..]);
        }
        if part.ends_with(b"\n") {
            let line = std::mem::take(&mut self.line);
            self.end_of_line(line.trim_ascii_end());
        }
    }

    fn end_of_line(&mut self, line: &[u8]) {
        self.place = match self.place {
            // Empty lines may stand before a request.
            Place::RequestLine if line.is_empty() => Place::RequestLine,
            Place::RequestLine => {
                (self.length, self.is_chunked) = (0, false);
                Place::Fields
            }
            Place::Fields if !line.is_empty() => {
                self.field(line);
                Place::Fields
            }
            Place::Fields if self.is_chunked => Place::ChunkSize,
            Place::Fields if self.length > 0 => Place::Body(self.length),
            Place::ChunkSize => match chunk_size(line) {
                0 => Place::Trailers,
                size => Place::Chunk(size.saturating_add(LINE_END)),
            },
            Place::Trailers if !line.is_empty() => Place::Trailers,
            Place::Fields | Place::Trailers | Place::Body(_) | Place::Chunk(_) => Place::RequestLine,
        };
    }

    /// Reads a field of the head.
    fn field(&mut self, line: &[u8]) {
        let Some(colon) = memchr::memchr(b':', line) else { return };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.is_chunked = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.length = str::from_utf8(value).ok().and_then(|length| length.parse().ok()).unwrap_or(0);
        }
    }
}

/// The bytes of the line end behind a chunk.
const LINE_END: u64 = 2;

/// The size before a chunk; 0 for one that hyper refuses.
fn chunk_size(line: &[u8]) -> u64 {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits = str::from_utf8(&line[..digits]).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or(0)
}

impl<S: AsyncRead + Unpin> AsyncRead for RequestLines<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = out.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, out))?;
        self.pass(&mut out.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RequestLines<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What hyper gets of bytes that come so many at a time.
    fn passed(bytes: &str, at_a_time: usize) -> String {
        let mut bytes = bytes.as_bytes().to_vec();
        let mut lines = RequestLines::new(());
        bytes.chunks_mut(at_a_time).for_each(|part| lines.pass(part));
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn request_lines_alone_are_changed() {
        let requests = "\r\nGET /a#b HTTP/1.1\r\nX: #\r\n\r\n\
            POST /c HTTP/1.1\r\ncontent-LENGTH:  15 \r\n\r\nGET /#d HTTP\r\n#\
            PUT /e#f HTTP/1.1\nTransfer-Encoding: chunked\n\n\
            A;x=#\r\nGET /#g\r\n\n\r\n3\r\n#\n#\r\n0\r\nY: #\r\n\r\n\
            GET /#h HTTP/1.1\r\n\r\n";
        let mut expected = requests.to_owned();
        for target in ["/a#", "/e#", "/#h"] {
            expected = expected.replace(target, &target.replace('#', "\0"));
        }
        for at_a_time in 1..=requests.len() {
            assert_eq!(passed(requests, at_a_time), expected, "{at_a_time}");
        }
        let zeros = "0".repeat(2 * HEAD);
        let chunk =
            |size: &str| format!("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{zeros}{size}\r\n");
        let long = format!("{}\r\nGET /#\r\n\r\n0\r\n\r\n{}\r\nGET /#", chunk("A"), chunk(""));
        let refused = format!("{}\0", &long[..long.len() - 1]);
        for at_a_time in [1, 1000, long.len()] {
            assert!(passed(&long, at_a_time) == refused, "{at_a_time}");
        }
    }
}
