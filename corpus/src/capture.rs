//! The result of reading a record: a capture, a revisit of one, or neither.
//!
//! Readers of single formats produce it, the batch driver consumes it. Invariant: every record
//! becomes exactly one [`Item`], so the items of a run add up to the records of its inputs. This
//! module reads nothing, and does not know what a body means.

use crate::status::{is_redirection, is_success};
use crate::{SkipReason, Skipped, Validators};
pub use robomaton_formats::site::NOT_MODIFIED;
use robomaton_formats::site::{DATA_TXT, SiteKey};
use robomaton_formats::url::{join, parse};
use robomaton_formats::{Notation, Scheme};
use std::borrow::Cow;
use std::ops::RangeInclusive;
use url::Url;
use xxhash_rust::xxh3::Xxh3;

/// One fetch of one URL, as stored by a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The URL as captured, without the `<>` that some writers put around it; or a bare host, if
    /// nothing else is known.
    pub url: String,
    /// The site that the URL belongs to.
    pub site: SiteKey,
    /// Unix seconds; 0 if unknown.
    pub fetched_at: i64,
    /// The HTTP status; 0 if there was no answer. A file in a directory counts as 200.
    pub status: u16,
    /// Seconds for which the answer is fresh, if its headers say so (R17).
    pub fresh_for: Option<u32>,
    /// The `Location` header, unmodified.
    pub location: Option<String>,
    /// The `Content-Type` header, unmodified.
    pub content_type: Option<String>,
    /// Hashes of the `ETag` and `Last-Modified` headers.
    pub validators: Validators,
    /// The header fields that speak of the use of the resource, a line each, in their order, with
    /// lower-case names.
    pub headers: Vec<(&'static str, Vec<u8>)>,
    /// The body, after removal of transfer and content encodings.
    pub body: Vec<u8>,
    /// True if the body is known to be incomplete: over a limit, or truncated at capture.
    pub truncated: bool,
    /// For a file named after a host: the number of files of its name that stand before it in its
    /// archive, and that it replaces.
    pub edition: u32,
}

/// The names of header fields that speak of the use of a resource.
pub(crate) const STATED: [&str; 7] = [
    "x-robots-tag",
    "content-usage",
    "content-signal",
    "content-signals",
    "tdm-reservation",
    "tdm-policy",
    "link",
];

/// True if a `Link` has the media type of RSL, perhaps with quoted pairs (RFC 9110 5.6.4). Any
/// other says nothing of uses.
pub(crate) fn is_rsl(link: &[u8]) -> bool {
    let letters = link.iter().filter(|byte| **byte != b'\\').map(u8::to_ascii_lowercase);
    memchr::memmem::find(&letters.collect::<Vec<u8>>(), b"rsl+xml").is_some()
}

/// Bytes of memory that a line of a header takes beside its own.
pub(crate) const LINE: usize = 64;

/// The status of an answer with a part of the resource.
pub(crate) const PARTIAL: u16 = 206;

impl Capture {
    /// The bytes of the body, the URL and what is kept of the header, with [`LINE`] for each line
    /// of that.
    pub(crate) fn length(&self) -> usize {
        let texts = [&self.location, &self.content_type].map(|text| text.as_ref().map_or(0, String::len));
        let headers = self.headers.iter().map(|(_, value)| LINE + value.len());
        self.body.len() + self.url.len() + texts.iter().sum::<usize>() + headers.sum::<usize>()
    }

    /// A fetch of which nothing else is known.
    pub(crate) fn without_answer(url: String, site: SiteKey, fetched_at: i64) -> Capture {
        Capture {
            url,
            site,
            fetched_at,
            status: 0,
            fresh_for: None,
            location: None,
            content_type: None,
            validators: Validators::default(),
            headers: Vec::new(),
            body: Vec::new(),
            truncated: false,
            edition: 0,
        }
    }

    /// True if this is the site's own `/robots.txt`: a bare host, or a URL with exactly that path.
    ///
    /// With a query it is another resource, and so is the root: only a redirect can give those a
    /// meaning.
    pub fn is_robots(&self) -> bool {
        self.after_scheme().is_none_or(|rest| self.is_of(rest, ROBOTS_TXT))
    }

