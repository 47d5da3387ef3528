//! The passes over an image: counts, and the policies for the page.
//!
//! The first pass counts the sites of each text. The second processes the texts in the order of
//! their first sites, in blocks on all threads, and combines the results in that order, so that the
//! result does not depend on threads. Time is linear in sites and texts (lint has a limit of its
//! own).

use crate::Options;
use crate::embed::{Blocks, packed};
use crate::figures::{Figures, OfText, OfUses};
use crate::policy::Policy;
use crate::text::shown;
use rayon::prelude::*;
use robomaton_compiler::CompileContext;
use robomaton_compiler::lint::{Code, lint};
use robomaton_formats::crawlers::known;
use robomaton_formats::detail::Detail;
use robomaton_formats::{DocumentId, Outcome};
use robomaton_grammar::{Severity, scan};
use robomaton_runtime::{Crawler, Image, Site, Usage};
use robomaton_tables::coverage::{AnswersKey, Coverage, Coverages, answers_key};
use robomaton_tables::stances::stances;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Texts that are read in parallel.
pub const WINDOW: usize = 256;
/// Bytes of memory for each site, to find the sites with the longest records.
pub const BYTES_A_SITE: usize = 8;
/// Bytes of memory for each text.
pub const BYTES_A_TEXT: usize = 16;

/// The maximum number of bytes of a text that are read, whatever limit the image states.
const TEXT_READ: usize = 64 << 20;
/// A value that is no text number.
const NONE: u32 = u32::MAX;

/// The data of the page besides the figures.
pub(crate) struct Data {
    /// The sites, as a compressed [`Index`].
    pub(crate) index: String,
    /// The texts in blocks, each with the number of its first text.
    pub(crate) blocks: Vec<(u32, String)>,
    /// The number of sites in the page.
    pub(crate) sites: usize,
}

/// The sites in the search, as columns.
#[derive(Default, Serialize)]
struct Index {
    /// Well-known crawlers, in the order of the coverages of a text.
    crawlers: Vec<&'static str>,
    /// Names of outcomes, by their numbers.
    outcomes: Vec<&'static str>,
    /// Names, by which the sites are sorted; with equal names by scheme.
    names: Vec<String>,
    schemes: Vec<u8>,
    /// The outcome's number, or the length of the list if the image is damaged.
    fetched: Vec<u8>,
    status: Vec<u16>,
    /// Seconds since 1970, 0 if unknown.
    at: Vec<u64>,
    /// Numbers of the texts in the page.
    texts: Vec<u32>,
}

impl Index {
    fn add(&mut self, site: &Site<'_>, text: u32) {
        self.names.push(site.authority());
        self.schemes.push(site.scheme() as u8);
        self.fetched.push(site.outcome().map_or(Outcome::ALL.len() as u8, |outcome| outcome as u8));
        self.status.push(site.status());
        self.at.push(site.fetched_at().unwrap_or(0));
        self.texts.push(text);
    }
}

/// A text to be read.
struct Job<'i> {
    site: Site<'i>,
    key: AnswersKey,
    sites: u64,
    embed: bool,
}

/// The options for reading every text.
struct ReadOptions<'a, D> {
    image: &'a Image<D>,
    options: &'a Options,
    crawlers: &'a [Crawler],
}

/// The results of the second pass.
struct Making {
    figures: Figures,
    blocks: Blocks,
    index: Index,
    /// The texts that were counted, each with sites of one outcome or of several.
    counted: HashSet<DocumentId>,
    /// The number in the page of each text.
    numbers: HashMap<AnswersKey, u32>,
    /// Sites whose text is not read yet.
    waiting: Vec<(usize, AnswersKey)>,
}

