//! URL → site and target: splits the authority from the bytes that rules match (R9).
//!
//! A plain host is split by hand ([`split_plain`]); everything else goes through the `url` crate by
//! way of [`SiteKey`]. A test compares the two. The target is always the caller's own bytes: dot
//! segments and doubled slashes stay (R15). Only white space and control characters at the ends of
//! an absolute URL are no part of it, as the URL standard says.

use robomaton_formats::notation::{first_bytes, is_plain, lowercase_in};
use robomaton_formats::site::{
    Scheme, SiteError, SiteKey, after_authority, from_first, split_plain, split_scheme, trimmed,
};
use robomaton_formats::{Notation, Profile};
use std::borrow::Cow;
use wide::u8x16;

/// A URL's site, borrowed from the URL if it was canonical.
pub(crate) struct Authority<'u> {
    pub(crate) scheme: Scheme,
    pub(crate) bytes: Cow<'u, [u8]>,
}

/// The subject of matching: path and query as written in the URL, beginning with a slash.
pub(crate) struct Target<'u> {
    raw: Cow<'u, [u8]>,
}

impl<'u> Target<'u> {
    fn new(raw: impl Into<Cow<'u, [u8]>>) -> Target<'u> {
        Target { raw: raw.into() }
    }

    /// The bytes as written, possibly followed by a fragment. A match that ends before the fragment
    /// need not search for it.
    #[inline(always)]
    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The bytes without a fragment (R9).
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        without_fragment(&self.raw)
    }

    /// The same, detached from the target.
    pub(crate) fn into_bytes(self) -> Cow<'u, [u8]> {
        match self.raw {
            Cow::Borrowed(raw) => Cow::Borrowed(without_fragment(raw)),
            Cow::Owned(raw) => Cow::Owned(without_fragment(&raw).to_vec()),
        }
    }
}

fn without_fragment(raw: &[u8]) -> &[u8] {
    memchr::memchr(b'#', raw).and_then(|at| raw.get(..at)).unwrap_or(raw)
}

/// Bytes on the stack for a target that must be rewritten. A target of up to a third of it never
/// allocates.
pub(crate) const SPACE: usize = 3 * 1024;
/// The same for short targets: clearing much more space takes longer than rewriting them.
pub(crate) const SHORT_SPACE: usize = 256;

/// Space on the stack for a target in canonical bytes.
pub(crate) struct Space<const N: usize = SPACE>([u8; N]);

impl<const N: usize> Space<N> {
    #[inline(always)]
    pub(crate) fn new() -> Space<N> {
        Space([0; N])
    }
}

/// A target in canonical bytes of a notation, in `space` if it fits.
#[inline]
pub(crate) fn canonical<'t, const N: usize>(
    notation: Notation,
    target: &'t [u8],
    space: &'t mut Space<N>,
) -> Cow<'t, [u8]> {
    match notation.target_in(target, &mut space.0) {
        Some(bytes) => Cow::Borrowed(bytes),
        None => notation.target(target),
    }
}

/// Passes a target in canonical bytes of a notation to `take`.
#[inline(always)]
pub(crate) fn rewritten<T>(notation: Notation, target: &[u8], take: impl FnOnce(&[u8]) -> T) -> T {
    if 3 * target.len() <= SHORT_SPACE {
        take(&canonical(notation, target, &mut Space::<SHORT_SPACE>::new()))
    } else {
        take(&canonical(notation, target, &mut Space::<SPACE>::new()))
    }
}

/// A target for many programs, with its canonical bytes in the notations of fields (`acap`), and of
/// conventional rules and pages (`rep`).
pub(crate) struct Spellings<'t> {
    pub(crate) raw: &'t [u8],
    pub(crate) acap: Cow<'t, [u8]>,
    pub(crate) rep: Cow<'t, [u8]>,
}

impl<'t> Spellings<'t> {
    /// The spellings of a target, possibly followed by a fragment.
    #[inline]
    pub(crate) fn new<const N: usize>(raw: &'t [u8], [acap, rep]: &'t mut [Space<N>; 2]) -> Spellings<'t> {
        // Nearly every target is plain, which is then found out once. It has no fragment.
        if raw.len() <= N && is_plain(raw) {
            let acap = lowercase_in(raw, &mut acap.0).unwrap_or_default();
            return Spellings { raw, acap: Cow::Borrowed(acap), rep: Cow::Borrowed(raw) };
        }
        let raw = without_fragment(raw);
        Spellings { raw, acap: canonical(Notation::Acap, raw, acap), rep: canonical(Notation::Rep, raw, rep) }
    }
}