    /// True if this is the site's own `/data.txt` (K1): a URL with exactly that path.
    pub fn is_data_txt(&self) -> bool {
        self.after_scheme().is_some_and(|rest| self.is_of(rest, DATA_TXT))
    }

    /// True if its header may speak of uses.
    pub(crate) fn speaks_of_uses(&self) -> bool {
        self.headers.iter().any(|(name, value)| *name != "link" || is_rsl(value))
    }

    /// The URL, parsed; of a bare host, that of its robots.txt.
    pub(crate) fn parsed_url(&self) -> Option<Url> {
        if !self.is_bare_host() {
            return parse(&self.url).ok();
        }
        let scheme = if self.site.scheme() == Scheme::Https { "https" } else { "http" };
        parse(&format!("{scheme}://{}/{ROBOTS_TXT}", self.url)).ok()
    }

    /// The URL that it redirects to, without its fragment; `None` if it is no redirect or names no
    /// URL. A 304 is none, whatever its header says, and an empty reference names nothing.
    pub(crate) fn redirect(&self) -> Option<Url> {
        let location = self.location.as_deref().filter(|location| !location.is_empty())?;
        let is_redirect = is_redirection(self.status) && self.status != NOT_MODIFIED;
        let mut next = join(&self.parsed_url().filter(|_| is_redirect)?, location).ok()?;
        next.set_fragment(None);
        Some(next)
    }

    /// True if the body is not all of the resource: it was cut, or the answer is a part of it.
    pub(crate) fn is_partial(&self) -> bool {
        self.truncated || self.status == PARTIAL
    }

    /// The body; of one that is partial, the whole lines.
    pub(crate) fn whole_lines(&self) -> &[u8] {
        if self.is_partial() { whole_lines(&self.body) } else { &self.body }
    }

    /// The body; of one that is partial, the whole lines.
    ///
    /// # Errors
    /// [`SkipReason::NoLine`], as [`known_lines`].
    pub fn known_lines(&self) -> Result<&[u8], SkipReason> {
        known_lines(self.status, self.truncated, &self.body)
    }

    /// The key of the captured document; `None` for other URLs.
    pub(crate) fn key(&self) -> Option<SiteKey> {
        if self.is_robots() {
            Some(self.site.clone())
        } else if self.is_data_txt() {
            self.site.with_document(DATA_TXT)
        } else {
            None
        }
    }

    /// The URL from its authority on; `None` for a bare host. As the URL standard reads it, any
    /// number of slashes stands between the two, and tabs and line breaks count for nothing.
    fn after_scheme(&self) -> Option<&str> {
        if self.is_bare_host() { None } else { after_scheme(&self.url) }
    }

    /// True if it is named by a host alone. With a default port, that has a scheme, too.
    fn is_bare_host(&self) -> bool {
        let is_host = |url: &str| !url.contains("://") && SiteKey::from_host(url).as_ref() == Ok(&self.site);
        self.site.scheme() == Scheme::Any || is_host(&self.url)
    }

    /// True if the URL is that of a file in the root. `rest` is its part after the scheme.
    fn is_of(&self, rest: &str, file: &str) -> bool {
        let ends = |byte| matches!(byte, b'/' | b'?' | b'#' | b'\\');
        let Some(path) = rest.bytes().position(ends).map(|end| &rest[end..]) else { return false };
        let path = canonical(path);
        // Dot segments, fragments and backslashes are rare, so they may be parsed twice.
        path.strip_prefix('/') == Some(file)
            || path.contains(file) && parse(&self.url).is_ok_and(|url| is_root_file(&url, file))
    }

    /// Path and query of the URL as written ([`target_of`]); of a bare host, those of its
    /// robots.txt.
    pub(crate) fn target(&self) -> String {
        if self.is_bare_host() { format!("/{ROBOTS_TXT}") } else { target_of(&self.url) }
    }

