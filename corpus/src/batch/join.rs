//! After reading: combines the parts of each site, and emits all sites as an image.
//!
//! Most sites share the document of their text. A site needs a document of its own if its text
//! names its host (R14), refers to other files (V16, decision 23) or is read together with pages
//! (M21); that document is compiled again, for the site. Pages of a site without a capture of its
//! robots.txt make a site of [`Outcome::NotCaptured`]. It does not know captures; it gets the
//! chosen ones from `resolve`.

use super::gather::{AI_TXT, Body, Gathered, Gathering, TDMREP};
use super::store::{Known, Packed, Sealed, Store};
use super::{BuildError, Report};
use crate::Looks;
use crate::capture::canonical;
use crate::resolve::{Chosen, Resolved};
use rayon::prelude::*;
use robomaton_compiler::{
    CompileContext, Document, Emitter, Entry, License, Names, Options, OverLimit, Page, compile_with,
};
use robomaton_formats::layout::{MAX_TEXT, shard_of};
use robomaton_formats::{Outcome, Scheme, SiteKey, WriteError, write};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of the files that are read with one text: about twenty at the limit of each. Otherwise a
/// text could cause everything ever captured of its site to be compiled.
const MAX_REFERRED: u64 = 8 << 20;

/// Sites whose own documents are compiled before they are counted.
const CHUNK: usize = 1024;

/// Bytes of documents that are read together, ahead of the first site that needs them, on another
/// thread if there is one. Passing documents on one by one would cost more than reading them.
const AHEAD: u64 = 256 << 10;

/// An image whose sections are in files.
pub(super) type InFiles = Emitter<BufWriter<File>>;

/// Everything combined; only the numbering remains.
pub(super) struct Joined<'o> {
    sites: Vec<Site>,
    documents: Documents<'o>,
    names: Names,
    scratch: Option<PathBuf>,
    /// True if there is a thread to read documents ahead.
    ahead: bool,
}

/// Combines everything that was gathered. `read_time` is for the report.
pub(super) fn finish<'o>(
    gathering: Gathering<'o>,
    read_time: Duration,
    scratch: Option<&Path>,
) -> Result<(Joined<'o>, Report), BuildError> {
    let start = Instant::now();
    let options = gathering.options;
    let mut gathered = gathering.finish();
    let pages = pages_by_site(&mut gathered);
    let Gathered { documents, chosen, mut report, .. } = gathered;
    let mut sites = with_pages(chosen.finish(), pages);
    let shared = documents.seal()?;
    report.read_time = read_time;
    report.others_dropped = chosen.overflowed();
    let (lost, renewed) = chosen.revisited();
    // `gather` has reported the records that cannot be read.
    lost.into_iter().filter(|lost| lost.reason.is_of_revisit()).for_each(|lost| report.skip(lost));
    report.renewed = renewed;
    report.distinct_bodies = shared.known().len() as u64;
    report.cut_bodies = shared.known().iter().filter(|known| known.cut).count() as u64;
    let own = Mutex::new(Store::new(scratch)?);
    let joining = Joining { options, shared: &shared, chosen: &chosen, own: &own };
    for sites in sites.chunks_mut(CHUNK) {
        let made: Vec<Own> = sites.par_iter().map(|site| joining.own(site)).collect::<io::Result<_>>()?;
        for (site, made) in sites.iter_mut().zip(made) {
            made.count(site, &mut report);
            site.document = made.document.map(|number| shared.known().len() + number).or(site.document);
        }
    }
    drop(chosen);
    let own = own.into_inner().unwrap_or_else(PoisonError::into_inner).seal()?;
    let documents = Documents { shared, own, options };
    let mut met = vec![false; documents.len()];
    for site in &sites {
        let known = site.document.map(|document| documents.known(document));
        count(&mut report, site, known);
        site.document.iter().for_each(|&document| met[document] = true);
    }
    let mut names = Names::default();
    let (of_shared, of_own) = met.split_at(documents.shared.known().len());
    documents.shared.add_names(of_shared, &mut names)?;
    documents.own.add_names(of_own, &mut names)?;
    report.emit_time = start.elapsed();
    let ahead = rayon::current_num_threads() > 1;
    Ok((Joined { sites, documents, names, scratch: scratch.map(Path::to_owned), ahead }, report))
}

