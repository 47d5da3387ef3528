//! Images to report on.

use robomaton_compiler::Options as Compiled;
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_report::{Options, Report, SITES, report};
use robomaton_runtime::Image;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// An image of what stands in a file.
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
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.jsonl");
    let line =
        |(host, body): &(&str, &str)| serde_json::json!({ "url": host, "body": body }).to_string() + "\n";
    std::fs::write(&path, texts.iter().map(line).collect::<String>()).expect("it is written");
    image_of(&path, &Compiled::default())
}

/// A report with the policies of this many sites.
pub(crate) fn report_of(image: &Image<Vec<u8>>, sites: usize) -> Report {
    let options = Options { compiled: Compiled::default(), sites };
    report(image, &options, &AtomicU64::new(0)).expect("a report")
}

/// A report with the policies of all sites, as far as they are not too many.
pub(crate) fn whole(image: &Image<Vec<u8>>) -> Report {
    report_of(image, SITES)
}
