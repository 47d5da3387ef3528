//! Captures of a WARC stream, for the service.
//!
//! `corpus` reads the records and follows redirects inside the stream. This file only gives its
//! fetches the form in which they are put. It knows no store.

use crate::Capture;
use crate::json::{AHEAD, is_ahead};
use robomaton_corpus::{Fetched, FetchedRecords, FetchedTooMuch, fetched_in_warc};
use std::io::Read;

/// The captures of a WARC stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarcCaptures {
    /// The captures of robots.txt files, or the reasons why a record cannot be used, in their
    /// order. Each has the offset of its record in the decompressed stream.
    pub records: Vec<(u64, Result<Capture, String>)>,
    /// Records that are no capture of a robots.txt: requests, metadata, pages, targets of
    /// redirects.
    pub others: usize,
}

/// The reason why a WARC stream is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarcTooMuch {
    /// Its records have more bytes when decompressed, or its decoded bodies or its captures do.
    Bytes,
    /// It has more captures and records that cannot be used.
    Records,
}

impl Capture {
    /// Reads a WARC stream, plain or compressed as gzip members: at most `bytes` when decompressed,
    /// as many of captures, and so many captures and useless records. A record of status 301 is
    /// followed to the newest answer of its target in the same stream; `revisit` records count if
    /// the server said that the text is unchanged, as 304. A record without a time was fetched
    /// `now`, in Unix seconds.
    ///
    /// # Errors
    /// If it is over a limit. Nothing of it is returned then.
    pub fn from_warc(
        stream: impl Read,
        now: u64,
        bytes: usize,
        records: usize,
    ) -> Result<WarcCaptures, WarcTooMuch> {
        let read = fetched_in_warc(stream, bytes, records).map_err(|over| match over {
            FetchedTooMuch::Bytes => WarcTooMuch::Bytes,
            FetchedTooMuch::Records => WarcTooMuch::Records,
        })?;
        let FetchedRecords { records, others } = read;
        let capture = |fetched: Fetched| {
            let Fetched { url, fetched_at, status, redirects, headers, body, truncated, refers_to } = fetched;
            let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
            let refers_to = refers_to.map(|times| seconds(*times.start())..=seconds(*times.end()));
            let fetched_at = u64::try_from(fetched_at).ok().filter(|&at| at != 0).unwrap_or(now);
            match is_ahead(fetched_at, now) {
                true => Err(AHEAD.to_owned()),
                false => {
                    Ok(Capture { url, fetched_at, status, redirects, headers, body, truncated, refers_to })
                }
            }
        };
        let record = |(at, fetched): (u64, Result<Fetched, robomaton_corpus::SkipReason>)| {
            (at, fetched.map_err(|reason| reason.to_string()).and_then(capture))
        };
        Ok(WarcCaptures { records: records.into_iter().map(record).collect(), others })
    }
}
