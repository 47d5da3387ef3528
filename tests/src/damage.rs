//! A small image with something of everything, ways to damage it, and a caller who tries every door of what is left.
//!
//! For the damage suite and the fuzz targets. Checksums are computed here again, so that a patch can pass them and
//! meet the rule behind them. It does not know which damage is found by whom.

use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::layout::{HEAD, Header, Section, SectionRecord};
use robomaton_formats::{ImageError, Outcome, Profile, SiteKey};
use robomaton_runtime::{Basis, Crawler, Image, Question, Terms, Usage, Verdict};
use xxhash_rust::xxh3::xxh3_64;

/// Three texts: wildcards, several programs of one crawler, escapes, extensions, a usage of its own.
const TEXTS: [&str; 2] = [
    "User-agent: a\nUser-agent: *\nDisallow: /*.gif$\nAllow: /%2A*x*y\nCrawl-delay: 2.5\nNoindex: /n*o\n\
     \nUser-agent: a\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: b\nSitemap: https://x.example/s.xml\n",
    "User-agent: c\nDisallow: /\n\nUser-agent: d\nDisallow: /aa*bb\nDisallow: /aa*cc*dd$\nAllow: /ab\nAllow: /b\n",
];

/// What the small image is asked about.
pub const URLS: [&str; 8] = [
    "https://x.example/private/open",
    "https://x.example/n/o/x.gif",
    "https://x.example/%2axxy%C3",
    "http://y.example:8080/aa/bb/cc/dd",
    "http://y.example:8080/robots.txt",
    "https://z.example/",
    "https://nowhere.example/a",
    "no url",
];

/// Names of crawlers that the small image holds, and one that it does not.
const CRAWLERS: [&str; 5] = ["a", "b", "c", "d", "nobody"];

/// The small image: two sites with rules, one without.
///
/// # Panics
/// Never: three sites fit an image.
pub fn small_image(profile: Profile) -> Vec<u8> {
    let options = Options { profile, ..Options::default() };
    let documents = TEXTS.map(|text| compile(text.as_bytes(), None, &options));
    let site = |url| SiteKey::from_url(url).expect("a good URL");
    let entries = vec![
        Entry { fetched_at: 1_700_000_000, ..Entry::fetched(site(URLS[0]), &documents[0]) },
        Entry { fresh_for: Some(60), ..Entry::fetched(site(URLS[3]), &documents[1]) },
        Entry {
            site: site(URLS[5]),
            outcome: Outcome::Unavailable,
            status: 404,
            fetched_at: 1,
            fresh_for: None,
            document: None,
        },
    ];
    emit(entries, 3, &options).expect("three sites fit an image")
}

/// An image to be changed.
#[derive(Clone, Debug)]
pub struct Patient {
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Patient {
    /// Where the table says that a section lies: offset and length.
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

    /// Makes the checksums of all sections that lie inside the file hold.
    pub fn sum_sections(&mut self) {
        for section in Section::ALL {
            let (at, length) = self.section(section);
            if let Some(bytes) = at.checked_add(length).and_then(|end| self.bytes.get(at..end)) {
                let sum = xxh3_64(bytes);
                self.poke(row(section) + 16, &sum.to_le_bytes());
            }
        }
    }

    /// Makes the checksum of header and section table hold.
    pub fn sum_head(&mut self) {
        self.poke(CHECKSUM, &[0; 8]);
        let sum = xxh3_64(&self.bytes[..HEAD]);
        self.poke(CHECKSUM, &sum.to_le_bytes());
    }

    fn word(&self, at: usize) -> u64 {
        self.bytes[at..].first_chunk().map_or(0, |&octets| u64::from_le_bytes(octets))
    }
}

/// Offset of the header's checksum, its last field.
const CHECKSUM: usize = size_of::<Header>() - 8;

/// Offset of a section's row in the table.
pub fn row(section: Section) -> usize {
    size_of::<Header>() + section as usize * size_of::<SectionRecord>()
}

/// What came of trying every door of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Verdicts that call the image damaged.
    pub damaged: usize,
    /// Decided verdicts whose rule cannot be named.
    pub unnamed: usize,
    /// Verdicts in all.
    pub verdicts: usize,
}

/// Opens the bytes and tries every door: sites, crawlers, verdicts one by one and in a batch, rules, details, texts.
///
/// # Errors
/// When they do not open.
pub fn try_every_door(bytes: &[u8]) -> Result<Found, ImageError> {
    let terms = Terms { now: Some(1_800_000_000), ..Terms::default() };
    let image = Image::from_bytes(bytes)?.with_terms(terms);
    let mut found = Found::default();
    let mut note = |verdict: &Verdict<'_>| {
        found.verdicts += 1;
        found.damaged += usize::from(verdict.basis() == Basis::Damaged);
        let named = !matches!(verdict.basis(), Basis::Rule(_)) || verdict.rule().is_some();
        found.unnamed += usize::from(!named);
    };
    let crawlers: Vec<Crawler> = CRAWLERS.iter().map(|name| image.crawler([name])).collect();
    let usages: [Usage; 3] = [Usage::CRAWL, Usage::INDEX, image.usage("train")];
    let mut questions = Vec::new();
    for crawler in &crawlers {
        for usage in usages {
            questions.extend(URLS.map(|url| Question { crawler, usage, url }));
        }
    }
    for &Question { crawler, usage, url } in &questions {
        note(&image.decide(crawler, usage, url));
    }
    image.decide_batch(questions.iter().copied(), |verdict| note(&verdict));
    for site in image.sites() {
        for crawler in &crawlers {
            for url in [URLS[1], "/aa/b/cc.gif", "/"] {
                note(&site.decide(crawler, Usage::CRAWL, url));
                note(&site.access(crawler, Usage::INDEX).decide(url));
            }
            let _ = (site.crawl_delay(crawler), site.extensions(crawler));
        }
        let _ = (site.authority(), site.scheme(), site.outcome(), site.status(), site.fetched_at());
        let _ = (site.fresh_for(), site.is_stale(), site.document(), site.detail(), site.sitemaps());
        let _ = site.source(1 << 16);
    }
    let _ = (image.len(), image.profile(), image.view().meta(), image.view().usages().count());
    Ok(found)
}
