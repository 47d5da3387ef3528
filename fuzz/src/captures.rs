//! A stream of captures through its reader.

use robomaton_compiler::{Options, compile};
use robomaton_corpus::{Item, ReadLimits, read_from, read_page};
use std::ops::ControlFlow;

/// The names that choose a format, or leave it to be detected.
const NAMES: [&str; 11] = [
    "x.warc",
    "x.warc.gz",
    "x.jsonl",
    "x.csv",
    "x.tar",
    "x.tgz",
    "x.cdxj",
    "x",
    "a.example.txt",
    "x.warc.zst",
    "x.csv.zst",
];

/// Reads a stream. Bit 7 of the first byte chooses small limits, the others the name.
///
/// # Panics
/// If a limit does not hold.
pub fn captures(data: &[u8]) {
    let Some((&options, stream)) = data.split_first() else { return };
    let limits = limits(options);
    let name = NAMES[usize::from(options & 0x7F) % NAMES.len()];
    let _ = read_from(name, stream, &limits, &mut |item| {
        note(item, &limits);
        ControlFlow::Continue(())
    });
}

/// The limits of a reader: the default, or small ones.
pub(crate) fn limits(options: u8) -> ReadLimits {
    let mut limits = ReadLimits::default();
    if options & 1 << 7 != 0 {
        limits.max_body = 4096;
        limits.max_record = 1 << 16;
        limits.max_header = 2048;
        limits.max_line = 8192;
        limits.max_entries = 64;
        limits.max_zip_directory = 4096;
        limits.max_ranges = 16;
    }
    limits
}

/// Uses what a reader found.
pub(crate) fn note(item: Item, limits: &ReadLimits) {
    match item {
        Item::Capture(capture) | Item::Target(capture) => {
            assert!(capture.body.len() <= limits.max_body, "a body is longer than the limit");
            let _ = (capture.is_robots(), capture.is_data_txt(), capture.fingerprint());
            let _ = read_page(&capture.body, capture.content_type.as_deref());
            if capture.body.len() <= 4096 {
                let _ = compile(&capture.body, Some(capture.site.authority()), &Options::default());
            }
        }
        Item::Skipped(skipped) => drop(skipped.reason.to_string()),
        Item::Revisit(_) | Item::Ignored => {}
    }
}
