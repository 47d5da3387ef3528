//! Images → image: among several captures of a site, the newest counts, as if all had been compiled
//! together.
//!
//! Nothing is compiled: documents are extracted from the images and emitted again. The result
//! depends only on the set of images, not on their order, duplicates or earlier merges. It is the
//! image of all captures together, provided that redirects and referenced files are in the same
//! image as the site, and no two captures of a site were made in the same second. This file knows
//! no text and no rule.

use crate::document::Extractor;
use crate::emit::{Emitter, Entry, Names, Provenance};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::layout::{FetchRecord, NONE, shard_of};
use robomaton_formats::read::{Site, View};
use robomaton_formats::site::{NOT_MODIFIED, split_name};
use robomaton_formats::write::Spool;
use robomaton_formats::{DocumentId, Outcome, Scheme, SiteEntry, SiteKey, WriteError};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// The reason why images cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is no image.
    #[error("no image to merge")]
    Nothing,
    /// Images that were compiled differently give the same texts different meanings. Compile them
    /// alike.
    #[error("image {image} was compiled with another {what} than the first")]
    Unlike {
        /// The image, from 0.
        image: usize,
        /// The property that differs.
        what: &'static str,
    },
    /// An image is damaged; `verify` reports where.
    #[error("image {image} is damaged")]
    Damaged {
        /// The image, from 0.
        image: usize,
    },
}

/// A merge of images, with the sites already chosen.
pub struct Merge<'i> {
    images: Vec<Extractor<'i>>,
    /// The chosen sites in key order.
    sites: Vec<Chosen>,
    /// Each document of those sites once: its image, site entry and id.
    documents: Vec<(u32, SiteEntry, DocumentId)>,
    /// The names in those documents. All shards number them alike.
    names: Names,
    provenance: Provenance,
}

/// A chosen site.
struct Chosen {
    image: u32,
    /// Its place in that image.
    place: u32,
    /// Its document's index in [`Merge::documents`].
    document: Option<u32>,
}

impl<'i> Merge<'i> {
    /// Chooses the sites, in time linear in the images, apart from merging the key orders. Uses
    /// sixteen bytes for each site and about sixty for each document.
    ///
    /// # Errors
    /// If there is no image, one is damaged, or they were not compiled alike.
    pub fn new(views: &[View<'i>]) -> Result<Merge<'i>, MergeError> {
        Merge::above(0, views)
    }

    /// Like [`Merge::new`], but keeps only the sites whose chosen capture is in none of the first
    /// images: what a layer on top of these images must hold.
    ///
    /// # Errors
    /// The same.
    pub fn above(first: usize, views: &[View<'i>]) -> Result<Merge<'i>, MergeError> {
        Merge::filtered(views, |image, _| image >= first)
    }

    /// Like [`Merge::new`], but keeps only the sites whose chosen capture was fetched at this time
    /// or later, in Unix seconds.
    ///
    /// # Errors
    /// The same.
    pub fn since(oldest: u64, views: &[View<'i>]) -> Result<Merge<'i>, MergeError> {
        Merge::filtered(views, |_, fetch| fetch.fetched_at.get() >= oldest)
    }

    fn filtered(
        views: &[View<'i>],
        keep: impl Fn(usize, &FetchRecord) -> bool,
    ) -> Result<Merge<'i>, MergeError> {
        let provenance = provenance(views)?;
        let (mut sites, mut documents) = (Vec::new(), Vec::new());
        // A document is identified by its image, its number there, and its site entry.
        let mut numbers: HashMap<(u32, DocumentId, SiteEntry), u32> = HashMap::new();
        for (image, place) in choose(views)? {
            let damaged = || MergeError::Damaged { image: image as usize };
            let view = views[image as usize];
            let (_, fetch, entry) = parts(view, place).ok_or_else(damaged)?;
            if !keep(image as usize, fetch) {
                continue;
            }
            if view.document_of(fetch).is_none() && !matches!(entry, SiteEntry::NoRules(_)) {
                return Err(damaged());
            }
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

    /// The number of sites, including documents other than robots.txt.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// True if there are no sites.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Writes the image of all sites, or of one shard's sites: its number, and that of the last
    /// shard. `spool` creates the store for each section.
    ///
    /// # Errors
    /// If an image is damaged or the result does not fit the format, and errors of the spools and
    /// `out`.
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

/// The image and place of the best capture of each site, in key order.
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
        let site = views[image].site_at(place);
        let capture = site.and_then(|site| Capture::of(&site)).ok_or(MergeError::Damaged { image })?;
        if let Some((_, kept)) = last.as_ref().filter(|(of, _)| *of == key) {
            // Of equal captures, the one of the first image stays, so a layer repeats nothing.
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

/// The name and scheme of a site, by which sites are ordered.
type Key = (Box<str>, Scheme);

fn key(site: &Site<'_>) -> Option<Key> {
    Some((site.decoded_name()?.as_str().into(), site.scheme()?))
}

fn parts<'i>(view: View<'i>, place: u32) -> Option<(Site<'i>, &'i FetchRecord, SiteEntry)> {
    let site = view.site_at(place)?;
    let fetch = view.fetches().get(site.number() as usize)?;
    let entry = site.entry()?;
    Some((site, fetch, entry))
}

/// True if a merge chooses the one capture of a site rather than the other. `None` if an image is
/// damaged there.
pub fn is_better(one: &Site<'_>, other: &Site<'_>) -> Option<bool> {
    Some(Capture::of(one)? > Capture::of(other)?)
}

/// The compile options shared by all images.
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
            Some(first) if first.vocabulary != meta.vocabulary => return unlike("vocabulary"),
            Some(_) => {}
            None => {
                let (crawlers, limits, vocabulary) = (meta.crawlers, meta.limits, meta.vocabulary);
                first = Some(Provenance { profile, crawlers, limits, vocabulary, shard: (0, 0) });
            }
        }
    }
    first.ok_or(MergeError::Nothing)
}

/// One image's capture of a site, ordered from worst to best: the newest; then one that was not
/// read, since it may refuse and has the time of the one before it if its own cannot be read; then
/// an answer over a redirect, a redirect over an error, an error over no answer; then any
/// deterministic order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Capture<'i> {
    fetched_at: u64,
    is_unread: bool,
    status: Reverse<u16>,
    fresh_for: u32,
    no_rules: Option<(u8, u16)>,
    detail: Option<&'i [u8]>,
    source: Option<&'i [u8]>,
}

impl<'i> Capture<'i> {
    fn of(site: &Site<'i>) -> Option<Capture<'i>> {
        let view = site.view();
        let fetch = view.fetches().get(site.number() as usize)?;
        let entry = site.entry()?;
        let no_rules = match entry {
            SiteEntry::NoRules(no_rules) => Some((no_rules.outcome as u8, no_rules.status)),
            _ => None,
        };
        let document = view.document_of(fetch);
        Some(Capture {
            fetched_at: fetch.fetched_at.get(),
            is_unread: fetch.status.get() == NOT_MODIFIED,
            // No answer (0) wraps around to the worst status.
            status: Reverse(fetch.status.get().wrapping_sub(1)),
            fresh_for: fetch.fresh_for.get(),
            no_rules,
            detail: document.and_then(|document| view.detail_bytes(document)),
            source: document.and_then(|document| view.frame(document)),
        })
    }
}
