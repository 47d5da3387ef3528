//! The batch driver: compiles captures into one image on all cores.
//!
//! One thread reads and decompresses; the others hash and compile the captures, a block at a time
//! (`gather`), and write the documents to a file (`store`). When enough blocks wait for them, the
//! reader compiles, too; alone, it compiles each block at once. When everything is read, `join`
//! combines the parts of each site, and the compiler's emitter writes the image, also by way of
//! files. So memory holds some hundred bytes for each site and distinct text, plus the blocks in
//! progress. Invariant: the image depends on the set of captures, not on their order nor on the
//! number of threads. It does not know what a body means.

mod gather;
mod join;
mod own;
mod report;
mod sites;
mod store;

pub use report::Report;
pub use store::scratch;

use crate::{Capture, Input, Item, ReadError, ReadLimits, Revisit, Skipped, read_below};
use gather::Gathering;
use join::Joined;
use robomaton_compiler::{Options, Provenance};
use robomaton_formats::WriteError;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes of captures in one block: a few milliseconds of work, so that all threads end at nearly
/// the same time.
const BLOCK: usize = 512 << 10;
/// Blocks that may wait for each thread other than the reader.
const WAITING: usize = 2;

/// Options for building an image.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Options for compiling each text.
    pub compile: Options,
    /// True to read permissions in captured pages (M1, M11).
    pub pages: bool,
    /// The number of threads; 0 for one per core. One of them also reads.
    pub threads: usize,
    /// Limits of the readers.
    pub read: ReadLimits,
    /// The directory of WARC files for byte ranges; `None` for the current one.
    pub warc_root: Option<PathBuf>,
    /// The directory for temporary files, which take about twice the size of the image; `None` for
    /// the system's directory.
    pub scratch: Option<PathBuf>,
}

/// The progress of a run, shared with the code that displays it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read from the inputs, as stored on disk.
    pub bytes: AtomicU64,
    /// Captures read.
    pub captures: AtomicU64,
}

/// An image and its report.
#[derive(Clone, Debug)]
pub struct Built {
    /// The bytes of the image.
    pub image: Vec<u8>,
    /// Statistics of reading and compiling.
    pub report: Report,
}

/// The reason why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An input cannot be opened.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The image would exceed its format, or cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Temporary files cannot be used.
    #[error("cannot use temporary files: {0}")]
    Scratch(#[from] io::Error),
    /// A requested feature is not part of this build.
    #[error("this robomaton was built without `{0}`")]
    LeftOut(&'static str),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Everything that was read, compiled and ready for writing.
pub struct Prepared<'o> {
    joined: Joined<'o>,
    options: &'o Options,
    report: Report,
    start: Instant,
}

/// Writes one file of an image.
pub type ShardWriter<'w> = Box<dyn FnOnce(&mut dyn Write) -> Result<(), WriteError> + 'w>;

impl Prepared<'_> {
    /// Statistics of reading and compiling.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Writes the image.
    ///
    /// # Errors
    /// If the image exceeds its format, a temporary file cannot be read, or `out` fails.
    pub fn write(self, out: &mut dyn Write) -> Result<Report, BuildError> {
        self.write_shards(NonZero::<u8>::MIN, &mut |_, write| write(out))
    }

    /// Writes the image as a number of files, which are opened as one image. `each` gets the number
    /// of a file and a function that writes it.
    ///
    /// # Errors
    /// Those of [`Prepared::write`], for any file.
    pub fn write_shards(
        mut self,
        shards: NonZero<u8>,
        each: &mut dyn FnMut(u8, ShardWriter<'_>) -> Result<(), WriteError>,
    ) -> Result<Report, BuildError> {
        let start = Instant::now();
        for (emitter, number) in self.joined.emit(shards).zip(0..) {
            let emitter = emitter?;
            let shard = (number, shards.get() - 1);
            let provenance = Provenance { shard, ..Provenance::of(self.options) };
            each(number, Box::new(move |out| emitter.finish(provenance, out)))?;
        }
        self.report.emit_time += start.elapsed();
        self.report.total_time = self.start.elapsed();
        Ok(self.report)
    }
}

/// Reads all inputs and builds their image in memory.
///
/// # Errors
/// Those of [`prepare`], and if the image exceeds its format.
pub fn build(inputs: &[Input], options: &BatchOptions, progress: &Progress) -> Result<Built, BuildError> {
    let mut image = Vec::new();
    let report = prepare(inputs, options, progress)?.write(&mut image)?;
    Ok(Built { image, report })
}

/// Reads and compiles all inputs.
///
/// # Errors
/// If an input cannot be opened, the compiled documents exceed the image format, or temporary files
/// fail. Bad records are not errors; the report lists them.
pub fn prepare<'o>(
    inputs: &[Input],
    options: &'o BatchOptions,
    progress: &Progress,
) -> Result<Prepared<'o>, BuildError> {
    if options.pages && !cfg!(feature = "pages") {
        return Err(BuildError::LeftOut("pages"));
    }
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let scratch = options.scratch.as_deref();
    let threads = pool.current_num_threads();
    let gathering = Gathering::new(&options.compile, options.pages, threads, scratch)?;
    let (waiting, failed) = (AtomicUsize::new(0), OnceLock::new());
    let take = |captures| {
        if let Err(error) = gathering.take(captures) {
            // The first error is enough.
            let _ = failed.set(error);
        }
    };
    let read_time = pool.scope(|scope| {
        read_blocks(inputs, options, progress, &mut |mut block| {
            gathering.count(&mut block);
            if waiting.load(Ordering::Relaxed) == WAITING * (threads - 1) {
                take(block.captures);
            } else {
                waiting.fetch_add(1, Ordering::Relaxed);
                scope.spawn(|_| {
                    waiting.fetch_sub(1, Ordering::Relaxed);
                    take(block.captures);
                });
            }
            failed.get().is_none()
        })
    })?;
    if let Some(error) = failed.into_inner() {
        return Err(error.into());
    }
    let (joined, report) = pool.install(|| join::finish(gathering, read_time, scratch))?;
    Ok(Prepared { joined, options: &options.compile, report, start })
}

