//! The statistics of a run.

use crate::Skipped;
use std::collections::BTreeMap;
use std::time::Duration;

/// Statistics of what was read, compiled, skipped and over a limit.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Captures of robots.txt.
    pub captures: u64,
    /// Revisits of robots.txt and data.txt: fetches that found the content of an older capture.
    pub revisits: u64,
    /// Documents whose capture was renewed by a revisit.
    pub renewed: u64,
    /// Sites in the image.
    pub sites: u64,
    /// Sites by outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Captures of data.txt.
    pub data_captures: u64,
    /// data.txt documents in the image, by outcome.
    pub data_txt: BTreeMap<&'static str, u64>,
    /// Referenced files of the same site that were read together with a robots.txt (V16).
    pub references_found: u64,
    /// Referenced files that are not among the captures: answers for the crawlers concerned are
    /// incomplete.
    pub references_missing: u64,
    /// Referenced files that were left out because those of one text are too long together; answers
    /// are incomplete, too.
    pub references_over: u64,
    /// Captures of pages that were read for permissions.
    pub pages: u64,
    /// Pages in the image: the newest capture of each URL, if it has permissions.
    pub pages_with_permissions: u64,
    /// Captures of pages that were not read to the end, or that have more permissions than the
    /// limit.
    pub pages_cut: u64,
    /// Bytes of the captures of pages that were read.
    pub page_bytes: u64,
    /// Distinct bodies that were compiled, including superseded ones.
    pub distinct_bodies: u64,
    /// Bytes of all bodies, including those of pages and of other URLs.
    pub captured_bytes: u64,
    /// Bytes of distinct bodies that were compiled, including superseded ones, but not pages.
    pub distinct_bytes: u64,
    /// Distinct bodies that the compiler left partly unread because of its byte limit (R4).
    pub cut_bodies: u64,
    /// Sites in the image with such a text.
    pub cut_sites: Vec<String>,
    /// Captures that were truncated before: their last, partial line is not read.
    pub truncated: u64,
    /// Captures of other URLs, used only as targets of redirects and references, and as pages.
    pub other_captures: u64,
    /// True if there were too many of them to keep: redirects and references may then have no
    /// target although it was captured.
    pub others_dropped: bool,
    /// Sites whose text exceeds a limit, and the limit.
    pub over_limit: Vec<(String, String)>,
    /// Skipped records, by the name of the reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first skipped records, each with its place and reason.
    pub skipped_examples: Vec<String>,
    /// Records of kinds that never contain a capture.
    pub ignored_records: u64,
    /// Time spent reading, without waiting.
    pub read_time: Duration,
    /// Time spent hashing and compiling, the sum of all threads.
    pub compile_time: Duration,
    /// Time spent writing the image.
    pub emit_time: Duration,
    /// Total time.
    pub total_time: Duration,
}

/// The number of skipped records that a report quotes.
const EXAMPLES: usize = 20;

impl Report {
    /// Counts a skipped record, and quotes it if it is one of the first.
    pub(super) fn skip(&mut self, Skipped { source, at, reason }: &Skipped) {
        *self.skipped.entry(reason.name()).or_default() += 1;
        if self.skipped_examples.len() < EXAMPLES {
            // For the start of a file, the file name is enough: a file that is one capture has no
            // line numbers.
            let place = if *at == 0 { source.clone() } else { format!("{source}:{at}") };
            self.skipped_examples.push(format!("{place}: {reason}"));
        }
    }
}
