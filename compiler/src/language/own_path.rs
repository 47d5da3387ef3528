//! Values that are absolute URLs where a path is expected (R14, decision 40).
//!
//! Conventional rules, ACAP fields, RSL and TDMRep call this. It does not know the notation of a
//! pattern.

use robomaton_formats::SiteKey;
use robomaton_formats::url::parse;

/// The reading of an absolute `http` or `https` URL, from the file's own site; `None` if the value
/// is not such a URL. `origin` is the authority from which the file was fetched.
pub(super) fn own_path<'v>(value: &'v [u8], origin: Option<&str>) -> Option<Reading<'v>> {
    let (host, path) = absolute(value)?;
    Some(match (host, origin) {
        (Host::Site(site), Some(origin)) if site.authority() == origin => Reading::Own(path),
        (Host::Site(site), origin)
            if origin.is_none_or(|origin| is_alike(site.authority().as_bytes(), origin)) =>
        {
            Reading::OfSomeHost(path)
        }
        (Host::Pattern(host), origin) if origin.is_none_or(|origin| may_match(host, origin)) => {
            Reading::OfSomeHost(path)
        }
        _ => Reading::Elsewhere,
    })
}

/// The host and the path of a value that may be a URL without its scheme; `None` if it cannot be.
pub(super) fn bare_host(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let (host, path) = value.split_at(memchr::memchr(b'/', value)?);
    host.contains(&b'.').then_some((host, path))
}

/// True if a host and the authority of the file are the same, but for case and `www.`.
pub(super) fn is_alike(host: &[u8], origin: &str) -> bool {
    without_www(host).eq_ignore_ascii_case(without_www(origin.as_bytes()))
}

fn without_www(host: &[u8]) -> &[u8] {
    match host.split_at_checked(4) {
        Some((www, rest)) if www.eq_ignore_ascii_case(b"www.") => rest,
        _ => host,
    }
}

/// The meaning of an absolute URL.
pub(super) enum Reading<'v> {
    /// A URL of the file's own host and port: its path and query, which may be empty, or begin with
    /// another sign than `/`.
    Own(&'v [u8]),
    /// A URL in a file whose host is not known, or with a host that differs by `www.` alone, or has
    /// a star that may stand for the rest of the file's own: its path and query, as above. It may
    /// be the file's own, so it prohibits; it may be another's, so it permits nothing.
    OfSomeHost(&'v [u8]),
    /// A URL of another site, or of none.
    Elsewhere,
}

/// The host of an absolute URL.
enum Host<'v> {
    Site(SiteKey),
    /// It has a star.
    Pattern(&'v [u8]),
    Invalid,
}

/// The host and the rest of a value that is an absolute `http` or `https` URL.
fn absolute(value: &[u8]) -> Option<(Host<'_>, &[u8])> {
    let scheme = [&b"https://"[..], b"http://"]
        .into_iter()
        .find(|scheme| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let rest = &value[scheme.len()..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'\\' | b'?')).unwrap_or(rest.len());
    // White space and control characters, which a URL parser would drop, make the URL invalid.
    let url = std::str::from_utf8(&value[..scheme.len() + end]).ok();
    let url = url.filter(|url| url.bytes().all(|byte| byte > b' '));
    // A URL parser reads a backslash as a slash.
    let path = &rest[end..];
    let path = path.strip_prefix(b"\\").unwrap_or(path);
    let host = match url.and_then(|url| SiteKey::from_url(url).ok()) {
        _ if rest[..end].contains(&b'*') => Host::Pattern(&rest[..end]),
        Some(site) => Host::Site(site),
        None => Host::Invalid,
    };
    Some((host, path))
}

/// True if the part before the first star of a host begins an authority, and the one behind the
/// last star, perhaps without a dot, ends it: `*.example.com` may be meant for `example.com`, too.
fn may_match(host: &[u8], origin: &str) -> bool {
    let origin = origin.as_bytes();
    let head = host.split(|byte| *byte == b'*').next().unwrap_or_default();
    let tail = host.rsplit(|byte| *byte == b'*').next().unwrap_or_default();
    let tail = tail.strip_prefix(b".").unwrap_or(tail);
    let begins = origin.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
    let last = origin.len().checked_sub(tail.len());
    begins && last.is_some_and(|last| origin[last..].eq_ignore_ascii_case(tail))
}

/// True if a client may find a host in a URL or path that is not written as one (`//host/`,
/// `https:/host/`), or that has a wildcard: it may be about any site.
pub(super) fn hides_host(url: &str) -> bool {
    match parse(url) {
        Ok(parsed) => parsed.host_str().is_some_and(|host| host.contains('*') || !writes_host(url)),
        // A URL parser drops white space and control characters at the ends, and some within.
        Err(_) => {
            let trimmed = url.trim_matches(|c| c <= ' ');
            begins_with_host(&trimmed.replace(['\t', '\r', '\n'], ""))
        }
    }
}

/// True if a scheme and a host begin a URL as they should, although a URL parser reads a backslash
/// as a slash, and any number of them before a host.
fn writes_host(url: &str) -> bool {
    let url = url.trim_start_matches(|c| c <= ' ');
    url.split_once("://").is_some_and(|(scheme, rest)| {
        is_scheme(scheme) && !rest.starts_with(|c| matches!(c, '/' | '\\') || c <= ' ')
    })
}

/// True if a URL begins with a scheme and a host, or with a host alone. Either slash is one.
fn begins_with_host(url: &str) -> bool {
    let behind = url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).map_or(url, |(_, rest)| rest);
    behind.strip_prefix(['/', '\\']).is_some_and(|rest| rest.starts_with(['/', '\\']))
}

/// True for a scheme (RFC 3986 3.1), and for none.
fn is_scheme(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}