impl Joined<'_> {
    /// Emits all sites in shards. All shards number the names in the same way, so that together
    /// they are one image.
    pub(super) fn emit(self, shards: NonZero<u8>) -> impl Iterator<Item = Result<InFiles, BuildError>> {
        let Joined { sites, documents, names, scratch, ahead } = self;
        let last = shards.get() - 1;
        let mut of_shard: Vec<Vec<Site>> = (0..=last).map(|_| Vec::new()).collect();
        if last == 0 {
            of_shard[0] = sites;
        } else {
            for site in sites {
                of_shard[usize::from(shard_of(site.key.authority().as_bytes(), last))].push(site);
            }
        }
        of_shard.into_iter().map(move |sites| {
            let mut emitter = Emitter::new(names.clone(), || super::store::scratch(scratch.as_deref()))?;
            documents.emit(sites, ahead, &mut emitter)?;
            Ok(emitter)
        })
    }
}

/// A document, or the error of reading it.
type Loaded<'d> = io::Result<Cow<'d, Document>>;

/// All documents: first those of texts, then those of single sites.
struct Documents<'o> {
    shared: Sealed,
    own: Sealed,
    options: &'o Options,
}

impl Documents<'_> {
    /// The store that contains a document, and the document's number there.
    fn place(&self, number: usize) -> (&Sealed, usize) {
        match number.checked_sub(self.shared.known().len()) {
            None => (&self.shared, number),
            Some(own) => (&self.own, own),
        }
    }

    fn len(&self) -> usize {
        self.shared.known().len() + self.own.known().len()
    }

    fn known(&self, number: usize) -> &Known {
        let (store, number) = self.place(number);
        &store.known()[number]
    }

    /// Adds the sites to an image.
    fn emit(&self, sites: Vec<Site>, ahead: bool, emitter: &mut InFiles) -> Result<(), WriteError> {
        let mut order: Vec<usize> = sites.iter().filter_map(|site| site.document).collect();
        let mut met = vec![false; self.len()];
        order.retain(|&document| !std::mem::replace(&mut met[document], true));
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let order = &order;
            if ahead {
                // If no thread starts, the sender is gone, and nothing is loaded ahead.
                let load = move || self.load_ahead(order, &sender);
                let _ = thread::Builder::new().spawn_scoped(scope, load);
            } else {
                drop(sender);
            }
            let default_fresh_for = self.options.profile.default_fresh_for();
            let (mut ahead, mut loaded) = (order.iter(), receiver.into_iter().flatten());
            for site in sites {
                let known = site.document.map(|document| self.known(document));
                emitter.push(site.entry(known, default_fresh_for), |document| {
                    match ahead.as_slice().first() == Some(&document) {
                        true => {
                            ahead.next();
                            loaded.next().unwrap_or_else(|| self.load(document))
                        }
                        false => self.load(document),
                    }
                })?;
            }
            Ok(())
        })
    }

    /// Loads documents in this order and sends them in blocks, until the receiver is gone.
    fn load_ahead<'d>(&'d self, order: &[usize], sender: &SyncSender<Vec<Loaded<'d>>>) {
        let (mut loaded, mut bytes) = (Vec::new(), 0);
        for &document in order {
            loaded.push(self.load(document));
            bytes += self.known(document).length;
            if bytes >= AHEAD {
                bytes = 0;
                if sender.send(std::mem::take(&mut loaded)).is_err() {
                    return;
                }
            }
        }
        // If the receiver is gone, the rest is not needed.
        let _ = sender.send(loaded);
    }

    /// A document in the form for the image.
    fn load(&self, number: usize) -> Loaded<'_> {
        let (store, number) = self.place(number);
        let mut document = store.load(number)?;
        if self.options.no_sources || document.text_length as u64 > MAX_TEXT {
            // The source was kept only for compiling again.
            document.source = Vec::new();
        }
        Ok(Cow::Owned(document))
    }
}

/// A site, the outcome of its robots.txt, and its pages; or a data.txt.
struct Site {
    key: SiteKey,
    resolved: Resolved<Body>,
    pages: Vec<Page>,
    /// The site has pages, or may have a document of its own about uses.
    states: bool,
    /// The number of its document: its own, or the one of its text.
    document: Option<usize>,
}

