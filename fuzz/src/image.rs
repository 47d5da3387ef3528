//! The bytes of an image, with checksums that hold, through every door.

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
use robomaton_tests::damage::{Patient, URLS, small_image, try_every_door};
use std::convert::Infallible;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| small_image(Profile::Full));

/// Opens an image after its checksums and its size were made to hold.
///
/// # Panics
/// If an image that verifies reports damage, or merges into one that does not verify.
pub fn image(data: &[u8]) {
    if data.len() < HEAD {
        return;
    }
    let mut patient = Patient { bytes: data.to_vec() };
    patient.poke(0, &MAGIC);
    patient.poke(16, &(data.len() as u64).to_le_bytes());
    patient.sum_sections();
    patient.sum_head();
    let bytes = &patient.bytes;
    let found = try_every_door(bytes);
    let is_sound = verify::verify(bytes).is_ok();
    if is_sound {
        let found = found.expect("what verifies opens");
        assert_eq!(found.damaged, 0, "verifies, but answers {found:?}");
    }
    let Ok(image) = Image::from_bytes(&bytes[..]) else { return };
    explain(bytes);
    compare(&image);
    merge(&image, is_sound);
}

fn explain(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    let terms = Terms { now: Some(NOW), ..Terms::default() };
    let image = Image::read(file.path()).expect("it opened before").with_terms(terms);
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

fn compare(image: &Image<&[u8]>) {
    let (names, usages) = (["a".to_owned(), "d".to_owned()], ["crawl".to_owned(), "train".to_owned()]);
    let subjects = Subjects::new(image, &names, &usages);
    let writer = |table| Writer::new(table, Format::Jsonl, std::io::sink()).expect("a sink takes everything");
    let mut writers: Vec<Writer<'_>> = TABLES.iter().map(writer).collect();
    let _ = rows::export(image, &subjects, &mut writers);
    let options = Options { compiled: options_of(image), sites: 10, title: None, lints: "" };
    let _ = report(image, &options, &AtomicU64::new(0));
    let good = Image::from_bytes(&GOOD[..]).expect("a small image opens");
    let of_good = Subjects::new(&good, &names, &usages);
    let uses = UsesAsked { crawlers: &names, usages: &usages };
    let Ok(_) = diff([&good, image], [&of_good, &subjects], uses, |_| Ok::<(), Infallible>(()));
}

fn merge(image: &Image<&[u8]>, is_sound: bool) {
    let good = Image::from_bytes(&GOOD[..]).expect("a small image opens");
    let Ok(merge) = Merge::new(&[image.view(), good.view()]) else { return };
    let mut out = Vec::new();
    if merge.write((0, 0), || Ok(Vec::new()), &mut out).is_ok() && is_sound {
        verify::verify(&out).expect("what is merged of sound images verifies");
    }
    let _ = try_every_door(&out);
}
