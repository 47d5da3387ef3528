//! Takes captures block by block: compiles every distinct text once, reads pages, and lets
//! `resolve` choose.
//!
//! Of a body nothing stays in memory but some fifty bytes and, of a page, what it says to crawlers;
//! its document, which holds the text compressed, goes to a file (`store`). With pages, some
//! hundred bytes stay of every other URL, however many there are. Invariant: what is gathered
//! depends on the set of captures alone, but for the numbers of documents, which nobody sees.

use super::store::{Packed, Store};
use super::{Block, Report};
use crate::html;
use crate::resolve::{Chosen, Facts, MAX_TARGETS};
use crate::{Capture, Looks, sniff};
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;
use robomaton_compiler::{CompileContext, Options, Page, ProgramCache, compile_cached};
use robomaton_formats::{Outcome, Profile, SiteKey, write};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What is kept of a capture's body.
#[derive(Clone, Copy)]
pub(super) struct Body {
    /// Its document; `None` for what cannot be rules.
    pub(super) document: Option<usize>,
    /// What it looks like, for the case that it holds no record.
    pub(super) looks: Looks,
    /// The page that it is, if it says anything to crawlers.
    pub(super) page: Option<usize>,
}

/// What the captures so far come to.
pub(super) struct Gathered<'o> {
    pub(super) options: &'o Options,
    /// How documents data.txt are compiled.
    data_options: Options,
    /// Whether pages are read.
    pages_wanted: bool,
    /// Of the hash of texts. Another one for each run, so that nobody can write a text that is
    /// taken for another; the image does not depend on it.
    seed: u64,
    /// Documents by the hash of their text, and whether it is a data.txt.
    known: HashMap<(u128, bool), usize>,
    pub(super) documents: Store,
    /// One for each thread that compiles.
    caches: Vec<Mutex<ProgramCache>>,
    /// What pages say, each with its site; superseded ones included.
    pub(super) pages: Vec<(SiteKey, Page)>,
    pub(super) chosen: Chosen<Body>,
    pub(super) report: Report,
}

/// What a capture is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Robots,
    Data,
    Other,
}

/// What is found out about a capture on any thread.
struct Looked {
    kind: Kind,
    facts: Facts,
    /// Of a data.txt, the facts of it as one of other URLs.
    other: Option<Facts>,
    hash: u128,
    looks: Looks,
    page: Option<html::Page>,
}

