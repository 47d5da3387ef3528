//! The product token at the start of a user-agent value, and a rule behind it (R5).
//!
//! Diagnostics and lowering both use it, so that values are parsed in one place. Invariant: for
//! ASCII values, the result is the same as for the rule `product_token` of `rep.pest`. This file
//! does not compare tokens with crawlers.

/// The product token at the start of a user-agent value: a leading run of `[A-Za-z0-9_.-]` and
/// non-ASCII letters and digits, or `*` alone or before white space. Invalid UTF-8 is read as
/// Latin-1. `value` must be trimmed, as [`crate::Line::value`] is.
///
/// ```
/// use robomaton_grammar::product_token;
///
/// assert_eq!(product_token(b"Googlebot/2.1 (+http://g.example)"), Some(&b"Googlebot"[..]));
/// assert_eq!(product_token("J\u{e4}vla-bot".as_bytes()), Some("J\u{e4}vla-bot".as_bytes()));
/// assert_eq!(product_token(b"*"), Some(&b"*"[..]));
/// assert_eq!(product_token(b"*bot"), None);
/// ```
pub fn product_token(value: &[u8]) -> Option<&[u8]> {
    if let [b'*'] | [b'*', b' ' | b'\t', ..] = value {
        return Some(&value[..1]);
    }
    let mut end = 0;
    while let Some(&byte) = value.get(end) {
        end += match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => 1,
            0x80.. => match letter(&value[end..]) {
                0 => break,
                length => length,
            },
            _ => break,
        };
    }
    (end > 0).then(|| &value[..end])
}

/// The first word of the rule behind the name in a user-agent value: of `Disallow: …` alone, since
/// nothing is permitted this way.
///
/// ```
/// use robomaton_grammar::rule_behind_name;
///
/// assert_eq!(rule_behind_name(b"Bot/2.1 disallow : /a b"), Some(&b"/a"[..]));
/// assert_eq!(rule_behind_name(b"Bot Disallow:"), None);
/// assert_eq!(rule_behind_name(b"Disallow: /"), None);
/// ```
pub fn rule_behind_name(value: &[u8]) -> Option<&[u8]> {
    let mut gaps = value.iter().enumerate().filter(|(_, byte)| matches!(byte, b' ' | b'\t'));
    let rule = gaps.find_map(|(gap, _)| {
        let (key, rest) = value[gap + 1..].split_at_checked(b"disallow".len())?;
        // The key first: white space behind it is passed over once.
        let rest = Some(rest).filter(|_| key.eq_ignore_ascii_case(b"disallow"))?;
        rest.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start)
    })?;
    rule.split(|byte| matches!(byte, b' ' | b'\t')).next().filter(|word| !word.is_empty())
}

/// The length in bytes of the non-ASCII letter or digit at the start of a text; 0 if there is none.
fn letter(text: &[u8]) -> usize {
    // A combining mark belongs to the letter before it.
    let is_of_name = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c);
    let start = text.get(..4).unwrap_or(text);
    match (start.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()), text.first()) {
        (Some(c), _) => c.len_utf8() * usize::from(is_of_name(c)),
        (None, Some(&byte)) => usize::from(is_of_name(char::from(byte))),
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::define_product_token;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_that_of_the_definition(value in "[A-Za-z0-9_.*/: \t\0\x7f-]{0,6}") {
            let value: Vec<u8> = value.trim_matches([' ', '\t']).bytes().collect();
            prop_assert_eq!(product_token(&value).map(<[u8]>::len), define_product_token(&value));
        }
    }
}