/// Counts and embeds. `done` grows to the number of sites.
pub(crate) fn gather<D>(image: &Image<D>, options: &Options, done: &AtomicU64) -> io::Result<(Figures, Data)>
where
    D: AsRef<[u8]> + Sync,
{
    let crawlers = crawlers(image);
    let read_options = ReadOptions { image, options, crawlers: &crawlers };
    let mut sites_of: HashMap<AnswersKey, u32> = HashMap::new();
    for key in image.sites().filter(|site| site.document().is_some()).map(|site| answers_key(&site)) {
        *sites_of.entry(key).or_default() += 1;
    }
    let last = last_embedded(image, options.sites);
    let mut making = Making {
        figures: Figures::new(known().len()),
        blocks: Blocks::default(),
        index: Index {
            crawlers: known().iter().map(|known| known.token).collect(),
            outcomes: Outcome::ALL.map(Outcome::name).to_vec(),
            ..Index::default()
        },
        counted: HashSet::new(),
        numbers: HashMap::new(),
        waiting: Vec::new(),
    };
    // Sites without a text differ only in the outcome of the fetch.
    let mut without: BTreeMap<AnswersKey, (Vec<Coverage>, u32)> = BTreeMap::new();
    let mut jobs = Vec::with_capacity(WINDOW);
    for (place, site) in image.sites().enumerate() {
        done.fetch_add(1, Ordering::Relaxed);
        making.figures.add_site(site.outcome(), site.fetched_at());
        let embed = last.is_none_or(|last| rank(place, &site) <= last);
        let key = answers_key(&site);
        if site.document().is_none() {
            let (coverages, number) =
                without.entry(key).or_insert_with(|| (coverages(&crawlers, &site), NONE));
            making.figures.add_coverages(coverages, 1);
            if embed {
                if *number == NONE {
                    let policy = Policy::of(&Detail::default(), of_known(coverages)).json()?;
                    *number = making.blocks.add(&policy)?;
                }
                making.index.add(&site, *number);
            }
            continue;
        }
        if embed {
            making.waiting.push((making.index.texts.len(), key));
            making.index.add(&site, NONE);
        }
        if let Some(sites) = sites_of.remove(&key) {
            jobs.push(Job { site, key, sites: u64::from(sites), embed });
        }
        if jobs.len() == WINDOW {
            making.join(&read_options, &jobs)?;
            jobs.clear();
        }
    }
    making.join(&read_options, &jobs)?;
    let Making { figures, blocks, index, .. } = making;
    let sites = index.names.len();
    let index = packed(&serde_json::to_vec(&index)?)?;
    Ok((figures, Data { index, blocks: blocks.finish()?, sites }))
}

impl Making {
    /// Reads some texts in parallel, and adds their results in order.
    fn join<D>(&mut self, read_options: &ReadOptions<'_, D>, jobs: &[Job<'_>]) -> io::Result<()>
    where
        D: AsRef<[u8]> + Sync,
    {
        let read: Vec<(OfText, Option<Vec<u8>>)> =
            jobs.par_iter().map(|job| read(read_options, job)).collect::<serde_json::Result<_>>()?;
        for (job, (text, policy)) in jobs.iter().zip(read) {
            let is_new = job.key.0.is_some_and(|document| self.counted.insert(document));
            self.figures.add_text(&text, job.sites, is_new);
            if let Some(policy) = policy {
                self.numbers.insert(job.key, self.blocks.add(&policy)?);
            }
        }
        for (place, key) in self.waiting.drain(..) {
            self.index.texts[place] = self.numbers.get(&key).copied().unwrap_or(NONE);
        }
        Ok(())
    }
}

/// The rank of a site for the page: the longest records first, then the first names.
type Rank = (Reverse<u32>, usize);

fn rank(place: usize, site: &Site<'_>) -> Rank {
    (Reverse(site.detail_length()), place)
}

/// The rank of the last site in the page; `None` if the page has all sites.
fn last_embedded<D: AsRef<[u8]>>(image: &Image<D>, limit: usize) -> Option<Rank> {
    image.sites().nth(limit)?;
    let mut ranks: Vec<(Reverse<u32>, u32)> = image
        .sites()
        .enumerate()
        .map(|(place, site)| rank(place, &site))
        .map(|(length, place)| (length, place as u32))
        .collect();
    // With no sites in the page, the last rank precedes all others.
    let Some(last) = limit.checked_sub(1) else { return Some((Reverse(u32::MAX), 0)) };
    let (_, &mut (length, place), _) = ranks.select_nth_unstable(last);
    Some((length, place as usize))
}

/// The well-known crawlers, followed by one that no group names.
fn crawlers<D: AsRef<[u8]>>(image: &Image<D>) -> Vec<Crawler> {
    known().iter().map(|known| known.token).chain(["*"]).map(|name| image.crawler([name])).collect()
}

/// The coverages without the last.
fn of_known(coverages: &[Coverage]) -> &[Coverage] {
    &coverages[..known().len()]
}

fn coverages(crawlers: &[Crawler], site: &Site<'_>) -> Vec<Coverage> {
    Coverages::new(crawlers, &[Usage::CRAWL]).of(site).to_vec()
}

