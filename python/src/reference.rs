//! URLs as other parsers of robots.txt read them: whatever the scheme and the host, rules apply to
//! the rest.
//!
//! A program that knows which text belongs to which URL may ask a text about `ftp://h/x`, `//h/x`
//! or `https:///x`, all of which are `/x` there. Images are not queried in this way: they find the
//! site by scheme and host.

use std::borrow::Cow;

/// A URL in the form for questions to a text: a complete http URL, or the path after the authority.
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

/// Splits a URL like `urllib.parse.urlsplit`.
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
