//! Images for reports.
#![allow(dead_code, reason = "each test file uses its part")]

use robomaton_compiler::Options as Compiled;
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_report::{Options, Report, SITES, report};
use robomaton_runtime::Image;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// An image of the captures in a file.
pub(crate) fn image_of(path: &Path, compiled: &Compiled) -> Image<Vec<u8>> {
    let options = BatchOptions { compile: compiled.clone(), ..BatchOptions::default() };
    let built = build(&[Input::Path(path.to_owned())], &options, &Progress::default()).expect("it builds");
    Image::from_bytes(built.image).expect("an image")
}

/// The sample.
pub(crate) fn sample(compiled: &Compiled) -> Image<Vec<u8>> {
    image_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/sample.warc.gz"), compiled)
}

/// An image of these hosts and texts.
pub(crate) fn image(texts: &[(&str, &str)]) -> Image<Vec<u8>> {
    let line =
        |(host, body): &(&str, &str)| serde_json::json!({ "url": host, "body": body }).to_string() + "\n";
    image_of_lines(&texts.iter().map(line).collect::<String>())
}

/// An image of captures in JSON lines.
pub(crate) fn image_of_lines(lines: &str) -> Image<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.jsonl");
    std::fs::write(&path, lines).expect("it is written");
    image_of(&path, &Compiled::default())
}

/// A report with the policies of this many sites.
pub(crate) fn report_of(image: &Image<Vec<u8>>, sites: usize) -> Report {
    report(image, &options(sites), &AtomicU64::new(0)).expect("a report")
}

/// The options of these reports.
pub(crate) fn options(sites: usize) -> Options {
    let lints = include_str!("../../../LINTS.md");
    Options { compiled: Compiled::default(), sites, title: None, lints }
}

/// A report with the policies of all sites, up to the default limit.
pub(crate) fn whole(image: &Image<Vec<u8>>) -> Report {
    report_of(image, SITES)
}
