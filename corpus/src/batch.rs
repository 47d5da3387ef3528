//! The batch driver: captures in, one image out, over all cores.
//!
//! One thread reads and inflates; the others hash and compile what it hands over, a block at a time (`gather`). When
//! all is read, `join` puts together what belongs to a site, and the compiler's `emit` makes the image.
//! Invariant: the image depends on the set of captures, not on their order nor on the number of threads. It does not
//! know what a body says.

mod gather;
mod join;
mod report;

pub use report::Report;

use crate::{Capture, Input, Item, ReadError, ReadLimits, Skipped, read};
use gather::Gathered;
use robomaton_compiler::Options;
use robomaton_formats::ImageError;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Octets of bodies that are handed over together.
const BLOCK: usize = 4 << 20;
/// Blocks that may wait for the compiler.
const WAITING: usize = 4;

/// How to build an image.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// How each text is compiled.
    pub compile: Options,
    /// Whether pages among the captures are read for what they say to crawlers about themselves (M1, M11).
    pub pages: bool,
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
    let mut gathered = Gathered::new(&options.compile, options.pages);
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || deliver(inputs, &options.read, progress, sender));
        let taking = &mut gathered;
        pool.install(move || take_all(taking, receiver));
        // A reader that panicked is a bug; its panic goes on here.
        match reader.join() {
            Ok(result) => result.map(|time| gathered.report.read_time = time),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    let mut built = pool.install(|| join::finish(gathered))?;
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

fn take_all(gathered: &mut Gathered<'_>, receiver: Receiver<Block>) {
    for block in receiver {
        let start = Instant::now();
        gathered.take(block);
        gathered.report.compile_time += start.elapsed();
    }
}