/// A URL as it is written, split after `http(s)://` and at the next slash. Its host is the site's
/// name if it equals one, byte by byte; what it is otherwise, only [`split`] knows.
#[derive(Clone, Copy)]
pub(crate) struct Written<'u> {
    pub(crate) scheme: Scheme,
    /// The bytes after `://`.
    pub(crate) text: &'u [u8],
    /// The length of the host.
    pub(crate) length: usize,
}

impl<'u> Written<'u> {
    /// Splits a URL; `None` if it does not begin with `http://` or `https://`.
    #[inline(always)]
    pub(crate) fn of(url: &'u [u8]) -> Option<Written<'u>> {
        let (scheme, text) = split_scheme(url)?;
        Some(Written { scheme, text, length: slash(text) })
    }

    /// The host, and the port if there is one.
    #[inline(always)]
    pub(crate) fn host(&self) -> &'u [u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    /// The path, if there is one.
    #[inline(always)]
    pub(crate) fn path(&self) -> Option<&'u [u8]> {
        self.text.get(self.length..).filter(|path| !path.is_empty())
    }

    /// The target, if the host is a site's name.
    #[inline(always)]
    pub(crate) fn target(&self, profile: Profile, url: &'u str) -> Target<'u> {
        match profile.notation() {
            Notation::Google => google(url.as_bytes()),
            _ => path(self.text.get(self.length..).unwrap_or_default()),
        }
    }
}

/// The position of the first slash, or the length.
#[inline(always)]
fn slash(text: &[u8]) -> usize {
    let slashes = |bytes| u8x16::new(bytes).simd_eq(u8x16::splat(b'/')).to_bitmask();
    let (mut at, mut rest) = (0, text);
    while let Some((block, behind)) = rest.split_first_chunk::<16>() {
        let found = slashes(*block);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        (at, rest) = (at + 16, behind);
    }
    match slashes(first_bytes(rest)) {
        0 => text.len(),
        found => at + found.trailing_zeros() as usize,
    }
}

/// Splits an absolute URL into site and target.
#[inline]
pub(crate) fn split(profile: Profile, url: &str) -> Result<(Authority<'_>, Target<'_>), SiteError> {
    let (authority, rest) = match split_plain(url.as_bytes()) {
        Some((scheme, bytes, rest)) => (Authority { scheme, bytes: Cow::Borrowed(bytes) }, rest),
        None => {
            let key = SiteKey::parse(url)?;
            let bytes = Cow::Owned(key.authority().as_bytes().to_vec());
            (Authority { scheme: key.scheme(), bytes }, after_authority(trimmed(url.as_bytes())))
        }
    };
    let target = match profile.notation() {
        Notation::Google => google(url.as_bytes()),
        _ => path(rest),
    };
    Ok((authority, target))
}

/// The bytes of a URL, or of a path with query, that rules are matched against, as written (R9).
pub fn target_of(profile: Profile, url: &str) -> Cow<'_, [u8]> {
    target(profile, url).into_bytes()
}

/// The target of a URL or of a path alone.
#[inline]
pub(crate) fn target(profile: Profile, url: &str) -> Target<'_> {
    let url = trimmed(url.as_bytes());
    match profile.notation() {
        Notation::Rep | Notation::Koster if url.first() == Some(&b'/') => path(url),
        Notation::Google => google(url),
        _ if has_scheme(url) => path(after_authority(url)),
        _ => path(url),
    }
}

