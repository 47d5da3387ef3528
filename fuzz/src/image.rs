//! An image through every door: one file, with checksums that hold, or the shards of a directory.

use crate::NOW;
use robomaton_compiler::Merge;
use robomaton_explain::{Query, SiteInfo, canonical_url, options_of, similar_site};
use robomaton_formats::layout::{HEAD, MAGIC};
use robomaton_formats::{Profile, verify};
use robomaton_report::{Options, report};
use robomaton_runtime::{Image, Terms};
use robomaton_tables::diff::diff;
use robomaton_tables::rows::{self, Subjects};
use robomaton_tables::schema::TABLES;
use robomaton_tables::use_changes::UsesAsked;
use robomaton_tables::write::{Format, Writer};
use robomaton_tests::damage::{Found, Patient, URLS, small_image, try_every_door, try_every_method};
use std::convert::Infallible;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

static GOOD: LazyLock<Image> = LazyLock::new(|| read(&small_image(Profile::Full)));

/// What became of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageState {
    /// It opens.
    pub opens: bool,
    /// It passes verification.
    pub verifies: bool,
}

/// Opens an image after its checksums and its size were made to hold.
///
/// # Panics
/// As [`every_door`].
pub fn image(data: &[u8]) {
    if data.len() < HEAD {
        return;
    }
    let mut patient = Patient { bytes: data.to_vec() };
    patient.poke(0, &MAGIC);
    patient.set_length();
    patient.sum();
    every_door(&patient.bytes);
}

/// Asks, explains, exports, reports, compares and merges an image.
///
/// # Panics
/// If an image that verifies reports damage, or merges into one that does not verify.
pub fn every_door(bytes: &[u8]) -> ImageState {
    let found = try_every_door(bytes).ok();
    let verifies = verify::verify(bytes).is_ok();
    let _ = verifies.then(|| verify::verify_with_texts(bytes));
    assert!(found.is_some() || !verifies, "verifies, but does not open");
    found.map_or(ImageState::default(), |found| further_doors(&read(bytes), found, verifies))
}

/// Does the same with the shards in a directory.
///
/// # Panics
/// As [`every_door`].
pub fn every_door_of_shards(directory: &Path) -> ImageState {
    let Ok(image) = Image::read(directory) else { return ImageState::default() };
    let found = try_every_method(image.clone());
    let verifies = image.verify().is_ok();
    let _ = verifies.then(|| image.verify_with_texts());
    further_doors(&image, found, verifies)
}

/// Reads an image as the command does.
fn read(bytes: &[u8]) -> Image {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    Image::read(file.path()).expect("it opened before")
}

fn further_doors(image: &Image, found: Found, verifies: bool) -> ImageState {
    assert!(!verifies || found.damaged == 0, "verifies, but answers {found:?}");
    explain(image);
    compare(image);
    assert!(merge(image) || !verifies, "verifies, but merges into what does not");
    ImageState { opens: true, verifies }
}

fn explain(image: &Image) {
    let image = image.clone().with_terms(Terms { now: Some(NOW), ..Terms::default() });
    for (number, url) in URLS.into_iter().enumerate() {
        let query = Query {
            agents: vec![["a", "b", "nobody"][number % 3].to_owned()],
            usage: ["crawl", "present-snippet", "ai-train"][number % 3].to_owned(),
            purpose: None,
            elements: false,
            named_only: false,
        };
        let _ = robomaton_explain::explain(&image, &query, None, url);
        let _ = (SiteInfo::find(&image, url, NOW), similar_site(&image, url));
        let _ = image.site(url).map(|site| canonical_url(&site, url));
    }
}

fn compare(image: &Image) {
    let (names, usages) = (["a".to_owned(), "d".to_owned()], ["crawl".to_owned(), "train".to_owned()]);
    let subjects = Subjects::new(image, &names, &usages);
    let writer = |table| Writer::new(table, Format::Jsonl, std::io::sink()).expect("a sink takes everything");
    let mut writers: Vec<Writer<'_>> = TABLES.iter().map(writer).collect();
    let _ = rows::export(image, &subjects, &mut writers);
    let options = Options { compiled: options_of(image), sites: 10, title: None, lints: "" };
    let _ = report(image, &options, &AtomicU64::new(0));
    let of_good = Subjects::new(&*GOOD, &names, &usages);
    let uses = UsesAsked { crawlers: &names, usages: &usages };
    let Ok(_) = diff([&*GOOD, image], [&of_good, &subjects], uses, |_| Ok::<(), Infallible>(()));
}

/// Merges an image; false if the result does not verify.
fn merge(image: &Image) -> bool {
    let shards: Vec<Image<&[u8]>> = image.shards().collect();
    let own: Vec<_> = shards.iter().map(Image::view).collect();
    let together = [own.as_slice(), &[GOOD.view()]].concat();
    // Images that were compiled in another way than the good one are merged alone.
    let Ok(merge) = Merge::new(&together).or_else(|_| Merge::new(&own)) else { return true };
    let mut out = Vec::new();
    let is_written = merge.write((0, 0), || Ok(Vec::new()), &mut out).is_ok();
    let _ = try_every_door(&out);
    !is_written || verify::verify(&out).is_ok()
}
