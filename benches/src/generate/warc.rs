//! Writes a generated corpus as WARC: one response record for each site, in a `.warc.gz` each a
//! gzip member, as crawlers do.
//!
//! Texts are generated on demand and not stored. All were fetched over https with status 200.

use super::{Generator, Site};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Writes the first sites of a corpus, compressed, all fetched at one time; returns the bytes of
/// their bodies.
///
/// # Errors
/// Errors of the writer.
pub fn write(generator: &Generator, sites: u64, mut out: impl Write) -> io::Result<u64> {
    let mut bytes = 0;
    for site in generator.sites(0..sites) {
        let body = generator.text(site.text);
        bytes += body.len() as u64;
        let mut member = GzEncoder::new(&mut out, Compression::fast());
        record(&mut member, &site, "2026-01-01", &body)?;
        member.finish()?;
    }
    out.flush()?;
    Ok(bytes)
}

/// Writes the first sites of a corpus, not compressed; those with an odd number were fetched a day
/// later.
///
/// # Errors
/// Errors of the writer.
pub fn write_plain(generator: &Generator, sites: u64, mut out: impl Write) -> io::Result<()> {
    for (number, site) in (0..sites).zip(generator.sites(0..sites)) {
        let date = if number % 2 == 0 { "2026-01-01" } else { "2026-01-02" };
        record(&mut out, &site, date, &generator.text(site.text))?;
    }
    out.flush()
}

fn record(out: &mut impl Write, site: &Site, date: &str, body: &[u8]) -> io::Result<()> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    write!(
        out,
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://{}/robots.txt\r\nWARC-Date: {date}T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}",
        site.host,
        http.len() + body.len()
    )?;
    out.write_all(body)?;
    out.write_all(b"\r\n\r\n")
}
