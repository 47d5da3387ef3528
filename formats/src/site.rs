//! Sites: the unit to which one robots.txt applies (scheme, host, port), and the outcome of
//! fetching it.
//!
//! Readers of captures make [`SiteKey`]s, the image is sorted and hashed by them, and the runtime
//! makes one from each requested URL. Invariant: two URLs of one site give equal keys, regardless
//! of the spelling of host and port. The `url` crate canonicalises host names (lower case,
//! punycode, IPv4 and IPv6 forms); a plain host is already canonical, and is split by hand. Other
//! documents of a site for crawlers have their own keys, such as `a.example/data.txt`. Otherwise
//! this file does not know paths: the part after the authority is matched elsewhere, see
//! `runtime::target`.

use crate::plain;
use crate::url::parse;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The maximum length in bytes of an authority (`host[:port]`) in an image, including the
/// document's name, if there is one.
pub const MAX_AUTHORITY: usize = 255;

/// The document of the data.txt draft (K1).
pub const DATA_TXT: &str = "data.txt";

/// The status of an answer without the content that it refers to (RFC 9110 15.4.5); in an image,
/// that of a site whose newest fetch was not read.
pub const NOT_MODIFIED: u16 = 304;

/// The scheme under which a site was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Scheme {
    /// Unknown (the file was named after a host): applies to `http` and `https`, after exact sites.
    Any = 0,
    /// `http`, default port 80.
    Http = 1,
    /// `https`, default port 443.
    Https = 2,
}

impl Scheme {
    /// The scheme with this number in an image, if there is one.
    pub const fn from_u8(number: u8) -> Option<Scheme> {
        match number {
            0 => Some(Scheme::Any),
            1 => Some(Scheme::Http),
            2 => Some(Scheme::Https),
            _ => None,
        }
    }
}

/// One site: a service in RFC 9309 2.3, a site URL in K2.
///
/// Ordered by name, then scheme; this is the order of sites in an image. Names are ASCII, since the
/// `url` crate returns hosts in ASCII.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey {
    /// The authority, followed by a slash and the document unless that is robots.txt.
    name: Box<str>,
    scheme: Scheme,
}

/// An absolute `http` or `https` URL as it is compared: normalized, without its fragment. `None`
/// for anything else.
///
/// ```
/// use robomaton_formats::site::absolute_url;
///
/// assert_eq!(absolute_url("HTTPS://Example.com:443/a#b").as_deref(), Some("https://example.com/a"));
/// assert_eq!(absolute_url("/a"), None);
/// ```
pub fn absolute_url(url: &str) -> Option<String> {
    let mut url = parse(url.trim_ascii()).ok()?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| String::from(url))
}

/// The reason why a text does not name a site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The URL does not parse, for the `url` crate's reason.
    #[error("not a URL: {0}")]
    Url(#[from] url::ParseError),
    /// A scheme without robots.txt; only `http` and `https` are supported.
    #[error("no robots.txt for the scheme {0:?}: http or https expected")]
    Scheme(String),
    /// The URL has no host, or one with an empty label.
    #[error("the URL names no host")]
    NoHost,
    /// White space or a control character before the path, which URL parsers drop and other
    /// software does not.
    #[error("white space or a control character before the path")]
    Control,
    /// Host and port together exceed [`MAX_AUTHORITY`].
    #[error("the host is longer than {MAX_AUTHORITY} bytes")]
    TooLong,
}

/// A URL without the white space and control characters at its ends, which are no part of it (R9).
pub fn trimmed(url: &[u8]) -> &[u8] {
    let is_part = |&byte: &u8| byte > b' ';
    let start = url.iter().position(is_part).unwrap_or(url.len());
    let end = url.iter().rposition(is_part).map_or(start, |last| last + 1);
    url.get(start..end).unwrap_or_default()
}

/// The rest of an absolute [`trimmed`] URL after the authority. Any number of slashes of either
/// kind may precede the authority, as the URL standard reads `http` URLs.
pub fn after_authority(url: &[u8]) -> &[u8] {
    let after_colon = url.splitn(2, |&byte| byte == b':').last().unwrap_or_default();
    let authority = from_first(after_colon, |byte| !matches!(byte, b'/' | b'\\'));
    from_first(authority, |byte| matches!(byte, b'/' | b'\\' | b'?' | b'#'))
}

/// The rest of a text from the first byte on that is meant; empty if there is none.
#[inline]
pub fn from_first(text: &[u8], is: impl Fn(u8) -> bool) -> &[u8] {
    text.iter().position(|&byte| is(byte)).and_then(|at| text.get(at..)).unwrap_or_default()
}

