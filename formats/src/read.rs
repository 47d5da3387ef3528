//! The checked view of an image: the only way from bytes to records.
//!
//! [`Layout::parse`] checks everything that takes constant time (I1 to I5) and proves that the
//! sections lie inside the file. A [`View`] then gives access to the records. Every access remains
//! bounds-checked, because a mapped file may change under the reader: missing data is `None`, never
//! a panic. [`crate::verify`] checks the rest.

use crate::detail::{Detail, Meta};
use crate::error::ImageError;
use crate::int::{index, small};
use crate::layout::*;
use crate::name::{Decoded, Name};
use crate::profile::Profile;
use crate::program::varint;
use crate::purpose::MAX_PURPOSE;
use crate::reference::{CrawlerId, DocumentId, ListAt, PolicyAt, ProgramAt, PurposeAt, ScopeAt, UsageId};
use crate::scope::ScopeView;
use crate::site::Scheme;
use crate::site_entry::SiteEntry;
use std::io::Read;
use std::ops::Range;
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

/// Header and section bounds, decoded and checked; valid for the bytes from which they were parsed.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The profile the image was compiled under.
    pub profile: Profile,
    /// The seed of the host hash.
    pub seed: u64,
    /// The number of this shard and of the last one.
    pub shard: (u8, u8),
    /// The number of host buckets, so that no look-up divides.
    buckets: usize,
    ranges: [Range<usize>; Section::ALL.len()],
    checksums: [u64; Section::ALL.len()],
}

impl Layout {
    /// Checks header and section table (I1 to I5). Reads no section.
    ///
    /// # Errors
    /// The first of these rules that is broken.
    pub fn parse(bytes: &[u8]) -> Result<Layout, ImageError> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(ImageError::Magic);
        }
        let short = || ImageError::Length { stated: HEAD as u64, actual: bytes.len() as u64 };
        let (header, rest) = Header::ref_from_prefix(bytes).map_err(|_| short())?;
        if header.version != VERSION {
            return Err(ImageError::Version { found: header.version.get(), expected: VERSION });
        }
        if header.length != bytes.len() as u64 {
            return Err(ImageError::Length { stated: header.length.get(), actual: bytes.len() as u64 });
        }
        if usize::from(header.sections) != Section::ALL.len() {
            let what = format!("{} sections, there are {}", header.sections, Section::ALL.len());
            return Err(ImageError::damaged(13, 4, what));
        }
        let (table, _) =
            <[SectionRecord]>::ref_from_prefix_with_elems(rest, Section::ALL.len()).map_err(|_| short())?;
        if head_checksum(header, table) != header.checksum.get() {
            return Err(ImageError::damaged(32, 4, "the checksum of header and section table does not hold"));
        }
        let profile = Profile::from_u8(header.profile)
            .ok_or_else(|| ImageError::damaged(12, 4, format!("profile {} is unknown", header.profile)))?;
        if header.shard > header.last_shard {
            return Err(ImageError::damaged(14, 4, "the number of the shard is above that of the last"));
        }
        let mut ranges = [const { 0..0 }; Section::ALL.len()];
        let mut end = HEAD as u64;
        for ((section, record), range) in Section::ALL.into_iter().zip(table).zip(&mut ranges) {
            let at = record.at.get();
            let what = |what: &str| {
                let row = size_of::<Header>() + section as usize * size_of::<SectionRecord>();
                ImageError::damaged(row, 5, format!("section {}: {what}", section.name()))
            };
            if at < end || at % ALIGNMENT as u64 != 0 {
                return Err(what("begins inside the one before, or off the alignment"));
            }
            end = at.checked_add(record.length.get()).ok_or_else(|| what("ends beyond any file"))?;
            if end > bytes.len() as u64 {
                return Err(what("ends beyond the file"));
            }
            if record.length.get() % section.record() as u64 != 0 {
                return Err(what("holds a partial record"));
            }
            // The end is at most the length of the bytes.
            *range = usize::try_from(at).unwrap_or_default()..usize::try_from(end).unwrap_or_default();
        }
        let mut sums = table.iter().map(|record| record.checksum.get());
        let checksums = std::array::from_fn(|_| sums.next().unwrap_or_default());
        let shard = (header.shard, header.last_shard);
        let hosts = of_section(&ranges, Section::Hosts).len();
        let buckets = if hosts.is_multiple_of(size_of::<Bucket>()) { hosts / size_of::<Bucket>() } else { 0 };
        Ok(Layout { profile, seed: header.seed.get(), shard, buckets, ranges, checksums })
    }

    /// The range of a section in the file.
    pub fn range(&self, section: Section) -> Range<usize> {
        of_section(&self.ranges, section).clone()
    }

    /// The checksum of a section according to the section table.
    pub fn checksum(&self, section: Section) -> u64 {
        *of_section(&self.checksums, section)
    }
}

