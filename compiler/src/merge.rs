//! Images → image: of several captures of a site the newest counts, as when all were compiled
//! together.
//!
//! Nothing is compiled: documents are taken out of the images as they are and emitted again.
//! Merging is a matter of the set of images: their order does not count, nor does one that is there
//! twice, nor what was merged before. The result is the image that all captures together give, if
//! redirects and files that texts refer to stand in the same image as the site, and no two captures
//! of a site were made in the same second. It knows no text and no rule.

use crate::document::Extractor;
use crate::emit::{Emitter, Entry, Names, Provenance};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::layout::{FetchRecord, NONE, shard_of};
use robomaton_formats::read::{Site, View};
use robomaton_formats::site::split_name;
use robomaton_formats::write::Spool;
use robomaton_formats::{DocumentId, Outcome, Scheme, SiteEntry, SiteKey, WriteError};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Why images cannot become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is none.
    #[error("no image to merge")]
    Nothing,
    /// Images that were compiled otherwise say other things of the same texts. Compile them alike.
    #[error("image {image} was compiled with another {what} than the first")]
    Unlike {
        /// Which image, from 0.
        image: usize,
        /// What differs.
        what: &'static str,
    },
    /// An image is damaged; `verify` says where.
    #[error("image {image} is damaged")]
    Damaged {
        /// Which image, from 0.
        image: usize,
    },
}

/// Images that become one: the sites are chosen.
pub struct Merge<'i> {
    images: Vec<Extractor<'i>>,
    /// The sites that are left, in the order of their keys.
    sites: Vec<Chosen>,
    /// Each document of those once: its image, what answers for its sites, and its number there.
    documents: Vec<(u32, SiteEntry, DocumentId)>,
    /// The names in those, which all shards number alike.
    names: Names,
    provenance: Provenance,
}

/// A site that is left.
struct Chosen {
    image: u32,
    /// Its place in that image.
    place: u32,
    /// Its document, in [`Merge::documents`].
    document: Option<u32>,
}