impl<'o> Gathered<'o> {
    /// `threads` is how many will compile.
    pub(super) fn new(
        options: &'o Options,
        pages: bool,
        threads: usize,
        scratch: Option<&Path>,
    ) -> io::Result<Gathered<'o>> {
        // No other profile knows permissions of pages.
        let pages_wanted = pages && options.profile == Profile::Full;
        Ok(Gathered {
            options,
            data_options: Options { profile: Profile::Koster, ..options.clone() },
            pages_wanted,
            seed: RandomState::new().build_hasher().finish(),
            known: HashMap::new(),
            documents: Store::new(scratch)?,
            caches: (0..threads).map(|_| Mutex::default()).collect(),
            pages: Vec::new(),
            chosen: Chosen::with_max_targets(if pages_wanted { usize::MAX } else { MAX_TARGETS }),
            report: Report::default(),
        })
    }

    pub(super) fn take(&mut self, mut block: Block) -> io::Result<()> {
        let start = Instant::now();
        self.count(&mut block);
        let (pages_wanted, seed) = (self.pages_wanted, self.seed);
        let looked: Vec<Looked> =
            block.captures.par_iter_mut().map(|capture| look(capture, pages_wanted, seed)).collect();
        let mut new = Vec::new();
        let mut found = Vec::with_capacity(looked.len());
        for (capture, looked) in block.captures.into_iter().zip(looked) {
            let Looked { kind, facts, other, hash, looks, page } = looked;
            self.report.captured_bytes += capture.body.len() as u64;
            let content = facts.has_content();
            if let Some(page) = &page {
                self.report.pages += 1;
                self.report.page_bytes += capture.body.len() as u64;
                self.report.pages_cut += u64::from(page.cut);
            }
            let page = page.and_then(|page| Some((capture.site.clone(), compiler_page(&capture, page)?)));
            let mut document = |as_data: bool, body: Vec<u8>| {
                let next = self.documents.len() + new.len();
                let document = *self.known.entry((hash, as_data)).or_insert(next);
                if document == next {
                    new.push((as_data, body));
                }
                document
            };
            // Of other URLs only texts can be rules: a crawl of pages is not compiled.
            let may_be_rules = content && (kind == Kind::Robots || looks == Looks::Text);
            if let (Some(facts), true) = (other, may_be_rules) {
                found.push((facts, Some(document(false, capture.body.clone())), looks, None));
            }
            let is_data = kind == Kind::Data;
            let compiled = if is_data { content } else { may_be_rules };
            found.push((facts, compiled.then(|| document(is_data, capture.body)), looks, page));
        }
        self.compile(new)?;
        for (facts, document, looks, page) in found {
            let (chosen, pages) = (&mut self.chosen, &mut self.pages);
            chosen.insert(facts, || {
                let page = page.map(|page| {
                    pages.push(page);
                    pages.len() - 1
                });
                Body { document, looks, page }
            });
        }
        self.report.compile_time += start.elapsed();
        Ok(())
    }

    fn count(&mut self, block: &mut Block) {
        let report = &mut self.report;
        report.captures += block.robots;
        report.ignored_records += block.ignored;
        block.skipped.drain(..).for_each(|skipped| report.skip(&skipped));
        report.revisits += block.revisits.len() as u64;
        block.revisits.drain(..).for_each(|revisit| self.chosen.revisit(revisit));
        let data = block.captures.iter().filter(|capture| capture.is_data_txt()).count() as u64;
        report.data_captures += data;
        report.other_captures += block.captures.len() as u64 - block.robots - data;
        report.truncated += block.captures.iter().filter(|capture| capture.truncated).count() as u64;
    }

    /// Compiles texts that are met for the first time, in their order.
    fn compile(&mut self, new: Vec<(bool, Vec<u8>)>) -> io::Result<()> {
        let (own, data) = (self.options, &self.data_options);
        let (with_pages, caches) = (self.pages_wanted, &self.caches);
        let compiled: Vec<Packed> = new
            .par_iter()
            .map(|(as_data, body)| {
                let cache = &caches[rayon::current_thread_index().unwrap_or(0)];
                let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
                let mut document = compile_cached(
                    body,
                    &CompileContext::default(),
                    if *as_data { data } else { own },
                    &mut cache,
                );
                // What is compiled again, or with another text, is needed once more; an image may
                // be to hold no texts.
                let again = document.depends_on_origin
                    || !document.references.is_empty()
                    || document.can_be_referred_to()
                    || with_pages && document.outcome != Outcome::Empty;
                if again && document.source.is_empty() {
                    document.source = write::encode_source(body);
                }
                Packed::of(&document)
            })
            .collect();
        self.report.distinct_bytes += new.iter().map(|(_, body)| body.len() as u64).sum::<u64>();
        compiled.iter().try_for_each(|document| self.documents.push(document))
    }
}

/// Looks at one capture; a body that was cut loses its last line.
fn look(capture: &mut Capture, pages: bool, seed: u64) -> Looked {
    let kind = match () {
        () if capture.is_robots() => Kind::Robots,
        () if capture.is_data_txt() => Kind::Data,
        () => Kind::Other,
    };
    let page = if pages && kind == Kind::Other { page_of(capture) } else { None };
    // Ties are broken by what was captured, not by what is left of it.
    let facts = Facts::of(capture);
    let other = (kind == Kind::Data).then(|| Facts::of_url(capture));
    if capture.truncated {
        // Half a line may say something else than the whole one did.
        let end = memchr::memrchr2(b'\n', b'\r', &capture.body).map_or(0, |last| last + 1);
        capture.body.truncate(end);
    }
    let looks = sniff(&capture.body, capture.content_type.as_deref());
    Looked { kind, facts, other, hash: xxh3_128_with_seed(&capture.body, seed), looks, page }
}

/// What a capture says to crawlers about itself, if it is a page.
#[cfg(feature = "pages")]
fn page_of(capture: &Capture) -> Option<html::Page> {
    is_page(capture).then(|| {
        let page = html::read_page(&capture.body, capture.content_type.as_deref());
        html::Page { cut: page.cut || capture.truncated, ..page }
    })
}

/// Nothing: `prepare` has refused to look for pages.
#[cfg(not(feature = "pages"))]
fn page_of(_: &Capture) -> Option<html::Page> {
    None
}

/// Whether a capture is an answer in HTML or XHTML, by its media type or its first bytes.
#[cfg(feature = "pages")]
fn is_page(capture: &Capture) -> bool {
    let media_type = capture.content_type.as_deref().unwrap_or_default().to_ascii_lowercase();
    (200..300).contains(&capture.status)
        && (media_type.contains("html") || sniff(&capture.body, Some(&media_type)) == Looks::Html)
}

/// The page as the compiler takes it; none where it says nothing to crawlers.
fn compiler_page(capture: &Capture, page: html::Page) -> Option<Page> {
    if page.metas.is_empty() && page.elements.is_empty() {
        return None;
    }
    let url = capture.url.split('#').next().unwrap_or_default().to_owned();
    Some(page.for_compiler(url, capture.target()))
}
