//! After reading: combines the parts of each site, and emits all sites as an image.
//!
//! Most sites share the document of their text; `own` compiles those of the others. It does not
//! know captures; it gets the chosen ones from `resolve`.

use super::gather::{Gathered, Gathering};
use super::own::{Own, Sources};
use super::sites::{Site, pages_by_site, with_pages};
use super::store::{Known, Sealed, Store};
use super::{BuildError, Report};
use rayon::prelude::*;
use robomaton_compiler::{Document, Emitter, Names, Options};
use robomaton_formats::WriteError;
use robomaton_formats::layout::{MAX_TEXT, shard_of};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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
    let sources = Sources { options, shared: &shared, chosen: &chosen, own: &own };
    for sites in sites.chunks_mut(CHUNK) {
        let made: Vec<Own> = sites.par_iter().map(|site| sources.own(site)).collect::<io::Result<_>>()?;
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
