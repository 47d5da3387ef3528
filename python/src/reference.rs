//! URLs as other parsers of robots.txt read them: whatever the scheme and the host, rules are for
//! the rest.
//!
//! A program that knows which text is for which URL asks a text about `ftp://h/x`, `//h/x` or
//! `https:///x`, too, and all of them are `/x` there. An image is not asked in this way: it looks
//! the site up by scheme and host.

use std::borrow::Cow;

/// A URL as a text can be asked about it: one of http that is whole, or what follows the authority,
/// a path.
#[inline]
pub(crate) fn location(url: &str) -> Cow<'_, str> {
    let rest = url.strip_prefix("http").map(|rest| rest.strip_prefix('s').unwrap_or(rest));
    match rest.and_then(|rest| rest.strip_prefix("://")).map(str::as_bytes) {
        Some([first, ..]) if !matches!(first, b'/' | b'\\') => url.into(),
        _ => match url.as_bytes() {
            [b'/', second, ..] if *second != b'/' => url.into(),
            [b'/'] => url.into(),
            _ => uncommon(url),
        },
    }
}

/// As `urllib.parse.urlsplit` divides a URL.
#[inline(never)]
fn uncommon(url: &str) -> Cow<'_, str> {
    let url = url.trim_start_matches(|c| c <= ' ');
    let url = if url.contains(['\t', '\r', '\n']) {
        Cow::Owned(url.replace(['\t', '\r', '\n'], ""))
    } else {
        Cow::Borrowed(url)
    };
    let is_scheme = |scheme: &&str| {
        let of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(of_scheme)
    };
    let rest = match url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        Some((_, rest)) => rest,
        None => &url,
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find(['/', '?', '#']).unwrap_or(rest.len())..],
        None => rest,
    };
    if path.starts_with('/') { path.to_owned().into() } else { format!("/{path}").into() }
}