impl<'i> Merge<'i> {
    /// Chooses the sites, in time linear in the images but for the order of the keys. Keeps sixteen
    /// bytes of each site and some sixty of each document.
    ///
    /// # Errors
    /// When there is no image, one is damaged, or they were not compiled alike.
    pub fn new(views: &[View<'i>]) -> Result<Merge<'i>, MergeError> {
        let provenance = provenance(views)?;
        let (mut sites, mut documents) = (Vec::new(), Vec::new());
        // A document is known by its image, its number there, and what answers for it.
        let mut numbers: HashMap<(u32, DocumentId, SiteEntry), u32> = HashMap::new();
        for (image, place) in choose(views)? {
            let damaged = MergeError::Damaged { image: image as usize };
            let view = views[image as usize];
            let (_, fetch, entry) = parts(view, place).ok_or(damaged)?;
            let document = view.document_of(fetch).map(|id| {
                *numbers.entry((image, id, entry)).or_insert_with(|| {
                    documents.push((image, entry, id));
                    documents.len() as u32 - 1
                })
            });
            sites.push(Chosen { image, place, document });
        }
        let images: Vec<Extractor<'_>> = views.iter().map(|&view| Extractor::new(view)).collect();
        let mut names = Names::default();
        for &(image, entry, _) in &documents {
            let of = images[image as usize].names(entry);
            names.add(&of.ok_or(MergeError::Damaged { image: image as usize })?);
        }
        Ok(Merge { images, sites, documents, names, provenance })
    }

    /// How many sites there are, and documents beside their robots.txt.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Writes the image of all sites, or of those in one shard: its number, and that of the last.
    /// `spool` makes a place for each section.
    ///
    /// # Errors
    /// When an image is damaged, the result would not fit its format, and what the spools and `out`
    /// say.
    pub fn write<S: Spool>(
        &self,
        shard: (u8, u8),
        spool: impl FnMut() -> io::Result<S>,
        out: &mut dyn io::Write,
    ) -> Result<(), WriteError> {
        let damaged = |image: u32| io::Error::other(MergeError::Damaged { image: image as usize });
        let mut emitter = Emitter::new(self.names.clone(), spool)?;
        for &Chosen { image, place, document } in &self.sites {
            let extractor = &self.images[image as usize];
            let (site, fetch, entry) = parts(extractor.view(), place).ok_or_else(|| damaged(image))?;
            let (name, scheme) = key(&site).ok_or_else(|| damaged(image))?;
            if shard_of(split_name(&name).0.as_bytes(), shard.1) != shard.0 {
                continue;
            }
            let entry = Entry {
                site: SiteKey::stored(&name, scheme),
                outcome: extractor.no_rules(entry).map_or(Outcome::Rules, |no_rules| no_rules.outcome),
                status: fetch.status.get(),
                fetched_at: fetch.fetched_at.get(),
                fresh_for: Some(fetch.fresh_for.get()).filter(|&seconds| seconds != NONE),
                document: document.map(|document| document as usize),
            };
            emitter.push(entry, |document| {
                let (image, entry, id) = self.documents[document];
                let document = self.images[image as usize].document(entry, id);
                document.map(Cow::Owned).ok_or_else(|| damaged(image))
            })?;
        }
        emitter.finish(Provenance { shard, ..self.provenance.clone() }, out)
    }
}

/// The image and the place there of the best capture of each site, in the order of their keys.
fn choose(views: &[View<'_>]) -> Result<Vec<(u32, u32)>, MergeError> {
    let mut orders: Vec<_> = views.iter().map(|view| view.order().iter()).collect();
    let mut next = |image: usize| {
        let Some(place) = orders[image].next().map(|place| place.get()) else { return Ok(None) };
        let key = views[image].site_at(place).and_then(|site| key(&site));
        Ok(Some(Reverse((key.ok_or(MergeError::Damaged { image })?, image, place))))
    };
    let mut heap = BinaryHeap::new();
    for image in 0..views.len() {
        heap.extend(next(image)?);
    }
    let mut chosen: Vec<(u32, u32)> = Vec::new();
    let mut last: Option<(Key, Capture<'_>)> = None;
    while let Some(Reverse((key, image, place))) = heap.pop() {
        heap.extend(next(image)?);
        let capture = Capture::read(views[image], place).ok_or(MergeError::Damaged { image })?;
        if let Some((_, kept)) = last.as_ref().filter(|(of, _)| *of == key) {
            if *kept >= capture {
                continue;
            }
            chosen.pop();
        }
        last = Some((key, capture));
        chosen.push((image as u32, place));
    }
    Ok(chosen)
}

/// The name of a site, and its scheme: what sites are ordered by.
type Key = (Box<str>, Scheme);

fn key(site: &Site<'_>) -> Option<Key> {
    Some((site.name.decode()?.as_str().into(), site.name.scheme()?))
}

fn parts<'i>(view: View<'i>, place: u32) -> Option<(Site<'i>, &'i FetchRecord, SiteEntry)> {
    let site = view.site_at(place)?;
    let fetch = view.fetches().get(site.number as usize)?;
    let entry = site.entry()?;
    Some((site, fetch, entry))
}

/// What all images were compiled with, if that is the same.
fn provenance(views: &[View<'_>]) -> Result<Provenance, MergeError> {
    let mut first: Option<Provenance> = None;
    for (image, view) in views.iter().enumerate() {
        let meta = view.meta().ok_or(MergeError::Damaged { image })?;
        let profile = view.layout().profile;
        let unlike = |what| Err(MergeError::Unlike { image, what });
        match &first {
            Some(first) if first.profile != profile => return unlike("profile"),
            Some(first) if first.crawlers != meta.crawlers => return unlike("choice of crawlers"),
            Some(first) if first.limits != meta.limits => return unlike("set of limits"),
            Some(_) => {}
            None => {
                let (crawlers, limits) = (meta.crawlers, meta.limits);
                first = Some(Provenance { profile, crawlers, limits, shard: (0, 0) });
            }
        }
    }
    first.ok_or(MergeError::Nothing)
}

/// What one image knows of a site, the better last: the newest; then an answer rather than a
/// redirect, a redirect rather than an error, an error rather than silence; then anything, so long
/// as it is always the same.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Capture<'i> {
    fetched_at: u64,
    status: Reverse<u16>,
    fresh_for: u32,
    no_rules: Option<(u8, u16)>,
    detail: Option<&'i [u8]>,
    source: Option<&'i [u8]>,
}

impl<'i> Capture<'i> {
    fn read(view: View<'i>, place: u32) -> Option<Capture<'i>> {
        let (_, fetch, entry) = parts(view, place)?;
        let no_rules = match entry {
            SiteEntry::NoRules(no_rules) => Some((no_rules.outcome as u8, no_rules.status)),
            _ => None,
        };
        let document = view.document_of(fetch);
        Some(Capture {
            fetched_at: fetch.fetched_at.get(),
            // No answer at all (0) wraps round to the worst of the statuses.
            status: Reverse(fetch.status.get().wrapping_sub(1)),
            fresh_for: fetch.fresh_for.get(),
            no_rules,
            detail: document.and_then(|document| view.detail_bytes(document)),
            source: document.and_then(|document| view.frame(document)),
        })
    }
}
