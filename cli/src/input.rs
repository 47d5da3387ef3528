//! Input: whole files, images, and lines of standard input in large chunks.
//!
//! It stands between the operating system and the subcommands, so that every read error names its
//! file. Lines are returned in chunks, in place, without an allocation per line. It does not know
//! what a line means.

use crate::failure::{Failure, called};
use crate::output::remark;
use robomaton_corpus::is_captures;
use robomaton_explain::without_mark;
use robomaton_formats::layout::MAGIC;
use robomaton_runtime::{Image, LeftOut, OpenOptions};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The initial buffer size in bytes.
const CHUNK: usize = 256 << 10;
/// The maximum line length: a longer line is not text.
const LONGEST_LINE: usize = 64 << 20;
/// The maximum file size.
const LONGEST_FILE: u64 = 1 << 30;
/// Bytes beyond the limit of a text that are still counted. A longer text is an error, so that an
/// endless file takes no more memory.
const LONGEST_REST: u64 = 64 << 20;
/// The limit on texts to which no other limit applies: pages and files that texts refer to.
pub(crate) const LONGEST_PAGE: usize = 64 << 20;

/// The size in bytes up to which an image is read: copying it takes some hundredths of a second.
/// If a larger one is shortened while it is mapped, a signal ends the command.
const LARGEST_COPY: u64 = 64 << 20;

/// Opens an image: a file, a directory of shards, or a stack of layers.
pub(crate) fn open_image(path: &Path) -> Result<Image, Failure> {
    open_layers(path, false)
}

/// Opens an image as [`open_image`] does. Missing or damaged layers are left out and named, if that
/// is wanted, in place of an error.
#[allow(unsafe_code)]
pub(crate) fn open_layers(path: &Path, without_damaged_layers: bool) -> Result<Image, Failure> {
    let options = OpenOptions { copy_up_to: LARGEST_COPY, without_damaged_layers };
    // SAFETY: the command itself replaces images by rename and never writes into one. A file named
    // on the command line belongs to the user; the documentation requires that other programs
    // replace it in the same way.
    let image = unsafe { options.open(path)? };
    remark_left_out(image.left_out());
    remark_logged(path);
    Ok(image)
}

/// Remarks that a store has captures in its log only, which its layers do not have.
pub(crate) fn remark_logged(path: &Path) {
    if path.is_dir() && robomaton_store::has_logged(path) {
        let path = path.display();
        remark(&format!(
            "{path}: captures since the last compaction do not count; `store compact` makes a layer"
        ));
    }
}

/// Names the layers that were left out.
pub(crate) fn remark_left_out(layers: &[LeftOut]) {
    for LeftOut { name, error } in layers {
        remark(&format!("the layer {name} is left out: {error}"));
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    read(path, |_| LONGEST_FILE)
}

/// True once a file was read from standard input.
static IS_STDIN_READ: AtomicBool = AtomicBool::new(false);

/// Reads a file. The limit is the one for its first bytes. Standard input is one file: read again,
/// it would be an empty one, which permits everything.
fn read(path: &Path, limit: impl Fn(&[u8]) -> u64) -> Result<Vec<u8>, Failure> {
    let failed = |error: io::Error| match path.to_str() {
        Some(url) if is_url(url) => {
            let cure =
                "is a URL, not a file; fetch it, and pipe it in: `curl -s URL | robomaton check - ...`";
            Failure::of(path, cure)
        }
        _ => Failure::Message(format!("cannot read {}: {error}", path.display())),
    };
    let mut file: Box<dyn Read> = match path.to_str() {
        Some("-") if IS_STDIN_READ.swap(true, Ordering::Relaxed) => {
            return Err(Failure::Message("`-` is given twice, but standard input is one file".to_owned()));
        }
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(path).map_err(failed)?),
    };
    let mut text = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut text).map_err(failed)?;
    let limit = limit(&text);
    file.take(limit + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > limit {
        let what = format!("longer than {} MiB; that is no robots.txt", limit >> 20);
        return Err(Failure::Message(format!("{}: {what}", called(path))));
    }
    Ok(text)
}

/// True if an argument that should name a file is a URL.
pub(crate) fn is_url(argument: &str) -> bool {
    argument.starts_with("http://") || argument.starts_with("https://")
}

