//! A file through the readers that need to seek.

use crate::captures::{limits, note};
use robomaton_corpus::{Input, read};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

/// Reads a file. Bit 7 of the first byte chooses small limits, the others the extension.
///
/// # Panics
/// If a limit does not hold.
pub fn archive(data: &[u8]) {
    let Some((&options, bytes)) = data.split_first() else { return };
    let limits = limits(options);
    let extension = [".zip", ".parquet", ".jsonl", ".warc"][usize::from(options & 0x7F) % 4];
    let file = tempfile::Builder::new().suffix(extension).tempfile().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    let _ = read(&[Input::Path(file.path().to_owned())], &limits, &AtomicU64::new(0), &mut |item| {
        note(item, &limits);
        ControlFlow::Continue(())
    });
}
