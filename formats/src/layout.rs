//! The bytes of an image as types: header, section table, fixed records (SPEC.md sections 2 to 5
//! and 7).
//!
//! All records are little-endian with alignment 1, so a mapped file is read in place. A test
//! compares the sizes and section numbers with the tables of SPEC.md. This file knows no algorithm
//! except the host hash.

use crate::int::low_byte;
use crate::name::Names;
use crate::site_entry::SiteEntry;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"ROBOMAT\x1A";
/// The only format version that this crate reads and writes.
pub const VERSION: u32 = 8;
/// Sections begin at multiples of this offset, so that a bucket is one pair of cache lines.
pub const ALIGNMENT: usize = 128;
/// The number of places in one bucket of [`Section::Hosts`].
pub const BUCKET_SITES: usize = 8;
/// The bytes of a bucket for the entries and names of its sites.
pub const BUCKET_BODY: usize = 115;
/// The number of buckets that a site may stand in. Readers look into no more.
pub const MAX_PROBE: usize = 64;
/// The maximum length of a text in bytes.
pub const MAX_TEXT: u64 = 1 << 30;
/// "None" in fields that hold an offset or a number.
pub const NONE: u32 = u32::MAX;

/// The sections in file order: first the ones that all verdicts need, then the ones for
/// explanations, and for verdicts that depend on the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Section {
    /// [`Bucket`]s: host hash → the entries and names of sites.
    Hosts = 0,
    /// The codes of names that are too long for a bucket (`name`).
    Names = 1,
    /// Policies: crawler → sets (`policy`).
    Policies = 2,
    /// Lists of entries, for sets with more than one program.
    Lists = 3,
    /// Programs, one after the other (`program`).
    Programs = 4,
    /// Scopes, one after the other: which patterns are narrower than which (`scope`).
    Scopes = 5,
    /// Patterns of purposes, each a varint length and its bytes.
    Purposes = 6,
    /// [`NameRecord`]s of the crawlers, in name order.
    Crawlers = 7,
    /// The crawlers' names, one after the other.
    CrawlerNames = 8,
    /// Names of usages, one per line, in number order.
    Usages = 9,
    /// [`FetchRecord`]s, one per site.
    Fetches = 10,
    /// The places of the sites in the buckets, in key order.
    Order = 11,
    /// [`DocumentRecord`]s, one per distinct text.
    Documents = 12,
    /// Details of documents: rules with line and text, extension records (`detail`).
    Details = 13,
    /// The texts themselves, each a zstd frame; empty if compiled without texts.
    Sources = 14,
    /// Provenance (`detail::Meta`).
    Meta = 15,
}

impl Section {
    /// Every section, in file order.
    pub const ALL: [Section; 16] = [
        Section::Hosts,
        Section::Names,
        Section::Policies,
        Section::Lists,
        Section::Programs,
        Section::Scopes,
        Section::Purposes,
        Section::Crawlers,
        Section::CrawlerNames,
        Section::Usages,
        Section::Fetches,
        Section::Order,
        Section::Documents,
        Section::Details,
        Section::Sources,
        Section::Meta,
    ];

    /// The name in SPEC.md, `inspect` and errors.
    pub const fn name(self) -> &'static str {
        match self {
            Section::Hosts => "hosts",
            Section::Names => "names",
            Section::Policies => "policies",
            Section::Lists => "lists",
            Section::Programs => "programs",
            Section::Scopes => "scopes",
            Section::Purposes => "purposes",
            Section::Crawlers => "crawlers",
            Section::CrawlerNames => "crawler-names",
            Section::Usages => "usages",
            Section::Fetches => "fetches",
            Section::Order => "order",
            Section::Documents => "documents",
            Section::Details => "details",
            Section::Sources => "sources",
            Section::Meta => "meta",
        }
    }

    /// True if any verdict reads the section; the others are for explanations, and for verdicts
    /// that depend on the time or on who speaks.
    pub const fn is_hot(self) -> bool {
        (self as u8) < Section::Usages as u8
    }

    /// The size of one record; 1 for sections without fixed records.
    pub const fn record(self) -> usize {
        match self {
            Section::Hosts => size_of::<Bucket>(),
            Section::Crawlers => size_of::<NameRecord>(),
            Section::Fetches => size_of::<FetchRecord>(),
            Section::Order => size_of::<U32>(),
            Section::Documents => size_of::<DocumentRecord>(),
            _ => 1,
        }
    }
}

/// The header, at byte 0.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`].
    pub version: U32,
    /// The number of the profile.
    pub profile: u8,
    /// The number of sections, which is the length of [`Section::ALL`].
    pub sections: u8,
    /// The number of this shard, from 0.
    pub shard: u8,
    /// The number of the last shard; 0 if the image is not sharded.
    pub last_shard: u8,
    /// The length of the file in bytes.
    pub length: U64,
    /// The seed of the host hash.
    pub seed: U64,
    /// xxh3-64 of the header with this field zero, followed by the section table.
    pub checksum: U64,
}

/// One row of the section table, which follows the header. Rows are in the order of
/// [`Section::ALL`].
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct SectionRecord {
    /// Offset of the first byte, a multiple of [`ALIGNMENT`].
    pub at: U64,
    /// Length in bytes, a multiple of the record size.
    pub length: U64,
    /// xxh3-64 of the section's bytes.
    pub checksum: U64,
}

