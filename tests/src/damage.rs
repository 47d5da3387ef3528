//! Images to be damaged, ways to damage them, and a caller that tries every method on the result.
//!
//! For the damage suite, the fuzz targets and `reliability`. Checksums are recomputed here, so that
//! a patch can pass them and reach the validity rule behind them. This file does not know which
//! check finds which damage.

mod images;

pub use images::{images, shards, small_image};

use robomaton_formats::layout::{BUCKET_BODY, BUCKET_SITES, Bucket, HEAD, Header, Section, SectionRecord};
use robomaton_formats::{Context, ImageError};
use robomaton_runtime::{Basis, Crawler, Image, Question, Terms, Usage, Verdict};
use xxhash_rust::xxh3::xxh3_64;

/// The URLs to query.
pub const URLS: [&str; 13] = [
    "https://x.example/private/open",
    "https://x.example/n/o/x.gif",
    "https://x.example/%2axxy%C3",
    "http://y.example:8080/aa/bb/cc/dd",
    "http://y.example:8080/robots.txt",
    "https://z.example/",
    "https://nowhere.example/a",
    "https://zacap.example/p/on",
    "https://zacap.example/n/o/x.gif",
    "https://zpage.example/p",
    "https://zversions.example/p/x.gif",
    "http://zplain.example/p/x",
    "no url",
];

/// Names of crawlers in the images, and one that they do not contain.
const CRAWLERS: [&str; 5] = ["a", "b", "c", "d", "nobody"];

