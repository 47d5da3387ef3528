//! Sites: the unit that one robots.txt speaks for (scheme, host, port), and what became of fetching
//! it.
//!
//! Stands before everything: readers of captures make [`SiteKey`]s, the image is sorted and hashed
//! by them, and the runtime makes one from each URL it is asked about. Invariant: two URLs of one
//! site give equal keys, whatever their spelling of host and port. Host names are canonicalised by
//! the `url` crate (lower case, punycode, IPv4 and IPv6 forms), so this file has no opinion on
//! them. Other documents of a site that speak to crawlers beside its robots.txt have keys of their
//! own: `a.example/data.txt`. It does not know paths otherwise: what stands after the authority is
//! the matcher's subject, see `runtime::target`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest authority (`host[:port]`) that an image holds, in bytes; with a document's name, if
/// there is one.
pub const MAX_AUTHORITY: usize = 255;

/// The document of the data.txt draft (K1).
pub const DATA_TXT: &str = "data.txt";

/// The scheme a site was captured under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Scheme {
    /// Known by host alone (a file named after its host): answers for `http` and `https`, after
    /// exact sites.
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

/// One site: what RFC 9309 2.3 calls a service, and K2 a site URL.
///
/// Ordered by name, then scheme; this is the order of sites in an image. Names are ASCII, as the
/// `url` crate gives hosts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey {
    /// The authority, and after a slash the document, unless that is robots.txt.
    name: Box<str>,
    scheme: Scheme,
}

/// Why a text names no site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The URL does not parse; the reason is the `url` crate's.
    #[error("not a URL: {0}")]
    Url(#[from] url::ParseError),
    /// A scheme that has no robots.txt (only `http` and `https` do here).
    #[error("no robots.txt for the scheme {0:?}: http or https expected")]
    Scheme(String),
    /// The URL has no host.
    #[error("the URL names no host")]
    NoHost,
    /// White space or a control before the path, which URL parsers drop, and others do not.
    #[error("white space or a control character before the path")]
    Control,
    /// Host and port together exceed [`MAX_AUTHORITY`].
    #[error("the host is longer than {MAX_AUTHORITY} bytes")]
    TooLong,
}

impl SiteKey {
    /// The site of an absolute `http` or `https` URL. White space around it, user names, path,
    /// query and fragment do not matter; the default port of the scheme is dropped.
    pub fn from_url(url: &str) -> Result<SiteKey, SiteError> {
        let url = url::Url::parse(url.trim_ascii())?;
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(SiteError::Scheme(other.to_owned())),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(SiteError::NoHost)?;
        SiteKey::new(scheme, host, url.port())
    }

    /// The site of a bare `host` or `host:port`, as a file name gives it, for any scheme.
    /// An absolute URL is taken as [`SiteKey::from_url`] takes it.
    pub fn from_host(host: &str) -> Result<SiteKey, SiteError> {
        if host.contains("://") {
            return SiteKey::from_url(host);
        }
        if host.contains(['/', '?', '#', '@', '\\']) {
            return Err(SiteError::Url(url::ParseError::InvalidDomainCharacter));
        }
        // The default ports of both schemes go: `:80` with http, `:443` by hand.
        let key = SiteKey::from_url(&format!("http://{}/", host.strip_suffix(":443").unwrap_or(host)))?;
        Ok(SiteKey { scheme: Scheme::Any, ..key })
    }

    /// The key that stands in an image: a name in canonical spelling, with the document behind a
    /// slash if there is one.
    pub fn stored(name: &str, scheme: Scheme) -> SiteKey {
        SiteKey { name: name.into(), scheme }
    }

    fn new(scheme: Scheme, host: &str, port: Option<u16>) -> Result<SiteKey, SiteError> {
        // The root label's dot names the same host; the url crate keeps it.
        let host = host.strip_suffix('.').unwrap_or(host);
        let authority = match port {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        if host.is_empty() {
            return Err(SiteError::NoHost);
        }
        if authority.len() > MAX_AUTHORITY {
            return Err(SiteError::TooLong);
        }
        Ok(SiteKey { name: authority.into_boxed_str(), scheme })
    }

    /// The key of another document of the same site, such as [`DATA_TXT`]. `None` when the two
    /// names together are longer than [`MAX_AUTHORITY`], or not ASCII.
    pub fn with_document(&self, document: &str) -> Option<SiteKey> {
        let name = format!("{}/{document}", self.authority());
        (name.len() <= MAX_AUTHORITY && name.is_ascii())
            .then(|| SiteKey { name: name.into_boxed_str(), scheme: self.scheme })
    }

    /// What an image calls it: the authority, with `/` and the document where that is not
    /// robots.txt.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `host` or `host:port`, canonical; the default port is absent.
    pub fn authority(&self) -> &str {
        split_name(&self.name).0
    }

    /// The document that this is the key of, unless that is robots.txt.
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

/// The authority in a name, and the document if there is one: no authority holds a slash.
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

/// What became of fetching a site's robots.txt (R16, RFC 9309 2.3.1).
///
/// What an outcome means for a question is chosen when asking (`runtime::Terms`), not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Outcome {
    /// Text with at least one group or extension record.
    #[default]
    Rules = 0,
    /// A 2xx answer whose text holds no record at all (empty, blank, or comments only).
    Empty = 1,
    /// A 2xx answer that is HTML or binary and holds no record.
    NotRobots = 2,
    /// 4xx: the site has none, or does not show it (RFC 9309 2.3.1.3).
    Unavailable = 3,
    /// 5xx, or no answer at all (RFC 9309 2.3.1.4).
    Unreachable = 4,
    /// More than five redirects in a row (RFC 9309 2.3.1.2).
    TooManyRedirects = 5,
    /// Redirected to a resource that the captures do not hold.
    Unresolved = 6,
    /// The text exceeds a limit (R4): everything is disallowed until the limit is raised.
    OverLimit = 7,
    /// The captures hold pages of the site, and no robots.txt.
    NotCaptured = 8,
}

impl Outcome {
    /// Every outcome, in the order of its number.
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

    /// Whether there may be a robots.txt that nobody has read.
    pub const fn is_unheard(self) -> bool {
        matches!(self, Outcome::Unreachable | Outcome::Unresolved | Outcome::NotCaptured | Outcome::OverLimit)
    }

    /// The name used in JSON, tables and `inspect`.
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
        assert_eq!(SiteKey::from_url("http://[::1]/").unwrap().host(), "[::1]");
    }

    #[test]
    fn what_names_no_site_says_why() {
        assert!(matches!(SiteKey::from_url("ftp://a/"), Err(SiteError::Scheme(_))));
        assert!(SiteKey::from_url("/a").is_err());
        assert!(SiteKey::from_host("a/b").is_err());
        assert!(SiteKey::from_host("").is_err());
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
