//! Merges images into one, which is written completely or not at all.
//!
//! Nothing is compiled again: `compiler::Merge` takes the newest capture of each site. The result
//! is the same as if all captures had been compiled together. It is verified like every image.

use crate::error::Unfit;
use crate::{Destination, Error};
use robomaton_compiler::{Merge, MergeError};
use robomaton_corpus::scratch;
use robomaton_formats::WriteError;
use robomaton_runtime::{Image, LayersError, LeftOut, Manifest, OpenError};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};
use std::time::Instant;

/// The result; the fields are the keys that scripts rely on.
#[derive(Debug, Serialize)]
pub struct Merged {
    /// The number of images.
    pub images: usize,
    /// Sites of the result.
    pub sites: usize,
    /// Bytes of the result.
    pub image_bytes: usize,
    /// Seconds from opening the first image to the finished result.
    pub seconds: f64,
    /// The layers of stacks that were left out, by their paths.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
}

/// The options of a merge.
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeOptions {
    /// Captures that were fetched before this time, in Unix seconds, are left out.
    pub oldest: u64,
    /// The number of threads for verification; 0 for one per core.
    pub threads: usize,
    /// True if layers of a stack that are missing or damaged are left out, so that older captures
    /// count. Of each stack, one layer must be left.
    pub without_damaged_layers: bool,
}

/// Merges images: files, directories of shards, or stacks, whose layers count as images. Each is
/// verified before it is read.
///
/// # Errors
/// If an image cannot be opened, is damaged or was compiled with other options than the first, and
/// if the destination cannot be written.
pub fn merge(paths: &[PathBuf], destination: Destination) -> Result<Merged, Error> {
    merge_with(MergeOptions::default(), paths, destination)
}

/// Like [`merge`], with options.
///
/// # Errors
/// The same.
pub fn merge_with(
    options: MergeOptions,
    paths: &[PathBuf],
    destination: Destination,
) -> Result<Merged, Error> {
    let start = Instant::now();
    let MergeOptions { oldest, threads, without_damaged_layers } = options;
    let (layers, opened) = open_current(threads, paths)?;
    let Opened { paths, images, left_out } = sound(layers, opened, without_damaged_layers)?;
    // Errors name files by their numbers; a shard has the number of its image.
    let files: Vec<(usize, Image<&[u8]>)> = (0..)
        .zip(&images)
        .flat_map(|(number, image)| image.shards().map(move |shard| (number, shard)))
        .collect();
    let views: Vec<_> = files.iter().map(|(_, shard)| shard.view()).collect();
    let unfit = |error: &MergeError| {
        let (image, error) = match *error {
            MergeError::Nothing => return Error::Nothing,
            MergeError::Unlike { image, what } => (image, Unfit::Unlike { what, first: paths[0].clone() }),
            MergeError::Damaged { image } => (image, Unfit::Damaged),
        };
        Error::Merge { path: paths[files[image].0].clone(), error }
    };
    let merge = Merge::since(oldest, &views).map_err(|error| unfit(&error))?;
    let shards = destination.shards();
    for number in 0..shards.get() {
        let spool = || scratch(destination.room());
        let write = |out: &mut dyn Write| merge.write((number, shards.get() - 1), spool, out);
        destination.write(number, Box::new(write)).map_err(|error| match &error {
            // An image may be found to be damaged only while it is written.
            WriteError::Io(io) => match io.get_ref().and_then(|error| error.downcast_ref()) {
                Some(damaged) => unfit(damaged),
                None => destination.failed(error),
            },
            WriteError::Image(_) => destination.failed(error),
        })?;
    }
    let image = destination.finish()?;
    Ok(Merged {
        images: paths.len(),
        sites: image.sites().count(),
        image_bytes: image.bytes(),
        seconds: start.elapsed().as_secs_f64(),
        left_out,
    })
}

/// An image that was opened and verified.
type Opening = Result<Image, Error>;