impl Site {
    /// `pages` is present for a site with pages, or that may have a document of its own about uses.
    fn new(pages: Option<Vec<Page>>, key: SiteKey, resolved: Resolved<Body>) -> Site {
        let document = resolved.fate.as_ref().ok().and_then(|body| body.document);
        let states = pages.is_some();
        Site { key, resolved, pages: pages.unwrap_or_default(), states, document }
    }

    /// The outcome, given the facts about its document.
    fn outcome(&self, known: Option<&Known>) -> Outcome {
        match (&self.resolved.fate, known.map(|known| known.outcome)) {
            (_, Some(Outcome::OverLimit)) => Outcome::OverLimit,
            (Err(outcome), _) => *outcome,
            (Ok(body), Some(Outcome::Empty)) if body.looks != Looks::Text => Outcome::NotRobots,
            (Ok(body), said) => said.filter(|_| body.document.is_some()).unwrap_or(Outcome::NotRobots),
        }
    }

    /// The entry; `default_fresh_for` counts for rules whose header says nothing.
    fn entry(self, known: Option<&Known>, default_fresh_for: u32) -> Entry<usize> {
        // A redirect may be newer than the rules behind it.
        let lag = u32::try_from(self.resolved.lag).unwrap_or(u32::MAX);
        let stated = self.resolved.fresh_for;
        let fresh_for =
            if lag == 0 { stated } else { Some(stated.unwrap_or(default_fresh_for).saturating_sub(lag)) };
        Entry {
            outcome: self.outcome(known),
            site: self.key,
            status: self.resolved.status,
            fetched_at: u64::try_from(self.resolved.fetched_at).unwrap_or(0),
            fresh_for,
            document: self.document,
        }
    }
}

/// The chosen pages, by site. A page whose newest content is not known says what its newest capture
/// does, and is not read whole: it prohibits what it did, and allows no use.
fn pages_by_site(gathered: &mut Gathered) -> BTreeMap<SiteKey, Vec<Page>> {
    let mut by_site: BTreeMap<SiteKey, Vec<Page>> = BTreeMap::new();
    for site in std::mem::take(&mut gathered.stating) {
        by_site.entry(site).or_default();
    }
    for (number, is_known) in gathered.chosen.others().filter_map(|(body, known)| Some((body.page?, known))) {
        let (site, page) = &mut gathered.pages[number];
        page.is_cut |= !is_known;
        by_site.entry(site.clone()).or_default().push(std::mem::take(page));
    }
    by_site
}

/// Assigns pages to sites, in the order of the keys. Pages have one scheme; a site that was
/// captured without a scheme gets them, too.
fn with_pages(
    resolved: Vec<(SiteKey, Resolved<Body>)>,
    mut pages: BTreeMap<SiteKey, Vec<Page>>,
) -> Vec<Site> {
    let mut sites: Vec<Site> =
        resolved.into_iter().map(|(key, resolved)| Site::new(pages.remove(&key), key, resolved)).collect();
    let known = sites.len();
    for (key, pages) in pages {
        let any = SiteKey::stored(key.authority(), Scheme::Any);
        let of_any_scheme = sites[..known].binary_search_by(|site| site.key.cmp(&any));
        let of_any_scheme = of_any_scheme.ok().map(|at| sites[at].resolved.clone());
        let not_captured = Resolved {
            fetched_at: 0,
            lag: 0,
            fresh_for: None,
            status: 0,
            via: None,
            fate: Err(Outcome::NotCaptured),
        };
        sites.push(Site::new(Some(pages), key, of_any_scheme.unwrap_or(not_captured)));
    }
    sites.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    sites
}

/// A document compiled for one site only.
#[derive(Default)]
struct Own {
    /// Its number in the store of such documents.
    document: Option<usize>,
    references_found: u64,
    references_missing: u64,
    references_over: u64,
    /// The limit that the pages exceed; they are then not read whole.
    pages_over: Option<OverLimit>,
}

impl Own {
    fn count(&self, site: &Site, report: &mut Report) {
        report.pages_with_permissions += site.pages.iter().filter(|page| !page.is_silent()).count() as u64;
        report.references_found += self.references_found;
        report.references_missing += self.references_missing;
        report.references_over += self.references_over;
        if let Some(over) = self.pages_over {
            report.over_limit.push((site.key.to_string(), format!("its pages are not read whole: {over}")));
        }
    }
}

