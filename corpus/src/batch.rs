//! The batch driver: captures in, one image out, over all cores.
//!
//! One thread reads and inflates; the others hash and compile what it hands over, a block at a time. Equal bodies are
//! compiled once, whatever site they come from. When all is read, `resolve` chooses each site's newest capture, and
//! the compiler's `emit` makes the image. Invariant: the image depends on the set of captures, not on their order
//! nor on the number of threads. It does not know what a body says.

use crate::resolve::{Chosen, Facts};
use crate::{Capture, Input, Item, Looks, ReadError, ReadLimits, Skipped, read, sniff};
use rayon::prelude::*;
use robomaton_compiler::{Document, Entry, Options, compile, emit};
use robomaton_formats::{ImageError, Outcome, SiteKey};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_128;

/// Octets of bodies that are handed over together.
const BLOCK: usize = 4 << 20;
/// Blocks that may wait for the compiler.
const WAITING: usize = 4;
/// Skipped records that a report quotes.
const EXAMPLES: usize = 20;

/// How to build an image.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// How each text is compiled.
    pub compile: Options,
    /// Threads that compile; 0 for one per core.
    pub threads: usize,
    /// What a reader holds in memory.
    pub read: ReadLimits,
}

/// How far a run is; shared with whoever draws it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Octets read of the inputs as they lie on disk.
    pub bytes: AtomicU64,
    /// Captures read.
    pub captures: AtomicU64,
}

/// An image and how it came about.
#[derive(Clone, Debug)]
pub struct Built {
    /// The bytes of the image.
    pub image: Vec<u8>,
    /// What was read and compiled.
    pub report: Report,
}

/// What was read, compiled, skipped and over a limit.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Captures of robots.txt.
    pub captures: u64,
    /// Sites in the image.
    pub sites: u64,
    /// Sites by the name of their outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Distinct bodies that were compiled, superseded ones included.
    pub distinct_bodies: u64,
    /// Octets of all bodies.
    pub text_bytes: u64,
    /// Octets of distinct bodies.
    pub distinct_bytes: u64,
    /// Distinct bodies of which the compiler left a part unread, being over its limit of octets (R4).
    pub cut_bodies: u64,
    /// Captures that were cut before they came here: their last, partial line is not read.
    pub truncated: u64,
    /// Captures of other URLs, of use only as targets of redirects.
    pub other_captures: u64,
    /// Rules of distinct bodies.
    pub rules: u64,
    /// Programs of distinct bodies, equal ones of different bodies counted each.
    pub programs: u64,
    /// Sites whose text exceeds a limit, and which.
    pub over_limit: Vec<(String, String)>,
    /// Records skipped, by the name of the reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first skipped records, each with its place and reason.
    pub skipped_examples: Vec<String>,
    /// Records that never hold a capture.
    pub ignored_records: u64,
    /// Time in which the reader waited for nobody.
    pub read_time: Duration,
    /// Time of hashing and compiling, waits for the reader excluded.
    pub compile_time: Duration,
    /// Time of making the image.
    pub emit_time: Duration,
    /// Time from begin to end.
    pub total_time: Duration,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An input cannot be opened.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The image would exceed its format.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Reads all inputs and makes their image.
///
/// # Errors
/// When an input cannot be opened or the image would not fit its format; bad records are in the report instead.
pub fn build(inputs: &[Input], options: &BatchOptions, progress: &Progress) -> Result<Built, BuildError> {
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let mut batch = Batch::new(&options.compile);
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || deliver(inputs, &options.read, progress, sender));
        let taking = &mut batch;
        pool.install(move || taking.take_all(receiver));
        // A reader that panicked is a bug; its panic goes on here.
        match reader.join() {
            Ok(result) => result.map(|time| batch.report.read_time = time),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    let mut built = pool.install(|| batch.finish())?;
    built.report.total_time = start.elapsed();
    Ok(built)
}

/// What the reader hands over.
#[derive(Default)]
struct Block {
    captures: Vec<Capture>,
    /// How many of the captures are of robots.txt; the others are possible targets of redirects.
    robots: u64,
    octets: usize,
    skipped: Vec<Skipped>,
    ignored: u64,
}

/// Reads everything into blocks; gives the time spent reading rather than waiting.
fn deliver(
    inputs: &[Input],
    limits: &ReadLimits,
    progress: &Progress,
    sender: SyncSender<Block>,
) -> Result<Duration, ReadError> {
    let start = Instant::now();
    let mut waited = Duration::ZERO;
    let mut block = Block::default();
    let mut hand_over = |block: &mut Block| {
        let start = Instant::now();
        let sent = sender.send(std::mem::take(block));
        waited += start.elapsed();
        // The other end is gone only when it panicked.
        if sent.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    read(inputs, limits, &progress.bytes, &mut |item| {
        match item {
            Item::Capture(capture) => {
                progress.captures.fetch_add(1, Ordering::Relaxed);
                block.robots += 1;
                block.octets += capture.body.len();
                block.captures.push(capture);
            }
            Item::Target(capture) => {
                block.octets += capture.body.len();
                block.captures.push(capture);
            }
            Item::Skipped(skipped) => block.skipped.push(skipped),
            Item::Ignored => block.ignored += 1,
        }
        if block.octets < BLOCK && block.captures.len() + block.skipped.len() < BLOCK / 64 {
            return ControlFlow::Continue(());
        }
        hand_over(&mut block)
    })?;
    let _ = hand_over(&mut block);
    Ok(start.elapsed().saturating_sub(waited))
}

/// What is kept of a capture's body.
#[derive(Clone, Copy)]
struct Body {
    /// Its document; `None` for what cannot be rules.
    document: Option<usize>,
    /// What it looks like, for the case that it holds no record.
    looks: Looks,
}

struct Batch<'o> {
    options: &'o Options,
    known: HashMap<u128, usize>,
    documents: Vec<Document>,
    /// Bodies that mean something else on each site, by document.
    own: HashMap<usize, Vec<u8>>,
    chosen: Chosen<Body>,
    report: Report,
}

