//! Files that are named after a host: each is the robots.txt of that host, and nothing else.
//!
//! `input` calls it with a file whose name `kind` has read. Invariant: the content of such a file
//! is untrusted and counts for that host only; if the name is in doubt (`doubt`), most lines must
//! be robots.txt records. It does not know other formats.

use crate::doubt::is_robots;
use crate::kind::{HostName, Kind};
use crate::record::Content;
use crate::source::Source;
use crate::window::Window;
use crate::{Capture, ReadLimits, SkipReason, Validators};
use robomaton_formats::layout::MAGIC;
use robomaton_formats::site::SiteKey;
use std::io::{self, Read};
use std::path::Path;

/// Reads the robots.txt of a host. The fetch time is unknown: the time of the file is that of the
/// copy. In an archive, it has the number of an edition.
pub(crate) fn read(
    name: HostName,
    data: Box<dyn Read + '_>,
    edition: u32,
    limits: &ReadLimits,
) -> Result<Content, SkipReason> {
    let body = match Source::open(data, limits) {
        Ok(Source::Plain(file)) => body(file, limits),
        Ok(packed) => body(Window::new(packed), limits),
        Err(error) => Err(error),
    };
    let body = match body {
        Ok(body) => body,
        Err(error) => return name.unread(SkipReason::Io(error.to_string()), limits),
    };
    if body.starts_with(&MAGIC) {
        return Err(SkipReason::Image);
    }
    match name.doubt.filter(|_| !limits.any_name && !is_robots(&body)) {
        Some(doubt) => Err(SkipReason::NoRobots(doubt)),
        None => Ok(Content::Capture(Capture { edition, ..capture(name.host, name.site, body, limits) })),
    }
}

impl HostName {
    /// The content of a file of this name that cannot be read: a capture of the host, unless the
    /// name is in doubt.
    pub(crate) fn unread(self, reason: SkipReason, limits: &ReadLimits) -> Result<Content, SkipReason> {
        match self.doubt.is_none() || limits.any_name {
            true => Ok(Content::Unread(Capture::without_answer(self.host, self.site, 0), reason)),
            false => Err(reason),
        }
    }
}

/// Reads a file with the extension of this kind that does not begin like one (`example.zip` is also
/// a host): the robots.txt of that host, or nothing. In an archive, it is one of several editions.
pub(crate) fn read_misnamed(
    path: &Path,
    kind: Kind,
    window: &mut Window<'_>,
    edition: u32,
    limits: &ReadLimits,
) -> Result<Content, SkipReason> {
    let wrong = SkipReason::Misnamed(kind.name());
    let name = path.file_name().and_then(|name| HostName::of(&name.to_string_lossy()));
    let Some(HostName { host, site, .. }) = name else { return Err(wrong) };
    let doubt = window.known_doubt(1);
    let body = body(window, limits).map_err(|error| SkipReason::Io(error.to_string()))?;
    if !is_robots(&body) {
        return Err(wrong);
    }
    Ok(match doubt {
        Some(reason) => Content::Unread(Capture::without_answer(host, site, 0), reason),
        None => Content::Capture(Capture { edition, ..capture(host, site, body, limits) }),
    })
}

/// Bytes behind the limit of a body that are passed to reach its checksum: it may be compressed, or
/// in a zip archive.
const BEHIND: u64 = 128 << 20;

/// The body; one that is too long has one byte more than the limit.
fn body(mut data: impl Read, limits: &ReadLimits) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    data.by_ref().take((limits.max_body as u64).saturating_add(1)).read_to_end(&mut body)?;
    if body.len() > limits.max_body && io::copy(&mut data.take(BEHIND), &mut io::sink())? == BEHIND {
        return Err(io::Error::other("it is so long that its end was not looked at"));
    }
    Ok(body)
}

/// The capture of a host whose robots.txt has this body.
fn capture(host: String, site: SiteKey, mut body: Vec<u8>, limits: &ReadLimits) -> Capture {
    let truncated = body.len() > limits.max_body;
    body.truncate(limits.max_body);
    Capture {
        url: host,
        site,
        fetched_at: 0,
        status: 200,
        fresh_for: None,
        location: None,
        content_type: None,
        validators: Validators::default(),
        headers: Vec::new(),
        body,
        truncated,
        edition: 0,
    }
}