/// Reads a robots.txt, another text of a site, or a page, of which at most `limit` bytes count;
/// rejects images and capture archives.
pub(crate) fn read_text(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let bytes = read_text_or_image(path, limit)?;
    if is_image(&bytes) {
        let cure = "is an image, not a robots.txt; query, filter, explain, inspect, verify and `dump image` take images";
        return Err(Failure::Message(format!("{}: {cure}", called(path))));
    }
    Ok(bytes)
}

/// The same, but accepts images.
pub(crate) fn read_text_or_image(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let text = LONGEST_REST.saturating_add(limit as u64);
    let bytes = read(path, |head| if is_image(head) { LONGEST_FILE } else { text.min(LONGEST_FILE) })?;
    if is_captures(&bytes) {
        let cure = "is a capture archive; `robomaton compile` reads it";
        return Err(Failure::Message(format!("{}: {cure}", called(path))));
    }
    Ok(bytes)
}

/// True if these are the bytes of an image.
pub(crate) fn is_image(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// A reader that returns whole lines, as many as have arrived.
pub(crate) struct Chunks<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were returned.
    given: usize,
    /// Bytes of the buffer that were filled.
    filled: usize,
    /// True before the first lines, which may begin with a byte order mark.
    at_start: bool,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(reader: R) -> Chunks<R> {
        Chunks { reader, buffer: vec![0; CHUNK], given: 0, filled: 0, at_start: true }
    }

    /// The next lines, each with its line end; the last line of the input may have none. A byte
    /// order mark before the first is removed.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.buffer.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        loop {
            if self.filled == self.buffer.len() {
                if self.filled >= LONGEST_LINE {
                    return Err(Failure::Message("a line of the input is longer than 64 MiB".to_owned()));
                }
                self.buffer.resize(2 * self.filled, 0);
            }
            let read = match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::Message(format!("cannot read the input: {error}"))),
                Ok(read) => read,
            };
            let fresh = self.filled;
            self.filled += read;
            if read == 0 {
                self.given = self.filled;
                return Ok(Some(self.whole_lines()).filter(|rest| !rest.is_empty()));
            }
            if let Some(last) = memchr::memrchr(b'\n', &self.buffer[fresh..self.filled]) {
                self.given = fresh + last + 1;
                return Ok(Some(self.whole_lines()));
            }
        }
    }

    fn whole_lines(&mut self) -> &[u8] {
        let lines = &self.buffer[..self.given];
        if std::mem::take(&mut self.at_start) { without_mark(lines) } else { lines }
    }
}

/// On a terminal, announces that standard input is read, so that nobody waits for an answer.
pub(crate) fn announce_stdin() {
    if io::stdin().is_terminal() {
        remark("reading questions from standard input, one a line; Ctrl-D ends them");
    }
}

/// The non-empty lines of a chunk without surrounding white space.
#[derive(Clone)]
pub(crate) struct Lines<'t> {
    rest: &'t str,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(rest: &'t str) -> Lines<'t> {
        Lines { rest }
    }

    /// The number of bytes of the chunk that were read so far.
    #[inline]
    pub(crate) fn read(&self, chunk: &str) -> usize {
        chunk.len() - self.rest.len()
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        while !self.rest.is_empty() {
            let line = match memchr::memchr(b'\n', self.rest.as_bytes()) {
                Some(end) => {
                    let (line, rest) = self.rest.split_at(end);
                    self.rest = &rest[1..];
                    line
                }
                None => std::mem::take(&mut self.rest),
            };
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns its text a few bytes at a time.
    struct Slow<'t>(&'t [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn chunks_are_whole_lines() {
        let long = format!("\u{feff}a\r\n\n  b \n{}\nlast", "x".repeat(3 * CHUNK));
        for step in [1, 3, 7, 1 << 20] {
            let mut chunks = Chunks::new(Slow(long.as_bytes(), step));
            let mut lines = Vec::new();
            while let Some(chunk) = chunks.next().unwrap() {
                lines.extend(Lines::new(std::str::from_utf8(chunk).unwrap()).map(str::to_owned));
            }
            assert_eq!(lines, ["a", "b", &"x".repeat(3 * CHUNK), "last"]);
        }
    }
}