impl SiteKey {
    /// The site of an absolute `http` or `https` URL. White space and control characters around it,
    /// user names, path, query and fragment are ignored; the default port of the scheme is dropped.
    ///
    /// # Errors
    /// If it is no such URL, or its host is no host of a site.
    pub fn from_url(url: &str) -> Result<SiteKey, SiteError> {
        match split_plain(url.as_bytes()) {
            Some((scheme, authority, _)) => Ok(SiteKey::plain(scheme, authority)),
            None => SiteKey::parse(url),
        }
    }

    /// The site of a plain authority, which is ASCII.
    fn plain(scheme: Scheme, authority: &[u8]) -> SiteKey {
        SiteKey { name: authority.iter().map(|&byte| char::from(byte)).collect(), scheme }
    }

    /// The site of any URL, as the `url` crate reads it. [`SiteKey::from_url`] gives the same,
    /// faster.
    ///
    /// # Errors
    /// If the URL does not name a site.
    pub fn parse(url: &str) -> Result<SiteKey, SiteError> {
        let parsed = parse(url)?;
        let scheme = match parsed.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(SiteError::Scheme(other.to_owned())),
        };
        // The `url` crate drops controls and white space inside a URL; an authority that can be
        // read in two ways is rejected.
        let url = trimmed(url.as_bytes());
        let front = url.len() - after_authority(url).len();
        if url.iter().take(front).any(|&byte| byte <= b' ') {
            return Err(SiteError::Control);
        }
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or(SiteError::NoHost)?;
        SiteKey::new(scheme, host, parsed.port())
    }

    /// The site of a bare `host` or `host:port`, as in a file name, for any scheme; the default
    /// port of a scheme names that scheme. An absolute URL is parsed by [`SiteKey::from_url`].
    ///
    /// # Errors
    /// If it is no host of a site.
    pub fn from_host(host: &str) -> Result<SiteKey, SiteError> {
        if host.contains("://") {
            return SiteKey::from_url(host);
        }
        if host.contains(['/', '?', '#', '@', '\\']) {
            return Err(SiteError::Url(url::ParseError::InvalidDomainCharacter));
        }
        // The sites of the two default ports were captured apart.
        let port = host.rsplit_once(':').and_then(|(_, digits)| digits.parse::<u16>().ok());
        let (scheme, known) = match port {
            Some(80) => ("http", Scheme::Http),
            Some(443) => ("https", Scheme::Https),
            _ => ("http", Scheme::Any),
        };
        Ok(SiteKey { scheme: known, ..SiteKey::from_url(&format!("{scheme}://{host}/"))? })
    }

    /// The key of a site in an image: a canonical name, followed by a slash and the document if
    /// there is one.
    pub fn stored(name: &str, scheme: Scheme) -> SiteKey {
        SiteKey { name: name.into(), scheme }
    }

    fn new(scheme: Scheme, host: &str, port: Option<u16>) -> Result<SiteKey, SiteError> {
        // The dot of the root label names the same host; the url crate keeps it.
        let host = host.strip_suffix('.').unwrap_or(host);
        let authority = match port {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        // Without one more dot, `1..` would be the address `1.`, which names another site.
        if host.split('.').any(str::is_empty) {
            return Err(SiteError::NoHost);
        }
        if authority.len() > MAX_AUTHORITY {
            return Err(SiteError::TooLong);
        }
        Ok(SiteKey { name: authority.into_boxed_str(), scheme })
    }

    /// The key of another document of the same site, such as [`DATA_TXT`]. `None` if both names
    /// together are longer than [`MAX_AUTHORITY`], or not ASCII.
    pub fn with_document(&self, document: &str) -> Option<SiteKey> {
        let name = format!("{}/{document}", self.authority());
        (name.len() <= MAX_AUTHORITY && name.is_ascii())
            .then(|| SiteKey { name: name.into_boxed_str(), scheme: self.scheme })
    }

    /// The site's name in an image: the authority, followed by `/` and the document unless that is
    /// robots.txt.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `host` or `host:port`, canonical, without the default port.
    pub fn authority(&self) -> &str {
        split_name(&self.name).0
    }

    /// The document that the key refers to, unless that is robots.txt.
    pub fn document(&self) -> Option<&str> {
        split_name(&self.name).1
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host without the port.
    pub fn host(&self) -> &str {
        let authority = self.authority();
        match authority.rfind(':') {
            Some(colon) if !authority.ends_with(']') => &authority[..colon],
            _ => authority,
        }
    }
}

/// The scheme of a URL and what follows `://`. `None` if the URL does not begin with `http://` or
/// `https://`, has fewer than eight bytes, or ends with a space or a control character, which may
/// not be part of it.
#[inline(always)]
pub fn split_scheme(url: &[u8]) -> Option<(Scheme, &[u8])> {
    const HTTPS: u64 = u64::from_le_bytes(*b"https://");
    const HTTP: u64 = u64::from_le_bytes(*b"http://\0");
    if *url.last()? <= b' ' {
        return None;
    }
    let first = u64::from_le_bytes(*url.first_chunk()?);
    if first == HTTPS {
        Some((Scheme::Https, url.get(8..)?))
    } else if first & (u64::MAX >> 8) == HTTP {
        Some((Scheme::Http, url.get(7..)?))
    } else {
        None
    }
}

/// Scheme, authority and the rest of a URL whose authority is canonical, but perhaps for a default
/// port, which is dropped. `None` if that is for the `url` crate to say.
#[inline]
pub fn split_plain(url: &[u8]) -> Option<(Scheme, &[u8], &[u8])> {
    let (scheme, text) = split_scheme(url)?;
    let (host, end) = plain::authority(text)?;
    let default_port: &[u8] = if scheme == Scheme::Https { b":443" } else { b":80" };
    let kept = if text.get(host..end)? == default_port { host } else { end };
    Some((scheme, text.get(..kept)?, text.get(end..)?))
}

/// Splits a name into the authority and the document, if there is one. No authority contains a
/// slash.
pub fn split_name(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(authority, document)| (authority, Some(document)))
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scheme {
            Scheme::Any => write!(f, "{}", self.name),
            Scheme::Http => write!(f, "http://{}", self.name),
            Scheme::Https => write!(f, "https://{}", self.name),
        }
    }
}