fn has_scheme(url: &[u8]) -> bool {
    [&b"https:"[..], b"http:"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// R9: an empty path is `/`.
#[inline]
fn path(rest: &[u8]) -> Target<'_> {
    match rest {
        [b'/', ..] => Target::new(rest),
        [] | [b'#', ..] => Target::new(&b"/"[..]),
        [b'\\', rest @ ..] => Target::new([b"/", rest].concat()),
        _ => Target::new([b"/", rest].concat()),
    }
}

/// The target as google/robotstxt takes it from a URL or a path: from the first of `/`, `?` and `;`
/// after the protocol (if there is one before them) or after two leading slashes, up to the
/// fragment. White space and control characters at the ends are no part of a URL (R9).
fn google(url: &[u8]) -> Target<'_> {
    const PROTOCOL: &[u8] = b"://";
    let url = trimmed(url);
    let url = url.strip_prefix(b"//").unwrap_or(url);
    let begins_path = |byte| matches!(byte, b'/' | b'?' | b';');
    let host = match memchr::memmem::find(url, PROTOCOL).and_then(|at| url.split_at_checked(at)) {
        // A path, parameter or query that begins before `://` means that this is no protocol.
        Some((before, after)) if !before.iter().copied().any(begins_path) => {
            after.strip_prefix(PROTOCOL).unwrap_or(after)
        }
        _ => url,
    };
    let target = from_first(host, begins_path);
    let front = url.strip_suffix(target).unwrap_or_default();
    match without_fragment(target) {
        _ if target.is_empty() || front.contains(&b'#') => Target::new(&b"/"[..]),
        target @ [b'/', ..] => Target::new(target),
        target => Target::new([b"/", target].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of the slow path alone.
    fn slow(url: &str) -> Option<(String, Vec<u8>)> {
        let key = SiteKey::parse(url).ok()?;
        let rest = after_authority(trimmed(url.as_bytes()));
        Some((key.to_string(), path(rest).bytes().to_vec()))
    }

    #[test]
    fn fast_and_slow_path_agree() {
        let hosts = [
            "a",
            "example.com",
            "a.b-c.d_e",
            "1.2.3.4",
            "1.2",
            "0x7f.1",
            "a.1",
            "a.1b",
            "x.0xa",
            "a..b",
            ".a",
            "a.",
            "",
            "xn--bcher-kva.de",
            "xn--a",
            "a--b.c",
            "EXAMPLE.com",
            "b%41.c",
            "[::1]",
            "u@h.de",
            "a:b@c.d",
            "bü.de",
            "a b",
            "-a.b",
            "a-.b",
            "_x._y",
            "exactly-sixteen.",
            "of.seventeen.in.all",
            "one-more-block-a",
            "two--",
            "a.doubled-hyphen-in-the-second-block.--.of",
            "a.doubled.dot.in.the.second..block",
            "a.host.of.sixty-three.octets.in.all.which.is.as.many.as.may.be.x",
            "a.host.of.sixty-four.octets.in.all.which.is.one.more.than.may.be",
            "a.host.of.seventy.octets.and.more.than.that.which.is.far.more.than.may.be",
        ];
        let ports = ["", ":", ":80", ":443", ":8080", ":080", ":65535", ":65536", ":99999", ":8x", ":1:2"];
        let rests = [
            "", "/", "/a?b#c", "?q", "#f", "\\a", "/a b", "//x/../y", "/%41", " ", "/ ", "/a.gif ", "/a\r\n",
            "/a?b#c\t", "?q \x0C", "/a\x0B", "/a\x01",
        ];
        for scheme in
            ["http://", "https://", "HTTP://", "http:", "https:///", "ftp://", " http://", "http:\t//"]
        {
            for (host, port) in hosts.iter().flat_map(|host| ports.map(|port| (host, port))) {
                for rest in rests {
                    let url = format!("{scheme}{host}{port}{rest}");
                    let fast = split(Profile::Full, &url).ok().map(|(authority, target)| {
                        let scheme = if authority.scheme == Scheme::Http { "http" } else { "https" };
                        let authority = String::from_utf8(authority.bytes.into_owned()).unwrap();
                        (format!("{scheme}://{authority}"), target.bytes().to_vec())
                    });
                    assert_eq!(fast, slow(&url), "{url:?}");
                }
            }
        }
    }

    /// White space and control characters at the ends are no part of a path either (R9).
    #[test]
    fn paths_alone() {
        let urls = ["/a.gif", "/a.gif ", "/a.gif\x0B", " /a.gif", "/a.gif\x00\r\n", "http://h/a.gif "];
        for profile in Profile::ALL {
            // To google's parser, it is a host.
            let relative = Some(" a.gif\t").filter(|_| profile != Profile::Google);
            for url in urls.into_iter().chain(relative) {
                assert_eq!(target(profile, url).bytes(), b"/a.gif", "{profile:?} {url:?}");
            }
        }
    }

    #[test]
    fn targets_of_googles_parser() {
        for (url, target) in [
            ("", "/"),
            ("http://www.example.com", "/"),
            ("http://www.example.com/", "/"),
            ("http://www.example.com/a", "/a"),
            ("http://www.example.com/a?b=c#d", "/a?b=c"),
            ("http://www.example.com/a/b?c=http://d.e/", "/a/b?c=http://d.e/"),
            ("http://www.example.com?q", "/?q"),
            ("http://www.example.com;p", "/;p"),
            ("//www.example.com/a/b", "/a/b"),
            ("example.com/x", "/x"),
            ("a#b/c", "/"),
            ("/x#y", "/x"),
            (" http://www.example.com/a \r\n", "/a"),
            ("http://www.example.com/a b\tc", "/a b\tc"),
        ] {
            assert_eq!(String::from_utf8(google(url.as_bytes()).bytes().to_vec()).unwrap(), target, "{url}");
        }
    }
}
