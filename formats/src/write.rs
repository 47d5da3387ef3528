//! The canonical writer: equal contents give equal bytes.
//!
//! The compiler's `emit` decides what goes in and in which order; this file decides where each byte lies. It numbers
//! the sites as `hosts` places them, lays the sections out and sums them. It knows no rules and no time.

use crate::detail::{Detail, Meta};
use crate::error::ImageError;
use crate::hosts;
use crate::layout::*;
use crate::name;
use crate::profile::Profile;
use crate::program::PADDING;
use crate::ruling::{POLICIES_END, Ruling};
use crate::site::SiteKey;
use std::cell::RefCell;
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

/// One site of an image.
#[derive(Clone, Debug)]
pub struct Site {
    /// Scheme, host and port.
    pub key: SiteKey,
    /// What answers for it: an offset in [`Contents::programs`] or [`Contents::policies`], or what became of the fetch.
    pub ruling: Ruling,
    /// The HTTP status, 0 when there was none.
    pub status: u16,
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
    if contents.policies.len() > POLICIES_END {
        return Err(ImageError::TooLarge("1 GiB of policies"));
    }
    fits(contents.scopes.len(), "4 GiB of scopes")?;
    fits(contents.purposes.len().saturating_add(1), "4 GiB of purposes")?;

    let sites = &contents.sites;
    let table = hosts::Table::of(&sites.iter().map(|site| site.key.name()).collect::<Vec<_>>())?;
    let (mut buckets, mut names) = (Vec::with_capacity(table.len() * size_of::<Bucket>()), Vec::new());
    let mut fetches = Vec::with_capacity(sites.len() * size_of::<FetchRecord>());
    let mut order = vec![U32::ZERO; sites.len()];
    let mut first = 0;
    for (number, (mut bucket, numbers)) in (0..).zip(table.buckets()) {
        bucket.first = first.into();
        bucket.names_at = fits(names.len(), "4 GiB of site names")?.into();
        first += numbers.len() as u32;
        let here = || numbers.iter().map(|&number| &sites[number as usize]);
        name::encode_bucket(here().map(|site| (site.key.name(), site.key.scheme())), &mut names);
        for (place, site) in here().enumerate() {
            bucket.rulings[place] = site.ruling.word().into();
            order[numbers[place] as usize] = (number * BUCKET_SITES as u32 + place as u32).into();
            let record = FetchRecord {
                fetched_at: site.fetched_at.into(),
                fresh_for: site.fresh_for.map_or(NONE, |seconds| seconds.min(NONE - 1)).into(),
                document: site.document.unwrap_or(NONE).into(),
                status: site.status.into(),
            };
            fetches.extend_from_slice(record.as_bytes());
        }
        buckets.extend_from_slice(bucket.as_bytes());
    }

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

    lay_out(contents.profile, table.seed, |section| match section {
        Section::Hosts => &buckets,
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
        Section::Order => order.as_bytes(),
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