/// The outcome of fetching a site's robots.txt (R16, RFC 9309 2.3.1).
///
/// The meaning of an outcome for a verdict is chosen at look-up (`runtime::Terms`), not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Outcome {
    /// Text with at least one group or extension record.
    #[default]
    Rules = 0,
    /// A 2xx response whose text holds no record (empty, blank, or comments only).
    Empty = 1,
    /// A 2xx response that is HTML or binary and holds no record.
    NotRobots = 2,
    /// 4xx: the site has no robots.txt, or does not show it (RFC 9309 2.3.1.3).
    Unavailable = 3,
    /// 5xx, or no response (RFC 9309 2.3.1.4).
    Unreachable = 4,
    /// More than five redirects in a row (RFC 9309 2.3.1.2).
    TooManyRedirects = 5,
    /// Redirected to a resource that is not in the captures.
    Unresolved = 6,
    /// The text exceeds a limit (R4): everything is disallowed until the limit is raised.
    OverLimit = 7,
    /// The captures hold pages of the site, but no robots.txt.
    NotCaptured = 8,
}

impl Outcome {
    /// Every outcome in number order.
    pub const ALL: [Outcome; 9] = [
        Outcome::Rules,
        Outcome::Empty,
        Outcome::NotRobots,
        Outcome::Unavailable,
        Outcome::Unreachable,
        Outcome::TooManyRedirects,
        Outcome::Unresolved,
        Outcome::OverLimit,
        Outcome::NotCaptured,
    ];

