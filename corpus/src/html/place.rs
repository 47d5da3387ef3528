//! Lines and columns of ascending offsets.
//!
//! `html` calls it for each thing that it keeps. Invariant: every byte is examined once, however
//! many offsets there are. It knows nothing about markup.

/// Counts lines up to the last offset.
pub(super) struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t [u8]) -> Cursor<'t> {
        Cursor { text, at: 0, line: 1, line_start: 0 }
    }

    /// Line and column in bytes, both from 1, of an offset that is not before the last one.
    pub(super) fn place(&mut self, offset: usize) -> (u32, u32) {
        let passed = self.text.get(self.at..offset).unwrap_or_default();
        for found in memchr::memchr2_iter(b'\n', b'\r', passed) {
            let found = self.at + found;
            // A line ends at LF, CR LF or CR, as in HTML.
            if self.text[found] == b'\n' || self.text.get(found + 1) != Some(&b'\n') {
                self.line = self.line.saturating_add(1);
                self.line_start = found + 1;
            }
        }
        self.at = self.at.max(offset);
        (self.line, u32::try_from(offset.saturating_sub(self.line_start) + 1).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let mut cursor = Cursor::new(b"a\nb\rc\r\nd\n\r\n\xc3\xa9e");
        let places: Vec<_> = (0..15).map(|offset| cursor.place(offset)).collect();
        let expected = [
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
            (3, 3),
            (4, 1),
            (4, 2),
            (5, 1),
            (5, 2),
            (6, 1),
            (6, 2),
            (6, 3),
            (6, 4),
        ];
        assert_eq!(places, expected);
        let mut cursor = Cursor::new(b"\r\n\r\n x");
        assert_eq!((cursor.place(5), cursor.place(5)), ((3, 2), (3, 2)));
    }
}