/// An image to be merged.
#[derive(PartialEq, Eq)]
struct Layer {
    path: PathBuf,
    /// The stack that it is a layer of, by its place among the paths.
    stack: Option<usize>,
}

/// The paths, with the layers of a stack in its place.
fn layers_of(paths: &[PathBuf]) -> Result<Vec<Layer>, Error> {
    let mut all = Vec::with_capacity(paths.len());
    for (number, directory) in paths.iter().enumerate() {
        if !Manifest::is_in(directory) {
            all.push(Layer { path: directory.clone(), stack: None });
            continue;
        }
        let path = Manifest::path(directory);
        let manifest = Manifest::read(directory).map_err(|error| OpenError::Io { path, error })?;
        if manifest.layers.is_empty() {
            return Err(OpenError::Layers { path: directory.clone(), error: LayersError::Empty }.into());
        }
        let layer = |name: &String| Layer { path: directory.join(name), stack: Some(number) };
        all.extend(manifest.layers.iter().map(layer));
    }
    Ok(all)
}

/// The images that are merged.
struct Opened {
    paths: Vec<PathBuf>,
    images: Vec<Image>,
    left_out: Vec<LeftOut>,
}

/// The images that opened, if all others are layers that may be left out.
///
/// # Errors
/// The first error, if not, or if nothing is left of a stack.
fn sound(layers: Vec<Layer>, opened: Vec<Opening>, without_damaged_layers: bool) -> Result<Opened, Error> {
    let (mut paths, mut images, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sound_stacks, mut errors) = (HashSet::new(), BTreeMap::new());
    for (Layer { path, stack }, opened) in layers.into_iter().zip(opened) {
        match (opened, stack) {
            (Ok(image), stack) => {
                sound_stacks.extend(stack);
                paths.push(path);
                images.push(image);
            }
            (Err(error), Some(stack)) if without_damaged_layers && is_damage(&error) => {
                left_out.push(LeftOut { name: path.display().to_string(), error: error.to_string() });
                errors.entry(stack).or_insert(error);
            }
            (Err(error), _) => return Err(error),
        }
    }
    match errors.into_iter().find(|(stack, _)| !sound_stacks.contains(stack)) {
        Some((_, error)) => Err(error),
        None => Ok(Opened { paths, images, left_out }),
    }
}

/// True if an image is missing or damaged.
fn is_damage(error: &Error) -> bool {
    !matches!(error, Error::Open(error) if !error.is_damage())
}

/// Opens and verifies the images. A store may replace the layers of a stack meanwhile: those that
/// are gone are in others then, which are opened instead.
fn open_current(threads: usize, paths: &[PathBuf]) -> Result<(Vec<Layer>, Vec<Opening>), Error> {
    let mut layers = layers_of(paths)?;
    loop {
        let opened = open_all(threads, &layers);
        let now = layers_of(paths)?;
        if layers == now || opened.iter().all(Result::is_ok) {
            return Ok((layers, opened));
        }
        layers = now;
    }
}

/// Opens and verifies images, several at a time.
fn open_all(threads: usize, layers: &[Layer]) -> Vec<Opening> {
    let threads = if threads == 0 { available_parallelism().map_or(1, NonZero::get) } else { threads };
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let opened = numbers.map_while(|number| Some((number, open(&layers.get(number)?.path))));
        opened.collect::<Vec<_>>()
    };
    let mut opened = thread::scope(|scope| {
        // This thread works, too, so the others may fail to start.
        let others = 1..threads.min(layers.len());
        let workers: Vec<_> =
            others.filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut opened = work();
        for worker in workers {
            // A worker that panicked is a bug; its panic continues here.
            opened.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        opened
    });
    opened.sort_unstable_by_key(|(number, _)| *number);
    opened.into_iter().map(|(_, image)| image).collect()
}

fn open(path: &Path) -> Result<Image, Error> {
    let image = crate::open::open(path)?;
    image.verify().map_err(|error| Error::Image { path: path.to_owned(), error })?;
    Ok(image)
}