/// Texts by the references to them.
type Referred<'k> = Vec<(&'k str, Vec<u8>)>;

/// The sources of documents for single sites.
#[derive(Clone, Copy)]
struct Joining<'g> {
    options: &'g Options,
    shared: &'g Sealed,
    chosen: &'g Chosen<Body>,
    /// The documents for single sites. Each is written once it is made: many sites may name one
    /// large file, and each then has a document of its size.
    own: &'g Mutex<Store>,
}

impl Joining<'_> {
    fn own(&self, site: &Site) -> io::Result<Own> {
        let again = |number: usize| {
            self.shared.known()[number].depends_on_origin || self.shared.known()[number].refers
        };
        let is_partial = site.resolved.fate.as_ref().is_ok_and(|body| body.is_partial || body.is_over);
        let is_lost = is_partial && site.document.is_none();
        let is_shared = !site.states && !is_lost && !site.document.is_some_and(again);
        if site.key.document().is_some() || is_shared {
            return Ok(Own::default());
        }
        let shared = site.document.map(|number| self.shared.load(number)).transpose()?;
        // The text of a document without records was not kept, and has no effect.
        let text =
            shared.as_ref().and_then(|shared| write::decode_source(&shared.source)).unwrap_or_default();
        let (tdmrep, is_tdmrep_unread) = self.of_site(site, TDMREP)?;
        let (ai_txt, is_ai_txt_unread) = self.of_site(site, AI_TXT)?;
        let compiled = |files: &[(&str, &[u8])], licenses: &[License<'_>], pages: &[Page]| {
            let context = CompileContext {
                origin: Some(site.key.authority()),
                scheme: Some(site.key.scheme()),
                files,
                pages,
                is_partial,
                tdmrep: tdmrep.as_deref(),
                is_tdmrep_unread,
                ai_txt: ai_txt.as_deref(),
                is_ai_txt_unread,
                licenses,
            };
            compile_with(&text, &context, self.options)
        };
        let depends = shared.as_ref().is_some_and(|shared| shared.depends_on_origin);
        // The files of this site may be known only when the site is.
        let first = (depends || site.states || is_lost).then(|| compiled(&[], &[], &site.pages));
        let mut references = first
            .as_ref()
            .or(shared.as_ref())
            .map(|document| document.references.clone())
            .unwrap_or_default();
        references.sort_unstable();
        references.dedup();
        let (files, over) = self.referred(&site.key, &references)?;
        let texts: Vec<(&str, &[u8])> = files.iter().map(|(key, text)| (*key, text.as_slice())).collect();
        let of_servers = texts.iter().filter(|(key, _)| !key.starts_with('/'));
        let license = |&(url, xml): &(_, _)| {
            let fetched_at = u64::try_from(self.chosen.newest_at([url])).unwrap_or(0);
            License { url, xml, fetched_at }
        };
        let licenses: Vec<License<'_>> = of_servers.map(license).collect();
        let is_alone = texts.is_empty();
        let document = if is_alone { first } else { Some(compiled(&texts, &licenses, &site.pages)) };
        let with_pages = |pages: &[Page]| compiled(&texts, &licenses, pages);
        let (document, pages_over) =
            document.map(|document| within_limits(document, &site.pages, with_pages)).unzip();
        Ok(Own {
            document: document.as_ref().map(|document| self.keep(document)).transpose()?,
            references_found: files.len() as u64,
            references_missing: (references.len() - files.len()) as u64 - over,
            references_over: over,
            pages_over: pages_over.flatten(),
        })
    }

    /// Writes a document for a single site; its number. Numbers are not visible in an image.
    fn keep(&self, document: &Document) -> io::Result<usize> {
        let packed = Packed::of(document);
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let number = own.reserve();
        own.put(number, &packed)?;
        Ok(number)
    }

    /// The files behind these references of a site, as far as they were captured and have room, and
    /// the number of those without room.
    fn referred<'k>(&self, site: &SiteKey, references: &'k [String]) -> io::Result<(Referred<'k>, u64)> {
        let (mut files, mut room, mut over) = (Vec::new(), MAX_REFERRED, 0);
        for key in references {
            let is_url = !key.starts_with('/');
            let body = if is_url { self.chosen.newest([key.as_str()]) } else { self.newest(site, key) };
            // Of other URLs, RSL documents were kept, too; of a robots.txt, whatever came.
            let may_be_license = is_url && !canonical(key).ends_with("/robots.txt");
            let body = body.filter(|body| may_be_license || body.looks == Looks::Text);
            // The rest of a file may prohibit.
            let body = body.filter(|body| !body.is_partial);
            let Some(number) = body.and_then(|body| body.raw.or(body.document)) else { continue };
            let file = &self.shared.known()[number];
            let Some(rest) = room.checked_sub(file.text_length) else {
                over += 1;
                continue;
            };
            room = rest;
            // A text without records adds nothing, but exists; it was not kept. One over the limit
            // of bytes may have some.
            let may_add = file.can_be_referred_to || file.cut;
            let mut text = Some(Vec::new());
            if is_url || may_add {
                let kept = write::decode_source(&self.shared.load(number)?.source);
                text = kept.or(text.filter(|_| !may_add));
            }
            files.extend(text.map(|text| (key.as_str(), text)));
        }
        Ok((files, over))
    }

    /// The newest capture of a path of a site.
    fn newest(&self, site: &SiteKey, path: &str) -> Option<&Body> {
        self.chosen.newest(urls_of(site, path).iter().map(String::as_str))
    }

    /// A document of a site about uses, and true if not all of it is known. A site without the
    /// document (4xx, but 429) states nothing by it. After any other failure, or behind a redirect
    /// that leads to no text that was kept, it may state anything.
    fn of_site(&self, site: &Site, path: &str) -> io::Result<(Option<Vec<u8>>, bool)> {
        if !site.states {
            return Ok((None, false));
        }
        let body = match self.chosen.led_to(urls_of(&site.key, path).iter().map(String::as_str)) {
            None | Some(Err(Outcome::Unavailable)) => return Ok((None, false)),
            Some(Err(_)) => return Ok((None, true)),
            Some(Ok(body)) => body,
        };
        // A redirect may lead to a text that is no such document, or to no text.
        let Some(number) = body.raw.or(body.document) else { return Ok((None, true)) };
        let source = self.shared.load(number)?.source;
        let is_lost = source.is_empty() && self.shared.known()[number].text_length != 0;
        Ok((write::decode_source(&source), is_lost || body.is_partial))
    }
}

