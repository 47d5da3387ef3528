//! A small image with a bit of everything, ways to damage it, and a caller that tries every method
//! on the result.
//!
//! For the damage suite and the fuzz targets. Checksums are recomputed here, so that a patch can
//! pass them and reach the validity rule behind them. This file does not know which check finds
//! which damage.

use robomaton_compiler::{
    CompileContext, Document, Element, Entry, MetaTag, Options, Page, compile, compile_with, emit,
};
use robomaton_formats::layout::{BUCKET_BODY, BUCKET_SITES, Bucket, HEAD, Header, Section, SectionRecord};
use robomaton_formats::{Context, ImageError, Outcome, Profile, SiteKey};
use robomaton_runtime::{Basis, Crawler, Image, Question, Terms, Usage, Verdict};
use xxhash_rust::xxh3::xxh3_64;

/// Texts: wildcards, several programs for one crawler, escapes, extensions, a non-standard usage;
/// one program for all.
const TEXTS: [&str; 3] = [
    "User-agent: a\nUser-agent: *\nDisallow: /*.gif$\nAllow: /%2A*x*y\nCrawl-delay: 2.5\nNoindex: /n*o\n\
     \nUser-agent: a\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: b\nSitemap: https://x.example/s.xml\n",
    "User-agent: c\nDisallow: /\n\nUser-agent: d\nDisallow: /aa*bb\nDisallow: /aa*cc*dd$\nAllow: /ab\nAllow: /b\n",
    "User-agent: *\nDisallow: /p\n",
];

/// Fields of every kind together with conventional groups: conditions, purposes, a special usage
/// and its general form, patterns that match the same targets, references to an existing and to a
/// missing file.
const RECORDS: &str = "##ACAP version=1.0\nUser-agent: *\nDisallow: /p\nDisallow: /*.gif$\nUser-agent: a\nAllow: /p/o\n\
     ACAP-qualified-usage: q present-snippet max-length=9-words\nACAP-resource-set: s /p /p* /p** /n*o\n\
     ACAP-crawler: *\nACAP-disallow-crawl: the-acap:resource-set:s\nACAP-allow-crawl: /p*n$\n\
     ACAP-allow-(q): /\nACAP-disallow-present: /p\nACAP-allow-other: /n time-limit=3-days\n\
     ACAP-permissions-reference: /r.txt\nACAP-permissions-reference: /none.txt\n\
     ACAP-crawler: a\nACAP-allow-crawl: /p time-limit=until-recrawled\nACAP-disallow-train: /*\n\
     ACAP-usage-purpose: news*\nACAP-usage-purpose: ads\nACAP-disallow-crawl: /private$\nACAP-request-take-down: /p\n";

/// The contents of `/r.txt`.
const REFERRED: &str = "ACAP-crawler: b\nACAP-crawler: *\nACAP-disallow-index: /%2A*x\n";

/// Rule sets of two versions, and their records about time.
const VERSIONED: &str = "User-agent: a\nRobot-version: 2.0.0\nAllow: /p*\nDisallow: *.gif\nRequest-rate: 1/10m 0600-0845\n\
     Visit-time: 0600-0845\n\nUser-agent: *\nRobot-version: 1.0\nDisallow: /n\nComment: hello\n";

/// The URLs to query in the small image.
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

/// Names of crawlers in the small image, and one that it does not contain.
const CRAWLERS: [&str; 5] = ["a", "b", "c", "d", "nobody"];

/// The small image: three sites with rules, one of them with one program for all crawlers, and one
/// without. Under `full`, also one with ACAP records and pages, one with pages only, one with
/// versioned rule sets, and a data.txt.
///
/// # Panics
/// Never: a few sites fit an image.
pub fn small_image(profile: Profile) -> Vec<u8> {
    let options = Options { profile, ..Options::default() };
    let documents = TEXTS.map(|text| compile(text.as_bytes(), None, &options));
    let site = |url| SiteKey::from_url(url).expect("a good URL");
    let more = more_documents(&options);
    let mut entries = vec![
        Entry { fetched_at: 1_700_000_000, ..Entry::fetched(site(URLS[0]), &documents[0]) },
        Entry { fresh_for: Some(60), ..Entry::fetched(site(URLS[3]), &documents[1]) },
        Entry::fetched(site(URLS[11]), &documents[2]),
        Entry {
            site: site(URLS[5]),
            outcome: Outcome::Unavailable,
            status: 404,
            fetched_at: 1,
            fresh_for: None,
            document: None,
        },
    ];
    if profile == Profile::Full {
        let [records, pages, versions, data] = &more;
        entries.push(Entry::fetched(site(URLS[7]), records));
        entries.push(Entry {
            outcome: Outcome::Unavailable,
            status: 404,
            ..Entry::fetched(site(URLS[9]), pages)
        });
        entries.push(Entry::fetched(site(URLS[10]), versions));
        let key = site(URLS[10]).with_document("data.txt").expect("a short name");
        entries.push(Entry { fetched_at: 9, ..Entry::fetched(key, data) });
    }
    emit(entries, &options).expect("a few sites fit an image")
}

/// ACAP records with pages, pages alone, versioned rule sets, a data.txt.
fn more_documents(options: &Options) -> [Document; 4] {
    let meta = |name: &str, content: &str| MetaTag {
        name: name.to_owned(),
        content: content.to_owned(),
        line: 3,
        in_noscript: false,
    };
    let metas = vec![
        meta("robots", "noindex"),
        meta("robots", "ACAP news allow-crawl"),
        meta("a", "ACAP disallow-present time-limit=3-days"),
    ];
    let page = |url: &str, metas: Vec<MetaTag>| Page {
        url: url.to_owned(),
        target: "/p".to_owned(),
        metas,
        elements: vec![Element { token: "the-acap:disallow-present-snippet".to_owned(), line: 9 }],
        ..Page::default()
    };
    let files = [("/r.txt", REFERRED.as_bytes())];
    let around = |pages| CompileContext { files: &files, pages, ..CompileContext::default() };
    let of_records = [page("https://zacap.example/p", vec![meta("robots", "ACAP disallow-other")])];
    let alone = [page("https://zpage.example/p", metas)];
    let koster = Options { profile: Profile::Koster, ..options.clone() };
    [
        compile_with(RECORDS.as_bytes(), &around(&of_records), options),
        compile_with(b"", &around(&alone), options),
        compile(VERSIONED.as_bytes(), None, options),
        compile(b"User-agent: a\nDisallow: /private\n\nUser-agent: *\nAllow: /\n", None, &koster),
    ]
}

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

/// Opens the bytes and tries every method: sites, documents, crawlers, verdicts one by one and in a
/// batch, with and without elements of pages, rules and conditions, details, texts.
///
/// # Errors
/// If the image does not open.
pub fn try_every_door(bytes: &[u8]) -> Result<Found, ImageError> {
    let terms = Terms { now: Some(1_800_000_000), ..Terms::default() };
    let image = Image::from_bytes(bytes)?.with_terms(terms);
    let mut found = Found::default();
    let crawlers: Vec<Crawler> = CRAWLERS.iter().map(|name| image.crawler([name])).collect();
    let present = image.usage("present-snippet");
    let usages: [Usage<'_>; 6] = [
        Usage::CRAWL,
        Usage::INDEX,
        Usage::CRAWL.for_purpose("newsletter"),
        image.usage("train"),
        present,
        image.usage("other").for_purpose("ads"),
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
    Ok(found)
}