    /// The outcome with this number in an image, if there is one.
    pub fn from_u8(number: u8) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(number)).copied()
    }

    /// True if the site may have a robots.txt that was not read.
    pub const fn is_unread(self) -> bool {
        matches!(self, Outcome::Unreachable | Outcome::Unresolved | Outcome::NotCaptured | Outcome::OverLimit)
    }

    /// The name in JSON, tables and `inspect`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Rules => "rules",
            Outcome::Empty => "empty",
            Outcome::NotRobots => "not-robots",
            Outcome::Unavailable => "unavailable",
            Outcome::Unreachable => "unreachable",
            Outcome::TooManyRedirects => "too-many-redirects",
            Outcome::Unresolved => "unresolved",
            Outcome::OverLimit => "over-limit",
            Outcome::NotCaptured => "not-captured",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_site_are_one_key() {
        let key = |url| SiteKey::from_url(url).unwrap().to_string();
        assert_eq!(key("HTTPS://User:pw@Example.COM:443/a?b#c"), "https://example.com");
        assert_eq!(key("http://example.com.:8001"), "http://example.com:8001");
        assert_eq!(key("http://bücher.example/"), "http://xn--bcher-kva.example");
        assert_eq!(key("http://[::1]:80/x"), "http://[::1]");
        assert_eq!(SiteKey::from_host("Example.com:8080").unwrap().to_string(), "example.com:8080");
        assert_eq!(SiteKey::from_host("example.com:8080").unwrap().host(), "example.com");
        assert_eq!(SiteKey::from_host("Example.com:443").unwrap().to_string(), "https://example.com");
        assert_eq!(SiteKey::from_host("[::1]:80").unwrap().to_string(), "http://[::1]");
        assert_eq!(SiteKey::from_host("[::80]").unwrap().to_string(), "[::80]");
        assert_eq!(SiteKey::from_url("http://[::1]/").unwrap().host(), "[::1]");
    }

    /// Every URL of a few pieces.
    #[test]
    fn the_common_form_is_read_as_the_url_crate_reads_it() {
        let pieces = [
            "a",
            "z9",
            "xn--",
            "xn--a",
            ".",
            "-",
            "_",
            "0",
            "0x1",
            "127",
            "A",
            "é",
            ":",
            "80",
            "@",
            "%41",
            "\t",
            "/",
            "\\",
            "?",
            "#",
            "robots.txt",
        ];
        let mut read = 0;
        let mut urls = vec![format!("https://{}/", "a".repeat(63)), format!("https://{}/", "a".repeat(64))];
        for scheme in ["http://", "https://", "ftp://", "HTTP://", " http://", "http:/"] {
            for one in pieces {
                for two in pieces {
                    for three in pieces {
                        urls.push(format!("{scheme}{one}{two}{three}/robots.txt"));
                        urls.push(format!("{scheme}w.{one}{two}{three}"));
                    }
                }
            }
        }
        for url in urls {
            let fast = split_plain(url.as_bytes());
            let fast = fast.map(|(scheme, authority, _)| SiteKey::plain(scheme, authority));
            read += usize::from(fast.is_some());
            let key = SiteKey::parse(&url);
            if let Some(fast) = fast {
                assert_eq!(key, Ok(fast), "{url:?}");
            }
            // The address of a site names the same site.
            if let Ok(key) = key {
                assert_eq!(SiteKey::from_url(&key.to_string()), Ok(key), "{url:?}");
            }
        }
        assert!(read > 1_000, "{read}");
        let found = split_plain(b"https://a-b.example.com/robots.txt");
        assert_eq!(found, Some((Scheme::Https, &b"a-b.example.com"[..], &b"/robots.txt"[..])));
    }

    #[test]
    fn what_names_no_site_says_why() {
        assert!(matches!(SiteKey::from_url("ftp://a/"), Err(SiteError::Scheme(_))));
        assert!(SiteKey::from_url("/a").is_err());
        assert!(SiteKey::from_host("a/b").is_err());
        assert!(SiteKey::from_host("").is_err());
        for url in
            ["http://1../", "http://../", "http://./", "http://a.example../", "http://.a/", "http://a..b/"]
        {
            assert_eq!(SiteKey::from_url(url), Err(SiteError::NoHost), "{url}");
        }
        let long = format!("http://{}/", vec!["a".repeat(60); 5].join("."));
        assert_eq!(SiteKey::from_url(&long), Err(SiteError::TooLong));
    }

    #[test]
    fn documents_have_keys_of_their_own() {
        let site = SiteKey::from_url("http://www.bar.com:8001/").unwrap();
        let data = site.with_document(DATA_TXT).unwrap();
        assert_eq!(
            (data.to_string().as_str(), data.name()),
            ("http://www.bar.com:8001/data.txt", "www.bar.com:8001/data.txt")
        );
        assert_eq!(
            (data.authority(), data.host(), data.document()),
            ("www.bar.com:8001", "www.bar.com", Some("data.txt"))
        );
        assert_eq!((site.name(), site.document()), ("www.bar.com:8001", None));
        assert_eq!(data.with_document(DATA_TXT), Some(data.clone()));
        assert_eq!(site.with_document("dåta.txt"), None);
        let six = SiteKey::from_url("https://[::1]/").unwrap().with_document(DATA_TXT).unwrap();
        assert_eq!((six.host(), six.to_string().as_str()), ("[::1]", "https://[::1]/data.txt"));
        let long =
            format!("http://{}a/", "a".repeat(49).to_owned() + &format!(".{}", "b".repeat(49)).repeat(3));
        let room = MAX_AUTHORITY - SiteKey::from_url(&long).unwrap().name().len() - 1;
        assert!(SiteKey::from_url(&long).unwrap().with_document(&"d".repeat(room)).is_some());
        assert_eq!(SiteKey::from_url(&long).unwrap().with_document(&"d".repeat(room + 1)), None);
    }

    #[test]
    fn numbers_are_stable() {
        for (n, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, n);
        }
    }
}
