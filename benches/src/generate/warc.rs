//! Writes a generated corpus as a `.warc.gz`: one response record for each site, each a gzip
//! member, as crawlers do.
//!
//! Texts are generated on demand and not stored. All were fetched over https at one time with
//! status 200.

use super::Generator;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Writes the first sites of a corpus; returns the bytes of their bodies.
///
/// # Errors
/// Errors of the writer.
pub fn write(generator: &Generator, sites: u64, mut out: impl Write) -> io::Result<u64> {
    let mut bytes = 0;
    for site in generator.sites(0..sites) {
        let body = generator.text(site.text);
        bytes += body.len() as u64;
        let http = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut member = GzEncoder::new(&mut out, Compression::fast());
        write!(
            member,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://{}/robots.txt\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}",
            site.host,
            http.len() + body.len()
        )?;
        member.write_all(&body)?;
        member.write_all(b"\r\n\r\n")?;
        member.finish()?;
    }
    out.flush()?;
    Ok(bytes)
}