/// An image to be damaged.
#[derive(Clone, Debug)]
pub struct Patient {
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Patient {
    /// The offset and length of a section according to the section table.
    pub fn section(&self, section: Section) -> (usize, usize) {
        (self.word(row(section)) as usize, self.word(row(section) + 8) as usize)
    }

    /// Writes bytes at an offset of a section.
    pub fn patch(&mut self, section: Section, at: usize, bytes: &[u8]) {
        let at = self.section(section).0 + at;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes bytes at an offset of the file.
    pub fn poke(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Recomputes the checksums of all sections that lie inside the file.
    pub fn sum_sections(&mut self) {
        for section in Section::ALL {
            let (at, length) = self.section(section);
            if let Some(bytes) = at.checked_add(length).and_then(|end| self.bytes.get(at..end)) {
                let sum = xxh3_64(bytes);
                self.poke(row(section) + 16, &sum.to_le_bytes());
            }
        }
    }

    /// Recomputes the checksum of header and section table.
    pub fn sum_head(&mut self) {
        self.poke(CHECKSUM, &[0; 8]);
        let sum = xxh3_64(&self.bytes[..HEAD]);
        self.poke(CHECKSUM, &sum.to_le_bytes());
    }

    /// Recomputes all checksums.
    pub fn sum(&mut self) {
        self.sum_sections();
        self.sum_head();
    }

    /// Writes the length of the file into the header.
    pub fn set_length(&mut self) {
        let length = self.bytes.len() as u64;
        self.poke(LENGTH, &length.to_le_bytes());
    }

    /// A number at an offset of a section.
    pub fn u32(&self, section: Section, at: usize) -> u32 {
        let at = self.section(section).0 + at;
        self.bytes[at..].first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }

    /// The offset in [`Section::Hosts`] and the value of the head of the first name.
    pub fn first_head(&self) -> (usize, u8) {
        let hosts = &self.bytes[self.section(Section::Hosts).0..];
        let sites = hosts[..BUCKET_SITES].iter().take_while(|&&fingerprint| fingerprint != 0).count();
        let at = size_of::<Bucket>() - BUCKET_BODY + sites * size_of::<u32>();
        (at, hosts[at])
    }

    fn word(&self, at: usize) -> u64 {
        self.bytes[at..].first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
    }
}

/// Offset of the file's length in the header.
const LENGTH: usize = 16;
/// Offset of the header's checksum, its last field.
const CHECKSUM: usize = size_of::<Header>() - 8;

/// Offset of a section's row in the table.
pub fn row(section: Section) -> usize {
    size_of::<Header>() + section as usize * size_of::<SectionRecord>()
}

/// The result of trying every method of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Verdicts that report damage.
    pub damaged: usize,
    /// Decided verdicts without a rule.
    pub unnamed: usize,
    /// The total number of verdicts.
    pub verdicts: usize,
}

impl Found {
    fn note(&mut self, verdict: &Verdict<'_>) {
        self.verdicts += 1;
        self.damaged += usize::from(verdict.basis() == Basis::Damaged);
    }
}

/// Opens the bytes and tries every method.
///
/// # Errors
/// If the image does not open.
pub fn try_every_door(bytes: &[u8]) -> Result<Found, ImageError> {
    Ok(try_every_method(Image::from_bytes(bytes)?))
}

/// Tries every method of an image: sites, documents, crawlers, verdicts one by one and in a batch,
/// with and without elements of pages, rules and conditions, details, texts.
pub fn try_every_method<D: AsRef<[u8]>>(image: Image<D>) -> Found {
    let image = image.with_terms(Terms { now: Some(1_800_000_000), ..Terms::default() });
    let mut found = Found::default();
    let crawlers: Vec<Crawler> = CRAWLERS.iter().map(|name| image.crawler([name])).collect();
    let present = image.usage("present-snippet");
    let usages: [Usage<'_>; 7] = [
        Usage::CRAWL,
        Usage::INDEX,
        Usage::CRAWL.for_purpose("newsletter"),
        image.usage("train"),
        present,
        image.usage("other").for_purpose("ads"),
        image.usage("ai-train"),
    ];
    let mut questions = Vec::new();
    for crawler in &crawlers {
        for usage in usages {
            questions.extend(URLS.map(|url| Question { crawler, usage, url }));
        }
    }
    image.decide_in_blocks(questions.iter().copied(), |verdict| found.note(&verdict));
    for (number, &Question { crawler, usage, url }) in questions.iter().enumerate() {
        let verdict = image.decide(crawler, usage, url);
        found.note(&verdict);
        // Only some verdicts are explained, in turn, since each explanation decodes the cold
        // sections.
        if number % 7 == 0 {
            let named = !matches!(verdict.basis(), Basis::Rule | Basis::Fields) || verdict.rule().is_some();
            found.unnamed += usize::from(!named);
            let conditional = verdict.conditional();
            let _ = conditional.map(|conditional| conditional.holds(&Context::default()));
            let _ = (verdict.account(), verdict.rules().len(), verdict.safe_decision());
        }
    }
    for site in image.entries() {
        for crawler in &crawlers {
            for url in [URLS[1], "/aa/b/cc.gif", "/"] {
                found.note(&site.decide(crawler, Usage::CRAWL, url));
                found.note(&site.access(crawler, Usage::INDEX).decide(url));
            }
            let _ = (site.crawl_delay(crawler), site.extensions(crawler));
            let _ = (site.requests(crawler), site.schedule(crawler).wait(1_800_000_000, Some(0), None));
        }
        let _ = (site.authority(), site.scheme(), site.outcome(), site.status(), site.fetched_at());
        let _ = (site.fresh_for(), site.is_stale(), site.document(), site.detail(), site.sitemaps());
        let _ = (site.document_name(), site.source(1 << 16));
    }
    for document in image.documents().chain(image.document(URLS[10], "data.txt")) {
        found.note(&document.decide(&crawlers[0], Usage::CRAWL, URLS[10]));
    }
    let _ = (image.len(), image.profile(), image.view().meta(), image.view().usages().count());
    let image = image.with_terms(Terms { elements: true, ..Terms::default() });
    let crawler = image.crawler(["a"]);
    for url in URLS {
        found.note(&image.decide(&crawler, present, url));
    }
    found
}