/// The element for a section: arrays like this have one for each.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "there is one for each section")]
fn of_section<T>(all: &[T; Section::ALL.len()], section: Section) -> &T {
    &all[section as usize]
}

/// The checksum over the header (with its own field zero) and the section table.
pub(crate) fn head_checksum(header: &Header, table: &[SectionRecord]) -> u64 {
    use zerocopy::IntoBytes;
    let blank = Header { checksum: 0.into(), ..*header };
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    hash.update(blank.as_bytes());
    hash.update(table.as_bytes());
    hash.digest()
}

/// An image in memory: its bytes and layout. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct View<'i> {
    bytes: &'i [u8],
    layout: &'i Layout,
}

impl<'i> View<'i> {
    /// Combines bytes with the layout parsed from them. With the layout of other bytes, answers are
    /// wrong but not unsafe.
    #[inline]
    pub fn new(bytes: &'i [u8], layout: &'i Layout) -> View<'i> {
        View { bytes, layout }
    }

    /// Header and section bounds.
    pub fn layout(&self) -> &'i Layout {
        self.layout
    }

    /// The bytes of a section.
    #[inline]
    pub fn section(&self, section: Section) -> &'i [u8] {
        self.bytes.get(of_section(&self.layout.ranges, section).clone()).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn records<T>(&self, section: Section) -> &'i [T]
    where
        T: FromBytes + zerocopy::Immutable + zerocopy::KnownLayout + zerocopy::Unaligned,
    {
        <[T]>::ref_from_bytes(self.section(section)).unwrap_or_default()
    }

    /// The host buckets.
    #[inline]
    pub fn buckets(&self) -> &'i [Bucket] {
        self.records(Section::Hosts)
    }

    /// The number of host buckets.
    #[inline(always)]
    pub fn bucket_count(&self) -> usize {
        self.layout.buckets
    }

    /// The host bucket with this number; `None` if there is none.
    #[inline(always)]
    pub fn bucket(&self, number: usize) -> Option<&'i Bucket> {
        if number >= self.layout.buckets {
            return None;
        }
        let at = of_section(&self.layout.ranges, Section::Hosts).start + number * size_of::<Bucket>();
        Some(zerocopy::transmute_ref!(self.bytes.get(at..)?.first_chunk::<{ size_of::<Bucket>() }>()?))
    }

    /// The site in a place of a bucket; `None` if there is none.
    pub fn site(&self, bucket: &'i Bucket, place: usize) -> Option<Site<'i>> {
        Some(Slot::read(bucket, place)?.of(*self))
    }

    /// The places of the sites in key order.
    pub fn order(&self) -> &'i [U32] {
        self.records(Section::Order)
    }

    /// The sites in key order; damaged ones are skipped.
    pub fn sites(&self) -> impl Iterator<Item = Site<'i>> + use<'i> {
        self.sites_from("")
    }

    /// Like [`View::sites`], starting from the first site whose name is not less than this one.
    /// Finding it takes logarithmic time.
    pub fn sites_from(&self, name: &str) -> impl Iterator<Item = Site<'i>> + use<'i> {
        let view = *self;
        let is_before = |place: &U32| {
            let decoded = view.site_at(place.get()).and_then(|site| site.decoded_name());
            decoded.is_some_and(|decoded| decoded.as_str() < name)
        };
        let first = self.order().partition_point(is_before);
        self.order().iter().skip(first).filter_map(move |place| view.site_at(place.get()))
    }

    /// The site in a place, counted over all buckets.
    pub fn site_at(&self, place: u32) -> Option<Site<'i>> {
        let (bucket, place) = self.bucket_of(place)?;
        self.site(bucket, place)
    }

    /// The site with this number: the one of a fetch record. Takes logarithmic time.
    pub fn numbered(&self, number: u32) -> Option<Site<'i>> {
        let behind = self.buckets().partition_point(|bucket| bucket.first.get() <= number);
        let bucket = self.buckets().get(behind.checked_sub(1)?)?;
        let place = number.checked_sub(bucket.first.get())?;
        self.site(bucket, index(place))
    }

    /// The bucket of a place counted over all buckets, and the place's index in the bucket.
    pub(crate) fn bucket_of(&self, place: u32) -> Option<(&'i Bucket, usize)> {
        let place = index(place);
        Some((self.buckets().get(place / BUCKET_SITES)?, place % BUCKET_SITES))
    }

    /// The fetch records, one per site.
    pub fn fetches(&self) -> &'i [FetchRecord] {
        self.records(Section::Fetches)
    }

    /// The documents.
    pub fn documents(&self) -> &'i [DocumentRecord] {
        self.records(Section::Documents)
    }

    /// The bytes from this offset of a section to the end of the section. `None` if there is none.
    #[inline(always)]
    fn rest(&self, section: Section, at: usize) -> Option<&'i [u8]> {
        let range = of_section(&self.layout.ranges, section);
        self.bytes.get(range.start.checked_add(at)?..range.end)
    }

    /// The bytes from this policy to the end of the section. The policy's length follows from its
    /// contents.
    #[inline(always)]
    pub fn policy(&self, at: PolicyAt) -> Option<&'i [u8]> {
        self.rest(Section::Policies, at.index())
    }

    /// The bytes from this program to the end of the section. The program's length follows from its
    /// contents.
    #[inline(always)]
    pub fn program(&self, at: ProgramAt) -> Option<&'i [u8]> {
        self.rest(Section::Programs, at.index())
    }

    /// The bytes from this list to the end of the section.
    #[inline]
    pub fn list(&self, at: ListAt) -> Option<&'i [u8]> {
        self.section(Section::Lists).get(at.index()..)
    }

    /// The scope that begins here.
    #[inline]
    pub fn scope(&self, at: ScopeAt) -> Option<ScopeView<'i>> {
        ScopeView::read(self.section(Section::Scopes).get(at.index()..)?)
    }

    /// The pattern of the purpose that a scoped entry is limited to; `None` if it is longer than
    /// [`MAX_PURPOSE`], so that comparing one takes bounded time.
    #[inline]
    pub fn purpose(&self, at: PurposeAt) -> Option<&'i [u8]> {
        let mut at = at.index();
        let section = self.section(Section::Purposes);
        let length = index(varint(section, &mut at)?);
        if length > MAX_PURPOSE {
            return None;
        }
        section.get(at..at.checked_add(length)?)
    }

    /// The number of crawler names.
    pub fn crawlers(&self) -> usize {
        self.records::<NameRecord>(Section::Crawlers).len()
    }

    /// The numbers of the crawlers, in name order.
    pub fn crawler_ids(&self) -> impl Iterator<Item = CrawlerId> + use<> {
        (0..small(self.crawlers())).map(CrawlerId::new)
    }

    /// The name of a crawler.
    pub fn crawler(&self, id: CrawlerId) -> Option<&'i [u8]> {
        let record = self.records::<NameRecord>(Section::Crawlers).get(id.index())?;
        let at = index(record.at.get());
        self.section(Section::CrawlerNames).get(at..at.checked_add(index(record.length.get()))?)
    }

    /// The number of the crawler with this lower-case name, by binary search.
    pub fn find_crawler(&self, name: &[u8]) -> Option<CrawlerId> {
        let (mut low, mut high) = (0, small(self.crawlers()));
        while low < high {
            let middle = u32::midpoint(low, high);
            match self.crawler(CrawlerId::new(middle))?.cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(CrawlerId::new(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The names of usages in number order. A damaged name is empty.
    pub fn usages(&self) -> impl Iterator<Item = String> + use<'i> {
        self.usage_names().map(|name| String::from_utf8(name.to_vec()).unwrap_or_default())
    }

    /// The name of a usage.
    pub fn usage(&self, id: UsageId) -> Option<String> {
        self.usages().nth(id.index())
    }

    /// The number of the usage with this name, ignoring case.
    pub fn find_usage(&self, name: &str) -> Option<UsageId> {
        (0..)
            .map(UsageId::new)
            .zip(self.usage_names())
            .find_map(|(number, usage)| usage.eq_ignore_ascii_case(name.as_bytes()).then_some(number))
    }

    fn usage_names(&self) -> impl Iterator<Item = &'i [u8]> + use<'i> {
        let names = self.section(Section::Usages);
        names.strip_suffix(b"\n").into_iter().flat_map(|names| names.split(|&byte| byte == b'\n'))
    }

    /// The ids of the documents.
    pub fn document_ids(&self) -> impl Iterator<Item = DocumentId> + use<> {
        let shard = self.layout.shard.0;
        (0..small(self.documents().len())).map(move |number| DocumentId::new(shard, number))
    }

    /// The fetched document, if there was one.
    pub fn document_of(&self, fetch: &FetchRecord) -> Option<DocumentId> {
        let number = Some(fetch.document.get()).filter(|&number| number != NONE);
        number.map(|number| DocumentId::new(self.layout.shard.0, number))
    }

    /// The record of a document.
    pub fn document(&self, document: DocumentId) -> Option<&'i DocumentRecord> {
        self.documents().get(index(document.number()))
    }

    /// The details of a document. `None` if there is no such document or its record is damaged.
    pub fn detail(&self, document: DocumentId) -> Option<Detail<'i>> {
        whole(self.detail_bytes(document)?)
    }

    /// The encoded details of a document.
    pub fn detail_bytes(&self, document: DocumentId) -> Option<&'i [u8]> {
        let record = self.document(document)?;
        let at = usize::try_from(record.detail_at.get()).ok()?;
        let end = at.checked_add(index(record.detail_length.get()))?;
        self.section(Section::Details).get(at..end)
    }

    /// The text of a document, truncated to `limit` bytes. `None` if the image holds no texts, or
    /// this one is damaged.
    pub fn source(&self, document: DocumentId, limit: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.source_reader(document)?.take(limit as u64).read_to_end(&mut text).ok()?;
        Some(text)
    }

    /// The length of a document's text in bytes, as stated by its frame. `None` if the image does
    /// not hold the text.
    pub fn text_length(&self, document: DocumentId) -> Option<u64> {
        zstd::zstd_safe::get_frame_content_size(self.frame(document)?).ok()?
    }

    /// The text of a document as a stream. `None` if the image does not contain it.
    pub fn source_reader(&self, document: DocumentId) -> Option<impl Read + use<'i>> {
        zstd::Decoder::with_buffer(self.frame(document).filter(|frame| !frame.is_empty())?).ok()
    }

    /// The compressed text of a document; empty if the image does not contain it.
    pub fn frame(&self, document: DocumentId) -> Option<&'i [u8]> {
        let record = self.document(document)?;
        let at = usize::try_from(record.source_at.get()).ok()?;
        let end = at.checked_add(index(record.source_length.get()))?;
        self.section(Section::Sources).get(at..end)
    }

    /// The provenance of the image.
    pub fn meta(&self) -> Option<Meta> {
        whole(self.section(Section::Meta))
    }
}

