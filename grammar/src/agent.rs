//! The product token at the head of a user-agent value (R5).
//!
//! Serves the diagnostics, and whoever lowers a tree, so that nobody else takes a value apart. Invariant: the
//! same token as the rule `product_token` of `rep.pest` finds. It does not compare tokens with crawlers.

/// The product token that a user-agent value begins with: a leading run of `[A-Za-z0-9_.-]`, or `*` alone or
/// before white space. `value` is trimmed, as [`crate::Line::value`] is.
///
/// ```
/// use robomaton_grammar::product_token;
///
/// assert_eq!(product_token(b"Googlebot/2.1 (+http://g.example)"), Some(&b"Googlebot"[..]));
/// assert_eq!(product_token(b"*"), Some(&b"*"[..]));
/// assert_eq!(product_token(b"*bot"), None);
/// ```
pub fn product_token(value: &[u8]) -> Option<&[u8]> {
    let is_of_identifier = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    match value {
        [b'*'] | [b'*', b' ' | b'\t', ..] => Some(&value[..1]),
        _ => match value.iter().take_while(|byte| is_of_identifier(byte)).count() {
            0 => None,
            length => Some(&value[..length]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::define_product_token;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_that_of_the_definition(value in "[A-Za-z0-9_.*/: \t\u{80}\u{ff}\0-]{0,6}") {
            let value: Vec<u8> = value.trim_matches([' ', '\t']).chars().map(|c| c as u8).collect();
            prop_assert_eq!(product_token(&value).map(<[u8]>::len), define_product_token(&value));
        }
    }
}