    /// A hash of everything that can change the compiled document, except for fetch time and
    /// status.
    ///
    /// It breaks ties between captures of one site and second, so that the order of reading does
    /// not.
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(&self.body);
        // Length prefixes separate adjacent fields; fields are written in one fixed order.
        let mut field = |bytes: Option<&[u8]>| {
            hash.update(&bytes.map_or(u64::MAX, |bytes| bytes.len() as u64).to_le_bytes());
            hash.update(bytes.unwrap_or_default());
        };
        field(Some(self.url.as_bytes()));
        field(self.location.as_deref().map(str::as_bytes));
        field(self.content_type.as_deref().map(str::as_bytes));
        for (name, value) in &self.headers {
            field(Some(name.as_bytes()));
            field(Some(value));
        }
        field(self.fresh_for.map(u32::to_le_bytes).as_ref().map(|bytes| &bytes[..]));
        field(Some(&[u8::from(self.truncated)]));
        hash.digest128()
    }
}

/// The file of a site's rules, in its root.
pub(crate) const ROBOTS_TXT: &str = "robots.txt";

/// The bytes of a URL as text; those that are not UTF-8 as escapes (R10).
pub(crate) fn url_text(bytes: &[u8]) -> String {
    let mut url = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        url.push_str(chunk.valid());
        url.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    url
}

/// The rest of an absolute URL from its authority on.
fn after_scheme(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once(':')?;
    Some(rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']))
}

/// Path and query of an absolute URL as written, without what clients drop: white space and control
/// characters at its ends, tabs and line ends within (R9).
pub(crate) fn target_of(url: &str) -> String {
    let rest = after_scheme(url.trim_end_matches(|letter| letter <= ' ')).unwrap_or_default();
    let rest = rest.split('#').next().unwrap_or_default();
    let dropped = ['\t', '\n', '\r'];
    match rest.find(['/', '?', '\\']).map(|end| &rest[end..]) {
        Some(target) if target.starts_with('/') => target.replace(dropped, ""),
        Some(target) => format!("/{}", target.trim_start_matches('\\').replace(dropped, "")),
        None => "/".to_owned(),
    }
}

/// True if a URL is that of this file in a site's root. With a query, it is another resource (R13).
pub(crate) fn is_root_file(url: &Url, file: &str) -> bool {
    canonical(url.path()).strip_prefix('/') == Some(file) && url.query().is_none()
}

/// A path, or path and query, in the bytes in which rules are compared with it (R10): spellings of
/// one URL are one.
pub(crate) fn canonical(target: &str) -> Cow<'_, str> {
    match Notation::Rep.target(target.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(target),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// A fetch that found the content of an earlier capture of the URL and did not store it again: a
/// WARC `revisit` record, or an answer 304 Not Modified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisit {
    /// The answer, without its body; fetched at [`i64::MAX`] if the record has a time that cannot
    /// be read.
    pub answer: Capture,
    /// The site, or another document of it; `None` for any other URL.
    pub key: Option<SiteKey>,
    /// The URL.
    pub url: Url,
    /// When the capture with the content was fetched, as far as the record says; empty if it is not
    /// one of this URL.
    pub of: RangeInclusive<i64>,
    /// The item for the record if there is no such capture.
    pub otherwise: Skipped,
}

/// The result of reading one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A capture of a site's `/robots.txt`.
    Capture(Capture),
    /// A capture of any other URL: used if it is a `/data.txt`, if a robots.txt redirects or refers
    /// to it, or as a page with permissions.
    Target(Capture),
    /// A fetch that found the content of an earlier capture.
    Revisit(Box<Revisit>),
    /// A record that cannot be used, with the reason.
    Skipped(Skipped),
    /// A record of a kind that never contains a capture (WARC `request`, `metadata`, …).
    Ignored,
}

/// The body of an answer of this status; of one that is partial, the whole lines.
///
/// # Errors
/// [`SkipReason::NoLine`] if not even one line of a success is whole: what it says is not known,
/// and a text without a line would allow everything.
pub fn known_lines(status: u16, truncated: bool, body: &[u8]) -> Result<&[u8], SkipReason> {
    if !truncated && status != PARTIAL {
        return Ok(body);
    }
    let lines = whole_lines(body);
    if lines.is_empty() && is_success(status) { Err(SkipReason::NoLine) } else { Ok(lines) }
}

