//! The canonical writer: equal contents give equal bytes.
//!
//! The compiler's `emit` decides on the contents and their order; this file decides on the position
//! of each byte. Each section grows in its own [`Spool`], in memory or in a file.
//! [`Writer::finish`] numbers the sites in the order of `hosts` and lays out the sections. Only
//! buckets and order stay in memory. This file knows no rules and no time.

use crate::detail::{Detail, Meta};
use crate::error::{ImageError, WriteError};
use crate::hosts;
use crate::int::{byte, index, small};
use crate::layout::*;
use crate::name;
use crate::profile::Profile;
use crate::program::PADDING;
use crate::site::SiteKey;
use crate::site_entry::{POLICIES_END, SiteEntry};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

/// A store for the bytes of a section until its length is known.
pub trait Spool: Write {
    /// Writes all its bytes to `out`.
    ///
    /// # Errors
    /// If reading them back or writing to `out` fails.
    fn unwind(self, out: &mut dyn Write) -> io::Result<()>;
}

impl Spool for Vec<u8> {
    fn unwind(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self)
    }
}

impl Spool for BufWriter<File> {
    fn unwind(self, out: &mut dyn Write) -> io::Result<()> {
        let mut file = self.into_inner()?;
        file.rewind()?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                count => out.write_all(buffer.get(..count).unwrap_or_default())?,
            }
        }
    }
}

/// One site of an image.
#[derive(Clone, Debug)]
pub struct Site {
    /// Scheme, host and port.
    pub key: SiteKey,
    /// The site entry.
    pub entry: SiteEntry,
    /// The HTTP status; 0 if there was none.
    pub status: u16,
    /// The number of its document.
    pub document: Option<u32>,
    /// Unix seconds; 0 if unknown.
    pub fetched_at: u64,
    /// The freshness lifetime of the capture in seconds.
    pub fresh_for: Option<u32>,
}

/// The image's data about itself, and its names.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The profile.
    pub profile: Profile,
    /// Crawler names, ascending.
    pub crawlers: Vec<String>,
    /// Usage names in number order.
    pub usages: Vec<String>,
    /// Provenance.
    pub meta: Meta,
    /// The number of this shard and of the last one.
    pub shard: (u8, u8),
}

/// One document: its details, and its text if the image includes texts.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Encoded by [`encode_detail`].
    pub detail: Vec<u8>,
    /// Encoded by [`encode_source`]; empty to omit the text.
    pub source: Vec<u8>,
}

/// All contents of an image in memory, with numbers and offsets already assigned.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Profile, names and provenance.
    pub frame: Frame,
    /// Sites, ascending by key and without duplicates.
    pub sites: Vec<Site>,
    /// Policies, one after the other.
    pub policies: Vec<u8>,
    /// Lists, one after the other.
    pub lists: Vec<u8>,
    /// Programs, one after the other, without the padding.
    pub programs: Vec<u8>,
    /// Scopes, one after the other.
    pub scopes: Vec<u8>,
    /// Patterns of purposes, each preceded by its length.
    pub purposes: Vec<u8>,
    /// The documents.
    pub documents: Vec<Document>,
}

/// Encodes a detail.
pub fn encode_detail(detail: &Detail<'_>) -> Vec<u8> {
    // Reserve most of the space, so that the vector is moved at most once or twice as it grows.
    let rules = detail.groups.iter().flat_map(|group| &group.rules);
    let room = rules.map(|rule| rule.pattern.0.len() + 8).sum::<usize>() + 32 * detail.groups.len() + 32;
    let encoded = postcard::to_extend(detail, Vec::with_capacity(room));
    encoded.expect("a vector grows, and every sequence of a detail knows its length")
}

/// Encodes a text as a zstd frame.
pub fn encode_source(text: &[u8]) -> Vec<u8> {
    thread_local! {
        // Creating a context costs more than compressing most texts.
        static COMPRESSOR: RefCell<zstd::bulk::Compressor<'static>> =
            RefCell::new(zstd::bulk::Compressor::new(SOURCE_LEVEL).expect("the level is one of zstd's"));
    }
    let frame = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(text));
    frame.expect("zstd compresses any text into a buffer of its own bound")
}

/// Decodes bytes made by [`encode_source`]; `None` for others.
pub fn decode_source(bytes: &[u8]) -> Option<Vec<u8>> {
    zstd::decode_all(bytes).ok()
}

/// Level 1 of zstd: texts are always written and rarely read.
const SOURCE_LEVEL: i32 = 1;

