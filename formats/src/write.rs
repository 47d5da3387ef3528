//! The canonical writer: equal contents give equal bytes.
//!
//! The compiler's `emit` decides what goes in and in which order; this file decides where each byte lies. It
//! builds the host buckets, lays the sections out and sums them. It knows no rules and no time.

use crate::detail::{Detail, Meta};
use crate::error::ImageError;
use crate::layout::*;
use crate::profile::Profile;
use crate::program::PADDING;
use crate::site::{Outcome, SiteKey};
use std::cell::RefCell;
use zerocopy::IntoBytes;

/// One site of an image.
#[derive(Clone, Debug)]
pub struct Site {
    /// Scheme, host and port.
    pub key: SiteKey,
    /// What became of the fetch.
    pub outcome: Outcome,
    /// The HTTP status, 0 when there was none.
    pub status: u16,
    /// Offset in [`Contents::policies`].
    pub policy: Option<u32>,
    /// Index into [`Contents::documents`].
    pub document: Option<u32>,
    /// Seconds since 1970, 0 when unknown.
    pub fetched_at: u64,
    /// Seconds for which the capture is fresh.
    pub fresh_for: Option<u32>,
}

/// One document: its details, and its text if the image is to hold it.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Encoded by [`encode_detail`].
    pub detail: Vec<u8>,
    /// Encoded by [`encode_source`]; empty to leave the text out.
    pub source: Vec<u8>,
}

/// Everything an image holds, with numbers and offsets already assigned.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The profile.
    pub profile: Profile,
    /// Sites, ascending by key and without duplicates.
    pub sites: Vec<Site>,
    /// Policies end to end.
    pub policies: Vec<u8>,
    /// Lists end to end.
    pub lists: Vec<u8>,
    /// Programs end to end, without the padding: [`write()`] adds it.
    pub programs: Vec<u8>,
    /// Scopes end to end.
    pub scopes: Vec<u8>,
    /// Patterns of purposes, each after its length.
    pub purposes: Vec<u8>,
    /// Crawler names, ascending.
    pub crawlers: Vec<String>,
    /// Usage names by number.
    pub usages: Vec<String>,
    /// The documents.
    pub documents: Vec<Document>,
    /// Provenance.
    pub meta: Meta,
}

/// The bytes of a detail.
pub fn encode_detail(detail: &Detail<'_>) -> Vec<u8> {
    postcard::to_stdvec(detail).unwrap_or_default()
}

/// The bytes of a text: a zstd frame.
pub fn encode_source(text: &[u8]) -> Vec<u8> {
    thread_local! {
        // A context costs more to make than most texts to compress.
        static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> =
            RefCell::new(zstd::bulk::Compressor::new(SOURCE_LEVEL).ok());
    }
    COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(text).ok()).unwrap_or_default()
}

/// The text in bytes made by [`encode_source`]; `None` for others.
pub fn decode_source(bytes: &[u8]) -> Option<Vec<u8>> {
    zstd::decode_all(bytes).ok()
}

/// Level 1 of zstd: texts are read rarely and written always.
const SOURCE_LEVEL: i32 = 1;

