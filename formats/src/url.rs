//! URLs that strangers write, parsed by the `url` crate in linear time.
//!
//! Everything that parses a URL of a text, a header, a page or a caller comes here. Invariant: the
//! result is that of the `url` crate, but for hosts that no server has: turning a label beyond
//! ASCII into punycode takes time that grows with the square of its length, so a label that is
//! longer than any of DNS is an error before that. It does not know sites.

use crate::notation::escape;
use url::{ParseError, Url};

/// Characters of a label with one beyond ASCII. In punycode each has a byte at least, and a label
/// of DNS has at most so many bytes (RFC 1035 2.3.4).
const MAX_LABEL: usize = 63;

/// Parses an absolute URL.
///
/// # Errors
/// The `url` crate's; [`ParseError::IdnaError`] also for a label that is too long.
///
/// ```
/// use robomaton_formats::url::parse;
///
/// assert_eq!(parse("https://\u{fc}.example/a").unwrap().as_str(), "https://xn--tda.example/a");
/// assert!(parse(&format!("https://{}.example/a", "\u{fc}".repeat(64))).is_err());
/// ```
pub fn parse(url: &str) -> Result<Url, ParseError> {
    check(url)?;
    Url::parse(url)
}

/// Resolves a reference against a base, as clients do.
///
/// # Errors
/// Those of [`parse`].
pub fn join(base: &Url, reference: &str) -> Result<Url, ParseError> {
    check(reference)?;
    base.join(reference)
}

/// # Errors
/// If a label of the host is too long.
fn check(reference: &str) -> Result<(), ParseError> {
    let host = host(reference);
    if host.is_ascii() && !host.contains('%') {
        return Ok(());
    }
    let is_dot = |c| matches!(c, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}');
    let is_too_long = |label: &str| !label.is_ascii() && label.chars().count() > MAX_LABEL;
    if decoded(host).split(is_dot).any(is_too_long) { Err(ParseError::IdnaError) } else { Ok(()) }
}

/// The part of a reference that its host stands in, if it has one.
fn host(reference: &str) -> &str {
    let is_slash = |c| matches!(c, '/' | '\\');
    let reference = reference.trim_start_matches(|c| c <= ' ');
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') || is_dropped(c);
    let behind = reference.trim_start_matches(is_of_scheme);
    let (rest, has_scheme) = behind.strip_prefix(':').map_or((reference, false), |rest| (rest, true));
    let authority = rest.trim_start_matches(|c| is_slash(c) || is_dropped(c));
    let slashes = rest.chars().filter(|&c| !is_dropped(c)).take_while(|&c| is_slash(c)).count();
    if !has_scheme && slashes < 2 {
        return "";
    }
    let authority = authority.split(|c| is_slash(c) || matches!(c, '?' | '#')).next();
    authority.and_then(|authority| authority.rsplit('@').next()).unwrap_or_default()
}

/// True for what a URL parser drops wherever it stands.
fn is_dropped(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r')
}

/// A host without its escapes.
fn decoded(host: &str) -> String {
    let host = host.replace(is_dropped, "");
    let (mut rest, mut bytes) = (host.as_bytes(), Vec::with_capacity(host.len()));
    while let [first, behind @ ..] = rest {
        let escaped = escape(rest);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_beyond_ascii_have_the_length_of_dns() {
        let base = parse("https://a.example/x/y").expect("a URL");
        let (fits, long) = ("\u{fc}".repeat(63), "\u{fc}".repeat(64));
        let escaped = |label: &str| label.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        let ascii = "a".repeat(200);
        for host in [
            fits.clone(),
            format!("{fits}.{fits}\u{3002}{fits}\u{ff0e}{fits}%2e{fits}%E3%80%82{fits}"),
            escaped(&fits),
            ascii.clone(),
            escaped(&ascii),
            format!("{long}@{fits}"),
            format!("{}\n{}", "\u{fc}".repeat(60), "\t\u{fc}".repeat(3)),
        ] {
            for front in ["https://", " ht\ntps:/\t\\", "https:"] {
                let url = format!("{front}{host}.example/{long}?{long}#{long}");
                assert_eq!(parse(&url), Url::parse(&url), "{url}");
                assert!(parse(&url).is_ok(), "{url}");
                assert_eq!(join(&base, &url), base.join(&url), "{url}");
            }
        }
        for host in [
            long.clone(),
            escaped(&long),
            format!("{fits}%61"),
            format!("a.b{fits}.example"),
            format!("u:p@{long}:80"),
            format!("{}\n{}", "\u{fc}".repeat(60), "\t\u{fc}".repeat(4)),
        ] {
            for front in ["https://", " ht\ntps:/\t\\", "//", "/\n\\\t", "other://"] {
                assert_eq!(
                    join(&base, &format!("{front}{host}/p")),
                    Err(ParseError::IdnaError),
                    "{front}{host}"
                );
            }
        }
        // None of these has a host.
        for reference in
            [long.clone(), format!("/{long}"), format!("?{long}"), format!("a/{long}:{long}"), String::new()]
        {
            assert_eq!(join(&base, &reference), base.join(&reference), "{reference}");
            assert!(join(&base, &reference).is_ok(), "{reference}");
        }
    }
}