impl<'o> Batch<'o> {
    fn new(options: &'o Options) -> Batch<'o> {
        Batch {
            options,
            known: HashMap::new(),
            documents: Vec::new(),
            own: HashMap::new(),
            chosen: Chosen::new(),
            report: Report::default(),
        }
    }

    fn take_all(&mut self, receiver: Receiver<Block>) {
        for block in receiver {
            let start = Instant::now();
            self.take(block);
            self.report.compile_time += start.elapsed();
        }
    }

    fn take(&mut self, mut block: Block) {
        self.report.captures += block.robots;
        self.report.ignored_records += block.ignored;
        for skipped in block.skipped {
            *self.report.skipped.entry(skipped.reason.name()).or_default() += 1;
            if self.report.skipped_examples.len() < EXAMPLES {
                let Skipped { source, at, reason } = skipped;
                self.report.skipped_examples.push(format!("{source}:{at}: {reason}"));
            }
        }
        self.report.other_captures += block.captures.len() as u64 - block.robots;
        self.report.truncated += block.captures.iter().filter(|capture| capture.truncated).count() as u64;
        let looked: Vec<(Facts, u128, Looks)> = block
            .captures
            .par_iter_mut()
            .map(|capture| {
                if capture.truncated {
                    // Half a line may say something else than the whole one did.
                    let end = memchr::memrchr2(b'\n', b'\r', &capture.body).map_or(0, |last| last + 1);
                    capture.body.truncate(end);
                }
                let looks = sniff(&capture.body, capture.content_type.as_deref());
                (Facts::of(capture), xxh3_128(&capture.body), looks)
            })
            .collect();
        let mut new = Vec::new();
        let mut bodies = Vec::with_capacity(looked.len());
        for (capture, (facts, hash, looks)) in block.captures.into_iter().zip(looked) {
            self.report.text_bytes += capture.body.len() as u64;
            // Of other URLs only texts can be rules: a crawl of pages is not compiled.
            let may_be_rules = capture.is_robots() || looks == Looks::Text;
            let document = (facts.has_content() && may_be_rules).then(|| {
                let next = self.documents.len() + new.len();
                let document = *self.known.entry(hash).or_insert(next);
                if document == next {
                    new.push(capture.body);
                }
                document
            });
            bodies.push((facts, document, looks));
        }
        let compiled: Vec<Document> = new.par_iter().map(|body| compile(body, None, self.options)).collect();
        for (body, document) in new.into_iter().zip(compiled) {
            self.report.distinct_bytes += body.len() as u64;
            if document.depends_on_origin {
                self.own.insert(self.documents.len(), body);
            }
            self.documents.push(document);
        }
        for (facts, document, looks) in bodies {
            self.chosen.insert(facts, || Body { document, looks });
        }
    }

    fn finish(mut self) -> Result<Built, ImageError> {
        let start = Instant::now();
        let documents = &self.documents;
        let sites = std::mem::take(&mut self.chosen).finish();
        // Texts that speak of their own host are compiled again for each site that has them (R14).
        let own: Vec<Option<Document>> = sites
            .par_iter()
            .map(|(site, resolved)| {
                let text = self.own.get(&resolved.fate.as_ref().ok()?.document?)?;
                Some(compile(text, Some(site.authority()), self.options))
            })
            .collect();
        let entries: Vec<Entry<'_>> = sites
            .iter()
            .zip(&own)
            .map(|((site, resolved), own)| entry(site, resolved, own.as_ref(), documents))
            .collect();
        let mut report = self.report;
        report.sites = entries.len() as u64;
        report.distinct_bodies = documents.len() as u64;
        for document in documents {
            report.rules += document.rules as u64;
            report.programs += document.programs.len() as u64;
            report.cut_bodies += u64::from(document.cut);
        }
        for entry in &entries {
            *report.outcomes.entry(entry.outcome.name()).or_default() += 1;
            if let Some(over) = entry.document.and_then(|document| document.over_limit) {
                report.over_limit.push((entry.site.to_string(), over.to_string()));
            }
        }
        let image = emit(entries, report.captures, self.options)?;
        report.emit_time = start.elapsed();
        Ok(Built { image, report })
    }
}

fn entry<'d>(
    site: &SiteKey,
    resolved: &crate::Resolved<Body>,
    own: Option<&'d Document>,
    documents: &'d [Document],
) -> Entry<'d> {
    let body = resolved.fate.as_ref();
    let document = body.ok().and_then(|body| own.or_else(|| Some(&documents[body.document?])));
    let outcome = match (body, document) {
        (Err(&outcome), _) => outcome,
        (Ok(body), Some(document)) if document.outcome == Outcome::Empty && body.looks != Looks::Text => {
            Outcome::NotRobots
        }
        (Ok(_), document) => document.map_or(Outcome::NotRobots, |document| document.outcome),
    };
    Entry {
        site: site.clone(),
        outcome,
        status: resolved.status,
        fetched_at: u64::try_from(resolved.fetched_at).unwrap_or(0),
        fresh_for: resolved.fresh_for,
        document,
    }
}