/// Items that are passed on together.
#[derive(Default)]
struct Block {
    captures: Vec<Capture>,
    /// Bytes of all captures, revisits and skipped records.
    bytes: usize,
    revisits: Vec<Revisit>,
    skipped: Vec<Skipped>,
    ignored: u64,
}

impl Block {
    fn push(&mut self, item: Item) {
        match item {
            Item::Capture(capture) | Item::Target(capture) => {
                self.bytes += capture.length();
                self.captures.push(capture);
            }
            Item::Revisit(revisit) => {
                self.bytes += revisit.answer.length() + revisit.url.as_str().len();
                self.revisits.push(*revisit);
            }
            Item::Skipped(skipped) => {
                self.bytes += skipped.source.len();
                self.skipped.push(skipped);
            }
            Item::Ignored => self.ignored += 1,
        }
    }

    fn is_full(&self) -> bool {
        let items = self.captures.len() + self.revisits.len() + self.skipped.len();
        self.bytes >= BLOCK || items >= BLOCK / 64
    }
}

/// Reads everything into blocks until `take` returns false. Returns the time spent reading, without
/// the time spent waiting.
fn read_blocks(
    inputs: &[Input],
    options: &BatchOptions,
    progress: &Progress,
    take: &mut dyn FnMut(Block) -> bool,
) -> Result<Duration, ReadError> {
    let start = Instant::now();
    let (mut block, mut waited) = (Block::default(), Duration::ZERO);
    let mut hand_over = |block: &mut Block| {
        let start = Instant::now();
        let wanted = take(std::mem::take(block));
        waited += start.elapsed();
        if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let root = options.warc_root.as_deref().unwrap_or(Path::new("."));
    read_below(root, inputs, &options.read, &progress.bytes, &mut |item| {
        if let Item::Capture(_) = item {
            progress.captures.fetch_add(1, Ordering::Relaxed);
        }
        block.push(item);
        if block.is_full() { hand_over(&mut block) } else { ControlFlow::Continue(()) }
    })?;
    let _ = hand_over(&mut block);
    Ok(start.elapsed().saturating_sub(waited))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Block};
    use crate::{Capture, Item};
    use robomaton_formats::site::SiteKey;

    /// A header may be much longer than a body.
    #[test]
    fn a_block_is_full_of_headers() {
        let site = SiteKey::from_host("a.example").expect("a host");
        let mut capture = Capture::without_answer("http://a.example/".to_owned(), site, 0);
        capture.headers = vec![("link", vec![b'x'; BLOCK / 4])];
        capture.location = Some("x".repeat(BLOCK / 4));
        let mut block = Block::default();
        for _ in 0..2 {
            assert!(!block.is_full());
            block.push(Item::Target(capture.clone()));
        }
        assert!(block.is_full());
    }
}
