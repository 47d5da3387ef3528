//! The token of writers: `Authorization: Bearer TOKEN`.
//!
//! Invariants: the time of a comparison depends on the length of what a client sends only; the
//! token is never printed. It does not know the requests that it protects.

use crate::error::{Error, Refusal};
use crate::limits::TOKEN;
use axum::http::{HeaderMap, StatusCode, header};
use std::hint::black_box;

/// A secret that clients send to be allowed to write.
pub struct Token(Vec<u8>);

impl Token {
    /// A token of visible ASCII characters. White space at both ends is removed.
    ///
    /// # Errors
    /// If it is shorter than 16 bytes or longer than 1024, or has other characters.
    pub fn new(text: &str) -> Result<Token, Error> {
        let text = text.trim_ascii();
        let is_well = TOKEN.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_well { Ok(Token(text.as_bytes().to_vec())) } else { Err(Error::Token) }
    }

    fn is(&self, given: &[u8]) -> bool {
        // The length of the token may show. All bytes are compared, wherever the first one differs.
        let differences = given.iter().enumerate().fold(0, |differences, (at, byte)| {
            let own = self.0[at % self.0.len()];
            black_box(differences | (own ^ byte))
        });
        differences == 0 && given.len() == self.0.len()
    }
}

/// Refuses a request that does not have the token. If there is no token, nobody may write.
pub(crate) fn check(token: Option<&Token>, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(token) = token else {
        let what = "captures and the queue are refused, since the service was started without a token";
        return Err(Refusal::new(StatusCode::FORBIDDEN, what));
    };
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let is_given = match (given.next(), given.next()) {
        (Some(value), None) => bearer(value.as_bytes()).is_some_and(|given| token.is(given)),
        _ => false,
    };
    if is_given {
        return Ok(());
    }
    let what = "captures and the queue need the token of the service, as in `Authorization: Bearer TOKEN`";
    Err(Refusal::new(StatusCode::UNAUTHORIZED, what))
}

/// The token of a header field.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::new(" 0123456789abcdef\n").expect("a token");
        assert!(token.is(b"0123456789abcdef"));
        for other in ["", "0", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcde"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
        assert!(!token.is(&b"0123456789abcdef".repeat(2)));
        for bad in ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcde\u{e9}", &"a".repeat(1025)] {
            assert!(Token::new(bad).is_err(), "{bad}");
        }
        assert_eq!(bearer(b"bEarer  x "), Some(&b"x"[..]));
        assert_eq!(bearer(b"Basic x"), None);
        assert_eq!(bearer(b"Bearer"), None);
    }
}