/// Writes contents in memory as an image.
///
/// # Errors
/// [`ImageError::TooLarge`] if an offset does not fit its field.
pub fn write(contents: &Contents) -> Result<Vec<u8>, ImageError> {
    let whole = || -> Result<Vec<u8>, WriteError> {
        let mut writer = Writer::new(|| Ok(Vec::new()))?;
        writer.push(Section::Policies, &contents.policies)?;
        writer.push(Section::Lists, &contents.lists)?;
        writer.push(Section::Programs, &contents.programs)?;
        writer.push(Section::Scopes, &contents.scopes)?;
        writer.push(Section::Purposes, &contents.purposes)?;
        for document in &contents.documents {
            writer.push_document(&document.detail, &document.source)?;
        }
        contents.sites.iter().for_each(|site| writer.push_site(site.clone()));
        let mut image = Vec::new();
        writer.finish(&contents.frame, &mut image)?;
        Ok(image)
    };
    whole().map_err(WriteError::in_memory)
}

/// A growing section.
struct Part<S> {
    spool: S,
    length: u64,
    sum: Xxh3,
}

impl<S: Spool> Part<S> {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.spool.write_all(bytes)?;
        self.length += bytes.len() as u64;
        self.sum.update(bytes);
        Ok(())
    }
}

/// A growing image, section by section.
pub struct Writer<S> {
    /// Indexed by section number.
    parts: Vec<Part<S>>,
    sites: Vec<Site>,
}

impl<S: Spool> Writer<S> {
    /// Starts an empty image; `spool` creates the store for each section.
    ///
    /// # Errors
    /// If `spool` fails.
    pub fn new(mut spool: impl FnMut() -> io::Result<S>) -> io::Result<Writer<S>> {
        let part = |_| Ok(Part { spool: spool()?, length: 0, sum: Xxh3::new() });
        Ok(Writer {
            parts: Section::ALL.into_iter().map(part).collect::<io::Result<_>>()?,
            sites: Vec::new(),
        })
    }

    #[expect(clippy::indexing_slicing, reason = "there is one for each section")]
    fn part(&mut self, section: Section) -> &mut Part<S> {
        &mut self.parts[section as usize]
    }

    /// Appends to policies, lists, programs, scopes or purposes, and returns the offset.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] if the section would grow beyond the largest offset, and errors of
    /// the spool.
    pub fn push(&mut self, section: Section, bytes: &[u8]) -> Result<u32, WriteError> {
        let (end, what) = match section {
            Section::Policies => (POLICIES_END as u64, "1 GiB of policies"),
            Section::Lists => ((1 << 31) - 1, "2 GiB of lists"),
            Section::Programs => ((1 << 31) - 1, "2 GiB of programs"),
            Section::Purposes => (u64::from(NONE) - 1, "4 GiB of purposes"),
            _ => (u64::from(NONE), "4 GiB of a section"),
        };
        let part = self.part(section);
        let at = part.length;
        if at + bytes.len() as u64 > end {
            return Err(ImageError::TooLarge(what).into());
        }
        part.push(bytes)?;
        Ok(fits(at, what)?)
    }

    /// Appends a document and returns its number.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] if a length does not fit, and errors of the spool.
    pub fn push_document(&mut self, detail: &[u8], source: &[u8]) -> Result<u32, WriteError> {
        let number = self.part(Section::Documents).length / size_of::<DocumentRecord>() as u64;
        let record = DocumentRecord {
            detail_at: self.part(Section::Details).length.into(),
            detail_length: fits(detail.len(), "4 GiB of one document's details")?.into(),
            source_length: fits(source.len(), "4 GiB of one text")?.into(),
            source_at: self.part(Section::Sources).length.into(),
        };
        self.part(Section::Documents).push(record.as_bytes())?;
        self.part(Section::Details).push(detail)?;
        self.part(Section::Sources).push(source)?;
        Ok(fits(number, "2³² documents")?)
    }

    /// Appends a site. Sites must be pushed in ascending key order, without duplicates.
    pub fn push_site(&mut self, site: Site) {
        self.sites.push(site);
    }

    /// Writes the image.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] if an offset does not fit its field, and errors of the spools and
    /// `out`.
    pub fn finish(mut self, frame: &Frame, out: &mut dyn Write) -> Result<(), WriteError> {
        let seed = self.place_sites()?;
        let mut at = 0;
        for name in &frame.crawlers {
            let length = fits(name.len(), "4 GiB of a crawler's name")?;
            self.part(Section::Crawlers)
                .push(NameRecord { at: at.into(), length: length.into() }.as_bytes())?;
            self.part(Section::CrawlerNames).push(name.as_bytes())?;
            at = at.checked_add(length).ok_or(ImageError::TooLarge("4 GiB of crawler names"))?;
        }
        for name in &frame.usages {
            self.part(Section::Usages).push(name.as_bytes())?;
            self.part(Section::Usages).push(b"\n")?;
        }
        self.part(Section::Programs).push(&[0; PADDING])?;
        let meta = postcard::to_stdvec(&frame.meta);
        let meta = meta.expect("a vector grows, and every sequence of the provenance knows its length");
        self.part(Section::Meta).push(&meta)?;
        self.lay_out(frame, seed, out)
    }

