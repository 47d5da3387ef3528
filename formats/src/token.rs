//! Product tokens: the end of a crawler's name (R5).
//!
//! Used by `agent`, which reduces names, and `user_agent`, which finds them in headers. This file
//! knows no profile.

/// R5: the leading run of `[A-Za-z0-9_.-]` and of non-ASCII letters and digits, so that `Jävla-bot`
/// is not `J`. Invalid UTF-8 is read as Latin-1.
pub fn product_token(value: &[u8]) -> &[u8] {
    let mut end = 0;
    while let Some(&byte) = value.get(end) {
        end += match byte {
            _ if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') => 1,
            0x80.. => match letter(value.get(end..).unwrap_or_default()) {
                0 => break,
                length => length,
            },
            _ => break,
        };
    }
    value.get(..end).unwrap_or_default()
}

/// The length in bytes of the non-ASCII letter or digit at the start of a text; 0 if there is none.
fn letter(text: &[u8]) -> usize {
    // A combining mark belongs to the letter before it.
    let is_of_name = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c);
    let character =
        text.get(..4).unwrap_or(text).utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match (character, text.first()) {
        (Some(c), _) => c.len_utf8() * usize::from(is_of_name(c)),
        (None, Some(&byte)) => usize::from(is_of_name(char::from(byte))),
        (None, None) => 0,
    }
}

/// google/robotstxt: the leading run of `[A-Za-z_-]`.
pub fn google_token(value: &[u8]) -> &[u8] {
    let is_other = |byte: &u8| !(byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    value.split(is_other).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beyond_ascii_are_of_the_name() {
        for (value, token) in [
            (&b"J\xE4vla-bot/1.0"[..], &b"J\xE4vla-bot"[..]),
            ("Ja\u{308}vla bot".as_bytes(), "Ja\u{308}vla".as_bytes()),
            ("Caf\u{e9}".as_bytes(), "Caf\u{e9}".as_bytes()),
            // Not letters: a no-break space, a dash, a quotation mark, a byte of Windows-1252.
            ("Googlebot\u{a0}Image".as_bytes(), b"Googlebot"),
            ("Googlebot\u{2014}x".as_bytes(), b"Googlebot"),
            (b"Googlebot\xA0", b"Googlebot"),
            (b"Googlebot\x94", b"Googlebot"),
            ("\u{e4}bot".as_bytes(), "\u{e4}bot".as_bytes()),
            ("\u{2014}bot".as_bytes(), b""),
        ] {
            assert_eq!(product_token(value), token);
        }
        assert_eq!(google_token(b"008"), b"");
    }
}
