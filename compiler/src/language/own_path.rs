//! Values that are absolute URLs where a path is expected (R14, decision 40).
//!
//! Conventional rules and ACAP fields call this. It does not know the notation of a pattern.

use robomaton_formats::SiteKey;

/// The reading of an absolute `http` or `https` URL, from the file's own site; `None` if the value
/// is not such a URL. `origin` is the authority from which the file was fetched.
pub(super) fn own_path<'v>(value: &'v [u8], origin: Option<&str>) -> Option<Reading<'v>> {
    let (site, path) = absolute(value)?;
    Some(match (site, origin) {
        (Some(site), Some(origin)) if site.authority() == origin => Reading::Own(path),
        (Some(_), None) => Reading::OfSomeHost(path),
        _ => Reading::Elsewhere,
    })
}

/// The meaning of an absolute URL.
pub(super) enum Reading<'v> {
    /// A URL of the file's own host and port: its path and query, which may be empty, or begin with
    /// another sign than `/`.
    Own(&'v [u8]),
    /// A URL in a file whose host is not known: its path and query, as above. It may be the file's
    /// own, so it prohibits; it may be another's, so it permits nothing.
    OfSomeHost(&'v [u8]),
    /// A URL of another site, or of none.
    Elsewhere,
}

/// The site (if the URL is valid) and the rest of a value that is an absolute `http` or `https`
/// URL.
fn absolute(value: &[u8]) -> Option<(Option<SiteKey>, &[u8])> {
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
    Some((url.and_then(|url| SiteKey::from_url(url).ok()), path))
}