    /// Numbers the sites in the order of places and writes their data; returns the seed of the host
    /// hash.
    fn place_sites(&mut self) -> Result<u64, WriteError> {
        let sites = std::mem::take(&mut self.sites);
        // The codes of all names, end to end, and where each of them begins.
        let (mut codes, mut starts) = (Vec::new(), vec![0]);
        for site in &sites {
            name::encode(site.key.name(), &mut codes);
            starts.push(codes.len());
        }
        // The table gives the number of each site once, so each has a code.
        let code = |number: u32| match starts.get(index(number)..).and_then(<[usize]>::first_chunk) {
            Some(&[start, end]) => codes.get(start..end).unwrap_or_default(),
            None => &[],
        };
        let rooms = (0..)
            .zip(&sites)
            .map(|(number, site)| (site.key.name(), size_of::<U32>() + name::room(code(number))));
        let table = hosts::Table::of(rooms)?;
        let mut order = vec![U32::ZERO; sites.len()];
        let (mut first, mut body, mut elsewhere) = (0, Vec::new(), Vec::new());
        for (number, (mut bucket, numbers)) in (0..).zip(table.buckets()) {
            bucket.first = first.into();
            first += small(numbers.len());
            let here = || numbers.iter().filter_map(|&number| sites.get(index(number)));
            body.clear();
            here().for_each(|site| body.extend_from_slice(&site.entry.to_raw().to_le_bytes()));
            let names = here().zip(numbers).map(|(site, &number)| (site.key.scheme(), code(number)));
            elsewhere.clear();
            let offset = fits(self.part(Section::Names).length, "4 GiB of long names")?;
            name::encode_bucket(names, &mut body, (&mut elsewhere, offset));
            self.part(Section::Names).push(&elsewhere)?;
            bucket.body.iter_mut().zip(&body).for_each(|(place, &byte)| *place = byte);
            for (place, (site, &of_key)) in (number * small(BUCKET_SITES)..).zip(here().zip(numbers)) {
                if let Some(order) = order.get_mut(index(of_key)) {
                    *order = place.into();
                }
                let record = FetchRecord {
                    fetched_at: site.fetched_at.into(),
                    fresh_for: site.fresh_for.map_or(NONE, |seconds| seconds.min(NONE - 1)).into(),
                    document: site.document.unwrap_or(NONE).into(),
                    status: site.status.into(),
                };
                self.part(Section::Fetches).push(record.as_bytes())?;
            }
            self.part(Section::Hosts).push(bucket.as_bytes())?;
        }
        self.part(Section::Order).push(order.as_bytes())?;
        Ok(table.seed)
    }

    /// Writes header, section table and sections.
    fn lay_out(self, frame: &Frame, seed: u64, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut table = Vec::with_capacity(Section::ALL.len());
        let mut end = HEAD as u64;
        for part in &self.parts {
            let at = end.next_multiple_of(ALIGNMENT as u64);
            end = at + part.length;
            let checksum = part.sum.digest().into();
            table.push(SectionRecord { at: at.into(), length: part.length.into(), checksum });
        }
        let mut header = Header {
            magic: MAGIC,
            version: VERSION.into(),
            profile: frame.profile as u8,
            sections: byte(Section::ALL.len()),
            shard: frame.shard.0,
            last_shard: frame.shard.1,
            length: end.into(),
            seed: seed.into(),
            checksum: 0.into(),
        };
        header.checksum = crate::read::head_checksum(&header, &table).into();
        out.write_all(header.as_bytes())?;
        out.write_all(table.as_bytes())?;
        let mut end = HEAD as u64;
        for (part, record) in self.parts.into_iter().zip(&table) {
            let at = record.at.get();
            io::copy(&mut io::repeat(0).take(at - end), out)?;
            part.spool.unwind(out)?;
            end = at + part.length;
        }
        Ok(())
    }
}

fn fits(length: impl TryInto<u32>, what: &'static str) -> Result<u32, ImageError> {
    length.try_into().map_err(|_| ImageError::TooLarge(what))
}