/// The whole lines of a text that was cut; half a line may mean something different.
fn whole_lines(text: &[u8]) -> &[u8] {
    let end = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |last| last + 1);
    &text[..end]
}

/// Limits of the readers. A record over a limit is truncated or skipped, and reported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// Bytes of a decoded body; the rest is dropped and the capture marked truncated.
    pub max_body: usize,
    /// Bytes of a WARC record by its own Content-Length; a longer one is skipped as implausible.
    pub max_record: u64,
    /// Bytes of a WARC header, and of an HTTP header.
    pub max_header: usize,
    /// Bytes of a JSONL line, and of a CSV row.
    pub max_line: usize,
    /// The window of a zstd frame, as a power of two; `zstd` without `--long` writes up to 27.
    pub max_window_log: u32,
    /// Bytes of the dictionary of a zstd file.
    pub max_dictionary: usize,
    /// Entries of a tar or zip archive; the rest is not read.
    pub max_entries: u64,
    /// Bytes of the directory of a zip archive, which takes up to twenty times as much memory; an
    /// archive with a longer one is not read.
    pub max_zip_directory: u64,
    /// Byte ranges in memory, sorted by file and place before they are read.
    pub max_ranges: usize,
    /// True to read every file whose name could be a host as that host's robots.txt, even if name
    /// and content look like something else (`README.md`).
    pub any_name: bool,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            max_body: 8 << 20,
            max_record: 1 << 30,
            max_header: 256 << 10,
            max_line: 64 << 20,
            max_window_log: 27,
            max_dictionary: 16 << 20,
            max_entries: 1 << 24,
            max_zip_directory: 32 << 20,
            max_ranges: 1 << 18,
            any_name: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(url: &str) -> Capture {
        let site = SiteKey::from_host(url).or_else(|_| SiteKey::from_url(url)).expect(url);
        Capture { status: 200, ..Capture::without_answer(url.to_owned(), site, 0) }
    }

    #[test]
    fn links_to_rsl_documents_are_kept() {
        for link in ["<a>; type=application/RSL+xml", r#"<a>; type="application/rs\l\+xml""#] {
            assert!(is_rsl(link.as_bytes()), "{link}");
        }
        assert!(!is_rsl(b"<a>; rel=license"));
    }

    /// Every spelling of a URL is read as the URL standard reads it, which also names the site.
    #[test]
    fn the_robots_txt_of_a_site_is_at_its_root() {
        for scheme in ["http:", "https:", "HTTP:", " http:"] {
            for slashes in ["//", "///", "/", "", "\\", "//\t", "/\n/"] {
                for rest in [
                    "robots.txt",
                    "a/robots.txt",
                    "a/x/../robots.txt",
                    "a/robots.txt#x",
                    "a\\robots.txt",
                    "a/b",
                ] {
                    let url = format!("{scheme}{slashes}{rest}");
                    let Ok(site) = SiteKey::from_url(&url) else { continue };
                    let capture = Capture { site, ..capture("a") };
                    let capture = Capture { url: url.clone(), ..capture };
                    let parsed = url::Url::parse(&url).expect("it names a site");
                    assert_eq!(capture.is_robots(), parsed.path() == "/robots.txt", "{url:?}");
                }
            }
        }
        for url in ["http://a/robots.txt?", "http:/a?u=http://b/robots.txt", "http:/a/x://y/robots.txt"] {
            assert!(!capture(url).is_robots(), "{url}");
        }
        for url in ["http://a/robots%2etxt", "http://a/%72obots.tx%74#x", "http://a/x/../robots%2Etxt"] {
            assert!(capture(url).is_robots(), "{url}");
        }
        for url in ["http://a/robots%2ftxt", "http://a/robots%252etxt", "http://a/robots%2etxt?"] {
            assert!(!capture(url).is_robots(), "{url}");
        }
        assert!(capture("http://a/%64ata.txt").is_data_txt());
        assert!(capture("a:8080").is_robots() && !capture("a").is_data_txt());
        assert!(capture("http://a/data.txt").is_data_txt() && !capture("http:///data.txt").is_data_txt());
    }
}