/// The whole image.
///
/// # Errors
/// [`ImageError::TooLarge`] when an offset does not fit its field.
pub fn write(contents: &Contents) -> Result<Vec<u8>, ImageError> {
    let fits = |length: usize, what| u32::try_from(length).map_err(|_| ImageError::TooLarge(what));
    if contents.programs.len() >= 1 << 31 {
        return Err(ImageError::TooLarge("2 GiB of programs"));
    }
    if contents.lists.len() >= 1 << 31 {
        return Err(ImageError::TooLarge("2 GiB of lists"));
    }
    fits(contents.policies.len(), "4 GiB of policies")?;
    fits(contents.scopes.len(), "4 GiB of scopes")?;
    fits(contents.purposes.len().saturating_add(1), "4 GiB of purposes")?;
    fits(contents.sites.len(), "2³² sites")?;

    let mut sites = Vec::with_capacity(contents.sites.len() * size_of::<SiteRecord>());
    let mut names = Vec::new();
    let mut fetches = Vec::with_capacity(contents.sites.len() * size_of::<FetchRecord>());
    for site in &contents.sites {
        let record = SiteRecord {
            name_at: fits(names.len(), "4 GiB of site names")?.into(),
            policy: site.policy.unwrap_or(NONE).into(),
            status: site.status.into(),
            name_length: site.key.name().len() as u8,
            state: site.key.scheme() as u8 | (site.outcome as u8) << 2,
        };
        sites.extend_from_slice(record.as_bytes());
        names.extend_from_slice(site.key.name().as_bytes());
        let record = FetchRecord {
            fetched_at: site.fetched_at.into(),
            fresh_for: site.fresh_for.map_or(NONE, |seconds| seconds.min(NONE - 1)).into(),
            document: site.document.unwrap_or(NONE).into(),
        };
        fetches.extend_from_slice(record.as_bytes());
    }
    let (seed, hosts) = buckets(&contents.sites)?;

    let (mut crawlers, mut crawler_names) = (Vec::new(), Vec::new());
    for name in &contents.crawlers {
        let at = fits(crawler_names.len(), "4 GiB of crawler names")?.into();
        crawlers.extend_from_slice(NameRecord { at, length: fits(name.len(), "a name")?.into() }.as_bytes());
        crawler_names.extend_from_slice(name.as_bytes());
    }
    let (mut documents, mut details, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    for document in &contents.documents {
        let record = DocumentRecord {
            detail_at: (details.len() as u64).into(),
            detail_length: fits(document.detail.len(), "4 GiB of one document's details")?.into(),
            source_length: fits(document.source.len(), "4 GiB of one text")?.into(),
            source_at: (sources.len() as u64).into(),
        };
        documents.extend_from_slice(record.as_bytes());
        details.extend_from_slice(&document.detail);
        sources.extend_from_slice(&document.source);
    }
    let programs = [&contents.programs[..], &[0; PADDING]].concat();
    let usages: String = contents.usages.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
    let meta = postcard::to_stdvec(&contents.meta).unwrap_or_default();

    lay_out(contents.profile, seed, |section| match section {
        Section::Hosts => hosts.as_bytes(),
        Section::Sites => &sites,
        Section::Names => &names,
        Section::Policies => &contents.policies,
        Section::Lists => &contents.lists,
        Section::Programs => &programs,
        Section::Scopes => &contents.scopes,
        Section::Purposes => &contents.purposes,
        Section::Crawlers => &crawlers,
        Section::CrawlerNames => &crawler_names,
        Section::Usages => usages.as_bytes(),
        Section::Fetches => &fetches,
        Section::Documents => &documents,
        Section::Details => &details,
        Section::Sources => &sources,
        Section::Meta => &meta,
    })
}

fn lay_out<'c>(
    profile: Profile,
    seed: u64,
    section: impl Fn(Section) -> &'c [u8],
) -> Result<Vec<u8>, ImageError> {
    let mut table = Vec::with_capacity(Section::ALL.len());
    let mut end = HEAD;
    for bytes in Section::ALL.into_iter().map(&section) {
        let at = end.next_multiple_of(ALIGNMENT);
        end = at + bytes.len();
        table.push(SectionRecord {
            at: (at as u64).into(),
            length: (bytes.len() as u64).into(),
            checksum: xxhash_rust::xxh3::xxh3_64(bytes).into(),
        });
    }
    let mut header = Header {
        magic: MAGIC,
        version: VERSION.into(),
        profile: profile as u8,
        sections: Section::ALL.len() as u8,
        reserved: [0; 2],
        length: (end as u64).into(),
        seed: seed.into(),
        checksum: 0.into(),
    };
    header.checksum = crate::read::head_checksum(&header, &table).into();
    let mut image = Vec::with_capacity(end);
    image.extend_from_slice(header.as_bytes());
    image.extend_from_slice(table.as_bytes());
    for (record, bytes) in table.iter().zip(Section::ALL.into_iter().map(&section)) {
        image.resize(record.at.get() as usize, 0);
        image.extend_from_slice(bytes);
    }
    Ok(image)
}

/// Host buckets at three quarters full, under the first seed that displaces no site too far: an adversary who
/// picks hosts that collide under one seed meets the next.
fn buckets(sites: &[Site]) -> Result<(u64, Vec<Bucket>), ImageError> {
    if sites.is_empty() {
        return Ok((0, Vec::new()));
    }
    let count = sites.len().div_ceil(BUCKET_SITES * 3 / 4);
    (0..64)
        .find_map(|seed| Some((seed, fill(sites, seed, count)?)))
        .ok_or(ImageError::TooLarge("host names collide under every seed"))
}

fn fill(sites: &[Site], seed: u64, count: usize) -> Option<Vec<Bucket>> {
    let free =
        Bucket { tags: [0; BUCKET_SITES], overflow: 0, reserved: [0; 3], sites: [0.into(); BUCKET_SITES] };
    let mut buckets = vec![free; count];
    for (number, site) in sites.iter().enumerate() {
        let hash = host_hash(site.key.name().as_bytes(), seed);
        let home = home_bucket(hash, count);
        let mut probes = (0..MAX_PROBE.min(count)).map(|probe| (home + probe) % count);
        let (bucket, place) = probes.find_map(|at| {
            let place = buckets[at].tags.iter().position(|&tag| tag == 0);
            if place.is_none() {
                buckets[at].overflow = 1;
            }
            Some((at, place?))
        })?;
        buckets[bucket].tags[place] = bucket_tag(hash);
        buckets[bucket].sites[place] = (number as u32).into();
    }
    Some(buckets)
}