/// A document of a site within the limits, and the limit that its pages exceed. Pages over a limit
/// must not disallow the site, and what they refuse must not be permitted: without their fields, or
/// without all that they say, they are unread.
fn within_limits(
    document: Document,
    pages: &[Page],
    compiled: impl Fn(&[Page]) -> Document,
) -> (Document, Option<OverLimit>) {
    let over = document.over_limit;
    if over.is_none() || pages.is_empty() {
        return (document, None);
    }
    let lesser: [fn(&Page) -> Page; 2] = [Page::without_acap, Page::unread];
    let with_less = |less| compiled(&pages.iter().map(less).collect::<Vec<Page>>());
    match lesser.into_iter().map(with_less).find(|bare| bare.over_limit.is_none()) {
        Some(bare) => (bare, over),
        None => (document, None),
    }
}

/// The URLs of a path of a site.
fn urls_of(site: &SiteKey, path: &str) -> Vec<String> {
    match site.scheme() {
        Scheme::Any => vec![format!("https://{site}{path}"), format!("http://{site}{path}")],
        Scheme::Http | Scheme::Https => vec![format!("{site}{path}")],
    }
}

fn count(report: &mut Report, site: &Site, known: Option<&Known>) {
    let outcomes = match site.key.document() {
        Some(_) => &mut report.data_txt,
        None => {
            report.sites += 1;
            &mut report.outcomes
        }
    };
    *outcomes.entry(site.outcome(known).name()).or_default() += 1;
    if known.is_some_and(|known| known.cut) {
        report.cut_sites.push(site.key.to_string());
    }
    if let Some(over) = known.and_then(|known| known.over_limit) {
        report.over_limit.push((site.key.to_string(), over.to_string()));
    }
}
