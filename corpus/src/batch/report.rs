//! What became of a run, in counts.

use crate::Skipped;
use std::collections::BTreeMap;
use std::time::Duration;

/// What was read, compiled, skipped and over a limit.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Captures of robots.txt.
    pub captures: u64,
    /// Revisits of robots.txt and data.txt: fetches that found what an older capture holds.
    pub revisits: u64,
    /// Documents whose capture one of them made new.
    pub renewed: u64,
    /// Sites in the image.
    pub sites: u64,
    /// Sites by the name of their outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Captures of data.txt.
    pub data_captures: u64,
    /// Documents data.txt in the image by the name of their outcome.
    pub data_txt: BTreeMap<&'static str, u64>,
    /// Files of their own site that robots.txt files refer to and that were read with them (V16).
    pub references_found: u64,
    /// Those that the captures do not hold: answers for the crawlers concerned are incomplete.
    pub references_missing: u64,
    /// Those that were left out because all of one text together are too long; answers are
    /// incomplete, too.
    pub references_over: u64,
    /// Captures of pages that were read for permissions.
    pub pages: u64,
    /// Pages in the image: those with permissions, of each URL the newest capture.
    pub pages_with_permissions: u64,
    /// Captures of pages that were not read to their end, or hold more than is kept of one page.
    pub pages_cut: u64,
    /// Bytes of the captures of pages that were read.
    pub page_bytes: u64,
    /// Distinct bodies that were compiled, superseded ones included.
    pub distinct_bodies: u64,
    /// Bytes of all bodies, those of pages and of other URLs included.
    pub captured_bytes: u64,
    /// Bytes of distinct bodies that were compiled, superseded ones included; pages are none.
    pub distinct_bytes: u64,
    /// Distinct bodies of which the compiler left a part unread, being over its limit of bytes
    /// (R4).
    pub cut_bodies: u64,
    /// Sites in the image whose text is such a body.
    pub cut_sites: Vec<String>,
    /// Captures that were cut before they came here: their last, partial line is not read.
    pub truncated: u64,
    /// Captures of other URLs, of use only as targets of redirects and references, and as pages.
    pub other_captures: u64,
    /// Whether there were too many of them to keep: then redirects and references may lead nowhere
    /// that would not.
    pub others_dropped: bool,
    /// Sites whose text exceeds a limit, and which.
    pub over_limit: Vec<(String, String)>,
    /// Records skipped, by the name of the reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first skipped records, each with its place and reason.
    pub skipped_examples: Vec<String>,
    /// Records that never hold a capture.
    pub ignored_records: u64,
    /// Time in which the reader waited for nobody.
    pub read_time: Duration,
    /// Time of hashing and compiling, waits for the reader excluded.
    pub compile_time: Duration,
    /// Time of making the image.
    pub emit_time: Duration,
    /// Time from begin to end.
    pub total_time: Duration,
}

/// Skipped records that a report quotes.
const EXAMPLES: usize = 20;

impl Report {
    /// Counts a skipped record, and quotes it if it is one of the first.
    pub(super) fn skip(&mut self, Skipped { source, at, reason }: &Skipped) {
        *self.skipped.entry(reason.name()).or_default() += 1;
        if self.skipped_examples.len() < EXAMPLES {
            // At its begin, a file is place enough: a file that is one capture has no lines to
            // point at.
            let place = if *at == 0 { source.clone() } else { format!("{source}:{at}") };
            self.skipped_examples.push(format!("{place}: {reason}"));
        }
    }
}