/// Places for sites whose names hash alike, with everything that a look-up reads: a pair of cache
/// lines. Places are filled from the first on, and sites are numbered by bucket, then by place.
///
/// ```text
/// body := u32 entry × sites, u8 head × sites, code × sites, zeros
/// ```
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Bucket {
    /// One byte of each site's hash, never 0; 0 marks a free place.
    pub fingerprints: [u8; BUCKET_SITES],
    /// The [`overflow_bit`]s of the sites that moved to a later bucket because this one was full.
    pub overflow: u8,
    /// The number of its first site: the count of sites in all earlier buckets.
    pub first: U32,
    /// The site entries (`site_entry`), then the names (`name`).
    pub body: [u8; BUCKET_BODY],
}

impl Bucket {
    /// The number of sites in the bucket.
    #[inline(always)]
    pub fn sites(&self) -> usize {
        BUCKET_SITES - u64::from_le_bytes(self.fingerprints).leading_zeros() as usize / 8
    }

    /// The first place with this non-zero fingerprint.
    #[inline(always)]
    pub fn place(&self, fingerprint: u8) -> Option<usize> {
        self.places(fingerprint).next()
    }

    /// The places with this non-zero fingerprint, in order.
    #[inline(always)]
    pub fn places(&self, fingerprint: u8) -> impl Iterator<Item = usize> + use<> {
        const LOW: u64 = u64::from_le_bytes([0x7F; BUCKET_SITES]);
        let other = u64::from_le_bytes(self.fingerprints) ^ u64::from_le_bytes([fingerprint; BUCKET_SITES]);
        // The high bit of each zero byte. No carry crosses a byte.
        let mut equal = !(((other & LOW) + LOW) | other | LOW);
        std::iter::from_fn(move || {
            let place = equal.trailing_zeros() as usize / 8;
            equal &= equal.wrapping_sub(1);
            (place < BUCKET_SITES).then_some(place)
        })
    }

    /// The word of the site entry in a place.
    #[inline(always)]
    pub fn entry_word(&self, place: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.body.get(4 * place..)?.first_chunk()?))
    }

    /// The site entry in a place; `None` if it is of no kind.
    #[inline(always)]
    pub fn entry(&self, place: usize) -> Option<SiteEntry> {
        SiteEntry::from_raw(self.entry_word(place)?)
    }

    /// The names of the sites.
    #[inline(always)]
    pub fn names(&self) -> Names<'_> {
        let sites = self.sites();
        Names::read(self.body.get(4 * sites..).unwrap_or_default(), sites)
    }
}

/// The name of a crawler.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct NameRecord {
    /// Offset in [`Section::CrawlerNames`].
    pub at: U32,
    /// Length in bytes.
    pub length: U32,
}

/// The time and status of fetching a site's robots.txt, and the number of its document.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FetchRecord {
    /// Unix seconds; 0 if unknown.
    pub fetched_at: U64,
    /// The freshness lifetime in seconds, as stated by the capture, or [`NONE`].
    pub fresh_for: U32,
    /// The number of the document, or [`NONE`].
    pub document: U32,
    /// The HTTP status of the capture, or 0 if there was none.
    pub status: U16,
}

/// The location of one document's details and text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct DocumentRecord {
    /// Offset in [`Section::Details`].
    pub detail_at: U64,
    /// Length of the detail.
    pub detail_length: U32,
    /// Length of the zstd frame; 0 if the image holds no text.
    pub source_length: U32,
    /// Offset in [`Section::Sources`].
    pub source_at: U64,
}

/// The length of header and section table together, in bytes.
pub const HEAD: usize = size_of::<Header>() + Section::ALL.len() * size_of::<SectionRecord>();

/// The hash of a site's name: xxh3-64 of its bytes with the image's seed.
#[inline]
pub fn host_hash(name: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(name, seed)
}

/// The shard, 0 to `last`, of the sites with this authority. All documents of a site are in one
/// shard. The shard must be independent of the bits that select the bucket.
pub fn shard_of(authority: &[u8], last: u8) -> u8 {
    const SEED: u64 = 1;
    low_byte(((host_hash(authority, SEED) >> 32) * (u64::from(last) + 1)) >> 32)
}

/// The home bucket of a hash among `buckets` (not 0), by the upper 32 bits.
#[inline]
pub fn home_bucket(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}

/// The buckets that a site with this hash may stand in, of `buckets` (not 0), in the order in which
/// they are tried: the home bucket, then others at steps that depend on the hash, so that full
/// buckets do not cluster.
#[inline(always)]
pub fn probes(hash: u64, buckets: usize) -> impl Iterator<Item = usize> + Clone {
    let step = if buckets > 256 { 1 + (hash >> 16 & 0xFF) as usize } else { 1 };
    let next = move |&at: &usize| {
        let at = at + step;
        Some(if at < buckets { at } else { at - buckets })
    };
    std::iter::successors(Some(home_bucket(hash, buckets)), next).take(MAX_PROBE)
}

/// The fingerprint of a hash in its bucket: the lowest byte, with 1 instead of 0.
#[inline]
pub fn fingerprint(hash: u64) -> u8 {
    low_byte(hash).max(1)
}

/// The bit for a hash in the overflow bytes of the buckets that its site has passed.
#[inline]
pub fn overflow_bit(hash: u64) -> u8 {
    1 << (hash >> 8 & 7)
}