/// Counts coverages and uses only: a point of the chart over time, and the counts as JSON.
pub(crate) fn count_coverages<D>(image: &Image<D>, done: &AtomicU64) -> Figures
where
    D: AsRef<[u8]> + Sync,
{
    let crawlers = crawlers(image);
    let mut figures = Figures::new(known().len());
    // Sites with equal answers are measured once.
    let mut alike: BTreeMap<AnswersKey, (Site<'_>, u64)> = BTreeMap::new();
    for site in image.sites() {
        done.fetch_add(1, Ordering::Relaxed);
        figures.add_site(site.outcome(), site.fetched_at());
        alike.entry(answers_key(&site)).or_insert((site, 0)).1 += 1;
    }
    let alike: Vec<(Site<'_>, u64)> = alike.into_values().collect();
    for window in alike.chunks(WINDOW) {
        let read = |(site, _): &(Site<'_>, u64)| {
            (coverages(&crawlers, site), of_uses(image, site, &site.detail().unwrap_or_default()))
        };
        let counted: Vec<(Vec<Coverage>, OfUses)> = window.par_iter().map(read).collect();
        for ((_, sites), (coverages, uses)) in window.iter().zip(counted) {
            figures.add_coverages(&coverages, *sites);
            figures.add_uses(&uses, &coverages, *sites);
        }
    }
    figures
}

/// Reads one text: its counts and, if the page has it, its policy as JSON.
fn read<D: AsRef<[u8]>>(
    read_options: &ReadOptions<'_, D>,
    job: &Job<'_>,
) -> serde_json::Result<(OfText, Option<Vec<u8>>)> {
    let detail = job.site.detail().unwrap_or_default();
    let coverages = coverages(read_options.crawlers, &job.site);
    let policy = job.embed.then(|| Policy::of(&detail, of_known(&coverages)).json()).transpose()?;
    let rules = || detail.groups.iter().flat_map(|group| group.rules.iter().map(|rule| group.pattern(rule)));
    let agents: BTreeSet<&String> = detail.groups.iter().flat_map(|group| &group.crawlers).collect();
    let limit =
        read_options.options.compiled.limits.bytes(read_options.options.compiled.profile).min(TEXT_READ);
    let is_read = matches!(
        job.site.outcome(),
        Some(Outcome::Rules | Outcome::Empty | Outcome::NotRobots | Outcome::OverLimit)
    );
    let source = job.site.source(limit.saturating_add(1)).filter(|_| is_read);
    let text = OfText {
        is_read,
        rules: rules().count() as u64,
        size: source.as_ref().map(|source| source.len() as u64),
        stars: rules().any(|pattern| pattern.has_star()),
        anchors: rules().any(|pattern| pattern.parts().anchored),
        agents: agents.into_iter().map(|name| shown(name).into_owned()).collect(),
        codes: source.map(|source| codes(&source, &detail, read_options.options)).unwrap_or_default(),
        coverages,
        uses: of_uses(read_options.image, &job.site, &detail),
    };
    Ok((text, policy))
}

/// The statements about uses of a site's document.
fn of_uses<D: AsRef<[u8]>>(image: &Image<D>, site: &Site<'_>, detail: &Detail<'_>) -> OfUses {
    let stances = stances(image, site, detail);
    let address = if stances.is_empty() { String::new() } else { shown(&site.address()).into_owned() };
    OfUses { stances, address }
}

/// The codes of all findings about a text by itself: its host, and other files that the image was
/// compiled with, are not known here.
fn codes(source: &[u8], detail: &Detail<'_>, options: &Options) -> Vec<(&'static str, Severity)> {
    let compiled = &options.compiled;
    let tree = scan(source, compiled.limits.bytes(compiled.profile));
    let report = lint(&tree, &CompileContext::default(), compiled);
    let lacks = detail.groups.iter().any(|group| group.incomplete);
    let meant = report.findings.iter().filter(|found| lacks || found.code != Code::AcapReferenceMissing);
    let mut codes: BTreeMap<&'static str, Severity> =
        meant.map(|found| (found.code.name(), found.code.severity())).collect();
    if report.over.is_some() {
        let over = robomaton_grammar::Code::OverLimit;
        codes.insert(over.name(), over.severity());
    }
    codes.extend(report.syntax.iter().map(|found| (found.code.name(), found.code.severity())));
    codes.into_iter().collect()
}