/// The place of a site in a bucket, and its entry: what a look-up finds.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'i> {
    bucket: &'i Bucket,
    place: u32,
    /// The word of its entry.
    entry: u32,
}

impl<'i> Slot<'i> {
    /// The site in a place of a bucket; `None` if there is none.
    #[inline(always)]
    pub fn read(bucket: &'i Bucket, place: usize) -> Option<Slot<'i>> {
        let entry = bucket.entry_word(place)?;
        (place < bucket.sites()).then_some(Slot { bucket, place: small(place), entry })
    }

    /// The site in its image.
    #[inline(always)]
    pub fn of(self, view: View<'i>) -> Site<'i> {
        Site { view, slot: self }
    }

    /// The site entry; `None` if the image is damaged here.
    #[inline(always)]
    pub fn entry(&self) -> Option<SiteEntry> {
        SiteEntry::from_raw(self.entry)
    }

    /// Its name, if that is not among the long ones, and scheme. `None` if the image is damaged
    /// here.
    #[inline(always)]
    pub fn name(&self) -> Option<Name<'i>> {
        self.bucket.names().get(index(self.place))
    }
}

/// One site, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Site<'i> {
    view: View<'i>,
    slot: Slot<'i>,
}

impl<'i> Site<'i> {
    /// The image.
    #[inline(always)]
    pub fn view(&self) -> View<'i> {
        self.view
    }

    /// Its place in the host table.
    #[inline]
    pub fn slot(&self) -> Slot<'i> {
        self.slot
    }

    /// Its name and scheme. `None` if the image is damaged here.
    pub fn name(&self) -> Option<Name<'i>> {
        self.slot.name()?.whole(self.view.section(Section::Names))
    }

    /// Its decoded name. `None` if the image is damaged here.
    pub fn decoded_name(&self) -> Option<Decoded> {
        self.name()?.decode()
    }

    /// The scheme of the capture. `None` if the image is damaged here.
    pub fn scheme(&self) -> Option<Scheme> {
        self.slot.name()?.scheme()
    }

    /// Its number: the index of its fetch record.
    pub fn number(&self) -> u32 {
        self.slot.bucket.first.get().wrapping_add(self.slot.place)
    }

    /// The site entry; `None` if the image is damaged here.
    #[inline(always)]
    pub fn entry(&self) -> Option<SiteEntry> {
        self.slot.entry()
    }
}

/// Decodes a value that occupies all of `bytes`.
pub(crate) fn whole<'b, T: serde::Deserialize<'b>>(bytes: &'b [u8]) -> Option<T> {
    postcard::take_from_bytes(bytes).ok().filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value)
}
