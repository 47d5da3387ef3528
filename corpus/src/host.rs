//! Files that are named after a host: each is the robots.txt of that host, and nothing else.
//!
//! Called by `input` with a file whose name `kind` has read. Invariant: the content of such a file
//! is a stranger's and speaks for that host alone; where the name leaves a doubt (`doubt`), most
//! lines must be records of robots.txt. It does not know other formats.

use crate::doubt::is_robots;
use crate::kind::{HostName, Kind};
use crate::source::Source;
use crate::window::Window;
use crate::{Capture, ReadLimits, SkipReason};
use robomaton_formats::layout::MAGIC;
use robomaton_formats::site::SiteKey;
use std::io::{self, Read};
use std::path::Path;

/// Reads the robots.txt of a host. The time of its fetch is unknown: the time of the file is that
/// of its copy.
pub(crate) fn read(
    name: HostName,
    data: Box<dyn Read + '_>,
    limits: &ReadLimits,
) -> Result<Capture, SkipReason> {
    let body = match Source::open(data, limits) {
        Ok(Source::Plain(file)) => body(file, limits),
        Ok(packed) => body(Window::new(packed), limits),
        Err(error) => Err(error),
    };
    let body = body.map_err(|error| SkipReason::Io(error.to_string()))?;
    if body.starts_with(&MAGIC) {
        return Err(SkipReason::Image);
    }
    match name.doubt.filter(|_| !limits.any_name && !is_robots(&body)) {
        Some(doubt) => Err(SkipReason::NoRobots(doubt)),
        None => Ok(capture(name.host, name.site, body, limits)),
    }
}

/// Reads a file whose name ends as those of this kind do, and that does not begin as one
/// (`example.zip` is a host as well): the robots.txt of the host of that name, or nothing.
pub(crate) fn read_misnamed(
    path: &Path,
    kind: Kind,
    window: &mut Window<'_>,
    limits: &ReadLimits,
) -> Result<Capture, SkipReason> {
    let wrong = SkipReason::Misnamed(kind.name());
    let name = path.file_name().and_then(|name| HostName::of(&name.to_string_lossy()));
    let Some(HostName { host, site, .. }) = name else { return Err(wrong) };
    let body = body(window, limits).map_err(|error| SkipReason::Io(error.to_string()))?;
    if is_robots(&body) { Ok(capture(host, site, body, limits)) } else { Err(wrong) }
}

/// The body; of one that is too long, one byte more than the limit.
fn body(data: impl Read, limits: &ReadLimits) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    data.take((limits.max_body as u64).saturating_add(1)).read_to_end(&mut body)?;
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
        body,
        truncated,
    }
}
