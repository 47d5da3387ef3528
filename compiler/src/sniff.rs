//! Distinguishes text from other formats by its first bytes.
//!
//! A page or an image served in place of a robots.txt has another outcome than an empty file (R16).
//! The batch driver asks for every body with content, before it is compiled. Invariant: bounded
//! work, whatever the body. This file does not decide the outcome: a body that looks like HTML may
//! still hold records, and then they count.

use robomaton_grammar::without_mark;

/// The apparent format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// No sign of another format.
    Text,
    /// HTML or XML.
    Html,
    /// Not text in any superset of ASCII: an image, an archive, UTF-16, …
    Binary,
}

/// The number of bytes of a body that are examined.
const HEAD: usize = 2048;

/// First bytes of files that are not text: byte order marks of UTF-16, then archives, images,
/// documents.
const MAGIC: [&[u8]; 16] = [
    b"\xff\xfe",
    b"\xfe\xff",
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"\x28\xb5\x2f\xfd",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"RIFF",
    b"%PDF-",
    b"\x7fELF",
    b"wOFF",
    b"wOF2",
];

/// Detects the format of `body` from its first two KiB and its media type.
///
/// The media type alone proves nothing: 2xx responses often serve plain rules as `text/html`, and
/// the reverse.
pub fn sniff(body: &[u8], content_type: Option<&str>) -> Looks {
    if MAGIC.iter().any(|magic| body.starts_with(magic)) {
        return Looks::Binary;
    }
    let body = without_mark(body);
    let head = &body[..body.len().min(HEAD)];
    if memchr::memchr(0, head).is_some() || controls(head) > head.len() / 10 {
        return Looks::Binary;
    }
    // No line of a robots.txt begins with a tag. A list of tags would miss some.
    if let [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?' | b'/', ..] = head.trim_ascii_start() {
        return Looks::Html;
    }
    // A text that is also served as plain text may be one.
    let is_html = |media_type: &str| media_type.to_ascii_lowercase().contains("html");
    let served_as_html = content_type.is_some_and(|types| types.split(',').all(is_html));
    let lower = if served_as_html { head.to_ascii_lowercase() } else { Vec::new() };
    if ["<!doctype", "<html", "<head", "<body"]
        .iter()
        .any(|tag| memchr::memmem::find(&lower, tag.as_bytes()).is_some())
    {
        return Looks::Html;
    }
    Looks::Text
}

/// The number of control characters that do not occur in text.
fn controls(bytes: &[u8]) -> usize {
    // Tabs, line ends and form feeds occur in text, escapes in text for a terminal. Without
    // branches, and counted in bytes, these comparisons become vectors.
    let control = |&byte: &u8| {
        let in_text = (byte == 9) | (byte == 10) | (byte == 12) | (byte == 13) | (byte == 27);
        u8::from((byte < 32) & !in_text | (byte == 127))
    };
    let count = |block: &[u8]| usize::from(block.iter().map(control).sum::<u8>());
    bytes.chunks(usize::from(u8::MAX)).map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        for body in [
            "",
            "User-agent: *\nDisallow: /\n",
            "\u{feff}# comment",
            "< no tag",
            "\x1b[1mUser-agent: *",
            "Bot: é",
        ] {
            assert_eq!(sniff(body.as_bytes(), Some("text/html")), Looks::Text, "{body:?}");
        }
        assert_eq!(sniff("# Stra\u{df}e".as_bytes(), None), Looks::Text);
        assert_eq!(sniff(b"Disallow: /caf\xe9", None), Looks::Text);
    }

    #[test]
    fn html() {
        for body in
            ["<!DOCTYPE html>", "\u{feff}\r\n \t<hTmL>", "<?xml version", "<script>", "<!-- x -->", "</p>"]
        {
            assert_eq!(sniff(body.as_bytes(), None), Looks::Html, "{body:?}");
        }
        let error = b"Warning: in line 3\n<!DOCTYPE html>";
        assert_eq!(sniff(error, Some("Text/HTML; charset=utf-8")), Looks::Html);
        assert_eq!(sniff(error, None), Looks::Text);
    }

    #[test]
    fn binary() {
        let bodies: [&[u8]; 6] = [
            b"\x89PNG\r\n",
            b"\x1f\x8b\x08",
            b"%PDF-1.4",
            b"\xff\xfeU\0s\0",
            b"a\0b",
            b"\x01\x02\x03abcdefgh",
        ];
        for body in bodies {
            assert_eq!(sniff(body, Some("text/plain")), Looks::Binary, "{body:?}");
        }
    }

    #[test]
    fn controls_are_counted() {
        let all: Vec<u8> = (0..=255).cycle().take(2048).collect();
        let of_text = b"\t\n\x0c\r\x1b";
        let slow = all.iter().filter(|byte| byte.is_ascii_control() && !of_text.contains(byte)).count();
        assert_eq!(controls(&all), slow);
        assert_eq!(controls(&[1; 2048]), 2048);
    }
}
