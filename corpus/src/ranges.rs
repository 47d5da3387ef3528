//! Byte ranges of WARC files, as named by an index; read file by file, each from front to back.
//!
//! Rows without a body (`row`) add them; they are read when their limit is reached, and at the end
//! of the run. A range is a stream of its own: compressed or not, and damage in it affects no
//! other. Invariants: every range yields at least one item; files are searched only below the root
//! of the run, since an index is untrusted. It does not know records.

use crate::record::Range;
use crate::source::{CHUNK, Source};
use crate::window::Window;
use crate::{Item, ReadLimits, SkipReason, Skipped, warc};
use foldhash::{HashSet, HashSetExt};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Ranges that wait to be read.
pub(crate) struct Ranges {
    root: PathBuf,
    waiting: Vec<(Arc<str>, u64, u64)>,
    /// The names of their files, which many ranges share.
    names: HashSet<Arc<str>>,
}

impl Ranges {
    /// No ranges yet, of files below `root`.
    pub(crate) fn new(root: &Path) -> Ranges {
        Ranges { root: root.to_owned(), waiting: Vec::new(), names: HashSet::new() }
    }

    /// Adds a range, and returns the number of ranges.
    pub(crate) fn push(&mut self, range: Range) -> usize {
        let name = self.names.get(&*range.filename).cloned().unwrap_or_else(|| {
            let name: Arc<str> = range.filename.into();
            self.names.insert(name.clone());
            name
        });
        self.waiting.push((name, range.offset, range.length));
        self.waiting.len()
    }

    /// Reads all ranges.
    pub(crate) fn read(
        &mut self,
        limits: &ReadLimits,
        each: &mut dyn FnMut(Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.names.clear();
        waiting.sort_unstable();
        for ranges in waiting.chunk_by(|one, two| one.0 == two.0) {
            let name = &ranges[0].0;
            match self.open(name) {
                Ok((file, size)) => read_file(name, &file, size, ranges, limits, each)?,
                Err(why) => {
                    for (_, at, _) in ranges {
                        let reason = SkipReason::Range(why.clone());
                        each(Item::Skipped(Skipped { source: name.to_string(), at: *at, reason }))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Opens a file, and returns its length.
    fn open(&self, name: &str) -> Result<(File, u64), String> {
        let below =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !below {
            return Err("the path leads out of the folder of WARC files".to_owned());
        }
        let path = self.root.join(name);
        let failed = |error: io::Error| format!("cannot open {}: {error}", path.display());
        let data = std::fs::metadata(&path).map_err(failed)?;
        if !data.is_file() {
            return Err(format!("cannot open {}: not a regular file", path.display()));
        }
        Ok((File::open(&path).map_err(failed)?, data.len()))
    }
}

/// Reads ranges of one file.
fn read_file(
    name: &str,
    mut file: &File,
    size: u64,
    ranges: &[(Arc<str>, u64, u64)],
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut window = Window::new(Source::Plain(Box::new(io::empty())));
    for &(_, offset, length) in ranges {
        let skipped = |reason| Item::Skipped(Skipped { source: name.to_owned(), at: offset, reason });
        if offset.checked_add(length).is_none_or(|end| end > size) {
            let what = format!("{length} bytes from {offset} on, but the file ends at {size}");
            each(skipped(SkipReason::Range(what)))?;
            continue;
        }
        if length > limits.max_record {
            each(skipped(SkipReason::RecordTooLong(length)))?;
            continue;
        }
        let room = usize::try_from(length).unwrap_or(CHUNK).clamp(1, CHUNK);
        let begun = file.seek(SeekFrom::Start(offset));
        if let Err(error) = begun.and_then(|_| window.restart(Box::new(file.take(length)), room, limits)) {
            each(skipped(SkipReason::Io(error.to_string())))?;
            continue;
        }
        let mut given = false;
        for record in warc::Records::of(&mut window, limits) {
            given = true;
            // The place of a range is its offset in the file: its content may be compressed.
            each(match record.item(name) {
                Item::Skipped(skipped) => Item::Skipped(Skipped { at: offset, ..skipped }),
                item => item,
            })?;
        }
        if !given {
            each(skipped(SkipReason::Range("it holds no WARC record".to_owned())))?;
        }
    }
    ControlFlow::Continue(())
}
