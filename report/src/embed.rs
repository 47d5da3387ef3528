//! Data in the page: JSON texts, compressed together in blocks and written in base64.
//!
//! ```text
//!   element := base64(raw deflate(text, newline, text, newline, ...))
//! ```
//!
//! A block is decompressed when one of its texts is needed, so that a page with many policies opens
//! as fast as one with few. It does not know the content of the texts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::{self, Write};

/// Bytes of text in a block, unless one text has more.
const BLOCK: usize = 1 << 20;

/// Collects texts into blocks.
#[derive(Default)]
pub(crate) struct Blocks {
    /// Finished blocks, each with the number of its first text.
    done: Vec<(u32, String)>,
    open: Vec<u8>,
    first: u32,
    next: u32,
}

impl Blocks {
    /// Adds a text without line breaks; returns its number.
    pub(crate) fn add(&mut self, text: &[u8]) -> io::Result<u32> {
        if !self.open.is_empty() && self.open.len() + text.len() > BLOCK {
            self.close()?;
        }
        self.open.extend_from_slice(text);
        self.open.push(b'\n');
        self.next += 1;
        Ok(self.next - 1)
    }

    fn close(&mut self) -> io::Result<()> {
        self.done.push((self.first, packed(&self.open)?));
        self.open.clear();
        self.first = self.next;
        Ok(())
    }

    /// All blocks.
    pub(crate) fn finish(mut self) -> io::Result<Vec<(u32, String)>> {
        if !self.open.is_empty() {
            self.close()?;
        }
        Ok(self.done)
    }
}

/// Compresses to raw deflate in base64.
pub(crate) fn packed(text: &[u8]) -> io::Result<String> {
    let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
    out.write_all(text)?;
    Ok(STANDARD.encode(out.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn unpacked(block: &str) -> Vec<u8> {
        let mut out = Vec::new();
        flate2::read::DeflateDecoder::new(&STANDARD.decode(block).unwrap()[..])
            .read_to_end(&mut out)
            .unwrap();
        out
    }

    #[test]
    fn texts_come_back() {
        let texts: Vec<Vec<u8>> = (0..5u8).map(|n| vec![b'a' + n; BLOCK / 2 - 1 + usize::from(n)]).collect();
        let mut blocks = Blocks::default();
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(blocks.add(text).unwrap(), number as u32);
        }
        let blocks = blocks.finish().unwrap();
        assert_eq!(blocks.iter().map(|(first, _)| *first).collect::<Vec<_>>(), [0, 2, 3, 4]);
        let all: Vec<u8> = blocks.iter().flat_map(|(_, block)| unpacked(block)).collect();
        assert!(all == texts.iter().flat_map(|text| [text, &b"\n"[..]].concat()).collect::<Vec<u8>>());
        assert!(Blocks::default().finish().unwrap().is_empty());
        assert_eq!(unpacked(&packed(b"").unwrap()), b"");
    }
}
