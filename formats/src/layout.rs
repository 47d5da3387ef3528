//! The bytes of an image as types: header, section table, fixed records (SPEC.md sections 2 to 5 and 7).
//!
//! All records are little-endian with alignment 1, so a mapped file is read in place. A test holds the sizes and
//! section numbers against the tables of SPEC.md. This file knows no algorithm but the host hash.

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"ROBOMAT\x1A";
/// The one format version that this crate reads and writes.
pub const VERSION: u32 = 1;
/// Sections begin at multiples of this.
pub const ALIGNMENT: usize = 64;
/// Sites in one bucket of [`Section::Hosts`].
pub const BUCKET_SITES: usize = 12;
/// A site stands less than this many buckets after its home; readers look at no more.
pub const MAX_PROBE: usize = 32;
/// A text is at most this many octets long.
pub const MAX_TEXT: u64 = 1 << 30;
/// "None" in fields that hold an offset or a number.
pub const NONE: u32 = u32::MAX;

/// The sections in file order: those a verdict needs first, then those that explain it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Section {
    /// [`Bucket`]s: host hash → site numbers.
    Hosts = 0,
    /// [`SiteRecord`]s in the order of their keys.
    Sites = 1,
    /// The authorities of the sites, end to end.
    Names = 2,
    /// Policies: crawler → sets (`policy`).
    Policies = 3,
    /// Lists of entries, for sets with more than one program.
    Lists = 4,
    /// Programs, end to end (`program`).
    Programs = 5,
    /// Scopes, end to end: which patterns are narrower than which (`scope`).
    Scopes = 6,
    /// Patterns of purposes, each a varint length and its octets.
    Purposes = 7,
    /// [`NameRecord`]s of the crawlers, in the order of their names.
    Crawlers = 8,
    /// The crawlers' names, end to end.
    CrawlerNames = 9,
    /// Names of usages, one per line, in the order of their numbers.
    Usages = 10,
    /// [`FetchRecord`]s, one per site.
    Fetches = 11,
    /// [`DocumentRecord`]s, one per distinct text.
    Documents = 12,
    /// Details of documents: rules with line and text, extension records (`detail`).
    Details = 13,
    /// The texts themselves, each a zstd frame; empty when compiled without.
    Sources = 14,
    /// Provenance (`detail::Meta`).
    Meta = 15,
}

impl Section {
    /// Every section, in file order.
    pub const ALL: [Section; 16] = [
        Section::Hosts,
        Section::Sites,
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
        Section::Documents,
        Section::Details,
        Section::Sources,
        Section::Meta,
    ];

    /// The name in SPEC.md, `inspect` and errors.
    pub const fn name(self) -> &'static str {
        match self {
            Section::Hosts => "hosts",
            Section::Sites => "sites",
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
            Section::Documents => "documents",
            Section::Details => "details",
            Section::Sources => "sources",
            Section::Meta => "meta",
        }
    }

    /// Whether a verdict may read it; the others only explain.
    pub const fn is_hot(self) -> bool {
        (self as u8) < Section::Usages as u8
    }

    /// The size of one record, 1 for sections of free form.
    pub const fn record(self) -> usize {
        match self {
            Section::Hosts => size_of::<Bucket>(),
            Section::Sites => size_of::<SiteRecord>(),
            Section::Crawlers => size_of::<NameRecord>(),
            Section::Fetches => size_of::<FetchRecord>(),
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
    /// The number of sections, that of [`Section::ALL`].
    pub sections: u8,
    /// Zero.
    pub reserved: [u8; 2],
    /// The length of the file in bytes.
    pub length: U64,
    /// The seed of the host hash.
    pub seed: U64,
    /// xxh3-64 of the header with this field zero, followed by the section table.
    pub checksum: U64,
}

/// One row of the section table, which follows the header; rows stand in the order of [`Section::ALL`].
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

/// Twelve places for sites whose hosts hash alike: one cache line.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Bucket {
    /// One octet of each site's hash, never 0; 0 marks a free place.
    pub tags: [u8; BUCKET_SITES],
    /// 1 when a site whose home this is, or an earlier one, stands in a later bucket.
    pub overflow: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// Site numbers; 0 in free places.
    pub sites: [U32; BUCKET_SITES],
}

/// One site.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct SiteRecord {
    /// Offset of the authority in [`Section::Names`].
    pub name_at: U32,
    /// Offset of the policy in [`Section::Policies`], or [`NONE`] when the outcome alone answers.
    pub policy: U32,
    /// The HTTP status of the capture, 0 when there was none.
    pub status: U16,
    /// Length of the authority in octets.
    pub name_length: u8,
    /// Scheme in bits 0–1, outcome in bits 2–5; the others zero.
    pub state: u8,
}

/// The name of a crawler.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct NameRecord {
    /// Offset in [`Section::CrawlerNames`].
    pub at: U32,
    /// Length in octets.
    pub length: U32,
}

/// When a site's robots.txt was fetched, and where its details are.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FetchRecord {
    /// Seconds since 1970-01-01T00:00:00Z; 0 when unknown.
    pub fetched_at: U64,
    /// Seconds for which the capture said it is fresh, or [`NONE`] when it did not say.
    pub fresh_for: U32,
    /// Number of the document, or [`NONE`].
    pub document: U32,
}

/// Where the details and the text of one document are.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct DocumentRecord {
    /// Offset in [`Section::Details`].
    pub detail_at: U64,
    /// Length of the detail.
    pub detail_length: U32,
    /// Length of the zstd frame; 0 when the image holds no text.
    pub source_length: U32,
    /// Offset in [`Section::Sources`].
    pub source_at: U64,
}

/// Bytes of header and section table together.
pub const HEAD: usize = size_of::<Header>() + Section::ALL.len() * size_of::<SectionRecord>();

/// The hash of an authority: xxh3-64 of its octets with the image's seed.
#[inline]
pub fn host_hash(authority: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(authority, seed)
}

/// The home bucket of a hash among `buckets` (which is not 0), by the upper 32 bits.
#[inline]
pub fn home_bucket(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}

/// The tag of a hash in its bucket: the lowest octet, 1 in place of 0.
#[inline]
pub fn bucket_tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}
